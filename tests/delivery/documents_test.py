"""Each block of code in a document does as the document says: commands run, files are accepted, output is exact.
A block that no test below runs is listed in PICTURES or ELSEWHERE, with the reason.
"""
import fnmatch
import gzip
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from support import PROGRAM, REPOSITORY, commands, environment, main, run

EXAMPLES = REPOSITORY / "examples"
PAGES = sorted(path for path in REPOSITORY.rglob("*.md") if path.relative_to(REPOSITORY).parts[0] not in (
    "build", "templates", "dist", ".git"))
# First words of blocks that show something and are nothing to run.
PICTURES = ("runs/gpt/step-207/rank-K.pt.trace.json.gz", "bytes → readers", "kernel_without_op:",
            "expr  = or .")
# First words of commands that need root, a network or a build, and where they are tried instead.
ELSEWHERE = {
    "tar": "static_test.sh unpacks the tarball", "apt-get": "ci/package.sh installs the package",
    "COPY": "ci/package.sh builds ci/Containerfile", "*/10": "jobs_test.py runs judge-new.sh",
    "npm": "needs a network", "./train.sh": "readme_test.py has an empty script in its place",
    "cmake": "the presets are checked below", "PROFGAUGE_UPDATE=1": "a build", "ctest": "the presets are checked below",
    "ci/demo.sh": "a build", "ci/test.sh": "a build", "ci/lint.sh": "needs clang-format",
    "ci/same.sh": "harness_test.py", "#!/bin/sh": "other_ci_test.py runs the script for Buildkite", "build/dev/profgauge": "a build", "build/debug/cases_test": "a build",
}
VERDICTS = (0, 1, 3)


def blocks(page):
    """(kind, text) of each block: the language of a fenced one, "" of an indented one."""
    text = page.read_text(encoding="utf-8")
    found = re.findall(r"^```(\w*)\n(.*?)^```", text, re.S | re.M)
    rest = re.sub(r"^```.*?^```", "", text, flags=re.S | re.M)
    for block in re.findall(r"(?<=\n\n)((?:    .*\n(?:\n(?=    ))*)+)", rest):
        found.append(("", re.sub(r"^    ", "", block, flags=re.M)))
    return found


def command_lines(block):
    """Its lines without comments, those that end with a backslash joined."""
    for line in block.replace("\\\n", " ").splitlines():
        line = re.sub(r"(^|\s+)# .*", "", line).strip()
        if line:
            yield line


def is_command(block):
    words = next(command_lines(block), "").split(" ")
    first = next((word for word in words if "=" not in word), "")  # After its variables.
    return first in ELSEWHERE or first in ("profgauge", "sh") or (REPOSITORY / first).is_file() or first.startswith("build/")


def workplace(folder):
    """The files that the documents name, and an empty history beside them."""
    shutil.copytree(EXAMPLES, folder / "examples", ignore=shutil.ignore_patterns("screenshots"))
    healthy, slow = EXAMPLES / "healthy.pt.trace.json.gz", EXAMPLES / "slow.pt.trace.json.gz"
    for name in ("main", "run7", "a", "c"):
        shutil.copy(healthy, folder / f"{name}.pt.trace.json.gz")
    for name in ("branch", "run", "b"):
        shutil.copy(slow, folder / f"{name}.pt.trace.json.gz")
    shutil.copytree(EXAMPLES / "graphs", folder / "trace")
    shutil.copy(EXAMPLES / "policy.yaml", folder)
    (folder / "queries.yaml").write_text(next(block for kind, block in blocks(EXAMPLES / "query.md") if kind == "yaml"))
    (folder / "golden_values.json").write_text(json.dumps({"iteration-time": {"values": {str(i): 0.06 + i % 7 / 1e4 for i in range(50)}}}))
    shutil.copy(folder / "golden_values.json", folder / "run.json")
    shutil.copy(EXAMPLES / "h200/steps_jax.run.json", folder / "run1.run.json")
    shutil.copy(EXAMPLES / "h200/steps_gpu_bound.run.json", folder / "run2.run.json")
    (folder / "perf").mkdir()
    shutil.copy(EXAMPLES / "policy.yaml", folder / "perf")
    shutil.copy(EXAMPLES / "policy.yaml", folder / "perf/gpt.yaml")
    for job in ("resnet50", "gpt"):
        (folder / "runs" / job).mkdir(parents=True)
        shutil.copy(healthy, folder / "runs" / job / "run.pt.trace.json.gz")


class DocumentsTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        workplace(self.folder)

    def shell(self, line, **variables):
        return subprocess.run(["bash", "-o", "pipefail", "-c", line], cwd=self.folder, text=True, capture_output=True,
                              env=environment(**variables), check=False)

    def test_every_block_is_run_somewhere(self):
        for page in PAGES:
            for kind, block in blocks(page):
                known = kind in ("yaml", "json") or is_command(block) or block.startswith((
                    *PICTURES, "$ profgauge", "error: ", "from torch_handler", "import profgauge", "{"))
                self.assertTrue(known, f"{page.relative_to(REPOSITORY)}: nothing runs this block:\n{block}")

    def test_answers_are_shown_as_the_program_prints_them(self):
        """Blocks with `$ profgauge query` and its output."""
        shown = 0
        for kind, block in blocks(EXAMPLES / "query.md"):
            for line, output in re.findall(r"^\$ (profgauge .*)\n((?:[^$].*\n)+)", block, re.M):
                done = self.shell(line)
                self.assertEqual((done.returncode, done.stdout), (0, output), done.stderr)
                shown += 1
        self.assertGreaterEqual(shown, 4)

    def test_commands_run(self):
        ran = 0
        for page in PAGES:
            (self.folder / "profgauge.yaml").unlink(missing_ok=True)  # Of `init --project` of another page.
            for kind, block in blocks(page):
                for line in command_lines(block) if not kind and is_command(block) else ():
                    first = line.split(" ")[0]
                    if first not in ("profgauge", "sh"):
                        continue
                    done = self.shell(line, RUN="runs/gpt")
                    self.assertIn(done.returncode, VERDICTS, f"{page.name}: {line}\n{done.stdout}{done.stderr}")
                    ran += 1
        self.assertGreaterEqual(ran, 9)

    def test_scripts_presets_and_programs_of_a_build_are_there(self):
        presets = json.loads((REPOSITORY / "CMakePresets.json").read_text())
        names = {preset["name"] for kind in ("configurePresets", "buildPresets", "testPresets") for preset in presets.get(kind, ())}
        targets = (REPOSITORY / "CMakeLists.txt").read_text() + (REPOSITORY / "tests/tests.cmake").read_text()
        for page in PAGES:
            for kind, block in blocks(page):
                for line in command_lines(block) if not kind and is_command(block) else ():
                    words = line.split()
                    if words[0].startswith("ci/"):
                        self.assertTrue((REPOSITORY / words[0]).stat().st_mode & 0o100, line)
                        script = (REPOSITORY / words[0]).read_text()
                        for option in re.findall(r"--[a-z]+", line):
                            self.assertIn(option, script, line)
                    for preset in re.findall(r"--preset (\S+)", line):
                        self.assertIn(preset, names, line)
                    for target in re.findall(r"--target (\S+)|^build/\w+/(\w+)", line):
                        self.assertIn("".join(target), targets, line)
                    if words[0] == "*/10":
                        self.assertEqual(len([word for word in words if re.fullmatch(r"[*/\d]+", word)]), 5, line)
                        self.assertTrue((EXAMPLES / pathlib.Path(words[5]).name).exists(), line)

    def test_names_of_other_tools_lead_to_ours(self):
        known = set(re.findall(r"^(\S+)", run("metrics", "list").stdout, re.M))
        known |= {line.split(" ")[0] for line in run("query", "--schema").stdout.splitlines() if line}
        saved = run("query", "--list").stdout.split()
        page = (EXAMPLES / "README.md").read_text().split("## From other tools")[1]
        names = [name for row in re.findall(r"^\|.*\|(.*)\|$", page, re.M) for name in re.findall(r"`([^`]+)`", row)]
        self.assertGreater(len(names), 30)
        for name in names:
            if name.startswith("@"):
                self.assertIn(name[1:], saved)
            elif name.startswith("profgauge "):
                self.assertIn(name.split(" ")[1], run("--help", "all").stdout)
            elif not name.startswith("--"):
                self.assertTrue(any(fnmatch.fnmatch(other, name) for other in known), name)

    def test_tools_of_the_tests_run(self):
        for page in PAGES:
            for kind, block in blocks(page):
                for line in command_lines(block) if not kind else ():
                    program = PROGRAM.parent / pathlib.Path(line.split(" ")[0]).name
                    if not line.startswith(("build/debug/make_profile", "build/debug/make_ranks")) or not program.exists():
                        continue
                    done = self.shell(f"{program} {line.split(' ', 1)[1]}")
                    self.assertEqual(done.returncode, 0, f"{line}\n{done.stderr}")

    def test_lines_of_python_judge(self):
        """The lines of the typed module."""
        lines = next(block for _, block in blocks(EXAMPLES / "query.md") if block.startswith("import profgauge"))
        done = self.shell(f"python3 -B - <<'END'\n{lines}\nprint(verdict.status, rows[0]['busy'])\nEND",
                          PYTHONPATH=str(REPOSITORY / "src/python"), PROFGAUGE_PROGRAM=str(PROGRAM))
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_lines_of_python_train(self):
        """The loop with a stand-in for PyTorch; its `...` is a schedule."""
        loop = next(block for _, block in blocks(EXAMPLES / "training/README.md") if block.startswith("from torch_handler"))
        program = ("import torch\nloader, train = range(20), lambda batch: None\n" +
                   loop.replace("schedule=...", "schedule=torch.profiler.schedule(wait=5, warmup=1, active=2, repeat=1)") +
                   "\nprint('trained')\n")
        done = subprocess.run([sys.executable, "-c", program], cwd=self.folder, text=True, capture_output=True, check=False, timeout=300,
                              env=environment(PYTHONPATH=f"{REPOSITORY / 'tests/training/stubs'}:{EXAMPLES}", PYTHONDONTWRITEBYTECODE="1",
                                              STUB_TRACE=str(EXAMPLES / "healthy.pt.trace.json.gz"), PROFGAUGE_PROGRAM=str(PROGRAM)))
        self.assertEqual((done.returncode, done.stdout.splitlines()[-1:]), (0, ["trained"]), done.stderr)
        self.assertTrue(list((self.folder / "runs").glob("step-*/rank-0.pt.trace.json.gz")), done.stderr)

    def test_a_slow_run_on_main_is_no_baseline(self):
        """The guide's commands for CI: main is fast, then slow; a slow change is still compared with the fast run."""
        section = (EXAMPLES / "policy.md").read_text().split("## In CI\n")[1].split("\n## ")[0]
        judge, keep, judge_change = (next(command_lines(line)) for line in re.findall(r"^    (profgauge .*)$", section, re.M))
        (self.folder / "policy.yaml").write_text("schema: 1\nrules: {'*': off}\nbaseline: {iteration.time.median: {max_increase: 5%}}\n")
        fast, slow = EXAMPLES / "slow.pt.trace.json.gz", EXAMPLES / "healthy.pt.trace.json.gz"  # 11 and 63 ms
        for commit, profile, code in (("a", fast, 3), ("b", slow, 1)):  # The first has no baseline yet.
            shutil.copy(profile, self.folder / "main.pt.trace.json.gz")
            self.assertEqual(self.shell(judge).returncode, code)
            self.assertEqual(self.shell(keep.replace("3f2a1c", commit)).returncode, 0)
        trace = json.loads(gzip.decompress(slow.read_bytes()))
        trace["traceName"] = "another run"
        (self.folder / "run.pt.trace.json.gz").write_bytes(gzip.compress(json.dumps(trace).encode()))
        done = self.shell(judge_change)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("skipped run 2 (failed)", " ".join(done.stdout.split()))

    def test_configuration_of_the_guide_judges_its_jobs(self):
        config, policy = (block for kind, block in blocks(EXAMPLES / "policy.md") if kind == "yaml")
        self.assertTrue((EXAMPLES / "policy.yaml").read_text().endswith(policy))
        (self.folder / "profgauge.yaml").write_text(config)
        done = run("check", cwd=self.folder)
        self.assertIn(done.returncode, VERDICTS, done.stderr)
        for job in ("resnet50", "gpt"):
            self.assertIn(job, done.stdout)

    def test_links_lead_somewhere(self):
        for page in PAGES:
            text = re.sub(r"^```.*?^```|`[^`\n]*`", "", page.read_text(encoding="utf-8"), flags=re.S | re.M)
            for link in re.findall(r"\]\((?!https?:)([^)\s]+)\)", text):
                name, _, anchor = link.partition("#")
                target = (page.parent / name).resolve() if name else page
                with self.subTest(page=str(page.relative_to(REPOSITORY)), link=link):
                    self.assertTrue(target.exists())
                    if anchor and target.suffix == ".md":
                        heads = re.findall(r"^#+ +(.*)$", target.read_text(encoding="utf-8"), re.M)
                        self.assertIn(anchor, [re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads])

    def test_examples_have_inputs_of_the_types_of_their_kernels(self):
        """A sample whose FP32 kernels have FP16 inputs is misleading."""
        found = 0
        for path in sorted(EXAMPLES.rglob("*.pt.trace.json.gz")):
            events = json.loads(gzip.decompress(path.read_bytes()))["traceEvents"]
            types = {event["args"]["External id"]: event["args"]["Input type"] for event in events
                     if event.get("cat") == "cpu_op" and event["args"].get("Input type")}
            for event in events:
                of_operator = types.get(event.get("args", {}).get("External id")) if event.get("cat") == "kernel" else None
                wrong = "c10::Half" if "sgemm" in event["name"] else "float" if "_fp16_" in event["name"] else None
                if of_operator and wrong:
                    found += 1
                    self.assertNotIn(wrong, of_operator, f"{path.name}: {event['name']}")
        self.assertGreater(found, 100)

    def test_json_is_json(self):
        for page in PAGES:
            for kind, block in blocks(page):
                if kind == "json" or block.startswith("{"):
                    json.loads(block)

    def test_mistakes_of_the_guide_are_shown_as_it_shows_them(self):
        shown = next(block for _, block in blocks(EXAMPLES / "policy.md") if block.startswith("error: "))
        lines = {int(number): text for number, text in re.findall(r"^(\d+) \| (.*)$", shown, re.M)}
        text = ["schema: 1", "thresholds:"] + [""] * max(0, max(lines) - 2)
        for number, line in lines.items():
            text[number - 1] = line
        (self.folder / "bad.yaml").write_text("\n".join(text) + "\n")
        done = run("check", "examples/slow.pt.trace.json.gz", "--policy", "bad.yaml", cwd=self.folder)
        self.assertEqual((done.returncode, done.stderr.strip()), (2, shown.strip()))

    def test_commands_and_options_in_sentences_exist(self):
        names = {word for name in commands() for word in (name, name.split()[0])}
        options = {word for name in commands() for word in re.findall(r"--[a-z][a-z-]+", run(*name.split(), "--help", "all").stdout)}
        for page in PAGES:
            for span in re.findall(r"`profgauge ([^`]+)`", page.read_text(encoding="utf-8")):
                words = span.split()
                self.assertTrue(" ".join(words[:2]) in names or words[0] in names | {"COMMAND", "--help"}, f"{page.name}: {span}")
                for option in re.findall(r"(?<!\S)--[a-z][a-z-]+", span):
                    self.assertIn(option, options, f"{page.name}: {span}")


if __name__ == "__main__":
    main()
