"""Tables as a reader uses them: definitions, columns, rows that open, shares, widths, layouts."""
import pathlib
import subprocess
import tempfile

from driver import READY, Run
from views_test import ViewsCase


class FilterTest(ViewsCase):
    PAGE = "slow.html"

    def test_a_value_of_several_words_needs_no_quotes(self):
        counts = self.js("""
            const grid = grids.get('gaps'), rows = (query) => { grid.filter(query); return grid.order.length; };
            const cause = grid.field('cause'), words = grid.rows.text(cause, 0), name = cause.title;
            const all = grid.rows.count, quoted = rows(`${name}=${quote(words)}`);
            return [words, quoted, rows(`${name}=${words}`), rows(`${name} = ${words}, Duration > 0 ms`), rows(`${name}=${words} Duration > 0 ms`),
                    all - rows(`!${name}=${words}`), rows(`${name}=${words}, no-such-word`), rows(`${name}=${words} no-such-word`), rows(`${name}=no such cause`)]""")
        self.assertIn(" ", counts[0])
        self.assertGreater(counts[1], 0)
        self.assertEqual(counts[2:6], [counts[1]] * 4)
        self.assertEqual(counts[6:], [0, 0, 0])


class DefinitionsTest(ViewsCase):
    def shown(self):
        return self.js("const d = document.getElementById('definition'); return d.hidden ? null : d.textContent")

    def test_heads_of_columns_have_theirs_on_hover_focus_and_tap(self):
        self.js("grids.get('ops').reveal('')")
        head = "grids.get('ops').heads()[1].querySelector('button')"
        self.js(f"{head}.dispatchEvent(new MouseEvent('mouseover', {{bubbles: true}}))")
        self.assertEqual(self.shown(), "Time of device work that it launched itself.")
        self.js("document.body.dispatchEvent(new MouseEvent('mouseover', {bubbles: true}))")
        self.assertIsNone(self.shown())
        self.js(f"{head}.focus()")
        self.assertEqual(self.shown(), "Time of device work that it launched itself.")
        self.js("dispatchEvent(new KeyboardEvent('keydown', {key: 'Escape'}))")
        self.assertIsNone(self.shown())

    def test_they_stay_beside_what_they_define_until_it_leaves_the_screen(self):
        self.js("grids.get('ops').reveal('')")
        self.js("showDefinition(grids.get('ops').heads()[1].querySelector('button'))")
        scroll = ("return new Promise((done) => { scrollBy(0, arguments[0]);"
                  "requestAnimationFrame(() => requestAnimationFrame(done)); })")
        below = ("return document.getElementById('definition').getBoundingClientRect().top"
                 " - defined.getBoundingClientRect().bottom")
        self.js(scroll, -100)
        self.assertEqual(self.shown(), "Time of device work that it launched itself.")
        self.assertLess(abs(self.js(below) - 6), 2)
        self.js(scroll, -5000)
        self.assertIsNone(self.shown())

    def test_labels_of_panels_have_those_of_their_metrics(self):
        stops, shown = self.js("const label = document.querySelector('#p-summary [data-metric=\"iteration.time.mean\"]');"
                               "label.click();"
                               "const labels = [...label.closest('table').querySelectorAll('[data-metric]')];"
                               "return [labels.filter((one) => one.tabIndex === 0).length, definition.textContent]")
        self.assertEqual(stops, 1)  # arrows lead to the others
        self.assertIn("mean of the selected iterations", shown)

    def test_every_column_in_view_has_one(self):
        missing = self.js("return [...grids.values()].filter((g) => g.id !== 'metrics').flatMap((g) => "
                          "g.fields().filter((f, i) => !g.heads()[i].firstChild.dataset.doc).map((f) => `${g.id}.${f.id}`))")
        self.assertEqual(missing, [])


