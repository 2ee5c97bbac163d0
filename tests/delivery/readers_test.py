#!/usr/bin/env python3
"""Every metric and table has a reader: a rule, a limit, a view, the gate, an export, a document.

What only a family's list, or nobody by name, reads is below with its reason; a pattern that nothing
needs fails as well. A new metric without a reader is a number that nobody reads.
"""
import fnmatch
import json
import re
import unittest

import support

# Of a family: who reads its metrics without naming each.
METRICS = {
    "breakdown.*": "view: the breakdown draws all parts (kBreakdownMetrics)",
    "critical.*": "view: the critical path's kinds, from one list (model/path_kind.h)",
    "conditions.*": "limit: state of the machine, rules/README.md",
    "serve.*": "limit: percentiles of load tests, as their tools print them",
    "engine.*": "seed: neuron-profile's summary", "dma.*": "seed: neuron-profile's summary",
    "psum.*": "seed: neuron-profile's summary", "neuron.*": "seed: neuron-profile's summary",
    "npu.cube_utilization": "seed: Ascend's op summary",
    "gpu.measured.*": "limit: the counters of the device, as read; gpu.measured.dram decides",
    "host.cpu_*": "seed: host metrics of Nsight Systems", "host.memory_*": "seed: the same",
    "kernel.short_share": "seed: HolisticTraceAnalysis", "launch.delay.median": "seed: the same",
    "sync.time_share": "seed: Nsight Systems' cuda_api_sync",
    "pipeline.bubble_share": "limit: of the table `pipeline`, which a rule reads",
    "rank.imbalance": "limit: of the table `ranks`", "rank.step_skew": "limit: the same",
    "communication.time": "limit: of the table `ranks`",
    "communication.*_share": "limit: how much of the communication was matched, and waits",
    "coverage.*": "limit: how much of the profile the iterations hold",
    "iteration.time.stddev": "limit: beside the percentiles",
    "run.unusual_share": "limit: of all iterations of a run, beside its times",
}
TABLES = {}


def texts(*patterns, without=()):
    """The texts of the files that match, but for those whose path begins with one of `without`."""
    for pattern in patterns:
        for path in sorted(support.REPOSITORY.glob(pattern)):
            name = path.relative_to(support.REPOSITORY).as_posix()
            if path.is_file() and not name.startswith(tuple(without)) and ".test." not in name:
                yield path.read_text(errors="replace")


def words_of(found):
    return {word for text in found for word in re.findall(r"\bk[A-Z]\w+|[a-z][a-z0-9_]*(?:\.[a-z0-9_]+)*", text)}


class Readers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.rules = words_of(texts("rules/*.yaml", "rules/queries/**/*"))
        cls.documents = words_of(texts("*.md", "rules/*.md", "examples/**/*.md", "examples/**/*.y*ml",
                                       "examples/**/*.py", "examples/**/*.sql", "templates/**/*",
                                       without=("CHANGELOG.md",)))
        cls.program = words_of(texts("src/**/*.cc", "src/**/*.h", "src/**/*.py", without=(
            "src/analysis", "src/base", "src/model", "src/readers", "src/knowledge")))
        cls.quoted = set(re.findall(r"""["'`](\w+)["'`]""", "".join((*texts(
            "src/**/*.cc", "src/**/*.h", "templates/**/*", without=("src/analysis", "src/readers")),
            *texts("*.md", "examples/**/*.md", without=("CHANGELOG.md",)))))) | words_of(texts("rules/queries/**/*"))
        cls.names = cls.rules | cls.documents | cls.program

    def hold(self, unread, families, of):
        for name in unread:
            self.assertTrue([pattern for pattern in families if fnmatch.fnmatch(name, pattern)],
                            f"nobody reads the {of} {name}: name its reader here, or delete it")
        for pattern in families:
            self.assertTrue(fnmatch.filter(unread, pattern), f"{pattern} is needed for no {of}: delete it here")

    def test_metrics(self):
        rows = json.loads(support.run("metrics", "list", "--json", "-").stdout)["rows"]
        constants = dict((name, constant) for constant, name in re.findall(
            r'X\((k\w+), "([a-z0-9_.]+)"\)', (support.REPOSITORY / "src/base/metric_id.h").read_text()))
        self.assertEqual({row["id"] for row in rows}, set(constants))
        self.hold([name for name, constant in constants.items() if not self.names & {name, constant}],
                  METRICS, "metric")

    def test_tables(self):
        # Rules name a table's rows; the program names it in quotes, documents as code.
        catalogue = "".join(texts("src/analysis/catalog/catalogue.cc", "src/analysis/catalog/catalogue_neuron_metrics.cc"))
        tables = re.findall(r'^    \{"(\w+)",\s*"(\w*)",', catalogue, re.M)
        self.assertGreater(len(tables), 60)
        self.hold([table for table, row in tables
                   if table not in self.quoted and (not row or row not in self.rules)], TABLES, "table")


if __name__ == "__main__":
    support.main()
