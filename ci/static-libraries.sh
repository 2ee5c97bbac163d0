#!/usr/bin/env bash
# Builds archives of {fmt}, libxlsxwriter and ISA-L for the static program, from Debian's own source
# packages: Debian does not ship them.
#   ci/static-libraries.sh PREFIX      leaves PREFIX/lib; does nothing when they are there
# Needs: apt-get install cmake debhelper dpkg-dev nasm. For another machine: CMAKE_ARGUMENTS has its
# toolchain for CMake, ISAL_ARGUMENTS the arguments of ISA-L's Makefile.
set -euo pipefail
cd "$(dirname "$0")/.."
. ci/package/sources.sh

prefix=$(realpath -m "${1:?the folder to install into}")
[ -s "$prefix/lib/libxlsxwriter.a" ] && [ -s "$prefix/lib/libisal.a" ] &&
  [ -s "$prefix/lib/libfmt.a" ] && exit 0
work=$prefix/sources
mkdir -p "$work/lists/partial" "$work/cache/archives/partial" "$prefix/lib"

list=$(debian_list deb-src "$work/debian")
apt_source() {
  apt-get -qq -o Dir::Etc::sourcelist="$list" -o Dir::Etc::sourceparts=- \
    -o Dir::State::lists="$work/lists" -o Dir::Cache="$work/cache" -o APT::Sandbox::User=root "$@"
}
apt_source update
(cd "$work" && apt_source source --download-only libxlsxwriter libisal fmtlib 2> /dev/null)

for name in libxlsxwriter libisal fmtlib; do
  rm -rf "${work:?}/$name"
  (cd "$work" && dpkg-source --no-check -x "$name"_*.dsc "$name" > /dev/null)
done

# Says nothing unless the command fails.
quietly() {
  "$@" > "$work/build.log" 2>&1 || { tail -n 50 "$work/build.log" >&2; return 1; }
}
# cmake_archive NAME TARGET ARGUMENT…
cmake_archive() {
  local name=$1 target=$2
  shift 2
  # shellcheck disable=SC2086  # Several words are meant.
  quietly cmake -G Ninja -S "$work/$name" -B "$work/build-$name" -DCMAKE_BUILD_TYPE=Release \
    -DBUILD_SHARED_LIBS=OFF "$@" ${CMAKE_ARGUMENTS:-}
  quietly cmake --build "$work/build-$name" --parallel "$(nproc)" --target "$target"
  cp "$work/build-$name/lib$target.a" "$prefix/lib/"
}
cmake_archive libxlsxwriter xlsxwriter -DUSE_OPENSSL_MD5=OFF -DUSE_SYSTEM_MINIZIP=OFF
cmake_archive fmtlib fmt -DFMT_TEST=OFF -DFMT_DOC=OFF
# shellcheck disable=SC2086
quietly make -C "$work/libisal" -f Makefile.unx --no-print-directory -j"$(nproc)" lib ${ISAL_ARGUMENTS:-}
cp "$work/libisal/bin/isa-l.a" "$prefix/lib/libisal.a"

echo "static-libraries: $(ls "$prefix"/lib/*.a | tr '\n' ' ')"
