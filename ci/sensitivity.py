#!/usr/bin/env python3
"""What changes if a threshold is half or twice as large: the evidence of many rows of rules/knowledge/thresholds.yaml.

    ci/sensitivity.py build FOLDER [--jobs N]                      a copy of the tree whose numbers are set at start
    ci/sensitivity.py limits FOLDER PLACE … [--rows REGEX]         each limit of ci/limits.tsv at 1: which answers change
                                                                   without an error or a word about it
    ci/sensitivity.py recordings FOLDER PLACE … [--rows REGEX]     `check` of each profile below the places
    ci/sensitivity.py gate FOLDER [--scale X] [--rows REGEX]       the simulated comparisons of tests/tools/gate_campaign.py

A line for each row and factor. Of a recording counts whether its answers change: the exit code, the findings with their
levels, the headline, the steps of the plan, the remarks, and which metrics have values. Profiles of over 1.5 MB and those
that take over 0.12 s are left out. Of the gate: healthy runs that fail, runs of +20 % and of +8 % that fail, in percent.
In the copy, limits and constants made of thresholds are no constants of the compiler; the tree itself is not changed."""
import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import time

import yaml

ROOT = pathlib.Path(__file__).resolve().parent.parent
LARGEST, LONGEST, FACTORS = 1_500_000, 0.12, ("0.5", "2")
SCALED = r"""
/// The value times the factor of PROFGAUGE_SCALED, "kIdleFrameShare=2".
inline double FactorOf(const char* name) {
  const char* text = std::getenv("PROFGAUGE_SCALED");
  const std::size_t size = std::strlen(name);
  return text != nullptr && std::strncmp(text, name, size) == 0 && text[size] == '=' ? std::atof(text + size + 1) : 1;
}
inline Time Scaled(const char* name, Time v) { return Time(std::llround(static_cast<double>(v.ns()) * FactorOf(name))); }
inline Count Scaled(const char* name, Count v) { return Count(std::llround(static_cast<double>(v.value()) * FactorOf(name))); }
inline Ratio Scaled(const char* name, Ratio v) {
  const double factor = FactorOf(name);
  return factor == 1 ? v : Ratio(std::llround(v.value() * factor * 1e6), 1'000'000);
}

}  // namespace profgauge::knowledge"""


LIMITED = r"""#pragma once
#include <cstdlib>
#include <cstring>
/// 1 for the limit of PROFGAUGE_LIMITED, "gate/bisect.cc:kMostBisected".
template <class T>
T Limited(const char* name, T value) {
  const char* text = std::getenv("PROFGAUGE_LIMITED");
  return text != nullptr && std::strcmp(text, name) == 0 ? T(1) : value;
}
"""
# The compiler needs these: they size arrays, or are texts and columns.
COMPILED = {"analysis/catalog/shared_columns.h:kLongest", "analysis/ranks/kept_tables.cc:kLongest",
            "analysis/ranks/kept_tables.cc:kLongestByIteration", "cli/commands/history_levels.cc:kLongestLevel",
            "gate/movement.cc:kMostParts", "query/guard.h:kMostStatement", "readers/parquet/page.cc:kMostPage",
            "rules/rule_decode.cc:kMostDecimals", "rules/waiver.h:kLongestWaiver"}


def limits_of(pattern=""):
    rows = [line.split("\t") for line in (ROOT / "ci/limits.tsv").read_text().splitlines()[1:]]
    named = [(f"{file}:{constant}", kind) for file, constant, kind, _ in rows]
    return [(name, kind) for name, kind in named if name not in COMPILED and re.search(pattern, f"{name} {kind}")]


def limited_source(path, text):
    """The text with limits that are read at start, among the constants of one declaration."""
    names = {name.split(":")[1] for name, _ in limits_of() if f"src/{name.split(':')[0]}" == path}

    def limited(match):
        before, kind, constants = match.groups()
        of_type = "" if kind == "auto" else f"<{kind}>"
        set_at_start, count = re.subn(
            r"\b(k\w+)\s*(?:=\s*((?:[^,{(]|\{[^}]*\}|\((?:[^()]|\([^()]*\))*\))+)|\{([^}]*)\})",
            lambda one: f'{one[1]} = Limited{of_type}("{path[4:]}:{one[1]}", {one[2] or one[3]})' if one[1] in names else one[0],
            re.sub(r"//[^\n]*", "", constants))
        is_one = any(name in names for name in re.findall(r"\b(k\w+)\s*[={]", constants))
        return f"{before.replace('static', 'static inline')}const {kind} {set_at_start};" if count and is_one else match[0]

    return re.sub(r"((?:static |inline )?)constexpr ((?:std::|knowledge::)?[\w:]+) (k\w+\s*[={][^;]*);", limited, text) if names else text


