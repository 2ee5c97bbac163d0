"""StepClock of src/python/profgauge/torch.py, driven with a stand-in for PyTorch (tests/training/stubs) whose time is known."""
import base64
import ctypes
import gzip
import importlib.util
import itertools
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import unittest
from unittest import mock

from support import REPOSITORY, main
from training_support import MS, SCHEMA, SOURCES, ClockTest, tested  # First: it makes the stand-in `torch`.

import torch
from profgauge import conditions, marks

_REAL_THREAD = threading.Thread  # Tests replace it.

class TimesTest(ClockTest):
    def test_no_step_contains_the_cost_of_the_profiler(self):
        clock = tested.StepClock(warmup=0)
        self.profiled(clock, handler=lambda profiler: profiler.export_chrome_trace(str(self.folder / "a.gz")))
        document = self.valid(clock.text())
        # The first step has no beginning. 10 and 11 are the warm-up, 12 to 14 are recorded.
        self.assertEqual(self.steps(document), {n: 10 * MS for n in (*range(1, 10), *range(15, 40))})
        self.assertEqual(document["recorded"], [[12, 14]])
        self.assertEqual(document["profiler"], {"name": "torch", "options": [], "schedule": [10, 2, 3, 1]})

    def test_the_first_steps_are_left_out(self):
        clock = tested.StepClock(warmup=7)
        self.train(clock, 10)
        self.assertEqual(self.steps(self.valid(clock.text())), {7: 10 * MS, 8: 10 * MS, 9: 10 * MS})

    def test_a_profiler_that_recorded_before_gives_its_number(self):
        profiler = torch.profiler.profile(schedule=torch.profiler.schedule(wait=99, warmup=1, active=1))
        profiler.step_num = 50
        clock = tested.StepClock(warmup=0)
        self.train(clock, 3, profiler)
        self.assertEqual(sorted(self.steps(self.valid(clock.text()))), [51, 52])

    def test_the_device_has_its_own_clock_and_is_never_waited_for(self):
        torch.cuda.initialized, torch.device_lag_ns = True, 35 * MS
        clock = tested.StepClock(warmup=0)
        self.train(clock, 500)  # The stub's synchronize() fails the test.
        self.assertLess(torch.calls.count("query"), 500 + 20)
        document = self.valid(clock.text())
        self.assertEqual(document["clock"], "device_event")
        self.assertEqual(self.steps(document), {n: 10 * MS for n in range(1, 496)})  # The last are still in the queue.
        torch.now_ns += 40 * MS
        self.assertEqual(len(self.steps(self.valid(clock.text()))), 499)
        self.assertLess(torch.Event.made, tested.STEPS_ASKED_AT_ONCE + 8)
        self.assertEqual(document["devices"], [
            {"id": 0, "name": "NVIDIA H200", "uuid": "GPU-00000000-0000-0000-0000-000000000001"}])

    def test_no_event_becomes_part_of_a_graph(self):
        torch.cuda.initialized = True
        clock = tested.StepClock(warmup=0)
        self.train(clock, 5)
        torch.cuda.capturing = True
        torch.calls.clear()
        self.train(clock, 60)
        self.assertEqual(torch.calls, [])  # Neither recorded nor asked: both would break the capture.
        torch.cuda.capturing = False
        self.train(clock, 3)
        self.assertEqual(sorted(self.steps(self.valid(clock.text()))), [1, 2, 3, 4, 66, 67])

    def test_windows_between_waits(self):
        waited = []

        def wait():
            waited.append(torch.now_ns)
            torch.now_ns += 3 * MS
        clock = tested.StepClock(warmup=0, synchronize=wait, window=5)
        self.train(clock, 22)
        document = self.valid(clock.text())
        self.assertEqual(document["windows"], [[n, 5, 53 * MS] for n in (5, 10, 15)])
        self.assertEqual(len(waited), 4)
        for first, count, ns in document["windows"]:
            self.assertEqual(sum(self.steps(document)[n] for n in range(first, first + count)), ns)
        clock.restart()  # The device may have caught up: sums across this are not exact.
        self.train(clock, 13)
        self.assertEqual(self.valid(clock.text())["windows"][3:], [[n, 5, 53 * MS] for n in (25, 30)])

    def test_no_step_contains_time_between_steps(self):
        clock = tested.StepClock(warmup=0)
        self.train(clock, 5)
        torch.now_ns += 10**10
        clock.restart()
        self.train(clock, 5)
        self.assertEqual(set(self.steps(self.valid(clock.text())).values()), {10 * MS})

    def test_a_step_without_length_is_none(self):
        clock = tested.StepClock(warmup=0)
        self.train(clock, 3)
        self.train(clock, 2, ms=0)  # A clock that does not move.
        self.assertEqual(sorted(self.steps(self.valid(clock.text()))), [1, 2])

    def test_another_profiler_records(self):
        clock = tested.StepClock(warmup=0)
        for number in range(10):
            torch.now_ns += 10 * MS
            clock.step(recorded=3 < number < 6)
        document = self.valid(clock.text())
        self.assertEqual(sorted(self.steps(document)), [1, 2, 3, 6, 7, 8, 9])
        self.assertEqual(document["recorded"], [[4, 5]])

    def test_unusual_steps_are_named(self):
        clock = tested.StepClock(warmup=0)
        self.train(clock, 12, phases=((3, "eval"), (4, "eval"), (7, "eval"), (8, "checkpoint"), (9, 'say "hi"\n')))
        self.assertEqual(self.valid(clock.text())["marks"],
                         [[3, 4, "eval"], [7, 7, "eval"], [8, 8, "checkpoint"], [9, 9, "other"]])

    def test_long_runs_keep_the_first_and_the_latest(self):
        clock = tested.StepClock(warmup=0, keep=1000)
        self.train(clock, 20000)
        self.assertEqual(sorted(self.steps(self.valid(clock.text()))), [*range(1, 501), *range(19500, 20000)])

    def test_the_largest_document_is_within_the_limits(self):
        clock = tested.StepClock(warmup=0, keep=10**9)
        clock._first = [(n, 86_399_999_999_999) for n in range(65536)]
        text = clock.text()
        self.assertLessEqual(len(text), tested.MOST_BYTES)
        self.assertGreater(len(self.steps(self.valid(text))), 30000)
        self.assertLessEqual(len(clock.text(tested.MOST_BYTES_IN_TRACE)), tested.MOST_BYTES_IN_TRACE)


