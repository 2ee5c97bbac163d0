#!/usr/bin/env python3
"""Lets calls of the program fail, one after the other, and checks its reaction.

    faults_test.py PROGRAM FAULTS.so [--every] [--most N] [--samples N]

Without --every a few calls of each kind fail (ctest); with it each, up to N, then seeded samples
(ci/faults.sh). Never may the program crash, exit 70, or leave a half-written or temporary file.
Unreadable input is refused (3), a failed output is reported (4), and a run that says 0 or 1 has
written every file whole, as a run without a fault does. A refusal leaves files that are whole,
or that name the error instead of a report. So for a check of a trace and of a database,
a comparison, a baseline and a report drawn again.
"""
import argparse
import errno
import json
import os
import pathlib
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import xml.etree.ElementTree
import zipfile
from collections import Counter

CASES = pathlib.Path(__file__).resolve().parent.parent / "cases/cases.py"
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


class Scenario:
    """A command, and the files below `out` that it leaves when nothing fails."""

    def __init__(self, name, arguments, outputs):
        self.name, self.arguments, self.outputs = name, arguments, outputs


def scenarios(inputs, out):
    reports = [name for name in OUTPUTS if name.startswith("report")]
    check = ["check", inputs / "run.json", "--policy", inputs / "policy.yaml", "--out", out,
             "--write", f"junit={out / 'junit.xml'}", "--write", f"sarif={out / 'alerts.sarif'}", "--jobs", "2"]
    return [
        Scenario("check", check, OUTPUTS),
        Scenario("check of a database", ["check", inputs / "run.sqlite", "--policy",
                                          inputs / "policy.yaml", "--out", out], reports),
        Scenario("compare", ["compare", inputs / "run.json", inputs / "run.json", "--out", out],
                 reports),
        Scenario("baseline save", ["baseline", "save", inputs / "run.json", "-o",
                                   out / "base.json"], ["base.json"]),
        Scenario("render", ["render", inputs / "report.json", "--html", out / "report.html"],
                 ["report.html"]),
    ]


def names_error(path, code):
    """Whether a file is complete, and replaces a report that could not be made: exit `code`."""
    text = path.read_text() if path.suffix != ".xlsx" else ""
    if path.suffix == ".json":
        report = json.loads(text)
        return report["schema"] == 2 and report["errors"] and report["verdict"]["exit_code"] == code
    if path.suffix == ".sarif":
        invocation = json.loads(text)["runs"][0]["invocations"][0]
        said = {"toolExecutionNotifications", "toolConfigurationNotifications"} & invocation.keys()
        return invocation["exitCode"] == code and said
    if path.suffix == ".xml":
        return xml.etree.ElementTree.fromstring(text).find(".//error") is not None
    if path.suffix == ".xlsx":
        with zipfile.ZipFile(path) as book:
            return book.testzip() is None and b"<t>error</t>" in book.read("xl/sharedStrings.xml")
    if path.suffix == ".html":
        return "<b>error:</b>" in text and text.endswith("</html>\n")
    return "**error:**" in text


def is_ending(path, code):
    try:
        return bool(code in (2, 3) and names_error(path, code))
    except (ValueError, KeyError, zipfile.BadZipFile, xml.etree.ElementTree.ParseError):
        return False


