#!/usr/bin/env python3
"""Checks over many profiles that claims hold: a saving that a report prints is possible, and is the same in every output.

  tests/tools/claims.py FOLDER… [--program build/release/profgauge] [--only GLOB]… [--jobs 2]

Each file below the folders is a run, and each folder of several files (one per rank). Inputs that the program refuses, and runs
without claims, are skipped. One line for each claim that breaks an invariant, then the number for each invariant:

  I1  a change takes no more than it cuts from the critical path: ClaimsProperty of rules_test, which has the simulation
  I2  a claim takes no more than its rows cost, or says where the rest comes from: idle time, exposed copies, kernels;
      overlap of collectives no more than the transfer, and no more than the computation beside which nothing is transferred
  I3  a simulated finding saves as much as its row of the plan saves without the rows before; the first row exactly that
  I4  the rows of a plan add up, and the time never rises
  I5  the end of a plan is not below its floor, nor below the work of a stream that no row shortens
  I6  fewer launches save no more than the time in which the device waits for launches
  I7  only simulated savings are rows or bars
  I8  a claim has one text, of its form, in JSON, terminal, Markdown, workbook, page and SQL

Exit code: 0 all hold, 1 one does not, 2 used wrongly."""
import argparse, collections, concurrent.futures, dataclasses, fnmatch, gzip, html, json, os, pathlib, re, subprocess, sys, tempfile, time, zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
INVARIANTS = [f"I{i}" for i in range(2, 9)]
NS = 1.0  # Simulations are exact to the nanosecond; printed numbers are rounded to it, too.
LONG = 10  # Seconds from which on an input is listed as slow.

# Rules by the work that their scenario changes.
OVERLAP = re.compile(r"comm/exposed")
COPIES = ("host/exposed-copies", "comm/peer-copies", "compute/sets-and-other-copies", "compute/device-copies")
IDLE = ("gpu/idle", "gpu/gaps", "host/launch-bound", "launch/many-tiny-kernels", "io/dataloader-bound")
LAUNCHES = ("host/launch-bound", "launch/many-tiny-kernels")
REST = "the rest is later work that starts sooner"  # What a claim says beyond the cost of its rows.
KERNELS = re.compile(r"compute/|tensorcore/")
# No device work gets shorter by these: work that is hidden still runs, if on another stream.
KEEPS_WORK = re.compile(r"comm/exposed|host/|io/|launch/|gpu/idle|comm/peer-copies|compute/sets-and-other-copies")
HIDES = [(re.compile(r"comm/exposed"), "collective"), (re.compile(r"host/exposed-copies|comm/peer-copies"), "copy"),
         (re.compile(r"compute/sets-and-other-copies"), "memset")]
CLAIM = re.compile(r"(?:saves (?:nothing|at most|up to|about|\d)|saving unknown)[^|<·\n]*?(?=  | ·|[|<]|$)")


@dataclasses.dataclass
class Outputs:
    """All that one run of the program writes."""
    report: dict
    terminal: str = ""
    markdown: str = ""
    page: str = ""
    workbook: dict = dataclasses.field(default_factory=dict)  # {rule: [texts of its rows]}
    rows: list = dataclasses.field(default_factory=list)      # The SQL table `findings`: {column: value}
    streams: dict = dataclasses.field(default_factory=dict)   # {(stream, kind): ns of work per iteration}, counted in the raw profile


class Checks:
    """What was checked, and what broke."""

    def __init__(self):
        self.checked = collections.Counter()
        self.broken = []

    def expect(self, invariant, holds, text):
        self.checked[invariant] += 1
        if not holds:
            self.broken.append((invariant, text))


def ms(ns):
    return f"{ns / 1e6:.4g} ms"


def number(quantity):
    return quantity.get("value") if isinstance(quantity, dict) else None


def rows_of(report, table):
    """The rows of a table of the report as dictionaries."""
    known = report.get("tables", {}).get(table)
    names = [column["id"] for column in known["columns"]] if known else []
    return [dict(zip(names, row)) for row in known["rows"]] if known else []


