"""The shell parts of the samples for GitHub, GitLab and Jenkins, executed as they are written.
Scripts for Slurm and cron have jobs_test.py, the training side has training_test.py.
"""
import json
import pathlib
import re
import shutil
import stat
import subprocess
import sys
import tempfile
import unittest

from support import PROGRAM, REPOSITORY, SKIPPED, environment, main

try:
    import yaml
except ImportError:
    print("skipped: not installed: python3-yaml")
    raise SystemExit(SKIPPED)

EXAMPLES = REPOSITORY / "examples"
HEALTHY, SLOW = EXAMPLES / "healthy.pt.trace.json.gz", EXAMPLES / "slow.pt.trace.json.gz"
LIMIT = 1 << 20  # GitHub takes no larger step summary.

# GitHub's client, reduced to what the action asks of it: comments in a file.
GH = """#!/usr/bin/env python3
import json, os, pathlib, sys
store = pathlib.Path(os.environ["COMMENTS"])
comments = json.loads(store.read_text()) if store.exists() else []
words = sys.argv[1:]
body = next((pathlib.Path(w.split("@", 1)[1]).read_text() for w in words if w.startswith("body=@")), None)
if "PATCH" in words:
    number = int(next(w for w in words if "/comments/" in w).rsplit("/", 1)[1])
    comments[number] = body
elif "POST" in words:
    comments.append(body)
else:
    print("\\n".join(str(i) for i, text in enumerate(comments) if text.startswith("<!-- profgauge -->")))
store.write_text(json.dumps(comments))
"""


class Workplace:
    """A repository with a policy and a training script that leaves a profile."""

    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        (self.folder / ".git").mkdir()
        (self.folder / "policy.yaml").write_text(
            "schema: 1\nextends: [builtin:recommended]\nthresholds:\n"
            "  gpu.utilization.mean: {min: 75%}\n")
        self.script("train.sh", '#!/bin/sh\ncp "$TRACE" "$2"\n')
        self.script("gh", GH)

    def script(self, name, text):
        path = self.folder / name
        path.write_text(text)
        path.chmod(path.stat().st_mode | stat.S_IXUSR)

    def run(self, script, shell=("bash", "-e"), **variables):
        env = environment(TRACE=str(SLOW), **{k: str(v) for k, v in variables.items()})
        env["PATH"] = f"{self.folder}:{env['PATH']}"
        return subprocess.run([*shell, "-c", script], cwd=self.folder, env=env, text=True,
                              capture_output=True, check=False)

    def close(self):
        shutil.rmtree(self.folder)


class SampleTest(unittest.TestCase):
    def setUp(self):
        self.place = Workplace()
        self.addCleanup(self.place.close)

    def exists(self, *names):
        for name in names:
            self.assertGreater((self.place.folder / name).stat().st_size, 0, name)


