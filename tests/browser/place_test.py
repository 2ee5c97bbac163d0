"""The page as a place: its first screen, the view in the address, Back, one search over everything."""
from driver import READY, page_url
from views_test import ViewsCase

PLAN = "document.querySelectorAll('#plan tbody tr')"


class FirstScreenTest(ViewsCase):
    def test_sentence_bars_and_plan_are_on_it(self):
        self.driver.cdp("Emulation.setDeviceMetricsOverride", width=1400, height=900, deviceScaleFactor=1, mobile=False)
        bottoms = self.js("return ['.diagnosis', '.now', '#plan'].map((part) => document.querySelector(part).getBoundingClientRect().bottom)")
        self.driver.cdp("Emulation.clearDeviceMetricsOverride")
        self.assertEqual(bottoms, sorted(bottoms))
        self.assertLess(bottoms[-1], 900)
        self.assertEqual(self.js("return document.querySelector('.diagnosis b').textContent"), "Input-bound")
        self.assertEqual(self.js("return document.querySelectorAll('.now .bar').length"), 2)
        rows = self.js(f"return [...{PLAN}].map((row) => row.textContent)")
        self.assertIn(len(rows), (2, 3, 4))
        self.assertIn("Load data ahead", rows[0])
        self.assertRegex(rows[0], r"ms \(−\d+\.\d")

    def test_show_leads_to_the_evidence(self):
        # No step of this plan cites a time on the timeline, so that each leads to its finding.
        self.js("scrollTo(0, 0); document.querySelector('a.show').click()")
        top, is_open = self.js("const finding = document.querySelector(document.querySelector('a.show').hash);"
                               "return [finding.getBoundingClientRect().top, finding.open]")
        self.assertLess(abs(top), 300)
        self.assertTrue(is_open)

    def test_the_menu_has_every_table(self):
        missing = self.js("return [...document.querySelectorAll('details.table[id]')].map((box) => box.id).filter((id) => !document.querySelector(`.side a[href='#${id}']`))")
        self.assertEqual(missing, [])

    def test_what_passed_has_a_positive_title(self):
        passed = self.js("return [...document.querySelectorAll('#findings li')].map((li) => li.textContent).filter((text) => text.startsWith('✓'))")
        self.assertGreater(len(passed), 20)
        fired = self.js("return [...document.querySelectorAll('.finding summary b')].map((b) => b.textContent)")
        self.assertFalse([title for title in fired if any(f"✓ {title} " in text for text in passed)])


class AddressTest(ViewsCase):
    def reopen(self):
        address = self.js("return location.href")
        self.driver.open("about:blank")
        self.driver.open(address)
        self.driver.wait(READY, "the page's scripts")

    def state(self):
        return self.js("const ops = grids.get('ops'), kernels = grids.get('kernels');"
                       "return [ops.query, ops.order.length, kernels.sortField.id, kernels.descending,"
                       "document.getElementById('t-streams')?.open]")

    def test_filter_sort_and_open_boxes_are_in_it(self):
        self.js("""
            const ops = grids.get('ops'), kernels = grids.get('kernels');
            ops.input.value = 'aten ~ <b>&#'; ops.input.dispatchEvent(new Event('input'));
            const at = kernels.fields().indexOf(kernels.field('calls'));
            kernels.heads()[at].querySelector('button').click();
            const box = document.getElementById('t-streams'); if (box) box.open = true;""")
        self.driver.wait("location.hash.includes('g.kernels') && location.hash.includes('g.ops')", "the address")
        before = self.state()
        self.js("localStorage.clear()")
        self.reopen()
        self.assertEqual(self.state(), before)
        self.assertEqual(self.js("return grids.get('ops').input.value"), "aten ~ <b>&#")

    def test_a_view_of_the_timeline_keeps_the_filters(self):
        self.js("grids.get('ops').reveal('aten')")
        self.js("timeline.show(timeline.first, timeline.first + 5e6, null)")
        self.driver.wait("location.hash.startsWith('#t=') && location.hash.includes('g.ops=aten')", "both")
        view = self.js("return timeline.view")
        self.reopen()
        self.assertEqual(self.js("return grids.get('ops').query"), "aten")
        for now, then in zip(self.js("return timeline.view"), view):
            self.assertAlmostEqual(now, then, delta=2)

    def test_back_returns_from_a_jump(self):
        before = self.js("scrollTo(0, 1200); return scrollY")
        self.js("grids.get('kernels').reveal('gemm')")
        self.assertNotEqual(self.js("return scrollY"), before)
        self.js("history.back()")
        self.driver.wait(f"Math.abs(scrollY - {before}) < 5 && grids.get('kernels').query === ''", "the place before")

    def test_a_strange_address_does_no_harm(self):
        for address in ("#g.ops=%E0%A4%A", "#g.ops=~nothing~x&g.none=a~b~c&o=main,nothing&rank=99", "#%3Cimg%20src=x%20onerror=alert(1)%3E"):
            self.driver.open("about:blank")
            self.driver.open(page_url(self.PAGE) + address)
            self.driver.wait(READY, "the page's scripts")
            self.assertGreater(self.js("return grids.get('kernels').order.length"), 0, address)
            self.assertEqual(self.js("return document.images.length"), 0)

    def test_headings_have_links(self):
        hrefs = self.js("return [...document.querySelectorAll('a.anchor')].map((a) => [a.getAttribute('href'), a.tabIndex])")
        self.assertIn(["#findings", -1], hrefs)
        self.assertGreater(len(hrefs), 20)


