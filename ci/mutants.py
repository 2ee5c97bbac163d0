"""The changes that ci/mutate.py makes to a C++ file, all of them in one text.

Each is switched on at run time, by its number:

    a < b             (MUTANT(17) ? (a <= b) : (a < b))
    ++count;          { if (!MUTANT(18)) ++count; }
    if (auto x = f()) if (auto x = f(); !MUTANT(19) && static_cast<bool>(x))

The end of an expression follows only from its operators: those of two operands are between
spaces (clang-format puts them), template brackets and declarators do not.
"""
import bisect
import re
from dataclasses import dataclass

LITERAL = re.compile(r'R"(?P<mark>\w*)\(.*?\)(?P=mark)"|"(?:[^"\\\n]|\\.)*"|'
                     r"(?<![0-9a-fA-F])'(?:[^'\\\n]|\\.)+'", re.S)
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
DIRECTIVE = re.compile(r"^[ \t]*#[^\n]*", re.M)
LABEL = re.compile(r"\b(?:case\b[^;{}]*?(?<!:)|default\s*):(?!:)")

BINDING = {"*": 10, "/": 10, "%": 10, "+": 9, "-": 9, "<<": 8, ">>": 8, "<=>": 7, "<": 6, "<=": 6,
           ">": 6, ">=": 6, "==": 5, "!=": 5, "&": 4, "^": 3, "|": 2, "&&": 1, "||": 0,
           "?": -1, ":": -1, "=": -2, "+=": -2, "-=": -2, "*=": -2, "/=": -2, "|=": -2, "&=": -2}
OPERATOR = re.compile(r"(?<=\s)(<=>|<<|>>|&&|\|\||[-+*/|&<>=!]=|[-+*/%<>=&|^?:])(?=\s)")
SWAPPED = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "+": "-", "-": "+",
           "*": "/", "/": "*"}
CALLED = {"std::max": "std::min", "std::min": "std::max", "std::any_of": "std::all_of",
          "std::all_of": "std::any_of", "std::none_of": "std::any_of"}
# The replacement of a state besides the next one of its enumeration: a less severe one.
WEAKER = {"kFail": "kPass", "kNoVerdict": "kPass", "kError": "kWarn", "kWarn": "kInfo",
          "kMissing": "kSkipped", "kLowConfidence": "kPass", "kInconclusive": "kPass",
          "kBroken": "kPass"}
NUMBER = re.compile(r"(?<![\w.\"'])(?<!\de-)(\d+(?:\.\d+)?(?:e-?\d+)?)(?![\w.\"'])")
STATE = re.compile(r"\b((?:\w+::)*\w+)::(k[A-Z]\w*)\b")
NO_STATEMENT = re.compile(
    r"(?:return|if|for|while|switch|case|default|const|auto|static|constexpr|using|namespace|"
    r"struct|class|enum|throw|else|try|catch|do|goto|typedef|template|public|private|protected|friend|"
    r"inline|extern|explicit|virtual)\b")
STATEMENT = re.compile(r"(?:break|continue|return);|(?![A-Z_]+\()(?:\+\+|--|\*)?[A-Za-z_]")
DECLARED = re.compile(r"(?:const )?[\w:]+(?:<.*>)?(?: const)?[*&]* (?:const )?(\w+) = ")


@dataclass
class Mutant:
    """One change: the text in [begin, end) of the file becomes `text`. With `kind` "statement" the
    text is left out, with "condition" both are true or false, with "declaration" a condition that
    declares is false."""
    begin: int
    end: int
    text: str
    what: str
    kind: str = "expression"
    line: int = 0
    is_constant: bool = False  # Part of a constant of the compiler: cannot be switched.


def blank(text, *patterns):
    """The text with the matches made blank; lines and offsets stay."""
    for pattern in patterns:
        text = pattern.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text)
    return text


def without_comments(text):
    """Comments made blank, except a literal's text that looks like one."""
    both = re.compile(f"(?P<literal>{LITERAL.pattern})|(?:{COMMENT.pattern})", re.S)
    return both.sub(lambda m: m[0] if m["literal"] else re.sub(r"[^\n]", " ", m[0]), text)


