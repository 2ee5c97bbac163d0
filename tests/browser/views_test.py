"""The views as a reader uses them: trees, memory, panels, drill-down, CSV, accessibility."""
import json
import os
import pathlib
import tempfile
import time
import unittest

from driver import READY, Driver, Run, page_url


class ViewsCase(unittest.TestCase):
    PAGE = "slow.html"

    @classmethod
    def setUpClass(cls):
        cls.driver = Driver()

    @classmethod
    def tearDownClass(cls):
        cls.driver.close()

    def setUp(self):
        self.driver.open("about:blank")
        self.driver.open(page_url(self.PAGE))
        self.driver.run("localStorage.clear()")
        self.driver.open("about:blank")
        self.driver.open(page_url(self.PAGE))
        self.driver.wait(READY, "the page's scripts")

    def js(self, script, *arguments):
        return self.driver.run(script, *arguments)

    def leads(self):
        return self.js("return [...dialog.querySelectorAll('.tools button')].map((b) => b.textContent)")

    def click_lead(self, start):
        self.js("[...dialog.querySelectorAll('.tools button')].find((b) => b.textContent.startsWith(arguments[0])).click()", start)


class OpeningTest(ViewsCase):
    PAGE = "later.html"

    def test_the_timeline_opens_on_the_iterations_that_were_judged(self):
        first, last = self.js("return [timeline.first, timeline.last]")
        begin, end = self.js("return timeline.view")
        start = self.js("return Math.min(...timeline.findRegions('iterations').map((region) => region[1]))")
        self.assertGreater(begin, first + 0.4 * (last - first))
        self.assertLess(begin, start)
        self.assertEqual(end, last)
        self.assertEqual(self.js("return location.hash"), "")


class DrillDownTest(ViewsCase):
    def test_from_an_op_to_its_kernels_to_their_launches_in_an_iteration_to_the_timeline(self):
        self.js("openRow(grids.get('ops'), grids.get('ops').order[0])")
        name = self.js("return grids.get('ops').rows.text(grids.get('ops').field('name'), grids.get('ops').order[0])")
        self.click_lead("→ Kernels by operator and launch configuration")
        rows = self.js("const g = grids.get('kernels_by_op');"
                       "return g.order.map((row) => g.rows.text(g.field('op'), row))")
        self.assertTrue(rows)
        self.assertEqual(set(rows), {name})
        self.js("const g = grids.get('iterations'); openRow(g, g.order[1])")
        self.click_lead("→ Operators by iteration")
        self.js("const g = grids.get('ops_by_iteration'); openRow(g, g.order[0])")
        self.click_lead("→ Launches")
        launches = self.js("const g = grids.get('launches');"
                           "return g.order.map((row) => g.rows.value(g.field('iteration'), row))")
        self.assertTrue(launches)
        self.assertEqual(set(launches), {1})
        self.js("const g = grids.get('launches'); openRow(g, g.order[0])")
        start = self.js("const g = grids.get('launches'); return g.rows.value(g.field('start'), g.order[0])")
        self.click_lead("→ Timeline")
        view = self.js("return timeline.view")
        self.assertLess(view[0], start)
        self.assertGreater(view[1], start)
        self.assertLess(view[1] - view[0], 0.1 * self.js("return timeline.last - timeline.first"))

    def test_a_lead_is_there_only_where_it_leads_somewhere(self):
        self.js("const g = grids.get('kernels'); openRow(g, g.order[0])")
        for lead in self.leads():
            self.assertNotIn("(0)", lead)

    def test_csv_is_saved(self):
        with tempfile.TemporaryDirectory() as folder:
            self.driver.cdp("Browser.setDownloadBehavior", behavior="allow", downloadPath=folder)
            self.js("[...grids.get('kernels').tools.querySelectorAll('button')].find((b) => b.textContent === 'CSV').click()")
            path = pathlib.Path(folder) / "kernels.csv"
            for _ in range(100):
                if path.exists() and path.stat().st_size:
                    break
                time.sleep(0.05)
            lines = path.read_text().splitlines()
        self.assertTrue(lines[0].startswith("Kernel,"))
        self.assertEqual(len(lines) - 1, self.js("return grids.get('kernels').rows.count"))

    def test_copy_goes_to_the_clipboard(self):
        self.js("window.copied = ''; navigator.clipboard.writeText = async (text) => { window.copied = text; };"
                "[...grids.get('gpus').tools.querySelectorAll('button')].find((b) => b.textContent === 'Copy').click()")
        self.driver.wait("window.copied.includes('\\t')", "the copy")


