#!/bin/sh
# Writes the short report as a note of the merge request, and updates it in later pipelines.
#   note.sh SUMMARY.md NAME
# Needs PROFGAUGE_TOKEN, a masked variable with a project access token (api), since the job's own may not
# write notes. What is missing or fails is said; it never fails the job.
set -u
summary=${1:?note.sh: the summary is missing} name=${2:-run}
say() {
  echo "note.sh: $*: no note" >&2
  exit 0
}
[ -n "${CI_MERGE_REQUEST_IID:-}" ] || say "this is no pipeline of a merge request"
[ -n "${PROFGAUGE_TOKEN:-}" ] || say "PROFGAUGE_TOKEN is not set"
[ -s "$summary" ] || say "there is no $summary"
command -v curl > /dev/null || say "curl is not installed"
command -v jq > /dev/null || say "jq is not installed"

notes=$CI_API_V4_URL/projects/$CI_PROJECT_ID/merge_requests/$CI_MERGE_REQUEST_IID/notes
marker="<!-- profgauge-job:$name -->"
body=$(mktemp)
{ echo "$marker"; cat "$summary"; } > "$body"
ask() { curl -fsS --header "PRIVATE-TOKEN: $PROFGAUGE_TOKEN" "$@"; }
page=1 id=
while [ "$page" -le 50 ]; do
  found=$(ask "$notes?per_page=100&page=$page") || say "GitLab gave no notes"
  id=$(printf %s "$found" | jq -r --arg marker "$marker" '[.[] | select(.body | startswith($marker)) | .id][0] // empty')
  if [ -n "$id" ] || [ "$(printf %s "$found" | jq length)" -lt 100 ]; then break; fi
  page=$((page + 1))
done
if [ -n "$id" ]; then
  ask --request PUT --data-urlencode "body@$body" "$notes/$id" > /dev/null || say "the note was not updated"
else
  ask --request POST --data-urlencode "body@$body" "$notes" > /dev/null || say "the note was not written"
fi
rm -f "$body"
