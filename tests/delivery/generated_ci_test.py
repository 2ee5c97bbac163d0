"""The files that `init --project` writes for CI systems, executed as their system would."""
import gzip
import json
import re
import shutil
import subprocess

from config_support import EXAMPLES, TRACE, Place
from support import environment, main

try:
    import yaml
except ImportError:
    yaml = None  # Then no CI file is executed.


class GeneratedCiTest(Place):
    """The files of `init --project` for a CI system, executed as written."""

    def setUp(self):
        super().setUp()
        if yaml is None or not shutil.which("git"):
            self.skipTest("not installed: python3-yaml, git")
        shutil.rmtree(self.root / ".git")
        subprocess.run(["git", "init", "-q", self.root], check=True)
        self.write("train.sh", '#!/bin/sh\n[ -z "$TRACE" ] || { mkdir -p models/gpt; cp "$TRACE" models/gpt/run.pt.trace.json.gz; }\n')
        (self.root / "train.sh").chmod(0o755)

    def generate(self, system):
        shutil.copy(EXAMPLES / "healthy.pt.trace.json.gz", self.inner / TRACE)
        done = self.run_in(self.root, "init", "--project", "--ci", system, "models/gpt/" + TRACE)
        self.assertEqual(done.returncode, 0, done.stderr)
        (self.inner / TRACE).unlink()
        subprocess.run("git add . && git -c user.name=a -c user.email=a@b commit -qm a", shell=True, cwd=self.root, check=True)

    def shell(self, script, trace, program=True, branch="change", commit="", shell=("bash", "-e")):
        env = environment(TRACE=str(trace), GITHUB_SHA=commit, CI_COMMIT_SHA=commit, GIT_COMMIT=commit,
                          CI_COMMIT_BRANCH=branch, CI_DEFAULT_BRANCH="main", BEFORE="HEAD~1", AFTER="HEAD",
                          CI_MERGE_REQUEST_DIFF_BASE_SHA="HEAD~1")
        if not program:
            env["PATH"] = "/usr/bin:/bin"
        done = subprocess.run([*shell, "-c", script], cwd=self.root, env=env, text=True, capture_output=True, check=False)
        return done.returncode, done.stdout + done.stderr

    def github(self, branch="change", **how):
        """Steps end at the first that fails, but for those that run unless cancelled."""
        steps = yaml.safe_load((self.root / ".github/workflows/profgauge.yml").read_text())["jobs"]["gate"]["steps"]
        failed, output = 0, ""
        restored = next(i for i, step in enumerate(steps) if "cache/restore" in step.get("uses", ""))
        self.assertTrue(any(step.get("run", "").startswith("rm -f profgauge-history.db") for step in steps[:restored]))
        for step in [step for step in steps if "run" in step and not step["run"].startswith("rm -f profgauge-history.db")]:
            condition = step.get("if", "success()")
            self.assertIn(condition, ("success()", "${{ !cancelled() && github.ref == 'refs/heads/main' }}"))
            runs = failed == 0 if condition == "success()" else branch == "main"
            if runs:
                code, text = self.shell(step["run"], branch=branch, **how)
                failed, output = failed or code, output + text
        return failed, output

    def gitlab(self, branch="change", **how):
        jobs = yaml.safe_load((self.root / "profgauge.gitlab-ci.yml").read_text())
        job, renew = jobs["performance"], jobs["renew"]
        self.assertEqual(job["allow_failure"], {"exit_codes": [3]})
        self.assertEqual(job["before_script"], renew["before_script"])
        self.assertEqual(job["before_script"][0], "rm -f profgauge-history.db*")  # Here it is what GitLab gave.
        code, text = self.shell("\n".join(job["script"]), shell=("bash", "-eo", "pipefail"), branch=branch, **how)
        if branch == "main":
            added, more = self.shell("\n".join(renew["script"]), shell=("bash", "-eo", "pipefail"), branch=branch, **how)
            self.assertEqual(added, 0, more)
        return code, text

    def jenkins(self, branch="change", **how):
        text = (self.root / "Jenkinsfile.profgauge").read_text()
        *record, judge, add = re.findall(r"sh(?:\(returnStatus: true, script:)? '([^']+)'", text)
        self.assertIn("filter: 'profgauge-history.db'", text)
        for script in record:
            kept = self.root / "profgauge-history.db"  # Copied from the last build, after `git clean`.
            history = kept.read_bytes() if kept.exists() else None
            code, _ = self.shell(script, shell=("sh", "-e"), **how)
            self.assertEqual(code, 0)
            if history is not None:
                kept.write_bytes(history)
        self.assertRegex(text, r"if \(code == 3\) \{ unstable\(.*\n +else if \(code != 0\) \{ error\(")
        code, output = self.shell(judge, shell=("sh", "-e"), **how)
        if branch == "main" and (self.root / "profgauge-report/verdict.json").exists():
            added, text = self.shell(add, shell=("sh", "-e"), **how)
            self.assertEqual(added, 0, text)
        return code, output

    def test_each_fails_a_slower_change(self):
        """Five runs of main make the history; a change that is 20 % slower fails, an equal one passes."""
        def recorded(name, factor):
            trace = json.loads(gzip.decompress((EXAMPLES / "healthy.pt.trace.json.gz").read_bytes()))
            for event in trace["traceEvents"]:
                for key in {"ts", "dur"} & event.keys():
                    event[key] *= factor
            path = self.root.with_suffix(f".{name}.gz")
            path.write_bytes(gzip.compress(json.dumps(trace).encode()))
            self.addCleanup(path.unlink)
            return path
        main = [recorded(f"main{n}", 1 + n / 1000) for n in range(5)]
        changes = {"equal": (recorded("equal", 1.0025), 0), "slower": (recorded("slower", 1.2), 1)}
        for system in ("github", "gitlab", "jenkins"):
            self.generate(system)
            (self.root / "profgauge-history.db").unlink(missing_ok=True)
            for number, trace in enumerate(main):
                with self.subTest(system, run=number):
                    code, text = getattr(self, system)(trace=trace, branch="main", commit=f"c{number}")
                    self.assertEqual(code, 0, text)
            for name, (trace, expected) in changes.items():
                with self.subTest(system, change=name):
                    code, text = getattr(self, system)(trace=trace, commit=name)
                    self.assertEqual(code, expected, text)
                    self.assertIn("baseline history:main~10", text)
                    self.assertNotIn("baseline lost", text)
            if system != "jenkins":
                with self.subTest(system, change="accepted"):
                    subprocess.run("git -c user.name=a -c user.email=a@b commit -q --allow-empty -m wider -m "
                                   "'* Profgauge-Accept: +25% a wider model'", shell=True, cwd=self.root, check=True)
                    code, text = getattr(self, system)(trace=changes["slower"][0], commit="slower")
                    self.assertEqual(code, 0, text)
                    self.assertIn("accepted", text)
            self.forget()

    def forget(self):
        for path in ("profgauge.yaml", "perf", ".github", "profgauge.gitlab-ci.yml", "Jenkinsfile.profgauge"):
            shutil.rmtree(self.root / path) if (self.root / path).is_dir() else (self.root / path).unlink(missing_ok=True)

    def test_each_ends_as_the_run_deserves(self):
        broken = self.root.with_suffix(".broken")
        broken.write_text("no trace")
        self.addCleanup(broken.unlink)
        reports = {"github": "profgauge-report/gpt/report.html", "gitlab": "profgauge-report/profgauge.env",
                   "jenkins": "profgauge-report/gpt/page/index.html"}
        for system, report in reports.items():
            self.generate(system)
            for trace, code in ((EXAMPLES / "healthy.pt.trace.json.gz", 0), (EXAMPLES / "slow.pt.trace.json.gz", 1), (broken, 3)):
                with self.subTest(system, trace=trace.name):
                    shutil.rmtree(self.root / "profgauge-report", ignore_errors=True)
                    self.assertEqual(getattr(self, system)(trace=trace)[0], code)
                    self.assertTrue((self.root / report).exists())
                    self.assertTrue(list((self.root / "profgauge-report").glob("*/junit.xml")))
            with self.subTest(system, what="no profile is recorded"):
                (self.inner / TRACE).unlink(missing_ok=True)
                code, text = getattr(self, system)(trace="")
                self.assertEqual((code, "[config/no-inputs]" in text), (3, True), text)
            with self.subTest(system, what="no program"):
                code, text = getattr(self, system)(trace=EXAMPLES / "slow.pt.trace.json.gz", program=False)
                self.assertEqual((code, "not found" in text), (127, True), text)
            self.forget()


if __name__ == "__main__":
    main()
