"""The workbook as a spreadsheet program reads it: opened by LibreOffice, sheet by sheet, and held
against report.json.

    workbook_test.py PROFGAUGE EXAMPLES

Leaves with 77, skipped, where LibreOffice is not installed, under ci/test.sh with 1."""
import csv
import functools
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile
from xml.etree import ElementTree

# All sheets (-1) as UTF-8 (76), values as they are rather than as they are shown.
CSV = "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,false,false,false,false,-1"
SCALE = {"ns": 1e-6, "bytes": 1e-6, "bytes/s": 1e-9, "flop": 1e-9, "flop/s": 1e-12}
HOSTILE = ["=1+1", "+SUM(A1:A9)", "-2+3", "@cmd", "</script><img src=x>", "a|b", "{{x}}",
           "_x0041_", "line one\nline two", '=HYPERLINK("http://example.org","x")']


def trace(names):
    """A small PyTorch trace: one iteration, one kernel per name."""
    events = [{"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#1", "pid": 1, "tid": 1,
               "ts": 0, "dur": 100 * (len(names) + 1)}]
    for i, name in enumerate(names):
        start = 10 + 100 * i
        events.append({"ph": "X", "cat": "cpu_op", "name": "op of " + name, "pid": 1, "tid": 1,
                       "ts": start, "dur": 20})
        events.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1,
                       "tid": 1, "ts": start + 5, "dur": 5, "args": {"correlation": i + 1}})
        events.append({"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7,
                       "ts": start + 12, "dur": 50 + i,
                       "args": {"correlation": i + 1, "device": 0, "stream": 7}})
    return {"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "NVIDIA A100"}],
            "traceEvents": events}


def formulas_of(path):
    """Defined names, and by sheet and cell each formula with its stored value."""
    spaces = {"m": "http://schemas.openxmlformats.org/spreadsheetml/2006/main"}
    with zipfile.ZipFile(path) as book:
        head = ElementTree.fromstring(book.read("xl/workbook.xml"))
        names = {name.get("name"): name.text for name in head.iterfind(".//m:definedName", spaces)}
        formulas = {}
        for number, sheet in enumerate(head.iterfind(".//m:sheet", spaces), 1):
            root = ElementTree.fromstring(book.read(f"xl/worksheets/sheet{number}.xml"))
            formulas[sheet.get("name")] = {cell.get("r"): (cell.find("m:f", spaces).text, float(cell.find("m:v", spaces).text))
                                           for cell in root.iterfind(".//m:c[m:f]", spaces)}
    return names, formulas


def without_stored_values(path, other):
    """LibreOffice takes a stored value for what its formula gives, and computes where there is none."""
    with zipfile.ZipFile(path) as book, zipfile.ZipFile(other, "w") as copy:
        for name in book.namelist():
            copy.writestr(name, re.sub(rb"(<f>[^<]*</f>)<v>[^<]*</v>", rb"\1", book.read(name)))


class Workbook:
    """One profile's report.json, and the sheets of its workbook as lists of rows."""

    def __init__(self, profile):
        self.folder = tempfile.TemporaryDirectory(prefix="profgauge-workbook-")
        folder = pathlib.Path(self.folder.name)
        run = subprocess.run([PROFGAUGE, "report", profile, "--policy", "builtin:recommended",
                              "--out", folder, "--quiet"], capture_output=True, text=True)
        if run.returncode != 0:
            raise AssertionError(run.stderr)
        self.report = json.loads((folder / "report.json").read_text())
        (folder / "bare").mkdir()
        without_stored_values(folder / "report.xlsx", folder / "bare/report.xlsx")
        subprocess.run(["soffice", f"-env:UserInstallation={(folder / 'office').as_uri()}",
                        "--headless", "--convert-to", CSV, "--outdir", folder / "csv",
                        folder / "bare/report.xlsx"],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                       timeout=300)
        self.names, self.formulas = formulas_of(folder / "report.xlsx")
        self.sheets = {}
        for path in (folder / "csv").glob("report-*.csv"):
            with open(path, newline="", encoding="utf-8") as file:
                self.sheets[path.stem.removeprefix("report-")] = list(csv.reader(file))

    def close(self):
        self.folder.cleanup()

    def column(self, sheet, head):
        heads, *rows = self.sheets[sheet]
        return [row[heads.index(head)] for row in rows if any(row)]


