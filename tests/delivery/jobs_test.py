"""The scripts that judge after a job (examples/slurm, examples/judge-new.sh), executed as shipped under an empty
environment, with the program and without it.
"""
import gzip
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

from support import PROGRAM, REPOSITORY, main

EXAMPLES = REPOSITORY / "examples"
HEALTHY, SLOW = EXAMPLES / "healthy.pt.trace.json.gz", EXAMPLES / "slow.pt.trace.json.gz"


class JobTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.runs = self.folder / "my runs"
        self.runs.mkdir()

    def script(self, name, text):
        path = self.folder / name
        path.write_text("#!/bin/sh\n" + text)
        path.chmod(0o755)
        return path

    def profile(self, name, source=HEALTHY, minutes=10):
        path = self.runs / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if source is None:
            path.write_bytes(gzip.compress(b'{"traceEvents": ['))
        else:
            shutil.copy(source, path)
        old = time.time() - 60 * minutes
        os.utime(path, (old, old))

    def run_script(self, path, *arguments, shell="/bin/sh", **environment):
        return subprocess.run([shell, path, *map(str, arguments)], cwd=self.folder, env=environment, text=True,
                              capture_output=True, check=False)


class CronTest(JobTest):
    def judged(self, *arguments, code=0, **environment):
        done = self.run_script(EXAMPLES / "judge-new.sh", self.runs, *arguments,
                               **{"PROFGAUGE": str(PROGRAM), **environment})
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout.splitlines(), done.stderr

    def test_each_run_is_judged_once(self):
        for rank in range(4):
            self.profile(f"ddp/rank-{rank}.pt.trace.json.gz", EXAMPLES / f"ddp/worker{rank}.pt.trace.json.gz")
        self.profile("a b/step-8/rank-0.pt.trace.json.gz", SLOW)
        self.profile("jax/plugins/profile/2026/n7.xplane.pb", None)
        (self.runs / "jax/plugins/profile/2026/n7.xplane.pb").write_bytes(
            gzip.open(EXAMPLES / "h200/jax_bf16.xplane.pb.gz").read())
        os.utime(self.runs / "jax/plugins/profile/2026/n7.xplane.pb", (0, 0))
        lines, log = self.judged()
        self.assertEqual([(line.split(" exit ")[0], line.split(" exit ")[1].split()[0]) for line in lines],
                         [("a b/step-8", "1"), ("ddp", "1"), ("jax/plugins/profile/2026", "1")])
        self.assertEqual(log, "")
        self.assertTrue((self.runs / ".profgauge/reports/ddp/report.html").exists())
        self.assertEqual(sorted(path.name for path in (self.runs / "ddp").iterdir()),
                         [f"rank-{rank}.pt.trace.json.gz" for rank in range(4)])
        self.assertEqual(self.judged(), ([], ""))

    def test_profiles_of_several_runs_in_one_folder(self):
        self.profile("healthy.pt.trace.json.gz")
        self.profile("slow.pt.trace.json.gz", SLOW)
        lines, _ = self.judged()
        self.assertEqual([line.split(",")[0].split("  ")[0] for line in lines],
                         ["healthy.pt.trace.json.gz exit 0 PASS", "slow.pt.trace.json.gz exit 1 FAIL"])
        self.profile("third.pt.trace.json.gz")
        lines, _ = self.judged()
        self.assertEqual([line.split()[0] for line in lines], ["third.pt.trace.json.gz"])

    def test_a_broken_profile_is_left_after_three_times(self):
        self.profile("broken/a.pt.trace.json.gz", None)
        for _ in range(3):
            lines, _ = self.judged()
            self.assertEqual(len(lines), 1)
            self.assertRegex(lines[0], "^broken exit 3 error: ")
        self.assertEqual(self.judged()[0], [])
        self.profile("broken/a.pt.trace.json.gz", HEALTHY, minutes=5)  # It came whole.
        self.assertRegex(self.judged()[0][0], "^broken exit 0 PASS")

    def test_unfinished_files_wait(self):
        self.profile("a/rank-0.pt.trace.json.gz", minutes=0)
        self.assertEqual(self.judged(), ([], ""))
        self.assertEqual(len(self.judged(MINUTES="0")[0]), 1)

    def test_options_reach_the_program(self):
        self.profile("a/x.pt.trace.json.gz")
        policy = self.folder / "p.yaml"
        policy.write_text("schema: 1\nthresholds:\n  gpu.idle.mean: {max: 0.01%}\n")
        self.assertRegex(self.judged("--policy", policy)[0][0], "^a exit 1 FAIL")

    def test_without_a_program_a_profile_or_a_folder(self):
        self.profile("a/x.pt.trace.json.gz")
        lines, log = self.judged(code=127, PROFGAUGE="/nonexistent")
        self.assertIn("there is no program /nonexistent", log)
        done = self.run_script(EXAMPLES / "judge-new.sh", "/nowhere")
        self.assertEqual((done.returncode, done.stdout), (127, ""))
        self.assertIn("set PROFGAUGE", done.stderr)
        done = self.run_script(EXAMPLES / "judge-new.sh", "/nowhere", PROFGAUGE=str(PROGRAM))
        self.assertEqual(done.returncode, 2)
        shutil.rmtree(self.runs / "a")
        self.assertIn("there is no profile below", self.judged()[1])
        done = self.run_script(EXAMPLES / "judge-new.sh")
        self.assertEqual(done.returncode, 2)
        self.assertIn("the folder of profiles is missing", done.stderr)

    def test_the_program_beside_the_script(self):
        self.profile("a/x.pt.trace.json.gz")
        shutil.copy(EXAMPLES / "judge-new.sh", self.folder)
        (self.folder / "profgauge").symlink_to(PROGRAM)
        done = self.run_script(self.folder / "judge-new.sh", self.runs)
        self.assertRegex(done.stdout, "^a exit 0 PASS")

    def test_a_program_that_ends_without_a_word(self):
        self.profile("a/x.pt.trace.json.gz")
        program = self.script("silent", "exit 0\n")
        for _ in range(3):
            self.assertEqual(self.judged(PROFGAUGE=str(program))[0], ["a exit 0 no output"])

    def test_two_simultaneously(self):
        self.profile("a/x.pt.trace.json.gz")
        program = self.script("slow", "sleep 3; echo PASS\n")
        first = subprocess.Popen(["/bin/sh", EXAMPLES / "judge-new.sh", self.runs], env={"PROFGAUGE": str(program)},
                                 stdout=subprocess.PIPE, text=True)
        time.sleep(1)
        lines, log = self.judged(PROFGAUGE=str(program))
        self.assertEqual(lines, [])
        self.assertIn("another one judges", log)
        self.assertEqual(first.communicate()[0], "a exit 0 PASS\n")


