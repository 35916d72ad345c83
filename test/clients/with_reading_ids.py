"""The code of doc/reading-ids.md reads ids as the database does.

The database makes ids and texts: both ends of each range, random parts, and new
ids.  It says what their parts are (reading_ids.sql).  The programs reading_ids.*
read them without it, in each language whose compiler or interpreter is there.
The server is asked by psql, so no driver is needed.
"""

import collections
import os
import shutil
import subprocess
import sys
import tempfile

import tap

HERE = os.path.dirname(os.path.abspath(__file__))

# Commands by language: what has to be there, then what runs the program. {} is
# the program without its suffix, {tmp} a directory.
LANGUAGES = {
    "Python": [[sys.executable, "{}.py"]],
    "JavaScript": [["node", "{}.js"]],
    "Go": [["go", "run", "{}.go"]],
    "Java": [["java", "-Xshare:auto", "-XX:TieredStopAtLevel=1", "{}.java"]],
    "C#": [["mcs", "-r:System.Numerics", "-out:{tmp}/reading_ids.exe", "{}.cs"],
           ["mono", "{tmp}/reading_ids.exe"]],
}


def database_lines():
    """Pairs of a line and of the parts that the database finds in it."""
    done = subprocess.run(
        ["psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-v", "many=300",
         "-f", os.path.join(HERE, "reading_ids.sql")],
        check=True, stdout=subprocess.PIPE, encoding="utf-8",
        env={**os.environ, "PGCLIENTENCODING": "UTF8", "PGOPTIONS": "-c gid.launch_id=65"})
    return [line.split("\t|") for line in done.stdout.splitlines()]


def run_program(commands, text, tmp):
    """What the program writes about the lines."""
    program = os.path.join(HERE, "reading_ids")
    for command in commands:
        done = subprocess.run(
            [word.replace("{}", program).replace("{tmp}", tmp) for word in command],
            input=text, check=True, stdout=subprocess.PIPE, encoding="utf-8")
    return done.stdout.splitlines()


def main():
    lines = database_lines()
    wanted = collections.Counter(line.split("\t")[0] for line, _ in lines)
    with tempfile.TemporaryDirectory() as tmp:
        for language, commands in LANGUAGES.items():
            missing = [c[0] for c in commands if not shutil.which(c[0])]
            if missing:
                tap.skip(language, f"there is no {missing[0]}")
                continue
            read = run_program(commands, "".join(line + "\n" for line, _ in lines), tmp)
            wrong = collections.defaultdict(list)
            for (line, parts), got in zip(lines, read):
                if got != parts:
                    wrong[line.split("\t")[0]].append(f"{line} is {parts}, not {got}")
            tap.ok(len(read) == len(lines), f"{language}: an answer to each line", len(read))
            for name, count in wanted.items():
                tap.ok(not wrong[name], f"{language}: {name}, {count} of them", wrong[name][:3])
    for name in wanted:
        answers = {parts for line, parts in lines if line.startswith(name + "\t")}
        tap.ok(len(answers) > 1, f"{name}: there are different answers", answers)


tap.run(main)
