// What events say together: busy times, gaps, sums over a range. A row counts where it starts, time
// where it is, as everywhere in the report; sums and unions are looked up, not counted again.
const EXTREME_PARTS = 100;  // The least and the largest part are the same in each width of window.

class TimelineSums extends TimelineData {
  static kernels = ['tensor_core_kernel', 'other_kernel', 'communication'];

  deviceLanes() {
    return this.lanes.filter((lane) => {
      const track = this.head.tracks[lane.track];
      return track.type === 'stream' && track.rank === this.rank;
    });
  }

  // [start, end, start, end, …] of a lane's events: of those of some categories, else of all that work.
  unionOf(lane, categories) {
    if (!categories && lane.work) return lane.work;
    const counts = CATEGORIES.map(([id], category) => (categories ? categories.includes(id) : category !== CATEGORY.wait));
    const out = new Union(lane.end - lane.begin);
    for (let i = lane.begin; i < lane.end; ++i) {
      if (counts[this.category[this.kind[i]]]) out.add(this.start[i], this.start[i] + this.duration[i]);
    }
    return categories ? out.all() : lane.work = out.all();
  }

  // Of the chosen rank's devices; forgotten by arrange().
  busyUnion() {
    return this.busy ||= mergeAll(this.deviceLanes().map((lane) => this.unionOf(lane)));
  }

  busyShares(pixels) {
    const covered = new Covered(this.busyUnion()), each = (this.last - this.first) / pixels;
    return Float64Array.from({ length: pixels }, (_, x) => covered.in(this.first + x * each, this.first + (x + 1) * each) / each);
  }

  // What a counter sums up to until each moment: of the kernels of its device, which say it at every
  // zoom, or of its points. Copies do not count, as in the metrics.
  integralOf(counter) {
    if (counter.integral) return counter.integral;
    const changes = [];
    if (counter.of) {
      const lanes = this.lanes.filter((lane) => {
        const track = this.head.tracks[lane.track];
        return track.type === 'stream' && track.rank === counter.rank && track.device === counter.device;
      });
      if (counter.of === 'busy') return counter.integral = new Covered(mergeAll(lanes.map((lane) => this.unionOf(lane, TimelineSums.kernels))));
      for (const lane of lanes) {
        for (let i = lane.begin; i < lane.end; ++i) {
          const blocks = TimelineSums.kernels.includes(CATEGORIES[this.category[this.kind[i]]][0]) ? this.head.blocks[this.kind[i]] : 0;
          if (blocks > 0 && this.duration[i] > 0) changes.push(this.start[i], blocks, this.endOf(i), -blocks);
        }
      }
      return counter.integral = new Level(changes, 1);
    }
    counter.time.forEach((time, i) => changes.push(time, counter.value[i] - (i ? counter.value[i - 1] : 0)));
    if (counter.time.length) changes.push(counter.end, -counter.value.at(-1));
    return counter.integral = new Level(changes, Infinity);
  }
  meanOf(counter, from, to) { return this.integralOf(counter).in(from, to) / (to - from); }
  // Of the chosen rank, by name.
  mean(name, from, to) { return this.meanOf(this.counters.find((counter) => counter.name === name && counter.rank === this.rank), from, to); }
  // [mean, least, largest]: of points theirs, else of equal parts of the range, as many in each window. Points say
  // nothing before the first and behind the end: null where all of the range is there.
  extremesOf(counter, from, to) {
    const values = [];
    if (counter.of) {
      const parts = EXTREME_PARTS, each = (to - from) / parts;
      for (let k = 0; k < parts; ++k) values.push(this.meanOf(counter, from + k * each, from + (k + 1) * each));
    } else {
      from = Math.max(from, counter.time[0]);
      to = Math.min(to, counter.end);
      if (!(from < to)) return null;
      for (let i = lowerBound(counter.time, from + 1) - 1; i < counter.time.length && counter.time[i] < to; ++i) values.push(counter.value[i]);
    }
    return [this.meanOf(counter, from, to), values.reduce((a, b) => Math.min(a, b)), values.reduce((a, b) => Math.max(a, b))];
  }

  // The longest times in which the rank's GPUs run nothing, down to a fiftieth of the longest, in
  // order of time.
  gaps() {
    const busy = this.busyUnion(), gaps = [];
    for (let k = 1; k + 1 < busy.length; k += 2) gaps.push([busy[k], busy[k + 1]]);
    gaps.sort((a, b) => (b[1] - b[0]) - (a[1] - a[0]));
    const least = gaps.length ? (gaps[0][1] - gaps[0][0]) / 50 : 0;
    return gaps.slice(0, 200).filter(([start, end]) => end - start >= least).sort((a, b) => a[0] - b[0]);
  }

  nextGap(step) {
    const gaps = this.gaps(), middle = (this.view[0] + this.view[1]) / 2;
    const near = this.range && gaps.findIndex(([start]) => start === this.range[0]);
    let index = near >= 0 && near !== null ? near + step
      : step > 0 ? gaps.findIndex(([start]) => start > middle)
        : gaps.findLastIndex(([, end]) => end < middle);
    if (index < 0 || index >= gaps.length) index = step > 0 ? 0 : gaps.length - 1;
    if (!gaps.length) return;
    const [start, end] = gaps[index];
    this.go(start - 2 * (end - start), end + 2 * (end - start));
    this.choose(start, end);
  }

