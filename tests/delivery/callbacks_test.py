"""The callbacks for Hugging Face, Lightning and JAX with stand-ins (tests/training/stubs) that name their releases."""
import base64
import json
import pathlib
import sys
import unittest

from support import PROGRAM, main
from training_support import MS, ClockTest

import jax
import lightning.pytorch
import torch
import transformers
from profgauge import callbacks
from profgauge import jax as tested_jax
from profgauge import torch as tested
from profgauge.huggingface import ProfGaugeCallback as ForHuggingFace
from profgauge.lightning import ProfGaugeCallback as ForLightning


def work(number):
    """A step takes 10 ms; the time between steps is ten seconds."""
    torch.now_ns += 10 * MS if isinstance(number, int) else 10**10


class CallbackTest(ClockTest):
    def setUp(self):
        super().setUp()
        torch.autograd.profiling = False
        self.runs = self.folder / "runs"

    def huggingface(self, step=work, **options):
        callback = ForHuggingFace(str(self.runs), blocking=True, program=str(PROGRAM), **options)
        transformers.Trainer([callback], eval_steps=25, save_steps=40, step=step).train()
        return callback.recording

    def lightning(self, step=work, **options):
        callback = ForLightning(str(self.runs), blocking=True, program=str(PROGRAM), **options)
        lightning.pytorch.Trainer([callback], val_check_interval=25, step=step).fit()
        return callback.recording

    def document(self, path):
        return self.valid(pathlib.Path(path).read_text().rstrip("\n"))


class TrainersTest(CallbackTest):
    def test_steps_are_timed_and_a_profile_is_judged(self):
        for train in (self.huggingface, self.lightning):
            with self.subTest(train.__name__), self.assertLogs("profgauge", "WARNING") as logs:
                recording = train(wait=20, warmup=2, active=3, samples=64)
                self.assertEqual([(v.step, v.status) for v in recording.judge.verdicts], [(25, "pass")])
                self.assertEqual(len(logs.output), 1, logs.output)
                document = self.valid(recording.clock.text())
                steps = self.steps(document)
                self.assertEqual(sorted(steps), [*range(5, 20), *range(25, 60)])
                self.assertEqual(set(steps.values()), {10 * MS})  # Evaluations and checkpoints are in none.
                self.assertEqual(document["per_step"], {"samples": 64})
                self.assertEqual(document["profiler"], {"name": "torch", "options": ["shapes"], "schedule": [20, 2, 3, 1]})
                before = self.document(self.runs / "step-25" / "rank-0.run.json")
                self.assertEqual(sorted(self.steps(before)), [*range(5, 20)])

    def test_beside_another_profiler_steps_are_timed_only(self):
        torch.autograd.profiling = True
        for train in (self.huggingface, self.lightning):
            tested._said.clear()
            with self.subTest(train.__name__), self.assertLogs("profgauge", "WARNING") as logs:
                recording = train()
                self.assertIn("another profiler is active", "\n".join(logs.output))
                self.assertEqual(sorted(self.steps(self.valid(recording.clock.text()))), [*range(5, 60)])
                self.assertFalse(self.runs.exists())

    def test_by_default_steps_precede_the_profile(self):
        with self.assertLogs("profgauge", "WARNING"):
            recording = self.huggingface()
        document = self.valid(recording.clock.text())
        self.assertEqual(document["recorded"], [[22, 24]])
        self.assertEqual(len([number for number in self.steps(document) if number < 22]), 15)

    def test_whatever_fails_the_training_ends(self):
        for train in (self.huggingface, self.lightning):
            for name in ("prepare_trace", "start_trace", "stop_trace", "export_chrome_trace", "step", "schedule"):
                seen = []
                tested._said.clear()
                torch.fail.clear()
                torch.fail.add(name)
                with self.subTest(train.__name__, name=name), self.assertLogs("profgauge", "WARNING") as logs:
                    train(step=lambda number: (work(number), seen.append(number)))
                self.assertIn("injected", "\n".join(logs.output))
                self.assertIn(59, seen)

    def test_a_training_that_fails_says_so_itself(self):
        def fails(number):
            work(number)
            if number == 9:
                raise ValueError("of the training")
        with self.assertRaisesRegex(ValueError, "of the training"), self.assertLogs("profgauge", "WARNING"):
            self.lightning(step=fails, wait=5, warmup=1, active=5)
        self.assertEqual([path.name for path in self.runs.iterdir()], ["step-9"])  # The recorded part is written.

    def test_the_profiler_is_stopped_once(self):
        recording = callbacks.Recording(str(self.runs), program=str(PROGRAM), on="none")
        for _ in range(2):
            recording.start()
        recording.step()
        torch.calls.clear()
        for _ in range(3):
            recording.stop()
            recording.step()
            recording.restart()
        self.assertNotIn("step", torch.calls)


