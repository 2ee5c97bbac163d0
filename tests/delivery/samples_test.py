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
GITHUB_SAMPLES = REPOSITORY / "ci" / "github"
HEALTHY, SLOW = EXAMPLES / "healthy.pt.trace.json.gz", EXAMPLES / "slow.pt.trace.json.gz"
LIMIT = 1 << 20  # GitHub takes no larger step summary.

# GitHub as actions/github-script hands it to scripts, reduced to what ours ask: comments in a file.
GITHUB = """
const fs = require("fs");
const comments = JSON.parse(fs.existsSync(process.env.COMMENTS) ? fs.readFileSync(process.env.COMMENTS) : "[]");
const keep = () => fs.writeFileSync(process.env.COMMENTS, JSON.stringify(comments));
const refuse = () => { if (process.env.REFUSE) throw Object.assign(new Error("refused"), {status: Number(process.env.REFUSE)}); };
const listComments = Symbol("listComments");
const github = {
  paginate: {iterator: async function* (what, {issue_number, per_page}) {
    if (what !== listComments) throw new Error("unknown list");
    for (let i = 0; i < comments.length; i += per_page) yield {data: comments.slice(i, i + per_page)};
  }},
  rest: {
    issues: {
      listComments,
      updateComment: async ({comment_id, body}) => { refuse(); comments.find((c) => c.id === comment_id).body = body; keep(); },
      createComment: async ({issue_number, body}) => {
        refuse(); comments.push({id: comments.length + 1, user: {type: "Bot"}, body, issue_number}); keep(); },
    },
    pulls: {get: async ({pull_number}) => ({data: {head: {sha: process.env.HEAD_SHA}}})},
  },
};
const context = {repo: {owner: "someone", repo: "training"}, payload: JSON.parse(process.env.PAYLOAD)};
const core = {notice: (text) => console.log("notice: " + text)};
(async () => { SCRIPT })().catch((error) => { console.error(error); process.exit(1); });
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

    def script(self, name, text):
        path = self.folder / name
        path.write_text(text)
        path.chmod(path.stat().st_mode | stat.S_IXUSR)

    def run(self, script, shell=("bash", "-e"), **variables):
        env = {**environment(TRACE=str(SLOW)), **{k: str(v) for k, v in variables.items()}}
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
        action = yaml.safe_load((GITHUB_SAMPLES / "action.yml").read_text())
        self.steps = {step["name"]: step for step in action["runs"]["steps"]}
        self.outputs = self.place.folder / "outputs"
        self.summary = self.place.folder / "step-summary.md"
        self.comments = self.place.folder / "comments.json"

    def step(self, name, **variables):
        return self.place.run(self.steps[name]["run"], shell=("bash", "--noprofile", "--norc", "-eo", "pipefail"),
                              GITHUB_OUTPUT=self.outputs, GITHUB_STEP_SUMMARY=self.summary,
                              GITHUB_WORKSPACE=self.place.folder, GITHUB_REPOSITORY="someone/training",
                              **{"REPORT": "report", "NUMBER": "7", **variables})

    def judge(self, trace, **variables):
        if trace:
            shutil.copy(trace, self.place.folder / "run.json.gz")
        self.outputs.write_text("")
        asked = {"PROFILE": "run.json.gz", "POLICY": "policy.yaml", "BASELINE": "", "HISTORY": "history.db",
                 **variables}
        done = self.step("Judge", **asked)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done, dict(line.split("=", 1) for line in self.outputs.read_text().splitlines())

    def javascript(self, script, cwd=None, **variables):
        if not shutil.which("node"):
            self.skipTest("not installed: node")
        env = environment(COMMENTS=str(self.comments), HERE=str(GITHUB_SAMPLES), REPORT="report", NAME="resnet50",
                          PAYLOAD=json.dumps({"pull_request": {"number": 7}}), **{})
        done = subprocess.run(["node", "-e", GITHUB.replace("SCRIPT", script)], cwd=cwd or self.place.folder,
                              env={**env, **variables}, text=True, capture_output=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout, json.loads(self.comments.read_text()) if self.comments.exists() else []

    def comment(self, **variables):
        return self.javascript(self.steps["Comment"]["with"]["script"], **variables)

    def test_a_failing_run(self):
        done, outputs = self.judge(SLOW)
        self.assertEqual(outputs["exit-code"], "1")
        self.assertIn("::error file=policy.yaml,line=4,title=limit/gpu.utilization.mean", done.stdout)
        self.exists("report/report.html", "report/profgauge.sarif", "report/summary.md", "report/run.pgsum")
        self.assertIn("gpu", self.summary.read_text())
        self.assertEqual(self.step("Verdict", STATUS=outputs["exit-code"]).returncode, 1)
        sarif = json.loads((self.place.folder / "report/profgauge.sarif").read_text())
        places = {(location["physicalLocation"]["artifactLocation"]["uri"],
                   location["physicalLocation"]["region"]["startLine"])
                  for result in sarif["runs"][0]["results"] for location in result["locations"]}
        self.assertEqual(places, {("policy.yaml", 1), ("policy.yaml", 4)})

    def test_the_history_is_renewed_by_another_runner(self):
        renew = yaml.safe_load((GITHUB_SAMPLES / "profgauge.yml").read_text())["jobs"]["renew"]
        self.assertEqual((renew["needs"], renew["if"]), ("gate", "github.ref == 'refs/heads/main'"))
        add = next(step["run"] for step in renew["steps"] if step.get("name") == "Renew the history")
        done, outputs = self.judge(HEALTHY, BASELINE="history:main~5")
        self.assertEqual(outputs["exit-code"], "0")
        self.assertIn("::warning title=profgauge::no baseline: history.db does not exist", done.stdout)
        for _ in range(2):
            done, outputs = self.judge(HEALTHY, BASELINE="history:main~5")
            self.assertEqual(outputs["exit-code"], "0", done.stdout)
            added = self.place.run(add, GITHUB_SHA="3f2a1c", HISTORY="history.db")
            self.assertEqual(added.returncode, 0, added.stderr)
        self.assertNotIn("no baseline", done.stdout)
        self.assertIn("3f2a1c", self.place.run("profgauge history list --db history.db").stdout)
        self.assertEqual(self.judge(SLOW, BASELINE="history:main~5")[1]["exit-code"], "1")

    def test_no_verdict_and_no_program(self):
        (self.place.folder / "run.json.gz").write_text("no trace")
        done, outputs = self.judge(None)
        self.assertEqual(outputs["exit-code"], "3")
        self.assertIn("error", done.stderr)
        self.assertIn("NO VERDICT", (self.place.folder / "report/summary.md").read_text())  # Not an earlier run's.
        self.assertEqual(self.step("Verdict", STATUS="3", ON_NO_VERDICT="fail").returncode, 3)
        done = self.step("Verdict", STATUS="3", ON_NO_VERDICT="warn")
        self.assertEqual((done.returncode, done.stdout), (0, "::warning title=profgauge::no verdict\n"))
        self.assertEqual(self.step("Verdict", STATUS="", ON_NO_VERDICT="warn").returncode, 70)
        done, outputs = self.judge(SLOW, PATH="/usr/bin:/bin")
        self.assertEqual(outputs["exit-code"], "127")
        self.assertIn("::error title=profgauge::the program is not installed", done.stdout)
        self.assertEqual(self.step("Verdict", STATUS="127", ON_NO_VERDICT="warn").returncode, 127)

    def test_the_step_summary_never_exceeds_the_limit(self):
        for taken in (LIMIT - 100, LIMIT, LIMIT - 30_000, LIMIT + 5):
            self.summary.write_text("x" * taken)
            self.judge(SLOW)
            self.assertLessEqual(self.summary.stat().st_size, max(LIMIT, taken))

    def test_each_job_has_one_comment(self):
        others = [{"id": i + 1, "user": {"type": "User"}, "body": "<!-- profgauge-job:gpt --> by a person"} for i in range(5000)]
        self.comments.write_text(json.dumps(others))
        for trace, name in ((SLOW, "resnet50"), (SLOW, "gpt"), (HEALTHY, "resnet50")):
            self.judge(trace)
            text, comments = self.comment(NAME=name)
            self.assertEqual(text, "")
        ours = comments[5000:]
        self.assertEqual([comment["body"].splitlines()[0] for comment in ours],
                         ["<!-- profgauge-job:resnet50 -->", "<!-- profgauge-job:gpt -->"])
        self.assertIn((self.place.folder / "report/summary.md").read_text(), ours[0]["body"])
        self.assertIn("FAIL", ours[1]["body"])
        self.assertEqual(comments[:5000], others)

    def test_a_comment_that_is_refused_or_has_nothing_to_say(self):
        text, _ = self.comment()
        self.assertIn("notice: there is no report/summary.md", text)
        self.judge(SLOW)
        for status in ("401", "403", "404"):
            text, comments = self.comment(REFUSE=status)
            self.assertIn(f"the token may not comment ({status})", text)
            self.assertEqual(comments, [])
        (self.place.folder / "report/summary.md").write_text("x" * 100_000)
        self.assertEqual(len(self.comment()[1][0]["body"]), 65536)

    def test_the_comment_on_a_fork(self):
        job = yaml.safe_load((GITHUB_SAMPLES / "profgauge-comment.yml").read_text())["jobs"]["comment"]
        script = next(step["with"]["script"] for step in job["steps"] if "script" in step.get("with", {}))
        action = self.place.folder / ".github/actions/profgauge"
        action.mkdir(parents=True)
        shutil.copy(GITHUB_SAMPLES / "comment.js", action)
        payload = {"PAYLOAD": json.dumps({"workflow_run": {"head_sha": "abc"}})}
        self.assertEqual(self.javascript(script, HEAD_SHA="abc", **payload)[1], [])  # No report at all.
        self.judge(SLOW)
        reports = self.place.folder / "reports"
        for name in ("profgauge-report-gpt", "profgauge-report-a$(b)", "profgauge-report-x"):
            shutil.copytree(self.place.folder / "report", reports / name)
        (reports / "profgauge-report-x" / "number").write_text("7; rm -rf /\n")
        text, comments = self.javascript(script, HEAD_SHA="other", **payload)
        self.assertIn("#7 is not at the commit that was judged", text)
        self.assertEqual(comments, [])
        _, comments = self.javascript(script, HEAD_SHA="abc", **payload)
        self.assertEqual([(c["issue_number"], c["body"].splitlines()[0]) for c in comments], [(7, "<!-- profgauge-job:gpt -->")])

    def test_the_workflow_names_the_action_and_its_inputs(self):
        workflow = yaml.safe_load((GITHUB_SAMPLES / "profgauge.yml").read_text())
        action = yaml.safe_load((GITHUB_SAMPLES / "action.yml").read_text())
        used = next(step for step in workflow["jobs"]["gate"]["steps"] if step.get("uses", "").startswith("./"))
        self.assertLessEqual(set(used["with"]), set(action["inputs"]))
        self.assertEqual(workflow["jobs"]["gate"]["strategy"], workflow["jobs"]["renew"]["strategy"])
        commented = yaml.safe_load((GITHUB_SAMPLES / "profgauge-comment.yml").read_text())
        self.assertEqual(commented[True]["workflow_run"]["workflows"], [workflow["name"]])  # YAML's `on`.

    def test_installing_from_the_tarball(self):
        workflow = yaml.safe_load((GITHUB_SAMPLES / "profgauge.yml").read_text())
        installs = [step for job in workflow["jobs"].values() for step in job["steps"] if step.get("name") == "Install profgauge"]
        self.assertEqual(installs[0]["run"], installs[1]["run"])
        inside = self.place.folder / "profgauge-0-linux" / "bin"
        inside.mkdir(parents=True)
        shutil.copy(PROGRAM, inside / "profgauge")
        subprocess.run(["tar", "-czf", "profgauge.tar.gz", "profgauge-0-linux"], cwd=self.place.folder, check=True)
        self.place.script("curl", '#!/bin/sh\nfor last; do :; done\ncat "${last#file://}"\n')
        done = self.place.run(installs[0]["run"], HOME=self.place.folder, GITHUB_PATH=self.place.folder / "path",
                              TARBALL=f"file://{self.place.folder}/profgauge.tar.gz")
        self.assertEqual(done.returncode, 0, done.stderr)
        added = (self.place.folder / "path").read_text().strip()
        self.assertTrue((pathlib.Path(added) / "profgauge").exists())


# GitLab's notes for curl, in a file; fails where REFUSE is set.
CURL = """#!/usr/bin/env python3
import json, os, pathlib, sys
words = sys.argv[1:]
if os.environ.get("REFUSE"):
    sys.exit(22)
