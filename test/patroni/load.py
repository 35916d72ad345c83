"""Clients that draw ids and keep each of them, whatever becomes of the transaction.

A client draws ids of one family in a loop.  An id goes into the file of its space as
soon as the client has it, before COMMIT or ROLLBACK.  Ids of one space must differ.
"""

import os
import random
import socket
import threading
import time
from collections import Counter

import psycopg2

from cluster import PATIENCE, wait_for

GIVE_UP = 10    # seconds after which a client closes a connection that does not answer

# family: (space, statement that gives %d ids, greatest number of ids)
FAMILIES = {
    "gid_uuid_v7()": ("v7", "SELECT gid_uuid_v7() FROM generate_series(1, %d)", 30),
    "gid_uuid_sequential()": ("sequential", "SELECT gid_uuid_sequential() FROM generate_series(1, %d)", 30),
    "gid_uuid_shard()": ("shard", "SELECT gid_uuid_shard(7) FROM generate_series(1, %d)", 30),
    "gid_trace_id()": ("trace", "SELECT gid_trace_id() FROM generate_series(1, %d)", 30),
    "gid_snowflake_id()": ("snowflake", "SELECT gid_snowflake_id() FROM generate_series(1, %d)", 30),
    "gid_decimal_id()": ("decimal", "SELECT gid_decimal_id() FROM generate_series(1, %d)", 30),
    "gid_next()": ("orders", "SELECT gid_next('orders') FROM generate_series(1, %d)", 100),
    "gid_next_many()": ("orders", "SELECT gid_next_many('orders', %d)", 200),
    "gid_next(), quiet": ("quiet", "SELECT gid_next('quiet') FROM generate_series(1, %d)", 1),
    "gid_next_gdid()": ("gdid", "SELECT gid_next_gdid('gdids') FROM generate_series(1, %d)", 30),
    "gid_next_code()": ("code", "SELECT gid_next_code('codes', '00A000', 'alphanumeric') "
                        "FROM generate_series(1, %d)", 30),
    "served nextval()": ("served", "SELECT nextval('served') FROM generate_series(1, %d)", 100),
}
LEASED = ("gid_trace_id()", "gid_snowflake_id()")
SEQUENCES = ("orders", "quiet", "served", "gdid", "code", "decimal")


class Client(threading.Thread):
    """Draws ids of a family from the servers of a URI until the load ends."""

    def __init__(self, load, family, label, uris, insert):
        super().__init__(daemon=True)
        self.load, self.family, self.label, self.uris, self.insert = load, family, label, uris, insert
        self.random = random.Random(load.random.random())
        self.ids = 0
        self.pause = 0          # seconds without an id, at most
        self.errors = Counter()
        self.busy_since = None  # the load's thread reads it
        self.conn = None

    def run(self):
        last = time.monotonic()
        while not self.load.ended.is_set():
            try:
                if self.conn is None:
                    self.conn = psycopg2.connect(self.random.choice(self.uris))
                self.busy_since = time.monotonic()
                self.transaction()
                now = time.monotonic()
                self.pause = max(self.pause, now - last)
                last = now
            except (psycopg2.Error, OSError) as error:
                code = getattr(error, "pgcode", None) or "no connection"
                self.errors[code] += 1
                self.drop(code == "no connection")
            finally:
                self.busy_since = None
            self.load.ended.wait(2 if "quiet" in self.family else self.random.uniform(0.02, 0.2))
        self.pause = max(self.pause, time.monotonic() - last)

    def transaction(self):
        space, statement, most = FAMILIES[self.family]
        statement %= self.random.randint(1, most)
        if self.insert:
            statement = ("WITH n AS MATERIALIZED (%s) INSERT INTO ids SELECT '%s', * FROM n RETURNING id"
                         % (statement, space))
        with self.conn.cursor() as cur:
            cur.execute(statement)
            rows = cur.fetchall()
            self.load.keep(space, rows, self)
            self.ids += len(rows)
            if self.random.random() < 0.1:
                self.conn.rollback()
            else:
                self.conn.commit()

    def drop(self, connection):
        try:
            if connection or self.conn.closed:
                self.conn, conn = None, self.conn
                conn and conn.close()
            else:
                self.conn.rollback()
        except psycopg2.Error:
            self.conn = None

    def give_up(self):
        """End a call that nobody answers, from another thread."""
        since, conn = self.busy_since, self.conn
        if since and conn and time.monotonic() - since > GIVE_UP:
            try:
                with socket.socket(fileno=os.dup(conn.fileno())) as s:
                    s.shutdown(socket.SHUT_RDWR)
            except (OSError, psycopg2.Error):
                pass


class Load:
    """All clients, and the files with their ids."""

    def __init__(self, folder, seed):
        self.folder = folder + "/ids"
        os.makedirs(self.folder)
        self.random = random.Random(seed)
        self.ended = threading.Event()
        self.lock = threading.Lock()
        self.files = {space: open("%s/%s" % (self.folder, space), "a") for space, _, _ in FAMILIES.values()}
        self.clients = []

    def add(self, label, family, uris, insert=True):
        self.clients.append(Client(self, family, label, uris, insert))

    def start(self):
        for client in self.clients:
            client.start()
        threading.Thread(target=self.look, daemon=True).start()

    def all_draw(self):
        """Whether all clients of the sequences get new ids."""
        clients = [c for c in self.clients if FAMILIES[c.family][0] in SEQUENCES]
        before = [c.ids for c in clients]
        return wait_for("ids of all sequences", PATIENCE,
                        lambda: all(c.ids > ids for c, ids in zip(clients, before)))

    def look(self):
        while not self.ended.wait(1):
            for client in self.clients:
                client.give_up()

    def keep(self, space, rows, client):
        """A line for each id: the id, when, from where, by which client."""
        conn = client.conn
        tail = " %.1f %s %s\n" % (time.time(), conn.info.host, client.family.replace(" ", ""))
        with self.lock:
            self.files[space].write("".join(str(row[0]) + tail for row in rows))
            self.files[space].flush()

    def stop(self):
        self.ended.set()
        for client in self.clients:
            client.join(GIVE_UP + 5)
        for f in self.files.values():
            f.close()

    def repeats(self, space):
        """The lines of the ids of a space that came more than once."""
        seen, again = set(), set()
        name = "%s/%s" % (self.folder, space)
        with open(name) as lines:
            for line in lines:
                number = line.split(" ", 1)[0]
                (again if number in seen else seen).add(number)
        if not again:
            return []
        with open(name) as lines:
            return sorted(line for line in lines if line.split(" ", 1)[0] in again)
