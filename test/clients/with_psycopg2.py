"""A reader that follows a table by id, from Python by psycopg2.

The functions before SCHEMA are in doc/reading-new-rows.md.  The rest shows that they see
each row once, where a reader that remembers the greatest id loses a row.
"""

import threading

import tap

psycopg2 = tap.need("psycopg2", "python3-psycopg2")


def read_batch(connection, reader):
    """The rows that are new for a reader, in order of id. The caller commits."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT last FROM reader WHERE name = %s FOR UPDATE", [reader])
        last, = cursor.fetchone()
        cursor.execute("SELECT coalesce(gid_uuid_v7_horizon(), %s)", [last])
        horizon, = cursor.fetchone()
        cursor.execute("SELECT id, payload FROM outbox WHERE id >= %s AND id < %s ORDER BY id",
                       [last, horizon])
        rows = cursor.fetchall()
        cursor.execute("UPDATE reader SET last = greatest(last, %s) WHERE name = %s",
                       [horizon, reader])
    return rows


def follow(connection, reader, handle, stop):
    """Hand each new row to handle(), until the threading.Event stop is set."""
    while not stop.wait(0.1):
        with connection:                # a transaction: what handle() writes, and where it stands
            for row in read_batch(connection, reader):
                handle(row)


SCHEMA = """
CREATE EXTENSION gid;
CREATE TABLE outbox (id uuid PRIMARY KEY DEFAULT gid_uuid_v7(), payload text);
CREATE TABLE reader (name text PRIMARY KEY, last uuid NOT NULL);
INSERT INTO reader SELECT name, '00000000-0000-0000-0000-000000000000'
FROM unnest(ARRAY['mail', 'follower']) AS name;
"""


def insert(connection, payload):
    with connection.cursor() as cursor:
        cursor.execute("INSERT INTO outbox (payload) VALUES (%s)", [payload])


class NaiveReader:
    """The reader that remembers the greatest id."""
    last = "00000000-0000-0000-0000-000000000000"

    def read(self, connection):
        with connection, connection.cursor() as cursor:
            cursor.execute("SELECT id, payload FROM outbox WHERE id > %s ORDER BY id", [self.last])
            rows = cursor.fetchall()
        self.last = rows[-1][0] if rows else self.last
        return [payload for _, payload in rows]


def batch(connection):
    with connection:
        return [payload for _, payload in read_batch(connection, "mail")]


def test():
    early, late, reading, other = [psycopg2.connect("") for _ in range(4)]
    with early, early.cursor() as cursor:
        cursor.execute(SCHEMA)
    naive = NaiveReader()
    followed = []
    stop = threading.Event()
    reader = threading.Thread(target=follow, args=(
        other, "follower", lambda row: followed.append(row[1]), stop))
    reader.start()

    insert(early, "early")
    insert(late, "late")
    late.commit()
    tap.equal(naive.read(reading), ["late"], "the naive reader sees the later row")
    tap.equal(batch(reading), [], "the other waits for the earlier one")
    early.commit()
    tap.equal(naive.read(reading), [], "the naive reader loses the earlier row")
    tap.equal(batch(reading), ["early", "late"], "the other sees both")
    tap.equal(batch(reading), [], "and once")

    insert(early, "once more")
    early.commit()
    read_batch(reading, "mail")
    reading.rollback()
    tap.equal(batch(reading), ["once more"], "after a rollback a row is read again")

    for _ in range(600):
        if len(followed) >= 3:
            break
        reader.join(0.1)
    stop.set()
    reader.join()
    tap.equal(followed, ["early", "late", "once more"], "follow() has seen each row once, in order of id")


tap.run(test)
