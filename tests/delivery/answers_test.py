"""The saved queries: their answers are computed again from the raw events, or known from elsewhere.

The profiles of ../shared are left out where there are none.
"""
import bisect
import collections
import csv
import gzip
import io
import json
import math
import pathlib
import statistics
import tempfile
import unittest

from support import REPOSITORY, main, run

DDP = REPOSITORY / "examples" / "ddp"
SHARED = REPOSITORY.parent / "shared" / "data" / "kineto"
SAVED = sorted(path.stem for path in (REPOSITORY / "rules" / "queries").glob("*.sql"))


def ask(profile, query, *options):
    """The rows of the answer, as dictionaries."""
    done = run("query", *([profile] if profile else []), query, "--format", "json", *options)
    if done.returncode != 0:
        raise AssertionError(f"{query}: {done.stderr}")
    document = json.loads(done.stdout)
    names = [column["name"] for column in document["columns"]]
    return [dict(zip(names, row)) for row in document["rows"]]


def ms(ns):
    return round(ns / 1e6, 3)


class Event:
    """Times in whole nanoseconds."""

    def __init__(self, raw, iteration=None):
        self.raw, self.name, self.iteration = raw, raw["name"], iteration
        self.start = round(raw["ts"] * 1000)
        self.duration = round(raw["dur"] * 1000)
        self.end = self.start + self.duration
        self.args = raw.get("args", {})


class Rank:
    """The events of a Kineto file, read without ProfGauge: device work counts where it was launched."""

    def __init__(self, path):
        events = [raw for raw in json.load(gzip.open(path))["traceEvents"] if raw.get("ph") == "X"]
        of = collections.defaultdict(list)
        for raw in events:
            of[raw["cat"]].append(Event(raw))
        self.steps = sorted((one for one in of["user_annotation"] if one.name.startswith("ProfilerStep#")),
                            key=lambda one: one.start)
        self.calls = of["cuda_runtime"]
        for call in self.calls:
            call.iteration = self.step_at(call.start)
        launch = {call.args["correlation"]: call for call in self.calls}
        self.kernels = [one for one in of["kernel"]]
        self.copies = of["gpu_memcpy"] + of["gpu_memset"]
        for work in self.work():
            work.launch = launch[work.args["correlation"]]
            work.iteration = work.launch.iteration

    def work(self):
        return self.kernels + self.copies

    def step_at(self, moment):
        i = bisect.bisect_right([step.start for step in self.steps], moment) - 1
        return i if i >= 0 and moment < self.steps[i].end else None


def union(spans):
    """The length of the union."""
    total, until = 0, -math.inf
    for start, end in sorted(spans):
        total += max(0, end - max(start, until))
        until = max(until, end)
    return total


def percentile(values, percent):
    """Linear between the nearest two."""
    values = sorted(values)
    at = (len(values) - 1) * percent / 100
    low = math.floor(at)
    high = min(low + 1, len(values) - 1)
    return values[low] + (values[high] - values[low]) * (at - low)


