#!/usr/bin/env bash
# Compares the answers of two builds of the program: a change that should change nothing is silent
# here.
#   ci/same.sh A B [--only GLOB]… [--allow FILE] [--jobs N] [--lines N]
# Over every case of tests/cases, every example, and every file and folder of ../shared/data (left
# out where it is absent): exit code, stdout, stderr and every written file (except
# workbooks). ci/same.allow lists the differences that are intended. Exit code: 0 alike, 1 not, 2
# used wrongly. Needs python3 and sqlite3's module of it.
set -euo pipefail
exec python3 "$(dirname "$0")/same.py" "$@"
