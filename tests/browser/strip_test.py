"""The strip and the lanes against the numbers: what is painted is what is said."""
import json
import pathlib
import re
import subprocess

from driver import READY, Run
from extremes_test import report
from made_traces import iteration, launch, rank_of_collectives, rank_of_many, recording
from views_test import ViewsCase

TOLERANCE = 0.005
STEPS = 30  # Of the height of a column.
DATA = pathlib.Path(__file__).resolve().parents[3] / "shared/data"
LARGEST = 4_000_000  # Bytes of a recording whose page is measured.
WORK = ("tensor_core_kernel", "other_kernel", "communication", "memcpy", "memset")
RANK_WORK = ("compute_only", "overlapped", "transfer_exposed", "copy")

# Of each lane: what it says, what the highest outline of its parts covers of its ground, by numbers
# and as the browser fills it, and the text beside it.
MEASURE = """
  return [...document.querySelectorAll('figure#strip g[data-lane]')].map((lane) => {
    const ground = [...lane.querySelectorAll('[data-ground]')].reduce((sum, r) => sum + r.width.baseVal.value * r.height.baseVal.value, 0);
    const path = lane.querySelector('g path');
    let painted = 0, columns = [];
    if (path) {
      const scale = path.parentNode.transform.baseVal.consolidate().matrix;
      let y = 0;
      for (const [, command, value] of path.getAttribute('d').matchAll(/([hv])(-?[\\d.]+)/g)) {
        if (command === 'v') { y -= +value; continue; }
        painted += y * +value;
        for (let x = 0; x < +value; ++x) columns.push(y);
      }
      painted *= scale.a * scale.d;
    }
    return { columns, blank: lane.querySelectorAll('[data-ground]').length > 1, lane: lane.dataset.lane, rank: +lane.dataset.rank, share: +lane.dataset.share, painted: painted / ground,
             inside: !path || lane.getBBox().width <= lane.querySelector('title').parentNode.getBBox().width + 0.5 };
  });"""


def rows_of(report_json, table):
    found = report_json["tables"].get(table)
    if not found:
        return []
    ids = [column["id"] for column in found["columns"]]
    return [dict(zip(ids, row)) for row in found["rows"]]