class SlurmTest(JobTest):
    def setUp(self):
        super().setUp()
        self.environment = {"PATH": f"{self.folder}:/usr/bin:/bin", "PROFGAUGE": str(PROGRAM), "RUN": str(self.runs),
                            "SLURM_SUBMIT_DIR": str(EXAMPLES / "slurm"), "SLURM_JOB_ID": "42"}
        self.srun('echo "$@" >&2; exit 0')

    def srun(self, text):
        self.script("srun", text + "\n")

    def train(self, code=0, **environment):
        done = self.run_script(EXAMPLES / "slurm/train.sbatch", shell="/bin/bash", **{**self.environment, **environment})
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def test_the_jobs_exit_code_is_the_trainings(self):
        self.profile("step-8/rank-0.pt.trace.json.gz", SLOW)
        self.profile("step-16/rank-0.pt.trace.json.gz")
        done = self.train()
        self.assertIn(f"train.py --profiles {self.runs}", done.stderr)
        self.assertRegex(done.stdout, r"step-16: exit 0: PASS")
        self.assertRegex(done.stdout, r"step-8: exit 1: FAIL")
        self.assertIn("\nprofgauge: exit 1\n", done.stdout)
        self.srun("exit 7")
        self.assertIn("step-16: exit 0: PASS", self.train(code=7).stdout)

    def test_a_training_that_leaves_nothing(self):
        self.assertRegex(self.train().stdout, r"my runs: exit 3: error: the folder contains no profile")
        shutil.rmtree(self.runs)
        done = self.train()
        self.assertIn("nothing was recorded", done.stderr)
        self.assertIn("profgauge: exit 3\n", done.stdout)

    def test_without_the_program(self):
        done = self.train(PROFGAUGE="/nonexistent")
        self.assertIn("there is no program /nonexistent", done.stderr)
        self.assertIn("profgauge: exit 127\n", done.stdout)

    def test_judged_in_a_separate_job(self):
        self.profile("step-8/rank-0.pt.trace.json.gz")
        self.script("sbatch", 'echo "$@" > submitted\n')
        self.train(JUDGE="later")
        words = (self.folder / "submitted").read_text().split(maxsplit=3)
        self.assertEqual(words[:2], ["--partition=cpu", "--dependency=afterany:42"])
        done = self.run_script(words[2], self.runs, **self.environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("step-8: exit 0: PASS", done.stdout)
        self.script("sbatch", "exit 1\n")
        self.assertIn("was not submitted", self.train(JUDGE="later").stderr)

    def test_nothing_is_written_among_the_profiles(self):
        self.profile("step-8/rank-0.pt.trace.json.gz", SLOW)
        self.profile("step-16/rank-0.pt.trace.json.gz")
        before = {path.relative_to(self.runs) for path in self.runs.rglob("*")}
        judge = self.run_script(EXAMPLES / "slurm/judge.sbatch", self.runs, PROFGAUGE=str(PROGRAM))
        self.assertEqual(judge.returncode, 1, judge.stderr)
        new = {path.relative_to(self.runs) for path in self.runs.rglob("*")} - before
        self.assertEqual({path.parts[:2][-1] for path in new}, {"report"})
        self.assertNotIn("judge.log", {path.name for path in new})  # There was nothing to log.
        for step in ("step-8", "step-16"):
            done = subprocess.run([PROGRAM, "check", self.runs / step, "-q"], text=True, capture_output=True, check=False)
            self.assertNotIn("note:", done.stderr)

    def test_the_judging_job_exits_with_the_worst(self):
        judge = EXAMPLES / "slurm/judge.sbatch"
        for sources, wanted in (((HEALTHY,), 0), ((HEALTHY, SLOW), 1), ((SLOW, None, HEALTHY), 3)):
            shutil.rmtree(self.runs)
            for step, source in enumerate(sources):
                self.profile(f"step-{step}/rank-0.pt.trace.json.gz", source)
            done = self.run_script(judge, self.runs, PROFGAUGE=str(PROGRAM))
            self.assertEqual(done.returncode, wanted, done.stdout + done.stderr)
        self.assertEqual(self.run_script(judge).returncode, 2)
        self.assertEqual(self.run_script(judge, self.runs).returncode, 127)
        done = self.run_script(judge, self.runs, "--policy", "nonexistent.yaml", PROFGAUGE=str(PROGRAM))
        self.assertEqual(done.returncode, 2)
        self.assertIn("error: ", done.stdout)


if __name__ == "__main__":
    sys.exit(main())
