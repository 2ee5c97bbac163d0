"""Several runs in one page: choosing one, comparing two, with and without scripts."""
import time
import unittest

from driver import JENKINS, READY, Driver, Run, Server, page_url

TABLES = "document.documentElement.dataset.tables === 'ready'"
PARTS = "[...document.querySelectorAll('.part')].map((part) => part.id)"


class RunsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.driver = Driver()

    @classmethod
    def tearDownClass(cls):
        cls.driver.close()

    def setUp(self):
        self.open("#r1")

    def open(self, address):
        self.driver.open("about:blank")
        self.driver.open(page_url("runs.html") + address)
        self.ready(READY if address[1:2] == "r" else TABLES)

    def ready(self, what=READY):
        self.driver.wait(what, "the page's scripts")

    def js(self, script, *arguments):
        return self.driver.run(script, *arguments)

    def choose(self, script, part):
        self.js(script)
        self.driver.wait(f"{TABLES} && document.querySelector('.part')?.id === '{part}' && "
                         "document.querySelectorAll('.part').length === 1", part)

    def click(self, selector, part):
        self.choose(f"document.querySelector('{selector}').click()", part)

    def title(self):
        return self.js("return document.querySelector('h1').textContent")

    def test_the_first_run_is_shown_as_a_page_of_its_own(self):
        self.assertEqual(self.js("return " + PARTS), ["r1"])
        self.assertEqual(self.title(), "slow")
        self.assertEqual(self.js("return document.title"), "✗ fail · slow · profgauge")
        self.assertTrue(self.js("return document.getElementById('breakdown') !== null"))
        self.assertEqual(self.js("return document.querySelector('[id^=\"r1-\"], [href^=\"#r1-\"]')"), None)
        self.assertEqual([entry["message"] for entry in self.driver.log("browser")], [])

    def test_it_opens_on_all_runs(self):
        self.open("")
        self.assertEqual(self.js("return " + PARTS), ["m1"])
        rows = self.js("return [...document.querySelectorAll('#breakdowns tbody tr')].map((row) => row.textContent)")
        self.assertEqual(len(rows), 3)
        for row, verdict, name, change in zip(rows, ("fail", "pass", "fail"), ("slow", "healthy", "again"), ("", "slower", "no change")):
            for part in (verdict, name, change, " ms"):
                self.assertIn(part, row.replace("\u202f", " "))

    def test_every_panel_follows_the_chosen_run(self):
        def facts():
            return self.js("return [grids.get('kernels').rows.count, timeline.count,"
                           "document.querySelector('#breakdown tbody').textContent,"
                           "document.querySelector('.facts').textContent]")
        first = facts()
        self.click('.runs a[href="#r2"]', "r2")
        self.assertEqual(self.title(), "healthy")
        second = facts()
        for one, other in zip(first[2:], second[2:]):
            self.assertNotEqual(one, other)
        self.driver.open("about:blank")
        self.driver.open(page_url("healthy.html"))
        self.ready()
        self.assertEqual(facts(), second)  # what the run's own page shows

    def test_the_address_keeps_run_and_place(self):
        self.click('.runs a[href="#r2"]', "r2")
        self.js("document.querySelector('.side a[href=\"#iterations\"]').click()")
        self.driver.wait("location.hash === '#r2-iterations'", "the address")
        self.js("location.reload()")
        self.ready()
        self.assertEqual(self.js("return " + PARTS), ["r2"])
        self.assertGreater(self.js("return scrollY"), 200)
        # Another run is read where this one was.
        self.driver.wait("document.querySelector('.side a[aria-current]')?.hash === '#iterations'", "the place")
        self.choose("const s = document.getElementById('run-choice'); s.value = 'r3'; s.dispatchEvent(new Event('change'))", "r3")
        self.assertEqual(self.js("return location.hash"), "#r3-iterations")
        self.choose("history.back()", "r2")

    def test_a_view_of_the_timeline_stays_with_its_run(self):
        self.open("#r2")
        self.js("timeline.show(timeline.first, timeline.first + 5e6, null)")
        self.driver.wait("location.hash.startsWith('#r2-t=')", "the address of the view")
        view = self.js("return timeline.view")
        self.js("location.reload()")
        self.ready()
        self.driver.wait("window.timeline", "the timeline")
        self.assertEqual(self.js("return " + PARTS), ["r2"])
        for now, before in zip(self.js("return timeline.view"), view):
            self.assertAlmostEqual(now, before, delta=2)

    def test_any_two_are_compared(self):
        self.js("document.querySelector('.runs summary').click()")
        links = self.js("return [...document.querySelectorAll('.runs td a')].map((a) => [a.title, a.hash, a.textContent])")
        self.assertEqual([link[:2] for link in links],
                         [["healthy against slow", "#p1"], ["again against slow", "#p2"],
                          ["again against healthy", "#p3"]])
        self.assertIn("±0", links[1][2])
        self.click('.runs a[href="#p1"]', "p1")
        self.assertEqual(self.title(), "healthy against slow")
        self.assertIn("Iteration time change by part",
                      self.js("return document.getElementById('main').textContent"))
        self.click('.runs a[href="#m1"]', "m1")
        heads = self.js("return [...document.querySelectorAll('#metrics thead th')].map((th) => th.textContent.trim())")
        self.assertEqual(len(heads), 4)
        self.assertEqual(self.js("return document.querySelectorAll('#breakdowns .bar').length"), 3)
        self.click('.runs a[href="#r1"]', "r1")

    def test_keyboard_chooses(self):
        self.js("document.querySelector('.runs a[href=\"#r3\"]').focus()")
        self.choose("return 0", "r1")
        self.driver.keys("\ue007")  # Enter
        self.driver.wait(f"{TABLES} && document.querySelector('.part').id === 'r3'", "the third run")

    def test_two_recordings_are_walked_down_and_stand_on_one_axis(self):
        self.driver.open("about:blank")
        self.driver.open(page_url("compare.html"))
        self.ready()
        self.driver.wait("!!window.timeline && grids.has('tree_change')", "both")
        heads = self.js("return [...document.querySelectorAll('#t-tree_change thead th')].map((th) => th.dataset.id)")
        self.assertEqual(heads[:3], ["name", "change", "device_change"])
        shown = "grids.get('tree_change').arranged().length"
        before = self.js(f"return {shown}")
        self.js("[...document.querySelectorAll('#t-tree_change button')].find((b) => b.textContent === 'Collapse all').click()")
        closed = self.js(f"return {shown}")
        self.js("[...document.querySelectorAll('#t-tree_change button')].find((b) => b.textContent === 'Expand all').click()")
        opened = self.js(f"return {shown}")
        self.assertLess(closed, before)
        self.assertGreater(opened, before)
        groups = self.js("return [...new Set(timeline.head.tracks.map((track) => track.group))]")
        for run in ("base · ", "this run · "):
            self.assertTrue(any(group.startswith(run) for group in groups), groups)
        self.assertEqual([entry["message"] for entry in self.driver.log("browser")], [])

    def test_accessibility(self):
        for address in ("#r2", "#p1", "#m1"):
            self.open(address)
            self.js("document.querySelector('.runs .menu').open = true")
            if Run.axe:
                self.js(Run.axe)
                found = self.driver.call("POST", "/execute/async", {"script": """
                    const done = arguments[0];
                    axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa']}).then((result) =>
                      done(result.violations.filter((v) => ['serious', 'critical'].includes(v.impact))
                        .map((v) => [v.id, v.nodes[0].html])));""", "args": []})
                self.assertEqual(found, [], address)
            self.driver.shot(f"runs-{address[1:]}")


