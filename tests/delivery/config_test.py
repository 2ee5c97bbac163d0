"""profgauge.yaml: found, its values under those of options and variables, its jobs judged as the
owner of several models would; and the effect of a missing baseline on every output.
"""
import gzip
import json
import os
import re
import shutil
import socket
import xml.etree.ElementTree as xml

from config_support import EXAMPLES, TRACE, Place
from support import SANITIZED, main


class DiscoveryTest(Place):
    def test_it_is_found_upwards_to_the_repository(self):
        self.policy("perf/policy.yaml")
        self.write("profgauge.yaml", "schema: 1\npolicy: perf/policy.yaml\n")
        verdict = self.verdict()
        self.assertEqual(verdict["policy"], "../../perf/policy.yaml")
        self.assertEqual(verdict["policy_from"], "../../profgauge.yaml")
        self.assertEqual(verdict["config"], "../../profgauge.yaml")

    def test_the_nearest_counts(self):
        self.policy("policy.yaml")
        self.write("profgauge.yaml", "schema: 1\npolicy: policy.yaml\n")
        self.write("models/.profgauge.yaml", "schema: 1\npolicy: builtin:strict\n")
        self.assertEqual(self.verdict()["policy_from"], "../.profgauge.yaml")

    def test_a_worktree_ends_the_search_too(self):
        self.write("profgauge.yaml", "schema: 1\npolicy: builtin:strict\n")
        self.write("models/.git", "gitdir: elsewhere\n")
        self.assertEqual(self.verdict()["policy_from"], "no policy was given")

    def test_without_a_repository_only_the_folder_counts(self):
        shutil.rmtree(self.root / ".git")
        self.write("profgauge.yaml", "schema: 1\npolicy: builtin:strict\n")
        self.assertEqual(self.verdict()["policy_from"], "no policy was given")
        shutil.copy(self.inner / TRACE, self.root)
        self.assertEqual(self.verdict(folder=self.root)["policy_from"], "profgauge.yaml")

    def test_it_can_be_named_and_left_out(self):
        self.write("profgauge.yaml", "schema: 1\npolicy: builtin:strict\n")
        self.write("other.yaml", "schema: 1\npolicy: builtin:report-only\n")
        self.assertEqual(self.verdict("--config", "none")["policy"], "builtin:recommended")
        self.assertEqual(self.verdict("--config", "../../other.yaml")["policy"], "builtin:report-only")
        self.assertEqual(self.verdict(PROFGAUGE_CONFIG="../../other.yaml")["policy"], "builtin:report-only")
        done = self.run_in(self.inner, "check", TRACE, "--config", "nothing.yaml")
        self.assertEqual(done.returncode, 2)
        self.assertIn("[config/missing]", done.stderr)


