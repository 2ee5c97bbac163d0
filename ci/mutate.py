#!/usr/bin/env python3
"""Mutation testing of the code that decides the verdict.

    ci/mutate.py [--build FOLDER] [--at FILE[:LINE[-LINE]]] [--jobs N] [--sample N] [--seed S]
                 [--longest SECONDS]
    ci/mutate.py --list

Changes one operator, constant, condition or statement at a time and runs the tests of gate and
rules: a change is killed when it does not compile or a test fails. The other changes are printed with their
places; each is a missing test, unless the change makes no difference. All changes are compiled into
one program, each with a switch (ci/mutants.py), and only the tests that reach it are run. Changes
that cannot be switched (constants of the compiler) are compiled one by one.

FOLDER is a build with tests (build/debug); neither it nor the sources are changed, except
FOLDER/mutants, whose objects are used again. `--at` may be given several times; without it, all files.
With `--longest` tests that take longer (those that read real profiles) are left out: a remaining change
may be killed by these, and asks for a smaller test all the same.
"""
import argparse
import collections
import concurrent.futures
import hashlib
import json
import os
import pathlib
import random
import re
import resource
import shlex
import shutil
import subprocess
import sys
import time

from mutants import changed, enums_in, mutants_of, switched

ROOT = pathlib.Path(__file__).resolve().parent.parent
RULES = ["condition", "evaluator", "gain_bound", "policy", "policy_decode", "rule_run",
         "selection", "waiver"]
PROGRAMS = ["gate_test", "rules_test"]
# The first of the drawn verdicts already find the changes that drawn verdicts can find.
FEWER = {"PROFGAUGE_VERDICTS": "2000"}
SWITCH = """#pragma once
#include <cstdio>
#include <cstdlib>
#include <vector>
// Which change is on, or which are come by.
struct ProfgaugeMutants {
  int on = 0;
  const char* record = std::getenv("PROFGAUGE_MUTANTS_REACHED");
  std::vector<bool> reached = std::vector<bool>(1000000);
  ProfgaugeMutants() {
    const char* text = std::getenv("PROFGAUGE_MUTANT");
    if (text != nullptr) on = std::atoi(text);
  }
  ~ProfgaugeMutants() {
    if (record == nullptr) return;
    std::FILE* file = std::fopen(record, "w");
    for (std::size_t i = 0; i < reached.size(); ++i) {
      if (reached[i]) std::fprintf(file, "%zu\\n", i);
    }
    std::fclose(file);
  }
};
inline bool MUTANT(int number) {
  static ProfgaugeMutants mutants;
  if (mutants.record != nullptr) mutants.reached[static_cast<std::size_t>(number)] = true;
  return number == mutants.on;
}
"""


def limited():
    """A change may loop or ask for all memory."""
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def run(command, limit=3600, environment=None, cwd=ROOT):
    """Whether it succeeds, and its output; with `environment` as a test of a change."""
    try:
        done = subprocess.run(command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=limit, env={**os.environ, **(environment or {})},
                              shell=isinstance(command, str), errors="replace",
                              preexec_fn=limited if environment is not None else None)
        return done.returncode == 0, done.stdout
    except subprocess.TimeoutExpired:
        return False, "too slow"