class GithubTest(SampleTest):
    def setUp(self):
        super().setUp()
        action = yaml.safe_load((REPOSITORY / "ci" / "github" / "action.yml").read_text())
        self.steps = {step["name"]: step for step in action["runs"]["steps"]}
        self.outputs = self.place.folder / "outputs"
        self.summary = self.place.folder / "step-summary.md"
        self.comments = self.place.folder / "comments.json"

    def step(self, name, **variables):
        return self.place.run(self.steps[name]["run"], shell=("bash", "--noprofile", "--norc", "-eo", "pipefail"),
                              GITHUB_OUTPUT=self.outputs, GITHUB_STEP_SUMMARY=self.summary,
                              GITHUB_WORKSPACE=self.place.folder, GITHUB_REPOSITORY="someone/training",
                              COMMENTS=self.comments, REPORT="report", **variables)

    def judge(self, trace, **variables):
        shutil.copy(trace, self.place.folder / "run.json.gz")
        self.outputs.write_text("")
        asked = {"PROFILE": "run.json.gz", "POLICY": "policy.yaml", "BASELINE": "", "HISTORY": "history.db",
                 **variables}
        done = self.step("Judge", **asked)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done, dict(line.split("=", 1) for line in self.outputs.read_text().splitlines())

    def test_a_failing_run(self):
        done, outputs = self.judge(SLOW)
        self.assertEqual(outputs["exit-code"], "1")
        self.assertIn("::error file=policy.yaml,line=4,title=limit/gpu.utilization.mean", done.stdout)
        self.exists("report/report.html", "report/profgauge.sarif", "report/summary.md")
        self.assertIn("gpu", self.summary.read_text())
        self.assertEqual(self.step("Verdict", STATUS=outputs["exit-code"]).returncode, 1)
        sarif = json.loads((self.place.folder / "report/profgauge.sarif").read_text())
        places = {(location["physicalLocation"]["artifactLocation"]["uri"],
                   location["physicalLocation"]["region"]["startLine"])
                  for result in sarif["runs"][0]["results"] for location in result["locations"]}
        self.assertEqual(places, {("policy.yaml", 1), ("policy.yaml", 4)})

    def test_a_passing_run_and_its_baseline(self):
        done, outputs = self.judge(HEALTHY, BASELINE="history:main~5")
        self.assertEqual(outputs["exit-code"], "0")
        self.assertIn("no baseline yet", done.stdout)
        added = self.place.run("profgauge history add run.json.gz --branch main --db history.db"
                               " --policy policy.yaml")
        self.assertEqual(added.returncode, 0, added.stderr)
        done, outputs = self.judge(HEALTHY, BASELINE="history:main~5")
        self.assertNotIn("no baseline yet", done.stdout)

    def test_the_step_summary_never_exceeds_the_limit(self):
        for taken in (LIMIT - 100, LIMIT, LIMIT - 30_000, LIMIT + 5):
            self.summary.write_text("x" * taken)
            self.judge(SLOW)
            self.assertLessEqual(self.summary.stat().st_size, max(LIMIT, taken))

    def test_the_comment_is_updated_not_repeated(self):
        for trace in (SLOW, HEALTHY):
            self.judge(trace)
            done = self.step("Comment", NUMBER=7, GH_TOKEN="none")
            self.assertEqual(done.returncode, 0, done.stderr)
        comments = json.loads(self.comments.read_text())
        self.assertEqual(len(comments), 1)
        self.assertTrue(comments[0].startswith("<!-- profgauge -->\n"))
        self.assertIn((self.place.folder / "report/summary.md").read_text(), comments[0])

    def test_the_workflow_names_the_action_and_its_inputs(self):
        workflow = yaml.safe_load((REPOSITORY / "ci" / "github" / "profgauge.yml").read_text())
        action = yaml.safe_load((REPOSITORY / "ci" / "github" / "action.yml").read_text())
        steps = workflow["jobs"]["gate"]["steps"]
        used = next(step for step in steps if step.get("uses", "").startswith("./"))
        self.assertLessEqual(set(used["with"]), set(action["inputs"]))
        shutil.copy(HEALTHY, self.place.folder / "run.pt.trace.json.gz")
        renew = next(step for step in steps if step.get("name") == "Renew the baseline")
        done = self.place.run(renew["run"], GITHUB_SHA="3f2a1c")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.exists("profgauge-history.db")

    def test_installing_from_the_tarball(self):
        workflow = yaml.safe_load((REPOSITORY / "ci" / "github" / "profgauge.yml").read_text())
        install = next(step for step in workflow["jobs"]["gate"]["steps"] if step.get("name") == "Install profgauge")
        inside = self.place.folder / "profgauge-0-linux" / "bin"
        inside.mkdir(parents=True)
        shutil.copy(PROGRAM, inside / "profgauge")
        subprocess.run(["tar", "-czf", "profgauge.tar.gz", "profgauge-0-linux"], cwd=self.place.folder, check=True)
        self.place.script("curl", '#!/bin/sh\nfor last; do :; done\ncat "${last#file://}"\n')
        done = self.place.run(install["run"], HOME=self.place.folder, GITHUB_PATH=self.place.folder / "path",
                              TARBALL=f"file://{self.place.folder}/profgauge.tar.gz")
        self.assertEqual(done.returncode, 0, done.stderr)
        added = (self.place.folder / "path").read_text().strip()
        self.assertTrue((pathlib.Path(added) / "profgauge").exists())


class GitlabTest(SampleTest):
    def script(self):
        job = yaml.safe_load((REPOSITORY / "ci/gitlab/profgauge.gitlab-ci.yml").read_text())["performance"]
        return "\n".join(job["script"]), job

    def test_main_branch_then_merge_request(self):
        script, job = self.script()
        main_branch = {"PROFILE": job["variables"]["PROFILE"], "CI_DEFAULT_BRANCH": "main", "CI_COMMIT_SHA": "3f2a1c"}
        self.place.script("train.sh", f'#!/bin/sh\ncp "{HEALTHY}" "$2"\n')
        done = self.place.run(script, CI_COMMIT_BRANCH="main", **main_branch)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.exists("profgauge-history.db", *job["artifacts"]["reports"].values())
        self.place.script("train.sh", f'#!/bin/sh\ncp "{SLOW}" "$2"\n')
        done = self.place.run(script, **main_branch)
        self.assertEqual(done.returncode, 1, done.stderr)
        issues = json.loads((self.place.folder / "report/codequality.json").read_text())
        self.assertEqual({issue["location"]["path"] for issue in issues}, {"policy.yaml"})
        self.assertIn(4, {issue["location"]["lines"]["begin"] for issue in issues})


class JenkinsTest(SampleTest):
    def test_its_shell_parts(self):
        text = (REPOSITORY / "ci" / "Jenkinsfile").read_text()
        parts = re.findall(r"sh '''(.*?)'''", text, re.S)
        record = re.search(r"sh '([^']+)' \}", text)[1]
        self.assertEqual(len(parts), 2)
        self.assertEqual(self.place.run(record).returncode, 0)
        for part, wanted in ((parts[0], 1), (parts[1], 0), (parts[0], 1)):
            done = self.place.run(part, GIT_COMMIT="3f2a1c")
            self.assertEqual(done.returncode, wanted, done.stderr)
        self.exists("junit.xml", "report/index.html", "profgauge-history.db")


if __name__ == "__main__":
    sys.exit(main())
