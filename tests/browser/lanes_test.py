"""The timeline's lanes, colours, sums, marks and regions, on a recording of two NeuronCores."""
import json
import pathlib
import subprocess
import tempfile
import time

from driver import READY, Run, page_url
from views_test import ViewsCase

RIGHT = "\ue014"


class LanesCase(ViewsCase):
    PAGE = "trn2.html"

    def canvas(self):
        self.js("timeline.canvas$.scrollIntoView({block: 'center'})")
        return self.js("const b = timeline.canvas$.getBoundingClientRect(); return [b.left, b.top]")

    def row(self, name, group=0):
        """The middle of the row of that name, in the window."""
        left, top = self.canvas()
        y = self.js("""const rows = timeline.rows.filter((r) => r.name === arguments[0]);
            const row = rows[arguments[1]];
            if (!row) return null;
            timeline.scrollTo(row.y - 100);
            return row.y - timeline.scroll + row.height / 2;""", name, group)
        self.assertIsNotNone(y, f"a row {name}")
        return left, top, top + y

    def x(self, time):
        return self.js("return timeline.x(arguments[0])", time)

    def names(self):
        return self.js("return timeline.rows.map((row) => row.name)")

    def move_to(self, x, y):
        self.driver.call("POST", "/actions", {"actions": [{"type": "pointer", "id": "p", "actions": [
            {"type": "pointerMove", "x": round(x), "y": round(y), "duration": 0}]}]})

    def right_click(self, x, y):
        self.driver.call("POST", "/actions", {"actions": [{"type": "pointer", "id": "p", "actions": [
            {"type": "pointerMove", "x": round(x), "y": round(y), "duration": 0},
            {"type": "pointerDown", "button": 2}, {"type": "pointerUp", "button": 2}]}]})


class FoldingTest(LanesCase):
    def test_queues_open_to_their_engines_by_mouse_keyboard_and_menu_and_stay_so(self):
        self.assertIn("DMA qHwDge-Q1", self.names())
        self.assertNotIn("engine 1", self.names())
        left, _, y = self.row("DMA qHwDge-Q1")
        self.driver.pointer((left + 60, y))
        self.assertIn("engine 1", self.names())
        self.driver.open("about:blank")
        self.driver.open(page_url(self.PAGE))
        self.driver.wait(READY, "the page")
        self.assertIn("engine 1", self.names(), "the choice is kept")
        # The menu's boxes are real ones: by keyboard.
        self.js("timeline.lanes$.parentElement.open = true;"
                "[...timeline.lanes$.querySelectorAll('label')].find((l) => l.textContent.includes('qHwDge')).querySelector('input').focus()")
        self.driver.keys(" ")
        self.assertNotIn("engine 1", self.names())
        self.canvas()
        self.js("timeline.pick(timeline.deviceLanes()[0].begin); timeline.canvas$.focus()")
        shown = len(self.names())
        self.driver.keys("e")
        self.assertLess(len(self.names()), shown, "E folds the group of the selected event")
        self.driver.keys("e")

    def test_semaphores_are_shown_when_asked_for(self):
        section = next(name for name in self.names() if name.startswith("Semaphores"))
        counters = "return timeline.rows.filter((row) => row.type === 'counter').map((row) => row.name)"
        self.assertFalse([name for name in self.js(counters) if name.startswith(("S[", "semaphore"))])
        left, _, y = self.row(section)
        self.driver.pointer((left + 60, y))
        self.assertTrue([name for name in self.js(counters) if name.startswith(("S[", "semaphore"))])

    def test_sums_of_a_counter_are_of_where_it_has_points(self):
        sums = self.js("""const of = (from, to) => timeline.extremesOf({ time: [100, 200], value: [2, 4], end: 300 }, from, to);
            return [of(0, 100), of(0, 200), of(150, 250), of(200, 250), of(250, 900), of(300, 900), timeline.extremesOf({ time: [], value: [], end: 0 }, 0, 9)]""")
        self.assertEqual(sums, [None, [2, 2, 2], [3, 2, 4], [4, 4, 4], [4, 4, 4], None, None])

    def test_throttling_is_a_line_of_steps(self):
        self.assertEqual(self.js("return timeline.counters.find((c) => c.name === 'cycles allowed').line"), True)


