"""Two people with one link, and hostile names on their way through links, copies, pictures and search."""
import json
import subprocess
import unittest
import urllib.parse

from driver import READY, Driver, Run, page_url
from views_test import ViewsCase

COPIES = "window.copyText = async (text) => { window.copied = text; };"


def open_page(driver, url):
    driver.open(url)
    driver.wait(READY, "the page's scripts")


class TwoPeopleTest(unittest.TestCase):
    """Two browsers that share nothing but the copied link, as two people do."""

    @classmethod
    def setUpClass(cls):
        cls.first, cls.second = Driver(), Driver()

    @classmethod
    def tearDownClass(cls):
        cls.first.close()
        cls.second.close()

    def copied_link(self, *expected):
        for part in expected:
            self.first.wait(f"location.hash.includes('{part}')", part)
        self.first.run(COPIES + "[...document.querySelectorAll('nav button')].find((b) => b.textContent === 'Copy link to this view').click()")
        return self.first.run("return copied")

    def test_the_second_sees_what_the_first_left(self):
        open_page(self.first, page_url("slow.html"))
        self.first.run("""
            const ops = grids.get('ops'), kernels = grids.get('kernels');
            ops.input.value = 'aten, !mm'; ops.input.dispatchEvent(new Event('input'));
            kernels.heads()[kernels.fields().indexOf(kernels.field('calls'))].querySelector('button').click();
            document.getElementById('t-streams').open = true;
            document.querySelector('details.finding[open]').open = false;
            const whole = timeline.last - timeline.first;
            timeline.go(timeline.first + 0.25 * whole, timeline.first + 0.5 * whole);
            timeline.mark(timeline.first + Math.round(0.3 * whole), 'look, <b>here</b> & there');
            timeline.pick(timeline.deviceLanes()[0].begin + 100, false);""")
        link = self.copied_link("t=", "sel=", "m=", "g.ops", "g.kernels", "o=", "c=")
        state = """
            const ops = grids.get('ops'), kernels = grids.get('kernels');
            return {filter: ops.input.value, rows: ops.order.length, sort: [kernels.sortField.id, kernels.descending],
                    open: document.getElementById('t-streams').open, findings: [...document.querySelectorAll('details.finding')].map((box) => box.open),
                    view: timeline.view.map(Math.round), selected: timeline.selected, marks: timeline.marks.map((mark) => [Math.round(mark.time), mark.name]),
                    details: document.querySelector('.details h3').textContent}"""
        left = self.first.run(state)
        open_page(self.second, link)
        seen = self.second.run(state)
        for now, then in zip(seen.pop("view"), left.pop("view")):
            self.assertAlmostEqual(now, then, delta=2)
        self.assertEqual(seen, left)
        self.assertIn(False, left["findings"])
        self.assertEqual(seen["marks"][0][1], "look, <b>here</b> & there")

    def test_rank_and_filter_of_a_job_of_four_ranks(self):
        page = Run.samples / "ddp_link.html"
        subprocess.run([Run.profgauge, "report", Run.source / "ddp", "-q", "--html", page],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        open_page(self.first, page.as_uri())
        self.first.run("""
            const select = document.getElementById('rank-choice');
            select.value = '2'; select.dispatchEvent(new Event('change'));
            grids.get('kernels_by_op').reveal('nccl');""")
        link = self.copied_link("rank=2", "g.kernels_by_op")
        state = """const g = grids.get('kernels_by_op');
            return [document.getElementById('rank-choice').value, g.query, g.order.map((row) => g.rows.text(g.field('name'), row)), timeline.rank]"""
        left = self.first.run(state)
        open_page(self.second, link)
        self.assertEqual(self.second.run(state), left)
        self.assertEqual(left[0], "2")

    def ddp_page(self, driver, tail=""):
        page = Run.samples / "ddp_shown.html"
        if not page.exists():
            subprocess.run([Run.profgauge, "report", Run.source / "ddp", "-q", "--html", page],
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        driver.open("about:blank")
        open_page(driver, page.as_uri() + tail)

    # The choice of ranks still reads "all ranks": the same time of rank 0 holds other work.
    def test_the_rank_that_the_timeline_was_moved_to(self):
        shown = """return [timeline.rank, timeline.range && timeline.range.map(Math.round), timeline.summary$.textContent,
            timeline.units$.textContent, document.getElementById('rank-choice').value]"""
        ways = {
            "a row of a finding": """
                const row = [...document.querySelectorAll('[data-interval]')].find((row) => row.dataset.interval.split(',')[2] > 0);
                row.querySelector('button').click()""",
            "an event": "timeline.pick(timeline.lanes.findLast((lane) => timeline.head.tracks[lane.track].rank === 2).begin)",
            "the timeline alone": "timeline.chooseRank(3)",
            "a box over some lanes": """timeline.chooseRank(2);
                const lane = timeline.deviceLanes()[0];
                timeline.choose(timeline.first, timeline.last, timeline.unitsOf(new Set([lane])))""",
            "another rank than the chosen one": """
                const select = document.getElementById('rank-choice');
                select.value = '1'; select.dispatchEvent(new Event('change'));
                timeline.show(timeline.first + 1e6, timeline.first + 2e6, 0)""",
        }
        for way, script in ways.items():
            with self.subTest(way):
                self.ddp_page(self.first)
                self.first.run(script)
                link = self.copied_link()  # At once: the address need not have followed yet.
                self.first.run("timeline.tellRange()")
                left = self.first.run(shown)
                self.assertEqual(left[0] > 0, left[4] == "", left)
                self.second.open("about:blank")
                open_page(self.second, link)
                self.second.run("timeline.tellRange()")
                self.assertEqual(self.second.run(shown), left)
                self.first.wait("location.hash.includes('of=')", "the address")

    def test_columns_and_the_tree_of_a_rank(self):
        self.ddp_page(self.first)
        self.first.run("""
            const pick = (id, title) => [...document.querySelectorAll(`#t-${id} .menu label`)].find((l) => l.textContent.trim() === title).click();
            const grid = grids.get('kernels'), extra = grid.fields().find((field) => grid.hidden.has(field.id));
            pick('kernels', extra.title); pick('kernels', grid.shown()[1].title);
            const select = grids.get('op_tree').select$;
            select.selectedIndex = select.options.length - 1; select.dispatchEvent(new Event('change'));""")
        link = self.copied_link("k.kernels", "tree.op_tree")
        state = """return [...grids.values()].map((grid) => [grid.id, grid.shown().map((field) => field.id), grid.tree,
            [...grid.tools.querySelectorAll('.menu input')].map((box) => box.checked), grid.select$?.value])"""
        left = self.first.run(state)
        self.second.run("localStorage.clear()")
        self.second.open("about:blank")
        open_page(self.second, link)
        self.assertEqual(self.second.run(state), left)
        # They are of the link, not the reader's own from now on.
        self.assertIsNone(self.second.run("return layout.read().columns ?? null"))

    def test_back_returns_to_the_rank(self):
        self.ddp_page(self.first)
        self.first.run("timeline.go(timeline.first, timeline.first + 3e6)")
        self.first.wait("location.hash.includes('t=')", "the address")
        self.first.run("timeline.show(timeline.first + 1e6, timeline.first + 2e6, 3)")
        self.first.wait("location.hash.includes('of=3')", "the address of the rank")
        self.first.run("history.back()")
        self.first.wait("timeline.rank === 0 && timeline.range === null", "the rank before")

    def test_no_lanes_of_another_rank_are_summed(self):
        self.ddp_page(self.first)
        self.first.run("timeline.choose(timeline.first, timeline.last, timeline.units().slice(0, 1)); timeline.chooseRank(3)")
        self.assertIsNone(self.first.run("return timeline.chosenUnits"))

    def test_the_run_and_its_filter_of_several(self):
        open_page(self.first, page_url("runs.html") + "#r2")
        self.first.run("grids.get('ops').reveal('addmm')")
        link = self.copied_link("r2", "g.ops")
        open_page(self.second, link)
        state = "return [document.querySelector('h1').textContent, grids.get('ops').query, grids.get('ops').order.length]"
        self.assertEqual(self.second.run(state), self.first.run(state))
        self.assertEqual(self.second.run(state)[0], "healthy")


class HostileTest(ViewsCase):
    """Names of the profile are text wherever they go."""
    PAGE = "page.html"
    NAME = "</script><img src=x onerror=alert(1)>"

    def setUp(self):
        super().setUp()
        self.js("window.ran = 0; window.alert = () => { ++window.ran; };" + COPIES)

    def assert_nothing_ran(self):
        self.assertEqual(self.js("return [window.ran, document.images.length, document.querySelectorAll('body script:not([type])').length]")[:2], [0, 0])

    def test_in_the_search_over_everything(self):
        self.js("const box = document.getElementById('search-all'); box.value = arguments[0]; box.dispatchEvent(new Event('input'))", self.NAME)
        self.driver.wait("!document.querySelector('.hits').hidden", "the hits")
        hits = self.js("return [...document.querySelectorAll('.hits li')].map((li) => li.textContent)")
        self.assertTrue(any("<img src=x" in hit for hit in hits), hits)
        self.assert_nothing_ran()
        self.js("document.querySelector('.hits button').click()")
        self.driver.wait("[...grids.values()].some((grid) => grid.query.includes('img'))", "its filter")
        self.assert_nothing_ran()

    def test_in_the_address_and_a_copied_link(self):
        self.js("grids.get('ops').reveal(quote(arguments[0]))", self.NAME)
        self.driver.wait("location.hash.includes('g.ops')", "the address")
        self.js("[...document.querySelectorAll('nav button')].find((b) => b.textContent === 'Copy link to this view').click()")
        link = self.js("return copied")
        self.assertFalse(set("<> \"") & set(link), link)
        self.assertIn("onerror", urllib.parse.unquote(urllib.parse.unquote(link)))
        rows = self.js("return grids.get('ops').order.length")
        self.driver.open("about:blank")
        self.driver.open(link)
        self.driver.wait(READY, "the page's scripts")
        self.assertEqual(self.js("return grids.get('ops').order.length"), rows)
        self.assertIn(self.NAME, self.js("return grids.get('ops').input.value"))
        self.assertEqual(self.js("return document.images.length"), 0)

    def test_in_copied_rows(self):
        for name in ("Copy", "Markdown"):
            self.js("const g = grids.get('ops'); g.filter(quote(arguments[0]));"
                    "[...g.tools.querySelectorAll('button')].find((b) => b.textContent === arguments[1]).click()", self.NAME, name)
            self.assertIn("img src=x", self.js("return copied"), name)
        # In Markdown it must not become an element of the page that shows it.
        self.assertNotIn("<img", self.js("return copied"))
        self.assert_nothing_ran()

    def test_in_a_picture(self):
        self.driver.log("performance")  # What came before.
        self.js("""
            const text = document.createElementNS('http://www.w3.org/2000/svg', 'text');
            text.textContent = arguments[0];
            document.querySelector('figure svg').append(text);""", self.NAME)
        size = self.js("""return new Promise((done) => {
            window.copyPicture = (canvas) => done(canvas.width);
            document.querySelector('.picture').click();
        })""")
        self.assertGreater(size, 100)
        self.assert_nothing_ran()
        sent = [entry["message"] for entry in self.driver.log("performance") if "requestWillBeSent" in entry["message"]]
        self.assertEqual([message for message in sent if '"url":"http' in message], [])


class LeavingTest(ViewsCase):
    """What leads out of the page, and what puts a layout back."""

    def test_a_view_is_saved_as_events_where_no_window_opens(self):
        saved = self.js("""
            window.open = () => null;
            window.save = (name, text, type) => { window.saved = [name, text]; };
            const whole = timeline.last - timeline.first;
            timeline.go(timeline.first, timeline.first + 0.1 * whole);
            timeline.openPerfetto();
            return new Promise((done) => setTimeout(() => done(window.saved && [saved[0], saved[1].length]), 300))""")
        self.assertIsNotNone(saved)

    def test_reset_of_the_panels_is_undone(self):
        order = "return [...document.querySelectorAll('.panels > .panel')].map((panel) => [panel.id, panel.hidden])"
        self.js("document.querySelector('.panels [aria-label^=\"Hide\"]').click()")
        before = self.js(order)
        self.js("[...document.querySelector('.panels').previousElementSibling.querySelectorAll('button')].find((b) => b.textContent === 'Reset').click()")
        self.assertNotEqual(self.js(order), before)
        self.js("document.querySelector('.undo button')?.click()")
        self.assertEqual(self.js(order), before)

    def test_a_reset_layout_comes_back(self):
        self.js("document.querySelector('.panels [aria-label^=\"Hide\"]').click();"
                "const box = document.getElementById('t-streams'); box.open = !box.open;")
        self.driver.wait("JSON.parse(localStorage.profgauge).open !== undefined", "the kept layout")
        kept = self.js("return JSON.parse(localStorage.profgauge)")
        self.js("document.documentElement.dataset.tables = '';"
                "[...document.querySelectorAll('nav .narrow button')].find((b) => b.title === 'Reset the layout').click()")
        self.driver.wait(READY, "the page anew")
        self.assertNotEqual(self.js("return JSON.parse(localStorage.profgauge)"), kept)
        self.js("document.documentElement.dataset.tables = ''; document.querySelector('.undo button').click()")
        self.driver.wait(READY, "the page as it was")
        self.assertEqual(self.js("return JSON.parse(localStorage.profgauge).panels"), kept["panels"])
        self.assertEqual(self.js("return JSON.parse(localStorage.profgauge).open['t-streams']"), kept["open"]["t-streams"])

    def test_a_deleted_layout_comes_back(self):
        names = self.js("""
            const name = document.querySelector('[aria-label="Layout name"]'), tools = name.parentElement;
            const names = () => [...tools.querySelectorAll('option')].map((option) => option.value).filter(Boolean), seen = [];
            const press = (text) => { [...tools.querySelectorAll('button')].find((b) => b.textContent === text).click(); seen.push(names()); };
            name.value = 'mine'; press('Save as'); press('Delete');
            document.querySelector('.undo button').click(); seen.push(names());
            return seen""")
        self.assertEqual(names, [["mine"], [], ["mine"]])
        self.js("localStorage.removeItem('profgauge-layouts')")

    def test_all_and_fit_frame_the_profile_and_the_selection(self):
        views = self.js("""
            const press = (text) => [...document.querySelectorAll('#timeline-section .tools > button')].find((b) => b.textContent === text).click();
            const whole = timeline.last - timeline.first;
            timeline.choose(timeline.first + 0.2 * whole, timeline.first + 0.3 * whole);
            press('Fit'); const fit = [...timeline.view];
            press('All'); return [fit, timeline.view, [timeline.first, timeline.last], timeline.range]""")
        fit, everything, ends, chosen = views
        self.assertEqual([round(time) for time in everything], [round(time) for time in ends])
        self.assertLessEqual(fit[0], chosen[0])
        self.assertGreaterEqual(fit[1], chosen[1])
        self.assertLess(fit[1] - fit[0], 2 * (chosen[1] - chosen[0]))

    def test_an_event_and_the_id_of_a_rule_are_copied(self):
        self.js(COPIES + "timeline.pick(timeline.deviceLanes()[0].begin + 100, true);"
                "[...document.querySelectorAll('.details button')].find((b) => b.textContent === 'Copy as JSON').click()")
        event = json.loads(self.js("return copied"))
        self.assertIn(self.js("return document.querySelector('.details h3').textContent"), json.dumps(event))
        rule = self.js("document.querySelector('code.copy + button').click(); return copied")
        self.assertRegex(rule, r"^[a-z]+/[a-z-]+$")

    def test_arrows_walk_the_hits_and_escape_closes_them(self):
        self.js("const box = document.getElementById('search-all'); box.focus(); box.value = 'aten'; box.dispatchEvent(new Event('input'))")
        self.driver.wait("!document.querySelector('.hits').hidden", "the hits")
        self.driver.keys("\ue015\ue015")
        at = "return [...document.querySelectorAll('.hits button')].indexOf(document.activeElement)"
        self.assertEqual(self.js(at), 1)
        self.driver.keys("\ue013")
        self.assertEqual(self.js(at), 0)
        self.driver.keys("\ue00c")
        self.assertTrue(self.js("return document.querySelector('.hits').hidden"))
        self.assertEqual(self.js("return document.activeElement.id"), "search-all")