def claims_of(report):
    """(finding, claim) of the fired findings that have one."""
    for finding in report.get("findings", []):
        claim = finding.get("gain")
        if isinstance(claim, dict) and finding["status"] in ("error", "warn", "info", "waived") and "absent" not in claim:
            yield finding, claim


def steps_of(report):
    return report.get("plan", {}).get("steps", [])


def costs(report):
    """ns per iteration, of all devices: they may delay each other in turn."""
    ranks, metrics = rows_of(report, "ranks"), report.get("metrics", {})
    idle = number(metrics.get("gpu.idle.time.mean"))
    found = {"idle": None if idle is None else idle * max(1, len(rows_of(report, "gpus")))}
    its = [row["compute_time"] / row["iterations"] for row in ranks if row.get("compute_time") is not None and row.get("iterations")]
    found["kernels"] = sum(its) if its else None
    copies = [row["exposed_time"] for row in rows_of(report, "memcpys") if row.get("exposed_time") is not None]
    iterations = min((row["iterations"] for row in ranks if row.get("iterations")), default=0)
    found["copies"] = sum(copies) / iterations if copies and iterations else None
    room = []
    for row in ranks:
        exposed = row.get("transfer_exposed") if row.get("waiting_exposed") is not None else row.get("exposed_communication")
        if exposed is not None and row.get("compute_only") is not None and row.get("iterations") and rows_of(report, "gpus"):
            room.append(min(exposed, row["compute_only"]) / row["iterations"])
    found["overlap"] = max(room) if room else None
    return found


def check_costs(report, checks):
    known = costs(report)
    for finding, claim in claims_of(report):
        rule = finding["rule"]
        kind = ("overlap" if OVERLAP.match(rule) else "copies" if rule in COPIES else "idle" if rule in IDLE
                else "kernels" if KERNELS.match(rule) else None)
        if kind is None or claim.get("value") is None or known[kind] is None:
            continue
        most = known[kind] + (known["kernels"] or 0 if rule == "compute/recomputed-activations" else 0)
        checks.expect("I2", claim["value"] <= most + NS or REST in finding.get("message", ""), f"{finding['key']} saves {ms(claim['value'])}, {kind} costs {ms(most)}")


def check_steps(report, checks):
    claims = {finding["key"]: claim for finding, claim in claims_of(report)}
    for place, step in enumerate(steps_of(report)):
        alone, saves = number(step.get("alone")), number(step.get("saves"))
        if place == 0 and None not in (alone, saves):
            checks.expect("I3", abs(alone - saves) <= NS, f"row 1 saves {ms(saves)}, alone {ms(alone)}")
        if not step.get("fired") or len(step["rules"]) != 1 or alone is None:
            continue
        for key in step["findings"]:
            claim = claims.get(key)
            if claim is None or claim.get("basis") != "simulated":
                continue
            checks.expect("I3", abs(claim["value"] - max(0, alone)) <= NS,
                          f"{key} saves {ms(claim['value'])}, its row {place + 1} alone {ms(alone)}")


def check_sum(report, checks):
    plan, steps = report.get("plan", {}), steps_of(report)
    start, end = number(plan.get("start")), number(plan.get("end"))
    if not steps or None in (start, end):
        return
    saves = [number(step["saves"]) or 0 for step in steps]
    checks.expect("I4", abs(start - end - sum(saves)) <= NS * (len(steps) + 1),
                  f"rows save {ms(sum(saves))}, the plan {ms(start - end)}")
    before, uncertain = start, 0
    for place, (step, saved) in enumerate(zip(steps, saves)):
        now = number(step["time"])
        checks.expect("I4", now <= before + NS and abs(before - saved - now) <= 2 * NS,
                      f"row {place + 1} saves {ms(saved)}, from {ms(before)} to {ms(now)}")
        low, high = step["saves"].get("low"), step["time"].get("high")
        uncertain += saved - (saved if low is None else low)  # A time is as uncertain as the savings up to it.
        if low is not None or high is not None:
            slowed = plan.get("without_profiler") is not None  # The range is then that of the start.
            checks.expect("I4", (low is None or low <= saved + NS) and (slowed if high is None else now - NS <= high <= now + uncertain + NS),
                          f"row {place + 1} saves {low} to {saved} ns, the time is {now} to {high} ns")
        before = now


