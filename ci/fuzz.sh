#!/usr/bin/env bash
# A campaign over every fuzz target. Needs: apt-get install clang
#   ci/fuzz.sh [SECONDS]                 default 60 for each target
#   ci/fuzz.sh --total SECONDS           one budget for all: a short round each, then more for those
#                                        that still found new edges
#   ci/fuzz.sh --executions COUNT [SECONDS]
#                                        rounds until all campaigns together reach COUNT: SECONDS for
#                                        each target, the same again for the four that found most, and
#                                        as long as all of these for the three fastest
#   ci/fuzz.sh --each COUNT [SECONDS]    rounds of those below COUNT, until each has reached it
#   ci/fuzz.sh --only 'TARGET …' …       only these, without `_fuzz`; only they are built, too
#   ci/fuzz.sh --bare …                  without sanitizers: three to ten times the executions; run the
#                                        corpus that this leaves under them afterwards
# Prints executions (total, and per second), edges and findings of each target, of this and earlier
# campaigns: they are kept in build/fuzz/tally, so an interrupted one goes on. `rm -r build/fuzz` begins
# anew. A finding is left in build/fuzz/; copy it to tests/fuzz/crashes/TARGET/ with the fix.
# `--minimise` rewrites tests/fuzz/seeds from the corpus, with the smallest inputs that reach the same
# edges.
set -euo pipefail
# No stacks of allocations, and little memory kept back after it is freed: twice as fast.
export ASAN_OPTIONS=malloc_context_size=0:quarantine_size_mb=4:thread_local_quarantine_size_kb=64
cd "$(dirname "$0")/.."

# Some targets write files; a disk is slow.
[ -d /dev/shm ] && export TMPDIR=/dev/shm
total=0 wanted=0 each=0 minimise= only= kind=fuzz seconds=60
while [ $# -gt 0 ]; do
  case "$1" in
    --bare) kind=fuzz-bare ;;
    --minimise) minimise=yes ;;
    --total) total=$2; shift ;;
    --executions) wanted=$2; shift ;;
    --each) each=$2; shift ;;
    --only) only=$2; shift ;;
    *) seconds=$1 ;;
  esac
  shift
