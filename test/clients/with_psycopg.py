"""gid from Python by psycopg (version 3).

reply() is in doc/applications.md. The rest shows that it does what is said there, and how the
types come and go: text and binary, by COPY, as JSON for a browser.
"""

import json
import uuid

import tap

psycopg = tap.need("psycopg", "python3-psycopg")
from psycopg.rows import dict_row


def add_note(connection, body):
    """The column's default makes the id: a uuid.UUID."""
    return connection.execute(
        "INSERT INTO note (body) VALUES (%s) RETURNING id", [body]).fetchone()[0]


class OrderNumbers:
    """Numbers of a sequence, many in one round trip."""

    def __init__(self, connection, size=100):
        self.connection = connection
        self.size = size
        self.left = iter(())

    def __next__(self):
        for number, in self.left:
            return number
        self.left = iter(self.connection.execute(
            "SELECT gid_next_many('order_no', %s)", [self.size]).fetchall())
        return next(self)


def list_requests(connection):
    """The same: the database writes the ids as text."""
    return connection.execute(
        "SELECT json_agg(json_build_object('id', id::text, 'path', path) ORDER BY id)::text"
        " FROM request").fetchone()[0]


def reply(row):
    """JSON for a browser: an int is exact here, but not there."""
    return json.dumps({**row, "id": str(row["id"])})


SCHEMA = """
CREATE EXTENSION gid;
CREATE TABLE note (id uuid PRIMARY KEY DEFAULT gid_uuid_v7(), body text);
CREATE SEQUENCE order_no;
CREATE SEQUENCE doc_no;
CREATE TABLE doc (id gdid PRIMARY KEY DEFAULT gid_next_gdid('doc_no'), body text);
CREATE SEQUENCE pooled_no INCREMENT 50;
CREATE TABLE request (id bigint PRIMARY KEY, path text);
INSERT INTO request VALUES (gid_make_trace_id('2026-11-21 09:18:43+00', 1, 7, 1001), '/tea');
"""

# the request's id: a TraceId, which is too large for a double
TRACE_ID = 4636592980457693161


def test_uuid(connection):
    first = add_note(connection, "one")
    tap.equal(type(first), uuid.UUID, "uuid: the default's id is a uuid.UUID")
    tap.equal(first.version, 7, "uuid: of version 7")
    tap.ok(add_note(connection, "two") > first, "uuid: the next one is greater")
    tap.equal(connection.execute(
        "SELECT body FROM note WHERE id = %s", [first]).fetchone()[0], "one",
        "uuid: a uuid.UUID finds its row")
    tap.equal(connection.execute(
        "SELECT body FROM note WHERE id = %b", [first]).fetchone()[0], "one",
        "uuid: and so it does in binary")
    with connection.cursor(binary=True) as cursor:
        cursor.execute("SELECT id FROM note WHERE body = 'one'")
        tap.equal(cursor.fetchone()[0], first, "uuid: it comes in binary")

    with connection.cursor() as cursor:
        cursor.executemany("INSERT INTO note (body) VALUES (%s) RETURNING id",
                           [[f"many {i}"] for i in range(50)], returning=True)
        ids = []
        while True:
            ids.append(cursor.fetchone()[0])
            if not cursor.nextset():
                break
    tap.ok(len(ids) == 50 and tap.increasing(ids),
           "uuid: executemany() returns 50 ids in the order of the rows")


def test_copy(connection):
    with connection.cursor() as cursor:
        with cursor.copy("COPY note (body) FROM STDIN") as copy:
            for i in range(1000):
                copy.write_row([f"copy {i}"])
        cursor.execute("SELECT count(DISTINCT id) FROM note WHERE body LIKE 'copy %'")
        tap.equal(cursor.fetchone()[0], 1000, "COPY: 1000 rows get ids by default")

        ids = [i for i, in cursor.execute(
            "SELECT gid_uuid_v7() FROM generate_series(1, 1000)")]
        with cursor.copy("COPY note (id, body) FROM STDIN (FORMAT binary)") as copy:
            copy.set_types(["uuid", "text"])
            for i in ids:
                copy.write_row([i, "ready"])
        cursor.execute("SELECT id FROM note WHERE body = 'ready' ORDER BY id")
        tap.equal([i for i, in cursor], ids,
                  "COPY: 1000 ids that were fetched before go in, in binary")
        with cursor.copy("COPY (SELECT id FROM note WHERE body = 'ready' ORDER BY id)"
                         " TO STDOUT (FORMAT binary)") as copy:
            copy.set_types(["uuid"])
            tap.equal([i for i, in copy.rows()], ids, "COPY: and come out")


