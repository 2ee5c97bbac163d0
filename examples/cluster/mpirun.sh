#!/bin/sh
# One rank of an MPI job: summarizes its own file. The run is judged when mpirun is back:
#   mpirun -n 64 mpirun.sh PROFILES OUT [POLICY] ; profgauge check OUT/summaries --policy POLICY
# PROFILES may be a path that every node has for itself; OUT is shared. Files are named by rank, as
# rank3.pt.trace.json, rank-3.pt.trace.json.gz or rank3_trace.json.
set -u
profiles=$1 out=$2 policy=${3:-builtin:recommended}
rank=${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-${SLURM_PROCID:?not started by mpirun or srun}}}
mkdir -p "$out/summaries"
found=0
for file in "$profiles/rank$rank".* "$profiles/rank-$rank".* "$profiles/rank${rank}"_*; do
  case $file in *.run.json) continue ;; esac
  [ -f "$file" ] || continue
  found=1
  # A failing rank must not end the others: mpirun kills all when one exits with an error.
  profgauge summarize -q --policy "$policy" "$file" -o "$out/summaries/" ||
    echo "rank $rank: $file could not be summarized" >&2
done
[ "$found" -eq 1 ] || echo "rank $rank: there is no file of this rank in $profiles" >&2
exit 0
