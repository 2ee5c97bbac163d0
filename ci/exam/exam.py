#!/usr/bin/env python3
"""Runs ProfGauge, TraceLens, HTA and nsys-ai on the same public profiles and says what each answers.

    ci/exam/fetch.sh FOLDER                            inputs and tools at fixed commits
    ci/exam/exam.py FOLDER --profgauge PROGRAM         all cases (about 6 minutes); --only KIND[,KIND]
    ci/exam/exam.py FOLDER --profgauge PROGRAM --ours  ProfGauge alone (20 seconds): what CI runs
    ci/exam/exam.py FOLDER --profgauge PROGRAM --ours --at-hand      the cases whose inputs are there
    ci/exam/exam.py FOLDER --again                     the tables of the last run, e.g. > ci/exam/results.md

How it is kept fair:
 - Each tool is called as its own documentation says, in a process of its own, with defaults. Knowledge that one tool
   is given, all that can take it are given: the labeled profiles name no GPU, so ProfGauge gets devices.yaml and
   TraceLens --gpu_arch_platform MI300X.
 - A fault is named by a sentence that the tool wrote, in the tool's own order, by one pattern for all tools
   (cases.tsv). Titles of tables and numbers name nothing; that the largest row of a table is the faulty operator is
   counted separately ("shows"). Advice is not searched: a list of everything that could be wrong would match.
 - GPU busy time is compared with a union of the raw events, computed here in integer nanoseconds by the standard
   library only. A tool is right if its milliseconds are within 0.1 % of the union in any window that begins and ends with the
   profile, with the GPU's work or with the marked iterations. All tools get the same choice.
 - A tool that ends with an error, or leaves a case out, is listed as such, never as wrong.
 - CPU seconds and peak memory are the process's own, read when it ends. The machine's load does not change them much.
 - Every case is in the result, also where ProfGauge is wrong. Nothing is left out after seeing the results.
Standard library only. Writes FOLDER/results.json and prints Markdown.
"""
import argparse, csv, gzip, json, os, pathlib, re, shutil, sqlite3, subprocess, sys, tempfile, time
from decimal import Decimal

HERE = pathlib.Path(__file__).resolve().parent
PLATFORM = "MI300X"
CLOSE = 0.001  # Of GPU busy time; or 2 µs.


# ---- the independent truth (a process of its own, so that the driver stays small) ----

def union(intervals):
    total, begin, end = 0, None, None
    for a, b in sorted(intervals):
        if end is None or a > end:
            total += 0 if end is None else end - begin
            begin, end = a, b
        elif b > end:
            end = b
    return total if end is None else total + end - begin


def nanoseconds(value):
    return int((Decimal(str(value)) * 1000).to_integral_value()) if value is not None else 0


def busy_in(work, windows):
    """Milliseconds in each window in which something runs."""
    out = {}
    for name, (low, high) in windows.items():
        inside = [(max(a, low), min(b, high)) for a, b in work if a < high and b > low]
        if high > low:
            out[name] = union(inside) / 1e6
    return out


def truth_of_kineto(path):
    opener = gzip.open if open(path, "rb").read(2) == b"\x1f\x8b" else open
    with opener(path, "rb") as file:
        document = json.loads(file.read(), parse_float=Decimal, strict=False)
    events = document["traceEvents"] if isinstance(document, dict) else document
    devices, steps, low, high = {}, [], None, None
    for event in events:
        if event.get("ph") != "X" or event.get("cat") == "Trace" or not isinstance(event.get("ts"), (int, Decimal, str)):
            continue
        a = nanoseconds(event["ts"])
        b = a + nanoseconds(event.get("dur"))
        kind = str(event.get("cat", "")).lower()
        low, high = a if low is None else min(low, a), b if high is None else max(high, b)
        if kind in ("kernel", "gpu_memcpy", "gpu_memset", "memcpy", "memset"):
            devices.setdefault(str((event.get("args") or {}).get("device", event.get("pid"))), []).append((a, b))
        elif re.match(r"ProfilerStep\s*#", str(event.get("name", ""))) and kind in ("user_annotation", "cpu_op", "operator"):
            steps.append((a, b))
    return {key: busy_in(work, windows_of(work, steps, low, high)) for key, work in devices.items()}


def windows_of(work, steps, low, high):
    """Each start with each end: of the profile, of the GPU's work, of the marked iterations."""
    starts = {"profile": low, "GPU work": min(a for a, _ in work)}
    ends = {"profile": high, "GPU work": max(b for _, b in work)}
    if steps:
        starts["iterations"], ends["iterations"] = min(a for a, _ in steps), max(b for _, b in steps)
    return {f"{a} to {b}" if a != b else a: (starts[a], ends[b]) for a in starts for b in ends}


