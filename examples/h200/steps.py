"""Measures the cost of the profiler, with and without StepClock, on three programs of one GPU.

    python3 steps.py OUT            # two minutes: recordings, their cost, and the clock's
    python3 steps.py OUT after      # two minutes: whether steps after a profile are as fast as before

writes OUT/steps.json (OUT/after.json) and one small profile of each program with its `profgauge.run`. README.md
beside it has the table. The programs are one GPT in bfloat16 at three sizes: the GPU is the limit of the last one
only, and hardly waits in the second until a profiler slows the host. Nothing but PyTorch is needed.
"""
import contextlib
import gzip
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import torch
from torch.nn import functional as F
from torch.profiler import ProfilerActivity, profile, schedule

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "..", "src", "python")]
import record  # noqa: E402
from profgauge.conditions import Conditions  # noqa: E402
from profgauge.torch import StepClock, judge  # noqa: E402

LARGEST_PROFILE = 300_000  # Bytes; larger ones are measured and not kept.
BOTH, DEVICE_ONLY = [ProfilerActivity.CPU, ProfilerActivity.CUDA], [ProfilerActivity.CUDA]
# Width, tokens of a sequence, sequences of a batch.
PROGRAMS = {"host_bound": (512, 512, 8), "balanced": (1024, 512, 8), "gpu_bound": (2048, 1024, 8)}
VOCABULARY = 8192
# Name: schedule (wait, warmup, active, repeat), options, steps after the last recording.
RECORDINGS = {
    "shapes": ((100, 2, 3, 1), {"record_shapes": True}, 150),
    "plain": ((60, 2, 4, 1), {}, 60),
    "stacks": ((60, 2, 4, 1), {"record_shapes": True, "with_stack": True}, 60),
    "repeated": ((30, 5, 2, 3), {}, 30),
    "no_preset": ((15, 1, 2, 1), {}, 10),
    "device_only": ((30, 2, 8, 1), {"activities": DEVICE_ONLY}, 20),
}
BLOCKS, BLOCK = 5, 25
SECONDS = 140  # After this time the rest is skipped, with a message.


class Program:
    """A training step on its own data; nothing in it waits for the GPU."""

    def __init__(self, width, tokens, batch):
        record.WIDTH, record.HEADS = width, width // 64
        self.model = record.Gpt(VOCABULARY, tokens).cuda()
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=1e-4, fused=True, capturable=True)
        self.words, self.targets = (torch.randint(0, VOCABULARY, (batch, tokens), device="cuda") for _ in range(2))

    def step(self):
        with torch.autocast("cuda", torch.bfloat16):
            logits = self.model(self.words)
            loss = F.cross_entropy(logits.flatten(0, 1).float(), self.targets.flatten())
        loss.backward()
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)


def timed(steps, each):
    """Milliseconds per step, the GPU waited for at both ends only."""
    torch.cuda.synchronize()
    start = time.perf_counter()
    for _ in range(steps):
        each()
    torch.cuda.synchronize()
    return (time.perf_counter() - start) / steps * 1e3


def overhead(program):
    """The same loop bare, with each of the two clocks, and bare again, in turns."""
    clocks = {"event": StepClock(warmup=0), "host": StepClock(warmup=0, clock="host"),
              "host_windows": StepClock(warmup=0, clock="host", synchronize=torch.cuda.synchronize)}
    calls = {name: [] for name in clocks}

    def with_clock(name):
        clock, took = clocks[name], calls[name]

        def each():
            program.step()
            start = time.perf_counter_ns()
            clock.step()
            took.append(time.perf_counter_ns() - start)
        return each
    ways = {"bare": program.step, **{name: with_clock(name) for name in clocks}, "bare_again": program.step}
    blocks = {name: [] for name in ways}
    for _ in range(BLOCKS):
        for name, each in ways.items():
            if name in clocks:
                clocks[name].restart()
            blocks[name].append(timed(BLOCK, each))
    return {"ms": blocks, "call_us": {name: {"median": statistics.median(took) / 1e3, "mean": statistics.mean(took) / 1e3}
                                      for name, took in calls.items()}}


