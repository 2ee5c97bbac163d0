#!/usr/bin/env bash
# Times the whole program and prints one table: each row's median time and processor time, their
# ratios to `gzip -dc` of the same trace and to an older program, the spread of its runs (the
# machine's noise), and peak memory. All programs run alternately, round by round, so that the ratios
# of one table can be trusted; where other work loads the machine, only those of processor time.
#   ci/bench.sh [--against COMMIT|PROGRAM] [--growth] [--build] [--megabytes N] [--rounds N]
#     --against    also times that commit, which it builds, or that program (default: none)
#     --build      times clean release builds of the program, then of its tests, and one after a file
#                  of the analysis changed, instead
#     --growth     times sizes from 10 MB to --megabytes, and the exponent, instead; they come through
#                  standard input and are never on the disk: making them is part of the time
#     --megabytes  of each trace; default 500
#     --rounds     default 7
# Tables as SQLite and Parquet, on one core. Traces: made ones, and real ones of ../shared, repeated, where that
# folder exists. Needs three times the size on disk under ${TMPDIR:-/tmp}. With libsimdjson-dev a row has its time
# for the same columns, without hashing, linking and sorting. Degenerate shapes: ci/bounds.sh.
set -euo pipefail
cd "$(dirname "$0")/.."

against='' growth='' build='' megabytes=500 rounds=7
while [ $# -gt 0 ]; do
  case $1 in
    --against) against=$2; shift 2 ;;
    --growth) growth=yes; shift ;;
    --build) build=yes; shift ;;
    --megabytes) megabytes=$2; shift 2 ;;
    --rounds) rounds=$2; shift 2 ;;
    *) sed -n 's/^# \{0,1\}//; 6,15p' "$0" >&2; exit 2 ;;
  esac
done

ci/install.sh
work=$(mktemp -d "${TMPDIR:-/tmp}/profgauge-bench.XXXXXX")
other=
cleanup() {
  [ ! -d "$work/tree" ] || git worktree remove --force "$work/tree" 2> /dev/null || true
  rm -rf "$work"
}
trap cleanup EXIT INT TERM
if [ -x "$against" ]; then
  other=$(realpath "$against")
elif [ -n "$against" ]; then
  git worktree add --quiet --detach "$work/tree" "$against"
fi

# quietly COMMAND…: its output is shown only where it fails.
quietly() {
  "$@" > "$work/log.txt" 2>&1 || {
    tail -40 "$work/log.txt" >&2
    return 1
  }
}
# seconds COMMAND…: how long it takes.
seconds() {
  local start
  start=$(date +%s.%N)
  quietly "$@"
  awk -v start="$start" -v end="$(date +%s.%N)" 'BEGIN { printf "%.1f ", end - start }'
}
# clean_build NAME TREE: seconds of a clean build of the program, and of its tests.
clean_build() {
  local folder=$work/build-$1
  rm -rf "$folder"
  quietly cmake --preset release -S "$2" -B "$folder"
  seconds cmake --build "$folder" --parallel "$(nproc)" --target profgauge >> "$work/times-$1"
  quietly cmake "$folder" -DPROFGAUGE_TESTS=ON
  seconds cmake --build "$folder" --parallel "$(nproc)" >> "$work/times-$1"
  echo >> "$work/times-$1"
}
if [ -n "$build" ]; then
  for ((i = 0; i < rounds; ++i)); do
    [ ! -d "$work/tree" ] || clean_build other "$work/tree"
    clean_build this .
  done
  for name in this other; do
    [ -e "$work/times-$name" ] || continue
    for column in 1 2; do
      sort -n -k "$column" "$work/times-$name" | awk -v column="$column" -v name="$name" '{v[NR] = $column} END {
        printf "%-6s %-22s %7.1f s   %.1f to %.1f\n", name, (column == 1 ? "program" : "tests"),
          v[int((NR + 1) / 2)], v[1], v[NR] }'
    done
  done
  # Like a developer's build: each file by itself.
  quietly cmake --preset dev -DPROFGAUGE_TESTS=OFF -B "$work/dev"
  quietly cmake --build "$work/dev" --parallel "$(nproc)" --target profgauge
  touch src/analysis/breakdown/breakdown.cc
  printf '%-6s %-22s %7.1f s\n' this "one file of analysis" \
    "$(seconds cmake --build "$work/dev" --parallel "$(nproc)" --target profgauge)"
  exit
fi