class WithoutScriptsTest(unittest.TestCase):
    """Where no script runs, all runs and comparisons stand below each other."""

    def check(self, driver):
        def js(script):
            return driver.cdp("Runtime.evaluate", returnByValue=True, expression=script)["result"].get("value")
        shown = js("[...document.querySelectorAll('.part')].filter((p) => p.offsetHeight > 300).map((p) => p.id)")
        self.assertEqual(shown, ["m1", "r1", "r2", "r3", "p1", "p2", "p3"])
        lost = js("[...document.querySelectorAll('a[href^=\"#\"]')].filter((a) => !document.getElementById(a.hash.slice(1))).map((a) => a.hash)")
        self.assertEqual(lost, [])
        js("document.querySelector('.runs a[href=\"#r2\"]').click()")
        for _ in range(100):
            top = js("document.getElementById('r2').getBoundingClientRect().top")
            if abs(top) < 150:
                break
            time.sleep(0.05)
        self.assertLess(abs(top), 150)

    def test_scripts_are_off(self):
        driver = Driver(javascript=False)
        try:
            driver.open(page_url("runs.html"))
            self.check(driver)
        finally:
            driver.close()

    def test_a_policy_forbids_scripts(self):
        driver, server = Driver(), Server(JENKINS)
        try:
            driver.open(f"{server.url}/runs/index.html")
            self.check(driver)
        finally:
            driver.close()
            server.close()
