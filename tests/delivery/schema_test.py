"""Schemas against decoders: both must give the same answer on the structure of a file.

Valid files are ours; hostile ones are made from them, by taking away, renaming and replacing every
part, one after the other. Errors that only the decoder can see are listed below by its code; the schema must accept it.
"""
import copy
import functools
import gzip
import json
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from support import PROGRAM, REPOSITORY, SKIPPED, main, run

try:
    import jsonschema
    import yaml
except ImportError as missing:
    print(f"skipped: not installed: python3-{missing.name}")
    raise SystemExit(SKIPPED)

DATA = REPOSITORY / "tests" / "unit" / "rules" / "data"
# Errors that a schema can see.
STRUCTURE = {
    "config/type", "config/unknown-key", "config/missing-key", "config/no-value", "config/number",
    "config/unit", "config/word", "config/schema", "policy/unknown-metric", "rules/unknown-metric",
    "rules/unknown-table",
}
# Errors about more than one value, about other files, or about the meaning of a text.
BEYOND_STRUCTURE = {
    "config/missing", "config/directory", "config/unreadable", "config/no-builtin",
    "policy/no-limit", "policy/says-nothing", "policy/empty-range",
    "policy/out-of-range", "policy/never-missed", "policy/day", "policy/capability", "policy/pattern",
    "policy/extends-itself", "policy/unknown-rule", "policy/waiver-expired", "policy/unknown-param",
    "policy/unknown-property", "policy/not-a-preset", "policy/waiver", "policy/matches-anything",
    "policy/wrong-side", "policy/params-of-off", "policy/off-after", "policy/judges-nothing",
    "policy/fail-on",
    "rules/name", "rules/both-directions", "rules/two-levels", "rules/never-fires", "rules/never-missed", "rules/pattern",
    "rules/nothing-expected", "rules/unknown-rule", "rules/duplicate-id", "rules/unknown-param",
    "rules/no-files", "rules/none", "rules/needs", "rules/group-by", "rules/unknown-rows",
    "rules/show-as", "rules/column", "config/job-name", "config/job-twice", "config/label", "config/query-name",
    "config/query-twice", "config/parameter-name", "expr/type", "expr/unknown-field",
}


