"""Times without a profile, by the program: steps, benchmarks and load tests are judged like profiles; three ways to
name one file give one answer; what cannot be read has a code and the next step."""
import json
import math
import pathlib
import random
import re
import shlex
import shutil
import tempfile
import unittest

from support import REPOSITORY, main, run

H200 = REPOSITORY / "examples" / "h200"
TRACE = H200 / "steps_gpu_bound.pt.trace.json.gz"
STEPS = H200 / "steps_gpu_bound.run.json"
README = REPOSITORY / "examples" / "training" / "README.md"


def lengths(seed, level=60e6, count=100, stall=0):
    """Steps in ns that vary by 2 % around a level that varies by 0.5 %."""
    draw = random.Random(seed)
    here = level * math.exp(draw.gauss(0, 0.005))
    return [round(here * draw.gauss(1, 0.02) * (6 if stall and i % stall == 3 else 1)) for i in range(count)]


def document(ns, **more):
    return json.dumps({"schema": 1, "clock": "window", "segments": [{"first": 0, "ns": ns}], **more})


def megatron(ns):
    return "> building\n" * 40 + "".join(
        f" [2026-01-02 03:04:05] iteration {10 * (i + 1):8d}/ 1000 | elapsed time per iteration (ms): {n / 1e6:.3f} | lm loss: 2.0 |\n"
        for i, n in enumerate(ns))


def golden(ns):
    return json.dumps({"iteration-time": {"values": {"1": "nan", **{str(i + 2): n / 1e9 for i, n in enumerate(ns)}}},
                       "lm loss": {"values": {"1": 2.0}}})


def google(seed, second=1.0):
    draw, rows = random.Random(seed), []
    for name, level in (("BM_first", 10.0), ("BM_second", 20.0 * second)):
        here = level * math.exp(draw.gauss(0, 0.005))
        rows += [{"name": name, "run_name": name, "run_type": "iteration", "real_time": here * draw.gauss(1, 0.01),
                  "time_unit": "us"} for _ in range(20)]
    return json.dumps({"context": {}, "benchmarks": rows})


def serving(seed, p99=1.0, failed=0, rate=8.0, count=400):
    draw, done = random.Random(seed), count - failed
    result = {"model_id": "m", "num_prompts": count, "request_rate": rate, "max_concurrency": None, "completed": done,
              "failed": failed, "total_output_tokens": 128 * done, "request_throughput": rate * draw.gauss(1, 0.002),
              "output_throughput": 1000 * draw.gauss(1, 0.002)}
    for name, mean, tail in (("ttft", 60.0, 180.0 * p99), ("tpot", 22.0, 31.0)):
        result |= {f"mean_{name}_ms": mean * draw.gauss(1, 0.004), f"median_{name}_ms": mean * draw.gauss(1, 0.004),
                   f"p99_{name}_ms": tail * draw.gauss(1, 0.01)}
    return json.dumps(result)


class TimesTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def write(self, name, text):
        (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / name).write_text(text)
        return name

    def call(self, *arguments):
        return run(*arguments, "--config", "none", cwd=self.folder)

    def report(self, *arguments):
        done = self.call("report", *arguments, "-q", "--json", "r.json")
        self.assertIn(done.returncode, (0, 1, 3), done.stderr)
        return json.loads((self.folder / "r.json").read_text())

    def value(self, metric, *arguments):
        return self.report(*arguments)["metrics"][metric]["value"]

    def check(self, code, *arguments, text=""):
        done = self.call("check", *arguments)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        if text:
            self.assertRegex(re.sub(r"\s+", " ", done.stdout + done.stderr), text)
        return done.stdout + done.stderr

    def against(self, make, count=5, ending="json"):
        """Baselines of the same program."""
        return [word for seed in range(count)
                for word in ("--baseline", self.write(f"base{seed}.{ending}", make(100 + seed)))]


