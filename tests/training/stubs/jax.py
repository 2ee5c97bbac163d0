"""A stand-in for JAX 0.11: the parts of jax.profiler that are used, with the folders that it makes."""
import os
import types

import torch

__version__ = "0.11.2"
annotations, waited = [], []
host = "n17"


class _Annotation:
    def __init__(self, name, **kwargs):
        annotations.append((name, kwargs))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return None


def _start(folder):
    torch.called("start_trace", 10**9)
    profiler.folder = folder


def _stop():
    torch.called("stop_trace", 10**9)
    made = os.path.join(profiler.folder, "plugins", "profile", "2026_11_26_17_00_00")
    os.makedirs(made)
    with open(os.path.join(made, f"{host}.xplane.pb"), "wb") as file:
        file.write(b"\n")


def block_until_ready(value):
    waited.append(value)
    torch.called("block_until_ready", 3 * 10**6)
    return value


def process_index():
    return 1


def process_count():
    return 2


profiler = types.SimpleNamespace(start_trace=_start, stop_trace=_stop, TraceAnnotation=_Annotation,
                                 StepTraceAnnotation=_Annotation, folder=None)