store = pathlib.Path(os.environ["COMMENTS"])
notes = json.loads(store.read_text()) if store.exists() else []
body = next((pathlib.Path(w.split("@", 1)[1]).read_text() for w in words if w.startswith("body@")), None)
url = words[-1]
assert "PRIVATE-TOKEN: secret" in words and url.startswith("https://gitlab.example/api/v4/projects/1/merge_requests/7/notes")
if "PUT" in words:
    next(note for note in notes if note["id"] == int(url.rsplit("/", 1)[1]))["body"] = body
elif "POST" in words:
    notes.append({"id": len(notes) + 1, "body": body})
else:
    page = int(url.rsplit("page=", 1)[1])
    print(json.dumps(notes[100 * page - 100:100 * page]))
store.write_text(json.dumps(notes))
"""


class GitlabTest(SampleTest):
    def setUp(self):
        super().setUp()
        self.job = yaml.safe_load((REPOSITORY / "ci/gitlab/profgauge.gitlab-ci.yml").read_text())["performance"]
        self.notes = self.place.folder / "notes.json"
        (self.place.folder / "ci/gitlab").mkdir(parents=True)
        shutil.copy(REPOSITORY / "ci/gitlab/note.sh", self.place.folder / "ci/gitlab")
        self.place.script("curl", CURL)

    def pipeline(self, trace, branch="", code=0, **variables):
        self.place.script("train.sh", f'#!/bin/sh\ncp "{trace}" "$2"\n')
        where = {"CI_COMMIT_BRANCH": branch} if branch else {"CI_MERGE_REQUEST_IID": "7", "PROFGAUGE_TOKEN": "secret"}
        done = self.place.run("\n".join(self.job["script"]), shell=("bash", "-eo", "pipefail"), CI_DEFAULT_BRANCH="main",
                              CI_COMMIT_SHA="3f2a1c", CI_API_V4_URL="https://gitlab.example/api/v4", CI_PROJECT_ID="1",
                              COMMENTS=self.notes, PROFILE=self.job["variables"]["PROFILE"], **{**where, **variables})
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def test_main_branch_then_merge_request(self):
        done = self.pipeline(HEALTHY, branch="main")
        self.assertIn("no baseline", done.stdout)
        self.exists("profgauge-history.db", *self.job["artifacts"]["reports"].values())
        self.pipeline(SLOW, branch="main", code=1)
        done = self.pipeline(SLOW, code=1)
        self.assertNotIn("no baseline", done.stdout)
        issues = json.loads((self.place.folder / "profgauge-report/codequality.json").read_text())
        self.assertEqual({issue["location"]["path"] for issue in issues}, {"policy.yaml"})
        self.assertIn(4, {issue["location"]["lines"]["begin"] for issue in issues})
        # Neither what failed nor merge requests.
        self.assertEqual(self.place.run("profgauge history list").stdout.count("3f2a1c"), 1)

    @unittest.skipUnless(shutil.which("jq"), "not installed: jq")
    def test_the_note_is_updated_not_repeated(self):
        self.notes.write_text(json.dumps([{"id": i + 1, "body": "by a person"} for i in range(150)]))
        for trace, code in ((SLOW, 1), (HEALTHY, 0)):
            self.pipeline(trace, code=code)
        notes = json.loads(self.notes.read_text())
        self.assertEqual(len(notes), 151)
        self.assertTrue(notes[150]["body"].startswith("<!-- profgauge-job:run -->\n"))
        self.assertIn("PASS", notes[150]["body"])

    def test_no_verdict_is_yellow_and_what_is_missing_is_said(self):
        broken = self.place.folder / "broken"
        broken.write_text("no trace")
        done = self.pipeline(broken, code=3)
        self.assertIn(3, self.job["allow_failure"]["exit_codes"])
        self.assertIn("NO VERDICT", json.loads(self.notes.read_text())[0]["body"])
        self.pipeline(broken, branch="main", code=3)
        for variables, words in (({"PROFGAUGE_TOKEN": ""}, "PROFGAUGE_TOKEN is not set"), ({"REFUSE": "1"}, "GitLab gave no notes"),
                                 ({"CI_MERGE_REQUEST_IID": ""}, "this is no pipeline of a merge request")):
            done = self.pipeline(HEALTHY, **variables)
            self.assertIn(f"note.sh: {words}: no note", done.stderr)
        self.assertIn("profgauge: command not found", self.pipeline(HEALTHY, code=127, PATH="/usr/bin:/bin").stderr)


class JenkinsTest(SampleTest):
    def test_its_shell_parts(self):
        text = (REPOSITORY / "ci" / "Jenkinsfile").read_text()
        judge, renew = re.findall(r"'''(.*?)'''", text, re.S)
        record = re.search(r"sh '([^']+)' \}", text)[1]
        self.assertEqual(self.place.run(record).returncode, 0)
        for part, wanted in ((judge, 1), (renew, 0), (judge, 1)):
            done = self.place.run(part, GIT_COMMIT="3f2a1c")
            self.assertEqual(done.returncode, wanted, done.stderr)
            self.assertEqual("no baseline" in done.stdout, part == judge and not (self.place.folder / "profgauge-history.db").exists())
        self.exists("profgauge-report/junit.xml", "profgauge-report/page/index.html", "profgauge-history.db")
        self.assertEqual(self.place.run(judge, PATH="/usr/bin:/bin").returncode, 127)

    def test_what_an_exit_code_becomes(self):
        text = (REPOSITORY / "ci" / "Jenkinsfile").read_text()
        self.assertIn("sh(returnStatus: true", text)
        self.assertIn("if (code == 3) { unstable(", text)
        self.assertIn("else if (code != 0) { error(", text)
        self.assertIn("currentBuild.currentResult == 'SUCCESS'", text.split("Renew the baseline")[1])
        self.assertIn("allowEmptyResults: true", text)


if __name__ == "__main__":
    sys.exit(main())