def check_floor(outputs, checks):
    plan, steps = outputs.report.get("plan", {}), steps_of(outputs.report)
    floor, end = number(plan.get("floor", {}).get("time", plan.get("floor"))), number(plan.get("end"))
    if floor is not None and end is not None and steps:
        checks.expect("I5", end >= floor - NS, f"the plan ends at {ms(end)}, its floor is {ms(floor)}")
    time_then, start, hidden = None, number(plan.get("start")), set()
    for step in steps:
        if not all(KEEPS_WORK.match(rule) for rule in step["rules"]):
            break
        time_then = number(step["time"])
        hidden |= {kind for rules, kind in HIDES for rule in step["rules"] if rules.match(rule)}
    streams = collections.Counter()
    for (stream, kind), work in outputs.streams.items():
        streams[f"{stream}, {kind}" if kind in hidden else stream] += work
    for stream, work in streams.items():
        if time_then is None or start is None or work > start:  # Such a stream has work of no iteration, too.
            continue
        checks.expect("I5", time_then >= work - NS, f"an iteration takes {ms(time_then)} in the plan, the work of {stream} {ms(work)}")


def check_launches(report, checks):
    value = lambda metric: number(report.get("metrics", {}).get(metric))
    idle, idle_time = value("gpu.idle.mean"), value("gpu.idle.time.mean")
    causes = [value("gpu.idle_cause.host_wait"), value("gpu.idle_cause.launch_latency")]
    if not idle or idle_time is None or None in causes:
        return
    most = sum(causes) * idle_time / idle  # Mean of the devices; an iteration is as long as on its slowest rank: 1.1.
    for finding, claim in claims_of(report):
        if finding["rule"] in LAUNCHES and claim.get("value") is not None:
            checks.expect("I6", claim["value"] <= 1.1 * most + NS,
                          f"{finding['key']} saves {ms(claim['value'])}, the device waits for launches for {ms(most)}")


def check_rows(outputs, checks):
    bases = {finding["key"]: claim.get("basis") for finding, claim in claims_of(outputs.report)}
    steps = steps_of(outputs.report)
    for place, step in enumerate(steps):
        checks.expect("I7", step["saves"].get("basis") == "simulated", f"row {place + 1} is {step['saves'].get('basis')}")
        for key in step["findings"] if step.get("fired") else ():
            checks.expect("I7", bases.get(key, "simulated") == "simulated", f"row {place + 1}: the finding {key} is {bases.get(key)}")
    for bar in set(map(int, re.findall(r">Step (\d+) saves", outputs.page))):
        checks.expect("I7", bar <= len(steps) and steps[bar - 1]["saves"].get("basis") == "simulated", f"the page has a bar of row {bar}")
    bound = re.search(r">(After row \d+)<", outputs.page)
    checks.expect("I7", bound is None, f"the page has a bar of a bound: {bound and bound[1]}")


def plain(text):
    return re.sub(r"[\u202f\u00a0\u2009]", " ", text)


def bare(text):
    """A claim's text without what an output adds: `saves at most 2.44 ms`."""
    text = re.sub(r"\s*(?:/iteration|per iteration)", "", plain(html.unescape(text)))
    text = re.sub(r"\s*\(−[\d.]+ %(?: to −[\d.]+ %)?\)", "", text).strip().rstrip(".;,:· ")
    return text if text.startswith("sav") else f"saves {text}"


def form_of(claim):
    """The form of its text by its basis."""
    size = r"\d[\d.]* (?:[nmµu]?s|min|h)"
    if claim.get("basis") == "simulated":
        if claim.get("low") is not None:
            return rf"saves (?:(?:\d[\d.]*(?: (?:[nmµu]?s|min|h))?) to|up to) {size}"
        return rf"saves (?:nothing|(?:up to )?{size})"  # "up to": kernels that reach their targets.
    return {"at_most": rf"saves (?:nothing|at most {size})", "about": rf"saves (?:nothing|about {size})", "unknown": "saving unknown"}.get(claim.get("basis"), "$.")


