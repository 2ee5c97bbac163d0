#!/usr/bin/env bash
# Measures runs of many ranks: time and peak memory from profiles to summaries and from summaries
# to the verdict and all reports, and the size of every output. Fails beyond what is promised: 60 s,
# 4 GB, a page of 1 MB and a report.json of 20 MB, at any number of ranks. Times count the
# processor's, so that other work of the machine is not measured.
#   ci/ranks.sh [RANKS…]      default: 1024 10000; takes about 80 kB of disk a rank
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- 1024 10000
ci/install.sh
cmake --preset release > /dev/null
cmake --build --preset release --parallel "$(nproc)" --target profgauge make_ranks > /dev/null
program=build/release/profgauge
work=$(mktemp -d "${TMPDIR:-/tmp}/profgauge-ranks.XXXXXX")
trap 'rm -rf "$work"' EXIT INT TERM

# measure COMMAND…: "seconds of the processor, megabytes", of a run that is refused or done.
measure() {
  local status=0
  /usr/bin/time -f '%U %S %M' -o "$work/time" "$@" > /dev/null 2> "$work/err" || status=$?
  case $status in 0 | 3) ;; *) cat "$work/err" >&2; echo "exits with $status" >&2; return 1 ;; esac
  tail -1 "$work/time" | awk '{printf "%.1f %d\n", $1 + $2, $3 / 1024}'
}

size() { stat -c %s "$work/out/$1"; }

printf '%6s %11s %8s %8s %8s %8s %8s %8s %8s\n' ranks summarize memory verdict memory page json xlsx md
failed=0
for ranks in "$@"; do
  build/release/make_ranks "$work/run" --ranks "$ranks" --iterations 3 --mesh tp --inner 8 \
    --cause host --late 5
  made=$(measure "$program" summarize "$work/run" -o "$work/summaries/")
  rm -rf "$work/run" "$work/run.truth.json"
  judged=$(measure "$program" report -q "$work/summaries" --out "$work/out")
  grep -q '| .rank\.straggler. | 5 |' "$work/out/report.md" ||
    { echo "another rank is blamed" >&2; failed=1; }
  awk -v ranks="$ranks" -v m="${made% *}" -v mm="${made#* }" -v j="${judged% *}" -v jm="${judged#* }" \
    -v page="$(size report.html)" -v json="$(size report.json)" -v xlsx="$(size report.xlsx)" \
    -v md="$(size report.md)" 'BEGIN {
      printf "%6d %9.1f s %5d MB %6.1f s %5d MB %5.2f MB %5.2f MB %5.2f MB %5.2f MB\n", ranks, m, mm,
        j, jm, page / 1e6, json / 1e6, xlsx / 1e6, md / 1e6
      exit !(j <= 60 && jm <= 4000 && page <= 1e6 && json <= 20e6) }' || failed=1
  rm -rf "$work/summaries" "$work/out"
done
exit $failed
