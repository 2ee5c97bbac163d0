"""`judge()` of src/python/profgauge/torch.py in training programs: processes that run with a stand-in for PyTorch
(tests/training/stubs) and, where Debian's python3-torch is installed, with PyTorch itself.
"""
import gzip
import importlib.util
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from support import PROGRAM, REPOSITORY, main

STUBS = REPOSITORY / "tests" / "training" / "stubs"
SOURCES = REPOSITORY / "src" / "python"
EXAMPLES = REPOSITORY / "examples"
HEALTHY, SLOW, RANKS = (EXAMPLES / name for name in
                        ("healthy.pt.trace.json.gz", "slow.pt.trace.json.gz", "ddp/worker{rank}.pt.trace.json.gz"))

# A training program as users write it. Its last line shows that it was not stopped.
LOOP = """
import json, os, sys
import torch
from profgauge.torch import StepClock, judge
clock = StepClock(warmup=0, samples=128)
handler = judge(clock=clock, on_verdict=lambda verdict: print(json.dumps(verdict._asdict()), flush=True),
                **json.loads(os.environ["OPTIONS"]))
repeat = int(os.environ.get("REPEAT", "1"))
with torch.profiler.profile(schedule=torch.profiler.schedule(wait=5, warmup=1, active=2, repeat=repeat),
                            on_trace_ready=handler) as profiler:
    for _ in range(8 * repeat + 5):
        exec(os.environ.get("STEP", ""))
        clock.step(profiler)
exec(os.environ.get("END", ""))
print("trained")
"""


class TrainingTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.runs = self.folder / "runs"

    def start(self, trace=HEALTHY, options=None, loop=LOOP, path=(STUBS, SOURCES), before=(), **variables):
        """The program, with only the given variables in its environment."""
        options = {"folder": str(self.runs), "program": str(PROGRAM), "exit_wait": 60, **(options or {})}
        environment = {"STUB_TRACE": str(trace), "OPTIONS": json.dumps(options), "PYTHONDONTWRITEBYTECODE": "1",
                       "PYTHONPATH": ":".join(map(str, path)), **variables}
        return subprocess.Popen([*before, sys.executable, "-c", loop], cwd=self.folder, env=environment, text=True,
                                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                start_new_session=True)

    def ended(self, process, code=0):
        out, log = process.communicate(timeout=120)
        self.assertEqual(process.returncode, code, log)
        if code == 0:
            self.assertIn("trained\n", out, log)
        self.assertNotIn("Traceback", log)
        return [json.loads(line) for line in out.splitlines() if line.startswith("{")], log

    def train(self, *arguments, **options):
        return self.ended(self.start(*arguments, **options))

    def script(self, text):
        path = self.folder / "program"
        path.write_text("#!/bin/sh\n" + text)
        path.chmod(0o755)
        return str(path)

    def names(self, folder="step-8"):
        return sorted(path.name for path in (self.runs / folder).iterdir())