def claims_in(lines, pattern, rules):
    """{rule: claims} of lines that name a rule, or follow one that does."""
    found, rule = collections.defaultdict(list), None
    for line in lines:
        names = [name for name in pattern.findall(line) if not name.endswith("/iteration")]
        rule = names[0] if names and names[0] in rules else None if names else rule
        if rule and (claim := CLAIM.search(line)):
            found[rule].append(bare(claim[0]))
            rule = None
    return found


def shown_claims(outputs, rules):
    """{output: {rule: texts}}."""
    name = re.compile(r"(?:^|[ `>])([a-z_]+/[a-z0-9-]+)(?=[ `<@]|$)")
    terminal = plain(outputs.terminal).splitlines()
    fired = [i for i, line in enumerate(terminal) if re.match(r"  (?:error|warn|info|waived) ", line)]
    terminal = terminal[fired[0]:] if fired else []
    markdown = plain(outputs.markdown).splitlines()
    found = {"terminal": claims_in(terminal, name, rules)}
    details = found["Markdown"] = claims_in(
        [line for line in markdown if line.startswith("`")], re.compile(r"^`([a-z_]+/[a-z0-9-]+)(?:@[^`]*)?`"), rules)
    for line in markdown:
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)]
        if len(cells) > 6 and (rule := re.search(r"`([a-z_]+/[a-z0-9-]+)", cells[2])) and rule[1] in rules and cells[4]:
            details[rule[1]].append(bare(cells[4]))
    page = found["page"] = collections.defaultdict(list)
    for part in re.split(r"(?=<details class=.?finding)", plain(outputs.page))[1:]:
        claim = re.search(r"class=.?gain\b[^>]*>(.*?)</span>", part)
        rule = re.search(r"<p class=.?small mute.?>Rule <code[^>]*>([^<@]+)", part)
        if rule and rule[1] in rules:
            page[rule[1]] += [bare(re.sub(r"<[^>]*>", "", claim[1]))] if claim else []
    found["workbook"] = {rule: [bare(claim[0]) for text in texts if (claim := CLAIM.match(plain(text)))]
                         for rule, texts in outputs.workbook.items() if rule in rules}
    sql = found["SQL"] = collections.defaultdict(list)
    for row in outputs.rows:
        if row.get("rule") in rules:
            sql[row["rule"]] += [bare(cell) for cell in row.values() if isinstance(cell, str) and CLAIM.fullmatch(plain(cell))]
    return found


def check_texts(outputs, checks):
    expected = collections.defaultdict(set)
    for finding, claim in claims_of(outputs.report):
        text = bare(claim.get("text", ""))
        expected[finding["rule"]].add(text)
        right = re.fullmatch(form_of(claim), text) and (claim.get("basis") != "unknown" or ("value" not in claim and claim.get("why")))
        checks.expect("I8", bool(right), f"{finding['key']} is {claim.get('basis')} and says '{text}'")
    for place, step in enumerate(steps_of(outputs.report)):
        saves, text = step["saves"], bare(step["saves"].get("text", ""))
        checks.expect("I8", bool(re.fullmatch(form_of(saves), text)), f"row {place + 1} is {saves.get('basis')} and says '{text}'")
        checks.expect("I8", "at_most" not in step, f"row {place + 1} has a second number, `at_most`")
        for output, line in (("terminal", rf"^ +(?:plan +)?{place + 1}\. → .*?(saves +.*?)(?:  |$)"),
                             ("Markdown", rf"^{place + 1}\. \*\*→ .*?, (saves .*?)(?: \(−| ·)")):
            said = re.search(line, plain(getattr(outputs, output.lower())), re.M)
            if said:
                said = bare(re.sub(" +", " ", said[1]))
                checks.expect("I8", said == text, f"row {place + 1} says '{text}', in the {output} '{said}'")
    for output, by_rule in shown_claims(outputs, set(expected)).items():
        for rule, texts in by_rule.items():
            wrong = sorted(set(texts) - expected[rule])
            checks.expect("I8", texts and not wrong, f"{rule} says {sorted(expected[rule])}, in the {output} {wrong or 'nothing'}")
    for row in outputs.rows:
        claim = next((claim for finding, claim in claims_of(outputs.report) if finding["key"] == row["key"]), None)
        if claim is None or "gain" not in row:
            continue
        same = (row["gain"] is None) == (claim.get("value") is None) and abs((row["gain"] or 0) - (claim.get("value") or 0)) <= NS
        basis = row.get("gain_basis", row.get("basis", claim.get("basis")))
        checks.expect("I8", same and basis == claim.get("basis"), f"{row['key']} is {claim}, by SQL {row['gain']}, {basis}")


