"""A reader that follows a table by id, from Python by psycopg2.

The functions before SCHEMA are in doc/reading-new-rows.md.  The rest shows, for a
bigserial and a uuid column, that they see each row once.
"""

import threading

import tap

psycopg2 = tap.need("psycopg2", "python3-psycopg2")


def read_page(connection, reader, handle, limit=100):
    """Hand the next rows to handle(), in order of id, in a transaction; their number."""
    with connection, connection.cursor() as cursor:
        cursor.execute("SELECT last FROM reader WHERE name = %s FOR UPDATE", [reader])
        last, = cursor.fetchone()
        cursor.execute("SELECT id, payload FROM outbox_settled WHERE id > %s ORDER BY id LIMIT %s",
                       [last, limit])
        rows = cursor.fetchall()
        for row in rows:
            handle(row)
        if rows:
            cursor.execute("UPDATE reader SET last = %s WHERE name = %s", [rows[-1][0], reader])
    return len(rows)


def follow(connection, reader, handle, stop):
    """Hand each new row to handle(), until the threading.Event stop is set."""
    while not stop.is_set():
        if read_page(connection, reader, handle) == 0:
            stop.wait(0.1)


SCHEMA = """
CREATE TABLE outbox (id {column}, payload text);
CREATE VIEW outbox_settled AS SELECT * FROM outbox WHERE id < (SELECT {horizon});
CREATE TABLE reader (name text PRIMARY KEY, last {type} NOT NULL);
INSERT INTO reader SELECT name, '{first}' FROM unnest(ARRAY['mail', 'follower']) AS name;
"""
TABLES = [
    {"column": "bigserial PRIMARY KEY", "type": "bigint",
     "horizon": "gid_horizon('outbox_id_seq')", "first": "0"},
    {"column": "uuid PRIMARY KEY DEFAULT gid_uuid_v7()", "type": "uuid",
     "horizon": "gid_uuid_v7_horizon()", "first": "00000000-0000-0000-0000-000000000000"}]


def insert(connection, payload):
    with connection.cursor() as cursor:
        cursor.execute("INSERT INTO outbox (payload) VALUES (%s)", [payload])


def page(connection, limit=100):
    seen = []
    read_page(connection, "mail", lambda row: seen.append(row[1]), limit)
    return seen


class Failure(Exception):
    pass


def fail(row):
    raise Failure(row)


def test_table(table):
    early, late, reading, other = [psycopg2.connect("") for _ in range(4)]
    kind = table["type"]
    with early, early.cursor() as cursor:
        cursor.execute("DROP TABLE IF EXISTS outbox, reader CASCADE")
        cursor.execute(SCHEMA.format(**table))
    followed = []
    stop = threading.Event()
    reader = threading.Thread(target=follow, args=(
        other, "follower", lambda row: followed.append(row[1]), stop))
    reader.start()

    insert(early, "early")
    insert(late, "late")
    late.commit()
    tap.equal(page(reading), [], f"{kind}: the later row waits for the earlier one")
    early.commit()
    tap.equal(page(reading), ["early", "late"], f"{kind}: then the reader sees both")
    tap.equal(page(reading), [], f"{kind}: and once")

    for payload in "abcde":
        insert(early, payload)
    early.commit()
    tap.equal([page(reading, 2) for _ in range(4)], [["a", "b"], ["c", "d"], ["e"], []],
              f"{kind}: pages have every row once")

    insert(early, "once more")
    early.commit()
    try:
        read_page(reading, "mail", fail)
    except Failure:
        pass
    tap.equal(page(reading), ["once more"], f"{kind}: after an error a row is read again")

    for _ in range(600):
        if len(followed) >= 8:
            break
        reader.join(0.1)
    stop.set()
    reader.join()
    tap.equal(followed, ["early", "late", *"abcde", "once more"],
              f"{kind}: follow() has seen each row once, in order of id")
    for connection in early, late, reading, other:
        connection.close()


def test():
    with psycopg2.connect("") as connection, connection.cursor() as cursor:
        cursor.execute("CREATE EXTENSION gid")
    for table in TABLES:
        test_table(table)


tap.run(test)
