"""One scope for all of the page: rank, iterations and key operator, and the way back from each."""
import contextlib
import itertools
import json
import pathlib
import random
import sqlite3
import subprocess
import tempfile
import time
import unittest

from driver import READY, Run, page_url
from made_traces import launch, rank_of_many, recording
from views_test import ViewsCase

STATE = """return JSON.stringify([document.querySelector('#scope b').textContent,
    [...grids.values()].map((g) => [g.id, g.query, g.sortField && g.sortField.id, g.descending, g.order.length, g.tree]),
    dialog.open && [dialog.querySelector('h3').textContent, dialog.querySelector('dd').textContent],
    timeline.view.map(Math.round), timeline.selected, timeline.range && timeline.range.map(Math.round)])"""


def run_json(arguments):
    """report.json of a run of the program, as tables of values by column."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "report.json"
        subprocess.run([Run.profgauge, "report", *arguments, "-q", "--json", out], check=False,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        report = json.loads(out.read_text())
    tables = {}
    for name, table in report["tables"].items():
        ids = [column["id"] for column in table["columns"]]
        tables[name] = [dict(zip(ids, row)) for row in table["rows"]]
    return report, tables


class ScopeCase(ViewsCase):
    def choose(self, name, value):
        self.js("""const box = document.querySelector(`#scope [name=${arguments[0]}]`);
            box.value = arguments[1]; box.dispatchEvent(new Event('change'))""", name, str(value))

    def rows(self, table, *columns):
        """What the table shows: name → values."""
        return self.js("""const g = grids.get(arguments[0]);
            return Object.fromEntries(g.order.map((row) => [g.rows.value(g.field('name'), row),
                arguments[1].map((id) => g.rows.value(g.field(id), row))]))""", table, list(columns))

    def assert_same(self, table, columns, theirs):
        shown = self.rows(table, *columns)
        # Work outside of the iterations is a column of its own.
        expected = {row["name"]: [row[column] for column in columns] for row in theirs
                    if row["calls"] > (row.get("outside_calls") or 0)}
        self.assertEqual(shown, expected)


class RangeTest(ScopeCase):
    def test_operators_kernels_and_the_breakdown_are_those_of_a_run_with_that_range(self):
        self.choose("from", 1)
        self.choose("to", 2)
        report, tables = run_json([Run.slow, "--iter-start", "1", "--iter-stop", "2"])
        self.assert_same("ops", ["calls", "host_self", "device_self", "kernels"], tables["ops"])
        self.assert_same("kernels", ["calls", "time"], tables["kernels"])
        shown = self.js("return Object.fromEntries([...document.querySelectorAll('#breakdown tr[data-id]')].map((row) => [row.dataset.id, parseFloat(row.cells[1].title)]))")
        for part, share in shown.items():
            self.assertAlmostEqual(share, report["metrics"][f"breakdown.{part}"]["value"], 12, part)
        mean = report["metrics"]["iteration.time.mean"]["value"]
        self.assertAlmostEqual(self.js("return parseFloat(document.querySelector('[data-hero]').title)"), mean, delta=1)
        self.assertEqual(self.js("return grids.get('iterations').order.length"), 2)
        # Outermost calls are not among the parts.
        self.assertEqual(self.js("const g = grids.get('op_types'), f = g.field('device_mean'); return f ? g.order.filter((row) => g.rows.value(f, row) !== null).length : 0"), 0)

    def test_what_stands_says_for_what_with_the_command_that_can(self):
        self.assertEqual(self.js("return document.querySelectorAll('[data-stands], .stands').length"), 0)
        self.choose("from", 1)
        for place in (".top", "#findings", "#gate", "#tables"):
            text = self.js("return document.querySelector(`${arguments[0]} [data-stands]`)?.textContent", place)
            self.assertIn("--iter-start 1 --iter-stop", text or "", place)
            self.assertIn(pathlib.Path(Run.slow).name, text, place)
        self.assertTrue(self.js("return document.getElementById('t-ops').matches(':not(.stands)') && document.getElementById('t-roofline')?.matches('.stands') !== false"))
        self.js("[...document.querySelectorAll('#scope button')].find((b) => b.textContent === 'Reset').click()")
        self.assertEqual(self.js("return document.querySelectorAll('[data-stands], .stands').length"), 0)
        self.assertEqual(self.js("return location.hash.includes('it=')"), False)

    def test_two_choices_are_a_click_away(self):
        self.choose("from", 1)
        self.choose("from", 2)
        self.js("const menu = [...document.querySelectorAll('#scope .menu')].pop(); menu.open = true;")
        self.driver.wait("document.querySelectorAll('#scope .menu button').length === 2", "the list")
        hidden = self.js("""return [...document.querySelectorAll('.menu')].filter((menu) => {
            menu.open = true;
            return !menu.lastElementChild.getClientRects().length; }).map((menu) => menu.textContent)""")
        self.assertEqual(hidden, [], "each menu shows what it has")
        self.js("document.querySelectorAll('#scope .menu button')[1].click()")
        self.assertEqual(self.js("return scope.from"), 1)

    def drag(self, which, share):
        """Moves a bar of the chart to a share of its width."""
        self.js("""
            const svg = document.querySelector('#iterations figure > svg'), box = svg.getBoundingClientRect();
            const bar = svg.querySelectorAll('rect.range')[arguments[0]];
            bar.setPointerCapture = () => {};
            const fire = (type, x) => bar.dispatchEvent(new PointerEvent(type, {clientX: x, pointerId: 1, bubbles: true, cancelable: true}));
            fire('pointerdown', 0);
            fire('pointermove', box.left + arguments[1] * box.width);
            fire('pointerup', 0);""", which, share)

    def test_bars_in_the_chart_move_the_range(self):
        self.drag(0, 0.5)
        self.drag(1, 0.8)
        low, high = self.js("return [scope.from, scope.to]")
        self.assertGreater(low, 0)
        self.assertGreaterEqual(high, low)
        self.assertEqual(self.js("return [+document.querySelector('[name=from]').value, +document.querySelector('[name=to]').value]"), [low, high])


class KeyTest(ScopeCase):
    def test_an_operator_marks_the_iterations(self):
        self.js("[...document.querySelectorAll('#scope button')].find((b) => b.textContent.startsWith('Key')).click()")
        names = self.js("return [...document.querySelectorAll('dialog.keys tbody tr[data-row] th')].map((cell) => cell.textContent)")
        self.assertGreater(len(names), 3)
        name = next(name for name in names if "Optimizer" in name or "aten::" in name)
        self.js("[...document.querySelectorAll('dialog.keys tbody tr[data-row]')].find((row) => row.cells[0].textContent === arguments[0]).click()", name)
        self.driver.wait("location.hash.includes('key=')", "the address")
        report, tables = run_json([Run.slow, "--key-op", name])
        spans = self.js("return timeline.keySpans(arguments[0]).map(([, from, to]) => [from, to])", name)
        self.assertEqual(spans, [[row["start"], row["start"] + row["duration"]] for row in tables["iterations"]])
        for part, share in self.js("return Object.fromEntries([...document.querySelectorAll('#breakdown tr[data-id]')].map((row) => [row.dataset.id, parseFloat(row.cells[1].title)]))").items():
            self.assertAlmostEqual(share, report["metrics"][f"breakdown.{part}"]["value"], 9, part)
        self.assertIn("--key-op", self.js("return document.querySelector('[data-stands]').textContent"))
        # Operators and their types, as nested on their threads.
        for table, key in (("ops", "name"), ("op_types", "type")):
            wanted = {}
            for row in tables["ops_by_iteration"]:
                sums = wanted.setdefault(row[key], [0, 0, 0, 0])
                for at, field in enumerate(("calls", "kernels", "host_self", "time")):
                    sums[at] += row[field] or 0
            shown = self.js("""const grid = grids.get(arguments[0]), field = (id) => grid.rows.fields.find((one) => one.id === id);
                return Object.fromEntries(grid.order.map((row) => [grid.rows.text(field('name'), row), ['calls', 'kernels', 'host_self', 'device_self']
                    .map((id) => (field(id) ? grid.rows.value(field(id), row) : 0))]))""", table)
            self.assertEqual({k: v for k, v in shown.items() if wanted.get(k) != v}, {k: v for k, v in wanted.items() if shown.get(k) != v}, table)
        # Another reader sees the same.
        left = self.js("return [document.querySelector('#scope b').textContent, grids.get('kernels').order.length]")
        link = self.js("return location.href")
        self.driver.open("about:blank")
        self.driver.open(link)
        self.driver.wait("document.documentElement.dataset.timeline === 'ready'", "the timeline")
        self.assertEqual(self.js("return [document.querySelector('#scope b').textContent, grids.get('kernels').order.length]"), left)


    def test_no_operator_marks_them_where_events_are_left_out(self):
        self.assertEqual(self.js("timeline.head.cut = true; timeline.keys = null; return timeline.keyOps().size"), 0)


class RankTest(ScopeCase):
    def setUp(self):
        page = Run.samples / "ddp_scope.html"
        if not page.exists():
            subprocess.run([Run.profgauge, "report", Run.source / "ddp", "-q", "--html", page], check=False,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.driver.open("about:blank")
        self.driver.open(page.as_uri())
        self.driver.wait(READY, "the page's scripts")

    def test_operators_and_the_breakdown_are_those_of_the_rank_alone(self):
        self.choose("rank", 2)
        report, tables = run_json([Run.source / "ddp", "--rank", "2"])
        self.assert_same("ops", ["calls", "host_self", "device_self", "kernels"], tables["ops"])
        self.assert_same("kernels", ["calls", "time"], tables["kernels"])
        for part, time in self.js("return Object.fromEntries([...document.querySelectorAll('#breakdown tr[data-id]')].map((row) => [row.dataset.id, parseFloat(row.cells[3].title)]))").items():
            # Waiting for data between iterations is the run's, not one iteration's.
            self.assertEqual(time, sum(row[part] or 0 for row in tables["iterations"]), part)
        self.assertIn("--rank 2", self.js("return document.querySelector('[data-stands]').textContent"))


    def test_a_key_operator_is_one_ranks(self):
        name = self.js("return [...timeline.keyOps().keys()].find((name) => name.startsWith('aten::'))")
        self.js("scopeBar.choose({ key: arguments[0] })", name)
        rank = self.js("return scope.rank")
        self.assertIsNotNone(rank)
        self.assertIn(f"rank {rank}", self.js("return document.querySelector('#scope b').textContent"))
        self.assertIn(f"--rank {rank} --key-op", self.js("return scopeCommand()"))
        self.choose("rank", "")
        self.assertEqual(self.js("return [scope.rank, scope.key]"), [None, ""])

    def test_a_row_of_a_rank_leads_to_it(self):
        self.js("openRow(grids.get('ranks'), 1)")
        rank = self.js("const { rows } = grids.get('ranks'); return rows.value(rows.fields.find((field) => field.id === 'id'), 1)")
        self.js("[...document.querySelectorAll('dialog button')].find((button) => button.textContent === arguments[0]).click()", f"Show rank {rank}")
        self.assertEqual(self.js("return [scope.rank, dialog.open]"), [rank, False])
        row = "[...document.querySelectorAll('#ranks tbody tr')].find((row) => row.cells[0].textContent.trim() === 'Rank 2')"
        self.js(f"{row}.scrollIntoView()")
        self.js(f"{row}.cells[0].click()")
        self.assertEqual(self.js("return [scope.rank, scopeBar.rank$.value]"), [2, "2"])

    def test_the_command_has_the_options_of_the_page(self):
        page = Run.samples / "ddp_options.html"
        subprocess.run([Run.profgauge, "report", Run.source / "ddp", "-q", "-p", "builtin:strict", "--rank", "2", "--html", page],
                       check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.driver.open(page.as_uri())
        self.driver.wait(READY, "the page's scripts")
        self.assertRegex(self.js("return scopeCommand()"), "--policy builtin:strict --rank 2$")
        self.js("scopeBar.choose({ from: 1, to: 1 })")
        self.assertRegex(self.js("return scopeCommand()"), "--policy builtin:strict --rank 2 --iter-start 1 --iter-stop 1$")

    def test_a_search_finds_what_the_choice_shows(self):
        self.choose("rank", 2)
        empty = self.js("""return hitsOf('a').filter(({ kind }) => [...grids.values()].some(
            (grid) => grid.title() === kind && !grid.matching('a').length)).map((hit) => hit.kind)""")
        self.assertEqual(empty, [])


class MadeTest(ScopeCase):
    def open_made(self, name, *recordings):
        folder = Run.samples / name
        folder.mkdir(exist_ok=True)
        for rank, text in enumerate(recordings):
            (folder / f"rank{rank}.json").write_text(text)
        page = Run.samples / f"{name}.html"
        subprocess.run([Run.profgauge, "report", folder, "-q", "--html", page], check=False,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.driver.open("about:blank")
        self.driver.open(page.as_uri())
        self.driver.wait(READY, "the page's scripts")

    def test_a_recording_without_iterations_offers_operators_that_mark_them(self):
        self.open_made("scope_alone", recording([event for k in range(6) for event in launch("aten::mm", "gemm", 1000 * k, 300 + k, k + 1)]))
        self.assertEqual(self.js("return [document.getElementById('scope').hidden, scopeBar.key$.hidden, scopeBar.reset$.hidden]"), [False, False, True])
        self.assertEqual(self.js("return grids.get('iterations').table.tBodies[0].align"), "right")
        link = self.js("return location.href") + "#key=aten%3A%3Amm"
        self.driver.open("about:blank")
        self.driver.open(link)
        self.driver.wait("document.documentElement.dataset.timeline === 'ready'", "the timeline")
        self.assertEqual(self.js("return [scope.key, scopeBar.reset$.hidden, document.querySelectorAll('[data-stands]').length > 0]"), ["aten::mm", False, True])
        self.assertIn("of iterations by aten::mm", self.js("return document.querySelector('.hero').textContent"))

    def test_work_outside_of_the_iterations_is_not_in_a_choice_and_that_is_said(self):
        ranks = []
        for rank in range(2):
            made = json.loads(rank_of_many(rank, 2))
            made["traceEvents"] += launch("aten::mm", "volta_sgemm_128x64_nn", 9_000, 500, 99)
            ranks.append(json.dumps(made))
        self.open_made("scope_outside", *ranks)
        self.assertNotIn("outside", self.js("return grids.get('kernels').status.textContent"))
        self.choose("rank", 1)
        self.assertIn("calls outside of iterations are not in it", self.js("const g = grids.get('kernels'); g.order; return g.status.textContent"))


    def test_aggregations_of_dlprof_are_ranges_in_the_list_of_choices(self):
        case = (pathlib.Path(__file__).parent.parent / "cases/dlprof.yaml").read_text().split("input.sql: |\n")[1]
        script = "".join(line for line in itertools.takewhile(lambda line: not line.strip() or line.startswith("      "),
                                                              case.splitlines(keepends=True)))
        # The third divides the time elsewhere: it had another key node.
        script += """insert into iteration_list values (3, 0, 50, 700), (3, 1, 700, 1250);
            insert into model_summary (aggr_id, wall_time, iter_start, iter_stop, iter_aggregated) values (3, 1200, 0, 1, 2);"""
        path = Run.samples / "aggregations.sqlite"
        path.unlink(missing_ok=True)
        with contextlib.closing(sqlite3.connect(path)) as database:
            database.executescript(script)
        page = Run.samples / "aggregations.html"
        subprocess.run([Run.profgauge, "report", path, "--aggr", "1", "-q", "--html", page], check=False,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.driver.open(page.as_uri())
        self.driver.wait(READY, "the page's scripts")
        self.js("const menu = [...document.querySelectorAll('#scope .menu')].pop(); menu.open = true;")
        self.driver.wait("document.querySelectorAll('#scope .menu button').length === 2", "the list")
        listed = self.js("return [...document.querySelectorAll('#scope .menu .narrow > div')].map((one) => one.textContent)")
        self.assertEqual(listed[:2], ["aggregation 1 · iterations 0 to 1", "aggregation 2 · iteration 1 of 0 to 1"])
        self.assertTrue(listed[2].endswith("--aggr 3"), listed[2])
        self.js("document.querySelectorAll('#scope .menu button')[1].click()")
        self.assertEqual(self.js("return [scope.from, scope.to]"), [1, 1])
        self.assertEqual(self.rows("ops", "calls")["linear"], [1])
        self.js("document.querySelectorAll('#scope .menu button')[0].click()")
        self.assertTrue(self.js("return scope.isJudged"))


class BackTest(ScopeCase):
    ACTS = {
        "range": "const box = document.querySelector('#scope [name=from]'); box.value = '2'; box.dispatchEvent(new Event('change'))",
        "sort": "grids.get('ops').heads()[2].querySelector('button').click()",
        "filter": "const box = grids.get('kernels').input; box.value = 'a \"b\" ~ % &'; box.dispatchEvent(new Event('input'))",
        "row": "openRow(grids.get('ops'), grids.get('ops').order[0])",
        "row in a row": "dialog.querySelector('table button.link').click()",
        "table": "[...dialog.querySelectorAll('.tools button')][0].click()",
        "zoom": "timeline.zoom(0.5)",
        "show": "timeline.show(timeline.first + 1e6, timeline.first + 3e6, null)",
        "reset": "[...document.querySelectorAll('#scope button')].find((b) => b.textContent === 'Reset').click()",
    }

    def settle(self):
        before = None
        for _ in range(40):
            now = self.js("return [location.hash, history.length]")
            if now == before:
                return
            before = now
            time.sleep(0.4)

    def test_each_step_goes_back_to_the_state_before_and_forward_again(self):
        before = []
        for name, act in self.ACTS.items():
            before.append((name, self.js(STATE)))
            self.js(act)
            self.settle()
        end = self.js(STATE)
        for name, state in reversed(before):
            self.js("history.back()")
            self.settle()
            self.assertEqual(self.js(STATE), state, name)
        for _ in before:
            self.js("history.forward()")
            self.settle()
        self.assertEqual(self.js(STATE), end)

    def test_letters_of_a_filter_are_one_step(self):
        steps = self.js("return history.length")
        for text in ("g", "ge", "gem"):
            self.js("const box = grids.get('kernels').input; box.value = arguments[0]; box.dispatchEvent(new Event('input'))", text)
            time.sleep(0.15)
        self.assertEqual(self.js("return history.length"), steps + 1)
        self.js("history.back()")
        self.driver.wait("grids.get('kernels').query === ''", "the table before")

    def test_escape_closes_all_rows_at_once(self):
        before = self.js("return location.href")
        self.js("openRow(grids.get('ops'), grids.get('ops').order[0])")
        self.js("dialog.querySelector('table button.link').click()")
        self.driver.keys("\ue00c")
        self.driver.wait("!dialog.open && !location.hash.includes('row=')", "the page")
        self.assertEqual(self.js("return location.href"), before)

    def test_the_address_escapes_once_and_opens_the_same(self):
        self.js("grids.get('ops').reveal(arguments[0])", 'a "b" ~ % & #')
        link = self.js("return location.href")
        self.assertIn("g.ops=a%20%22b%22%20~~%20%25%20%26%20%23~", link)
        self.driver.open("about:blank")
        self.driver.open(link)
        self.driver.wait(READY, "the page's scripts")
        self.assertEqual(self.js("return grids.get('ops').query"), 'a "b" ~ % & #')

    def test_any_steps_lead_back(self):
        first, chance = self.js(STATE), random.Random(7)
        acts = [self.ACTS[name] for name in ("sort", "filter", "zoom", "show", "range", "reset")]
        length = self.js("return history.length")
        for _ in range(12):
            self.js(chance.choice(acts))
            self.settle()
        steps = self.js("return history.length") - length
        self.assertGreater(steps, 3)
        self.js("history.go(arguments[0])", -steps)
        self.settle()
        self.assertEqual(self.js(STATE), first)


class EvidenceTest(ScopeCase):
    def test_all_rows_of_a_finding_are_a_click_away(self):
        rule, shown, rows = self.js("""
            for (const [rule, { table, all, places }] of evidence) {
              const link = document.querySelector(`[data-evidence="${rule}"] button`);
              if (!link) continue;
              const shown = link.closest('table').tBodies[0].rows.length;
              link.click();
              return [rule, shown, [grids.get(table).order.length, all, places.size, grids.get(table).input.value]];
            }
            return [null, 0, null]""")
        if rule is None:
            self.skipTest("every finding shows all of its rows")
        self.assertGreater(rows[1], shown)
        self.assertEqual(rows[0], rows[2])
        self.assertEqual(rows[3], f"finding={rule}")


class NamesTest(ScopeCase):
    def test_different_names_look_different(self):
        names = self.js("""
            const letters = 'ab_<>:', out = new Set();
            let seed = 3;
            const next = () => (seed = (seed * 1103515245 + 12345) % 2147483648) / 2147483648;
            for (let k = 0; k < 400; ++k) out.add(('void at::native::' + 'x'.repeat(70) + Array.from({ length: 40 }, () => letters[Math.floor(next() * 6)]).join('') + 'y'.repeat(30)).slice(0, 80 + Math.floor(next() * 80)));
            const cut = distinct([...out]);
            return [out.size, new Set(cut.values()).size, Math.max(...[...cut.values()].map((text) => text.length))]""")
        self.assertEqual(names[0], names[1])
        self.assertLessEqual(names[2], 84)


if __name__ == "__main__":
    unittest.main()