class JaxTest(CallbackTest):
    def setUp(self):
        super().setUp()
        jax.annotations.clear()
        jax.waited.clear()
        jax.profiler.folder = None

    def train(self, clock, numbers):  # pylint: disable=arguments-differ
        for number in numbers:
            with tested_jax.step(number):
                work(number)
            clock.step(f"result {number}")

    def recorded(self, clock):
        self.train(clock, range(20))
        with tested_jax.trace(str(self.runs), clock):
            self.train(clock, range(20, 25))
        self.train(clock, range(25, 45))

    def test_the_document_is_beside_the_profile_and_inside(self):
        clock = tested_jax.StepClock(warmup=0, window=5, after=4, tokens=4096)
        self.recorded(clock)
        made = self.runs / "plugins" / "profile" / "2026_11_26_17_00_00"
        self.assertEqual(sorted(path.name for path in made.iterdir()), ["n17.run.json", "n17.xplane.pb"])
        document = self.document(made / "n17.run.json")
        self.assertEqual(sorted(self.steps(document)), [*range(1, 20), *range(25, 30)])  # Written again, some steps later.
        self.assertEqual((document["rank"], document["world_size"], document["profiler"], document["recorded"]),
                         (1, 2, {"name": "jax"}, [[20, 24]]))
        self.assertEqual(document["versions"]["jax"], "0.11.2")
        self.assertEqual(document["windows"], [[first, 5, 53 * MS] for first in (5, 10, 15)])
        marks = [fields["v"] for name, fields in jax.annotations if name == "profgauge.run"]
        self.assertRegex(marks[0], r"\A[0-9A-Za-z_-]+\Z")
        inside = json.loads(base64.urlsafe_b64decode(marks[0] + "=" * (-len(marks[0]) % 4)))
        self.assertEqual(sorted(self.steps(inside)), [*range(1, 20)])
        self.assertIn(("train", {"step_num": 21}), jax.annotations)

    def test_only_the_ends_of_windows_wait(self):
        clock = tested_jax.StepClock(warmup=0, window=5)
        self.train(clock, range(23))
        self.assertEqual(jax.waited, [f"result {number}" for number in (4, 9, 14, 19)])

    def test_whatever_fails_the_training_goes_on(self):
        for name in ("start_trace", "stop_trace", "block_until_ready"):
            torch.fail.clear()
            torch.fail.add(name)
            tested._said.clear()
            with self.subTest(name), self.assertLogs("profgauge", "WARNING") as logs:
                self.recorded(tested_jax.StepClock(warmup=0, window=5))
            self.assertIn("injected", "\n".join(logs.output))

    def test_without_a_clock_and_without_a_profile(self):
        with tested_jax.trace(str(self.runs)):
            pass
        self.assertTrue(list(self.runs.glob("plugins/profile/*/n17.xplane.pb")))
        recording = tested_jax.trace(str(self.runs))
        recording.stop()  # Never started.


if __name__ == "__main__":
    sys.exit(main())
