"""What happens to the cluster.  Each failure begins when all three members are well, says
what it did, and leaves it to Cluster.heal() to start again what it has killed."""

import signal
import time

from cluster import PATIENCE, TTL, WATCHDOG, send, wait_for

FREEZE = 40     # seconds
LAG = 4         # seconds that a standby lags at most when the leader is killed


def lag_and_kill(cluster, leader, rnd):
    """Some standbys get no more WAL, while the clients go on.  Then the leader's machine is lost."""
    senders = leader.backends("walsender")
    rnd.shuffle(senders)
    stopped = senders[:rnd.randint(0, len(senders))]
    seconds = rnd.uniform(0.5, LAG)
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


def freeze(member, pids):
    """Stop the processes.  A leader's watchdog resets the machine."""
    was_leader = member.is_leader()
    for _ in range(2):
        send(signal.SIGSTOP, pids())
    time.sleep(WATCHDOG)
    if was_leader:
        member.kill()
    time.sleep(FREEZE - WATCHDOG)
    send(signal.SIGCONT, pids())
    return "%s stood still%s" % (member.name, ", and its watchdog reset it" if was_leader else "")


def member_freeze(cluster, rnd):
    """A whole machine stands still."""
    leader = cluster.wait_leader(PATIENCE)
    member = rnd.choice([leader, leader, rnd.choice(cluster.standbys())])
    return freeze(member, member.pids)


def patroni_freeze(cluster, rnd):
    """Patroni of the leader stands still, its server goes on."""
    leader = cluster.wait_leader(PATIENCE)
    return freeze(leader, leader.patroni)


def etcd_outage(cluster, rnd):
    seconds = rnd.uniform(5, 2 * TTL)
    send(signal.SIGSTOP, cluster.etcd.pids())
    time.sleep(seconds)
    send(signal.SIGCONT, cluster.etcd.pids())
    cluster.wait_leader(PATIENCE)
    return "etcd stood still for %.0f s" % seconds


# Each round has the first two, and one of the others.
EACH_ROUND = (node_kill, switchover)
OTHERS = (double_failover, member_freeze, patroni_freeze, etcd_outage)
