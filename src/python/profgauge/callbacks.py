"""The shared part of the callbacks for Hugging Face and Lightning: a profiler with a clock and a judge."""
import sys

from .torch import LOG, StepClock, _guarded, judge


class Recording:
    """PyTorch's profiler over a training loop that others run; it logs failures and never raises.

    wait, warmup, active, repeat   the schedule: steps timed, warmed up, recorded; how often. Those before a
                                   recording are the best measure: CUPTI slows the host after it, too.
    record_shapes, with_stack      further recorded data; each slows the recorded steps
    samples, tokens                the work of a step
    further options                of `judge`: policy, baseline, keep, ...
    """

    def __init__(self, folder, wait=20, warmup=2, active=3, repeat=1, record_shapes=True, with_stack=False, samples=None,
                 tokens=None, **options):
        self.schedule = {"wait": wait, "warmup": warmup, "active": active, "repeat": repeat}
        self.switches = {"record_shapes": record_shapes, "with_stack": with_stack}
        work = {name: value for name, value in (("samples", samples), ("tokens", tokens)) if value}
        self.clock = StepClock(warmup=min(5, wait // 2), **work)
        self.judge = judge(folder, clock=self.clock, **options)
        self.profiler, self.running = None, False

    @_guarded("the profiler did not start")
    def start(self):
        torch = sys.modules["torch"]
        if self.running:
            return
        self.running = True  # Steps are timed even where nothing can be recorded.
        if torch.autograd._profiler_enabled():
            LOG.warning("profgauge: another profiler is active: steps are timed, nothing is recorded")
            return
        self.profiler = torch.profiler.profile(schedule=torch.profiler.schedule(**self.schedule),
                                               on_trace_ready=self.judge, **self.switches)
        self.profiler.start()
        self.clock.restart()

    def step(self):
        if self.running:
            self.clock.step(self.profiler)

    def restart(self):
        """After an evaluation or a checkpoint, which belongs to no step."""
        if self.running:
            self.clock.restart()

    @_guarded("the profiler did not stop")
    def stop(self):
        running, self.running, profiler, self.profiler = self.running, False, self.profiler, None
        if running and profiler is not None:
            profiler.stop()
