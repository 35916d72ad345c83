"""A cluster of three members under Patroni, with etcd; and servers beside it.

Everything that belongs to a member has its current directory below the member's
folder: Patroni, the server, the hook.  So the processes of a member are found in
/proc, without a name or a list that could be of another run.
"""

import http.client
import json
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request

import psycopg2
import yaml

WORK = os.environ["GID_WORK"]
BIN = os.environ["GID_BIN"]
DATABASE = "app"
TTL = 20            # seconds that a leader's lock lasts
WATCHDOG = TTL - 5  # seconds after which a watchdog resets a machine
PATIENCE = 300      # seconds for what is bound to come, also on a busy machine


def free_net():
    """A net of loopback addresses and three ports on which nobody listens."""
    while True:
        net = "127.%d.%d." % (random.randint(1, 254), random.randint(1, 254))
        port = random.randint(20000, 30000)
        try:
            for i in range(3):
                with socket.socket() as s:
                    s.bind((net + "1", port + i))
            return net, port
        except OSError:
            pass


NET, PORT = free_net()


def manual_settings(hosts):
    """The shared configuration that the manual recommends, for members at other hosts."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../doc/failover.md")
    with open(path) as f:
        block = re.search(r"<!-- test: test/patroni sets this -->\n```\n(.*?)```", f.read(), re.S).group(1)
    block = block.replace("10.0.0.11:5432,10.0.0.12:5432,10.0.0.13:5432", hosts)
    return yaml.safe_load(block)


def processes(folder):
    """(pid, command line) of all processes whose current directory is below folder."""
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                cwd = os.readlink("/proc/%s/cwd" % name) + "/"
                if cwd.startswith(folder + "/") and int(name) != os.getpid():
                    with open("/proc/%s/cmdline" % name, "rb") as f:
                        found.append((int(name), f.read().replace(b"\0", b" ").decode("utf8", "replace")))
            except OSError:
                pass
    return found


def send(signo, pids):
    for pid in pids:
        try:
            os.kill(pid, signo)
        except ProcessLookupError:
            pass


def wait_for(what, seconds, condition):
    """Whether the condition came true; its errors count as "not yet"."""
    end = time.monotonic() + seconds
    while True:
        try:
            if condition():
                return True
        except (psycopg2.Error, OSError, http.client.HTTPException, KeyError, ValueError):
            pass
        if time.monotonic() > end:
            print("  waited %d s in vain: %s" % (seconds, what), flush=True)
            return False
        time.sleep(0.3)


class Service:
    """A program with a folder and a log."""

    def __init__(self, folder, name, host):
        self.name = name
        self.host = host
        self.folder = os.path.join(folder, name)
        self.log = self.folder + ".log"
        self.child = None
        os.makedirs(self.folder, mode=0o700)

    def run(self, *command):
        with open(self.log, "a") as log:
            self.child = subprocess.Popen(command, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=log,
                                          stderr=log, start_new_session=True)

    def pids(self, text=""):
        return [pid for pid, command in processes(self.folder) if text in command]

    def kill(self):
        """As if the machine had lost its power."""
        for _ in range(100):
            pids = self.pids()
            if not pids:
                break
            send(signal.SIGKILL, pids)
            time.sleep(0.1)
        if self.child:
            self.child.wait()

    def log_has(self, text):
        """How many lines of the log have the text."""
        with open(self.log, errors="replace") as f:
            return sum(text in line for line in f)


class Etcd(Service):
    def start(self):
        here, peer = ("http://%s:%d" % (self.host, port) for port in (PORT, PORT + 1))
        self.run(WORK + "/unpacked/usr/bin/etcd", "--data-dir", self.folder + "/data",
                 "--unsafe-no-fsync", "--listen-client-urls", here, "--advertise-client-urls", here,
                 "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer, "--initial-cluster", "default=" + peer)


class Server(Service):
    """A server with a data directory of its own, reached at its host."""

    @property
    def data(self):
        return self.folder + "/data"

    def uri(self, database=DATABASE):
        return "postgresql://postgres@%s:%d/%s?connect_timeout=3" % (self.host, PORT, database)

    def query(self, statement, database="postgres"):
        """The rows of one statement, within 10 s of the server's time."""
        conn = psycopg2.connect(self.uri(database), options="-c statement_timeout=10s")
        try:
            conn.autocommit = True
            with conn.cursor() as cur:
                cur.execute(statement)
                return cur.fetchall() if cur.description else []
        finally:
            conn.close()

    def init(self, settings):
        subprocess.run([BIN + "/initdb", "-D", self.data, "-U", "postgres", "-A", "trust", "--no-locale",
                        "-E", "UTF8", "--no-sync"], check=True, stdout=subprocess.DEVNULL)
        with open(self.data + "/postgresql.conf", "a") as f:
            for name, value in settings.items():
                f.write("%s = '%s'\n" % (name, value))
            f.write("listen_addresses = '%s'\nport = %d\nunix_socket_directories = '%s'\n"
                    % (self.host, PORT, self.folder))

    def start(self):
        self.run(BIN + "/postgres", "-D", self.data)
        return wait_for("start of " + self.name, 120, lambda: self.query("SELECT 1"))


