"""The shared part of the tests of this folder: the program, the folders of the repository, skipping.

Every test is called as  NAME_test.py PROFGAUGE REPOSITORY [UNITTEST ARGUMENT…]  and exits 77 when a
program that it needs is not installed, after naming it.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

if len(sys.argv) < 3:
    sys.exit(__doc__)
PROGRAM = pathlib.Path(sys.argv[1]).resolve()
REPOSITORY = pathlib.Path(sys.argv[2]).resolve()
SKIPPED = 77


def run(*arguments, cwd=None, text=True, **more):
    """The finished process; standard output and error are kept."""
    return subprocess.run([str(PROGRAM), *map(str, arguments)], cwd=cwd, text=text,
                          capture_output=True, check=False, **more)


def environment(**more):
    """Ours, with the program found as `profgauge`."""
    return {**os.environ, "PATH": f"{PROGRAM.parent}:{os.environ['PATH']}", **more}


def commands():
    """The names of all commands, as the help text lists them."""
    lines = run("--help").stdout.split("Commands:\n")[1].split("\n\n")[0].splitlines()
    return [line[2:20].strip() for line in lines]


def need(*programs):
    """Ends the test as skipped unless all are installed."""
    missing = [name for name in programs if shutil.which(name) is None]
    if missing:
        print(f"skipped: not installed: {', '.join(missing)}")
        sys.exit(SKIPPED)


def main():
    outcome = unittest.main(argv=[sys.argv[0], *sys.argv[3:]], exit=False).result
    sys.exit(0 if outcome.wasSuccessful() else 1)
