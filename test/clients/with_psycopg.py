"""gid from Python by psycopg (version 3).

reply() is in doc/applications.md. The rest shows that it does what is said there, and how
the types come and go, as text and in binary.
"""

import json
import uuid

import tap

psycopg = tap.need("psycopg", "python3-psycopg")
from psycopg.rows import dict_row


def reply(row):
    """JSON for a browser: an int is exact here, but not there."""
    return json.dumps({**row, "id": str(row["id"])})


# a TraceId, which is too large for a double
TRACE_ID = 4636592980457693161
LARGEST = b"\xff" * 12


def field(connection, sql, *values, **options):
    with connection.cursor(**options) as cursor:
        return cursor.execute(sql, values).fetchone()[0]


def test():
    with psycopg.connect("", autocommit=True) as connection:
        connection.execute("CREATE EXTENSION gid")
        new = field(connection, "SELECT gid_uuid_v7()")
        tap.equal((type(new), new.version), (uuid.UUID, 7), "uuid: a uuid.UUID of version 7")
        tap.equal(field(connection, "SELECT gid_extract_v7_time(%b) IS NOT NULL", new), True,
                  "uuid: in binary it goes in")

        tap.equal(field(connection, "SELECT gdid '0:0:1'"), "0:0:1", "gdid: its text is a str")
        tap.equal(field(connection, "SELECT gdid '0:0:1'", binary=True), bytes(11) + b"\x01",
                  "gdid: in binary it is 12 bytes")
        tap.equal(field(connection, "SELECT %b::bytea::gdid", LARGEST, binary=True), LARGEST,
                  "gdid: 12 bytes go in and come out")
        tap.raises(psycopg.Error, "22P03", lambda: field(connection, "SELECT %b::gdid", bytes(13)),
                   "gdid: 13 bytes are refused")

        with connection.cursor(row_factory=dict_row) as cursor:
            row = cursor.execute("SELECT %s::bigint AS id, '/tea' AS path", [TRACE_ID]).fetchone()
        tap.equal(row["id"], TRACE_ID, "bigint: an int, exact")
        wrong = tap.as_javascript(json.dumps(row))["id"]
        tap.ok(wrong != TRACE_ID, "json: JavaScript makes another number of it", wrong)
        tap.equal(tap.as_javascript(reply(row))["id"], str(TRACE_ID), "json: as text it is exact there, too")


tap.run(test)