class VerdictTest(TrainingTest):
    def test_a_run_is_judged_once_and_said_in_one_line(self):
        for trace, code, status, words in ((HEALTHY, 0, "pass", "PASS"), (SLOW, 1, "fail", "FAIL")):
            verdicts, log = self.train(trace)
            self.assertEqual([(v["step"], v["status"], v["exit_code"]) for v in verdicts], [(8, status, code)])
            report = self.runs / "step-8" / "report" / "report.html"
            self.assertEqual(log.count("\n"), 1)
            self.assertRegex(log, rf"^profgauge: step 8 {words}.*\({report}\)\n$")
            self.assertTrue(report.exists())
            self.assertEqual(self.names(), ["rank-0.pt.trace.json.gz", "rank-0.run.json", "report"])

    def test_the_document_has_steps_before_and_after(self):
        self.train(REPEAT="2")
        document = json.loads((self.runs / "step-8" / "rank-0.run.json").read_text())
        steps = [segment["first"] + i for segment in document["segments"] for i in range(len(segment["ns"]))]
        self.assertEqual(steps, [1, 2, 3, 4, 8, 9, 10, 11, 12, 16, 17, 18, 19, 20])
        self.assertEqual((document["rank"], document["world_size"], document["per_step"]), (0, 1, {"samples": 128}))

    def test_ranks_leave_their_own_files_and_one_verdict(self):
        first = self.start(RANKS, RANK="0", WORLD_SIZE="4")
        until = time.monotonic() + 60
        while not (self.runs / "step-8" / "rank-0.pt.trace.json.gz").exists() and time.monotonic() < until:
            time.sleep(0.1)
        time.sleep(0.5)  # It waits for the others.
        ranks = [self.start(RANKS, RANK=str(rank), WORLD_SIZE="4") for rank in (3, 2, 1)]
        ended = [self.ended(process) for process in (*ranks, first)]
        self.assertEqual([len(verdicts) for verdicts, _ in ended], [0, 0, 0, 1])
        self.assertEqual([log for _, log in ended[:3]], ["", "", ""])
        self.assertEqual([name for name in self.names() if name.endswith(".gz")],
                         [f"rank-{rank}.pt.trace.json.gz" for rank in range(4)])
        self.assertIn("4 ranks", (self.runs / "step-8" / "report" / "judge.log").read_text())

    def test_a_rank_that_left_nothing_is_named(self):
        others = [self.start(RANKS, RANK=str(rank), WORLD_SIZE="4") for rank in (1, 3)]
        for process in others:
            self.ended(process)
        verdicts, log = self.train(RANKS, {"wait": 1}, RANK="0", WORLD_SIZE="4")
        self.assertIn("1 of 4 ranks left no profile within 1 s: 2\n", log)
        self.assertEqual(len(verdicts), 1)

    def test_files_of_an_earlier_run_are_not_judged(self):
        self.runs.joinpath("step-8").mkdir(parents=True)
        for rank in range(1, 4):
            old = self.runs / "step-8" / f"rank-{rank}.pt.trace.json.gz"
            shutil.copy(str(RANKS).format(rank=rank), old)
            os.utime(old, (0, 0))
        verdicts, _ = self.train(HEALTHY)
        self.assertEqual([v["status"] for v in verdicts], ["pass"])
        _, log = self.train(RANKS, {"wait": 1}, RANK="0", WORLD_SIZE="4")
        self.assertIn("3 of 4 ranks left no profile within 1 s: 1, 2, 3\n", log)

    def test_options_reach_the_program(self):
        policy = self.folder / "my policy.yaml"
        policy.write_text("schema: 1\nthresholds:\n  gpu.idle.mean: {max: 0.01%}\n")
        verdicts, _ = self.train(HEALTHY, {"policy": str(policy), "arguments": ["--exit-zero"]})
        self.assertEqual([(v["exit_code"], v["line"][:4]) for v in verdicts], [(0, "FAIL")])
        verdicts, log = self.train(HEALTHY, {"policy": "nonexistent.yaml"})
        self.assertEqual([(v["status"], v["exit_code"]) for v in verdicts], [("not_judged", 2)])
        self.assertIn("NOT JUDGED, exit code 2: error: ", log)

    def test_the_newest_are_kept(self):
        (self.runs / "step-8").mkdir(parents=True)
        (self.runs / "step-8" / "notes.txt").write_text("of the user")
        self.train(HEALTHY, {"keep": 2, "blocking": True, "program": self.script("echo PASS")}, REPEAT="5")
        self.assertEqual(sorted(path.name for path in self.runs.iterdir()), ["step-32", "step-40", "step-8"])
        self.assertEqual(self.names(), ["notes.txt"])

    def test_a_folder_that_is_judged_is_not_removed(self):
        slow = self.script('for last; do :; done\nsleep 2\n[ -d "$last" ] && echo PASS')
        verdicts, _ = self.train(HEALTHY, {"keep": 1, "program": slow}, REPEAT="3")
        self.assertEqual([v["status"] for v in verdicts], ["pass"] * 3)
        self.assertEqual([path.name for path in self.runs.iterdir()], ["step-24"])  # Afterwards it is.

    def test_names_of_folders(self):
        for name in ("-o", "größe", "a b$(touch x)'\"c;d"):
            with self.subTest(name):
                verdicts, _ = self.train(HEALTHY, {"folder": name})
                self.assertEqual([v["status"] for v in verdicts], ["pass"])
                self.assertFalse((self.folder / "x").exists())


