"""README.md shows the real output of the program, and each of its commands runs as written there."""
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import tempfile
import unittest

from support import PROGRAM, REPOSITORY, main, run

COLUMNS = "100"  # As wide as the page's lines are at most.


def shown():
    """The command of the first block that runs the program, its output and its exit code."""
    page = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    session = re.search(r"^    \$ profgauge (check .*)\n((?:    .*\n|\n)+?)    \$ echo \$\?\n    (\d+)\n",
                        page, re.MULTILINE)
    assert session, "README.md has no example that runs `profgauge check` and shows its exit code"
    output = re.sub(r"^    ", "", session[2], flags=re.MULTILINE)
    return shlex.split(session[1]), output, int(session[3])


class ReadmeTest(unittest.TestCase):
    def test_the_example_prints_the_text_of_the_page(self):
        arguments, output, code = shown()
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(REPOSITORY / "examples", pathlib.Path(folder) / "examples",
                            ignore=shutil.ignore_patterns("screenshots"))
            done = run(*arguments, cwd=folder, encoding="utf-8",
                       env={"PATH": os.environ["PATH"], "COLUMNS": COLUMNS})
            # Lines that the page leaves out are one of a single `…`.
            shown_parts = re.split(r"^ *…\n+", output, flags=re.MULTILINE)
            self.assertTrue(done.stdout.startswith(shown_parts[0]), done.stdout)
            self.assertTrue(done.stdout.endswith(shown_parts[-1]), done.stdout)
            self.assertLessEqual(len(shown_parts), 2)
            self.assertEqual(done.returncode, code)
            left = {path.name for path in (pathlib.Path(folder) / "report").iterdir()}
        self.assertEqual(left, {"report.html", "report.md", "report.xlsx", "report.json"})

    def test_every_command_runs(self):
        """In the order of the page, in one folder; what needs root or a build is tried elsewhere."""
        page = (REPOSITORY / "README.md").read_text(encoding="utf-8")
        lines = [re.sub(r"^\$ |\s+# .*", "", line) for line in re.findall(r"^    (\S.*)$", page, re.MULTILINE)]
        lines = [line for line in lines if line.startswith(("profgauge ", "./"))]
        self.assertGreaterEqual(len(lines), 7)
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            subprocess.run(["git", "init", "-q", name], check=True)
            (folder / "bin").mkdir()
            (folder / "bin/profgauge").symlink_to(PROGRAM)
            (folder / "train.sh").write_text("#!/bin/sh\n")
            (folder / "train.sh").chmod(0o755)
            for profile, example in (("run", "slow"), ("branch", "slow"), ("main", "healthy")):
                shutil.copy(REPOSITORY / f"examples/{example}.pt.trace.json.gz", folder / f"{profile}.pt.trace.json.gz")
            for line in lines:
                if line.startswith("profgauge init"):  # A job of CI records into a clean folder.
                    for other in ("branch", "main"):
                        (folder / f"{other}.pt.trace.json.gz").unlink(missing_ok=True)
                done = subprocess.run(line, shell=True, cwd=folder, capture_output=True, text=True, check=False,
                                      env={"PATH": f"{folder}/bin:{os.environ['PATH']}", "HOME": name})
                allowed = (0, 1) if line.startswith("profgauge check") else (0,)
                self.assertIn(done.returncode, allowed, f"{line}\n{done.stdout}{done.stderr}")


if __name__ == "__main__":
    main()
