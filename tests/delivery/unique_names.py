"""A profile in which each name is a word that occurs nowhere else, so that a search finds every rest of it."""

COUNT = 40  # Kernels, operators, functions and modules each.


def token(kind, number):
    """A word of no language: "qzkernel07vx"."""
    return f"qz{kind}{number:02d}vx"


class Names:
    def __init__(self):
        self.all = []

    def new(self, kind):
        word = token(kind, sum(name.startswith(f"qz{kind}") for name in self.all))
        self.all.append(word)
        return word


def trace(names):
    """Eight iterations on one rank of four, with a name of every kind that Kineto writes."""
    events, step_us, correlation = [], 4000, 1
    folder, host = names.new("folder"), names.new("host")
    kernels = [f"void {names.new('kernel')}<float, {names.new('argument')}>(int)" for _ in range(COUNT)]
    ops = [f"{names.new('space')}::{names.new('op')}" for _ in range(COUNT)]
    frames = [f"/home/{folder}/{names.new('file')}.py({i}): {names.new('function')}" for i in range(COUNT)]
    modules = [f"nn.Module: {names.new('module')}" for _ in range(COUNT)]
    ranges = [names.new("range") for _ in range(4)]
    group, described = names.new("group"), names.new("purpose")

    def add(cat, name, ts, dur, tid, pid=1, **args):
        events.append({"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": tid, "ts": ts, "dur": dur, "args": args})

    python_id = 1
    for step in range(8):
        start = 1000 + step * step_us
        add("user_annotation", f"ProfilerStep#{step}", start, step_us - 100, 7)
        add("user_annotation", ranges[step % 4], start + 10, 1500, 7)
        at = start + 20
        for i in range(COUNT):
            add("python_function", frames[i], at, 60, 7, **{"Python id": python_id, "Python parent id": None})
            add("python_function", modules[i], at + 1, 55, 7,
                **{"Python id": python_id + 1, "Python parent id": python_id, "Python module id": i})
            python_id += 2
            add("cpu_op", ops[i], at + 2, 50, 7,
                **{"External id": correlation, "Input Dims": [[64, 512], [512, 512]], "Input type": ["float", "float"],
                   "Call stack": ";".join(frames[i:i + 3])})
            add("cuda_runtime", "cudaLaunchKernel", at + 20, 5, 7, correlation=correlation, **{"External id": correlation})
            add("kernel", kernels[i], at + 40, 30, 20, pid=0, correlation=correlation, device=0, stream=20,
                **{"External id": correlation, "grid": [8, 1, 1], "block": [128, 1, 1], "registers per thread": 32})
            correlation += 1
            at += 70
        collective = {"Collective name": "allreduce", "dtype": "Float", "In msg nelems": 1000003, "Out msg nelems": 1000003,
                      "Group size": 4, "Process Group Name": group, "Process Group Description": described}
        add("cpu_op", "record_param_comms", at, 40, 7, **{"External id": correlation}, **collective)
        add("cuda_runtime", "cudaLaunchKernel", at + 10, 5, 7, correlation=correlation, **{"External id": correlation})
        add("kernel", "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)", at + 30, 400, 24, pid=0,
            correlation=correlation, device=0, stream=24, **{"External id": correlation}, **collective)
        correlation += 1
    thread = names.new("thread")
    events.append({"ph": "M", "name": "thread_name", "pid": 1, "tid": 7, "ts": 0, "args": {"name": thread}})
    events.append({"ph": "M", "name": "process_name", "pid": 1, "tid": 0, "ts": 0, "args": {"name": names.new("process")}})
    return {
        "schemaVersion": 1, "record_shapes": 1, "with_stack": 1, "hostname": host, "traceName": names.new("trace"),
        names.new("key"): names.new("value"),
        "deviceProperties": [{"id": 0, "name": "NVIDIA H100 80GB HBM3", "computeMajor": 9, "computeMinor": 0, "numSms": 132,
                              "totalGlobalMem": 85000000000, "warpSize": 32, "maxThreadsPerMultiprocessor": 2048}],
        "distributedInfo": {"backend": "nccl", "rank": 0, "world_size": 4,
                            "pg_config": [{"pg_name": group, "pg_desc": described, "pg_size": 4, "ranks": [0, 1, 2, 3]}]},
        "traceEvents": events}
