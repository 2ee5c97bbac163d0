"""A and B alternating on one machine: both recorders of src/python/profgauge/duet.py, and `check` of what they write. Commands are stand-ins whose times are known."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
import unittest

from support import PROGRAM, REPOSITORY, main, run
from training_support import MS, ClockTest, tested  # First: it makes the stand-in `torch`.

import torch
from profgauge import duet

SAMPLE = REPOSITORY.parent / "shared" / "data" / "run-side" / "duet"
POLICY = "schema: 1\nbaseline:\n  step.time.median: {max_increase: 3%}\n"

# 40 iterations of 10 ms, B's longer by $LONGER; starts differ by up to 1 %, and the machine drifts by 5 % over the blocks.
COMMAND = textwrap.dedent("""
    import json, os
    name = os.path.basename(os.environ["PROFGAUGE_RUN"])
    number, side = int(name[:3]), os.environ["PROFGAUGE_SIDE"]
    assert os.environ["PROFGAUGE_STEPS"] == "12"
    level = 1e7 * (1 + 0.0025 * number) * (1 + 0.01 * ((number * 7919) % 13 / 13 - 0.5))
    level *= 1 + float(os.environ.get("LONGER", "0")) * (side == "B")
    ns = [round(level * (1 + 0.02 * ((i * 104729 + number) % 17 / 17 - 0.5))) for i in range(40)]
    document = {"schema": 1, "segments": [{"first": 20, "ns": ns}], "commit": "abc1234", "per_step": {"samples": 8}}
    with open(os.environ["PROFGAUGE_RUN"], "w") as file:
        json.dump(document, file)
    print("block", number, side)
