"""gid from Python by psycopg2: text only, and no prepared statements but those
that the application makes itself."""

import io
import json
import uuid

import tap

psycopg2 = tap.need("psycopg2", "python3-psycopg2")
from psycopg2.extras import execute_values, register_uuid

SCHEMA = """
CREATE EXTENSION gid;
CREATE TABLE note (id uuid PRIMARY KEY DEFAULT gid_uuid_v7(), body text);
CREATE SEQUENCE order_no;
CREATE TABLE orders (id bigint PRIMARY KEY DEFAULT gid_next('order_no'), item text);
CREATE SEQUENCE doc_no;
CREATE TABLE doc (id gdid PRIMARY KEY DEFAULT gid_next_gdid('doc_no'), body text);
CREATE TABLE request (id bigint PRIMARY KEY, path text);
INSERT INTO request VALUES (gid_make_trace_id('2026-11-21 09:18:43+00', 1, 7, 1001), '/tea');
"""

# the request's id: a TraceId, which is too large for a double
TRACE_ID = 4636592980457693161


def test_uuid(cursor):
    cursor.execute("INSERT INTO note (body) VALUES ('one') RETURNING id")
    tap.equal(type(cursor.fetchone()[0]), str, "uuid: a str")
    register_uuid()
    cursor.execute("INSERT INTO note (body) VALUES (%s) RETURNING id", ["two"])
    second = cursor.fetchone()[0]
    tap.equal(type(second), uuid.UUID, "uuid: after register_uuid() a uuid.UUID")
    tap.equal(second.version, 7, "uuid: of version 7")
    cursor.execute("SELECT body FROM note WHERE id = %s", [second])
    tap.equal(cursor.fetchone()[0], "two", "uuid: a uuid.UUID finds its row")
    cursor.execute("SELECT body FROM note WHERE id = ANY(%s) ORDER BY id", [[second]])
    tap.equal(cursor.fetchall(), [("two",)], "uuid: and a list of them")
    ids = execute_values(
        cursor, "INSERT INTO note (body) VALUES %s RETURNING id",
        [[f"many {i}"] for i in range(250)], page_size=100, fetch=True)
    ids = [i for i, in ids]
    tap.ok(len(ids) == 250 and tap.increasing(ids),
           "uuid: execute_values() returns 250 ids in the order of the rows")
    cursor.executemany("INSERT INTO note (body) VALUES (%s)",
                       [[f"execute {i}"] for i in range(50)])
    cursor.execute("SELECT count(DISTINCT id) FROM note WHERE body LIKE 'execute %'")
    tap.equal(cursor.fetchone()[0], 50, "uuid: executemany() makes 50")
    cursor.execute("PREPARE add_note AS INSERT INTO note (body) VALUES ($1) RETURNING id")
    ids = []
    for i in range(20):
        cursor.execute("EXECUTE add_note (%s)", [f"prepared {i}"])
        ids.append(cursor.fetchone()[0])
    tap.ok(len(ids) == 20 and tap.increasing(ids),
           "uuid: each EXECUTE gives another, greater id")


def test_copy(cursor):
    rows = "".join(f"copy {i}\n" for i in range(1000))
    cursor.copy_expert("COPY note (body) FROM STDIN", io.StringIO(rows))
    cursor.execute("SELECT count(DISTINCT id) FROM note WHERE body LIKE 'copy %'")
    tap.equal(cursor.fetchone()[0], 1000, "COPY: 1000 rows get ids by default")
    cursor.execute("SELECT gid_next_many('order_no', 1000)")
    numbers = [number for number, in cursor.fetchall()]
    rows = "".join(f"{number}\ttea\n" for number in numbers)
    cursor.copy_expert("COPY orders FROM STDIN", io.StringIO(rows))
    out = io.StringIO()
    cursor.copy_expert("COPY (SELECT id, item FROM orders ORDER BY id) TO STDOUT", out)
    tap.equal(out.getvalue(), rows, "COPY: 1000 numbers of one batch go in and come out")


def test_numbers(cursor):
    cursor.execute("INSERT INTO orders (item) VALUES ('milk') RETURNING id")
    number = cursor.fetchone()[0]
    tap.equal(type(number), int, "bigint: an int")
    cursor.execute("BEGIN")
    cursor.execute("SELECT gid_next('order_no')")
    drawn = cursor.fetchone()[0]
    cursor.execute("ROLLBACK")      # rollback() does nothing with autocommit
    cursor.execute("SELECT gid_next('order_no')")
    tap.ok(number < drawn < cursor.fetchone()[0],
           "bigint: a number that was drawn before a rollback does not come again")
    largest = 2 ** 63 - 1
    cursor.execute("SELECT gid_extract_trace_counter(%s)", [largest])
    tap.equal(cursor.fetchone()[0], 1023, "bigint: 2^63 - 1 arrives")


def test_gdid(cursor):
    cursor.execute("INSERT INTO doc (body) VALUES ('a') RETURNING id")
    text = cursor.fetchone()[0]
    tap.equal(text, "0:0:1", "gdid: its text is a str")
    cursor.execute("SELECT body FROM doc WHERE id = %s", [text])
    tap.equal(cursor.fetchone()[0], "a", "gdid: a str finds its row")
    cursor.execute("SELECT id::bytea FROM doc")
    tap.equal(bytes(cursor.fetchone()[0]), bytes(11) + b"\x01", "gdid: as bytea it is 12 bytes")
    cursor.execute("SELECT %s::bytea::gdid = %s", [bytes(11) + b"\x01", text])
    tap.equal(cursor.fetchone()[0], True, "gdid: of 12 bytes")
    tap.raises(psycopg2.Error, "22P02",
               lambda: cursor.execute("SELECT body FROM doc WHERE id = 'x'"),
               "gdid: a str that is none is refused")


def test_json(cursor):
    cursor.execute("SELECT id FROM request")
    number = cursor.fetchone()[0]
    tap.equal(number, TRACE_ID, "json: a TraceId is an int, exact")
    cursor.execute("SELECT json_agg(r) FROM request AS r")
    tap.equal(cursor.fetchone()[0][0]["id"], TRACE_ID, "json: Python reads the number as it is")
    wrong = tap.as_javascript(json.dumps(number))
    tap.ok(wrong != TRACE_ID, "json: JavaScript makes another number of it", wrong)
    cursor.execute("SELECT json_agg(json_build_object('id', id::text))::text FROM request")
    right = tap.as_javascript(cursor.fetchone()[0])[0]["id"]
    tap.equal(right, str(TRACE_ID), "json: text of the database is exact there, too")
    cursor.execute("SELECT path FROM request WHERE id = %s", [right])
    tap.equal(cursor.fetchone()[0], "/tea", "json: and finds the row when it comes back")


def test_parameters(cursor):
    tap.raises(psycopg2.Error, "42P18",
               lambda: cursor.execute("SELECT gid_encode(%s, 'crockford')", [str(TRACE_ID)]),
               "parameters: a str has no type, and says which casts there are")
    cursor.execute("SELECT gid_encode(%s, 'crockford') = gid_encode(%s::bigint, 'crockford')",
                   [TRACE_ID, str(TRACE_ID)])
    tap.equal(cursor.fetchone()[0], True, "parameters: an int has one, and so has a cast")


def test():
    connection = psycopg2.connect("")
    connection.autocommit = True
    cursor = connection.cursor()
    cursor.execute(SCHEMA)
    test_uuid(cursor)
    test_copy(cursor)
    test_numbers(cursor)
    test_gdid(cursor)
    test_json(cursor)
    test_parameters(cursor)


tap.run(test)
