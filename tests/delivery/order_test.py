#!/usr/bin/env python3
"""The order of profiles on the command line decides nothing: the same exit and the same bytes of the
comparison. Also the parts and the movement of a small program that is recorded again and again.

    order_test.py PROGRAM SOURCE
"""
import itertools
import json
import os
import random
import subprocess
import sys
import tempfile

PROGRAM, SOURCE = os.path.abspath(sys.argv[1]), sys.argv[2]
KERNELS, STEPS = 24, 12


def recording(path, noise, slower=None, clock=1.0):
    """One iteration is 24 kernels, some longer than others."""
    events, now, call = [], 1000.0, 1
    usual = [noise.gauss(1, 0.003) for _ in range(KERNELS)]
    for step in range(STEPS):
        begin, launch = now, now
        for kernel in range(KERNELS):
            length = 400 / (kernel + 1) ** 0.5 * usual[kernel] * noise.gauss(1, 0.005) * clock
            length *= (slower or {}).get(kernel, 1)
            events.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1,
                           "ts": round(launch, 3), "dur": 3, "args": {"correlation": call}})
            events.append({"ph": "X", "cat": "kernel", "name": f"kernel_{kernel:02d}", "pid": 0, "tid": 7,
                           "ts": round(now + 20, 3), "dur": round(length, 3),
                           "args": {"correlation": call, "stream": 7, "device": 0}})
            call, launch, now = call + 1, launch + 4, now + length + 0.4
        events.append({"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{step + 10}", "pid": 1, "tid": 1,
                       "ts": round(begin, 3), "dur": round(now - begin, 3)})
        now += 0.5
    device = {"id": 0, "name": "NVIDIA H100 80GB HBM3", "totalGlobalMem": 85029158912, "computeMajor": 9,
              "computeMinor": 0, "numSms": 132}
    with open(path, "w") as out:
        json.dump({"schemaVersion": 1, "deviceProperties": [device], "traceEvents": events}, out)


def check(folder, candidates, baselines, *more):
    report = os.path.join(folder, "r.json")
    command = [PROGRAM, "check", *candidates, *(part for run in baselines for part in ("--baseline", run)),
               "--config", "none", "--json", report, "-q", *more]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    with open(report) as text:
        found = json.load(text)
    return done.returncode, found


def main():
    noise = random.Random(7)
    with tempfile.TemporaryDirectory() as folder:
        base = [f"base{i}.json" for i in range(6)]
        for name in base:
            recording(os.path.join(folder, name), noise)
        for name, slower, clock in [("slow.json", {17: 1.4}, 1), ("slow2.json", {17: 1.4}, 1), ("same.json", {}, 1),
                                    ("blip.json", {5: 1.3}, 1), ("clock.json", {}, 1.09)]:
            recording(os.path.join(folder, name), noise, slower, clock)
        with open(os.path.join(folder, "policy.yaml"), "w") as out:
            out.write('schema: 1\nrules: {"*": off}\nbaseline:\n  iteration.time.median: {max_increase: 5%}\n'
                      "  kernels: {level: error}\n")
        policy = ("-p", os.path.join(folder, "policy.yaml"))
        for candidates, exit_code, kind in [(["slow.json", "slow2.json", "same.json"], 1, "parts"),
                                            (["same.json", "blip.json"], 0, None)]:
            seen = set()
            for order in itertools.permutations(candidates):
                shuffled = base[:]
                noise.shuffle(shuffled)
                code, report = check(folder, list(order), shuffled, *policy)
                seen.add((code, json.dumps(report["comparison"]), json.dumps(report["verdict"])))
            assert len(seen) == 1, f"{candidates}: {len(seen)} answers by order"
            assert code == exit_code, (candidates, code, report["verdict"]["reasons"])
            assert report["comparison"].get("movement", {}).get("kind") == kind, report["comparison"].get("movement")
        code, report = check(folder, ["slow.json"], base, *policy)
        assert code == 3 and report["verdict"]["again"], report["verdict"]
        assert [one["code"] for one in report["verdict"]["no_verdict"]] == ["baseline/part-once"], report["verdict"]
        code, report = check(folder, ["clock.json", "clock.json"], base, "-p", "builtin:report-only")
        code, report = check(folder, ["clock.json"], base)
        assert report["comparison"]["movement"]["kind"] == "all_alike", report["comparison"].get("movement")
        code, report = check(folder, ["slow.json", "slow2.json"], base)
        assert code == 0 and report["comparison"]["movement"]["kind"] == "parts", report["comparison"].get("movement")
        assert any("kernel_17" in remark["text"] for remark in report["remarks"]), report["remarks"]
        code, report = check(folder, ["same.json"], base)
        assert code == 0 and "movement" not in report["comparison"], report["comparison"].get("movement")
    print("ok")


main()
