"""Two forms of one profile, of ../shared: the same verdict, metrics, findings and tables.

`data/parquet/pairs.json` says which files and folders are one profile; those of ROCm are here.
Numbers may differ in the seventh digit, as sums may be taken in another order.
"""
import json
import math
import pathlib
import re
import shutil
import sqlite3
import tempfile
import unittest

from support import REPOSITORY, SKIPPED, main, run

SHARED = REPOSITORY.parent / "shared" / "data"
if not (SHARED / "parquet" / "pairs.json").exists():
    print(f"skipped: no {SHARED}/parquet")
    raise SystemExit(SKIPPED)

ROCM = [
    ("synthetic_results.json", name)
    for name in ("synthetic_v3_results.db", "synthetic_v303_results.db",
                 "synthetic_v303_messages_results.db", "synthetic_v410_results.db",
                 "rocprof-sys-python3-output/rocpd.db", "malformed/no_views_results.db",
                 "malformed/odd_suffix_results.db", "malformed/no_suffix_results.db",
                 "malformed/suffix_mismatch_results.db", "malformed/unknown_version_results.db")
] + [
    ("two_ranks", "merged.db"),
    ("908_first4000_results.json.gz", "908_first4000_v3_results.db"),
    ("908_first4000_results.json.gz", "908_first4000_v410_results.db"),
]
TOLERANCE = 1e-7

# Columns that only one form has, by table.
OTHERWISE = {
    ("layers", "model_flops"): "the schema of Neuron's tables has no FLOPs of layers",
    ("identities", "deviation"): "the difference of two numbers that are nearly the same",
    ("collectives", "group_size"): "rocpd has the environment, which says how many ranks there are",
    ("collectives", "links_bandwidth"): "so does whether one machine holds them",
    ("process_groups", "size"): "rocpd has the environment, which says how many ranks there are",
}
# The JSON of ROCm does not say how many ranks there are, so none is known to be missing.
OF_WORLD_SIZE = {"counts", "profile.ranks_missing", "recording/ranks-missing",
                 "recording/ranks-left-out"}
# Its number is in a separate table there.
NOT_STATED = ("identities", "throttle_active_nc0_time_ns")


def report(path, *more):
    with tempfile.TemporaryDirectory() as folder:
        done = run("report", "-q", path, *more, "--out", folder)
        if done.returncode not in (0, 1):
            raise AssertionError(f"{path}: {done.stderr}")
        return json.loads((pathlib.Path(folder) / "report.json").read_text())


def same(a, b):
    if isinstance(a, bool) or isinstance(b, bool):
        return a == b
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        # Whole numbers of nanoseconds are rounded: one up or down.
        return math.isclose(a, b, rel_tol=TOLERANCE, abs_tol=1 if abs(a) > 1000 else 1e-12)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    return a == b


def metrics(document):
    """Of each: its value, or that it is absent."""
    return {name: metric.get("value") for name, metric in document["metrics"].items()}


def findings(document, without):
    return sorted((f["rule"], f["level"], f["status"], f["title"]) for f in document["findings"]
                  if f["rule"] not in without)


def rows(table, name):
    """In a fixed order: that of rows without a weight is the file's."""
    names = [column["id"] for column in table["columns"]]
    kept = [i for i, column in enumerate(names) if (name, column) not in OTHERWISE]
    return sorted(([row[i] for i in kept] for row in table["rows"]
                   if not (name == NOT_STATED[0] and NOT_STATED[1] in row)), key=json.dumps)


def differences(one, other, without=()):
    for key in {"status", "counts"} - set(without):
        if one["verdict"][key] != other["verdict"][key]:
            yield f"verdict {key}: {one['verdict'][key]} and {other['verdict'][key]}"
    a, b = metrics(one), metrics(other)
    for name in sorted((a.keys() | b.keys()) - set(without)):
        if not same(a.get(name), b.get(name)):
            yield f"{name}: {a.get(name)} and {b.get(name)}"
    a, b = findings(one, without), findings(other, without)
    if a != b:
        yield f"findings: {set(a) ^ set(b)}"
    for name in sorted(one["tables"].keys() | other["tables"].keys()):
        if name not in one["tables"] or name not in other["tables"]:
            yield f"table {name} is only in one"
            continue
        left, right = rows(one["tables"][name], name), rows(other["tables"][name], name)
        if len(left) != len(right):
            yield f"table {name}: {len(left)} and {len(right)} rows"
            continue
        for x, y in zip(left, right):
            if not same(x, y):
                yield f"table {name}: {x} and {y}"
                break


class Pairs(unittest.TestCase):
    """Each pair with all numbers."""
    maxDiff = None

    def compare(self, one, other, *of_one, without=()):
        with self.subTest(one=one, other=other):
            self.assertEqual([], list(differences(report(SHARED / one, *of_one),
                                                  report(SHARED / other), without)))

    def test_parquet(self):
        pairs = json.loads((SHARED / "parquet" / "pairs.json").read_text())
        self.assertTrue(pairs)
        for one, other in pairs:
            self.compare(one, other)

    def test_parquet_of_texts_that_are_bytes(self):
        self.compare("parquet/nsys/nccl.sqlite", "parquet/nsys/nccl_binary_text")
        self.compare("nsight-systems/memfusion_artifact_report1.sqlite",
                     "parquet/nsys/memfusion_binary_text")

    def test_parquet_with_scheduling(self):
        self.compare("nsight-systems/miniGEMM_report1.sqlite", "parquet/nsys/minigemm")

    def test_variants_of_neuron(self):
        whole = "parquet/neuron/profiles/global/bucketed_2048@latest"
        for variant in ("split", "float32"):
            self.compare(whole, "parquet/neuron/variants/" + variant)

    def test_rocm(self):
        for one, other in ROCM:
            self.compare("rocm/" + one, "rocm/" + other)
        # The JSON says no ranks.
        self.compare("rocm/two_ranks_json", "rocm/two_ranks", "--ranks", "as-listed",
                     without=OF_WORLD_SIZE)