class Source:
    def __init__(self, text):
        self.code = without_comments(text)
        # Where a literal stood there are letters, so that it is an operand still.
        self.bare = LITERAL.sub(lambda m: re.sub(r"[^\n]", "q", m[0]), self.code)
        self.bare = blank(self.bare, DIRECTIVE)
        self.bare = LABEL.sub(lambda m: re.sub(r"[^\n]", " ", m[0][:-1]) + ";", self.bare)
        self.lines = [0] + [m.end() for m in re.finditer("\n", text)]
        self.partner = {}
        open_ones = []
        for at, char in enumerate(self.bare):
            if char in "([{":
                open_ones.append(at)
            elif char in ")]}":
                self.partner[at] = open_ones.pop()
                self.partner[self.partner[at]] = at
        self.operators = {m.start(): m[1] for m in OPERATOR.finditer(self.bare)}

    def line(self, at):
        return bisect.bisect_right(self.lines, at)

    def is_in_template(self, at):
        return re.search(r"\w<[\w:<>, ]*$", self.bare[max(0, at - 80):at]) is not None

    def left(self, at, binding):
        """Where the operand that ends before `at` begins."""
        at -= 1
        while at >= 0:
            char = self.bare[at]
            if char in ")]}":
                at = self.partner[at]
            elif char in "([{;" or (char == "," and not self.is_in_template(at)):
                break
            elif at in self.operators and BINDING[self.operators[at]] < binding:
                at += len(self.operators[at]) - 1
                break
            elif self.bare.startswith("return", at) and not self.bare[at - 1].isalnum():
                at += len("return") - 1
                break
            at -= 1
        return re.compile(r"\s*").match(self.bare, at + 1).end()

    def right(self, at, binding):
        """Where the operand that begins at `at` ends."""
        while at < len(self.bare):
            char = self.bare[at]
            if char in "([{":
                at = self.partner[at]
            elif char in ")]},;":
                break
            elif at in self.operators and BINDING[self.operators[at]] <= binding:
                break
            at += 1
        return len(self.bare[:at].rstrip())


def of_operators(source):
    for at, operator in source.operators.items():
        binding = BINDING[operator]
        if binding < -1 or operator == ":":
            continue
        begin = source.left(at, max(binding, -0.5))  # Of `a ? b : c ? d : e` the second `?` asks c.
        first = source.code[begin:at].rstrip()
        if operator == "?":
            for word in ("true", "false"):
                yield Mutant(begin, begin + len(first), word, f"`{first}` to `{word}`", "condition")
            continue
        after = at + len(operator)
        end = source.right(after, binding)
        second = source.code[after:end].strip()
        if operator in ("&&", "||"):
            for left in (first, second):
                yield Mutant(begin, end, f"static_cast<bool>({left})", f"`{operator}` to `{left}`",
                             "condition")
        elif operator in SWAPPED:
            other = SWAPPED[operator]
            yield Mutant(begin, end, f"{first} {other} {second}", f"`{operator}` to `{other}`")


def of_signs(source):
    for m in re.finditer(r"(?<![\w)\]])([!-])(?=[\w(])", source.bare):
        end = source.right(m.end(), 11)
        operand = source.code[m.end():end]
        text = f"static_cast<bool>({operand})" if m[1] == "!" else operand
        yield Mutant(m.start(), end, text, f"`{m[1]}{operand}` to `{operand}`",
                     "condition" if m[1] == "!" else "expression")


def of_words(source, enums):
    for m in NUMBER.finditer(source.bare):
        more = str(int(m[1]) + 1) if m[1].isdigit() else repr(float(m[1]) + 1)
        yield Mutant(m.start(1), m.end(1), more, f"{m[1]} to {more}")
    for m in re.finditer(r"\b(true|false)\b", source.bare):
        other = "false" if m[0] == "true" else "true"
        yield Mutant(m.start(), m.end(), other, f"{m[0]} to {other}")
    for m in STATE.finditer(source.bare):
        all_of_it = enums.get(m[1].split("::")[-1], [])
        if m[2] not in all_of_it:
            continue
        following = all_of_it[(all_of_it.index(m[2]) + 1) % len(all_of_it)]
        for other in sorted({following, WEAKER.get(m[2], following)} & {*all_of_it} - {m[2]}):
            yield Mutant(m.start(), m.end(), f"{m[1]}::{other}", f"{m[2]} to {other}")
    for m in re.finditer(r"std::\w+(?=[(<])", source.bare):
        if m[0] not in CALLED:
            continue
        begin = source.bare.index("(", m.end())
        end = source.partner[begin] + 1
        yield Mutant(m.start(), end, CALLED[m[0]] + source.code[m.end():end],
                     f"`{m[0]}` to `{CALLED[m[0]]}`")


def of_conditions(source):
    for m in re.finditer(r"\b(if|while) \(", source.bare):
        begin, end = m.end(), source.partner[m.end() - 1]
        for semicolon in re.finditer(";", source.bare[begin:end]):
            begin = m.end() + semicolon.end()
        begin = re.compile(r"\s*").match(source.bare, begin).end()
        condition = source.code[begin:end]
        if DECLARED.match(condition):
            yield Mutant(begin, end, DECLARED.match(condition)[1], f"`{condition}` to `false`",
                         "declaration")
            continue
        for word in ("true", "false") if m[1] == "if" else ("false",):
            yield Mutant(begin, end, word, f"`{condition}` to `{word}`", "condition")


