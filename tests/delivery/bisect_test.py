"""`history bisect`: its answers and refusals, and the sample for CI, run in a repository whose program gets slower."""
import pathlib
import subprocess
import tempfile
import unittest

from support import REPOSITORY, environment, main, need, run

need("git", "bash")
SAMPLE = REPOSITORY / "examples" / "ci" / "bisect.sh"

# A program of twenty iterations, each as long as the file `speed` says and 1 % of noise, which the file `runs` seeds by
# its number.
PROGRAM_TEXT = """
import json, os, random, sys
if os.path.exists("broken"):
    sys.exit(125)
number = int(open("runs").read()) if os.path.exists("runs") else 0
open("runs", "w").write(str(number + 1))
random.seed(number)
for path in sys.argv[1:]:
    length = float(open("speed").read()) * (1 + random.gauss(0, 0.01))
    events, now = [], 1000.0
    for i in range(20):
        step = length * (1 + random.gauss(0, 0.01))
        common = {"ph": "X", "pid": 1, "tid": 1}
        events += [
            {**common, "cat": "user_annotation", "name": f"ProfilerStep#{i}", "ts": now, "dur": step},
            {**common, "cat": "cpu_op", "name": "aten::mm", "ts": now + 1, "dur": 20, "args": {"External id": i + 1}},
            {**common, "cat": "cuda_runtime", "name": "cudaLaunchKernel", "ts": now + 5, "dur": 5,
             "args": {"correlation": i + 1, "External id": i + 1}},
            {"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": now + 30, "dur": step - 40,
             "args": {"device": 0, "stream": 7, "correlation": i + 1, "External id": i + 1}}]
        now += step
    json.dump({"schemaVersion": 1, "traceEvents": events}, open(path, "w"))
"""

# The same without a profile: a file of times, as hyperfine writes it.
TIMES_TEXT = """
import json, os, random, sys
number = int(open("runs").read()) if os.path.exists("runs") else 0
open("runs", "w").write(str(number + 1))
random.seed(number)
length = float(open("speed").read()) * 1e-3 * (1 + random.gauss(0, 0.01))
times = [length * (1 + random.gauss(0, 0.01)) for _ in range(20)]
for path in sys.argv[1:]:
    json.dump({"results": [{"command": "train", "times": times}]}, open(path, "w"))
"""