def truth_of_nsys(path):
    base = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    have = {row[0] for row in base.execute("select name from sqlite_master")}
    devices, ends = {}, []
    for table in ("CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_MEMCPY", "CUPTI_ACTIVITY_KIND_MEMSET"):
        if table in have:
            for device, a, b in base.execute(f'select deviceId, start, "end" from {table}'):
                devices.setdefault(str(device), []).append((a, b))
    for table in ("CUPTI_ACTIVITY_KIND_RUNTIME", "NVTX_EVENTS"):
        if table in have:
            ends += [x for x in base.execute(f'select min(start), max("end") from {table}').fetchone() if x is not None]
    ends += [x for work in devices.values() for pair in work for x in pair]
    return {key: busy_in(work, windows_of(work, [], min(ends), max(ends))) for key, work in devices.items()}


# ---- one process ----

def run(command, limit=590, env=None, cwd=None):
    """What it printed, exit code, wall and CPU seconds, peak memory in MB."""
    with tempfile.TemporaryFile() as out:
        start = time.monotonic()
        process = subprocess.Popen([str(word) for word in command], stdout=out, stderr=subprocess.STDOUT, env=env, cwd=cwd)
        done, status, used = 0, 0, None
        while not done:
            done, status, used = os.wait4(process.pid, os.WNOHANG)
            if not done and time.monotonic() - start > limit:
                process.kill()
            time.sleep(0 if done else 0.01)
        process.returncode = os.waitstatus_to_exitcode(status)
        wall = time.monotonic() - start
        out.seek(0)
        return {"exit": process.returncode, "wall": round(wall, 2), "cpu": round(used.ru_utime + used.ru_stime, 2),
                "peak": round(used.ru_maxrss / 1024), "text": out.read().decode("utf-8", "replace")}


def answer(done, **more):
    return {**{key: done[key] for key in ("exit", "wall", "cpu", "peak")}, "headline": "", "sentences": [], "busy": {},
            "row": "", "error": "", **more}


def plain(text):
    return re.sub("[\u202f\u00a0]", " ", text or "")


class Tools:
    def __init__(self, arguments, work):
        self.folder, self.program, self.work = pathlib.Path(arguments.folder).resolve(), arguments.profgauge, work
        venv = self.folder / "venv/bin/python"
        self.python = os.environ.get("EXAM_PYTHON") or (str(venv) if venv.exists() else "python3")

    def fresh(self, name):
        folder = self.work / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        return folder

    def profgauge(self, kind, path):
        out = self.fresh("profgauge") / "report.json"
        policy = ["--policy", HERE / "exam.yaml"] if kind == "labeled" else []
        done = run([self.program, "check", path, *policy, "--json", out, "--timeline", "off", "-q"])
        if done["exit"] not in (0, 1, 3) or not out.exists():
            return answer(done, error=done["text"][-300:])
        report = json.loads(out.read_text())
        fired = [one for one in report.get("findings", []) if one["status"] in ("error", "warn", "info")
                 and not one["rule"].startswith("recording/")]
        asked = run([self.program, "query", path, "select gpu, idle, wall_time from gpus", "--format", "json"])
        try:
            busy = {str(row[0]): (1 - row[1]) * row[2] / 1e6 for row in json.loads(asked["text"])["rows"] if row[1] is not None}
        except ValueError:
            busy = {}
        return answer(done, headline=plain((report.get("diagnosis") or {}).get("text")), busy=busy,
                      sentences=[plain(f"{one['title']}. {one.get('message', '')}") for one in fired])

    def tracelens(self, kind, path):
        out = self.fresh("tracelens")
        done = run([self.python, "-m", "TraceLens.Reporting.generate_perf_report_pytorch", "--profile_json_path", path,
                    "--output_xlsx_path", out / "r.xlsx", "--output_csvs_dir", out / "csv",
                    *(["--gpu_arch_platform", PLATFORM] if kind == "labeled" else [])])
        try:
            busy = {"": float(row["time ms"]) for row in csv.DictReader(open(out / "csv/gpu_timeline.csv"))
                    if row["type"] == "busy_time"}
            rows = list(csv.DictReader(open(out / "csv/unified_perf_summary.csv")))
            time_of = lambda row: float(row.get("Kernel Time (µs)_sum") or 0)
            return answer(done, busy=busy, row=max(rows, key=time_of)["name"] if rows else "")
        except (OSError, KeyError, ValueError):
            return answer(done, error=done["text"][-300:])

    HTA = """
import json, logging, sys
logging.disable(logging.CRITICAL)
from hta.trace_analysis import TraceAnalysis
trace, out = TraceAnalysis(trace_files={0: sys.argv[1]}), {}
calls = {"temporal": lambda: trace.get_temporal_breakdown(visualize=False),
         "idle": lambda: trace.get_idle_time_breakdown(visualize=False)[0],
         "overlap": lambda: trace.get_comm_comp_overlap(visualize=False),
         "kernels": lambda: trace.get_gpu_kernel_breakdown(visualize=False)[1]}
for name, call in calls.items():
    try:
        out[name] = call().to_dict("records")
    except Exception as error:
        out[name] = repr(error)[:200]
json.dump(out, open(sys.argv[2], "w"), default=str)
"""

    def hta(self, kind, path):
        out = self.fresh("hta") / "out.json"
        done = run([self.python, "-c", self.HTA, path, out])
        try:
            found = json.loads(out.read_text())
            failed = [name for name, rows in found.items() if isinstance(rows, str)]
            busy = {} if "temporal" in failed else {"": (row["kernel_time(us)"] - row["idle_time(us)"]) / 1000 for row in found["temporal"][:1]}
            top = "" if "kernels" in failed or not found["kernels"] else str(found["kernels"][0].get("name", ""))
            return answer(done, busy=busy, row=top, error="failed: " + ", ".join(failed) if failed else "")
        except (OSError, ValueError, KeyError, IndexError):
            return answer(done, error=done["text"][-300:])

    def nsys_ai(self, kind, path):
        folder = self.fresh("nsys-ai")
        shutil.copy(path, folder / "in.sqlite")  # It writes a cache beside its input.
        done = run([self.python, "-m", "nsys_ai", "diagnose", "in.sqlite", "--format", "json", "-o", "out.json"], cwd=folder)
        try:
            found = json.loads((folder / "out.json").read_text())
            rows = found.get("findings", []) if isinstance(found, dict) else found
            return answer(done, sentences=[f"{one.get('label', '')}. {one.get('note') or ''}" for one in rows
                                           if one.get("severity") != "info"])
        except (OSError, ValueError):
            return answer(done, error=done["text"][-300:])


