#!/usr/bin/env bash
# Installs missing packages, builds everything, lints and runs every test. The last line counts them.
#   ci/test.sh [CTEST ARGUMENT…]      e.g. ci/test.sh -R Layers
set -euo pipefail
cd "$(dirname "$0")/.."

ci/install.sh
cmake --preset release -DPROFGAUGE_TESTS=ON
cmake --build --preset release --parallel "$(nproc)"

status=0
ci/lint.sh || status=$?
results=build/release/tests.xml
rm -f "$results"
# A test of the page or the workbook that cannot run is a failure here.
PROFGAUGE_REQUIRE_ALL=1 ctest --preset release --parallel "$(nproc)" --output-junit "$PWD/$results" "$@" || status=$?
total=$(tr '\n' ' ' < "$results" | grep -o '<testsuite [^>]*>' | head -n 1)
number() { sed -n "s/.*[[:space:]]$1=\"\([0-9]*\)\".*/\1/p" <<< "$total"; }
failed=$(number failures)
skipped=$(number skipped)
passed=$(($(number tests) - failed - skipped))
echo "$passed passed, $failed failed, $skipped skipped"
exit "$status"
