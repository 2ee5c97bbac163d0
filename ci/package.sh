#!/usr/bin/env bash
# Makes everything under dist/ from a clean clone on Debian 12, tests it, and prints the list of files.
#   ci/package.sh [PART…]      parts: static arm64 wheel deb source container; default: all, in this order
#   BUILD=FOLDER ci/package.sh …      another build folder than build/release
# Needs root: packages are installed, roots are changed into. Only Debian's archives are used;
# libraries without an archive are built from Debian's source packages (ci/static-libraries.sh).
set -euo pipefail
cd "$(dirname "$0")/.."

build=${BUILD:-build/release}
archives=$PWD/build/archives
version=$(sed -n 's/.*kVersion = "\([0-9.]*\)".*/\1/p' include/profgauge/version.h)
maintainer=$(sed -n 's/^set(CPACK_PACKAGE_CONTACT "\(.*\)")/\1/p' ci/package/install.cmake)
# Packages that only packaging needs; ci/packages.txt has those of the build and its tests.
packages=(debhelper debootstrap dpkg-dev file lintian mandoc nasm ninja-build python3)
# The libraries of the static program, by the package that holds the license.
linked=(libboost1.81-dev libc6-dev libdeflate-dev libexpected-dev libgcc-12-dev
  libkainjow-mustache-dev libre2-dev libsqlite3-dev libstdc++-12-dev libxxhash-dev libyaml-cpp-dev
  libzstd-dev zlib1g-dev)

say() { printf '\n== %s\n' "$*"; }

install_packages() {
  local missing=() package
  for package in "$@"; do
    dpkg -s "$package" > /dev/null 2>&1 || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" > /dev/null
}

prepare() {
  ci/install.sh
  install_packages "${packages[@]}"
  mkdir -p dist
  if [ "$build" = build/release ]; then cmake --preset release > /dev/null; fi
}

build_targets() {
  cmake "-DPROFGAUGE_ARCHIVE_PREFIX=$archives" -B "$build" > /dev/null
  cmake --build "$build" --parallel "$(nproc)" --target "$@"
}

# licences FOLDER ARCHIVES
licences() {
  local folder=$1 archives=$2 package source
  mkdir -p "$folder"
  for package in "${linked[@]}"; do
    cp "/usr/share/doc/$package/copyright" "$folder/$package.txt"
  done
  for source in libxlsxwriter libisal fmtlib; do
    cp "$archives/sources/$source/debian/copyright" "$folder/$source.txt"
  done
}

# make_tarball MACHINE PROGRAM STRIP ARCHIVES [EMULATOR]: the static program, tried, with its manual
# pages, completions, schemas and licences.
make_tarball() {
  local name=profgauge-$version-linux-$1
  local stage=$build/$name
  rm -rf "$stage"
  mkdir -p "$stage/bin"
  install -m 755 "$2" "$stage/bin/profgauge"
  "$3" "$stage/bin/profgauge"
  tests/delivery/static_test.sh "$stage/bin/profgauge" "${5:-}"
  cp -r "$build/share" "$stage/share"
  rm -rf "$stage/share/doc"
  cp LICENSE README.md CHANGELOG.md "$stage/"
  licences "$stage/licenses" "$4"
  tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}" \
    -C "$build" -cf - "$name" | gzip -9n > "dist/$name.tar.gz"
}

make_static() {
  say "static program"
  ci/static-libraries.sh "$archives"
  build_targets profgauge_static documents
  make_tarball x86_64 "$build/profgauge_static" strip "$archives"
  ci/package/sbom.py "$archives" "${linked[@]}" > dist/sbom.spdx.json
}

