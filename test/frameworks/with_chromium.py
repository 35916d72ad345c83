"""The page doc/read-an-id.html in Chromium, from a file: address.

It reads the texts of doc/vectors, and ten texts as they come to a support mailbox; it is used
by keyboard; it makes no request; it shows times of the reader's zone, and light and dark.
chromedriver is spoken to by its own protocol (W3C WebDriver).  With GID_SCREENSHOTS=DIRECTORY
pictures of the page are written there, for a person to look at.
"""

import base64
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.request

import tap

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
ZONE = "Asia/Kolkata"
ENTER, TAB = "\ue007", "\ue004"

# What people paste, and what the page has to say: ids with their first family, or what is
# nearly one.
UUID = "017f22e2-79b0-7cc3-98c4-dc0c0c07398f"
MAILBOX = [
    ("quotes, a comma", f'"{UUID}",', [(UUID, "v7")]),
    ("a letter", f"Hello,\n\nthe order {UUID} of 12:30:45 has not come.\nIt is the 2nd time!\n\nKind regards",
     [(UUID, "v7")]),
    ("angle brackets, a full stop", f"<{UUID}>.", [(UUID, "v7")]),
    ("a URL", f"https://shop.example/orders/{UUID}/items?page=2&sort=name#top", [(UUID, "v7")]),
    ("a URL with the id in its query", "see https://shop.example/show?order=01HQTBRNG0E008000000000000&x=1 please",
     [("018df4bc-5600-7000-8000-000000000000", "v7")]),
    ("a line that a mail program broke", "> My id is 017f22e2-79b0-7cc3-98c4-\n> dc0c0c07398f. Thanks",
     [(UUID, "v7")]),
    ("digits in groups, over two lines", "017F22E2 79B0 7CC3\n98C4 DC0C 0C07 398F\n", [(UUID, "v7")]),
    ("a digit is missing", "Order (017f22e2-79b0-7cc3-98c4-dc0c0c07398) ?",
     [("017f22e2-79b0-7cc3-98c4-dc0c0c07398", "31 hexadecimal digits, 32 expected")]),
    ("curly quotes, a TypeID, a ULID of somebody else",
     "Customer “user_01h2xcejqtf2nbrexx3vqjhp41”\nref: 01GZZZZZZZABCDEFGHJKMNPQRS",
     [("0188bac7-4afa-78aa-bc3b-bd1eef28d881", "v7"), ("0187ffff-ffff-52d8-d73e-1194e95b5f19", "ULID")]),
    ("a column of a table", "id\n14150009200065\n0:1:75\n9223372036854775807\n01HQTBRNG0E00800000000000U\n",
     [("14150009200065", "trace"), ("0:1:75", "gdid"), ("9223372036854775807", "trace"),
      ("01HQTBRNG0E00800000000000U", 'not of Crockford\'s alphabet: "U" at character 26')]),
    ("a list, in which a digit is missing before a short id", f"{UUID[:-1]}\n0:1:75\n{UUID[:-1]}\n7\n",
     [(UUID[:-1], "31 hexadecimal digits, 32 expected"), ("0:1:75", "gdid"),
      (UUID[:-1], "31 hexadecimal digits, 32 expected"), ("7", "next")]),
    ("quoted-printable", "=20 id:=20\n017f22e2-79b0-7cc3-98c4-dc0c=\n0c07398f.\n", [(UUID, "v7")]),
    ("several ids, two of them in URLs", f"(https://shop.example/o/{UUID}), or was it 0:1:75?\n"
     "https://shop.example/c/user_01h2xcejqtf2nbrexx3vqjhp41?x=1\nBye",
     [(UUID, "v7"), ("0:1:75", "gdid"), ("0188bac7-4afa-78aa-bc3b-bd1eef28d881", "v7")]),
    ("a URL that is broken", f"https://shop.example/o/{UUID[:21]}\n{UUID[21:]}/edit\nBye", [(UUID, "v7")]),
    ("marks of byte order and direction, a label", f"\ufeff\u202a{UUID}\u202c\nn={UUID}, #{UUID}", [(UUID, "v7")] * 3),
    ("dashes of a word processor", f"my id is {UUID.replace('-', chr(0x2011))}.",
     [(UUID.replace("-", "\u2011"), 'not a hexadecimal digit: "\u2011" (U+2011) at character 9')]),
    ("an id among times of day", f"On 23 Nov 2026 at 12:30, Ann wrote (16:9):\n> {UUID[:9]}🙂{UUID[10:]}",
     [(UUID[:9] + "🙂" + UUID[10:], 'not a hexadecimal digit: "🙂" (U+1F642) at character 10')]),
    ("a line of dots", "." * 300000 + "x", []),
    ("nothing", "Hello, I have lost my order of 2026-11-29, 4 items. Call +49 30 1234567.", []),
]

