#!/usr/bin/env bash
# Runs the samples of examples/cluster on real engines: installs Debian's Slurm, munge, GNU parallel
# and Open MPI, starts munged, slurmctld and two slurmds on this machine in a temporary folder, runs
# tests/delivery/cluster_test.py, and ends the daemons that it started.
#   ci/cluster.sh [PROGRAM]      default: build/release/profgauge, with make_ranks beside it; as root
set -euo pipefail
cd "$(dirname "$0")/.."
program=$(realpath "${1:-build/release/profgauge}")
[ "$(id -u)" -eq 0 ] || { echo "ci/cluster.sh: needs root, for munged and slurmd" >&2; exit 1; }
[ -x "$(dirname "$program")/make_ranks" ] ||
  { echo "ci/cluster.sh: build the target make_ranks, too" >&2; exit 1; }

packages=(slurm-wlm munge parallel openmpi-bin python3-yaml)
missing=()
for package in "${packages[@]}"; do
  state=$(dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$state" = installed ] || missing+=("$package")
done
if [ ${#missing[@]} -gt 0 ]; then
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" > /dev/null
fi

work=$(mktemp -d)
chmod 755 "$work"
started=()
stop() {
  # Jobs hold their nodes: first the controller, then the nodes, then the keys.
  for ((i = ${#started[@]} - 1; i >= 0; i--)); do kill "${started[i]}" 2>/dev/null || true; done
  for pid in "${started[@]}"; do
    for _ in $(seq 50); do kill -0 "$pid" 2>/dev/null || break; sleep 0.1; done
    kill -KILL "$pid" 2>/dev/null || true
  done
  rm -rf "$work"
}
trap stop EXIT

dd if=/dev/urandom bs=1 count=1024 of="$work/munge.key" 2>/dev/null
chmod 400 "$work/munge.key"
mkdir -p "$work/state" "$work/spool1" "$work/spool2" "$work/munge"
/usr/sbin/munged --foreground --force --key-file="$work/munge.key" --socket="$work/munge/socket" \
  --pid-file="$work/munge/pid" --log-file="$work/munge/log" --seed-file="$work/munge/seed" \
  > "$work/munged.log" 2>&1 &
started+=($!)

host=$(hostname -s)
cat > "$work/slurm.conf" <<CONF
ClusterName=samples
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=17817
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$work/munge/socket
CredType=cred/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool-%n
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd-%n.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd-%n.log
ReturnToService=2
SchedulerType=sched/backfill
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
NodeName=node1 NodeHostname=$host NodeAddr=127.0.0.1 Port=17821 CPUs=2 State=UNKNOWN
NodeName=node2 NodeHostname=$host NodeAddr=127.0.0.1 Port=17822 CPUs=2 State=UNKNOWN
PartitionName=all Nodes=node1,node2 Default=YES MaxTime=INFINITE State=UP
CONF
export SLURM_CONF=$work/slurm.conf
for _ in $(seq 50); do [ -S "$work/munge/socket" ] && break; sleep 0.1; done
/usr/sbin/slurmctld -D > "$work/slurmctld.out" 2>&1 &
started+=($!)
for node in node1 node2; do
  mkdir -p "$work/spool-$node"
  /usr/sbin/slurmd -D -N "$node" > "$work/$node.out" 2>&1 &
  started+=($!)
done
ready=0
for _ in $(seq 120); do
  ready=$(sinfo --noheader --format=%T --Node 2>/dev/null | grep -c idle || true)
  [ "$ready" -eq 2 ] && break
  sleep 0.5
done
if [ "$ready" -ne 2 ]; then
  echo "ci/cluster.sh: the nodes did not come up" >&2
  tail -n 20 "$work"/*.log "$work"/*.out >&2
  exit 1
fi
sinfo --Node --long
python3 tests/delivery/cluster_test.py "$program" . --verbose
