"""Thirty commits in a real repository, judged as the samples do: squash merges, a branch from behind, an improvement,
a reverted acceptance, a pull request that loosens its limit, a lost cache, a fork.

PROFGAUGE_STORY=FILE writes what each person saw, as Markdown.
"""
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import tempfile
import unittest

from story_support import trace
from support import REPOSITORY, environment, main, need, on_day, run

need("git")
A100 = "NVIDIA A100-SXM4-80GB"
POLICY = """schema: 1
rules: {"*": off}
baseline:
  iteration.time.median: {max_increase: %s}
"""
PROJECT = """schema: 1
policy: policy.yaml
baseline: history:main~10
learning_until: 2096-12-15
jobs: [{name: resnet50, inputs: "%s/*.json"}]
"""


class Repository:
    """Two folders: the repository, and what the CI keeps outside of it."""

    def __init__(self, folder):
        self.root, self.kept = pathlib.Path(folder) / "repository", pathlib.Path(folder) / "kept"
        self.runs = self.kept / "runs"
        self.runs.mkdir(parents=True)
        self.root.mkdir()
        self.db = self.kept / "history.db"
        self.draw = random.Random(20961201)
        self.rows, self.day, self.levels = [], 1, {}
        self.git("init", "-q", "-b", "main")
        (self.root / "policy.yaml").write_text(POLICY % "5%")
        (self.root / "profgauge.yaml").write_text(PROJECT % self.runs)

    def git(self, *words):
        return subprocess.run(["git", "-c", "user.name=anna", "-c", "user.email=anna@example.org", *words], cwd=self.root,
                              text=True, capture_output=True, check=True).stdout.strip()

    def commit(self, message, level):
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        head = self.git("rev-parse", "HEAD")
        self.levels[head] = level
        return head

    def branch(self, name, at="main"):
        self.git("checkout", "-q", "-B", name, at)

    def record(self, level):
        """10 ms an iteration; iterations differ by 1 %, runs by 0.3 %."""
        for old in self.runs.iterdir():
            old.unlink()
        here = level * (1 + self.draw.gauss(0, 0.003))
        trace(self.runs / "run.json", [round(10000 * here * (1 + self.draw.gauss(0, 0.01)), 3) for _ in range(20)], A100)

    def env(self, head, **more):
        env = {name: value for name, value in environment(**on_day(f"2096-12-{self.day:02}")).items()
               if not re.match("GITHUB_|CI|PROFGAUGE_", name)}
        return {**env, "GITHUB_SHA": head, **more}

    def accepted(self, before, head):
        done = subprocess.run(["sh", str(REPOSITORY / "ci/accepted.sh"), before, head], cwd=self.root, text=True,
                              capture_output=True, check=False)
        return done.stdout.strip()

    def check(self, who, what, target="main", before=None, cwd=None):
        """-> exit code, verdict.json, summary. The pull request of what is checked out, or main itself."""
        head = self.git("rev-parse", "HEAD")
        self.record(self.levels[head])
        is_main = self.git("rev-parse", "--abbrev-ref", "HEAD") == "main"
        more = {} if is_main else {"GITHUB_BASE_REF": target}
        before = before or (self.git("rev-parse", "HEAD~1") if is_main and len(self.levels) > 1 else target)
        accept = self.accepted(before, head)
        shutil.rmtree(self.kept / "out", ignore_errors=True)
        done = run("check", "--out", self.kept / "out", "--write", f"summary={self.kept}/out/summary.md",
                   "--write", f"verdict={self.kept}/out/verdict.json", "--accept", accept, "--owner", who,
                   "--db", self.db,
                   cwd=cwd or self.root, env=self.env(head, **more))
        out = self.kept / "out/resnet50" if (self.kept / "out/resnet50").exists() else self.kept / "out"
        verdict = json.loads((self.kept / "out/verdict.json").read_text()) if (self.kept / "out/verdict.json").exists() else {}
        summary = (self.kept / "out/summary.md").read_text() if (self.kept / "out/summary.md").exists() else done.stderr
        if is_main and (out / "report.json").exists():
            added = run("history", "add", self.runs / "run.json", "--verdict", out / "report.json", "--branch", "main", "--commit",
                        head, "--model", "resnet50", "--db", self.db, cwd=self.root, env=self.env(head))
            assert added.returncode == 0, added.stderr
        line = next((text for text in summary.splitlines() if text and not text.startswith("<!--")), "").replace("|", "/")
        self.rows.append((f"12-{self.day:02}", who, what, head[:7], done.returncode, line))
        self.day += 1 if is_main else 0
        return done.returncode, verdict, summary + done.stdout + done.stderr

    def squash(self, branch, message, level):
        self.git("checkout", "-q", "main")
        self.git("merge", "-q", "--squash", branch)
        return self.commit(message, level)


