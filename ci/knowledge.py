#!/usr/bin/env python3
"""Holds rules/knowledge/thresholds.yaml against src/ and rules/: each row is used, by the files that it lists.
   ci/knowledge.py [--fix]      --fix writes `used_by` anew
A row's constant is kSectionName; of a row that a policy may set it is the member section_name."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PATH = ROOT / "rules/knowledge/thresholds.yaml"
WIDTH = 100


def camel(name):
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))


def word_of(row_id, tunable):
    section, name = row_id.split(".")
    return f"thresholds.{section}_{name}" if tunable else f"k{camel(section)}{camel(name)}"


def users():
    """{constant or `thresholds.member`: its files}"""
    found = {}
    for path in sorted(p for p in (ROOT / "src").rglob("*") if p.suffix in (".h", ".cc")):
        text = path.read_text()
        name = path.relative_to(ROOT / "src").as_posix()
        words = re.findall(r"knowledge::(k\w+)|(thresholds\.[a-z]\w*)", text)
        for word in {a or b for a, b in words}:
            found.setdefault(word, []).append(name)
    for path in sorted((ROOT / "rules").glob("*.yaml")):
        for section, name in re.findall(r"thresholds\.([a-z]\w*)\.(\w+)", path.read_text()):
            for word in (word_of(f"{section}.{name}", tunable) for tunable in (False, True)):
                found.setdefault(word, []).append(f"rules/{path.name}")
    for row_id in set(re.findall(r"(?m)^    value: ([a-z]\w*\.\w+)$", PATH.read_text())):
        found.setdefault(word_of(row_id, False), []).append("rules/knowledge/thresholds.yaml")
    return found


def main():
    fix = "--fix" in sys.argv[1:]
    blocks = re.split(r"(?m)^(?=  - id: )", PATH.read_text())
    used, wrong = users(), []
    for i, block in enumerate(blocks[1:], 1):
        row_id = re.match(r"  - id: (\S+)", block)[1]
        files = used.get(word_of(row_id, "\n    policy:" in block), [])
        if not files:
            wrong.append(f"{row_id}: no file uses it")
        listed = re.search(r"(?m)^    used_by: \[(.*)\]\n", block)
        if listed and listed[1].split(", ") == files:
            continue
        if not fix:
            wrong.append(f"{row_id}: `used_by` is not {files}")
        line = f"    used_by: [{', '.join(files)}]\n"
        if listed:
            blocks[i] = block.replace(listed[0], line)
        else:
            blocks[i] = re.sub(r"(?m)^(    evidence: .*\n)", lambda m: m[1] + line, block, count=1)
    if fix:
        PATH.write_text("".join(blocks))
        wrong = [w for w in wrong if "no file" in w]
    for line in wrong:
        print(f"rules/knowledge/thresholds.yaml: {line}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
