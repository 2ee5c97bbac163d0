#!/usr/bin/env python3
"""Growth of time and memory over every dimension of an input: at a quarter of its size and at all of it.
  ci/growth.py PROGRAM [DIMENSION …]            processor time, the least of three runs; peak memory
  ci/growth.py PROGRAM --count [DIMENSION …]    instructions by valgrind, at a tenth of the size: the same on any machine
The exponent is log(t(n) / t(n/4)) / log 4: linear work shows 1, less where a fixed part still counts. Fails above 1.15,
above 1 000 bytes an event (1 700 where each has its own name of an operator), and where the program ends by a signal or with another status than 0, 1 or 3."""
import datetime
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile
import zipfile

WORST, MOST_BYTES, RUNS = 1.15, 1000, 3
# An operator of its own name is a row of six tables, and of a page and a workbook that are drawn at once: 1 230 to 1 530 bytes. The
# workbook takes 340 of them (libxlsxwriter keeps its cells), the packed rows of the page and their copy as many.
MORE_BYTES = {"operator names": 1700}
WINDOW = 70_000


def complete(cat, name, tid, ts, dur, pid=1, **args):
    return {"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": tid, "ts": round(ts, 3), "dur": round(dur, 3), "args": args}


def launch(number, ts, kernel="k", at=4.0, dur=5.0, stream=7, device=0, **args):
    return [complete("cuda_runtime", "cudaLaunchKernel", 1, ts, min(2.0, dur), correlation=number),
            complete("kernel", kernel, stream, ts + at, dur, device, device=device, stream=stream, correlation=number, **args)]