class Bisect(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        (self.folder / "train.py").write_text(PROGRAM_TEXT)

    def add(self, commit, speed, times=1):
        (self.folder / "speed").write_text(str(speed))
        files = [f"run{i}.pt.trace.json" for i in range(times)]
        subprocess.run(["python3", "train.py", *files], cwd=self.folder, check=True)
        done = run("history", "add", *files, "--db", "h.db", "--commit", commit, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)

    def bisect(self, *words, commits=range(1, 9), good="c0", bad="c8"):
        text = "".join(f"c{i}\n" for i in commits)
        return run("history", "bisect", "--good", good, "--bad", bad, "--db", "h.db", *words, cwd=self.folder, input=text)

    def test_it_asks_and_finds(self):
        for speed, commit in ((1000, "c0"), (1000, "c0"), (1200, "c8"), (1200, "c8")):
            self.add(commit, speed)
        done = self.bisect()
        self.assertEqual((done.returncode, done.stdout), (3, "c4\n"), done.stderr)
        self.assertRegex(done.stderr, r"\+[12]\d\.\d % \[\+\d+\.\d, \+\d+\.\d\] between c0 \(2 runs\) and c8 \(2 runs\); "
                                      r"at one of 8 commits c1 … c8 \(95 %\); measure c4")
        self.add("c4", 1200)
        self.assertEqual(self.bisect().stdout, "c2\n")
        self.assertEqual(self.bisect("--skip", "c2", "--skip", "c3").stdout, "c1\n")
        self.add("c2", 1000)
        self.assertEqual(self.bisect("--skip", "c3").returncode, 0)
        self.add("c3", 1000)
        done = self.bisect("--metric", "gpu.utilization.mean")
        self.assertNotEqual(done.returncode, 0)
        done = self.bisect()
        self.assertEqual((done.returncode, done.stdout), (0, "c4\n"), done.stderr)

    def test_it_refuses(self):
        self.add("c0", 1000)
        for code, done in (("bisect/no-run", self.bisect()),
                           ("bisect/good-in-list", self.bisect(commits=range(0, 9))),
                           ("bisect/unknown-commit", self.bisect(commits=range(1, 8))),
                           ("bisect/unknown-commit", self.bisect("--skip", "c99")),
                           ("bisect/unknown-commit", self.bisect(commits=())),
                           ("usage/unknown-metric", self.bisect("--metric", "iteration.time")),
                           ("usage/arguments", run("history", "bisect", "--good", "a", input=""))):
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(f"[{code}]", done.stderr)
            self.assertEqual(done.stdout, "")
        self.add("c8", 1001)
        done = self.bisect()  # The end with fewer runs, until each has six.
        self.assertEqual((done.returncode, done.stdout), (3, "c0\n"), done.stderr)
        self.assertIn("no step that the noise would not make; measure c0 again", done.stderr)
        self.add("c0", 1000, times=5)
        self.add("c8", 1001, times=5)
        done = self.bisect()
        self.assertEqual(done.returncode, 2)
        self.assertIn("no step that the noise would not make", done.stderr)
        self.assertRegex(done.stderr, r"record longer runs: the noise of one is \d\.\d %")
        self.assertIn("[bisect/no-step]", done.stderr)

    def test_it_ends(self):
        self.add("c0", 1000, times=31)
        self.add("c2", 1200, times=31)
        done = self.bisect(commits=(1, 2), bad="c2")
        self.assertEqual(done.returncode, 2)
        self.assertIn("at one of 2 commits c1, c2 (95 %) after 62 runs", done.stderr)
        self.assertIn("[bisect/undecided]", done.stderr)

    def repository(self, count, culprit, broken=()):
        """A git repository of so many commits, of which `culprit` is 10 % slower; its hashes."""
        def git(*words):
            return subprocess.run(["git", "-c", "user.name=t", "-c", "user.email=t@example.org", *words], cwd=self.folder,
                                  capture_output=True, text=True, check=True).stdout.strip()

        git("init", "-q", "-b", "main")
        (self.folder / ".git" / "info" / "exclude").write_text("bisect.db\nrun.*\nruns\n")
        for i in range(count):
            (self.folder / "speed").write_text(str(1100 if i >= culprit else 1000) + " " * i)
            if i in broken:
                (self.folder / "broken").write_text("")
            else:
                (self.folder / "broken").unlink(missing_ok=True)
            git("add", "-A")
            git("commit", "-q", "-m", f"commit {i}")
        return git("rev-list", "--reverse", "HEAD").split()

    def sample(self, hashes, path):
        return subprocess.run([str(SAMPLE), hashes[0], hashes[-1], path, "python3", "train.py", path], cwd=self.folder,
                              env=environment(), capture_output=True, text=True, check=False, timeout=300)

    def test_the_sample_finds_the_commit(self):
        done = self.sample(self.repository(12, 7, broken=(4,)), "run.pt.trace.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("commit 7", done.stdout)

    def test_the_sample_finds_one_of_64_by_a_file_of_times(self):
        (self.folder / "train.py").write_text(TIMES_TEXT)
        hashes = self.repository(65, 41)
        done = self.sample(hashes, "run.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("commit 41", done.stdout)
        runs = int((self.folder / "runs").read_text())
        self.assertGreaterEqual(runs, 12)  # Three of each end, and six to halve 64 commits.
        self.assertLess(runs, 25)

    def test_good_is_the_slower_one(self):
        self.add("c0", 1200, times=6)
        self.add("c8", 1000, times=6)
        done = self.bisect()
        self.assertEqual(done.returncode, 2)
        self.assertIn("the good commit is the worse one", done.stderr)
        self.assertIn("[bisect/no-step]", done.stderr)

    def test_it_names_what_was_skipped_before_the_commit(self):
        for speed, commit in ((1000, "c0"), (1000, "c0"), (1200, "c8"), (1200, "c8"), (1000, "c3"), (1200, "c5")):
            self.add(commit, speed)
        done = self.bisect("--skip", "c4")
        self.assertEqual((done.returncode, done.stdout), (0, "c5\n"), done.stderr)
        self.assertIn("note: or at c4, skipped right before it", done.stderr)


if __name__ == "__main__":
    main()