class ColumnsTest(ViewsCase):
    def test_the_naming_column_stays_and_the_default_ones_fit(self):
        self.js("for (const box of document.querySelectorAll('details.table')) box.open = true")
        self.driver.cdp("Emulation.setDeviceMetricsOverride", width=1400, height=900, deviceScaleFactor=1, mobile=False)
        wide = self.js("return [...grids.values()].filter((g) => g.table.offsetWidth > g.scroller.clientWidth + 60)"
                       ".map((g) => [g.id, g.table.offsetWidth, g.scroller.clientWidth])")
        self.driver.cdp("Emulation.clearDeviceMetricsOverride")
        self.assertEqual(wide, [])
        for name in ("ops_by_shape", "kernels_by_op"):
            left = self.js("const g = grids.get(arguments[0]); g.scroller.scrollLeft = 400;"
                           "const cell = g.table.querySelector('tbody th');"
                           "return cell.getBoundingClientRect().left - g.scroller.getBoundingClientRect().left", name)
            self.assertGreaterEqual(left, -1)

    def test_what_is_not_shown_at_first_is_a_click_away(self):
        self.assertFalse(self.js("return grids.get('ops').shown().some((f) => f.id === 'type')"))
        self.js("[...document.querySelectorAll('#t-ops .menu label')].find((l) => l.textContent.trim() === 'Type').click()")
        self.assertTrue(self.js("return grids.get('ops').shown().some((f) => f.id === 'type')"))
        self.js("location.reload()")
        self.driver.wait(READY, "the page's scripts")
        self.assertTrue(self.js("return grids.get('ops').shown().some((f) => f.id === 'type')"))

    def test_alt_and_arrows_widen_a_column_which_is_kept(self):
        self.js("grids.get('ops').reveal('')")
        width = "return grids.get('ops').heads()[0].offsetWidth"
        before = self.js(width)
        self.js("grids.get('ops').heads()[0].querySelector('button').dispatchEvent("
                "new KeyboardEvent('keydown', {key: 'ArrowRight', altKey: true, bubbles: true}))")
        wider = self.js(width)
        self.assertGreaterEqual(wider, before + 15)
        self.js("location.reload()")
        self.driver.wait(READY, "the page's scripts")
        self.js("grids.get('ops').reveal('')")
        self.assertEqual(self.js(width), wider)


class InnerRowsTest(ViewsCase):
    def test_an_op_opens_to_its_kernels_in_place(self):
        self.js("grids.get('ops').reveal('')")
        op = self.js("const g = grids.get('ops'); return g.rows.text(g.field('name'), g.order[0])")
        self.js("document.querySelector('#t-ops tbody .twist[aria-expanded]').click()")
        rows = self.js("const g = grids.get('ops'); return g.order.filter((row) => g.rows.isInner(row)).map((row) => "
                       "[g.rows.value(g.field('name'), row), g.rows.value(g.field('device_self'), row)])")
        expected = self.js("const g = grids.get('kernels_by_op'), sums = {};"
                           "for (let r = 0; r < g.rows.count; ++r) if (g.rows.value(g.field('op'), r) === arguments[0]) {"
                           "  const n = g.rows.value(g.field('name'), r); sums[n] = (sums[n] || 0) + g.rows.value(g.field('time'), r); }"
                           "return Object.entries(sums).sort((a, b) => b[1] - a[1])", op)
        self.assertTrue(rows)
        self.assertEqual(rows, expected)
        self.assertEqual(self.js("return document.querySelector('#t-ops .twist[aria-expanded=true]').ariaLabel.slice(0, 5)"), "Close")
        self.js("document.querySelector('#t-ops .twist[aria-expanded=true]').click()")
        self.assertEqual(self.js("const g = grids.get('ops'); return g.order.filter((row) => g.rows.isInner(row)).length"), 0)


class BarsTest(ViewsCase):
    def test_a_share_is_a_bar_whatever_its_table_is_sorted_by(self):
        self.js("for (const box of document.querySelectorAll('details.table')) box.open = true")
        cells = self.js("""
            const out = [];
            for (const grid of grids.values()) {
              const field = grid.shown().find((f) => f.id.endsWith('share') && f !== grid.sortField);
              const row = field && grid.order.findIndex((r) => grid.rows.value(field, r) > 0);
              if (!field || row < 0) continue;
              grid.select(row);
              const line = grid.table.querySelector('tr.current');
              const index = grid.packed ? grid.shown().indexOf(field) : field.index;
              out.push([grid.rows.value(field, grid.order[row]), line.cells[index].style.background]);
            }
            return out""")
        self.assertGreater(len(cells), 1)
        for share, paint in cells:
            self.assertIn(f"{min(100 * share, 1e9):.1f}%", paint.replace("0px", ""))


class SharesTest(ViewsCase):
    def test_the_most_of_a_column_and_the_rest_are_a_pie(self):
        self.js("grids.get('kernels').reveal('');"
                "[...document.querySelectorAll('#t-kernels .tools button')].find((b) => b.textContent === 'Shares').click()")
        whole = self.js("const g = grids.get('kernels'); return g.order.reduce((sum, row) => sum + g.weight(row), 0)")
        self.assertAlmostEqual(self.js("return grids.get('kernels').shares.parts(grids.get('kernels').sortField).reduce((sum, part) => sum + part[1], 0)"), whole)
        self.js("const s = grids.get('kernels').shares; s.most.value = 5; s.most.dispatchEvent(new Event('change'))")
        parts = self.js("return document.querySelectorAll('#t-kernels .pie li').length")
        self.assertLessEqual(parts, 6)
        self.assertEqual(self.js("return document.querySelectorAll('#t-kernels .pie path').length"), parts)


