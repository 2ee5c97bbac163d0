"""Small recordings of PyTorch, as they are needed to show one thing on a page."""
import json

GPU = {"id": 0, "name": "Tesla V100-SXM2-16GB", "totalGlobalMem": 16945512448, "computeMajor": 7,
       "computeMinor": 0, "numSms": 80}


def recording(events, rank=0, ranks=1):
    return json.dumps({"schemaVersion": 1, "deviceProperties": [GPU],
                       "distributedInfo": {"backend": "nccl", "rank": rank, "world_size": ranks},
                       "traceEvents": events})


def iteration(number, start, length):
    return [{"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{number}", "pid": 1, "tid": 1,
             "ts": start, "dur": length}]


def launch(op, kernel, start, length, number, shapes=(), **details):
    """An operator that launches a kernel, which runs from 10 us later on; times are microseconds."""
    args = {"External id": number}
    if shapes:
        args |= {"Input Dims": list(shapes), "Input type": ["float"] * len(shapes)}
    return [
        {"ph": "X", "cat": "cpu_op", "name": op, "pid": 1, "tid": 1, "ts": start, "dur": 8, "args": args},
        {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": start + 2,
         "dur": 4, "args": {"correlation": number, "External id": number}},
        {"ph": "X", "cat": "kernel", "name": kernel, "pid": 0, "tid": 7, "ts": start + 10, "dur": length,
         "args": {"device": 0, "stream": 7, "correlation": number, "External id": number,
                  "grid": [80, 1, 1], "block": [256, 1, 1], **details}}]


def above_the_roof():
    """A product in a tenth of the time that its operations take at the peak of the device, and one in
    ten times that: as where a library counts fewer than its definition does."""
    shapes, events = [[2048, 2048], [2048, 2048]], []
    least = 2 * 2048 ** 3 / 15.7e12 * 1e6
    for i in range(3):
        start = 10_000 * i
        events += iteration(i, start, 10_000)
        events += launch("aten::mm", "volta_sgemm_128x64_nn", start, least / 10, 10 * i + 1, shapes)
        events += launch("aten::matmul", "volta_sgemm_64x64_nn", start + 1_000, least * 2, 10 * i + 2, shapes)
    return recording(events)


def rank_of_many(rank, ranks):
    """Two iterations of a product and an all-reduce; the last rank comes late, and each runs eighty
    small kernels, rank 45 its own ones."""
    events = []
    for i in range(2):
        start, late = 4_000 * i, 400 if rank == ranks - 1 else 3 * rank
        events += iteration(i, start, 4_000)
        for k in range(80):
            events += launch("own::op", f"{'own' if rank == 45 else 'small'}_kernel_{k}", start + 2_200 + 20 * k, 5, 100 * (i + 1) + k)
        events += launch("aten::mm", "volta_sgemm_128x64_nn", start, 1_000 + late, 10 * i + 1,
                         [[256, 256], [256, 256]])
        events += launch("c10d::allreduce_", "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclWork*)",
                         start + 1_100 + late, 1_000 - late, 10 * i + 2,
                         **{"Collective name": "allreduce", "In msg nelems": 65536, "Out msg nelems": 65536,
                            "Group size": ranks, "dtype": "Float", "Process Group Name": "0"})
    return recording(events, rank, ranks)


def rank_of_collectives(rank, count):
    """An iteration of so many products and all-reduces of three ranks; the first comes late to each."""
    length, events = 145 * count + 2_000, []
    for i in range(2):
        start = length * i
        events += iteration(i, start, length)
        for k in range(count):
            at, late, number = start + 145 * k, (40, 10, 0)[rank] if k % 7 else 5, 4 * (count * i + k)
            events += launch("aten::mm", "volta_sgemm_128x64_nn", at + 1, 30 + late, number + 1, [[256, 256], [256, 256]])
            events += launch("c10d::allreduce_", "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclWork*)",
                             at + 45 + late, 80 - late, number + 2,
                             **{"Collective name": "allreduce", "In msg nelems": 65536, "Out msg nelems": 65536,
                                "Group size": 3, "dtype": "Float", "Process Group Name": "0"})
    return recording(events, rank, 3)
