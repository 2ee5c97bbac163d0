#!/bin/sh
# One rank of an MPI job: summarizes its share of the files. The run is judged when mpirun is back:
#   mpirun -n 64 mpirun.sh PROFILES OUT [POLICY] ; profgauge check OUT/summaries --policy POLICY
# OUT is new for each run, and shared by all nodes. NODE_LOCAL=1: PROFILES is a path that every node has for itself,
# and the ranks of a node share its files. The program: $PROFGAUGE, or by name.
set -u
profiles=${1:?mpirun.sh: the folder of profiles is missing} out=${2:?mpirun.sh: the folder to write to is missing}
policy=${3:-builtin:recommended} program=${PROFGAUGE:-profgauge}
if ! command -v "$program" > /dev/null; then
  echo "mpirun.sh: there is no program $program: set PROFGAUGE to its path" >&2
  exit 127
fi
rank=${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-${SLURM_PROCID:?not started by mpirun or srun}}}
part=$rank/${OMPI_COMM_WORLD_SIZE:-${PMI_SIZE:-${SLURM_NTASKS:?not started by mpirun or srun}}}
if [ "${NODE_LOCAL:-0}" = 1 ]; then
  part=${OMPI_COMM_WORLD_LOCAL_RANK:-${MPI_LOCALRANKID:-${SLURM_LOCALID:?no number on the node}}}
  part=$part/${OMPI_COMM_WORLD_LOCAL_SIZE:-${MPI_LOCALNRANKS:-${SLURM_NTASKS_PER_NODE:?no number of ranks of the node}}}
fi
mkdir -p "$out/summaries"
# A failing rank must not end the others: mpirun kills all when one exits with an error.
"$program" summarize -q --policy "$policy" "$profiles" --part "$part" -o "$out/summaries/" ||
  echo "mpirun.sh: rank $rank: not all files of part $part of $profiles could be summarized" >&2
exit 0
