#!/usr/bin/env bash
# ingest.sh LAKE JOB PROFILE [OPTION]…: judges a run and adds its row to LAKE, a folder or a mount. Exits as `check`.
# LAKE of a bucket: pass a folder, then `aws s3 cp --recursive LAKE s3://BUCKET/lake`. Nothing needs a lock: a row is a
# separate file, with the name of its recording, so that one judged twice counts once.
set -u
program=${PROFGAUGE:-profgauge} lake=$1 job=$2; shift 2
command -v "$program" >/dev/null || { echo "ingest.sh: no $program: set PROFGAUGE" >&2; exit 127; }
row=$(mktemp) || exit 4
"$program" check "$@" --model "$job" --write row="$row"; verdict=$?
name=$(sed -n 's/.*"run": "\([0-9a-f]*\)".*/\1/p' "$row")
day=$(sed -n 's/.*"time": "\([0-9-]*\)T.*/\1/p' "$row")
folder=$lake/runs/date=${day:-unknown}/job=$job
mkdir -p "$folder" && mv "$row" "$folder/${name:-none-$(date +%s)-$$}.jsonl" && exit $verdict
