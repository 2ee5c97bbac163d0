"""The page as a place: its first screen, the view in the address, Back, one search over everything."""
from driver import READY, page_url
from views_test import ViewsCase

PLAN = "document.querySelectorAll('#plan tr[data-step]')"


class FirstScreenTest(ViewsCase):
    def test_sentence_bars_and_plan_are_on_it(self):
        self.driver.cdp("Emulation.setDeviceMetricsOverride", width=1400, height=900, deviceScaleFactor=1, mobile=False)
        bottoms = self.js("return ['.diagnosis', '.now', '#plan'].map((part) => document.querySelector(part).getBoundingClientRect().bottom)")
        self.driver.cdp("Emulation.clearDeviceMetricsOverride")
        self.assertEqual(bottoms, sorted(bottoms))
        self.assertLess(bottoms[-1], 900)
        self.assertEqual(self.js("return document.querySelector('.diagnosis b').textContent"), "Input-bound")
        self.assertEqual(self.js("return document.querySelectorAll('.now .bar').length"), 1)
        rows = self.js(f"return [...{PLAN}].map((row) => row.textContent)")
        self.assertIn("Load data ahead", rows[0])
        self.assertRegex(rows[0], r"ms \(−\d+\.\d")

    def test_steps_fall_from_now_to_after_the_plan(self):
        now, bars, after = self.js("""
            const bar = (row) => { const r = row.querySelector('rect'); return r && [r.x.baseVal.value, r.width.baseVal.value]; };
            return [[...document.querySelectorAll('tr[data-row=now] rect')].reduce((sum, r) => sum + r.width.baseVal.value, 0),
                    [...document.querySelectorAll('tr[data-step]')].map(bar), bar(document.querySelector('tr[data-row=after]'))];""")
        self.assertEqual(after[0], 0)
        right = bars[0][0] + bars[0][1]
        for left, width in bars:  # Each begins where the one before ends; at its low end it is shorter.
            self.assertLessEqual(left + width, right + 0.2)
            right = left + width
        self.assertGreaterEqual(bars[-1][0], after[1] - 0.2)
        self.assertLess(after[1], now)

    def test_all_bars_have_one_axis(self):
        for width in (1400, 900, 390):
            with self.subTest(width):
                self.driver.cdp("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
                places = self.js("""return [...document.querySelectorAll('.falls tbody .pic svg')].map((svg) => {
                    const box = svg.getBoundingClientRect(); return `${Math.round(box.left)} ${Math.round(box.right)}`; })""")
                self.driver.cdp("Emulation.clearDeviceMetricsOverride")
                self.assertGreater(len(places), 2)
                self.assertEqual(len(set(places)), 1, places)

    def test_one_number_is_the_largest_and_every_reason_is_on_it(self):
        self.driver.cdp("Emulation.setDeviceMetricsOverride", width=1440, height=900, deviceScaleFactor=1, mobile=False)
        sizes = self.js("""return [...document.querySelectorAll('header *')].filter((e) => e.checkVisibility() && [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim()))
            .map((e) => [parseFloat(getComputedStyle(e).fontSize), 'hero' in e.dataset])""")
        bottoms = self.js("return [...document.querySelectorAll('[data-reason]')].map((e) => e.getBoundingClientRect().bottom)")
        self.driver.cdp("Emulation.clearDeviceMetricsOverride")
        heroes = [size for size, is_hero in sizes if is_hero]
        self.assertEqual(len(heroes), 1)
        self.assertGreater(heroes[0], max(size for size, is_hero in sizes if not is_hero))
        self.assertTrue(bottoms)
        self.assertLess(max(bottoms), 900)

    def at(self, width, script):
        self.driver.cdp("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        found = self.js(script)
        self.driver.cdp("Emulation.clearDeviceMetricsOverride")
        return found

    def test_the_picture_of_an_iteration_is_on_it(self):
        self.assertLess(self.at(1440, "scrollTo(0, 0); return document.getElementById('strip').getBoundingClientRect().bottom"), 900)

    def test_texts_of_the_picture_can_be_read_in_all_windows(self):
        # All of it is in sight. A phone has the numbers below it, in place of its texts.
        for width in (1440, 1200, 1000, 800, 390):
            with self.subTest(width):
                sizes, cut, over, below = self.at(width, """const svg = document.querySelector('#strip svg.chart'), box = svg.getBoundingClientRect();
                    const shown = [...svg.querySelectorAll('text')].filter((text) => getComputedStyle(text).display !== 'none');
                    const narrow = document.querySelector('#strip .narrow'), scale = box.width / svg.viewBox.baseVal.width;
                    return [shown.map((text) => parseFloat(getComputedStyle(text).fontSize) * scale), box.right > svg.parentNode.getBoundingClientRect().right + 1,
                            document.documentElement.scrollWidth - innerWidth, getComputedStyle(narrow).display === 'none' ? '' : narrow.innerText];""")
                self.assertGreater(min(sizes, default=9), 8.5)
                self.assertFalse(cut)
                self.assertLessEqual(over, 0)
                self.assertEqual(bool(sizes), width != 390)
                self.assertEqual("GPU busy" in below, width == 390)

    def test_a_step_says_its_saving_beside_the_title_and_what_to_do_below(self):
        for width in (1100, 800, 390):
            with self.subTest(width):
                for beside, wide in self.at(width, """return [...document.querySelectorAll('tr[data-step]')].map((row) => {
                        const box = (e) => e.getBoundingClientRect(), what = row.querySelector('.what'), saves = box(row.cells[3]);
                        return [Math.abs(box(what.firstElementChild).top - saves.top) < 4, box(what.querySelector('span')).width / box(row).width]; })"""):
                    self.assertTrue(beside)
                    self.assertGreater(wide, 0.8)

    def test_the_list_of_sections_has_four_groups(self):
        groups = self.js("""const groups = [];
            for (const item of document.querySelectorAll('nav.side > ul > li')) {
              if (item.className === 'group') groups.push([item.textContent]); else groups.at(-1).push(item.firstChild.textContent);
            }
            return groups;""")
        self.assertEqual([group[0] for group in groups], ["Verdict", "Time", "Work", "About"])
        self.assertEqual(groups[2][1:3], ["Operators", "Kernels"])
        self.assertEqual(groups[2][-1], "All tables")

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

    def test_what_did_not_fire_claims_only_what_was_measured(self):
        lists = self.js("return [...document.querySelectorAll('#findings details:not(.finding):not(.finding *)')].map((box) => "
                        "[box.querySelector('summary').textContent, [...box.querySelectorAll('li')].map((li) => li.textContent)])")
        self.assertEqual([head.split(" ", 2)[2] for head, _ in lists], ["measured and good", "not found", "not judged"])
        items = [text for _, texts in lists for text in texts]
        measured = lists[0][1]
        self.assertGreaterEqual(len(measured), 5)
        for text in measured:
            self.assertRegex(text, r"\d.*\b(?:warns|fails) (?:above|below) ")
        self.assertFalse([text for text in items if "✓" in text])
        fired = self.js("return [...document.querySelectorAll('.finding summary b')].map((b) => b.textContent)")
        self.assertFalse([title for title in fired if any(text.startswith(f"{title}: ") for text in measured)])


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

    def test_what_the_timeline_found_is_in_it(self):
        self.js("timeline.search('aten & \"x\" or kernel')")
        self.driver.wait("location.hash.includes('find=')", "the address")
        found = self.js("return [timeline.search$.value, timeline.hits.length]")
        self.reopen()
        self.assertEqual(self.js("return [timeline.search$.value, timeline.hits.length]"), found)
        self.assertGreater(found[1], 0)

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
        folded = self.js("const all = document.querySelectorAll('summary > .anchor'); all[0].click(); return [all.length, location.hash]")
        self.assertGreater(folded[0], 20)
        self.assertRegex(folded[1], "^#f-")


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


class RowTest(ViewsCase):
    def test_an_operator_opens_with_its_kernels_and_they_lead_back(self):
        self.js("openRow(grids.get('ops'), grids.get('ops').order[0])")
        heads = self.js("return [...dialog.querySelectorAll('thead th')].map((head) => head.textContent)")
        self.assertEqual(heads[:3], ["Kernel", "Time", "Calls"])
        self.assertTrue({"Mean", "Shortest", "Longest", "Tensor Cores"} <= set(heads), heads)
        first = self.js("return dialog.querySelector('h3').textContent")
        self.js("dialog.querySelector('tbody button').click()")
        self.assertIn("Kernels", self.js("return dialog.querySelector('h3').textContent"))
        self.js("[...dialog.querySelectorAll('button')].find((b) => b.textContent.startsWith('‹')).click()")
        self.assertEqual(self.js("return dialog.querySelector('h3').textContent"), first)

    def test_an_iteration_leads_to_an_operator_and_its_launches(self):
        self.js("openRow(grids.get('iterations'), 0)")
        titles = []
        for _ in range(2):
            titles.append(self.js("return dialog.querySelector('caption').textContent"))
            self.js("dialog.querySelector('tbody button').click()")
        self.assertTrue(titles[0].startswith("Operators by iteration"), titles)
        self.assertTrue(titles[1].startswith("Launches"), titles)

    def test_starts_of_neighbours_are_told_apart(self):
        starts = self.js("const g = grids.get('launches'); return [0, 1, 2, 3].map((row) => g.rows.text(g.field('call_start'), row))")
        self.assertEqual(len(set(starts)), 4, starts)
        self.assertRegex(starts[0], r"^[\d\s\u202f]+\.\d{3,6}\sms$")

    def test_all_columns_and_those_of_the_start(self):
        count = "const g = grids.get('ops'); [...g.tools.querySelectorAll('.menu button')].find((b) => b.textContent === arguments[0]).click(); return g.shown().length"
        before = self.js("return grids.get('ops').shown().length")
        self.assertEqual(self.js(count, "All"), self.js("return grids.get('ops').fields().length"))
        self.assertEqual(self.js(count, "Default"), before)

    def test_a_column_that_there_is_not_is_said(self):
        status = self.js("const g = grids.get('ops'); g.filter('Bogus > 5 ms aten'); return [g.order.length, g.status.textContent]")
        self.assertGreater(status[0], 0)
        self.assertIn("no column “Bogus”, ignored", status[1])

    def test_shares_of_an_operator_are_four_pies(self):
        self.js("[...grids.get('ops').tools.querySelectorAll('button')].find((b) => b.textContent === 'Shares').click()")
        self.assertEqual(self.js("return [...document.querySelectorAll('.pie b')].map((b) => b.textContent)"),
                         ["Device self", "Device total", "Host self", "Host total"])


class BesideTest(ViewsCase):
    def test_what_a_finding_cites_stands_beside_the_timeline_and_goes_back(self):
        self.driver.cdp("Emulation.setDeviceMetricsOverride", width=1400, height=900, deviceScaleFactor=1, mobile=False)
        order = "return [...document.querySelectorAll('.finding')].filter((box) => !box.closest('.guest')).map((box) => box.id)"
        before, width = self.js(order), self.js("return timeline.width")
        tops = self.js("document.querySelector('[data-interval] button').click();"
                       "return ['.guest', '.stage canvas'].map((part) => document.querySelector(part).getBoundingClientRect().top)")
        self.assertLess(abs(tops[0] - tops[1]), 20)
        self.assertLess(self.js("return timeline.width"), 0.8 * width)
        self.js("document.querySelector('.guest button').click()")
        self.driver.cdp("Emulation.clearDeviceMetricsOverride")
        self.assertEqual(self.js(order), before)

    def test_charts_and_the_timeline_are_copied_as_pictures(self):
        share = self.js("""return new Promise((done) => {
            window.copyPicture = (canvas) => {
                const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data, seen = new Set();
                for (let i = 0; i < data.length; i += 4) seen.add(data[i] << 16 | data[i + 1] << 8 | data[i + 2]);
                done([canvas.width, seen.size]);
            };
            document.querySelector('.picture').click();
        })""")
        self.assertGreater(share[0], 500)
        self.assertGreater(share[1], 5)
        self.assertTrue(self.js("return [...document.querySelectorAll('#timeline-section .tools button')].some((b) => b.textContent === 'PNG')"))

    def test_panels_are_copied_and_widened(self):
        text = self.js("window.copyText = (text) => { window.copied = text; };"
                       "document.querySelector('[aria-label^=\"Copy as Markdown: Performance summary\"]').click(); return copied")
        self.assertIn("| Performance summary |", text)
        self.assertIn("| Wall clock time | ", text)
        span = self.js("document.querySelector('[aria-label^=\"Wider, or as before: Performance summary\"]').click();"
                       "return document.getElementById('p-summary').style.gridColumn")
        self.assertIn("span 2", span)

    def test_the_tab_key_stops_at_most_150_times(self):
        stops = self.js("return [...document.querySelectorAll('a[href], button, input, select, summary, [tabindex]')]"
                        ".filter((one) => one.tabIndex >= 0 && one.checkVisibility({ visibilityProperty: true })).length")
        self.assertLess(stops, 150)
