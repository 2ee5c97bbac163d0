"""The shared part of the tests of the samples for CI systems: a repository with a training script, and the
stories that each system must pass as its team would live through them.
"""
import re
import bisect
import gzip
import json
import os
import pathlib
import random
import shutil
import stat
import subprocess
import tempfile
import unittest

from support import PROGRAM, REPOSITORY, SKIPPED, environment

try:
    import yaml
except ImportError:
    print("skipped: not installed: python3-yaml")
    raise SystemExit(SKIPPED)

EXAMPLES = REPOSITORY / "examples"
HEALTHY, SLOW = EXAMPLES / "healthy.pt.trace.json.gz", EXAMPLES / "slow.pt.trace.json.gz"
GREEN, YELLOW, RED = "green", "yellow", "red"
# Limits on changes and one that examples/slow misses.
POLICY = ("schema: 1\nextends: [builtin:report-only]\nfail_on: error\nthresholds:\n"
          "  gpu.utilization.mean: {min: 75%}\nbaseline:\n  iteration.time.median: {max_increase: 5%}\n")
ANNA = {"GIT_AUTHOR_NAME": "anna", "GIT_AUTHOR_EMAIL": "anna@example.org", "GIT_COMMITTER_NAME": "anna",
        "GIT_COMMITTER_EMAIL": "anna@example.org"}


def another_run(path, factor=1.0, seed=0, device=None):
    """Another run of examples/healthy: each iteration longer or shorter by chance, all by `factor`."""
    trace = json.loads(gzip.decompress(HEALTHY.read_bytes()))
    events = [event for event in trace["traceEvents"] if "ts" in event]
    draw = random.Random(seed)
    old = [min(event["ts"] for event in events)]
    old += sorted(event["ts"] for event in events if event["name"].startswith("ProfilerStep") and event["ph"] == "X")
    scales = [factor * draw.uniform(0.99, 1.01) for _ in old]
    new = [old[0]]
    for i in range(1, len(old)):
        new.append(new[-1] + (old[i] - old[i - 1]) * scales[i - 1])
    for event in events:
        i = bisect.bisect_right(old, event["ts"]) - 1
        event["ts"] = new[i] + (event["ts"] - old[i]) * scales[i]
        if "dur" in event:
            event["dur"] *= scales[i]
    trace["traceName"] = f"run {seed}"
    if device:
        trace["deviceProperties"][0]["name"] = device
    path.write_text(json.dumps(trace))
    return path


class Workplace:
    """A git repository with the files that the samples need: a policy, profgauge.yaml and a training script."""

    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.git("init", "-q", "-b", "main")
        (self.folder / "policy.yaml").write_text(POLICY)
        settings = (REPOSITORY / "ci/profgauge.yaml").read_text()
        (self.folder / "profgauge.yaml").write_text(re.sub("learning_until: [0-9-]*", "learning_until: 2096-12-31", settings))
        (self.folder / "ci").mkdir()
        shutil.copy(REPOSITORY / "ci/accepted.sh", self.folder / "ci")
        self.script("train.sh", '#!/bin/sh\n[ -n "$TRACE" ] || exit 0\n'
                    'mkdir -p runs/resnet50 && n=$(ls runs/resnet50 | wc -l)\n'
                    'cp "$TRACE" "runs/resnet50/run$n.${TRACE#*.}"\n'
                    # Another recording: other bytes of the same times.
                    'case $TRACE in *.json) printf "%${n}s" "" >> "runs/resnet50/run$n.json" ;; esac\n')
        (self.folder / ".gitignore").write_text("/runs\n/profgauge-*\n/*.json\n/bin\n/outputs\n/*.md\n")
        self.commit("first")

    def git(self, *words):
        done = subprocess.run(["git", *words], cwd=self.folder, env={**os.environ, **ANNA}, text=True, capture_output=True, check=True)
        return done.stdout.strip()

    def commit(self, message):
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD")

    def script(self, name, text):
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        path.chmod(path.stat().st_mode | stat.S_IXUSR)

    def run(self, script, shell=("bash", "-e"), **variables):
        env = {name: value for name, value in environment(TRACE=str(SLOW)).items() if not name.startswith(("GITHUB_", "CI"))}
        env |= {name: str(value) for name, value in variables.items()}
        if "PATH" not in variables:
            env["PATH"] = f"{self.folder / 'bin'}:{env['PATH']}"
        return subprocess.run([*shell, "-c", script], cwd=self.folder, env=env, text=True, capture_output=True, check=False)

    def close(self):
        shutil.rmtree(self.folder)


class SampleTest(unittest.TestCase):
    def setUp(self):
        if not shutil.which("git"):
            self.skipTest("not installed: git")
        self.place = Workplace()
        self.addCleanup(self.place.close)

    def exists(self, *names):
        for name in names:
            found = list(self.place.folder.glob(name))
            self.assertTrue(found, name)
            for path in found:
                self.assertGreater(path.stat().st_size, 0, path)

    def json(self, name):
        return json.loads((self.place.folder / name).read_text())

    def verdict(self):
        return self.json("profgauge-report/resnet50/verdict.json")