class PrecedenceTest(Place):
    def test_option_variable_job_top_default(self):
        self.assertEqual(self.verdict()["policy"], "builtin:recommended")
        for name in ("top", "job", "variable", "option"):
            self.policy(f"{name}.yaml")
        self.write("profgauge.yaml", "schema: 1\npolicy: top.yaml\n")
        self.assertEqual(self.verdict()["policy"], "../../top.yaml")
        self.write("profgauge.yaml", "schema: 1\npolicy: top.yaml\njobs:\n"
                   "  - {name: gpt, inputs: 'models/gpt/*.gz', policy: job.yaml}\n")
        verdict = self.verdict()
        self.assertEqual(verdict["policy"], "../../job.yaml")
        self.assertEqual(verdict["policy_from"], "job gpt of ../../profgauge.yaml")
        verdict = self.verdict(PROFGAUGE_POLICY="../../variable.yaml")
        self.assertEqual((verdict["policy"], verdict["policy_from"]), ("../../variable.yaml", "PROFGAUGE_POLICY"))
        verdict = self.verdict("-p", "../../option.yaml", PROFGAUGE_POLICY="../../variable.yaml")
        self.assertEqual((verdict["policy"], verdict["policy_from"]), ("../../option.yaml", "command line"))

    def test_variables(self):
        done = self.run_in(self.inner, "check", TRACE, PROFGAUGE_OUT="here", PROFGAUGE_COLOR="always")
        self.assertTrue((self.inner / "here/report.html").exists(), done.stderr)
        self.assertIn("\x1b[", done.stdout)
        done = self.run_in(self.inner, "check", TRACE, PROFGAUGE_COLOR="blue")
        self.assertEqual(done.returncode, 2)
        self.assertIn("note: the value is that of PROFGAUGE_COLOR", done.stderr)
        done = self.run_in(self.inner, "check", TRACE, PROFGAUGE_POLICI="x", PROFGAUGE_SOMETHING_ELSE="x",
                           PROFGAUGE_POLICY="")
        self.assertIn("warning: unknown variable PROFGAUGE_POLICI; did you mean PROFGAUGE_POLICY?", done.stderr)
        self.assertNotIn("SOMETHING_ELSE", done.stderr)

    def test_a_variable_that_is_gone_is_refused(self):
        for name, words in (("PROFGAUGE_BASELINE_MISSING", "missing: WHAT"), ("PROFGAUGE_NOW", "SOURCE_DATE_EPOCH")):
            done = self.run_in(self.inner, "check", TRACE, **{name: "fail"})
            self.assertEqual((done.returncode, "[usage/gone]" in done.stderr, words in done.stderr), (2, True, True), done.stderr)

    def test_every_variable_has_its_effect(self):
        self.write("profgauge.yaml", "schema: 1\njobs:\n  - {name: gpt, inputs: models/gpt/*.gz}\n  - {name: other, inputs: x/*}\n")
        waived = ("schema: 1\nrules: {'*': off, io/dataloader-bound: default}\nwaivers:\n"
                  "  - {rule: io/dataloader-bound, owner: anna, reason: known, expires: 2096-06-01}\n")
        self.write("models/gpt/waived.yaml", waived)
        for variables, arguments, words, code in (
                ({"PROFGAUGE_JOB": "gpt"}, (), "<!-- profgauge:gpt -->", 1),
                ({"PROFGAUGE_BASELINE": "history:main~5", "PROFGAUGE_DB": "here.db"}, (TRACE,), "here.db does not exist", 1),
                ({"PROFGAUGE_BASELINE": "nothing.json"}, (TRACE,), "`baseline/missing`", 2),
                ({"SOURCE_DATE_EPOCH": "3986668800"}, (TRACE, "-p", "waived.yaml"), "1 waived", 0),  # 2096-05-01
                ({"SOURCE_DATE_EPOCH": "3991939200"}, (TRACE, "-p", "waived.yaml"), "1 error", 1),  # 2096-07-01
                ({"PROFGAUGE_MAX_MEMORY": "2MB"}, (TRACE,), "`input/too-large`", 3)):
            if SANITIZED and "PROFGAUGE_MAX_MEMORY" in variables:
                continue
            with self.subTest(variables):
                # PROFGAUGE_CI makes the summary, beside which nothing else names an output.
                done = self.run_in(self.inner, "check", *arguments, PROFGAUGE_CI="generic", **variables)
                self.assertEqual(done.returncode, code, done.stderr)
                summary = sorted((self.inner / "profgauge-report").rglob("summary.md"))[0]
                self.assertIn(words, summary.read_text().replace("\\", ""))
                shutil.rmtree(self.inner / "profgauge-report")

    def test_labels_of_the_top_the_job_and_the_option(self):
        self.write("profgauge.yaml", "schema: 1\nlabels: {team: vision, tier: a}\njobs:\n"
                   "  - {name: gpt, inputs: 'models/gpt/*.gz', labels: {tier: b, size: 7b}}\n")
        done = self.run_in(self.inner, "check", TRACE, "--write", "metrics=m.prom", "--json", "r.json", "--label", "size=70 \"b\"")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn(r'profgauge_errors{run="gpt",size="70 \"b\"",tier="b",team="vision"} ', (self.inner / "m.prom").read_text())
        environment = json.loads((self.inner / "r.json").read_text())["environment"]
        self.assertEqual([environment[f"label {name}"] for name in ("size", "tier", "team")], ['70 "b"', "b", "vision"])
        (self.inner / TRACE).write_text("no trace")
        self.run_in(self.inner, "check", TRACE, "--write", "metrics=m.prom")
        self.assertIn('team="vision",state="no_verdict"} 1', (self.inner / "m.prom").read_text())
        self.write("profgauge.yaml", "schema: 1\nlabels: {team name: a, run: b}\n")
        done = self.run_in(self.inner, "check", TRACE)
        self.assertEqual((done.returncode, done.stderr.count("[config/label]")), (2, 2), done.stderr)
        for text in ("team", "team=", "=a", "state=a", "a b=c"):
            self.assertIn("[usage/bad-value]", self.run_in(self.inner, "check", TRACE, "--label", text).stderr)

    def test_an_unnamed_policy_is_reported(self):
        shutil.copy(EXAMPLES / "policy.yaml", self.inner)
        done = self.run_in(self.inner, "check", TRACE)
        self.assertIn("note: policy.yaml is not used; say -p policy.yaml or put it into profgauge.yaml", done.stderr)
        self.assertIn("policy builtin:recommended (no policy was given) · baseline none\n", done.stdout)
        done = self.run_in(self.inner, "check", TRACE, "-p", "policy.yaml")
        self.assertNotIn("is not used", done.stderr)
        self.assertIn("policy policy.yaml (command line) · baseline none\n", done.stdout)

    def test_every_output_names_both(self):
        self.policy("perf.yaml")
        self.write("profgauge.yaml", "schema: 1\npolicy: perf.yaml\n")
        done = self.run_in(self.inner, "check", TRACE, "--out", "o", "--write", "summary=s.md", "--write", "verdict=v.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        text = "../../perf.yaml (../../profgauge.yaml)"
        self.assertIn("policy " + text, done.stdout)
        for name in ("o/report.html", "o/report.md", "s.md"):
            self.assertIn("perf.yaml (../../profgauge.yaml)", (self.inner / name).read_text().replace("\\", ""))
        verdict = json.loads((self.inner / "v.json").read_text())
        self.assertEqual((verdict["policy"]["name"], verdict["config"]), ("../../perf.yaml", "../../profgauge.yaml"))
        for name in ("o/report.html", "o/report.md", "s.md"):
            self.assertIn(" · baseline none", (self.inner / name).read_text())


class MistakesTest(Place):
    def test_all_mistakes_with_places_in_all_outputs(self):
        self.write("profgauge.yaml", "schema: 1\npolcy: x\nbaseline_missing: maybe\njobs:\n  - {name: GPT}\n"
                   "  - {name: a, inputs: x}\n  - {name: a, inputs: x, take: newest}\n")
        done = self.run_in(self.root, "check", "--ci", "generic")
        self.assertEqual(done.returncode, 2)
        for place, code in (("2:1", "config/unknown-key"), ("3:19", "config/word"), ("5:5", "config/missing-key"),
                            ("5:12", "config/job-name"), ("7:12", "config/job-twice"), ("7:32", "config/word")):
            self.assertIn(f"profgauge.yaml:{place}", done.stderr)
            self.assertIn(f"[{code}]", done.stderr)
        verdict = json.loads((self.root / "profgauge-report/verdict.json").read_text())
        self.assertEqual(len(verdict["errors"]), 6)

    def test_a_policy_that_is_missing_is_no_other_policy(self):
        self.write("profgauge.yaml", "schema: 1\npolicy: perf/nothing.yaml\n")
        done = self.run_in(self.inner, "check", TRACE)
        self.assertEqual(done.returncode, 2)
        self.assertIn("../../perf/nothing.yaml", done.stderr)

    def test_pipes_without_a_writer(self):
        os.mkfifo(self.root / "p.yaml")
        self.write("profgauge.yaml", "schema: 1\npolicy: p.yaml\n")
        done = self.run_in(self.inner, "check", TRACE)
        self.assertEqual((done.returncode, "[config/not-a-file]" in done.stderr), (2, True), done.stderr)

    def test_a_socket_is_no_profile(self):
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(str(self.root / "s"))
            done = self.run_in(self.root, "check", "s")
        self.assertEqual((done.returncode, "[input/not-a-file]" in done.stderr), (3, True), done.stderr)

    def test_a_baseline_stays_where_the_next_does_less(self):
        trace = json.loads(gzip.open(self.inner / TRACE).read())
        kernels = [event for event in trace["traceEvents"] if event.get("cat") == "kernel"]
        gone = {id(event) for event in kernels[::3]}
        trace["traceEvents"] = [event for event in trace["traceEvents"] if id(event) not in gone]
        (self.inner / "less.pt.trace.json").write_text(json.dumps(trace))
        self.assertEqual(self.run_in(self.inner, "baseline", "save", TRACE, "-o", "b.json").returncode, 0)
        kept = (self.inner / "b.json").read_bytes()
        done = self.run_in(self.inner, "baseline", "save", "less.pt.trace.json", "-o", "b.json", "--allow-incomplete")
        self.assertEqual((done.returncode, "[baseline/replaced]" in done.stderr), (3, True), done.stderr)
        self.assertEqual((self.inner / "b.json").read_bytes(), kept)

    def test_a_search_ends_or_fails(self):
        # Each of the 1 001 links leads back to all of them.
        (self.root / "many").mkdir()
        for number in range(1001):
            (self.root / "many" / str(number)).symlink_to(".")
        self.write("profgauge.yaml", "schema: 1\njobs:\n  - {name: a, inputs: ['models/*', 'many/*/*.json']}\n")
        done = self.run_in(self.root, "check", "--job", "a")
        self.assertEqual((done.returncode, "[config/too-many-inputs]" in done.stderr), (2, True), done.stderr)

    def test_jobs(self):
        self.write("profgauge.yaml", "schema: 1\njobs:\n  - {name: a, inputs: 'models/*'}\n"
                   "  - {name: b, inputs: 'models/gpt'}\n  - {name: c, inputs: 'runs/*.gz'}\n")
        for arguments, code, exit_code in ((("--job", "d"), "config/no-such-job", 2), (("--job", "c"), "config/no-inputs", 3),
                                           (("models/gpt",), "config/two-jobs", 2)):
            done = self.run_in(self.root, "check", *arguments)
            self.assertEqual((done.returncode, f"[{code}]" in done.stderr), (exit_code, True), done.stderr)
        done = self.run_in(self.root, "check", "--json", "x.json")
        self.assertEqual(done.returncode, 2)
        self.assertIn("[usage/one-run-only]", done.stderr)
        self.assertIn("profgauge.yaml:5", self.run_in(self.root, "check", "--job", "c").stderr)
        done = self.run_in(self.inner, "check", "--config", "none")
        self.assertIn("[usage/missing-argument]", done.stderr)


class InitTest(Place):
    """`init` from several runs, and the files of --project."""

    def init(self, *arguments, folder=None):
        return self.run_in(folder or self.inner, "init", *arguments)

    def test_project_is_judged_by_one_word(self):
        for remote, file in (("git@github.com:a/b.git", ".github/workflows/profgauge.yml"),
                             ("https://gitlab.example/a/b.git", "profgauge.gitlab-ci.yml")):
            with self.subTest(file):
                self.write(".git/config", f'[remote "origin"]\n\turl = {remote}\n')
                done = self.init("--project", TRACE)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn("profgauge check --ci", (self.root / file).read_text())
                text = (self.root / "profgauge.yaml").read_text()
                self.assertIn("inputs: ['models/gpt/*.json.gz']", text)
                self.assertIn("- name: gpt\n", text)
                self.assertIn("    take: pooled\n", text)
                self.assertNotIn("iteration.time.median: {max:", (self.root / "perf/policy.yaml").read_text())
                for folder in (self.root, self.inner):
                    done = self.run_in(folder, "check")
                    self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                    self.assertIn("perf/policy.yaml (", done.stdout)
                before = {path: path.read_bytes() for path in self.root.rglob("*") if path.is_file()}
                self.assertEqual((self.root / ".gitignore").read_text(), "profgauge-history.db\nprofgauge-report/\n")
                (self.root / "perf/policy.yaml").unlink()
                done = self.init("--project", TRACE)  # It adds what is missing, and changes nothing else.
                self.assertEqual((done.returncode, done.stderr.count("kept "), done.stderr.count("wrote ")), (0, 2, 1), done.stderr)
                self.assertEqual(before, {path: path.read_bytes() for path in before})
                for path in ("profgauge.yaml", "perf/policy.yaml", file):
                    (self.root / path).unlink()

    def test_several_runs_are_judged_before_there_is_a_baseline(self):
        events = json.loads(gzip.decompress((EXAMPLES / "slow.pt.trace.json.gz").read_bytes()))
        files = [f"runs/{run}.pt.trace.json" for run in range(3)]
        folders = [f"ranks/run{run}" for run in range(3)]
        for run, (file, folder) in enumerate(zip(files, folders)):
            events["baseTimeNanoseconds"] += 10**12
            self.write(file, json.dumps(events))
            self.write(f"{folder}/a.pt.trace.json", json.dumps(events))
        for inputs, pattern in ((files, "runs/*.json"), (folders, "ranks/run*"), (folders[:1], "ranks/run*")):
            with self.subTest(inputs):
                done = self.init("--project", "--ci", "github", *inputs, folder=self.root)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn(f"inputs: ['{pattern}']", (self.root / "profgauge.yaml").read_text())
                done = self.run_in(self.root, "check")
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                self.assertIn("3 runs are judged together", done.stdout)
                for file in ("profgauge.yaml", "perf/policy.yaml"):
                    (self.root / file).unlink()

    def test_a_wrong_folder_names_the_next_step(self):
        (self.inner / "empty").mkdir()
        for wrong, step in (((), "write `profgauge init --project PROFILE…`, with a profile that your training wrote"),
                            (("builtin:example",), "name one that your training wrote"),
                            (("none",), "check the path; a folder of profiles is accepted, too"),
                            (("empty",), "name the folder to which the profiler wrote")):
            self.assertIn("  help: " + step, self.init("--project", *wrong).stderr)

    def test_the_ci_system_is_named_or_unknown(self):
        done = self.init("--project", "--ci", "jenkins", "-o", "limits.yaml", TRACE)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue((self.root / "Jenkinsfile.profgauge").exists())
        self.assertIn("policy: models/gpt/limits.yaml\n", (self.root / "profgauge.yaml").read_text())
        (self.root / "profgauge.yaml").unlink()
        done = self.init("--project", TRACE)
        self.assertIn("note: no CI system was found", done.stderr)

    def test_runs_of_different_programs_have_a_policy_too(self):
        shutil.copy(EXAMPLES / "healthy.pt.trace.json.gz", self.inner)
        done = self.init(TRACE, "healthy.pt.trace.json.gz")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("is not like those before it: its operators, input shapes or launches differ", done.stderr)
        (self.inner / "limits.yaml").write_text(done.stdout)
        for name in (TRACE, "healthy.pt.trace.json.gz"):
            done = self.run_in(self.inner, "check", name, "-p", "limits.yaml")
            self.assertEqual(done.returncode, 0, done.stdout)

    def test_several_runs_show_their_noise(self):
        for name, factor in (("a", 1.0), ("b", 1.2)):
            trace = json.loads(gzip.decompress((EXAMPLES / "slow.pt.trace.json.gz").read_bytes()))
            for event in trace["traceEvents"]:
                for key in ("ts", "dur"):
                    if key in event:
                        event[key] *= factor
            (self.inner / f"{name}.json").write_text(json.dumps(trace))
        one = self.init("a.json")
        both = self.init("a.json", "b.json")
        self.assertEqual((one.returncode, both.returncode), (0, 0), both.stderr)
        self.assertNotIn("is not like", both.stderr)
        self.assertIn("  iteration.time.median: {max_increase: 5%}", one.stdout)
        # Twice the 20 % that the runs differ by, of the slower one.
        self.assertIn("  iteration.time.median: {max_increase: 40%}", both.stdout)
        slower = re.search(r"Measured: 11\.\d\sms to (13\.\d)\sms in 2 runs\.\n  # fixed: .*\n  iteration.time.median", both.stdout)
        self.assertTrue(slower, both.stdout)
        limit = re.search(r"iteration.time.median: .max: ([0-9.]+) ms", both.stdout)
        self.assertAlmostEqual(float(limit[1]), float(slower[1]) * 1.4, delta=0.1)
        (self.inner / "limits.yaml").write_text(both.stdout)
        for name in ("a.json", "b.json"):
            done = self.run_in(self.inner, "check", name, "-p", "limits.yaml")
            self.assertEqual(done.returncode, 0, done.stdout)


class MonorepoTest(Place):
    """Three models, each with its inputs and limits, judged by one call as their owner would."""

    def setUp(self):
        super().setUp()
        shutil.copytree(EXAMPLES / "ddp", self.root / "runs" / "ddp" / "step-20")
        (self.root / "runs/healthy").mkdir(parents=True)
        shutil.copy(EXAMPLES / "slow.pt.trace.json.gz", self.root / "runs/healthy/w_1.1700000000000000000.pt.trace.json.gz")
        shutil.copy(EXAMPLES / "healthy.pt.trace.json.gz", self.root / "runs/healthy/w_1.1700000009000000000.pt.trace.json.gz")
        (self.root / "runs/slow").mkdir()
        shutil.copy(EXAMPLES / "slow.pt.trace.json.gz", self.root / "runs/slow/rank0_trace.json.gz")
        self.policy("perf/loose.yaml")
        self.write("perf/tight.yaml", "schema: 1\nextends: [builtin:recommended]\nthresholds:\n"
                   "  gpu.utilization.mean: {min: 75%}\n")
        self.write("profgauge.yaml", """schema: 1
policy: perf/tight.yaml
db: perf/history.db
jobs:
  - name: resnet50
    inputs: runs/healthy/*.gz
    policy: builtin:recommended
  - name: ddp
    inputs: runs/ddp/*
    policy: perf/loose.yaml
  - name: gpt
    inputs: runs/slow/**
""")

    def test_a_copy_is_no_second_recording(self):
        self.write("profgauge.yaml", "schema: 1\njobs:\n  - name: gpt\n    inputs: runs/slow/*\n    take: pooled\n")
        alone = self.run_in(self.root, "check", "-q")
        shutil.copy(self.root / "runs/slow/rank0_trace.json.gz", self.root / "runs/slow/rank9_trace.json.gz")
        done = self.run_in(self.root, "check", "-q")
        self.assertEqual((done.returncode, done.stdout), (alone.returncode, alone.stdout))
        self.assertIn("rank9_trace.json.gz` is a copy of", self.run_in(self.root, "check").stderr)

    def test_one_call_judges_all(self):
        done = self.run_in(self.root, "check", "--ci", "generic")
        self.assertEqual(done.returncode, 1, done.stderr)
        report = self.root / "profgauge-report"
        verdict = json.loads((report / "verdict.json").read_text())
        self.assertEqual([(job["name"], job["exit_code"]) for job in verdict["jobs"]],
                         [("resnet50", 0), ("ddp", 0), ("gpt", 1)])
        self.assertEqual(verdict["jobs"][2]["report"], "gpt/report.html")
        for name in ("resnet50", "ddp", "gpt"):
            for file in ("report.html", "junit.xml", "summary.md", "verdict.json", "run.pgsum"):
                self.assertTrue((report / name / file).exists(), (name, file))
            self.assertIn(f"<!-- profgauge:{name} -->", (report / name / "summary.md").read_text())
        policies = [json.loads((report / name / "verdict.json").read_text())["policy"]["name"] for name in ("resnet50", "ddp", "gpt")]
        self.assertEqual(policies, ["builtin:recommended", "perf/loose.yaml", "perf/tight.yaml"])
        self.assertEqual(json.loads((report / "ddp/report.json").read_text())["profile"]["ranks"], 4)
        self.assertIn("gpt", done.stdout.splitlines()[-1])
        # The latest of the two runs was taken.
        names = json.loads((report / "resnet50/report.json").read_text())["profile"]["source"]
        self.assertEqual(len(names), 1)
        self.assertIn("1700000009", names[0])

    def test_one_job_and_one_that_cannot_be_read(self):
        done = self.run_in(self.root, "check", "--job", "ddp", "--out", "o")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([path.name for path in (self.root / "o").iterdir()], ["ddp"])
        (self.root / "runs/slow/rank0_trace.json.gz").write_text("no trace")
        done = self.run_in(self.root, "check", "--ci", "generic")
        self.assertEqual(done.returncode, 3, done.stderr)
        verdict = json.loads((self.root / "profgauge-report/gpt/verdict.json").read_text())
        self.assertEqual(verdict["status"], "no_verdict")
        self.assertTrue((self.root / "profgauge-report/ddp/report.html").exists())

    def test_the_history_is_that_of_the_file(self):
        # Another run: a run is never its own baseline.
        trace = json.loads(gzip.decompress((EXAMPLES / "slow.pt.trace.json.gz").read_bytes()))
        (self.root / "before.json").write_text(json.dumps(trace | {"traceName": "before"}))
        done = self.run_in(self.root / "runs", "history", "add", "../before.json", "--branch", "main")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue((self.root / "perf/history.db").exists())
        file = self.root / "profgauge.yaml"
        file.write_text(file.read_text().replace("jobs:", "baseline: history:main~5\njobs:"))
        done = self.run_in(self.root / "runs", "check", "slow/rank0_trace.json.gz", "--json", "r.json")
        baseline = json.loads((self.root / "runs/r.json").read_text())["baseline"]
        self.assertEqual((baseline["state"], len(baseline["runs"]), baseline["wanted"]), ("learning", 1, 5))


class BaselineMissingTest(Place):
    def check(self, *arguments, policy="builtin:report-only", **variables):
        return self.run_in(self.inner, "check", TRACE, "-p", policy, "--ci", "generic", "--write", "github=g.txt",
                           *arguments, **variables)

    def file(self, name):
        return (self.inner / "profgauge-report" / name).read_text()

    def test_every_choice_in_every_output(self):
        for choice, exit_code, warns in ((None, 3, False), ("warn", 0, True), ("pass", 0, False),
                                         ("no_verdict", 3, False), ("fail", 2, None)):
            with self.subTest(choice):
                missing = f", missing: {choice}" if choice else ""
                self.write("models/gpt/choice.yaml", "schema: 1\nextends: [builtin:report-only]\n"
                           f"baseline: {{iteration.time.median: {{max_increase: 5%}}{missing}}}\n")
                done = self.check("--baseline", "history:main~5", policy="choice.yaml")
                self.assertEqual(done.returncode, exit_code, done.stderr)
                verdict = json.loads(self.file("verdict.json"))
                if choice == "fail":
                    self.assertEqual(verdict["errors"], ["baseline/missing"])
                    continue
                self.assertEqual(verdict["baseline"]["state"], "lost")
                line = ("baseline history:main~5: the history is empty or gone, and should not be "
                        "(profgauge-history.db does not exist). Restore it, or let main run once; "
                        "to start over, set `learning_until` in profgauge.yaml")
                self.assertIn(line, " ".join(done.stdout.split()))
                self.assertIn(" · baseline lost", " ".join(done.stdout.split()))
                self.assertIn("baseline history:main", self.file("summary.md").splitlines()[3])
                case = [case for case in xml.fromstring(self.file("junit.xml")).iter("testcase")
                        if case.get("name") == "baseline"]
                self.assertEqual(case[0].find("skipped").get("message"), line)
                annotations = (self.inner / "g.txt").read_text()
                self.assertEqual("::warning" in annotations and "title=baseline" in annotations, warns)
                run_of = json.loads(self.file("profgauge.sarif"))["runs"][0]
                self.assertEqual("invocations" in run_of, warns)

    def test_a_branch_without_runs_and_fewer_runs_than_asked_for(self):
        for commit in ("a", "b"):
            (self.inner / commit).mkdir()
            trace = json.loads(gzip.decompress((EXAMPLES / "slow.pt.trace.json.gz").read_bytes()))
            trace["traceName"] = commit  # Other bytes: another run.
            (self.inner / commit / "run.json").write_text(json.dumps(trace))
            added = self.run_in(self.inner, "history", "add", f"{commit}/run.json", "--branch", "main", "--commit", commit)
            self.assertEqual(added.returncode, 0, added.stderr)
        done = self.check("--baseline", "history:other~5")
        self.assertEqual((done.returncode, "baseline/unknown-branch" in done.stderr), (2, True), done.stderr)
        self.assertIn("the history has no branch other: did you mean main (2 runs)?", done.stderr)
        done = self.check("--baseline", "history:main~5")
        self.assertIn("baseline history:main~5: 2 runs of 5", " ".join(done.stdout.split()))
        self.assertIn(" · learning: 2 of 4 runs of main", " ".join(done.stdout.split()))
        self.assertEqual(json.loads(self.file("verdict.json"))["baseline"], {"state": "learning", "runs": 2, "wanted": 5})
        done = self.check("--baseline", "history:main~2")
        self.assertEqual(json.loads(self.file("verdict.json"))["baseline"]["state"], "learning")

    def test_a_file_may_not_be_missing(self):
        self.write("profgauge.yaml", "schema: 1\nbaseline: base.json\nbaseline_missing: warn\n")
        self.assertEqual(self.check().returncode, 2)

    def test_the_configuration_chooses_for_a_history(self):
        self.write("profgauge.yaml", "schema: 1\nbaseline: history:main~5\nbaseline_missing: no_verdict\n")
        self.assertEqual(self.check().returncode, 3)


if __name__ == "__main__":
    main()
