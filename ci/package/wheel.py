#!/usr/bin/env python3
"""Makes a wheel of the static program and src/python/profgauge, without network. Same input, same bytes.

    ci/package/wheel.py PROGRAM MACHINE OUT LICENSES
MACHINE: x86_64 or aarch64; OUT: a folder; LICENSES: a folder with those of the linked libraries
"""
import base64
import hashlib
import os
import pathlib
import re
import sys
import time
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "python" / "profgauge"
# One wheel for both C libraries, since the program is static.
PLATFORMS = ("manylinux_2_17_{0}", "manylinux2014_{0}", "musllinux_1_1_{0}")
SUMMARY = "Judges deep-learning training profiles"


def version():
    text = (ROOT / "include" / "profgauge" / "version.h").read_text()
    return re.search(r'kVersion = "([0-9.]+)"', text).group(1)


SITE = "https://github.com/OWNER/profgauge"
CLASSIFIERS = ("Environment :: Console", "Intended Audience :: Developers", "Operating System :: POSIX :: Linux",
               "Programming Language :: C++", "Programming Language :: Python :: 3",
               "Topic :: Software Development :: Quality Assurance", "Topic :: System :: Benchmark")


def readme():
    """With absolute links: the page of the package is elsewhere."""
    tree = f"{SITE}/blob/v{version()}/"
    text = re.sub(r"(!\[[^]]*\]\()(?!https?:)", rf"\1{SITE}/raw/v{version()}/", (ROOT / "README.md").read_text())
    return re.sub(r"(?<!!)(\[[^]]*\]\()(?!https?:|#)", rf"\1{tree}", text)


def metadata(licenses):
    pages = {"Source": SITE, "Documentation": f"{SITE}/blob/v{version()}/README.md",
             "Changelog": f"{SITE}/blob/v{version()}/CHANGELOG.md"}
    lines = ["Metadata-Version: 2.4", "Name: profgauge", f"Version: {version()}", f"Summary: {SUMMARY}",
             "License-Expression: Apache-2.0", *(f"License-File: {name}" for name in licenses),
             "Requires-Python: >=3.8", *(f"Classifier: {one}" for one in CLASSIFIERS),
             *(f"Project-URL: {name}, {page}" for name, page in pages.items()),
             "Description-Content-Type: text/markdown"]
    return "\n".join(lines) + "\n\n" + readme()


def contents(program, machine, licenses):
    """Name, bytes and mode of each file."""
    name = f"profgauge-{version()}"
    for path in sorted(PACKAGE.iterdir()):
        if path.suffix == ".py" or path.name == "py.typed":
            yield f"profgauge/{path.name}", path.read_bytes(), 0o644
    yield f"{name}.data/scripts/profgauge", pathlib.Path(program).read_bytes(), 0o755
    tags = "".join(f"Tag: py3-none-{platform.format(machine)}\n" for platform in PLATFORMS)
    texts = {"LICENSE": ROOT / "LICENSE", **{path.name: path for path in sorted(pathlib.Path(licenses).iterdir())}}
    for file, path in texts.items():
        yield f"{name}.dist-info/licenses/{file}", path.read_bytes(), 0o644
    yield f"{name}.dist-info/METADATA", metadata(texts).encode(), 0o644
    yield f"{name}.dist-info/WHEEL", (f"Wheel-Version: 1.0\nGenerator: profgauge\nRoot-Is-Purelib: false\n{tags}"
                                      ).encode(), 0o644


def make(program, machine, out, licenses):
    date = time.gmtime(max(int(os.environ.get("SOURCE_DATE_EPOCH", "0")), 315532800))[:6]  # Zip begins in 1980.
    platforms = ".".join(platform.format(machine) for platform in PLATFORMS)
    path = pathlib.Path(out) / f"profgauge-{version()}-py3-none-{platforms}.whl"
    path.parent.mkdir(parents=True, exist_ok=True)
    record, name = [], f"profgauge-{version()}.dist-info/RECORD"

    def add(wheel, file, data, mode):
        entry = zipfile.ZipInfo(file, date)
        entry.create_system, entry.external_attr = 3, (0o100000 | mode) << 16
        wheel.writestr(entry, data, zipfile.ZIP_DEFLATED, 9)

    with zipfile.ZipFile(path, "w") as wheel:
        for file, data, mode in contents(program, machine, licenses):
            add(wheel, file, data, mode)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")
            record.append(f"{file},sha256={digest},{len(data)}\n")
        add(wheel, name, ("".join(record) + f"{name},,\n").encode(), 0o644)
    return path


if __name__ == "__main__":
    if len(sys.argv) != 5 or sys.argv[2] not in ("x86_64", "aarch64"):
        sys.exit(__doc__.strip())
    print(make(*sys.argv[1:]))
