#!/usr/bin/env python3
"""How often two equal runs are called faster or slower: pairs of examples/healthy whose iterations are longer or
shorter by chance, compared with `profgauge compare`. At most 2 of 100 may be: the intervals are of 98 %.
  ci/equal_runs.py [PROGRAM] [PAIRS]     default: build/release/profgauge, 200 pairs; prints a table; exit code 1: too many
"""
import collections
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build/release/profgauge").resolve()
PAIRS = int(sys.argv[2]) if len(sys.argv) > 2 else 200
MOST = 0.02
# The tests' own runs: support.py takes the program and the repository from the command line.
sys.argv = [sys.argv[0], str(PROGRAM), str(ROOT)]
sys.path.insert(0, str(ROOT / "tests/delivery"))
from samples_support import another_run  # noqa: E402

words = collections.Counter()
with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    for pair in range(PAIRS):
        runs = [another_run(folder / f"{side}.json", seed=2 * pair + i) for i, side in enumerate("ab")]
        done = subprocess.run([PROGRAM, "compare", "--config", "none", "-q", *runs], text=True, capture_output=True, check=False)
        if done.returncode != 0:
            sys.exit(f"pair {pair}: {done.stdout}{done.stderr}")
        words[done.stdout.strip().rsplit(": ", 1)[-1]] += 1

for word, count in words.most_common():
    print(f"{count:5}  {word}")
called = sum(count for word, count in words.items() if word in ("faster", "slower"))
print(f"{called} of {PAIRS} equal pairs are called faster or slower; at most {round(MOST * PAIRS)} may be")
sys.exit(called > MOST * PAIRS)