class Build:
    """Programs in which some files are replaced by others, by the commands of a build folder."""

    def __init__(self, folder, files):
        self.folder, self.out = folder, folder / "mutants"
        self.out.mkdir(exist_ok=True)
        if not (self.out / "switch.h").exists() or (self.out / "switch.h").read_text() != SWITCH:
            (self.out / "switch.h").write_text(SWITCH)
        headers = [*(ROOT / "src").rglob("*.h"), self.out / "switch.h"]
        self.newest = max(header.stat().st_mtime for header in headers)
        self.units = {}  # file: entry of the compilation database
        for entry in json.loads((folder / "compile_commands.json").read_text()):
            unit = pathlib.Path(entry["file"])
            text = f'"{unit}"' if "/Unity/" not in entry["file"] else unit.read_text()
            for file in files:
                if f'"{ROOT / file}"' in text:
                    self.units[file] = entry
        lacking = set(files) - set(self.units)
        if lacking:
            sys.exit(f"{folder} does not compile {', '.join(sorted(lacking))}: build it with tests")
        self.archives = {self.archive_of(file) for file in files}
        self.links = {}
        for program in PROGRAMS:
            lines = run(["ninja", "-C", folder, "-t", "commands", program])[1].split("\n")
            links = [part for line in lines for part in line.split(" && ")
                     if f"-o {program} " in part]
            self.links[program] = links[-1]

    def archive_of(self, file):
        obj = self.units[file]["command"].split(" -o ")[1]
        target = re.search(r"CMakeFiles/(\w+)\.dir/", obj)[1]
        return f"lib{target}.a"

    def known(self, obj, text):
        """The note about the object of an earlier run, if it is of this text; else None."""
        note = obj.with_suffix(".json")
        if not obj.exists() or not note.exists() or obj.stat().st_mtime < self.newest:
            return None
        of, said = json.loads(note.read_text())
        return said if of == text else None

    def note(self, obj, text, said):
        obj.with_suffix(".json").write_text(json.dumps([text, said]))

    def compile(self, file, source, obj):
        """`source` as `file` is compiled, into `obj`."""
        entry = self.units[file]
        words = shlex.split(entry["command"])
        words[words.index("-o") + 1] = str(obj)
        words[words.index("-c") + 1] = str(source)
        words[1:1] = ["-w", "-Wno-narrowing"]
        return run(words, cwd=entry["directory"])

    def compile_rest(self):
        """The other files of a folder that is compiled as one: {archive: [objects]}."""
        rest = {}
        for entry in {e["file"]: e for e in self.units.values()}.values():
            files = [f for f, e in self.units.items() if e["file"] == entry["file"]]
            objects = rest.setdefault(self.archive_of(files[0]), [])
            if "/Unity/" not in entry["file"]:
                continue
            text = pathlib.Path(entry["file"]).read_text()
            for file in files:
                text = text.replace(f'#include "{ROOT / file}"', "")
            # It has the same name, since it replaces that object; each choice of files has a folder.
            name = pathlib.Path(shlex.split(entry["command"].split(" -o ")[1])[0]).name
            obj = self.out / hashlib.sha1(text.encode()).hexdigest()[:8] / name
            obj.parent.mkdir(exist_ok=True)
            source = obj.with_suffix(".cc")
            if not source.exists():
                source.write_text(text)
            if self.known(obj, text) is None or any(
                    pathlib.Path(of).stat().st_mtime > obj.stat().st_mtime
                    for of in re.findall(r'#include "(.*)"', text)):
                ok, said = self.compile(files[0], source, obj)
                if not ok:
                    sys.exit(said)
                self.note(obj, text, "")
            objects.append(obj)
        return rest

    def link(self, into, objects, base=None):
        """The programs with {archive: [objects]} in place of those of the same names."""
        into.mkdir(exist_ok=True)
        for archive, some in objects.items():
            shutil.copy((base or self.folder) / archive, into / archive)
            if not run(["ar", "r", into / archive, *some])[0]:
                return False, "ar fails"
        for program, link in self.links.items():
            for archive in self.archives:
                at = into if archive in objects else base or self.folder
                link = link.replace(f" {archive}", f" {at / archive}")
            ok, said = run(link.replace(f"-o {program} ", f"-o {into / program} "), cwd=self.folder)
            if not ok:
                return False, said
        return True, ""