def enlarged(path, out, megabytes=150):
    """The profile, repeated until it is large: times, ids and numbers of iterations continue."""
    with gzip.open(path, "rb") as file:
        document = json.loads(file.read(), strict=False)
    ids = ("correlation", "External id", "Ev Idx", "Python id", "Python parent id", "Record function id", "Sequence number")
    once, again, steps = [], [], []
    for event in document["traceEvents"]:
        (once if event.get("ph") == "M" or event.get("cat") == "Trace" or "ts" not in event else again).append(event)
        if found := re.match(r"ProfilerStep\s*#\s*(\d+)$", str(event.get("name", ""))):
            steps.append(int(found[1]))
    low, high = min(float(e["ts"]) for e in again), max(float(e["ts"]) + float(e.get("dur") or 0) for e in again)
    step, shift = int(high - low) + 1000, 1 + max(int(v) for e in again for v in [*(
        (e.get("args") or {}).get(k) for k in ids), e.get("id")] if isinstance(v, (int, float)))
    count, size = max(steps, default=0) - min(steps, default=0) + 1, 0
    with open(out, "w", encoding="utf-8") as file:
        file.write(json.dumps({k: v for k, v in document.items() if k != "traceEvents"})[:-1] + ', "traceEvents": [\n')
        file.write(",\n".join(json.dumps(event) for event in once))
        for k in range(1000):
            for event in again:
                one = {**event, "ts": round(float(event["ts"]) + k * step, 3)}
                if isinstance(one.get("id"), (int, float)):
                    one["id"] += k * shift
                if "args" in one:
                    one["args"] = {n: v + k * shift if n in ids and isinstance(v, (int, float)) else v for n, v in one["args"].items()}
                if found := re.match(r"(ProfilerStep\s*#\s*)(\d+)$", str(one.get("name", ""))):
                    one["name"] = f"{found[1]}{int(found[2]) + k * count}"
                text = json.dumps(one)
                size += len(text) + 2
                file.write(",\n" + text)
            if size > megabytes * 1e6:
                break
        file.write("\n]}\n")


# ---- cases, scores, tables ----

def cases(folder, only):
    for line in (HERE / "cases.tsv").read_text().splitlines():
        if line.startswith("#"):
            continue
        kind, name, repository, path, names, shows = line.split("\t")
        if only and kind not in only:
            continue
        if path == "@":
            found = sorted((folder / "labeled").rglob(f"{name}.json*"))
            path = found[0] if found else None
        else:
            path = folder / repository / path
        yield kind, name, path, names, shows


def score(one, names, shows, truth):
    result = {}
    if names != "-":
        places = [i for i, text in enumerate(one["sentences"]) if re.search(names, text, re.I)]
        result["headline"] = bool(re.search(names, one["headline"], re.I))
        result["first"], result["three"] = 0 in places, any(i < 3 for i in places)
    if shows != "-" and one["row"]:
        result["shows"] = bool(re.search(shows, one["row"], re.I))
    for device, value in one["busy"].items():
        windows = truth.get(device) or (next(iter(truth.values())) if len(truth) == 1 else {})
        near = [name for name, busy in windows.items() if abs(busy - value) <= max(0.002, CLOSE * busy)]
        result.setdefault("busy", []).append(near[0] if near else "")
    return result


