"""SQL, report.json, the workbook, SQLite and text exports of one run agree cell by cell.

Parquet is compared with the rows of SQL by tests/unit/query/parquet_test.cc.
"""
import collections
import csv
import json
import pathlib
import re
import sqlite3
import tempfile
import unittest
import xml.etree.ElementTree as xml
import zipfile

from support import REPOSITORY, main, run

EXAMPLES = REPOSITORY / "examples"
PROFILES = (EXAMPLES / "ddp", EXAMPLES / "slow.pt.trace.json.gz", EXAMPLES / "healthy.pt.trace.json.gz")
SPREADSHEET = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
# The workbook shows times and sizes in larger units, and shares in percent by its number format.
SCALE = {"ns": 1e-6, "bytes": 1e-6, "bytes/s": 1e-9, "flop": 1e-9, "flop/s": 1e-12}


def sheets(path):
    """Of each sheet the rows, as lists by column."""
    archive = zipfile.ZipFile(path)
    texts = []
    if "xl/sharedStrings.xml" in archive.namelist():
        for item in xml.fromstring(archive.read("xl/sharedStrings.xml")):
            texts.append("".join(part.text or "" for part in item.iter(SPREADSHEET + "t")))
    names = [sheet.get("name") for sheet in xml.fromstring(archive.read("xl/workbook.xml")).iter(SPREADSHEET + "sheet")]
    for number, name in enumerate(names, 1):
        rows = []
        for row in xml.fromstring(archive.read(f"xl/worksheets/sheet{number}.xml")).iter(SPREADSHEET + "row"):
            cells = {}
            for cell in row:
                letters = re.match("[A-Z]+", cell.get("r"))[0]
                place = 0
                for letter in letters:
                    place = place * 26 + ord(letter) - ord("A") + 1
                value, kind = cell.find(SPREADSHEET + "v"), cell.get("t")
                if kind == "inlineStr":
                    cells[place - 1] = "".join(part.text or "" for part in cell.iter(SPREADSHEET + "t"))
                elif value is not None:
                    cells[place - 1] = texts[int(value.text)] if kind == "s" else value.text if kind == "str" else float(value.text)
            rows.append([cells.get(i) for i in range(max(cells, default=-1) + 1)])
        yield name, rows


class Run:
    """One run in every form."""

    def __init__(self, profile, folder):
        self.folder = pathlib.Path(folder)
        for words in (("report", profile, "--json", self.folder / "report.json", "--xlsx", self.folder / "report.xlsx", "-q"),
                      ("export", "tables", profile, "--format", "sqlite", "-o", self.folder / "run.sqlite"),
                      ("export", "tables", profile, "--format", "csv", "-o", self.folder / "csv")):
            done = run(*words)
            if done.returncode != 0:
                raise AssertionError(done.stderr)
        self.profile = profile
        self.report = json.loads((self.folder / "report.json").read_text())
        self.schema = json.loads((self.folder / "csv" / "schema.json").read_text())["tables"]
        self.database = sqlite3.connect(self.folder / "run.sqlite")

    def sql(self, table):
        answer = self.folder / "answer.json"
        done = run("query", self.profile, f"select * from {table}", "--format", "json", "-o", answer, "--force")
        if done.returncode != 0:
            raise AssertionError(done.stderr)
        return json.loads(answer.read_text("utf-8"))["rows"]


def number(cell):
    return int(cell) if isinstance(cell, bool) else cell


