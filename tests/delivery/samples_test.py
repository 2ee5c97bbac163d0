"""The samples for GitLab and Jenkins, and the reading of accepted results: their shell parts, executed
as they are written. Those for GitHub have github_test.py, scripts for Slurm and cron jobs_test.py.
"""
import json
import re
import shutil
import unittest

from samples_support import GREEN, RED, SLOW, YELLOW, SampleTest, Stories, yaml
from support import REPOSITORY, main

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


class GitlabTest(Stories, SampleTest):
    NO_VERDICT = YELLOW

    def setUp(self):
        super().setUp()
        self.job = yaml.safe_load((REPOSITORY / "ci/gitlab/profgauge.gitlab-ci.yml").read_text())["performance"]
        self.notes = self.place.folder / "notes.json"
        (self.place.folder / "ci/gitlab").mkdir(parents=True)
        shutil.copy(REPOSITORY / "ci/gitlab/note.sh", self.place.folder / "ci/gitlab")
        self.place.script("bin/curl", CURL)

    def pipeline(self, trace, branch, **variables):
        shutil.rmtree(self.place.folder / "runs", ignore_errors=True)  # GitLab cleans the checkout.
        shutil.rmtree(self.place.folder / "profgauge-report", ignore_errors=True)
        where = {"CI_COMMIT_BRANCH": branch} if branch else {"CI_MERGE_REQUEST_IID": "7", "PROFGAUGE_TOKEN": "secret"}
        before = self.place.git("rev-list", "--max-count=2", "HEAD").split()[-1]
        where["CI_COMMIT_BEFORE_SHA" if branch else "CI_MERGE_REQUEST_DIFF_BASE_SHA"] = before
        done = self.place.run("\n".join(self.job["script"]), shell=("bash", "-eo", "pipefail"), GITLAB_CI="true",
                              CI_PROJECT_DIR=self.place.folder, CI_DEFAULT_BRANCH="main", GITLAB_USER_LOGIN="anna", TRACE=trace,
                              CI_COMMIT_SHA=self.place.git("rev-parse", "HEAD"), COMMENTS=self.notes, CI_PROJECT_ID="1",
                              CI_API_V4_URL="https://gitlab.example/api/v4", **{**where, **variables})
        is_allowed = done.returncode in self.job["allow_failure"]["exit_codes"]
        return GREEN if done.returncode == 0 else YELLOW if is_allowed else RED, done.stdout + done.stderr

    def comments(self):
        if not shutil.which("jq"):
            self.skipTest("not installed: jq")
        return [note["body"] for note in json.loads(self.notes.read_text())]

    def test_the_files_that_gitlab_shows(self):
        self.assertEqual(self.pipeline(SLOW, "")[0], RED)
        self.exists(*self.job["artifacts"]["reports"].values())
        issues = self.json("profgauge-report/resnet50/codequality.json")
        self.assertIn(("policy.yaml", 5), {(issue["location"]["path"], issue["location"]["lines"]["begin"]) for issue in issues})
        # A failed main is kept, too: without that a red main never becomes green.
        self.assertEqual((self.job["cache"]["when"], self.job["cache"]["unprotect"]), ("always", True))

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