class ColoursTest(LanesCase):
    def look(self, opcode):
        return self.js("const t = timeline, k = t.head.kinds.findIndex((kind) => kind[0] === arguments[0]);"
                       "return t.looks[k][0]", opcode)

    def choose(self, value):
        self.js("timeline.color$.value = arguments[0]; timeline.color$.dispatchEvent(new Event('change'))", value)

    def test_instructions_of_an_operator_share_a_colour(self):
        self.assertEqual(self.js("return timeline.coloring"), "operator")
        self.assertEqual(self.look("MATMUL"), self.look("LDWEIGHTS"))
        self.assertNotEqual(self.look("MATMUL"), self.look("ACTIVATE"))
        self.choose("name")
        self.assertNotEqual(self.look("MATMUL"), self.look("LDWEIGHTS"))
        self.choose("category")
        self.assertEqual(self.look("MATMUL"), self.look("ACTIVATE"))

    def test_all_choices_and_the_choice_is_kept(self):
        choices = self.js("return [...timeline.color$.options].map((o) => o.value)")
        for choice in ("operator", "category", "name", "track", "layer1", "hlo", "type", "source", "queue"):
            self.assertIn(choice, choices)
            self.choose(choice)
            self.assertTrue(self.js("return timeline.legend$.textContent"))
        self.choose("queue")
        self.driver.wait("location.hash.includes('color=queue')", "the link")
        link = self.js("return location.href")
        self.js("localStorage.clear()")
        self.driver.open("about:blank")
        self.driver.open(link)
        self.driver.wait(READY, "the page")
        self.assertEqual(self.js("return timeline.coloring"), "queue")
        self.choose("track")
        self.driver.open("about:blank")
        self.driver.open(page_url(self.PAGE))
        self.driver.wait(READY, "the page")
        self.assertEqual(self.js("return timeline.coloring"), "track", "without a link, the browser's")

    def test_gpus_too(self):
        self.driver.open(page_url("slow.html"))
        self.driver.wait(READY, "the page")
        self.assertEqual(self.js("return timeline.coloring"), "category")
        self.choose("name")
        looks = self.js("const t = timeline; return new Set(t.deviceLanes().flatMap((l) =>"
                        "[t.lookOf(l.begin, l)[0], t.lookOf(l.begin + 5, l)[0], t.lookOf(l.begin + 9, l)[0]])).size")
        self.assertGreater(looks, 1)


