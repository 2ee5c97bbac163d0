"""The answer on a terminal: at widths from 60 to 120 columns, on a terminal and in a pipe, in the
order of the page. PROFGAUGE_UPDATE=1 rewrites the texts of terminal/.
"""
import gzip
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import tempfile
import unittest

from support import PROGRAM, REPOSITORY, environment, main, run

EXAMPLES = REPOSITORY / "examples"
SLOW = EXAMPLES / "slow.pt.trace.json.gz"
PROFILES = [EXAMPLES / "healthy.pt.trace.json.gz", SLOW, EXAMPLES / "ddp", EXAMPLES / "h200/fp32.pt.trace.json.gz"]
WIDTHS = (60, 80, 100, 120)


def check(profile, *arguments, **variables):
    env = {name: value for name, value in environment().items() if name not in ("NO_COLOR", "CLICOLOR_FORCE", "COLUMNS")}
    return run("check", "--config", "none", profile, *arguments, cwd=EXAMPLES, env=env | {"TERM": "xterm"} | variables).stdout


def on_a_terminal(columns, *arguments, **variables):
    """The output of `check` on a terminal of that many columns; skipped where there is no `script`."""
    command = f"stty cols {columns}; {shlex.join(map(str, [PROGRAM, 'check', '--config', 'none', SLOW, *arguments]))} 2> /dev/null"
    env = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "CLICOLOR_FORCE", "COLUMNS")}
    done = subprocess.run(["script", "-qec", command, "/dev/null"], stdin=subprocess.DEVNULL, cwd=EXAMPLES,
                          env=env | {"TERM": "xterm"} | variables, capture_output=True, check=False)
    return done.stdout.decode().replace("\r\n", "\n")


