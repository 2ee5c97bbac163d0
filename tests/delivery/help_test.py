"""Help for every command and group of commands; every example of a help text runs as it is written.
"""
import pathlib
import re
import shutil
import sqlite3
import subprocess
import tempfile
import unittest

from support import REPOSITORY, cases, commands, environment, main, on_day, run

EXAMPLES = REPOSITORY / "examples"
# Examples of commands whose exit code is a verdict.
# The baseline of the folder did more work than the runs that are saved over it.
ALLOWED_EXITS = {"history bisect": (2,), "check": (0, 1, 3), "compare": (0, 1, 3), "baseline power": (0, 3),
                 "baseline save": (0, 3), "history check": (0, 1, 3)}


def groups():
    return sorted({name.split()[0] for name in commands() if " " in name})


def examples(command):
    text = run("help", *command.split(), "all").stdout
    if "Examples:\n" not in text:
        return []
    block = text.split("Examples:\n")[1].split("\n\n")[0]
    return [line.strip() for line in block.splitlines() if line.startswith("  ")]


def database(folder, name, case):
    connection = sqlite3.connect(folder / name)
    connection.executescript((cases() / case / "input.sql").read_text())
    connection.close()


def workplace(folder):
    """The files that the examples name."""
    healthy, slow = EXAMPLES / "healthy.pt.trace.json.gz", EXAMPLES / "slow.pt.trace.json.gz"
    for name in ("run7.pt.trace.json.gz", "main.pt.trace.json.gz", "run1.json.gz", "run7.json.gz"):
        shutil.copy(healthy, folder / name)
    for name in ("branch.pt.trace.json.gz", "run2.json.gz", "run8.json.gz"):
        shutil.copy(slow, folder / name)
    shutil.copytree(EXAMPLES / "ddp", folder / "ranks")
    for step in ("step-10", "step-20"):
        shutil.copytree(EXAMPLES / "ddp", folder / "runs" / step)
    shutil.copytree(REPOSITORY / "rules", folder / "rules")
    shutil.copy(EXAMPLES / "policy.yaml", folder)
    shutil.copy(cases() / "pyprof" / "export_own_dialect" / "input.dict", folder / "net.dict")
    database(folder, "net.sqlite", "export/dlprof")
    database(folder, "nsys_profile.sqlite", "export/dlprof")
    database(folder, "report1.sqlite", "export/nsys_kernels")
    for arguments in (("baseline", "save", "run7.json.gz", "-o", "baseline.json",
                       "--policy", "policy.yaml"),
                      ("history", "add", "run7.json.gz", "--branch", "main", "--commit",
                       "3f2a1c", "--policy", "policy.yaml"),
                      ("report", "-q", "run7.json.gz", "--json", "report.json")):
        done = run(*arguments, cwd=folder)
        assert done.returncode == 0, done.stderr
    run("check", EXAMPLES / "healthy.pt.trace.json.gz", "--ci", "generic", cwd=folder)  # The output of a check.


