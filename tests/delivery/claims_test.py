"""tests/tools/claims.py: it finds what made reports break, and nothing in the examples."""
import copy
import importlib.util
import io
import contextlib
import pathlib
import tempfile
import unittest

from support import PROGRAM, REPOSITORY, main

TOOL = REPOSITORY / "tests" / "tools" / "claims.py"
specification = importlib.util.spec_from_file_location("claims", TOOL)
claims = importlib.util.module_from_spec(specification)
specification.loader.exec_module(claims)

DATA = REPOSITORY.parent / "shared" / "data"


def table(**columns):
    return {"columns": [{"id": name} for name in columns], "rows": [list(row) for row in zip(*columns.values())]}


def saving(basis, value=None, text="", **more):
    return {"basis": basis, "unit": "ns", "text": text} | ({} if value is None else {"value": value}) | more


def step(rule, time, saves, alone=None, **more):
    return {"findings": [rule], "rules": [rule], "fired": True, "time": {"value": time}, "saves": saves,
            "alone": {"value": saves["value"] if alone is None else alone}} | more


def report():
    """Two iterations of 10 ms: 4 ms of launches, 3 ms of copies, 2 ms of transfers, 3 ms of kernels."""
    findings = [("host/launch-bound", saving("simulated", 4_000_000, "saves 4.00 ms")),
                ("host/exposed-copies", saving("simulated", 3_000_000, "saves 3.00 ms")),
                ("comm/exposed", saving("at_most", 2_000_000, "saves at most 2.00 ms")),
                ("memory/page-migrations", saving("about", 120_000, "saves about 120 µs")),
                ("gpu/small-grids", saving("unknown", None, "saving unknown", why="no scenario narrows it"))]
    return {"findings": [{"rule": rule, "key": rule, "status": "warn", "gain": gain} for rule, gain in findings],
            "plan": {"start": {"value": 10_000_000}, "end": {"value": 3_000_000}, "floor": {"time": {"value": 2_000_000}},
                     "steps": [step("host/launch-bound", 6_000_000, saving("simulated", 4_000_000, "saves 4.00 ms")),
                               step("host/exposed-copies", 3_000_000, saving("simulated", 3_000_000, "saves 3.00 ms"))]},
            "metrics": {"gpu.idle.mean": {"value": 0.45}, "gpu.idle.time.mean": {"value": 4_500_000},
                        "gpu.idle_cause.host_wait": {"value": 0.3}, "gpu.idle_cause.launch_latency": {"value": 0.1}},
            "tables": {"gpus": table(rank=[0], id=[0]), "memcpys": table(exposed_time=[6_000_000]),
                       "ranks": table(id=[0], iterations=[2], compute_time=[6_000_000], exposed_communication=[4_000_000],
                                      transfer_exposed=[4_000_000], waiting_exposed=[None], compute_only=[5_000_000])}}


def outputs(made):
    """The outputs of a program that prints the texts of the report."""
    texts = [(finding["key"], finding["gain"]["text"]) for finding in made["findings"]]
    steps = made["plan"]["steps"]
    return claims.Outputs(
        made,
        "\n".join([f"    {i}. → 6.00 ms  {row['saves']['text']}  rule" for i, row in enumerate(steps, 1)] +
                  [f"  warn   {rule}  12.0 %   {text}/iteration\n         Something." for rule, text in texts]),
        "\n".join([f"{i}. **→ 6.00 ms**, {row['saves']['text']} (−30.0 %) · `rule`" for i, row in enumerate(steps, 1)] +
                  [f"| ▲ warning | `{rule}` | 12.0 % | {text} | Something. |\n\n`{rule}` · {text}\n" for rule, text in texts]),
        "".join(f"<title>Step {i} {row['saves']['text']}</title>" for i, row in enumerate(steps, 1)) +
        "".join(f"<details class=\"finding warn\"><span class=gain>{text} per iteration</span>"
                f"<p class=\"small mute\">Rule <code class=copy>{rule}</code></p>" for rule, text in texts),
        {rule: ["Title", text] for rule, text in texts},
        [{"key": finding["key"], "rule": finding["rule"], "gain": finding["gain"].get("value"),
          "gain_basis": finding["gain"]["basis"], "gain_text": finding["gain"]["text"]} for finding in made["findings"]],
        {("stream 7", "kernel"): 2_900_000, ("stream 7", "copy"): 3_000_000})


def broken(made):
    """The invariants that all outputs of a report break, and the texts."""
    found = claims.check_all(made if isinstance(made, claims.Outputs) else outputs(made)).broken
    return {invariant for invariant, _ in found}, [text for _, text in found]


