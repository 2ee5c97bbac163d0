#!/usr/bin/env python3
"""Several simultaneous processes on one history and one baseline: nothing is lost, nothing is half.

    concurrency_test.py PROGRAM
"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import faults_test  # noqa: E402  (its trace)

RUNS = 8


def start(program, *arguments):
    return subprocess.Popen([program, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def finish(processes, codes):
    for process in processes:
        said, _ = process.communicate(timeout=300)
        assert process.returncode in codes, f"exits with {process.returncode}: {said.decode()}"


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="profgauge-at-once."))
    try:
        profiles = []
        for i in range(RUNS):
            profiles.append(folder / f"run{i}.json")
            profiles[-1].write_text(faults_test.trace().replace('"dur": 300', f'"dur": {300 + i}'))

        history = folder / "history.db"
        finish([start(program, "history", "add", p, "--db", history) for p in profiles], {0})
        listed = subprocess.run([program, "history", "list", "--json", "-", "--db", history],
                                capture_output=True, text=True, check=True).stdout
        missing = [p.stem for p in profiles if p.stem not in listed]
        assert not missing, f"the history lacks {missing}:\n{listed}"

        # The same recordings again: nothing is added.
        finish([start(program, "history", "add", p, "--db", history) for p in profiles], {0})
        again = subprocess.run([program, "history", "list", "--json", "-", "--db", history],
                               capture_output=True, text=True, check=True).stdout
        assert again == listed, again

        baseline = folder / "baseline.json"
        for _ in range(3):
            finish([start(program, "baseline", "save", p, "-o", baseline) for p in profiles[:4]], {0})
            json.loads(baseline.read_text())
            shown = subprocess.run([program, "baseline", "show", baseline], capture_output=True)
            assert shown.returncode == 0, shown
        left = [p.name for p in folder.iterdir() if p.name.endswith(".tmp")]
        assert not left, left

        reports = folder / "out"
        finish([start(program, "report", profiles[0], "--out", reports) for _ in range(4)], {0})
        json.loads((reports / "report.json").read_text())
        left = [p.name for p in reports.iterdir() if p.name.endswith(".tmp")]
        assert not left, left
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print(f"{RUNS} processes at once: nothing lost, nothing half")
    return 0


if __name__ == "__main__":
    sys.exit(main())
