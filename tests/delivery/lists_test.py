"""`--json` of every command that lists something, and queries of profgauge.yaml."""
import json
import pathlib
import tempfile
import unittest

from support import REPOSITORY, SKIPPED, main, run

try:
    import jsonschema
except ImportError:
    print("skipped: not installed: python3-jsonschema")
    raise SystemExit(SKIPPED)

EXAMPLES = REPOSITORY / "examples"
SLOW, DDP = EXAMPLES / "slow.pt.trace.json.gz", EXAMPLES / "ddp"
CONFIGURATION = """schema: 1
queries:
  - name: long-kernels
    title: Which kernels are longer than a time?
    answers: Kernels to look at first.
    sql: |
      select name, ms(max(duration)) longest from device_events
      where kind = 'kernel' and duration > :longer_than group by 1 order by 2 desc, 1
    params:
      longer_than: {type: integer, default: 100000}
  - name: of-rank
    sql: select count(*) n from device_events where rank = :rank and name regexp :pattern
    params:
      rank: {type: integer}
      pattern: {type: text, default: '5'}
  - name: busy-by-rank
    sql: select 'ours' whose
"""
WRONG = """schema: 1
queries:
  - name: Upper
    sql: select 1
  - name: twice
    sql: select 1
  - name: twice
    sql: select 1
    params: {'no word': {type: integer}, a: {type: float}}
  - name: no-sql
    titel: T
"""