class EventTest(LanesCase):
    def matmul(self):
        return self.js("const t = timeline; return t.hits = [], [...t.kind].findIndex((k, i) =>"
                       "t.nameOf(i) === 'MATMUL' && t.neighbours(i, false).length)")

    def test_hover_tells_layer_operator_opcode_and_bytes(self):
        left, _, y = self.row("Tensor (matmuls)")
        self.move_to(left + self.x(3000), y)
        self.assertFalse(self.js("return timeline.tip$.hidden"))
        tip = self.js("return timeline.tip$.textContent").replace("\u202f", " ")
        for part in ("MATMUL", "4.00 µs", "1.200 µs to 5.200 µs", "Layer: /sg00/Model/Layer[0]/mm",
                     "%dot.1 = dot(%a, %b)", "SBUF read: 65.5 kB", "Source: kernels/matmul.py:14"):
            self.assertIn(part, tip)

    def test_a_long_name_keeps_to_its_column(self):
        self.js("timeline.pick(arguments[0]); timeline.details$.querySelector('h3').textContent = 'at::'.repeat(99)",
                self.matmul())
        self.assertEqual(self.js("const name = timeline.details$.querySelector('h3');"
                                 "return name.scrollWidth - name.clientWidth"), 0)

    def test_details_have_every_field_and_what_it_waits_for(self):
        self.js("timeline.pick(arguments[0])", self.matmul())
        text = self.js("return timeline.details$.innerText").replace("\u202f", " ")
        for part in ("Layer\n", "Graph operator\n", "FLOPs\n134 MFLOP (134217728)", "Id\n9000000000000000002",
                     "Waits for\nLDWEIGHTS", "Awaited by\nMATMUL ACTIVATE", "Type\nREGULAR"):
            self.assertIn(part, text)
        self.js("window.copied = ''; navigator.clipboard.writeText = async (text) => { window.copied = text; };"
                "[...timeline.details$.querySelectorAll('button')].find((b) => b.textContent === 'Copy as JSON').click()")
        self.driver.wait("window.copied", "the copy")
        event = json.loads(self.js("return window.copied"))
        self.assertEqual((event["name"], event["start_ns"], event["duration_ns"]), ("MATMUL", 1200, 4000))
        self.assertEqual(event["flops"], 134217728)
        self.assertEqual(event["id"], "9000000000000000002", "64 bits: not as a number of JavaScript")
        self.assertEqual([other["name"] for other in event["predecessors"]], ["LDWEIGHTS"])
        self.js("[...timeline.details$.querySelectorAll('dd .link')].find((b) => b.textContent === 'LDWEIGHTS').click()")
        self.assertEqual(self.js("return timeline.nameOf(timeline.selected)"), "LDWEIGHTS")

    def test_several_lines_of_source_are_found_at_once(self):
        click = ("const g = grids.get('source_lines'); g.table.closest('details').open = true;"
                 "g.table.tBodies[0].querySelectorAll('tr:not([aria-hidden])')[arguments[0]].querySelector('td')"
                 ".dispatchEvent(new MouseEvent('click', {bubbles: true, ctrlKey: true})); return timeline.hits.length")
        first = self.js(click, 0)
        both = self.js(click, 1)
        self.assertGreater(first, 0)
        self.assertGreater(both, first)
        self.assertEqual(self.js("return grids.get('source_lines').table.querySelectorAll('tr.chosen').length"), 2)
        # Another reader sees the same lines.
        self.driver.wait("location.hash.includes('find=')", "the address")
        link = self.js("return location.href")
        self.driver.open("about:blank")
        self.driver.open(link)
        self.driver.wait("document.documentElement.dataset.timeline === 'ready'", "the timeline")
        self.assertEqual(self.js("return [timeline.hits.length, grids.get('source_lines').lines.size]"), [both, 2])
        second = self.js(click, 0)
        self.assertEqual(first + second, both)

    def test_a_click_finds_a_line_alone_and_a_second_one_opens_it(self):
        click = ("const g = grids.get('source_lines'); g.table.closest('details').open = true;"
                 "g.table.tBodies[0].querySelectorAll('tr:not([aria-hidden])')[arguments[0]].querySelector('td')"
                 ".dispatchEvent(new MouseEvent('click', {bubbles: true}));"
                 "return [timeline.hits.length, g.table.querySelectorAll('tr.chosen').length, dialog.open]")
        first = self.js(click, 0)
        other = self.js(click, 1)
        self.assertGreater(first[0], 0)
        self.assertGreater(other[0], 0)
        self.assertEqual([first[1:], other[1:]], [[1, False], [1, False]])
        self.assertEqual(self.js(click, 1)[1:], [1, True])

    def test_a_source_is_shown_whole(self):
        """40 lines of a file, of which three have instructions; bars show where its time goes."""
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder) / "src/kernels/matmul.py"
            source.parent.mkdir(parents=True)
            source.write_text("".join(f"line = {number}\n" for number in range(1, 41)))
            page = pathlib.Path(folder) / "whole.html"
            subprocess.run([Run.profgauge, "report", Run.neuron, "-q", "--source-root", source.parents[1], "--html", page],
                           stdout=subprocess.DEVNULL, check=False)
            self.driver.open(page.as_uri())
            self.driver.wait(READY, "the page")
        rows = self.js("""const g = grids.get('source_lines'), file = g.field('file'), of = (id, row) => g.rows.value(g.field(id), row);
            g.table.closest('details').open = true;
            g.filter('matmul.py');
            return g.order.map((row) => [of('line', row), g.rows.text(g.field('text'), row), of('instructions', row), g.isPale(row)])""")
        self.assertEqual([row[:2] for row in rows], [[number, f"line = {number}"] for number in range(1, 41)])
        self.assertEqual([row[0] for row in rows if row[2]], [12, 14, 20])
        self.assertEqual([row[3] for row in rows], [not row[2] for row in rows])
        painted = self.js("""const g = grids.get('source_lines'), index = g.shown().indexOf(g.field('instruction_time'));
            return [...g.table.querySelectorAll('tbody tr:not([aria-hidden])')].filter((row) => row.cells[index].style.background).length""")
        self.assertEqual(painted, 3)

    def test_a_long_source_is_cut_and_counted(self):
        """Over 400 kB: 30 lines around each of lines 12, 14 and 20, and a remark."""
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder) / "kernels/matmul.py"
            source.parent.mkdir()
            source.write_text("".join(f"x = {number}  # as long as lines are\n" for number in range(1, 20001)))
            report = subprocess.run([Run.profgauge, "report", Run.neuron, "-q", "--source-root", folder, "--json", "-"],
                                    stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False).stdout
        report = json.loads(report)
        table = report["tables"]["source_lines"]
        file, line = ([column["id"] for column in table["columns"]].index(name) for name in ("file", "line"))
        lines = [row[line] for row in table["rows"] if row[file] == "kernels/matmul.py"]
        self.assertEqual(sorted(set(lines)), list(range(1, 51)))
        remark = next(one["text"] for one in report["remarks"] if one["id"] == "table-rows/source_lines")
        self.assertRegex(remark, r"^of [\d\s]+ rows of .*, the report has the nearest to instructions: 51$")

    def test_an_event_leads_to_its_line(self):
        at = self.js("timeline.search('source:matmul.py'); const hit = timeline.hits[0]; timeline.showLine(hit);"
                     "const g = grids.get('source_lines'), row = g.order[g.current];"
                     "return [timeline.facetOf(timeline.kind[hit], 'source'), `${g.rows.text(g.field('file'), row)}:${g.rows.value(g.field('line'), row)}`]")
        self.assertTrue(at[0].startswith(at[1]), at)

    def test_search_finds_by_layer_source_and_queue(self):
        for word, count in (("matmul.py:14", 2), ("layer:gelu", 4), ("qhwdge", 8), ("layer:matmul", 0)):
            self.js("timeline.search(arguments[0])", word)
            self.assertEqual(self.js("return timeline.hits.length"), count, word)


