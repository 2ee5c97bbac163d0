#!/usr/bin/env python3
"""The cases: one YAML file a room here, a folder a case for the program.

    cases.py unpack FOLDER [ROOM…]   FOLDER/ROOM/CASE/… of ROOM.yaml; the build does this
    cases.py pack FOLDER [ROOM…]     the way back, after PROFGAUGE_UPDATE=1 or a case made by hand

Either way changes only files that differ. A case in YAML:

    kernel_without_op:
      about: what it pins down           README
      run: check input.json              args
      exit: 3                            exit; 0 is left out
      stdin, stdout, stderr: |           texts
      report: |                          report.expect
      files:
        input.json: |                    any other file, by its path
        data.db: {file: kineto/kernel_without_op/data.db}    below files/: not text, or over 200 lines
        slow.json: {link: ../../shared/slow.json}            a link
        fp32.pt.trace.json.gz: {example: h200/fp32.pt.trace.json.gz}    a link to a file of examples/
"""
import json
import os
import pathlib
import re
import shutil
import sys

import yaml

HERE = pathlib.Path(__file__).resolve().parent
EXAMPLES = HERE.parent.parent / "examples"
MOST_LINES = 200
KEYS = {"README": "about", "args": "run", "exit": "exit", "stdin": "stdin", "stdout": "stdout",
        "stderr": "stderr", "report.expect": "report"}
ORDER = ("about", "run", "exit", "stdin", "stdout", "stderr", "report", "files")


class Block(str):
    """A text that is written line by line."""


yaml.SafeDumper.add_representer(
    Block, lambda dumper, text: dumper.represent_scalar("tag:yaml.org,2002:str", str(text), style="|"))


def dump(value):
    return yaml.dump(value, Dumper=yaml.SafeDumper, sort_keys=False, allow_unicode=True, width=100)


def is_block(text):
    """Whether a block of YAML gives the text back as it is."""
    try:
        written = yaml.dump({"k": Block(text)}, Dumper=yaml.SafeDumper, allow_unicode=True, width=1 << 30)
        return written.startswith("k: |") and yaml.safe_load(written)["k"] == text
    except yaml.YAMLError:
        return False


def case_of(top, room, beside):
    """The case of a folder; bytes that stay beside the YAML go to `beside`."""
    case, files = {}, {}
    for path in sorted(top.rglob("*")):
        name = path.relative_to(top).as_posix()
        if any(parent.is_symlink() for parent in path.parents if parent != top and top in parent.parents):
            continue  # Seen through a link to a folder.
        if path.is_symlink():
            target = pathlib.Path(os.readlink(path))
            files[name] = ({"example": target.relative_to(EXAMPLES).as_posix()} if target.is_absolute()
                           else {"link": str(target)})
            continue
        if path.is_dir():
            continue
        data = path.read_bytes()
        try:
            text = data.decode()
        except UnicodeDecodeError:
            text = None
        one_line = text is not None and text.count("\n") == 1 and text.endswith("\n")
        if name in ("README", "args") and one_line:
            case[KEYS[name]] = text[:-1]
        elif name == "exit" and text and re.fullmatch(r"\d+\n", text):
            case["exit"] = int(text)
        elif text is None or text.count("\n") > MOST_LINES or not is_block(text):
            place = f"{room}/{top.name}/{name}"
            beside[place] = data
            files[name] = {"file": place}
        elif name in KEYS:
            case[KEYS[name]] = Block(text)
        else:
            files[name] = Block(text)
    if files:
        case["files"] = files
    return {key: case[key] for key in ORDER if key in case}


def same(a, b):
    """Whether two values say the same, numbers to rounding."""
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same, a, b))
    is_real = isinstance(a, float) or isinstance(b, float)
    return abs(a - b) <= 1e-9 * abs(b) if is_real and None not in (a, b) and not isinstance(a, str) else a == b


def write(path, data):
    if path.is_symlink() or not path.exists() or path.read_bytes() != data:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        path.write_bytes(data)


def rooms(names):
    return [HERE / f"{name}.yaml" for name in names] or sorted(HERE.glob("*.yaml"))


def pack(folder, names):
    for room in [HERE / f"{name}.yaml" for name in names] or sorted(
            HERE / f"{path.name}.yaml" for path in folder.iterdir() if path.is_dir() and path.name != "shared"):
        known = room.read_text() if room.exists() else ""
        # What stands above the first case says in which order to read them.
        head = re.match(r"(?:#.*\n)*", known)[0]
        before = yaml.safe_load(known) or {}
        order = list(before)
        beside, cases = {}, {}
        found = {path.name: path for path in sorted((folder / room.stem).iterdir()) if path.is_dir()}
        for name in [name for name in order if name in found] + [name for name in found if name not in order]:
            cases[name] = case = case_of(found[name], room.stem, beside)
            old = before.get(name, {}).get("report")
            if old and "report" in case and same(json.loads(old), json.loads(case["report"])):
                case["report"] = Block(old)  # Written in another way.
        body = re.sub(r"(?m)^(?=[\w-]+:$)", "\n", dump(cases))
        write(room, ((head + body) if head else body.lstrip("\n")).encode())
        kept = {HERE / "files" / place for place in beside}
        for path in sorted((HERE / "files" / room.stem).rglob("*")):
            if path.is_file() and path not in kept:
                path.unlink()
        for place, data in beside.items():
            write(HERE / "files" / place, data)


def unpack(folder, names):
    shutil.rmtree(folder / "shared", ignore_errors=True)
    shutil.copytree(HERE / "shared", folder / "shared")
    for room in rooms(names):
        kept = set()
        for name, case in (yaml.safe_load(room.read_text()) or {}).items():
            top = folder / room.stem / name

            def put(path, data):
                kept.add(top / path)
                write(top / path, data)

            for file, key in KEYS.items():
                if key in case:
                    text = str(case[key])
                    put(file, (text if text.endswith("\n") else text + "\n").encode()
                        if key in ("about", "run", "exit") else text.encode())
            for path, value in case.get("files", {}).items():
                if isinstance(value, str):
                    put(path, value.encode())
                elif "file" in value:
                    put(path, (HERE / "files" / value["file"]).read_bytes())
                else:
                    link = value["link"] if "link" in value else str(EXAMPLES / value["example"])
                    kept.add(top / path)
                    (top / path).parent.mkdir(parents=True, exist_ok=True)
                    if not (top / path).is_symlink() or os.readlink(top / path) != link:
                        (top / path).unlink(missing_ok=True)
                        os.symlink(link, top / path)
        for path in sorted((folder / room.stem).rglob("*"), reverse=True):
            if (path.is_file() or path.is_symlink()) and path not in kept and not any(
                    parent in kept for parent in path.parents):
                path.unlink()
            elif path.is_dir() and not path.is_symlink() and not any(path.iterdir()):
                path.rmdir()


if __name__ == "__main__":
    if len(sys.argv) < 3 or sys.argv[1] not in ("pack", "unpack"):
        sys.exit(__doc__)
    (pack if sys.argv[1] == "pack" else unpack)(pathlib.Path(sys.argv[2]), sys.argv[3:])
