"""The decoders of doc/decoders, and the page, read an id only where SQL does so too.

Ids of each family are shortened, lengthened or changed in one character, as people do it who
copy and type.  The database says what each text is, by the function that makes the vectors
(tools/vectors.sql), and each language has to answer the same.  GID_CHANGED_IDS says how many
ids of each family, GID_SEED repeats a run.
"""

import collections
import json
import os
import random
import subprocess
import tempfile

import tap
from with_reading_ids import HERE, LANGUAGES, make_go_module, missing, refusal, run_program, takes

COUNT = int(os.environ.get("GID_CHANGED_IDS", 2000))
SEED = int(os.environ.get("GID_SEED", random.randrange(2**32)))
KEY = "000102030405060708090a0b0c0d0e0f"
# What people and programs put into a text: digits, letters, and what is neither.
TYPED = "0123456789abcdefABCDEFgGiIlLoOuUzZ-_ {}:.+é０"
DIGITS = "0123456789"
# What people send along with a text.
INSPECTED = TYPED + "<>()[],;/?&=#'\"“”«"

# An operation of a vector, the argument that is changed, the other arguments, and SQL that
# gives the id as the argument has it.
FAMILIES = [
    ("uuid_v7", "id", {}, "gid_uuid_v7()"),
    ("uuid_sequential", "id", {}, "gid_uuid_sequential()"),
    ("uuid_from_mssql", "id", {}, "upper(gid_uuid_to_mssql(gid_uuid_sequential())::text)"),
    ("uuid_shard", "id", {}, "gid_uuid_shard(n)"),
    ("uuid_mask", "id", {"key_hex": KEY}, "gid_uuid_v7()"),
    ("uuid_unmask", "id", {"key_hex": KEY}, f"gid_uuid_mask(gid_uuid_v7(), decode('{KEY}', 'hex'))"),
    ("trace_id", "id", {"near_s": "1795252723", "thread_bits": "12"}, "gid_trace_id()"),
    ("snowflake_id", "id", {"epoch_ms": "1288834974657"}, "gid_snowflake_id()"),
    ("decimal_id", "id", {}, "gid_make_decimal_id(n, 92, 65)"),
    ("gdid", "hex", {}, "gid_gdid_hex(gid_make_gdid(n, 3, 1000003 * n::bigint))"),
    ("decode_bigint", "text", {"charset": "crockford"}, "gid_encode(gid_snowflake_id(), 'crockford')"),
    ("decode_uuid", "text", {"charset": "crockford"}, "gid_encode(gid_uuid_v7(), 'crockford')"),
    ("decode_uuid", "text", {"charset": "base58"}, "gid_encode(gid_uuid_v7(), 'base58')"),
    ("decode_gdid", "text", {"charset": "crockford"},
     "gid_encode(gid_make_gdid(n, 3, 1000003 * n::bigint), 'crockford')"),
    ("check_valid", "code", {"charset": "crockford"},
     "gid_check_append(gid_encode(gid_snowflake_id(), 'crockford'), 'crockford')"),
    ("typeid", "text", {}, "gid_typeid('user', gid_uuid_v7())"),
    ("inspect", "text", {}, "gid_uuid_v7()"),
    ("inspect", "text", {}, "gid_encode(gid_uuid_v7(), 'crockford')"),
    ("inspect", "text", {}, "gid_typeid('user', gid_uuid_v7())"),
    ("inspect", "text", {}, "gid_make_gdid(n, 3, 1000003 * n::bigint)"),
    ("inspect", "text", {}, "'0x' || gid_gdid_hex(gid_make_gdid(n, 3, 1000003 * n::bigint))"),
    ("inspect", "text", {}, "gid_encode(gid_make_gdid(n, 3, 1000003 * n::bigint), 'crockford')"),
    ("inspect", "text", {}, "gid_snowflake_id()"),
]
FAMILIES += [("families", "text", {}, sql) for op, _, _, sql in FAMILIES if op.startswith("uuid_")]


def psql(script):
    """The lines that the database writes."""
    done = subprocess.run(["psql", "-XAtq", "-v", "ON_ERROR_STOP=1"], input=script, check=True,
                          stdout=subprocess.PIPE, encoding="utf-8")
    return done.stdout.split("\n")[:-1]


def changed(rnd, op, text):
    """The text after one of the changes.  Numbers and bytes reach a decoder as such."""
    if op == "gdid":
        octets = list(bytes.fromhex(text))
        change(rnd, octets, range(256))
        return bytes(octets).hex()
    letters = list(text)
    change(rnd, letters, DIGITS if op in ("trace_id", "snowflake_id", "decimal_id") else
           INSPECTED if op == "inspect" else TYPED)
    return "".join(letters)


def change(rnd, letters, others):
    at = rnd.randrange(len(letters))
    how = rnd.randrange(4)
    if how == 0:
        del letters[at]
    elif how == 1:
        del letters[max(at, 1):]
    elif how == 2:
        letters.insert(rnd.randrange(len(letters) + 1), rnd.choice(others))
    else:
        letters[at] = rnd.choice(others)


def inputs(rnd):
    """Pairs of an operation and its arguments, whose id is changed."""
    for op, name, rest, sql in FAMILIES:
        for text in psql(f"SELECT {sql} FROM generate_series(1, {COUNT}) AS n;"):
            yield op, {name: changed(rnd, op, text), **rest}


def answers(given):
    """What the database reads of each of them."""
    with open(os.path.join(HERE, "../../tools/vectors.sql"), encoding="utf-8") as vectors:
        script = vectors.read()
    rows = "".join(f"{op}\t{json.dumps(arguments)}\n" for op, arguments in given)
    return map(json.loads, psql(
        "SET client_min_messages = warning; SET timezone = 'UTC';\n" + script +
        "CREATE TEMP TABLE given (n int GENERATED ALWAYS AS IDENTITY, op text, input jsonb);\n"
        "COPY given (op, input) FROM STDIN WITH (FORMAT csv, DELIMITER E'\\t', QUOTE E'\\x01');\n" +
        rows + "\\.\nSELECT pg_temp.read(op, input) FROM given ORDER BY n;\n"))


def main():
    rnd = random.Random(SEED)
    print("# GID_SEED =", SEED)
    psql("SET client_min_messages = warning; CREATE EXTENSION gid;")
    given = list(inputs(rnd))
    vectors = [refusal(op, arguments, want) for (op, arguments), want in zip(given, answers(given))]
    lines = [("\t".join(line), answer) for line, answer in vectors]
    tap.ok(len(lines) == COUNT * len(FAMILIES), "the database reads or refuses each", len(lines))
    for op in {op for op, *_ in FAMILIES}:
        found = {answer in ("error", "null", "false") for line, answer in lines if line.startswith(op + "\t")}
        tap.ok(found == {False, True} or op == "uuid_shard" and False in found,
               f"{op}: some are ids, some are none", found)
    with tempfile.TemporaryDirectory() as tmp:
        make_go_module(tmp)
        for language, commands in LANGUAGES.items():
            if missing(commands):
                tap.skip(language, f"there is no {missing(commands)}")
                continue
            asked = [pair for pair in lines if takes(language, pair[0])]
            read = run_program(commands, "".join(line + "\n" for line, _ in asked), tmp)
            wrong = collections.Counter()
            first = None
            for (line, answer), got in zip(asked, read):
                if got != answer:
                    wrong[line.split("\t")[0]] += 1
                    first = first or f"{line} is {answer}, not {got}"
            tap.ok(len(read) == len(asked) and not wrong,
                   f"{language}: {len(asked)} changed ids are read as SQL does", [dict(wrong), first])


tap.run(main)
