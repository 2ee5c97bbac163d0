"""`query` and `export tables` as people and programs use them: pipes, files, spreadsheets, databases."""
import csv
import io
import json
import os
import pathlib
import sqlite3
import subprocess
import sys
import tempfile
import unittest

PROGRAM, REPOSITORY = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
EXAMPLES = REPOSITORY / "examples"
SLOW, DDP = EXAMPLES / "slow.pt.trace.json.gz", EXAMPLES / "ddp"
FORMATS = ("csv", "tsv", "jsonl", "parquet")


def run(*words, stdin="", cwd=None, code=0):
    done = subprocess.run([PROGRAM, *map(str, words)], input=stdin, cwd=cwd, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, encoding="utf-8")
    if done.returncode != code:
        raise AssertionError(f"{words}: exit {done.returncode}, expected {code}\n{done.stdout}{done.stderr}")
    return done.stdout, done.stderr


def profile_of(names, rank=None, ranks=1):
    """A trace with a kernel of each name."""
    events = [{"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#0", "pid": 1, "tid": 1, "ts": 0, "dur": 1000}]
    for i, name in enumerate(names):
        events += [
            {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 10 + 20 * i,
             "dur": 5, "args": {"correlation": i + 1}},
            {"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": 20 + 20 * i, "dur": 10,
             "args": {"device": 0, "stream": 7, "correlation": i + 1}}]
    document = {"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "NVIDIA A100-SXM4-80GB"}],
                "traceEvents": events}
    if rank is not None:
        document["distributedInfo"] = {"backend": "nccl", "rank": rank, "world_size": ranks}
    return json.dumps(document)


# One number wherever it stands: a sum of one table, and the same of another.
SUMS = [
    ("calls of the host", "select sum(calls) from api_calls",
     "select count(*) from call_events where iteration is not null"),
    ("operators", "select sum(calls) from ops", "select count(*) from host_events where kind = 'op'"),
    ("exposed communication", "select sum(exposed) from collective_events",
     "select value from metrics where id = 'breakdown.communication.time'"),
]
# Of every format; the last one has ranges of the data loader as operators.
OTHERS = ["nsight-systems/dlprof_dummynet_wrelu_nsys.sqlite", "rocm/synthetic_results.json",
          "rocm/synthetic_v3_results.db", "perfetto/v100_resnet50.pftrace.gz",
          "strangers-2/overlap-one-stream-rocm.json", "strangers-2/loader-taken-for-spin-wait.json.gz",
          "kineto/micro/test_distributed_gloo_cpu.trace.json", "kineto/micro/test_memory_view.trace.json"]