class LayoutsTest(ViewsCase):
    def test_a_layout_is_kept_under_a_name(self):
        self.js("layout.write('columns', {ops: ['calls']}); document.querySelector('nav .menu').open = true;"
                "document.querySelector('nav .menu input[placeholder=name]').value = 'mine';"
                "[...document.querySelectorAll('nav .menu button')].find((b) => b.textContent === 'Save as').click()")
        self.assertEqual(self.js("return JSON.parse(localStorage.getItem('profgauge-layouts')).mine.columns"), {"ops": ["calls"]})
        self.js("layout.write('columns', {}); const s = document.querySelector('nav .menu select[aria-label=\"Saved layouts\"]');"
                "s.value = 'mine'; s.dispatchEvent(new Event('change'))")
        self.driver.wait(READY, "the page's scripts")
        self.assertTrue(self.js("return grids.get('ops').hidden.has('calls')"))

    def test_wide_windows_have_two_columns(self):
        self.driver.cdp("Emulation.setDeviceMetricsOverride", width=2000, height=1000, deviceScaleFactor=1, mobile=False)
        tops = self.js("return ['environment', 'import', 'findings'].map((id) => document.getElementById(id).getBoundingClientRect()).map((box) => [box.left, box.width])")
        self.driver.cdp("Emulation.clearDeviceMetricsOverride")
        self.assertGreater(tops[1][0], tops[0][0] + 500)
        self.assertGreater(tops[2][1], 1500)  # No column beside what is long.

    def test_sections_move_by_drag(self):
        self.js("document.querySelector('nav .menu').open = true")
        order = self.js("""
            const rows = () => [...document.querySelectorAll('nav .menu .row')];
            return new Promise((done) => setTimeout(() => {
              const data = new DataTransfer(), fire = (row, type) => row.dispatchEvent(new DragEvent(type, {bubbles: true, cancelable: true, dataTransfer: data}));
              const named = (text) => rows().find((row) => row.textContent.includes(text));
              const first = named('Findings'), second = named('Iteration time breakdown');
              fire(first, 'dragstart'); fire(second, 'drop');
              done([...document.getElementById('main').children].map((s) => s.id).filter((id) => ['breakdown', 'findings'].includes(id)));
            }, 50));""")
        self.assertEqual(order, ["breakdown", "findings"])


class RangeTest(ViewsCase):
    def test_iterations_that_are_not_selected_are_there_in_grey(self):
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder) / "some.html"
            subprocess.run([Run.profgauge, "report", Run.slow, "-q", "--iter-start", "3", "--html", page],
                           check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            self.driver.open(page.as_uri())
            self.driver.wait(READY, "the page's scripts")
            self.assertEqual(self.js("return document.querySelectorAll('.others svg [opacity]').length > 0"), True)
            titles = self.js("return [...document.querySelectorAll('.others svg .hit title')].map((t) => t.textContent)")
            self.assertEqual(sum("not selected" in title for title in titles), 3)


class SearchTest(ViewsCase):
    def found(self, text):
        self.js("timeline.search(arguments[0])", text)
        return self.js("return timeline.hits.length")

    def setUp(self):
        super().setUp()
        self.driver.wait("!!window.timeline", "the timeline")

    def test_terms_fields_and_comparisons(self):
        # All but the steps of the critical path, which repeat others.
        every = self.js("const path = timeline.pathLane(); return timeline.start.length - (path ? path.end - path.begin : 0)")
        kernels = self.found("kind:kernel")
        self.assertGreater(kernels, 0)
        self.assertEqual(kernels + self.found("!kind:kernel"), every)
        self.found("kind:kernel")
        half = self.js("const all = timeline.hits.map((i) => timeline.duration[i]).sort((a, b) => a - b);"
                       "return all[all.length >> 1]") / 1000
        long = self.found(f"kind:kernel duration > {half} µs")
        self.assertGreater(long, 0)
        self.assertLess(long, kernels)
        self.assertEqual(long, self.js("return timeline.hits.filter((i) => timeline.duration[i] > arguments[0]).length", 1000 * half))
        self.assertEqual(self.found(f"kind:kernel duration>{half} µs or kind:kernel duration<={half} µs"), kernels)
        name = self.js("return timeline.nameOf(timeline.deviceLanes()[0].begin)")
        self.assertEqual(self.found("name=\"" + name.replace('"', '\\"') + "\""),
                         self.js("let n = 0; for (let i = 0; i < timeline.start.length; ++i) if (timeline.nameOf(i) === arguments[0] && !timeline.isStep(i)) ++n; return n", name))

    def test_the_syntax_is_told_with_the_fields_there_are(self):
        self.js("timeline.help$.open = true")
        self.driver.wait("!!timeline.help$.querySelector('.narrow')", "the help")
        text = self.js("return timeline.help$.textContent")
        self.assertIn("duration>5 µs", text)
        self.assertIn("details", text)