  // What was not recorded of the chosen rank: calls and work in it are of no category.
  notRecorded() {
    return new Covered((this.head.unobserved || []).filter(([rank]) => rank === this.rank).flatMap(([, start, end]) => [start, end]));
  }

  // For each category the union of it and all before it, of the chosen rank; the first is what was not recorded.
  layersOfWork() {
    if (this.work) return this.work;
    const lists = Array.from({ length: PARTS }, () => []);
    for (const lane of this.lanes) {
      const track = this.head.tracks[lane.track];
      if (track.rank !== this.rank || !['stream', 'thread'].includes(track.type)) continue;
      const counts = new Uint32Array(CATEGORIES.length);
      for (let i = lane.begin; i < lane.end; ++i) ++counts[this.category[this.kind[i]]];
      const own = lists.map((_, category) => new Union(counts[category]));
      for (let i = lane.begin; i < lane.end; ++i) own[this.category[this.kind[i]]]?.add(this.start[i], this.start[i] + this.duration[i]);
      own.forEach((union, category) => union.length && lists[category].push(union.all()));
    }
    let covered = this.notRecorded(), all = covered.union;
    this.work = [covered, ...lists.slice(0, PARTS - 1).map((unions) => {
      if (unions.length) covered = new Covered(all = mergeUnions(all, mergeAll(unions)));
      return covered;
    })];
    return this.work;
  }

  // Time in [a, b] by category, each moment counted for the first category that is true of it, and
  // for none where it was not recorded.
  breakdown(a, b) {
    const parts = new Float64Array(PARTS), [unseen, ...layers] = this.layersOfWork();
    let before = unseen.in(a, b);
    layers.forEach((covered, category) => {
      const time = covered.in(a, b);
      parts[category] = time - before;
      before = time;
    });
    parts[PARTS - 1] = b - a - before;
    return parts;
  }

  // Engines and streams of the chosen rank, each with its lanes and the time it works; with those of
  // sections (DMA queues) behind what they are parts of.
  units() {
    if (this.unitList) return this.unitList;
    const units = new Map();
    const add = (key, name, part, lane) => {
      if (!units.has(key)) units.set(key, { name, part, lanes: [] });
      units.get(key).lanes.push(lane);
    };
    const cores = new Set(this.head.tracks.filter((track) => track.type === 'stream' && track.rank === this.rank).map((track) => track.group));
    for (const lane of this.deviceLanes()) {
      const track = this.head.tracks[lane.track], where = cores.size > 1 ? `${track.group} · ` : '';
      const name = where + (track.unit || track.name);
      add(name, name, false, lane);
      if (track.unit && track.section) add(`${name}/${track.section}`, track.section, true, lane);
    }
    for (const unit of units.values()) unit.covered = new Covered(mergeAll(unit.lanes.map((lane) => this.unionOf(lane))));
    const whole = [...units].sort((p, q) => (p[0] < q[0] ? -1 : 1)), order = [...units.values()].filter((unit) => !unit.part);
    return this.unitList = order.flatMap((unit) => [unit, ...whole.filter(([key]) => key.startsWith(`${unit.name}/`)).map(([, part]) => part)]);
  }

  // Sums of what stands before each event.
  sumsOf(amount) {
    if (amount.sums) return amount.sums;
    amount.sums = new Float64Array(amount.value.length + 1);
    for (let i = 0; i < amount.value.length; ++i) amount.sums[i + 1] = amount.sums[i] + amount.value[i];
    return amount.sums;
  }

  // {events, busy, amounts: {id: sum}, names: Map of name to count} of lanes in [a, b); amounts are of events that start there.
  sum(unit, a, b) {
    const out = { events: 0, busy: unit.covered.in(a, b), amounts: {}, names: new Map() };
    const adding = this.amounts.filter((amount) => amount.adds_up);
    for (const amount of adding) out.amounts[amount.id] = 0;
    const counts = this.counts ||= new Uint32Array(this.head.kinds.length), seen = [];
    for (const lane of unit.lanes) {
      const from = this.firstStarting(lane, a), to = this.firstStarting(lane, b, from), first = this.firstEnding(lane, a);
      out.events += Math.max(0, to - first);
      for (const amount of adding) out.amounts[amount.id] += this.sumsOf(amount)[to] - this.sumsOf(amount)[from];
      for (let i = first; i < to; ++i) if (!counts[this.kind[i]]++) seen.push(this.kind[i]);
    }
    for (const kind of seen) {
      const name = this.head.kinds[kind][0];
      out.names.set(name, (out.names.get(name) || 0) + counts[kind]);
      counts[kind] = 0;
    }
    return out;
  }

  // Device work in [a, b] by name: [name, time, count, category], most time first.
  heaviest(a, b, lanes = this.deviceLanes()) {
    const time = new Float64Array(this.head.kinds.length), count = new Uint32Array(this.head.kinds.length), by = new Map();
    for (const lane of lanes) {
      for (let i = this.firstEnding(lane, a); i < lane.end && this.start[i] < b; ++i) {
        const kind = this.kind[i];
        time[kind] += Math.min(this.endOf(i), b) - Math.max(this.start[i], a);
        ++count[kind];
      }
    }
    count.forEach((events, kind) => {
      if (!events || this.category[kind] === CATEGORY.wait) return;
      const name = this.head.kinds[kind][0], entry = by.get(name) || [name, 0, 0, this.category[kind]];
      entry[1] += time[kind];
      entry[2] += events;
      by.set(name, entry);
    });
    return [...by.values()].sort((p, q) => q[1] - p[1]);
  }
}