class TraceTest(ClockTest):
    def inside(self, schedule, release="2.11", steps=60):
        found = []

        def handler(profiler):
            path = str(self.folder / f"{len(found)}.json")
            profiler.export_chrome_trace(path)
            found.append(json.loads(pathlib.Path(path).read_text()).get("profgauge.run"))
        clock = tested.StepClock(warmup=0, samples=128)
        version = "1.9.0+cu111" if release == "1.9" else "2.11.0+cu130"
        with mock.patch.object(torch, "__version__", version):
            self.profiled(clock, steps, schedule, handler)
        return found

    def test_each_trace_has_the_steps_before_it(self):
        for release, (wait, warmup, active) in itertools.product(("1.9", "2.11"), ((10, 2, 3), (10, 1, 1), (10, 0, 2))):
            with self.subTest(release, warmup=warmup):
                cycle = wait + warmup + active
                found = self.inside({"wait": wait, "warmup": warmup, "active": active, "repeat": 3}, release)
                self.assertEqual(len(found), 3)
                for i, document in enumerate(found):
                    self.assertEqual(list(SCHEMA.iter_errors(document)), [])
                    wanted = [n for n in range(1, i * cycle + wait) if n % cycle < wait]
                    self.assertEqual(sorted(self.steps(document)), wanted)

    def test_nothing_is_said_of_a_trace_without_steps_before_it(self):
        found = self.inside({"wait": 0, "warmup": 1, "active": 2, "repeat": 1})
        self.assertEqual([document["segments"] for document in found], [[]])

    def test_marks_of_other_profilers(self):
        clock = tested.StepClock(warmup=0)
        clock._first = [(n, 27_000_000 + n) for n in range(9000)]
        torch.cuda.marks.clear()
        marks.nvtx(clock)
        key, text = torch.cuda.marks[0].split(":")
        self.assertEqual(key, "profgauge.run")
        self.assertRegex(text, r"\A[0-9A-Za-z_-]+\Z")
        self.assertLessEqual(len(torch.cuda.marks[0]), 32 << 10)
        document = self.valid(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)).decode())
        self.assertEqual(max(self.steps(document)), 8999)
        with self.assertLogs("profgauge", "WARNING"):
            marks.roctx(clock)  # No ROCm here.


