#!/usr/bin/python3
"""tools/pictures.py [--data DIR] [--out DIR] [--check]

Draws the manual's pictures as SVG: plots of what "make bench" measured, from
the files of DIR (doc/bench), the bits of the ids, and how gid reserves ahead.
They go to doc/pictures, or into another directory.  With --check nothing is
written: a picture that would change is printed, and the status is 1.

A picture has no background, and colours for light and dark pages.  gid is blue
and everything else is grey.  A label stands at its bar or line.
"""

import argparse
import csv
import os
import sys
from xml.sax.saxutils import escape

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")

STYLE = """
text{font:13px system-ui,-apple-system,'Segoe UI','DejaVu Sans',sans-serif;fill:#1f2328}
.small{font-size:11px}.soft{fill:#59636e}.strong{font-weight:600}
.end{text-anchor:end}.mid{text-anchor:middle}
.mono{font-family:ui-monospace,'DejaVu Sans Mono',monospace;font-size:12px}
.gid{fill:#0969da}.pale{fill:#80b7f2}.other{fill:#8c959f}.blank{fill:none;stroke:#8c959f}
.on{fill:#ffffff}
.line{fill:none;stroke:#8c959f;stroke-width:2}.line.ours{stroke:#0969da;stroke-width:2.5}
.axis{stroke:#8c959f;stroke-width:1;fill:none}.grid{stroke:#8c959f;stroke-opacity:.25}
.mark{stroke:#bf5700;stroke-width:2;fill:none}.marked{fill:#bf5700}
@media (prefers-color-scheme:dark){
text{fill:#f0f6fc}.soft{fill:#9198a1}.gid{fill:#4493f8}.pale{fill:#1f4f8f}
.other{fill:#7d8590}.on{fill:#ffffff}.line.ours{stroke:#4493f8}
.mark{stroke:#f0883e}.marked{fill:#f0883e}}
""".replace("\n", "")


class Picture:
    """An SVG that grows element by element."""

    def __init__(self, width, height, title):
        self.size = (width, height)
        self.title = title
        self.parts = []

    def add(self, element):
        self.parts.append(element)

    def text(self, x, y, text, kind=""):
        self.add(f'<text x="{x:g}" y="{y:g}"{self.kind(kind)}>{escape(text)}</text>')

    def box(self, x, y, width, height, kind, radius=0):
        rounded = f' rx="{radius}"' if radius else ""
        self.add(f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}"{rounded}{self.kind(kind)}/>')

    def path(self, points, kind):
        way = " ".join(f"{x:g},{y:g}" for x, y in points)
        self.add(f'<polyline points="{way}"{self.kind(kind)}/>')

    @staticmethod
    def kind(kind):
        return f' class="{kind}"' if kind else ""

    def svg(self):
        width, height = self.size
        return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
                f'width="{width}" height="{height}" role="img">\n<title>{escape(self.title)}</title>\n'
                f"<style>{STYLE}</style>\n" + "\n".join(self.parts) + "\n</svg>\n")


