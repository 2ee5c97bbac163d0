#!/usr/bin/env bash
# The documents that Debian requires of a program: copyright and changelog.
#   ci/package/debian-documents.sh VERSION MAINTAINER FOLDER      leaves FOLDER/{copyright,changelog.gz}
set -euo pipefail
cd "$(dirname "$0")/../.."
version=$1 maintainer=$2 folder=$3
# Headers that are compiled in (Boost asks for no notice beside object code); linked libraries are
# separate packages.
headers=(libexpected-dev libkainjow-mustache-dev libxxhash-dev)

mkdir -p "$folder"
{
  cat << END
ProfGauge $version: https://www.apache.org/licenses/LICENSE-2.0
Copyright: the authors of ProfGauge
License: Apache-2.0

On Debian systems, the full text of the Apache License version 2.0 is in
/usr/share/common-licenses/Apache-2.0.

Parts of the following are compiled in; what Debian says of each follows.
END
  for package in "${headers[@]}"; do
    printf '\n---- %s\n\n' "$package"
    cat "/usr/share/doc/$package/copyright"
  done
} > "$folder/copyright"

# The day of the last commit, so that the same tree gives the same bytes.
seconds=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2> /dev/null || stat -c %Y CHANGELOG.md)}
gzip -9n > "$folder/changelog.gz" << END
profgauge ($version) bookworm; urgency=medium

  * What is new: /usr/share/doc/profgauge/CHANGELOG.md

 -- $maintainer  $(LC_ALL=C date -u -R -d "@$seconds")
END
