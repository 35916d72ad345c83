"""The driver of test/patroni/run.sh: runs the parts, counts, judges, prints."""

import os
import random
import signal
import sys
import threading
import time
from collections import Counter

from cluster import DATABASE, PORT, WORK, Cluster, processes, send
from failures import EACH_ROUND, OTHERS
from load import FAMILIES, LEASED, Load

ROUNDS = int(os.environ["GID_PATRONI_ROUNDS"])
SEED = int(os.environ.get("GID_PATRONI_SEED") or random.randrange(10 ** 6))
PARTS = (os.environ.get("GID_PATRONI_PARTS") or "synchronous asynchronous").split()

# What each configuration changes of the manual's shared configuration and of its parameters, and
# whether the hook ends an authority's pause.  Synchronous standbys leave no skip anything to cover.
CONFIGURATIONS = {
    "synchronous": ({}, {"gid.timeline_skip": 0}, True),
    "asynchronous": ({"synchronous_mode": False}, {"gid.node_lease_max": "30s"}, False),
}
PROBLEMS = ("TRAP:", "was terminated by signal 6", "was terminated by signal 11", "PANIC:")

passed = failed = 0


def say(text):
    print(text, flush=True)


def check(condition, text):
    global passed, failed
    if condition:
        passed += 1
    else:
        failed += 1
        say("FAILED: " + text)
    return condition


def end_with_script():
    """End, and leave nothing behind, when the shell script that started this is gone."""
    while os.path.exists("/proc/" + os.environ["GID_SCRIPT"]):
        time.sleep(1)
    end_processes()
    os.execvp("rm", ["rm", "-rf", WORK])


def end_processes():
    for part in PARTS:
        while [send(signal.SIGKILL, [pid]) for pid, _ in processes(os.path.join(WORK, part))]:
            time.sleep(0.2)


def judge(part, load):
    """A row for each family of each group of servers; no id may come twice."""
    repeated = {}
    for space in load.files:
        lines = load.repeats(space)
        repeated[space] = len(lines)
        if not check(not lines, "%s: repeats in \"%s\"" % (part, space)):
            # with the moment, the server and the client of each time
            with open("%s/repeats-%s" % (os.path.dirname(load.folder), space), "w") as f:
                f.writelines(lines)
            say("    " + "    ".join(lines[:6]))
    say("")
    say("| ids, from | drawn | repeats | longest pause of a client |")
    say("|---|---|---|---|")
    for label, family in dict.fromkeys((c.label, c.family) for c in load.clients):
        clients = [c for c in load.clients if (c.label, c.family) == (label, family)]
        ids = sum(c.ids for c in clients)
        check(ids > 0, "%s: %s of %s were drawn" % (part, family, label))
        say("| `%s`, %s | %d | %d | %.0f s |"
            % (family, label, ids, repeated[FAMILIES[family][0]], max(c.pause for c in clients)))
    errors = Counter()
    for client in load.clients:
        errors.update(client.errors)
    say("\nErrors of clients: " + ", ".join("%s %d times" % e for e in sorted(errors.items())))


def with_cluster(part):
    dcs, parameters, with_hook = CONFIGURATIONS[part]
    rnd = random.Random(SEED)
    cluster = Cluster(part, dcs, parameters, with_hook and os.environ["GID_HOOK"])
    say("\n== %s, seed %d" % (part, SEED))
    if not check(cluster.start(), part + ": three members under Patroni"):
        return
    check("gid.serve_nextval" in str(cluster.leader().query(
        "EXPLAIN (VERBOSE, COSTS OFF) SELECT nextval('served')", DATABASE)), part + ": nextval() is served")
    load = Load(cluster.folder, SEED)
    hosts = ["%s:%d" % (m.host, PORT) for m in cluster.members]
    orders = [",".join(rnd.sample(hosts, 3)) for _ in range(6)]
    uris = {kind: ["postgresql://app@%s/%s?target_session_attrs=%s&connect_timeout=2" % (order, DATABASE, kind)
                   for order in orders] for kind in ("read-write", "standby")}
    for family in FAMILIES:
        for _ in range(1 if "quiet" in family else 2):
            load.add("the cluster", family, uris["read-write"])
    for family in LEASED:
        load.add("a standby", family, uris["standby"], insert=False)
        for server in cluster.fleet:
            load.add("the fleet", family, [server.uri("postgres")], insert=False)
    load.start()

    begin = time.monotonic()
    others = [failure for _ in range(ROUNDS) for failure in rnd.sample(OTHERS, len(OTHERS))]
    failures = [failure for other in others[:ROUNDS] for failure in EACH_ROUND + (other,)]
    for failure in failures:
        name = failure.__name__
        check(load.all_draw(), "%s: ids of all sequences before %s" % (part, name))
        did = failure(cluster, random.Random(rnd.random()))
        say("  %4d s, %s: %s" % (time.monotonic() - begin, name, did))
        if not check(cluster.heal(), "%s: the cluster is well after %s" % (part, name)):
            break
        time.sleep(rnd.uniform(2, 8))
    check(load.all_draw(), "%s: ids of all sequences at the end" % part)
    load.stop()

    promotions, rewinds = cluster.timelines()
    ended = sum(m.log_has("gid-authority-resume: the pause has ended") for m in cluster.members)
    say("\n%s: %.0f min, %d promotions, %d rewinds, %d pauses of the authority ended by the hook"
        % (part, (time.monotonic() - begin) / 60, promotions, rewinds, ended))
    check(promotions >= 2 * ROUNDS, "%s: %d promotions" % (part, promotions))
    if with_hook:
        check(ended > 0, part + ": the hook has ended a pause")
    for text in PROBLEMS:
        check(not any(m.log_has(text) for m in cluster.members + cluster.fleet), "%s: \"%s\" in a log" % (part, text))
    judge(part, load)
    cluster.stop()


def main():
    threading.Thread(target=end_with_script, daemon=True).start()
    try:
        for part in PARTS:
            with_cluster(part)
    finally:
        end_processes()
    say("\n%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
