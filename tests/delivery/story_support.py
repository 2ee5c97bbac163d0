"""Made profiles for the stories."""
import json


def trace(path, lengths, gpu, between=0.0, missing=None):
    """A Kineto profile of one kernel an iteration; lengths in us. `missing`: a number that no iteration has."""
    events, at = [], 1000.0
    for i, length in enumerate(lengths):
        number = i + (missing is not None and i >= missing)
        events += [
            {"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{number}", "pid": 1, "tid": 1, "ts": at, "dur": length},
            {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": at + 1, "dur": 20, "args": {"External id": i + 1}},
            {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": at + 5, "dur": 5,
             "args": {"External id": i + 1, "correlation": i + 1}},
            {"ph": "X", "cat": "kernel", "name": "ampere_sgemm_128x64_tn", "pid": 0, "tid": 7, "ts": at + 12, "dur": length - 14,
             "args": {"External id": i + 1, "correlation": i + 1, "device": 0, "stream": 7}}]
        at += length + between
    device = {"id": 0, "name": gpu, "computeMajor": 8, "computeMinor": 0, "numSms": 108}
    path.write_text(json.dumps({"schemaVersion": 1, "deviceProperties": [device], "traceEvents": events}))
