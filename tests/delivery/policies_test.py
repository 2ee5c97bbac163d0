"""The policy of a branch in a real repository: what it loosens is listed in every output, and the stricter one judges."""
import json
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from story_support import trace
from support import environment, main, need, run

need("git")
TIGHT = 'schema: 1\nrules: {"*": off}\nthresholds: {iteration.time.median: {max: 11 ms}}\n'
LOOSE = 'schema: 1\nrules: {"*": off}\nthresholds: {iteration.time.median: {max: 20 ms}}\n'
PROJECT = "schema: 1\npolicy: policy.yaml\njobs: [{name: a, inputs: a.json}, {name: b, inputs: b.json}]\n"


class PoliciesTest(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.root)
        for name in "ab":
            trace(self.root / f"{name}.json", [12000 + i for i in range(10)], "NVIDIA A100-SXM4-80GB")
        (self.root / ".gitignore").write_text("*.json\n/out\n/profgauge-report\n")
        (self.root / "out").mkdir()
        (self.root / "policy.yaml").write_text(TIGHT)
        (self.root / "profgauge.yaml").write_text(PROJECT)
        self.git("init", "-q", "-b", "main")
        self.commit("tight")
        self.git("checkout", "-q", "-b", "change")

    def git(self, *words, cwd=None):
        return subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@example.org", *words], cwd=cwd or self.root, check=True,
                              capture_output=True, text=True).stdout.strip()

    def commit(self, message):
        self.git("add", "-A")
        self.git("commit", "-q", "-m", message)

    def loosen(self):
        (self.root / "policy.yaml").write_text(LOOSE)
        self.commit("loose")

    def check(self, *more, cwd=None, **variables):
        env = {name: value for name, value in environment(**variables).items()
               if name in variables or not name.startswith(("GITHUB_", "CI"))}
        return run("check", *more, "--owner", "anna", cwd=cwd or self.root, env=env)

    def test_every_output_lists_what_is_looser(self):
        self.assertEqual(self.check("a.json").returncode, 1)
        self.loosen()
        kinds = {"summary": "s.md", "text": "s.txt", "verdict": "v.txt", "junit": "j.xml", "sarif": "a.sarif", "github": "g.txt",
                 "code-quality": "q.txt"}
        for kind, name in kinds.items():
            done = self.check("a.json", "--write", f"{kind}=out/{name}")
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn("policy loosened", done.stdout)
            self.assertRegex((self.root / "out" / name).read_text(), r"max 11.*max 20", kind)
        verdict = json.loads((self.root / "out/v.txt").read_text())
        self.assertEqual(verdict["policy"]["loosened"][0]["what"], "iteration.time.median")
        self.check("a.json", "--out", "out")
        report = json.loads((self.root / "out/report.json").read_text())
        self.assertEqual(report["verdict"]["policy_hash"], verdict["policy"]["hash"])
        for name in ("report.html", "report.md"):
            self.assertIn("This branch loosens the policy", (self.root / "out" / name).read_text())

    def test_a_person_accepts_it(self):
        self.loosen()
        done = self.check("a.json", "--accept", "policy: the model is larger", "--write", "verdict=out/v.txt")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads((self.root / "out/v.txt").read_text())["accepted"][0]["what"], "policy")

    def test_a_tighter_policy_and_the_target_itself_are_as_they_are(self):
        (self.root / "policy.yaml").write_text(TIGHT.replace("11 ms", "9 ms"))
        done = self.check("a.json")
        self.assertEqual(done.returncode, 1)
        self.assertNotIn("loosen", done.stdout)
        self.git("checkout", "-q", "-f", "main")
        (self.root / "policy.yaml").write_text(LOOSE)
        self.assertEqual(self.check("a.json").returncode, 0)

    def test_jobs_and_files_that_are_gone_still_judge(self):
        (self.root / "profgauge.yaml").write_text(PROJECT.replace(", {name: b, inputs: b.json}", ""))
        self.commit("one job")
        done = self.check("--ci", "generic")
        self.assertIn("job b: b.json", done.stdout + done.stderr)
        (self.root / "profgauge.yaml").unlink()
        done = self.check("a.json", GITHUB_BASE_REF="main")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("profgauge.yaml there → removed", done.stdout.replace("\n          ", " "))

    def test_another_file_is_held_against_the_one_before(self):
        (self.root / "new.yaml").write_text(LOOSE)
        (self.root / "profgauge.yaml").write_text(PROJECT.replace("policy.yaml", "new.yaml"))
        self.commit("renamed")
        self.assertEqual(self.check("a.json").returncode, 1)

    def test_a_clone_that_knows_no_base_says_so(self):
        self.loosen()
        shallow = self.root.parent / (self.root.name + "-shallow")
        self.addCleanup(shutil.rmtree, shallow)
        self.git("clone", "-q", "--depth", "1", "--branch", "change", f"file://{self.root}", str(shallow))
        shutil.copy(self.root / "a.json", shallow)
        done = self.check("a.json", "-v", cwd=shallow, GITHUB_BASE_REF="main")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("policy/base-unknown", done.stdout)

    def test_hostile_names_and_no_git(self):
        self.loosen()
        for target in ("--upload-pack=touch x", "main;touch x", "../../x", "", "a" * 300):
            done = self.check("a.json", GITHUB_BASE_REF=target)
            self.assertIn(done.returncode, (0, 1), done.stderr)
            self.assertFalse((self.root / "x").exists())
        shutil.rmtree(self.root / ".git")
        self.assertEqual(self.check("a.json").returncode, 0)


if __name__ == "__main__":
    main()