class RepositoryStory(unittest.TestCase):
    maxDiff = None

    def test_thirty_commits(self):
        with tempfile.TemporaryDirectory() as folder:
            team = Repository(folder)
            try:
                self.live(team)
            finally:
                if "PROFGAUGE_STORY" in os.environ:
                    lines = ["| day | who | what happens | commit | exit | sees |", "|---|---|---|---|--:|---|"]
                    lines += ["| " + " | ".join(map(str, row)) + " |" for row in team.rows]
                    pathlib.Path(os.environ["PROFGAUGE_STORY"]).write_text("\n".join(lines) + "\n")

    def main(self, team, what, level, code=0, who="ci", message=None):
        if team.levels:
            team.git("checkout", "-q", "main")
        team.commit(message or what, level)
        found, verdict, text = team.check(who, what)
        self.assertEqual(found, code, f"{what}: {text}")
        return verdict, text

    def pull(self, team, what, code, who):
        found, verdict, text = team.check(who, what)
        self.assertEqual(found, code, f"{what}: {text}")
        return verdict, text

    def live(self, team):
        # The first run of main learns; so do the next three.
        verdict, _ = self.main(team, "the gate is set up", 1)
        self.assertEqual(verdict["baseline"]["state"], "first")
        for _ in range(8):
            verdict, _ = self.main(team, "noise", 1)
        self.assertEqual(verdict["baseline"]["state"], "used")
        old = team.git("rev-parse", "HEAD")
        # A slower pull request asks for another profile; who means it accepts it at once, and the squash merge keeps the line.
        team.branch("wider")
        team.commit("wider model", 1.12)
        _, text = self.pull(team, "a wider model, 12 % slower", 3, "anna")
        self.assertIn("Record once more", text)
        team.commit("accept it\n\nProfgauge-Accept: +14% wider model", 1.12)
        verdict, text = self.pull(team, "the same, accepted", 0, "anna")
        self.assertEqual(verdict["accepted"][0]["owner"], "anna")
        team.squash("wider", "Wider model (#7)\n\n* wider model\n* accept it\n\nProfgauge-Accept: +14% wider model", 1.12)
        found, verdict, text = team.check("ci", "its squash merge")
        self.assertEqual(found, 0, text)
        self.assertIn("wider model", text)
        for _ in range(4):
            self.main(team, "noise at the new level", 1.12)
        # A branch from before it is compared with its own past.
        team.branch("behind", old)
        team.commit("a fix on an old branch", 1)
        verdict, text = self.pull(team, "a branch from before the wider model", 0, "ben")
        self.assertNotIn("faster", text.splitlines()[0])
        # A pull request cannot widen what judges it.
        team.branch("loose")
        (team.root / "policy.yaml").write_text(POLICY % "40%")
        team.commit("a wider limit, and slower", 1.12 * 1.25)
        verdict, text = self.pull(team, "raises its own limit, 25 % slower", 1, "mallory")
        self.assertEqual(verdict["policy"]["loosened"][0]["what"], "iteration.time.median")
        self.assertIn("+5 % → +40 %", text.replace("\u202f", " ").replace("\u00a0", " "))
        team.git("checkout", "-q", "main")
        # The acceptance is reverted: three runs later the headroom is gone, and creep is measured from there.
        self.main(team, "the wider model is reverted", 1)
        for _ in range(3):
            self.main(team, "noise after the revert", 1)
        codes = []
        for i in range(1, 12):
            team.git("checkout", "-q", "main")
            team.commit(f"creep {i}", 1.012 ** i)
            codes.append(team.check("ci", f"creep of 1.2 %, number {i}")[0])
            if codes[-1] == 1:
                break
        self.assertEqual(codes[-1], 1, codes)
        self.assertLessEqual(len(codes), 8)  # Under +10 %; the accepted level was +12 %.
        team.commit("creep is taken back", 1)
        self.assertEqual(team.check("ci", "creep is taken back")[0], 0)
        # The cache is lost after the days of learning: no verdict, until main ran again.
        team.day = 26
        team.db.unlink()
        team.branch("feature")
        team.commit("a feature", 1)
        verdict, text = self.pull(team, "the cache is lost", 3, "carla")
        self.assertEqual(verdict["baseline"]["state"], "lost")
        verdict, _ = self.main(team, "main runs once", 1, code=3)
        team.branch("feature-2")
        team.commit("a feature, rebased", 1)
        verdict, _ = self.pull(team, "the same, rebased", 0, "carla")
        self.assertEqual(verdict["baseline"]["state"], "learning")
        # A fork checks out one commit: git knows no ancestors, and the runs say so.
        shallow = team.kept / "fork"
        subprocess.run(["git", "clone", "-q", "--depth", "1", "--branch", "feature-2", f"file://{team.root}", str(shallow)], check=True,
                       capture_output=True)
        found, verdict, text = team.check("dora", "a fork with one commit", cwd=shallow)
        self.assertEqual(found, 0, text)
        self.assertIn("shallow clone", text)
        self.assertGreaterEqual(len(team.levels), 30)


if __name__ == "__main__":
    main()
