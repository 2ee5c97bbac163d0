"""The shared part of the tests of the training side: stand-ins for frameworks (tests/training/stubs) whose time is known."""
import json
import os
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

from support import REPOSITORY, SKIPPED

try:
    import jsonschema
except ImportError:
    print("skipped: not installed: python3-jsonschema")
    raise SystemExit(SKIPPED)

sys.dont_write_bytecode = True
STUBS = REPOSITORY / "tests" / "training" / "stubs"
SOURCES = REPOSITORY / "src" / "python"
sys.path[:0] = [str(STUBS), str(SOURCES)]
import torch  # noqa: E402  pylint: disable=wrong-import-position
from profgauge import torch as tested  # noqa: E402  pylint: disable=wrong-import-position

SCHEMA = jsonschema.Draft202012Validator(json.loads((REPOSITORY / "rules/schemas/run.json").read_text()))
MS = 10**6


class Now:
    """A thread that has ended when it has started."""

    def __init__(self, target, args=(), daemon=None):
        self.start, self.join = lambda: target(*args), lambda: None


class ClockTest(unittest.TestCase):
    def setUp(self):
        torch.calls.clear()
        torch.fail.clear()
        tested._said.clear()
        torch.device_lag_ns, torch.failure, torch.Event.made = 0, RuntimeError("injected"), 0
        torch.cuda.initialized, torch.cuda.capturing, torch.distributed.rank = False, False, None
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.enterContext(mock.patch.object(tested.time, "perf_counter_ns", lambda: torch.now_ns))
        self.enterContext(mock.patch.dict(os.environ, {
            "STUB_TRACE": str(REPOSITORY / "examples/healthy.pt.trace.json.gz")}, clear=True))
        self.enterContext(mock.patch.object(tested.atexit, "register", lambda function: None))
        self.enterContext(mock.patch.object(tested.threading, "Thread", Now))

    def enterContext(self, manager):  # unittest has it since Python 3.11.
        value = manager.__enter__()
        self.addCleanup(manager.__exit__, None, None, None)
        return value

    def train(self, clock, steps, profiler=None, ms=10, phases=()):
        for number in range(steps):
            torch.now_ns += ms * MS
            clock.step(profiler, phase=dict(phases).get(number, ""))

    def profiled(self, clock, steps=40, schedule=None, handler=None, **options):
        schedule = schedule or {"wait": 10, "warmup": 2, "active": 3, "repeat": 1}
        with torch.profiler.profile(schedule=torch.profiler.schedule(**schedule), on_trace_ready=handler,
                                    **options) as profiler:
            self.train(clock, steps, profiler)

    def valid(self, text):
        document = json.loads(text)
        self.assertEqual([error.message for error in SCHEMA.iter_errors(document)], [])
        self.assertTrue(text.isascii() and text.isprintable())
        self.assertNotIn("\\", text)
        return document

    def steps(self, document):
        return {segment["first"] + i: ns for segment in document["segments"] for i, ns in enumerate(segment["ns"])}
