#!/usr/bin/env bash
# The checks that need no build, in seconds: format, bars, words, and the standard headers that headers use.
# For files changed since `git merge-base HEAD main` (or $LINT_BASE): whether each header compiles by itself
# and, where clang-tidy is installed, its warnings about the changed lines. The first wrong line is
# shown; exit code 1.
#   ci/lint.sh [--fix] [--tidy] [--all]
#     --fix    formats the files
#     --tidy   also when many files changed, which takes ten seconds each
#     --all    every header and, with --tidy, every source: many minutes
set -euo pipefail
cd "$(dirname "$0")/.."
# The constants that the build writes from rules/knowledge/, of the newest build.
generated=$(ls -td build/*/generated 2> /dev/null | head -n 1 || true)
readonly flags=(-std=c++20 -Iinclude -Isrc ${generated:+"-I$generated"})
readonly quick=4  # Changed sources that clang-tidy looks at without being asked.

fix=0 tidy=0 all=0
for argument in "$@"; do
  case "$argument" in
    --fix) fix=1 ;;
    --tidy) tidy=1 ;;
    --all) all=1 ;;
    *)
      echo "usage: ci/lint.sh [--fix] [--tidy] [--all]" >&2
      exit 2
      ;;
  esac
done

each() { xargs -r -P "$(nproc)" "$@"; }
printed() { [ $# = 0 ] || printf "%s\0" "$@"; }  # Nothing of nothing: an empty list is no file "".
say() { echo "lint: $*"; }

in_repository=0
git rev-parse --git-dir > /dev/null 2>&1 && in_repository=1
listed() { find include src tests -name '*.h' -o -name '*.cc' | sort; }
[ "$in_repository" = 1 ] && listed() { git ls-files '*.h' '*.cc'; }
if [ "$fix" = 1 ]; then
  listed | each -n 100 clang-format -i
else
  listed | each -n 100 clang-format --dry-run --Werror
fi
say "format of $(listed | wc -l) files"

bars=$(ci/bars.py) || {
  grep -v '^kept' <<< "$bars"
  say "a bar is missed: the head of ci/bars.txt says how one is raised"
  exit 1
}
say "$(wc -l <<< "$bars") bars are kept"

ci/knowledge.py || {
  say "rules/knowledge/thresholds.yaml: ci/knowledge.py --fix writes \`used_by\`"
  exit 1
}
say "each row of thresholds.yaml is used where it says"

ci/limits.py || {
  say "ci/limits.tsv lists each limit of src, with the error, count or note beyond it"
  exit 1
}
say "each limit of src is in ci/limits.tsv"

ci/summary_columns.py || {
  say "columns of summaries need another schema: ci/summary_columns.py --fix counts it up"
  exit 1
}
say "the columns of summaries are those of their schema"

ci/own_words.py || {
  say "--redact=code would hide words of ours: ci/own_words.py --fix adds them"
  exit 1
}
say "--redact=code keeps the words of our sentences"

ci/includes.py || {
  say "a header lacks a standard header that it uses: ci/includes.py --fix adds it"
  exit 1
}
say "each header includes the standard headers that it uses"

words=$(ci/lint_words.py) || {
  grep '^ABOVE' <<< "$words"
  say "a text has a banned word: ci/lint_words.py -v shows each"
  exit 1
}
say "banned words in no area are above the bars of ci/lint_words.txt"

ci/lint_names.py || {
  say "a comment or a document names a file that does not exist"
  exit 1
}
say "files named in comments and documents exist"

if [ "$in_repository" = 1 ]; then
  ci/new_rules.py || {
    say "a rule is born as a warning (examples/stability.md): lower its level until the next MINOR"
    exit 1
  }
  say "no rule that is new since the last tag can fail a run"
fi

base=
if [ "$in_repository" = 1 ]; then
  base=${LINT_BASE:-$(git merge-base HEAD main 2> /dev/null || git merge-base HEAD origin/main 2> /dev/null || true)}
fi
changed() { # changed PATTERN…: files that fit and differ from the base
  if [ "$all" = 1 ]; then
    find include src -name "${1##*/}" | sort
  elif [ -n "$base" ]; then
    git diff --name-only --diff-filter=d "$base" -- "$@"
  fi
}

# Each header by itself, without precompiled headers: prints the compiler's errors.
mapfile -t headers < <(changed 'src/*.h' 'include/*.h')
if [ -z "$generated" ]; then  # Nothing was built here: those that need it are left out.
  mapfile -t headers < <(printed "${headers[@]}" | each -0 grep -L '#include "knowledge/')
fi
printed "${headers[@]}" | each -0 -n 1 "${CXX:-g++}" "${flags[@]}" -fsyntax-only -x c++ -w
say "${#headers[@]} headers compile alone"

mapfile -t changed_sources < <(changed 'src/*.cc')
if ! command -v clang-tidy > /dev/null; then
  say "clang-tidy is not installed: ${#changed_sources[@]} sources not looked at"
elif [ "$tidy" = 0 ] && [ ${#changed_sources[@]} -gt "$quick" ]; then
  say "${#changed_sources[@]} sources changed: clang-tidy looks at them with --tidy"
else
  # Only lines that changed: [{"name": FILE, "lines": [[FIRST, LAST], …]}]
  filter='[]'
  [ "$all" = 1 ] || filter=$(git diff -U0 "${base:-HEAD}" -- 'src/*' 'include/*' | python3 -c '
import json, re, sys
files = []
for line in sys.stdin:
    if line.startswith("+++ "): files.append({"name": line[6:].strip(), "lines": []})
    elif m := re.match(r"@@ .*?\+(\d+)(?:,(\d+))? @@", line):
        first, count = int(m[1]), int(m[2] or 1)
        if count and files: files[-1]["lines"].append([first, first + count - 1])
print(json.dumps([f for f in files if f["lines"]]))')
  printed "${changed_sources[@]}" | each -0 -n 1 sh -c \
    'clang-tidy --quiet --warnings-as-errors="*" --line-filter="$0" "$1" -- '"${flags[*]}"' 2> /dev/null' "$filter"
  say "clang-tidy on ${#changed_sources[@]} changed sources"
fi
