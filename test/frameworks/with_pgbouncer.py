"""gid behind PgBouncer in transaction mode: what stays, what is another client's.

The functions before SCHEMA are in doc/applications.md.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time

import tap

psycopg = tap.need("psycopg", "python3-psycopg")

PGBOUNCER = shutil.which("pgbouncer", path=os.environ["PATH"] + ":/usr/sbin")
if PGBOUNCER is None:
    print("1..0 # SKIP the program pgbouncer is not there")
    sys.exit(0)

SETTINGS = """\
[databases]
shop = host=/var/run/postgresql pool_size=3

[pgbouncer]
pool_mode = transaction
"""


def add_event(connection, shard):
    """The shard key is an argument: nothing is left in the connection."""
    return connection.execute(
        "INSERT INTO event (id) VALUES (gid_uuid_shard(%s)) RETURNING id", [shard]).fetchone()[0]


def add_events(connection, shard, bodies):
    """The shard key is a setting of the transaction, for the column's default."""
    with connection.transaction():
        connection.execute("SELECT set_config('gid.shard_key', %s, true)", [str(shard)])
        return [connection.execute(
            "INSERT INTO event (body) VALUES (%s) RETURNING id", [body]).fetchone()[0]
            for body in bodies]


SCHEMA = """
CREATE EXTENSION gid;
ALTER DATABASE with_pgbouncer SET gid.launch_id = 65;
ALTER DATABASE with_pgbouncer SET gid.shard_key = 7;
CREATE SEQUENCE order_no;
CREATE TABLE event (id uuid PRIMARY KEY DEFAULT gid_uuid_shard(), body text);
CREATE TABLE all_ids (uuid uuid UNIQUE DEFAULT gid_uuid_v7(),
  trace bigint UNIQUE DEFAULT gid_trace_id(), decimal bigint UNIQUE DEFAULT gid_decimal_id(),
  number bigint UNIQUE DEFAULT gid_next('order_no'), client int, pid int DEFAULT pg_backend_pid());
"""

# --- the test

CLIENTS, TRANSACTIONS, ROWS = 6, 10, 10


class Bouncer:
    """PgBouncer with a socket in a directory of its own, in front of the server."""

    def __enter__(self):
        self.directory = tempfile.mkdtemp(prefix="pgb.", dir=os.environ["TMPDIR"])
        with open(f"{self.directory}/ini", "w") as file:
            file.write(SETTINGS.replace("host=/var/run/postgresql", "host={PGHOST} port={PGPORT}"
                                        " dbname={PGDATABASE}".format(**os.environ))
                       + f"unix_socket_dir = {self.directory}\nlisten_port = 6432\n"
                       f"auth_type = trust\nauth_file = {self.directory}/users\n"
                       f"admin_users = {os.environ['PGUSER']}\nlogfile = {self.directory}/log\n")
        with open(f"{self.directory}/users", "w") as file:
            file.write('"{PGUSER}" ""\n'.format(**os.environ))
        self.process = subprocess.Popen([PGBOUNCER, "-q", f"{self.directory}/ini"],
                                        cwd=self.directory)
        for _ in range(400):
            if os.path.exists(f"{self.directory}/.s.PGSQL.6432"):
                break
            time.sleep(0.05)
        return self

    def __exit__(self, *error):
        self.process.terminate()
        self.process.wait()
        if error[0]:
            with open(f"{self.directory}/log") as file:
                print("# " + "\n# ".join(file.read().splitlines()[-20:]))

    def connect(self, database="shop", **options):
        """A client; it prepares nothing."""
        return psycopg.connect(host=self.directory, port=6432, dbname=database, autocommit=True,
                               **{"prepare_threshold": None, **options})

    def reconnect(self):
        """New server connections, which know what ALTER DATABASE and ALTER ROLE set."""
        with self.connect("pgbouncer") as admin:
            admin.execute("RECONNECT")


def shard_of(connection, uuid):
    return connection.execute("SELECT gid_extract_shard(%s)", [uuid]).fetchone()[0]


def a_client(bouncer, number, start, errors):
    try:
        with bouncer.connect() as connection:
            start.wait()
            for _ in range(TRANSACTIONS):
                with connection.transaction():
                    for _ in range(ROWS):
                        connection.execute("INSERT INTO all_ids (client) VALUES (%s)", [number])
    except Exception as e:
        errors.append(e)


