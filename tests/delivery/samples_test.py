"""The samples for GitLab and Jenkins, and the reading of accepted results: their shell parts, executed
as they are written. Those for GitHub have github_test.py, scripts for Slurm and cron jobs_test.py.
"""
import json
import re
import shutil
import unittest

from samples_support import GREEN, RED, SLOW, YELLOW, SampleTest, Stories, yaml
from support import REPOSITORY, main

# GitLab's notes for curl, in a file, and the artifact of `renew`; fails where REFUSE is set.
CURL = """#!/usr/bin/env python3
import json, os, pathlib, shutil, sys
words = sys.argv[1:]
if words[-1] == "https://gitlab.example/api/v4/projects/1/jobs/artifacts/main/raw/profgauge-history.db?job=renew":
    assert "JOB-TOKEN: of the job" in words and "--location" not in words
    kept, out = pathlib.Path(os.environ["KEPT"]), pathlib.Path(words[words.index("--output") + 1])
    code = os.environ.get("ANSWER") or (200 if kept.exists() else 404)
    shutil.copy(kept, out) if code == 200 else out.write_text(os.environ.get("SAYS", '{"message":"404 Not found"}'))
    print(code, end="")
    sys.exit()
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


class GitlabTest(Stories, SampleTest):
    NO_VERDICT = YELLOW
    FAILED_MAIN = YELLOW  # GitLab hands on the history of pipelines that succeed.

    def setUp(self):
        super().setUp()
        self.jobs = yaml.safe_load((REPOSITORY / "ci/gitlab/profgauge.gitlab-ci.yml").read_text())
        self.job = self.jobs["performance"]
        self.notes = self.place.folder / "notes.json"
        self.kept = self.place.folder.parent / f"{self.place.folder.name}.db"
        self.addCleanup(lambda: self.kept.unlink(missing_ok=True))
        (self.place.folder / "ci/gitlab").mkdir(parents=True)
        shutil.copy(REPOSITORY / "ci/gitlab/note.sh", self.place.folder / "ci/gitlab")
        self.place.script("bin/curl", CURL)

    def pipeline(self, trace, branch, **variables):
        """The jobs `performance` and, on main, `renew`, whose artifact the test finds in the checkout."""
        shutil.rmtree(self.place.folder / "runs", ignore_errors=True)  # GitLab cleans the checkout.
        shutil.rmtree(self.place.folder / "profgauge-report", ignore_errors=True)
        history = self.place.folder / "profgauge-history.db"
        if history.exists():
            shutil.move(history, self.kept)
        elif self.kept.exists():
            self.kept.unlink()  # A test has removed it.
        where = {"CI_COMMIT_BRANCH": branch} if branch else {"CI_MERGE_REQUEST_IID": "7", "PROFGAUGE_TOKEN": "secret"}
        before = self.place.git("rev-list", "--max-count=2", "HEAD").split()[-1]
        where["CI_COMMIT_BEFORE_SHA" if branch else "CI_MERGE_REQUEST_DIFF_BASE_SHA"] = before

        def run(job):
            return self.place.run("\n".join(job["before_script"] + job["script"]), shell=("bash", "-eo", "pipefail"),
                                  GITLAB_CI="true", CI_PROJECT_DIR=self.place.folder, CI_DEFAULT_BRANCH="main", TRACE=trace,
                                  GITLAB_USER_LOGIN="anna", CI_COMMIT_SHA=self.place.git("rev-parse", "HEAD"), CI_PROJECT_ID="1",
                                  COMMENTS=self.notes, CI_API_V4_URL="https://gitlab.example/api/v4", KEPT=self.kept,
                                  CI_JOB_TOKEN="of the job", **{**where, **variables})
        done = run(self.job)
        is_allowed = branch == "main" or done.returncode in self.job["allow_failure"]["exit_codes"]
        colour = GREEN if done.returncode == 0 else YELLOW if is_allowed else RED
        if branch == "main" and done.returncode != 127:
            added = run(self.jobs["renew"])
            colour = colour if added.returncode == 0 else RED
            return colour, done.stdout + done.stderr + added.stdout + added.stderr
        if self.kept.exists():
            shutil.copy(self.kept, history)
        return colour, done.stdout + done.stderr

    def comments(self):
        if not shutil.which("jq"):
            self.skipTest("not installed: jq")
        return [note["body"] for note in json.loads(self.notes.read_text())]

    def test_the_files_that_gitlab_shows(self):
        self.assertEqual(self.pipeline(SLOW, "")[0], RED)
        self.exists(*self.job["artifacts"]["reports"].values())
        issues = self.json("profgauge-report/resnet50/codequality.json")
        self.assertIn(("policy.yaml", 5), {(issue["location"]["path"], issue["location"]["lines"]["begin"]) for issue in issues})

    def test_the_history_is_what_main_wrote(self):
        """A merge request brings none, and an answer that is no history is not taken for a first run."""
        renew, rules = self.jobs["renew"], self.job["rules"]
        of_main = "$CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH"
        self.assertEqual((renew["rules"], renew["needs"]), ([{"if": of_main, "when": "always"}], ["performance"]))
        self.assertEqual([rule.get("allow_failure") for rule in rules if rule["if"] == of_main], [True])
        self.assertNotIn("cache", {*self.job, *renew})
        self.five_runs()
        (self.place.folder / "profgauge-history.db").write_text("of the branch")
        self.kept.unlink(missing_ok=True)
        colour, log = self.pipeline(self.record(), "", ANSWER="404")
        self.assertEqual(colour, GREEN, log)
        self.assertIn("nothing was compared", " ".join(log.split()))
        for answer, says in (("404", '{"message":"404 Project Not Found"}'), ("401", ""), ("302", ""), ("500", "")):
            colour, log = self.pipeline(self.record(), "", ANSWER=answer, SAYS=says)
            self.assertEqual(colour, RED, log)
            self.assertIn(f"no history from GitLab, answer {answer}", log)

    @unittest.skipUnless(shutil.which("jq"), "not installed: jq")
    def test_the_words_of_a_fork(self):
        """A verdict.json that anybody may write gives fields that look as ours do, and no text."""
        evil = '<img src=x> @team [x](https://evil.example) `a` www.evil.example'
        none = "**The job ended with exit code 0.** The files of the merge request have no verdict."
        say = "The files of the merge request say: "
        report = self.place.folder / "profgauge-report/resnet50"
        report.mkdir(parents=True)
        (report / "summary.md").write_text(evil)
        (report.parent / "x --> @team").mkdir()
        (report.parent / "x --> @team/summary.md").write_text(evil)
        (report.parent / "a").mkdir()
        (report.parent / "a/summary.md").symlink_to("/proc/self/environ")
        for verdict, says in (
                ("no JSON", none), ("[]", none), ("null", none), ("", none), ('{"status": "passed"}', none), ('{"status": "as"}', none),
                (json.dumps({"status": evil}), none), ('{"status": ["pass"]}', none), ('{"status": "pass"}' + " " * (1 << 20), none),
                ("[" * 100_000, none), (None, none), ('{"status": "pass"}', say + "pass, 0 reasons, 0 errors."),
                (json.dumps({"status": "fail", "reasons": [evil, 7, None, f"{evil} is 3", "gpu.idle.mean is " + evil]}),
                 "The files of the merge request differ from how the job ended. **The job ended with exit code 0.** "
                 + say + "fail, 5 reasons, 0 errors (`gpu.idle.mean`)."),
                (json.dumps({"status": "pass", "accepted": [evil], "errors": evil, "reasons": evil, "baseline": evil}),
                 "Accepted by the author of this merge request. **The job ended with exit code 0.** " + say
                 + "pass, 0 reasons, 0 errors.")):
            (report / "verdict.json").unlink(missing_ok=True)
            if verdict is not None:
                (report / "verdict.json").write_text(verdict)
            self.notes.unlink(missing_ok=True)
            done = self.place.run("sh ci/gitlab/note.sh profgauge-report 0", COMMENTS=self.notes, CI_PROJECT_ID="1",
                                  CI_MERGE_REQUEST_IID="7", CI_MERGE_REQUEST_PROJECT_ID="1", CI_MERGE_REQUEST_SOURCE_PROJECT_ID="2",
                                  PROFGAUGE_TOKEN="secret", CI_API_V4_URL="https://gitlab.example/api/v4")
            self.assertEqual(done.returncode, 0, done.stderr)
            notes = json.loads(self.notes.read_text())
            self.assertEqual(len(notes), 1, (verdict, notes))
            self.assertIn(says, notes[0]["body"])
            for word in ("evil", "@", "<img", "http", "[", "secret"):
                self.assertNotIn(word, notes[0]["body"])

    @unittest.skipUnless(shutil.which("jq"), "not installed: jq")
    def test_the_note_is_updated_not_repeated(self):
        self.notes.write_text(json.dumps([{"id": i + 1, "body": "by a person"} for i in range(150)]))
        self.pipeline(SLOW, "")
        self.request()
        notes = json.loads(self.notes.read_text())
        self.assertEqual(len(notes), 151)
        self.assertTrue(notes[150]["body"].startswith("<!-- profgauge-job:resnet50 -->\n"))
        self.assertIn("✓", notes[150]["body"])

    def test_an_unwritten_note_is_reported_and_fails_nothing(self):
        for variables, words in (({"PROFGAUGE_TOKEN": ""}, "PROFGAUGE_TOKEN is not set"), ({"REFUSE": "1"}, "GitLab gave no notes"),
                                 ({"CI_MERGE_REQUEST_IID": ""}, "this is no pipeline of a merge request")):
            colour, log = self.pipeline(self.record(), "", **variables)
            self.assertEqual(colour, GREEN, log)
            self.assertIn(f"note.sh: {words}: no note", log)
        done = self.place.run("sh ci/gitlab/note.sh nowhere", CI_MERGE_REQUEST_IID="7", PROFGAUGE_TOKEN="secret", CI_API_V4_URL="x",
                              CI_PROJECT_ID="1")
        self.assertIn("there is no summary.md in nowhere", done.stderr)

    def test_a_history_that_cannot_be_written_is_red(self):
        (self.place.folder / "profgauge-history.db").write_text("no history")
        colour, log = self.pipeline(self.record(), "main", PROFGAUGE_BASELINE="")
        self.assertEqual(colour, RED, log)
        self.assertIn("history add", self.jobs["renew"]["script"][0])


class JenkinsTest(Stories, SampleTest):
    NO_VERDICT = YELLOW  # Jenkins says unstable.

    def setUp(self):
        super().setUp()
        self.text = (REPOSITORY / "ci" / "Jenkinsfile").read_text()
        self.kept = self.place.folder.parent / f"{self.place.folder.name}.db"
        self.addCleanup(lambda: self.kept.unlink(missing_ok=True))

    def pipeline(self, trace, branch, **variables):
        """As the stages do; the history is the artifact of the last build of main."""
        judge, add = re.findall(r"'''(.*?)'''", self.text, re.S)
        history = self.place.folder / "profgauge-history.db"
        trace = trace and shutil.copy(trace, self.kept.with_suffix("." + str(trace).split(".", 1)[1]))
        if history.exists():
            shutil.move(history, self.kept)
        elif branch == "" and self.kept.exists():
            self.kept.unlink()  # A test has removed it.
        for script in re.findall(r"sh '([^']+)'", self.text):
            self.assertEqual(self.place.run(script, shell=("sh", "-e"), TRACE=trace).returncode, 0)
        if self.kept.exists():
            shutil.copy(self.kept, history)
        before = self.place.git("rev-list", "--max-count=2", "HEAD").split()[-1]
        known = {"JENKINS_URL": "x", "WORKSPACE": self.place.folder, "GIT_COMMIT": self.place.git("rev-parse", "HEAD"),
                 "GIT_PREVIOUS_COMMIT": before, **variables}
        done = self.place.run(judge, TRACE=trace, **known)
        if branch == "main" and (self.place.folder / "profgauge-report/verdict.json").exists():
            added = self.place.run(add, **known)
            self.assertEqual(added.returncode, 0, added.stderr)
        colour = {0: GREEN, 3: YELLOW}.get(done.returncode, RED)
        return colour, done.stdout + done.stderr

    def comments(self):  # It has the page.
        text = (self.place.folder / "profgauge-report/resnet50/page/index.html").read_text()
        return [text + text.upper()]

    def test_exit_codes_become_results(self):
        self.assertIn("sh(returnStatus: true", self.text)
        self.assertRegex(self.text, r"if \(code == 3\) \{ unstable\(.*\n +else if \(code != 0\) \{ error\(")
        self.assertIn("allowEmptyResults: true", self.text)
        self.assertIn("selector: lastCompleted()", self.text)


class AcceptedTest(SampleTest):
    def accepted(self, *words):
        done = self.place.run("ci/accepted.sh " + " ".join(words))
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout, done.stderr

    def test_trailers_of_the_commits_since(self):
        before = self.place.commit("before\n\nProfgauge-Accept: too old")
        self.place.commit("one\n\nProfgauge-Accept: wider\n  model")
        self.place.commit("two\n\nSigned-off-by: anna")
        after = self.place.commit("three\n\nProfgauge-Accept: `$(id)` \"x\"")
        self.assertEqual(self.accepted(before), ('wider model\n`$(id)` "x"\n', ""))
        self.assertEqual(self.accepted(before, f"{after}~1"), ("wider model\n", ""))
        self.assertEqual(self.accepted(after), ("", ""))

    def test_without_the_commit_before_the_last_one_counts(self):
        self.place.commit("one\n\nProfgauge-Accept: one")
        self.place.commit("two\n\nProfgauge-Accept: two")
        for before in ("", "0000000000000000000000000000000000000000"):
            text, log = self.accepted(f"'{before}'")
            self.assertEqual(text, "two\n")
            self.assertIn("only the last commit is read", log)
        shutil.rmtree(self.place.folder / ".git")
        text, log = self.accepted("HEAD~1")
        self.assertEqual(text, "")
        self.assertIn("nothing is accepted", log)


if __name__ == "__main__":
    main()