def base(steps=8, kernels=200):
    events = [complete("user_annotation", f"ProfilerStep#{s}", 1, 1000 + s * 10_000, 10_000) for s in range(steps)]
    for i in range(kernels):
        events += launch(i + 1, 1010 + i * (80_000 // kernels))
    return events


def each(n, make):
    """The base, and `make(i, time, share)` for each of n parts of the window."""
    return base() + [event for i in range(n) for event in make(i, 2000 + i * WINDOW / n, WINDOW / n)]


def steps_of(n):
    events = []
    for s in range(n):
        events += [complete("user_annotation", f"ProfilerStep#{s}", 1, 1000 + s * 100, 100)]
        events += launch(s + 1, 1005 + s * 100, at=15, dur=40)
    return events


def memory(i, ts):
    args = {"Device Type": 1, "Device Id": 0, "Addr": 1000 + i, "Bytes": 512, "Total Allocated": i * 512, "Total Reserved": 1 << 30}
    return {"ph": "i", "s": "t", "cat": "cpu_instant_event", "name": "[memory]", "pid": 1, "tid": 1, "ts": ts, "args": args}


NCCL = {"Collective name": "allreduce", "Process Group Ranks": "[0, 1]", "In msg nelems": 100, "Group size": 2, "dtype": "Float"}
REDUCE = "ncclDevKernel_AllReduce"
EVENTS = {  # dimension: n, events of n
    "threads": (64_000, lambda n: each(n, lambda i, t, d: [complete("cpu_op", "a", 100 + i, t, 5)])),
    "streams": (64_000, lambda n: each(n, lambda i, t, d: launch(1000 + i, t, stream=100 + i))),
    "devices": (32_000, lambda n: each(n, lambda i, t, d: [complete("kernel", "k", 7, t, 5, i, device=i, stream=7, correlation=10_000 + i)])),
    "kernel names": (64_000, lambda n: each(n, lambda i, t, d: launch(1000 + i, t, kernel=f"kern_{i}_x", dur=d / 2))),
    "operator names": (64_000, lambda n: each(n, lambda i, t, d: [complete("cpu_op", f"aten::op{i}", 1, t, d * .8)])),
    "operators nested": (64_000, lambda n: base() + [complete("cpu_op", f"op{i % 7}", 1, 2000 + i * .1, WINDOW - .2 * i) for i in range(n)]),
    "Python frames nested": (64_000, lambda n: base() + [
        complete("python_function", f"m.py({i}): f{i % 7}", 1, 2000 + i * .1, WINDOW - .2 * i,
                 **{"Python id": i + 1, "Python parent id": i or None}) for i in range(n)]),
    "iterations": (16_000, steps_of),
    "process groups": (16_000, lambda n: each(n, lambda i, t, d: launch(1000 + i, t, REDUCE, 1, .5, 9, **NCCL, **{"Process Group Name": f"pg{i}"}))),
    "collectives": (64_000, lambda n: each(n, lambda i, t, d: launch(1000 + i, t, REDUCE, 1, .5, 9, **NCCL, **{"Process Group Name": "pg"}))),
    "ranges": (64_000, lambda n: base() + [complete("user_annotation", f"r{i}", 1, 2000 + i * .1, WINDOW + i * .05) for i in range(n)]),
    "memory blocks": (64_000, lambda n: each(n, lambda i, t, d: [memory(i, t)])),
    "kernels of a launch": (64_000, lambda n: base() + launch(5000, 2000) + [
        launch(5000, 2010 + i * WINDOW / n, f"k{i % 9}", dur=WINDOW / n * .5)[1] for i in range(n)]),
    "overlapping kernels": (64_000, lambda n: each(n, lambda i, t, d: launch(1000 + i, 2000 + i * 1000 / n, dur=WINDOW, stream=7 + i % 64))),
    "synchronizations": (64_000, lambda n: each(n, lambda i, t, d: launch(1000 + i, t, at=.5, dur=d * .2) + [
        complete("cuda_runtime", "cudaDeviceSynchronize", 1, t + d * .3, d * .5, correlation=900_000 + i)])),
}


def write(path, events, **more):
    path.write_text(json.dumps({**more, "traceEvents": events}))
    return path


def ranks(n, folder):
    (folder / "r").mkdir()
    for i in range(n):
        write(folder / f"r/rank{i}.pt.trace.json", base(8, 40), distributedInfo={"backend": "nccl", "rank": i, "world_size": n})
    return folder / "r"


def tree(n, folder):
    (folder / "runs" / "data").mkdir(parents=True)
    write(folder / "runs/a.pt.trace.json", base())
    for i in range(n):
        (folder / "runs/data" / str(i)).touch()
    (folder / "profgauge.yaml").write_text('schema: 1\njobs: [{name: a, inputs: ["runs/**/*.pt.trace.json"]}]\n')
    return ["check", "-q", "--config", folder / "profgauge.yaml"], n


def history(n, folder):
    """Of a history of n runs of one program the newest ones and their changes."""
    baseline, db = folder / "b.json", folder / "h.db"
    start = [sys.argv[1], "baseline", "save", str(write(folder / "t.json", base())), "-o", str(baseline)]
    subprocess.run(start, check=True, capture_output=True)
    document = json.loads(baseline.read_text())
    run = document["runs"][0]
    document["runs"] = [{**run, "source": f"{i:032x}", "name": f"run{i}"} for i in range(n)]
    baseline.write_text(json.dumps(document))
    subprocess.run([sys.argv[1], "history", "add", str(baseline), "--db", str(db)], check=True, capture_output=True)
    return ["history", "list", "--json", "-", "-q", "--db", db], n


def archive(n, folder):
    with zipfile.ZipFile(folder / "a.zip", "w") as made:
        for i in range(n):
            made.writestr(f"logs/{i}.txt", "")
        made.writestr("a.pt.trace.json", json.dumps({"traceEvents": base()}))
    return ["check", folder / "a.zip", "-q", "--config", "none"], n


def compressed_tar(n, folder):
    with tarfile.open(folder / "a.tar.gz", "w:gz") as made:
        for file in sorted(ranks(n, folder).iterdir()):
            made.add(file, file.name)
    return ["inspect", folder / "a.tar.gz", "-q"], n * 88


def jobs(n, folder):
    write(folder / "a.pt.trace.json", base())
    lines = [f"  - {{name: j{i}, inputs: [a.pt.trace.json]}}\n" for i in range(n)]
    (folder / "profgauge.yaml").write_text("schema: 1\njobs:\n" + "".join(lines))
    return ["check", "-q", "--config", folder / "profgauge.yaml"], n


def judged(folder, policy):
    (folder / "p.yaml").write_text("schema: 1\n" + policy)
    return ["check", write(folder / "t.json", base()), "-q", "--config", "none", "--policy", folder / "p.yaml"]


def limits(n, folder):
    one = "{max: 10 s, level: warn}"
    return judged(folder, f"thresholds:\n  iteration.time.median: [{', '.join([one] * n)}]\n"), n


def rules(n, folder):
    rule = '  - {{id: r{0}, title: T{0}, for_each: kernel, level: warn, when: "count(kernel.mean > {0} us) > 5", message: M, advice: A}}\n'
    (folder / "r.yaml").write_text("schema: 2\nnamespace: mine\ncategory: compute\nrules:\n" + "".join(map(rule.format, range(n))))
    return judged(folder, "rule_files: [r.yaml]\n"), n


def waivers(n, folder):
    day = (datetime.date.today() + datetime.timedelta(100)).isoformat()
    one = f"  - {{rule: gpu/idle, reason: R, owner: O, expires: {day}}}\n"
    return judged(folder, "extends: [builtin:recommended]\nwaivers:\n" + one * n), n


def baselines(n, folder):
    files = [write(folder / f"b{i}.json", base(), traceName=str(i)) for i in range(n)]
    words = [word for file in files for word in ("--baseline", file)]
    return ["check", write(folder / "t.json", base()), "-q", "--config", "none", *words], n


OTHERS = {  # dimension: n, (arguments, events) of n
    "ranks": (512, lambda n, folder: (["inspect", ranks(n, folder), "-q"], n * 88)),
    "ranks judged": (2048, lambda n, folder: (["check", ranks(n, folder), "-q", "--config", "none"], n * 88)),
    "rank files named": (512, lambda n, folder: (["inspect", *sorted(ranks(n, folder).iterdir()), "-q"], n * 88)),
    "labels": (1024, lambda n, folder: (["check", write(folder / "t.json", base()), "-q",
                                         *[word for i in range(n) for word in ("--label", f"l{i}=v")]], n)),
    "files of a tree": (64_000, tree),
    "runs of a history": (2048, history),
    "members of an archive": (60_000, archive),
    "ranks in a .tar.gz": (512, compressed_tar),
    "jobs": (32, jobs),
    "limits": (8000, limits),
    "rules": (2000, rules),
    "waivers": (4000, waivers),
    "baselines": (64, baselines),
}


def spent(program, words, is_counted):
    """Seconds or instructions, and bytes at the peak; no number where the program fails."""
    words = list(map(str, words))
    if is_counted:
        tool = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null", program]
        done = subprocess.run(tool + words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        found = re.search(r"I\s+refs:\s+([0-9,]+)", done.stderr)
        return (float(found[1].replace(",", "")) if found and done.returncode in (0, 1, 3) else math.nan), 0
    best, peak = math.inf, 0
    for _ in range(RUNS):
        process = subprocess.Popen([program, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in (0, 1, 3):
            return math.nan, 0
        best, peak = min(best, used.ru_utime + used.ru_stime), max(peak, used.ru_maxrss * 1024)
    return best, peak


def measured(program, name, n, is_counted):
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        if name in EVENTS:
            events = EVENTS[name][1](n)
            words, count = ["report", write(folder / "t.json", events), "-q", "--out", folder / "o"], len(events)
        else:
            words, count = OTHERS[name][1](n, folder)
        return (*spent(program, words, is_counted), count)


def main():
    words = [word for word in sys.argv[1:] if word != "--count"]
    if not words:
        sys.exit(__doc__)
    is_counted = len(words) < len(sys.argv) - 1
    program, wanted = words[0], words[1:] or [*EVENTS, *OTHERS]
    bad = 0
    unit = "instr." if is_counted else "s"
    print(f"{'dimension':22} {'n':>7} {unit + ' at n/4':>14} {unit + ' at n':>12} {'exponent':>8} {'B/event':>8}")
    for name in wanted:
        n = {**EVENTS, **OTHERS}[name][0] // (10 if is_counted else 1)
        quarter, whole = (measured(program, name, size, is_counted) for size in (n // 4, n))
        exponent = math.log(max(whole[0], 1e-2) / max(quarter[0], 1e-2)) / math.log(4)
        each_event = max(0, whole[1] - quarter[1]) / (whole[2] - quarter[2])
        is_bad = not exponent <= WORST or (name in EVENTS and each_event > MORE_BYTES.get(name, MOST_BYTES))
        bad += is_bad
        print(f"{name:22} {n:7} {quarter[0]:14.4g} {whole[0]:12.4g} {exponent:8.2f} {each_event:8.0f}{'  <<<' if is_bad else ''}", flush=True)
    print(f"{len(wanted) - bad} of {len(wanted)}")
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
