"""Manual pages: one for every command, and mandoc finds nothing to complain about."""
import subprocess
import unittest

from support import commands, main, need, run

need("mandoc", "col")


class ManualTest(unittest.TestCase):
    def test_there_is_a_page_for_everything(self):
        pages = run("manual").stdout.split()
        wanted = {"profgauge.1", "profgauge-config.5", "profgauge-policy.5", "profgauge-rules.5"}
        wanted |= {f"profgauge-{command.replace(' ', '-')}.1" for command in commands()}
        self.assertEqual(set(pages), wanted)

    def test_mandoc_finds_nothing(self):
        for page in run("manual").stdout.split():
            text = run("manual", page).stdout
            checked = subprocess.run(["mandoc", "-Tlint", "-Wall"], input=text, text=True,
                                     capture_output=True, check=False)
            complaints = [line for line in checked.stdout.splitlines()
                          if "referenced manual not found" not in line]  # Not installed here.
            self.assertEqual(complaints, [], page)

    def test_pages_have_the_text_of_the_help(self):
        for command in commands():
            page = run("manual", f"profgauge-{command.replace(' ', '-')}").stdout
            shown = subprocess.run(["mandoc", "-Tascii", "-O", "width=200"], input=page, text=True,
                                   capture_output=True, check=True).stdout
            plain = subprocess.run(["col", "-b"], input=shown, text=True, capture_output=True,
                                   check=True).stdout
            for line in run(*command.split(), "--help", "all").stdout.splitlines():
                words = line.split()
                if line.startswith("  ") and words and words[0].startswith("--"):
                    self.assertIn(words[0].strip(","), plain, command)

    def test_an_unknown_page(self):
        done = run("manual", "nonsense")
        self.assertEqual(done.returncode, 2)
        self.assertIn("help: `profgauge manual` lists them", done.stderr)


if __name__ == "__main__":
    main()
