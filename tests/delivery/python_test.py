"""The wheel and its typed module: made twice with the same bytes, installed with pip in a venv without network, run,
and uninstalled; and the module's functions with the program."""
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import zipfile

PROGRAM, REPOSITORY = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
WHEEL = pathlib.Path(sys.argv[3]).resolve() if len(sys.argv) > 3 else None
SOURCES, EXAMPLES = REPOSITORY / "src" / "python", REPOSITORY / "examples"
SLOW, DDP = EXAMPLES / "slow.pt.trace.json.gz", EXAMPLES / "ddp"
sys.dont_write_bytecode = True
sys.path.insert(0, str(SOURCES))
os.environ["PROFGAUGE_PROGRAM"] = str(PROGRAM)

import profgauge  # noqa: E402


def make_wheel(folder):
    licenses = pathlib.Path(folder) / "licenses"
    licenses.mkdir(exist_ok=True)
    (licenses / "zlib1g-dev.txt").write_text("zlib's\n")
    environment = dict(os.environ, SOURCE_DATE_EPOCH="1700000000")
    done = subprocess.run([sys.executable, REPOSITORY / "ci" / "package" / "wheel.py", PROGRAM, "x86_64", folder,
                           licenses],
                          env=environment, check=True, stdout=subprocess.PIPE, universal_newlines=True)
    return pathlib.Path(done.stdout.strip())


