#!/usr/bin/env python3
"""Whether the columns of summaries are those of their schema's number.

A summary is refused by programs of another schema. Where columns change and the number does not, one
written before is "damaged" instead. The comment beside kSummarySchema has the hash of the columns, in the
order in which they are written. Prints what is wrong; exit code 1.
  --fix   counts the schema up and writes the hash
"""
import hashlib
import pathlib
import re
import sys

SRC = pathlib.Path(__file__).parent.parent / "src"
HEADER = SRC / "model/summary/summary_file.h"
WRITERS = ("model/summary/summary.cc", "model/summary/run_side_columns.cc", "analysis/ranks/columns.cc")
# A member read by Later() may be absent: it needs no new schema.
COLUMN = re.compile(r"\bcolumns\.(?!Later)(\w+)\(([^;]*?\"[\w.]+\")|\b(numbers|texts)\[(\"[\w.]+\")\]")
SCHEMA = re.compile(r"kSummarySchema = (\d+);  // Columns: (\w+)")


def main():
    columns = [" ".join(filter(None, found.groups())) for path in WRITERS
               for found in COLUMN.finditer((SRC / path).read_text())]
    digest = hashlib.sha256("\n".join(columns).encode()).hexdigest()[:12]
    header = HEADER.read_text()
    number, kept = SCHEMA.search(header).groups()
    if kept == digest:
        return 0
    if "--fix" in sys.argv[1:]:
        HEADER.write_text(SCHEMA.sub(f"kSummarySchema = {int(number) + 1};  // Columns: {digest}", header))
        return 0
    print(f"{HEADER.relative_to(SRC.parent)}: the {len(columns)} columns of summaries are not those of schema {number}")
    return 1


if __name__ == "__main__":
    sys.exit(main())
