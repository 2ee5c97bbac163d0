"""The exam of ci/exam/: what it counts, on made answers, and that README says what its results say."""
import importlib.util
import io
import json
import re
import tempfile
import unittest
import pathlib
from contextlib import redirect_stdout
from unittest import mock

from support import PROGRAM, REPOSITORY, main

FOLDER = REPOSITORY / "ci/exam"
spec = importlib.util.spec_from_file_location("exam", FOLDER / "exam.py")
exam = importlib.util.module_from_spec(spec)
spec.loader.exec_module(exam)


def row(tool, case, kind="labeled", **more):
    one = {"exit": 0, "wall": 1.0, "cpu": 0.5, "peak": 20, "headline": "", "sentences": [], "busy": {}, "row": "", "error": "", **more}
    return {"kind": kind, "case": case, "tool": tool, **one, "score": exam.score(one, "pad(ded)?", "mm", {"0": {"profile": 1.0}})}


class Exam(unittest.TestCase):
    def test_union_counts_no_time_twice(self):
        self.assertEqual(exam.union([]), 0)
        self.assertEqual(exam.union([(0, 10), (5, 12), (20, 30), (20, 25)]), 22)
        self.assertEqual(exam.union([(5, 6), (0, 10)]), 10)

    def test_a_fault_is_named_by_place(self):
        later = row("A", "x", sentences=["one", "two", "it is padded"])["score"]
        self.assertEqual((later["headline"], later["first"], later["three"]), (False, False, True))
        self.assertFalse(row("A", "x", sentences=["1", "2", "3", "padded"])["score"]["three"])
        self.assertTrue(row("A", "x", headline="Padded.")["score"]["headline"])

    def test_busy_time_is_right_in_a_window(self):
        self.assertEqual(row("A", "x", busy={"0": 1.0009})["score"]["busy"], ["profile"])
        self.assertEqual(row("A", "x", busy={"0": 1.01})["score"]["busy"], [""])

    def test_the_table_lists_failures_apart(self):
        rows = [row("A", "x", sentences=["padded"]), row("A", "y", error="Traceback"), row("B", "x", row="aten::mm")]
        text = exam.table(rows)
        self.assertIn("| A | 2 | 1 | 0 | 1 | 1 of 2 | 0 |", text)
        self.assertIn("| x | named first | shows the operator |", text)
        self.assertIn("| y | **failed** |  |", text)

    def test_cases_have_a_pattern_or_none(self):
        names = []
        for line in (FOLDER / "cases.tsv").read_text().splitlines():
            if line.startswith("#"):
                continue
            kind, name, _, path, fault, operator = line.split("\t")
            self.assertIn(kind, ("labeled", "kineto", "large", "nsys"))
            names.append(name)
            for pattern in (fault, operator):
                re.compile(pattern)
            if kind == "labeled":
                self.assertEqual(path, "@")
                self.assertNotEqual(fault, "-")
        self.assertEqual(len(names), len(set(names)))

    def test_a_case_without_its_input_ends_the_run(self):
        with tempfile.TemporaryDirectory() as folder:
            words = ["exam.py", folder, "--profgauge", str(PROGRAM), "--ours"]
            with mock.patch("sys.argv", words), mock.patch("sys.stderr", io.StringIO()) as told:
                self.assertEqual(exam.main(), 2)
                self.assertIn("run ci/exam/fetch.sh", told.getvalue())
            with mock.patch("sys.argv", [*words, "--at-hand"]), mock.patch("sys.stderr", io.StringIO()), redirect_stdout(io.StringIO()):
                self.assertEqual(exam.main(), 0)
            self.assertEqual(json.loads((pathlib.Path(folder) / "results.json").read_text()), [])

    def test_one_case_from_its_profile_to_the_table(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            traces = folder / "HolisticTraceAnalysis/tests/data/nccl_parser_config"
            traces.mkdir(parents=True)
            (traces / "nccl_data.json.gz").write_bytes((REPOSITORY / "examples/healthy.pt.trace.json.gz").read_bytes())
            words = ["exam.py", str(folder), "--profgauge", str(PROGRAM), "--ours", "--at-hand"]
            with mock.patch("sys.argv", words), mock.patch("sys.stderr", io.StringIO()), redirect_stdout(io.StringIO()) as told:
                self.assertEqual(exam.main(), 0)
            self.assertRegex(told.getvalue(), r"\| hta_nccl \| busy: (profile|GPU work|iterations)")

    def test_figures_of_the_page_are_published(self):
        readme = " ".join((REPOSITORY / "README.md").read_text().split())
        results = " ".join((FOLDER / "results.md").read_text().split())
        first, three = re.search(r"names the fault in (\d+), the first three in (\d+)", readme).groups()
        self.assertIn(f"| {first} | {three} of 22 |", results)
        ours = re.search(r"(\d+) and (\d+) of the eleven at hand, (\d+) and (\d+) of the eleven kept", readme).groups()
        self.assertEqual(ours, re.search(r"names (\d+) first and (\d+) in three of these, (\d+) and (\d+) of the eleven",
                                         results).groups())
        busy = re.search(r"(\d+ of \d+) GPUs", readme)[1]
        self.assertIn(f"| {busy} |", results)


if __name__ == "__main__":
    main()
