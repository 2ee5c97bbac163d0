"""The shared part of the tests of projects with a profgauge.yaml: a repository with a profile in it."""
import json
import pathlib
import shutil
import tempfile
import unittest

from support import REPOSITORY, environment, run

EXAMPLES = REPOSITORY / "examples"
TRACE = "run.pt.trace.json.gz"


class Place(unittest.TestCase):
    """A repository with two folders one in the other, and a profile in the inner one."""

    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp()).resolve()
        self.addCleanup(shutil.rmtree, self.root)
        (self.root / ".git").mkdir()
        self.inner = self.root / "models" / "gpt"
        self.inner.mkdir(parents=True)
        shutil.copy(EXAMPLES / "slow.pt.trace.json.gz", self.inner / TRACE)

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def policy(self, name):
        self.write(name, "schema: 1\nextends: [builtin:report-only]\n")

    def run_in(self, folder, *arguments, **variables):
        env = {name: value for name, value in environment().items() if not name.startswith("PROFGAUGE_")}
        return run(*arguments, cwd=folder, env=env | {"COLUMNS": "300"} | variables)

    def verdict(self, *arguments, folder=None, **variables):
        folder = folder or self.inner
        done = self.run_in(folder, "report", TRACE, "--json", "out.json", *arguments, **variables)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads((folder / "out.json").read_text())["verdict"]
