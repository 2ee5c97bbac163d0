#!/bin/sh
# Summarizes the ranks below a folder with GNU parallel, then judges the run.
#   parallel.sh PROFILES OUT [POLICY]      exits like `profgauge check`; 127 where a program is missing
# In at most $TASKS (64) shares. The program: $PROFGAUGE, or by name.
set -u
profiles=${1:?parallel.sh: the folder of profiles is missing} out=${2:?parallel.sh: the folder to write to is missing}
policy=${3:-builtin:recommended} program=${PROFGAUGE:-profgauge}
for needed in "$program" parallel; do
  if ! command -v "$needed" > /dev/null; then
    echo "parallel.sh: there is no program $needed" >&2
    exit 127
  fi
done
mkdir -p "$out/summaries" || exit 2
rm -f "$out"/summaries/*.pgsum   # Of an earlier run: they would count as ranks that this one lost.
tasks=$(find "$profiles" -type f | head -n "${TASKS:-64}" | wc -l)
# A rank that fails is named; the others go on, and the policy says whether that matters. Where there is no file, one task says so.
seq 0 $((tasks > 0 ? tasks - 1 : 0)) |
  parallel --jobs "${JOBS:-100%}" "$program" summarize -q --policy "$policy" "$profiles" --part "{}/$((tasks > 0 ? tasks : 1))" -o "$out/summaries/"
"$program" check "$out/summaries" --policy "$policy" --out "$out/report"