class Folder(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def ok(self, *words, code=0):
        done = run(*words, cwd=self.folder)
        self.assertEqual(done.returncode, code, f"{words}: {done.stdout}{done.stderr}")
        return done


class Lists(Folder):
    @classmethod
    def setUpClass(cls):
        schema = json.loads(run("schema", "lists").stdout)
        jsonschema.Draft202012Validator.check_schema(schema)
        cls.schema, cls.kinds = jsonschema.Draft202012Validator(schema), schema["properties"]["kind"]["enum"]

    def list_of(self, *words, code=0):
        document = json.loads(self.ok(*words, "--json", "-", code=code).stdout)
        self.schema.validate(document)
        self.ok(*words, "--json", "list.json", code=code)
        self.assertEqual(json.loads((self.folder / "list.json").read_text()), document)
        (self.folder / "list.json").unlink()
        return document["kind"], document["rows"]

    def test_every_kind_has_rows_that_fit_the_schema(self):
        self.ok("baseline", "save", SLOW, "-o", "b.json")
        for number, profile in enumerate((SLOW, EXAMPLES / "healthy.pt.trace.json.gz")):
            self.ok("history", "add", profile, "--db", "h.db", "--branch", "main", "--commit", f"c{number}", "--label", "team=vision", "--force")
        (self.folder / "wrong.yaml").write_text("schema: 2\nrules:\n  - id: x/y\n    titel: T\n")
        (self.folder / "profgauge.yaml").write_text(CONFIGURATION)
        seen = {}
        for words, code in (
                (("metrics", "list"), 0), (("metrics", "list", "gpu.idle.mean"), 0), (("rules", "list"), 0),
                (("rules", "explain", "gpu/idle"), 0), (("rules", "explain", "gpu/idle", SLOW), 0),
                (("rules", "check", "wrong.yaml"), 2), (("rules", "test", REPOSITORY / "rules"), 0),
                (("rules", "columns"), 0), (("rules", "columns", "kernel"), 0), (("rules", "columns", "profile"), 0),
                (("version",), 0), (("inspect", DDP), 0), (("baseline", "show", "b.json"), 0),
                (("history", "list", "--db", "h.db"), 0),
                (("what-if", SLOW, "--scale", "host_op.name matches 'DataLoader' by 0"), 0)):
            kind, rows = self.list_of(*words, code=code)
            self.assertTrue(rows, words)
            seen[kind] = rows
        self.assertEqual(sorted(seen), self.kinds)
        self.assertEqual([row["name"] for row in seen["history-list"]], ["slow", "healthy"])
        self.assertEqual({row["labels"] for row in seen["history-list"]}, {"team=vision"})
        medians = [value["value"] for row in seen["history-list"] for value in row["values"]
                   if value["metric"] == "iteration.time.median"]
        self.assertEqual(medians, [row["median"] for row in seen["history-list"]])
        self.assertEqual({row["status"] for row in seen["rules-test"]}, {"pass"})
        self.assertEqual({row["file"] for row in seen["rules-check"]}, {"wrong.yaml"})
        # A level begins where something is comparable: DDP's runs on four devices.
        self.ok("history", "add", DDP, "--db", "h.db", "--branch", "main", "--commit", "c2", "--force")
        done = self.ok("history", "accept", "3", "--db", "h.db", "--owner", "anna", "--reason", "why", code=2)
        self.assertIn("run 3 is comparable with no other run of main", done.stderr)
        self.assertIn("history/not-comparable", done.stderr)

    def test_a_rule_is_explained_with_its_findings(self):
        report = json.loads(self.ok("report", SLOW, "--json", "-").stdout)
        finding = next(one for one in report["findings"] if one["rule"] == "gpu/idle")
        _, (rule,) = self.list_of("rules", "explain", "gpu/idle", SLOW)
        explained, = rule["findings"]
        self.assertEqual((explained["key"], explained["status"], explained["message"]),
                         (finding["key"], finding["status"], finding["message"]))
        self.assertTrue(explained["values"])
        self.assertEqual(self.list_of("rules", "explain", "gpu/idle")[1][0]["findings"], [])

    def test_an_answer_is_json_too(self):
        words = ("query", SLOW, "select name from kernels")
        self.assertEqual(self.ok(*words, "--json", "-").stdout, self.ok(*words, "--format", "json").stdout)
        schema = json.loads(self.ok("schema", "query").stdout)
        for asked in (words, ("query", "--list"), ("query", "--schema"), ("query", "--schema", "kernels")):
            jsonschema.validate(json.loads(self.ok(*asked, "--json", "-").stdout), schema)
        self.assertIn("[usage/conflict]", self.ok(*words, "--json", "-", "--format", "csv", code=2).stderr)

    def test_the_other_lists_have_their_own_shape(self):
        self.assertTrue(json.loads(self.ok("inspect", EXAMPLES, "--json", "-").stdout)["runs"])
        self.assertTrue(json.loads(self.ok("thresholds", "--json").stdout)["thresholds"])


class OwnQueries(Folder):
    def setUp(self):
        super().setUp()
        (self.folder / "profgauge.yaml").write_text(CONFIGURATION)

    def answer(self, *words):
        return self.ok("query", DDP, *words, "--format", "csv").stdout

    def test_they_are_asked_by_name(self):
        self.assertEqual(self.answer("@long-kernels", "--param", "longer_than=400000"),
                         self.answer("select name, ms(max(duration)) longest from device_events where kind = 'kernel' "
                                     "and duration > 400000 group by 1 order by 2 desc, 1"))
        self.assertIn("nccl", self.answer("@long-kernels"))
        self.assertEqual(self.answer("@busy-by-rank"), "whose\nours\n")
        self.assertIn("long-kernels", self.ok("query", "--list").stdout)
        self.assertNotIn("long-kernels", self.ok("query", "--list", "--config", "none").stdout)

    def test_parameters_have_types(self):
        words = ("query", DDP, "@of-rank", "--param")
        self.assertEqual(self.answer("@of-rank", "--param", "rank=2", "--param", "pattern=."), "n\n204\n")
        self.assertIn("[query/param]", self.ok("query", DDP, "@of-rank", code=2).stderr)
        self.assertIn("needs an integer, found `two`", self.ok(*words, "rank=two", code=2).stderr)
        self.assertIn("[query/param]", self.ok(*words, "ranc=2", code=2).stderr)

    def test_they_are_checked_without_a_profile(self):
        self.assertEqual(self.ok("rules", "check", "profgauge.yaml").stdout, "3 queries are well-formed\n")
        self.assertEqual(self.ok("rules", "check", "profgauge.yaml", REPOSITORY / "rules" / "gpu.yaml").stdout.splitlines()[-1],
                         "3 queries are well-formed")
        renamed = CONFIGURATION.replace("max(duration)", "max(lasts)")
        (self.folder / "other.yaml").write_text(renamed)
        done = self.ok("rules", "check", "other.yaml", code=2)
        line = next(i for i, text in enumerate(renamed.splitlines(), 1) if "lasts" in text)
        column = renamed.splitlines()[line - 1].index("lasts") + 1
        self.assertIn(f"other.yaml:{line}:{column}", done.stderr)
        self.assertIn("[query/sql]", done.stderr)
        rows = json.loads(self.ok("rules", "check", "other.yaml", "--json", "-", code=2).stdout)["rows"]
        self.assertEqual([(row["code"], row["line"], row["column"]) for row in rows], [("query/sql", line, column)])

    def test_a_mistake_is_shown_in_its_file(self):
        (self.folder / "profgauge.yaml").write_text(CONFIGURATION.replace("max(duration)", "max(lasts)"))
        self.assertIn("profgauge.yaml:7:", self.ok("query", DDP, "@long-kernels", code=2).stderr)

    def test_they_may_not_do_more_than_others(self):
        for sql in ("attach 'x' as x", "vacuum into 'x'", "select load_extension('x')", "select 1; select 2"):
            (self.folder / "profgauge.yaml").write_text(
                f"schema: 1\nqueries:\n  - name: q\n    sql: {json.dumps(sql)}\n")
            self.ok("query", DDP, "@q", code=2)
            self.ok("rules", "check", "profgauge.yaml", code=2)
        self.assertEqual([path.name for path in self.folder.iterdir()], ["profgauge.yaml"])

    def test_all_mistakes_are_named(self):
        (self.folder / "profgauge.yaml").write_text(WRONG)
        said = self.ok("rules", "check", "profgauge.yaml", code=2).stderr
        for code in ("config/query-name", "config/query-twice", "config/parameter-name", "config/word",
                     "config/missing-key", "config/unknown-key"):
            self.assertIn(f"[{code}]", said)


if __name__ == "__main__":
    main()
