"""Pairs of runs with one known difference each, as Kineto profiles of a small training program.

    made_pairs.py FOLDER      writes FOLDER/base and FOLDER/NAME, and FOLDER/ranks/… of four ranks

The program runs on a simple machine: a host thread that launches in order, a stream of kernels, one of
collectives, which begin when the last rank arrives. All times are made, so the cause of a difference is
known: tests/delivery/compare_pairs_test.py asks `compare` for it.
"""
import copy
import json
import pathlib
import random
import sys

ITERATIONS = 12
RANKS = 4
GEMM = "ampere_fp16_s16816gemm_fp16_128x128_ldg8_f2f_stages_32x5_tn"
SGEMM = "ampere_sgemm_128x64_tn"
NORM = "void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<float, float>(int, float, float const*)"
GELU = "void at::native::vectorized_elementwise_kernel<4, at::native::GeluCUDAKernelImpl, at::detail::Array<char*, 2> >(int)"
DROPOUT = "void at::native::(anonymous namespace)::fused_dropout_kernel_vec<float, float, unsigned int, 1, 4, bool>(float)"
CAST = "void at::native::unrolled_elementwise_kernel<at::native::direct_copy_kernel_cuda, at::detail::Array<char*, 2> >(int)"
ADAM = "void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::(anonymous namespace)::FusedAdamMathFunctor<float, 4> >(float)"
FUSED = "triton_poi_fused_gelu_layer_norm_0"
NCCL = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)"


def op(name, kernel, time, *shapes, host=14.0, **more):
    """An operator that launches one kernel; times in us."""
    return {"op": name, "kernel": kernel, "time": time, "shapes": [list(s) for s in shapes], "host": host, **more}


def host(name, time, cat="cpu_op", **more):
    """Something that only the host does."""
    return {"op": name, "kernel": None, "host": time, "cat": cat, **more}


def program(batch=64, ranks=1):
    """One iteration, and the facts of the run."""
    rows = [host("enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", 180, "user_annotation"),
            op("aten::copy_", "Memcpy HtoD (Pinned -> Device)", 130, [batch, 1024], bytes=4 * batch * 1024, memory=True)]
    for _ in range(3):
        rows += [op("aten::linear", GEMM, 420, [batch, 1024], [1024, 1024]),
                 op("aten::gelu", GELU, 95, [batch, 1024]),
                 op("aten::layer_norm", NORM, 120, [batch, 1024])]
    rows += [op("aten::linear", GEMM, 260, [batch, 1024], [512, 1024])]
    rows += [op("aten::mm", GEMM, 510, [1024, batch], [batch, 1024]) for _ in range(3)]
    if ranks > 1:
        rows += [op("c10d::allreduce_", NCCL, 700, [1048576], elements=1048576)]
    rows += [op("aten::_fused_adamw_", ADAM, 340, [1024, 1024]),
             host("cudaDeviceSynchronize", 9, "cuda_runtime", waits=True)]
    return {"rows": rows, "facts": {}, "gpu": "NVIDIA A100-SXM4-80GB", "ranks": ranks, "launch": 4.0,
            "before": {}, "of_rank": {}, "iterations": ITERATIONS, "clock": 1.0}