def calls_of_the_clock(program):
    """Microseconds of each call that the clock makes after a step, as cold as they are there."""
    made = [torch.cuda.Event(enable_timing=True) for _ in range(2)]
    ways = {"perf_counter_ns": time.perf_counter_ns, "is_current_stream_capturing": torch.cuda.is_current_stream_capturing,
            "record": lambda: made[1].record(), "query": lambda: made[0].query(),
            "elapsed_time": lambda: made[0].elapsed_time(made[1]),
            "Event": lambda: torch.cuda.Event(enable_timing=True)}
    took = {name: [] for name in ways}
    for _ in range(60):
        for name, call in ways.items():
            for event in made:
                event.record()
            program.step()
            if name == "elapsed_time":
                torch.cuda.synchronize()
            start = time.perf_counter_ns()
            call()
            took[name].append(time.perf_counter_ns() - start)
    return {name: statistics.median(ns) / 1e3 for name, ns in took.items()}


def agreement(program):
    """Steps by events, and by the host's clock, against the wall clock over all of them."""
    out = {}
    for name in ("auto", "host"):
        clock = StepClock(warmup=0, clock=name)
        clock.step()
        wall = timed(100, lambda: (program.step(), clock.step()))
        torch.cuda.synchronize()
        times = [ns / 1e6 for segment in json.loads(clock.text())["segments"] for ns in segment["ns"]]
        out[name] = {"wall_ms": wall, "steps": len(times), "mean_ms": statistics.mean(times),
                     "median_ms": statistics.median(times), "stdev_ms": statistics.stdev(times),
                     "min_ms": min(times), "max_ms": max(times)}
    return out


def graph(program):
    """A step as a CUDA graph: the time of the GPU without the host."""
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(3):
            program.step()
    torch.cuda.current_stream().wait_stream(stream)
    captured = torch.cuda.CUDAGraph()
    with torch.cuda.graph(captured):
        program.step()
    return timed(50, captured.replay)


def seen(trace):
    """Of a trace: the length of an iteration on the device, the part of it with work, and the document inside."""
    with gzip.open(trace, "rt") as file:
        document = json.load(file)
    events = [e for e in document["traceEvents"] if e.get("ph") == "X"]
    device = ("kernel", "gpu_memcpy", "gpu_memset")
    work = sorted((float(e["ts"]), float(e["dur"])) for e in events if e.get("cat") in device)
    marks = [float(e["dur"]) / 1e3 for e in events if e["name"].startswith("ProfilerStep#")
             and e.get("cat") == "user_annotation"]
    # The loss has this kernel once: from one to the next is an iteration of the device, with or without marks.
    starts = sorted(float(e["ts"]) for e in events if e.get("cat") == "kernel" and "nll_loss_forward" in e["name"])
    inside = document.get("profgauge.run", {})
    out = {"kernels": len(work), "host_steps_ms": marks, "bytes": os.path.getsize(trace), "iterations": len(starts) - 1,
           "document_inside": bool(inside), "steps_inside": sum(len(s["ns"]) for s in inside.get("segments", []))}
    if len(starts) > 1:
        busy, until = 0.0, starts[0]
        for ts, dur in work:
            begin, end = max(ts, until), min(ts + dur, starts[-1])
            busy, until = busy + max(0.0, end - begin), max(until, end)
        whole = starts[-1] - starts[0]
        iterations = 1e3 * (len(starts) - 1)
        out.update(iteration_ms=whole / iterations, busy_ms=busy / iterations, idle=1 - busy / whole)
    return out