def shares_of(report_json):
    """The share of work of each window of the strip, by report.json."""
    calls = [row for row in rows_of(report_json, "rank_calls") if row["name"] == "iteration"]
    if calls:
        steps = {(row["rank"], row["step"]): row for row in rows_of(report_json, "rank_steps")}
        of = [steps[(row["rank"], row["step"])] for row in calls]
        return [sum(row[part] or 0 for part in RANK_WORK) / row["duration"] for row in of]
    # As long as it was observed: time that the profiler did not see is nobody's.
    def observed(row):
        return row["duration"] - (row["unobserved"] or 0)

    iterations = sorted(rows_of(report_json, "iterations"), key=observed)
    slowest = observed(iterations[-1])
    ordered = [next(row for row in rows_of(report_json, "iterations") if observed(row) == slowest)]
    if len(iterations) > 1:
        ordered.append(iterations[(len(iterations) - 1) // 2])
    # Collectives of the host (gloo) are no work of the device.
    of_device = any(row["is_collective"] for row in rows_of(report_json, "kernels"))
    work = [part for part in WORK if part != "communication" or of_device]
    return [sum(row[part] or 0 for part in work) / observed(row) for row in ordered]


class StripTest(ViewsCase):
    def measure(self, name, *inputs):
        page, data = Run.examples / f"strip_{name}.html", Run.examples / f"strip_{name}.json"
        done = subprocess.run([Run.profgauge, "report", *inputs, "-q", "--html", page, "--json", data],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        if done.returncode or not page.exists():
            return 0  # A recording that is refused has no page.
        self.driver.open(page.as_uri())
        lanes = self.js(MEASURE)
        for lane in lanes:
            self.assertAlmostEqual(lane["painted"], lane["share"], delta=TOLERANCE, msg=f"{name}: {lane}")
        # Each column is full: what the upper lane lacks, the lower one has, to a step of each.
        for upper, lower in zip(lanes[::2], lanes[1::2]):
            if upper["columns"] and lower["columns"] and not upper["blank"]:
                sums = [a + b for a, b in zip(upper["columns"], lower["columns"])]
                self.assertGreaterEqual(min(sums), STEPS - 2, name)
                self.assertLessEqual(max(sums), STEPS + 2, name)
        work = [lane["share"] for lane in lanes if lane["lane"] == "gpu"]
        # Each says its share, too.
        texts = self.js("return [...document.querySelectorAll('#strip text[font-size]')].map((text) => parseFloat(text.textContent))")
        self.assertEqual(len(texts), len(work), name)
        for text, share in zip(texts, work):
            self.assertAlmostEqual(text, 100 * share, delta=0.06, msg=name)
        idle = [lane["share"] for lane in lanes if lane["lane"] == "idle"]
        for share, rest in zip(work, idle):
            self.assertAlmostEqual(share + rest, 1, delta=0.0002, msg=name)
        if work:
            said = shares_of(json.loads(data.read_text()))
            self.assertEqual(len(said), len(work), name)
            for share, right in zip(work, said):
                self.assertAlmostEqual(share, right, delta=TOLERANCE, msg=name)
        return len(lanes)

    def test_our_own_recordings(self):
        self.assertEqual(self.measure("slow", Run.slow), 4)
        self.assertEqual(self.measure("ddp", Run.source / "ddp"), 6)
        traces = []
        for rank in range(3):
            traces.append(Run.examples / f"strip_rank{rank}.pt.trace.json")
            traces[-1].write_text(rank_of_many(rank, 3))
        self.assertEqual(self.measure("ranks", *traces), 6)

    def test_each_of_many_collectives_waits_and_some_are_connected(self):
        traces = []
        for rank in range(3):
            traces.append(Run.examples / f"strip_calls{rank}.pt.trace.json")
            traces[-1].write_text(rank_of_collectives(rank, 350))
        self.assertEqual(self.measure("calls", *traces), 6)
        text = self.js("return document.getElementById('strip').textContent")
        self.assertIn("GPU works", text)
        drawn = self.js("return document.querySelector('#strip svg.chart').textContent")
        waits = [float(share) for share in re.findall(r"waits ([\d.]+)", drawn)]
        self.assertEqual(len(waits), 3)
        self.assertGreater(waits[2], waits[1])
        self.assertGreater(waits[1], 5)
        lines = self.js("return document.querySelector('#strip path.rule').getAttribute('d').split('M').length - 1")
        self.assertGreater(lines, 100)
        self.assertLessEqual(lines, 120)
        self.assertIn("on two ranks, at most 60 of them.", text)

    def test_collectives_of_the_host_are_no_work_of_the_device(self):
        gloo = {"ph": "X", "cat": "cpu_op", "name": "gloo:all_reduce", "pid": 1, "tid": 2, "ts": 600, "dur": 300,
                "args": {"External id": 9, "Input Dims": [[4096]], "Input type": ["float"]}}
        events = iteration(1, 0, 1000) + launch("aten::mm", "volta_sgemm_128x64_nn", 90, 400, 1) + [gloo]
        report("host_collective.html", ("a.pt.trace.json", recording(events)))
        self.driver.open((Run.examples / "host_collective.html").as_uri())
        shares = self.js("return [...document.querySelectorAll('#strip [data-lane]')].map((g) => [g.dataset.lane, +g.dataset.share, g.textContent])")
        self.assertEqual([share for _, share, _ in shares], [0.4, 0.6])
        self.assertIn("Communication", shares[1][2])

    def test_real_recordings(self):
        folder = DATA / "kineto"
        if not folder.exists():
            self.skipTest(f"no recordings in {folder}")
        lanes = self.measure("dlrm", folder / "dlrm_8ranks")
        for name in ("nsight-systems/lockfuehrer_beast_report1.sqlite", "labelled/gemm_03_compute_misaligned.json.gz",
                     "page-4/given/fine.json", "xla/mi300_jax_conv.xplane.pb", "ascend"):
            lanes += self.measure(name.split("/")[-1].split(".")[0], DATA / name)
        self.assertLess((Run.examples / "strip_gemm_03_compute_misaligned.html").stat().st_size, 181_000)
        for path in sorted(folder.rglob("*.json*")):
            if path.stat().st_size <= LARGEST and ".expected." not in path.name and not {"malformed", "dlrm_8ranks"} & set(path.parts):
                lanes += self.measure(path.name.split(".")[0], path)
        self.assertGreater(lanes, 50)


class LaneTest(ViewsCase):
    PAGE = "narrow.html"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        events = iteration(0, 0, 40_000)
        for i in range(2_000):  # 2 of every 20 us
            events += launch("aten::mm", "volta_sgemm_128x64_nn", 20 * i, 2, i + 1)
        report(cls.PAGE, ("a.pt.trace.json", recording(events)))

    def test_narrow_events_are_as_high_as_their_share_of_a_pixel(self):
        self.driver.open((Run.examples / self.PAGE).as_uri())
        self.driver.wait(READY, "the page")
        share = self.js("""
          const t = timeline, lane = t.deviceLanes()[0], row = t.rows.find((r) => r.lanes?.includes(lane));
          t.go(t.first, t.last);
          t.draw();
          const ratio = devicePixelRatio, y = row.y - t.scroll, height = TL.lane - 2;
          const box = t.canvas$.getContext('2d').getImageData(TL.left * ratio, y * ratio, (t.width - TL.left) * ratio, height * ratio);
          const paper = [...t.canvas$.getContext('2d').getImageData((t.width - 2) * ratio, (y + height + 1) * ratio, 1, 1).data].slice(0, 3);
          const full = t.lookOf(lane.begin, lane)[0].match(/\\w\\w/g).map((x) => parseInt(x, 16));
          const k = full.map((v, i) => Math.abs(v - paper[i])).reduce((best, v, i, all) => (v > all[best] ? i : best), 0);
          let sum = 0;
          for (let p = 0; p < box.data.length; p += 4) sum += (box.data[p + k] - paper[k]) / (full[k] - paper[k]);
          return sum / (box.data.length / 4);""")
        self.assertAlmostEqual(share, 0.1, delta=0.02)
        self.assertIn("of this pixel", self.js("const t = timeline; return t.tipOf(t.deviceLanes()[0].begin)"))

    def test_many_samples_in_a_pixel_are_its_mean_and_the_last_is_held(self):
        self.driver.open((Run.examples / self.PAGE).as_uri())
        self.driver.wait(READY, "the page")
        areas = self.js("""
          const t = timeline, from = t.timeAt(TL.left + 10), pixel = t.timeAt(TL.left + 11) - from, out = [];
          for (const last of [0, 1]) for (const line of [false, true]) {
            const time = Array.from({ length: 10 }, (_, k) => from + pixel * k / 10), rects = [];
            const value = time.map((_, k) => (k + 1 + last) % 2);
            const g = { fillRect: (x, y, w, h) => rects.push([x, w, h]), fillText() {}, measureText: () => ({ width: 0 }) };
            t.drawCounter(g, { time, value, line, end: t.last, top: 1, most: 1, unit: 'ratio' }, 0, 108);
            rects.pop();  // the number's ground
            out.push(rects.map(([x, w, h]) => [Math.round(x - TL.left), Math.round(w), Math.round(h)]));
          }
          return [out, t.width - TL.left];""")
        (low, low_line, high, high_line), width = areas
        self.assertEqual(low, [[10, 1, 50], [11, width - 11, 0]])
        self.assertEqual(high, [[10, 1, 50], [11, width - 11, 100]])
        self.assertEqual(low_line, [[10, 1, 102], [10, width - 10, 2]])
        self.assertEqual(high_line, [[10, 1, 102], [10, width - 10, 2]])

    def test_the_small_map_is_painted_by_the_same_rule(self):
        self.driver.open((Run.examples / self.PAGE).as_uri())
        self.driver.wait(READY, "the page")
        painted, busy = self.js("""
          const t = timeline, ratio = devicePixelRatio, g = t.mini$.getContext('2d');
          const parts = Math.floor(t.width - TL.left), drawn = [], fill = g.fillRect;
          g.fillRect = (x, y, width, height) => { if (width === 1) drawn.push(width * height); };
          t.findings = [];
          t.drawMini();
          g.fillRect = fill;
          return [drawn.reduce((a, b) => a + b, 0) / (parts * TL.mini), new Covered(t.busyUnion()).in(t.first, t.last) / (t.last - t.first)];""")
        self.assertAlmostEqual(busy, 0.1, delta=0.01)
        self.assertAlmostEqual(painted, busy, delta=0.005)


class CounterTest(ViewsCase):
    PAGE = "counters.html"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        events = iteration(0, 0, 40_000)
        for i in range(1_000):  # 10 of every 20 us, and nothing in the second half.
            events += launch("aten::mm", "volta_sgemm_128x64_nn", 20 * i, 10, i + 1, **{"blocks per SM": 0.5})
        events += launch("aten::mm", "volta_sgemm_128x64_nn", 39_000, 100, 1_001, **{"blocks per SM": 3})
        report(cls.PAGE, ("a.pt.trace.json", recording(events)))

    def test_means_are_exact_at_every_zoom(self):
        start = self.js("const t = timeline; return t.start[t.deviceLanes()[0].begin]")
        for counter, level in (("GPU utilization", 1), ("est. SM efficiency", 0.5)):
            for begin, end, share in ((0, 20_000_000, 0.5), (25_000_000, 26_000_000, 0), (1_000, 3_000, 1),
                                      (8_000, 12_000, 0.5)):
                with self.subTest(counter, begin=begin):
                    self.assertAlmostEqual(self.js("return timeline.mean(...arguments)", counter, start + begin, start + end),
                                           share * level, delta=0.001)
        self.assertEqual(self.js("return timeline.mean('est. SM efficiency', ...arguments)", start + 39_010_000, start + 39_020_000), 1)

    def test_extremes_are_the_same_in_each_window(self):
        told = self.js("""const t = timeline, counters = t.counters.filter((counter) => counter.of), width = t.width, tell = () =>
            counters.map((counter) => t.extremesOf(counter, t.first, t.first + 30e6));
            const wide = tell(); t.width = 390; const narrow = tell(); t.width = width; return [wide, narrow]""")
        self.assertEqual(len(told[0]), 2)
        self.assertEqual(*told)

    def test_given_windows(self):
        given = DATA / "page-4/given"
        if not given.exists():
            self.skipTest(f"no {given}")
        page = Run.examples / "fine.html"
        subprocess.run([Run.profgauge, "report", given / "fine.json", "-q", "--html", page],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.driver.open(page.as_uri())
        self.driver.wait(READY, "the page")
        rows = [line.split("\t") for line in (given / "expected.tsv").read_text().splitlines()]
        windows = [(place, float(share)) for file, what, place, share in rows if what == "utilization"]
        self.assertEqual(len(windows), 5)
        for place, share in windows:
            with self.subTest(place):
                mean = self.js("return timeline.mean('GPU utilization', ...arguments[0].map((t) => t + timeline.first))", [int(t) for t in place.split(",")])
                self.assertAlmostEqual(mean, share, delta=0.001)

    def test_a_new_place_in_the_address_draws_again(self):
        before = self.js("return +document.documentElement.dataset.drawn")
        self.js("location.hash = '#t=1000000,2000000'")
        self.driver.wait(f"+document.documentElement.dataset.drawn > {before} && timeline.view[0] === 1e6", "the new view")

    def test_the_view_tells_them(self):
        self.js("const t = timeline, start = t.start[t.deviceLanes()[0].begin]; t.go(start + 25e6, start + 26e6); t.tellRange()")
        cells = self.js("return [...document.querySelectorAll('#timeline-section table')].filter((t) => t.caption?.textContent === 'Counters')"
                        ".flatMap((t) => [...t.tBodies[0].rows].map((r) => [r.cells[0].textContent, r.cells[1].title]))")
        self.assertEqual(cells, [["GPU utilization", "0"], ["est. SM efficiency", "0"]])