class ManyRanks(unittest.TestCase):
    """Folders of 64, as a job of eight computers leaves them."""
    RANKS = 64

    def check(self, folder):
        document = report(folder)
        metrics = document["metrics"]
        self.assertEqual(self.RANKS, metrics["profile.ranks"]["value"])
        self.assertEqual(self.RANKS, metrics["profile.gpus"]["value"])
        return document

    def test_rocpd(self):
        source = SHARED / "rocm" / "two_ranks" / "pgnode01" / "41001_results.db"
        with tempfile.TemporaryDirectory() as folder:
            for rank in range(self.RANKS):
                path = pathlib.Path(folder, f"node{rank // 8}", f"{41001 + rank}_results.db")
                path.parent.mkdir(exist_ok=True)
                shutil.copyfile(source, path)
                database = sqlite3.connect(path)
                (table,), = database.execute("select name from sqlite_master where type = 'table' "
                                             "and name like 'rocpd_info_process%'")
                database.execute(f"""update "{table}" set environment = json_set(environment,
                    '$.RANK', ?, '$.LOCAL_RANK', ?, '$.WORLD_SIZE', ?)""",
                                 (str(rank), str(rank % 8), str(self.RANKS)))
                database.commit()
                database.close()
            document = self.check(folder)
        self.assertEqual("pass", document["verdict"]["status"])
        self.assertEqual(0, document["metrics"]["profile.ranks_missing"]["value"])
        self.assertEqual(list(range(self.RANKS)),
                         sorted(row[0] for row in document["tables"]["ranks"]["rows"]))

    def test_neuron_cores(self):
        source = SHARED / "parquet" / "neuron" / "profiles" / "global" / "matmul_512@latest"
        with tempfile.TemporaryDirectory() as folder:
            for core in range(self.RANKS):
                path = pathlib.Path(folder, "profiles", "global", f"core{core}@latest")
                path.mkdir(parents=True)
                for table in source.iterdir():
                    if table.name != "Metadata.parquet":
                        (path / table.name).symlink_to(table)
                (path / "Metadata.csv").write_text(
                    "profile_schema_version,tensor_engine_num_rows,neuron_device_idx,"
                    f"neuroncore_idx\n7.4.0,128,{core // 2},{core % 2}\n")
            document = self.check(folder)
        self.assertEqual(self.RANKS, len({row[0] for row in document["tables"]["ranks"]["rows"]}))


class Malformed(unittest.TestCase):
    """The expectation of the tables beside the samples: read, or refused by which code."""

    def code_of(self, path, *more):
        with tempfile.TemporaryDirectory() as folder:
            done = run("report", "-q", path, *more, "--out", folder)
        self.assertIn(done.returncode, (0, 1, 3), f"{path}: {done.stderr}")
        if done.returncode != 3:
            return "read"
        found = re.search(r"\[([a-z0-9]+/[a-z-]+)\]", done.stderr)
        return found.group(1) if found else done.stderr

    def test_neuron(self):
        folder = SHARED / "parquet" / "neuron" / "malformed"
        for line in (folder / "expected.tsv").read_text().splitlines():
            name, expected = line.split("\t")[:2]
            code = {"parts_and_whole": "neuron/two-exports", "cut": "parquet/truncated",
                    "begun": "parquet/truncated"}.get(name, "read")
            with self.subTest(name=name, expected=expected):
                self.assertEqual(code, self.code_of(folder / name))
                if code == "parquet/truncated":
                    self.assertEqual("read", self.code_of(folder / name, "--allow-incomplete"))

    def test_nsys(self):
        folder = SHARED / "parquet" / "nsys" / "malformed"
        for name, code in (("no_stringids", "read"), ("cut_kernel", "parquet/truncated"),
                           ("no_footer_yet", "parquet/truncated"),
                           ("only_names", "nsight/no-events")):
            with self.subTest(name=name):
                self.assertEqual(code, self.code_of(folder / name))

    def test_rocm(self):
        folder = SHARED / "rocm"
        for name, code in (("malformed/unknown_layout_results.db", "rocpd/unknown-schema"),
                           ("malformed/truncated_results.db", "sqlite/truncated"),
                           ("malformed/interrupted_results.db", "rocpd/interrupted"),
                           ("malformed/empty_schema_results.db", "rocprofv3/no-events"),
                           ("malformed/no_events_results.db", "rocprofv3/no-events"),
                           ("malformed/partial_results.db", "read"),
                           ("malformed/dangling_results.db", "read"),
                           ("synthetic_lz4_results.db", "rocpd/compressed"),
                           ("matmul_result.rpd", "input/rpd"), ("edge_results.db", "read")):
            with self.subTest(name=name):
                self.assertEqual(code, self.code_of(folder / name))

    def test_nothing_of_the_environment_is_shown(self):
        with tempfile.TemporaryDirectory() as folder:
            run("report", "-q", SHARED / "rocm" / "two_ranks", "--out", folder)
            for path in pathlib.Path(folder).rglob("*"):
                if path.is_file():
                    self.assertNotIn(b"HF_TOKEN", path.read_bytes(), path)


if __name__ == "__main__":
    main()
