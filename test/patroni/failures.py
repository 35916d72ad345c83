"""What happens to the cluster.  Each failure begins when all three members are well, says
what it did, and leaves it to Cluster.heal() to start again what it has killed."""

import signal
import time

from cluster import PATIENCE, TTL, WATCHDOG, send, wait_for

FREEZE = 40     # seconds


def lag_and_kill(cluster, leader, rnd):
    """Some standbys get no more WAL, while the clients go on.  Then the leader's machine is lost."""
    senders = leader.backends("walsender")
    rnd.shuffle(senders)
    stopped = senders[:rnd.randint(0, len(senders))]
    seconds = rnd.uniform(0.5, cluster.lag)
    send(signal.SIGSTOP, stopped)
    if stopped and len(stopped) == len(senders):
        # Beyond Patroni's default of maximum_lag_on_failover
        wait_for("3 MB of WAL", PATIENCE, lambda: leader.query(
            "SELECT pg_logical_emit_message(false, 'lag', repeat('x', 3000000))"))
    time.sleep(seconds)
    leader.kill()
    return "%s lost, when %d of %d standbys lagged by %.1f s" % (leader.name, len(stopped), len(senders), seconds)


def led_by(leader, since):
    return "%s led after %.0f s" % (leader.name, time.monotonic() - since) if leader else "nobody led"


def node_kill(cluster, rnd):
    """The leader's machine is lost; its standbys may lag."""
    leader = cluster.wait_leader(PATIENCE)
    did, since = lag_and_kill(cluster, leader, rnd), time.monotonic()
    did += "; " + led_by(cluster.wait_leader(PATIENCE, leader), since)
    time.sleep(rnd.uniform(0, 10))
    return did


def double_failover(cluster, rnd):
    """The next leader is lost soon, too, before the first is back."""
    leader = cluster.wait_leader(PATIENCE)
    did, since = lag_and_kill(cluster, leader, rnd), time.monotonic()
    second = cluster.wait_leader(PATIENCE, leader)
    did += "; " + led_by(second, since)
    if second:
        if rnd.random() < 0.5:
            wait_for("a standby of the second leader", 30, lambda: second.backends("walsender"))
        did, since = did + "; " + lag_and_kill(cluster, second, rnd), time.monotonic()
        # Nobody may lead before the two are back: the third need not have followed the second.
        did += "; " + led_by(cluster.wait_leader(60 + TTL, second), since)
        time.sleep(rnd.uniform(0, 5))
    return did


def backend_kill(cluster, rnd):
    """A backend of the leader crashes, and the server with it."""
    killed = []
    for _ in range(rnd.randint(1, 3)):
        leader = cluster.wait_leader(60)
        backends = leader.backends("app app") if leader else []
        if backends:
            send(signal.SIGKILL, [rnd.choice(backends)])
            killed.append(leader.name)
        time.sleep(rnd.uniform(2, 8))
    return "backends killed of: " + ", ".join(killed)


def switchover(cluster, rnd):
    """Patroni chooses the candidate: in synchronous mode it takes no other."""
    leader, answers, since = cluster.wait_leader(PATIENCE), [], time.monotonic()

    def switched():
        if any(m.is_leader() for m in cluster.members if m is not leader):
            return True
        answers.append(leader.rest("switchover", {"leader": leader.name}))
        return answers[-1][0] == 200
    if not wait_for("a switchover", PATIENCE, switched):
        return "no switchover: %d %s" % answers[-1]
    return "from %s; %s" % (leader.name, led_by(cluster.wait_leader(PATIENCE, leader), since))


def freeze(cluster, rnd, member, pids):
    """Stop the processes.  A watchdog, where there is one, resets the machine."""
    timeline = member.state()["timeline"]
    was_leader = member.is_leader()
    for _ in range(2):
        send(signal.SIGSTOP, pids())
    if cluster.watchdog and was_leader:
        time.sleep(WATCHDOG)
        member.kill()
        time.sleep(FREEZE - WATCHDOG)
        return "%s stood still, and its watchdog reset it" % member.name
    time.sleep(FREEZE)
    other = cluster.wait_leader(1, member)
    send(signal.SIGCONT, pids())
    time.sleep(TTL)
    if was_leader and other and member.is_leader() and member.state()["timeline"] == timeline:
        print("  %s has taken the lock back, on timeline %d" % (member.name, timeline), flush=True)
        cluster.locks_stolen += 1
    return "%s stood still for %d s" % (member.name, FREEZE)


def member_freeze(cluster, rnd):
    """A whole machine stands still."""
    leader = cluster.wait_leader(PATIENCE)
    member = rnd.choice([leader, leader, rnd.choice(cluster.standbys())])
    return freeze(cluster, rnd, member, member.pids)


def patroni_freeze(cluster, rnd):
    """Patroni of the leader stands still, its server goes on."""
    leader = cluster.wait_leader(PATIENCE)
    return freeze(cluster, rnd, leader, leader.patroni)


def etcd_outage(cluster, rnd):
    seconds = rnd.uniform(5, 2 * TTL)
    send(signal.SIGSTOP, cluster.etcd.pids())
    time.sleep(seconds)
    send(signal.SIGCONT, cluster.etcd.pids())
    cluster.wait_leader(PATIENCE)
    return "etcd stood still for %.0f s" % seconds


def receiver_stop(cluster, rnd):
    """Standbys receive no WAL for a while."""
    standbys = cluster.standbys()[:rnd.randint(1, 2)]
    pids = [pid for m in standbys for pid in m.backends("walreceiver")]
    seconds = rnd.uniform(5, TTL)
    send(signal.SIGSTOP, pids)
    time.sleep(seconds)
    send(signal.SIGCONT, pids)
    return "%d standbys received nothing for %.0f s" % (len(pids), seconds)


def reinit(cluster, rnd):
    """A standby is made anew from the leader."""
    member = rnd.choice(cluster.standbys())
    status, answer = member.rest("reinitialize", {"force": True})
    time.sleep(5)
    return "%s is made anew: %d %s" % (member.name, status, answer)


# Each round has the first two, and one of the others.
EACH_ROUND = (node_kill, switchover)
OTHERS = {f.__name__: f for f in (double_failover, backend_kill, member_freeze, patroni_freeze,
                                  etcd_outage, receiver_stop, reinit)}
