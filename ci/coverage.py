#!/usr/bin/env python3
"""Sums gcov's counts by layer, and those of the readers by format.

    coverage.py BUILD_FOLDER [--uncovered SOURCE_FOLDER]
"""
import argparse
import collections
import gzip
import json
import pathlib
import subprocess
import tempfile

parser = argparse.ArgumentParser()
parser.add_argument("build", type=pathlib.Path)
parser.add_argument("--uncovered", default="")
options = parser.parse_args()
root = pathlib.Path(__file__).resolve().parent.parent

lines = collections.defaultdict(int)     # (file, line): how often it ran, in any program
branches = collections.defaultdict(int)  # (file, line, number): how often it was taken
with tempfile.TemporaryDirectory() as folder:
    counted = [str(path.resolve()) for path in options.build.rglob("*.gcda")]
    for at in range(0, len(counted), 50):
        subprocess.run(["gcov", "--branch-probabilities", "--json-format", *counted[at:at + 50]],
                       cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        for path in pathlib.Path(folder).glob("*.gcov.json.gz"):
            for source in json.loads(gzip.open(path).read())["files"]:
                file = pathlib.Path(source["file"])
                file = file if file.is_absolute() else (options.build / file)
                try:
                    name = str(file.resolve().relative_to(root))
                except ValueError:
                    continue
                if not name.startswith("src/"):
                    continue
                for line in source["lines"]:
                    lines[name, line["line_number"]] += line["count"]
                    for i, branch in enumerate(line["branches"]):
                        if not branch["throw"]:
                            branches[name, line["line_number"], i] += branch["count"]
            path.unlink()

def groups(file):
    """Names of the rows that a file counts in."""
    parts = file.split("/")[1:-1]
    return {parts[0], "all", *(["readers/" + parts[1]] if parts[0] == "readers" and parts[1:] else [])}


layers = collections.defaultdict(lambda: [0, 0, 0, 0])
for counts, column in ((lines, 0), (branches, 2)):
    for key, count in counts.items():
        for name in groups(key[0]):
            layers[name][column] += count > 0
            layers[name][column + 1] += 1
print(f"{'layer':24} {'lines':>15} {'':>7} {'branches':>15}")
for name, (hit, all_lines, taken, all_branches) in sorted(layers.items()):
    print(f"{name:24} {hit:6} / {all_lines:6} {100 * hit / max(1, all_lines):5.1f} % "
          f"{taken:6} / {all_branches:6} {100 * taken / max(1, all_branches):5.1f} %")
if options.uncovered:
    for (name, line), count in sorted(lines.items()):
        if count == 0 and name.startswith(options.uncovered):
            print(f"{name}:{line}")
