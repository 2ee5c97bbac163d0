#!/usr/bin/env python3
"""Mutation testing of the code that decides the verdict.

    ci/mutate.py [--build FOLDER] [--sample N] [--seed S] [--file FILE…] [--list]

Changes one operator or constant of a file at a time, builds, and runs the tests of gate and rules: a
mutant is killed when it does not compile or a test fails. What survives is printed with its place;
each is a missing test, unless the change makes no difference. The sources are put back, whatever
happens. FOLDER is a build with tests, which is used and left as it was found.
"""
import argparse
import pathlib
import random
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
FILES = ["src/gate/verdict.cc", "src/gate/baseline_verdict.cc", "src/rules/condition.cc",
         "src/rules/judged.cc", "src/rules/rule_run.cc", "src/rules/evaluator.cc",
         "src/rules/waiver.cc"]
TESTS = ["gate_test", "rules_test"]
# What is looked for, and what it becomes. Spaces keep templates, arrows and shifts out.
OPERATORS = [(" < ", " <= "), (" <= ", " < "), (" > ", " >= "), (" >= ", " > "), (" == ", " != "),
             (" != ", " == "), (" && ", " || "), (" || ", " && "), (" + ", " - "), (" - ", " + "),
             (" * ", " / "), ("std::max", "std::min"), ("std::min", "std::max"),
             ("any_of", "all_of"), ("all_of", "any_of"), ("true", "false"), ("false", "true"),
             ("++", "--"), ("if (!", "if ("), ("return !", "return "),
             ("kFail", "kPass"), ("kNoVerdict", "kPass"), ("kError", "kWarn"), ("kWarn", "kInfo"),
             ("kMissing", "kSkipped"), ("kLowConfidence", "kPass")]
NUMBER = re.compile(r"(?<![\w.\"'])(\d+)(?![\w.\"'])")


def mutants_of(file):
    """(line number, line, changed line, what) for each; comments, includes and texts are left."""
    for number, line in enumerate((ROOT / file).read_text().split("\n"), 1):
        code = line.split("//")[0]
        if not code.strip() or code.lstrip().startswith(("#", "///", "case ", "using ", "template")):
            continue
        quoted = [(m.start(), m.end()) for m in re.finditer(r'"(?:[^"\\]|\\.)*"', code)]
        changes = [(m.start(), m.end(), new, f"`{old.strip()}` to `{new.strip()}`")
                   for old, new in OPERATORS for m in re.finditer(re.escape(old), code)]
        changes += [(m.start(), m.end(), str(int(m[1]) + 1), f"{m[1]} to {int(m[1]) + 1}")
                    for m in NUMBER.finditer(code)]
        for begin, end, new, what in changes:
            if any(a <= begin < b for a, b in quoted):
                continue
            word = code[begin:end].isalpha() and (code[begin - 1:begin].isalnum() or
                                                  code[end:end + 1].isalnum())
            if not word:
                yield number, line, line[:begin] + new + line[end:], what


def run(command, limit=600):
    try:
        return subprocess.run(command, cwd=ROOT, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, timeout=limit).returncode == 0
    except subprocess.TimeoutExpired:
        return False


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default="build/debug")
    parser.add_argument("--sample", type=int, default=0, help="0: all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--file", action="append")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    mutants = [(file, *mutant) for file in options.file or FILES for mutant in mutants_of(file)]
    if options.sample:
        mutants = sorted(random.Random(options.seed).sample(mutants, min(options.sample, len(mutants))))
    if options.list:
        for file, number, _, _, what in mutants:
            print(f"{file}:{number}: {what}")
        return 0

    build = ["ninja", "-C", options.build, *TESTS]
    tests = [[str(ROOT / options.build / test), "--gtest_brief=1"] for test in TESTS]
    if not run(build, 3600) or not all(run(test) for test in tests):
        print("the tests must pass before anything is changed", file=sys.stderr)
        return 2
    counts, survivors, begin = {"not compiled": 0, "killed": 0, "left": 0}, [], time.monotonic()
    for file, number, line, changed, what in mutants:
        path = ROOT / file
        original = path.read_text()
        lines = original.split("\n")
        assert lines[number - 1] == line
        lines[number - 1] = changed
        try:
            path.write_text("\n".join(lines))
            if not run(build):
                outcome = "not compiled"
            elif all(run(test, 120) for test in tests):
                outcome = "left"
                survivors.append(f"{file}:{number}: {what}\n    {line.strip()}")
            else:
                outcome = "killed"
        finally:
            path.write_text(original)
        counts[outcome] += 1
        print(f"{sum(counts.values())}/{len(mutants)} {file}:{number} {what}: {outcome}", flush=True)
    run(build, 3600)
    print(f"\n{len(mutants)} mutants in {time.monotonic() - begin:.0f} s: "
          + ", ".join(f"{count} {name}" for name, count in counts.items()))
    print("\n".join(survivors))
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