# What the page shows: id, near miss, form, and families with their rows.
SHOWN = """
const text = (node) => node?.textContent ?? null;
return Array.from(document.querySelectorAll('main section'), (section) => ({
  id: text(section.querySelector('h2')) ?? text(section.querySelector('code')),
  near: section.className === 'near' ? text(section.querySelector('strong')?.nextSibling) : null,
  form: text(section.querySelector('p')),
  families: Array.from(section.querySelectorAll('table'), (table) => [
    text(table.querySelector('caption strong')),
    Object.fromEntries(Array.from(table.querySelectorAll('tr'), (row) => [
      text(row.querySelector('th')), text(row.querySelector('td'))]))]),
}));
"""
PASTE = """
const field = document.getElementById(arguments[1] ?? 'paste');
field.value = arguments[0];
field.dispatchEvent(new Event('input', { bubbles: true }));
"""


class Browser:
    """A session of Chromium."""

    def __init__(self, directory):
        self.driver = subprocess.Popen(
            ["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            encoding="utf-8", env={**os.environ, "TZ": ZONE, "HOME": directory})
        for line in self.driver.stdout:
            started = re.search(r"started successfully on port (\d+)", line)
            if started:
                self.base = f"http://127.0.0.1:{started[1]}/session"
                break
        options = {"args": ["--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=900,1000",
                            "--lang=en", f"--user-data-dir={directory}/profile"]}
        self.id = None
        self.id = self.call("POST", "", {"capabilities": {"alwaysMatch": {
            "goog:chromeOptions": options,
            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}}})["sessionId"]

    def call(self, method, path, body=None):
        request = urllib.request.Request(
            self.base + (f"/{self.id}" if self.id else "") + path, method=method,
            data=None if body is None else json.dumps(body).encode())
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)["value"]

    def run(self, script, *args):
        return self.call("POST", "/execute/sync", {"script": script, "args": list(args)})

    def command(self, name, **params):
        return self.call("POST", "/goog/cdp/execute", {"cmd": name, "params": params})

    def press(self, *keys):
        """Keys, to what has the focus."""
        actions = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        self.call("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})

    def read(self, text):
        self.run(PASTE, text)
        return self.run(SHOWN)

    def screenshot(self, name):
        if os.environ.get("GID_SCREENSHOTS"):
            with open(os.path.join(os.environ["GID_SCREENSHOTS"], name + ".png"), "wb") as picture:
                picture.write(base64.b64decode(self.command(
                    "Page.captureScreenshot", captureBeyondViewport=True)["data"]))

    def close(self):
        if self.id:
            self.call("DELETE", "")
        self.driver.terminate()
        self.driver.wait()


def vectors(browser):
    with open(os.path.join(TOP, "doc/vectors/texts.json"), encoding="utf-8") as file:
        texts = json.load(file)
    wrong = []
    for vector in texts:
        text, want = vector["input"]["text"], vector["expected"]
        got = [shown for shown in browser.read(text) if shown["near"] is None]
        if "error" in want:
            # among words a lone brace is no part of an id
            good = got == [] or text.startswith("{") and not text.endswith("}")
        else:
            good = len(got) == 1 and got[0]["id"] == want["id"] and got[0]["form"].startswith(
                want["form"] + (f", prefix {want['prefix']}" if "prefix" in want else "")) and (
                    want.get("remark", "") in got[0]["form"])
        if not good:
            wrong.append(f"{text!r} is {want}, not {got}")
    tap.ok(not wrong, f"{len(texts)} texts of the vectors", wrong[:3])
    wrong = []
    with open(os.path.join(TOP, "doc/vectors/uuid_v7.json"), encoding="utf-8") as file:
        ids = [v for v in json.load(file) if v["op"] == "read"]
    for vector in ids:
        shown = dict(browser.read(vector["input"])[0]["families"])
        if ("v7" in shown) != (vector["expected"] is not None) or vector["expected"] and (
                shown["v7"]["fraction"] != f"{vector['expected']['fraction']}/65536 ms"):
            wrong.append(f"{vector['input']} is {vector['expected']}, not {shown}")
    tap.ok(not wrong, f"{len(ids)} version 7 UUIDs of the vectors", wrong[:3])


def mailbox(browser):
    for name, text, want in MAILBOX:
        got = [(shown["id"], shown["near"] or shown["families"][0][0]) for shown in browser.read(text)]
        tap.ok(got == want, f"mailbox: {name}", f"got {got}, not {want}")
    status = "return document.getElementById('status').textContent"
    tap.equal(browser.run(status), "No id found.", "where there is no id, the page says so")
    tap.equal((len(browser.read(f"{UUID}\n" * 501)), browser.run(status)),
              (500, '501 ids, the first 500 are shown, "Copy all" has all'), "many ids")


def parts(browser):
    rows = dict(browser.read(UUID)[0]["families"])["v7"]
    tap.equal(rows, {"time, UTC": "2022-02-22 19:22:22+00", "time, local": "2022-02-23 00:52:22+05:30",
                     "fraction": "52278/65536 ms", "random": "0c4dc0c0c07398f"}, "the parts and both times")
    rows = dict(browser.read("9223372029999999999")[0]["families"])
    tap.equal((rows["decimal"]["counter"], rows["next"]["value"]), ("922337202", "9223372029999999999"),
              "large numbers are not rounded")
    browser.run(PASTE, "1420070400000", "epoch")
    rows = dict(browser.read("175928847299117063")[0]["families"])
    tap.equal(rows["snowflake"]["time, UTC"], "2016-04-30 11:18:25.796+00", "the epoch of Snowflake ids is a field")
    browser.run(PASTE, "1.5", "epoch")
    tap.equal(browser.read("175928847299117063"), [], "a wrong epoch is told")
    browser.run(PASTE, "", "epoch")
    browser.run(PASTE, "1700000000", "near")
    rows = dict(browser.read("175928847299117063")[0]["families"])
    tap.ok(rows["trace"]["time, UTC"] <= "2023-11-14 22:13:20+00" and rows["trace"]["time, UTC"] > "2022-10",
           "the time that a TraceId is from before is a field", rows["trace"])
    browser.run(PASTE, "", "near")
    shown = browser.read("<img src=x onerror=alert(1)> 017f22e2-79b0-7cc3-98c4-<b>c0c07398f</b>")
    tap.equal(browser.run("return document.querySelectorAll('main img, main b').length"), 0,
              f"what is pasted is no HTML: {len(shown)}")


def keyboard(browser):
    browser.call("POST", "/refresh", {})
    while browser.run("return document.activeElement.id") != "paste":
        pass                    # the browser gives the focus after the page was loaded; the test has a time limit
    browser.press(*UUID)
    tap.equal([shown["id"] for shown in browser.run(SHOWN)], [UUID], "the field has the focus; an id is typed")
    names = []
    for _ in range(8):
        browser.press(TAB)
        names.append(browser.run("const e = document.activeElement;"
                                 "return e.getAttribute('aria-label') ?? e.textContent.trim()"))
    tap.ok(names[1:] == ["Copy all", "Copy id", "Copy time, UTC", "Copy time, local", "Copy fraction", "Copy random"]
           + names[7:], "each button is reached by the tabulator", names)
    for label, want in (("Copy time, UTC", "2022-02-22 19:22:22+00"), ("Copy id", UUID)):
        browser.command("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
        browser.run("document.querySelector(`button[aria-label=\"${arguments[0]}\"]`).focus()", label)
        browser.press(ENTER)
        tap.equal(browser.run("return navigator.clipboard.readText()"), want, f"{label}, by keyboard")
    browser.run("document.getElementById('all').click()")
    copied = browser.run("return navigator.clipboard.readText()")
    tap.ok(copied.startswith(UUID + "\n") and "time, UTC: 2022-02-22 19:22:22+00" in copied, "Copy all", copied)


def looks(browser):
    colours = {}
    browser.read("\n".join([UUID, "14150009200065", "017f22e2-79b0-7cc3-98c4-dc0c0c07398", "0:1:75"]))
    for scheme in ("light", "dark"):
        browser.command("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        colours[scheme] = browser.run("const style = getComputedStyle(document.body);"
                                      "return [style.color, style.backgroundColor]")
        browser.screenshot(scheme)
    light = lambda colour: sum(map(int, re.findall(r"\d+", colour)[:3])) > 384
    tap.equal({scheme: [light(c) for c in both] for scheme, both in colours.items()},
              {"light": [False, True], "dark": [True, False]}, "light and dark")
    browser.command("Emulation.setDeviceMetricsOverride", width=360, height=800, deviceScaleFactor=1, mobile=True)
    tap.ok(browser.run("return document.documentElement.scrollWidth <= 360"), "a narrow screen")
    browser.screenshot("narrow")


def requests(browser):
    """What the browser has asked for since it started, and what it complained of."""
    asked = set()
    for entry in browser.call("POST", "/se/log", {"type": "performance"}):
        message = json.loads(entry["message"])["message"]
        if message["method"] == "Network.requestWillBeSent":
            asked.add(message["params"]["request"]["url"])
    asked = {url for url in asked if not url.startswith(("chrome:", "data:"))}
    tap.ok(len(asked) == 1 and all(url.startswith("file:") for url in asked), "no request but for the file", asked)
    tap.equal([entry["message"] for entry in browser.call("POST", "/se/log", {"type": "browser"})], [],
              "no error in the browser's log")


def main():
    missing = [name for name in ("chromium", "chromedriver") if not shutil.which(name)]
    if missing:
        print(f"1..0 # SKIP there is no {missing[0]}")
        sys.exit(0)
    tap.tried(subprocess.run(["chromium", "--version"], check=False, stdout=subprocess.PIPE,
                             encoding="utf-8").stdout.strip())
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as directory:
        browser = Browser(directory)
        try:
            browser.call("POST", "/url", {"url": "file://" + os.path.realpath(os.path.join(TOP, "doc/read-an-id.html"))})
            for part in (vectors, mailbox, parts, keyboard, looks, requests):
                part(browser)
        finally:
            browser.close()


tap.run(main)