def compile_switched(build, file, text, numbered):
    """All changes of a file in one object; those that cannot be are returned."""
    apart = [n for n, m in numbered.items() if m.is_constant]
    source = build.out / file
    obj = source.with_suffix(".cc.o")
    source.parent.mkdir(parents=True, exist_ok=True)
    key = f"{text}{[(n, m.what) for n, m in numbered.items()]}{build.units[file]['command']}"
    known = build.known(obj, key)
    if known is not None:
        return known
    while True:
        one, owners, cut = switched(text, {n: m for n, m in numbered.items() if n not in apart})
        apart += cut
        source.write_text(f'#include "{build.out}/switch.h"\n#line 1\n{one}')
        ok, said = build.compile(file, source, obj)
        if ok:
            build.note(obj, key, apart)
            return apart
        # An error is in the line of its change, after it, or right before it.
        wrong = set()
        for line in re.findall(rf"{re.escape(str(source))}:(\d+):\d+: (?:error|required)", said):
            above = [n for n in owners[max(0, int(line) - 5):int(line)] if n]
            below = [n for n in owners[int(line):int(line) + 3] if n]
            wrong.update(above[-1:] or below[:1])
        wrong = wrong - set(apart)
        if not wrong:
            sys.exit(said)
        apart += sorted(wrong)



class Tests:
    """The tests of the programs, how long each takes, and which changes each comes by."""

    def __init__(self, folder, jobs, longest):
        self.folder, self.seconds, self.reached = folder, {}, collections.defaultdict(set)
        self.longest = longest
        tests = []
        for program in PROGRAMS:
            suite = ""
            for line in run([folder / program, "--gtest_list_tests"])[1].split("\n"):
                if line.startswith("  "):
                    tests.append((program, suite + line.split("#")[0].strip()))
                elif line.endswith(".") or ".  #" in line:
                    suite = line.split("#")[0].strip()
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            for test, ok in zip(tests, pool.map(self.record, tests)):
                if not ok:
                    sys.exit(f"{test[1]} fails without a change")

    def record(self, test):
        program, name = test
        record = self.folder / f"reached-{program}-{name.replace('/', '-')}"
        begin = time.monotonic()
        ok, _ = run([self.folder / program, f"--gtest_filter={name}"],
                    environment={**FEWER, "PROFGAUGE_MUTANTS_REACHED": str(record)})
        self.seconds[test] = time.monotonic() - begin
        if record.exists():
            for number in record.read_text().split():
                self.reached[int(number)].add(test)
            record.unlink()
        return ok

    def kill(self, tests, folder, number=0):
        """Whether one of `tests` fails in `folder` with the change on; the quick ones are first."""
        spent, batches = 0, [[], [], []]
        for test in sorted(tests, key=lambda test: self.seconds[test]):
            if self.seconds[test] > self.longest:
                break
            spent += self.seconds[test]
            batches[(spent > 0.3) + (spent > 3)].append(test)
        for batch in batches:
            for program in PROGRAMS:
                names = [name for of, name in batch if of == program]
                limit = 10 + 5 * sum(self.seconds[program, name] for name in names)
                if names and not run(
                        [folder / program, "--gtest_fail_fast", "--gtest_brief=1",
                         f"--gtest_filter={':'.join(names)}"], limit,
                        {**FEWER, "PROFGAUGE_MUTANT": str(number)})[0]:
                    return True
        return False


def try_alone(build, tests, file, text, mutant, touching):
    """The outcome of a change that is compiled by itself."""
    folder = build.out / f"alone-{os.getpid()}-{mutant.begin}-{mutant.end}-{abs(hash(mutant.text))}"
    folder.mkdir()
    try:
        source = folder / pathlib.Path(file).name
        source.write_text(changed(text, mutant))
        obj = folder / (source.name + ".o")
        if not build.compile(file, source, obj)[0]:
            return "not compiled"
        ok, said = build.link(folder, {build.archive_of(file): [obj]}, build.out)
        if not ok:
            return "not compiled"
        return "killed" if tests.kill(touching or list(tests.seconds), folder) else "left"
    finally:
        shutil.rmtree(folder)


