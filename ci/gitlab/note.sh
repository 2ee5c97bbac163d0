#!/bin/sh
# Writes the short report of each job as a note of the merge request, and updates it in later pipelines.
#   note.sh REPORT
# REPORT is the folder of `check --ci gitlab`. Needs PROFGAUGE_TOKEN, a masked variable with a project access token
# (api), since the job's own may not write notes, and curl and jq. Missing files and failures are reported; they never fail
# the job.
set -u
report=${1:?note.sh: the folder of the report is missing}
say() {
  echo "note.sh: $*: no note" >&2
  exit 0
}
[ -n "${CI_MERGE_REQUEST_IID:-}" ] || say "this is no pipeline of a merge request"
[ -n "${PROFGAUGE_TOKEN:-}" ] || say "PROFGAUGE_TOKEN is not set"
command -v curl > /dev/null || say "curl is not installed"
command -v jq > /dev/null || say "jq is not installed"

notes=$CI_API_V4_URL/projects/$CI_PROJECT_ID/merge_requests/$CI_MERGE_REQUEST_IID/notes
ask() { curl -fsS --header "PRIVATE-TOKEN: $PROFGAUGE_TOKEN" "$@"; }

# The number of the note that begins with this marker; nothing where there is none.
find_note() {
  page=1
  while [ "$page" -le 50 ]; do
    found=$(ask "$notes?per_page=100&page=$page") || return 1
    id=$(printf %s "$found" | jq -r --arg marker "$1" '[.[] | select(.body | startswith($marker)) | .id][0] // empty')
    if [ -n "$id" ] || [ "$(printf %s "$found" | jq length)" -lt 100 ]; then break; fi
    page=$((page + 1))
  done
  printf %s "$id"
}

body=$(mktemp)
trap 'rm -f "$body"' EXIT
written=0
for summary in "$report"/summary.md "$report"/*/summary.md; do
  [ -s "$summary" ] || continue
  name=run
  [ "$summary" = "$report/summary.md" ] || name=$(basename "$(dirname "$summary")")
  marker="<!-- profgauge-job:$name -->"
  { echo "$marker"; cat "$summary"; } > "$body"
  id=$(find_note "$marker") || say "GitLab gave no notes"
  if [ -n "$id" ]; then
    ask --request PUT --data-urlencode "body@$body" "$notes/$id" > /dev/null || say "the note was not updated"
  else
    ask --request POST --data-urlencode "body@$body" "$notes" > /dev/null || say "the note was not written"
  fi
  written=$((written + 1))
done
[ "$written" -gt 0 ] || say "there is no summary.md in $report"