def check_all(outputs):
    checks = Checks()
    check_costs(outputs.report, checks)
    check_steps(outputs.report, checks)
    check_sum(outputs.report, checks)
    check_floor(outputs, checks)
    check_launches(outputs.report, checks)
    check_rows(outputs, checks)
    check_texts(outputs, checks)
    return checks


def workbook_rows(path):
    """{rule: [texts]} of the sheet Findings."""
    found = collections.defaultdict(list)
    with zipfile.ZipFile(path) as book:
        shared = [html.unescape(re.sub("<[^>]*>", "", text))
                  for text in re.findall(r"<si>(.*?)</si>", book.read("xl/sharedStrings.xml").decode(), re.S)]
        sheets = re.findall(r'<sheet name="([^"]*)"', book.read("xl/workbook.xml").decode())
        if "Findings" not in sheets:
            return found
        sheet = book.read(f"xl/worksheets/sheet{sheets.index('Findings') + 1}.xml").decode()
        for row in re.findall(r"<row .*?</row>", sheet, re.S):
            texts = [shared[int(at)] for at in re.findall(r'<c [^>]*t="s"[^>]*><v>(\d+)</v>', row)]
            if len(texts) > 1:
                found[texts[1]] += texts[2:]
    return found


def stream_work(report, path):
    """{(stream, kind): ns of device work per iteration}, counted in a Kineto file whose iterations are all selected."""
    profile = report.get("profile", {})
    steps = profile.get("iteration_source") == "ProfilerStep#N"
    if (profile.get("format") != "kineto" or profile.get("ranks") != 1 or not path.is_file() or not steps
            or profile.get("iterations_selected") != profile.get("iterations_total") or path.suffix == ".zip"):
        return {}
    try:
        data = path.read_bytes()
        document = json.loads(gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data)
        events = document["traceEvents"] if isinstance(document, dict) else document
        complete = [event for event in events if event.get("ph") == "X" and "dur" in event]
        iterations = [(event["ts"], event["ts"] + event["dur"]) for event in complete
                      if event["name"].startswith("ProfilerStep") and event.get("cat") not in ("gpu_user_annotation",)]
        calls = {event["args"]["correlation"]: event["ts"] for event in complete
                 if event.get("cat", "").lower() in ("cuda_runtime", "cuda_driver", "runtime", "privateuse1_runtime")
                 and "correlation" in event.get("args", {})}
        found = collections.Counter()
        for event in complete:
            kind = {"kernel": "kernel", "gpu_memcpy": "copy", "memcpy": "copy", "gpu_memset": "memset", "memset": "memset"}.get(
                event.get("cat", "").lower())
            called = calls.get(event.get("args", {}).get("correlation"))
            if kind is None or called is None or not any(begin <= called < end for begin, end in iterations):
                continue
            kind = "collective" if re.match(r"(?:void )?(?:nccl|rccl)", event["name"]) else kind
            found[f"stream {event['pid']}/{event['tid']}", kind] += 1000 * event["dur"]
        return {stream: work / len(iterations) for stream, work in found.items()}
    except (ValueError, KeyError, TypeError, OSError, EOFError, AttributeError):
        return {}  # Only the program's readers repair files.


def run(program, arguments, folder, seconds):
    kept = {k: v for k, v in os.environ.items() if k in ("PATH", "HOME", "LANG", "LD_LIBRARY_PATH")}
    return subprocess.run([program, *arguments], cwd=folder, capture_output=True, stdin=subprocess.DEVNULL, timeout=seconds,
                          env=kept | {"TZ": "UTC", "COLUMNS": "200"}, check=False)