SAMPLES = REPOSITORY.parent / "shared" / "data" / "run-side"


class ValuesTest(ClockTest):
    def document(self, environment, **per_step):
        with mock.patch.dict(os.environ, environment):
            clock = tested.StepClock(warmup=0, **per_step)
            self.train(clock, 3)
            return self.valid(clock.text())

    def test_only_listed_variables_of_the_environment(self):
        document = self.document({
            "CUDA_LAUNCH_BLOCKING": "1", "NCCL_ALGO": "Ring", "XLA_FLAGS": "--xla_gpu_autotune_level=0",
            "PYTORCH_CUDA_ALLOC_CONF": "expandable_segments:True", "PYTORCH_ALLOC_CONF": "backend:native",
            # Secrets, paths, and texts that Kineto would destroy.
            "USER": "ann", "AWS_SECRET_ACCESS_KEY": "x", "TF_TOKEN_app_terraform_io": "x", "TF_VAR_db_password": "x",
            "TF_VAR_region": "x", "NCCL_TOPO_FILE": "/home/ann/topo.xml", "NCCL_X_KEY": "x", "TF_CPP_MIN_LOG_LEVEL": '"0"',
            "HIP_A": "a\\b", "HIP_B": "a\nb", "HIP_C": "\u00e9", "HIP_D": "x" * 1000, "NCCL_": "x", "xNCCL_A": "x"})
        self.assertEqual(document["env"], {
            "CUDA_LAUNCH_BLOCKING": "1", "NCCL_ALGO": "Ring", "XLA_FLAGS": "--xla_gpu_autotune_level=0",
            "PYTORCH_CUDA_ALLOC_CONF": "expandable_segments:True", "PYTORCH_ALLOC_CONF": "backend:native"})
        self.assertEqual(len(self.document({f"NCCL_{i}": "1" for i in range(200)})["env"]), 64)

    def test_commit_and_job(self):
        self.assertEqual(self.document({"PT_PROFILER_JOB_VERSION": "0123abc", "PT_PROFILER_JOB_NAME": "gpt/small"})["commit"],
                         "0123abc")
        for value in ("/home/ann/x", "a b", "", "x" * 65, '"', "a\n"):
            self.assertNotIn("commit", self.document({"PROFGAUGE_COMMIT": value}))

    def test_work_is_a_positive_number(self):
        with self.assertLogs("profgauge", "WARNING"):
            document = self.document({}, samples=128, tokens=4096.5, a=-1, b=0, c=float("nan"), d=float("inf"), e="1",
                                     größe=3, f=True and None)
        self.assertEqual(document["per_step"], {"samples": 128, "tokens": 4096.5})

    def test_the_rank_is_the_launchers(self):
        for environment, wanted in (
                ({}, (0, 1)), ({"RANK": "3", "WORLD_SIZE": "8"}, (3, 8)),
                ({"SLURM_PROCID": "0", "SLURM_NTASKS": "8"}, (0, 1)),  # The batch script is one process.
                ({"SLURM_PROCID": "5", "SLURM_NTASKS": "8", "SLURM_STEP_NUM_TASKS": "8"}, (5, 8)),
                ({"OMPI_COMM_WORLD_RANK": "1", "OMPI_COMM_WORLD_SIZE": "2"}, (1, 2)), ({"PMI_RANK": "1", "PMI_SIZE": "4"}, (1, 4)),
                ({"RANK": "8", "WORLD_SIZE": "8"}, (0, 1)), ({"RANK": "-1", "WORLD_SIZE": "x"}, (0, 1)),
                ({"RANK": "\u0663", "WORLD_SIZE": "8"}, (0, 1)), ({"RANK": "9" * 5000, "WORLD_SIZE": "9" * 5001}, (0, 1))):
            with self.subTest(environment), mock.patch.dict(os.environ, environment):
                self.assertEqual(tested.place_in_run(), wanted)
        torch.distributed.rank = (2, 4)
        self.assertEqual(tested.place_in_run(), (2, 4))
        document = self.document({"RANK": "0", "WORLD_SIZE": "1"})
        self.assertEqual((document["rank"], document["world_size"], document["versions"]["nccl"]), (2, 4, "2.27.5"))

    def test_a_tracer_is_loaded(self):
        self.assertNotIn("attached", self.document({}))
        self.assertTrue(self.document({"CUDA_INJECTION64_PATH": "/opt/nsys/libToolsInjection64.so"})["attached"])

    def test_our_profiles_follow_the_schema(self):
        found = sorted((REPOSITORY / "examples" / "h200").glob("steps_*.run.json"))
        found = [path for path in found if path.name != "steps_jax.run.json"]
        self.assertEqual(len(found), 3)
        for path in found:
            after = self.valid(path.read_text().rstrip("\n"))
            with gzip.open(str(path).replace(".run.json", ".pt.trace.json.gz"), "rt", encoding="utf-8") as file:
                before = json.load(file)["profgauge.run"]
            self.assertEqual([error.message for error in SCHEMA.iter_errors(before)], [])
            self.assertLess(len(self.steps(before)), len(self.steps(after)))
            self.assertEqual(before["devices"], after["devices"])
        after = self.valid((REPOSITORY / "examples/h200/steps_jax.run.json").read_text().rstrip("\n"))
        plane = gzip.open(REPOSITORY / "examples/h200/steps_jax.xplane.pb.gz").read()
        mark = re.search(rb"eyJ[0-9A-Za-z_-]{40,}", plane)[0].decode()  # {" in base64.
        before = self.valid(base64.urlsafe_b64decode(mark + "=" * (-len(mark) % 4)).decode())
        self.assertEqual(sorted(self.steps(before)), [*range(2, 40)])
        self.assertEqual({n: ns for n, ns in self.steps(after).items() if n < 40}, self.steps(before))

    @unittest.skipUnless(SAMPLES.is_dir(), "../shared is absent")
    def test_the_schema_takes_and_refuses_the_samples(self):
        for name in ("run", "run_minimal", "run_batches"):
            self.assertTrue(SCHEMA.is_valid(json.loads((SAMPLES / f"{name}.json").read_text())), name)
        for name in ("no_schema", "newer", "negative", "huge", "fractions", "texts", "nan", "deep"):
            self.assertFalse(SCHEMA.is_valid(json.loads((SAMPLES / "hostile" / f"{name}.json").read_text())), name)


