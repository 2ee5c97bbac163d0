#!/usr/bin/env python3
"""Finds banned words in texts that users read, and compares their number per area with ci/lint_words.txt.
  ci/lint_words.py            one line per area; exit code 1 if an area has more hits than its bar,
                              or if an exception is unused or new
  ci/lint_words.py -v [PATH]  prints each hit (of files that start with PATH) as FILE:LINE
  ci/lint_words.py --lower    lowers the bars to today's counts and removes unused exceptions
  ci/lint_words.py --terms    counts the terms of the glossary and the words that they replace
  ci/lint_words.py --comments [PATH]  prints each banned word in comments and names of tests
  ci/lint_words.py --strings PATH [N SEED]  prints the texts of an area, or N of them drawn by SEED
Comments and names of tests fail nothing; their number is printed. A bar only falls."""
import functools, pathlib, random, re, sys
from collections import Counter

ROOT = pathlib.Path(__file__).resolve().parent.parent
BARS = ROOT / "ci/lint_words.txt"
MOST_EXCEPTIONS = 20
MOST_WORDS = 30  # of a sentence; 25 is the rule

# Texts that are not read as prose: formats of other tools, patterns of names, shell scripts.
NOT_PROSE = ("src/exports/", "src/analysis/classify/", "src/cli/text/completion")
NOT_TEXT = re.compile(r"[\\^$|(){}\[\]]{4,}|\(\?i\)|<svg|<path|<rect|<text|create table|pragma|select ", re.I)
# Ids and paths, and names within expressions of rules: no words.
IDS = re.compile(r"\b[a-z_]+/[a-z][\w-]*(?:\.(?:cc|h))?\b|^#+ [a-z]+(?:-\w+)+$")
NAMES = re.compile(r"[$.({]\w+|\w+:|\b\w+(?= (?:[-+*/<>]|==|contains\b))|(?<=[-+*/<>=] )\w+")
# Quotations, and terms without a shorter word.
FINE = re.compile(r"hidden behind|behind computation|falls? behind|stand-alone|standalone|stand-ins?|what-if|what to do|times as (?:much|long) as in|product name|catalogue\.|namespace \S+|\.grey|!cancelled\(\)", re.I)

BANNED = [(word, re.compile(pattern, flags)) for word, pattern, flags in [
    ("tell", r"\b(?:un)?t(?:ell(?:s|ing)?|old)\b", re.I),
    ("mend", r"\bmend(?:s|ed|ing)?\b", re.I),
    ("grave, gross", r"\bgrav(?:e|er|est)\b|\bthe gross\b", re.I),
    ("alone", r"\balone\b", re.I),
    ("behind", r"\bbehind\b", re.I),
    ("none of, but for, for want of", r"\b(?:none of|but for|for want of)\b", re.I),
    ("what + clause", r"(?<!-)\bwhat\b(?!-if| if)", re.I),
    ("Of ... at the start", r"(?:^|[.;:] )Of (?!course)\w", 0),
    ("as in, so many", r"\bas in\b|\bso (?:much|many)\b", re.I),
    ("stand, lie", r"\bstands?\b|\bstanding\b|\blies\b", re.I),
    ("of its own", r"\bof (?:its|their|your|our|a user's|yours?) own\b", re.I),
    ("lack", r"\black(?:s|ed|ing)?\b", re.I),
    ("worth a word, habit, met, bring", r"\bworth a word\b|\bhabit\b|\b(?:their|its) like\b|\bwould do\b|\b(?:hold|held|holds) (?:[\w ]+ )?against\b|\bmet\b|\bwould (?:it )?bring\b|\bto speak of\b|\bas it stands\b", re.I),
    ("does not hold, not known", r"\bdo(?:es)? not hold\b|\bnot known\b(?!\()|\bno sure\b|\bcannot be told\b", re.I),
    ("recording", r"\b(?:the|a|this|each|every|no|of|one|other|all|any|such|these|two|their|several|from|its) recordings?\b", re.I),
    ("memory set, products", r"\bmemory sets?\b|\b(?:matrix )?products\b|\btensor cores\b", 0),
    ("British", r"\b(?:colour\w*|neighbour\w*|behaviour\w*|favour\w*|modelled|labelled|cancelled|grey|centre|analys(?:e|ed|ing)|(?:recogn|normal|initial|optim|summar|general|synchron|real|minim|maxim)is(?:e|ed|es|ing)|catalogue)\b", re.I),
    ("nobody, in turn, at once, likewise", r"\bnobody\b|\bin turn\b|\bat once\b|\blikewise\b", re.I),
    ("give back, come to", r"\bgives? back\b|\bgiven back\b|\bcomes? to (?!a collective|the collective)", re.I),
    ("open", r"\b(?:left?|leaves?|is|are|stays?|remains?|verdict) open\b", re.I),
    ("stretch", r"\bstretch(?:es)?\b", re.I),
    ("beyond noise, lead-in", r"\bbeyond noise\b|\blead-in\b|\bin all\b(?! \w)", re.I),
    ("stands still, not hidden", r"\bstands? still\b|\bnothing hides\b|\bnot hidden\b|\bhides them\b", re.I),
]]