class Stories:
    """Of a team on one CI system, whose class has pipeline(trace, branch), which returns the colour
    of the job and its log, and comments(); `branch` is main, or empty for a merge request.
    """

    FAILED_MAIN = RED

    def record(self, **how):
        self.seed = getattr(self, "seed", 0) + 1
        return another_run(self.place.folder / f"{self.seed}.json", seed=self.seed, **how)

    def main(self, message="a change", **how):
        self.place.commit(message)
        colour, log = self.pipeline(self.record(**how), "main")
        return colour, log

    def request(self, **how):
        self.place.commit("of a branch")
        return self.pipeline(self.record(**how), "")

    def five_runs(self):
        for _ in range(5):
            self.assertEqual(self.main()[0], GREEN)

    def test_story_1_the_first_run(self):
        colour, log = self.main()
        self.assertEqual(colour, GREEN, log)
        self.assertIn("nothing was compared", " ".join(log.split()))
        self.assertEqual(self.verdict()["baseline"], {"state": "first", "runs": 0, "wanted": 10})

    def test_story_2_and_3_five_runs_and_a_slower_one(self):
        self.five_runs()
        self.assertEqual(self.request()[0], GREEN)
        self.assertEqual(self.verdict()["baseline"], {"state": "used", "runs": 5, "wanted": 10})
        colour, log = self.request(factor=1.08)  # Five runs ask for three profiles: the loop records them.
        self.assertEqual(colour, RED, log)
        self.assertEqual(len(list((self.place.folder / "runs/resnet50").iterdir())), 3)
        self.assertIn("✗", self.comments()[0])
        self.assertIn("iteration.time.median", " ".join(self.verdict()["reasons"]))
        self.assertEqual(self.request()[0], GREEN)
        self.assertEqual(len(self.comments()), 1)
        self.assertIn("✓", self.comments()[0])

    def test_story_4_an_intended_slow_down(self):
        self.five_runs()
        colour, log = self.main("wider layers\n\nProfgauge-Accept: +20% twice the width", factor=1.2)
        self.assertEqual(colour, GREEN, log)
        self.assertIn("up to +20 %, and half a limit more: twice the width", " ".join(log.split()))
        for _ in range(2):
            self.assertEqual(self.main(factor=1.2)[0], GREEN)
        # Against three runs of the new level only over +15 % fails.
        self.assertEqual(self.request(factor=1.45)[0], RED)

    def test_story_5_a_slow_down_that_nobody_accepts(self):
        self.five_runs()
        for _ in range(3):
            self.assertEqual(self.main(factor=1.2)[0], self.FAILED_MAIN)
        commit = self.place.git("rev-parse", "HEAD")
        done = self.place.run(f"profgauge history accept {commit} --reason 'known' --owner anna")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.main(factor=1.2)[0], GREEN)

    def test_story_6_a_lost_history(self):
        self.five_runs()
        (self.place.folder / "profgauge-history.db").unlink()
        colour, log = self.request()
        self.assertEqual(colour, GREEN)
        self.assertIn("nothing was compared", " ".join(log.split()))
        self.assertIn("nothing was compared", self.comments()[0])
        file = self.place.folder / "profgauge.yaml"
        file.write_text(re.sub("learning_until: [0-9-]*", "learning_until: 2026-01-01", file.read_text()))
        colour, log = self.request()
        self.assertNotEqual(colour, GREEN, log)
        self.main()  # One run of main, and pull requests are judged again.
        self.assertEqual(self.request()[0], GREEN)

    def test_story_7_a_trace_that_cannot_be_read(self):
        self.main()
        broken = self.place.folder / "broken.json"
        for branch in ("", "main"):
            broken.write_text("no trace")
            colour, _ = self.pipeline(broken, branch)
            self.assertNotEqual(colour, GREEN)
            for name in ("report.html", "report.json", "junit.xml", "profgauge.sarif", "codequality.json", "metrics.prom", "summary.md"):
                self.exists(f"profgauge-report/resnet50/{name}")
            self.assertEqual(self.verdict()["status"], "no_verdict")
        self.assertIn("NO VERDICT", self.comments()[0])

    def test_story_8_other_gpus_have_their_own_baseline(self):
        for _ in range(2):
            self.main()
            self.main(factor=0.6, device="NVIDIA H100 80GB HBM3")
        self.assertEqual(self.request(factor=0.6, device="NVIDIA H100 80GB HBM3")[0], GREEN)
        self.assertEqual(self.request(factor=0.7, device="NVIDIA H100 80GB HBM3")[0], RED)
        self.assertEqual(self.request()[0], GREEN)

    def test_story_9_nothing_is_recorded(self):
        colour, log = self.pipeline("", "")
        self.assertEqual(colour, self.NO_VERDICT)
        self.assertIn("[config/no-inputs]", log)
        colour, log = self.pipeline(self.record(), "", PATH=f"{self.place.folder}/bin:/usr/bin:/bin")
        self.assertEqual(colour, RED)
        self.assertRegex(log, "not found|not installed")
