#!/usr/bin/env bash
# Installs missing packages, builds, and judges the profiles in examples/. Leaves reports to open.
#   ci/demo.sh [FOLDER]      where to leave them; default out/demo
set -euo pipefail
cd "$(dirname "$0")/.."

out=${1:-out/demo}
ci/install.sh
cmake --preset release
cmake --build --preset release --parallel "$(nproc)" --target profgauge
program=build/release/profgauge

judge() {
  local name=$1
  shift
  echo
  echo "\$ profgauge check $* --out $out/$name"
  local status=0
  "$program" check "$@" --out "$out/$name" || status=$?
  echo "(exit code $status)"
  [ "$status" -eq 0 ] || [ "$status" -eq 1 ] || exit "$status"
}
judge healthy examples/healthy.pt.trace.json.gz
judge slow examples/slow.pt.trace.json.gz --policy examples/policy.yaml

echo
echo "Open these:"
for name in healthy slow; do
  for file in report.html report.md report.xlsx report.json; do
    [ -s "$out/$name/$file" ] || { echo "missing: $out/$name/$file" >&2; exit 1; }
  done
  echo "  $(realpath "$out/$name/report.html")"
done
