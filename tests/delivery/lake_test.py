"""A lake of rows: every ending of `check` leaves one with the same columns, and the samples read them. The questions run
on DuckDB where tests/npm has it (NODE_PATH, or build/npm), the layout and the schema everywhere.
"""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from support import PROGRAM, REPOSITORY, environment, main, on_day, run

EXAMPLES = REPOSITORY / "examples"
HEALTHY, SLOW = EXAMPLES / "healthy.pt.trace.json.gz", EXAMPLES / "slow.pt.trace.json.gz"
LAKE = EXAMPLES / "cluster" / "lake"
MODULES = pathlib.Path(os.environ.get("NODE_PATH", REPOSITORY / "build" / "npm" / "node_modules"))


class Rows(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def row(self, *words, code):
        file = self.folder / "row.jsonl"
        done = run(*words, "--write", f"row={file}", "-q", cwd=self.folder)
        self.assertEqual(done.returncode, code, done.stderr)
        text = file.read_text("utf-8")
        self.assertEqual(text.count("\n"), 1)
        self.assertLess(len(text), 16 << 10)
        return json.loads(text)

    def test_every_ending_leaves_the_same_columns(self):
        broken = self.folder / "broken.json"
        broken.write_text("{}")
        policy = self.folder / "policy.yaml"
        policy.write_text("schema: 7\n")
        schema = json.loads(run("schema", "row").stdout)
        seen = {}
        for code, words in ((0, ("check", HEALTHY)), (1, ("check", SLOW)), (2, ("check", HEALTHY, "-p", policy)),
                            (3, ("check", broken)), (0, ("compare", HEALTHY, SLOW)), (0, ("report", SLOW))):
            row = seen[words[0], code] = self.row(*words, code=code)
            self.assertEqual(list(row), schema["required"], words)
            try:
                import jsonschema
                jsonschema.validate(row, schema)
            except ImportError:
                pass
        self.assertEqual({key: row["verdict"] for key, row in seen.items()},
                         {("check", 0): "pass", ("check", 1): "fail", ("check", 2): "no_verdict", ("check", 3): "no_verdict",
                          ("compare", 0): None, ("report", 0): "fail"})
        self.assertEqual(seen["check", 3]["reasons"], ["input/unknown"])
        self.assertIn("gpu.idle.mean", seen["check", 1]["reasons"])
        self.assertEqual(seen["check", 1]["run"], seen["report", 0]["run"])
        self.assertEqual(seen["compare", 0]["run"], seen["report", 0]["run"])
        # The slow run does other work: its time has no change.
        self.assertIsNone(seen["compare", 0]["change"])
        metrics = [row["id"].replace(".", "_") for row in json.loads(run("metrics", "list", "--json", "-").stdout)["rows"]]
        self.assertEqual(schema["required"][-len(metrics):], metrics)

    def test_labels_and_the_variables_of_a_ci_are_columns(self):
        done = run("check", HEALTHY, "--label", "team=vision", "--write", "row=r.jsonl", "-q", cwd=self.folder,
                   env={**os.environ, "GITHUB_SHA": "abcdef", "GITHUB_REF_NAME": "main", "SOURCE_DATE_EPOCH": "1700000000"})
        self.assertEqual(done.returncode, 0, done.stderr)
        row = json.loads((self.folder / "r.jsonl").read_text())
        self.assertEqual((row["label_team"], row["commit"], row["branch"], row["time"]),
                         ("vision", "abcdef", "main", "2023-11-14T22:13:20Z"))
        hidden = self.row("check", HEALTHY, "--redact", code=0)
        self.assertNotEqual(hidden["run"], row["run"])

    def test_tables_name_the_run_of_the_row(self):
        row = self.row("check", HEALTHY, code=0)
        run("export", "tables", HEALTHY, "--tables", "kernels,modules,gap*,ops_by_stack*", "--format", "jsonl", "-o",
            self.folder / "t")
        first = json.loads((self.folder / "t" / "kernels.jsonl").read_text().splitlines()[0])
        self.assertEqual(next(iter(first.items())), ("run", row["run"]))
        self.assertEqual((self.folder / "t" / "modules.jsonl").read_text(), "")  # Named, so written.
        self.assertFalse((self.folder / "t" / "ops_by_stack.jsonl").exists())
        tables = {one["name"]: one for one in json.loads((self.folder / "t" / "schema.json").read_text())["tables"]}
        self.assertNotIn("file", tables["ops_by_stack"])
        self.assertIn("with_stack=True", tables["ops_by_stack"]["absent"])
        self.assertEqual((tables["kernels"]["columns"][0]["name"], tables["kernels"]["columns"][0]["is_key"]), ("run", True))

    def test_a_history_has_the_same_rows(self):
        for index, trace in enumerate((HEALTHY, SLOW)):
            run("history", "add", trace, "--db", "h.db", "--commit", f"c{index}", "--label", f"l{index}=x", "--force",
                cwd=self.folder)
        row = self.row("check", HEALTHY, code=0)
        done = run("history", "list", "--db", "h.db", "--format", "jsonl", "-o", "h.jsonl", cwd=self.folder)
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        lines = [json.loads(line) for line in (self.folder / "h.jsonl").read_text().splitlines()]
        self.assertEqual([line["commit"] for line in lines], ["c0", "c1"])
        self.assertEqual([key for key in lines[0] if key != "label_l0"], list(row))
        same = [key for key, value in row.items() if value is not None and not isinstance(value, list) and lines[0][key] != value]
        self.assertEqual(set(same) - {"time", "tool", "branch", "policy", "baseline_state", "baseline_runs", "captured",
                                      "verdict", "exit_code", "commit", "plan_end_time", "plan_gain_share",
                                      "plan_first_gain_share", "plan_steps"}, set())
        csv = run("history", "list", "--db", "h.db", "--format", "csv", "--last", "1", cwd=self.folder).stdout.splitlines()
        self.assertEqual(len(csv), 2)
        self.assertIn(",label_l1,gpu,", csv[0])
        for _ in range(2):  # An earlier one is replaced.
            done = run("history", "list", "--db", "h.db", "--format", "parquet", "-o", "h.parquet", cwd=self.folder)
            self.assertEqual(done.returncode, 0, done.stderr)
        bytes_ = (self.folder / "h.parquet").read_bytes()
        self.assertEqual((bytes_[:4], bytes_[-4:]), (b"PAR1", b"PAR1"))
        self.assertEqual(run("history", "list", "--db", "h.db", "--last", "1", cwd=self.folder).stderr.count("1 of 2 runs"), 1)


class Samples(unittest.TestCase):
    def test_the_lake_answers(self):
        with tempfile.TemporaryDirectory() as folder:
            lake = pathlib.Path(folder) / "lake"
            broken = pathlib.Path(folder) / "broken.json"
            broken.write_text("{}")
            ends = []
            for job, profile in (("gpt", HEALTHY), ("gpt", SLOW), ("bert", broken), ("gpt", HEALTHY)):
                done = subprocess.run([str(LAKE / "ingest.sh"), str(lake), job, str(profile), "--commit", profile.name[:4]],
                                      env={**environment(), "SOURCE_DATE_EPOCH": on_day("2026-11-28")["SOURCE_DATE_EPOCH"]},
                                      capture_output=True, text=True, check=False)
                ends.append(done.returncode)
            self.assertEqual(ends, [0, 1, 3, 0])
            files = sorted(str(file.relative_to(lake)) for file in lake.rglob("*.jsonl"))
            self.assertEqual(len(files), 3, files)  # The same recording counts once.
            self.assertTrue(all(file.startswith("runs/date=2026-11-28/job=") for file in files), files)
            if shutil.which("node") is None or not (MODULES / "@duckdb").is_dir():
                self.skipTest("not installed: @duckdb/node-api (tests/npm/README.md)")
            done = subprocess.run(["node", str(REPOSITORY / "tests" / "npm" / "lake.mjs"), str(lake), str(LAKE / "queries.sql")],
                                  env={**os.environ, "NODE_PATH": str(MODULES)}, capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            answers = [json.loads(line) for line in done.stdout.splitlines()]
            self.assertEqual(len(answers), 6)
            self.assertEqual([row["job"] for row in answers[1]], ["gpt"])
            self.assertEqual(answers[1][0]["commit"], "slow")
            self.assertEqual({row["verdict"]: int(row["runs"]) for row in answers[2]},
                             {"pass": 1, "fail": 1, "no_verdict": 1})
            self.assertEqual(answers[4], [{"reason": "input/unknown", "runs": "1"}])


if __name__ == "__main__":
    main()