def test_many(bouncer):
    errors = []
    start = threading.Barrier(CLIENTS, timeout=60)
    threads = [threading.Thread(target=a_client, args=(bouncer, number, start, errors))
               for number in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    tap.equal(errors, [], f"{CLIENTS} clients over 3 connections: no error")
    with bouncer.connect() as connection:
        rows = CLIENTS * TRANSACTIONS * ROWS
        tap.equal(connection.execute(
            "SELECT count(*), count(DISTINCT uuid), count(DISTINCT trace), count(DISTINCT decimal),"
            " count(DISTINCT number) FROM all_ids").fetchone(), (rows,) * 5,
            f"of {rows} rows no two have an equal id of any kind")
        backends, shared = connection.execute(
            "SELECT count(DISTINCT pid), count(DISTINCT (client, pid)) > count(DISTINCT client)"
            " FROM all_ids").fetchone()
        tap.ok(backends <= 3 and shared, "clients changed their connections", (backends, shared))
        tap.equal(connection.execute(
            "SELECT max(number) FROM all_ids").fetchone()[0], rows,
            "numbers of the sequence: none is lost between transactions")
        tap.equal(connection.execute(
            "SELECT count(DISTINCT gid_extract_decimal_launch(decimal)),"
            " min(gid_extract_decimal_launch(decimal)) FROM all_ids").fetchone(), (1, 65),
            "gid.launch_id of the database holds for all")
        tap.equal(connection.execute(
            "SELECT count(DISTINCT gid_extract_decimal_generator(decimal)) FROM all_ids"
        ).fetchone()[0], 1, "one generator number for all connections of the pool")


def test_shard_key(bouncer):
    with bouncer.connect() as one, bouncer.connect() as other:
        tap.equal(shard_of(one, add_event(one, 12)), 12, "shard key: as an argument")
        tap.equal([shard_of(one, uuid) for uuid in add_events(one, 13, "ab")], [13, 13],
                  "shard key: as a setting of the transaction")
        default = "INSERT INTO event (body) VALUES ('c') RETURNING id"
        tap.equal({shard_of(other, other.execute(default).fetchone()[0]) for _ in range(9)}, {7},
                  "shard key: that of the database for all others")
    with psycopg.connect("", autocommit=True) as direct:
        direct.execute("ALTER DATABASE with_pgbouncer SET gid.shard_key = 8")
    with bouncer.connect() as one:
        tap.equal(shard_of(one, one.execute(default).fetchone()[0]), 7,
                  "ALTER DATABASE: connections of the pool keep the old value")
        bouncer.reconnect()
        tap.equal(shard_of(one, one.execute(default).fetchone()[0]), 8,
                  "ALTER DATABASE: after RECONNECT they have the new one")


def test_options(bouncer):
    try:
        bouncer.connect(options="-c gid.shard_key=9").close()
        said = "no error"
    except psycopg.OperationalError as e:
        said = str(e)
    tap.ok("unsupported startup parameter" in said,
           "connection string: gid.shard_key in options is refused", said)


def test_leak(bouncer):
    """What a SET without LOCAL does: it stays in the connection for other clients."""
    with bouncer.connect() as one, bouncer.connect() as other:
        one.execute("SET gid.shard_key = 99")
        seen = {other.execute("SHOW gid.shard_key").fetchone()[0] for _ in range(20)}
        tap.ok("99" in seen, "SET: without LOCAL another client gets the value", seen)
        bouncer.reconnect()
        tap.equal(other.execute("SHOW gid.shard_key").fetchone()[0], "8",
                  "SET: RECONNECT ends that")


def test():
    with psycopg.connect("", autocommit=True) as direct:
        direct.execute(SCHEMA)
    with Bouncer() as bouncer:
        test_many(bouncer)
        test_shard_key(bouncer)
        test_options(bouncer)
        test_leak(bouncer)


found = re.search(r"PgBouncer (\d+)\.(\d+)\.(\d+)", subprocess.run(
    [PGBOUNCER, "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout)
tap.tried(f"{found[0]}, psycopg {psycopg.__version__}")
tap.run(test)