class MadeReportsTest(unittest.TestCase):
    def setUp(self):
        self.report = report()
        self.claims = {finding["rule"]: finding["gain"] for finding in self.report["findings"]}
        self.steps = self.report["plan"]["steps"]

    def assertBreaks(self, *invariants):
        found, texts = broken(self.report)
        self.assertEqual(found, set(invariants), texts)

    def test_right_report(self):
        self.assertBreaks()
        checked = claims.check_all(outputs(self.report)).checked
        self.assertEqual(set(checked), set(claims.INVARIANTS))

    def test_range(self):
        self.steps[0]["saves"] = self.claims["host/launch-bound"] = saving("simulated", 4_000_000, "saves 3.50 to 4.00 ms", low=3_500_000)
        self.assertBreaks("I4")
        self.steps[0]["time"]["high"] = 6_500_000
        self.report["findings"][0]["gain"] = self.steps[0]["saves"]
        self.assertBreaks()

    def test_costs(self):
        self.claims["comm/exposed"] |= saving("at_most", 2_010_000, "saves at most 2.01 ms")
        self.assertBreaks("I2")

    def test_overlap_needs_computation(self):
        self.report["tables"]["ranks"]["rows"][0][-1] = 1_000_000
        self.assertBreaks("I2")

    def test_row_and_finding_differ(self):
        self.steps[1]["alone"]["value"] = 2_999_000
        self.assertBreaks("I3")

    def test_first_row_is_alone(self):
        self.steps[0]["alone"]["value"] = 3_999_000
        self.assertBreaks("I3")

    def test_rows_add_up(self):
        self.steps[1]["time"]["value"] = self.report["plan"]["end"]["value"] = 3_100_000
        self.assertBreaks("I4")

    def test_time_falls(self):
        self.report["plan"]["steps"].append(step("gpu/idle", 4_000_000, saving("simulated", -1_000_000, "saves nothing")))
        self.report["plan"]["end"]["value"] = 4_000_000
        self.assertBreaks("I4")

    def test_floor(self):
        self.report["plan"]["floor"]["time"]["value"] = 3_001_000
        self.assertBreaks("I5")

    def test_hidden_work_still_runs(self):
        made = outputs(self.report)
        made.streams["stream 7", "kernel"] = 3_100_000
        self.assertEqual(broken(made)[0], {"I5"})

    def test_launches(self):
        self.report["metrics"]["gpu.idle_cause.host_wait"]["value"] = 0.1
        self.assertBreaks("I6")

    def test_rows_are_simulated(self):
        self.steps[1]["saves"] |= saving("at_most", text="saves at most 3.00 ms")
        self.claims["host/exposed-copies"] |= saving("at_most", text="saves at most 3.00 ms")
        found, texts = broken(self.report)
        self.assertIn("I7", found, texts)

    def test_no_bar_of_a_bound(self):
        made = outputs(self.report)
        made.page += "<th>After row 1</th>"
        self.assertEqual(broken(made)[0], {"I7"})

    def test_forms(self):
        for text in ("saves 4.00 ms (simulated)", "saves at most 4.00 ms", "4 ms", "saving unknown", ""):
            self.setUp()
            self.claims["host/launch-bound"]["text"] = text
            self.assertIn("I8", broken(self.report)[0], text)

    def test_second_number(self):
        self.steps[0]["at_most"] = {"value": 5_000_000}
        self.assertBreaks("I8")

    def test_unknown_needs_reason(self):
        del self.claims["gpu/small-grids"]["why"]
        self.assertBreaks("I8")

    def test_texts_differ(self):
        right = outputs(self.report)
        for part, change in [("terminal", lambda made: made.terminal.replace("at most 2.00 ms", "at most 9.47 ms")),
                             ("terminal", lambda made: made.terminal.replace("saves 4.00 ms  rule", "saves 4.10 ms  rule")),
                             ("markdown", lambda made: made.markdown.replace("| saves 3.00 ms |", "| saves nothing |")),
                             ("markdown", lambda made: made.markdown.replace("saves about 120 µs\n", "saves 120 µs\n")),
                             ("page", lambda made: made.page.replace("saving unknown", "saves at most 16.0 s")),
                             ("workbook", lambda made: made.workbook | {"host/launch-bound": ["Title", "saves about 4.00 ms"]}),
                             ("workbook", lambda made: made.workbook | {"host/launch-bound": ["Title"]}),
                             ("rows", lambda made: [row | {"gain_text": "saves 1.00 ms"} for row in made.rows]),
                             ("rows", lambda made: [row | {"gain_basis": "upper"} for row in made.rows]),
                             ("rows", lambda made: [row | {"gain": 5} for row in made.rows])]:
            made = copy.deepcopy(right)
            setattr(made, part, change(made))
            self.assertNotEqual(getattr(made, part), getattr(right, part))
            self.assertEqual(broken(made)[0], {"I8"}, part)


class ProfilesTest(unittest.TestCase):
    def tool(self, *arguments):
        said = io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            try:
                code = claims.main([*map(str, arguments), "--program", str(PROGRAM)])
            except SystemExit as ended:
                code = ended.code
        return code, said.getvalue()

    def test_examples(self):
        code, said = self.tool(REPOSITORY / "examples")
        self.assertEqual(code, 0, said)

    def test_profiles_of_others(self):
        folders = [folder for folder in (DATA / "claims", DATA / "kineto" / "dlrm_8ranks") if folder.is_dir()]
        if not folders:
            self.skipTest(f"{DATA} is not here")
        code, said = self.tool(*folders)
        self.assertEqual(code, 0, said)

    def test_folders_are_also_runs_of_ranks(self):
        found = [path.name for path in claims.profiles(REPOSITORY / "examples" / "ddp")]
        self.assertEqual(found[-1], "ddp")
        self.assertEqual(found[:-1], sorted(path.name for path in (REPOSITORY / "examples" / "ddp").iterdir()))

    def test_nothing_to_check(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "text").write_text("no profile")
            code, said = self.tool(folder)
        self.assertEqual(code, 1)
        self.assertIn("0 of 1 inputs have claims", said)
        self.assertEqual(self.tool(REPOSITORY / "examples" / "no-such-folder")[0], 2)


if __name__ == "__main__":
    main()
