#!/usr/bin/env bash
# Measures degenerate recordings (tests/tools/shapes.h, database_shapes.h): time, peak memory and the
# size of every output of `report`, of a query or of an agent's question, at a size and at four times as much, and the
# exponent between the two: of processor time, which a busy machine changes least. Linear work shows 1.0; anything above
# 1.3 is a mechanism to find.
#   ci/bounds.sh [SCALE]      default 1: a million names, 300 000 threads and streams, …
set -euo pipefail
cd "$(dirname "$0")/.."
scale=${1:-1}
ci/install.sh
cmake --preset release > /dev/null
cmake --build --preset release --parallel "$(nproc)" --target profgauge make_shape > /dev/null
program=build/release/profgauge
work=$(mktemp -d "${TMPDIR:-/tmp}/profgauge-bounds.XXXXXX")
trap 'rm -rf "$work"' EXIT INT TERM

question='select name, count(*) n, sum(duration) t from device_events group by 1 order by 3 desc limit 10'
# words FILE KIND: the command line in $words, and its input.
words() {
  input=/dev/null
  case $2 in
    report) words=(report -q "$1" --out "$work/out") ;;
    query) words=(query "$1" "$question") ;;
    mcp)
      words=(mcp --root "$work") input=$work/request
      printf '{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "query", "arguments": {"paths": ["%s"], "sql": "%s"}}}\n' \
        "$1" "$question" > "$input"
      ;;
  esac
}

# measure FILE KIND: "milliseconds, of them of processors, kilobytes" of a run that is refused or done.
measure() {
  rm -rf "$work/out"
  local status=0 words input
  words "$1" "$2"
  (
    ulimit -t 300
    exec /usr/bin/time -f '%e %U %S %M' -o "$work/time" "$program" "${words[@]}" < "$input" > /dev/null 2> "$work/err"
  ) || status=$?
  case $status in 0 | 3) ;; *) cat "$work/err" >&2; echo "exits with $status" >&2; return 1 ;; esac
  tail -1 "$work/time" | awk '{printf "%d %d %d\n", $1 * 1000, ($2 + $3) * 1000, $4}'
}

size() { if [ -e "$work/out/$1" ]; then stat -c %s "$work/out/$1"; else echo 0; fi; }

printf '%-12s %9s %9s %8s %8s %8s %9s %10s %9s\n' shape count file time growth memory page json xlsx
row() {
  local shape=$1 count=$(($2 * scale)) suffix=${3:-.json} kind=${4:-report}
  local file=$work/$shape$suffix
  build/release/make_shape "$shape" $((count / 4)) "$file"
  local of_quarter quarter whole time spent kilobytes
  of_quarter=$(measure "$file" "$kind")
  read -r _ quarter _ <<< "$of_quarter"
  build/release/make_shape "$shape" "$count" "$file"
  whole=$(measure "$file" "$kind")
  read -r time spent kilobytes <<< "$whole"
  [ "$kind" = report ] || shape="$kind $shape"
  awk -v shape="$shape" -v count="$count" -v bytes="$(stat -c %s "$file")" -v q="$quarter" \
    -v t="$time" -v spent="$spent" -v kb="$kilobytes" -v page="$(size report.html)" \
    -v json="$(size report.json)" -v xlsx="$(size report.xlsx)" 'BEGIN {
      printf "%-12s %9d %6.1f MB %6.2f s %8.2f %5d MB %6.2f MB %7.2f MB %6.2f MB\n", shape, count,
        bytes / 1e6, t / 1000, log(spent / (q > 0 ? q : 1)) / log(4), kb / 1024, page / 1e6,
        json / 1e6, xlsx / 1e6 }'
  rm -f "$file"
}
row spaces 1073741824 .json.gz
row threads 300000
row devices 100000
row streams 300000
row iterations 200000
row names 1000000
row depth 200000
row nesting 1000000
row memory 100000
row collectives 100000
row gpus 100000 .sqlite
row kernels 300000 .sqlite
row nested 100000 .sqlite
row crossing 100000 .sqlite
for kind in query mcp; do
  row names 1000000 .json $kind
  row streams 300000 .json $kind
  row kernels 300000 .sqlite $kind
done
