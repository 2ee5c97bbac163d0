#!/usr/bin/env python3
"""Counts things that should become fewer (or more) in the sources, and compares the counts with ci/bars.txt.
  ci/bars.py           prints each count with its bar; exit code 1 where one is not kept
  ci/bars.py --lower   also moves bars that are kept with room to today's count, except rounded ones
A bar is raised by hand, with the reason in its line, in the commit that needs it."""
import pathlib, re, sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BARS = ROOT / "ci/bars.txt"
JUDGING = ("analysis", "gate", "rules", "model", "readers", "report")  # Layers whose numbers decide.

sources = {p.relative_to(ROOT).as_posix(): p.read_text(errors="replace") for p in sorted((ROOT / "src").rglob("*")) if p.suffix in (".cc", ".h")}
lines = {path: text.count("\n") for path, text in sources.items()}


def within(*layers):
    return {path: text for path, text in sources.items() if path.startswith(tuple(f"src/{layer}/" for layer in layers))}


def hits(pattern, texts):
    return sum(len(re.findall(pattern, text, re.M)) for text in texts.values())


def code(texts):
    return hits(r"^\s*(?!//|\*)\S", texts)


def metric_literals():
    """Metric ids in quotes outside of the list of their constants."""
    constants = "src/base/metric_id.h"
    ids = set(re.findall(r'"([a-z_]+(?:\.[a-z0-9_]+)+)"', sources[constants]))
    others = [i for p, t in sources.items() if p != constants for i in re.findall(r'"([a-z_]+(?:\.[a-z0-9_]+)+)"', t)]
    return sum(i in ids for i in others)


def entries(head):
    """Entries of CHANGELOG.md; of one version only where `head` is given."""
    text = (ROOT / "CHANGELOG.md").read_text()
    return re.findall(r"^- (.*(?:\n  .*)*)", re.split(r"^## ", text.split(head, 1)[1], flags=re.M)[0] if head else text, re.M)


SAYS_NOTHING = "Few|Most|Much|OneOf|Least|Fewest|Enough|Alike|Less|Long|Short|Large|Small|Apart|Shown"
COUNTS = {
    **{f"lines of code in src/{layer.name}": code(within(layer.name)) for layer in sorted((ROOT / "src").iterdir()) if within(layer.name)},
    "numeric constants outside rules/knowledge": hits(r"constexpr\s+[\w:<>]+\s+k\w+\s*=\s*-?\d", within(*JUDGING)),
    "files opened outside of src/base": hits(r"ifstream|fopen\(|::open\(|sqlite3_open", {p: t for p, t in sources.items() if not p.startswith("src/base/")}),
    "ranges that clang 14 lacks": hits(r"views::iota|ranges::((stable_)?partition|equal_range)\(", sources),
    "constants named only kFew, kMost, ...": hits(rf"\bconstexpr [\w:]+ k({SAYS_NOTHING})\b ?=", sources),
    "sentinels 0xffff'ffff": hits(r"= 0xffff'ffff", sources),
    "metric ids as literals outside the catalogue": metric_literals(),
    "strings as states": hits(r'kWholeProfile|"whole profile"|starts_with\(kRecordedMarkers\)|"ProfilerStep#"', sources),
    "comment lines in a thousand": round(1000 * hits(r"^\s*(?://|\*)", sources) / hits(r"^\s*\S", sources)),
    "words of README.md": len((ROOT / "README.md").read_text().split()),
    "words of rules/README.md": len((ROOT / "rules/README.md").read_text().split()),
    "entries of Unreleased in CHANGELOG.md": len(entries("## Unreleased")),
    "entries of CHANGELOG.md over 20 words": sum(len(entry.split()) > 20 for entry in entries("")),
    "top-level names of the page's scripts": hits(r"^(?:async )?(?:function|class|const|let|var) ", {p.name: p.read_text() for p in (ROOT / "templates/js").glob("*.js")}),
    "lines of CMakeLists.txt": (ROOT / "CMakeLists.txt").read_text().count("\n"),
}


def main():
    kept, seen, out = True, set(), []
    for line in BARS.read_text().splitlines():
        row = re.fullmatch(r"(<=|>=) *(\d+)(~?) +\| ([^|]+?)(?: *\| (.*))?", line)
        if line.strip() and line[0] != "#" and not row:
            sys.exit(f"{BARS}: a line has <= or >=, a number (with ~ where it is rounded), |, a name and maybe | a reason: {line}")
        if row:
            sign, bar, rounded, name, reason = row[1], int(row[2]), row[3], row[4], row[5]
            if name not in COUNTS:
                sys.exit(f"{BARS}: nothing counts this: {name}")
            seen.add(name)
            count = COUNTS[name]
            holds = count <= bar if sign == "<=" else count >= bar
            kept &= holds
            word = "MISSED" if not holds else "lower " if count != bar and not rounded else "kept  "
            print(f"{word} {name}: {count}, bar {sign} {bar}")
            if holds and not rounded and "--lower" in sys.argv:
                line = f"{sign} {count} | {name}" + (f" | {reason}" if reason else "")
        out.append(line)
    if missing := COUNTS.keys() - seen:
        sys.exit(f"{BARS}: no bar for: {', '.join(sorted(missing))}")
    if "--lower" in sys.argv:
        BARS.write_text("\n".join(out) + "\n")
    sys.exit(0 if kept else 1)


main()
