#!/usr/bin/env bash
# A campaign over every fuzz target. Needs: apt-get install clang
#   ci/fuzz.sh [SECONDS]                 default 60 for each target
#   ci/fuzz.sh --total SECONDS           one budget for all: a short round each, then more for those
#                                        that still found new edges
#   ci/fuzz.sh --bare …                  without sanitizers: three to ten times the executions; run the
#                                        corpus that this leaves under them afterwards
# Prints executions (in all, and in a second), edges and findings of each target. A finding is left
# in build/fuzz/; copy it to tests/fuzz/crashes/TARGET/ with the fix. `--minimise` rewrites tests/fuzz/seeds from the corpus,
# with the smallest inputs that reach the same edges.
set -euo pipefail
# No stacks of allocations, and little memory kept back after it is freed: twice as fast.
export ASAN_OPTIONS=malloc_context_size=0:quarantine_size_mb=4:thread_local_quarantine_size_kb=64
cd "$(dirname "$0")/.."

total=0 minimise= kind=fuzz
[ "${1:-}" = --bare ] && { kind=fuzz-bare; shift; }
[ "${1:-}" = --minimise ] && { minimise=yes; shift; }
[ "${1:-}" = --total ] && { total=$2; shift 2; }
seconds=${1:-60}
ci/build.sh "$kind"
mkdir -p build/fuzz
shopt -s nullglob
targets=(build/"$kind"/*_fuzz)
[ ${#targets[@]} -gt 0 ] || { echo "no fuzz targets were built" >&2; exit 1; }
[ "$total" -gt 0 ] && seconds=$((total / 3 / ${#targets[@]} + 1))

declare -A runs spent edges news
status=0
# fuzz TARGET SECONDS: one round; adds up what it did.
fuzz() {
  local name corpus log=build/fuzz/log.txt seeds=() folder
  name=$(basename "$1")
  corpus=build/fuzz/corpus/$name
  mkdir -p "$corpus"
  while read -r folder; do
    [ -d "$folder" ] && seeds+=("$folder")
  done < "$1".folders
  "$1" -max_total_time="$2" -timeout=10 -rss_limit_mb=2048 -max_len=16384 -entropic=0 -print_final_stats=1 \
    -artifact_prefix="build/fuzz/$name-" "$corpus" "${seeds[@]}" > "$log" 2>&1 || {
    status=1
    tail -30 "$log"
  }
  runs[$name]=$((${runs[$name]:-0} + $(sed -n 's/^stat::number_of_executed_units: *//p' "$log" | tail -1 | grep . || echo 0)))
  spent[$name]=$((${spent[$name]:-0} + $2))
  edges[$name]=$(sed -n 's/.*cov: \([0-9]*\).*/\1/p' "$log" | tail -1)
  news[$name]=$(sed -n 's/^stat::new_units_added: *//p' "$log" | tail -1)
}

for target in "${targets[@]}"; do fuzz "$target" "$seconds"; done
left=$((total - seconds * ${#targets[@]}))
while [ "$left" -gt 0 ]; do
  # The rest goes to the four that found most in their last round.
  for name in $(for n in "${!news[@]}"; do echo "${news[$n]:-0} $n"; done | sort -rn | head -4 | cut -d' ' -f2); do
    [ "$left" -gt 0 ] || break
    fuzz build/"$kind"/"$name" "$seconds"
    left=$((left - seconds))
  done
done

printf '\n%-24s %14s %8s %8s %9s\n' target executions "a second" edges findings
sum=0 findings=0
for target in "${targets[@]}"; do
  name=$(basename "$target")
  files=(build/fuzz/"$name"-{crash,leak,timeout,oom}-*)
  printf '%-24s %14d %8d %8s %9d\n' "$name" "${runs[$name]}" $((${runs[$name]} / ${spent[$name]})) \
    "${edges[$name]:-?}" ${#files[@]}
  sum=$((sum + runs[$name]))
  findings=$((findings + ${#files[@]}))
  if [ -n "$minimise" ]; then
    mkdir -p build/fuzz/small tests/fuzz/seeds/"$name"
    rm -rf build/fuzz/small/"$name" && mkdir build/fuzz/small/"$name"
    "$target" -merge=1 -max_len=4096 build/fuzz/small/"$name" tests/fuzz/seeds/"$name" \
      build/fuzz/corpus/"$name" > /dev/null 2>&1
    rm -rf tests/fuzz/seeds/"$name" && cp -r build/fuzz/small/"$name" tests/fuzz/seeds/"$name"
  fi
done
printf '%-24s %14d %8s %8s %9d\n' all "$sum" "" "" "$findings"
exit "$status"
