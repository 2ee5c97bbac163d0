#!/usr/bin/env bash
# Format of all sources (clang-format), and with --tidy also clang-tidy. Layers and file sizes are
# held by the tests. Needs: apt-get install clang-format clang-tidy
#   ci/lint.sh [--fix] [--tidy]
set -euo pipefail
cd "$(dirname "$0")/.."

mapfile -t files < <(git ls-files '*.h' '*.cc')
fix=0 tidy=0
for argument in "$@"; do
  case "$argument" in
    --fix) fix=1 ;;
    --tidy) tidy=1 ;;
    *)
      echo "usage: ci/lint.sh [--fix] [--tidy]" >&2
      exit 2
      ;;
  esac
done
if [ "$fix" -eq 1 ]; then
  clang-format -i "${files[@]}"
else
  clang-format --dry-run --Werror "${files[@]}"
fi
if [ "$tidy" -eq 1 ]; then
  cmake --preset debug > /dev/null
  mapfile -t sources < <(git ls-files 'src/*.cc')
  clang-tidy -p build/debug --quiet "${sources[@]}"
fi
echo "lint: ${#files[@]} files are fine"
