"""The shared part of the tests of this folder: the program, the folders of the repository, skipping.

Every test is called as  NAME_test.py PROFGAUGE REPOSITORY [UNITTEST ARGUMENT…]  and exits 77 when a
program that it needs is not installed, after naming it.
"""
import atexit
import datetime
import functools
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

if len(sys.argv) < 3:
    sys.exit(__doc__)
PROGRAM = pathlib.Path(sys.argv[1]).resolve()
REPOSITORY = pathlib.Path(sys.argv[2]).resolve()
SKIPPED = 77
SANITIZED = "PROFGAUGE_SANITIZED" in os.environ  # Its memory is not bounded, and it needs /proc to end.


@functools.cache
def cases():
    """A folder with a folder for each case, as the build has it; gone at the end."""
    folder = tempfile.TemporaryDirectory()
    atexit.register(folder.cleanup)
    subprocess.run([sys.executable, REPOSITORY / "tests/cases/cases.py", "unpack", folder.name], check=True)
    return pathlib.Path(folder.name)


def run(*arguments, cwd=None, text=True, **more):
    """The finished process; standard output and error are kept."""
    return subprocess.run([str(PROGRAM), *map(str, arguments)], cwd=cwd, text=text,
                          capture_output=True, check=False, **more)


def environment(**more):
    """Ours, with the program found as `profgauge`."""
    return {**os.environ, "PATH": f"{PROGRAM.parent}:{os.environ['PATH']}", **more}


def on_day(day):
    """An environment in which it is that day, "2026-11-21"."""
    return {**os.environ, "SOURCE_DATE_EPOCH": str(int(datetime.datetime.fromisoformat(f"{day}T00:00:00+00:00").timestamp()))}


def commands():
    """The names of all commands, as the help text lists them."""
    groups = run("--help", "all").stdout.split("Exit codes:")[0]
    return [name.strip() for name in re.findall(r"^  (\S.{17}) \S", groups, re.M)]


def need(*programs):
    """Ends the test as skipped unless all are installed."""
    missing = [name for name in programs if shutil.which(name) is None]
    if missing:
        print(f"skipped: not installed: {', '.join(missing)}")
        sys.exit(SKIPPED)


def main():
    outcome = unittest.main(argv=[sys.argv[0], *sys.argv[3:]], exit=False).result
    sys.exit(0 if outcome.wasSuccessful() else 1)
