"""Unrecorded iterations, by the program: idle time of profiles of an H200 without the profiler,
runs whose profile is the same and whose unrecorded iterations are slower, documents that lie.
"""
import json
import pathlib
import random
import shutil
import tempfile
import unittest

from support import REPOSITORY, main, run

H200 = REPOSITORY / "examples" / "h200"
SAMPLES = REPOSITORY.parent / "shared" / "data" / "run-side"


def document(path, level, count=200, seed=1, stall=0, **more):
    """Lengths around `level` ns that vary by 1 %; every `stall`-th three times as long."""
    draw = random.Random(seed)
    lengths = [round(level * (1 + draw.gauss(0, 0.01)) * (3 if stall and i % stall == stall // 2 else 1))
               for i in range(count)]
    path.write_text(json.dumps({"schema": 1, "clock": "device_event", "segments": [{"first": 1000, "ns": lengths}], **more}))
    return path


class RunSideTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def call(self, *arguments):
        return run(*arguments, "--config", "none", cwd=self.folder)

    def metrics(self, *arguments):
        done = self.call("report", "-q", *arguments, "--out", "out", "--force")
        self.assertIn(done.returncode, (0, 1), done.stderr)
        found = json.loads((self.folder / "out" / "report.json").read_text())["metrics"]
        return {name: row.get("value") for name, row in found.items()}

    def test_rows_of_the_h200(self):
        # Recording, ns of an iteration without the profiler, idle share and kernels' share then.
        for name, level, idle, kernels in (("bf16", 7.6e6, 0.614, 0.382), ("bf16", 10e6, 0.707, 0.291),
                                           ("bf16_graph", 3.1e6, 0.065, 0.922)):
            with self.subTest(name, level=level):
                steps = document(self.folder / "steps.run.json", level)
                found = self.metrics(H200 / f"{name}.pt.trace.json.gz", "--step-times", steps)
                self.assertAlmostEqual(found["gpu.idle.unrecorded"], idle, delta=0.002)
                self.assertAlmostEqual(found["gpu.utilization.unrecorded"], kernels, delta=0.002)
                self.assertGreater(found["gpu.idle.mean"], found["gpu.idle.unrecorded"])

    def test_the_same_profile_with_slower_iterations(self):
        (self.folder / "policy.yaml").write_text(
            'schema: 1\nrules: {"*": off}\nbaseline: {step.time.median: {max_increase: 5%}}\n')
        bases = []
        for seed in (1, 2, 3):
            self.copy(f"b{seed}", seed)
            document(self.folder / f"b{seed}.run.json", 8e6, seed=seed)
            bases += ["--baseline", f"b{seed}.json"]
        self.copy("c", 4)
        for level, stall, exits in ((8e6, 0, (0,)), (8.64e6, 0, (3,)), (9.6e6, 0, (1,)), (8e6, 10, (1, 3))):
            with self.subTest(level=level, stall=stall):
                document(self.folder / "c.run.json", level, seed=4, stall=stall)
                done = self.call("check", "c.json", *bases, "--policy", "policy.yaml")
                self.assertIn(done.returncode, exits, done.stdout + done.stderr)
                self.assertIn("by 200 unrecorded iterations, the baseline's 600", " ".join(done.stdout.split()))

    def copy(self, name, seed):
        """One profile under many names: another start, the same lengths."""
        events, at = [], 1000 * seed
        for i in range(12):
            events += [
                {"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{i}", "pid": 1, "tid": 1, "ts": at, "dur": 10000},
                {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": at + 5, "dur": 5,
                 "args": {"correlation": i + 1}},
                {"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": at + 20, "dur": 7000,
                 "args": {"correlation": i + 1, "device": 0, "stream": 7}}]
            at += 10000
        device = {"id": 0, "name": "NVIDIA H200", "computeMajor": 9, "computeMinor": 0, "numSms": 132}
        (self.folder / f"{name}.json").write_text(
            json.dumps({"schemaVersion": 1, "deviceProperties": [device], "traceEvents": events}))

    @unittest.skipUnless((SAMPLES / "hostile").is_dir(), "../shared is absent")
    def test_hostile_documents_decide_nothing(self):
        self.copy("t", 1)
        (self.folder / "policy.yaml").write_text('schema: 1\nrules: {"*": off}\nthresholds: {gpu.idle.mean: {max: 20%}}\n')
        alone = self.call("check", "t.json", "--policy", "policy.yaml").returncode
        self.assertEqual(alone, 1)  # 30 % idle.
        names = sorted(path for path in (SAMPLES / "hostile").glob("*.json") if not path.name.startswith("trace_"))
        self.assertGreater(len(names), 10)
        for path in names:
            with self.subTest(path.name):
                # Beside the profile it is left out, and the profile fails as it does by itself; named it is an error.
                shutil.copy(path, self.folder / "t.run.json")
                beside = self.call("check", "t.json", "--policy", "policy.yaml")
                self.assertIn(beside.returncode, (1, 3), beside.stdout + beside.stderr)
                (self.folder / "t.run.json").unlink()
                named = self.call("check", "t.json", "--policy", "policy.yaml", "--step-times", path)
                self.assertIn(named.returncode, (1, 2, 3), named.stdout + named.stderr)
                self.assertRegex(named.stdout + named.stderr, r"run/|usage/step-column")
        # One that claims half of the time contradicts the work of the devices.
        document(self.folder / "t.run.json", 5e6)
        liar = self.call("check", "t.json", "--policy", "policy.yaml")
        self.assertIn(liar.returncode, (1, 3))
        self.assertIn("run/contradicts", liar.stdout)


if __name__ == "__main__":
    main()
