"""Runs the program `profgauge` and turns its JSON into typed values. Needs only the standard library, Python 3.8."""
from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sysconfig
import tempfile
from dataclasses import dataclass, field
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

Path = Union[str, "os.PathLike[str]"]
Paths = Union[Path, Sequence[Path]]

# The program and this module belong together to the minor version.
_VERSION = "0.1"
_STATUS = {0: "pass", 1: "fail", 3: "no_verdict"}


class Error(Exception):
    """The program could not answer. `code` is stable; `notes` have the next step."""

    def __init__(self, code: str, message: str, notes: Sequence[str] = (), exit_code: int = 2) -> None:
        super().__init__(message)
        self.code, self.message, self.notes, self.exit_code = code, message, list(notes), exit_code

    def __str__(self) -> str:
        return "\n  ".join([self.message, *self.notes])


@dataclass(frozen=True)
class Metric:
    id: str
    value: Optional[float]  # In the base unit; None: see `absent`.
    unit: str
    text: str
    absent: str = ""


@dataclass(frozen=True)
class Finding:
    key: str
    rule: str
    level: str
    status: str
    title: str
    message: str
    advice: str
    gain_ns: Optional[float] = None
    gain_basis: str = ""

    @property
    def fired(self) -> bool:
        return self.status in ("error", "warn", "info")


@dataclass(frozen=True)
class Verdict:
    status: str  # "pass", "fail" or "no_verdict"
    exit_code: int
    reasons: Tuple[str, ...] = ()
    metrics: Mapping[str, Metric] = field(default_factory=dict, repr=False)
    findings: Tuple[Finding, ...] = field(default=(), repr=False)
    report: Mapping[str, Any] = field(default_factory=dict, repr=False)  # The whole report.json.

    def __bool__(self) -> bool:
        return self.status == "pass"

    @property
    def errors(self) -> Tuple[Finding, ...]:
        return tuple(one for one in self.findings if one.status == "error")

    @property
    def warnings(self) -> Tuple[Finding, ...]:
        return tuple(one for one in self.findings if one.status == "warn")


@dataclass(frozen=True)
class Column:
    name: str
    unit: Optional[str]
    type: Optional[str]


class Table(Sequence[Dict[str, Any]]):
    """Rows as dictionaries, in base units: nanoseconds, bytes, shares from 0 to 1. None is missing."""

    def __init__(self, columns: Sequence[Column], rows: List[Dict[str, Any]], notes: Sequence[str] = ()) -> None:
        self.columns, self.rows, self.notes = tuple(columns), rows, tuple(notes)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: Any) -> Any:
        return self.rows[index]

    def __iter__(self) -> Iterator[Dict[str, Any]]:
        return iter(self.rows)

    def __repr__(self) -> str:
        return f"Table({', '.join(column.name for column in self.columns)}; {len(self)} rows)"

    def to_pandas(self) -> Any:
        try:
            import pandas  # type: ignore
        except ImportError as error:
            raise ImportError("Table.to_pandas() needs pandas, which is not installed") from error
        return pandas.DataFrame(self.rows, columns=[column.name for column in self.columns])


def find_program(program: Optional[Path] = None) -> str:
    """As given, $PROFGAUGE_PROGRAM, beside this Python (a wheel puts it there), or in the search path."""
    chosen = program or os.environ.get("PROFGAUGE_PROGRAM")
    if chosen:
        found = shutil.which(os.fspath(chosen))
    else:
        package = os.path.dirname(os.path.abspath(__file__))
        folders = [sysconfig.get_path("scripts"), sysconfig.get_path("scripts", f"{os.name}_user"),
                   os.path.join(os.path.dirname(package), "bin")]
        found = shutil.which("profgauge", path=os.pathsep.join(filter(None, folders))) or shutil.which("profgauge")
    if not found:
        raise Error("python/no-program", "the program `profgauge` was not found",
                    ["help: install the wheel, or set PROFGAUGE_PROGRAM to its path"])
    return found