# A term of the glossary, and the words that it replaces; these are banned in titles of rules.
TERMS = [
    ("profile", r"\bprofiles?\b", r"\brecordings?\b"),
    ("iteration", r"\biterations?\b", r"\bsteps?\b|\brounds?\b"),
    ("operator", r"\boperators?\b", r"\bops?\b"),
    ("memset", r"\bmemsets?\b", r"\bmemory sets?\b"),
    ("matmul", r"\bmatmuls?\b", r"\bproducts\b"),
    ("idle", r"\bidle\b", r"\bstands? still\b|\bdoes nothing\b"),
    ("exposed", r"\bexposed\b", r"\bnot hidden\b|\bnothing hides\b"),
    ("simulated", r"\bsimulat\w+\b", r"\breplay\w*\b"),
    ("critical path", r"\bcritical path\b", r"\bwaits? for what\b|\bwhat \w+ iteration waits for\b"),
    ("limit", r"\blimits?\b", r"\bthresholds?\b"),
    ("undecided, inconclusive", r"\bundecided\b|\binconclusive\b", r"\bleaves? \w+ open\b|\bcannot be told\b"),
    ("missing", r"\bmissing\b", r"\black(?:s|ing)?\b"),
    ("unknown", r"\bunknown\b", r"\bnot known\b|\bdoes not tell\b"),
    ("baseline, candidate", r"\bbaselines?\b|\bcandidates?\b", r"\bsides?\b"),
    ("significant", r"\bsignifican\w+\b", r"\bbeyond noise\b"),
    ("repaired", r"\brepair\w*\b", r"\bmend\w*\b"),
    ("skipped", r"\bskipped\b", r"\bleft out\b"),
    ("total", r"\btotals?\b", r"\bin all\b"),
]


