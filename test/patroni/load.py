"""Clients that draw ids and keep each of them, whatever becomes of the transaction.

A client draws ids of one family in a loop.  An id goes into the file of its space as
soon as the client has it, before COMMIT or ROLLBACK.  Ids of one space must differ.
"""

import bisect
import os
import random
import socket
import string
import subprocess
import threading
import time

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


def code_number(code):
    """Which code it is, in the order of gid_lexical_add(), which has no end and counts leading zeros."""
    letters = string.digits + "".join(a + b for a, b in zip(string.ascii_uppercase, string.ascii_lowercase))
    number = 0
    for letter in code:
        number = number * len(letters) + letters.index(letter) + 1
    return number


# sequence: (space, the sequence's value of which an id was made)
SEQUENCES = {
    "orders": ("orders", int),
    "quiet": ("quiet", int),
    "served": ("served", int),
    "gdids": ("gdid", lambda gdid: int(gdid.split(":")[2])),
    "codes": ("code", lambda code: code_number(code) - code_number("00A000")),
    "decimal_generator": ("decimal", lambda id: int(id) % 10 ** 5 * 10 ** 5 + int(id) // 10 ** 5 % 10 ** 5),
}


class Client(threading.Thread):
    """Draws ids of a family from the servers of a URI until the load ends."""

    def __init__(self, load, family, label, uris, insert):
        super().__init__(daemon=True)
        self.load, self.family, self.label, self.uris, self.insert = load, family, label, uris, insert
        self.random = random.Random(load.random.random())
        self.ids = 0
        self.pause = (0, 0)     # seconds without an id, and when they ended
        self.errors = {}
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
                self.pause = max(self.pause, (now - last, time.time()))
                last = now
            except (psycopg2.Error, OSError) as error:
                code = getattr(error, "pgcode", None) or "no connection"
                self.errors[code] = self.errors.get(code, 0) + 1
                self.drop(code == "no connection")
            finally:
                self.busy_since = None
            self.load.ended.wait(2 if "quiet" in self.family else self.random.uniform(0.02, 0.2))
        self.pause = max(self.pause, (time.monotonic() - last, time.time()))

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

    def __init__(self, folder, seed, families=FAMILIES):
        self.folder = folder + "/ids"
        os.makedirs(self.folder)
        self.random = random.Random(seed)
        self.ended = threading.Event()
        self.lock = threading.Lock()
        self.files = {space: open("%s/%s" % (self.folder, space), "a") for space, _, _ in families.values()}
        self.clients = []

    def add(self, label, family, uris, insert=True):
        self.clients.append(Client(self, family, label, uris, insert))

    def start(self):
        for client in self.clients:
            client.start()
        threading.Thread(target=self.look, daemon=True).start()

    def all_draw(self):
        """Whether all clients of the sequences get new ids."""
        clients = [c for c in self.clients if FAMILIES[c.family][0] in (space for space, _ in SEQUENCES.values())]
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

    def handed_out(self, sequence, ranges):
        """How many values of each range, of the first to the last, came to a client."""
        space, value = SEQUENCES[sequence]
        with open("%s/%s" % (self.folder, space)) as lines:
            values = sorted({value(line.split(" ", 1)[0]) for line in lines})
        return [bisect.bisect_right(values, last) - bisect.bisect_left(values, first) for first, last in ranges]

    def repeats(self, space):
        """The ids of a space that came more than once, as a list of lists of lines."""
        with subprocess.Popen(["sort", "-S", "100M", "%s/%s" % (self.folder, space)], stdout=subprocess.PIPE,
                              text=True, env={**os.environ, "LC_ALL": "C"}) as lines:
            found, last, group = [], None, []
            for line in lines.stdout:
                fields = line.split()
                if fields[0] != last:
                    if len(group) > 1:
                        found.append(group)
                    last, group = fields[0], []
                group.append(fields)
            if len(group) > 1:
                found.append(group)
        return found