def rows_of(pattern):
    rows = yaml.safe_load((ROOT / "rules/knowledge/thresholds.yaml").read_text())["thresholds"]
    return [row for row in rows if re.search(pattern, f"{row['id']} {row['evidence']}")]


def constant_of(row):
    name = row["id"].replace(".", "_")
    return name if row.get("policy") else "k" + "".join(word.capitalize() for word in name.split("_"))


def scaled_source(path, text):
    """The text with constants that are read at start; static members need `inline` for it."""
    if path == "src/knowledge/quantity.h":
        text = text.replace("#include <utility>", "#include <cmath>\n#include <cstdlib>\n#include <cstring>\n#include <utility>")
        return text.replace("\n}  // namespace profgauge::knowledge", SCALED)
    text = re.sub(r"^(\s+)static constexpr ([\w:]+ \w+ =\s*-?\s*knowledge::k)", r"\1static inline const \2", text, flags=re.M)
    text = re.sub(r"^(\s*(?:inline )?)constexpr ([\w:]+ \w+ =\s*-?\s*knowledge::k)", r"\1const \2", text, flags=re.M)
    return text.replace("static_assert(knowledge::k", "static_assert(true || knowledge::k")


def build(folder, jobs):
    tree, out = folder / "tree", folder / "build"
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, listed.split("\0")):
        data = (ROOT / name).read_bytes()
        if name.startswith("src/") and name.endswith((".cc", ".h")):
            data = scaled_source(name, limited_source(name, data.decode())).encode()
        copy = tree / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        if not copy.exists() or copy.read_bytes() != data:
            copy.write_bytes(data)
    (folder / "limited.h").write_text(LIMITED)
    subprocess.run(["cmake", "-G", "Ninja", "-S", tree, "-B", out, "-DCMAKE_BUILD_TYPE=Release", "-DPROFGAUGE_TESTS=ON",
                    "-DPROFGAUGE_UNITS=ON", f"-DCMAKE_CXX_FLAGS=-include {folder / 'limited.h'}"], check=True)
    subprocess.run(["cmake", "--build", out, "--target", "profgauge_knowledge_headers"], check=True)
    for header in (out / "generated/knowledge").glob("*.h"):
        text = re.sub(r"inline constexpr (\w+) (k\w+)(\{[^}]*\});", r'inline const \1 \2 = Scaled("\2", \1\3);', header.read_text())
        if header.name == "tunable.h":
            text = re.sub(r"^  (Ratio|Count|Time) (\w+)(\{[^}]*\});", r'  \1 \2 = Scaled("\2", \1\3);', text, flags=re.M)
        if text != header.read_text():
            header.write_text(text)
    subprocess.run(["cmake", "--build", out, "--parallel", str(jobs), "--target", "profgauge", "gate_judge"], check=True)


def environment(row=None, factor=None):
    scaled = {"PROFGAUGE_SCALED": f"{constant_of(row)}={factor}"} if row else {}
    return {name: value for name, value in os.environ.items() if name != "PROFGAUGE_SCALED"} | scaled


def report_of(folder, profile, env):
    """The exit code and the report of a profile; nothing where it has none."""
    out = folder / f"{hashlib.md5(str(profile).encode()).hexdigest()}.json"
    out.unlink(missing_ok=True)
    try:
        done = subprocess.run([folder / "build/profgauge", "check", profile, "-q", "--json", out], env=env,
                              capture_output=True, timeout=60)
        report = json.loads(out.read_text())
    except (subprocess.TimeoutExpired, OSError, ValueError):
        return None
    finally:
        out.unlink(missing_ok=True)
    return (done.returncode, report) if "findings" in report else None  # Else an error about the file.