class Bench:
    def __init__(self, program, faults):
        self.program, self.faults = program, faults
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="profgauge-faults."))
        self.out, self.mark = self.folder / "out", self.folder / "mark"
        self.inputs = self.folder / "inputs"
        self.inputs.mkdir()
        (self.inputs / "run.json").write_text(trace())
        (self.inputs / "policy.yaml").write_text(POLICY)
        with sqlite3.connect(self.inputs / "run.sqlite") as database:
            subprocess.run([sys.executable, CASES, "unpack", self.folder / "cases", "nsight_systems"], check=True)
            database.executescript((self.folder / "cases/nsight_systems/operating_system/input.sql").read_text())
        self.scenarios = scenarios(self.inputs, self.out)
        self.choose(self.scenarios[0])
        shutil.copy(self.out / "report.json", self.inputs / "report.json")

    def choose(self, scenario):
        self.scenario, self.whole = scenario, {}
        code, said = self.run(None)
        assert code in (0, 1), said
        self.code = code
        self.whole = {name: (self.out / name).read_bytes() for name in scenario.outputs}

    def run(self, fault):
        shutil.rmtree(self.out, ignore_errors=True)
        if "--out" not in self.scenario.arguments:
            self.out.mkdir()
        self.mark.unlink(missing_ok=True)
        env = dict(os.environ, SOURCE_DATE_EPOCH="1700000000")
        if fault:
            env |= {"LD_PRELOAD": str(self.faults), "PROFGAUGE_FAULT": fault,
                    "PROFGAUGE_FAULT_MARK": str(self.mark)}
        done = subprocess.run([self.program, *self.scenario.arguments], env=env,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
        return done.returncode, (done.stdout + done.stderr).decode(errors="replace")

    def strike(self, call, n, error):
        """Runs with the n-th call failing; None when there was no such call, else the error."""
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
        if "--out" in self.scenario.arguments and self.out.exists() and not left:
            wrong.append("leaves an empty folder")
        for path in left:
            if path.name not in self.whole:
                wrong.append(f"leaves {path.name}")
            elif path.read_bytes() != self.whole[path.name] and not is_ending(path, code):
                wrong.append(f"{path.name} is not whole")
        if code in (0, 1) and about != "memory" and len(left) < len(self.whole):
            if "/dev/null" not in about:
                wrong.append("says that all is well, and a file is missing")
        return [f"{self.scenario.name}, {fault} ({about}): {each}\n{said[-600:]}" for each in wrong]

    def memory(self):
        """--max-memory is kept to, and says so; more than enough changes nothing."""
        wrong = []
        for size, code, word in (("1MiB", 3, "[input/too-large]"), ("2GB", 0, "PASS")):
            done = subprocess.run([self.program, "check", self.inputs / "run.json", "--policy",
                                   self.inputs / "policy.yaml", "--max-memory", size],
                                  capture_output=True, timeout=120)
            said = (done.stdout + done.stderr).decode(errors="replace")
            if done.returncode != code or word not in said:
                wrong.append(f"--max-memory {size}: exits with {done.returncode}\n{said}")
        return wrong

    def allowed(self, call, about, error):
        if error == errno.EINTR or call == "short":
            return (self.code,)  # Tried again.
        if call in ("new", "large", "behind"):
            return (self.code, 3)  # Where an allocation was for a convenience, nothing is lost.
        if call == "read":  # A look at a file's kind may fail where its reading then does not.
            is_profile = about in [str(self.inputs / name) for name in ("run.json", "run.sqlite")]
            return (self.code, 3) if is_profile else (self.code, 2, 3)
        if about.startswith(str(self.out)):
            return (4,)
        return (self.code, 4)  # Standard output and error: pipes here.


KINDS = [("new", 0), ("large", 0), ("behind", 0), ("short", 0), ("read", errno.EIO),
         ("read", errno.EINTR), ("write", errno.ENOSPC), ("write", errno.EIO), ("write", errno.EPIPE),
         ("write", errno.EINTR), ("rename", errno.EIO), ("close", errno.EIO)]


def calls_to_fail(call, every, most, samples):
    if call == "large":
        yield from range(1, most + 1, 1 if every else 4)  # There are some hundreds.
    elif every:
        yield from range(1, most + 1)
        drawn = random.Random(19)
        yield from (drawn.randrange(most, 40 * most) for _ in range(samples))
    else:
        yield from (1, 2, 3, 4, 5, 7, 10, 17, 40, 150, 700, 3000, 9000, 20000, 40000)


def campaign(bench, call, error, options):
    """How many calls of a kind failed, and the errors found."""
    count, failures, misses = 0, [], 0
    for n in calls_to_fail(call, options.every, options.most, options.samples):
        found = bench.strike(call, n, error)
        if found is not None:
            count += 1
            failures += found
            continue
        misses += 1
        if call != "new" or misses > 50:
            break  # There are no more such calls.
    return count, failures


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
        for scenario in bench.scenarios:
            bench.choose(scenario)
            for call, error in KINDS:
                name = f"{call} {errno.errorcode[error]}" if error else call
                count, found = campaign(bench, call, error, options)
                struck[name] += count
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
