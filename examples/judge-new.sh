#!/bin/sh
# For cron: judges every trace of a log folder that has no report yet.
#   */10 * * * * judge-new.sh /data/profiles
find "${1:?the log folder}" -name '*.pt.trace.json*' -type f ! -path '*.report/*' | sort |
  while read -r trace; do
    [ -e "$trace.report" ] || profgauge report -q "$trace" --out "$trace.report" < /dev/null
  done