class Query(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def test_tables_agree(self):
        profiles = [DDP, *EXAMPLES.glob("*.gz"), *EXAMPLES.glob("h200/*.gz")]
        profiles += [path for name in OTHERS if (path := REPOSITORY.parent / "shared" / "data" / name).exists()]
        compared = dict.fromkeys((what for what, _, _ in SUMS), 0)
        for path in profiles:
            for what, one, other in SUMS:
                sql = f"select ({one}) a, ({other}) b"
                done = subprocess.run([PROGRAM, "query", path, sql, "--format", "json"], capture_output=True,
                                      encoding="utf-8")
                if "is absent" in done.stderr or "no such table" in done.stderr:
                    continue
                self.assertEqual(done.returncode, 0, f"{path}: {done.stderr}")
                (a, b), = json.loads(done.stdout)["rows"]
                if a is None or b is None:
                    continue
                compared[what] += 1
                self.assertEqual(a, b, f"{what} of {path}")
        self.assertTrue(all(count > 0 for count in compared.values()), compared)

    def test_statement_from_input_and_file(self):
        sql = "select count(*) n from kernels"
        there, _ = run("query", SLOW, sql, "--format", "csv")
        self.assertEqual(run("query", SLOW, "-", "--format", "csv", stdin=sql)[0], there)

    def test_mistakes_in_a_statement_from_input_show_its_line(self):
        _, said = run("query", SLOW, "-", stdin="-- title: T\nselect nam\nfrom kernels\n", code=2)
        self.assertIn(":2:8", said)
        self.assertIn("did you mean `name`?", said)
        _, said = run("query", SLOW, "-", stdin="select 1 " + " " * 65_528, code=2)
        self.assertIn("at most 64 KiB   [query/file]", said)
        self.assertEqual(run("query", SLOW, "-", "--format", "csv", stdin="select 1 " + " " * 65_527)[0], "1\n1\n")
        self.assertIn("[query/no-such-table]", run("query", "--schema", "kernel", code=2)[1])
        self.assertIn("[query/no-such-query]", run("query", SLOW, "@idle", code=2)[1])

    def test_a_missing_statement_is_named(self):
        self.assertIn("[query/sql]", run("query", SLOW, code=2)[1])
        self.assertIn("[usage/arguments]", run("query", "select 1", code=2)[1])

    def test_the_statement_is_checked_before_the_profile_is_read(self):
        self.assertIn("[query/sql]", run("query", "no-such-file.json", "select nam from kernels", code=2)[1])

    def test_same_input_same_bytes(self):
        for form in ("table", "csv", "tsv", "json", "jsonl", "md"):
            words = ("query", DDP, "select * from device_events", "--format", form)
            self.assertEqual(run(*words)[0], run(*words, "--jobs", "1")[0])

    def test_formats_have_the_same_cells(self):
        sql = "select id, name, duration, occupancy, stream_name from device_events"
        rows = list(csv.reader(io.StringIO(run("query", DDP, sql, "--format", "csv")[0])))
        document = json.loads(run("query", DDP, sql, "--format", "json")[0])
        lines = [json.loads(line) for line in run("query", DDP, sql, "--format", "jsonl")[0].splitlines()]
        tabs = [line.split("\t") for line in run("query", DDP, sql, "--format", "tsv")[0].splitlines()]
        self.assertEqual([column["name"] for column in document["columns"]], rows[0])
        self.assertEqual([list(line.values()) for line in lines], document["rows"])
        self.assertEqual(tabs, rows)
        text = [["" if cell is None else f"{cell:g}" if isinstance(cell, float) and cell == int(cell) else str(cell)
                 for cell in row] for row in document["rows"]]
        self.assertEqual(text, rows[1:])

    def test_a_pipe_gets_the_bytes_of_a_file(self):
        (self.folder / "run.json").write_text(profile_of(["36.1\u202f% of k"]))
        for form in ("csv", "tsv", "json", "jsonl"):
            words = ("query", "run.json", "select name, show(duration, 'ns') d from device_events", "--format", form)
            run(*words, "-o", f"rows.{form}", cwd=self.folder)
            text, _ = run(*words, cwd=self.folder)
            self.assertEqual(text, (self.folder / f"rows.{form}").read_text("utf-8"))
            self.assertIn("36.1\u202f% of k", text)
            self.assertIn("10.0 µs", text)
        self.assertIn("36.1 % of k", run("query", "run.json", "select name from kernels", cwd=self.folder)[0])

    def test_a_closed_pipe_ends_it(self):
        query = subprocess.Popen([PROGRAM, "query", DDP, "select * from device_events a, device_events b",
                                  "--format", "csv"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        query.stdout.readline()
        query.stdout.close()
        self.assertIn(query.wait(timeout=30), (0, 4))
        query.stderr.close()

    def test_no_cell_is_a_formula(self):
        names = ["=cmd|' /C calc'!A0", "+1+cmd", "-2+3", "@SUM(A1)", "\tx", "plain", 'quo"te,comma', "line\nbreak", "\x1b[31mred"]
        (self.folder / "run.json").write_text(profile_of(names))
        sql = "select name from device_events order by start"
        text, _ = run("query", "run.json", sql, "--format", "csv", cwd=self.folder)
        cells = [row[0] for row in csv.reader(io.StringIO(text))][1:]
        self.assertTrue(all(not cell.startswith(tuple("=+-@\t")) for cell in cells), cells)
        self.assertIn("'=cmd|' /C calc'!A0", cells)
        self.assertIn('quo"te,comma', cells)
        shown, _ = run("query", "run.json", sql, cwd=self.folder)
        self.assertNotIn("\x1b", shown)
        self.assertEqual([row[0] for row in json.loads(run("query", "run.json", sql, "--format", "json",
                                                           cwd=self.folder)[0])["rows"]], names)

    def test_files_appear_whole_or_not_at_all(self):
        out = self.folder / "rows.csv"
        run("query", SLOW, "select name from kernels", "--format", "csv", "-o", out)
        self.assertTrue(out.read_text().startswith("name\n"))
        self.assertIn("[usage/not-ours]", run("query", SLOW, "select 1", "-o", out, code=2)[1])
        run("query", SLOW, "select 1 one", "--format", "csv", "-o", out, "--force")
        self.assertEqual(out.read_text(), "one\n1\n")
        endless = "with recursive r(x) as (select 1 union all select x + 1 from r) select x from r where x < 0"
        self.assertIn("[query/out-of-time]", run("query", SLOW, endless, "-o", self.folder / "never", "--timeout",
                                                 "200ms", code=3)[1])
        self.assertEqual(sorted(os.listdir(self.folder)), ["rows.csv"])

    def test_nothing_else_is_read_or_written(self):
        for sql in ("attach 'x.db' as x", "vacuum into 'x.db'", "create table t(x)", "pragma journal_mode = wal",
                    "select load_extension('x')"):
            self.assertIn("[query/read-only]", run("query", SLOW, sql, cwd=self.folder, code=2)[1])
        self.assertEqual(os.listdir(self.folder), [])

    def test_rows_for_people_are_bounded(self):
        text, said = run("query", DDP, "select a.id from device_events a, device_events b")
        self.assertEqual(len(text.splitlines()), 1 + 1000 + 1)
        self.assertIn("only the first 1000 rows", said)
        self.assertFalse(json.loads(run("query", DDP, "select id from device_events limit 3", "--format", "json")[0])["truncated"])

    def test_several_runs_are_distinguished(self):
        sql = "select run, count(*) n from kernels group by 1 order by 1"
        runs = ("--run", f"a={SLOW}", "--run", f"b={EXAMPLES / 'healthy.pt.trace.json.gz'}")
        self.assertEqual(len(run("query", *runs, sql, "--format", "jsonl")[0].splitlines()), 2)
        run("query", *runs, "@operators-of-two-runs")

    def test_many_ranks_have_reports_but_no_events(self):
        ranks = self.folder / "ranks"
        ranks.mkdir()
        for rank in range(66):
            (ranks / f"rank{rank:02}.json").write_text(profile_of(["k"] * 3, rank, 66))
        self.assertEqual(json.loads(run("query", ranks, "select count(*) n from ranks", "--format", "jsonl")[0])["n"], 66)
        self.assertIn("[query/too-many-ranks]", run("query", ranks, "select count(*) from device_events", code=3)[1])
        text, _ = run("query", ranks, "select rank, count(*) n from device_events", "--rank", "7", "--format", "csv")
        self.assertEqual(text, "rank,n\n7,3\n")
        run("export", "tables", ranks, "--tables", "device_events,ranks", "--format", "csv", "-o", self.folder / "out")
        rows = list(csv.DictReader(io.StringIO((self.folder / "out" / "device_events.csv").read_text("utf-8"))))
        self.assertEqual(len(rows), 66 * 3)
        self.assertEqual(len({row["id"] for row in rows}), 66 * 3)

    def test_ranks_are_asked_one_after_the_other(self):
        sql = "select rank, count(*) n, sum(duration) t, max(id) last from device_events"
        whole, _ = run("query", DDP, sql + " group by rank", "--format", "csv")
        self.assertEqual(run("query", DDP, sql, "--per-rank", "--format", "csv")[0], whole)
        idle = "select sum(duration) idle, count(*) n from gap_events"
        then = ("--then", "select sum(idle) idle, sum(n) n from rows")
        self.assertEqual(run("query", DDP, idle, "--per-rank", *then, "--format", "csv")[0],
                         run("query", DDP, idle, "--format", "csv")[0])
        share = "select value from metrics where id = 'gpu.idle.mean'"
        each = [run("query", DDP, share, "--rank", str(rank), "--format", "csv")[0].splitlines()[1] for rank in range(4)]
        self.assertEqual(run("query", DDP, share, "--per-rank", "--format", "csv")[0].splitlines()[1:], each)

    def test_any_number_of_ranks_is_reduced(self):
        ranks = self.folder / "ranks"
        ranks.mkdir()
        for rank in range(66):
            (ranks / f"r{rank}.json").write_text(profile_of(["k"] * (1 + rank % 3), rank, 66))
        words = ("query", ranks, "select rank, count(*) n from device_events", "--per-rank", "--format", "csv")
        rows = run(*words)[0].splitlines()
        self.assertEqual(rows[1:], [f"{rank},{1 + rank % 3}" for rank in range(66)])
        self.assertEqual(run(*words, "--then", "select n, count(*) ranks from rows group by 1")[0],
                         "n,ranks\n1,22\n2,22\n3,22\n")

    def test_mistakes_of_both_statements_are_found_before_reading(self):
        words = ("query", "none.json", "select rank, count(*) n from device_events")
        self.assertIn("[usage/conflict]", run(*words, "--then", "select 1", code=2)[1])
        self.assertIn("[usage/conflict]", run(*words, "--per-rank", "--rank", "1", code=2)[1])
        said = run(*words, "--per-rank", "--then", "select sum(m) from rows", code=2)[1]
        self.assertIn("select sum(m) from rows", said)
        self.assertIn("[query/sql]", said)
        self.assertIn("[query/read-only]", run(*words, "--per-rank", "--then", "drop table rows", code=2)[1])
        self.assertIn("two columns are named `n`", run("query", "none.json", "select 1 n, 2 n", "--per-rank", "--then",
                                                       "select n from rows", code=2)[1])

    def test_summaries_have_no_events(self):
        run("summarize", SLOW, "-o", self.folder / "s.pgsum")
        self.assertIn("[summary/no-events]", run("query", "s.pgsum", "select 1 from gap_events", cwd=self.folder,
                                                 code=3)[1])
        run("query", "s.pgsum", "select name from kernels", cwd=self.folder)


class Export(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def test_formats_have_the_same_rows(self):
        for form in FORMATS:
            run("export", "tables", DDP, "--format", form, "-o", self.folder / form)
        run("export", "tables", DDP, "--format", "sqlite", "-o", self.folder / "run.sqlite")
        database = sqlite3.connect(self.folder / "run.sqlite")
        self.assertEqual(database.execute("pragma application_id").fetchone()[0], 0x50474147)
        self.assertEqual(database.execute("pragma integrity_check").fetchone()[0], "ok")
        schema = json.loads((self.folder / "csv" / "schema.json").read_text())
        self.assertGreater(len(schema["tables"]), 60)
        for table in schema["tables"]:
            names = [column["name"] for column in table["columns"]]
            stored = [list(row) for row in database.execute(f"select * from {table['name']}")]
            self.assertEqual(len(stored), table["rows"], table["name"])
            self.assertEqual("file" in table, table["rows"] > 0, table["name"])
            if "file" not in table:
                self.assertTrue(table["absent"], table["name"])
                continue
            lines = [json.loads(line)
                     for line in (self.folder / "jsonl" / f"{table['name']}.jsonl").read_text("utf-8").splitlines()]
            plain = [[int(cell) if isinstance(cell, bool) else cell for cell in line.values()] for line in lines]
            self.assertEqual(plain, stored, table["name"])
            with open(self.folder / "csv" / f"{table['name']}.csv", newline="") as file:
                rows = list(csv.reader(file))
            self.assertEqual((rows[0], len(rows) - 1), (names, table["rows"]), table["name"])
        database.close()

    def test_same_input_same_bytes(self):
        for form in (*FORMATS, "sqlite"):
            for name in ("one", "two"):
                run("export", "tables", DDP, "--format", form, "-o", self.folder / f"{form}-{name}")
            one, two = self.folder / f"{form}-one", self.folder / f"{form}-two"
            files = [""] if form == "sqlite" else sorted(os.listdir(one))
            for file in files:
                self.assertEqual((one / file).read_bytes(), (two / file).read_bytes(), f"{form} {file}")

    def test_older_exports_take_a_selection(self):
        def kernels(*words):
            return len(run("export", "kernels", DDP, *words)[0].splitlines()) - 1

        def rows(where):
            sql = f"select count(*) n from device_events where kind = 'kernel' and {where}"
            return json.loads(run("query", DDP, sql, "--format", "jsonl")[0])["n"]

        self.assertEqual(kernels(), rows("1"))
        self.assertEqual(kernels("--rank", "2"), rows("rank = 2"))
        chosen = ("--rank", "1", "--iter-start", "2", "--iter-stop", "3")
        self.assertEqual(kernels(*chosen), rows("rank = 1 and iteration in (2, 3)"))
        self.assertEqual(len(run("export", "netdict", DDP, *chosen)[0].splitlines()), kernels(*chosen))
        sums = csv.DictReader(io.StringIO(run("export", "nsys", DDP, "-r", "cuda_gpu_kern_sum", *chosen)[0]))
        self.assertEqual(sum(int(row["Instances"]) for row in sums), kernels(*chosen))
        calls = csv.DictReader(io.StringIO(run("export", "nsys", DDP, "-r", "cuda_api_sum", *chosen)[0]))
        sql = "select count(*) n from call_events where rank = 1 and iteration in (2, 3)"
        self.assertEqual(sum(int(row["Num Calls"]) for row in calls),
                         json.loads(run("query", DDP, sql, "--format", "jsonl")[0])["n"])
        self.assertIn("[analysis/no-rank]", run("export", "kernels", DDP, "--rank", "9", code=2)[1])

    def test_chosen_tables(self):
        run("export", "tables", DDP, "--tables", "kernels*, gap_events", "-o", self.folder / "o")
        self.assertEqual(sorted(os.listdir(self.folder / "o")),
                         ["gap_events.csv", "kernels.csv", "kernels_by_iteration.csv", "kernels_by_op.csv", "schema.json"])
        run("export", "tables", DDP, "--tables", "report", "-o", self.folder / "report")
        run("export", "tables", DDP, "--tables", "events", "-o", self.folder / "events")
        run("export", "tables", DDP, "-o", self.folder / "all")
        halves = [set(os.listdir(self.folder / name)) - {"schema.json"} for name in ("report", "events", "all")]
        self.assertIn("kernels.csv", halves[0])
        self.assertIn("device_events.csv", halves[1])
        self.assertEqual((halves[0] & halves[1], halves[0] | halves[1]), (set(), halves[2]))
        self.assertIn("[query/no-such-table]", run("export", "tables", DDP, "--tables", "kernel", "-o", self.folder / "p",
                                                   code=2)[1])
        run("export", "tables", DDP, "--tables", "kernels", "-o", self.folder / "o")  # An earlier export.
        (self.folder / "mine").mkdir()
        (self.folder / "mine" / "kernels.csv").write_text("mine")
        self.assertIn("[usage/not-ours]", run("export", "tables", DDP, "--tables", "kernels", "-o",
                                              self.folder / "mine", code=2)[1])
        self.assertIn("[usage/no-output]", run("export", "tables", DDP, code=2)[1])


class Names(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def test_the_history_is_a_table(self):
        run("history", "add", SLOW, "--db", "h.db", "--branch", "main", "--commit", "abc", cwd=self.folder)
        text, _ = run("query", "--db", "h.db", "select branch, commit_id, m.value > 0 ok from history_runs r join "
                      "history_metrics m on m.run_id = r.id where metric = 'iteration.time.mean'", "--format", "csv",
                      cwd=self.folder)
        self.assertEqual(text, "branch,commit_id,ok\nmain,abc,1\n")

    def test_keys_of_findings_are_explained(self):
        key = json.loads(run("query", SLOW, "select key from findings where level = 'error'", "--format", "json")[0])["rows"][0][0]
        self.assertIn(key.split("@")[0], run("rules", "explain", key, SLOW)[0])

    def test_traces_have_findings_that_change_no_metric(self):
        run("report", SLOW, "--write", "trace=t.json", "-q", cwd=self.folder)
        trace = json.loads((self.folder / "t.json").read_text())
        slices = [event for event in trace["traceEvents"] if event.get("cat") == "profgauge"]
        self.assertTrue(slices)
        self.assertEqual(set(slices[0]["args"]), {"key", "level", "message", "advice", "gain"})
        trace["traceEvents"] = [event for event in trace["traceEvents"] if event not in slices]
        (self.folder / "without.json").write_text(json.dumps(trace))
        sql = "select id, value from metrics where value is not null"
        self.assertEqual(run("query", "t.json", sql, "--format", "csv", cwd=self.folder)[0],
                         run("query", "without.json", sql, "--format", "csv", cwd=self.folder)[0])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
