#!/usr/bin/env bash
# Builds with counters, runs the tests and prints lines and branches covered, layer by layer. With
# --uncovered also the lines of readers that no test reaches.
#   ci/coverage.sh [--uncovered] [CTEST ARGUMENT…]
# Needs: gcov (of gcc) and python3.
set -euo pipefail
cd "$(dirname "$0")/.."
uncovered=()
[ "${1:-}" = --uncovered ] && { uncovered=(--uncovered src/readers); shift; }
ci/install.sh
cmake --preset coverage > /dev/null
cmake --build --preset coverage --parallel "$(nproc)"
find build/coverage -name '*.gcda' -delete
ctest --preset coverage --parallel "$(nproc)" "$@" || echo "some tests failed: their lines still count"
exec python3 ci/coverage.py build/coverage "${uncovered[@]}"