class Ddp(unittest.TestCase):
    """Four ranks, of which the third is slow."""

    @classmethod
    def setUpClass(cls):
        cls.ranks = [Rank(path) for path in sorted(DDP.glob("*.gz"))]

    def test_idle_by_rank(self):
        rows = ask(DDP, "select rank, sum(duration) idle from gap_events group by 1 order by 1")
        window = ask(DDP, "select rank, max(start + duration) - min(start) length from "
                          "(select d.rank, d.start, d.duration from device_events d union all "
                          "select rank, start, 0 from host_events where kind = 'marker') group by 1")
        share = ask(DDP, "select value from metrics where id = 'gpu.idle.mean'")[0]["value"]
        shares = [row["idle"] / length["length"] for row, length in zip(rows, window)]
        self.assertAlmostEqual(statistics.mean(shares), share, places=3)
        causes = ask(DDP, "@idle-by-rank")
        self.assertEqual({row["cause"] for row in causes[:4]}, {"waiting for data"})
        self.assertEqual([row["n"] for row in causes[:8]], [6] * 4 + [180] * 4)

    def test_busy_by_rank(self):
        expected = [(i, ms(sum(work.duration for work in rank.work())),
                     ms(union((work.start, work.end) for work in rank.work())))
                    for i, rank in enumerate(self.ranks)]
        self.assertEqual([tuple(row.values()) for row in ask(DDP, "@busy-by-rank")], expected)

    def test_kernels_like(self):
        for pattern, rank in ((".", 0), ("gemm", 2), ("nccl", 3)):
            kernels = [work for work in self.ranks[rank].work() if pattern == "." or pattern in work.name]
            expected = [(i, sum(1 for one in kernels if one.iteration == i),
                         ms(sum(one.duration for one in kernels if one.iteration == i))) for i in range(6)]
            rows = ask(DDP, "@kernels-like", "--param", f"pattern={pattern}", "--param", f"rank={rank}")
            self.assertEqual([tuple(row.values()) for row in rows], expected)

    def test_exposed_communication(self):
        for row in ask(DDP, "@exposed-communication"):
            work = [one for one in self.ranks[row["rank"]].work() if one.iteration == row["iteration"]]
            all_of_it = union((one.start, one.end) for one in work)
            others = union((one.start, one.end) for one in work if "nccl" not in one.name)
            self.assertEqual(row["ms"], ms(all_of_it - others))

    def test_launch_delay(self):
        for row, rank in zip(ask(DDP, "@launch-delay"), self.ranks):
            delays = [max(0, one.start - one.launch.end) for one in rank.kernels]
            for percent in (50, 95):
                self.assertAlmostEqual(row[f"p{percent}"], percentile(delays, percent) / 1e3, delta=0.0011)

    def test_tiny_kernels(self):
        below = 100_000
        small = [one for rank in self.ranks for one in rank.kernels if one.duration < below]
        rows = ask(DDP, "@tiny-kernels", "--param", f"shorter_than={below}")
        self.assertEqual(sum(row["n"] for row in rows), len(small))
        self.assertAlmostEqual(sum(row["ms"] for row in rows), sum(one.duration for one in small) / 1e6, places=2)
        self.assertEqual(ask(DDP, "@tiny-kernels"), [])

    def test_host_blocked(self):
        blocked = collections.Counter()
        for rank in self.ranks:
            for call in rank.calls:
                if "Synchronize" in call.name:
                    blocked[call.iteration, call.name] += call.duration
        rows = {(row["iteration"], row["name"]): row["ms"] for row in ask(DDP, "@host-blocked")}
        self.assertEqual(rows, {key: ms(time) for key, time in blocked.items()})

    def test_copies_by_size(self):
        groups = collections.defaultdict(list)
        for rank in self.ranks:
            for copy in rank.copies:
                kind = "h2d" if "HtoD" in copy.name else "d2h"
                groups[kind, int(copy.args["bytes"] < 1 << 20)].append(copy)
        expected = [(kind, small, len(copies), sum(one.args["bytes"] for one in copies),
                     round(sum(one.args["bytes"] for one in copies) / sum(one.duration for one in copies), 2))
                    for (kind, small), copies in sorted(groups.items())]
        self.assertEqual([tuple(row.values()) for row in ask(DDP, "@copies-by-size")], expected)

    def test_first_kernel(self):
        expected = {}
        for i, rank in enumerate(self.ranks):
            for position, step in enumerate(rank.steps):
                first = min(one.start for one in rank.work() if one.iteration == position)
                expected[i, step.name] = ms(first - step.start)
        self.assertEqual({(row["rank"], row["name"]): row["ms"] for row in ask(DDP, "@first-kernel")}, expected)

    def test_slow_gpu(self):
        times = [collections.defaultdict(list) for _ in self.ranks]
        for own, rank in zip(times, self.ranks):
            for one in rank.kernels:
                if "nccl" not in one.name:
                    own[one.name].append(one.duration)
        rows = [row["slow"] for row in ask(DDP, "@slow-gpu")]
        for slow, own in zip(rows, times):
            usual = sum(statistics.median(sum(of[name]) for of in times) for name in own)
            self.assertEqual(slow, round(sum(map(sum, own.values())) / usual, 3))
        self.assertGreater(rows[2], 1.15)

    def test_stragglers(self):
        last = ask(DDP, "@last-in-collectives")
        self.assertEqual((last[0]["rank"], last[0]["last_in"]), (2, 18))
        self.assertEqual(sum(row["last_in"] for row in last[1:]), 0)
        calls = ask(DDP, "select call, max(waiting) w from collective_events group by 1 order by 2 desc, 1 limit 5")
        slowest = ask(DDP, "@slowest-calls")
        self.assertEqual([row["waits"] for row in slowest], [ms(row["w"]) for row in calls])
        self.assertEqual(slowest[0]["for_rank"], 2)

    def test_message_sizes(self):
        rows = ask(DDP, "@small-messages")
        calls = sum(1 for rank in self.ranks for one in rank.kernels if "nccl" in one.name)
        self.assertEqual([(row["name"], row["from_size"], row["calls"]) for row in rows],
                         [("all_reduce", 1 << 24, calls)])

    def test_backward_by_forward(self):
        rows = ask(DDP, "@backward-by-forward")
        self.assertEqual([(row["forward_op"], row["n"]) for row in rows],
                         [("aten::addmm", 192), ("aten::cudnn_batch_norm", 96), ("aten::clamp_min_", 96)])

    def test_slow_iterations(self):
        report = json.loads(run("report", DDP, "--json", "-").stdout)["tables"]["iterations"]
        ids = [column["id"] for column in report["columns"]]
        rows = [dict(zip(ids, row)) for row in report["rows"]]
        slowest = sorted(rows, key=lambda row: (-row["duration"], row["index"]))[:3]
        answer = ask(DDP, "@slow-iterations")
        self.assertEqual([row["iteration"] for row in answer], [row["index"] for row in slowest])
        self.assertEqual([row["loader"] for row in answer], [ms(row["dataloader"]) for row in slowest])

    def test_first_step_of_the_answer(self):
        """The steps of the plan in their order."""
        report = json.loads(run("report", DDP, "--json", "-").stdout)
        plan = [(i + 1, ms(step["saves"]["value"]), ", ".join(step["findings"] or step["rules"]))
                for i, step in enumerate(report["plan"]["steps"])]
        answer = ask(DDP, "@what-first")
        self.assertEqual([(row["step"], row["saves"], row["keys"]) for row in answer], plan)


