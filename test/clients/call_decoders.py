"""Calls the decoders of doc/decoders for with_reading_ids.py.

It reads lines of a function and its arguments, tabs between them, and writes the
results, a line each. created_at() is in doc/reading-ids.md.
"""

import os
import re
import sys
from datetime import datetime, timedelta, timezone

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../doc/decoders"))
import reading_ids

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


def created_at(id):
    """The time of a version 7 UUID, or None if it is not one."""
    parts = reading_ids.uuid_v7(str(id))
    return None if parts is None else EPOCH + timedelta(milliseconds=parts["unix_ms"])


def main():
    # Arguments that are the defaults are left out.
    given = lambda arguments, *defaults: [a for a in arguments if a not in defaults]
    one = lambda id: None if id is None else {"id": id}
    number = lambda text: int(text) if re.fullmatch("-?[0-9]+", text) else float(text)
    calls = {
        "created_at": lambda id: {"ms": (created_at(id) - EPOCH) // timedelta(milliseconds=1)},
        "uuid_v7": reading_ids.uuid_v7,
        "uuid_sequential": reading_ids.uuid_sequential,
        "uuid_from_mssql": lambda id: {"id": reading_ids.uuid_from_mssql(id)},
        "uuid_shard": reading_ids.uuid_shard,
        "trace_id": lambda id, near, *bits: reading_ids.trace_id(
            number(id), number(near), *map(number, given(bits, "12"))),
        "snowflake_id": lambda id, *epoch: reading_ids.snowflake_id(
            number(id), *map(number, given(epoch, "1288834974657"))),
        "decimal_id": lambda id: reading_ids.decimal_id(int(id)),
        "gdid": lambda digits: reading_ids.gdid(bytes.fromhex(digits)),
        "decode_bigint": lambda text, *a: {
            "id": reading_ids.decode_bigint(text, *given(a, "crockford"))},
        "decode_uuid": lambda text, *a: {"id": reading_ids.decode_uuid(text, *given(a, "crockford"))},
        "decode_gdid": lambda text, *a: reading_ids.decode_gdid(text, *given(a, "crockford")),
        "position": lambda code, *a: {"n": reading_ids.position(code, *given(a, "numeric"))},
        "check_valid": lambda code, *a: {
            "valid": str(reading_ids.check_valid(code, *given(a, "crockford"))).lower()},
        "typeid": reading_ids.typeid,
        "uuid_mask": lambda id, key: one(reading_ids.uuid_mask(id, bytes.fromhex(key))),
        "uuid_unmask": lambda id, key: one(reading_ids.uuid_unmask(id, bytes.fromhex(key))),
    }
    for line in sys.stdin:
        name, *arguments = line.rstrip("\n").split("\t")
        try:
            parts = calls[name](*arguments)
            print("null" if parts is None else " ".join(str(part) for part in parts.values()))
        except ValueError:
            print("error")


if __name__ == "__main__":
    main()