class TreeTest(ViewsCase):
    def tree(self, script):
        return self.js("const g = grids.get('op_tree'); " + script)

    def test_rows_open_and_close(self):
        self.tree("for (let at = g.table; at; at = at.parentElement) if (at.tagName === 'DETAILS') at.open = true;"
                  "g.open.clear(); g.apply()")
        closed = self.tree("return g.order.length")
        self.tree("g.table.querySelector('.twist').click()")
        self.assertGreater(self.tree("return g.order.length"), closed)
        self.assertEqual(self.tree("return g.table.querySelector('button.twist').ariaExpanded"), "true")
        self.tree("g.table.querySelector('.twist').click()")
        self.assertEqual(self.tree("return g.order.length"), closed)

    def test_keys_open_and_close(self):
        self.tree("document.getElementById('t-op_tree').open = true; g.open.clear(); g.apply(); g.scroller.focus()")
        closed = self.tree("return g.order.length")
        self.driver.keys("\ue015\ue014")  # down, right
        self.assertGreater(self.tree("return g.order.length"), closed)
        self.driver.keys("\ue012")  # left
        self.assertEqual(self.tree("return g.order.length"), closed)

    def test_a_filter_shows_matches_and_what_they_lie_in(self):
        shown = self.tree("g.filter('kind=kernel'); return g.order.map((row) => [g.depths[row], g.rows.text(g.field('kind'), row)])")
        self.assertEqual(shown[0][0], 0)
        self.assertIn("kernel", [kind for _, kind in shown])
        depth = -1
        for at, _ in shown:
            self.assertLessEqual(at, depth + 1, "no row without the one around it")
            depth = at

    def test_an_iteration_leads_to_its_tree(self):
        trees = self.tree("return [...g.trees.keys()]")
        self.assertGreater(len(trees), 1)
        self.js("const g = grids.get('iterations'); openRow(g, g.order[2])")
        self.click_lead("→ Operator tree")
        self.assertTrue(self.tree("return g.tree").startswith("iteration 2,"))
        own = self.tree("return g.order.every((row) => g.treeOf(row) === g.tree)")
        self.assertTrue(own)

    def test_times_of_rows_are_within_the_row_around_them(self):
        wrong = self.tree("""const time = g.field('device_total'), wrong = [];
            g.children.forEach((rows, above) => {
              const sum = rows.reduce((total, row) => total + g.rows.value(time, row), 0);
              if (sum > g.rows.value(time, above)) wrong.push(above);
            });
            return wrong;""")
        self.assertEqual(wrong, [])


class FilterTest(ViewsCase):
    def rows(self, query):
        return self.js("const g = grids.get('ops'); g.filter(arguments[0]);"
                       "return g.order.map((row) => g.rows.text(g.field('name'), row)).sort()", query)

    def test_a_column_is_named_by_its_title_or_its_id(self):
        by_id = self.rows("host_self>100us")
        self.assertTrue(by_id)
        self.assertLess(len(by_id), len(self.rows("")))
        self.assertEqual(self.rows("Host self > 100 us"), by_id)
        self.assertEqual(self.rows("host SELF>0.1ms"), by_id)
        self.assertEqual(self.rows("!Host self<=100us"), by_id)

    def test_yes_and_no_in_every_spelling(self):
        eligible = self.rows("tensor_core_eligible=yes")
        self.assertTrue(eligible)
        for query in ("Eligible=1", "eligible:true", "Eligible:YES", "!Eligible=0", "!eligible=no"):
            self.assertEqual(self.rows(query), eligible, query)

    def test_a_name_with_colons_is_a_word_and_a_strange_column_is_said(self):
        self.assertTrue(self.rows("aten::"))
        self.assertEqual(self.js("return grids.get('ops').status.textContent.includes('no column')"), False)
        self.rows("bogus>3")
        self.assertIn("no column “bogus”", self.js("return grids.get('ops').status.textContent"))

    def test_the_example_is_of_the_table(self):
        shown = self.js("const g = grids.get('ops'); return [g.input.placeholder, g.shown().find((f) => f.unit === 'ns').title]")
        self.assertIn(shown[1] + " > 5 ms", shown[0])