def made_profile():
    """One iteration: a gap under a Python function, and two operators that hold memory."""
    step = {"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#0", "pid": 1, "tid": 1, "ts": 0, "dur": 2000}
    events = [step]
    for i, (start, name, size) in enumerate(((100, "aten::mul", 4096), (1500, "aten::bmm", 8192))):
        events += [
            {"ph": "X", "cat": "cpu_op", "name": name, "pid": 1, "tid": 1, "ts": start, "dur": 30,
             "args": {"External id": i + 1, "Input Dims": [[64, 64]]}},
            {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": start + 10,
             "dur": 5, "args": {"correlation": i + 1, "External id": i + 1}},
            {"ph": "X", "cat": "kernel", "name": f"k{i}", "pid": 0, "tid": 7, "ts": start + 20, "dur": 100,
             "args": {"device": 0, "stream": 7, "correlation": i + 1, "External id": i + 1}},
            {"ph": "i", "cat": "cpu_instant_event", "name": "[memory]", "pid": 1, "tid": 1, "ts": start + 2, "s": "t",
             "args": {"Device Type": 1, "Device Id": 0, "Addr": 1000 + i, "Bytes": size,
                      "Total Allocated": 4096 + i * 8192, "Total Reserved": 1 << 20}}]
    events += [{"ph": "X", "cat": "python_function", "name": "data.py(7): load", "pid": 1, "tid": 1, "ts": 300,
                "dur": 1000, "args": {"Python id": 1, "Python parent id": None}},
               {"ph": "X", "cat": "python_function", "name": "data.py(9): resize", "pid": 1, "tid": 1, "ts": 500,
                "dur": 600, "args": {"Python id": 2, "Python parent id": 1}}]
    return json.dumps({"schemaVersion": 1, "with_stack": 1, "profile_memory": 1, "record_shapes": 1,
                       "deviceProperties": [{"id": 0, "name": "NVIDIA A100-SXM4-80GB"}], "traceEvents": events})


