"""How the program starts: over a large input anew, with a C library that keeps large pages
(src/cli/memory.h). It says the same either way.
"""
import gzip
import os
import pathlib
import subprocess
import tempfile
import time
import unittest

from support import PROGRAM, REPOSITORY, main, run

TRACE = gzip.decompress((REPOSITORY / "examples/slow.pt.trace.json.gz").read_bytes())
VARIABLE = "GLIBC_TUNABLES"
OURS = {name: value for name, value in os.environ.items() if name != VARIABLE}
THEIRS = {**OURS, VARIABLE: "glibc.malloc.check=0"}


def environment_of(process):
    """With which the program in that process was started; it may not have come to that yet."""
    try:
        entries = pathlib.Path(f"/proc/{process.pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return {}
    return dict(entry.decode().split("=", 1) for entry in entries if b"=" in entry)


def started_with(arguments, environment, expected=None):
    """What VARIABLE is while the program waits for its standard input, and its output then.
    Waits for a value that contains `expected`."""
    process = subprocess.Popen([str(PROGRAM), *arguments], env=environment, text=False,
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
    for _ in range(500):
        value = environment_of(process).get(VARIABLE)
        if expected is not None and value is not None and expected in value:
            break
        time.sleep(0.01 if expected else 0.001)
    out, err = process.communicate(TRACE)
    return value, (process.returncode, out, err)


class Start(unittest.TestCase):
    def test_standard_input_is_read_in_large_pages(self):
        ours = "glibc.malloc.hugetlb=1"
        kept, said = started_with(["check", "-"], OURS, ours)
        self.assertIn(ours, kept or "")
        theirs, said_without = started_with(["check", "-"], THEIRS, THEIRS[VARIABLE])
        self.assertEqual(theirs, THEIRS[VARIABLE])
        self.assertEqual(said, said_without)
        self.assertEqual(said[0], 1)

    def test_limited_memory_is_freed(self):
        kept, said = started_with(["check", "-", "--max-memory=2GB"], OURS)
        self.assertIsNone(kept)
        self.assertEqual(said[0], 1)

    def test_a_large_file_equals_a_small_one(self):
        with tempfile.TemporaryDirectory() as folder:
            small, large = pathlib.Path(folder, "small"), pathlib.Path(folder, "large")
            for place, trace in ((small, TRACE), (large, TRACE + b" " * 9_000_000)):
                place.mkdir()
                (place / "run.json").write_bytes(trace)
            outcomes = [run("check", "run.json", cwd=place, env=OURS) for place in (small, large)]
            self.assertEqual(*[(done.returncode, done.stdout) for done in outcomes])
            self.assertEqual(outcomes[0].returncode, 1)


if __name__ == "__main__":
    main()
