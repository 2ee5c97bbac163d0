#!/usr/bin/env bash
# Times the whole program on a large trace of our own making: `report` with all outputs, plain and
# gzipped, beside `gzip -dc | wc -c` on the same file. Prints a table and cleans up after itself.
#   ci/bench.sh [MEGABYTES] [ROUNDS]      default 1000 3
# The median of the rounds is shown. Needs twice the size on disk under ${TMPDIR:-/tmp}.
set -euo pipefail
cd "$(dirname "$0")/.."

megabytes=${1:-1000}
rounds=${2:-3}
program=build/release/profgauge
ci/install.sh
cmake --preset release > /dev/null
cmake --build --preset release --parallel "$(nproc)" --target profgauge make_profile > /dev/null

work=$(mktemp -d "${TMPDIR:-/tmp}/profgauge-bench.XXXXXX")
trap 'rm -rf "$work"' EXIT INT TERM
trace=$work/trace.json
build/release/make_profile "$trace" --min-mb "$megabytes" --memory 1 --stacks 1 --layers 48
gzip -c -4 "$trace" > "$trace.gz"
events=$(grep -c '"ph": "X"' "$trace")
bytes=$(stat -c %s "$trace")

# run COMMAND…: prints "seconds peak_kilobytes" of one run.
run() {
  local begin end pid
  begin=$(date +%s%N)
  "$@" > "$work/out.txt" 2> "$work/err.txt" &
  pid=$!
  local peak=0 now
  while kill -0 "$pid" 2> /dev/null; do
    now=$(sed -n 's/^VmHWM:[[:space:]]*\([0-9]*\).*/\1/p' "/proc/$pid/status" 2> /dev/null || true)
    [ -n "$now" ] && [ "$now" -gt "$peak" ] && peak=$now
    sleep 0.02
  done
  wait "$pid" || {
    cat "$work/err.txt" >&2
    return 1
  }
  end=$(date +%s%N)
  echo "$(((end - begin) / 1000000)) $peak"
}

median() { sort -n | sed -n "$(((rounds + 1) / 2))p"; }

row() {
  local name=$1
  shift
  local results=() i
  for ((i = 0; i < rounds; ++i)); do results+=("$(run "$@")"); done
  local middle
  middle=$(printf '%s\n' "${results[@]}" | median)
  local ms=${middle% *} kb=${middle#* }
  printf '%-34s %8d.%03d s %8d MB/s %8d MB\n' "$name" $((ms / 1000)) $((ms % 1000)) \
    $((bytes / 1000 / (ms > 0 ? ms : 1))) $((kb / 1024))
}

printf '%d MB, %d complete events, %d cores, median of %d rounds\n' \
  $((bytes / 1000000)) "$events" "$(nproc)" "$rounds"
printf '%-34s %12s %13s %11s\n' "" time "raw JSON" "peak memory"
row 'gzip -dc | wc -c' bash -c "gzip -dc '$trace.gz' | wc -c"
row 'report, all outputs, plain' "$program" report -q "$trace" --out "$work/out"
row 'report, all outputs, gzipped' "$program" report -q "$trace.gz" --out "$work/out"
row 'inspect, plain' "$program" inspect -q "$trace"
