#!/bin/sh
# Submits one task for each file of a folder of profiles, and the job that judges when all are done.
#   submit.sh PROFILES OUT [POLICY]      prints the id of the judging job
# OUT must be a folder that all nodes see; its verdict file holds the exit code of `check`.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
profiles=$1 out=$2 policy=${3:-builtin:recommended}
mkdir -p "$out/summaries"
find "$profiles" -maxdepth 1 -type f | sort > "$out/files"
last=$(($(wc -l < "$out/files") - 1))
[ "$last" -ge 0 ] || { echo "submit.sh: no file in $profiles" >&2; exit 2; }
map=$(sbatch --parsable --array="0-$last" --output="$out/map-%a.log" \
  "$here/summarize.sbatch" "$out" "$policy")
# afterany: ranks that failed are missing then, and the policy says what that means.
sbatch --parsable --dependency="afterany:$map" --output="$out/check.log" \
  "$here/check.sbatch" "$out" "$policy"