class Nvml:
    """NVIDIA's management library: answers per call, a code other than 0 where there is none."""

    def __init__(self, missing=(), **answers):
        self.answers = {"nvmlInit_v2": [None], "nvmlDeviceGetHandleByUUID": [7], "nvmlDeviceGetClockInfo": [1200, 2619],
                        "nvmlDeviceGetMaxClockInfo": [1980], "nvmlDeviceGetEnforcedPowerLimit": [700000],
                        "nvmlDeviceGetPowerUsage": [512340], "nvmlDeviceGetTemperature": [61],
                        "nvmlDeviceGetCurrentClocksEventReasons": [0x4], **answers}
        for name in missing:
            self.answers.pop(name)
        self.uuid = None

    def __getattr__(self, name):
        if name not in self.answers:
            if name.startswith("nvmlDeviceGetCurrentClocks"):
                raise AttributeError(name)  # An older driver's library has no such function.
            return lambda *arguments: 3  # NVML_ERROR_NOT_SUPPORTED

        def call(*arguments):
            if name == "nvmlDeviceGetHandleByUUID":
                self.uuid = arguments[0]
            if name == "nvmlDeviceGetComputeRunningProcesses_v3":
                arguments[1]._obj.value = self.answers[name][0]
                return 7  # NVML_ERROR_INSUFFICIENT_SIZE: there is no room for the list.
            if arguments:
                values = self.answers[name]
                arguments[-1]._obj.value = values[arguments[1] == 2 and len(values) > 1]
            return 0
        return call