class LegendTest(ViewsCase):
    def test_a_series_goes_and_comes_back(self):
        count = "return document.querySelectorAll('#iterations figure > svg .off').length"
        self.assertEqual(self.js(count), 0)
        self.js("document.querySelector('#iterations .legend button').click()")
        self.assertGreater(self.js(count), 0)
        self.assertEqual(self.js("return document.querySelector('#iterations .legend button').ariaPressed"), "false")
        self.js("document.querySelector('#iterations .legend button').click()")
        self.assertEqual(self.js(count), 0)


class SidebarTest(ViewsCase):
    def test_it_leads_to_the_timeline_and_tells_where_one_is(self):
        self.assertEqual(self.js("return [...document.querySelectorAll('nav.side a')].find((a) => a.textContent === 'Timeline').hash"),
                         "#timeline-section")
        order = self.js("return [...document.querySelectorAll('main > section')].map((s) => s.id)")
        self.assertLess(order.index("findings"), order.index("timeline-section"))
        self.assertLess(order.index("timeline-section"), order.index("tables"))
        self.js("document.querySelector('#dashboard').scrollIntoView()")
        self.driver.wait("document.querySelector('nav.side [aria-current]')?.hash === '#dashboard'", "the mark")


class PanelsTest(ViewsCase):
    def order(self):
        return self.js("return [...document.querySelectorAll('.panel')].filter((p) => !p.hidden).map((p) => p.id)")

    def test_moved_and_hidden_panels_stay_so(self):
        first = self.order()
        self.js("document.querySelector('#p-resources .arrange button').click()")
        self.js("document.querySelector('#p-resources .arrange button').click()")
        self.js("document.querySelector('#p-summary [aria-label^=Hide]').click()")
        want = ["p-resources"] + [p for p in first if p not in ("p-resources", "p-summary")]
        self.assertEqual(self.order(), want)
        self.driver.open(page_url(self.PAGE))
        self.driver.wait(READY, "the page")
        self.assertEqual(self.order(), want)
        self.js("[...document.querySelectorAll('#dashboard .tools button')].find((b) => b.textContent === 'Reset').click()")
        self.assertEqual(self.order(), first)

    def test_by_keyboard(self):
        first = self.order()
        self.js("document.querySelectorAll('#p-utilization .arrange button')[1].focus()")
        self.driver.keys("\ue007")
        self.assertEqual(self.order()[:2], [first[1], first[0]])
        self.assertEqual(self.js("return document.activeElement.ariaLabel"), "Move later: GPU utilization")

    def test_works_where_the_browser_refuses_storage(self):
        driver = Driver()
        try:
            driver.cdp("Page.addScriptToEvaluateOnNewDocument", source=
                       "Object.defineProperty(window, 'localStorage', {get() { throw new DOMException('no', 'SecurityError'); }});")
            driver.open(page_url(self.PAGE))
            driver.wait(READY, "the page")
            driver.run("document.querySelector('#p-summary .arrange button').click()")
            self.assertEqual(driver.run("return document.querySelector('.panel').id"), "p-summary")
            driver.run("document.querySelectorAll('#t-kernels .menu input')[1].click()")
            self.assertTrue(driver.run("return grids.get('kernels').heads()[1].hidden"))
            self.assertEqual(driver.log("browser"), [])
        finally:
            driver.close()