class BrokenTest(TrainingTest):
    """The training goes on and ends with 0, the trace is there, and the log has the error."""

    def holds(self, words, trace=True, **options):
        verdicts, log = self.train(**options)
        self.assertIn(words, log)
        self.assertEqual((self.runs / "step-8" / "rank-0.pt.trace.json.gz").exists(), trace)
        return verdicts, log

    def test_a_training_that_ends_too_early(self):
        verdicts, log = self.train(loop=LOOP.replace("8 * repeat + 5", "4"))
        self.assertEqual(verdicts, [])
        self.assertIn("nothing was recorded: the training ended before", log)

    def test_no_program(self):
        for options, variables in (({"program": None}, {}), ({"program": "/nonexistent"}, {}), ({"program": str(HEALTHY)}, {}),
                                   ({"program": None}, {"PROFGAUGE_PROGRAM": "/nonexistent"}), ({"program": None}, {"PATH": ""})):
            with self.subTest(options):
                verdicts, log = self.holds("profgauge check ", options=options, **variables)
                self.assertEqual(verdicts, [])
                self.assertIn(f"--out {self.runs}/step-N/report", log)
                self.assertEqual(self.names(), ["rank-0.pt.trace.json.gz", "rank-0.run.json"])

    def test_the_program_is_found(self):
        for options, variables in (({"program": None}, {"PATH": str(PROGRAM.parent)}),
                                   ({"program": None}, {"PROFGAUGE_PROGRAM": str(PROGRAM)})):
            verdicts, _ = self.train(options=options, **variables)
            self.assertEqual([v["status"] for v in verdicts], ["pass"])

    def test_a_program_that_fails_hangs_or_is_killed(self):
        for script, words in (("echo 'no such thing'; exit 70", "exit code 70: no such thing"), ("exit 9", "exit code 9: no output"),
                              ("kill -9 $$", "exit code -9"), ("exec sleep 60", "exit code -9"),
                              ("exit 0", "NOT JUDGED, exit code 0: no output"), ("echo fine", "NOT JUDGED, exit code 0: fine"),
                              ("echo no; exit 3", "NO VERDICT: no"), ("exit 1", "NOT JUDGED, exit code 1: no output"), ("head -c 3000 /dev/urandom; exit 5", "exit code 5")):
            with self.subTest(script):
                self.holds(words, options={"program": self.script(script), "timeout": 2})

    def test_the_program_goes_away_or_is_no_program(self):
        gone = self.script("exit 0")
        self.holds("NOT JUDGED, exit code 127", options={"program": gone}, STEP=f"os.path.exists({gone!r}) and os.remove({gone!r})")
        pathlib.Path(self.script("")).write_bytes(b"\x7fELF")
        self.holds("NOT JUDGED, exit code 12", options={"program": gone})

    def test_the_end_of_the_program_waits_only_so_long(self):
        slow = self.script("sleep 20")
        began = time.monotonic()
        self.holds("no verdict yet", options={"program": slow, "exit_wait": 1})
        self.assertLess(time.monotonic() - began, 15)

    def test_a_file_where_the_folder_should_be(self):
        self.runs.write_text("")
        _, log = self.train()
        self.assertRegex(log, "a profile was not written: (FileExists|NotADirectory)Error")

    def test_a_full_disk(self):
        full = "import shutil; shutil.disk_usage = lambda path: shutil._ntuple_diskusage(9, 9, 5)"
        self.holds("less than 1 GiB of disk space is free", trace=False, STEP=full)
        # No space after the free-space check: unfinished files are removed.
        no_space = "torch.fail.add('export_chrome_trace'); torch.failure = OSError(28, 'No space left on device')"
        self.holds("No space left on device", trace=False, STEP=no_space)
        self.assertEqual([path.name for path in self.runs.iterdir()], ["step-8"])
        self.assertEqual(self.names(), ["rank-0.run.json"])

    @unittest.skipIf(os.getuid() != 0 or shutil.which("unshare") is None, "only root may mount a small file system")
    def test_a_file_system_that_fills_up(self):
        self.runs.mkdir()
        loop = LOOP.replace("clock = ", "import profgauge.torch; profgauge.torch.LEAST_FREE_BYTES = 0\nclock = ", 1) + """
print(json.dumps({"left": sorted(os.listdir(options["folder"])), "step": sorted(os.listdir(options["folder"] + "/step-8"))}))
""".replace("options", 'json.loads(os.environ["OPTIONS"])')
        process = self.start(loop=loop, before=("unshare", "-m", "sh", "-c", f"mount -t tmpfs -o size=32k none {self.runs} && exec \"$@\"", "-"))
        left, log = self.ended(process)
        self.assertIn("No space left on device", log)
        self.assertEqual(left, [{"left": ["step-8"], "step": ["rank-0.run.json"]}])

    def test_a_function_for_verdicts_that_fails(self):
        loop = LOOP.replace("print(json.dumps(verdict._asdict()), flush=True)", "1 / 0")
        self.holds("the function for verdicts failed: ZeroDivisionError", loop=loop)

    def test_neither_threads_nor_processes(self):
        self.holds("can't start new thread", STEP="import threading\n"
                   "def start(self): raise RuntimeError(\"can't start new thread\")\nthreading.Thread.start = start")
        self.holds("a step was not judged", STEP="import subprocess\nsubprocess.Popen = None")

    def test_a_broken_trace_has_no_verdict(self):
        broken = self.folder / "broken.gz"
        broken.write_bytes(gzip.compress(b'{"traceEvents": [{"ph": "X"'))
        verdicts, log = self.train(broken)
        self.assertEqual([v["status"] for v in verdicts], ["no_verdict"])
        self.assertIn("NO VERDICT: error: ", log)

    def test_forked_workers_change_nothing(self):
        fork = "pid = os.fork()\nif pid == 0: sys.exit(0)\nos.waitpid(pid, 0)"
        verdicts, log = self.train(STEP=fork)
        self.assertEqual([v["status"] for v in verdicts], ["pass"])
        self.assertEqual(log.count("\n"), 1, log)

    def test_the_judge_takes_no_input_of_the_training(self):
        thief = self.script('if read -r line; then echo "FAIL took $line"; exit 1; fi\necho PASS')
        process = self.start(options={"program": thief, "blocking": True}, END="print(input())")
        process.stdin.write("for the training\n")
        process.stdin.flush()
        verdicts, _ = self.ended(process)
        self.assertEqual([v["status"] for v in verdicts], ["pass"])

    def test_who_removes_the_folder_hears_nothing_of_it(self):
        _, log = self.train(options={"blocking": True}, END=f"import shutil; shutil.rmtree({str(self.runs)!r})")
        self.assertEqual(log.count("\n"), 1, log)

    def test_training_that_fails_by_itself_is_not_hidden(self):
        process = self.start(STEP="if clock.number == 10: raise SystemExit(7)")
        verdicts, _ = self.ended(process, code=7)
        self.assertEqual([v["status"] for v in verdicts], ["pass"])

    def test_the_judge_outlives_a_killed_program(self):
        marker = self.folder / "judged"
        slow = self.script(f"sleep 2; touch '{marker}'")
        process = self.start(options={"program": slow}, END="import time; print('at the end', flush=True); time.sleep(60)")
        process.stdout.readline()
        time.sleep(0.5)
        os.killpg(process.pid, signal.SIGKILL)  # As a terminal and most launchers do.
        process.communicate(timeout=30)
        until = time.monotonic() + 20
        while not marker.exists() and time.monotonic() < until:
            time.sleep(0.1)
        self.assertTrue(marker.exists())


