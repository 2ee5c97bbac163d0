#!/usr/bin/env python3
"""Whether ci/limits.tsv has each limit of src: file, constant, kind and what a user sees beyond it.

Each `constexpr … kMost…` or `kLongest…` has a row, and each row a constant of its file. Kinds:
  error, or beyond it: counted (how much is left out), shown ("…" where it is cut),
  harmless (nothing is lost), cut (something is lost without a word; the text says what, and why).
Prints what is wrong; exit code 1.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).parent.parent
TABLE = ROOT / "ci/limits.tsv"
DECLARATION = re.compile(r"\bconstexpr\b[^;]*")
NAME = re.compile(r"\b(k[A-Z]\w*)\s*[={]")
LIMIT = re.compile(r"k(Most|Longest)([A-Z]|$)")
KINDS = ("error", "counted", "shown", "harmless", "cut")


def main():
    constants = {(str(path.relative_to(ROOT / "src")), name)
                 for path in sorted((ROOT / "src").rglob("*")) if path.suffix in (".h", ".cc")
                 for declaration in DECLARATION.findall(path.read_text())
                 for name in NAME.findall(declaration)}
    lines = TABLE.read_text().splitlines()[1:]
    rows = [tuple(line.split("\t")) for line in lines]
    known = {row[:2] for row in rows}
    wrong = [f"{file}: {name} has no row" for file, name in sorted(constants - known) if LIMIT.match(name)]
    wrong += [f"{file}: there is no {name}" for file, name in sorted(known - constants)]
    wrong += [f"{line}: four cells, the third one of {KINDS}" for line, row in zip(lines, rows)
              if len(row) != 4 or row[2] not in KINDS or not row[3]]
    wrong += ["the rows are not sorted"] if lines != sorted(lines) else []
    for text in wrong:
        print(f"ci/limits.tsv: {text}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