class StepsTest(TimesTest):
    def test_alone(self):
        said = self.check(0, self.write("a.run.json", document(lengths(1))), text="Times only")
        for word in ("Host-bound", "Tensor Core", "idle", "NO VERDICT"):
            self.assertNotIn(word, said)
        self.assertIn("builtin:times", said)

    def test_changes_are_found(self):
        base = self.against(lambda seed: document(lengths(seed)), ending="run.json")
        self.check(0, self.write("same.run.json", document(lengths(1))), *base)
        self.check(3, self.write("slow.run.json", document(lengths(1, 66e6))), *base, text=r"\+\d+\.\d %")
        self.check(1, self.write("far.run.json", document(lengths(1, 75e6))), *base)
        self.check(1, self.write("stall.run.json", document(lengths(1, stall=10))), *base, text="total")

    def test_few_values_fail(self):
        """Ten values with a spread of 2 %: what ten runs of the baseline show is enough for +25 %, not for +10 % of one run."""
        base = self.against(lambda seed: document(lengths(seed, count=10)), count=10, ending="run.json")
        self.check(0, self.write("same.run.json", document(lengths(1, count=10))), *base)
        self.check(1, self.write("far.run.json", document(lengths(1, 75e6, count=10))), *base)
        self.check(3, self.write("a.run.json", document(lengths(1, 66e6, count=10))), *base, text="gate/again")
        self.check(1, "a.run.json", self.write("b.run.json", document(lengths(2, 66e6, count=10))), *base)

    def test_rows_without_a_time_are_told(self):
        rows = "".join(f"{i},{n / 1e6 if i % 10 else ''}\n" for i, n in enumerate(lengths(1)))
        self.check(0, self.write("gaps.csv", "step,step_time_ms\n" + rows), text=r"skipped 10 rows: .*run/rows-skipped")
        lines = "".join(json.dumps({"step": i, "step_time_ms": n / 1e6 if i % 10 else math.nan}) + "\n" for i, n in enumerate(lengths(1)))
        self.check(0, self.write("gaps.jsonl", lines + '{"step": 100, "st'), text=r"skipped 11 rows: .*run/rows-skipped")

    def test_three_doors(self):
        """Alone, beside a trace, by option: the same metrics of the steps."""
        shutil.copy(STEPS, self.folder / "x.run.json")
        shutil.copy(TRACE, self.folder / "y.pt.trace.json.gz")
        beside = self.folder / "beside"
        beside.mkdir()
        shutil.copy(TRACE, beside / "x.pt.trace.json.gz")
        shutil.copy(STEPS, beside / "x.run.json")
        doors = (("x.run.json",), ("beside/x.pt.trace.json.gz",), ("y.pt.trace.json.gz", "--step-times", "x.run.json"))
        found = []
        for door in doors:
            metrics = self.report(*door)["metrics"]
            found.append({name: of["value"] for name, of in metrics.items()
                          if name.startswith(("step.", "run.")) and of.get("value") is not None})
        stated = set(found[0]).intersection(*found[1:])
        self.assertLessEqual({"step.count", "step.time.median", "step.time.mean", "step.time.p95", "step.time.min", "step.time.max",
                              "step.time.robust_cv", "step.outliers", "step.drift", "run.time.mean"}, stated)
        for name in stated:
            for values in found[1:]:
                self.assertAlmostEqual(values[name], found[0][name], delta=1e-9 * abs(found[0][name]), msg=name)

    def test_a_profile_and_times_share_a_baseline(self):
        self.assertNotIn("not comparable", self.check(0, STEPS, "--baseline", TRACE))

    def test_golden_values_are_a_baseline(self):
        self.write("golden.json", golden(lengths(1)))
        csv = "step,step_time_ms\n" + "".join(f"{i},{n / 1e6}\n" for i, n in enumerate(lengths(2)))
        self.check(0, self.write("steps.csv", csv), "--baseline", "golden.json")
        self.check(3, self.write("m.log", megatron(lengths(2))), "--baseline", "golden.json", text="means")

    def test_option_without_a_profile(self):
        self.write("steps.csv", "step,took\n" + "".join(f"{i},{n / 1e6}\n" for i, n in enumerate(lengths(1))))
        self.check(2, "steps.csv", text=r"usage/step-(unit|column)")
        self.check(0, "--step-times", "steps.csv:took:ms")
        self.assertAlmostEqual(self.value("step.time.median", "steps.csv", "--step-times", "steps.csv:took:us") / 60e3, 1,
                               delta=0.02)

    def test_ranks_of_a_folder(self):
        for rank, level in ((0, 60e6), (1, 65e6)):
            self.write(f"ranks/rank-{rank}.run.json", document(lengths(rank, level)))
        self.assertAlmostEqual(self.value("step.time.median", "ranks") / 65e6, 1, delta=0.02)

    def test_the_only_file_of_a_folder(self):
        self.write("logs/train.log", megatron(lengths(1)))
        self.check(0, "logs")
        self.write("logs/other.log", megatron(lengths(2)))
        self.check(3, "logs", text=r"several files hold times.*input/times")

    def test_policy_of_times(self):
        for name, text, metric in (("a.run.json", document(lengths(1)), "step.time.median"), ("s.json", serving(1), "serve.ttft.p99")):
            done = run("init", self.write(name, text), cwd=self.folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertRegex(done.stdout, rf"builtin:times(.|\n)*  {metric}: ..?max: ")
            self.assertNotIn("off", done.stdout)
            self.check(0, name, "--policy", self.write("p.yaml", done.stdout))

    def test_one_history(self):
        for seed in range(5):
            name = self.write(f"b{seed}.run.json", document(lengths(seed)))
            done = self.call("history", "add", name, "--db", "h.db", "--branch", "main", "--commit", f"c{seed}", "--model", "m")
            self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(self.call("history", "list", "--db", "h.db").stdout, r"(59|60|61)(\.\d+)? ms")
        self.write("far.run.json", document(lengths(9, 75e6)))
        self.check(1, "far.run.json", "--baseline", "history:main~5", "--db", "h.db", "--model", "m")

    def test_reports(self):
        self.write("a.run.json", document(lengths(1)))
        done = self.call("report", "a.run.json", "--md", "r.md", "--html", "r.html", "-q")
        self.assertEqual(done.returncode, 0, done.stderr)
        for name in ("r.md", "r.html"):
            text = re.sub(r"(?s)<(script|style|template).*?</\1>", "", (self.folder / name).read_text())
            self.assertIn("No profile was recorded", text)
            for word in ("GPU idle", "Host-bound", "unrecorded", "iterations unknown", "no device recorded", "no iterations"):
                self.assertNotIn(word, text, name)
        self.assertRegex((self.folder / "r.html").read_text(), r"(?s)id=iterations.*<svg.*median 6\d\.\d")


class BenchmarksTest(TimesTest):
    def test_each_is_judged(self):
        base = self.against(google)
        self.assertNotIn("BM_second: +", self.check(0, self.write("same.json", google(1)), *base))
        said = self.call("check", self.write("b.json", google(1, 2.0)), self.write("c.json", google(2, 2.0)), *base)
        self.assertEqual(said.returncode, 1, said.stdout + said.stderr)
        self.assertIn("BM_second", said.stdout + said.stderr)
        self.assertNotIn("BM_first: +", said.stdout + said.stderr)

    def test_compare_names_them(self):
        self.write("a.json", google(1))
        said = self.call("compare", "a.json", self.write("b.json", google(1, 2.0))).stdout
        self.assertRegex(said, r"benchmark BM_second +\S+ .s → +\S+ .s +\+\d+")
        self.assertRegex(said, r"Of 2 benchmarks, 1 is slower and 0 are faster by 1\S* % or more; two runs do not show")
        self.assertNotRegex(said, "missing|BM_first +\S+ .s → ")

    def test_history(self):
        for seed in range(3):
            self.call("history", "add", self.write(f"b{seed}.json", google(seed)), "--db", "h.db", "--branch", "main", "--commit", f"c{seed}")
        done = self.call("history", "list", "--db", "h.db", "--html", "h.html", "--json", "h.json")
        self.assertRegex(done.stdout, r"c0 +1\d\.\d .s .*(.|\n)*median: of benchmarks the geometric mean")
        self.assertIn("Benchmark BM_second", (self.folder / "h.html").read_text())
        self.assertIn("benchmark BM_first", (self.folder / "h.json").read_text())

    def test_few_runs_leave_it_open(self):
        self.check(3, self.write("a.json", google(1)), *self.against(google, count=2), text="2 baseline runs, 5 are needed")

    def test_table(self):
        self.write("h.json", json.dumps({"results": [{"command": name, "times": [1.0, 1.1, 0.9]} for name in ("a --b", "c")]}))
        done = self.call("query", "h.json", "select name, runs from benchmarks", "--format", "csv")
        self.assertIn("a --b,3", done.stdout, done.stderr)


class ServingTest(TimesTest):
    def test_latencies_under_the_same_load(self):
        base = self.against(serving)
        self.check(0, self.write("same.json", serving(1)), *base)
        self.check(1, self.write("slow.json", serving(1, p99=1.6)), *base, text="serve.ttft.p99")
        self.check(3, self.write("other.json", serving(1, rate=4.0)), *base, text="request_rate is 4 here and 8.*baseline/other-load")
        self.check(3, self.write("failed.json", serving(1, failed=133)), *base, text="133 of 400 requests failed.*baseline/less-work")

    def test_values(self):
        self.write("s.json", serving(1))
        stated = json.loads((self.folder / "s.json").read_text())
        self.assertEqual(self.value("serve.ttft.p99", "s.json"), round(stated["p99_ttft_ms"] * 1e6))
        self.assertEqual(self.value("serve.output_rate", "s.json"), stated["output_throughput"])

    def test_tables(self):
        self.write("s.json", serving(1))
        done = self.call("query", "s.json", "select name, p99 from serving", "--format", "csv")
        self.assertRegex(done.stdout, r"time to first token,\d{9}\n")
        done = self.call("query", "s.json", "select name, value from serving_load", "--format", "csv")
        self.assertIn("request_rate,8\n", done.stdout)
        self.assertIn("answered requests,400\n", done.stdout)

    def test_history(self):
        for seed in range(3):
            self.call("history", "add", self.write(f"s{seed}.json", serving(seed)), "--db", "h.db", "--branch", "main", "--commit", f"c{seed}")
        done = self.call("history", "list", "--db", "h.db", "--html", "h.html")
        self.assertRegex(done.stdout, r"c0 +(59|60|61)\.?\d* ms .*(.|\n)*median: of load tests the time to the first token")
        self.assertIn("Time to first token, p99", (self.folder / "h.html").read_text())


class HostileTest(TimesTest):
    def test_each_has_a_code_and_a_next_step(self):
        for name, text, code in (
                ("few.run.json", document([1, 2, 3]), "run/few-values"),
                ("newer.json", '{"schema": 9, "segments": []}', "run/newer"),
                ("over.json", '{"schema": 1, "clock": "window", "segments": [{"first": 5, "ns": [1]}, {"first": 1, "ns": [1]}]}',
                 "run/unreadable"),
                ("text.json", '{"schema": 1, "clock": "window", "segments": [{"first": 0, "ns": ["a"]}]}', "run/unreadable"),
                ("state.json", '{"log_history": [], "global_step": 3}', "run/no-times"),
                ("unit.json", '[{"name": "a", "value": 1, "unit": "ops/sec"}]', "usage/step-unit"),
                ("total.csv", "step,train/time_s\n" + "".join(f"{i},{i + 1}.5\n" for i in range(20)), "usage/step-column"),
                ("letter.txt", "dear all,\nnothing here\n" * 9000, "input/unknown"),
                ("half.json", '{"results": [{"command": "a", "times": [1, 2', "cut off"),
                ("texts.json", '{"results": [{"command": "a", "times": ["1", null, -1, 0]}]}', "no time that can be true"),
                ("refused.json", '{"request_throughput": NaN, "mean_ttft_ms": NaN, "completed": 0, "failed": 400}', "run/failed")):
            with self.subTest(name):
                done = self.call("check", self.write(name, text))
                self.assertIn(done.returncode, (2, 3), done.stdout + done.stderr)
                self.assertIn(code, done.stdout + done.stderr)

    def test_failed_programs_are_not_judged(self):
        """Half the time, since the program fails."""
        rows = {"hyperfine.json": {"results": [{"command": "train", "times": [0.5] * 10, "exit_codes": [0] * 9 + [1]}]},
                "google.json": {"context": {}, "benchmarks": [{"name": "a", "run_name": "a", "run_type": "iteration", "real_time": 5,
                                                               "time_unit": "us", "error_occurred": True}] * 5}}
        for name, content in rows.items():
            self.check(3, self.write(name, json.dumps(content)), text=r"the benchmark `\w+` failed: .*\[run/failed\]")

    def test_times_are_given_by_their_name(self):
        self.check(2, self.write("a.run.json", document(lengths(1))), "--step-times", self.write("b.run.json", document(lengths(2))),
                   text=r"holds times itself .*\[usage/step-times\]")

    def test_other_benchmarks_are_not_compared(self):
        renamed = google(9).replace("BM_first", "BM_third").replace("BM_second", "BM_fourth")
        self.check(3, self.write("renamed.json", renamed), *self.against(google), text=r"no benchmark of the baseline is in this run")

    def test_equal_servers_differ(self):
        """Latencies vary by 6 % from run to run: five runs show it, one cannot."""
        def noisy(seed):
            result, draw = json.loads(serving(seed)), random.Random(seed)
            for key in result:
                if key.endswith("_ms"):
                    result[key] *= math.exp(draw.gauss(0, 0.06))
            return json.dumps(result)
        codes = [self.call("check", self.write("s.json", noisy(500 + seed)), *self.against(noisy)).returncode for seed in range(12)]
        self.assertLessEqual(codes.count(1), 1, codes)
        codes = [self.call("check", self.write("s.json", noisy(500 + seed)), *self.against(noisy, 1)).returncode for seed in range(12)]
        self.assertLessEqual(codes.count(1), 1, codes)

    def test_pickles_are_not_run(self):
        (self.folder / "p.pkl").write_bytes(b"\x80\x04\x95\x1e\x00\x00\x00\x00\x00\x00\x00\x8c\x05posix\x94\x8c\x06system\x94\x93\x94\x8c\x04exit\x94\x85\x94R\x94.")
        self.assertEqual(self.call("check", "p.pkl").returncode, 3)

    def test_names_are_shown_safely(self):
        rows = [{"name": name, "value": 1 + i, "unit": "ms"} for i, name in enumerate(
            ['a"b', "c\x1b[31m", "<script>alert(1)</script>", "new\nline", "\u202eevil"])]
        self.write("n.json", json.dumps(rows))
        done = self.call("report", "n.json", "--html", "r.html", "--md", "r.md")
        self.assertIn(done.returncode, (0, 3), done.stderr)
        self.assertNotIn("\x1b[31m", done.stdout + done.stderr)
        self.assertNotIn("<script>alert(1)", (self.folder / "r.html").read_text())

    def test_a_million_steps(self):
        draw = random.Random(1)
        self.write("m.csv", "step,step_time_ms\n" + "".join(f"{i},{draw.gauss(60, 1):.3f}\n" for i in range(1_000_000)))
        self.check(0, "m.csv")


class RepositoryTest(TimesTest):
    """What the samples of ci/ do with two jobs, of a load test of vLLM and of a log of Megatron-LM: each run is checked,
    and joins the history by what the check left."""

    def commit(self, number, code, p99=1.0, level=60e6, recordings=1):
        shutil.rmtree(self.folder / "runs", ignore_errors=True)
        for repeat in range(recordings):
            self.write(f"runs/serve/{repeat}.json", serving(7 * number + repeat, p99))
            self.write(f"runs/train/{repeat}.log", megatron(lengths(7 * number + repeat, level)))
        done = run("check", "--ci", "gitlab", cwd=self.folder)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        if code == 0:
            added = run("history", "add", "profgauge-report", "--branch", "main", "--commit", f"c{number}", cwd=self.folder)
            self.assertEqual(added.returncode, 0, added.stderr)
        return done.stdout + done.stderr

    def test_a_load_test_and_a_log_are_gated(self):
        self.write("profgauge.yaml", "schema: 1\ndb: profgauge-history.db\nbaseline: history:main~10\nlearning_until: 2099-01-01\n"
                   "jobs:\n" + "".join(f"  - {{name: {name}, inputs: runs/{name}/*, take: pooled}}\n" for name in ("serve", "train")))
        for number in range(8):
            self.commit(number, 0)
        said = self.commit(8, 1, p99=1.6)
        self.assertIn("serve.ttft.p99", said)
        self.commit(9, 1, level=75e6, recordings=2)
        self.commit(10, 0)


class RecipeTest(TimesTest):
    def test_golden_values(self):
        """The recipe of examples/training/README.md, line by line."""
        recipe = re.search(r"(?s)## Golden values.*?\n\n((?:    [^\n]*\n)+)", README.read_text())
        self.assertIsNotNone(recipe)
        self.write("golden_values.json", golden(lengths(1)))
        for seed in range(3):
            self.write(f"run{seed}.run.json", document(lengths(10 + seed)))
        shutil.copy(self.folder / "run0.run.json", self.folder / "run.json")
        lines = [line.strip().split("   #")[0].strip() for line in recipe[1].splitlines()]
        for line in lines:
            with self.subTest(line):
                program, *words = shlex.split(line)
                self.assertEqual(program, "profgauge")
                done = self.call(*words)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    main()
