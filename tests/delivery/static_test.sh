#!/usr/bin/env bash
# Runs the static program where nothing else is: an empty root with a profile in it, no environment,
# no /proc, no /dev, no /tmp.
#   tests/delivery/static_test.sh PROGRAM [EMULATOR]      as root; exits 77 when it cannot change the root
# EMULATOR, itself static, runs a program for another machine: qemu-aarch64-static.
set -euo pipefail
program=$(realpath "$1")
emulator=${2:+$(command -v "$2")}
chroot=$(PATH=$PATH:/usr/sbin:/sbin command -v chroot)
cd "$(dirname "$0")/../.."

if [ "$(id -u)" -ne 0 ]; then
  echo "skipped: only root can change the root"
  exit 77
fi
if readelf --program-headers "$program" | grep -q INTERP; then
  echo "failed: $program asks for an interpreter" >&2
  exit 1
fi
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
cp "$program" "$root/profgauge"
runner=(/profgauge)
if [ -n "$emulator" ]; then
  cp "$emulator" "$root/emulator"
  runner=(/emulator /profgauge)
fi
cp examples/healthy.pt.trace.json.gz examples/slow.pt.trace.json.gz examples/policy.yaml "$root/"
cp -r examples/ddp "$root/ranks"

# expect EXIT ARGUMENT…
expect() {
  local wanted=$1 status=0
  shift
  env -i "$chroot" "$root" "${runner[@]}" "$@" > "$root.out" 2> "$root.err" || status=$?
  if [ "$status" -ne "$wanted" ]; then
    echo "failed: profgauge $*: exit code $status, expected $wanted" >&2
    cat "$root.out" "$root.err" >&2
    exit 1
  fi
  echo "ok: profgauge $*"
}
expect 0 version
expect 0 check healthy.pt.trace.json.gz --out out
expect 1 check slow.pt.trace.json.gz --policy policy.yaml --write junit=junit.xml --write sarif=alerts.sarif
expect 0 report ranks --json report.json
expect 0 render report.json --html page.html --xlsx book.xlsx --md page.md
expect 0 compare healthy.pt.trace.json.gz slow.pt.trace.json.gz
expect 0 baseline save healthy.pt.trace.json.gz -o baseline.json
expect 0 history add healthy.pt.trace.json.gz --branch main
expect 0 history add slow.pt.trace.json.gz --branch main
expect 0 history list --html trend.html
expect 0 rules list
expect 0 inspect ranks
for name in out/report.html out/report.xlsx out/report.md out/report.json page.html book.xlsx \
  junit.xml alerts.sarif baseline.json profgauge-history.db trend.html; do
  [ -s "$root/$name" ] || { echo "failed: $name was not written" >&2; exit 1; }
done
rm -f "$root.out" "$root.err"
