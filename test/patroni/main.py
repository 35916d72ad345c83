"""The driver of test/patroni/run.sh: runs the parts, counts, judges, prints."""

import os
import random
import signal
import sys
import threading
import time

import psycopg2

import restore
from cluster import DATABASE, NET, PORT, WORK, Cluster, processes, send
from failures import EACH_ROUND, OTHERS
from load import FAMILIES, LEASED, SEQUENCES, Load

ROUNDS = int(os.environ["GID_PATRONI_ROUNDS"])
SEED = int(os.environ.get("GID_PATRONI_SEED") or random.randrange(10 ** 6))
PARTS = (os.environ.get("GID_PATRONI_PARTS") or "synchronous asynchronous restore").split()
CHOSEN = os.environ.get("GID_PATRONI_FAILURES", " ".join(OTHERS)).split()
LAG = float(os.environ.get("GID_PATRONI_LAG") or 4)
WATCHDOG = os.environ.get("GID_PATRONI_WATCHDOG") != "no"
ETCD = os.environ.get("GID_PATRONI_ETCD") or "etcd3"

# What each configuration changes of the manual's shared configuration and of its parameters, and
# whether the hook ends an authority's pause.
CONFIGURATIONS = {
    "synchronous": ({}, {}, True),
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


def show_repeats(load, space, repeats):
    """Some of them, with the moment, the server and the client of each time."""
    with open("%s/repeats-%s" % (os.path.dirname(load.folder), space), "w") as f:
        f.write("".join(" | ".join(" ".join(line) for line in group) + "\n" for group in repeats))
    for group in repeats[:2] + repeats[-1:]:
        say("    " + " | ".join(" ".join(line) for line in group))


def judge(part, load, judged=True):
    """A row for each family of each group of servers; no id may come twice."""
    repeated = {}
    for space in load.files:
        groups = load.repeats(space)
        repeated[space] = sum(len(group) - 1 for group in groups)
        if groups:
            say("  %s: %d ids of \"%s\" came again:" % (part, repeated[space], space))
            show_repeats(load, space, groups)
        if judged:
            check(not groups, "%s: %d repeats in \"%s\"" % (part, repeated[space], space))
    say("")
    say("| ids, from | drawn | repeats | longest pause of a client |")
    say("|---|---|---|---|")
    for label, family in dict.fromkeys((c.label, c.family) for c in load.clients):
        clients = [c for c in load.clients if (c.label, c.family) == (label, family)]
        ids = sum(c.ids for c in clients)
        check(ids > 0, "%s: %s of %s were drawn" % (part, family, label))
        say("| `%s`, %s | %d | %d | %.0f s |"
            % (family, label, ids, repeated[FAMILIES[family][0]], max(c.pause for c in clients)[0]))
    errors = {}
    for client in load.clients:
        for code, count in client.errors.items():
            errors[code] = errors.get(code, 0) + count
    say("\nErrors of clients: " + ", ".join("%s %d times" % e for e in sorted(errors.items())))


def judge_skips(part, cluster, load):
    """What the skips covered: values that a lost server had handed out.  Synchronous
    standbys leave nothing to cover."""
    ranges = {}
    for member in cluster.members:
        for sequence, first, last in member.skips():
            ranges.setdefault(sequence, []).append((first, last))
    say("\n| sequence | skips | values skipped | of these handed out before | at most in one skip |")
    say("|---|---|---|---|---|")
    for sequence in SEQUENCES:
        skips = ranges.get(sequence, [])
        covered = load.handed_out(sequence, skips)
        say("| %s | %d | %d | %d | %d |" % (sequence, len(skips), sum(last - first + 1 for first, last in skips),
                                          sum(covered), max(covered, default=0)))
        if part == "synchronous":
            check(not any(covered), "%s: the skips of %s had nothing to cover" % (part, sequence))


def with_cluster(part):
    dcs, parameters, with_hook = CONFIGURATIONS[part]
    rnd = random.Random(SEED)
    cluster = Cluster(part, dcs, parameters, with_hook and os.environ["GID_HOOK"], ETCD)
    cluster.watchdog = WATCHDOG
    cluster.locks_stolen = 0
    cluster.lag = LAG
    changed = ", ".join("%s = %s" % s for s in {**dcs, **parameters}.items()) or "as the manual says"
    say("\n== %s: %s, seed %d, %s" % (part, changed, SEED, ETCD))
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
    counts = {}
    others = [name for _ in range(ROUNDS) for name in rnd.sample(CHOSEN, len(CHOSEN))]
    for number in range(ROUNDS):
        for failure in EACH_ROUND + tuple(OTHERS[name] for name in others[number:number + 1]):
            name = failure.__name__
            check(load.all_draw(), "%s: ids of all sequences before %s" % (part, name))
            did = failure(cluster, random.Random(rnd.random()))
            say("  %4d s, round %d, %s: %s" % (time.monotonic() - begin, number + 1, name, did))
            counts[name] = counts.get(name, 0) + 1
            # Two leaders: what comes now says nothing of gid, and the standbys may not recover.
            if cluster.locks_stolen or not check(cluster.heal(), "%s: the cluster is well after %s" % (part, name)):
                break
            time.sleep(rnd.uniform(2, 8))
        else:
            continue
        break
    check(load.all_draw(), "%s: ids of all sequences at the end" % part)
    load.stop()

    promotions, rewinds = cluster.timelines()
    ended = sum(m.log_has("gid-authority-resume: the pause has ended") for m in cluster.members)
    say("\n%s: %d rounds in %.0f min, %d promotions, %d rewinds, %d failures: %s"
        % (part, number + 1, (time.monotonic() - begin) / 60, promotions, rewinds, sum(counts.values()),
           ", ".join("%d %s" % (n, f) for f, n in counts.items())))
    say("Pauses of the authority ended by the hook: %d.  Locks taken back: %d." % (ended, cluster.locks_stolen))
    check(cluster.locks_stolen or promotions >= 2 * ROUNDS, "%s: %d promotions" % (part, promotions))
    if promotions and with_hook:
        check(ended > 0, part + ": the hook has ended a pause")
    for text in PROBLEMS:
        check(not any(m.log_has(text) for m in cluster.members + cluster.fleet), "%s: \"%s\" in a log" % (part, text))
    judge(part, load, judged=not cluster.locks_stolen)
    judge_skips(part, cluster, load)
    cluster.stop()


def with_restores():
    if not os.path.exists(restore.PROGRAM):
        say("\n== restore: skipped, the package pgbackrest cannot be had")
        return
    say("\n== restore: %d times to a point in time, seed %d" % (ROUNDS, SEED))
    load, well, promotions = restore.run(ROUNDS, SEED)
    for one in well:
        check(one, "restore: a server that takes writes")
    check(promotions == ROUNDS, "restore: %d new timelines" % promotions)
    judge("restore", load)


def main():
    threading.Thread(target=end_with_script, daemon=True).start()
    try:
        for part in PARTS:
            with_restores() if part == "restore" else with_cluster(part)
    finally:
        end_processes()
    say("\n%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