""")


def alternate(*arguments, cwd, **variables):
    """The finished `python -m profgauge.duet`."""
    return subprocess.run([sys.executable, "-m", "profgauge.duet", *map(str, arguments)], cwd=cwd, text=True,
                          capture_output=True, check=False,
                          env={**os.environ, "PYTHONPATH": str(REPOSITORY / "src" / "python"),
                               "PROFGAUGE_PROGRAM": str(PROGRAM), **variables})


class CommandsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "train.py").write_text(COMMAND)
        (self.folder / "policy.yaml").write_text(POLICY)
        self.command = f"{sys.executable} {self.folder}/train.py"

    def duet(self, *arguments, longer=0.0):
        return alternate(*arguments, "--blocks", 10, "--steps", 10, "-o", "duet", cwd=self.folder, LONGER=str(longer))

    def check(self, *arguments):
        return run("check", "duet", "--policy", "policy.yaml", *arguments, cwd=self.folder)

    def test_a_slower_side_fails(self):
        done = self.duet("-a", self.command, "-b", self.command + " ", longer=0.06)
        self.assertEqual((done.returncode, done.stderr.count("error")), (0, 0), done.stderr)
        document = json.loads((self.folder / "duet/duet.json").read_text())
        self.assertEqual("".join(block["side"] for block in document["blocks"]), "ABBA" * 5)
        self.assertEqual([block["start"] for block in document["blocks"]], list(range(20)))
        self.assertEqual({len(block["ns"]) for block in document["blocks"]}, {12})
        self.assertEqual(document["a"], {"commit": "abc1234", "per_step": {"samples": 8}})
        self.assertEqual((self.folder / "duet/blocks/001-B.log").read_text(), "block 1 B\n")
        judged = self.check("--json", "report.json", "--write", "junit=junit.xml")
        self.assertEqual(judged.returncode, 1, judged.stdout + judged.stderr)
        report = json.loads((self.folder / "report.json").read_text())
        self.assertEqual(report["verdict"]["status"], "fail")
        metric = report["comparison"]["metrics"][0]
        self.assertEqual(metric["metric"], "step.time.median")
        self.assertIn("+6", report["verdict"]["reasons"][0])
        self.assertTrue((self.folder / "junit.xml").exists())

    def test_the_same_program_passes_though_the_machine_drifts(self):
        self.duet("-a", self.command, "-b", self.command + " ")
        judged = self.check()
        self.assertEqual(judged.returncode, 0, judged.stdout + judged.stderr)
        again = self.check("--json", "a.json"), self.check("--json", "b.json")
        self.assertEqual([done.returncode for done in again], [0, 0])
        self.assertEqual((self.folder / "a.json").read_bytes(), (self.folder / "b.json").read_bytes())

    def test_one_command_as_both_sides(self):
        done = self.duet("--aa", self.command)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"^this machine sees \+\d+\.\d.% in nine of ten with 10 blocks of 10 iterations; noise "
                                      r"between starts [\d.]+.%, drift [\d.]+.% over the run; for \+1\.0.%: \d+ blocks\n$")
        policy = (self.folder / "duet/noise_floor.yaml").read_text()
        self.assertRegex(policy, r"noise_floor: \d+\.\d%")
        power = run("baseline", "power", "duet", cwd=self.folder)
        self.assertEqual((power.returncode, power.stdout.splitlines()[0] + "\n"), (0, done.stdout))
        self.assertEqual(policy.splitlines()[-1].strip(), power.stdout.splitlines()[1])
        (self.folder / "policy.yaml").write_text(POLICY.replace("baseline", "extends: [duet/noise_floor.yaml]\nbaseline", 1))
        self.assertEqual(self.check().returncode, 0)

    def test_profiles_of_both_sides_explain(self):
        self.duet("-a", self.command, "-b", self.command + " ", longer=0.06)
        for side, name in (("A", "healthy"), ("B", "slow")):
            (self.folder / "duet" / side).mkdir()
            (self.folder / "duet" / side / "rank-0.pt.trace.json.gz").write_bytes(
                (REPOSITORY / "examples" / f"{name}.pt.trace.json.gz").read_bytes())
        judged = self.check("--json", "report.json")
        self.assertEqual(judged.returncode, 1, judged.stdout + judged.stderr)
        comparison = json.loads((self.folder / "report.json").read_text())["comparison"]
        self.assertEqual([metric["metric"] for metric in comparison["metrics"]], ["step.time.median"])
        self.assertTrue(comparison["waterfall"])

    def test_profiles_that_lost_data_are_a_note(self):
        self.duet("-a", self.command, "-b", self.command + " ")
        for side in "AB":
            shutil.copytree(REPOSITORY / "examples/ddp", self.folder / "duet" / side)
        sorted((self.folder / "duet/B").iterdir())[-1].write_text("{")

        def notes(*arguments):
            judged = self.check("--json", "report.json", *arguments)
            self.assertEqual(judged.returncode, 0, judged.stdout + judged.stderr)  # The blocks decide.
            return judged.stdout + (self.folder / "report.json").read_text()

        self.assertIn("profiles of the duet: the profile is incomplete: ", notes())
        self.assertNotIn("profiles of the duet", notes("--allow-incomplete"))

    def test_a_training_that_times_its_steps(self):
        (self.folder / "own.py").write_text(textwrap.dedent(f"""
            import sys, time
            sys.path.insert(0, {str(REPOSITORY / "src" / "python")!r})
            from profgauge.torch import StepClock
            clock = StepClock(warmup=2, samples=4)
            while not clock.enough:
                time.sleep(0.001)
                clock.step()
        """))
        command = f"{sys.executable} {self.folder}/own.py"
        done = alternate("-a", command, "-b", command + " ", "--blocks", 3, "--steps", 5, "-o", "duet", cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        document = json.loads((self.folder / "duet/duet.json").read_text())
        self.assertEqual([len(block["ns"]) for block in document["blocks"]], [7] * 6)
        self.assertEqual(document["b"]["per_step"], {"samples": 4})
        self.assertIn(self.check().returncode, (0, 1, 3))

    def test_commands_that_fail_or_time_nothing(self):
        for command, code, said in (("exit 7", "duet/command-failed", "exit code 7"),
                                    ("kill -9 $$", "duet/command-failed", "exit code 137"),
                                    ("true", "duet/no-times", "wrote no times"),
                                    ('echo "{" > $PROFGAUGE_RUN', "duet/no-times", "JSON")):
            with self.subTest(command=command):
                done = self.duet("-a", command, "-b", command + " ")
                self.assertEqual(done.returncode, 3, done.stderr)
                self.assertIn(code, done.stderr)
                self.assertIn(said, done.stderr)
                self.assertFalse((self.folder / "duet/duet.json").exists())

    def test_missing_arguments(self):
        for arguments, said in ((("-o", "x"), "two commands"), (("-a", "true", "-o", "x"), "two commands"),
                                (("--aa", "true", "-b", "true", "-o", "x"), "two commands"),
                                (("--aa", "true"), "-o"), (("--aa", "true", "-o", "x", "--blocks", "2"), "blocks")):
            done = alternate(*arguments, cwd=self.folder)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertIn(said, done.stderr)

    def test_files_of_others_stay(self):
        for name, arguments in (("duet.json", ("-a", "true", "-b", "false")), ("noise_floor.yaml", ("--aa", "true"))):
            (self.folder / name).write_text("schema: 1\n")
            done = alternate(*arguments, "-o", ".", cwd=self.folder)
            self.assertEqual(done.returncode, 2)
            self.assertIn("[usage/not-ours]", done.stderr)
            self.assertEqual((self.folder / name).read_text(), "schema: 1\n")
            (self.folder / name).unlink()
        for _ in range(2):
            self.assertEqual(self.duet("--aa", self.command).returncode, 0)
        self.assertEqual(alternate("--aa", "true", "-o", "train.py", cwd=self.folder).returncode, 4)

    def test_documents_that_cannot_be_used(self):
        block = '{"side":"A","ns":[1,2,3]},{"side":"B","ns":[1,2,3]}'
        good = '{"schema":1,"kind":"duet","blocks":[' + ",".join([block] * 3) + "]}"
        (self.folder / "duet").mkdir()
        for text, code in ((good.replace(":1,", ":2,", 1), "duet/newer"), (good[:-3], "duet/unreadable"),
                           (good.replace('"A"', '"C"'), "duet/unreadable"), (good.replace("[1,2", "[0,2"), "duet/unreadable"),
                           (good.replace('"B"', '"A"'), "duet/order"), (good.replace(block + ",", "", 1), "duet/few-blocks"),
                           (good.replace("[1,", "[" + "7," * 65537, 1), "duet/too-large"),
                           (good.replace('"duet"', '"other"'), "duet/unreadable"), ("[]", "duet/unreadable")):
            (self.folder / "duet/duet.json").write_text(text)
            done = self.check()
            self.assertEqual(done.returncode, 3, text[:90])
            self.assertIn(code, done.stderr)

    @unittest.skipUnless(SAMPLE.exists(), f"no {SAMPLE}")
    def test_the_sample(self):
        done = run("check", SAMPLE, "--policy", self.folder / "policy.yaml")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)


class OneProcessTest(ClockTest):
    def run_duet(self, recorder, longer=0.0):
        sides = ""
        while recorder.running:
            sides += recorder.side
            torch.now_ns += round(10 * MS * (1 + longer * (recorder.side == "B")))
            recorder.step()
        return sides

    def test_blocks_alternate_and_are_judged(self):
        recorder = duet.Duet(self.folder / "duet", blocks=6, steps=5, warmup=1, samples=128)
        self.assertEqual(self.run_duet(recorder, 0.1), "".join(side * 7 for side in "ABBAABBAABBA"))
        document = json.loads((self.folder / "duet/duet.json").read_text())
        self.assertEqual([block["ns"] for block in document["blocks"][:2]], [[10 * MS] * 6, [11 * MS] * 6])
        self.assertEqual((document["process"], document["warmup"], document["a"]), ("one", 1, {"per_step": {"samples": 128}}))
        self.assertEqual(run("check", self.folder / "duet").returncode, 1)

    def test_the_device_is_waited_for_once(self):
        waits = []
        self.enterContext(unittest.mock.patch.object(torch.cuda, "synchronize", lambda: waits.append(torch.now_ns)))
        torch.cuda.initialized = True
        self.run_duet(duet.Duet(self.folder / "duet", blocks=3, steps=5))
        self.assertEqual(len(waits), 1)
        blocks = json.loads((self.folder / "duet/duet.json").read_text())["blocks"]
        self.assertEqual({ns for block in blocks for ns in block["ns"]}, {10 * MS})

    def test_hosts_that_run_ahead_wait_at_the_ends_of_blocks(self):
        waits = []
        self.run_duet(duet.Duet(self.folder / "duet", blocks=3, steps=5, synchronize=lambda: waits.append(1)))
        self.assertEqual(len(waits), 6)

    def test_whatever_fails_the_loop_ends(self):
        torch.cuda.initialized = True
        for call in ("Event", "record", "query", "elapsed_time", "get_device_properties"):
            torch.fail.clear()
            torch.fail.add(call)
            recorder = duet.Duet(self.folder / call, blocks=3, steps=5)
            with self.subTest(call=call), unittest.mock.patch.object(torch.cuda, "synchronize", lambda: None), \
                    self.assertLogs("profgauge", "WARNING"):
                tested._said.clear()
                self.run_duet(recorder)
            self.assertFalse(recorder.running)

    def test_a_folder_that_cannot_be_made(self):
        (self.folder / "file").write_text("")
        with self.assertLogs("profgauge", "WARNING"):
            self.run_duet(duet.Duet(self.folder / "file" / "duet", blocks=3, steps=5))


if __name__ == "__main__":
    main()