def test_batches(connection, other):
    numbers = OrderNumbers(connection)
    others = OrderNumbers(other)
    seen = []
    for _ in range(250):
        seen.append(next(numbers))
        seen.append(next(others))
    tap.equal(len(set(seen)), 500, "batches: two sessions draw 500 numbers")
    mine = seen[::2]
    tap.ok(all(tap.increasing(mine[i:i + 100]) for i in range(0, 250, 100)),
           "batches: those of a batch are in order")
    tap.ok(all(mine[i + 99] == mine[i] + 99 for i in (0, 100)),
           "batches: and consecutive")
    tap.equal(connection.execute("SELECT last_value >= %s FROM order_no",
                                 [max(seen)]).fetchone()[0], True,
              "batches: the sequence is past them")

    size = OrderNumbers(connection, 10)
    try:
        with connection.transaction():
            first = next(size)
            raise psycopg.Rollback
    except psycopg.Rollback:
        pass
    later = next(OrderNumbers(other, 10))
    tap.ok(next(size) == first + 1 and later not in range(first, first + 10),
           "batches: one that was drawn before a rollback is as good after it",
           f"{first}, {later}")

    tap.raises(psycopg.Error, "22023", lambda: next(OrderNumbers(connection, 0)),
               "batches: one of none is refused")

    # A sequence whose step is the size of a batch: the value is the batch's
    # first number.
    seen = []
    for session in (connection, other, connection, other):
        low = session.execute("SELECT gid_next('pooled_no')").fetchone()[0]
        seen.extend(range(low, low + 50))
    tap.equal(len(set(seen)), 200, "batches: so are those of INCREMENT 50")


def test_gdid(connection):
    text = connection.execute(
        "INSERT INTO doc (body) VALUES ('a') RETURNING id").fetchone()[0]
    tap.equal(text, "0:0:1", "gdid: its text is a str")
    with connection.cursor(binary=True) as cursor:
        cursor.execute("SELECT id FROM doc")
        tap.equal(cursor.fetchone()[0], bytes(11) + b"\x01",
                  "gdid: in binary it is 12 bytes")
        largest = b"\xff" * 12
        cursor.execute("INSERT INTO doc VALUES (%b::bytea::gdid, 'z') RETURNING id", [largest])
        tap.equal(cursor.fetchone()[0], largest, "gdid: 12 bytes go in and come out")
    tap.equal(connection.execute("SELECT id FROM doc WHERE body = 'z'").fetchone()[0],
              "4294967295:15:1152921504606846975", "gdid: as text they say the same")
    tap.equal(connection.execute("SELECT body FROM doc WHERE id = %s", [text]).fetchone()[0],
              "a", "gdid: a str finds its row")
    tap.raises(psycopg.Error, "22P02",
               lambda: connection.execute("SELECT body FROM doc WHERE id = %s", ["0:16"]),
               "gdid: a str that is none is refused")
    tap.raises(psycopg.Error, "22P03",
               lambda: connection.execute("SELECT %b::gdid", [bytes(13)]),
               "gdid: and so are 13 bytes")


def test_json(connection):
    with connection.cursor(row_factory=dict_row) as cursor:
        row = cursor.execute("SELECT * FROM request").fetchone()
    tap.equal(row["id"], TRACE_ID, "json: a TraceId is an int, exact")
    tap.equal(connection.execute("SELECT json_agg(r) FROM request AS r").fetchone()[0][0]["id"],
              TRACE_ID, "json: Python reads the number as it is")
    wrong = tap.as_javascript(json.dumps(row))["id"]
    tap.ok(wrong != TRACE_ID, "json: JavaScript makes another number of it", wrong)
    right = tap.as_javascript(reply(row))["id"]
    tap.equal(right, str(TRACE_ID), "json: as text it is exact there, too")
    right = tap.as_javascript(list_requests(connection))
    tap.equal(right, [{"id": str(TRACE_ID), "path": "/tea"}],
              "json: and so is text that the database writes")
    tap.equal(connection.execute("SELECT path FROM request WHERE id = %s",
                                 [right[0]["id"]]).fetchone()[0], "/tea",
              "json: which finds the row when it comes back")


def test_parameters(connection):
    tap.raises(psycopg.Error, "42725",
               lambda: connection.execute("SELECT gid_encode(%s, 'crockford')", [str(TRACE_ID)]),
               "parameters: a str has no type, and gid_encode() needs one")
    tap.equal(connection.execute("SELECT value FROM gid_inspect(%s) WHERE part = 'id'",
                                 [str(TRACE_ID)]).fetchone()[0], str(TRACE_ID),
              "parameters: gid_inspect() needs no type")
    code = connection.execute("SELECT gid_encode(%s, 'crockford')", [TRACE_ID]).fetchone()[0]
    tap.equal(connection.execute("SELECT gid_encode(%s::bigint, 'crockford')",
                                 [str(TRACE_ID)]).fetchone()[0], code,
              "parameters: an int has one, and so has a cast")
    tap.equal(connection.execute("SELECT gid_decode_bigint(%s, 'crockford')",
                                 [code]).fetchone()[0], TRACE_ID,
              "parameters: where there is one function none is needed")


def test():
    with psycopg.connect("", autocommit=True) as connection, \
            psycopg.connect("", autocommit=True) as other:
        connection.execute(SCHEMA)
        test_uuid(connection)
        test_copy(connection)
        test_batches(connection, other)
        test_gdid(connection)
        test_json(connection)
        test_parameters(connection)


tap.run(test)
