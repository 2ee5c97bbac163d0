#!/usr/bin/env bash
# Builds the archives that Debian does not ship, of {fmt}, libxlsxwriter and ISA-L, from Debian's own source
# packages, for the static program.
#   ci/static-libraries.sh PREFIX      leaves PREFIX/{include,lib}; does nothing when they are there
# Needs: apt-get install cmake debhelper nasm. Prefix of another compiler: CC, AR, HOST.
set -euo pipefail
cd "$(dirname "$0")/.."

prefix=$(realpath -m "${1:?the folder to install into}")
[ -s "$prefix/lib/libxlsxwriter.a" ] && [ -s "$prefix/lib/libisal.a" ] && [ -s "$prefix/lib/libfmt.a" ] &&
  exit 0
work=$prefix/sources
mkdir -p "$work/lists/partial" "$work/cache/archives/partial" "$prefix/lib" "$prefix/include"

# A source list of its own: the machine's stays as it is.
apt_source() {
  apt-get -qq -o Dir::Etc::sourcelist="$list" -o Dir::Etc::sourceparts=- \
    -o Dir::State::lists="$work/lists" -o Dir::Cache="$work/cache" -o APT::Sandbox::User=root "$@"
}
if [ -s /etc/apt/sources.list.d/debian.sources ]; then
  list=$work/debian.sources
  sed 's/^Types: .*/Types: deb-src/' /etc/apt/sources.list.d/debian.sources > "$list"
else
  list=$work/debian.list
  sed -n 's/^deb \(.*debian\.org.*\)/deb-src \1/p' /etc/apt/sources.list > "$list"
fi
apt_source update
(cd "$work" && apt_source source --download-only libxlsxwriter libisal fmtlib 2> /dev/null)

for name in libxlsxwriter libisal fmtlib; do
  rm -rf "${work:?}/$name"
  (cd "$work" && dpkg-source --no-check -x "$name"_*.dsc "$name" > /dev/null)
done

cmake -G Ninja -S "$work/libxlsxwriter" -B "$work/build-xlsxwriter" -DCMAKE_BUILD_TYPE=Release \
  -DBUILD_SHARED_LIBS=OFF -DUSE_OPENSSL_MD5=OFF -DUSE_SYSTEM_MINIZIP=OFF \
  -DCMAKE_INSTALL_PREFIX="$prefix" -DCMAKE_INSTALL_LIBDIR=lib ${CMAKE_ARGUMENTS:-} > /dev/null
cmake --build "$work/build-xlsxwriter" --parallel "$(nproc)" --target install > /dev/null

make -C "$work/libisal" -f Makefile.unx --no-print-directory -j"$(nproc)" lib ${ISAL_ARGUMENTS:-} \
  > "$work/isal.log" 2>&1 || { cat "$work/isal.log" >&2; exit 1; }
cp "$work/libisal/bin/isa-l.a" "$prefix/lib/libisal.a"

cmake -G Ninja -S "$work/fmtlib" -B "$work/build-fmt" -DCMAKE_BUILD_TYPE=Release -DFMT_TEST=OFF \
  -DFMT_DOC=OFF -DBUILD_SHARED_LIBS=OFF ${CMAKE_ARGUMENTS:-} > /dev/null
cmake --build "$work/build-fmt" --parallel "$(nproc)" --target fmt > /dev/null
cp "$work/build-fmt/libfmt.a" "$prefix/lib/"

echo "static-libraries: $(ls "$prefix"/lib/*.a | tr '\n' ' ')"
