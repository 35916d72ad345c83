"""The decoders of doc/decoders, and the page doc/read-an-id.html, read the ids of doc/vectors.

The programs call_decoders.* get a line for each vector, in each language whose compiler or
interpreter is there.  sql/vectors.sql and sql/vectors_made.sql show that the vectors are
what the database gives.
"""

import collections
import datetime
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

import tap

HERE = os.path.dirname(os.path.abspath(__file__))
VECTORS = os.path.join(HERE, "../../doc/vectors")
DECODERS = os.path.join(HERE, "../../doc/decoders")
YEAR_10000 = 253402300800000    # Unix milliseconds: no time of Python and of C# reaches it
# The arguments of a decoder in their order, and the parts that it returns, as the vectors
# name them.
ARGUMENTS = ("id", "near_s", "thread_bits", "epoch_ms", "hex", "text", "code", "charset", "key_hex")
PARTS = {
    "uuid_v7": ("unix_ms", "fraction"),
    "uuid_sequential": ("ticks", "process"),
    "uuid_shard": ("unix_s", "generator", "counter", "shard"),
    "trace_id": ("unix_s", "node", "thread", "counter"),
    "snowflake_id": ("unix_ms", "node", "sequence"),
    "decimal_id": ("counter", "generator", "launch"),
    "typeid": ("prefix", "uuid"),
}
# Those of its arguments that are integers of 64 bits.
INTEGERS = {"trace_id": 3, "snowflake_id": 2, "decimal_id": 1}
# The files of vectors that no decoder reads.
UNREAD = {"candor", "node_snowmaker", "permutation", "shard_region", "traceid"}
# Languages whose types refuse every other number before a decoder is called.
TYPED = ("Go", "Java", "C#")
# The numerals and letters of charsets whose codes have a position in the vectors.
LETTERS = "".join(chr(c) + chr(c + 32) for c in range(ord("A"), ord("Z") + 1))
CHARSETS = {
    "numeric": "0123456789",
    "crockford": "0123456789ABCDEFGHJKMNPQRSTVWXYZ",
    "alpha": LETTERS,
    "alpha_lower": LETTERS[1::2],
    "alpha_upper": LETTERS[::2],
    "alphanumeric": "0123456789" + LETTERS,
    "alphanumeric_lower": "0123456789" + LETTERS[1::2],
    "alphanumeric_upper": "0123456789" + LETTERS[::2],
    "hex": "0123456789abcdef",
    "base58": "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz",
    "base62": "0123456789" + LETTERS[::2] + LETTERS[1::2],
}

# Commands by language: what has to be there, then what runs the program.
# {here} is this directory, {decoders} that of the decoders, {tmp} one to write
# into.
LANGUAGES = {
    "Python": [[sys.executable, "{here}/call_decoders.py"]],
    "JavaScript": [["node", "{here}/call_decoders.mjs"]],
    "Go": [["go", "run", "."]],
    "Java": [["javac", "-d", "{tmp}", "{decoders}/ReadingIds.java", "{here}/call_decoders.java"],
             ["java", "-Xshare:auto", "-XX:TieredStopAtLevel=1", "-cp", "{tmp}", "CallDecoders"]],
    "C#": [["mcs", "-r:System.Numerics", "-out:{tmp}/call_decoders.exe", "{decoders}/ReadingIds.cs",
            "{here}/call_decoders.cs"],
           ["mono", "{tmp}/call_decoders.exe"]],
    "the page": [["node", "{here}/call_page.mjs"]],
}


def position(code, chars):
    n = 0
    for c in code:
        n = n * len(chars) + chars.index(c) + 1
    return n


def unix_ms(time):
    at = datetime.datetime.fromisoformat(time + ":00")
    return (at - datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)) // datetime.timedelta(
        milliseconds=1)


def parts(values, *names):
    return "null" if values is None else " ".join(str(values[name]) for name in names)


