"""A stand-in for PyTorch 2.11 (STUB_TORCH=1.9 for an old one): its profiler's states and Kineto's changes of metadata.

Time is `torch.now_ns`, which the work of a step, the profiler and its files move on; the device lags the host by
`torch.device_lag_ns`. Any call by the name in `torch.fail` raises `torch.failure`; `torch.calls` lists the calls.
"""
import os
import types

__version__ = "2.11.0+cu130" if os.environ.get("STUB_TORCH", "2.11") != "1.9" else "1.9.0+cu111"
version = types.SimpleNamespace(cuda="13.0", hip=None)
now_ns, device_lag_ns = 10**9, 0
fail, failure, calls = set(), RuntimeError("injected"), []


def called(name, ns=0):
    global now_ns
    calls.append(name)
    now_ns += ns
    if name in fail:
        raise failure


class Event:
    made = 0

    def __init__(self, enable_timing=False):
        called("Event")
        Event.made += 1
        self.at = None

    def record(self):
        called("record")
        self.at = now_ns + device_lag_ns

    def query(self):
        called("query")
        return now_ns >= self.at

    def elapsed_time(self, end):
        called("elapsed_time")
        if now_ns < end.at:
            raise RuntimeError("Both events must be completed before calculating elapsed time.")
        return (end.at - self.at) / 1e6


def _synchronize():
    raise AssertionError("nothing may wait for the device")


def _properties(number):
    called("get_device_properties")
    new = __version__ != "1.9.0+cu111"
    return types.SimpleNamespace(name="NVIDIA H200", **({"uuid": "00000000-0000-0000-0000-000000000001"} if new else {}))


cuda = types.SimpleNamespace(
    is_available=lambda: True, is_initialized=lambda: cuda.initialized, initialized=False, Event=Event,
    synchronize=_synchronize, current_device=lambda: 0, get_device_properties=_properties,
    nvtx=types.SimpleNamespace(mark=lambda text: cuda.marks.append(text)), marks=[],
    nccl=types.SimpleNamespace(version=lambda: (2, 27, 5)), capturing=False)
if __version__ != "1.9.0+cu111":
    cuda.is_current_stream_capturing = lambda: cuda.capturing


def _rank():
    called("get_rank")
    return distributed.rank[0]


distributed = types.SimpleNamespace(
    rank=None, is_available=lambda: True, is_initialized=lambda: distributed.rank is not None, get_rank=_rank,
    get_world_size=lambda: distributed.rank[1], get_backend=lambda: "nccl")
autograd = types.SimpleNamespace(_profiler_enabled=lambda: autograd.profiling, profiling=False)

from . import profiler  # noqa: E402,F401  pylint: disable=wrong-import-position