class ConditionsTest(ClockTest):
    def conditions(self, library, samples=1):
        torch.cuda.initialized = True
        done = mock.Mock(side_effect=[None] * (samples - 1) + [SystemExit])
        with mock.patch.object(conditions.ctypes, "CDLL", side_effect=[library]), \
                mock.patch.object(conditions.time, "sleep", done):
            watched = conditions.Conditions()
            try:
                watched.start()
            except SystemExit:  # The thread of the stand-in runs in ours; this ends it.
                pass
        return watched

    def test_conditions_of_the_device(self):
        library = Nvml(nvmlDeviceGetCurrentClocksEventReasons=[0x24])
        watched = self.conditions(library, samples=3)
        self.assertEqual(library.uuid, b"GPU-00000000-0000-0000-0000-000000000001")
        clock = tested.StepClock(warmup=0, conditions=watched)
        watched.start = lambda: None
        self.train(clock, 4)
        device = self.valid(clock.text())["devices"][0]
        self.assertEqual(device, {
            "id": 0, "name": "NVIDIA H200", "uuid": "GPU-00000000-0000-0000-0000-000000000001",
            "sm_mhz": {"median": 1200, "min": 1200, "max": 1200, "limit": 1980},
            "memory_mhz": {"median": 2619, "min": 2619, "max": 2619},
            "watts": {"median": 512.3, "min": 512.3, "max": 512.3, "limit": 700.0},
            "celsius": {"median": 61, "min": 61, "max": 61}, "reasons": {"sw_power_cap": 1.0, "sw_thermal": 1.0}})

    def test_memory_errors_and_other_processes(self):
        watched = self.conditions(Nvml(nvmlDeviceGetTotalEccErrors=[2], nvmlDeviceGetComputeRunningProcesses_v3=[3]))
        self.assertEqual(watched.document()["ecc_uncorrected"], 2)
        self.assertEqual(watched.document()["other_processes"], 2)

    def test_older_drivers_and_cards_without_readings(self):
        watched = self.conditions(Nvml(missing=["nvmlDeviceGetCurrentClocksEventReasons"],
                                       nvmlDeviceGetCurrentClocksThrottleReasons=[0x1]))
        self.assertEqual(watched.document()["reasons"], {"gpu_idle": 1.0})
        watched = self.conditions(Nvml(missing=["nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetPowerUsage",
                                                "nvmlDeviceGetTemperature", "nvmlDeviceGetMaxClockInfo"]))
        self.assertEqual(sorted(watched.document()), ["memory_mhz", "sm_mhz"])
        self.assertNotIn("limit", watched.document()["sm_mhz"])

    def test_without_the_library_or_the_card(self):
        for library in (None, Nvml(missing=["nvmlInit_v2"]), Nvml(missing=["nvmlDeviceGetHandleByUUID"])):
            tested._said.clear()
            torch.cuda.initialized = True
            clock = tested.StepClock(warmup=0, conditions=conditions.Conditions())
            with mock.patch.object(conditions.ctypes, "CDLL", side_effect=lambda name: library or ctypes.CDLL("nonexistent.so")), \
                    self.assertLogs("profgauge", "WARNING") as logs:
                self.train(clock, 3)
                self.assertEqual(sorted(self.valid(clock.text())["devices"][0]), ["id", "name", "uuid"])
            self.assertEqual(len(logs.output), 1)
        torch.cuda.initialized = False
        clock = tested.StepClock(warmup=0, conditions=conditions.Conditions())
        self.train(clock, 3)
        self.assertNotIn("devices", self.valid(clock.text()))