class Rank:
    """The clocks of one rank and its events."""

    def __init__(self, run, rank, seed):
        self.run, self.rank, self.random = run, rank, random.Random(f"{seed}/{rank}")
        self.now, self.free, self.events, self.id = 1000.0, 0.0, [], 10

    def add(self, cat, name, ts, dur, on=None, **args):
        place = {"pid": 0, "tid": on} if on else {"pid": 4000 + self.rank, "tid": 4000 + self.rank}
        self.events.append({"ph": "X", "cat": cat, "name": name, **place, "ts": round(ts, 3), "dur": round(dur, 3), "args": args})

    def length(self, time):
        return time * self.run["clock"] * (1 + self.random.gauss(0, 0.002))

    def row(self, row):
        """The host side; returns when its device work may begin, and its events' number."""
        start, self.id = self.now, self.id + 1
        if row["kernel"] is None:
            length = row["host"] * (1 + self.random.gauss(0, 0.002))
            if row.get("waits"):
                length = max(length, self.free - start + 5)
            ids = {"cbid": 165, "correlation": self.id} if row["cat"] == "cuda_runtime" else {"External id": self.id}
            self.add(row["cat"], row["op"], start, length, **ids)
            self.now += length + 1
            return None
        launch = row.get("launch", self.run["launch"])
        length = row["host"] + launch
        self.add("cpu_op", row["op"], start, length, **{"External id": self.id, "Input Dims": row["shapes"]})
        call = "cudaMemcpyAsync" if row.get("memory") else "cudaLaunchKernel"
        self.add("cuda_runtime", call, start + row["host"] / 2, launch,
                 **{"External id": self.id, "cbid": 41 if row.get("memory") else 211, "correlation": self.id})
        self.now += length + 1
        return max(start + row["host"] / 2 + launch + 2, self.free)

    def device(self, row, start, end):
        args = {"External id": self.id, "device": self.rank, "context": 1, "stream": 7, "correlation": self.id}
        cat, stream = "kernel", 7
        if row.get("memory"):
            cat = "gpu_memcpy"
            args |= {"bytes": row["bytes"], "memory bandwidth (GB/s)": row["bytes"] / (end - start) / 1000}
        else:
            args |= {"grid": [640, 1, 1], "block": [256, 1, 1], "registers per thread": 64, "shared memory": 0}
        if "elements" in row:
            stream = args["stream"] = 20
            args |= {"Collective name": "allreduce", "In msg nelems": row["elements"], "Out msg nelems": row["elements"],
                     "dtype": "Float", "Group size": self.run["ranks"], "Process Group Name": "0",
                     "Process Group Description": "default_pg", "Process Group Ranks": str(list(range(self.run["ranks"])))}
        self.add(cat, row["kernel"], start, end - start, stream, **args)
        self.free = end


def rows_of(run, rank, iteration):
    """The rows of an iteration, with what it or the rank has before them."""
    extra = run["before"].get(iteration, [])
    changed = run["of_rank"].get(rank)
    return extra + (changed(copy.deepcopy(run["rows"])) if changed else run["rows"])


def record(run, seed):
    """The profiles of all ranks."""
    ranks = [Rank(run, rank, seed) for rank in range(run["ranks"])]
    for iteration in range(run["iterations"]):
        lists = [rows_of(run, rank.rank, iteration) for rank in ranks]
        starts = [rank.now for rank in ranks]
        at = [0] * len(ranks)
        while any(at[i] < len(lists[i]) for i in range(len(ranks))):
            together = []
            for i, rank in enumerate(ranks):
                while at[i] < len(lists[i]):
                    row = lists[i][at[i]]
                    at[i] += 1
                    begin = rank.row(row)
                    if begin is None:
                        continue
                    if "elements" in row:
                        together.append((rank, row, begin))
                        break
                    rank.device(row, begin, begin + rank.length(row["time"]))
            if together:
                end = max(begin for _, _, begin in together) + together[0][0].length(together[0][1]["time"])
                for rank, row, begin in together:
                    rank.device(row, begin, end)
        for rank, start in zip(ranks, starts):
            rank.add("user_annotation", f"ProfilerStep#{iteration}", start, rank.now - start)
    return [document(run, rank) for rank in ranks]


def document(run, rank):
    device = {"name": run["gpu"], "totalGlobalMem": 85049344000, "computeMajor": 8, "computeMinor": 0, "maxThreadsPerBlock": 1024,
              "maxThreadsPerMultiprocessor": 2048, "regsPerBlock": 65536, "warpSize": 32, "sharedMemPerBlock": 49152, "numSms": 108}
    out = {"schemaVersion": 1, "deviceProperties": [{"id": i, **device} for i in range(run["ranks"])], "record_shapes": 1,
           "cuda_driver_version": 12020, "cuda_runtime_version": 12010, "displayTimeUnit": "ms", **run["facts"]}
    if run["ranks"] > 1:
        group = {"pg_name": "0", "pg_desc": "default_pg", "backend_config": "cuda:nccl", "pg_size": run["ranks"], "ranks": list(range(run["ranks"]))}
        out["distributedInfo"] = {"backend": "nccl", "rank": rank.rank, "world_size": run["ranks"], "pg_count": 1, "pg_config": [group],
                                  "nccl_version": run["facts"].get("nccl", "2.19.3")}
    return {**out, "traceEvents": sorted(rank.events, key=lambda event: (event["ts"], -event["dur"]))}


# The differences. Each takes a program and changes one thing.

def each(name, **values):
    """Every row of the operator gets the values."""
    def change(run):
        for row in run["rows"]:
            if row["op"] == name:
                row.update(values)
    return change