done
# shellcheck disable=SC2086  # Names of targets are words.
ci/build.sh "$kind" ${only:+$(printf '%s_fuzz ' $only)}
mkdir -p build/fuzz
tally=build/fuzz/tally  # For each round: target, executions, seconds, edges, new inputs.
touch "$tally"
shopt -s nullglob
targets=(build/"$kind"/*_fuzz)
if [ -n "$only" ]; then
  # shellcheck disable=SC2086
  mapfile -t targets < <(printf "build/$kind/%s_fuzz\n" $only)
fi
[ ${#targets[@]} -gt 0 ] || { echo "no fuzz targets were built" >&2; exit 1; }
[ "$total" -gt 0 ] && seconds=$((total / 3 / ${#targets[@]} + 1))

# words TARGET: the dictionary of texts that its code has in quotes.
words() {
  local folders file
  file=build/fuzz/$(basename "$1").words
  IFS=';' read -r -a folders < "$1".words || true
  [ ${#folders[@]} -gt 0 ] || return 0
  grep -rhoE '"[A-Za-z_][A-Za-z0-9_:./ -]{1,31}"' "${folders[@]}" | sort -u > "$file"
  echo "-dict=$file"
}

status=0
# fuzz TARGET SECONDS [EXECUTIONS]: one round. Short inputs run twice as often as long ones: nine rounds of
# ten have at most 2 048 bytes.
fuzz() {
  local name corpus log=build/fuzz/log.txt seeds=() folder started=$SECONDS dictionary longest=2048
  name=$(basename "$1")
  [ $(($(grep -c "^$name " "$tally") % 10)) = 9 ] && longest=16384
  corpus=build/fuzz/corpus/$name
  mkdir -p "$corpus"
  while read -r folder; do
    [ -d "$folder" ] && seeds+=("$folder")
  done < "$1".folders
  dictionary=$(words "$1")
  "$1" -max_total_time="$2" -runs="${3:--1}" -timeout=10 -rss_limit_mb=2048 -max_len="$longest" -entropic=0 -print_final_stats=1 ${dictionary:+"$dictionary"} \
    -artifact_prefix="build/fuzz/$name-" "$corpus" "${seeds[@]}" > "$log" 2>&1 || {
    status=1
    tail -30 "$log"
  }
  number() { sed -n "s/$1/\\1/p" "$log" | tail -1 | grep . || echo 0; }
  echo "$name" "$(number '^stat::number_of_executed_units: *\([0-9]*\).*')" $((SECONDS - started)) \
    "$(number '.*cov: \([0-9]*\).*')" "$(number '^stat::new_units_added: *\([0-9]*\).*')" >> "$tally"
}
# best COUNT EXPRESSION: the targets for whose last round this is highest.
best() {
  awk "{ last[\$1] = $2 } END { for (name in last) print last[name], name }" "$tally" |
    sort -rn | head -"$1" | cut -d' ' -f2
}
executions() { awk '{ sum += $2 } END { printf "%d\n", sum }' "$tally"; }
round() {
  for target in "${targets[@]}"; do fuzz "$target" "$seconds"; done
}

# still TARGET: how many executions are left. A target with a finding waits until it is fixed.
still() {
  local name
  name=$(basename "$1")
  compgen -G "build/fuzz/$name-*-*" > /dev/null && echo 0 && return
  awk -v name="$name" -v each="$each" '$1 == name { each -= $2 } END { print each }' "$tally"
}
each_round() {
  local target left some=
  for target in "${targets[@]}"; do
    left=$(still "$target")
    [ "$left" -gt 0 ] || continue
    some=yes
    fuzz "$target" "$seconds" "$left"
  done
  [ -n "$some" ]
}

if [ "$each" -gt 0 ]; then
  while each_round; do :; done
elif [ "$wanted" -gt 0 ]; then
  while [ "$(executions)" -lt "$wanted" ]; do
    round
    for name in $(best 4 '$5'); do fuzz build/"$kind"/"$name" "$seconds"; done
    for name in $(best 3 '$2 / ($3 + 1)'); do
      fuzz build/"$kind"/"$name" $((seconds * (${#targets[@]} + 4) / 3))
    done
  done
else
  round
fi
left=$((total - seconds * ${#targets[@]}))
while [ "$left" -gt 0 ]; do
  for name in $(best 4 '$5'); do
    [ "$left" -gt 0 ] || break
    fuzz build/"$kind"/"$name" "$seconds"
    left=$((left - seconds))
  done
done

printf '\n%-24s %14s %8s %8s %9s\n' target executions "a second" edges findings
findings=0
for target in "${targets[@]}"; do
  name=$(basename "$target")
  files=(build/fuzz/"$name"-{crash,leak,timeout,oom}-*)
  awk -v name="$name" -v findings=${#files[@]} '
    $1 == name { runs += $2; spent += $3; edges = $4 > edges ? $4 : edges }
    END { printf "%-24s %14d %8d %8d %9d\n", name, runs, runs / (spent + !spent), edges, findings }' "$tally"
  findings=$((findings + ${#files[@]}))
  if [ -n "$minimise" ]; then
    mkdir -p build/fuzz/small tests/fuzz/seeds/"$name"
    rm -rf build/fuzz/small/"$name" && mkdir build/fuzz/small/"$name"
    "$target" -merge=1 -max_len=4096 build/fuzz/small/"$name" tests/fuzz/seeds/"$name" \
      build/fuzz/corpus/"$name" > /dev/null 2>&1
    rm -rf tests/fuzz/seeds/"$name" && cp -r build/fuzz/small/"$name" tests/fuzz/seeds/"$name"
  fi
done
printf '%-24s %14d %8s %8s %9d\n' all "$(executions)" "" "" "$findings"
exit "$status"
