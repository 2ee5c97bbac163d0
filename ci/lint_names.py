#!/usr/bin/env python3
"""Names of our files in comments and documents: each must be one of the tree, so that no reader looks for a file that
was renamed. Looks at names ending in .h or .cc, and in documents at those ending in .py, .sh, .yaml and .md, too.
Names of other projects' files are in FOREIGN; examples have capitals (`SECTION.h`) or stand beside no code of ours."""
import fnmatch
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOREIGN = {"cupti_driver_cbid.h", "cupti_runtime_cbid.h", "nvtx_payload_schemas.h", "xla_op_utils.h", "xplane_schema.h", "sqlite3.h"}
NAME = re.compile(r"(?<![\w./*{}$-])((?:[\w.-]+/)*[\w*{},-][\w*{},.-]*\.(?:h|cc|py|sh|yaml|md))(?![\w/])")


def listed():
    inside = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    if inside.returncode == 0:
        return inside.stdout.split()
    return [str(p.relative_to(ROOT)) for p in ROOT.rglob("*") if p.is_file() and "build" not in p.parts]


def written(name):
    """`a_{b,c}.cc` is two names."""
    braces = re.search(r"\{([^{}]*)\}", name)
    if not braces:
        return [name]
    return [one for part in braces[1].split(",") for one in written(name[: braces.start()] + part.strip() + name[braces.end():])]


def texts(path):
    """Lines in which names are looked at: (number, text, kinds)."""
    text = (ROOT / path).read_text(errors="replace").split("\n")
    if path.endswith(".md"):
        return [(i, line, (".h", ".cc", ".py", ".sh", ".yaml", ".md")) for i, line in enumerate(text, 1)]
    comments = ((i, line, line.find("//")) for i, line in enumerate(text, 1) if not line.startswith("#include"))
    return [(i, line[at:], (".h", ".cc")) for i, line, at in comments if at >= 0]


def main():
    files = listed()
    ends = {"/".join(parts[i:]) for parts in (f.split("/") for f in files) for i in range(len(parts))}
    looked = [f for f in files if f.endswith((".h", ".cc")) and f.startswith(("src/", "include/"))]
    looked += [f for f in files if f.endswith(".md") and (f.startswith(("src/", "tests/", "ci/")) or f == "CONTRIBUTING.md")]
    dead = 0
    for path in looked:
        for number, line, kinds in texts(path):
            for name in NAME.findall(line):
                is_example = re.search(r"[A-Z]{3}", name) and not name.endswith(".md")
                if not name.endswith(kinds) or is_example or name.split("/")[-1] in FOREIGN or name.startswith("_"):
                    continue
                for one in written(name):
                    one = one.removeprefix("./")
                    if one in ends or (ROOT / path).parent.joinpath(one).exists():
                        continue
                    if "*" in one and any(fnmatch.fnmatch(end, one) for end in ends):
                        continue
                    print(f"{path}:{number}: no file {one}")
                    dead += 1
    return 1 if dead else 0


if __name__ == "__main__":
    sys.exit(main())
