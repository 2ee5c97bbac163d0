"""`--redact=code`: a profile whose every name occurs nowhere else, and no output in which one is left."""
import base64
import functools
import gzip
import json
import pathlib
import re
import shutil
import tempfile
import unittest
import zipfile
import zlib

from support import REPOSITORY, main, on_day, run
from unique_names import COUNT, Names, trace


def inflated(data):
    """The unpacked contents of bytes: gzip, zlib, raw deflate."""
    for kind in (31, 15, -15):
        try:
            yield zlib.decompressobj(kind).decompress(data)
        except zlib.error:
            pass


def unpacked(path):
    """Everything that a reader of the file can come to see, as one text."""
    data = path.read_bytes()
    parts = [data, *inflated(data)]
    if data.startswith(b"PK"):
        with zipfile.ZipFile(path) as book:
            parts += [book.read(name) for name in book.namelist()]
    for packed in re.findall(rb"[A-Za-z0-9+/]{60,}={0,2}", data):
        try:
            decoded = base64.b64decode(packed + b"=" * (-len(packed) % 4))
        except ValueError:
            continue
        parts += [decoded, *inflated(decoded)]
    for packed in re.findall(rb"<script type=application/x-profgauge[^>]*>([^<]*)<", data):
        digits = [letter - 35 - (letter > 60) - (letter > 92) for letter in packed + b"yyyy"]
        words = (functools.reduce(lambda word, digit: 85 * word + digit, digits[at:at + 5], 0) for at in range(0, len(packed), 5))
        decoded = b"".join(word.to_bytes(4, "big") for word in words)
        assert decoded.startswith(b"\x1f\x8b"), "not packed as expected"
        parts += inflated(decoded)
    return b"\n".join(parts).decode("latin-1")


def sentences(part, place=""):
    """Each text of a report by its place, without code; names of files, cells and facts of the profile are left out."""
    if isinstance(part, str):
        yield place, re.sub("`[^`]*`", "`", part)
    elif isinstance(part, list):
        for number, one in enumerate(part):
            yield from sentences(one, f"{place}/{number}")
    elif isinstance(part, dict) and part.get("kind") != "code":
        for key, one in part.items():
            if place or key not in ("tables", "timeline", "environment", "profile", "provenance"):
                if key not in ("evidence", "next"):
                    yield from sentences(one, f"{place}/{key}")


class RedactTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp())
        cls.names = Names()
        cls.profile = cls.folder / "qzfolderofrun" / "qzfileofrun.pt.trace.json"
        cls.profile.parent.mkdir()
        cls.names.all += ["qzfolderofrun", "qzfileofrun"]
        cls.profile.write_text(json.dumps(trace(cls.names)))

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder, ignore_errors=True)

    def outputs(self, name, *redaction):
        """The folder of a check with all outputs, and the text that it printed."""
        out = self.folder / name
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir()
        kinds = {"summary": "summary.md", "text": "verdict.txt", "junit": "junit.xml", "sarif": "a.sarif", "github": "github.txt",
                 "code-quality": "gitlab.json", "metrics": "metrics.prom", "verdict": "verdict.json", "pgsum": "run.pgsum",
                 "trace": "trace.json.gz", "html-dir": "page"}
        written = [word for kind, file in kinds.items() for word in ("--write", f"{kind}={out / file}")]
        done = run("check", "--config", "none", self.profile, *redaction, "-v", "--out", out / "report", *written,
                   "--timeline", "full")
        self.assertIn(done.returncode, (0, 1, 3), done.stderr)
        (out / "terminal.txt").write_text(done.stdout)
        return out, done.returncode

    def found_in(self, folder):
        """Names by file."""
        found = {}
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                text = unpacked(path)
                left = [name for name in self.names.all if name in text]
                if left:
                    found[str(path.relative_to(folder))] = left
        return found

    def test_without_redaction_names_are_everywhere(self):
        out, _ = self.outputs("plain")
        found = self.found_in(out)
        self.assertGreaterEqual(len(found), 7, list(found))
        everywhere = {name for names in found.values() for name in names}
        for kind in ("kernel", "argument", "op", "function", "file", "module", "range", "thread", "group"):
            self.assertTrue(any(name.startswith(f"qz{kind}") for name in everywhere), kind)

    def test_no_name_is_left(self):
        for level in ("code", "all"):
            out, _ = self.outputs(level, f"--redact={level}")
            self.assertEqual(self.found_in(out), {}, level)

    def test_names_stay_distinct_and_frameworks_stay(self):
        out, _ = self.outputs("code2", "--redact=code")
        report = json.loads((out / "report/report.json").read_text())
        table = report["tables"]["kernels"]
        place = [column["id"] for column in table["columns"]].index("name")
        kernels = {row[place] for row in table["rows"]}
        self.assertEqual(len(kernels), COUNT + 1)
        self.assertTrue(any(name.startswith("ncclDevKernel_AllReduce_Sum_f32_RING_LL") for name in kernels))
        hidden = [name for name in kernels if "nccl" not in name]
        for name in hidden:
            self.assertRegex(name, r"^void kernel_[0-9a-f]{8}<float, kernel_[0-9a-f]{8}>\(int\)$")
        text = (out / "report/report.json").read_text()
        self.assertRegex(text, r"file_[0-9a-f]{8}\.py\(\d+\): fn_[0-9a-f]{8}")
        self.assertRegex(text, r"nn\.Module: \w+_[0-9a-f]{8}")

    def test_the_verdict_and_the_numbers_stay(self):
        plain, code = self.outputs("plain2")
        hidden, hidden_code = self.outputs("code3", "--redact=code")
        self.assertEqual(code, hidden_code)
        one, other = (json.loads((out / "report/report.json").read_text()) for out in (plain, hidden))
        self.assertEqual(*({name: metric.get("value") for name, metric in report["metrics"].items()} for report in (one, other)))
        self.assertEqual([(f["rule"], f["status"]) for f in one["findings"]], [(f["rule"], f["status"]) for f in other["findings"]])

    def test_sentences_stay_as_they_are(self):
        for name in ("slow.pt.trace.json.gz", "healthy.pt.trace.json.gz", "ddp"):
            reports = [run("report", "-q", "--config", "none", REPOSITORY / "examples" / name, "--json", "-", *redaction)
                       for redaction in ((), ("--redact=code",))]
            plain, hidden = (dict(sentences(json.loads(report.stdout))) for report in reports)
            self.assertGreater(len(plain), 100, name)
            self.assertEqual(plain, hidden, name)

    def test_the_key_is_no_output(self):
        plain, _ = self.outputs("plain3")
        hash_of_input = json.loads((plain / "report/report.json").read_text())["provenance"]["input"]
        hidden, _ = self.outputs("code4", "--redact=code")
        for path in hidden.rglob("*"):
            if path.is_file():
                self.assertNotIn(hash_of_input, unpacked(path), path.name)

    def test_a_key_makes_other_names_and_the_same_ones_again(self):
        (self.folder / "key").write_text("a secret of ours\n")
        with_key = ("--redact=code", "--redact-key", self.folder / "key")
        texts = [(self.outputs(f"key{i}", *how)[0] / "report/report.json").read_text()
                 for i, how in enumerate((with_key, with_key, ("--redact=code",)))]
        self.assertEqual(texts[0], texts[1])
        self.assertNotEqual(texts[0], texts[2])

    def test_shapes_and_message_sizes_go_with_all(self):
        code, _ = self.outputs("shapes1", "--redact=code")
        hidden, _ = self.outputs("shapes2", "--redact=all")
        shape = "[64, 512]"
        self.assertIn(shape, (code / "report/report.json").read_text())
        for path in hidden.rglob("*"):
            if path.is_file():
                self.assertNotIn(shape, unpacked(path), path.name)

    def test_queries_and_exports_obey(self):
        out = self.folder / "tables"
        for kind in ("csv", "jsonl", "sqlite", "parquet"):
            target = self.folder / f"tables.{kind}"
            done = run("export", "tables", "--config", "none", self.profile, "--redact=code", "--format", kind, "-o", target)
            self.assertEqual(done.returncode, 0, done.stderr)
            (out / kind).mkdir(parents=True, exist_ok=True)
            for path in [target] if target.is_file() else target.iterdir():
                shutil.copy(path, out / kind)
        for table in ("host_events", "device_events", "python_events", "kernels", "findings", "facts"):
            done = run("query", "--config", "none", self.profile, "--redact=code", f"select * from {table}")
            self.assertEqual(done.returncode, 0, done.stderr)
            (out / f"{table}.txt").write_text(done.stdout)
        self.assertEqual(self.found_in(out), {})

    def test_summaries_baselines_histories_and_comparisons(self):
        out = self.folder / "kept"
        out.mkdir()
        done = run("summarize", "--config", "none", self.profile, "--redact=code", "-o", out / "run.pgsum")
        self.assertEqual(done.returncode, 0, done.stderr)
        for command in (("baseline", "save", out / "run.pgsum", "-o", out / "base.json"),
                        ("history", "add", out / "run.pgsum", "--db", out / "history.db", "--branch", "main"),
                        ("check", out / "run.pgsum", "--out", out / "again")):
            done = run(*command, "--config", "none")
            self.assertIn(done.returncode, (0, 1, 3), done.stderr)
        (out / "compare.txt").write_text(run("compare", "--config", "none", self.profile, self.profile, "--redact=code", "--out",
                                             out / "compare").stdout)
        (out / "runs.txt").write_text(run("report", "--config", "none", "--run", f"a={self.profile}", "--run", f"b={self.profile}",
                                          "--redact=code", "--out", out / "runs").stdout)
        plain = json.loads((run("report", "--config", "none", "-q", self.profile, "--json", "-")).stdout)
        self.assertEqual(self.found_in(out), {})
        for path in out.rglob("*"):
            if path.is_file():
                self.assertNotIn(plain["provenance"]["input"], unpacked(path), path.name)
        # A report that was drawn with names can lose them when it is drawn again.
        run("report", "--config", "none", "-q", self.profile, "--json", self.folder / "plain.json")
        done = run("render", self.folder / "plain.json", "--redact=code", "--out", out / "rendered")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.found_in(out / "rendered"), {})

    def test_baselines_and_who_accepted_them(self):
        """At each level, by `check` and by `render` of the plain report."""
        secret = self.folder / "customerX.pt.trace.json.gz"
        shutil.copy(REPOSITORY / "examples/slow.pt.trace.json.gz", secret)
        slower = json.loads(gzip.decompress(secret.read_bytes()))
        for event in slower["traceEvents"]:
            for key in {"ts", "dur"} & event.keys():
                event[key] *= 1.4
        (self.folder / "slower.json").write_text(json.dumps(slower))
        done = run("history", "add", secret, "--db", "h.db", "--commit", "c0ffee1", "--model", "customerX", cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        (self.folder / "policy.yaml").write_text("schema: 1\nrules: {'*': off}\nbaseline: {iteration.time.median: {max_increase: 5%}}\n")
        judged = ("check", "--config", "none", "slower.json", "--policy", "policy.yaml",
                  "--db", "h.db", "--model", "customerX", "--baseline", "history:main~1", "--accept", "+50% as customerX wants",
                  "--owner", "alice.smith")
        names = ("customerX", "alice.smith", "c0ffee1")
        plain = run(*judged, "--json", "plain.json", cwd=self.folder)
        self.assertEqual(plain.returncode, 0, plain.stderr)
        text = (self.folder / "plain.json").read_text()
        self.assertEqual([name for name in names if name not in text], [])
        for level in ("places", "code", "all"):
            with self.subTest(level):
                done = run(*judged, f"--redact={level}", "--json", "hidden.json", cwd=self.folder)
                again = run("render", "plain.json", f"--redact={level}", "--json", "again.json", "--md", "again.md", cwd=self.folder)
                self.assertEqual((done.returncode, again.returncode), (0, 0), done.stderr + again.stderr)
                for output in [done.stdout, again.stdout, *((self.folder / name).read_text() for name in ("hidden.json", "again.json", "again.md"))]:
                    self.assertEqual([name for name in names if name in output], [], output[:2000])

    def test_who_waived_what(self):
        waiver = "reason: as customerX wants, owner: alice.smith, expires: 2096-12-31"
        (self.folder / "policy.yaml").write_text("schema: 1\nextends: [builtin:recommended]\nwaivers:\n"
                                                 f"  - {{rule: io/dataloader-bound, {waiver}}}\n"
                                                 f"  - {{threshold: gpu.idle.mean, up_to: 60%, {waiver}}}\n"
                                                 "  - {rule: comm/exposed, reason: as customerX wants, owner: alice.smith, expires: 2096-11-01}\n")
        done = run("check", "--config", "none", REPOSITORY / "examples/slow.pt.trace.json.gz", "--policy", "policy.yaml", "-v",
                   "--redact", "--json", "w.json", cwd=self.folder, env=on_day("2096-11-26"))
        for output in (done.stdout, (self.folder / "w.json").read_text()):
            self.assertIn("until 2096-12-31", output)
            self.assertEqual([name for name in ("customerX", "alice.smith") if name in output], [], output)
        self.assertEqual(done.stdout.count("waived: gpu.idle.mean"), 1)

    def test_redacted_places_keep_names_of_code(self):
        for how in ("--redact", "--redact=places"):
            out, _ = self.outputs("places", how)
            left = {name for names in self.found_in(out).values() for name in names}
            self.assertFalse([name for name in left if name.startswith(("qzfolder", "qzhost", "qzfileofrun"))])
            self.assertTrue([name for name in left if name.startswith("qzkernel")])

    def test_a_report_of_an_error_names_no_file(self):
        """A missing profile, a damaged one, and one of a folder of ranks."""
        ranks = self.profile.parent / "qzfolderofranks"
        shutil.rmtree(ranks, ignore_errors=True)
        ranks.mkdir()
        for name in ("qzfileofrank0.json", "qzfileofrank1.json"):
            (ranks / name).write_text("{")
        damaged = self.profile.parent / "qzfiledamaged.json"
        damaged.write_text("{")
        for profile in (self.profile.parent / "qzfilemissing.json", damaged, ranks):
            for level in ("places", "all"):
                out = self.folder / "ending"
                shutil.rmtree(out, ignore_errors=True)
                run("check", "--config", "none", profile, f"--redact={level}", "--out", out, "--ci", "generic")
                run("check", "--config", "none", profile, f"--redact={level}", "--write", f"github={out / 'github.txt'}")
                files = [path for path in out.rglob("*") if path.is_file()]
                self.assertGreater(len(files), 5)
                for path in files:
                    self.assertNotIn("qzf", unpacked(path), f"{path.name} {profile.name} {level}")

    def test_a_folder_of_a_short_name_mangles_no_text(self):
        for name in (".", "a"):
            place = self.folder / "short" / "a"
            place.mkdir(parents=True, exist_ok=True)
            (place / "qzfilesingle.json").write_text("{")
            done = run("check", "--config", "none", name, "--redact", "--json", "e.json", cwd=place if name == "." else place.parent)
            text = ((place if name == "." else place.parent) / "e.json").read_text()
            self.assertEqual(done.returncode, 3)
            self.assertIn("expected files like worker0.pt.trace.json.gz", text)
            self.assertNotIn("qzfilesingle", text)

    def test_mistakes_are_named(self):
        done = run("check", self.profile, "--redact=everything")
        self.assertEqual(done.returncode, 2)
        self.assertIn("`places`, `code` or `all`", done.stderr)
        done = run("check", self.profile, "--redact=code", "--redact-key", self.folder / "nowhere")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--redact-key", done.stderr)


if __name__ == "__main__":
    main()
