#!/usr/bin/env python3
"""Checks over many profiles that no two sentences of a report contradict each other, and that all outputs say the same.

  tests/tools/consistency.py FOLDER… [--program build/release/profgauge] [--only GLOB]… [--jobs 2]

Each file below the folders is a run, and each folder of several files (one per rank). One line for each contradiction, then the
number for each kind:

  passed    a rule that is good or not found although a row of the plan, a missed limit, a fired finding or the headline is about
            the same
  praise    "Nothing found" above a finding that saves a twentieth of the iteration
  cpu       words of a device in the headline of a run without one
  reasons   a reason of the verdict that is not on the first screen of terminal, page or Markdown, or a failed run without one
  verdict   exit code, verdict, counts and JUnit disagree, such as a run that did not pass without a failed case
  plan      a row of the plan that was not simulated
  words     a sentence that breaks a rule of ci/lint_sentences.py

Exit code: 0 none, 1 one or more, 2 used wrongly."""
import collections, concurrent.futures, html, importlib.util, json, os, pathlib, re, subprocess, sys, tempfile
import xml.etree.ElementTree as xml

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
KINDS = ["passed", "praise", "cpu", "reasons", "verdict", "plan", "words"]
FIRED = ("error", "warn", "info")
MOST, MOST_OF_PAGE = 4, 8


def module(path):
    specification = importlib.util.spec_from_file_location(path.stem, path)
    loaded = importlib.util.module_from_spec(specification)
    sys.modules[path.stem] = loaded  # For its dataclasses.
    specification.loader.exec_module(loaded)
    return loaded


claims = module(ROOT / "tests" / "tools" / "claims.py")
lint = module(ROOT / "ci" / "lint_sentences.py")


def plain(text):
    """As a person reads it: without markup and line breaks."""
    text = html.unescape(re.sub(r"<[^>]*>", "", text)).replace("\u200b", "")
    return re.sub(r"\s+", " ", re.sub(r"[`\\*]", "", text)).strip()


def shown(reasons, most):
    """The reasons that a first screen shows."""
    return reasons if len(reasons) <= most + 1 else reasons[:most]


def passed(report):
    missed = {row["metric"] for row in report["gate"] if row["status"] in ("error", "warn")}
    planned = {rule for step in (report.get("plan") or {}).get("steps", []) for rule in step["rules"]}
    explained = {rule: finding["rule"] for finding in report["findings"] if finding["status"] in FIRED
                 for rule in finding.get("explains", [])}
    for finding in report["findings"]:
        rule = finding["rule"]
        if finding["status"] == "pass":
            yield "passed", f"{rule} has the state pass"
        if finding["status"] not in ("good", "not_found"):
            continue
        if rule in planned:
            yield "passed", f"{rule} is {finding['status']}, and a row of the plan"
        if rule in explained:
            yield "passed", f"{rule} is {finding['status']}, and {explained[rule]} explains it"
        if report.get("diagnosis", {}).get("finding") in (rule, finding.get("key")):
            yield "passed", f"{rule} is {finding['status']}, and the headline"
        if {"gpu/idle": "gpu.idle.mean", "gpu/low-utilization": "gpu.utilization.mean"}.get(rule) in missed:
            yield "passed", f"{rule} is {finding['status']}, and its limit is missed"


def headline(report):
    text = report.get("diagnosis", {}).get("text", "")
    metrics = report["metrics"]
    iteration = (metrics.get("iteration.time.mean") or {}).get("value") or 0
    if text.startswith("Nothing found"):
        for finding in report["findings"]:
            saves = (finding.get("gain") or {}).get("value") or 0
            if finding["status"] in FIRED and not finding["rule"].startswith("recording/") and saves > 0.05 * iteration > 0:
                yield "praise", f"{text!r} above {finding['rule']}, which saves {saves / iteration:.0%}"
    has_device = report["profile"]["devices"] or (metrics.get("gpu.idle.mean") or {}).get("value") is not None
    if not has_device and report["verdict"]["status"] != "no_verdict" and re.search(r"\b(?:device|GPU|NPU)s? (?:idles?|is idle|waits?)\b", text):
        yield "cpu", text
    for step in (report.get("plan") or {}).get("steps", []):
        if step["saves"].get("basis") != "simulated":
            yield "plan", f"{step['rules'][0]} has the basis {step['saves'].get('basis')}"