class SumsTest(LanesCase):
    """What the page sums up is what the program sums up."""
    UNITS = "return timeline.units().map((u) => [u.name, timeline.sum(u, arguments[0], arguments[1])])"

    def table(self, name):
        return self.js("""const g = grids.get(arguments[0]), out = [];
            for (let row = 0; row < g.rows.count; ++row) {
              out.push(Object.fromEntries(g.rows.fields.filter(Boolean).map((f) => [f.id, g.rows.value(f, row)])));
            }
            return out;""", name)

    def test_the_whole_range_is_the_summary(self):
        whole = self.js("return [timeline.first, timeline.last + 1]")
        units = dict(self.js(self.UNITS, *whole))
        engines = self.table("engines")
        self.assertGreaterEqual(len(engines), 10)
        for engine in engines:
            own = units[f"NeuronCore {engine['core']} · {engine['name']}"]
            self.assertEqual(own["events"], engine["instructions"], engine)
            self.assertAlmostEqual(own["busy"], engine["active_time"], delta=0.03 * engine["active_time"])
            self.assertEqual(own["amounts"]["wait"], engine["wait_time"])
            if "flops" in engine:
                self.assertEqual(own["amounts"]["flops"], engine["flops"])
        for core in self.table("cores"):
            self.assertEqual(units[f"NeuronCore {core['id']} · DMA"]["busy"], core["dma_active"])
        packets = sum(sums["events"] for name, sums in units.items() if name.endswith("· DMA"))
        self.assertEqual(packets, sum(row["packets"] for row in self.table("dma_queues")))

    def test_a_range_is_what_the_program_says_of_it(self):
        rows = self.table("engine_regions")
        self.assertEqual(len(rows), 3)  # --marks a=1us,b=6us
        for row in rows:
            begin = row["start"]
            sums = [entry for entry in self.js(self.UNITS, begin, begin + row["duration"])
                    if not entry[0].startswith("DMA")]
            for engine in ("tensor", "vector", "scalar", "gpsimd", "sync"):
                busy = sum(entry["busy"] for name, entry in sums if name.endswith(engine))
                self.assertEqual(busy, row.get(f"{engine}_active", 0), (engine, row))
            self.assertEqual(sum(entry["amounts"]["flops"] for _, entry in sums), row.get("flops", 0))
            self.assertEqual(sum(entry["amounts"]["bytes"] for _, entry in sums), row.get("dma_bytes", 0))

    def test_a_box_sums_the_lanes_in_it(self):
        left, _, y = self.row("Tensor (matmuls)")
        self.driver.pointer((left + self.x(1000), y - 22), (left + self.x(3000), y - 5),
                            (left + self.x(6000), y + 5), shift=True)
        text = self.js("return timeline.units$.innerText")
        self.assertIn("NeuronCore 0 · tensor", text)
        self.assertNotIn("scalar", text)
        self.driver.keys("\ue00c")
        self.assertIn("scalar", self.js("return timeline.units$.innerText"))

    def test_the_view_is_summed_up_when_it_rests(self):
        self.js("timeline.go(1200, 5200)")
        self.driver.wait("timeline.summary$.textContent.includes('In view 4.00\u202fµs')", "the summary")


