"""Compares the answers of two programs: see ci/same.sh."""
import argparse, atexit, concurrent.futures, fnmatch, os, pathlib, shlex, shutil, sqlite3, subprocess, sys, tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
DATA = ROOT.parent / "shared" / "data"
SECONDS = 120  # A program that takes longer hangs: its exit code is then "timeout".


def cases():
    """Of tests/cases as tests/case_runner runs them: in a copy of the folder, SQL made a database."""
    folder = tempfile.TemporaryDirectory()
    atexit.register(folder.cleanup)
    top = pathlib.Path(folder.name)
    subprocess.run([sys.executable, ROOT / "tests/cases/cases.py", "unpack", top], check=True)
    for args in sorted(top.rglob("args")):
        words = shlex.split(args.read_text())
        judges = words[:1] in (["check"], ["report"])
        if judges and not {"--out", "-o", "--run", "--help", "-h"} & set(words):
            words += ["--out", "out"]
        yield f"tests/cases/{args.parent.relative_to(top)}", args.parent, words


def profiles(top):
    """Each file and, as one run, each folder of several files, by its path."""
    for folder, folders, files in os.walk(top):
        folders.sort()
        for path in [os.path.join(folder, f) for f in sorted(files)] + [folder] * (len(files) > 1):
            yield os.path.relpath(path, ROOT), None, ["check", path, "--out", "out"]


def answer(program, copied, words):
    """{part: bytes} of one run, in a separate folder whose path is as long as any other's."""
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="same-"))
    try:
        work = scratch / "run"
        shutil.copytree(copied, work) if copied else work.mkdir()
        for sql in work.glob("*.sql"):
            with sqlite3.connect(sql.with_suffix(".sqlite")) as database:
                database.executescript(sql.read_text())
            database.close()
        before = {p for p in work.rglob("*")}
        stdin = work / "stdin"
        given = stdin.read_bytes() if stdin.exists() else b""
        kept = {k: v for k, v in os.environ.items() if k in ("PATH", "HOME", "LANG")}
        try:
            run = subprocess.run([program, *words], cwd=work, input=given, capture_output=True,
                                 env=kept | {"TZ": "UTC", "COLUMNS": "100"}, timeout=SECONDS)
            parts = {"exit": str(run.returncode).encode(), "stdout": run.stdout, "stderr": run.stderr}
        except subprocess.TimeoutExpired:
            parts = {"exit": b"timeout"}
        for path in sorted(p for p in work.rglob("*") if p.is_file() and p.suffix != ".xlsx"):
            if path not in before or path.name in ("out", "report.json"):
                parts[path.relative_to(work).as_posix()] = path.read_bytes()
        return {k: v.replace(str(scratch).encode(), b"SCRATCH") for k, v in parts.items()}
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def first_lines(a, b, most):
    """The first lines in which two texts differ, each cut around the first character that does."""
    lines_a, lines_b = a.split(b"\n"), b.split(b"\n")
    shown = []
    for i in range(max(len(lines_a), len(lines_b))):
        line_a, line_b = (x[i] if i < len(x) else None for x in (lines_a, lines_b))
        if line_a == line_b:
            continue
        at = len(os.path.commonprefix([line_a or b"", line_b or b""]))
        for sign, line in (("-", line_a), ("+", line_b)):
            if line is not None:
                shown.append(f"    {sign}{i + 1}: {line[max(0, at - 60):at + 100].decode(errors='replace')}")
        if len(shown) >= 2 * most:
            break
    return shown


def main():
    parser = argparse.ArgumentParser(prog="ci/same.sh")
    parser.add_argument("programs", nargs=2, metavar="PROGRAM")
    parser.add_argument("--only", action="append", default=[], metavar="GLOB")
    parser.add_argument("--allow", default=ROOT / "ci/same.allow", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--lines", type=int, default=3, help="differing lines shown of each part")
    options = parser.parse_args()
    programs = [str(pathlib.Path(p).resolve()) for p in options.programs]
    for program in programs:
        if not os.access(program, os.X_OK):
            parser.error(f"{program} is no program")
    rows = [line.split(None, 2) for line in options.allow.read_text().splitlines() if line.strip() and line[0] != "#"]
    if bad := [row for row in rows if len(row) != 3]:
        parser.error(f"{options.allow}: a line has a glob, a part and a reason: {bad[0]}")
    met = [0] * len(rows)
    subjects = [*cases(), *profiles(ROOT / "examples"), *(profiles(DATA) if DATA.is_dir() else ())]
    subjects = [s for s in subjects if not options.only or any(fnmatch.fnmatch(s[0], g) for g in options.only)]

    def differences(subject):
        a, b = (answer(program, *subject[1:]) for program in programs)
        return [(part, a.get(part, b""), b.get(part, b"")) for part in sorted(a.keys() | b.keys()) if a.get(part) != b.get(part)]

    different = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for (name, _, _), found in zip(subjects, pool.map(differences, subjects)):
            shown = []
            for part, a, b in found:
                rows_met = [i for i, row in enumerate(rows) if fnmatch.fnmatch(name, row[0]) and fnmatch.fnmatch(part, row[1])]
                for i in rows_met:
                    met[i] += 1
                if not rows_met:
                    shown += [f"  {part}", *first_lines(a, b, options.lines)]
            if shown:
                different += 1
                print("\n".join([name, *shown]), flush=True)
    for row, times in zip(rows, met):
        if not times and not options.only:
            print(f"{options.allow}: nothing differs as this line allows: {' '.join(row)}")
    if different:
        print(f"{different} of {len(subjects)} subjects differ")
    return 1 if different else 0 if subjects else parser.error("no subject")


if __name__ == "__main__":
    sys.exit(main())
