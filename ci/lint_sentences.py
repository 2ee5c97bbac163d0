#!/usr/bin/env python3
"""Holds the sentences that a report prints against the rules for them.

  ci/lint_sentences.py report.json…

One line for each sentence that breaks one:

  expression  a reason shows an expression: `not known(gpu.idle.mean)`
  id          a sentence names a metric by its id instead of its title
  most        "most of" something that is not more than half of it
  range       a range with equal ends: "21 to 21 %"
  plural      one of several: "1 calls"
  long        over 25 words; a reason or headline, which joins two sentences, 35
  semicolons  more than one in a sentence
  phrase      words that readers had to read twice: "as little as"

Exit code: 0 all hold, 1 one does not, 2 used wrongly."""
import json, re, sys

ID = re.compile(r"(?<![\w./-])(?:gpu|iteration|tensor_core|kernel|memcpy|memory|communication|dataloader|launch|coverage|profiler|step)"
                r"(?:\.[a-z][a-z0-9_]*)+\b(?!\()")
EXPRESSION = re.compile(r" (?:and|or|not|in) |[<>=!]=| [<>] |\b(?:known|any|all)\(")  # In code.
MOST = re.compile(r"[Mm]ost of [^.;]*?\((\d+(?:\.\d+)?) %\)")
RANGE = re.compile(r"(?<![\d.])(\d+(?:\.\d+)?) (?:to|and) \1 (?:%|(?:ms|µs|s)\b)")
PLURAL = re.compile(r"(?<!\d )(?<![\d.,\w])1 (?!is |are |was |were |of |and |to )(?:[a-z-]+ )?(?:kernels|calls|tiles|blocks|errors|warnings|operators|iterations|ranks|devices|GPUs|NPUs|"
                    r"copies|events|rows|launches|gaps|limits|rules|findings|matmuls|steps|threads|processes)\b")
SENTENCE = re.compile(r"(?<=[.?!])\s+(?=[A-Z0-9`])")
PHRASE = re.compile(r"\b(?:so small that|as little as|by themselves|counts for no|most of them of|such that)\b")


def faults(text, is_reason=False, most=25):
    """(kind, what) of each rule that a sentence breaks."""
    plain = text.replace("\u202f", " ").replace("\u00a0", " ")
    for code in plain.split("`")[1::2] if is_reason else []:
        if EXPRESSION.search(code):
            yield "expression", code
    if found := ID.search(re.sub(r"`[^`]*`", "", plain)):
        yield "id", found.group()
    for found in MOST.finditer(plain):
        if float(found.group(1)) <= 50:
            yield "most", found.group()
    if found := RANGE.search(plain):
        yield "range", found.group()
    if found := PLURAL.search(plain):
        yield "plural", found.group()
    if found := PHRASE.search(plain):
        yield "phrase", found.group()
    for sentence in SENTENCE.split(re.sub(r"`[^`]*`", "CODE", plain)):
        words = sum(bool(re.search(r"\w", word)) for word in sentence.split())
        if words > most:
            yield "long", f"{words} words"
        if sentence.count(";") > 1:
            yield "semicolons", sentence


def sentences(report):
    """(where, text, is_reason) of all that a person reads in a report."""
    diagnosis = report.get("diagnosis", {})
    yield "diagnosis", diagnosis.get("text", ""), False
    for reason in diagnosis.get("reasons", []):
        yield "diagnosis.reasons", reason["text"], True
    for row in report.get("gate", []):
        yield row["metric"], row.get("reason", ""), True
    for finding in report.get("findings", []):
        yield finding["rule"], finding.get("reason", ""), True
        if finding["status"] in ("error", "warn", "info", "waived"):
            for key in ("title", "message"):
                yield finding["rule"], finding.get(key, ""), False


def check(report):
    return [(kind, where, what, text) for where, text, is_reason in sentences(report)
            for kind, what in faults(text or "", is_reason, 35 if is_reason or where == "diagnosis" else 25)]


def main(paths):
    if not paths:
        print(__doc__, file=sys.stderr)
        return 2
    found = 0
    for path in paths:
        with open(path, encoding="utf-8") as file:
            for kind, where, what, text in check(json.load(file)):
                found += 1
                print(f"{path}: {kind}: {where}: {what!r} in {text!r}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