class Yaml12(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # Ten times as fast, where it is.
    """YAML 1.2's core schema, as editors read it: no days, no yes and no."""


Yaml12.yaml_implicit_resolvers = {}
for tag, pattern, first in (
        ("bool", r"^(?:true|True|TRUE|false|False|FALSE)$", "tTfF"),
        ("null", r"^(?:~|null|Null|NULL|)$", ["~", "n", "N", ""]),
        ("int", r"^[-+]?[0-9]+$", "-+0123456789"),
        ("float", r"^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$", "-+.0123456789")):
    Yaml12.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", re.compile(pattern), list(first))


def load(text):
    return yaml.load(text, Loader=Yaml12)


def paths(value, path=()):
    """Every place in a document, the root last."""
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in entries:
        yield from paths(item, (*path, key))
    yield path


def at(document, path):
    for key in path:
        document = document[key]
    return document


REPLACEMENTS = [None, [], {}, "text", "", 5, -1, 0, 1.5, True, "50%", "10 ms", "1 GiB", ["x"], {"x": 1}]


def hostile(document):
    """(the change, the document) for many documents that differ from it in one place."""
    count = 0
    for path in list(paths(document)):
        if not path:
            continue
        gone = copy.deepcopy(document)
        del at(gone, path[:-1])[path[-1]]
        yield f"without {path}", gone
        if isinstance(path[-1], str):
            renamed = copy.deepcopy(document)
            parent = at(renamed, path[:-1])
            parent[path[-1] + "x"] = parent.pop(path[-1])
            yield f"{path} renamed", renamed
        # All replacements at every place would take minutes.
        for i in range(3):
            replaced = copy.deepcopy(document)
            new = REPLACEMENTS[(count * 3 + i) % len(REPLACEMENTS)]
            at(replaced, path[:-1])[path[-1]] = new
            yield f"{path} = {new!r}", replaced
        count += 1


class SchemaTest(unittest.TestCase):
    @functools.cache
    def schema(self, name):
        schema = json.loads(run("schema", name).stdout)
        jsonschema.Draft202012Validator.check_schema(schema)
        return jsonschema.Draft202012Validator(schema)

    def test_an_unknown_schema_lists_the_known(self):
        done = run("schema", "nonsense")
        self.assertEqual(done.returncode, 2)
        self.assertIn("help: schemas are policy, rules, rule-tests, devices, config, names, report", done.stderr)

    def test_every_key_is_explained(self):
        def without_doc(value, path):
            if isinstance(value, dict):
                for key, item in value.get("properties", {}).items():
                    if "description" not in item and not path.endswith(FREE):
                        yield f"{path}: {key}"
                for key, item in value.items():
                    yield from without_doc(item, f"{path}/{key}")
        # Rows and metrics that a test gives are explained by `metrics list`.
        FREE = tuple(f"/{name}" for name in ("given",))
        for name in ("policy", "rules", "devices", "config", "names"):
            self.assertEqual(list(without_doc(json.loads(run("schema", name).stdout), name)), [])

    def test_our_files_are_valid_and_say_so(self):
        for pattern, name in (("rules/*.test.yaml", "rule-tests"), ("rules/*.yaml", None),
                              ("examples/policy.yaml", "policy"), ("examples/devices.yaml", "devices"),
                              ("ci/profgauge.yaml", "config")):
            for path in sorted(REPOSITORY.glob(pattern)):
                if name is None and path.name.endswith(".test.yaml"):
                    continue
                kind = name or ("policy" if path.stem in ("recommended", "strict", "report-only", "cpu", "times") else "rules")
                text = path.read_text()
                problems = [error.message for error in self.schema(kind).iter_errors(load(text))]
                self.assertEqual(problems, [], path)
                line = re.match(r"# yaml-language-server: \$schema=(\S+)\n", text)
                self.assertIsNotNone(line, f"{path} does not name its schema")
                self.assertEqual(line[1], f"https://profgauge.example.org/schemas/1/{kind}.json")

    def test_report_json_is_valid(self):
        schema = self.schema("report")
        for arguments in (("report", "examples/slow.pt.trace.json.gz"), ("report", "examples/ddp"),
                          ("compare", "examples/healthy.pt.trace.json.gz", "examples/slow.pt.trace.json.gz")):
            document = json.loads(run(*arguments, "-q", "--json", "-", cwd=REPOSITORY).stdout)
            self.assertEqual([error.message for error in schema.iter_errors(document)], [])
            document["verdict"]["status"] = 5
            self.assertTrue(list(schema.iter_errors(document)))

    def test_the_baseline_in_report_json_is_valid(self):
        schema = self.schema("report")
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(REPOSITORY / "examples/slow.pt.trace.json.gz", folder)
            for number in range(5):  # None yet, one to four of four.
                trace = json.loads(gzip.decompress((REPOSITORY / "examples/slow.pt.trace.json.gz").read_bytes()))
                (pathlib.Path(folder) / "other.json").write_text(json.dumps(trace | {"traceName": str(number)}))
                text = run("report", "slow.pt.trace.json.gz", "--baseline", "history:main~4", "-q", "--json", "-", cwd=folder).stdout
                document = json.loads(text)
                self.assertEqual(document["baseline"]["state"], ("lost", "learning", "learning", "learning", "used")[number])
                self.assertEqual([error.message for error in schema.iter_errors(document)], [])
                for wrong in ({"state": "missing"}, {"wanted": "2"}, {"runs": [5]}):
                    self.assertTrue(list(schema.iter_errors(document | {"baseline": document["baseline"] | wrong})), wrong)
                self.assertEqual(run("history", "add", "other.json", cwd=folder).returncode, 0)

    def decode(self, command, folder, file_name, texts):
        """The codes of the errors of a command, for each text of its file; all by one process."""
        lines = "".join(json.dumps({"args": command, "file": file_name, "text": text}) + "\n" for text in texts)
        done = subprocess.run([PROGRAM.parent / "decode_many"], cwd=folder, input=lines, text=True,
                              stdout=subprocess.PIPE, check=True)
        answers = [set(line.split()) for line in done.stdout.split("\n")[:-1]]
        self.assertEqual(len(answers), len(texts))
        # It answers as the program does.
        (folder / file_name).write_text(texts[-1])
        self.assertEqual(set(re.findall(r"\[([a-z]+/[a-z-]+)\]", run(*command, cwd=folder).stderr)), answers[-1])
        return answers

    def hold(self, schema_name, base, command, file_name, companions=()):
        schema = self.schema(schema_name)
        tried, refused, unlisted = 0, 0, set()
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for companion, text in companions:
                (folder / companion).parent.mkdir(parents=True, exist_ok=True)
                (folder / companion).write_text(text)
            asked = [("as it is", base), *hostile(base)]
            texts = [json.dumps(document) for _, document in asked]  # JSON is YAML, and keeps kinds.
            for (what, _), text, codes in zip(asked, texts, self.decode(command, folder, file_name, texts)):
                own = codes & STRUCTURE
                if "'params'" in str(what):  # Which unit a parameter has, its rule says.
                    own -= {"config/unit"}
                unlisted |= codes - STRUCTURE - BEYOND_STRUCTURE
                problem = next(schema.iter_errors(json.loads(text)), None)  # One is enough: all take twice as long.
                with self.subTest(schema_name, what=what):
                    self.assertEqual(problem is not None, bool(own), f"schema: {problem}\ndecoder: {codes}")
                tried += 1
                refused += problem is not None
        print(f"{schema_name}: {tried} files, {refused} refused by both")
        self.assertEqual(unlisted, set(), "say in this file whether a schema can see these")
        self.assertGreater(refused, 10)

    def test_policies(self):
        companions = [("more/rules.yaml", (DATA / "rules" / "all_keys.good.yaml").read_text()),
                      ("names.yaml", (DATA / "policy" / "names.yaml").read_text()),
                      ("devices.yaml", (DATA / "policy" / "devices.yaml").read_text())]
        self.hold("policy", load((DATA / "policy" / "all_keys.good.yaml").read_text()),
                  ("rules", "explain", "gpu/idle", "--policy", "policy.yaml"), "policy.yaml", companions)

    def test_rules(self):
        self.hold("rules", load((DATA / "rules" / "all_keys.good.yaml").read_text()),
                  ("rules", "check", "rules.yaml"), "rules.yaml")

    def test_tests_of_rules(self):
        self.hold("rule-tests", load((DATA / "rule_tests" / "idle.good.test.yaml").read_text()),
                  ("rules", "test", "a.test.yaml"), "a.test.yaml",
                  [("idle.yaml", (DATA / "rule_tests" / "idle.yaml").read_text())])

    def test_configurations(self):
        text = (DATA / "project" / "all_keys.good.yaml").read_text()
        self.hold("config", load(text), ("rules", "explain", "gpu/idle", "--config", "profgauge.yaml"),
                  "profgauge.yaml", [("perf/policy.yaml", "schema: 1\n"), ("perf/gpt.yaml", "schema: 1\n")])

    def test_devices_and_names(self):
        policy = "schema: 1\ntensor_core: {names: names.yaml}\ndevices: devices.yaml\n"
        command = ("rules", "explain", "gpu/idle", "--policy", "policy.yaml")
        for kind, other in (("devices", "names"), ("names", "devices")):
            text = (DATA / "policy" / f"{kind}.yaml").read_text()
            self.hold(kind, load(text), command, f"{kind}.yaml",
                      [("policy.yaml", policy),
                       (f"{other}.yaml", (DATA / "policy" / f"{other}.yaml").read_text())])


if __name__ == "__main__":
    main()
