"""Puts the times of steps into the trace of a profiler that takes no metadata, as one mark.

    profgauge.marks.nvtx(clock)              # or roctx(clock), while nsys or rocprofv3 records

Without marks `clock.write("NAME.run.json")` beside the profile
NAME does the same. Like all of this package it logs failures and never raises.
"""
import base64
import ctypes
import sys

try:
    from .torch import MOST_BYTES_IN_TRACE, _guarded
except ImportError:  # A copy beside a copy of torch_handler.py.
    from torch_handler import MOST_BYTES_IN_TRACE, _guarded

KEY = "profgauge.run"
# The library that rocprofv3 loads, and those of older releases.
_ROCTX_LIBRARIES = ("librocprofiler-sdk-roctx.so.1", "librocprofiler-sdk-roctx.so", "libroctx64.so.4", "libroctx64.so")


def encoded(clock):
    """The document in base64url without padding: no separator of any format of marks occurs in it."""
    text = clock.text(MOST_BYTES_IN_TRACE * 3 // 4 - len(KEY) - 1)
    return base64.urlsafe_b64encode(text.encode("ascii")).decode("ascii").rstrip("=")


@_guarded("the NVTX mark was not written")
def nvtx(clock):
    """By PyTorch's NVTX (roctx where it is built for ROCm), else by the package `nvtx`."""
    text = f"{KEY}:{encoded(clock)}"
    torch = sys.modules.get("torch")
    if torch is not None:
        torch.cuda.nvtx.mark(text)
    else:
        import nvtx as library
        library.mark(message=text)


@_guarded("the roctx mark was not written")
def roctx(clock):
    """By the library of ROCm."""
    text = f"{KEY}:{encoded(clock)}".encode("ascii")
    missing = None
    for name in _ROCTX_LIBRARIES:
        try:
            library = ctypes.CDLL(name)
        except OSError as error:
            missing = error
        else:
            library.roctxMarkA(ctypes.c_char_p(text))
            return
    raise missing