def version(program: Optional[Path] = None) -> str:
    """Of the program: "0.1.0"."""
    done = subprocess.run([find_program(program), "version"], stdout=subprocess.PIPE, check=False)
    found = re.search(r"\d+\.\d+\.\d+", done.stdout.decode("utf-8", "replace"))
    return found.group(0) if found else ""


_checked: Dict[str, str] = {}


def _program(program: Optional[Path]) -> str:
    path = find_program(program)
    if path not in _checked:
        _checked[path] = version(path)
    if not _checked[path].startswith(_VERSION + "."):
        raise Error("python/other-version", f"the program `{path}` has version {_checked[path] or 'unknown'}, "
                    f"this module {_VERSION}", ["help: install module and program from one wheel"])
    return path


def _error(text: str, exit_code: int) -> Error:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    at = next((i for i, line in enumerate(lines) if re.match(r"(internal )?error: ", line)), None)
    if at is None:
        return Error("internal/unknown", text.strip() or f"the program ended with exit code {exit_code}", (), exit_code)
    code = re.search(r"\[([a-z-]+/[a-z-]+)\]\s*$", "\n".join(lines[at:]), re.MULTILINE)
    message = re.sub(r"\s*\[[a-z-]+/[a-z-]+\]$", "", lines[at].split(": ", 1)[1])
    notes = [re.sub(r"\s*\[[a-z-]+/[a-z-]+\]$", "", line) for line in lines[at + 1:] if line[:5] in ("help:", "note:")]
    return Error(code.group(1) if code else "internal/unknown", message, notes, exit_code)


def _list(paths: Paths) -> List[str]:
    return [os.fspath(paths)] if isinstance(paths, (str, os.PathLike)) else [os.fspath(path) for path in paths]


