"""A repository of several models that share a history, through its main branch and merge requests."""
import gzip
import json
import sqlite3

from config_support import EXAMPLES, Place
from support import main


class MonorepoHistoryTest(Place):
    """Three models share a history through main and merge requests: each is compared with its own."""

    def setUp(self):
        super().setUp()
        self.write("profgauge.yaml", """schema: 1
learning_until: 2096-12-31
policy: perf/policy.yaml
db: perf/history.db
baseline: history:main~5
jobs:
  - {name: fast, inputs: runs/fast/*}
  - {name: slow, inputs: runs/slow/*}
  - {name: late, inputs: runs/late/*, policy: perf/warm.yaml}
""")
        self.write("perf/policy.yaml", "schema: 1\nrules: {'*': off}\nbaseline:\n  iteration.time.median: {max_increase: 5%}\n")
        self.write("perf/warm.yaml", "schema: 1\nextends: [policy.yaml]\niterations: {warmup: 2}\n")
        self.commits = 0

    def record(self, **factors):
        """New runs of the three models, which differ by chance, with times by these factors."""
        self.commits += 1
        for name in ("fast", "slow", "late"):
            trace = json.loads(gzip.decompress((EXAMPLES / "healthy.pt.trace.json.gz").read_bytes()))
            factor = factors.get(name, 1) * {"fast": 1, "slow": 1.5, "late": 2}[name] * (1 + self.commits / 10_000)
            for event in trace["traceEvents"]:
                for key in ("ts", "dur"):
                    if key in event:
                        event[key] *= factor
            self.write(f"runs/{name}/run.json", json.dumps(trace))

    def check(self, *arguments):
        """The exit code of each job."""
        done = self.run_in(self.root, "check", "--ci", "generic", *arguments, GITHUB_ACTOR="anna")
        verdict = json.loads((self.root / "profgauge-report/verdict.json").read_text())
        self.assertEqual(done.returncode, max(job["exit_code"] for job in verdict["jobs"]), done.stderr)
        return [job["exit_code"] for job in verdict["jobs"]]

    def add(self, path="profgauge-report"):
        done = self.run_in(self.root, "history", "add", path, "--branch", "main", "--commit", f"c{self.commits}")
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout + done.stderr

    def test_main_and_merge_requests_of_three_models(self):
        for _ in range(3):
            self.record()
            self.assertEqual(self.check(), [0, 0, 0])
            self.add()
        listed = [line.split() for line in self.run_in(self.root, "history", "list").stdout.split("\n\n")[0].splitlines()[1:]]
        self.assertEqual(sorted({line[-1] for line in listed}), ["fast", "late", "slow"])
        self.assertEqual(sorted({line[-2] for line in listed}), ["fast", "late", "slow"])
        self.record(slow=1.2)
        self.assertEqual(self.check(), [0, 1, 0])
        baseline = json.loads((self.root / "profgauge-report/slow/verdict.json").read_text())["baseline"]
        self.assertEqual(baseline, {"state": "learning", "runs": 3, "wanted": 5})
        # Merged without a word: it is kept, and keeps failing, until somebody accepts it.
        self.add()
        self.record(slow=1.2)
        self.assertEqual(self.check(), [0, 1, 0])
        self.assertEqual(self.check("--accept", "+20% wider model"), [0, 0, 0])
        self.add()
        self.record(slow=1.2)
        self.assertEqual(self.check(), [0, 0, 0])
        # What was accepted of one model hides no run of the others, and no slowdown of theirs.
        fast = json.loads((self.root / "profgauge-report/fast/verdict.json").read_text())["baseline"]
        self.assertEqual(fast, {"state": "used", "runs": 5, "wanted": 5})
        self.record(slow=1.2, fast=1.2)
        self.assertEqual(self.check(), [1, 0, 0])
        # One commit slows two models: it is accepted by one word.
        self.record(slow=1.45, fast=1.2)
        self.assertEqual(self.check(), [1, 1, 0])
        self.add()
        done = self.run_in(self.root, "history", "accept", f"c{self.commits}", "--reason", "twice", "--owner", "anna")
        self.assertEqual((done.returncode, (done.stdout + done.stderr).count("accepted the level of run")), (0, 2), done.stderr)
        self.record(slow=1.45, fast=1.2)
        self.assertEqual(self.check(), [0, 0, 0])
        # A chart is of one model.
        done = self.run_in(self.root, "history", "list", "--model", "slow", "--json", "-")
        rows = json.loads(done.stdout)["rows"]
        self.assertEqual({row["id"] % 3 for row in rows}, {0})
        self.assertTrue(all(row["values"] for row in rows))
        self.assertIn("(model fast), runs", self.run_in(self.root, "history", "list").stdout)
        # Each model has its answer; too few runs of one are no verdict.
        done = self.run_in(self.root, "history", "check")
        self.assertEqual((done.returncode, [line.split(": ")[0] for line in done.stdout.splitlines()]),
                         (3, [f"iteration.time.median of main, model {name}" for name in ("fast", "late", "slow")]))

        # Each metric that the policy limits is checked; a failure of one decides.
        (self.root / "idle.yaml").write_text("schema: 1\nbaseline: {iteration.time.median: {max_increase: 5%}, "
                                             "gpu.idle.mean: {max_increase: 5%}, gpu.utilization.mean: {max_decrease: 5%}}\n")
        done = self.run_in(self.root, "history", "check", "--policy", "idle.yaml")
        self.assertEqual([line.split(": ")[0] for line in done.stdout.splitlines()],
                         [f"{metric} of main, model {name}" for name in ("fast", "late", "slow")
                          for metric in ("iteration.time.median", "gpu.idle.mean", "gpu.utilization.mean")])
        # What was accepted is taken back by the number that the list shows.
        self.assertIn("── level 2 accepted by anna: twice ──", self.run_in(self.root, "history", "list").stdout)
        for names, code, said in ((("level:2", "level:9"), 2, "[history/unknown-level]"), (("level:x",), 2, "[usage/bad-value]"),
                                  (("level:2", "level:1", "1"), 0, "removed level 1\n")):
            done = self.run_in(self.root, "history", "remove", *names)
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertIn(said, done.stderr + done.stdout)
        rows = json.loads(self.run_in(self.root, "history", "list", "--json", "-").stdout)["rows"]
        self.assertEqual(min(row["id"] for row in rows), 2)
        self.assertEqual([level["id"] for row in rows for level in row["levels"]], [3])

    def test_a_comparison_takes_the_runs_of_its_own_work(self):
        programs = {"healthy": "healthy.pt.trace.json.gz", "other": "h200/steps_balanced.pt.trace.json.gz"}
        for number in range(2):
            for name, file in programs.items():
                trace = json.loads(gzip.decompress((EXAMPLES / file).read_bytes()))
                trace["number"] = number
                self.write(f"{name}{number}.json", json.dumps(trace))
                self.assertEqual(self.run_in(self.root, "history", "add", f"{name}{number}.json").returncode, 0)
        for name, file in programs.items():
            done = self.run_in(self.root, "compare", "history:main~2", str(EXAMPLES / file))
            self.assertRegex(done.stdout, f"against {name}[01], the median of 2 runs")

    def test_a_job_that_could_not_be_read_joins_nothing(self):
        self.record()
        self.write("runs/slow/run.json", "no trace")
        self.assertEqual(self.check(), [0, 3, 0])
        text = self.add()
        self.assertIn("not added: slow of profgauge-report has no summary, since it was not judged", text)
        self.assertEqual(text.count("added run"), 2)
        self.assertIn("is run 1 of branch main already", self.add("profgauge-report/fast/run.pgsum"))

    def test_a_thousand_runs_of_one_model_hide_no_other(self):
        self.record()
        self.check()
        self.add()
        with sqlite3.connect(self.root / "perf/history.db") as db:
            last, = db.execute("select id from run where model = 'late'").fetchone()
            for new in range(4, 1005):
                db.execute("insert into run select ?, time, branch, commit_id || ?, model, verdict, parents, commit_time, "
                           "policy, median, kind, source || ? from run where id = ?", (new, new, new, last))
                db.execute("insert into snapshot select ?, dictionary, hash, text from snapshot where run = ?", (new, last))
        done = self.run_in(self.root, "history", "check")
        self.assertEqual([line.split(": ")[0].split("model ")[1] for line in done.stdout.splitlines()], ["fast", "late", "slow"])
        self.assertRegex(done.stderr, r"note: main, model late: runs before run \d+ are not checked, only the last 1000")
        self.assertNotIn("model fast", done.stderr)


if __name__ == "__main__":
    main()
