"""Charts and the reader's choices around them: legends, ranks, ranges of memory, colours, layout."""
import json
import subprocess

from driver import Run
from views_test import ViewsCase


class SwitchesTest(ViewsCase):
    def off(self, box):
        return self.js("return document.querySelectorAll(arguments[0] + ' svg:not(.swatch) .off').length", box)

    def click(self, box):
        self.js("document.querySelector(arguments[0] + ' .switch').click()", box)

    def test_legends_of_panels_and_of_the_breakdown_show_and_hide_their_parts(self):
        for box in (".panel:has(.switch)", ".now"):
            with self.subTest(box):
                self.assertEqual(self.off(box), 0)
                self.click(box)
                self.assertGreater(self.off(box), 0)
                self.assertEqual(self.js("return document.querySelector(arguments[0] + ' .switch').ariaPressed", box), "false")
                self.click(box)
                self.assertEqual(self.off(box), 0)

    def test_a_category_leaves_the_timeline(self):
        self.js("timeline.chooseColoring('category')")
        look = ("const t = timeline, lane = t.deviceLanes()[0];"
                "return [t.lookOf(lane.begin, lane)[0], t.category[t.kind[lane.begin]]]")
        before, category = self.js(look)
        self.js("""[...timeline.legend$.querySelectorAll('button')].find((b) =>
            b.textContent === CATEGORIES[arguments[0]][1]).click()""", category)
        self.assertEqual(self.js(look)[0], "#0000")
        self.js("timeline.legend$.querySelector('[aria-pressed=false]').click()")
        self.assertEqual(self.js(look)[0], before)

    def test_the_programs_own_colours(self):
        self.assertNotIn("painted", self.js("return timeline.colorings().map(([id]) => id)"))
        self.js("timeline.head.kinds[0][2] = 'domain Forward, color #12ab34, payload 3'; timeline.chooseColoring('painted')")
        self.assertEqual(self.js("return timeline.looks[0][0]"), "#12ab34")
        self.assertNotEqual(self.js("return timeline.looks[1][0]"), "#12ab34")


class CodeTest(ViewsCase):
    PAGE = "trn2.html"

    def test_lines_of_source_stand_beside_the_lanes_and_go_back(self):
        inside = "return timeline.stage$.contains(document.getElementById('t-source_lines'))"
        width = self.js("return timeline.width")
        button = "[...document.querySelectorAll('#timeline-section .tools button')].find((b) => b.textContent === 'Code').click()"
        self.js(button)
        self.assertTrue(self.js(inside))
        self.assertLess(self.js("return timeline.width"), 0.8 * width)
        self.js(button)
        self.assertFalse(self.js(inside))
        self.assertEqual(self.js("return timeline.width"), width)


class RankTest(ViewsCase):
    PAGE = "ddp.html"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        subprocess.run([Run.profgauge, "report", Run.source / "ddp", "-q", "--html", Run.examples / cls.PAGE],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def choose(self, rank):
        self.js("const s = document.getElementById('rank-choice'); s.value = arguments[0]; s.dispatchEvent(new Event('change'))", rank)

    def test_every_rank_has_its_iterations(self):
        rows = ("const g = grids.get('iterations'), at = (id, row) => g.rows.value(g.field(id), row);"
                "return g.order.map((row) => [at('index', row), at('duration', row), at('kernels', row)])")
        slowest, seen = self.js(rows), []
        steps = self.js("""const g = grids.get('rank_steps'), at = (id, row) => g.rows.value(g.field(id), row);
            return [...Array(g.rows.count).keys()].map((row) => [at('rank', row), at('duration', row)]);""")
        for rank in sorted({rank for rank, _ in steps}):
            self.choose(rank)
            own = self.js(rows)
            self.assertEqual(sorted(row[1] for row in own), sorted(time for other, time in steps if other == rank))
            self.assertTrue(all(row[2] for row in own), "kernels of each iteration")
            seen += own
        for row in slowest:
            self.assertIn(row, seen, "the slowest rank's own row is among those by rank")
        self.choose("")
        self.assertEqual(self.js(rows), slowest)

    def test_what_stands_for_all_ranks_is_pale(self):
        pale = "return arguments[0].map((id) => document.getElementById(`t-${id}`).classList.contains('stands'))"
        self.choose(1)
        self.assertEqual(self.js(pale, ["ops", "kernels", "iterations", "rank_steps"]), [False] * 4)
        self.assertIn("all ranks", self.js("return document.querySelector('#tables [data-stands]').textContent"))
        self.choose("")
        self.assertEqual(self.js("return document.querySelectorAll('.stands, [data-stands]').length"), 0)


class MemoryTest(ViewsCase):
    PAGE = "page.html"

    def test_values_under_the_pointer_and_the_sum_of_a_range(self):
        self.js("document.querySelector('figure.memory:not(.off)').scrollIntoView({block: 'center'})")
        left, top, width, height = self.js("const b = document.querySelector('figure.memory:not(.off) svg')"
                                           ".getBoundingClientRect(); return [b.left, b.top, b.width, b.height]")
        y = top + height / 2
        self.driver.pointer((left + 0.3 * width, y), (left + 0.3 * width, y), (left + 0.6 * width, y))
        tip = self.js("return document.querySelector('figure.memory:not(.off) .tip').textContent")
        self.assertRegex(tip, r"^at [\d.]+\s.s\nallocated about 1.0\d\sGB\nreserved about 1.20\sGB$")
        said = self.js("return document.querySelector('figure.memory:not(.off) [role=status]').textContent")
        self.assertRegex(said, r"^From [\d.]+\s.s to [\d.]+\s.s")
        self.assertIn("No blocks were recorded.", said)
        self.assertEqual(self.js("return document.querySelectorAll('.band').length"), 1)


class SizesTest(ViewsCase):
    def test_half_sections_stand_side_by_side_and_heights_are_kept(self):
        self.driver.cdp("Emulation.setDeviceMetricsOverride", width=1500, height=900, deviceScaleFactor=1, mobile=False)
        self.js("""document.querySelectorAll('nav details.menu').forEach((menu) => { menu.open = true; });""")
        self.driver.wait("document.querySelectorAll('nav .row').length > 2", "the list of sections")
        for name in ("Limits", "Iterations"):
            self.js("""[...document.querySelectorAll('nav .row button')].find((b) =>
                b.title === 'Half width: ' + arguments[0]).click()""", name)
        boxes = "return ['gate', 'iterations'].map((id) => { const b = document.getElementById(id).getBoundingClientRect(); return [b.left, b.width]; })"
        (left, width), (other, own) = self.js(boxes)
        self.assertNotEqual(left, other)
        self.assertAlmostEqual(width, own, delta=1)
        self.js("timeline.frame$.style.height = '300px'; grids.get('ops').scroller.style.height = '222px'")
        self.driver.wait("(layout.read().heights || {}).timeline === '300px' && layout.read().heights.ops === '222px'", "the heights")
        self.js("location.reload()")
        self.driver.wait("document.documentElement.dataset.timeline === 'ready'", "the page")
        self.driver.wait("timeline.shown <= 300", "the timeline's height")
        self.assertEqual(self.js("return grids.get('ops').scroller.style.height"), "222px")
        self.assertNotEqual(*[box[0] for box in self.js(boxes)])
