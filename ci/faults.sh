#!/usr/bin/env bash
# Campaign of failing calls: every allocation up to the 5 000th of a tiny run, then seeded samples;
# every read, write, rename and close. Prints how many calls of each kind failed and the errors found.
#   ci/faults.sh [MOST] [SAMPLES]      default 5000 2000: an hour
# ctest runs a few of each (Faults).
set -euo pipefail
cd "$(dirname "$0")/.."
ci/install.sh
cmake --preset release -DPROFGAUGE_TESTS=ON > /dev/null
cmake --build --preset release --parallel "$(nproc)" --target profgauge profgauge_faults > /dev/null
exec python3 tests/faults/faults_test.py build/release/profgauge \
  build/release/libprofgauge_faults.so --every --most "${1:-5000}" --samples "${2:-2000}"
