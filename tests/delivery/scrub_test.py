"""`scrub`: a copy of a profile is judged like the original, and has nothing of the machine."""
import gzip
import json
import pathlib
import shutil
import tempfile
import unittest

from support import REPOSITORY, main, run
from unique_names import Names, trace


class ScrubTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def numbers(self, path):
        done = run("report", "-q", "--no-config", path, "--json", "-")
        self.assertIn(done.returncode, (0, 1), done.stderr)
        report = json.loads(done.stdout)
        return ({name: metric.get("value") for name, metric in report["metrics"].items()},
                [(finding["rule"], finding["status"]) for finding in report["findings"]])

    def test_examples_of_pytorch_are_judged_the_same(self):
        for name in ("slow.pt.trace.json.gz", "ddp/worker0.pt.trace.json.gz", "h200/fp32.pt.trace.json.gz"):
            copy = self.folder / pathlib.Path(name).name
            done = run("scrub", REPOSITORY / "examples" / name, copy)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(self.numbers(REPOSITORY / "examples" / name), self.numbers(copy), name)

    def test_unknown_keys_paths_and_hosts_go(self):
        names = Names()
        document = trace(names)
        document["traceEvents"][0]["args"]["a new key"] = "qzsecret00vx"
        profile, copy = self.folder / "in.json", self.folder / "out.json"
        profile.write_text(json.dumps(document))
        done = run("scrub", profile, copy)
        self.assertEqual(done.returncode, 0, done.stderr)
        text = copy.read_text()
        json.loads(text)
        for gone in ("qzsecret00vx", "qzfolder00vx", "qzhost00vx", "qztrace00vx", "qzkey00vx", "qzvalue00vx"):
            self.assertNotIn(gone, text)
        self.assertEqual(self.numbers(profile), self.numbers(copy))

    def test_packed_by_its_name_and_nothing_is_overwritten(self):
        profile = REPOSITORY / "examples/slow.pt.trace.json.gz"
        copy = self.folder / "copy.json.gz"
        self.assertEqual(run("scrub", profile, copy).returncode, 0)
        self.assertIn(b"traceEvents", gzip.decompress(copy.read_bytes()))
        self.assertEqual(run("scrub", profile, copy).returncode, 2)
        self.assertEqual(run("scrub", profile, copy, "--force").returncode, 0)

    def test_rocprofv3_loses_node_and_command(self):
        shared = REPOSITORY.parent / "shared/data/rocm/908_first4000_results.json.gz"
        if not shared.exists():
            self.skipTest(f"no {shared}")
        copy = self.folder / "copy.json"
        done = run("scrub", shared, copy)
        self.assertEqual(done.returncode, 0, done.stderr)
        text = copy.read_text()
        for gone in ("mi350node", "machine_id", "train.py"):
            self.assertNotIn(gone, text)
        self.assertEqual(self.numbers(shared), self.numbers(copy))

    def test_other_formats_are_named(self):
        done = run("scrub", REPOSITORY / "examples/h200/jax_bf16.xplane.pb.gz", self.folder / "copy")
        self.assertEqual(done.returncode, 3)
        self.assertIn("scrub/format", done.stderr)
        self.assertIn("--redact=code", done.stderr)
        self.assertFalse((self.folder / "copy").exists())


if __name__ == "__main__":
    main()