quietly cmake --preset release
quietly cmake --build --preset release --parallel "$(nproc)" --target profgauge make_profile json_scanners_bench
program=$PWD/build/release/profgauge
if [ -n "$against" ] && [ -z "$other" ]; then
  quietly cmake --preset release -S "$work/tree" -B "$work/tree/build/release"
  quietly cmake --build "$work/tree/build/release" --parallel "$(nproc)" --target profgauge
  other=$work/tree/build/release/profgauge
fi

# For the machine that runs it: which instructions simdjson uses is fixed when it is compiled.
simdjson=
if echo '#include <simdjson.h>' | c++ -std=c++20 -x c++ -fsyntax-only - 2> /dev/null; then
  simdjson=$work/simdjson_columns
  c++ -std=c++20 -O3 -DNDEBUG -march=native tests/bench/simdjson_columns.cc -lsimdjson -o "$simdjson"
fi

# timed COMMAND…: appends "milliseconds kilobytes milliseconds-of-processors" to $into.
timed() {
  /usr/bin/time -f '%e %M %U %S' -o "$work/time" bash -c "$1" > "$work/out.txt" 2> "$work/err.txt" || {
    local status=$?
    [ $status = 1 ] || [ $status = 3 ] || { cat "$work/err.txt" >&2; return 1; }
  }
  tail -1 "$work/time" | awk '{printf "%.0f %d %.0f\n", $1 * 1000, $2, ($3 + $4) * 1000}' >> "$into"
}
# warm COMMAND…: once untimed. Otherwise a row pays for the row before it: the disk's time for an
# evicted trace, and on virtual machines the time for memory that the host took back, a third of a
# report's time.
warm() { bash -c "$1" > /dev/null 2>&1 || true; }
median() { awk -v column="$2" '{print $column}' "$1" | sort -n | awk '{v[NR] = $1} END {print v[int((NR + 1) / 2)]}'; }
spread() { sort -n "$1" | awk '{v[NR] = $1} END {print (v[int((NR + 1) / 2)] > 0 ? int(100 * (v[NR] - v[1]) / v[int((NR + 1) / 2)]) : 0)}'; }

make_trace() { build/release/make_profile "$1" --min-mb "$2" --memory 1 --stacks 1 --layers 48; }

if [ -n "$growth" ]; then
  printf '%-10s %10s %10s %9s\n' size time memory exponent
  last_size=0 last_time=0
  mkfifo "$work/pipe.json"
  for size in 10 100 1000 10000; do
    [ "$size" -le "$megabytes" ] || break
    into=$work/growth && : > "$into"
    for ((i = 0; i < (size > 1000 ? 3 : rounds); ++i)); do
      make_trace "$work/pipe.json" "$size" &
      timed "'$program' report -q - --out '$work/out' < '$work/pipe.json'"
      wait
    done
    time=$(median "$into" 1)
    awk -v size="$size" -v time="$time" -v kb="$(median "$into" 2)" -v ls="$last_size" -v lt="$last_time" 'BEGIN {
      printf "%6d MB %8.2f s %7d MB %9s\n", size, time / 1000, kb / 1024,
        (lt > 0 ? sprintf("%.2f", log(time / lt) / log(size / ls)) : "") }'
    last_size=$size last_time=$time
  done
  exit
fi