def all_mutants(options):
    """{file: text}, {number: (file, mutant)}, and of these the numbers that are wanted."""
    enums = enums_in(header.read_text() for header in sorted((ROOT / "src").rglob("*.h")))
    places = [place.partition(":") for place in options.at or []]
    files = [*sorted(str(f.relative_to(ROOT)) for f in (ROOT / "src/gate").glob("*.cc")),
             *(f"src/rules/{name}.cc" for name in RULES)]
    files += [file for file, _, _ in places if file not in files]
    texts = {file: (ROOT / file).read_text() for file in files}
    mutants = {10000 * place + i: (file, mutant) for place, file in enumerate(files)
               for i, mutant in enumerate(mutants_of(texts[file], enums), 1)}
    wanted = list(mutants)
    if places:
        def is_there(file, mutant):
            return any(file == of and (not lines or int(lines.split("-")[0]) <= mutant.line
                                       <= int(lines.split("-")[-1])) for of, _, lines in places)
        wanted = [n for n, (file, mutant) in mutants.items() if is_there(file, mutant)]
    if options.sample:
        wanted = random.Random(options.seed).sample(wanted, min(options.sample, len(wanted)))
    return texts, mutants, wanted


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build/debug")
    parser.add_argument("--at", action="append")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--sample", type=int, default=0, help="0: all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--longest", type=float, default=float("inf"))
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    texts, mutants, wanted = all_mutants(options)
    if options.list:
        for file, mutant in (mutants[number] for number in wanted):
            print(f"{file}:{mutant.line}: {mutant.what}")
        return 0

    begin = time.monotonic()
    folder = ROOT / options.build
    ok, said = run(["ninja", "-C", folder, *PROGRAMS])
    if not ok:
        sys.exit(said)
    files = sorted({mutants[number][0] for number in wanted})
    build = Build(folder, files)
    objects, apart = build.compile_rest(), []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        numbered = [{n: m for n, (of, m) in mutants.items() if of == file} for file in files]
        for file, some in zip(files, pool.map(compile_switched, [build] * len(files), files,
                                              [texts[file] for file in files], numbered)):
            apart += some
            objects[build.archive_of(file)].append(build.out / (file + ".o"))
    ok, said = build.link(build.out, objects)
    if not ok:
        sys.exit(said)
    tests = Tests(build.out, options.jobs, options.longest)
    print(f"{len(wanted)} mutants, {len({*apart} & {*wanted})} by themselves, {len(tests.seconds)} "
          f"tests, after {time.monotonic() - begin:.0f} s", flush=True)

    def judge(number):
        file, mutant = mutants[number]
        if number in apart:
            near = {t for n, (of, _) in mutants.items() if of == file for t in tests.reached[n]}
            return try_alone(build, tests, file, texts[file], mutant, near)
        if not tests.reached[number]:
            return "not reached"
        return "killed" if tests.kill(tests.reached[number], build.out, number) else "left"

    counts, left = collections.defaultdict(collections.Counter), []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for number, outcome in zip(wanted, pool.map(judge, wanted)):
            file, mutant = mutants[number]
            counts[file][outcome] += 1
            if outcome in ("left", "not reached"):
                left.append(f"{file}:{mutant.line}: {mutant.what}: {outcome}")
                print(left[-1], flush=True)
    outcomes = ["not compiled", "killed", "left", "not reached"]
    print(f"\n{'file':32}{'made':>14}" + "".join(f"{outcome:>14}" for outcome in outcomes))
    for file, of_file in [*counts.items(), ("all", sum(counts.values(), collections.Counter()))]:
        print(f"{file:32}{of_file.total():14}"
              + "".join(f"{of_file[outcome]:14}" for outcome in outcomes))
    print(f"{time.monotonic() - begin:.0f} s")
    return 1 if left else 0


if __name__ == "__main__":
    sys.exit(main())
