#!/bin/sh
# Submits tasks that share the files of a folder of profiles, and the job that judges when all are done.
#   submit.sh PROFILES OUT [POLICY]      prints the id of the judging job
# OUT must be a folder that all nodes see; its verdict file holds the exit code of `check`. At most $TASKS (64)
# tasks. The program: $PROFGAUGE, or by name; the nodes must have it, too.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
profiles=${1:?submit.sh: the folder of profiles is missing} out=${2:?submit.sh: the folder to write to is missing}
policy=${3:-builtin:recommended}
for needed in "${PROFGAUGE:-profgauge}" sbatch; do
  command -v "$needed" > /dev/null || { echo "submit.sh: there is no program $needed" >&2; exit 127; }
done
tasks=$(find "$profiles" -type f | head -n "${TASKS:-64}" | wc -l)
[ "$tasks" -gt 0 ] || { echo "submit.sh: there is no file in $profiles" >&2; exit 2; }
mkdir -p "$out/summaries"
rm -f "$out"/summaries/*.pgsum   # Of an earlier run: they would count as ranks that this one lost.
map=$(sbatch --parsable --array="0-$((tasks - 1))" --output="$out/map-%a.log" \
  "$here/summarize.sbatch" "$profiles" "$out" "$policy" "$tasks")
# afterany: ranks that failed are missing then, and the policy says what that means.
sbatch --parsable --dependency="afterany:$map" --output="$out/check.log" \
  "$here/check.sbatch" "$out" "$policy"
