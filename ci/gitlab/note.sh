#!/bin/sh
# Writes the short report of each job as a note of the merge request, and updates it in later pipelines.
#   note.sh REPORT [STATUS]
# REPORT is the folder of `check --ci gitlab`, STATUS its exit code. Needs PROFGAUGE_TOKEN, a masked variable with a
# project access token (api), since the job's own may not write notes, and curl and jq. Missing files and failures are
# reported; they never fail the job.
#
# A merge request of a fork gives fields of verdict.json that look as ours do, in our own words, and none of its text. Its
# pipeline runs here only if a member starts it: then the fork's code runs with the variables of this project, also with
# PROFGAUGE_TOKEN. Read it first.
set -u
report=${1:?note.sh: the folder of the report is missing}
status=${2:-unknown}
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

# The text for a fork: every program of the fork may have written the file.
say_of_fork() {
  { [ -f "$1" ] && [ ! -L "$1" ] && head -c 1048577 "$1"; } | jq -Rrs --arg status "$status" '
    def rows: if type == "array" then .[:9999] else [] end;
    def ended: if $status | test("^[0-9]{1,3}$") then $status else "unknown" end;
    "They come from a fork: open the job for the report." as $last
    | "**The job ended with exit code \(ended).**" as $first
    | (if utf8bytelength > 1048576 then null else try fromjson catch null end) as $verdict
    | ($verdict | if type == "object" then .status else null end) as $said
    | if $said | IN("pass", "fail", "no_verdict") then
        ($verdict.reasons | rows) as $reasons
        | [$reasons[] | strings | capture("^(?<metric>[a-z][a-z_.]{0,59}) is ").metric] as $metrics
        | ($metrics | unique | .[:10] | map("`\(.)`") | join(", ")) as $named
        | ({"0": "pass", "1": "fail", "3": "no_verdict"}[ended]) as $meant
        | (if ($verdict.accepted | rows | length) > 0 then "Accepted by the author of this merge request. " else "" end)
        + (if $meant != $said then "The files of the merge request differ from how the job ended. " else "" end)
        + $first + " The files of the merge request say: \($said | sub("_"; " ")), \($reasons | length) reasons, "
        + "\($verdict.errors | rows | length) errors" + (if $named != "" then " (\($named))" else "" end) + ". " + $last
      else $first + " The files of the merge request have no verdict. " + $last end'
}
is_fork=
[ "${CI_MERGE_REQUEST_SOURCE_PROJECT_ID:-}" = "${CI_MERGE_REQUEST_PROJECT_ID:-}" ] || is_fork=yes

body=$(mktemp)
trap 'rm -f "$body"' EXIT
written=0
for summary in "$report"/summary.md "$report"/*/summary.md; do
  { [ -f "$summary" ] && [ -s "$summary" ] && [ ! -L "$summary" ]; } || continue
  name=run
  [ "$summary" = "$report/summary.md" ] || name=$(basename "$(dirname "$summary")")
  case $name in *[!a-z0-9-]*) continue ;; esac  # No name of a job.
  marker="<!-- profgauge-job:$name -->"
  echo "$marker" > "$body"
  if [ -n "$is_fork" ]; then say_of_fork "$(dirname "$summary")/verdict.json"; else cat "$summary"; fi >> "$body"
  id=$(find_note "$marker") || say "GitLab gave no notes"
  if [ -n "$id" ]; then
    ask --request PUT --data-urlencode "body@$body" "$notes/$id" > /dev/null || say "the note was not updated"
  else
    ask --request POST --data-urlencode "body@$body" "$notes" > /dev/null || say "the note was not written"
  fi
  written=$((written + 1))
done
[ "$written" -gt 0 ] || say "there is no summary.md in $report"