def cell(row):
    """What the tool answered in one case: "named first · busy: profile"."""
    scored, parts = row["score"], []
    if "three" in scored and (row["sentences"] or row["headline"]):
        parts.append("named first" if scored["first"] else "named in three" if scored["three"] else "**not named**")
    if scored.get("shows"):
        parts.append("shows the operator")
    parts += [f"busy: {near}" if near else "**busy: in no window**" for near in dict.fromkeys(scored.get("busy", []))]
    if row["error"]:
        parts.append(row["error"].splitlines()[-1][:60] if row["error"].startswith("failed: ") else "**failed**")
    return " · ".join(parts) or "–"


def table(rows):
    """Markdown: totals for each tool, then each case."""
    tools, out = list(dict.fromkeys(row["tool"] for row in rows)), []
    out.append("| tool | cases | failed | names: headline | first | in three | shows the operator | GPU busy right | "
               "CPU s, labeled | peak MB | large: CPU s | peak MB |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
    for tool in tools:
        mine = [row for row in rows if row["tool"] == tool]
        marked = [row for row in mine if row["kind"] == "labeled"]
        large = [row for row in mine if row["kind"] == "large"]
        count = lambda key: sum(bool(row["score"].get(key)) for row in marked) if marked else "–"
        busy = [near for row in mine for near in row["score"].get("busy", [])]
        out.append(f"| {tool} | {len(mine)} | {sum(bool(row['error']) for row in mine)} | {count('headline')} | {count('first')} | "
                   f"{count('three')}{f' of {len(marked)}' if marked else ''} | {count('shows')} | "
                   + (f"{sum(map(bool, busy))} of {len(busy)} | " if busy else "– | ")
                   + (f"{sum(row['cpu'] for row in marked):.1f} | {max(row['peak'] for row in marked)} | " if marked else "– | – | ")
                   + (f"{large[0]['cpu']:.2f} | {large[0]['peak']} |" if large else "– | – |"))
    out.append("\nEach case: whether the fault is named (labeled cases), whether the largest row is the faulty operator, and the window\n"
               "in which GPU busy time is right. `results.json` has the answers.\n")
    out.append(f"| case | {' | '.join(tools)} |\n|---|{'---|' * len(tools)}")
    for case in dict.fromkeys(row["case"] for row in rows):
        cells = []
        for tool in tools:
            row = next((row for row in rows if (row["case"], row["tool"]) == (case, tool)), None)
            cells.append("" if row is None else cell(row))
        out.append(f"| {case} | {' | '.join(cells)} |")
    return "\n".join(out)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--profgauge", default="profgauge")
    parser.add_argument("--only", default="")
    parser.add_argument("--ours", action="store_true")
    parser.add_argument("--at-hand", action="store_true")
    parser.add_argument("--again", action="store_true")
    arguments = parser.parse_args()
    if arguments.folder == "truth":  # A process of its own.
        print(json.dumps((truth_of_nsys if arguments.profgauge.endswith(".sqlite") else truth_of_kineto)(arguments.profgauge)))
        return 0
    folder = pathlib.Path(arguments.folder).resolve()
    if arguments.again:
        print(table(json.loads((folder / "results.json").read_text())))
        return 0
    work = folder / "work"
    work.mkdir(parents=True, exist_ok=True)
    tools, rows = Tools(arguments, work), []
    for kind, name, path, names, shows in cases(folder, set(filter(None, arguments.only.split(",")))):
        if path is None or not path.exists():
            print(f"missing: {name}: run ci/exam/fetch.sh", file=sys.stderr)
            if arguments.at_hand:
                continue
            return 2
        if kind == "large":
            big = work / f"{name}.json"
            if not big.exists():
                enlarged(path, big)
            path = big
        told = run([sys.executable, __file__, "truth", "--profgauge", path])
        truth = json.loads(told["text"]) if told["exit"] == 0 else {}
        callers = {"ProfGauge": tools.profgauge}
        if not arguments.ours:
            callers |= {"nsys-ai": tools.nsys_ai} if kind == "nsys" else {"TraceLens": tools.tracelens, "HTA": tools.hta}
        for tool, call in callers.items():
            one = call(kind, str(path))
            rows.append({"kind": kind, "case": name, "tool": tool, **one, "truth": truth, "score": score(one, names, shows, truth)})
            print(f"{name}  {tool}  {rows[-1]['score']}", file=sys.stderr, flush=True)
    (folder / "results.json").write_text(json.dumps(rows, indent=1))
    print(table(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
