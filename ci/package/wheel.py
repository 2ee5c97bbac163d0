#!/usr/bin/env python3
"""Makes a wheel of the static program and src/python/profgauge, without network. Same input, same bytes.

    ci/package/wheel.py PROGRAM MACHINE OUT      MACHINE: x86_64 or aarch64; OUT: a folder
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


def metadata():
    return (f"Metadata-Version: 2.1\nName: profgauge\nVersion: {version()}\nSummary: {SUMMARY}\n"
            f"License-File: LICENSE\nRequires-Python: >=3.8\nDescription-Content-Type: text/markdown\n\n"
            + (ROOT / "README.md").read_text())


def contents(program, machine):
    """Name, bytes and mode of each file."""
    name = f"profgauge-{version()}"
    for path in sorted(PACKAGE.iterdir()):
        if path.suffix == ".py" or path.name == "py.typed":
            yield f"profgauge/{path.name}", path.read_bytes(), 0o644
    yield f"{name}.data/scripts/profgauge", pathlib.Path(program).read_bytes(), 0o755
    tags = "".join(f"Tag: py3-none-{platform.format(machine)}\n" for platform in PLATFORMS)
    yield f"{name}.dist-info/LICENSE", (ROOT / "LICENSE").read_bytes(), 0o644
    yield f"{name}.dist-info/METADATA", metadata().encode(), 0o644
    yield f"{name}.dist-info/WHEEL", (f"Wheel-Version: 1.0\nGenerator: profgauge\nRoot-Is-Purelib: false\n{tags}"
                                      ).encode(), 0o644


def make(program, machine, out):
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
        for file, data, mode in contents(program, machine):
            add(wheel, file, data, mode)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")
            record.append(f"{file},sha256={digest},{len(data)}\n")
        add(wheel, name, ("".join(record) + f"{name},,\n").encode(), 0o644)
    return path


if __name__ == "__main__":
    if len(sys.argv) != 4 or sys.argv[2] not in ("x86_64", "aarch64"):
        sys.exit(__doc__.strip())
    print(make(*sys.argv[1:]))
