#!/usr/bin/env python3
"""Lets calls of the program fail, one after the other, and looks at what it does then.

    faults_test.py PROGRAM FAULTS.so [--every] [--most N] [--samples N]

Without --every a few calls of each kind fail (ctest); with it each, up to N, then seeded samples
(ci/faults.sh). Never may the program crash, exit 70, or leave a half-written or temporary file.
What it cannot read it refuses (3), what it cannot write it says (4), and a run that says 0 or 1 has
written every file whole, as a run without a fault does.
"""
import argparse
import errno
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
from collections import Counter

TRACE = """{"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "NVIDIA A100-SXM4-40GB",
"computeMajor": 8, "computeMinor": 0, "numSms": 108, "totalGlobalMem": 42505273344}],
"traceEvents": [%s]}"""
POLICY = "schema: 1\nthresholds: {gpu.idle.mean: {max: 99%}}\n"
OUTPUTS = ["report.html", "report.md", "report.xlsx", "report.json", "junit.xml", "alerts.sarif"]


def trace():
    """Twenty events: two steps of a loop with an operator, a launch and a kernel each."""
    events = []
    for i in range(4):
        at = 1000 + 400 * i
        host = '"pid": 1, "tid": 1'
        events += [
            f'{{"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#{i}", {host}, '
            f'"ts": {at}, "dur": 390}}',
            f'{{"ph": "X", "cat": "cpu_op", "name": "aten::mm", {host}, "ts": {at + 10}, "dur": 60, '
            '"args": {"Input Dims": [[8, 8], [8, 8]], "Input type": ["float", "float"]}}',
            f'{{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", {host}, '
            f'"ts": {at + 20}, "dur": 10, "args": {{"correlation": {i + 1}}}}}',
            f'{{"ph": "X", "cat": "kernel", "name": "sgemm_128", "pid": 0, "tid": 7, '
            f'"ts": {at + 40}, "dur": 300, "args": {{"device": 0, "stream": 7, '
            f'"correlation": {i + 1}}}}}',
        ]
    return TRACE % ",\n".join(events)


class Bench:
    def __init__(self, program, faults):
        self.program, self.faults = program, faults
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="profgauge-faults."))
        self.profile, self.policy = self.folder / "run.json", self.folder / "policy.yaml"
        self.profile.write_text(trace())
        self.policy.write_text(POLICY)
        self.out, self.mark = self.folder / "out", self.folder / "mark"
        self.whole = None
        code, said = self.run(None)
        assert code == 0, said
        self.whole = {name: (self.out / name).read_bytes() for name in OUTPUTS}

    def run(self, fault):
        shutil.rmtree(self.out, ignore_errors=True)
        self.mark.unlink(missing_ok=True)
        env = dict(os.environ, SOURCE_DATE_EPOCH="1700000000")
        if fault:
            env |= {"LD_PRELOAD": str(self.faults), "PROFGAUGE_FAULT": fault,
                    "PROFGAUGE_FAULT_MARK": str(self.mark)}
        done = subprocess.run(
            [self.program, "check", self.profile, "--policy", self.policy, "--out", self.out,
             "--junit", self.out / "junit.xml", "--sarif", self.out / "alerts.sarif", "--jobs", "2"],
            env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
        return done.returncode, (done.stdout + done.stderr).decode(errors="replace")

    def strike(self, call, n, error):
        """Runs with the n-th call failing; None when there was no such call, else what is wrong."""
        fault = f"{call}:{n}:{error}" if error else f"{call}:{n}"
        code, said = self.run(fault)
        if not self.mark.exists():
            return None
        about = self.mark.read_text(errors="replace")
        wrong = []
        if code not in self.allowed(call, about, error):
            wrong.append(f"exits with {code}")
        if "internal error" in said:
            wrong.append("an internal error")
        left = list(self.out.iterdir()) if self.out.exists() else []
        if self.out.exists() and not left:
            wrong.append("leaves an empty folder")
        for path in left:
            if path.name not in self.whole:
                wrong.append(f"leaves {path.name}")
            elif path.read_bytes() != self.whole[path.name]:
                wrong.append(f"{path.name} is not whole")
        if code in (0, 1) and about != "memory" and len(left) < len(self.whole):
            if "/dev/null" not in about:
                wrong.append("says that all is well, and a file is missing")
        return [f"{fault} ({about}): {each}\n{said[-600:]}" for each in wrong]

    def memory(self):
        """--max-memory is kept to, and says so; more than enough changes nothing."""
        wrong = []
        for size, code, word in (("1MiB", 3, "[input/too-large]"), ("2GB", 0, "PASS")):
            done = subprocess.run([self.program, "check", self.profile, "--policy", self.policy,
                                   "--max-memory", size],
                                  capture_output=True, timeout=120)
            said = (done.stdout + done.stderr).decode(errors="replace")
            if done.returncode != code or word not in said:
                wrong.append(f"--max-memory {size}: exits with {done.returncode}\n{said}")
        return wrong

    def allowed(self, call, about, error):
        if error == errno.EINTR:
            return (0,)  # Tried again.
        if call in ("new", "large", "behind"):
            return (0, 3)  # Where an allocation was for a convenience, nothing is lost.
        if call == "short":
            return (0,)
        if call == "read":
            return (3,) if about == str(self.profile) else (0, 2, 3)
        if about.startswith(str(self.out)):
            return (4,)
        return (0, 4)  # Standard output and error: pipes here.


KINDS = [("new", 0), ("large", 0), ("behind", 0), ("short", 0), ("read", errno.EIO),
         ("read", errno.EINTR), ("write", errno.ENOSPC), ("write", errno.EIO), ("write", errno.EPIPE),
         ("write", errno.EINTR), ("rename", errno.EIO), ("close", errno.EIO)]


def calls_to_fail(call, every, most, samples):
    if call == "large":
        yield from range(1, most + 1)  # Some dozens.
    elif every:
        yield from range(1, most + 1)
        drawn = random.Random(19)
        yield from (drawn.randrange(most, 40 * most) for _ in range(samples))
    else:
        yield from (1, 2, 3, 4, 5, 7, 10, 17, 40, 150, 700, 3000, 9000, 20000, 40000)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("faults")
    parser.add_argument("--every", action="store_true")
    parser.add_argument("--most", type=int, default=5000)
    parser.add_argument("--samples", type=int, default=2000)
    options = parser.parse_args()
    bench = Bench(pathlib.Path(options.program).resolve(), pathlib.Path(options.faults).resolve())
    struck, failures = Counter(), bench.memory()
    try:
        for call, error in KINDS:
            name = f"{call} {errno.errorcode[error]}" if error else call
            misses = 0
            for n in calls_to_fail(call, options.every, options.most, options.samples):
                found = bench.strike(call, n, error)
                if found is None:
                    misses += 1
                    if call != "new" or misses > 50:
                        break  # There are no more such calls.
                    continue
                struck[name] += 1
                failures += found
    finally:
        shutil.rmtree(bench.folder, ignore_errors=True)
    for name, count in struck.items():
        print(f"{name:16} {count:6} failed calls")
    print(f"{len(failures)} faults")
    for failure in failures[:20]:
        print(failure, file=sys.stderr)
    return 1 if failures or not struck else 0


if __name__ == "__main__":
    sys.exit(main())
