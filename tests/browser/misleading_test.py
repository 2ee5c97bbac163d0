"""What once misled readers of the page: searches that miss rows, a tree without a shape, a timeline
that holds the wheel, links and prints that nobody sees."""
import subprocess

from driver import Run
from views_test import ViewsCase


class FilterTest(ViewsCase):
    def rows(self, query):
        return self.js("const g = grids.get('ops'); g.filter(arguments[0]);"
                       "return g.order.map((row) => g.rows.text(g.field('name'), row)).sort()", query)

    def test_commas_part_terms_as_in_the_hint(self):
        wanted = self.rows("aten Device self > 100us !mm")
        self.assertTrue(wanted)
        self.assertEqual(self.rows("aten, Device self > 100us, !mm"), wanted)
        self.assertEqual(self.rows("aten, , Device self > 100 us,!mm,"), wanted)
        self.assertLess(len(wanted), len(self.rows("aten")))

    def test_a_table_says_what_it_did_not_search(self):
        status = ("const g = grids.get('op_tree'); g.rows.of = g.rows.count + arguments[0];"
                  "g.filter('zzz'); return g.status.textContent")
        self.assertIn("5 more are not in this page and were not searched", self.js(status, 5))
        self.assertNotIn("not searched", self.js(status, 0))


class TreeTest(ViewsCase):
    def test_names_lead_and_stand_below_what_they_are_in(self):
        self.js("document.getElementById('t-op_tree').open = true; grids.get('op_tree').apply();")
        heads, places = self.js(
            "const g = grids.get('op_tree');"
            "const heads = g.heads().filter((h) => !h.hidden).map((h) => h.dataset.id);"
            "const left = (line) => { const range = document.createRange();"
            "  range.selectNodeContents(line.cells[0].lastChild); return range.getBoundingClientRect().left; };"
            "return [heads, [...g.table.tBodies[0].rows].filter((line) => line.dataset.row)"
            "  .map((line) => [g.depths[line.dataset.row], left(line)])]")
        self.assertEqual(heads[0], "name")
        self.assertNotIn("iteration", heads)
        by_depth = {}
        for depth, left in places:
            by_depth.setdefault(depth, set()).add(round(left))
        self.assertGreater(len(by_depth), 3)
        self.assertTrue(all(len(lefts) == 1 for lefts in by_depth.values()), by_depth)
        ordered = [by_depth[depth].pop() for depth in sorted(by_depth)]
        self.assertEqual(ordered, sorted(set(ordered)))


class WheelTest(ViewsCase):
    TURN = ("const before = timeline.view[1] - timeline.view[0];"
            "const turn = new WheelEvent('wheel', {deltaY: -300, cancelable: true, bubbles: true, ...arguments[0]});"
            "timeline.canvas$.dispatchEvent(turn);"
            "return [turn.defaultPrevented, (timeline.view[1] - timeline.view[0]) / before, timeline.tip$.textContent]")

    def test_it_scrolls_the_page_and_zooms_with_ctrl(self):
        kept, zoom, tip = self.js(self.TURN, {})
        self.assertEqual((kept, zoom), (False, 1))
        self.assertIn("Ctrl + wheel", tip)
        kept, zoom, _ = self.js(self.TURN, {"ctrlKey": True})
        self.assertTrue(kept)
        self.assertLess(zoom, 0.9)


class SearchTest(ViewsCase):
    def found(self, query):
        return self.js("timeline.search(arguments[0]); return [timeline.hits.length, timeline.found$.textContent]", query)

    def test_a_stream_is_one_stream(self):
        launched, _ = self.found("stream:7")
        on_streams = self.js(
            "return timeline.lanes.filter((l) => timeline.head.tracks[l.track].name === 'stream 7')"
            ".reduce((sum, l) => sum + l.end - l.begin, 0)")
        self.assertEqual(launched, on_streams)
        for other in ("stream:70", "stream:1", "rank:1", "gpu:7"):
            self.assertEqual(self.found(other)[0], 0, other)

    def test_an_operator_has_its_kernels(self):
        ops, _ = self.found("op=aten::addmm")
        kernels, _ = self.found("op=aten::addmm kind:kernels")
        self.assertGreater(kernels, 0)
        self.assertGreater(ops, kernels)

    def test_a_field_that_there_is_not_is_said(self):
        self.assertIn("no field “bogus”", self.found("bogus:3")[1])
        self.assertNotIn("no field", self.found("aten::add_")[1])


