#!/usr/bin/env bash
# Executes the RUN lines of ci/Containerfile as they are written, those of both stages in one root
# with only Debian and a clean clone in /src. For where no image can be built. Needs root and debootstrap.
set -euo pipefail
cd "$(dirname "$0")/../.."

root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
debootstrap --variant=minbase bookworm "$root" > /dev/null
git clone --quiet --no-hardlinks . "$root/src"
cp /etc/resolv.conf "$root/etc/" 2> /dev/null || true
mapfile -t sources < <(ls /etc/apt/sources.list.d/debian.sources 2> /dev/null)
[ ${#sources[@]} -eq 0 ] || { rm -f "$root/etc/apt/sources.list"; cp "${sources[@]}" "$root/etc/apt/sources.list.d/"; }
# Lines that end in a backslash go on.
sed -e ':join' -e '/\\$/{N;s/\\\n *//;b join' -e '}' ci/Containerfile | sed -n 's/^RUN //p' |
  while IFS= read -r line; do
    echo "RUN $line"
    chroot "$root" bash -euc "cd /src && export DEBIAN_FRONTEND=noninteractive && $line" < /dev/null
  done
tests/delivery/static_test.sh "$root/src/build/release/profgauge_static"
