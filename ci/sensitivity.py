#!/usr/bin/env python3
"""What changes if a threshold is half or twice as large: the evidence of many rows of rules/knowledge/thresholds.yaml.

    ci/sensitivity.py build FOLDER [--jobs N]                      a copy of the tree whose thresholds are scaled at start
    ci/sensitivity.py recordings FOLDER PLACE … [--rows REGEX]     `check` of each profile below the places
    ci/sensitivity.py gate FOLDER [--scale X] [--rows REGEX]       the simulated comparisons of tests/tools/gate_campaign.py

A line for each row and factor. Of a recording counts whether its answers change: the exit code, the findings with their
levels, the headline, the steps of the plan, the remarks, and which metrics have values. Profiles of over 1.5 MB and those
that take over 0.12 s are left out. Of the gate: healthy runs that fail, runs of +20 % and of +8 % that fail, in percent.
In the copy, constants made of thresholds are no constants of the compiler; the tree itself is not changed."""
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
            data = scaled_source(name, data.decode()).encode()
        copy = tree / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        if not copy.exists() or copy.read_bytes() != data:
            copy.write_bytes(data)
    subprocess.run(["cmake", "-G", "Ninja", "-S", tree, "-B", out, "-DCMAKE_BUILD_TYPE=Release", "-DPROFGAUGE_TESTS=ON"], check=True)
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


def answers(folder, profile, row=None, factor=None):
    """The answers about a profile; nothing where it has no report."""
    out = folder / f"{hashlib.md5(str(profile).encode()).hexdigest()}.json"
    out.unlink(missing_ok=True)
    try:
        done = subprocess.run([folder / "build/profgauge", "check", profile, "-q", "--json", out], env=environment(row, factor),
                              capture_output=True, timeout=60)
        report = json.loads(out.read_text())
    except (subprocess.TimeoutExpired, OSError, ValueError):
        return None
    finally:
        out.unlink(missing_ok=True)
    if "findings" not in report:  # An error about the file.
        return None
    return [done.returncode, [(f["rule"], f["level"], f["status"]) for f in report["findings"]], report.get("diagnosis"),
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
    parser.add_argument("what", choices=("build", "recordings", "gate"))
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("places", nargs="*")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--scale", default="0.2")
    parser.add_argument("--rows", default=" chosen", help="of these rows, by id and evidence")
    given = parser.parse_args()
    folder = given.folder.resolve()
    if given.what == "build":
        build(folder, given.jobs)
    elif given.what == "recordings":
        recordings(folder, given.places, rows_of(given.rows))
    else:
        gate(folder, given.scale, [row for row in rows_of(given.rows) if row["id"].startswith("gate.")])


if __name__ == "__main__":
    main()
