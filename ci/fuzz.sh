#!/usr/bin/env bash
# Runs every fuzz target for a while. Needs: apt-get install clang
#   ci/fuzz.sh [SECONDS_PER_TARGET]      default 60
# A crash is left in build/fuzz/; copy it to tests/fuzz/crashes/<target>/ with the fix.
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=${1:-60}
ci/build.sh fuzz
shopt -s nullglob
targets=(build/fuzz/*_fuzz)
[ ${#targets[@]} -gt 0 ] || { echo "no fuzz targets were built" >&2; exit 1; }
for target in "${targets[@]}"; do
  name=$(basename "$target")
  corpus=build/fuzz/corpus/$name
  mkdir -p "$corpus"
  seeds=()
  for folder in tests/fuzz/seeds/"$name" tests/fuzz/crashes/"$name"; do
    [ -d "$folder" ] && seeds+=("$folder")
  done
  echo "== $name"
  "$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -verbosity=0 \
    -print_final_stats=1 -artifact_prefix=build/fuzz/ "$corpus" "${seeds[@]}"
done