def refusal(op, given, want):
    """The line of a vector of refusals.json, and the answer to it."""
    if isinstance(want, dict) and "error" in want:
        # the one function that does not tell an error from another kind
        answer = "null" if op == "typeid" else "error"
    elif op == "inspect":
        answer = "|".join(want.get(part, "") for part in ("form", "prefix", "id", "remark"))
    elif op in PARTS:
        answer = parts(want, *PARTS[op])
    else:
        answer = {"gdid": str(want).replace(":", " "), "decode_gdid": str(want).replace(":", " "),
                  "check_valid": str(want).lower()}.get(op, want or "null")
    return [op] + [given[name] for name in ARGUMENTS if name in given], answer


def lines_of(name, op, given, want):
    """The lines that a vector makes, with what the program has to answer."""
    error = isinstance(want, dict) and "error" in want
    if name == "codes":
        charset = given["charset"]
        chars = charset[6:] if charset.startswith("chars:") else CHARSETS.get(charset)
    if name in ("refusals", "texts"):
        yield refusal(op, given, want)
    elif op == "read" and name in PARTS:
        yield [name, given], parts(want, *PARTS[name])
        if name == "uuid_v7" and want and want["unix_ms"] < YEAR_10000:
            yield ["created_at", given], parts(want, "unix_ms")
    elif op == "extract_ticks" and want is None and given.strip("0-"):
        yield ["uuid_sequential", given], "null"
    elif op == "morris_layout":
        yield ["uuid_sequential", want["from_sql_guid"]], parts(given, "ticks", "process_id_hex")
        yield ["uuid_from_mssql", want["uuid_text"]], want["from_sql_guid"]
    elif op == "from_sql_guid":
        yield ["uuid_from_mssql", given], want
    elif name == "hotguid" and op == "layout":
        yield ["uuid_shard", want["uuid_text"]], parts(
            given, "unix_ts", "machine_pid_hex", "counter", "shard")
    elif (name, op) == ("trace_thread_bits", "read"):
        yield ["trace_id", given["id"], given["near_s"], given["thread_bits"]], parts(
            want, "unix_s", "node", "thread", "counter")
    elif name == "snowflake":
        yield ["snowflake_id", given["id"], given["epoch_ms"]], " ".join(
            map(str, [unix_ms(want["time"]), want["node"], want["sequence"]]))
    elif name == "decimalid" and not error:
        yield ["decimal_id", want], parts(given, "counter", "generator_id", "launch_id")
    elif name == "gdid" and op == "roundtrip":
        yield ["gdid", want["hex_azos"]], want["text"].replace(":", " ")
    elif name == "short_texts" and op == "encode" and not error:
        yield [f"decode_{given['type']}", want, given["charset"]], given["id"].replace(":", " ")
    elif name == "short_texts" and op == "decode":
        yield [f"decode_{given['type']}", given["text"], given["charset"]], (
            "error" if error else want.replace(":", " "))
    elif name == "codes" and want == {"error": "22023"}:
        yield ["position", given["value"], charset], "error"
    elif name == "codes" and not error and not given["ignore_case"] and set(given["value"]) <= set(chars):
        yield ["position", want, charset], position(given["value"], chars) + int(given["count"])
    elif (name, op) == ("check_characters", "valid"):
        yield ["check_valid", given["code"], given["charset"]], str(want).lower()
    elif op == "typeid":
        yield ["typeid", want], given["prefix"] + " " + given["uuid"]
    elif op == "typeid_uuid":
        yield ["typeid", given], "null"
    elif op == "mask":
        yield ["uuid_mask", given["id"], given["key_hex"]], want
        yield ["uuid_unmask", want, given["key_hex"]], given["id"]
        yield ["uuid_mask", want, given["key_hex"]], "null"


