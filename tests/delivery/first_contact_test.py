"""What a stranger types first, by the habits of other tools: each answer has the line to type, or is the thing itself.
And what a pull request shows: at most 200 words with a link, of one job and of several.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from support import PROGRAM, REPOSITORY, environment, main, run

EXAMPLES = REPOSITORY / "examples"

# Exit code, command line in a copy of examples/, and what the answer has.
TRIES = """
2 | profgauge slow.pt.trace.json.gz | say `profgauge check slow.pt.trace.json.gz`
2 | profgauge ddp | say `profgauge check ddp`
2 | profgauge report.html | make a page: `profgauge check PROFILE --html FILE`
2 | profgauge train.py | ProfGauge records nothing
2 | profgauge python train.py | ProfGauge records nothing
2 | profgauge torchrun train.py | ProfGauge records nothing
0 | profgauge -h | profgauge check run
0 | profgauge help | profgauge check run
0 | profgauge help check | Usage: profgauge check PROFILE
2 | profgauge help diff | `profgauge compare BASE CURRENT`
0 | profgauge --version | profgauge \\d
0 | profgauge -V | profgauge \\d
0 | profgauge version | profgauge \\d
2 | profgauge -v | `profgauge check PROFILE
2 | profgauge gate slow.pt.trace.json.gz | `profgauge check PROFILE`
2 | profgauge CHECK slow.pt.trace.json.gz | did you mean `check`
2 | profgauge diff a b | `profgauge compare BASE CURRENT`
2 | profgauge timeline slow.pt.trace.json.gz | `profgauge check PROFILE --html FILE`
2 | profgauge flamegraph slow.pt.trace.json.gz | `profgauge check PROFILE --html FILE`
2 | profgauge top slow.pt.trace.json.gz | `profgauge query PROFILE
2 | profgauge kernels slow.pt.trace.json.gz | `profgauge query PROFILE
2 | profgauge memory slow.pt.trace.json.gz | `profgauge inspect PROFILE`
2 | profgauge trace python train.py | training/README
2 | profgauge export csv slow.pt.trace.json.gz | `profgauge export tables`
2 | profgauge metrics | `profgauge metrics list`
2 | profgauge rules | `profgauge rules list`
2 | profgauge check | `profgauge check PROFILE`
2 | profgauge compare slow.pt.trace.json.gz | `profgauge compare BASE CURRENT`
2 | profgauge init | `profgauge init PROFILE
2 | profgauge query slow.pt.trace.json.gz | e.g. profgauge query
2 | profgauge check slow.pt.trace.json.gz --html | write `--html FILE`
2 | profgauge check slow.pt.trace.json.gz --json | write `--json FILE`
2 | profgauge check slow.pt.trace.json.gz --format html | `--html FILE`
2 | profgauge check slow.pt.trace.json.gz --skip 5 | write `--iter-start N`
2 | profgauge check slow.pt.trace.json.gz --no-fail | write `--exit-zero`
2 | profgauge check slow.pt.trace.json.gz --fail-on-error | did you mean `--fail-on`
2 | profgauge check slow.pt.trace.json.gz --summary | `--write summary=FILE`
2 | profgauge check slow.pt.trace.json.gz --against healthy.pt.trace.json.gz | `--baseline FILE`
2 | profgauge check slow.pt.trace.json.gz --save-baseline | `profgauge baseline save PROFILE -o FILE`
2 | profgauge check slow.pt.trace.json.gz --debug | write `-v`
1 | profgauge check slow.pt.trace.json.gz -q | FAIL
1 | profgauge check slow.pt.trace.json.gz --verbose | FAIL
1 | profgauge check ddp | FAIL
1 | tar cf x.tar slow.pt.trace.json.gz && profgauge check x.tar | FAIL
1 | tar czf x.tgz slow.pt.trace.json.gz && profgauge check x.tgz | FAIL
0 | profgauge report slow.pt.trace.json.gz -o out | wrote out/: report.html
3 | echo x > y.qdrep; profgauge check y.qdrep | `nsys export --type sqlite y.qdrep`
3 | echo x > y.ncu-rep; profgauge check y.ncu-rep | `nsys profile
3 | echo 'import torch' > train.py; profgauge check train.py | record it: `nsys profile
2 | printf 'step,time\\n1,2\\n' > x.csv; profgauge check x.csv | --step-times FILE:COLUMN
"""


class FirstContactTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def test_first_tries_are_answered_with_a_line(self):
        rows = [line.split(" | ") for line in TRIES.strip().splitlines()]
        self.assertGreaterEqual(len(rows), 45)
        place = self.folder / "examples"
        shutil.copytree(EXAMPLES, place, ignore=shutil.ignore_patterns("screenshots"))
        (self.folder / "bin").mkdir()
        (self.folder / "bin/profgauge").symlink_to(PROGRAM)
        for code, line, wanted in rows:
            with self.subTest(line=line):
                done = subprocess.run(line, shell=True, cwd=place, text=True, capture_output=True, check=False,
                                      env=environment(PATH=f"{self.folder}/bin:{os.environ['PATH']}"))
                said = " ".join((done.stdout + done.stderr).split())
                self.assertEqual(done.returncode, int(code), said)
                self.assertRegex(said, wanted)

    def test_a_comment_has_the_heads_and_a_link(self):
        systems = {
            "github": ({"GITHUB_ACTIONS": "true", "GITHUB_SERVER_URL": "https://g.example", "GITHUB_REPOSITORY": "a/b",
                        "GITHUB_RUN_ID": "7"}, "https://g.example/a/b/actions/runs/7#artifacts"),
            "gitlab": ({"GITLAB_CI": "true", "CI_JOB_URL": "https://l.example/jobs/7", "CI_PROJECT_DIR": str(self.folder)},
                       "https://l.example/jobs/7/artifacts/file/my%20reports/report.html"),
            "jenkins": ({"JENKINS_URL": "x", "BUILD_URL": "https://j.example/7/", "WORKSPACE": str(self.folder)},
                        "https://j.example/7/artifact/my%20reports/report.html"),
            "buildkite": ({"BUILDKITE": "true", "BUILDKITE_BUILD_URL": "https://k.example/7"}, "https://k.example/7"),
            "circleci": ({"CIRCLECI": "true", "CIRCLE_BUILD_URL": "https://c.example/7"}, "https://c.example/7"),
        }
        for system, (variables, link) in systems.items():
            shutil.rmtree(self.folder / "my reports", ignore_errors=True)
            done = run("check", EXAMPLES / "slow.pt.trace.json.gz", "--ci", system, "--out", "my reports", cwd=self.folder,
                       env={"PATH": os.environ["PATH"], **variables})
            self.assertEqual(done.returncode, 1, done.stderr)
            summary = (self.folder / "my reports/summary.md").read_text()
            self.assertIn(f"[Report]({link}) · ", summary)
            self.assertIn("\nFails for:\n- ", summary)
            self.assertRegex(summary, r"\nFix first \(11\.4.ms per iteration\):\n1\. ")
            self.assertEqual(json.loads((self.folder / "my reports/verdict.json").read_text())["link"], link)

    def test_a_container_says_how_to_write(self):
        """Its user is often none who may write into a mounted folder."""
        place = self.folder / "mounted"
        place.mkdir()
        place.chmod(0o555)
        self.folder.chmod(0o755)
        as_user = ["setpriv", "--reuid", "65532", "--clear-groups"] if os.geteuid() == 0 else []
        if as_user and not shutil.which("setpriv"):
            self.skipTest("setpriv is not installed")
        shutil.copy(PROGRAM, self.folder / "profgauge")  # Where that user may read it.
        done = subprocess.run([*as_user, self.folder / "profgauge", "check", "builtin:example", "-o", place / "out"],
                              text=True, capture_output=True, check=False)
        self.assertEqual(done.returncode, 4, done.stderr)
        is_container = os.path.exists("/.dockerenv") or os.path.exists("/run/.containerenv")
        self.assertEqual('`docker run -u "$(id -u)" …`' in done.stderr, is_container, done.stderr)

    def test_comments_have_200_words(self):
        for profile, words in (("slow.pt.trace.json.gz", 200), ("ddp", 200), ("h200/bf16.pt.trace.json.gz", 200),
                               ("healthy.pt.trace.json.gz", 50)):
            done = run("check", EXAMPLES / profile, "-q", "--write", "summary=s.md", cwd=self.folder)
            text = (self.folder / "s.md").read_text()
            self.assertIn(done.returncode, (0, 1, 3), done.stderr)
            self.assertLessEqual(len(text.split()), words, text)
        done = run("compare", EXAMPLES / "healthy.pt.trace.json.gz", EXAMPLES / "slow.pt.trace.json.gz", "--write",
                   "summary=s.md", cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        text = (self.folder / "s.md").read_text()
        self.assertIn("slow against healthy", text.splitlines()[0])
        self.assertLessEqual(len(text.split()), 200)

    def test_several_jobs_name_the_page_that_decides(self):
        for job, profile in (("good", "healthy"), ("bad", "slow"), ("worse", "slow")):
            (self.folder / f"runs/{job}").mkdir(parents=True)
            shutil.copy(EXAMPLES / f"{profile}.pt.trace.json.gz", self.folder / f"runs/{job}/run.pt.trace.json.gz")
        (self.folder / ".git").mkdir()
        for jobs, exit_code, page in ((("good", "bad", "worse"), 1, "bad"), (("good",), 0, "good"), (("bad",), 1, "bad")):
            shutil.rmtree(self.folder / "profgauge-report", ignore_errors=True)
            (self.folder / "profgauge.yaml").write_text("schema: 1\njobs:\n" + "".join(
                f"  - {{name: {job}, inputs: runs/{job}/*}}\n" for job in jobs))
            variables = self.folder / "variables"
            variables.write_text("")
            done = run("check", "--ci", "github", cwd=self.folder,
                       env={"PATH": os.environ["PATH"], "GITHUB_ACTIONS": "true", "GITHUB_OUTPUT": str(variables)})
            self.assertEqual(done.returncode, exit_code, done.stderr)
            report = dict(line.split("=", 1) for line in variables.read_text().splitlines())["report"]
            self.assertEqual(report, f"profgauge-report/{page}/report.html")
            self.assertTrue((self.folder / report).exists())
            verdict = json.loads((self.folder / "profgauge-report/verdict.json").read_text())
            self.assertEqual(verdict["report"], f"{page}/report.html")
            self.assertEqual([job["name"] for job in verdict["jobs"]], list(jobs))
            if exit_code == 1:
                self.assertTrue(verdict["reasons"])
            if len(jobs) > 1:
                self.assertTrue(all(re.match("(bad|worse): ", reason) for reason in verdict["reasons"]), verdict)


if __name__ == "__main__":
    main()