class Agreement(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.runs = []
        for i, profile in enumerate(PROFILES):
            folder = pathlib.Path(cls.temporary.name) / str(i)
            folder.mkdir()
            cls.runs.append(Run(profile, folder))
        cls.asked = {}

    @classmethod
    def tearDownClass(cls):
        for one in cls.runs:
            one.database.close()
        cls.temporary.cleanup()

    def rows(self, one, table):
        key = (one.profile, table)
        if key not in self.asked:
            self.asked[key] = one.sql(table)
        return self.asked[key]

    def test_report_json_has_the_rows_of_sql(self):
        tables = cells = 0
        for one in self.runs:
            cut = {left["id"]: left["rows"] for left in one.report["left_out"]}
            for name, table in one.report["tables"].items():
                schema = next(found for found in one.schema if found["name"] == name)
                ids = [column["id"] for column in table["columns"]]
                places = [[column["id"] for column in schema["columns"] if column["id"] != "run"].index(id) for id in ids]
                expected = [[row[place] for place in places] for row in self.rows(one, name)]
                self.assertEqual(len(table["rows"]) + cut.get(name, 0), len(expected), name)
                if name in cut:
                    left = collections.Counter(map(str, expected)) - collections.Counter(map(str, table["rows"]))
                    self.assertEqual(sum(left.values()), cut[name], name)
                else:
                    self.assertEqual(table["rows"], expected, f"{one.profile} {name}")
                tables += 1
                cells += len(table["rows"]) * len(ids)
            metrics = {row[0]: row[2] for row in self.rows(one, "metrics")}
            self.assertEqual({id: metric.get("value") for id, metric in one.report["metrics"].items()}, metrics)
        self.assertGreater(tables, 60)
        self.assertGreater(cells, 20_000)

    def test_exports_have_the_rows_of_sql(self):
        cells = 0
        for one in self.runs[:1]:
            for table in one.schema:
                name = table["name"]
                expected = self.rows(one, name)
                stored = [list(row)[1:] for row in one.database.execute(f"select * from {name}")]  # Without `run`.
                self.assertEqual(stored, [[number(cell) for cell in row] for row in expected], name)
                if not expected:  # No file is written.
                    continue
                with open(one.folder / "csv" / f"{name}.csv", newline="", encoding="utf-8") as file:
                    texts = [row[1:] for row in list(csv.reader(file))[1:]]
                self.assertEqual(len(texts), len(expected), name)
                for row, text in zip(expected, texts):
                    for cell, shown in zip(row, text):
                        if isinstance(cell, str):
                            self.assertIn(shown, (cell, "'" + cell), name)
                        elif cell is None or isinstance(cell, bool):
                            self.assertEqual(shown, "" if cell is None else str(cell).lower(), name)
                        else:
                            self.assertEqual(float(shown), cell, name)
                        cells += 1
        self.assertGreater(cells, 50_000)

    def test_the_workbook_has_the_rows_of_sql(self):
        found = cells = 0
        for one in self.runs:
            heads = {}
            for table in one.report["tables"].items():
                heads[tuple(column["title"] for column in table[1]["columns"])] = table
            for sheet, rows in sheets(one.folder / "report.xlsx"):
                if not rows or not rows[0]:
                    continue
                titles = tuple(re.sub(r" \((ms|MB|GB/s|GFLOP|TFLOP/s)\)$", "", str(head)) for head in rows[0])
                if titles not in heads:
                    continue
                name, table = heads[titles]
                schema = next(known for known in one.schema if known["name"] == name)
                ids = [column["id"] for column in table["columns"]]
                places = [[column["id"] for column in schema["columns"] if column["id"] != "run"].index(id) for id in ids]
                expected = [[row[place] for place in places] for row in self.rows(one, name)]
                shown = rows[1:]
                if len(shown) < len(expected):
                    continue  # Cut; workbook_test.py checks its contents.
                found += 1
                for row, cells_of in zip(expected, shown):
                    for cell, value, column in zip(row, cells_of + [None] * len(row), table["columns"]):
                        self.same(cell, value, column, f"{sheet} {column['id']}")
                        cells += 1
        self.assertGreaterEqual(found, 20)
        self.assertGreater(cells, 5_000)

    def same(self, cell, shown, column, where):
        if cell is None:
            self.assertIn(shown, (None, "", "–"), where)
        elif isinstance(cell, bool):
            self.assertIn(shown, (("yes", "TRUE", 1.0) if cell else ("no", "FALSE", 0.0)), where)
        elif isinstance(cell, str):
            self.assertEqual(str(shown).removeprefix("'"), cell, where)
        else:
            scaled = cell * SCALE.get(column["unit"], 1)
            self.assertAlmostEqual(float(shown), scaled, delta=1e-9 * max(1, abs(scaled)), msg=where)


if __name__ == "__main__":
    main()
