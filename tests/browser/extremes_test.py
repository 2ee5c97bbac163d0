"""Pages at the ends of what there is: shares above 100 %, and more ranks than fit a window."""
import subprocess

from driver import Run, page_url
from made_traces import above_the_roof, rank_of_many
from views_test import ViewsCase


def report(page, *traces):
    """The page of these recordings, each a name and its text."""
    folder = Run.examples / page.removesuffix(".html")
    folder.mkdir()
    for name, text in traces:
        (folder / name).write_text(text)
    paths = [folder / name for name, _ in traces]
    subprocess.run([Run.profgauge, "report", *paths, "-q", "--html", Run.examples / page],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


class AboveTheRoofTest(ViewsCase):
    PAGE = "above_the_roof.html"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        report(cls.PAGE, ("a.pt.trace.json", above_the_roof()))

    def test_a_bar_over_100_percent_stays_in_its_cell(self):
        rows = self.js("""
            grids.get('roofline').reveal('');
            const g = grids.get('roofline'), field = g.field('roof_share');
            g.hidden.delete('roof_share');
            g.apply();
            return g.order.map((row, at) => {
              g.select(at);
              const line = g.table.querySelector('tr.current');
              const cell = line.cells[g.packed ? g.shown().indexOf(field) : field.index];
              return [g.rows.value(field, row), cell.style.background, cell.textContent,
                      cell.scrollWidth <= cell.clientWidth + 1];
            })""")
        shares = {round(10 * share): (paint, text, fits) for share, paint, text, fits in rows}
        self.assertEqual(sorted(shares), [5, 100])
        paint, text, fits = shares[100]
        self.assertIn("100.0%", paint.replace("0px", ""))  # The bar ends with its cell,
        self.assertEqual("".join(text.split()), "1000.0%")  # the number does not.
        self.assertTrue(fits)
        self.assertIn("50.0%", shares[5][0])


class ManyRanksTest(ViewsCase):
    PAGE = "many_ranks.html"
    RANKS = 72

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        report(cls.PAGE, *((f"rank{rank}.pt.trace.json", rank_of_many(rank, cls.RANKS)) for rank in range(cls.RANKS)))

    def setUp(self):  # Above 64 ranks a page has no timeline to wait for.
        self.driver.cdp("Emulation.clearDeviceMetricsOverride")
        self.driver.open("about:blank")
        self.driver.open(page_url(self.PAGE))
        self.driver.wait("document.documentElement.dataset.tables === 'ready'", "the page's scripts")

    def test_any_rank_can_be_chosen_and_has_its_rows(self):
        self.assertEqual(self.js("return document.getElementById('rank-choice').options.length"), self.RANKS + 1)
        self.js("const s = document.getElementById('rank-choice'); s.value = '45'; s.dispatchEvent(new Event('change'))")
        rows = self.js("""return [...grids.values()].filter((g) => g.field('rank')).map((g) => [g.id, g.order.length,
            g.order.every((row) => g.rows.value(g.field('rank'), row) === 45), g.status.textContent])""")
        self.assertLessEqual({"rank_steps", "gpus", "streams"}, {row[0] for row in rows if row[1]})
        for table, count, is_own, status in rows:
            self.assertTrue(is_own, table)
            # Of the slowest, the median and the fastest rank, or the heaviest rows: said, where they are not 45's.
            self.assertTrue(count or status.startswith("0 of "), table)

    def test_a_rank_is_found_in_whole_tables(self):
        found = self.js("const g = grids.get('ranks'); g.filter('rank=71'); return [g.order.length, g.rows.of || g.rows.count]")
        self.assertEqual(found, [1, self.RANKS])

    def test_a_kernel_whose_row_is_not_in_the_page_is_found(self):
        table, here, of = self.js("const { rows, id } = grids.get('kernels_by_op'); return [id, rows.count, rows.of]")
        self.assertLess(here, of)  # 24 rows of a rank.
        absent, count, first, last = self.js(f"return grids.get('{table}').rows.absent.find(([name]) => name.startsWith('own'))")
        self.assertEqual((count, first, last), (1, 45, 45))
        hits = self.js(f"return hitsOf('{absent}').map((hit) => hit.text)")
        self.assertIn(f"{absent}: in 1 row that is not in this page, rank 45", hits)
        self.assertIn(absent, hits)  # Of tables that have it.
        self.js("scopeBar.choose({ rank: 44 })")
        self.assertEqual(self.js(f"return hitsOf('{absent}').filter((hit) => hit.text.includes('rank 45'))"), [])

    def test_the_late_rank_is_named_first(self):
        self.assertIn("71", self.js("return document.querySelector('main').innerText.slice(0, 1500)"))

    def test_the_page_is_small_and_in_its_window(self):
        self.assertLess((Run.examples / self.PAGE).stat().st_size, 400_000)
        for width in (1400, 400):
            self.driver.cdp("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
            self.assertLessEqual(self.js("return document.documentElement.scrollWidth - innerWidth"), 0, width)
