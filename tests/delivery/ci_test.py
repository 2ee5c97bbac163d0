"""`--ci SYSTEM` as each system runs it: the variables that it sets, the files that it reads."""
import json
import pathlib
import shutil
import tempfile
import unittest
import xml.etree.ElementTree as xml

from support import REPOSITORY, environment, main, run

EXAMPLES = REPOSITORY / "examples"
FILES = {"report.html", "report.json", "report.md", "report.xlsx", "summary.md", "junit.xml",
         "profgauge.sarif", "codequality.json", "metrics.prom", "verdict.json", "run.pgsum"}
SYSTEMS = {
    "github": {"GITHUB_ACTIONS": "true", "GITHUB_WORKSPACE": "WORK", "GITHUB_OUTPUT": "outputs.txt",
               "GITHUB_STEP_SUMMARY": "step.md"},
    "gitlab": {"GITLAB_CI": "true", "CI_PROJECT_DIR": "WORK"},
    "jenkins": {"JENKINS_URL": "http://ci/", "WORKSPACE": "WORK"},
    "buildkite": {"BUILDKITE": "true", "BUILDKITE_BUILD_CHECKOUT_PATH": "WORK"},
    "circleci": {"CIRCLECI": "true", "CIRCLE_WORKING_DIRECTORY": "~/project"},
    "generic": {"CI": "true"},
}
MORE = {"gitlab": {"profgauge.env"}, "jenkins": {"page"}}


class CiTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        for name in ("healthy", "slow"):
            shutil.copy(EXAMPLES / f"{name}.pt.trace.json.gz", self.folder)
        (self.folder / "policy.yaml").write_text("schema: 1\nextends: [builtin:recommended]\n")

    def check(self, trace, *arguments, **variables):
        env = {name: value for name, value in environment().items()
               if name != "CI" and not name.startswith(("GITHUB_", "GITLAB_", "CI_"))}
        env |= {name: str(self.folder) if value == "WORK" else value for name, value in variables.items()}
        return run("check", trace, *arguments, cwd=self.folder, env=env)

    def json(self, name):
        return json.loads((self.folder / "profgauge-report" / name).read_text())

    def test_every_system_gets_its_files(self):
        for system, variables in SYSTEMS.items():
            for choice in (system, "auto"):
                with self.subTest(system, choice=choice):
                    done = self.check("slow.pt.trace.json.gz", "-p", "policy.yaml", "--ci", choice, **variables)
                    self.assertEqual(done.returncode, 1, done.stderr)
                    folder = self.folder / "profgauge-report"
                    self.assertEqual({path.name for path in folder.iterdir()}, FILES | MORE.get(system, set()))
                    verdict = self.json("verdict.json")
                    self.assertEqual((verdict["status"], verdict["exit_code"]), ("fail", 1))
                    self.assertEqual((verdict["report"], verdict["errors"]), ("report.html", []))
                    self.assertTrue(verdict["reasons"])
                    self.assertEqual(verdict["name"], "slow")
                    xml.parse(folder / "junit.xml")
                    self.assertIn("policy.yaml", {issue["location"]["path"] for issue in self.json("codequality.json")})
                    shutil.rmtree(folder)
        outputs = (self.folder / "outputs.txt").read_text().splitlines()
        self.assertEqual(outputs[:3], ["verdict=fail", "exit-code=1", "report=profgauge-report/report.html"])
        self.assertEqual((self.folder / "step.md").read_text().count("<!-- profgauge:slow -->"), 2)

    def test_annotations_of_github_are_on_standard_output(self):
        done = self.check("slow.pt.trace.json.gz", "--ci", "github", **SYSTEMS["github"])
        self.assertTrue(done.stdout.startswith("::error file="), done.stdout)

    def test_variables_of_gitlab(self):
        self.check("slow.pt.trace.json.gz", "--ci", "gitlab", "--exit-zero", **SYSTEMS["gitlab"])
        self.assertEqual((self.folder / "profgauge-report/profgauge.env").read_text(),
                         "PROFGAUGE_VERDICT=fail\nPROFGAUGE_EXIT=0\nPROFGAUGE_AGAIN=false\n"
                         "PROFGAUGE_REPORT=profgauge-report/report.html\n")

    def test_no_system_means_no_files(self):
        done = self.check("healthy.pt.trace.json.gz", "--ci", "auto")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("note: no CI system was found, so `--ci auto` writes no files; `--ci generic` writes them\n", done.stderr)
        self.assertFalse((self.folder / "profgauge-report").exists())

    def test_options_for_single_outputs_win(self):
        self.check("healthy.pt.trace.json.gz", "--ci", "generic", "--out", "here", "--write", "junit=tests.xml")
        self.assertTrue((self.folder / "tests.xml").exists())
        self.assertTrue((self.folder / "here/verdict.json").exists())
        self.assertFalse((self.folder / "here/junit.xml").exists())

    def test_an_ending_without_a_report_leaves_them_too(self):
        self.check("healthy.pt.trace.json.gz", "--ci", "github", **SYSTEMS["github"])
        done = self.check("nothing.json", "--ci", "github", **SYSTEMS["github"])
        self.assertEqual(done.returncode, 3)
        verdict = self.json("verdict.json")
        self.assertEqual((verdict["status"], verdict["exit_code"], verdict["errors"]),
                         ("no_verdict", 3, ["input/missing"]))
        self.assertFalse((self.folder / "profgauge-report/run.pgsum").exists())
        self.assertEqual((self.folder / "outputs.txt").read_text().splitlines()[4:6],
                         ["verdict=no_verdict", "exit-code=3"])

    def test_the_summary_of_the_run_renews_a_history_and_a_baseline(self):
        self.check("healthy.pt.trace.json.gz", "--ci", "generic")
        (self.folder / "again").mkdir()
        alone = run("summarize", "healthy.pt.trace.json.gz", "-o", "again/run.pgsum", cwd=self.folder)
        self.assertEqual(alone.returncode, 0, alone.stderr)
        self.assertEqual((self.folder / "again/run.pgsum").read_bytes(),
                         (self.folder / "profgauge-report/run.pgsum").read_bytes())
        added = run("history", "add", "profgauge-report/run.pgsum", "--branch", "main", cwd=self.folder)
        self.assertEqual(added.returncode, 0, added.stderr)
        done = self.check("slow.pt.trace.json.gz", "--baseline", "history:main~5", "--json", "r.json")
        self.assertIn(done.returncode, (1, 3), done.stderr)


if __name__ == "__main__":
    main()
