#!/usr/bin/env bash
# Unpacks the arm64 packages that the program is built with, for Debian's cross compiler, which brings
# its own C and C++ libraries. Nothing of them is installed.
#   ci/package/sysroot-arm64.sh FOLDER      leaves FOLDER/usr; does nothing when it is there
# Exits 77 where Debian's archive cannot be reached.
set -euo pipefail
cd "$(dirname "$0")/../.."
. ci/package/sources.sh

root=$(realpath -m "${1:?the folder to unpack into}")
[ -e "$root/complete" ] && exit 0
packages=(libboost-container1.81-dev libboost-container1.81.0 libboost-json1.81-dev
  libboost-json1.81.0 libboost-system1.81-dev libboost-system1.81.0 libboost1.81-dev
  libdeflate-dev libdeflate0 libexpected-dev libfmt-dev libfmt9 libisal-dev libisal2
  libkainjow-mustache-dev libre2-9 libre2-dev libsqlite3-0 libsqlite3-dev
  libxlsxwriter-dev libxlsxwriter4 libxxhash-dev libxxhash0 libyaml-cpp-dev libyaml-cpp0.7
  libzstd-dev libzstd1 zlib1g zlib1g-dev)
work=$root/packages
mkdir -p "$work/lists/partial" "$work/cache/archives/partial"
list=$(debian_list deb "$work/debian")

apt_arm64() {
  apt-get -qq -o Dir::Etc::sourcelist="$list" -o Dir::Etc::sourceparts=- \
    -o Dir::State::lists="$work/lists" -o Dir::State::status=/dev/null -o Dir::Cache="$work/cache" \
    -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o APT::Sandbox::User=root "$@"
}
apt_arm64 -o APT::Update::Error-Mode=any update || {
  echo "sysroot-arm64: Debian's archive cannot be reached" >&2
  exit 77
}
(cd "$work" && apt_arm64 download "${packages[@]}")
for package in "$work"/*.deb; do dpkg -x "$package" "$root"; done
touch "$root/complete"
