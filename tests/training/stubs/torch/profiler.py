"""torch.profiler as of 2.11, reduced to schedule, states, metadata and the file; written after its documentation.

The trace is a copy of $STUB_TRACE with the metadata put in front, as Kineto puts them.
"""
import enum
import gzip
import os

import torch


class ProfilerActivity(enum.Enum):
    CPU = 0
    CUDA = 1


class ProfilerAction(enum.Enum):
    NONE = 0
    WARMUP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3


def schedule(*, wait, warmup, active, repeat=0, skip_first=0):
    def schedule_fn(step):
        torch.called("schedule")
        if step < skip_first:
            return ProfilerAction.NONE
        cycle, place = divmod(step - skip_first, wait + warmup + active)
        if (repeat and cycle >= repeat) or place < wait:
            return ProfilerAction.NONE
        if place < wait + warmup:
            return ProfilerAction.WARMUP
        return ProfilerAction.RECORD_AND_SAVE if place == wait + warmup + active - 1 else ProfilerAction.RECORD
    return schedule_fn


class profile:  # pylint: disable=invalid-name
    """Setting up takes 1 s, stopping 0.5 s and exporting 2 s, all inside of step()."""

    def __init__(self, *, activities=None, schedule=None, on_trace_ready=None, record_shapes=False, profile_memory=False,
                 with_stack=False, with_flops=False, with_modules=False):
        self.activities, self.schedule, self.on_trace_ready = activities, schedule, on_trace_ready
        self.record_shapes, self.profile_memory, self.with_stack = record_shapes, profile_memory, with_stack
        self.with_flops, self.with_modules = with_flops, with_modules
        self.step_num, self.current_action = 0, schedule(0) if schedule else ProfilerAction.RECORD
        self._preset, self._kineto, self._written, self._live = {}, {}, {}, False
        if torch.__version__ != "1.9.0+cu111":
            self.preset_metadata_json = self._preset.__setitem__

    def __enter__(self):
        self._transit(ProfilerAction.NONE, self.current_action)
        return self

    def __exit__(self, *_):
        self._transit(self.current_action, None)

    def start(self):
        self.__enter__()

    def stop(self):
        self.__exit__()

    def step(self):
        torch.called("step")
        before = self.current_action
        self.step_num += 1
        self.current_action = self.schedule(self.step_num) if self.schedule else before
        self._transit(before, self.current_action)

    def _transit(self, before, after):
        none, warmup = ProfilerAction.NONE, ProfilerAction.WARMUP
        recording = before in (ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE)
        if before == ProfilerAction.RECORD_AND_SAVE or (recording and after is None):
            torch.called("stop_trace", 5 * 10**8)
            self._written, self._live = dict(self._kineto), False
            if self.on_trace_ready:
                self.on_trace_ready(self)
            before = none
        if before == none and after not in (none, None):
            torch.called("prepare_trace", 10**9)
            self._kineto.clear()
            self._live = True
        if before in (none, warmup) and after in (ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE):
            torch.called("start_trace")
            self._kineto.update(self._preset)

    def add_metadata_json(self, key, value):
        torch.called("add_metadata_json")
        if self._live:  # Else Kineto logs that it is not initialized, or clears it before the next trace.
            self._kineto[key] = value

    def export_chrome_trace(self, path):
        torch.called("export_chrome_trace", 2 * 10**9)
        source = os.environ["STUB_TRACE"].format(rank=os.environ.get("RANK", "0"))
        with gzip.open(source, "rt", encoding="utf-8") as file:
            text = file.read()
        front = "".join(f'"{key}": {value}, ' for key, value in self._written.items())
        front = front.replace("\\", "/").replace("\n", "")  # As Kineto does since PyTorch 2.3.
        at = text.index('"traceEvents"')
        with (gzip.open if path.endswith(".gz") else open)(path, "wt", encoding="utf-8") as file:
            file.write(text[:at] + front + text[at:])
