"""Completions, by asking the shells themselves."""
import shutil
import subprocess
import tempfile
import unittest

from support import PROGRAM, REPOSITORY, commands, main, need, run

need("bash")

ASK = r"""
eval "$("$0" completion bash)"
while IFS= read -r line; do
  COMP_LINE=$line COMP_POINT=${#line} COMPREPLY=()
  _profgauge profgauge
  echo "${COMPREPLY[*]}"
done
"""


def ask_bash(*lines):
    """For each line that was typed up to here, the words that bash would offer."""
    done = subprocess.run(["bash", "--norc", "-c", ASK, str(PROGRAM)],
                          input="\n".join(lines) + "\n", text=True, capture_output=True, check=True,
                          cwd=REPOSITORY)
    assert not done.stderr, done.stderr
    return [line.split() for line in done.stdout.split("\n")[:len(lines)]]


class BashTest(unittest.TestCase):
    def test_commands(self):
        first = {name.split()[0] for name in commands()}
        everything, some, second = ask_bash("profgauge ", "profgauge ba", "profgauge baseline ")
        self.assertEqual(set(everything), first | {"--help", "--version"})
        self.assertEqual(some, ["baseline"])
        self.assertEqual(second, ["save", "show", "power", "--help"])

    def test_every_option_of_every_command(self):
        for command in commands():
            lines = run(*command.split(), "--help", "all").stdout.split("\nExamples:")[0].splitlines()
            wanted = {word.strip(",").split("[")[0] for line in lines if line.startswith("  ")
                      for word in line[:30].split() if word.startswith("-")}
            self.assertEqual(set(ask_bash(f"profgauge {command} -")[0]), wanted, command)

    def test_choices(self):
        self.assertEqual(
            ask_bash("profgauge check x --fail-on ", "profgauge check --fail-on=w",
                     "profgauge report --color n", "profgauge check --policy builtin:s",
                     "profgauge check -p builtin:rep", "profgauge completion ",
                     "profgauge export kernels x --format t"),
            [["error", "warn", "never"], ["warn"], ["never"], ["strict"], ["report-only"],
             ["bash", "zsh", "fish"], ["table"]])

    def test_ids(self):
        rules = {line.split()[0] for line in run("rules", "list").stdout.splitlines()}
        offered, idle = ask_bash("profgauge rules explain gpu/", "profgauge metrics list gpu.idle.")
        self.assertEqual(set(offered), {rule for rule in rules if rule.startswith("gpu/")})
        self.assertEqual(set(idle), {"gpu.idle.mean", "gpu.idle.max", "gpu.idle.time.mean", "gpu.idle.time.max",
                                     "gpu.idle.unrecorded"})
        words, short = ask_bash("profgauge thresholds ex", "profgauge thresholds explain kernels.sh")
        self.assertEqual((words, short), (["explain"], ["kernels.short"]))

    def test_paths(self):
        files, folders, after = ask_bash("profgauge check exam", "profgauge check x --out exam",
                                         "profgauge check -- LIC")
        self.assertEqual((files, folders, after), (["examples"], ["examples"], ["LICENSE"]))

    def test_a_second_word_of_help(self):
        self.assertEqual(ask_bash("profgauge help baseline s")[0], ["save", "show"])

    def test_unknown_words_offer_nothing(self):
        self.assertEqual(ask_bash("profgauge nonsense --j", "profgauge baseline nonsense --j"),
                         [[], []])


class OtherShellsTest(unittest.TestCase):
    def test_zsh_reads_its_script(self):
        if shutil.which("zsh") is None:
            self.skipTest("zsh is not installed")
        with tempfile.NamedTemporaryFile("w", suffix=".zsh") as script:
            script.write(run("completion", "zsh").stdout)
            script.flush()
            asked = subprocess.run(
                ["zsh", "-f", "-c", f"autoload -U compinit && compinit -u -D && source {script.name} && "
                 "(( $+functions[_profgauge] )) && print $_comps[profgauge]"],
                text=True, capture_output=True, check=False)
        self.assertEqual((asked.stdout, asked.stderr), ("_profgauge\n", ""))

    def test_fish(self):
        if shutil.which("fish") is None:
            self.skipTest("fish is not installed")
        script = run("completion", "fish").stdout
        for line, wanted in (("profgauge ba", ["baseline"]),
                             ("profgauge baseline ", ["power", "save", "show"]),
                             ("profgauge check x --fail-on ", ["error", "never", "warn"]),
                             ("profgauge check x --xls", ["--xlsx"])):
            asked = subprocess.run(["fish", "--no-config", "-c", f"{script}\ncomplete -C '{line}'"],
                                   text=True, capture_output=True, check=True)
            offered = [answer.split("\t")[0] for answer in asked.stdout.splitlines()]
            self.assertEqual([word for word in offered if not word.endswith("/")], wanted, line)

    def test_an_unknown_shell_lists_the_known(self):
        done = run("completion", "tcsh")
        self.assertEqual(done.returncode, 2)
        self.assertIn("help: shells are bash, zsh, fish", done.stderr)


if __name__ == "__main__":
    main()
