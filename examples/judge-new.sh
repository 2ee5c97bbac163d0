#!/bin/sh
# For cron: judges every run below a folder once. A run is a folder of profiles, or a single profile
# where a folder holds those of several runs.
#   */10 * * * * judge-new.sh /data/profiles [OPTION OF profgauge check]...
# A run is left alone until its files are $MINUTES (2) old. It is judged again when they change, and three
# times at most where it cannot be judged. Prints name, exit code and verdict. States are in DIR/.profgauge,
# reports in DIR/.profgauge/reports/NAME: nothing is written among the profiles.
# The program: $PROFGAUGE, the one beside this script, or by name; exit code 127 where there is none.
set -u
PATH=${PATH:-/usr/local/bin:/usr/bin:/bin}
most_tries=3
dir=${1:?judge-new.sh: the folder of profiles is missing}
shift
program=${PROFGAUGE:-$(dirname "$0")/profgauge}
[ -n "${PROFGAUGE:-}" ] || [ -x "$program" ] || program=profgauge
if ! command -v "$program" > /dev/null; then
  echo "judge-new.sh: there is no program $program: set PROFGAUGE to its path" >&2
  exit 127
fi
if [ ! -d "$dir" ] || ! mkdir -p "$dir/.profgauge"; then
  echo "judge-new.sh: $dir is no folder that can be written" >&2
  exit 2
fi
exec 9> "$dir/.profgauge/lock"
if command -v flock > /dev/null && ! flock -n 9; then
  echo "judge-new.sh: another one judges $dir" >&2
  exit 0
fi

# profiles WHERE OPTION...: files that may be profiles, none of which is a report's.
profiles() {
  where=$1
  shift
  find "$where" "$@" -type f \( -name '*.json' -o -name '*.json.gz' -o -name '*.pb' -o -name '*.sqlite' -o -name '*.db' \) \
    ! -name '*.run.json' ! -path '*/.profgauge/*' ! -path '*/report/*' ! -path '*.report/*'
}

# report_of PROFILE: the folder of its reports.
report_of() {
  name=${1#"$dir"}
  name=${name#/}
  printf %s "$dir/.profgauge/reports/$(printf %s "${name:-all}" | tr '/\n' '~~')"
}

# judge PROFILE REPORT FILES OPTION...: one run, unless its state says that it was. 1: it is several runs.
judge() {
  profile=$1 report=$2 files=$3
  shift 3
  name=${profile#"$dir"}
  name=${name#/}
  state=$dir/.profgauge/$(printf %s "${name:-all}" | tr '/\n' '~~').state
  now=$(printf %s "$files" | cksum)
  before='' tries=0
  [ ! -r "$state" ] || { read -r before && read -r tries; } < "$state" || tries=0
  [ "$before" = "$now" ] || tries=0
  case $tries in
    several) return 1 ;;
    judged | "$most_tries") return 0 ;;
  esac
  code=0
  line=$("$program" check -q --out "$report" "$@" -- "$profile" 2> "$state.log" < /dev/null) || code=$?
  if [ "$code" -gt 1 ] && grep -q -E 'input/(several-runs|ranks-unknown|same-file-twice)' "$state.log"; then
    tries=several
    rm -rf "$report"
  else
    if [ "$code" -le 1 ] && [ -n "$line" ]; then tries=judged; else tries=$((tries + 1)); fi
    [ -n "$line" ] || line=$(head -n 1 "$state.log")
    echo "${name:-.} exit $code ${line:-no output}"
  fi
  printf '%s\n%s\n' "$now" "$tries" > "$state"
  [ "$tries" != several ]
}

seen=0
folders=$(profiles "$dir" -depth | sed 's|/[^/]*$||' | sort -u)
IFS='
'
for folder in $folders; do
  seen=1
  [ -z "$(profiles "$folder" -maxdepth 1 -mmin -"${MINUTES:-2}")" ] || continue
  files=$(profiles "$folder" -maxdepth 1 | sort | xargs -d '\n' ls -ln --time-style=+%s)
  judge "$folder" "$(report_of "$folder")" "$files" "$@" && continue
  for file in $(profiles "$folder" -maxdepth 1 | sort); do
    judge "$file" "$(report_of "$file")" "$(ls -ln --time-style=+%s "$file")" "$@"
  done
done
[ "$seen" -eq 1 ] || echo "judge-new.sh: there is no profile below $dir" >&2
