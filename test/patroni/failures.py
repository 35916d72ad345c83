"""What happens to the cluster.  Each failure begins when all three members are well, and
leaves it to Cluster.heal() to start again what it has killed."""

import signal
import time

from cluster import TTL, WATCHDOG, send, wait_for

FREEZE = 40     # seconds


def lag(cluster, leader, rnd, most=2):
    """Some standbys get no more WAL, while the clients go on."""
    senders = leader.backends("walsender")
    rnd.shuffle(senders)
    send(signal.SIGSTOP, senders[:rnd.randint(0, most)])
    time.sleep(rnd.uniform(0.5, 4))


def node_kill(cluster, rnd):
    """The leader's machine is lost; its standbys may lag."""
    leader = cluster.leader()
    lag(cluster, leader, rnd)
    leader.kill()
    cluster.wait_leader(60 + TTL, leader)
    time.sleep(rnd.uniform(0, 10))


def double_failover(cluster, rnd):
    """The next leader is lost soon, too, before the first is back."""
    leader = cluster.leader()
    lag(cluster, leader, rnd)
    leader.kill()
    second = cluster.wait_leader(60 + TTL, leader)
    if second:
        if rnd.random() < 0.5:
            wait_for("a standby of the second leader", 30, lambda: second.backends("walsender"))
        lag(cluster, second, rnd, most=1)
        second.kill()
        cluster.wait_leader(60 + TTL, second)
        time.sleep(rnd.uniform(0, 5))


def backend_kill(cluster, rnd):
    """A backend of the leader crashes, and the server with it."""
    for _ in range(rnd.randint(1, 3)):
        leader = cluster.wait_leader(60)
        backends = leader.backends("app app") if leader else []
        send(signal.SIGKILL, backends and [rnd.choice(backends)])
        time.sleep(rnd.uniform(2, 8))


def switchover(cluster, rnd):
    for _ in range(rnd.randint(1, 3)):
        leader, candidate = cluster.leader(), rnd.choice(cluster.standbys())
        if leader:
            leader.rest("switchover", {"leader": leader.name, "candidate": candidate.name})
            cluster.wait_leader(60, leader)
            wait_for("healthy", 60, cluster.is_healthy)


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
        return
    time.sleep(FREEZE)
    other = cluster.wait_leader(1, member)
    send(signal.SIGCONT, pids())
    time.sleep(TTL)
    if was_leader and other and member.is_leader() and member.state()["timeline"] == timeline:
        print("  %s has taken the lock back, on timeline %d" % (member.name, timeline), flush=True)
        cluster.locks_stolen += 1


def member_freeze(cluster, rnd):
    """A whole machine stands still."""
    member = rnd.choice([cluster.leader(), cluster.leader(), rnd.choice(cluster.standbys())])
    freeze(cluster, rnd, member, member.pids)


def patroni_freeze(cluster, rnd):
    """Patroni of the leader stands still, its server goes on."""
    leader = cluster.leader()
    freeze(cluster, rnd, leader, leader.patroni)


def etcd_outage(cluster, rnd):
    send(signal.SIGSTOP, cluster.etcd.pids())
    time.sleep(rnd.uniform(5, 2 * TTL))
    send(signal.SIGCONT, cluster.etcd.pids())
    cluster.wait_leader(60 + TTL)


def receiver_stop(cluster, rnd):
    """Standbys receive no WAL for a while."""
    standbys = cluster.standbys()[:rnd.randint(1, 2)]
    pids = [pid for m in standbys for pid in m.backends("walreceiver")]
    send(signal.SIGSTOP, pids)
    time.sleep(rnd.uniform(5, TTL))
    send(signal.SIGCONT, pids)


def reinit(cluster, rnd):
    """A standby is made anew from the leader."""
    member = rnd.choice(cluster.standbys())
    member.rest("reinitialize", {"force": True})
    time.sleep(5)


FAILURES = {f.__name__: f for f in (
    node_kill, double_failover, backend_kill, switchover, member_freeze, patroni_freeze,
    etcd_outage, receiver_stop, reinit)}
