"""Every script that we ship, under an empty environment, with the program and without: none ends in 0 without a word."""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from support import PROGRAM, REPOSITORY, main

SCRIPTS = sorted([*(REPOSITORY / "examples").rglob("*.sh"), *(REPOSITORY / "examples").rglob("*.sbatch"),
                  REPOSITORY / "ci/accepted.sh", REPOSITORY / "ci/gitlab/note.sh"])
# Steps of a pipeline that are no reason to fail it: they say why they did nothing.
NEVER_FAIL = {"accepted.sh", "note.sh"}


def shell_of(script):
    return "/bin/bash" if "bash" in script.read_text().split("\n", 1)[0] else "/bin/sh"


class ScriptsTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        (self.folder / "empty").mkdir()
        (self.folder / "broken").mkdir()
        (self.folder / "broken/run.pt.trace.json").write_text("{")

    def check(self, script, *arguments, **variables):
        done = subprocess.run([shell_of(script), script, *map(str, arguments)], cwd=self.folder, env=variables, text=True,
                              capture_output=True, timeout=60, check=False)
        shown = f"{script.relative_to(REPOSITORY)} {arguments}: {done.returncode}\n{done.stdout}{done.stderr}"
        said = done.stderr if done.returncode == 0 else done.stdout + done.stderr
        self.assertTrue(said.strip(), f"no word: {shown}")
        self.assertNotIn("parameter not set", done.stderr, shown)
        if done.returncode == 0:
            self.assertIn(script.name, NEVER_FAIL, shown)

    def test_scripts_are_found(self):
        self.assertGreaterEqual(len(SCRIPTS), 10)

    def test_without_the_program(self):
        for script in SCRIPTS:
            for arguments in ((), ("/nowhere",), ("/nowhere", self.folder / "out")):
                self.check(script, *arguments)

    def test_with_the_program(self):
        found = {"PROFGAUGE": str(PROGRAM), "PATH": f"{PROGRAM.parent}:/usr/bin:/bin"}
        for script in SCRIPTS:
            for folder in ("empty", "broken"):
                if script.name != "judge-new.sh":  # It takes complete runs, and there are none.
                    self.check(script, self.folder / folder, self.folder / f"out-{script.name}-{folder}", **found)

    def test_the_sources_that_are_mutated_exist(self):
        done = subprocess.run([sys.executable, REPOSITORY / "ci/mutate.py", "--list"], cwd=self.folder, text=True,
                              capture_output=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertGreater(len(done.stdout.splitlines()), 1000)

    def test_the_handler_is_no_program(self):
        for path in [*(REPOSITORY / "examples").glob("*.py"), *(REPOSITORY / "examples/integrations").glob("*.py")]:
            done = subprocess.run([sys.executable, path], cwd=self.folder, env={}, text=True, capture_output=True, timeout=60,
                                  check=False)
            is_module = path.name == "torch_handler.py"
            self.assertEqual(done.returncode == 0, is_module, f"{path}: {done.stderr}")
            self.assertTrue(is_module or done.stderr.strip())


if __name__ == "__main__":
    main()