class Member(Server):
    """Patroni and its server."""

    def configure(self, etcd, dcs, hook):
        config = {
            "scope": "gid", "name": self.name,
            "restapi": {"listen": "%s:%d" % (self.host, PORT + 2),
                        "connect_address": "%s:%d" % (self.host, PORT + 2)},
            "etcd3": {"host": "%s:%d" % (etcd.host, PORT)},
            "bootstrap": {"dcs": dcs, "initdb": [{"encoding": "UTF8"}, "no-locale", "no-sync"]},
            "postgresql": {
                "listen": "%s:%d" % (self.host, PORT), "connect_address": "%s:%d" % (self.host, PORT),
                "data_dir": self.data, "bin_dir": BIN, "pgpass": self.folder + "/pgpass",
                "authentication": {"superuser": {"username": "postgres"}, "replication": {"username": "standby"}},
                "basebackup": [{"checkpoint": "fast"}],
                "remove_data_directory_on_rewind_failure": True,
                "remove_data_directory_on_diverged_timelines": True,
                "parameters": {"unix_socket_directories": self.folder},
                "pg_hba": ["local all all trust", "host all all 127.0.0.0/8 trust",
                           "host replication all 127.0.0.0/8 trust"]},
            "watchdog": {"mode": "off"}}
        if hook:
            config["postgresql"]["callbacks"] = {"on_role_change": "env PGHOST=%s PGPORT=%d PGUSER=postgres "
                                                 "GID_DATABASE=%s PATH=%s:/usr/bin:/bin %s"
                                                 % (self.folder, PORT, DATABASE, BIN, hook)}
        # JSON is YAML, too
        with open(self.folder + "/patroni.yml", "w") as f:
            json.dump(config, f, indent=1)

    def start(self):
        self.run("/usr/bin/python3", "-m", "patroni", self.folder + "/patroni.yml")

    def rest(self, path, body=None):
        """What Patroni answers, as (status, text)."""
        request = urllib.request.Request("http://%s:%d/%s" % (self.host, PORT + 2, path),
                                         data=json.dumps(body).encode() if body is not None else None)
        try:
            with urllib.request.urlopen(request, timeout=120 if body is not None else 3) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def state(self):
        return json.loads(self.rest("patroni")[1])

    def is_leader(self):
        try:
            return self.rest("leader")[0] == 200
        except (OSError, http.client.HTTPException):
            return False

    def patroni(self):
        return self.pids("-m patroni")

    def backends(self, kind):
        """The processes whose title has these words: "walsender", "walreceiver", "app app"."""
        return [pid for pid, title in processes(self.folder)
                if title.startswith("postgres: ") and " %s " % kind in title + " "]


