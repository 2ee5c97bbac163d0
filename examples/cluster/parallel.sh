#!/bin/sh
# Summarizes the ranks below a folder with GNU parallel, then judges the run.
#   parallel.sh PROFILES OUT [POLICY]      exits like `profgauge check`
set -u
profiles=$1 out=$2 policy=${3:-builtin:recommended}
mkdir -p "$out/summaries"
# A rank that fails is named; the others go on, and the policy says whether that matters.
find "$profiles" -maxdepth 1 -type f | sort |
  parallel --jobs "${JOBS:-100%}" profgauge summarize -q --policy "$policy" {} -o "$out/summaries/"
profgauge check "$out/summaries" --policy "$policy" --out "$out/report"