class GuideTest(TrainingTest):
    """The folders that examples/training/README.md names, filled as the programs fill them."""
    LAYOUTS = {
        "torchtitan (2026)": "outputs/profiling/traces/iteration_100/rank{}_trace.json.gz",
        "torchtitan (until 2025)": "outputs/profile_traces/iteration_100/rank{}_trace.json",
        "Megatron-LM, Megatron Bridge": "logs/torch_profile/rank-{}.json.gz",
        "Accelerate": "traces/profile_{}.json",
        "`tensorboard_trace_handler(\"logs\")`": "logs/n7_424{}.1764100000000.pt.trace.json",
        "vLLM 0.13 and later": "/tmp/vllm/n7_424{}.1764100000000000000.pt.trace.json.gz",
        "vLLM before 0.13": None,  # The same.
        "SGLang": "/tmp/sglang/1764100000.1234-TP-{}.trace.json.gz",
        "Composer": "traces/rank{}.100.pt.trace.json",
        "TensorFlow": "logs/plugins/profile/2026_11_26_17_00_00/n7.xplane.pb",
    }

    def test_each_programs_folder_is_judged(self):
        guide = (EXAMPLES / "training" / "README.md").read_text().split("## Programs that record by themselves")[1]
        rows = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in guide.splitlines() if line.startswith("| ")][1:]
        self.assertEqual([row[0] for row in rows], list(self.LAYOUTS))
        for name, _, judge in rows:
            if self.LAYOUTS[name] is None:
                self.assertEqual(judge, "the same")
                continue
            with self.subTest(name), tempfile.TemporaryDirectory() as place:
                layout = self.LAYOUTS[name].lstrip("/")
                for rank in range(4):
                    path = pathlib.Path(place) / layout.format(rank)
                    path.parent.mkdir(parents=True, exist_ok=True)
                    source = str(RANKS).format(rank=rank) if "{}" in layout else EXAMPLES / "h200" / "jax_bf16.xplane.pb.gz"
                    path.write_bytes(pathlib.Path(source).read_bytes() if path.suffix == ".gz" else gzip.open(source).read())
                command = judge.strip("`").split()
                self.assertEqual(command[:2], ["profgauge", "check"])
                done = subprocess.run([PROGRAM, "check", command[2].lstrip("/")], cwd=place, text=True, capture_output=True, check=False)
                self.assertIn(done.returncode, (0, 1), done.stderr)
                self.assertEqual("4 ranks" in done.stdout, "{}" in layout, done.stdout)

    def test_named_files_exist(self):
        guide = (EXAMPLES / "training" / "README.md").read_text()
        for name in re.findall(r"`(profgauge\.[a-z]+)`", guide):
            self.assertTrue((SOURCES / f"{name.replace('.', '/')}.py").exists(), name)
        for name in re.findall(r"`((?:examples|src|rules)/[^`]+)`", guide):
            self.assertTrue((REPOSITORY / name).exists(), name)