class EvidenceTest(ViewsCase):
    def test_the_link_to_the_timeline_is_in_view(self):
        for width in (800, 1400, 2000):
            self.driver.cdp("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
            hidden = self.js(
                "for (const box of document.querySelectorAll('details.finding')) box.open = true;"
                "const rows = [...document.querySelectorAll('[data-interval]')];"
                "return [rows.length, rows.filter((row) => { const box = row.cells[0].getBoundingClientRect();"
                "  const frame = row.closest('.scroll').getBoundingClientRect();"
                "  return !row.cells[0].querySelector('button') || box.right > frame.right; }).length,"
                "  rows.filter((row) => row.cells.length !== row.closest('table').tHead.rows[0].cells.length).length]")
            self.assertGreater(hidden[0], 0)
            self.assertEqual(hidden[1:], [0, 0], width)
        self.driver.cdp("Emulation.clearDeviceMetricsOverride")


class SavingTest(ViewsCase):
    def test_what_saves_nothing_says_so_and_is_not_first(self):
        page = Run.samples / "ddp.html"
        subprocess.run([Run.profgauge, "report", Run.source / "ddp",
                        "-q", "--timeline", "off", "--html", page], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.driver.open(page.as_uri())
        self.driver.wait("document.documentElement.dataset.tables === 'ready'", "the tables")
        gains = self.js("return [...document.querySelectorAll('.finding .gain')].map((one) => one.textContent)")
        idle = [gain for gain in gains if "saves nothing" in gain]
        self.assertTrue(idle)
        self.assertFalse([gain for gain in gains if "saves 0" in gain])
        planned = self.js("return [...document.querySelectorAll('#plan tbody tr')].map((row) => row.textContent)")
        self.assertFalse([row for row in planned if "Exposed communication" in row])


class PrintTest(ViewsCase):
    def test_findings_stand_open_and_panels_keep_to_themselves(self):
        closed = self.js("for (const box of document.querySelectorAll('details.finding')) box.open = false;"
                         "dispatchEvent(new Event('beforeprint'));"
                         "return document.querySelectorAll('details.finding:not([open])').length")
        self.assertEqual(closed, 0)
        self.driver.cdp("Emulation.setEmulatedMedia", media="print")
        self.driver.cdp("Emulation.setDeviceMetricsOverride", width=700, height=1000, deviceScaleFactor=1, mobile=False)
        over = self.js("return [...document.querySelectorAll('.panel')].filter((p) => p.offsetParent && [...p.querySelectorAll('table, svg')]"
                       ".some((e) => e.getBoundingClientRect().right > p.getBoundingClientRect().right + 1)).map((p) => p.id)")
        # Nor does a cell run into the next.
        cells = self.js("return [...document.querySelectorAll('.evidence td[align], .evidence th, .panel td, .panel th')]"
                        ".filter((cell) => cell.scrollWidth > cell.clientWidth + 1 && getComputedStyle(cell).overflowX !== 'hidden').map((cell) => cell.textContent)")
        shown = self.js("return getComputedStyle(document.getElementById('overview')).display")
        self.driver.cdp("Emulation.clearDeviceMetricsOverride")
        self.driver.cdp("Emulation.setEmulatedMedia", media="")
        opened = self.js("dispatchEvent(new Event('afterprint')); return document.querySelectorAll('details.finding[open]').length")
        self.assertEqual(over, [])
        self.assertEqual(cells, [])
        self.assertEqual(shown, "block")
        self.assertEqual(opened, 0)


    def test_the_picture_of_an_iteration_fits_the_paper(self):
        self.driver.cdp("Emulation.setEmulatedMedia", media="print")
        self.driver.cdp("Emulation.setDeviceMetricsOverride", width=700, height=1000, deviceScaleFactor=1, mobile=False)
        over = self.js("return [...document.querySelectorAll('#strip svg, .falls svg')].filter((svg) => svg.getBoundingClientRect().right > document.documentElement.clientWidth + 1).length")
        self.driver.cdp("Emulation.clearDeviceMetricsOverride")
        self.driver.cdp("Emulation.setEmulatedMedia", media="")
        self.assertEqual(over, 0)


class WholeTablesTest(ViewsCase):
    def test_a_small_page_without_a_timeline_has_all_rows(self):
        page = Run.samples / "plain.html"
        subprocess.run([Run.profgauge, "report", Run.slow, "-q", "--timeline", "off", "--html", page],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.driver.open(page.as_uri())
        self.driver.wait("document.documentElement.dataset.tables === 'ready'", "the tables")
        cut = self.js("return [...grids.values()].filter((g) => g.packed && g.rows.of > g.rows.count).map((g) => g.id)")
        self.assertEqual([table for table in cut if table != "op_tree"], [])
        self.assertLess(page.stat().st_size, 300_000)


class TracksTest(ViewsCase):
    def test_none_goes_on_after_its_data(self):
        ends = self.js("return timeline.counters.map((c) => [c.name, c.end, timeline.valueAt(c, c.end + 1)])")
        last = self.js("return timeline.last")
        self.assertTrue(ends)
        for name, end, value in ends:
            self.assertLessEqual(end, last, name)
            self.assertEqual(value, "", name)
