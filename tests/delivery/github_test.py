"""The samples for GitHub: the steps of the action and of the workflows, executed as they are written."""
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from samples_support import GREEN, HEALTHY, RED, SLOW, SampleTest, Stories, yaml
from support import PROGRAM, REPOSITORY, environment, main

GITHUB_SAMPLES = REPOSITORY / "ci" / "github"
LIMIT = 1 << 20  # GitHub takes no larger step summary.

# GitHub as actions/github-script hands it to scripts, reduced to the calls of ours: comments in a file.
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

BASH = ("bash", "--noprofile", "--norc", "-eo", "pipefail")


class GithubTest(SampleTest):
    def setUp(self):
        super().setUp()
        action = yaml.safe_load((GITHUB_SAMPLES / "action.yml").read_text())
        self.steps = {step["name"]: step for step in action["runs"]["steps"]}
        self.workflow = yaml.safe_load((GITHUB_SAMPLES / "profgauge.yml").read_text())
        self.inputs = {name: str(value["default"]) for name, value in action["inputs"].items()}
        self.outputs = self.place.folder / "outputs"
        self.step_summary = self.place.folder / "step-summary.md"
        self.store = self.place.folder / "comments.json"

    def step(self, name, **variables):
        return self.place.run(self.steps[name]["run"], shell=BASH, GITHUB_ACTIONS="true", GITHUB_OUTPUT=self.outputs,
                              GITHUB_STEP_SUMMARY=self.step_summary, GITHUB_WORKSPACE=self.place.folder, GITHUB_ACTOR="anna",
                              GITHUB_REPOSITORY="someone/training", **variables)

    def judge(self, trace=None, inputs=None, **variables):
        """The step Judge with its variables as the action writes them; its outputs."""
        if trace:
            self.assertEqual(self.place.run("./train.sh resnet50", TRACE=trace).returncode, 0)
        self.outputs.write_text("")
        given = self.inputs | {"job": "resnet50"} | (inputs or {})
        values = {}
        for name, text in self.steps["Judge"]["env"].items():
            if text.startswith("${{ inputs."):
                values[name] = given[text.removeprefix("${{ inputs.").removesuffix(" }}")]
        done = self.step("Judge", **{**values, "NUMBER": "7", **variables})
        self.assertEqual(done.returncode, 0, done.stderr)
        return done, dict(line.split("=", 1) for line in self.outputs.read_text().splitlines())

    def javascript(self, script, **variables):
        if not shutil.which("node"):
            self.skipTest("not installed: node")
        env = environment(COMMENTS=str(self.store), HERE=str(GITHUB_SAMPLES), FOLDER="profgauge-report/resnet50", NAME="resnet50",
                          PAYLOAD=json.dumps({"pull_request": {"number": 7}}))
        done = subprocess.run(["node", "-e", GITHUB.replace("SCRIPT", script)], cwd=self.place.folder, env={**env, **variables},
                              text=True, capture_output=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout, json.loads(self.store.read_text()) if self.store.exists() else []

    def comment(self, **variables):
        return self.javascript(self.steps["Comment"]["with"]["script"], **variables)

    def named(self, job, name):
        return next(step["run"] for step in self.workflow["jobs"][job]["steps"] if step.get("name") == name)


class GithubStories(Stories, GithubTest):
    NO_VERDICT = RED

    def pipeline(self, trace, branch, **variables):
        """The jobs `gate` and, on main, `renew`: each on a separate runner."""
        shutil.rmtree(self.place.folder / "runs", ignore_errors=True)
        shutil.rmtree(self.place.folder / "profgauge-report", ignore_errors=True)
        self.assertEqual(self.place.run(self.named("gate", "Record a profile"), TRACE=trace, JOB="resnet50").returncode, 0)
        after = self.place.git("rev-parse", "HEAD")
        before = self.place.git("rev-list", "--max-count=2", "HEAD").split()[-1]
        self.outputs.write_text("")
        done = self.place.run(self.named("gate", "Read what is accepted"), BEFORE=before, AFTER=after, GITHUB_OUTPUT=self.outputs)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = self.outputs.read_text().splitlines()
        self.assertEqual(lines[0], f"reason<<{lines[-1]}")
        accepted = "\n".join(lines[1:-1])
        action = next(step for step in self.workflow["jobs"]["gate"]["steps"] if step.get("uses", "").endswith("/profgauge"))
        record = action["with"]["record"].replace("${{ matrix.job }}", "resnet50")
        done, outputs = self.judge(inputs={"accept": accepted, "record": record}, TRACE=trace, **variables)
        if not branch and (self.place.folder / outputs["folder"] / "summary.md").exists():
            self.comment(FOLDER=outputs["folder"], NAME=outputs["name"])
        status = self.step("Verdict", STATUS=outputs["exit-code"], ON_NO_VERDICT="fail").returncode
        self.assertEqual(str(status), outputs["exit-code"])
        if branch:
            reports = self.place.folder / "reports"
            shutil.copytree(self.place.folder / "profgauge-report", reports / "profgauge-report-resnet50")
            added = self.place.run(self.named("renew", "Renew the history"), GITHUB_SHA=after)
            self.assertEqual(added.returncode, 0, added.stderr)
            shutil.rmtree(reports)
        return (GREEN if status == 0 else RED), done.stdout + done.stderr

    def comments(self):
        return [comment["body"] for comment in json.loads(self.store.read_text())]

    def test_the_history_is_renewed_whatever_became_of_the_run(self):
        renew = self.workflow["jobs"]["renew"]
        self.assertEqual((renew["needs"], renew["if"]), ("gate", "${{ !cancelled() && github.ref == 'refs/heads/main' }}"))
        self.pipeline(SLOW, "main")
        self.assertIn(" limits ", self.place.run("profgauge history list").stdout)


class ActionTest(GithubTest):
    def test_a_failing_run(self):
        done, outputs = self.judge(SLOW)
        self.assertEqual((outputs["exit-code"], outputs["has-alerts"]), ("1", "true"))
        self.assertIn("::error file=policy.yaml,line=5,title=limit/gpu.utilization.mean", done.stdout)
        self.assertIn("GPU idle", self.step_summary.read_text())
        sarif = self.json("profgauge-report/resnet50/profgauge.sarif")
        places = {(location["physicalLocation"]["artifactLocation"]["uri"], location["physicalLocation"]["region"]["startLine"])
                  for result in sarif["runs"][0]["results"] for location in result["locations"]}
        self.assertIn(("policy.yaml", 5), places)

    def test_a_profile_instead_of_a_job(self):
        shutil.copy(SLOW, self.place.folder / "run.json.gz")
        done, outputs = self.judge(inputs={"job": "", "profile": "run.json.gz", "name": "small", "policy": "builtin:strict",
                                           "config": "profgauge.yaml", "baseline": "history:main~3", "baseline-missing": "no_verdict",
                                           "history": "other.db", "report": "out"})
        self.assertEqual((outputs["name"], outputs["folder"], outputs["exit-code"]), ("small", "out", "1"), done.stderr)
        report = self.json("out/report.json")
        self.assertEqual((report["verdict"]["policy"], report["baseline"]["source"]), ("out/policy.yaml", "history:main~3"))
        self.assertEqual((self.place.folder / "out/policy.yaml").read_text(),
                         'schema: 1\nextends: ["builtin:strict"]\nbaseline: {missing: no_verdict}\n')
        self.assertEqual(report["baseline"]["state"], "first")

    def test_a_policy_outside_of_the_reports_repository(self):
        source = self.place.folder / "src"
        source.mkdir()
        (source / "policy.yaml").write_text("schema: 1\nthresholds:\n  profile.kernel_time: {max: 1ms}\n")
        shutil.copy(SLOW, self.place.folder / "run.json.gz")
        with tempfile.TemporaryDirectory() as report:
            done, outputs = self.judge(inputs={"job": "", "profile": "run.json.gz", "name": "small", "policy": "src/policy.yaml",
                                               "baseline-missing": "no_verdict", "report": report})
            self.assertEqual(outputs["exit-code"], "1", done.stderr)
        self.assertEqual([path.name for path in source.iterdir()], ["policy.yaml"])

    def test_missing_files_are_errors(self):
        (self.place.folder / "broken.json").write_text("no trace")
        done, outputs = self.judge(self.place.folder / "broken.json")
        self.assertEqual((outputs["exit-code"], "has-alerts" in outputs), ("3", False))
        self.assertIn("error", done.stderr)
        self.assertEqual(self.step("Verdict", STATUS="3", ON_NO_VERDICT="fail").returncode, 3)
        done = self.step("Verdict", STATUS="3", ON_NO_VERDICT="warn")
        self.assertEqual((done.returncode, done.stdout), (0, "::warning title=profgauge::no verdict\n"))
        self.assertEqual(self.step("Verdict", STATUS="", ON_NO_VERDICT="warn").returncode, 70)
        done, outputs = self.judge(SLOW, PATH="/usr/bin:/bin")
        self.assertEqual(outputs["exit-code"], "127")
        self.assertIn("::error title=profgauge::the program is not installed", done.stdout)
        self.assertEqual(self.step("Verdict", STATUS="127", ON_NO_VERDICT="warn").returncode, 127)
        done, outputs = self.judge(SLOW, inputs={"job": ""})
        self.assertEqual(outputs["exit-code"], "2")
        self.assertIn("::error title=profgauge::the action needs 'job' or 'profile'", done.stdout)
        done, outputs = self.judge(SLOW, inputs={"job": "nobody"})
        self.assertEqual((outputs["exit-code"], "::error" in done.stdout), ("2", True))
        (self.place.folder / "profgauge.yaml").unlink()
        self.assertEqual(self.judge(SLOW)[1]["exit-code"], "2")

    def test_the_step_summary_never_exceeds_the_limit(self):
        for taken in (LIMIT - 100, LIMIT, LIMIT - 30_000, LIMIT + 5):
            self.step_summary.write_text("x" * taken)
            self.judge(SLOW)
            self.assertLessEqual(self.step_summary.stat().st_size, max(LIMIT, taken))

    def test_each_job_has_one_comment(self):
        others = [{"id": i + 1, "user": {"type": "User"}, "body": "<!-- profgauge-job:gpt --> by a person"} for i in range(5000)]
        self.store.write_text(json.dumps(others))
        for trace, name in ((SLOW, "resnet50"), (SLOW, "gpt"), (HEALTHY, "resnet50")):
            shutil.rmtree(self.place.folder / "runs", ignore_errors=True)
            self.judge(trace)
            text, comments = self.comment(NAME=name)
            self.assertEqual(text, "")
        ours = comments[5000:]
        self.assertEqual([comment["body"].splitlines()[0] for comment in ours],
                         ["<!-- profgauge-job:resnet50 -->", "<!-- profgauge-job:gpt -->"])
        self.assertIn((self.place.folder / "profgauge-report/resnet50/summary.md").read_text(), ours[0]["body"])
        self.assertIn("✗", ours[1]["body"])
        self.assertEqual(comments[:5000], others)

    def test_a_comment_that_is_refused_or_has_nothing_to_say(self):
        text, _ = self.comment()
        self.assertIn("notice: there is no profgauge-report/resnet50/summary.md", text)
        self.judge(SLOW)
        for status in ("401", "403", "404"):
            text, comments = self.comment(REFUSE=status)
            self.assertIn(f"the token may not comment ({status})", text)
            self.assertEqual(comments, [])
        (self.place.folder / "profgauge-report/resnet50/summary.md").write_text("x" * 100_000)
        self.assertEqual(len(self.comment()[1][0]["body"]), 65536)

    def test_the_comment_on_a_fork(self):
        job = yaml.safe_load((GITHUB_SAMPLES / "profgauge-comment.yml").read_text())["jobs"]["comment"]
        script = next(step["with"]["script"] for step in job["steps"] if "script" in step.get("with", {}))
        action = self.place.folder / ".github/actions/profgauge"
        action.mkdir(parents=True)
        shutil.copy(GITHUB_SAMPLES / "comment.js", action)
        payload = {"PAYLOAD": json.dumps({"workflow_run": {"head_sha": "abc", "conclusion": "failure"}})}
        self.assertEqual(self.javascript(script, HEAD_SHA="abc", **payload)[1], [])  # No report at all.
        self.judge(SLOW)
        reports = self.place.folder / "reports"
        for name in ("profgauge-report-resnet50", "profgauge-report-a$(b)", "profgauge-report-x"):
            shutil.copytree(self.place.folder / "profgauge-report", reports / name)
        (reports / "profgauge-report-x" / "number").write_text("7; rm -rf /\n")
        text, comments = self.javascript(script, HEAD_SHA="other", **payload)
        self.assertIn("#7 is not at the commit that was judged", text)
        self.assertEqual(comments, [])
        _, comments = self.javascript(script, HEAD_SHA="abc", **payload)
        self.assertEqual([(c["issue_number"], c["body"].splitlines()[0]) for c in comments], [(7, "<!-- profgauge-job:resnet50 -->")])
        self.assertRegex(comments[0]["body"].splitlines()[1],
                         r"\*\*The workflow ended with failure.\*\* The files of the pull request say: fail, \d reasons, 0 errors "
                         r"\(`tensor_core.efficiency`, `gpu.idle.mean`[a-z_., `]*\)\. They come from a fork: open the run for the "
                         r"report\.")

    def test_the_words_of_a_fork(self):
        """A verdict.json that anybody may write gives fields that look as ours do, and no text."""
        evil = '<img src=x> @team [x](https://evil.example) `a` www.evil.example'
        none = "**The workflow ended with success.** The files of the pull request have no verdict."
        say = "The files of the pull request say: "
        for verdict, says in (
                ("no JSON", none), ("[]", none), ("null", none), ("", none), ('{"status": "passed"}', none),
                (json.dumps({"status": evil}), none), ('{"status": {"toString": 1}}', none), ('{"status": "constructor"}', none),
                ('{"status": "pass"}', say + "pass, 0 reasons, 0 errors."),
                (json.dumps({"status": "fail", "reasons": [evil, 7, None, f"{evil} is 3", "gpu.idle.mean is " + evil]}),
                 "The files of the pull request differ from how the workflow ended. **The workflow ended with success.** "
                 + say + "fail, 5 reasons, 0 errors (`gpu.idle.mean`)."),
                (json.dumps({"status": "pass", "accepted": [evil], "errors": evil, "reasons": evil, "baseline": evil}),
                 "Accepted by the author of this pull request. **The workflow ended with success.** " + say
                 + "pass, 0 reasons, 0 errors.")):
            text = self.javascript(f"""console.log(require({json.dumps(str(GITHUB_SAMPLES / "comment.js"))})
                .forkText({json.dumps(verdict)}, "success"))""")[0]
            self.assertIn(says, text)
            for word in ("evil", "@", "<img", "http", "["):
                self.assertNotIn(word, text)

    def test_how_a_workflow_may_end(self):
        """`on-no-verdict: warn` succeeds without a verdict, which is no contradiction."""
        for status, ended, differs in (("no_verdict", "success", False), ("no_verdict", "failure", False), ("pass", "failure", True),
                                       ("fail", "success", True), ("no_verdict", "cancelled", True)):
            text = self.javascript(f"""console.log(require({json.dumps(str(GITHUB_SAMPLES / "comment.js"))})
                .forkText({json.dumps(json.dumps({"status": status}))}, "{ended}"))""")[0]
            self.assertEqual("differ from" in text, differs, (status, ended))

    def test_actions_and_images_are_pinned(self):
        for path in (*GITHUB_SAMPLES.glob("*.yml"), REPOSITORY / ".github/workflows/release.yml"):
            for line in path.read_text().splitlines():
                used = re.search(r"uses: ([^.\s]\S*)(.*)", line)
                if used:
                    self.assertRegex(used[1] + used[2], r"@[0-9a-f]{40} # v[0-9.]+", f"{path}: {line}")
        image = (REPOSITORY / "ci/Containerfile").read_text()
        self.assertEqual(len(re.findall(r"^FROM debian\S*@sha256:[0-9a-f]{64} ", image, re.M)), 2)
        self.assertEqual(image.count("USER 65532"), 2)
        self.assertTrue((REPOSITORY / ".dockerignore").read_text().startswith("*\n"))

    def test_the_workflow_names_the_action_and_its_inputs(self):
        used = next(step for step in self.workflow["jobs"]["gate"]["steps"] if step.get("uses", "").startswith("./"))
        self.assertLessEqual(set(used["with"]), set(self.inputs))
        jobs = {job["name"] for job in yaml.safe_load((REPOSITORY / "ci/profgauge.yaml").read_text())["jobs"]}
        self.assertLessEqual(set(self.workflow["jobs"]["gate"]["strategy"]["matrix"]["job"]), jobs)
        commented = yaml.safe_load((GITHUB_SAMPLES / "profgauge-comment.yml").read_text())
        self.assertEqual(commented[True]["workflow_run"]["workflows"], [self.workflow["name"]])  # YAML's `on`.

    def test_installing_a_release(self):
        """The action's first step, and the job that has no action: right, forged, missing, and none asked for."""
        self.assertEqual(self.steps["Install profgauge"]["run"], '"$HERE/install.sh"')
        self.assertTrue(self.named("renew", "Install profgauge").endswith("/install.sh"))
        self.assertIn(f'kVersion = "{self.workflow["env"]["VERSION"]}"', (REPOSITORY / "include/profgauge/version.h").read_text())
        machine = os.uname().machine
        inside = self.place.folder / "profgauge-0" / "bin"
        inside.mkdir(parents=True)
        shutil.copy(PROGRAM, inside / "profgauge")
        release = self.place.folder / "someone/profgauge/releases/download/v0.1.0"
        release.mkdir(parents=True)
        tarball = release / f"profgauge-0.1.0-linux-{machine}.tar.gz"
        subprocess.run(["tar", "-czf", tarball, "profgauge-0"], cwd=self.place.folder, check=True)
        right = hashlib.sha256(tarball.read_bytes()).hexdigest()
        # curl -fsSL --retry 3 --output FILE ADDRESS, of a server that has this folder.
        self.place.script("bin/curl", f'#!/bin/sh\n[ -e "{self.place.folder}/${{6#https://host/}}" ] || exit 22\n'
                          f'cp "{self.place.folder}/${{6#https://host/}}" "$5"\n')
        paths = self.place.folder / "path"

        def install(listed, version="0.1.0", repository="someone/profgauge", sha256=""):
            (release / "SHA256SUMS").write_text(f"{'1' * 64}  x{tarball.name}\n" + (f"{listed}  {tarball.name}\n" if listed else ""))
            paths.write_text("")
            done = self.place.run(self.steps["Install profgauge"]["run"], shell=BASH, HERE=GITHUB_SAMPLES, RUNNER_TEMP=self.place.folder,
                                  GITHUB_PATH=paths, GITHUB_SERVER_URL="https://host", VERSION=version, REPOSITORY=repository,
                                  SHA256=sha256)
            return done.returncode, done.stdout, paths.read_text().strip()

        for given in (dict(listed=right), dict(listed="", sha256=right), dict(listed="0" * 64, sha256=right)):
            status, _, added = install(**given)
            self.assertEqual(status, 0, given)
            self.assertTrue((pathlib.Path(added) / "profgauge").exists())
        for given, says in ((dict(listed="0" * 64), "differs"), (dict(listed=""), "differs"),
                            (dict(listed=right, sha256="0" * 64), "differs"), (dict(listed=right, version="9.9.9"), "cannot be fetched"),
                            (dict(listed=right, version=""), "needs both"), (dict(listed=right, repository=""), "needs both")):
            status, text, added = install(**given)
            self.assertEqual((status, added), (1, ""), given)
            self.assertIn("::error title=profgauge::", text)
            self.assertIn(says, text)
        self.assertEqual(install(listed=right, version="", repository=""), (0, "", ""))


if __name__ == "__main__":
    main()