# bench NAME TRACE: the rows of one trace.
bench() {
  local name=$1 trace=$2 events
  gzip -c -4 "$trace" > "$trace.gz"
  events=$(grep -c '"ph": *"X"' "$trace")
  local -a rows=("gzip -dc" "report, all outputs, plain" "report, all outputs, gz"
    "report, all outputs, gz, -j1" "check -q, gz" "check -q, gz, -j1" "inspect, plain" "inspect, gz"
    "inspect, gz, -j1")
  local -a commands=("gzip -dc '$trace.gz' > /dev/null" "PROGRAM report -q '$trace' --out '$work/out'"
    "PROGRAM report -q '$trace.gz' --out '$work/out'"
    "PROGRAM report -q -j1 '$trace.gz' --out '$work/out'" "PROGRAM check -q '$trace.gz'"
    "PROGRAM check -q -j1 '$trace.gz'" "PROGRAM inspect -q '$trace'" "PROGRAM inspect -q '$trace.gz'"
    "PROGRAM inspect -q -j1 '$trace.gz'")
  if [ -n "$simdjson" ]; then
    rows+=("simdjson, the same columns")
    commands+=("'$simdjson' '$trace'")
  fi
  local i row
  rm -f "$work"/row-*
  for ((i = 0; i < rounds; ++i)); do
    for row in "${!rows[@]}"; do
      warm "${commands[$row]//PROGRAM/$program}"
      into=$work/row-$row; timed "${commands[$row]//PROGRAM/$program}"
      if [ -n "$other" ] && [[ ${commands[$row]} == PROGRAM* ]]; then
        warm "${commands[$row]//PROGRAM/$other}"
        into=$work/row-$row-other; timed "${commands[$row]//PROGRAM/$other}"
      fi
    done
  done
  printf '%s: %d MB, %d complete events\n' "$name" $(($(stat -c %s "$trace") / 1000000)) "$events"
  local column
  local -a values
  for row in "${!rows[@]}"; do
    values=()
    for column in 1 3; do  # Of the clock, then of processors.
      values+=("$(median "$work/row-$row" $column)" "$(median "$work/row-0" $column)"
        "$([ ! -e "$work/row-$row-other" ] && echo 0 || median "$work/row-$row-other" $column)")
    done
    awk -v row="${rows[$row]}" -v values="${values[*]}" -v kb="$(median "$work/row-$row" 2)" \
      -v spread="$(spread "$work/row-$row")" -v events="$events" 'BEGIN {
        split(values, v, " ")
        printf "  %-28s", row
        for (i = 1; i < 6; i += 3) {
          printf " %8.3f s %7.2f x %8s", v[i] / 1000, v[i] / v[i + 1],
            (v[i + 2] > 0 ? sprintf("%.2f x", v[i] / v[i + 2]) : "-")
        }
        printf " %6d %% %7d MB %6d B\n", spread, kb / 1024, (events > 0 ? kb * 1024 / events : 0) }'
  done
  # Events by the reader's own layouts, and by the JSON parser alone: what losing the layouts would cost.
  build/release/json_scanners_bench "$trace" | sed 's/^/  /'
  rm -f "$trace" "$trace.gz"
}

printf '%s, %d cores, median of %d rounds%s\n' "$(git rev-parse --short HEAD)" "$(nproc)" "$rounds" \
  "${against:+, against $against}"
printf '  %-28s %10s %9s %8s %10s %9s %8s %8s %10s %8s\n' "" time "of gzip" before processors "of gzip" \
  before spread memory "an event"
