"""gid behind PgBouncer in transaction mode.

add_events() is in doc/applications.md.  A connector as they are, which knows nothing of
horizons, reads all rows of a storm through the view of doc/reading-new-rows.md.
"""

import concurrent.futures
import os
import random
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

def add_events(connection, shard, bodies):
    """The shard key is a setting of the transaction, for the column's default."""
    with connection.transaction():
        connection.execute("SELECT set_config('gid.shard_key', %s, true)", [str(shard)])
        return [connection.execute(
            "INSERT INTO event (body) VALUES (%s) RETURNING id", [body]).fetchone()[0]
            for body in bodies]


# --- the test

SCHEMA = """
CREATE EXTENSION gid;
ALTER DATABASE with_pgbouncer SET gid.launch_id = 65;
ALTER DATABASE with_pgbouncer SET gid.shard_key = 7;
CREATE SEQUENCE order_no;
CREATE TABLE event (id uuid PRIMARY KEY DEFAULT gid_uuid_shard(), body text);
CREATE TABLE all_ids (uuid uuid UNIQUE DEFAULT gid_uuid_v7(),
  trace bigint UNIQUE DEFAULT gid_trace_id(), decimal bigint UNIQUE DEFAULT gid_decimal_id(),
  number bigint UNIQUE DEFAULT gid_next('order_no'), client int, pid int DEFAULT pg_backend_pid());
CREATE TABLE outbox (id bigserial PRIMARY KEY, payload text);
CREATE VIEW outbox_settled AS SELECT * FROM outbox WHERE id < (SELECT gid_horizon('outbox_id_seq'));
"""
INI = """\
[databases]
shop = host={PGHOST} port={PGPORT} dbname={PGDATABASE} pool_size=3

[pgbouncer]
pool_mode = transaction
unix_socket_dir = {directory}
listen_port = 6432
auth_type = trust
auth_file = {directory}/users
admin_users = {PGUSER}
"""
CLIENTS, TRANSACTIONS, ROWS = 6, 10, 10
# the rows that the connector takes at a time; how long the storm lasts at most, in seconds
PAGE, STORM = 100, 60


class Bouncer:
    """PgBouncer with a socket in a directory of its own, in front of the server."""

    def __enter__(self):
        self.directory = tempfile.mkdtemp(prefix="pgb.", dir=os.environ["TMPDIR"])
        with open(f"{self.directory}/ini", "w") as file:
            file.write(INI.format(directory=self.directory, **os.environ))
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

    def connect(self, database="shop"):
        """A client; it prepares nothing."""
        return psycopg.connect(host=self.directory, port=6432, dbname=database, autocommit=True,
                               prepare_threshold=None)


def row(connection, sql):
    return connection.execute(sql).fetchone()


def test_many(bouncer):
    start = threading.Barrier(CLIENTS, timeout=60)

    def client(number):
        with bouncer.connect() as connection:
            start.wait()
            for _ in range(TRANSACTIONS):
                with connection.transaction():
                    for _ in range(ROWS):
                        connection.execute("INSERT INTO all_ids (client) VALUES (%s)", [number])

    with concurrent.futures.ThreadPoolExecutor(CLIENTS) as pool:
        list(pool.map(client, range(CLIENTS)))
    rows = CLIENTS * TRANSACTIONS * ROWS
    with bouncer.connect() as connection:
        backends, shared = row(
            connection, "SELECT count(DISTINCT pid), count(DISTINCT (client, pid)) > count(DISTINCT client)"
            " FROM all_ids")
        tap.ok(backends <= 3 and shared, f"{CLIENTS} clients change their connections", (backends, shared))
        tap.equal(row(connection, "SELECT count(*), count(DISTINCT uuid), count(DISTINCT trace),"
                      " count(DISTINCT decimal), max(number) FROM all_ids"), (rows,) * 5,
                  f"of {rows} rows no two have an equal id of any kind, and no number is lost")
        tap.equal(row(connection, "SELECT count(DISTINCT gid_extract_decimal_generator(decimal)),"
                      " min(gid_extract_decimal_launch(decimal)) FROM all_ids"), (1, 65),
                  "one generator number for all connections, and the launch of the database")