def answers(folder, profile, row=None, factor=None):
    """The answers about a profile; nothing where it has no report."""
    found = report_of(folder, profile, environment(row, factor))
    if found is None:
        return None
    code, report = found
    return [code, [(f["rule"], f["level"], f["status"]) for f in report["findings"]], report.get("diagnosis"),
            [step.get("findings") for step in report.get("plan", {}).get("steps", [])],
            sorted(str(remark) for remark in report["remarks"]),
            [name for name, metric in report["metrics"].items() if metric.get("value") is not None]]


def profiles_below(folder, places):
    known = set()
    for place in places:
        for path in sorted(p for p in pathlib.Path(place).rglob("*") if p.is_file()):
            if path.stat().st_size > LARGEST or (digest := hashlib.md5(path.read_bytes()).digest()) in known:
                continue
            known.add(digest)
            start = time.monotonic()
            base = answers(folder, path)
            if base is not None and time.monotonic() - start < LONGEST:
                yield path, base


def recordings(folder, places, rows):
    profiles = list(profiles_below(folder, places))
    print(f"{len(profiles)} recordings", flush=True)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for row in rows:
            for factor in FACTORS:
                found = pool.map(lambda one: answers(folder, one[0], row, factor) != one[1], profiles)
                changed = [path.name for (path, _), is_other in zip(profiles, found) if is_other]
                print(row["id"], f"× {factor}:", len(changed), *changed[:3], flush=True)


def words_and_numbers(folder, profile, limit=None):
    """What the report says is left out, and what it answers; nothing where it has an error instead."""
    found = report_of(folder, profile, os.environ | ({"PROFGAUGE_LIMITED": limit} if limit else {}))
    if found is None:
        return None
    code, report = found
    metrics = sorted(report["metrics"].items())
    words = [report[part] for part in ("remarks", "import") if part in report]
    words += [{key: text for key, text in metric.items() if key not in ("value", "text")} for _, metric in metrics]
    words += [finding.get("reason") for finding in report["findings"]]
    numbers = [(f["rule"], f["level"], f["status"], f.get("metric")) for f in report["findings"]]
    numbers += [(name, metric.get("value")) for name, metric in metrics]
    return json.dumps(words), [code, report.get("diagnosis"), numbers]


def limits(folder, places, rows):
    profiles = [path for path, _ in profiles_below(folder, places)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        base = list(pool.map(lambda path: words_and_numbers(folder, path), profiles))
        print(f"{len(profiles)} recordings", flush=True)
        for name, kind in rows:
            found = list(pool.map(lambda path: words_and_numbers(folder, path, name), profiles))
            errors = sum(now is None for now in found)
            silent = [path.name for path, now, was in zip(profiles, found, base)
                      if now is not None and now[0] == was[0] and now[1] != was[1]]
            told = sum(now is not None and now[0] != was[0] for now, was in zip(found, base))
            print(name, f"({kind}):", errors, "errors,", told, "told,", len(silent), "without a word", *silent[:3], flush=True)


def gate(folder, scale, rows):
    def told(row=None, factor=None):
        command = [sys.executable, ROOT / "tests/tools/gate_campaign.py", "table", folder / "build/gate_judge", "--scale", scale]
        table = subprocess.run(command, env=environment(row, factor), capture_output=True, text=True, check=True).stdout
        cells = [cell.split("→")[-1].strip() for line in table.splitlines() if line.startswith("| mean") for cell in line.split("|")[2:]]
        return f"healthy fail {cells[0]}, no verdict {cells[2]}, +20 % fail {cells[4]}, +8 % fail {cells[5]}"

    print("as it is:", told(), flush=True)
    for row in rows:
        for factor in FACTORS:
            print(row["id"], f"× {factor}:", told(row, factor), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("build", "recordings", "limits", "gate"))
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("places", nargs="*")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--scale", default="0.2")
    parser.add_argument("--rows", help="of these rows, by id and evidence (default: chosen ones), or limits by name and kind")
    given = parser.parse_args()
    folder = given.folder.resolve()
    if given.what == "build":
        build(folder, given.jobs)
    elif given.what == "recordings":
        recordings(folder, given.places, rows_of(given.rows or " chosen"))
    elif given.what == "limits":
        limits(folder, given.places, limits_of(given.rows or ""))
    else:
        gate(folder, given.scale, [row for row in rows_of(given.rows or " chosen") if row["id"].startswith("gate.")])


if __name__ == "__main__":
    main()