def reasons(report, terminal, markdown, page):
    if not report["profile"].get("format"):
        return  # Times alone: their outputs are those of a comparison, which begin with the change.
    texts = [reason["text"] for reason in report.get("diagnosis", {}).get("reasons", [])]
    if report["verdict"]["status"] in ("fail", "no_verdict") and not texts:
        yield "reasons", f"none, and the verdict is {report['verdict']['status']}"
    first = plain(re.split(r"(?m)^  (?:iteration|plan) ", terminal)[0])
    for output, said, most in (("terminal", first, MOST), ("Markdown", plain(markdown), MOST)):
        for text in shown(texts, most):
            if plain(text) not in said:
                yield "reasons", f"{output} lacks {text!r}"
    page = re.sub(r" <span class=mute>not in the plan</span>", "", page)
    listed = [plain(text) for text in re.findall(r"<li data-reason[^>]*>(.*?)(?=<li|</li|</ul)", page, re.S)]
    for text in shown(texts, MOST_OF_PAGE):
        if plain(text) not in listed:
            yield "reasons", f"the page lacks {text!r}"


def verdict(report, code, junit):
    status = report["verdict"]["status"]
    if {"pass": 0, "fail": 1, "no_verdict": 3}.get(status) != code:
        yield "verdict", f"{status}, and the exit code is {code}"
    counts, findings = report["verdict"]["counts"], report["findings"]
    if counts["not_found"] != sum(finding["status"] == "not_found" for finding in findings):
        yield "verdict", "another number of rules found nothing"
    limits = [row for row in report["gate"] if not row.get("counted_with")]
    for name, of_limits, of_rules in (("passed", ("pass",), ("good",)),
                                      ("not_applicable", ("skipped", "not_applicable"), ("not_applicable", "covered"))):
        listed = sum(row["status"] in of_limits for row in limits) + sum(finding["status"] in of_rules for finding in findings)
        if counts.get(name, listed) != listed:
            yield "verdict", f"{counts[name]} {name}, and {listed} listed"
    missed = {row["metric"] for row in report["gate"] if row["status"] in ("error", "warn")}
    for row in limits:
        if row["status"] == "pass" and row["metric"] in missed:
            yield "verdict", f"{row['metric']} is counted as good, and misses a limit"
    suite = xml.fromstring(junit).find("testsuite")
    is_red = suite.find("testcase/failure") is not None or suite.find("testcase/error") is not None
    if is_red != (code != 0):
        yield "verdict", f"JUnit is {'red' if is_red else 'green'}, and the exit code is {code}"
    states = collections.defaultdict(list)
    for finding in findings:
        states[finding["rule"]].append(finding["status"])
    for case in suite.findall("testcase"):
        if case.get("classname") != "profgauge.rules":
            continue
        for status in states[case.get("name")]:
            is_skipped = case.find("skipped") is not None
            if len(states[case.get("name")]) == 1 and is_skipped != (status in ("not_applicable", "covered", "waived")):
                yield "verdict", f"JUnit: {case.get('name')} is {'' if is_skipped else 'not '}skipped, and {status}"


def check(report, code, terminal, markdown, page, junit):
    """(kind, text) of each contradiction."""
    found = [*passed(report), *headline(report), *reasons(report, terminal, markdown, page), *verdict(report, code, junit)]
    return found + [("words", f"{kind}: {where}: {what!r} in {text!r}") for kind, where, what, text in lint.check(report)]


def check_run(program, path, seconds):
    """None for inputs that the program cannot read."""
    with tempfile.TemporaryDirectory() as folder:
        file = lambda name: os.path.join(folder, name)
        ran = subprocess.run([program, "check", str(path), "--config", "none", "--json", file("r.json"), "--md", file("r.md"), "--html",
                              file("r.html"), "--write", f"junit={file('r.xml')}"], capture_output=True, text=True, timeout=seconds,
                             env=os.environ | {"COLUMNS": "400", "NO_COLOR": "1"})
        try:
            report = json.loads(pathlib.Path(file("r.json")).read_text())
        except (OSError, ValueError):
            return None
        if "gate" not in report or "verdict" not in report:
            return None
        read = lambda name: pathlib.Path(file(name)).read_text()
        return check(report, ran.returncode, ran.stdout, read("r.md"), read("r.html"), read("r.xml"))


def main(arguments=None):
    options, program, subjects = claims.subjects_of(arguments, __doc__.split("\n", 1)[0])

    def checked(path):
        try:
            return check_run(str(program), path, options.seconds)
        except subprocess.TimeoutExpired:
            return None

    counts, runs = collections.Counter(), 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for path, found in zip(subjects, pool.map(checked, subjects)):
            if found is None:
                continue
            runs += 1
            counts += collections.Counter(kind for kind, _ in found)
            for kind, text in found:
                print(f"{kind} {os.path.relpath(path, ROOT)}: {text}", flush=True)
    print(f"{runs} of {len(subjects)} inputs are reports")
    for kind in KINDS:
        print(f"{kind}: {counts[kind]}")
    return 1 if counts or not runs else 0


if __name__ == "__main__":
    sys.exit(main())
