#!/bin/sh
# Prints what the commits of a change accept, one a line: `Profgauge-Accept: …` of each commit after the merge base
# of BEFORE and AFTER, up to AFTER. Prints nothing where there is none, so that nothing is accepted.
#   accepted.sh BEFORE [AFTER]
# BEFORE is the target branch of a pull request, or the commit that was built before. A line counts wherever it
# begins a line of the message, also behind `* ` as squash merges write it; lines below it that are indented continue
# it. A line that is quoted, or in a sentence, does not. Needs the commits: a shallow clone needs a depth
# (fetch-depth: 0 with filter: blob:none, GIT_DEPTH). Where BEFORE is not known, the last commit counts.
set -u
before=${1:-} after=${2:-HEAD}
if ! head=$(git rev-parse --quiet --verify "$after^{commit}"); then
  echo "accepted.sh: git shows no commit $after here: nothing is accepted" >&2
  exit 0
fi
from=
if [ -n "$before" ] && git rev-parse --quiet --verify "$before^{commit}" > /dev/null; then
  from=$(git merge-base "$before" "$head" 2> /dev/null)
fi
if [ -n "$from" ] && [ "$from" != "$head" ]; then
  set -- "$from..$head"
elif [ -n "$from" ] && [ -n "$before" ]; then
  exit 0   # Nothing after it.
else
  echo "accepted.sh: there is no commit '$before' before $after here: only the last commit is read" >&2
  set -- -1 "$head"
fi
git log --reverse --format='%B%x01' "$@" -- 2> /dev/null | awk '
  function out() { if (text != "" && !seen[text]++) print text; text = "" }
  { sub(/\r$/, "") }
  /^([*-] )?[Pp]rofgauge-[Aa]ccept:/ { out(); sub(/^[^:]*:[ \t]*/, ""); text = $0; next }
  text != "" && /^[ \t]+[^ \t]/ { sub(/^[ \t]+/, " "); text = text $0; next }
  { out() }
  END { out() }'
