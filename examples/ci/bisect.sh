#!/usr/bin/env bash
# bisect.sh GOOD BAD RUN COMMAND…: the commit that made a step. COMMAND builds, runs, and leaves its profile or times at
# RUN; exit 125 skips the commit. Runs are kept in bisect.db, so that a search goes on where it ended.
set -uo pipefail
program=${PROFGAUGE:-profgauge} good=$(git rev-parse "$1") bad=$(git rev-parse "$2") run=$3 skip=(); shift 3
measure() {
  git checkout -q "$1" && rm -rf "$run" && "${@:2}"; local code=$?
  if [ $code = 125 ]; then skip+=(--skip "$1"); return; fi
  [ $code = 0 ] && "$program" history add "$run" --db bisect.db --branch bisect --commit "$1" >&2 || exit 4
}
list() { git rev-list --reverse --first-parent "$good..$bad"; }
[ -s bisect.db ] || for commit in "$good" "$bad" "$good" "$bad" "$good" "$bad"; do measure "$commit" "$@"; done
while next=$(list | "$program" history bisect --good "$good" --bad "$bad" --db bisect.db "${skip[@]}"); [ $? = 3 ]; do
  measure "$next" "$@"
done
[ -n "$next" ] && git checkout -q "$bad" && git log -1 --oneline "$next"