# Ends of what can be an id, of which no vector is.
ENDS = [(["decimal_id", 9999999999], "null"), (["decimal_id", 9223372030000000000], "null"),
        (["snowflake_id", 0, 0], "null"),
        (["uuid_sequential", "089f7ff5-f7b5-7fff-ab00-000000000000"], "null"),
        (["uuid_sequential", "089f7ff5-f7b5-8000-ab00-000000000000"], "621355968000000000 000000000000ab00"),
        (["uuid_sequential", "09a15c29-c167-8fff-ab00-000000000000"], "693937151999971327 000000000000ab00"),
        (["uuid_sequential", "09a15c29-c168-1000-ab00-000000000000"], "null"),
        (["uuid_sequential", "2bca2875-f437-3fff-ffff-ffffffffffff"], "3155378975999999999 ffffffffffffffff"),
        (["uuid_sequential", "2bca2875-f437-4000-0000-000000000000"], "null")]


def vector_lines():
    """Pairs of a line and of the answer to it; and the files that have none."""
    all_lines = list(ENDS)
    unread = set()
    for file in sorted(os.listdir(VECTORS)):
        if file.endswith(".json"):
            with open(os.path.join(VECTORS, file), encoding="utf-8") as vectors:
                lines = [line for v in json.load(vectors)
                         for line in lines_of(file[:-5], v["op"], v["input"], v["expected"])]
            all_lines += lines
            if not lines:
                unread.add(file[:-5])
    return [("\t".join(map(str, line)), str(answer)) for line, answer in all_lines], unread


def takes(language, line):
    """Has the language the function of the line, and can it pass the numbers?"""
    name, *arguments = line.split("\t")
    if (name in ("inspect", "families")) != (language == "the page"):
        return False
    return language not in TYPED or all(
        re.fullmatch("-?[0-9]+", argument) and -2**63 <= int(argument) < 2**63
        for argument in arguments[:INTEGERS.get(name, 0)])


def missing(commands):
    """The program that is not there, or None."""
    return next((c[0] for c in commands if not shutil.which(c[0])), None)


def run_program(commands, text, tmp):
    """What the program writes about the lines."""
    for command in commands:
        done = subprocess.run(
            [word.format(here=HERE, decoders=DECODERS, tmp=tmp) for word in command],
            input=text, cwd=tmp, check=True, stdout=subprocess.PIPE, encoding="utf-8")
    return done.stdout.splitlines()


def make_go_module(tmp):
    """A module with the program and a package of the decoders, as Go asks for."""
    os.mkdir(os.path.join(tmp, "readingids"))
    shutil.copy(os.path.join(DECODERS, "reading_ids.go"), os.path.join(tmp, "readingids"))
    shutil.copy(os.path.join(HERE, "call_decoders.go"), tmp)
    with open(os.path.join(tmp, "go.mod"), "w", encoding="utf-8") as module:
        module.write("module example.com/decoders\n")


def main():
    vectors, unread = vector_lines()
    tap.ok(unread == UNREAD, "each file of vectors gives lines, or no decoder reads it", unread ^ UNREAD)
    with tempfile.TemporaryDirectory() as tmp:
        make_go_module(tmp)
        for language, commands in LANGUAGES.items():
            if missing(commands):
                tap.skip(language, f"there is no {missing(commands)}")
                continue
            lines = [(line, answer) for line, answer in vectors if takes(language, line)]
            wanted = collections.Counter(line.split("\t")[0] for line, _ in lines)
            read = run_program(commands, "".join(line + "\n" for line, _ in lines), tmp)
            wrong = collections.defaultdict(list)
            for (line, parts), got in zip(lines, read):
                if got != parts:
                    wrong[line.split("\t")[0]].append(f"{line} is {parts}, not {got}")
            tap.ok(len(read) == len(lines), f"{language}: an answer to each line", len(read))
            for name, count in wanted.items():
                tap.ok(not wrong[name], f"{language}: {name}, {count} of them", wrong[name][:3])
    for name in {line.split("\t")[0] for line, _ in vectors}:
        answers = {parts for line, parts in vectors if line.startswith(name + "\t")}
        tap.ok(len(answers) > 1, f"{name}: there are different answers", answers)


if __name__ == "__main__":
    tap.run(main)