def recorded(program, name, folder):
    (wait, warmup, active, repeat), options, after = RECORDINGS[name]
    clock = StepClock(warmup=10)
    handler = judge(folder, clock=clock, on="none", keep=0)
    calls = []
    with profile(schedule=schedule(wait=wait, warmup=warmup, active=active, repeat=repeat), on_trace_ready=handler,
                 **{"activities": BOTH, **options}) as profiler:
        if name == "no_preset":
            profiler.preset_metadata_json = None  # As releases before 2.4: metadata are added while it warms up.
        for _ in range((wait + warmup + active) * repeat + after):
            program.step()
            start = time.perf_counter_ns()
            clock.step(profiler)
            calls.append((time.perf_counter_ns() - start) / 1e6)
    torch.cuda.synchronize()
    document = json.loads(clock.text())
    traces = sorted(os.path.join(root, file) for root, _, files in os.walk(folder) for file in files if file.endswith(".gz"))
    segments = []
    for segment in document["segments"]:
        times = [ns / 1e6 for ns in segment["ns"]]
        segments.append({"first": segment["first"], "n": len(times), "median_ms": statistics.median(times),
                         "first_50_ms": statistics.median(times[:50]), "last_50_ms": statistics.median(times[-50:]),
                         "mean_ms": statistics.mean(times), "cv": statistics.pstdev(times) / statistics.mean(times)})
    out = {"schedule": [wait, warmup, active, repeat], "options": {k: str(v) for k, v in options.items()},
           "segments": segments, "recorded": document.get("recorded"), "clock": document["clock"],
           "longest_calls_ms": sorted(calls)[-4:], "traces": [seen(trace) for trace in traces]}
    if traces:
        out["unrecorded_ms"] = statistics.median(ns / 1e6 for s in document["segments"] for ns in s["ns"])
        out["perturbation"] = [trace["iteration_ms"] / out["unrecorded_ms"] for trace in out["traces"]
                               if "iteration_ms" in trace]
    return out, traces, document


def child(way):
    """A separate process: the host-bound program, with or without a profile in the middle."""
    sys.stdin.readline()  # PyTorch is imported; the parent says whose turn it is.
    program = Program(*PROGRAMS["host_bound"])
    clock = StepClock(warmup=60)
    folder = tempfile.mkdtemp()
    options = {"activities": BOTH, "schedule": schedule(wait=210, warmup=2, active=3, repeat=1),
               "on_trace_ready": judge(folder, clock=clock, on="none")}
    with (profile(**options) if way != "bare" else contextlib.nullcontext()) as profiler:
        for number in range(500):
            program.step()
            clock.step(profiler, recorded=way == "bare" and 210 <= number < 215)
    torch.cuda.synchronize()
    shutil.rmtree(folder)
    before, after = ([ns / 1e6 for ns in segment["ns"]] for segment in json.loads(clock.text())["segments"])
    print(json.dumps({"way": way, "before_ms": statistics.median(before), "after_ms": statistics.median(after),
                      "first_50_after_ms": statistics.median(after[:50]), "last_150_ms": statistics.median(after[-150:])}))


