#!/usr/bin/env bash
# Builds one configuration; with tests they are run too.
#   ci/build.sh release|debug|asan|tsan|fuzz|fuzz-bare|clang
#   ci/build.sh fuzz|fuzz-bare TARGET …   only these
set -euo pipefail
cd "$(dirname "$0")/.."

kind=${1:-release}
case "$kind" in
  release | debug | asan | tsan)
    cmake --preset "$kind" -DPROFGAUGE_TESTS=ON -DPROFGAUGE_WERROR=ON
    cmake --build --preset "$kind" --parallel "$(nproc)"
    ctest --preset "$kind" --parallel "$(nproc)"
    ;;
  fuzz)
    cmake --preset fuzz
    cmake --build --preset fuzz --parallel "$(nproc)" ${2:+--target "${@:2}"}
    ;;
  fuzz-bare)  # Without sanitizers: several times the executions.
    cmake --preset fuzz -B build/fuzz-bare -DPROFGAUGE_SANITIZE= -DCMAKE_BUILD_TYPE=Release
    cmake --build build/fuzz-bare --parallel "$(nproc)" ${2:+--target "${@:2}"}
    ;;
  clang)
    cmake -G Ninja -B build/clang -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER=clang++ \
      -DCMAKE_C_COMPILER=clang -DPROFGAUGE_TESTS=ON -DPROFGAUGE_WERROR=ON \
      -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON  # so that every file includes what it uses
    cmake --build build/clang --parallel "$(nproc)"
    ctest --test-dir build/clang --output-on-failure --parallel "$(nproc)"
    ;;
  *)
    echo "usage: ci/build.sh release|debug|asan|tsan|fuzz|fuzz-bare|clang" >&2
    exit 2
    ;;
esac