# The same for 64-bit ARM, by Debian's cross compiler, tried under an emulator.
make_arm64() {
  say "static program for aarch64"
  install_packages g++-aarch64-linux-gnu qemu-user-static
  local arm64=$PWD/build/arm64 status=0
  export PROFGAUGE_SYSROOT=$arm64/sysroot
  ci/package/sysroot-arm64.sh "$PROFGAUGE_SYSROOT" || status=$?
  if [ "$status" -eq 77 ]; then
    echo "left out: the packages for aarch64 cannot be had here"
    return
  fi
  [ "$status" -eq 0 ] || return "$status"
  local toolchain=$PWD/ci/package/arm64.cmake
  local compiler=aarch64-linux-gnu
  CMAKE_ARGUMENTS="--toolchain $toolchain" \
    ISAL_ARGUMENTS="host_cpu=aarch64 CC=$compiler-gcc AR=$compiler-ar" \
    ci/static-libraries.sh "$PROFGAUGE_SYSROOT/archives"
  cmake -G Ninja --toolchain "$toolchain" -DCMAKE_BUILD_TYPE=Release \
    "-DPROFGAUGE_ARCHIVE_PREFIX=$PROFGAUGE_SYSROOT/archives" -B "$arm64/build" > /dev/null
  cmake --build "$arm64/build" --parallel "$(nproc)" --target profgauge_static
  build_targets documents
  make_tarball aarch64 "$arm64/build/profgauge_static" "$compiler-strip" "$PROFGAUGE_SYSROOT/archives" \
    qemu-aarch64-static
}

# The static program with the Python package, for each machine whose tarball was made.
make_wheel() {
  say "wheels"
  local machine program
  [ -x "$build/profgauge_static" ] || make_static
  for machine in x86_64 aarch64; do
    program=$build/profgauge-$version-linux-$machine/bin/profgauge
    [ -x "$program" ] || continue
    SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)} ci/package/wheel.py "$program" "$machine" dist "${program%/bin/profgauge}/licenses"
  done
  python3 tests/delivery/python_test.py "$build/profgauge_static" . dist/profgauge-"$version"-py3-none-*x86_64.whl
}

# Installed, run and removed in a root with only Debian.
test_deb() (
  root=$(mktemp -d)
  trap 'rm -rf "$root"' EXIT
  debootstrap --variant=minbase bookworm "$root" > "$build/debootstrap.log" 2>&1 ||
    { tail -n 20 "$build/debootstrap.log" >&2; exit 1; }
  cp "dist/profgauge_${version}_amd64.deb" examples/healthy.pt.trace.json.gz "$root/"
  chroot "$root" apt-get install -y -qq --no-install-recommends "/profgauge_${version}_amd64.deb" \
    > "$build/install.log" 2>&1 || { tail -n 20 "$build/install.log" >&2; exit 1; }
  chroot "$root" profgauge check -q /healthy.pt.trace.json.gz
  chroot "$root" apt-get purge -y -qq profgauge > /dev/null 2>&1
  left=$(find "$root/usr" -iname '*profgauge*' | head)
  if [ -n "$left" ]; then
    echo "failed: the package left behind: $left" >&2
    exit 1
  fi
  echo "ok: installed, run and removed"
)

make_deb() {
  say "Debian package"
  build_targets profgauge documents
  ci/package/debian-documents.sh "$version" "$maintainer" "$build/share/doc/profgauge"
  (cd "$build" && cpack -G DEB > cpack.log 2>&1) || { cat "$build/cpack.log" >&2; return 1; }
  cp "$build/profgauge_${version}_amd64.deb" dist/
  lintian --fail-on error "dist/profgauge_${version}_amd64.deb"
  test_deb
}

# The sources of the commit, and the schemas that editors ask for.
make_source() {
  say "sources and schemas"
  git archive --format=tar --prefix="profgauge-$version/" HEAD | gzip -9n > "dist/profgauge-$version.tar.gz"
  build_targets profgauge documents
  local schema
  for schema in "$build"/share/profgauge/schemas/*.json; do cp "$schema" "dist/schema-$(basename "$schema")"; done
}

# The lines of ci/Containerfile's first stage in a root with only Debian; an image is made where a
# program is installed that can.
make_container() {
  say "container"
  local builder
  for builder in podman docker buildah; do
    "$builder" info > /dev/null 2>&1 || continue  # Not there, or without its service.
    "$builder" build -f ci/Containerfile -t "profgauge:$version" .
    return
  done
  ci/package/containerfile-test.sh
}

parts=("$@")
[ ${#parts[@]} -gt 0 ] || parts=(static arm64 wheel deb source container)
for part in "${parts[@]}"; do
  case "$part" in
    static | arm64 | wheel | deb | source | container) ;;
    *)
      echo "usage: ci/package.sh [static|arm64|wheel|deb|source|container]…" >&2
      exit 2
      ;;
  esac
done
prepare
for part in "${parts[@]}"; do "make_$part"; done
say "dist/"
(cd dist && for file in *; do printf '%10d  %s\n' "$(stat -c %s "$file")" "$file"; done)
