"""The generator of rules/knowledge/: every mistake of a file in one run, with its place; files that stay alike
are not written again; and each row is used where it says."""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

GENERATOR, REPOSITORY = sys.argv[1], pathlib.Path(sys.argv[2])
KNOWLEDGE = REPOSITORY / "rules" / "knowledge"

BAD = """schema: 1
thresholds:
  - id: kernels.short
    value: 10 parsecs
    means: A kernel below this is short.
    evidence: chosen
    used_by: [a.cc]
  - id: Idle
    value: 30 us
    means: What.
    evidence: chosen
    used_by: [a.cc]
    policy: {min: 40 us, max: 3}
    color: red
  - id: kernels.long
    value: 3
"""
EXPECTED = [
    "thresholds.yaml:4:12: error: `value`: expected a value such as 30 us, 80%, 1/500, 1.5x, 64 KiB, 8, "
    "or the id of a row with one; found `10 parsecs`",
    "thresholds.yaml:14:5: error: unknown key `color`",
    "thresholds.yaml:8:5: error: `Idle`: expected an id such as `idle.launch_latency`",
    "thresholds.yaml:13:13: error: `Idle`: the range has another unit than the value",
    "thresholds.yaml:15:5: error: `means` is missing",
    "thresholds.yaml:15:5: error: `evidence` is missing",
    "thresholds.yaml:15:5: error: `used_by` lists no file",
]


def generate(source, out):
    return subprocess.run([GENERATOR, source, out], capture_output=True, text=True)


def main():
    with tempfile.TemporaryDirectory() as scratch:
        source, out = pathlib.Path(scratch) / "knowledge", pathlib.Path(scratch) / "out"
        shutil.copytree(KNOWLEDGE, source)
        assert generate(source, out).returncode == 0
        before = {path: path.stat().st_mtime_ns for path in out.iterdir()}
        assert out / "tunable.h" in before and out / "thresholds.cc" in before
        thresholds = source / "thresholds.yaml"
        text = thresholds.read_text()
        assert "value: 512 B" in text
        time.sleep(0.02)  # Times of files are that coarse.
        thresholds.write_text(text.replace("value: 512 B", "value: 513 B"))
        assert generate(source, out).returncode == 0
        changed = {path.name for path in out.iterdir() if path.stat().st_mtime_ns != before[path]}
        assert changed == {"neuron.h", "thresholds.cc"}, changed
        # A row may have the number of another one: they change together.
        assert text.count("value: usual.few\n") > 5
        thresholds.write_text(text.replace("  - id: usual.few\n    value: 3", "  - id: usual.few\n    value: 7"))
        assert generate(source, out).returncode == 0
        assert "kBlameLeastCalls{7}" in (out / "blame.h").read_text()
        thresholds.write_text(text.replace("value: usual.few", "value: usual.fwe", 1))
        assert "found `usual.fwe`" in generate(source, out).stderr
        thresholds.write_text(BAD)
        run = generate(source, out)
        assert run.returncode == 1
        lines = run.stderr.splitlines()
        for line in EXPECTED:
            assert line in lines, run.stderr
    done = subprocess.run([REPOSITORY / "ci" / "knowledge.py"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


main()