class HelpTest(unittest.TestCase):
    def test_every_group_explains_its_commands(self):
        for group in groups():
            for arguments in ((group, "--help"), (group, "-h"), ("help", group)):
                done = run(*arguments)
                self.assertEqual((done.returncode, done.stderr), (0, ""), arguments)
                for command in commands():
                    if command.startswith(group + " "):
                        self.assertIn(f"  {command} ", done.stdout)

    def test_a_group_without_a_command_is_a_mistake(self):
        for group in groups():
            done = run(group)
            self.assertEqual(done.returncode, 2)
            self.assertIn("needs a second word", done.stderr)

    def test_help_for_a_command_is_the_same_both_ways(self):
        for command in commands():
            words = command.split()
            self.assertEqual(run("help", *words).stdout, run(*words, "--help").stdout)
            self.assertEqual(run("help", *words, "all").stdout, run(*words, "--help", "all").stdout)

    def test_an_unknown_topic_lists_the_topics(self):
        done = run("help", "nonsense")
        self.assertEqual(done.returncode, 2)
        for word in {name.split()[0] for name in commands()}:
            self.assertIn(word, done.stderr)

    def test_arguments_after_two_dashes_are_no_options(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "--policy"
            shutil.copy(EXAMPLES / "healthy.pt.trace.json.gz", path)
            done = run("inspect", "--", "--policy", cwd=folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("kineto", done.stdout)
            self.assertEqual(run("inspect", "--policy", cwd=folder).returncode, 2)


class ExamplesTest(unittest.TestCase):
    def test_every_command_has_an_example(self):
        for command in commands():
            self.assertTrue(examples(command), command)

    def test_every_example_runs_as_written(self):
        has_jq = shutil.which("jq") is not None
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "files").mkdir()
            workplace(folder / "files")
            for number, command in enumerate(commands()):
                own = shutil.copytree(folder / "files", folder / str(number))
                for line in examples(command):
                    if "| jq" in line and not has_jq:
                        print("left out, jq is not installed:", line)
                        continue
                    done = subprocess.run(["bash", "-o", "pipefail", "-c", line], cwd=own, text=True,
                                          capture_output=True, env=environment(), check=False)
                    allowed = ALLOWED_EXITS.get(command, (0,))
                    self.assertIn(done.returncode, allowed, f"{line}\n{done.stderr}")


class ReadmeTest(unittest.TestCase):
    def test_the_whole_files_of_the_rules_readme_work(self):
        section = (REPOSITORY / "rules" / "README.md").read_text().split("## Whole files")[1].split("\n## ")[0]
        rules, tests, policy = re.findall(r"```yaml\n(.*?)```", section, re.S)
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "mine.yaml").write_text(rules)
            (folder / "mine.test.yaml").write_text(tests)
            (folder / "policy.yaml").write_text(policy)
            done = run("rules", "test", "mine.test.yaml", cwd=folder)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            done = run("check", EXAMPLES / "slow.pt.trace.json.gz", "--policy", "policy.yaml", cwd=folder,
                       env=on_day("2096-11-21"))
            self.assertEqual(done.returncode, 1, done.stderr)
            fires = " ".join(re.search(r'fires on `examples/slow.*?: "(.*?)"', section, re.S)[1].split())
            self.assertIn(fires, " ".join(done.stdout.split()))


def is_accepted(text, folder):
    """Whether the program takes `text`, a configuration file of any kind, beside those in `folder`."""
    path = folder / "given.yaml"
    if "\ntests:" in text:
        path.write_text(text)
        return run("rules", "test", path.name, cwd=folder)
    if "\nnamespace:" in text:
        for name in (path.name, "mine.yaml"):  # Tests and policies of the page name it so.
            (folder / name).write_text(text)
        return run("rules", "check", path.name, cwd=folder)
    for key, section in (("names", "tensor_core: {names: named.yaml}"), ("devices", "devices: named.yaml")):
        if f"\n{key}:" in text:
            (folder / "named.yaml").write_text(text)
            text = f"schema: 1\n{section}\n"
    path.write_text(text if "schema:" in text else "schema: 1\n" + text)
    return run("rules", "explain", "gpu/idle", "--policy", path.name, cwd=folder)


class PagesTest(unittest.TestCase):
    """Every file that the manual pages and rules/README.md show is one that the program takes."""

    def accept_all(self, texts):
        with tempfile.TemporaryDirectory() as name:
            for text in texts:
                done = is_accepted(text, pathlib.Path(name))
                self.assertEqual(done.returncode, 0, text + done.stdout + done.stderr)

    def test_files_of_the_manual_pages(self):
        for page, files in (("profgauge-policy", 1), ("profgauge-rules", 1)):
            shown = run("manual", page).stdout.split(".Sh EXAMPLES\n")[1].split(".Sh ")[0]
            blocks = re.findall(r"^\.Bd -literal\n(.*?)^\.Ed", shown, re.S | re.M)
            self.assertGreaterEqual(len(blocks), files, page)
            self.accept_all(block.replace("\\&", "").replace("\\e", "\\") for block in blocks)

    def test_files_of_the_rules_readme(self):
        blocks = re.findall(r"^```yaml\n(.*?)^```", (REPOSITORY / "rules" / "README.md").read_text(), re.S | re.M)
        self.assertGreaterEqual(len(blocks), 7)
        self.accept_all(blocks)


if __name__ == "__main__":
    main()