class SearchAllTest(ViewsCase):
    def hits(self, text):
        self.js("const box = document.getElementById('search-all'); box.value = arguments[0]; box.dispatchEvent(new Event('input'))", text)
        self.driver.wait("!document.querySelector('.hits').hidden", "the hits")
        self.driver.wait("new Promise((done) => setTimeout(() => done(true), 250))", "all of them")
        return self.js("return [...document.querySelectorAll('.hits li')].map((li) => li.textContent)")

    def test_it_finds_findings_rows_definitions_and_events(self):
        self.js("document.body.focus()")
        self.driver.keys("/")
        self.assertEqual(self.js("return document.activeElement.id"), "search-all")
        self.assertTrue(any(hit.startswith("Finding") for hit in self.hits("input data")))
        hits = self.hits("addmm")
        self.assertTrue(any(hit.startswith("Operators ") for hit in hits), hits)
        self.assertTrue(any(hit.startswith("Timeline") for hit in hits), hits)
        self.assertTrue(any(hit.startswith("Definition") for hit in self.hits("gpu.idle.mean")))
        self.assertIn("Nothing in this page", self.hits("no such thing <img>")[0])

    def test_enter_goes_to_the_first(self):
        self.hits("addmm")
        self.js("document.getElementById('search-all').focus()")
        self.driver.keys("\ue007")
        self.driver.wait("[...grids.values()].some((grid) => grid.query.includes('addmm'))", "the filter")


class WindowTest(ViewsCase):
    def test_the_timeline_fills_the_window_and_returns(self):
        self.js("timeline.fill()")
        box = self.js("const b = document.getElementById('timeline-section').getBoundingClientRect(); return [b.left, b.top, b.width - innerWidth]")
        self.assertEqual(box[:2], [0, 0])
        self.assertLess(abs(box[2]), 20)
        self.driver.keys("\ue00c")
        self.assertFalse(self.js("return timeline.isFull()"))

    def test_arrows_step_between_lanes(self):
        self.js("timeline.canvas$.focus(); timeline.pickFirst()")
        lanes = self.js("const seen = []; for (let i = 0; i < 3; ++i) { seen.push(timeline.lanes.indexOf(timeline.laneOf(timeline.selected))); timeline.stepLane(1); } return seen")
        self.assertEqual(len(set(lanes)), 3, lanes)

    def test_a_removed_mark_comes_back(self):
        self.js("timeline.mark(timeline.first + 1000, 'one'); timeline.mark(timeline.first + 2000, 'two')")
        self.js("document.querySelector('[aria-label=\"Remove one\"]').click()")
        self.assertEqual(self.js("return timeline.marks.map((mark) => mark.name)"), ["two"])
        self.js("document.querySelector('.undo button').click()")
        self.assertEqual(self.js("return timeline.marks.map((mark) => mark.name)"), ["one", "two"])
