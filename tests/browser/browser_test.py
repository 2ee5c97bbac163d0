"""Opens sample pages in headless Chromium through ChromeDriver and uses them as a reader would.

Needs Debian's chromium and chromium-driver and nothing else; exits 77 (skipped) without them.
  browser_test.py SAMPLE_PAGES_PROGRAM [--shots FOLDER] [--measure EVENTS]
--shots keeps screenshots to look at; --measure prints times of a large timeline.
"""
import base64
import http.server
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.request

SAMPLES = pathlib.Path()
SHOTS = None
MEASURE = 0
JENKINS = "sandbox allow-same-origin; default-src 'none'; img-src 'self'; style-src 'self';"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Driver:
    """The few WebDriver commands that the tests need."""

    def __init__(self, javascript=True, dark=False):
        port = free_port()
        self.profile = tempfile.mkdtemp(prefix="profgauge-browser-")
        self.process = subprocess.Popen(
            [shutil.which("chromedriver"), f"--port={port}"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.url = f"http://127.0.0.1:{port}"
        arguments = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
                     "--disable-background-networking", "--disable-component-update",
                     "--disable-sync", "--hide-scrollbars", "--window-size=1280,1000",
                     f"--user-data-dir={self.profile}"]
        options = {"args": arguments, "binary": shutil.which("chromium"), "prefs": {
            "profile.managed_default_content_settings.javascript": 1 if javascript else 2}}
        capabilities = {"browserName": "chrome", "goog:chromeOptions": options,
                        "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}
        for attempt in range(100):
            try:
                answer = self.call("POST", "/session",
                                   {"capabilities": {"alwaysMatch": capabilities}})
                break
            except OSError:
                if attempt == 99:
                    raise
                time.sleep(0.1)
        self.url += "/session/" + answer["sessionId"]
        if dark:
            self.cdp("Emulation.setEmulatedMedia",
                     features=[{"name": "prefers-color-scheme", "value": "dark"}])

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, method=method,
                                         headers={"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise AssertionError(json.load(error)["value"]["message"]) from None

    def cdp(self, command, **parameters):
        return self.call("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def open(self, url):
        self.call("POST", "/url", {"url": url})

    def run(self, script, *arguments):
        return self.call("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def wait(self, condition, what):
        for _ in range(600):
            if self.run("return " + condition):
                return
            time.sleep(0.05)
        raise AssertionError(f"waited in vain for {what}")

    def keys(self, text):
        actions = [{"type": kind, "value": key} for key in text for kind in ("keyDown", "keyUp")]
        self.call("POST", "/actions", {"actions": [{"type": "key", "id": "k", "actions": actions}]})

    def pointer(self, *moves, shift=False):
        """moves: (x, y) pairs in the window; the button is down from the first to the last."""
        steps = [{"type": "pointerMove", "x": round(x), "y": round(y), "duration": 0}
                 for x, y in moves]
        steps.insert(1, {"type": "pointerDown", "button": 0})
        steps.append({"type": "pointerUp", "button": 0})
        inputs = [{"type": "pointer", "id": "p", "actions": steps}]
        if shift:
            pauses = [{"type": "pause"}] * (len(steps) - 1)
            inputs.append({"type": "key", "id": "s", "actions":
                           [{"type": "keyDown", "value": "\ue008"}, *pauses,
                            {"type": "keyUp", "value": "\ue008"}]})
        self.call("POST", "/actions", {"actions": inputs})

    def log(self, kind):
        return self.call("POST", "/se/log", {"type": kind})

    def shot(self, name):
        if SHOTS is None:
            return
        height = self.run("return Math.min(document.documentElement.scrollHeight, 6000)") or 4000
        picture = self.cdp("Page.captureScreenshot", captureBeyondViewport=True,
                           clip={"x": 0, "y": 0, "width": 1280, "height": height, "scale": 1})
        (SHOTS / f"{name}.png").write_bytes(base64.b64decode(picture["data"]))

    def close(self):
        try:
            self.call("DELETE", "")
        finally:
            self.process.terminate()
            self.process.wait()
            shutil.rmtree(self.profile, ignore_errors=True)


class Server:
    """Serves the samples with a policy, as Jenkins does with reports."""

    def __init__(self, policy):
        class Handler(http.server.SimpleHTTPRequestHandler):
            def __init__(self, *arguments):
                super().__init__(*arguments, directory=str(SAMPLES))

            def end_headers(self):
                self.send_header("Content-Security-Policy", policy)
                super().end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


PAGE = "page.html"
READY = ("document.documentElement.dataset.tables === 'ready' && "
         "document.documentElement.dataset.timeline === 'ready'")


def page_url(name=PAGE):
    return (SAMPLES / name).as_uri()


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
                               "(row) => g.rows.value(g.fields()[2], row))")
        self.run_js("grids.get('ops').heads()[2].firstChild.click()")
        self.assertEqual(first_calls(), [60, 57, 54])
        self.run_js("grids.get('ops').heads()[2].firstChild.click()")
        self.assertEqual(first_calls(), [36, 39, 42])
        self.assertEqual(self.run_js("return grids.get('ops').heads()[2].ariaSort"), "ascending")

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
        html = (SAMPLES / PAGE).read_text()
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
        self.assertGreaterEqual(wrong[1], 10)
        every = self.run_js("""
            const grid = grids.get('formats');
            const [, number, time] = grid.fields(), texts = {};
            for (let row = 0; row < grid.rows.count; ++row) {
              texts[grid.rows.value(number, row)] = grid.rows.text(time, row).replace('\\u202f', ' ');
            }
            return texts;""")
        self.assertEqual(every["5"], "1.12 ms")  # halves to even, as the generator rounds
        self.assertEqual(every["8"], "1.00 ms")

    def test_columns_and_copy(self):
        self.run_js("document.querySelectorAll('#t-ops .menu input')[1].click()")
        self.assertTrue(self.run_js("return grids.get('ops').heads()[1].hidden"))
        text = self.run_js("return grids.get('ops').asText(',')").splitlines()
        self.assertEqual(text[0], "Op,Calls,Host self time (ns),Device self time (ns),Kernels,"
                                  "TC eligible,Uses TC")
        self.assertEqual(text[3], "'=cmd(),54,7422210,18000018,126,yes,yes")
        self.run_js("location.reload()")
        self.driver.wait(READY, "tables")
        self.assertTrue(self.run_js("return grids.get('ops').heads()[1].hidden"), "the choice is kept")

    def test_row_opens_with_its_leads(self):
        self.run_js("document.querySelector('#t-kernels tbody tr[data-row] td').click()")
        self.assertIn("</script><img src=x", self.run_js("return dialog.textContent"))
        self.assertTrue(self.run_js("return dialog.open"))
        self.driver.keys("\ue00c")  # Escape
        self.assertFalse(self.run_js("return dialog.open"))

    def test_another_range_of_iterations(self):
        self.run_js("""
            const box = [...document.querySelectorAll('#iterations details')].find((d) =>
              d.textContent.includes('Another range'));
            box.open = true;
            const [from, to] = box.querySelectorAll('input');
            from.value = 1; to.value = 3;
            from.dispatchEvent(new Event('input'));""")
        text = self.run_js("return [...document.querySelectorAll('#iterations details')].find((d) =>"
                           "d.textContent.includes('Another range')).textContent").replace("\u202f", " ")
        for part in ("Iterations3", "In all28.5 ms", "Mean9.50 ms", "Variation0 %",
                     "--iter-start 1 --iter-stop 3"):
            self.assertIn(part, text)

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
        self.assertEqual(self.view(), before)

    def test_timeline_selects_an_event_and_its_launch(self):
        left, top, *_ = self.canvas()
        place = self.run_js("""
            const t = timeline, row = t.rows.find((r) => r.type === 'lane' &&
              t.head.tracks[r.lane.track].type === 'stream');
            const i = row.lane.begin + 40;
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
        self.assertIn("Where it goes", self.run_js("return timeline.summary$.textContent"))

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
        self.assertIn("250\u202fµs from mark 1", self.run_js("return timeline.marks$.textContent"))
        self.run_js("timeline.nextGap(1)")
        gap = self.run_js("return timeline.range")
        self.assertGreater(gap[1], gap[0])
        self.assertEqual(self.run_js("return timeline.heaviest(...timeline.range).length"), 0)

    def test_screenshots(self):
        self.canvas()
        self.driver.shot("light")


class LooksTest(unittest.TestCase):
    TEXTS = ("FAIL", "GPU idle", "31.4\u202f%", "Where an iteration goes", "Kernels on Tensor Cores",
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
        if not MEASURE:
            self.skipTest("--measure was not given")
        driver = Driver()
        try:
            size = (SAMPLES / "big.html").stat().st_size
            begin = time.time()
            driver.open(page_url("big.html"))
            driver.wait(READY, "the timeline")
            opened = time.time() - begin
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
            print(f"\n{events} events, {size / 1e6:.1f} MB: open {opened:.2f} s, "
                  f"full view {driver.run(frame, whole):.1f} ms a frame, "
                  f"1 % view {driver.run(frame, near):.1f} ms a frame, "
                  f"range sum {driver.run('const b = performance.now(); timeline.choose(timeline.first, timeline.last); return performance.now() - b'):.0f} ms")
        finally:
            driver.close()


def main():
    global SAMPLES, SHOTS, MEASURE
    arguments = sys.argv[1:]
    if shutil.which("chromedriver") is None or shutil.which("chromium") is None:
        print("skipped: chromium and chromium-driver are not installed")
        sys.exit(77)
    program = arguments.pop(0)
    while arguments:
        option, value = arguments.pop(0), arguments.pop(0)
        if option == "--shots":
            SHOTS = pathlib.Path(value)
            SHOTS.mkdir(parents=True, exist_ok=True)
        elif option == "--measure":
            MEASURE = int(value)
    with tempfile.TemporaryDirectory(prefix="profgauge-pages-") as folder:
        SAMPLES = pathlib.Path(folder)
        subprocess.run([program, folder] + ([str(MEASURE)] if MEASURE else []), check=True)
        result = unittest.main(argv=[sys.argv[0]], exit=False).result
    sys.exit(0 if result.wasSuccessful() else 1)


if __name__ == "__main__":
    main()