class Module(unittest.TestCase):
    def test_check_is_the_verdict(self):
        verdict = profgauge.check(SLOW)
        self.assertEqual((verdict.status, verdict.exit_code, bool(verdict)), ("fail", 1, False))
        self.assertEqual(verdict.findings[0].key, "io/dataloader-bound")
        self.assertGreater(verdict.findings[0].gain_ns, 1e6)
        self.assertEqual(verdict.metrics["gpu.idle.mean"].unit, "ratio")
        self.assertTrue(verdict.errors and all(one.fired for one in verdict.errors))
        self.assertTrue(profgauge.check(EXAMPLES / "healthy.pt.trace.json.gz"))

    def test_an_unreadable_profile_raises(self):
        with self.assertRaises(profgauge.Error) as raised:
            profgauge.check("no-such-file.json")
        self.assertEqual((raised.exception.code, raised.exception.exit_code), ("input/missing", 3))

    def test_findings_begin_with_the_errors(self):
        levels = [one.status for one in profgauge.check(DDP).findings if one.fired]
        self.assertEqual(levels, sorted(levels, key=("error", "warn", "info").index))

    def test_query_returns_rows(self):
        table = profgauge.query(DDP, "select rank, sum(duration) t from gap_events where rank = :rank group by 1",
                                {"rank": 2})
        self.assertEqual([column.name for column in table.columns], ["rank", "t"])
        self.assertEqual((len(table), table[0]["rank"]), (1, 2))
        self.assertEqual(len(profgauge.query(DDP, "@busy-by-rank")), 4)

    def test_mistakes_raise_their_code(self):
        with self.assertRaises(profgauge.Error) as raised:
            profgauge.query(SLOW, "select nam from kernels")
        self.assertEqual((raised.exception.code, raised.exception.exit_code), ("query/sql", 2))
        self.assertEqual(raised.exception.notes[0], "help: did you mean `name`?")
        self.assertIn("help: columns of `kernels`: ", raised.exception.notes[1])
        with self.assertRaises(profgauge.Error) as raised:
            profgauge.query(SLOW, "drop table kernels")
        self.assertEqual(raised.exception.code, "query/read-only")

    def test_no_argument_reaches_a_shell(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("$(touch x)", "; touch x", "--json=x"):
                with self.assertRaises(profgauge.Error):
                    profgauge.query(os.path.join(folder, name), "select 1 from kernels")
            self.assertEqual(os.listdir(folder), [])

    def test_tables_have_all_rows(self):
        found = profgauge.tables(DDP, ["device_events", "ranks"])
        counted = profgauge.query(DDP, "select count(*) n, sum(duration) t from device_events")[0]
        self.assertEqual(len(found["device_events"]), counted["n"])
        self.assertEqual(sum(row["duration"] for row in found["device_events"]), counted["t"])
        self.assertEqual([row["rank"] for row in found["ranks"]], [0, 1, 2, 3])

    def test_pandas(self):
        table = profgauge.query(DDP, "@busy-by-rank")
        try:
            import pandas  # noqa: F401
        except ImportError:
            self.assertRaisesRegex(ImportError, "needs pandas", table.to_pandas)
        else:
            self.assertEqual(list(table.to_pandas().columns), ["rank", "summed", "busy"])

    def test_without_a_program_it_says_so(self):
        with self.assertRaises(profgauge.Error) as raised:
            profgauge.check(SLOW, program="/no/such/program")
        self.assertEqual(raised.exception.code, "python/no-program")

    def test_another_version_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            other = pathlib.Path(folder) / "profgauge"
            other.write_text("#!/bin/sh\necho profgauge 9.9.0\n")
            other.chmod(0o755)
            with self.assertRaises(profgauge.Error) as raised:
                profgauge.check(SLOW, program=other)
            self.assertEqual(raised.exception.code, "python/other-version")

    def test_types_are_clean(self):
        try:
            import mypy.api
        except ImportError:
            self.skipTest("python3-mypy is not installed")
        out, _, status = mypy.api.run(["--strict", "--cache-dir=/dev/null", str(SOURCES / "profgauge" / "api.py"),
                                       str(SOURCES / "profgauge" / "__main__.py")])
        self.assertEqual(status, 0, out)


class Wheel(unittest.TestCase):
    def test_same_input_same_bytes(self):
        with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two:
            digests = {hashlib.sha256(make_wheel(folder).read_bytes()).hexdigest() for folder in (one, two)}
            self.assertEqual(len(digests), 1)

    def test_contents(self):
        with tempfile.TemporaryDirectory() as folder:
            path = make_wheel(folder)
            self.assertIn("-py3-none-manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64.whl", path.name)
            with zipfile.ZipFile(path) as wheel:
                names = wheel.namelist()
                self.assertIn("profgauge/py.typed", names)
                script = next(name for name in names if name.endswith(".data/scripts/profgauge"))
                self.assertEqual(wheel.getinfo(script).external_attr >> 16 & 0o777, 0o755)
                meta = wheel.read(next(name for name in names if name.endswith("/METADATA"))).decode()
                licenses = {name.split("/licenses/")[1] for name in names if ".dist-info/licenses/" in name}
                self.assertEqual(licenses, {"LICENSE", "zlib1g-dev.txt"})
                for license_file in licenses:
                    self.assertIn(f"License-File: {license_file}\n", meta)
                # The page of the package has no relative links.
                for link in re.findall(r"\]\(([^)#]+)", meta):
                    self.assertTrue(link.startswith("https://"), link)
                record = wheel.read(next(name for name in names if name.endswith("RECORD"))).decode()
                self.assertEqual({line.split(",")[0] for line in record.splitlines()}, set(names))

    def test_installs_runs_and_goes(self):
        with tempfile.TemporaryDirectory() as folder:
            venv = pathlib.Path(folder) / "venv"
            made = subprocess.run([sys.executable, "-m", "venv", venv], stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL)
            if made.returncode != 0:
                self.skipTest("python3-venv is not installed")
            wheel = WHEEL or make_wheel(folder)
            python, environment = venv / "bin" / "python", dict(os.environ)
            del environment["PROFGAUGE_PROGRAM"]
            run = lambda *words: subprocess.run(words, env=environment, cwd=folder, check=True,  # noqa: E731
                                                stdout=subprocess.PIPE, universal_newlines=True).stdout
            run(python, "-m", "pip", "install", "--quiet", "--no-index", "--disable-pip-version-check", wheel)
            self.assertTrue((venv / "bin" / "profgauge").is_file())
            code = f"import profgauge; print(profgauge.find_program(), profgauge.check({str(SLOW)!r}).status)"
            self.assertEqual(run(python, "-c", code).split(), [str(venv / "bin" / "profgauge"), "fail"])
            self.assertIn("profgauge", run(python, "-m", "profgauge", "version"))
            run(python, "-m", "pip", "uninstall", "--quiet", "--yes", "--disable-pip-version-check", "profgauge")
            left = [path for path in venv.rglob("*profgauge*")]
            self.assertEqual(left, [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
