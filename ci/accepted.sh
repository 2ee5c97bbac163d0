#!/bin/sh
# Prints why a slower run is accepted: the trailers `Profgauge-Accept: REASON` of the commits after BEFORE, up to
# AFTER. Prints nothing where there are none, so that nothing is accepted.
#   accepted.sh BEFORE [AFTER]
# Needs the commits: a shallow clone needs a depth (fetch-depth, GIT_DEPTH). Where BEFORE is not among them, as on
# a new branch, the last commit counts.
set -u
before=${1:-} after=${2:-HEAD}
if ! git rev-parse --quiet --verify "$after^{commit}" > /dev/null; then
  echo "accepted.sh: git shows no commit $after here: nothing is accepted" >&2
  exit 0
fi
if [ -n "$before" ] && git rev-parse --quiet --verify "$before^{commit}" > /dev/null; then
  set -- "$before..$after"
else
  echo "accepted.sh: there is no commit '$before' here: only the last commit is read" >&2
  set -- -1 "$after"
fi
git log --format='%(trailers:key=Profgauge-Accept,valueonly,unfold)' "$@" | tr '\n' ' ' | sed 's/  */ /g; s/^ //; s/ $//'
