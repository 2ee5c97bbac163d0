"""tests/tools/consistency.py: it finds each kind of contradiction, and none in the examples."""
import contextlib
import copy
import importlib.util
import io
import pathlib
import subprocess
import sys
import tempfile
import json
import unittest

from support import PROGRAM, REPOSITORY, main

specification = importlib.util.spec_from_file_location("consistency", REPOSITORY / "tests" / "tools" / "consistency.py")
consistency = importlib.util.module_from_spec(specification)
specification.loader.exec_module(consistency)

DATA = REPOSITORY.parent / "shared" / "data"


def finding(rule, status, **more):
    return {"rule": rule, "key": rule, "status": status, "title": rule, "message": "It fires.", "reason": "", "explains": []} | more


def report():
    """A failed run of 10 ms whose headline is a loader, with a plan of one row."""
    return {"profile": {"format": "kineto", "devices": [{"name": "GPU"}]},
            "metrics": {"iteration.time.mean": {"value": 10_000_000}, "gpu.idle.mean": {"value": 0.4}},
            "verdict": {"status": "fail", "counts": {"errors": 1, "not_found": 1}},
            "gate": [{"metric": "gpu.idle.mean", "status": "error", "reason": ""}],
            "diagnosis": {"text": "Input-bound: it waits.", "finding": "io/loader",
                          "reasons": [{"text": "GPU idle time 40 % (limit 30 %)"}]},
            "plan": {"steps": [{"rules": ["io/loader"], "saves": {"basis": "simulated", "value": 4_000_000}}]},
            "findings": [finding("io/loader", "warn", explains=["gpu/gaps"], gain={"value": 4_000_000}),
                         finding("host/sync", "good", reason="1 % of the time"), finding("host/copies", "not_found"),
                         finding("gpu/gaps", "covered"), finding("comm/exposed", "not_applicable")]}


def contradictions(made, code=1, terminal=None, markdown=None, page=None, junit=None):
    reasons = [reason["text"] for reason in made["diagnosis"].get("reasons", [])]
    cases = ('<testcase classname="profgauge.limits" name="x"><failure/></testcase>' if code else "")
    cases += "".join(f'<testcase classname="profgauge.rules" name="{one["rule"]}">' +
                    ("<skipped/>" if one["status"] in ("not_applicable", "covered") else "") + "</testcase>"
                    for one in made["findings"])
    return {kind for kind, _ in consistency.check(
        made, code, "\n".join(["  fails  " + text for text in reasons] + ["  plan  "]) if terminal is None else terminal,
        "\n".join("- " + text for text in reasons) if markdown is None else markdown,
        "".join(f"<li data-reason>{text}</li>" for text in reasons) if page is None else page,
        junit or f"<testsuites><testsuite>{cases}</testsuite></testsuites>")}


class MadeReportsTest(unittest.TestCase):
    def setUp(self):
        self.report = report()
        self.findings = {one["rule"]: one for one in self.report["findings"]}

    def assertKinds(self, *kinds, **outputs):
        self.assertEqual(contradictions(self.report, **outputs), set(kinds))

    def test_right_report(self):
        self.assertKinds()

    def test_passed_beside_the_plan(self):
        self.report["plan"]["steps"].append({"rules": ["host/sync"], "saves": {"basis": "simulated"}})
        self.assertKinds("passed")

    def test_passed_beside_its_cause(self):
        self.findings["gpu/gaps"]["status"] = "good"
        self.assertKinds("passed")

    def test_passed_as_the_headline(self):
        self.report["diagnosis"]["finding"] = "host/sync"
        self.assertKinds("passed")

    def test_passed_beside_its_limit(self):
        self.report["findings"].append(finding("gpu/idle", "good"))
        self.assertKinds("passed")

    def test_old_state(self):
        self.findings["host/sync"]["status"] = "pass"
        self.assertKinds("passed")

    def test_praise(self):
        self.report["diagnosis"]["text"] = "Nothing found: kernels run."
        self.assertKinds("praise")

    def test_words_of_a_device(self):
        self.report["profile"]["devices"] = []
        self.report["metrics"]["gpu.idle.mean"] = {"absent": "no device"}
        self.report["diagnosis"]["text"] = "Host-bound: the device idles."
        self.assertKinds("cpu")

    def test_rows_are_simulated(self):
        self.report["plan"]["steps"][0]["saves"]["basis"] = "at_most"
        self.assertKinds("plan")

    def test_reasons_are_on_the_first_screen(self):
        for outputs in ({"terminal": "  plan  \nGPU idle time 40 % (limit 30 %)"}, {"markdown": ""}, {"page": "<li>GPU idle time</li>"}):
            self.assertKinds("reasons", **outputs)

    def test_a_failure_has_a_reason(self):
        self.report["diagnosis"]["reasons"] = []
        self.assertKinds("reasons")
        self.report["diagnosis"] = {}
        self.assertKinds("reasons")

    def test_exit_code_and_counts(self):
        self.assertKinds("verdict", code=0)
        self.report["verdict"]["counts"]["not_found"] = 2
        self.assertKinds("verdict")

    def test_junit(self):
        red = '<testcase classname="profgauge.limits" name="x"><failure/></testcase>'
        for cases in (red + '<testcase classname="profgauge.rules" name="comm/exposed"/>', ""):
            self.assertKinds("verdict", junit=f"<testsuites><testsuite>{cases}</testsuite></testsuites>")

    def test_words(self):
        for key, text in (("reason", "`not known(gpu.idle.mean)` is false"), ("message", "gpu.idle.mean is 3 %"),
                          ("message", "Most of the time (21.0 %) it waits."), ("message", "It takes 21 to 21 %."), ("message", "1 calls wait."),
                          ("message", "They are 1 elementwise kernels.")):
            made = copy.deepcopy(self.report)
            made["findings"][0][key] = text
            self.assertEqual(contradictions(made), {"words"}, text)
        for text in ("1 call waits.", "It takes 1 ms.", "1 of 8 ranks waits.", "`if a == b` is code.", "11 calls wait.", "Most of the time (61.0 %) it waits.", "It takes 21 to 22 %."):
            made = copy.deepcopy(self.report)
            made["findings"][0]["message"] = text
            self.assertEqual(contradictions(made), set(), text)

    def test_lint_of_a_file(self):
        self.findings["io/loader"]["message"] = "1 calls wait."
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "report.json")
            path.write_text(json.dumps(self.report))
            done = subprocess.run([sys.executable, REPOSITORY / "ci" / "lint_sentences.py", path], capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("plural: io/loader", done.stdout)


class ProfilesTest(unittest.TestCase):
    def tool(self, *folders):
        said = io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            code = consistency.main([*map(str, folders), "--program", str(PROGRAM)])
        self.assertEqual(code, 0, said.getvalue())

    def test_examples(self):
        self.tool(REPOSITORY / "examples")

    def test_profiles_of_others(self):
        folders = [folder for folder in (DATA / "claims", DATA / "labelled", DATA / "kineto" / "dlrm_8ranks") if folder.is_dir()]
        if not folders:
            self.skipTest(f"{DATA} is not here")
        self.tool(*folders)


if __name__ == "__main__":
    main()
