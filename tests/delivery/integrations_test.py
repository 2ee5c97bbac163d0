"""examples/integrations and examples/grafana, as written, with stand-ins that record their inputs."""
import importlib.util
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import types
import unittest

import yaml

from support import REPOSITORY, environment, main, run

HERE = REPOSITORY / "examples/integrations"
SLOW = REPOSITORY / "examples/slow.pt.trace.json.gz"
POLICY = REPOSITORY / "examples/policy.yaml"
HOSTILE = 'a<b> & "c" `d` *e* [f](g) $(touch owned) \\ é'


def load(name, **modules):
    """The file as a module, with stand-ins for its imports."""
    spec = importlib.util.spec_from_file_location(name, HERE / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    before = {key: sys.modules.get(key) for key in modules}
    sys.modules.update(modules)
    try:
        spec.loader.exec_module(module)
    finally:
        for key, value in before.items():
            if value is None:
                del sys.modules[key]
            else:
                sys.modules[key] = value
    return module


class Recorder:
    """Answers every call with itself and records it."""

    def __init__(self):
        self.calls, self.summary = [], {}

    def __getattr__(self, name):
        def call(*arguments, **named):
            self.calls.append((name, arguments, named))
            return self
        return call

    def of(self, name):
        return [(arguments, named) for called, arguments, named in self.calls if called == name]


class IntegrationsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp())
        cls.json, cls.verdict, cls.metrics = (cls.folder / name for name in ("r.json", "v.json", "m.prom"))
        assert run("check", SLOW, "-p", POLICY, "--json", cls.json, "--write", f"verdict={cls.verdict}",
                   "--write", f"metrics={cls.metrics}").returncode == 1
        cls.report = json.loads(cls.json.read_text())
        # A number that is none, as no report has it.
        cls.report["metrics"]["made.up"] = {"value": float("nan")}
        cls.known = {f"profgauge/{name}": metric["value"] for name, metric in cls.report["metrics"].items()
                     if "value" in metric and name != "made.up"}

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def test_weights_and_biases(self):
        for inside in (False, True):
            recorder, artifact = Recorder(), Recorder()
            wandb = types.SimpleNamespace(run=recorder if inside else None, Artifact=lambda *_, **__: artifact,
                                          init=lambda **named: recorder.calls.append(("init", (), named)) or recorder)
            load("wandb_log", wandb=wandb).log(self.report, "report.html")
            self.assertEqual(len(recorder.of("init")), 0 if inside else 1)
            self.assertEqual(recorder.of("log"), [((self.known,), {})])
            self.assertEqual(recorder.summary, {"profgauge/verdict": "fail"})
            self.assertEqual(artifact.of("add_file"), [(("report.html",), {})])
            self.assertEqual(len(recorder.of("log_artifact")), 1)

    def test_mlflow(self):
        mlflow = Recorder()
        mlflow.active_run = lambda: None
        load("mlflow_log", mlflow=mlflow).log(self.report, "report.html")
        self.assertEqual(mlflow.of("start_run"), [((), {"run_name": "slow"})])
        self.assertEqual(mlflow.of("log_metrics"), [((self.known,), {})])
        self.assertEqual(mlflow.of("set_tag"), [(("profgauge.verdict", "fail"), {})])
        self.assertEqual(mlflow.of("log_artifact"), [(("report.html",), {})])

    def test_tensorboard(self):
        writer = Recorder()
        module = load("tensorboard_scalars", **{
            "torch": types.ModuleType("torch"), "torch.utils": types.ModuleType("torch.utils"),
            "torch.utils.tensorboard": types.SimpleNamespace(SummaryWriter=lambda folder: writer)})
        paths = [self.folder / "step-207" / "report", self.folder / "step-9"]
        for path in paths:
            path.mkdir(parents=True)
            shutil.copy(self.json, path / "report.json")
        module.write("logs", [str(path / "report.json") for path in paths])
        scalars = [arguments for arguments, _ in writer.of("add_scalar")]
        self.assertEqual({step for _, _, step in scalars}, {207, 9})
        self.assertEqual({name: value for name, value, step in scalars if step == 9}, self.known)
        self.assertEqual(len(writer.of("close")), 1)

    def sent(self, script, verdict, *more, **variables):
        """The arguments of curl in a script, and its exit code."""
        stub = self.folder / "bin"
        stub.mkdir(exist_ok=True)
        (stub / "curl").write_text('#!/bin/sh\nfor last in "$@"; do :; done\necho "$last" > "$SENT.url"\ncat > "$SENT"\n')
        (stub / "curl").chmod(0o755)
        into = self.folder / "sent"
        into.unlink(missing_ok=True)
        variables = {"SENT": str(into), **variables}
        done = subprocess.run([HERE / script, verdict, *more], capture_output=True, text=True, cwd=self.folder, check=False,
                              env=environment(**{**variables, "PATH": f"{stub}:{os.environ['PATH']}"}))
        return done, json.loads(into.read_text()) if into.exists() else None

    def hostile(self):
        path = self.folder / "hostile.json"
        verdict = json.loads(self.verdict.read_text())
        path.write_text(json.dumps({**verdict, "name": HOSTILE, "reasons": [HOSTILE * 40] * 50}))
        return path

    def test_slack(self):
        done, message = self.sent("slack.sh", self.verdict, "https://ci/1", SLACK_WEBHOOK_URL="https://hooks/x")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        lines = message["text"].splitlines()
        self.assertEqual(lines[0], "FAIL  slow")
        self.assertEqual(lines[-1], "<https://ci/1|Report>")
        self.assertEqual(len(lines), 2 + len(json.loads(self.verdict.read_text())["reasons"]))
        self.assertEqual((self.folder / "sent.url").read_text(), "https://hooks/x\n")
        _, message = self.sent("slack.sh", self.hostile(), SLACK_WEBHOOK_URL="x")
        self.assertLessEqual(len(message["text"]), 3000)
        self.assertLessEqual(len(message["text"].splitlines()), 12)
        self.assertNotIn("<", message["text"])
        self.assertIn("a&lt;b&gt; &amp; \"c\" `d` *e* [f](g) $(touch owned) \\ é", message["text"])
        self.assertFalse((self.folder / "owned").exists())

    def test_teams(self):
        done, message = self.sent("teams.sh", self.verdict, "https://ci/1", TEAMS_WORKFLOW_URL="https://flow/x")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        card = message["attachments"][0]["content"]
        self.assertEqual(card["body"][0]["inlines"][0], {"type": "TextRun", "text": "FAIL  slow", "weight": "Bolder"})
        self.assertEqual(card["actions"][0]["url"], "https://ci/1")
        _, message = self.sent("teams.sh", self.hostile(), TEAMS_WORKFLOW_URL="x")
        self.assertLess(len(json.dumps(message)), 28_000)
        self.assertEqual(message["attachments"][0]["content"]["body"][0]["inlines"][0]["text"], f"FAIL  {HOSTILE}")

    def test_runs_without_a_verdict_are_sent_too(self):
        verdict = self.folder / "unread.json"
        broken = self.folder / "broken.json"
        broken.write_text("{")
        self.assertEqual(run("check", broken, "--write", f"verdict={verdict}").returncode, 3)
        _, message = self.sent("slack.sh", verdict, SLACK_WEBHOOK_URL="x")
        self.assertTrue(message["text"].startswith("NO VERDICT  "), message)
        self.assertEqual(len(message["text"].splitlines()), 2, message)

    def test_a_sample_that_cannot_work_fails_and_says_why(self):
        done, message = self.sent("slack.sh", self.verdict)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("SLACK_WEBHOOK_URL", done.stderr)
        self.assertIsNone(message)
        for script, name in (("slack.sh", "SLACK_WEBHOOK_URL"), ("teams.sh", "TEAMS_WORKFLOW_URL")):
            done, message = self.sent(script, self.folder / "missing.json", **{name: "x"})
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("missing.json", done.stderr)
            self.assertIsNone(message)

    def test_the_board_and_the_alerts_name_metrics_that_exist(self):
        units = {"ratio": "_ratio", "ns": "_seconds"}
        rows = [line.split()[:2] for line in run("metrics", "list").stdout.splitlines()[1:] if line]
        known = {f"profgauge_{name.replace('.', '_')}{units.get(unit, '')}" for name, unit in rows}
        written = set(re.findall(r"^(profgauge_\w+)\{", self.metrics.read_text(), re.M))
        self.assertIn("profgauge_gpu_idle_mean_ratio", known & written)
        known |= {"profgauge_verdict_pass", "profgauge_errors", "profgauge_open"} & written
        board = json.loads((REPOSITORY / "examples/grafana/profgauge.json").read_text())
        alerts = yaml.safe_load((REPOSITORY / "examples/grafana/alerts.yaml").read_text())
        expressions = [target["expr"] for panel in board["panels"] for target in panel["targets"]]
        expressions += [variable["query"] for variable in board["templating"]["list"]]
        expressions += [rule["expr"] for group in alerts["groups"] for rule in group["rules"]]
        named = set(re.findall(r"profgauge_\w+", " ".join(expressions)))
        self.assertGreaterEqual(len(named), 6)
        self.assertLessEqual(named, known)
        self.assertEqual({"job", "run"} - {variable["name"] for variable in board["templating"]["list"]}, set())

    @unittest.skipIf(shutil.which("promtool") is None, "promtool is not installed")
    def test_promtool_takes_them(self):
        alerts = REPOSITORY / "examples/grafana/alerts.yaml"
        done = subprocess.run(["promtool", "check", "rules", alerts], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    sys.exit(main())