def rows(data, name):
    with open(os.path.join(data, name), encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def is_gid(subject):
    return subject.startswith("gid")


# ---- plots ----

def bars(title, values, unit, note):
    """Horizontal bars in order of size, the value at each bar."""
    values = sorted(values, key=lambda pair: pair[1])
    name_width, width, step, top = 215, 760, 24, 44
    most = max(value for _, value in values)
    height = top + step * len(values) + 34
    picture = Picture(width, height, title)
    picture.text(0, 18, title, "strong")
    for i, (name, value) in enumerate(values):
        y = top + i * step
        length = max(1.5, value / most * (width - name_width - 90))
        picture.text(name_width - 8, y + 13, name, "mono end")
        picture.box(name_width, y, length, 17, "gid" if is_gid(name) else "other")
        picture.text(name_width + length + 6, y + 13, f"{value:,.0f} {unit}", "soft")
    picture.text(0, height - 8, note, "small soft")
    return picture


def spread(wanted, gap, low, high):
    """Positions as wanted, but at least gap apart."""
    order = sorted(range(len(wanted)), key=lambda i: wanted[i])
    places = [0.0] * len(wanted)
    last = low - gap
    for i in order:
        last = places[i] = max(wanted[i], last + gap)
    over = last - high
    if over > 0:
        bound = high
        for i in reversed(order):
            places[i] = min(places[i], bound)
            bound = places[i] - gap
    return places


def lines(title, curves, x_label, y_label, ticks, y_ticks, shown, log_x=False):
    """Lines with their names at the right end.  curves: {name: {x: y}}."""
    import math
    width, height, left, right, top, bottom = 760, 330, 58, 228, 58, 46
    xs = sorted({x for curve in curves.values() for x in curve})
    if len(xs) < 2:
        raise ValueError("this was not measured")
    y_most = y_ticks[-1]

    def place_x(x):
        if log_x:
            share = math.log(x / xs[0]) / math.log(xs[-1] / xs[0])
        else:
            share = (x - xs[0]) / (xs[-1] - xs[0])
        return left + share * (width - left - right)

    def place_y(y):
        return height - bottom - y / y_most * (height - top - bottom)

    picture = Picture(width, height, title)
    picture.text(0, 18, title, "strong")
    picture.text(0, 38, y_label, "small soft")
    for y in y_ticks:
        picture.path([(left, place_y(y)), (width - right, place_y(y))], "grid")
        picture.text(left - 6, place_y(y) + 4, f"{y:g}", "small soft end")
    for x in ticks:
        picture.text(place_x(x), height - bottom + 16, shown(x), "small soft mid")
    picture.text((left + width - right) / 2, height - 8, x_label, "small soft mid")
    picture.path([(left, height - bottom), (width - right, height - bottom)], "axis")
    names = sorted(curves, key=is_gid)
    ends = [place_y(curves[name][max(curves[name])]) for name in names]
    labels = spread(ends, 16, top - 4, height - bottom)
    for name, label in zip(names, labels):
        curve = curves[name]
        ours = is_gid(name)
        picture.path([(place_x(x), place_y(curve[x])) for x in sorted(curve)],
                     "line ours" if ours else "line")
        picture.text(width - right + 8, label + 4, name, "mono gid" if ours else "mono soft")
    return picture


def plot_cost(data):
    wanted = {"gen_random_uuid()", "nextval(seq)", "nextval(seq), CACHE 1000", "clock_timestamp()",
              "uuidv7()", "uuid_generate_v7()"}
    found = {}
    for row in rows(data, "results.csv"):
        name = row["subject"]
        if row["part"] == "calls" and row["net"] and (name in wanted or is_gid(name)):
            found.setdefault(name, float(row["net"]))
    for name in list(found):
        if name.startswith(("gid_lexical", "gid_permute", "gid_encode")):
            del found[name]
    return bars("Cost of an id, without the cost of the query itself", found.items(), "ns",
                "One session, PostgreSQL 15; clock_timestamp() only reads the clock. Lower is better.")


def curves_of(data, part, measure, names=None):
    curves = {}
    for row in rows(data, "curves.csv"):
        if row["part"] == part and row["measure"] == measure and (names is None or row["subject"] in names):
            curves.setdefault(row["subject"], {})[float(row["x"])] = float(row["value"])
    return {name: curve for name, curve in curves.items() if len(curve) > 1}


def plot_density(data):
    curves = curves_of(data, "writers", "leaf density %",
                       {"gid_uuid_v7()", "gid_next(seq)", "bigint identity", "gen_random_uuid()",
                        "nextval(seq), CACHE 1000", "uuidv7()"})
    return lines("How full the primary key's pages are", curves, "sessions that insert at the same time", "percent",
                 [1, 2, 4, 8], log_x=True, y_ticks=[0, 25, 50, 75, 100], shown=lambda x: f"{x:g}")


def nice(most):
    """Five ticks from 0 to above most."""
    import math
    step = 10 ** math.floor(math.log10(most / 4))
    step = next(step * n for n in (1, 2, 2.5, 5, 10) if step * n * 4 >= most)
    return [step * i for i in range(5)]


def plot_growth(data):
    curves = {name: {x: y / 1000 for x, y in curve.items() if x > 1}
              for name, curve in curves_of(data, "growth", "rows/s").items()}
    most = max(y for curve in curves.values() for y in curve.values())
    last = max(x for curve in curves.values() for x in curve)
    return lines("Inserting while the table grows to ten times shared_buffers", curves, "rows in the table",
                 "thousand rows per second", [last * n / 4 for n in (1, 2, 3, 4)], y_ticks=nice(most),
                 shown=lambda x: f"{x:,.0f}")


def plot_reading(data):
    lost = {row["subject"]: float(row["value"]) for row in rows(data, "results.csv")
            if (row["part"], row["measure"], row["x"]) == ("reading", "rows missed", "10")}
    curves = {f"{name}: {lost[name]:,.0f} lost": curve
              for name, curve in curves_of(data, "reading", "rows behind").items()}
    most = max(y for curve in curves.values() for y in curve.values())
    last = max(x for curve in curves.values() for x in curve)
    return lines("Readers while a transaction that does not draw stays open", curves, "seconds",
                 "committed rows that the reader has not seen yet; the names show how many it lost", [last * n / 4 for n in range(5)], y_ticks=nice(most),
                 shown=lambda x: f"{x:g}")


# ---- layouts ----

def ruler(picture, y, name, unit, fields, scale, left=0):
    """One id to scale: fields are (bits or digits, text, kind)."""
    picture.text(left, y - 22, name, "strong")
    x, at = left, 0
    for size, text, kind in fields:
        width = size * scale
        if size * scale >= 14 or at == 0:
            picture.text(x, y - 6, str(at), "small soft")
        picture.box(x + 0.5, y, width - 1, 30, kind, 2)
        if width >= 6.5 * len(text):
            picture.text(x + width / 2, y + 20, text, "mid small" + (" on" if kind == "gid" else ""))
        elif text:
            picture.text(x + width / 2, y + 45, text, "mid small soft")
        x += width
        at += size
    picture.text(x, y - 6, f"{at} {unit}", "small soft end")


def key(picture, y, *entries):
    """What the colours of a layout mean."""
    x = 0
    for kind, text in entries:
        picture.box(x + 0.5, y - 10, 14, 12, kind, 2)
        picture.text(x + 20, y, text, "small soft")
        x += 36 + 6.5 * len(text)


def layout_uuid():
    picture = Picture(780, 320, "The bits of the UUIDs")
    ruler(picture, 36, "gid_uuid_v7()", "bits", [
        (48, "Unix milliseconds", "gid"), (4, "version 7", "blank"), (12, "fraction", "gid"), (2, "", "blank"),
        (4, "fraction", "gid"), (58, "random in each id", "other")], 6)
    ruler(picture, 136, "gid_uuid_sequential(), in PostgreSQL's order", "bits", [
        (64, "ticks of 100 ns since the year 1", "gid"), (64, "process id, random at each server start", "other")], 6)
    ruler(picture, 236, "gid_uuid_shard(key)", "bits", [
        (32, "Unix seconds", "gid"), (40, "random at each server start", "other"), (24, "counter", "gid"),
        (32, "shard key, lowest byte first", "pale")], 6)
    key(picture, 312, ("gid", "increases with each id"), ("pale", "chosen by you"), ("other", "random"), ("blank", "fixed"))
    return picture


def layout_63():
    picture = Picture(780, 320, "The parts of TraceIds, DecimalIds and Snowflake ids")
    ruler(picture, 36, "gid_trace_id()", "bits", [
        (1, "0", "blank"), (25, "Unix seconds mod 2^25", "gid"), (16, "gid.node_no", "pale"), (22, "counter", "gid")], 12)
    ruler(picture, 136, "gid_decimal_id()", "decimal digits", [
        (9, "counter, up to 9 digits", "gid"), (5, "generator", "other"), (5, "gid.launch_id", "pale")], 40)
    ruler(picture, 236, "gid_snowflake_id()", "bits", [
        (1, "0", "blank"), (41, "milliseconds since the epoch", "gid"), (10, "gid.node_no", "pale"), (12, "sequence", "gid")], 12)
    key(picture, 312, ("gid", "increases with each id"), ("pale", "set by you"), ("other", "reserved at each start"),
        ("blank", "fixed"))
    return picture


def layout_gdid():
    picture = Picture(780, 112, "The bits of a GDID")
    ruler(picture, 36, "gid_next_gdid(seq)", "bits", [
        (32, "era", "gid"), (4, "authority", "pale"), (60, "counter", "gid")], 8)
    key(picture, 104, ("gid", "increases with each id"), ("pale", "the server that reserved the block"))
    return picture


# ---- what is reserved ahead ----

def reserved():
    picture = Picture(780, 400, "What gid reserves on disk before it is used")
    picture.text(0, 18, "gid reserves on disk before it generates ids. A crash skips the rest and repeats nothing.", "strong")
    left = 20

    def lane(y, name, unit, boxes, marks):
        picture.text(0, y - 34, name, "strong")
        picture.text(0, y - 16, unit, "small soft")
        x = left
        for width, text, kind in boxes:
            picture.box(x, y, width - 2, 28, kind, 2)
            picture.text(x + width / 2 - 1, y + 19, text, "small mid" + (" on" if kind == "gid" else ""))
            x += width
        for x, text, below in marks:
            picture.path([(x, y - 6), (x, y + 36)], "mark")
            picture.text(x, y + 50 if below else y - 10, text, "small marked " + ("end" if x > 400 else "mid"))

    lane(90, "A sequence: gid_next(), GDIDs, codes", "values of the sequence",
         [(300, "drawn", "gid"), (140, "rest of the block", "pale"), (200, "next block", "pale"),
          (110, "not reserved", "blank")],
         [(left + 639, "on disk: last_value; after a crash, values start here", True)])
    lane(214, "DecimalIds: one generator number per start and launch", "generator numbers of a launch",
         [(180, "0: before the restart", "gid"), (180, "1: all sessions", "gid"),
          (390, "2 … 99999: not reserved", "blank")],
         [(left + 359, "on disk; after a crash, all sessions use number 2", True)])
    lane(338, "The durable bound: UUIDs, TraceIds", "time in the ids",
         [(430, "times in generated ids", "gid"), (210, "up to five seconds", "pale"), (110, "not allowed", "blank")],
         [(left + 429, "now", False), (left + 639, "on disk: gid.clock; after a crash, ids start here", True)])
    return picture


# ---- time lines ----

class TimeLine:
    """Lanes of boxes and marks, time from left to right."""

    LEFT = 155

    def __init__(self, height, title):
        self.picture = Picture(780, height, title)
        self.picture.text(0, 18, title, "strong")

    def lane(self, y, name, note=""):
        self.picture.text(0, y + (10 if note else 18), name, "strong")
        if note:
            self.picture.text(0, y + 26, note, "small soft")
        self.picture.path([(self.LEFT, y + 14), (770, y + 14)], "grid")

    def box(self, y, start, end, text, kind):
        x, width = self.LEFT + start, end - start
        self.picture.box(x, y, width, 28, kind, 3)
        self.picture.text(x + width / 2, y + 18, text, "small mid" + (" on" if kind == "gid" else ""))

    def moment(self, at, y, until):
        self.picture.path([(self.LEFT + at, y), (self.LEFT + at, until)], "mark")


def lost_row():
    line = TimeLine(300, "How a reader that remembers the greatest id loses a row")
    line.lane(48, "session 1")
    line.box(48, 20, 400, "draws id 1, keeps working, commits late", "gid")
    line.lane(92, "session 2")
    line.box(92, 60, 210, "draws id 2, commits", "gid")
    line.lane(160, "reader", "remembers the greatest id")
    line.box(160, 250, 380, "sees 2, stores 2", "other")
    line.box(160, 450, 615, "polls id > 2: no rows", "other")
    line.picture.text(line.LEFT + 450, 204, "the reader never sees row 1", "small marked")
    line.lane(236, "reader with gid", "reads below the horizon")
    line.box(236, 250, 380, "horizon 1: waits", "gid")
    line.box(236, 450, 615, "horizon 3: reads 1 and 2", "gid")
    line.moment(400, 92, 146)
    line.picture.text(line.LEFT + 408, 112, "row 1 appears only now,", "small marked")
    line.picture.text(line.LEFT + 408, 128, "after row 2", "small marked")
    line.picture.text(770, 292, "time →", "small soft end")
    return line.picture


def confirmed():
    line = TimeLine(290, "A number that a standby has confirmed does not repeat")
    line.lane(52, "session")
    line.box(52, 10, 150, "asks for a number", "other")
    line.box(52, 350, 450, "gets 41", "gid")
    line.lane(116, "primary")
    line.box(116, 60, 200, "reserves 41 to 72", "gid")
    line.box(116, 200, 350, "waits", "pale")
    line.moment(480, 60, 170)
    line.picture.text(line.LEFT + 488, 108, "the primary is lost", "small marked")
    line.lane(196, "standby")
    line.box(196, 230, 330, "writes WAL", "gid")
    line.box(196, 500, 610, "promoted: 73 …", "gid")
    line.picture.path([(line.LEFT + 200, 144), (line.LEFT + 230, 196)], "axis")
    line.picture.path([(line.LEFT + 330, 196), (line.LEFT + 350, 144)], "axis")
    line.picture.text(line.LEFT + 250, 240, "“reserved up to 72” is confirmed before 41 is seen", "small soft mid")
    line.picture.text(770, 240, "starts after the reserved numbers", "small marked end")
    line.picture.text(770, 282, "time →", "small soft end")
    return line.picture


# ---- several servers ----

def numbers():
    picture = Picture(780, 268, "Where each number is set")
    picture.text(0, 18, "Where each number is set", "strong")
    for i in (1, 2):
        x = 395 * (i - 1)
        picture.box(x + 0.5, 34, 382, 196, "blank", 4)
        picture.text(x + 14, 56, f"Server {i}", "strong")
        picture.box(x + 14.5, 116, 354, 96, "blank", 4)
        picture.text(x + 28, 138, f"Database {'AB'[i - 1]}", "strong")
        for left, y, number, ids in ((14, 78, f"gid.node_no = {i}", "TraceIds, Snowflake ids"),
                                     (14, 98, f"gid.authority = {i}", "GDIDs that it reserves"),
                                     (28, 160, f"gid.launch_id = {64 + i}", "DecimalIds"),
                                     (28, 180, f"gid.shard_key = {207 + i}", "UUIDs with a shard key"),
                                     (28, 200, "sequences", "unique in this database")):
            picture.text(x + left, y, number, "mono")
            picture.text(x + left + 166, y, ids, "small soft")
    picture.text(0, 256, "Version 7 and sequential UUIDs need no number, because they contain random bits.", "small soft")
    return picture


# ---- which id ----

CHOICES = [
    ("Must the application stay unchanged?", [("its own nextval()", "gid.serve_nextval")]),
    ("Small numbers: 1, 2, 3 …?", [
        ("without gaps", "a counter"), ("typed by people", "gid_next_code(seq, …)"),
        ("one sequence, several servers", "gid_next_gdid(seq)"), ("otherwise", "gid_next(seq)")]),
    ("Does another system set the format?", [
        ("SQL Server's order", "gid_uuid_sequential()"), ("Snowflake ids", "gid_snowflake_id()")]),
    ("Shard, tenant or region in the id?", [("a number that you choose", "gid_uuid_shard(key)")]),
    ("A bigint, without a sequence?", [
        ("kept for more than a year", "gid_snowflake_id()"), ("repeats after 388 days", "gid_trace_id()"),
        ("parts visible in decimal", "gid_decimal_id()")]),
]


def choosing():
    """The questions one below the other: yes leads to the right, no down."""
    box, middle, line, space = 280, 360, 22, 16
    heights = [max(30, line * len(answers)) for _, answers in CHOICES]
    end = 34 + sum(heights) + space * len(heights)
    picture = Picture(780, end + 34, "Which id? Use the first question that you answer with yes")
    picture.text(0, 18, picture.title, "strong")
    centres = [34 + sum(heights[:i]) + space * i + heights[i] / 2 for i in range(len(heights))]
    for (question, answers), centre, below in zip(CHOICES, centres, centres[1:] + [end + 15]):
        picture.box(0.5, centre - 15, box, 30, "blank", 6)
        picture.text(12, centre + 4.5, question)
        picture.path([(box, centre), (middle - 12, centre)], "axis")
        picture.text(box + 34, centre - 5, "yes", "small soft mid")
        picture.path([(24, centre + 15), (24, below - 15)], "axis")
        picture.text(32, centre + 28, "no", "small soft")
        top = centre - (len(answers) - 1) / 2 * line
        if len(answers) > 1:
            picture.path([(middle - 12, top - 8), (middle - 12, 2 * centre - top + 8)], "axis")
        for i, (condition, name) in enumerate(answers):
            picture.text(middle, top + i * line + 4.5, condition, "soft")
            picture.text(middle + 215, top + i * line + 4.5, name, "mono strong" + (" gid" if is_gid(name) else ""))
    picture.box(0, end, 160, 30, "gid", 6)
    picture.text(12, end + 19.5, "gid_uuid_v7()", "mono strong on")
    return picture


PICTURES = {"choosing": choosing, "confirmed": confirmed, "layout-63-bit": layout_63, "layout-gdid": layout_gdid,
            "layout-uuid": layout_uuid, "lost-row": lost_row, "numbers": numbers, "reserved": reserved}
PLOTS = {"cost": plot_cost, "density": plot_density, "growth": plot_growth, "reading": plot_reading}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", default=os.path.join(TOP, "doc/bench"))
    parser.add_argument("--out", default=os.path.join(TOP, "doc/pictures"))
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--plots", action="store_true", help="only the plots whose data is there")
    wanted = parser.parse_args()
    stale = 0
    drawn = {} if wanted.plots else {name: draw().svg() for name, draw in PICTURES.items()}
    for name, draw in PLOTS.items():
        try:
            drawn[name] = draw(wanted.data).svg()
        except ValueError:
            if not wanted.plots:
                raise
    for name, svg in drawn.items():
        path = os.path.join(wanted.out, name + ".svg")
        if wanted.check:
            with open(path, encoding="utf-8") as file:
                if file.read() != svg:
                    print(f"{name}.svg is not what tools/pictures.py draws")
                    stale = 1
        else:
            with open(path, "w", encoding="utf-8") as file:
                file.write(svg)
    sys.exit(stale)


if __name__ == "__main__":
    main()
