"""Every ending leaves every output: an output that is no report states it under its own schema, with the same
code and sentence, and an earlier report is gone.
"""
import json
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree as xml
import zipfile

from support import REPOSITORY, SANITIZED, main, run

try:
    import jsonschema
except ImportError:
    jsonschema = None  # Then the report is only parsed.

EXAMPLES = REPOSITORY / "examples"
TRACE = "run.pt.trace.json.gz"
# The outputs of the page's table; a folder has several.
OUTPUTS = {
    "html-dir": "page", "junit": "junit.xml", "sarif": "alerts.sarif", "github": "github.txt",
    "code-quality": "codequality.json", "metrics": "metrics.prom", "summary": "summary.md", "trace": "events.json",
}
MISTAKES = """schema: 1
thresholds:
  gpu.idle.meen: {max: 10%}
fail_on: sometimes
colour: red
"""


def workplace(folder):
    shutil.copy(EXAMPLES / "healthy.pt.trace.json.gz", folder / TRACE)
    (folder / "truncated.json.gz").write_bytes((folder / TRACE).read_bytes()[:2000])
    (folder / "foreign.json").write_text('{"hello": [1, 2]}\n')
    (folder / "policy.yaml").write_text(MISTAKES)
    (folder / "report.json").write_text('{"schema": 99, "profile": {}, "verdict": {}}')


# name: arguments, exit code, code of an error.
ENDINGS = {
    "missing": (("check", "nothing.json"), 3, "input/missing"),
    "truncated": (("check", "truncated.json.gz"), 3, "gzip/truncated"),
    "foreign": (("check", "foreign.json"), 3, None),
    "report": (("report", "nothing.json"), 3, "input/missing"),
    "exit zero": (("check", "nothing.json", "--exit-zero"), 0, "input/missing"),
    "policy": (("check", TRACE, "-p", "policy.yaml"), 2, "policy/unknown-metric"),
    "no policy": (("check", TRACE, "-p", "nothing.yaml"), 2, "config/missing"),
    "baseline": (("check", TRACE, "--baseline", "nothing.json"), 2, None),
    "memory": (("check", TRACE, "--max-memory", "2MB"), 3, "input/too-large"),
    "compare": (("compare", TRACE, "nothing.json"), 3, "input/missing"),
    "render": (("render", "report.json"), 3, "report/newer-schema"),
    "option": (("check", TRACE, "--polcy", "policy.yaml"), 2, "usage/unknown-option"),
    "value": (("compare", TRACE, TRACE, "--fail-on=sometimes"), 2, "usage/bad-value"),
    "nothing to judge": (("check",), 2, "usage/missing-argument"),
    "configuration": (("compare", TRACE, TRACE, "--config", "nothing.yaml"), 2, "config/missing"),
    "job": (("report", "--job", "gpt"), 2, "usage/missing-argument"),
}


class EndingsTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        workplace(self.folder)

    def outputs(self, command):
        """The options of `command` and the files that they leave."""
        events = command in ("check", "report")
        given = [f"{kind}={path}" for kind, path in OUTPUTS.items() if events or kind != "trace"]
        return ["--out", "out", *(word for one in given for word in ("--write", one))]

    def text(self, path):
        return (self.folder / path).read_text()

    def hold_junit(self):
        """JUnit XML is as Jenkins takes it; ci_schema_test.cc compares the other formats with theirs."""
        if shutil.which("xmllint"):
            done = subprocess.run(["xmllint", "--noout", "--schema", REPOSITORY / "tests/schemas/junit.xsd", self.folder / "junit.xml"],
                                  text=True, capture_output=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)

    def hold(self, code, exit_code):
        """All outputs have the error; returns its sentence."""
        report = json.loads(self.text("out/report.json"))
        self.assertEqual(report["schema"], 2)
        self.assertNotIn("profile", report)
        self.assertEqual(report["verdict"]["exit_code"], exit_code)
        self.hold_junit()
        codes = [error["code"] for error in report["errors"]]
        code = code or codes[0]
        self.assertIn(code, codes)
        if jsonschema:
            schema = json.loads(run("schema", "report").stdout)
            jsonschema.Draft202012Validator(schema).validate(report)
        sentence = report["errors"][codes.index(code)]["message"]
        suites = xml.fromstring(self.text("junit.xml"))
        self.assertEqual((suites.get("tests"), suites.get("errors")), ("1", "1"))
        error = suites.find("testsuite/testcase/error")
        self.assertEqual(error.get("type"), codes[0])
        self.assertIn(sentence, error.text)
        sarif = json.loads(self.text("alerts.sarif"))["runs"][0]
        self.assertEqual(sarif["results"], [])
        invocation = sarif["invocations"][0]
        self.assertEqual((invocation["executionSuccessful"], invocation["exitCode"]), (False, exit_code))
        issues = json.loads(self.text("codequality.json"))
        self.assertIn(code, [issue["check_name"] for issue in issues])
        self.assertEqual({issue["severity"] for issue in issues}, {"blocker"})
        self.assertEqual(len({issue["fingerprint"] for issue in issues}), len(issues))
        self.assertRegex(self.text("github.txt"), rf"(?m)^::error file=[^:]+,line=\d+,title={code}::")
        state = report["verdict"]["status"]
        metrics = self.text("metrics.prom")
        self.assertIn(f'state="{state}"}} 1\n', metrics)
        self.assertTrue(metrics.endswith("# EOF\n"))
        self.assertNotIn("profgauge_gpu", metrics)
        for path in ("summary.md", "out/report.md"):
            head = {"no_verdict": "### ? NO VERDICT · ", "not_judged": "### ! NOT JUDGED · "}[state]
            self.assertTrue(self.text(path).startswith(head), self.text(path))
            self.assertIn(f"`{code}`", self.text(path))
        for path in ("out/report.html", "page/index.html"):
            self.assertIn(code, self.text(path))
        with zipfile.ZipFile(self.folder / "out" / "report.xlsx") as book:
            strings = book.read("xl/sharedStrings.xml").decode()
        self.assertIn(code, strings)
        self.assertFalse((self.folder / "events.json").exists())
        return sentence

    def test_every_ending_leaves_every_output(self):
        earlier = run("report", TRACE, *self.outputs("report"), cwd=self.folder)
        self.assertEqual(earlier.returncode, 0, earlier.stderr)
        self.assertTrue((self.folder / "events.json").exists())
        for name, (arguments, exit_code, code) in ENDINGS.items():
            if SANITIZED and name == "memory":
                continue
            with self.subTest(name):
                done = run(*arguments, *self.outputs(arguments[0]), cwd=self.folder)
                self.assertEqual(done.returncode, exit_code, done.stderr)
                if arguments[0] == "compare" or arguments[0] == "render":
                    (self.folder / "events.json").unlink(missing_ok=True)
                sentence = self.hold(code, exit_code).replace("\u202f", " ")
                self.assertIn(sentence, done.stderr)

    def test_all_mistakes_of_a_policy_are_in_the_outputs(self):
        run("check", TRACE, "-p", "policy.yaml", *self.outputs("check"), cwd=self.folder)
        annotations = self.text("github.txt").splitlines()
        self.assertEqual([re.search(r"line=(\d+)", line)[1] for line in annotations], ["3", "4", "5"])
        self.assertTrue(all("file=policy.yaml" in line for line in annotations))

    def test_a_failed_output_stops_no_other_output(self):
        (self.folder / "page").write_text("no folder")
        done = run("check", TRACE, *self.outputs("check"), cwd=self.folder)
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertEqual(json.loads(self.text("out/report.json"))["errors"][0]["code"], "output/cannot-create")
        self.assertTrue((self.folder / "junit.xml").exists())

    def test_a_changed_report_is_drawn_or_refused(self):
        """Parents that are no rows, and limits without a text."""
        done = run("report", REPOSITORY / "examples/slow.pt.trace.json.gz", "--json", "whole.json", "-q", cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads((self.folder / "whole.json").read_text())
        tree = report["tables"]["op_tree"]
        place = [column["id"] for column in tree["columns"]].index("parent")
        for parent in (10 ** 12, -7, len(tree["rows"])):
            tree["rows"][2][place] = parent
            (self.folder / "changed.json").write_text(json.dumps(report))
            done = run("render", "changed.json", "--out", "drawn", cwd=self.folder)
            self.assertIn(done.returncode, (0, 1), done.stderr)
        missed = next(row for row in report["gate"] if row["status"] in ("error", "warn"))
        report["gate"] = [{**missed, "limit": ""}, missed]
        (self.folder / "changed.json").write_text(json.dumps(report))
        self.assertIn(run("render", "changed.json", cwd=self.folder).returncode, (0, 1, 3))

    def test_a_mistyped_file_has_a_similar_one(self):
        (self.folder / "run").mkdir()
        (self.folder / "run/a.pt.trace.json.gz").write_bytes(b"x")
        for path in ("run/a.pt.trace.json", "run/a.pt.tracejson.gz"):
            done = run("check", path, cwd=self.folder)
            self.assertEqual(done.returncode, 3)
            self.assertIn("help: did you mean `run/a.pt.trace.json.gz`?", done.stderr)
        self.assertIn("help: check the path", run("check", "nowhere/x.json", cwd=self.folder).stderr)

    def test_an_ending_is_no_report_to_draw(self):
        run("check", "nothing.json", "--json", "ended.json", cwd=self.folder)
        done = run("render", "ended.json", cwd=self.folder)
        self.assertEqual(done.returncode, 3)
        self.assertIn("[report/ended-early]", done.stderr)

    def test_a_verdict_is_no_report_for_the_history(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            workplace(folder)
            run("check", TRACE, "--config", "none", "--write", "verdict=verdict.json", "-q", cwd=folder)
            done = run("history", "add", TRACE, "--config", "none", "--db", "h.db", "--verdict", "verdict.json", cwd=folder)
            self.assertEqual(done.returncode, 2)
            self.assertIn("`verdict.json` is the verdict of a check without its comparison", done.stderr)
            self.assertIn("[usage/verdict-file]", done.stderr)

    def test_a_mistyped_output_is_no_reason_to_write_over_files_of_others(self):
        (self.folder / "junit.xml").write_text("mine")
        done = run("check", "nothing.json", "--write", "junit=junit.xml", "--json", "r.json", "--force", cwd=self.folder)
        self.assertEqual((done.returncode, self.text("junit.xml")), (3, "mine"))
        self.assertEqual(json.loads(self.text("r.json"))["schema"], 2)


if __name__ == "__main__":
    main()