def outputs_of(program, path, seconds, adapt=lambda report: report):
    """The outputs of a run that has claims; None of any other."""
    with tempfile.TemporaryDirectory(prefix="claims-") as folder:
        folder = pathlib.Path(folder)
        written = {kind: folder / f"report.{kind}" for kind in ("json", "md", "html", "xlsx")}
        report = run(program, ["report", str(path), "-v", *(word for kind, file in written.items() for word in (f"--{kind}", str(file)))],
                     folder, seconds)
        if report.returncode != 0:
            return None
        document = adapt(json.loads(written["json"].read_text()))
        if not steps_of(document) and not any(True for _ in claims_of(document)):
            return None
        asked = run(program, ["query", str(path), "select * from findings where status in ('error', 'warn', 'info', 'waived')",
                              "--format", "json"], folder, seconds)
        rows = []
        if asked.returncode == 0:
            answer = json.loads(asked.stdout)
            rows = [dict(zip((column["name"] for column in answer["columns"]), row)) for row in answer["rows"]]
        return Outputs(document, report.stdout.decode(errors="replace"), written["md"].read_text(), written["html"].read_text(),
                       workbook_rows(written["xlsx"]), rows, stream_work(document, path))


def profiles(top):
    """Each file and, as one run, each folder of several files, as in ci/same.py."""
    if top.is_file():
        yield top
    for folder, folders, files in os.walk(top):
        folders.sort()
        for path in [pathlib.Path(folder, name) for name in sorted(files)] + [pathlib.Path(folder)] * (len(files) > 1):
            yield path


def subjects_of(arguments, description):
    """The options, the program and the inputs of a tool that runs it on all profiles below some folders."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("folders", nargs="+", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("--program", default=ROOT / "build/release/profgauge", type=pathlib.Path)
    parser.add_argument("--only", action="append", default=[], metavar="GLOB", help="only these paths")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seconds", type=int, default=60, help="of one input at most")
    options = parser.parse_args(arguments)
    program = options.program.resolve()
    if not os.access(program, os.X_OK):
        parser.error(f"{program} is no program")
    if missing := [str(folder) for folder in options.folders if not folder.exists()]:
        parser.error(f"no such folder: {missing[0]}")
    subjects = [path.resolve() for folder in options.folders for path in profiles(folder)]
    subjects = [path for path in subjects if not options.only or any(fnmatch.fnmatch(str(path), glob) for glob in options.only)]
    return options, program, subjects


def main(arguments=None, adapt=lambda report: report):
    options, program, subjects = subjects_of(arguments, __doc__.split("\n", 1)[0])

    def checked(path):
        began = time.monotonic()
        try:
            outputs = outputs_of(str(program), path, options.seconds, adapt)
            checks = check_all(outputs) if outputs else None
        except subprocess.TimeoutExpired:
            checks = "timeout"
        return checks, time.monotonic() - began

    total, broken, with_claims, slow = collections.Counter(), collections.Counter(), 0, []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for path, (checks, seconds) in zip(subjects, pool.map(checked, subjects)):
            name = os.path.relpath(path, ROOT)
            if checks == "timeout" or seconds >= LONG:
                slow.append(f"{name}: {'over ' if checks == 'timeout' else ''}{seconds:.0f} s")
            if checks in (None, "timeout"):
                continue
            with_claims += 1
            total += checks.checked
            broken += collections.Counter(invariant for invariant, _ in checks.broken)
            for invariant, text in checks.broken:
                print(f"{invariant} {name}: {text}", flush=True)
    for line in slow:
        print(f"slow: {line}")
    print(f"{with_claims} of {len(subjects)} inputs have claims")
    print("I1: checked by rules_test")
    for invariant in INVARIANTS:
        print(f"{invariant}: {broken[invariant]} broken of {total[invariant]}")
    return 1 if broken or not with_claims else 0


if __name__ == "__main__":
    sys.exit(main())
