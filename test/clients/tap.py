"""What the Python programs share: results in the Test Anything Protocol."""

import importlib
import json
import sys
import traceback

count = 0
failed = 0


def ok(good, name, detail=None):
    """One result; detail is shown if it is bad."""
    global count, failed
    count += 1
    print("ok" if good else "not ok", count, "-", name)
    if not good:
        failed += 1
        if detail is not None:
            print("#", detail)


def skip(name, reason):
    """A result that this machine cannot give."""
    global count
    count += 1
    print("ok", count, "-", name, "# skip", reason)


def equal(got, want, name):
    ok(got == want and type(got) is type(want), name,
       f"got {got!r}, not {want!r}")


def raises(error, state, call, name):
    """call raises an error of this class and SQLSTATE."""
    try:
        got = call()
    except error as e:
        ok(e.sqlstate == state, name, f"SQLSTATE {e.sqlstate}, not {state}: {e}")
    else:
        ok(False, name, f"no error, but {got!r}")


def increasing(ids):
    """Is each greater than the one before it?"""
    return all(a < b for a, b in zip(ids, ids[1:]))


def as_javascript(text):
    """A text of JSON as JavaScript reads it: its numbers are doubles."""
    return json.loads(text, parse_int=lambda digits: int(float(digits)))


def need(module, package):
    """The module; without it the test is skipped."""
    try:
        return importlib.import_module(module)
    except ImportError as e:
        print(f"1..0 # SKIP the package {package} is not there: {e}")
        sys.exit(0)


def tried(versions):
    """Shows the versions that the test runs with."""
    print("# total: with", versions)


def run(test):
    """Runs a test to its end, or to an error, which is a bad result."""
    try:
        test()
    except Exception:
        traceback.print_exc(file=sys.stdout)
        ok(False, "the test came to its end")
    print(f"1..{count}")
    sys.exit(1 if failed else 0)
