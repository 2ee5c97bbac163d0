#!/bin/sh
# Slurm epilogue (EpilogSlurmctld, or --epilog of srun): judges what a job left in
# $SLURM_JOB_WORK_DIR/profiles. Never fails, since a failing epilogue takes the node out of use.
profiles=${SLURM_JOB_WORK_DIR:-.}/profiles
[ -d "$profiles" ] || exit 0
timeout "${PROFGAUGE_SECONDS:-300}" profgauge report -q "$profiles" --out "$profiles/report" \
  > "$profiles/verdict.txt" 2>&1
exit 0