class Example(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.book = Workbook(EXAMPLES / "slow.pt.trace.json.gz")
        cls.addClassCleanup(cls.book.close)

    def test_sheets(self):
        for name in ["Summary", "Findings", "Evidence", "Ops", "Kernels", "Iterations",
                     "Totals", "Metrics", "About"]:
            self.assertIn(name, self.book.sheets)

    def test_the_verdict_and_every_limit(self):
        cells = [row[0] for row in self.book.sheets["Summary"]]
        self.assertIn("✗ FAIL", cells)
        ids = [cell for row in self.book.sheets["Summary"] for cell in row]
        for limit in self.book.report["gate"]:
            self.assertIn(limit["metric"], ids)

    def test_every_metric_is_its_number(self):
        shown = dict(zip(self.book.column("Metrics", "Id"), self.book.column("Metrics", "Value")))
        compared = 0
        for name, metric in self.book.report["metrics"].items():
            value = metric.get("value")
            if not isinstance(value, (int, float)) or isinstance(value, bool):
                continue
            text = shown[name]
            number = float(text.rstrip("%")) / (100 if text.endswith("%") else 1)
            wanted = value * SCALE.get(metric.get("unit"), 1)
            self.assertAlmostEqual(number, wanted, delta=1e-9 + abs(wanted) * 1e-9,
                                   msg=name)
            compared += 1
        self.assertGreater(compared, 50)

    def test_kernels_sum_to_their_table(self):
        table = self.book.report["tables"]["kernels"]
        column = [c["id"] for c in table["columns"]].index("time")
        wanted = sum(row[column] for row in table["rows"])
        shown = sum(float(time) for time in self.book.column("Kernels", "Time (ms)"))
        self.assertAlmostEqual(shown, wanted * 1e-6, places=6)

    def test_every_finding_has_a_row_to_review(self):
        rules, others = self.book.column("Findings", "Rule"), self.book.column("Checks", "Rule")
        for finding in self.book.report["findings"]:
            self.assertIn(finding["rule"], rules if finding["status"] in ("error", "warn", "info", "waived") else others)
        self.assertIn("open", self.book.column("Findings", "Review status"))

    def test_formulas_give_their_stored_values(self):
        compared = 0
        for sheet, cells in self.book.formulas.items():
            for place, (formula, stored) in cells.items():
                letters, row = re.fullmatch(r"([A-Z]+)([0-9]+)", place).groups()
                column = functools.reduce(lambda n, letter: n * 26 + ord(letter) - 64, letters, 0)
                text = self.book.sheets[sheet][int(row) - 1][column - 1]
                shown = float(text.rstrip("%")) / (100 if text.endswith("%") else 1)
                self.assertAlmostEqual(shown, stored, delta=1e-9 + abs(stored) * 1e-9, msg=f"{sheet} {place} {formula}")
                compared += 1
        self.assertGreaterEqual(compared, 20)

    def test_names_are_cells_with_a_value(self):
        for name in ["verdict", "iteration_time", "plan_end", "findings_open", "saving_open", "breakdown_time",
                     "ops_time", "kernels_time", "reviewer", "review_date"]:
            self.assertIn(name, self.book.names)
        self.assertAlmostEqual(self.value_of("iteration_time"),
                               self.book.report["metrics"]["iteration.time.mean"]["value"] * 1e-6, places=9)

    def value_of(self, name):
        sheet, cell = re.fullmatch(r"'?(\w+)'?!(\$\w+\$\d+)", self.book.names[name]).groups()
        return float(self.book.sheets[sheet][int(cell.rpartition("$")[2]) - 1][1])

    def test_the_review_counts_as_the_verdict_and_promises_no_more_than_the_iteration(self):
        self.assertEqual(self.value_of("findings_open"), self.book.report["verdict"]["counts"]["errors"])
        self.assertGreater(self.value_of("saving_open"), 0)
        self.assertLess(self.value_of("saving_open"), self.value_of("iteration_time"))

    def test_totals_are_the_sums_of_their_sheets(self):
        heads, *rows = self.book.sheets["Totals"]
        totals = {row[0]: row for row in rows}
        self.assertAlmostEqual(float(totals["Kernels"][heads.index("Time (ms)")]),
                               sum(float(time) for time in self.book.column("Kernels", "Time (ms)")), places=6)

    def test_sheets_of_data_are_one_head_and_rows(self):
        heads, *rows = self.book.sheets["Totals"]
        self.assertGreater(len(rows), 8)
        for number, row in enumerate(rows, 2):
            formula, _ = self.book.formulas["Totals"][f"B{number}"]
            sheet = self.book.sheets[re.search("'(.+)'!", formula)[1]]
            self.assertEqual(len(sheet) - 1, int(row[heads.index("Rows shown")]), row[0])
            self.assertNotIn("", sheet[0], row[0])
            self.assertTrue(all(len(cells) == len(sheet[0]) for cells in sheet), row[0])

    def test_no_expression_of_a_policy_is_shown(self):
        for name, rows in self.book.sheets.items():
            for cell in (cell for row in rows for cell in row):
                for code in ("not known(", " any(", "==", "default true"):
                    self.assertNotIn(code, cell, name)


class Hostile(unittest.TestCase):
    def test_names_are_text_and_nothing_is_computed(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "hostile.pt.trace.json"
            path.write_text(json.dumps(trace(HOSTILE)))
            book = Workbook(path)
            self.addCleanup(book.close)
        kernels = book.column("Kernels", "Kernel")
        for name in HOSTILE:
            self.assertIn(name, kernels)
            self.assertIn("op of " + name, book.column("Ops", "Operator"))
        self.assertEqual(len(kernels), len(HOSTILE))


if __name__ == "__main__":
    PROFGAUGE, EXAMPLES = sys.argv[1], pathlib.Path(sys.argv[2])
    if shutil.which("soffice") is None:
        print("skipped: LibreOffice is not installed (Debian: libreoffice-calc)")
        sys.exit(1 if os.environ.get("PROFGAUGE_REQUIRE_ALL") else 77)  # ci/test.sh requires all.
    unittest.main(argv=sys.argv[:1], verbosity=2)
