#!/bin/sh
# One rank of an MPI job: summarizes its own file. The run is judged when mpirun is back:
#   mpirun -n 64 mpirun.sh PROFILES OUT [POLICY] ; profgauge check OUT/summaries --policy POLICY
# PROFILES may be a path that every node has for itself; OUT is shared.
set -u
profiles=$1 out=$2 policy=${3:-builtin:recommended}
rank=${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-${SLURM_PROCID:?not started by mpirun or srun}}}
mkdir -p "$out/summaries"
for file in "$profiles/rank$rank".*; do
  # A failing rank must not end the others: mpirun kills all when one exits with an error.
  profgauge summarize -q --policy "$policy" "$file" -o "$out/summaries/" ||
    echo "rank $rank: $file could not be summarized" >&2
done
exit 0