def test_shard_key(bouncer):
    def shards(ids):
        return [row(one, f"SELECT gid_extract_shard('{id}')")[0] for id in ids]

    default = "INSERT INTO event (body) VALUES ('c') RETURNING id"
    with bouncer.connect() as one, bouncer.connect() as other:
        tap.equal(shards(add_events(one, 13, "ab")), [13, 13], "shard key: as a setting of the transaction")
        tap.equal(shards(row(other, default)[0] for _ in range(9)), [7] * 9,
                  "shard key: that of the database for all others")
        with psycopg.connect("", autocommit=True) as direct:
            direct.execute("ALTER DATABASE with_pgbouncer SET gid.shard_key = 8")
        tap.equal(shards(row(one, default)), [7], "ALTER DATABASE: connections of the pool keep the old value")
        with bouncer.connect("pgbouncer") as admin:
            admin.execute("RECONNECT")
        tap.equal(shards(row(one, default)), [8], "ALTER DATABASE: after RECONNECT they have the new one")


class Connector:
    """Follows a relation by an increasing column: a connection and a page for each sync."""

    def __init__(self, bouncer, relation):
        self.bouncer = bouncer
        self.query = f"SELECT id, pg_backend_pid() FROM {relation} WHERE id > %s ORDER BY id LIMIT {PAGE}"
        self.seen = []
        self.backends = set()

    def sync(self):
        with self.bouncer.connect() as connection:
            rows = connection.execute(self.query, [self.seen[-1] if self.seen else 0]).fetchall()
        self.seen += [id for id, _ in rows]
        self.backends |= {pid for _, pid in rows}
        return len(rows)

    def missed(self):
        """The rows of the table that it will never read."""
        with psycopg.connect("", autocommit=True) as direct:
            last = self.seen[-1] if self.seen else 0
            ids = direct.execute("SELECT id FROM outbox WHERE id <= %s", [last]).fetchall()
        return {id for id, in ids}.difference(self.seen)


def write(bouncer, stop):
    """Transactions that draw early and commit late, beside short ones, and some that roll back."""
    with bouncer.connect() as connection:
        while not stop.is_set():
            with connection.transaction():
                connection.execute("INSERT INTO outbox (payload) VALUES ('x')")
                if random.random() < 0.3:
                    time.sleep(0.03 * random.random())
                if random.random() < 0.1:
                    raise psycopg.Rollback


def test_connector(bouncer):
    connector, naive = Connector(bouncer, "outbox_settled"), Connector(bouncer, "outbox")
    stop = threading.Event()
    end = time.monotonic() + STORM
    with concurrent.futures.ThreadPoolExecutor(CLIENTS) as pool:
        writers = [pool.submit(write, bouncer, stop) for _ in range(CLIENTS)]
        try:
            while time.monotonic() < end and not (
                    len(naive.missed()) > 5 and len(connector.seen) > 500 and len(connector.backends) > 1):
                connector.sync()
                naive.sync()
        finally:
            stop.set()
    for writer in writers:
        writer.result()
    # a sync finds what there is for the next one, and reads no row
    while connector.sync() + connector.sync() > 0:
        pass
    with psycopg.connect("", autocommit=True) as direct:
        ids = [id for id, in direct.execute("SELECT id FROM outbox ORDER BY id")]
    tap.ok(len(connector.backends) > 1, "connector: its syncs change their connections", connector.backends)
    tap.ok(len(naive.missed()) > 5, "connector: over the table it misses rows of a storm")
    tap.ok(connector.seen == ids, "connector: over the view it reads each row once, in order",
           (len(connector.seen), len(ids), set(ids).difference(connector.seen)))
    print(f"# total: {len(ids)} rows, of which {len(naive.missed())} are missed over the table")


def test():
    with psycopg.connect("", autocommit=True) as direct:
        direct.execute(SCHEMA)
    with Bouncer() as bouncer:
        test_many(bouncer)
        test_shard_key(bouncer)
        test_connector(bouncer)


version = subprocess.run([PGBOUNCER, "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout
tap.tried(f"{version.splitlines()[0]}, psycopg {psycopg.__version__}")
tap.run(test)
