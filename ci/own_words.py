#!/usr/bin/env python3
"""The words of the sentences that the program's sources contain: src/report/own_words.inc.

`--redact=code` keeps them, and hides the other words of a profile (src/report/code_names.h).
  ci/own_words.py [--fix]
Exit code 1 if a word of a sentence is missing; --fix writes the list anew.
"""
import pathlib
import re
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIST = ROOT / "src/report/own_words.inc"
# Layers whose texts come into reports. Readers' texts are sentences and keys of formats.
LAYERS = ("base", "model", "readers", "analysis", "rules", "gate", "report", "api")
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
SHORTEST = 3  # Shorter words are never hidden.


def sentences(source):
    """String literals with a space, adjacent ones joined: a key or a name has none."""
    source = re.sub(r"^\s*(?://|#).*$", "", source, flags=re.M)
    source = re.sub(r'"\s*\n\s*"', "", source)
    return (text for text in LITERAL.findall(source) if " " in text)


def words(text):
    """As ForEachWord() of code_names.cc finds them."""
    text = re.sub(r"\\(?:x[0-9a-fA-F]{2}|.)|\{[^}]*\}", " ", text)
    return {word.strip("_").lower() for word in re.findall(r"[A-Za-z0-9_]+", text)}


def main():
    found = set()
    for layer in LAYERS:
        for path in (ROOT / "src" / layer).rglob("*"):
            if path.suffix in (".h", ".cc"):
                for text in sentences(path.read_text()):
                    found |= words(text)
    found = {word for word in found if len(word) >= SHORTEST and not word.isdigit()}
    if "--fix" in sys.argv[1:]:
        lines = textwrap.wrap(" ".join(sorted(found)), 95)
        LIST.write_text("// Written by ci/own_words.py --fix.\n" + "".join(f'"{line} "\n' for line in lines))
        return 0
    missing = sorted(found - words(LIST.read_text()))
    if missing:
        print(f"own_words.inc lacks: {', '.join(missing)}")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