def steps_after(out):
    """Processes with and without a profile, alternately, since the host's speed changes within a minute."""
    ways = ["recorded", "bare", "teardown", "bare", "recorded", "teardown"] * 3
    variables = {"teardown": {"TEARDOWN_CUPTI": "1"}}
    waiting = [subprocess.Popen([sys.executable, os.path.abspath(__file__), out, way], stdin=subprocess.PIPE,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                env={**os.environ, **variables.get(way, {})}) for way in ways]
    rows, began = [], time.monotonic()
    for way, process in zip(ways, waiting):
        if time.monotonic() - began > 120:
            process.kill()
            process.communicate()
            continue
        answer, log = process.communicate("go\n")
        lines = [line for line in answer.splitlines() if line.startswith("{")]
        rows.append(json.loads(lines[-1]) if lines else {"way": way, "error": log[-500:]})
        print(f"{time.monotonic() - began:6.1f} s {rows[-1]}", flush=True)
        with open(os.path.join(out, "after.json"), "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)


def environment():
    properties = torch.cuda.get_device_properties(0)
    query = "name,driver_version,clocks.sm,clocks.max.sm,power.draw,power.limit,temperature.gpu"
    try:
        smi = subprocess.run(["nvidia-smi", f"--query-gpu={query}", "--format=csv,noheader"], capture_output=True, text=True,
                             timeout=20, check=False).stdout.strip()
    except (OSError, subprocess.SubprocessError) as error:
        smi = repr(error)
    return {"device": properties.name, "torch": torch.__version__, "cuda": torch.version.cuda, "nvidia_smi": smi,
            "cpus": os.cpu_count(), "preset_metadata_json": hasattr(profile, "preset_metadata_json")}


def conditions(program):
    """The output of nvidia-smi while the GPU is busy, and idle."""
    query = ("timestamp,index,uuid,clocks.current.sm,clocks.max.sm,clocks.current.memory,power.draw.instant,power.limit,"
             "temperature.gpu,clocks_event_reasons.active")
    with tempfile.TemporaryFile("w+") as log:
        with subprocess.Popen(["nvidia-smi", f"--query-gpu={query}", "--format=csv", "-lms", "200"], stdout=log,
                              stderr=subprocess.STDOUT) as process:
            timed(100, program.step)
            time.sleep(1)
            process.terminate()
        log.seek(0)
        return log.read(20000).splitlines()


def sampled(program):
    """The GPU's conditions by the clock's own thread, five times a second, and their cost."""
    clock = StepClock(warmup=0, conditions=Conditions(0.2))
    clock.step()
    blocks = {"bare": [], "sampled": []}
    for _ in range(3):
        blocks["bare"].append(timed(25, program.step))
        blocks["sampled"].append(timed(25, lambda: (program.step(), clock.step())))
    return {"ms": blocks, "devices": clock.document().get("devices"), "samples": len(clock.conditions.samples)}


def measure(out):
    began = time.monotonic()
    result = {"programs": {}, "skipped": []}

    def save():
        result["seconds"] = time.monotonic() - began
        with open(os.path.join(out, "steps.json"), "w", encoding="utf-8") as file:
            json.dump(result, file, indent=1)

    def attempt(where, key, function):
        if time.monotonic() - began > SECONDS:
            result["skipped"].append(key)
            return
        try:
            where[key] = function()
        except Exception as error:  # The other measurements go on.
            where[key] = {"error": repr(error)}
        print(f"{time.monotonic() - began:6.1f} s {key}", flush=True)
        save()

    result["environment"] = environment()
    for name, size in PROGRAMS.items():
        found = result["programs"][name] = {"size": size, "recordings": {}}
        program = Program(*size)
        timed(10, program.step)
        attempt(found, "bare_ms", lambda: [timed(50, program.step) for _ in range(3)])
        attempt(found, "overhead", lambda: overhead(program))
        attempt(found, "calls_us", lambda: calls_of_the_clock(program))
        attempt(found, "agreement", lambda: agreement(program))
        for kind in RECORDINGS:
            def one():
                folder = tempfile.mkdtemp()
                measured, traces, document = recorded(program, kind, folder)
                if kind == "shapes" and traces and os.path.getsize(traces[0]) <= LARGEST_PROFILE:
                    shutil.copy(traces[0], os.path.join(out, f"steps_{name}.pt.trace.json.gz"))
                    with open(os.path.join(out, f"steps_{name}.run.json"), "w", encoding="ascii") as file:
                        file.write(json.dumps(document, separators=(",", ":")) + "\n")
                shutil.rmtree(folder, ignore_errors=True)
                return measured
            attempt(found["recordings"], kind, one)
        attempt(found, "bare_after_ms", lambda: [timed(50, program.step) for _ in range(3)])
        attempt(found, "graph_ms", lambda: graph(program))
        if name == "gpu_bound":
            attempt(result, "conditions", lambda: conditions(program))
            attempt(result, "sampled", lambda: sampled(program))
        program = None
        torch.cuda.empty_cache()
    save()


if __name__ == "__main__":
    os.makedirs(sys.argv[1], exist_ok=True)
    if sys.argv[2:] == ["after"]:
        steps_after(sys.argv[1])
    elif sys.argv[2:]:
        child(sys.argv[2])
    else:
        measure(sys.argv[1])