def _run(command: Sequence[str], program: Optional[Path], timeout: Optional[float],
         accepts: Sequence[int] = (0,)) -> Tuple[int, str, str]:
    """Without a shell. Exit codes that are not accepted raise Error."""
    done = subprocess.run([_program(program), *command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=timeout, check=False)
    out, said = done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")
    if done.returncode not in accepts:
        raise _error(said, done.returncode)
    return done.returncode, out, said


def _metric(name: str, found: Mapping[str, Any]) -> Metric:
    value = found.get("value")
    number = value if isinstance(value, (int, float)) and not isinstance(value, bool) else None
    return Metric(name, number, found.get("unit", ""), found.get("text", ""), found.get("absent", ""))


def _finding(found: Mapping[str, Any]) -> Finding:
    gain = found.get("gain") or {}
    return Finding(found.get("key") or found.get("rule", ""), found.get("rule", ""), found.get("level", ""),
                   found.get("status", ""), found.get("title", ""), found.get("message", ""), found.get("advice", ""),
                   gain.get("value"), gain.get("basis", ""))


def _rank_of(finding: Finding) -> Tuple[int, bool]:
    """Errors first; each level in the report's order, remarks about the recording after the others."""
    levels = ("error", "warn", "info")
    level = levels.index(finding.status) if finding.status in levels else len(levels)
    return level, finding.rule.startswith("recording/")


def _verdict(exit_code: int, text: str, said: str) -> Verdict:
    status = _STATUS.get(exit_code, "no_verdict")
    try:
        whole = json.loads(text)
    except ValueError:
        raise _error(said, exit_code) from None
    if whole.get("errors"):  # It was not judged: `if v.status == "fail"` must not pass a wrong path.
        first = whole["errors"][0]
        raise Error(first["code"], first["message"], first.get("notes", ()), exit_code)
    metrics = {name: _metric(name, one) for name, one in whole.get("metrics", {}).items()}
    findings = tuple(sorted((_finding(one) for one in whole.get("findings", [])), key=_rank_of))
    reasons = tuple(whole.get("verdict", {}).get("reasons", []))
    return Verdict(status, exit_code, reasons, metrics, findings, whole)


def _judging(policy: Optional[Path], baseline: Union[None, Path, Sequence[Path]], arguments: Sequence[str]) -> List[str]:
    options: List[str] = []
    if policy is not None:
        options += ["--policy", os.fspath(policy)]
    for one in [] if baseline is None else _list(baseline):
        options += ["--baseline", one]
    return options + list(arguments)


def check(profiles: Paths, policy: Optional[Path] = None, baseline: Union[None, Path, Sequence[Path]] = None,
          arguments: Sequence[str] = (), program: Optional[Path] = None, timeout: Optional[float] = None) -> Verdict:
    """Judges a profile. A profile that cannot be read raises Error with exit_code 3; so do mistakes, with 2."""
    command = ["check", *_list(profiles), "--json", "-", *_judging(policy, baseline, arguments)]
    return _verdict(*_run(command, program, timeout, (0, 1, 3)))


def report(profiles: Paths, policy: Optional[Path] = None, baseline: Union[None, Path, Sequence[Path]] = None,
           arguments: Sequence[str] = (), program: Optional[Path] = None,
           timeout: Optional[float] = None) -> Dict[str, Any]:
    """The whole report.json."""
    command = ["report", *_list(profiles), "--json", "-", *_judging(policy, baseline, arguments)]
    whole: Dict[str, Any] = json.loads(_run(command, program, timeout)[1])
    return whole


def compare(base: Path, current: Path, policy: Optional[Path] = None, arguments: Sequence[str] = (),
            program: Optional[Path] = None, timeout: Optional[float] = None) -> Verdict:
    """Explains the differences between two runs: `report["comparison"]`."""
    command = ["compare", os.fspath(base), os.fspath(current), "--json", "-", *_judging(policy, None, arguments)]
    return _verdict(*_run(command, program, timeout, (0, 1, 3)))


def find(folder: Path, program: Optional[Path] = None, timeout: Optional[float] = None) -> List[Dict[str, Any]]:
    """The runs below a folder."""
    command = ["inspect", os.fspath(folder), "--part", "0/1", "--json", "-"]  # All of them, also a single one.
    runs: List[Dict[str, Any]] = json.loads(_run(command, program, timeout)[1])["runs"]
    return runs


def query(profiles: Paths, sql: str, parameters: Optional[Mapping[str, Any]] = None, arguments: Sequence[str] = (),
          program: Optional[Path] = None, timeout: Optional[float] = None) -> Table:
    """Answers one SELECT, or a saved query by `@NAME`."""
    command = ["query", "--format", "json", *arguments]
    for name, value in (parameters or {}).items():
        command += ["--param", f"{name}={value}"]
    answer = json.loads(_run([*command, "--", *_list(profiles), sql], program, timeout)[1])
    columns = [Column(one["name"], one["unit"], one["type"]) for one in answer["columns"]]
    names = [column.name for column in columns]
    return Table(columns, [dict(zip(names, row)) for row in answer["rows"]], answer["notes"])


def export(profiles: Paths, out: Path, format: str = "parquet", tables: Sequence[str] = (),
           arguments: Sequence[str] = (), program: Optional[Path] = None, timeout: Optional[float] = None) -> None:
    """Writes all rows of tables: csv, tsv, jsonl, parquet into a folder; sqlite into a file."""
    options = ["--tables", ",".join(tables)] if tables else []
    _run(["export", "tables", *_list(profiles), "-o", os.fspath(out), "--format", format, *options, *arguments],
         program, timeout)


def tables(profiles: Paths, names: Sequence[str], arguments: Sequence[str] = (), program: Optional[Path] = None,
           timeout: Optional[float] = None) -> Dict[str, Table]:
    """All rows of these tables, by name."""
    with tempfile.TemporaryDirectory(prefix="profgauge-") as folder:
        export(profiles, folder, "jsonl", names, arguments, program, timeout)
        with open(os.path.join(folder, "schema.json"), encoding="utf-8") as file:
            schema = json.load(file)
        found: Dict[str, Table] = {}
        for table in schema["tables"]:
            with open(os.path.join(folder, table["file"]), encoding="utf-8") as file:
                rows = [json.loads(line) for line in file]
            columns = [Column(one["name"], one["unit"], None) for one in table["columns"]]
            notes = [table["absent"]] if "absent" in table else []
            found[table["name"]] = Table(columns, rows, notes)
        return found