class Cluster:
    """The members, etcd, the archive, and two servers that lease node numbers."""

    def __init__(self, name, dcs, settings, hook):
        self.folder = os.path.join(WORK, name)
        os.makedirs(self.folder + "/archive")
        self.etcd = Etcd(self.folder, "etcd", NET + "1")
        self.members = [Member(self.folder, "m%d" % i, "%s%d" % (NET, 10 + i)) for i in (1, 2, 3)]
        self.fleet = [Server(self.folder, "f%d" % i, "%s%d" % (NET, 20 + i)) for i in (1, 2)]
        hosts = ",".join("%s:%d" % (m.host, PORT) for m in self.members)
        self.dcs = {"ttl": TTL, "loop_wait": 2, "retry_timeout": 4, **manual_settings(hosts), **dcs}
        self.dcs["postgresql"]["parameters"].update(settings)
        self.authority = self.dcs["postgresql"]["parameters"]["gid.node_authority"]
        self.hook = hook

    def start(self):
        archive = self.folder + "/archive"
        self.dcs["postgresql"]["recovery_conf"] = {"restore_command": "cp %s/%%f %%p" % archive}
        self.dcs["postgresql"]["parameters"].update({
            "archive_mode": "on", "archive_timeout": "30s", "wal_keep_size": "256MB", "max_wal_senders": 8,
            "archive_command": "test -f %s/%%f || cp %%p %s/%%f" % (archive, archive),
            "gid.launch_id": 65, "fsync": "off", "shared_buffers": "32MB", "max_connections": 60})
        self.etcd.start()
        for i, member in enumerate(self.members):
            member.configure(self.etcd, self.dcs, self.hook)
            member.start()
            if i == 0 and not wait_for("the first leader", 120, lambda: self.leader()):
                return False
        leader = self.leader()
        # The database is made before there are standbys.
        leader.query("CREATE DATABASE " + DATABASE)
        for statement in ("CREATE EXTENSION gid", "CREATE ROLE app LOGIN", "CREATE ROLE gid_fleet LOGIN",
                          "GRANT EXECUTE ON FUNCTION gid.authority_node(uuid, int, timestamptz, timestamptz, "
                          "timestamptz, int), gid.authority_confirm() TO gid_fleet",
                          "ALTER ROLE gid_fleet SET idle_in_transaction_session_timeout = '5s'",
                          "CREATE SEQUENCE orders", "CREATE SEQUENCE quiet", "CREATE SEQUENCE gdids",
                          "CREATE SEQUENCE codes", "CREATE SEQUENCE served",
                          "ALTER DATABASE app SET gid.serve_nextval = on",
                          "GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO app",
                          "CREATE TABLE ids (family text, id text)", "GRANT ALL ON ids TO app"):
            leader.query(statement, DATABASE)
        for server in self.fleet:
            server.init({"shared_preload_libraries": "gid", "fsync": "off",
                         "gid.node_authority": self.authority + "&application_name=" + server.name})
            server.start()
            server.query("CREATE EXTENSION gid")
        return self.heal()

    def leader(self):
        return next((m for m in self.members if m.is_leader()), None)

    def wait_leader(self, seconds, other_than=None):
        """The leader that takes writes, or None."""
        found = []

        def writes():
            found[:] = [m for m in self.members if m is not other_than and m.is_leader()
                        and m.query("SELECT pg_is_in_recovery()") == [(False,)]]
            return bool(found)
        return found[0] if wait_for("a leader", seconds, writes) else None

    def standbys(self):
        return [m for m in self.members if not m.is_leader()]

    def is_healthy(self):
        states = [m.state() for m in self.members]
        leader = self.leader()
        return (leader is not None and all(s["state"] == "running" for s in states)
                and len({s["timeline"] for s in states}) == 1
                and leader.query("SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'") == [(2,)]
                and (not self.dcs["synchronous_mode"]
                     or leader.query("SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'") == [(1,)]))

    def heal(self):
        """All processes go on, all members run; whether the cluster is healthy then."""
        for service in [self.etcd] + self.members + self.fleet:
            send(signal.SIGCONT, service.pids())
            if not service.pids():
                service.start()
        for member in self.members:
            if not member.patroni():
                member.start()
        if wait_for("three members that follow one leader", PATIENCE, self.is_healthy):
            return True
        for member in self.standbys():
            member.rest("reinitialize", {"force": True})
        return wait_for("the same after a reinit", PATIENCE, self.is_healthy)

    def timelines(self):
        """Promotions and rewinds, as the logs of all members tell them."""
        return (sum(m.log_has("selected new timeline ID") for m in self.members),
                sum(m.log_has("running pg_rewind from dbname=") for m in self.members))

    def stop(self):
        for service in self.members + self.fleet + [self.etcd]:
            service.kill()
        for service in self.members + self.fleet:
            shutil.rmtree(service.data, ignore_errors=True)
