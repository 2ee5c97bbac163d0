#!/usr/bin/env python3
"""SPDX 2.3 of what the static program contains, from Debian's own records, on standard output.

    ci/package/sbom.py ARCHIVES PACKAGE…     ARCHIVES: what ci/static-libraries.sh built; PACKAGE: linked ones
"""
import datetime
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def components(archives, packages):
    """Name and version of each source package, sorted."""
    found = {}
    for package in packages:
        asked = subprocess.run(["dpkg-query", "-W", "-f", "${source:Package}\t${source:Version}\n", package],
                               capture_output=True, text=True, check=True).stdout
        name, version = asked.splitlines()[0].split("\t")
        found[name] = version
    for path in pathlib.Path(archives, "sources").glob("*.dsc"):
        text = path.read_text()
        found[re.search(r"^Source: (.*)$", text, re.M)[1]] = re.search(r"^Version: (.*)$", text, re.M)[1]
    return sorted(found.items())


def spdx(version, commit, date, parts):
    root = {"SPDXID": "SPDXRef-profgauge", "name": "profgauge", "versionInfo": version,
            "downloadLocation": "NOASSERTION", "filesAnalyzed": False, "licenseConcluded": "Apache-2.0",
            "licenseDeclared": "Apache-2.0", "sourceInfo": commit}
    packages = [{"SPDXID": "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", name), "name": name, "versionInfo": of,
                 "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
                 "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                                   "referenceLocator": f"pkg:deb/debian/{name}@{of}?arch=source&distro=debian-12"}]}
                for name, of in parts]
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", root["SPDXID"])]
    relations += [(root["SPDXID"], "STATIC_LINK", one["SPDXID"]) for one in packages]
    return {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
            "name": f"profgauge-{version}",
            "documentNamespace": f"https://spdx.org/spdxdocs/profgauge-{version}-{commit[:12]}",
            "creationInfo": {"created": date, "creators": ["Tool: ci/package/sbom.py"]},
            "packages": [root, *packages],
            "relationships": [{"spdxElementId": a, "relationshipType": kind, "relatedSpdxElement": b}
                              for a, kind, b in relations]}


def git(*words):
    return subprocess.run(["git", "-C", ROOT, *words], capture_output=True, text=True, check=True).stdout.strip()


def main(archives, *packages):
    version = re.search(r'kVersion = "([0-9.]+)"', (ROOT / "include/profgauge/version.h").read_text())[1]
    epoch = int(os.environ.get("SOURCE_DATE_EPOCH") or git("log", "-1", "--format=%ct"))
    date = datetime.datetime.fromtimestamp(epoch, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    print(json.dumps(spdx(version, git("rev-parse", "HEAD"), date, components(archives, packages)), indent=1))


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__.strip())
    main(*sys.argv[1:])
