"""README.md shows the real output of the program: its first example, run as written there."""
import os
import pathlib
import re
import shlex
import shutil
import tempfile
import unittest

from support import REPOSITORY, main, run

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


if __name__ == "__main__":
    main()