def of_statements(source):
    for m in re.finditer(r"[;{}]\s*|\belse\s+|\bdo\s+|\)\s+", source.bare):
        begin = m.end()
        if not STATEMENT.match(source.bare, begin):
            continue
        head = m[0].startswith(")") and re.search(r"\b(if|for|while) $",
                                                  source.bare[:source.partner[m.start()]])
        if m[0].startswith(")") and not head:
            continue
        is_jump = re.match(r"(break|continue|return);", source.bare[begin:])
        if NO_STATEMENT.match(source.bare, begin) and not is_jump:
            continue
        end = begin
        while end < len(source.bare) and source.bare[end] not in ";)]}":
            end = source.partner[end] if source.bare[end] in "([{" else end
            end += 1
        if source.bare[end:end + 1] != ";":
            continue
        # A removed statement with its own condition equals one whose condition is false.
        if head and head[1] == "if" and not re.match(r";\s*else\b", source.bare[end:]):
            continue
        # A declaration has two names beside each other before anything happens.
        happens = re.match(r"(?:\+\+|--|\*)?[\w:.\->]*(?:[\[(]| [-+*/|&]?= |;)|(?:\+\+|--)",
                           source.bare[begin:end + 1])
        if happens:
            yield Mutant(begin, end + 1, "", f"without `{source.code[begin:end + 1]}`", "statement")


def mutants_of(text, enums):
    """All changes of a file, in the order of their places."""
    source = Source(text)
    found = [*of_operators(source), *of_signs(source), *of_words(source, enums),
             *of_conditions(source), *of_statements(source)]
    # Conditions become true and false; that they become the opposite shows nothing more.
    decided = {(m.begin, m.end) for m in found if m.kind == "condition" and m.text == "false"}
    known = {}
    for mutant in found:
        is_opposite = re.match("`[!=]=` to `[!=]=`|`!", mutant.what) and mutant.text != "false"
        if is_opposite and mutant.text != "true" and (mutant.begin, mutant.end) in decided:
            continue
        mutant.line = source.line(mutant.begin)
        start = max(source.bare.rfind(mark, 0, mutant.begin) for mark in ";}")
        mutant.is_constant = re.search(r"\b(constexpr|static_assert|template)\b",
                                       source.bare[start + 1:mutant.begin]) is not None
        mutant.what = re.sub(r"\s+", " ", mutant.what)
        mutant.text = re.sub(r"\s+", " ", mutant.text) if '"' not in mutant.text else mutant.text
        known.setdefault((mutant.begin, mutant.end, mutant.text), mutant)
    return sorted(known.values(), key=lambda m: (m.begin, -m.end))


def changed(text, mutant):
    """The file with one change made for good."""
    old = text[mutant.begin:mutant.end]
    new = {"statement": "{}", "declaration": f"{old}; false"}.get(mutant.kind, f"({mutant.text})")
    return text[:mutant.begin] + new + text[mutant.end:]


def switched(text, numbered):
    """The file with all changes of {number: mutant}, each with its switch, and for each line of it
    the number whose text it is, or 0. Changes that cut each other stay out: the third result."""
    placed, apart = [], []
    for number, mutant in sorted(numbered.items(), key=lambda e: (e[1].begin, -e[1].end)):
        if any(m.begin < mutant.begin < m.end < mutant.end for _, m in placed):
            apart.append(number)
        else:
            placed.append((number, mutant))
    out = []
    code = without_comments(text)
    at = [0]  # The next of `placed`.

    def render(begin, end):
        while at[0] < len(placed) and placed[at[0]][1].begin < end:
            number, mutant = placed[at[0]]
            at[0] += 1
            out.append(code[begin:mutant.begin])
            mark = f" /*@{number}*/\n"
            if mutant.kind == "statement":
                out.append(f"\n{{ if (!MUTANT({number})){mark}")
                render(mutant.begin, mutant.end)
                out.append("\n}\n")
            elif mutant.kind == "declaration":
                render(mutant.begin, mutant.end)
                out.append(f"\n; !MUTANT({number}) && static_cast<bool>({mutant.text}){mark}")
            else:
                text = mutant.text.replace("\n", " ")
                cast = "static_cast<bool>" if mutant.kind == "condition" else ""
                out.append(f"\n(MUTANT({number}) ?{mark}({text}){mark}: {cast}({mark}")
                render(mutant.begin, mutant.end)
                out.append("\n))\n")
            begin = mutant.end
        out.append(code[begin:end])

    render(0, len(code))
    result = "".join(out)
    owners = [int(m[1]) if (m := re.search(r"/\*@(\d+)\*/$", line)) else 0
              for line in result.split("\n")]
    return result, owners, apart


def enums_in(texts):
    """{"Level": ["kInfo", "kWarn", "kError"], …} of headers."""
    enums = {}
    for text in texts:
        for m in re.finditer(r"enum class (\w+)[^{;]*\{([^}]*)\}", without_comments(text)):
            enums[m[1]] = re.findall(r"\b(k[A-Z]\w*)", m[2])
    return enums
