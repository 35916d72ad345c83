#!/usr/bin/python3
"""tools/page.py [--check]

Makes doc/read-an-id.html, a page that reads ids in a browser: one file, of the JavaScript
decoder and of tools/read-an-id.  With --check nothing is written: the status is 1 if the
page would change.

The page's policy allows this script and this style, by their hashes, and no request.
"""

import argparse
import base64
import hashlib
import os
import re
import sys

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
PAGE = "doc/read-an-id.html"
# Each needs those before it.
SCRIPTS = ["doc/decoders/reading_ids.mjs"] + [
    f"tools/read-an-id/{name}.mjs" for name in ("texts", "ids", "page")]


def slurp(name):
    with open(os.path.join(TOP, name), encoding="utf-8") as file:
        return file.read()


def script():
    """The modules as one. No two of them declare a name."""
    parts = []
    for name in SCRIPTS:
        code = re.sub(r"^import [^;]*;\n", "", slurp(name), flags=re.M)
        parts.append(f"// ---- {os.path.basename(name)} ----\n\n" +
                     re.sub(r"^export ", "", code, flags=re.M))
    return "\n".join(parts)


def digest(text):
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def page():
    html = slurp("tools/read-an-id/page.html").replace("{{script}}", script())
    for name in ("script", "style"):
        text = re.search(rf"<{name}[^>]*>(.*?)</{name}>", html, flags=re.S)[1]
        html = html.replace("{{%s-hash}}" % name, digest(text))
    return html


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--check", action="store_true")
    if parser.parse_args().check:
        if slurp(PAGE) != page():
            sys.exit(f"{PAGE} is not what tools/page.py makes: run make page")
    else:
        with open(os.path.join(TOP, PAGE), "w", encoding="utf-8") as file:
            file.write(page())


if __name__ == "__main__":
    main()