class TerminalTest(unittest.TestCase):
    def test_texts_of_four_widths(self):
        for width in WIDTHS:
            with self.subTest(width):
                expected = REPOSITORY / f"tests/delivery/terminal/slow_{width}.txt"
                text = check(SLOW, COLUMNS=str(width))
                if os.environ.get("PROFGAUGE_UPDATE"):
                    expected.parent.mkdir(exist_ok=True)
                    expected.write_text(text)
                self.assertEqual(text, expected.read_text())

    def test_lines_end_at_the_width(self):
        for profile in PROFILES:
            for width in WIDTHS:
                for line in check(profile, "-v", COLUMNS=str(width)).splitlines():
                    # A command stays whole, to be copied, and so does a word that is longer than the line.
                    if line.lstrip().startswith("next: "):
                        continue
                    longest = max((len(word) for word in line.split(" ")), default=0)
                    self.assertLessEqual(len(line), max(width, len(line) - len(line.lstrip(" ")) + longest), line)

    def test_compared_runs_have_a_table_of_metrics(self):
        """The same changes in the terminal and in Markdown, as the page and the JSON have them."""
        with tempfile.TemporaryDirectory() as folder:
            # The same work, in a tenth more time: times of other work have no change.
            trace = json.loads(gzip.open(SLOW).read())
            for event in trace["traceEvents"]:
                event.update({key: event[key] * 1.1 for key in ("ts", "dur") if key in event})
            slower = pathlib.Path(folder, "slower.json")
            slower.write_text(json.dumps(trace))
            done = run("compare", "--config", "none", SLOW, str(slower), "--md", f"{folder}/a.md", "--json", f"{folder}/a.json")
            markdown = pathlib.Path(folder, "a.md").read_text()
            comparison = json.loads(pathlib.Path(folder, "a.json").read_text())["comparison"]
        plain = lambda text: text.replace("\u202f", " ")  # noqa: E731
        values = {value["metric"]: value for value in comparison["values"]}
        rows = re.findall(r"^  ([a-z_.0-9]+) +(\S.*?) → +(\S.*?)  (\S.*)$", done.stdout.split("Other metrics that changed")[1], re.M)
        self.assertGreaterEqual(len(rows), 8)
        for metric, before, after, change in rows:
            value = values[metric]
            self.assertEqual((before, after, change), tuple(plain(value[part]["text"]) for part in ("base", "current", "change")))
            self.assertIn(f"| {value['title']} |", markdown)
        compared = {row["metric"] for row in comparison["metrics"]}
        self.assertFalse(compared & {row[0] for row in rows})

    def test_every_width_says_the_same(self):
        for profile in PROFILES:
            words = {width: sorted(check(profile, COLUMNS=str(width)).split()) for width in WIDTHS}
            for width in WIDTHS:
                self.assertEqual(words[width], words[120], (profile, width))

    def test_a_pipe_is_plain(self):
        for profile in PROFILES:
            text = check(profile)
            self.assertNotIn("\x1b", text)
            self.assertNotIn("\u202f", text)
        self.assertIn(" 35.7 %", check(SLOW))
        self.assertIn("\x1b[", check(SLOW, CLICOLOR_FORCE="1"))
        self.assertIn("\x1b[", check(SLOW, "--color", "always"))
        self.assertNotIn("\x1b", check(SLOW, CLICOLOR_FORCE="1", NO_COLOR="1"))

    @unittest.skipUnless(shutil.which("script"), "not installed: script")
    def test_a_terminal_has_color_and_its_own_width(self):
        for columns in (70, 110):
            text = on_a_terminal(columns)
            self.assertIn("\x1b[1;31m", text)
            plain = re.sub(r"\x1b\[[0-9;]*m", "", text)
            self.assertEqual(plain, check(SLOW, COLUMNS=str(columns)))
        self.assertNotIn("\x1b", on_a_terminal(100, NO_COLOR="1"))
        self.assertNotIn("\x1b", on_a_terminal(100, TERM="dumb"))
        self.assertNotIn("\x1b", on_a_terminal(100, "--color", "never"))

    @unittest.skipIf(shutil.which("script") is None, "needs script")
    def test_a_person_learns_how_to_open_the_page(self):
        with tempfile.TemporaryDirectory() as folder:
            for ssh, line in (("", f"open   {folder}/report.html   (one file for any browser)"),
                              ("10.0.0.9 50000 10.0.0.7 22", f"copy   scp 10.0.0.7:{folder}/report.html .")):
                command = shlex.join(map(str, [PROGRAM, "check", "--config", "none", PROFILES[0], "--out", folder]))
                done = subprocess.run(["script", "-qec", command, "/dev/null"], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                      env={**os.environ, "SSH_CONNECTION": ssh}, check=False)
                self.assertIn(f"wrote {folder}/: report.html report.md report.xlsx report.json", done.stdout)
                self.assertEqual(done.stdout.rstrip().splitlines()[-1].strip(), line)
            self.assertNotIn("open   ", run("check", "--config", "none", PROFILES[0], "--out", folder).stderr)

    def test_the_order_of_the_page(self):
        for profile in PROFILES:
            with tempfile.TemporaryDirectory() as folder:
                report = pathlib.Path(folder)
                text = check(profile, "--html", report / "r.html", "--json", report / "r.json")
                plan = json.loads((report / "r.json").read_text()).get("plan", {}).get("steps", [])
                rules = [" + ".join(step["findings"]) for step in plan]
                in_terminal = re.findall(r"^ +\d+\. → .*?saves +(?:up to |\S+(?: [nµm]?s)? to )?\S+ \S+\s+(\S.*?)(?:  .*)?$", text, re.M)
                self.assertEqual(in_terminal, rules)
                page = (report / "r.html").read_text()
                if 'id="plan"' not in page:
                    continue
                section = page[page.index('id="plan"'):]
                places = [section.index(f'href="#f-{step["findings"][0].replace("/", "-")}"') for step in plan if step.get("fired", True)]
                self.assertEqual(places, sorted(places))

    def test_only_words_that_occur_are_explained(self):
        self.assertIn('Savings are simulated: per iteration, and each without the others; "at most" marks an upper bound', " ".join(check(SLOW).split()))
        for profile in PROFILES:
            text = " ".join(check(profile).split())
            for word, meaning in (("saves about ", '"about" marks'), ("saves at most ", '"at most" marks'), ("saving unknown", '"unknown" marks')):
                self.assertEqual(word in text, meaning in text, (profile, word))

    def test_the_follow_up_command_runs_as_it_is_shown(self):
        for width in WIDTHS:
            line = re.search(r"next: (profgauge compare .*)\n", check(EXAMPLES / "ddp", COLUMNS=str(width)))
            self.assertTrue(line, width)
            done = subprocess.run(["bash", "-c", line[1]], cwd=EXAMPLES, env=environment(), text=True, capture_output=True,
                                  check=False)
            self.assertIn(done.returncode, (0, 1), done.stderr)
            self.assertIn("worker3 against worker2", done.stdout.replace("worker2 against worker3", "worker3 against worker2"))

    def test_waived_findings_are_named(self):
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as policy:
            policy.write("schema: 1\nextends: [builtin:recommended]\nwaivers:\n"
                         "  - {rule: io/dataloader-bound, owner: anna, reason: new disks come, expires: 2096-12-24}\n"
                         "  - {threshold: tensor_core.efficiency, up_to: 0%, owner: ben, reason: old model, expires: 2096-12-31}\n")
            policy.flush()
            text = " ".join(check(SLOW, "-p", policy.name, SOURCE_DATE_EPOCH="4004726400").split())  # 2096-11-26
        self.assertIn("waived tensor_core.efficiency: ", text)
        self.assertIn("ben", text)
        self.assertRegex(text, r"io/dataloader-bound, .*gpu/gaps.*: new disks come \(owner: anna, until 2096-12-24\)")


if __name__ == "__main__":
    main()