def times(name, factor):
    def change(run):
        for row in run["rows"]:
            if row["op"] == name and row["kernel"]:
                row["time"] *= factor
    return change


def insert(after, *rows, count=None):
    """Behind every row of the operator, or the first `count`."""
    def change(run):
        left, out = count or len(run["rows"]), []
        for row in run["rows"]:
            out.append(row)
            if row["op"] == after and left > 0:
                out += copy.deepcopy(list(rows))
                left -= 1
        run["rows"] = out
    return change


def remove(name):
    def change(run):
        run["rows"] = [row for row in run["rows"] if row["op"] != name]
    return change


def setting(**values):
    return lambda run: run.update(values)


def batch(size):
    def change(run):
        run["rows"] = program(size)["rows"]
        for row in run["rows"]:
            if row["kernel"]:
                row["time"] *= size / 64
    return change


def fuse(run):
    """GELU and the norm become one kernel."""
    out = []
    for row in run["rows"]:
        if row["op"] == "aten::gelu":
            continue
        if row["op"] == "aten::layer_norm":
            row = op(FUSED, FUSED, 130, [64, 1024])
        out.append(row)
    run["rows"] = out


def split_optimizer(run):
    out = []
    for row in run["rows"]:
        if row["op"] == "aten::_fused_adamw_":
            out += [op("aten::_foreach_add_", "void at::native::(anonymous namespace)::multi_tensor_apply_kernel<BinaryOpListAlphaFunctor>(float)", 60, [1024, 1024]) for _ in range(12)]
        else:
            out.append(row)
    run["rows"] = out


def shapes_of_head(run):
    for row in run["rows"]:
        if row["op"] == "aten::linear" and row["shapes"][1] == [512, 1024]:
            row["shapes"][1], row["time"] = [2048, 1024], 900


def rank_change(rank, change):
    def of_rank(rows):
        run = {"rows": rows}
        change(run)
        return run["rows"]
    return lambda run: run["of_rank"].update({rank: of_rank})


def all_ranks(*changes):
    def change(run):
        for one in changes:
            one(run)
    return change


LOADER = "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__"
SYNC = host("cudaStreamSynchronize", 9, "cuda_runtime", waits=True)
ITEM = op("aten::_local_scalar_dense", "Memcpy DtoH (Device -> Pageable)", 4, [1], bytes=4, memory=True)

