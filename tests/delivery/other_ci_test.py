"""The guide for other CI systems (examples/ci): its scripts executed as they are written, its files
parsed; and the hooks for pre-commit.
"""
import re
import shlex
import shutil
import subprocess
import unittest

from samples_support import HEALTHY, SLOW, SampleTest, yaml
from support import PROGRAM, REPOSITORY, main

GUIDE = (REPOSITORY / "examples/ci/README.md").read_text()


def blocks(system, language):
    section = re.search(rf"^## {system}$(.*?)(?=^## |\Z)", GUIDE, re.S | re.M)[1]
    return re.findall(rf"^```{language}\n(.*?)^```", section, re.S | re.M)


class OtherCiTest(SampleTest):
    def test_buildkite(self):
        step = yaml.safe_load(blocks("Buildkite", "yaml")[0])["steps"][0]
        self.assertEqual(step["soft_fail"], [{"exit_status": 3}])
        self.place.script(step["command"], blocks("Buildkite", "sh")[0])
        self.place.script("bin/buildkite-agent", '#!/bin/sh\necho "$@" >> annotated; cat >> annotated\n')
        for trace, code, style in ((HEALTHY, 0, "success"), (SLOW, 1, "error"), ("", 3, "error")):
            shutil.rmtree(self.place.folder / "runs", ignore_errors=True)
            done = self.place.run(step["command"], TRACE=trace, BUILDKITE="true")
            self.assertEqual(done.returncode, code, done.stderr)
            text = (self.place.folder / "annotated").read_text()
            self.assertIn(f"annotate --context profgauge-report/resnet50/summary.md --style {style}\n", text)
            (self.place.folder / "annotated").unlink()
        self.place.script("bin/buildkite-agent", "#!/bin/sh\nexit 1\n")
        self.assertIn("no annotation", self.place.run(step["command"], TRACE=HEALTHY).stderr)
        done = self.place.run(step["command"], TRACE=HEALTHY, PATH="/usr/bin:/bin")
        self.assertEqual((done.returncode, "not found" in done.stderr), (127, True), done.stderr)

    def steps(self, scripts, report):
        for trace, code in ((HEALTHY, 0), (SLOW, 1), ("", 3)):
            shutil.rmtree(self.place.folder / "runs", ignore_errors=True)
            codes = [self.place.run(script, TRACE=trace).returncode for script in scripts]
            self.assertEqual(codes, [0, code])
            self.exists(report)
        self.assertEqual(self.place.run(scripts[1], PATH="/usr/bin:/bin").returncode, 127)

    def test_circleci(self):
        steps = yaml.safe_load(blocks("CircleCI", "yaml")[0])["jobs"]["performance"]["steps"]
        stored = [step["store_test_results"]["path"] for step in steps if "store_test_results" in step]
        self.steps([step["run"] for step in steps if "run" in step], f"{stored[0]}/*/junit.xml")

    def test_azure(self):
        steps = yaml.safe_load(blocks("Azure Pipelines", "yaml")[0])["steps"]
        results = next(step for step in steps if step.get("task"))
        self.assertTrue(results["inputs"]["failTaskOnMissingResultsFile"])
        self.steps([step["script"] for step in steps if "script" in step], results["inputs"]["testResultsFiles"])

    def test_bisect(self):
        self.place.script("bisect.sh", blocks("Bisect", "sh")[0])
        for trace, code in ((HEALTHY, 0), (SLOW, 1), ("", 125)):
            shutil.rmtree(self.place.folder / "runs", ignore_errors=True)
            self.assertEqual(self.place.run("./bisect.sh", TRACE=trace).returncode, code)
        self.assertEqual(self.place.run("./bisect.sh", TRACE=HEALTHY, PROFGAUGE_POLICY="none.yaml").returncode, 255)

    def test_the_history_of_the_guide(self):
        self.place.run("./train.sh && profgauge check --ci generic", TRACE=HEALTHY)
        done = self.place.run(blocks("Keep the history", "sh")[0], COMMIT="3f2a1c")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("3f2a1c", self.place.run("profgauge history list").stdout)


class PreCommitTest(unittest.TestCase):
    def test_the_hooks(self):
        hooks = {hook["id"]: hook for hook in yaml.safe_load((REPOSITORY / ".pre-commit-hooks.yaml").read_text())}
        used = yaml.safe_load(blocks("pre-commit", "yaml")[0])["repos"][0]["hooks"]
        self.assertEqual([hook["id"] for hook in used], list(hooks))
        files = {name: [path for path in ("rules/gpu.yaml", "rules/gpu.test.yaml", "policy.yaml", "a/rules/x.md")
                        if re.search(hook["files"], path) and not re.search(hook.get("exclude", "^$"), path)]
                 for name, hook in hooks.items()}
        self.assertEqual(files, {"profgauge-rules-check": ["rules/gpu.yaml"], "profgauge-rules-test": ["rules/gpu.test.yaml"]})
        for name, hook in hooks.items():
            words = shlex.split(hook["entry"])
            self.assertEqual(words[0], "profgauge")
            done = subprocess.run([PROGRAM, *words[1:], *files[name]], cwd=REPOSITORY, text=True, capture_output=True, check=False)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    main()
