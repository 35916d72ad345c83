"""A reader that follows a table by id, from Python by psycopg2.

The functions before SCHEMA are in doc/reading-new-rows.md.  The rest shows that they see
each row once, where a reader that remembers the greatest id loses rows.
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
WRITERS = 4
ROWS = 50


def connect():
    return psycopg2.connect("")


def insert(connection, payload):
    with connection.cursor() as cursor:
        cursor.execute("INSERT INTO outbox (payload) VALUES (%s)", [payload])


class Naive:
    """The reader that remembers the greatest id."""

    def __init__(self):
        self.last = "00000000-0000-0000-0000-000000000000"

    def read(self, connection):
        with connection, connection.cursor() as cursor:
            cursor.execute("SELECT id, payload FROM outbox WHERE id > %s ORDER BY id", [self.last])
            rows = cursor.fetchall()
        self.last = rows[-1][0] if rows else self.last
        return [payload for _, payload in rows]


def batch(connection):
    with connection:
        return [payload for _, payload in read_batch(connection, "mail")]


def test_two():
    early, late, reading = connect(), connect(), connect()
    naive = Naive()
    insert(early, "early")
    insert(late, "late")
    late.commit()
    tap.equal(naive.read(reading), ["late"], "two writers: the naive reader sees the later row")
    tap.equal(batch(reading), [], "two writers: the other waits for the earlier one")
    early.commit()
    tap.equal(naive.read(reading), [], "two writers: the naive reader loses the earlier row")
    tap.equal(batch(reading), ["early", "late"], "two writers: the other sees both")
    tap.equal(batch(reading), [], "two writers: and once")

    insert(early, "once more")
    early.commit()
    try:
        with reading:
            tap.equal(len(read_batch(reading, "mail")), 1, "error: a row is read")
            raise KeyError
    except KeyError:
        pass
    tap.equal(batch(reading), ["once more"], "error: and read again when the transaction failed")
    for connection in (early, late, reading):
        connection.close()


def write(number):
    connection = connect()
    for i in range(ROWS):
        insert(connection, f"{number}:{i}")
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_sleep(0.01 * random())")
        connection.commit()
    connection.close()


def test_follow():
    seen = []
    stop = threading.Event()
    reading = connect()
    reader = threading.Thread(target=follow, args=(
        reading, "follower", lambda row: seen.append(row), stop))
    writers = [threading.Thread(target=write, args=[number]) for number in range(WRITERS)]
    for thread in [reader, *writers]:
        thread.start()
    for thread in writers:
        thread.join()
    with connect() as connection, connection.cursor() as cursor:
        cursor.execute("SELECT id, payload FROM outbox ORDER BY id")
        rows = cursor.fetchall()
    for _ in range(600):
        if len(seen) >= len(rows):
            break
        reader.join(0.1)
    stop.set()
    reader.join()
    reading.close()
    tap.equal(seen, rows, "follow: each row comes once, in order of id")
    tap.equal(len(rows), WRITERS * ROWS + 3, "follow: and these are all")


def test():
    with connect() as connection, connection.cursor() as cursor:
        cursor.execute(SCHEMA)
    test_two()
    test_follow()


tap.run(test)