class MarksTest(LanesCase):
    def test_marks_snap_compare_rename_and_are_saved_for_the_program(self):
        self.js("timeline.marks = []; timeline.tellMarks()")
        left, _, y = self.row("Tensor (matmuls)")
        self.right_click(left + self.x(1200) + 4, y)
        self.right_click(left + self.x(5200) - 4, y)
        self.assertEqual(self.js("return timeline.marks.map((m) => m.time)"), [1200, 5200])
        text = self.js("return timeline.marks$.innerText").replace("\u202f", " ")
        self.assertIn("+4.00 µs", text)
        self.js("const i = timeline.marks$.querySelector('td, tbody input'); i.value = 'load, a'; i.dispatchEvent(new Event('change'))")
        x = left + self.x(5200)
        self.driver.pointer((x, y), (x + 20, y), (left + self.x(5900) - 3, y))
        self.assertEqual(self.js("return timeline.marks.map((m) => [m.name, m.time])"),
                         [["load, a", 1200], ["mark 2", 5900]], "dragged to the next edge")
        self.driver.wait("location.hash.includes('m=')", "the link")
        link = self.js("return location.href")
        with tempfile.TemporaryDirectory() as folder:
            self.driver.cdp("Browser.setDownloadBehavior", behavior="allow", downloadPath=folder)
            self.js("[...timeline.marks$.querySelectorAll('button')].find((b) => b.textContent === 'Save').click()")
            path = pathlib.Path(folder) / "marks.json"
            for _ in range(100):
                if path.exists() and path.stat().st_size:
                    break
                time.sleep(0.05)
            report = subprocess.run([Run.profgauge, "report", Run.neuron, "-q", "--marks", path, "--json", "-"],
                                    stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout
            saved = path.read_text()
        self.assertIn("load, a", json.dumps(json.loads(report)["tables"]["regions"]))
        self.js("timeline.marks = []; timeline.readMarks(arguments[0])", saved)
        self.assertEqual(self.js("return timeline.marks.length"), 2)
        self.driver.open("about:blank")
        self.driver.open(link)
        self.driver.wait(READY, "the page")
        self.assertEqual(self.js("return timeline.marks.map((m) => m.name)"), ["load, a", "mark 2"])

    def test_marks_of_the_command_line_are_there(self):
        self.assertEqual(self.js("return timeline.marks.map((m) => [m.name, m.time])"), [["a", 1000], ["b", 6000]])


class RegionsTest(LanesCase):
    def test_layers_and_collectives_are_bands_that_can_be_summed_up(self):
        choices = self.js("return [...timeline.regions$.options].map((o) => o.value)")
        self.assertIn("collectives", choices)
        deepest = [choice for choice in choices if choice.startswith("layer")][-1]
        self.js("timeline.regions$.value = arguments[0]; timeline.regions$.dispatchEvent(new Event('change'))", deepest)
        regions = self.js("return timeline.regions")
        self.assertIn("mm", " ".join(name for name, *_ in regions))
        left, _, y = self.row("Regions")
        name, start, end = regions[0]
        self.driver.pointer((left + self.x((start + end) / 2), y))
        self.assertEqual(self.js("return timeline.range"), [start, end])
        self.driver.wait("location.hash.includes('regions=')", "the link")
        self.js("timeline.regions$.value = 'collectives'; timeline.regions$.dispatchEvent(new Event('change'))")
        first = self.js("return timeline.regions[0]")
        self.assertEqual(first, ["before the first collective", 0, 8000])


class IcicleTest(LanesCase):
    def test_boxes_are_the_rows_and_can_be_looked_into(self):
        boxes = "return [...grids.get('layers').icicle.figure.querySelectorAll('title')].map((t) => t.textContent)"
        self.assertTrue(self.js(boxes)[0].startswith("sg00: "))
        self.js("const g = grids.get('layers').icicle.figure.querySelectorAll('g');"
                "[...g].find((box) => box.textContent.startsWith('gelu')).dispatchEvent(new MouseEvent('click'))")
        self.assertTrue(self.js(boxes)[0].startswith("gelu: "))
        self.js("[...grids.get('layers').icicle.figure.querySelectorAll('button')].find((b) => b.textContent === 'Up').click()")
        self.assertTrue(self.js(boxes)[0].startswith("Layer[0]: "))

    def test_of_operators_too(self):
        self.driver.open(page_url("slow.html"))
        self.driver.wait(READY, "the page")
        self.js("document.getElementById('t-op_tree').open = true; grids.get('op_tree').icicle.draw()")
        self.assertGreater(self.js("return grids.get('op_tree').icicle.figure.querySelectorAll('g').length"), 5)


class LookTest(ViewsCase):
    def paper(self):
        return self.js("return getComputedStyle(document.body).backgroundColor")

    def again(self):
        self.driver.open("about:blank")
        self.driver.open(page_url(self.PAGE))
        self.driver.wait(READY, "the page")

    def test_light_and_dark_are_chosen_and_kept(self):
        self.assertEqual(self.paper(), "rgb(255, 255, 255)")
        choose = ("const s = document.querySelector('nav .menu select'); s.value = arguments[0];"
                  "s.dispatchEvent(new Event('change'))")
        self.js(choose, "dark")
        self.assertEqual(self.paper(), "rgb(20, 23, 27)")
        self.again()
        self.assertEqual(self.paper(), "rgb(20, 23, 27)")
        self.js(choose, "")
        self.assertEqual(self.paper(), "rgb(255, 255, 255)")

    def test_sections_are_hidden_and_moved_and_a_layout_is_loaded(self):
        order = "return [...document.querySelectorAll('main > section')].filter((s) => s.offsetHeight).map((s) => s.id || s.getAttribute('aria-labelledby'))"
        first = self.js(order)
        self.js("document.querySelector('nav .menu').open = true")
        self.driver.wait("document.querySelectorAll('nav .menu .narrow label').length > 3", "the menu")
        self.js("document.querySelectorAll('nav .menu .narrow > div button')[0].click()")
        self.js("document.querySelectorAll('nav .menu .narrow > div input')[2].click()")
        want = [first[1], first[0]] + first[3:]
        self.assertEqual(self.js(order), want)
        self.again()
        self.assertEqual(self.js(order), want)
        layout = self.js("return localStorage.getItem('profgauge')")
        self.js("localStorage.clear()")
        self.again()
        self.assertEqual(self.js(order), first)
        self.js("loadLayout(arguments[0])", layout)
        self.driver.wait(READY, "the page")
        self.driver.wait("document.readyState === 'complete'", "the reload")
        self.assertEqual(self.js(order), want)


class CriticalPathTest(ViewsCase):
    PAGE = "slow.html"

    def step(self):
        return self.js("return timeline.selected - timeline.pathLane().begin")

    def test_keys_follow_it_from_step_to_step(self):
        self.assertIn("J K follow the critical path", self.js("return document.getElementById('timeline-section').textContent"))
        lane = self.js("const { begin, end } = timeline.pathLane(); return [begin, end]")
        self.assertGreater(lane[1] - lane[0], 20)
        touch = self.js("""const { begin, end } = timeline.pathLane(), t = timeline;
            for (let i = begin + 1; i < end; ++i) if (t.start[i] !== t.endOf(i - 1)) return i;
            return true;""")
        self.assertEqual(touch, True, "one step begins where the one before it ends")
        self.js("timeline.canvas$.focus()")
        self.driver.keys("j")
        self.assertEqual(self.step(), 0)
        self.driver.keys("jjj")
        self.assertEqual(self.step(), 3)
        self.driver.keys("k")
        self.assertEqual(self.step(), 2)
        text = self.js("return timeline.details$.textContent")
        self.assertIn("3 of ", text)
        # The event that the step lies in is shown, and one key leads back from it.
        work = self.js("""const t = timeline, { begin, end } = t.pathLane();
            for (let i = begin; i < end; ++i) if (t.link[i] !== -1 && t.trackOf(t.link[i]).type === 'stream') return i;
            return -1;""")
        self.assertGreaterEqual(work, 0)
        self.js("timeline.pick(arguments[0])", work)
        self.assertTrue(self.js("const t = timeline, row = t.rowOf(t.link[t.selected]); return row.y >= t.scroll && row.y < t.scroll + t.shown"))
        self.js("[...timeline.details$.querySelectorAll('dt')].find((dt) => dt.textContent === 'In').nextSibling.querySelector('button').click()")
        self.assertEqual(self.js("return timeline.trackOf(timeline.selected).type"), "stream")
        self.js("timeline.canvas$.focus()")
        self.driver.keys("j")
        self.assertEqual(self.js("return timeline.selected"), work)

    def test_it_is_painted_below_the_events(self):
        self.js("""const t = timeline, { begin, end } = t.pathLane();
            window.lines = 0;
            const g = t.canvas$.getContext('2d'), stroke = g.stroke;
            g.stroke = function () { window.lines += 1; stroke.call(this); };
            const of = t.pathLane, i = [...Array(end - begin).keys()].map((k) => begin + k).find((k) => t.link[k] !== -1);
            t.pick(i); t.draw(); const drawn = window.lines; window.lines = 0;
            t.pathLane = () => undefined; t.draw(); window.without = window.lines; window.lines = drawn; t.pathLane = of;""")
        self.assertGreater(self.js("return window.lines"), self.js("return window.without"))
        self.driver.shot("path")

    def test_it_is_neither_found_nor_summed_again(self):
        self.assertTrue(self.js("""const t = timeline, { begin, end } = t.pathLane();
            t.search(t.nameOf([...Array(end - begin).keys()].map((k) => begin + k).find((k) => t.link[k] !== -1 && t.nameOf(t.link[k]) === t.nameOf(k))));
            return t.hits.length > 0 && t.hits.every((hit) => hit < begin || hit >= end);"""))
