#!/usr/bin/env python3
"""ci/same.sh and ci/bars.py can fail: a program against itself is silent, against one that says one
line more it shows the line, and a bar that is missed ends with 1.   harness_test.py PROGRAM SOURCE"""
import pathlib, subprocess, sys, tempfile

program, source = sys.argv[1], pathlib.Path(sys.argv[2])
CASES = "tests/cases/cli/help*"


def same(other, *options):
    run = subprocess.run([source / "ci/same.sh", program, other, "--only", CASES, *options],
                         capture_output=True, text=True)
    return run.returncode, run.stdout, run.stderr


with tempfile.TemporaryDirectory() as folder:
    changed = pathlib.Path(folder) / "changed"
    changed.write_text(f'#!/bin/sh\n"{program}" "$@"\nstatus=$?\necho one line more\nexit $status\n')
    changed.chmod(0o755)
    allow = pathlib.Path(folder) / "allow"
    allow.write_text("tests/cases/* stdout it says one line more\n")

    assert same(program) == (0, "", ""), same(program)
    code, out, _ = same(changed)
    assert code == 1 and "one line more" in out and "stdout" in out, (code, out)
    assert same(changed, "--allow", allow) == (0, "", ""), same(changed, "--allow", allow)
    assert same(source / "README.md")[0] == 2
    allow.write_text("tests/cases/* stdout\n")
    assert same(changed, "--allow", allow)[0] == 2, "a row without a reason is taken"

    # A copy of the inputs of ci/bars.py, with a bar below today's count.
    tree = pathlib.Path(folder) / "tree"
    (tree / "ci").mkdir(parents=True)
    (tree / "src").symlink_to(source / "src")
    (tree / "rules").mkdir()
    for name in ("CMakeLists.txt", "CHANGELOG.md", "README.md", "rules/README.md", "ci/bars.py"):
        (tree / name).write_bytes((source / name).read_bytes())
    bars = (source / "ci/bars.txt").read_text().splitlines(keepends=True)
    for line, code in ((None, 0), ("<= 1 | lines of CMakeLists.txt\n", 1), ("<= 1 | what nobody counts\n", 1)):
        kept = [b for b in bars if line is None or not line.endswith(b.split("|", 1)[-1])]
        (tree / "ci/bars.txt").write_text("".join(kept) + (line or ""))
        run = subprocess.run([sys.executable, tree / "ci/bars.py"], capture_output=True, text=True)
        assert run.returncode == code, (line, run.stdout, run.stderr)