# Name: the change, and what must be said of it: regular expressions that all match, or with "!" none.
ONE_RANK = {
    "kernel slower": (times("aten::layer_norm", 1.8), [r"\+\d\S* µs +Other kernels", r"\+\S+ µs +aten::layer_norm"]),
    "matmul slower": (times("aten::mm", 1.3), [r"Kernels on Tensor Cores", r"\+\S+ µs +aten::mm "]),
    "kernel faster": (times("aten::gelu", 0.3), [r"−\S+ µs +aten::gelu"]),
    "kernel renamed": (each("aten::mm", kernel=GEMM.replace("128x128", "256x64"), time=700), [r"ampere_fp16_s16816gemm_fp16_256x64\S* ← |256x64.*\(renamed\)"]),
    "off tensor cores": (each("aten::mm", kernel=SGEMM, time=1500), [r"tensor_core.kernels_per_iteration", r"ampere_sgemm_128x64_tn"]),
    "operator added": (insert("aten::gelu", op("aten::dropout", DROPOUT, 110, [64, 1024])), [r"aten::dropout.*\(added\)", r"kernel.count_per_iteration +\S+ → \S+"]),
    "operator removed": (remove("aten::layer_norm"), [r"aten::layer_norm.*\(removed\)"]),
    "operators fused": (fuse, [r"triton_poi_fused_gelu_layer_norm_0.*\(added\)", r"aten::gelu.*\(removed\)"]),
    "casts added": (insert("aten::linear", op("aten::_to_copy", CAST, 60, [64, 1024])), [r"aten::_to_copy.*\(added\)"]),
    "optimizer not fused": (split_optimizer, [r"aten::_foreach_add_.*\(added\)", r"launch.count_per_iteration"]),
    "batch doubled": (batch(128), [r"aten::linear \[\[128, 1024\].* ← \[\[64, 1024\]", r"differs.*\[\[64, 1024\].* → .*\[\[128, 1024\]"]),
    "batch halved": (batch(32), [r"differs.*\[\[64, 1024\].* → .*\[\[32, 1024\]", r"different work"]),
    "head wider": (shapes_of_head, [r"differs.*\[512, 1024\]\] → \[\[64, 1024\], \[2048, 1024\]\]"]),
    "loader slower": (each(LOADER, host=1500), [r"\+1.3\S* ms +Data loader"]),
    "loader faster": (each(LOADER, host=20), [r"−\S+ µs +Data loader"]),
    "copy slower": (each("aten::copy_", kernel="Memcpy HtoD (Pageable -> Device)", time=600), [r"\+\S+ µs +Copies", r"Pageable"]),
    "copy added": (insert("aten::copy_", op("aten::copy_", "Memcpy HtoD (Pinned -> Device)", 260, [64, 2048], bytes=524288, memory=True)),
                   [r"memcpy.h2d.bytes_per_iteration", r"\+\S+ µs +Copies"]),
    "item in every layer": (insert("aten::layer_norm", ITEM, SYNC), [r"memcpy.d2h.bytes_per_iteration|Memcpy DtoH|cudaStreamSynchronize"]),
    "host operator slower": (each("aten::linear", host=900.0), [r"\+\S+ ms +Host", r"aten::linear"]),
    "launches slower": (setting(launch=320.0), [r"\+\S+ ms +Runtime calls", r"cudaLaunchKernel", r"!cudaLaunchKernel \(added\)"]),
    "allocation in every iteration": (insert("aten::copy_", host("cudaMalloc", 800, "cuda_runtime")), [r"Runtime calls", r"cudaMalloc"]),
    "host pauses": (insert(LOADER, host("preprocess_batch", 900, "user_annotation")), [r"the host takes 9\d+ µs longer per iteration while the device idles, mostly in `preprocess_batch`"]),
    "all kernels slower": (setting(clock=1.12), [r"\+\S+ µs +Kernels on Tensor Cores", r"\+\S+ µs +Other kernels"]),
    "one stall": (lambda run: run["before"].update({5: [host("checkpoint.save", 40000, "user_annotation")]}),
                  [r"iteration 5 takes", r"mostly in `checkpoint.save`"]),
    "slow start": (lambda run: run["before"].update({i: [host("compile_fx", 30000, "user_annotation")] for i in range(2)}),
                   [r"first 2 iterations", r"mean \S+ ms → ", r"mostly in `compile_fx`"]),
    "another driver": (setting(facts={"cuda_driver_version": 12040}), [r"differs +Driver: 12020 → 12040"]),
    "another GPU": (setting(gpu="NVIDIA H100 80GB HBM3"), [r"not comparable +\S+ model: .*A100.* → .*H100"]),
}
FOUR_RANKS = {
    "all-reduce slower": (each("c10d::allreduce_", time=1900), [r"\+\S+ ms +Communication"]),
    "all-reduce twice": (insert("c10d::allreduce_", op("c10d::allreduce_", NCCL, 700, [1048576], elements=1048576)), [r"\+\S+ µs +Communication", r"c10d::allreduce_.*by count|ncclDevKernel.*by count"]),
    "one rank computes longer": (rank_change(2, times("aten::mm", 1.9)), [r"slower; rank 2 takes \S+ ms more", r"of rank 2 by part", r"\+1.3\S* ms +aten::mm "]),
    "one rank loads longer": (rank_change(1, each(LOADER, host=2500)), [r"slower; rank 1 takes \S+ ms more", r"of rank 1 by part", r"\+2.3\S* ms +Data loader"]),
    "a rank less": (setting(ranks=2), [r"not comparable +World size: 4 → 2"]),
}


def made(ranks, change=None):
    run = program(ranks=ranks)
    if change:
        change(run)
    return run


def write(run, seed, folder):
    folder.mkdir(parents=True)
    for number, profile in enumerate(record(run, seed)):
        (folder / f"rank{number}.json").write_text(json.dumps(profile))


def write_all(folder):
    """(name, base, candidate, patterns) of each pair; without a name both are the same program."""
    pairs = []
    for ranks, differences in ((1, ONE_RANK), (RANKS, FOUR_RANKS)):
        base = pathlib.Path(folder, f"base{ranks}")
        write(made(ranks), "base", base)
        for name, (change, patterns) in differences.items():
            candidate = pathlib.Path(folder, name.replace(" ", "_"))
            write(made(ranks, change), name, candidate)
            pairs.append((name, base, candidate, patterns))
        same = pathlib.Path(folder, f"same{ranks}")
        write(made(ranks), "same", same)
        pairs.append((None, base, same, []))
    return pairs


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    write_all(sys.argv[1])
