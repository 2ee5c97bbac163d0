"""`scrub`: a copy of a profile is judged like the original, and has nothing of the machine."""
import gzip
import json
import pathlib
import shutil
import tempfile
import unittest

from support import REPOSITORY, cases, main, run
from unique_formats import FORMATS, Words
from unique_names import Names, trace


class ScrubTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def numbers(self, path):
        done = run("report", "-q", "--config", "none", path, "--json", "-")
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

    def left_of(self, words, path):
        data = path.read_bytes()
        return [word for word in words if word.encode() in data]

    def made(self, make):
        """The profile, its words, and a copy's name that ends like it."""
        folder = self.folder / make.__name__
        folder.mkdir()
        words = Words()
        profile = make(folder, words)
        self.assertEqual(self.left_of(words.code + words.private, profile), words.code + words.private, make.__name__)
        return profile, words, folder / f"copy{profile.name.removeprefix('input')}"

    def test_every_format_loses_what_is_private_and_is_judged_the_same(self):
        for make in FORMATS.values():
            with self.subTest(make.__name__):
                profile, words, copy = self.made(make)
                done = run("scrub", profile, copy)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(self.left_of(words.private, copy), [])
                self.assertEqual(self.numbers(profile), self.numbers(copy))

    def test_no_name_of_code_is_left_with_code(self):
        for make in FORMATS.values():
            with self.subTest(make.__name__):
                profile, words, copy = self.made(make)
                done = run("scrub", "--redact=code", profile, copy)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(self.left_of(words.code + words.private, copy), [])
                self.assertEqual(self.numbers(profile), self.numbers(copy))

    def test_a_key_gives_the_same_names_again(self):
        profile, _, copy = self.made(FORMATS["xplane"])
        keys = [self.folder / f"key{i}" for i in range(2)]
        for i, key in enumerate(keys):
            key.write_text(f"secret {i}")
        copies = []
        for key in (keys[0], keys[0], keys[1]):
            done = run("scrub", "--redact=code", "--redact-key", key, "--force", profile, copy)
            self.assertEqual(done.returncode, 0, done.stderr)
            copies.append(copy.read_bytes())
        self.assertEqual(copies[0], copies[1])
        self.assertNotEqual(copies[0], copies[2])

    def test_shared_profiles_are_judged_the_same(self):
        data = REPOSITORY.parent / "shared/data"
        profiles = [data / name for name in (
            "xla/mi300_jax_conv.xplane.pb", "perfetto/v100_resnet50.pftrace.gz", "ascend/trace_view.json", "ascend/kernel_details.csv",
            "ascend/cluster_step_trace_time.csv", "neuron/profile_128x128x512.json", "nvprof/lianhang_vectoradd_normal_1M.nvvp")]
        if not data.exists():
            self.skipTest(f"no {data}")
        for profile in profiles:
            for code in ((), ("--redact=code",)):
                with self.subTest(profile.name, code=code):
                    copy = self.folder / profile.name.removesuffix(".gz")
                    done = run("scrub", *code, "--force", profile, copy)
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.assertEqual(self.numbers(profile), self.numbers(copy))

    def test_other_formats_are_refused_with_what_to_share_instead(self):
        summary, folder, text = self.folder / "run.pgsum", self.folder / "tables", self.folder / "summary.txt"
        run("summarize", "--config", "none", REPOSITORY / "examples/slow.pt.trace.json.gz", "-o", summary)
        folder.mkdir()
        (folder / "Instruction.parquet").write_bytes(b"PAR1")
        text.write_bytes((cases() / "neuron/summary_text/summary.txt").read_bytes())
        net_dict = cases() / "pyprof/net_dict/input.dict"
        for profile, what, instead in ((summary, "a summary", "summarize PROFILE --redact=code"),
                                       (folder, "Parquet", "nsys export --type sqlite"),
                                       (folder / "Instruction.parquet", "Parquet", "--redact=code"),
                                       (REPOSITORY / "examples/ddp", "one file", "for f in DIR/*; do profgauge scrub"),
                                       (text, "neuron-profile printed", "summary-json"),
                                       (net_dict, "net.dict", "--redact=code")):
            with self.subTest(what):
                for code in ((), ("--redact=code",)):
                    done = run("scrub", *code, profile, self.folder / "copy")
                    self.assertEqual(done.returncode, 3, done.stderr)
                    self.assertIn("scrub/format", done.stderr)
                    self.assertIn(what, done.stderr)
                    self.assertIn(instead, " ".join(done.stderr.split()))
                    self.assertFalse((self.folder / "copy").exists())

    def test_a_damaged_binary_trace_is_not_copied(self):
        whole = (cases() / "kineto/pftrace/input.pftrace").read_bytes()
        damaged = self.folder / "cut.pftrace"
        damaged.write_bytes(whole[:-7])
        done = run("scrub", damaged, self.folder / "copy")
        self.assertEqual((done.returncode, "perfetto/truncated" in done.stderr), (3, True), done.stderr)
        self.assertFalse((self.folder / "copy").exists())


if __name__ == "__main__":
    main()
