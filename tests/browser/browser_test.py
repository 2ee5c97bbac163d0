"""Opens pages in headless Chromium through ChromeDriver and uses them as a reader would.

Needs Debian's chromium and chromium-driver and nothing else; exits 77 (skipped) without
them, under ci/test.sh 1.
  browser_test.py SAMPLE_PAGES_PROGRAM PROFGAUGE EXAMPLES_FOLDER
                  [-k PART_OF_NAME] [--shots FOLDER] [--measure EVENTS] [--axe AXE.MIN.JS]
--shots keeps screenshots to look at; --measure prints times of a large timeline; --axe holds the
pages against axe-core (`npm install axe-core`, for this alone).
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

import charts_test
import extremes_test
import lanes_test
import link_test
import misleading_test
import place_test
import runs_test
import scope_test
import strip_test
import tables_test
import views_test
from driver import JENKINS, PAGE, READY, Driver, Run, Server, page_url


class PageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.driver = Driver()

    @classmethod
    def tearDownClass(cls):
        cls.driver.close()

    def setUp(self):
        self.driver.open("about:blank")
        self.driver.open(page_url())
        self.driver.run("try { localStorage.clear(); } catch {}")
        self.driver.wait(READY,
                         "the page's scripts")

    def run_js(self, script, *arguments):
        return self.driver.run(script, *arguments)

    def test_no_console_message_and_no_request(self):
        self.assertEqual([entry["message"] for entry in self.driver.log("browser")], [])
        urls = []
        for entry in self.driver.log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                urls.append(message["params"]["request"]["url"])
        outside = [url for url in urls if url.startswith(("http", "ws", "ftp"))]
        self.assertEqual(outside, [])

    def test_names_of_the_profile_did_not_run(self):
        self.assertEqual(self.run_js("return document.images.length"), 0)
        self.assertEqual(self.run_js("return grids.get('ops').rows.value(grids.get('ops').fields()[0], 0)"),
                         "</script><img src=x onerror=alert(1)>")

    def test_sort(self):
        def first_calls():
            return self.run_js("const g = grids.get('ops'); return g.order.slice(0, 3).map("
                               "(row) => g.rows.value(g.field('calls'), row))")
        at = self.run_js("const g = grids.get('ops'); return g.fields().indexOf(g.field('calls'))")
        self.run_js("grids.get('ops').heads()[arguments[0]].firstChild.click()", at)
        self.assertEqual(first_calls(), [60, 57, 54])
        self.run_js("grids.get('ops').heads()[arguments[0]].firstChild.click()", at)
        self.assertEqual(first_calls(), [36, 39, 42])
        self.assertEqual(self.run_js("return grids.get('ops').heads()[arguments[0]].ariaSort", at), "ascending")

    def test_filter(self):
        cases = {"kernel_12": 1111, 'name="kernel_12"': 1, "time>15ms": 6, "time>=15ms": 6,
                 "uses_tensor_core:yes": 5, "!uses_tensor_core=no": 9, "occupancy=50%": 9,
                 "bytes>1": 99000, "a|b": 1, "nothing-like-it": 0}
        for query, count in cases.items():
            with self.subTest(query):
                self.run_js("grids.get('kernels').filter(arguments[0])", query)
                self.assertEqual(self.run_js("return grids.get('kernels').order.length"), count)

    def test_hundred_thousand_rows_stay_a_window(self):
        self.assertEqual(self.run_js("return grids.get('kernels').rows.count"), 99009)
        self.assertLess(self.run_js("return document.querySelectorAll('#t-kernels tbody tr').length"), 120)
        self.run_js("const s = grids.get('kernels').scroller; s.scrollTop = s.scrollHeight")
        self.driver.wait("document.querySelector('#t-kernels tbody').textContent.includes('kernel_98999')",
                         "the last row")

    def test_numbers_have_the_same_text_as_in_the_page_itself(self):
        # What the generator wrote for the first rows, against what the script writes for them.
        self.driver.open(page_url("files/index.html"))
        html = (Run.samples / PAGE).read_text()
        self.driver.open(page_url())
        self.driver.wait(READY, "tables")
        wrong = self.run_js("""
            const page = new DOMParser().parseFromString(arguments[0], 'text/html');
            const grid = grids.get('formats'), wrong = [];
            [...page.querySelectorAll('#t-formats tbody tr')].forEach((line, row) => {
              grid.fields().forEach((field, index) => {
                const text = grid.rows.text(field, row), other = line.cells[index].textContent.trim();
                if (text !== other) wrong.push([field.id, other, text]);
              });
            });
            return [wrong, page.querySelectorAll('#t-formats tbody tr').length];""", html)
        self.assertEqual(wrong[0], [])
        self.assertGreaterEqual(wrong[1], 5)
        every = self.run_js("""
            const grid = grids.get('formats');
            const number = grid.field('number'), time = grid.field('time'), texts = {};
            for (let row = 0; row < grid.rows.count; ++row) {
              texts[grid.rows.value(number, row)] = grid.rows.text(time, row).replace('\\u202f', ' ');
            }
            return texts;""")
        self.assertEqual(every["5"], "1.12 ms")  # halves to even, as the generator rounds
        self.assertEqual(every["8"], "1.00 ms")

    def test_columns_and_copy(self):
        self.run_js("[...document.querySelectorAll('#t-ops .menu label')].find((l) => l.textContent.trim() === 'Calls').click()")
        self.assertTrue(self.run_js("return grids.get('ops').hidden.has('calls')"))
        text = self.run_js("return grids.get('ops').asText(',')").splitlines()
        self.assertEqual(text[0], "Op,Device self time (ns),Host self time (ns),Kernels,"
                                  "TC eligible,Uses TC")
        self.assertEqual(text[3], "'=cmd(),18000018,7422210,126,yes,yes")
        self.run_js("location.reload()")
        self.driver.wait(READY, "tables")
        self.assertTrue(self.run_js("return grids.get('ops').hidden.has('calls')"), "the choice is kept")

    def test_row_opens_with_its_leads(self):
        self.run_js("document.querySelector('#t-kernels tbody tr[data-row] td').click()")
        self.assertIn("</script><img src=x", self.run_js("return dialog.textContent"))
        self.assertTrue(self.run_js("return dialog.open"))
        self.driver.keys("\ue00c")  # Escape
        self.assertFalse(self.run_js("return dialog.open"))

    def canvas(self):
        self.run_js("timeline.canvas$.scrollIntoView({block: 'center'})")
        return self.run_js("const b = timeline.canvas$.getBoundingClientRect();"
                           "return [b.left, b.top, b.width, b.height]")

    def view(self):
        return self.run_js("return timeline.view")

    def test_timeline_zooms_and_pans(self):
        left, top, width, _ = self.canvas()
        before = self.view()
        self.driver.pointer((left + 600, top + 120))
        self.driver.keys("www")
        zoomed = self.view()
        self.assertAlmostEqual((zoomed[1] - zoomed[0]) / (before[1] - before[0]), 0.343, 3)
        self.driver.keys("d")
        self.assertGreater(self.view()[0], zoomed[0])
        at = self.view()
        self.driver.pointer((left + 800, top + 120), (left + 700, top + 120), (left + 500, top + 120))
        self.assertGreater(self.view()[0], at[0])
        self.driver.keys("0")
        self.assertEqual(self.view(), self.run_js("return [timeline.first, timeline.last]"))

    def test_timeline_selects_an_event_and_its_launch(self):
        left, top, *_ = self.canvas()
        place = self.run_js("""
            const t = timeline, row = t.rows.find((r) => r.type === 'lane' &&
              t.head.tracks[r.lanes[0].track].type === 'stream');
            const i = row.lanes[0].begin + 40;
            t.go(t.start[i] - 50000, t.start[i] + 50000);
            return [t.x(t.start[i] + t.duration[i] / 2), row.y - t.scroll + 7, i];""")
        self.driver.pointer((left + place[0], top + place[1]))
        self.assertEqual(self.run_js("return timeline.selected"), place[2])
        text = self.run_js("return timeline.details$.textContent")
        self.assertIn("Launched bycudaLaunchKernel", text)
        self.assertIn("Inaten::addmm aten::linear", text)
        self.driver.wait("location.hash.includes('sel=')", "the link")
        link = self.run_js("return location.href")
        self.driver.open("about:blank")
        self.driver.open(link)
        self.driver.wait("window.timeline && timeline.selected === " + str(place[2]), "the linked event")

    def test_timeline_sums_a_range(self):
        left, top, *_ = self.canvas()
        self.driver.pointer((left + 400, top + 100), (left + 500, top + 100), (left + 700, top + 100),
                            shift=True)
        parts = self.run_js("return [timeline.range[1] - timeline.range[0],"
                            "[...timeline.breakdown(...timeline.range)].reduce((a, b) => a + b)]")
        self.assertGreater(parts[0], 0)
        self.assertAlmostEqual(parts[0], parts[1], 3)
        self.assertIn("Breakdown", self.run_js("return timeline.summary$.textContent"))

    def test_timeline_breakdown_counts_each_moment_once(self):
        # One iteration: [start, end) by a scan of every event, 100 ns apart, against the sweep.
        got = self.run_js("""
            const t = timeline, a = t.first, b = t.first + 400000, parts = new Float64Array(9);
            for (let at = a; at < b; at += 100) {
              let best = 8;
              for (const lane of t.lanes) {
                const i = t.firstEnding(lane, at);
                if (i < lane.end && t.start[i] <= at) best = Math.min(best, t.category[t.kind[i]]);
              }
              parts[best] += 100;
            }
            return [[...parts], [...t.breakdown(a, b)]];""")
        for scanned, swept in zip(*got):
            self.assertLess(abs(scanned - swept), 4000)

    def test_timeline_searches_marks_and_finds_gaps(self):
        self.run_js("timeline.search('memcpy')")
        self.assertEqual(self.run_js("return timeline.hits.length"), 40)
        self.run_js("timeline.mark(timeline.first + 1000); timeline.mark(timeline.first + 251000)")
        self.assertIn("+250\u202fµs", self.run_js("return timeline.marks$.textContent"))
        self.run_js("timeline.nextGap(1)")
        gap = self.run_js("return timeline.range")
        self.assertGreater(gap[1], gap[0])
        self.assertEqual(self.run_js("return timeline.heaviest(...timeline.range).length"), 0)

    def test_screenshots(self):
        self.canvas()
        self.driver.shot("light")


class LooksTest(unittest.TestCase):
    TEXTS = ("FAIL", "GPU idle", "31.4\u202f%", "Iteration time breakdown", "Kernels on Tensor Cores",
             "The data loader holds up the GPU", "Raise num_workers", "the file ends early")

    def shown_text(self, driver):
        # innerText leaves out what a reader cannot see; without scripts it is asked over CDP.
        root = driver.cdp("Runtime.evaluate", expression="document.body.innerText")
        return root["result"]["value"]

    def test_dark(self):
        driver = Driver(dark=True)
        try:
            driver.open(page_url())
            driver.wait(READY, "the scripts")
            paper = driver.run("return getComputedStyle(document.body).backgroundColor")
            self.assertEqual(paper, "rgb(20, 23, 27)")
            driver.shot("dark")
        finally:
            driver.close()

    def test_print(self):
        driver = Driver(dark=True)
        try:
            driver.open(page_url("files/index.html"))
            driver.cdp("Emulation.setEmulatedMedia", media="print")
            self.assertEqual(driver.run("return getComputedStyle(document.body).backgroundColor"),
                             "rgb(255, 255, 255)")
            self.assertEqual(driver.run("return getComputedStyle(document.querySelector('nav')).display"),
                             "none")
            driver.shot("print")
        finally:
            driver.close()

    def test_without_scripts(self):
        driver = Driver(javascript=False)
        try:
            driver.open(page_url())
            text = self.shown_text(driver)
            for part in self.TEXTS:
                self.assertIn(part, text)
            driver.shot("noscript")
        finally:
            driver.close()

    def test_the_slowest_iteration_is_a_picture_without_scripts_alone(self):
        shown = "(e => e && !e.hidden && e.querySelector('svg[role=img]') && e.querySelectorAll('tbody tr').length)"
        driver = Driver(javascript=False)
        try:
            driver.open(page_url("slow.html"))
            rows = driver.cdp("Runtime.evaluate", expression=f"{shown}(document.getElementById('overview'))")
            self.assertGreaterEqual(rows["result"]["value"], 2)
        finally:
            driver.close()
        driver = Driver()
        try:
            driver.open(page_url("slow.html"))
            driver.wait(READY, "the scripts")
            self.assertFalse(driver.run(f"return {shown}(document.getElementById('overview'))"))
        finally:
            driver.close()

    def test_under_the_policy_of_jenkins(self):
        server = Server(JENKINS)
        driver = Driver()
        try:
            driver.open(f"{server.url}/{PAGE}")
            text = self.shown_text(driver)
            for part in self.TEXTS:
                self.assertIn(part, text)
            driver.shot("jenkins_one_file")
            driver.open(f"{server.url}/files/index.html")
            self.assertEqual(self.shown_text(driver).count("FAIL"), 1)
            family = driver.cdp("Runtime.evaluate",
                                expression="getComputedStyle(document.body).fontFamily")["result"]["value"]
            self.assertIn("system-ui", family, "report.css is in effect")
            driver.shot("jenkins_files")
        finally:
            driver.close()
            server.close()


class LargeTimelineTest(unittest.TestCase):
    """Prints times; asserts nothing about them."""

    def test_measure(self):
        if not Run.measure:
            self.skipTest("--measure was not given")
        driver = Driver()
        try:
            size = (Run.samples / "big.html").stat().st_size
            driver.cdp("Page.addScriptToEvaluateOnNewDocument", source="""
                window.tasks = [];
                new PerformanceObserver((list) => tasks.push(...list.getEntries().map((task) => task.duration)))
                  .observe({type: 'longtask', buffered: true});""")
            begin = time.time()
            driver.open(page_url("big.html"))
            driver.wait(READY, "the timeline")
            opened = time.time() - begin
            time.sleep(1)  # The sum of the view comes when it rests.
            painted, longest = driver.run("return [performance.getEntriesByName('first-contentful-paint')[0].startTime, Math.max(0, ...tasks)]")
            events = driver.run("return timeline.start.length")
            frame = """
                const t = timeline, times = [];
                t.go(...arguments[0]);
                for (let k = 0; k < 20; ++k) {
                  const begin = performance.now();
                  t.view = t.view.map((v) => v + (t.view[1] - t.view[0]) * 0.01);
                  t.draw();
                  t.canvas$.getContext('2d').getImageData(0, 0, 1, 1);
                  times.push(performance.now() - begin);
                }
                return times.sort((a, b) => a - b)[10];"""
            whole = driver.run("return [timeline.first, timeline.last]")
            near = [whole[0], whole[0] + (whole[1] - whole[0]) / 100]
            print(f"\n{events} events, {size / 1e6:.1f} MB: painted after {painted / 1000:.2f} s, open after {opened:.2f} s, longest task {longest / 1000:.2f} s, "
                  f"full view {driver.run(frame, whole):.1f} ms a frame, "
                  f"1 % view {driver.run(frame, near):.1f} ms a frame, "
                  f"range sum {driver.run('const b = performance.now(); timeline.choose(timeline.first, timeline.last); return performance.now() - b'):.0f} ms")
        finally:
            driver.close()


def flat(suite):
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from flat(test)
        else:
            yield test


def main():
    arguments = sys.argv[1:]
    if shutil.which("chromedriver") is None or shutil.which("chromium") is None:
        print("skipped: chromium and chromium-driver are not installed")
        sys.exit(1 if os.environ.get("PROFGAUGE_REQUIRE_ALL") else 77)  # ci/test.sh requires all.
    samples, profgauge, examples = arguments[:3]
    arguments = arguments[3:]
    only = ""
    while arguments:
        option, value = arguments.pop(0), arguments.pop(0)
        if option == "-k":
            only = value
        elif option == "--shots":
            Run.shots = pathlib.Path(value)
            Run.shots.mkdir(parents=True, exist_ok=True)
        elif option == "--measure":
            Run.measure = int(value)
        elif option == "--axe":
            Run.axe = pathlib.Path(value).read_text()
    with tempfile.TemporaryDirectory(prefix="profgauge-pages-") as folder:
        Run.samples = pathlib.Path(folder)
        Run.examples = pathlib.Path(folder)
        subprocess.run([samples, folder] + ([str(Run.measure)] if Run.measure else []), check=True)
        for name in ("slow", "healthy"):
            trace = pathlib.Path(examples) / f"{name}.pt.trace.json.gz"
            subprocess.run([profgauge, "report", trace, "-q", "--html", f"{folder}/{name}.html"],
                           check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        Run.profgauge = profgauge
        Run.source = pathlib.Path(examples)
        Run.slow = pathlib.Path(examples) / "slow.pt.trace.json.gz"
        subprocess.run([sys.executable, pathlib.Path(__file__).parent.parent / "cases/cases.py", "unpack", folder,
                        "neuron"], check=True)
        Run.neuron = pathlib.Path(folder) / "neuron/trn2_two_cores/input.json"
        subprocess.run([profgauge, "report", Run.neuron, "-q", "--html", f"{folder}/trn2.html",
                        "--marks", "a=1us,b=6us"],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        subprocess.run([profgauge, "report", Run.slow, "-q", "--iter-start", "6", "--html", f"{folder}/later.html"],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        slow, healthy = (pathlib.Path(examples) / f"{name}.pt.trace.json.gz"
                         for name in ("slow", "healthy"))
        subprocess.run([profgauge, "report", "-q", "--run", f"slow={slow}", "--run",
                        f"healthy={healthy}", "--run", f"again={slow}", "--html",
                        f"{folder}/runs.html", "--write", f"html-dir={folder}/runs"],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        subprocess.run([profgauge, "compare", healthy, slow, "-q", "--html", f"{folder}/compare.html"],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for trace in (slow, healthy):
            subprocess.run([profgauge, "history", "add", trace, "--db", f"{folder}/runs.db"], check=True,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        subprocess.run([profgauge, "history", "list", "--db", f"{folder}/runs.db", "--html", f"{folder}/trend.html"],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        suite = unittest.TestSuite()
        for module in (sys.modules[__name__], views_test, tables_test, charts_test, lanes_test, runs_test,
                       misleading_test, place_test, link_test, extremes_test, scope_test, strip_test):
            suite.addTests(unittest.defaultTestLoader.loadTestsFromModule(module))
        if only:
            suite = unittest.TestSuite(test for test in flat(suite) if only in test.id())
        result = unittest.TextTestRunner().run(suite)
    sys.exit(0 if result.wasSuccessful() else 1)


if __name__ == "__main__":
    main()