def literals(text):
    """C++ literals as (line, text); adjacent ones are joined."""
    out, i, line = [], 0, 1
    token = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\((.*?)\)\1"|"((?:\\.|[^"\\\n])*)"|(?<![0-9a-fA-F])\'(?:\\.[^\']*|[^\'\\])\'|\n', re.S)
    end = -1
    for match in token.finditer(text):
        line += text.count("\n", i, match.start())
        i = match.start()
        if match[2] is not None or match[3] is not None:
            raw = match[2] if match[2] is not None else re.sub(r"\\(n|u2026|.)", lambda m: {"n": "\n", "u2026": "…"}.get(m[1], m[1]), match[3])
            if out and end >= 0 and not text[end:match.start()].strip():
                out[-1][1] += raw
            else:
                out.append([line, raw])
            end = match.end()
    lines = text.split("\n")
    return [(n, t) for n, t in out if not lines[n - 1].lstrip().startswith("#include")]


def yaml_texts(text):
    for number, line in enumerate(text.split("\n"), 1):
        line = re.sub(r"(^|\s)#.*", "", line).strip()
        # Quotes and keys are no text; lists of ids and expressions without words are none either.
        if re.match(r"\[|(?:any|if|at_max|sum|count|least|greatest)?\(", line) and "{{" not in line:
            continue
        yield number, re.sub(r"^(?:- )*(?:[\w.]+: )?[>|]?-?\s*['\"]?", "", line)


def script_texts(text):
    for number, line in enumerate(text.split("\n"), 1):
        for match in re.finditer(r"'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\"|`((?:[^`\\]|\\.)*)`", re.sub(r"(^|\s)//.*", "", line)):
            yield number, match[1] or match[2] or match[3] or ""


def page_texts(text):
    for number, line in enumerate(text.split("\n"), 1):
        for match in re.finditer(r'>([^<>]+)<|(?:caption|title|aria-label)="([^"]+)"|^([^<{][^<]*)$', line):
            yield number, re.sub(r"\{\{[^}]*\}\}", "", (match[1] or match[2] or match[3]).strip())


def document_texts(text):
    fenced = False
    for number, line in enumerate(text.split("\n"), 1):
        fenced ^= line.lstrip().startswith("```")
        if not fenced and not line.startswith("    "):
            yield number, line.rstrip()


def listed():
    skipped = ("build", ".git", "tests", "_deps")
    for path in sorted(ROOT.rglob("*")):
        relative = path.relative_to(ROOT)
        if path.is_file() and relative.parts[0] not in skipped and relative.as_posix() != "CHANGELOG.md":
            yield path, relative.as_posix()


def reader_of(path):
    """The function that finds the texts of a file; None if it has no prose."""
    if path.startswith(NOT_PROSE) or path.endswith(".test.yaml"):
        return None
    if path.startswith("src/") and path.endswith((".cc", ".h")):
        return literals
    if path.startswith("rules/") and path.endswith(".yaml"):
        return yaml_texts
    if path.startswith("templates/"):
        return None if path.endswith(".css") else script_texts if path.endswith(".js") else page_texts
    return document_texts if path.endswith(".md") else None


def is_prose(text):
    return " " in text.strip() and len(re.findall(r"[A-Za-z]{2,}", text)) >= 2 and not NOT_TEXT.search(text)


def texts():
    for path, name in listed():
        if reader := reader_of(name):
            for line, text in reader(path.read_text(errors="replace")):
                if is_prose(text):
                    yield name, line, text


def area_of(path):
    parts = path.split("/")
    if path.endswith("README.md") and path.count("/") > 1 or path == "src/README.md" or path == "src/DECISIONS.md":
        return "documents"
    if parts[0] == "src":
        return "src/" + parts[1]
    if path in ("README.md", "rules/README.md"):
        return path
    return parts[0] if parts[0] in ("rules", "templates") else "documents"


@functools.cache
def lines_of(name):
    return (ROOT / name).read_text(errors="replace").split("\n")


def line_of(name, number):
    return lines_of(name)[number - 1]


def hits():
    """(file, line, word, text around it) of each banned word and each sentence that is too long."""
    for name, line, text in texts():
        plain = re.sub(r"`[^`]*`", "`x`", text)
        plain = IDS.sub("x", FINE.sub(lambda m: "x" * len(m[0]), plain))
        if name.endswith(".yaml"):
            plain = NAMES.sub("x", plain)
        for word, pattern in BANNED:
            for match in pattern.finditer(plain):
                yield name, line, word, plain[max(0, match.start() - 50):match.end() + 50].replace("\n", " ")
        if name.startswith("rules/") and (title := re.match(r"\s*(?:- )?title(?:_pass)?: (.*)", line_of(name, line))):
            for term, _, twin in TERMS:
                for match in re.finditer(twin, title[1], re.I):
                    yield name, line, f"replaced by {term}", title[1]
        if not name.endswith(".md"):  # Lines of documents end within sentences.
            for sentence in re.split(r"(?<=[.;:]) |\n", plain):
                if len(re.findall(r"[\w'’%]+", sentence)) > MOST_WORDS:
                    yield name, line, "long sentence", sentence[:100]


def remarks():
    """(file, line, word, text around it) of each banned word in a comment or in the name of a test."""
    pattern = re.compile(r"//+<?!?\s?(.*)|^TEST(?:_F|_P)?\(\w+, (\w+)\)")
    for top in ("include", "src", "tests"):
        for path in sorted((ROOT / top).rglob("*")):
            if path.suffix not in (".cc", ".h"):
                continue
            for number, line in enumerate(path.read_text(errors="replace").split("\n"), 1):
                if not (found := pattern.search(line)):
                    continue
                text = found[1] or re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", found[2] or "")
                text = IDS.sub("x", FINE.sub("x", re.sub(r"`[^`]*`", "`x`", text)))
                for word, banned in BANNED:
                    for match in banned.finditer(text):
                        yield path.relative_to(ROOT).as_posix(), number, word, text[max(0, match.start() - 40):match.end() + 40]


def read_bars():
    bars, exceptions = {}, []
    for number, row in enumerate(BARS.read_text().splitlines() if BARS.exists() else [], 1):
        cells = [cell.strip() for cell in row.split("|")]
        if not row.strip() or row.startswith("#"):
            continue
        if len(cells) == 2 and cells[0].isdigit():
            bars[cells[1]] = int(cells[0])
        elif len(cells) == 4 and cells[0] == "allow":
            exceptions.append(tuple(cells[1:]))
        else:
            sys.exit(f"{BARS}:{number}: expected `NUMBER | AREA` or `allow | FILE | TEXT | REASON`: {row}")
    return bars, exceptions


def write_bars(bars, exceptions):
    head = [line for line in BARS.read_text().splitlines() if line.startswith("#")]
    rows = [f"{bars[area]:4} | {area}" for area in sorted(bars)]
    BARS.write_text("\n".join(head + rows + ["allow | " + " | ".join(e) for e in exceptions]) + "\n")


def count_terms():
    everything = " \n".join(re.sub(r"`[^`]*`", "", text) for _, _, text in texts())
    comments = " \n".join(m for path in sorted((ROOT / "src").rglob("*")) if path.suffix in (".cc", ".h")
                          for m in re.findall(r"//+<?\s?(.*)", path.read_text(errors="replace")))
    names = " ".join(re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", m) for path in sorted((ROOT / "tests").rglob("*.cc"))
                     for m in re.findall(r"^TEST(?:_F|_P)?\(\w+, (\w+)\)", path.read_text(errors="replace"), re.M))
    print(f"{'term':26}{'texts':>7}{'twins':>7}{'comments':>10}{'twins':>7}{'tests':>7}{'twins':>7}")
    for name, term, twin in TERMS:
        cells = [len(re.findall(p, where, re.I)) for where in (everything, comments, names) for p in (term, twin)]
        print(f"{name:26}{cells[0]:7}{cells[1]:7}{cells[2]:10}{cells[3]:7}{cells[4]:7}{cells[5]:7}")


def main():
    arguments = sys.argv[1:]
    if "--terms" in arguments:
        return count_terms()
    if "--comments" in arguments:
        for name, line, word, around in remarks():
            if name.startswith(arguments[-1]) or arguments[-1] == "--comments":
                print(f"{name}:{line}: {word}: {around}")
        return 0
    if "--strings" in arguments:
        rest = arguments[arguments.index("--strings") + 1:]
        rows = [row for row in texts() if row[0].startswith(rest[0])]
        if len(rest) > 2:
            rows = sorted(random.Random(int(rest[2])).sample(rows, min(int(rest[1]), len(rows))))
        for name, line, text in rows:
            print(f"{name}:{line}: {text}")
        return 0
    bars, exceptions = read_bars()
    counts, used, words = Counter(), set(), Counter()
    path = arguments[-1] if arguments and not arguments[-1].startswith("-") else ""
    for name, line, word, around in hits():
        exception = next((e for e in exceptions if e[0] == name and e[1] in around), None)
        if exception:
            used.add(exception)
            continue
        counts[area_of(name)] += 1
        words[word] += 1
        if "-v" in arguments and name.startswith(path):
            print(f"{name}:{line}: {word}: {around}")
    failed = False
    if "--lower" in arguments:
        exceptions = [e for e in exceptions if e in used]
        bars = {area: min(counts[area], bars.get(area, counts[area])) for area in bars.keys() | counts.keys()}
        write_bars(bars, exceptions)
    for area in sorted(counts.keys() | bars.keys()):
        above = counts[area] > bars.get(area, 0)
        failed |= above
        print(f"{'ABOVE' if above else 'kept '} {area}: {counts[area]} banned words, at most {bars.get(area, 0)}")
    for exception in exceptions:
        if exception not in used:
            failed = True
            print(f"ABOVE exception is unused, remove it: {' | '.join(exception)}")
    print(f"warn  comments and names of tests: {sum(1 for _ in remarks())} banned words, see --comments")
    if len(exceptions) > MOST_EXCEPTIONS:
        failed = True
        print(f"ABOVE {len(exceptions)} exceptions, at most {MOST_EXCEPTIONS}")
    if "-v" in arguments:
        print(", ".join(f"{word} {count}" for word, count in words.most_common()))
    return 1 if failed else 0


sys.exit(main())