class Made(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.run = pathlib.Path(temporary.name) / "run.json"
        self.run.write_text(made_profile())

    def test_python_in_the_longest_gap(self):
        self.assertEqual(ask(self.run, "@longest-gap-python"),
                         [{"name": "data.py(7): load", "n": 1, "ms": 1.0},
                          {"name": "data.py(9): resize", "n": 1, "ms": 0.6}])

    def test_live_at_the_peak(self):
        self.assertEqual(ask(self.run, "@live-at-peak"),
                         [{"op": "aten::bmm", "n": 1, "bytes": 8192}, {"op": "aten::mul", "n": 1, "bytes": 4096}])

    def test_two_runs(self):
        folder = REPOSITORY / "examples"
        names = {"a": folder / "slow.pt.trace.json.gz", "b": folder / "healthy.pt.trace.json.gz"}
        rows = ask(None, "@operators-of-two-runs", "--run", f"a={names['a']}", "--run", f"b={names['b']}")
        for run_name, path in names.items():
            alone = {row["name"]: row["ms"] for row in ask(path, "select name, ms(sum(device_self)) ms from ops group by 1")}
            for row in rows:
                self.assertEqual(row[run_name], alone.get(row["name"]), row["name"])
        differences = [abs((row["a"] or 0) - (row["b"] or 0)) for row in rows if row["a"] and row["b"]]
        self.assertEqual(differences, sorted(differences, reverse=True))

    def test_far_from_the_roof(self):
        slow = REPOSITORY / "examples" / "slow.pt.trace.json.gz"
        kernels = ask(slow, "select sum(time) t from kernels")[0]["t"]
        rows = ask(slow, "select name, roof_share, time from roofline")
        expected = sorted((-row["time"], row["name"]) for row in rows
                          if row["roof_share"] is not None and row["roof_share"] < 0.3 and row["time"] > 0.01 * kernels)
        self.assertEqual([(row["ms"], row["name"]) for row in ask(slow, "@far-from-roof")],
                         [(ms(-time), name) for time, name in expected])


@unittest.skipUnless(SHARED.is_dir(), "no shared profiles")
class Shared(unittest.TestCase):
    """Answers that were found before this program had queries."""

    def test_dlrm_of_eight_ranks(self):
        dlrm = SHARED / "dlrm_8ranks"
        sizes = ask(dlrm, "@small-messages")
        self.assertEqual([(row["calls"], row["gb_per_s"]) for row in sizes if row["from_size"] == 16384], [(16, 2.2)])
        last = ask(dlrm, "@last-in-collectives")
        self.assertEqual([(row["rank"], row["last_in"]) for row in last[:3]], [(7, 5), (5, 2), (4, 1)])

    def test_resnet_waits_for_its_loader(self):
        resnet = SHARED / "v100_resnet50" / "resnet50_num_workers_0__worker0.1623143089861.pt.trace.json.gz"
        copies = ask(resnet, "@copies-by-size")
        self.assertEqual([(row["small"], row["gb_per_s"]) for row in copies if row["copy"] == "h2d"],
                         [(0, 10.06), (1, 0.26)])
        slow = ask(resnet, "@slow-iterations")
        self.assertEqual([row["loader"] for row in slow], [69.317, 62.69, 61.257])
        self.assertEqual(ask(resnet, "@first-kernel")[0]["ms"], 73.806)


class All(unittest.TestCase):
    def test_each_query_has_a_test(self):
        text = pathlib.Path(__file__).read_text()
        self.assertEqual([name for name in SAVED if f'"@{name}"' not in text], [])
        self.assertEqual(len(SAVED), 20)

    def test_the_list_names_each(self):
        rows = csv.DictReader(io.StringIO(run("query", "--list", "--format", "csv").stdout))
        self.assertEqual(sorted(row["name"] for row in rows), SAVED)


if __name__ == "__main__":
    main()
