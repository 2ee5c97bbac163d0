#!/usr/bin/env bash
# Installs a release of profgauge for the steps that follow: the first step of action.yml, and of jobs without it.
#   REPOSITORY=OWNER/profgauge VERSION=0.1.0 [SHA256=…] install.sh
# SHA256 is the tarball's, of a list that you keep; without it the release's own SHA256SUMS must agree. Without
# VERSION and REPOSITORY the program of the PATH is taken. Ends with 1, and installs nothing, if a file is missing
# or differs.
set -euo pipefail
if [ -z "${VERSION:-}" ] || [ -z "${REPOSITORY:-}" ]; then
  if [ -n "${VERSION:-}${REPOSITORY:-}" ]; then
    echo "::error title=profgauge::a release needs both 'version' and 'repository': nothing was installed"
    exit 1
  fi
  exit 0
fi
machine=$(uname -m)
[ "$machine" != arm64 ] || machine=aarch64
name=profgauge-$VERSION-linux-$machine.tar.gz
release=${GITHUB_SERVER_URL:-https://github.com}/$REPOSITORY/releases/download/v$VERSION
folder=$(mktemp -d "${RUNNER_TEMP:-/tmp}/profgauge.XXXXXX")
cd "$folder"
if ! curl -fsSL --retry 3 --output "$name" "$release/$name"; then
  echo "::error title=profgauge::$release/$name cannot be fetched: nothing was installed"
  exit 1
fi
if [ -n "${SHA256:-}" ]; then
  echo "$SHA256  $name" > SHA256SUMS
else
  curl -fsSL --retry 3 --output SHA256SUMS "$release/SHA256SUMS"
fi
# The line of this file alone: its name has dots, so it is compared as text.
if ! awk -v name="$name" '$2 == name {print; found = 1} END {exit !found}' SHA256SUMS | sha256sum --check --quiet -; then
  echo "::error title=profgauge::the checksum of $name differs: nothing was installed"
  exit 1
fi
mkdir program
tar -xzf "$name" --strip-components=1 -C program
echo "$folder/program/bin" >> "$GITHUB_PATH"