class FailuresTest(ClockTest):
    """Whatever fails, the loop runs to its end, and somebody says why."""

    def survives(self, name, failure, device=True):
        tested._said.clear()
        torch.calls.clear()
        torch.cuda.initialized, torch.failure = device, failure
        torch.distributed.rank = (0, 1)
        clock = tested.StepClock(warmup=0, samples=1, after=5)
        profiler = torch.profiler.profile(
            schedule=torch.profiler.schedule(wait=5, warmup=2, active=2, repeat=2),
            on_trace_ready=lambda p: (clock.publish(str(self.folder / "a.run.json")),
                                      p.export_chrome_trace(str(self.folder / "a.json"))))
        profiler.start()
        torch.fail.add(name)
        with self.assertLogs("profgauge", "WARNING") as logs:
            self.train(clock, 40, profiler)
            clock.restart()
            clock.write(str(self.folder / "b.run.json"))
        self.assertIn("injected", "\n".join(logs.output))
        self.assertLess(len(logs.output), 12)  # Not a line for each step.
        torch.fail.clear()
        if (self.folder / "b.run.json").exists():
            self.valid((self.folder / "b.run.json").read_text().rstrip("\n"))
        return clock

    def test_any_call_of_pytorch(self):
        for failure in (RuntimeError("injected"), OSError(28, "No space left: injected"), MemoryError("injected"),
                        StopIteration("injected"), AssertionError("injected"), RecursionError("injected")):
            for name in ("Event", "record", "query", "elapsed_time", "get_device_properties", "get_rank", "schedule", "step",
                         "prepare_trace", "start_trace", "stop_trace", "export_chrome_trace"):
                with self.subTest(name, failure=failure):
                    self.survives(name, failure)

    def test_metadata_that_are_refused_are_no_lost_step(self):
        with mock.patch.object(torch, "__version__", "1.9.0+cu111"):
            clock = self.survives("add_metadata_json", RuntimeError("injected"), device=False)
        self.assertEqual(len(self.steps(self.valid(clock.text()))), 4 + 5 + 22)

    def test_a_profiler_that_always_fails_is_not_used_again(self):
        self.survives("step", RuntimeError("injected"))
        self.assertEqual(torch.calls.count("step"), tested.MOST_FAILURES)

    def test_interrupting_is_no_failure(self):
        torch.fail.add("step")
        torch.failure = KeyboardInterrupt()
        with self.assertRaises(KeyboardInterrupt):
            self.profiled(tested.StepClock())

    def test_files_that_cannot_be_written(self):
        clock = tested.StepClock(warmup=0)
        self.train(clock, 5)
        for path in ("/nonexistent/a.json", str(self.folder), "/dev/full/a", "a\0b", str(self.folder / ("x" * 300))):
            tested._said.clear()
            with self.subTest(path), self.assertLogs("profgauge", "WARNING"):
                clock.write(path)
        self.assertEqual(list(self.folder.iterdir()), [])
        (self.folder / "a.json").write_text("before")
        for broken in ("builtins.open", "os.replace"):
            tested._said.clear()
            with mock.patch(broken, side_effect=OSError(28, "full")), self.assertLogs("profgauge", "WARNING"):
                clock.write(str(self.folder / "a.json"))
            self.assertEqual([path.read_text() for path in self.folder.iterdir()], ["before"])

    def test_measurements_before_an_error_of_cuda_are_written(self):
        torch.cuda.initialized = True
        clock = tested.StepClock(warmup=0)
        self.train(clock, 40)
        torch.fail.add("query")
        with self.assertLogs("profgauge", "WARNING"):
            clock.write(str(self.folder / "a.json"))
        self.assertEqual(sorted(self.steps(self.valid((self.folder / "a.json").read_text().strip()))), [*range(1, 33)])

    def test_who_starts_the_program_gets_its_document(self):
        for rank, wanted in (("1", False), ("0", True)):
            with mock.patch.dict(os.environ, {"PROFGAUGE_RUN": str(self.folder / "run.json"), "RANK": rank, "WORLD_SIZE": "2"}):
                clock = tested.StepClock(warmup=0)
                self.train(clock, 5)
                clock._write_all()
                self.assertEqual((self.folder / "run.json").exists(), wanted)

    def test_who_starts_the_program_says_how_many_steps_are_enough(self):
        for asked, enough in (("12", 32), ("", None), ("many", None), ("0", None)):
            with self.subTest(asked=asked), mock.patch.dict(os.environ, {"PROFGAUGE_STEPS": asked}):
                clock = tested.StepClock(warmup=20)
                reached = [clock.enough or self.train(clock, 1) for _ in range(60)]
                self.assertEqual(reached.index(True) if True in reached else None, enough)

    def test_no_thread_can_be_started_and_the_log_fails(self):
        clock = tested.StepClock(warmup=0, after=3)
        with mock.patch.object(tested.threading, "Thread", side_effect=RuntimeError("can't start new thread")), \
                mock.patch.object(tested.LOG, "warning", side_effect=ValueError("broken handler")):
            self.profiled(clock, steps=60)

    def test_documents_are_written_again_and_not_by_a_forked_process(self):
        path = self.folder / "a.run.json"
        clock = tested.StepClock(warmup=0, after=6)
        self.profiled(clock, 30, handler=lambda profiler: clock.publish(str(path)))
        self.assertEqual(max(self.steps(self.valid(path.read_text().strip()))), 21)
        path.write_text("of the parent")
        child = os.fork()
        if child == 0:
            clock._write_all()
            os._exit(0)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        self.assertEqual(path.read_text(), "of the parent")
        clock._write_all()
        self.assertEqual(max(self.steps(self.valid(path.read_text().strip()))), 29)

    def test_the_last_document_is_whole_and_has_all_steps_while_another_thread_writes(self):
        path = self.folder / "a.run.json"
        clock = tested.StepClock(warmup=0, after=3)
        self.profiled(clock, 20, handler=lambda profiler: None)
        clock._documents.append(str(path))
        inside, go_on = threading.Event(), threading.Event()
        real_replace = os.replace

        def slow_replace(part, to):
            inside.set()
            go_on.wait(10)
            real_replace(part, to)

        with mock.patch("os.replace", slow_replace):
            clock._writer = _REAL_THREAD(target=clock._write_all, args=(clock._kept()[:2],))
            clock._writer.start()
            self.assertTrue(inside.wait(10))
            last = _REAL_THREAD(target=clock._finish)
            last.start()
            last.join(0.2)
            self.assertTrue(last.is_alive())  # Waits for the earlier document.
            go_on.set()
            last.join(10)
        self.assertEqual(max(self.steps(self.valid(path.read_text().strip()))), 19)
        self.assertEqual([file.name for file in self.folder.iterdir()], [path.name])

    def test_simultaneous_threads_do_not_mix_their_texts(self):
        path = self.folder / "a.run.json"
        clock = tested.StepClock(warmup=0)
        self.train(clock, 300)
        kept = clock._kept()
        writers = [_REAL_THREAD(target=lambda steps=kept[:size]: [clock.write(str(path), steps) for _ in range(100)])
                   for size in (2, 40, 299)]
        for writer in writers:
            writer.start()
        while any(writer.is_alive() for writer in writers):
            if path.exists():
                self.valid(path.read_text().strip())
        for writer in writers:
            writer.join()
        self.valid(path.read_text().strip())


class SingleFileTest(unittest.TestCase):
    def test_the_copy_is_the_source(self):
        self.assertEqual((REPOSITORY / "examples/torch_handler.py").read_bytes(), (SOURCES / "profgauge/torch.py").read_bytes(),
                         "run: cp src/python/profgauge/torch.py examples/torch_handler.py")

    def test_the_copy_needs_nothing_else(self):
        with tempfile.TemporaryDirectory() as name:
            (pathlib.Path(name) / "mine.py").write_bytes((REPOSITORY / "examples/torch_handler.py").read_bytes())
            done = subprocess.run([sys.executable, "-I", "-c", f"import sys; sys.path.insert(0, {name!r}); import mine;"
                                   "clock = mine.StepClock(warmup=0); clock.step(); clock.step(); print(clock.text())"],
                                  env={}, text=True, capture_output=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertTrue(SCHEMA.is_valid(json.loads(done.stdout)))

    def test_python_3_8_understands_it(self):
        import ast
        for path in (SOURCES / "profgauge").glob("*.py"):
            ast.parse(path.read_text(), str(path), feature_version=(3, 8))
            self.assertIsNotNone(importlib.util.spec_from_file_location("x", path))


if __name__ == "__main__":
    sys.exit(main())