class SampleViewsTest(ViewsCase):
    PAGE = "page.html"

    def test_memory_chart_stands_beside_its_table(self):
        self.assertEqual(self.js("return document.querySelectorAll('figure.memory svg[role=img]').length"), 2)
        label = self.js("return document.querySelector('figure.memory svg').getAttribute('aria-label')")
        self.assertIn("at most 1.06\u202fGB allocated", label)
        self.assertGreater(self.js("return grids.get('memory_curve').rows.count"), 100)

    def test_modules_are_a_tree(self):
        self.assertEqual(self.js("const g = grids.get('modules'); g.open.clear(); g.apply();"
                                 "return g.order.map((row) => g.rows.text(g.field('name'), row))"), ["Net_0"])
        self.js("const g = grids.get('modules'); g.children.forEach((list, row) => g.open.add(row)); g.apply()")
        names = self.js("const g = grids.get('modules'); return g.order.map((row) => g.rows.text(g.field('name'), row))")
        self.assertEqual(names[:3], ["Net_0", "Layer_0", "Linear_0"])
        self.js("const g = grids.get('modules'); g.sortField = g.field('device_total'); g.descending = true; g.apply()")
        names = self.js("const g = grids.get('modules'); return g.order.map((row) => g.rows.text(g.field('name'), row))")
        self.assertEqual(names[:3], ["Net_0", "Layer_2", "Linear_2"], "siblings are sorted, the tree stays")

    def test_hostile_names_lead_to_themselves(self):
        for row in range(9):
            name, count = self.js("""const g = grids.get('kernels'), name = g.rows.value(g.field('name'), arguments[0]);
                return [name, g.matching('name=' + quote(name)).length];""", row)
            self.assertEqual(count, 1, repr(name)[:80])


# The page of a trend has no scripts.
STARTED = "document.documentElement.dataset.tables === 'ready' || document.readyState === 'complete' && !document.scripts.length"


class WidthTest(unittest.TestCase):
    """At no width does anything, opened menus included, leave the page to the side."""

    def test_nothing_leaves_the_page(self):
        driver = Driver()
        try:
            for name in ("slow.html", "healthy.html", "trn2.html", "compare.html", "trend.html"):
                for width in (1400, 1000, 640, 390):
                    driver.cdp("Emulation.setDeviceMetricsOverride", width=width, height=900,
                               deviceScaleFactor=1, mobile=False)
                    driver.open(page_url(name))
                    driver.wait(STARTED, "the page")
                    driver.run("for (const box of document.querySelectorAll('details')) box.open = true;"
                               "if (document.scripts.length) for (const grid of grids.values()) grid.apply();")
                    over = driver.run("return new Promise((done) => requestAnimationFrame(() => setTimeout("
                                      "() => done(document.documentElement.scrollWidth - innerWidth), 100)))")
                    self.assertLessEqual(over, 0, f"{name} at {width} px")
        finally:
            driver.close()


class AxeTest(unittest.TestCase):
    """axe-core's rules, everything opened, light and dark, also at 200 % and 400 px: no finding."""

    PAGES = ("slow.html", "healthy.html", "trn2.html", "runs.html", "compare.html", "trend.html")
    WINDOWS = ((1280, 1), (640, 2), (400, 1))  # Width in CSS pixels and zoom.

    def test_no_finding(self):
        if Run.axe is None:
            self.skipTest("--axe was not given")
        for dark in (False, True):
            driver = Driver(dark=dark)
            try:
                for name in self.PAGES:
                    for width, zoom in self.WINDOWS:
                        driver.cdp("Emulation.setDeviceMetricsOverride", width=width, height=900,
                                   deviceScaleFactor=zoom, mobile=False)
                        driver.open(page_url(name))
                        driver.wait(STARTED, "the page")
                        with self.subTest(page=name, width=width, dark=dark):
                            self.assertEqual(self.findings(driver), [])
            finally:
                driver.close()

    def findings(self, driver):
        driver.run("for (const box of document.querySelectorAll('details')) box.open = true;"
                   "if (document.scripts.length) for (const grid of grids.values()) grid.apply();" + Run.axe + ";window.axe = axe;")
        return driver.call("POST", "/execute/async", {"args": [], "script":
            "const done = arguments[0]; axe.run(document, {resultTypes: ['violations']}).then((r) =>"
            "done(r.violations.map((v) => [v.impact, v.id, v.nodes.map((n) => n.target.join(' ')).slice(0, 4)])));"})