make_trace "$work/own.json" "$megabytes"
bench "made, with call stacks" "$work/own.json"
shared=../shared
if [ -d "$shared/data/kineto" ] && command -v python3 > /dev/null; then
  for source in "$shared"/data/kineto/hta/df_index_resolver/*.json* \
    "$shared"/data/kineto/v100_resnet50/*num_workers_0*9861*.json*; do
    [ -e "$source" ] || continue
    python3 "$shared/tools/repeat_trace.py" "$source" "$work/real.json" "$megabytes" > /dev/null
    bench "$(basename "$(dirname "$source")")/$(basename "$source" | cut -c1-24), repeated" "$work/real.json"
  done
fi

# Tables, on one core: the measure is rows per second, a million at least; and memory, for Parquet the
# same as for SQLite. Half of the rows are kernels or instructions, the rest calls, packets and ranges.
tables() {
  local name=$1 rows=$2 path=$3 i
  rm -f "$work"/row-tables*
  for ((i = 0; i < rounds; ++i)); do
    warm "taskset -c 0 '$program' inspect -q '$path'"
    into=$work/row-tables; timed "taskset -c 0 '$program' inspect -q '$path'"
    [ -z "$other" ] || { into=$work/row-tables-other; timed "taskset -c 0 '$other' inspect -q '$path'"; }
  done
  awk -v name="$name" -v rows="$rows" -v time="$(median "$work/row-tables" 1)" -v kb="$(median "$work/row-tables" 2)" \
    -v spread="$(spread "$work/row-tables")" \
    -v before="$([ -z "$other" ] && echo 0 || median "$work/row-tables-other" 1)" 'BEGIN {
      printf "  %-28s %8.3f s %7.2f M/s %8s %6d %% %7d MB %6d B\n", name, time / 1000, rows / time / 1000,
        (before > 0 ? sprintf("%.2f x", time / before) : "-"), spread, kb / 1024, kb * 1024 / rows }'
}
kernels=$((megabytes * 2000))
printf '%s\n' "tables of $kernels kernels and as many calls, or instructions and DMA packets:"
quietly cmake --build --preset release --parallel "$(nproc)" --target make_nsight make_parquet
build/release/make_nsight "$work/nsys.sqlite" "$kernels"
build/release/make_parquet nsys "$work/nsys" "$work/nsys.sqlite"
build/release/make_parquet neuron "$work/neuron" "$kernels"
python3 tests/tools/make_rocpd.py "$work/1_results.db" "$kernels"
tables "Nsight Systems, SQLite" $((kernels * 21 / 10)) "$work/nsys.sqlite"
tables "Nsight Systems, Parquet" $((kernels * 21 / 10)) "$work/nsys"
tables "Neuron, Parquet" $((kernels * 2)) "$work/neuron"
tables "rocprofv3, rocpd" $((kernels * 21 / 10)) "$work/1_results.db"

# Queries about a run of these kernels, and their time beyond reading it. 3 million device events by name: 2.5 s.
queries() {
  local path=$1 i
  local -a names=("check -q" "query, nothing read" "query, events by name" "query, idle gaps by cause")
  local -a commands=("check -q '$path'" "query '$path' 'select 1'"
    "query '$path' 'select name, count(*) n, sum(duration) t from device_events group by 1' --format csv"
    "query '$path' 'select cause, count(*) n, sum(duration) t from gap_events group by 1' --format csv")
  rm -f "$work"/row-query*
  for ((i = 0; i < rounds * ${#names[@]}; ++i)); do
    into=$work/row-query-$((i % ${#names[@]})); timed "'$program' ${commands[i % ${#names[@]}]}"
  done
  for i in "${!names[@]}"; do
    awk -v name="${names[i]}" -v time="$(median "$work/row-query-$i" 1)" -v kb="$(median "$work/row-query-$i" 2)" \
      -v check="$(median "$work/row-query-0" 1)" -v spread="$(spread "$work/row-query-$i")" 'BEGIN {
        printf "  %-28s %8.3f s %7.2f of check %6d %% %7d MB\n", name, time / 1000, time / check, spread, kb / 1024 }'
  done
}
printf '%s\n' "queries of $kernels kernels:"
queries "$work/nsys.sqlite"
rm -rf "$work/nsys.sqlite" "$work/nsys" "$work/neuron" "$work/1_results.db"

# The same recording in PyTorch's binary form, on one core: how many events a second are read.
if [ -d "$shared/tools/formats" ] && command -v python3 > /dev/null; then
  make_trace "$work/binary.json" $((megabytes < 100 ? megabytes : 100))
  python3 -B "$shared/tools/formats/make_pftrace.py" "$work/binary.json" "$work/binary" --variant plain \
    --no-twin > /dev/null
  events=$(grep -c '"ph": *"X"' "$work/binary.json")
  rm "$work/binary.json" && rm -f "$work/row-binary"
  warm "'$program' inspect -q '$work/binary.pftrace'"
  for ((i = 0; i < rounds; ++i)); do
    into=$work/row-binary timed "taskset -c 0 '$program' inspect -q '$work/binary.pftrace'"
  done
  awk -v mb=$(($(stat -c %s "$work/binary.pftrace") / 1000000)) -v events="$events" \
    -v time="$(median "$work/row-binary" 1)" -v spread="$(spread "$work/row-binary")" \
    -v kb="$(median "$work/row-binary" 2)" 'BEGIN {
      printf ".pftrace: %d MB, %d complete events\n", mb, events
      printf "  %-28s %8.3f s %.2f M events/s %6d %% %7d MB %6d B\n", "inspect, one core", time / 1000,
        events / time / 1000, spread, kb / 1024, kb * 1024 / events }'
  rm "$work/binary.pftrace"
fi

# Small runs, many times: the waiting time of CI on an ordinary day.
build/release/make_profile "$work/small.json.gz" --min-mb 1
printf '%s\n' "small profile: $(($(stat -c %s "$work/small.json.gz") / 1000)) kB"
small() {
  local name=$1 command=$2 i
  rm -f "$work"/row-small*
  for ((i = 0; i < 9 * rounds; ++i)); do
    into=$work/row-small; timed "for i in 1 2 3 4 5 6 7 8 9 10; do ${command//PROGRAM/$program} > /dev/null || [ \$? = 1 ]; done"
    [ -z "$other" ] || { into=$work/row-small-other; timed "for i in 1 2 3 4 5 6 7 8 9 10; do ${command//PROGRAM/$other} > /dev/null || [ \$? = 1 ]; done"; }
  done
  awk -v name="$name" -v time="$(median "$work/row-small" 1)" -v spread="$(spread "$work/row-small")" \
    -v before="$([ -z "$other" ] && echo 0 || median "$work/row-small-other" 1)" 'BEGIN {
      printf "  %-28s %7.1f ms %10s %8s %6d %%\n", name, time / 10, "",
        (before > 0 ? sprintf("%.2f x", time / before) : "-"), spread }'
}
small "check, default policy" "PROGRAM check -q '$work/small.json.gz'"
small "query, events by name" "PROGRAM query '$work/small.json.gz' 'select name, sum(duration) from device_events group by 1'"
small "rules list: load the rules" "PROGRAM rules list"
small "version (start and exit)" "PROGRAM version"
