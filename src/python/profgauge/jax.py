"""Times the steps of a JAX program, and records some of them.

    clock = profgauge.jax.StepClock(tokens=4096)
    for i, batch in enumerate(batches):
        if i == 200:
            recording = profgauge.jax.trace("runs/gpt", clock)
            recording.start()
        with profgauge.jax.step(i):
            state, loss = update(state, batch)
        clock.step(loss)                         # a result of the step: waited for once in 50 steps
        if i == 205:
            recording.stop()

or `with profgauge.jax.trace("runs/gpt", clock):` around a loop of some steps. It leaves JAX's own folder
plugins/profile/TIME/ with HOST.xplane.pb, and HOST.run.json beside it; `profgauge check runs/gpt`
judges it. Failures are logged and never raised.
"""
import glob
import os

import jax

try:
    from . import torch as base
    from .marks import KEY, encoded
except ImportError:  # Copies beside a copy of torch_handler.py.
    import torch_handler as base
    from marks import KEY, encoded


def step(number, name="train"):
    """Marks a step for the profiler."""
    return jax.profiler.StepTraceAnnotation(name, step_num=number)


class StepClock(base.StepClock):
    """As for PyTorch; `step` takes a result of the step, which is waited for at the ends of windows."""

    def __init__(self, warmup=20, keep=10000, window=50, after=500, **per_step):
        super().__init__(warmup=warmup, keep=keep, clock="host", window=window, after=after,
                         synchronize=lambda: jax.block_until_ready(self._result), **per_step)
        self._result, self.recording = None, False

    def step(self, result=None, phase=""):
        """Ends a step."""
        self._result = result
        super().step(phase=phase, recorded=self.recording)

    def document(self, steps=None):
        document = super().document(steps)
        document["profiler"] = {"name": "jax"}
        document["rank"], document["world_size"] = jax.process_index(), jax.process_count()
        document["versions"] = {**document.get("versions", {}), "jax": jax.__version__}
        return document


class trace:
    """Records from `start()` to `stop()`, or as a context."""

    def __init__(self, folder, clock=None):
        self.folder, self.clock, self.running = os.fspath(folder), clock, False

    @base._guarded("JAX's profiler did not start")
    def start(self):
        jax.profiler.start_trace(self.folder)
        self.running = True
        if self.clock is not None:
            self.clock.recording = True
            with jax.profiler.TraceAnnotation(KEY, v=encoded(self.clock)):
                pass

    @base._guarded("JAX's profile was not written")
    def stop(self):
        running, self.running = self.running, False
        if not running:
            return
        try:
            jax.profiler.stop_trace()
        finally:
            if self.clock is not None:
                self.clock.recording = False
                self.clock.restart()
        if self.clock is not None:
            profiles = glob.glob(os.path.join(glob.escape(self.folder), "plugins", "profile", "*", "*.xplane.pb"))
            newest = max(profiles, key=os.path.getmtime)
            self.clock.publish(newest[:-len(".xplane.pb")] + ".run.json")

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.stop()