REAL_LOOP = """
import json, os, shutil
import torch
from torch_handler import StepClock, judge
if os.environ.get("MASTER_PORT"):
    torch.distributed.init_process_group("gloo")
trace = os.environ["STUB_TRACE"].format(rank=os.environ.get("RANK", "0"))
if trace:  # Debian's PyTorch has no Kineto: its own file is of the old profiler.
    torch.profiler.profile.export_chrome_trace = lambda self, path: shutil.copy(trace, path)
options = json.loads(os.environ["OPTIONS"])
clock = StepClock(warmup=2, samples=64, after=5)
model = torch.nn.Linear(32, 32)
with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU],
                            schedule=torch.profiler.schedule(wait=6, warmup=1, active=2, repeat=2),
                            on_trace_ready=judge(clock=clock, **options)) as profiler:
    for _ in range(30):
        model(torch.randn(8, 32)).sum().backward()
        clock.step(profiler)
print("trained")
"""


@unittest.skipIf(importlib.util.find_spec("torch") is None, "python3-torch is not installed")
class RealTorchTest(TrainingTest):
    def real(self, trace, **variables):
        return self.start(trace, loop=REAL_LOOP, path=(EXAMPLES,), OMP_NUM_THREADS="1", **variables)

    def test_one_process(self):
        _, log = self.ended(self.real(HEALTHY))
        self.assertIn("profgauge: step 9 PASS", log)
        self.assertIn("profgauge: step 18 PASS", log)
        document = json.loads((self.runs / "step-9" / "rank-0.run.json").read_text())
        steps = [segment["first"] + i for segment in document["segments"] for i in range(len(segment["ns"]))]
        self.assertEqual(steps, [*range(2, 6), *range(9, 15), *range(18, 30)])
        self.assertEqual(document["recorded"], [[7, 8], [16, 17]])
        self.assertEqual(document["profiler"], {"name": "torch", "options": [], "schedule": [6, 1, 2, 2]})
        self.assertEqual(document["env"], {"OMP_NUM_THREADS": "1"})

    def test_its_own_trace_is_refused_with_advice(self):
        _, log = self.ended(self.real(""))
        self.assertIn("step 9 NO VERDICT: error: the trace is of PyTorch's legacy profiler", log)

    def test_two_processes_with_gloo(self):
        import socket
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = str(free.getsockname()[1])
        processes = [self.real(RANKS, RANK=str(rank), WORLD_SIZE="2", MASTER_ADDR="127.0.0.1", MASTER_PORT=port)
                     for rank in range(2)]
        logs = [self.ended(process)[1] for process in processes]
        self.assertEqual([log.count("profgauge: step 9 ") for log in logs], [1, 0])
        self.assertEqual([name for name in self.names("step-9") if name.endswith(".json.gz")],
                         ["rank-0.pt.trace.json.gz", "rank-1.pt.trace.json.gz"])
        ranks = [json.loads((self.runs / "step-9" / f"rank-{rank}.run.json").read_text()) for rank in range(2)]
        self.assertEqual([(document["rank"], document["world_size"]) for document in ranks], [(0, 2), (1, 2)])


if __name__ == "__main__":
    sys.exit(main())
