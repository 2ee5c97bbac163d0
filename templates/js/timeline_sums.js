// What the device events say together: busy times, gaps, sums over a range.
class TimelineSums extends TimelineData {
  deviceLanes() {
    return this.lanes.filter((lane) => {
      const track = this.head.tracks[lane.track];
      return track.type === 'stream' && track.rank === this.rank;
    });
  }

  // Union of device work of the chosen rank: [start, end, start, end, …].
  busyUnion() {
    if (this.busy) return this.busy;
    const lists = this.deviceLanes().map((lane) => {
      const out = [];
      for (let i = lane.begin; i < lane.end; ++i) push(out, this.start[i], this.endOf(i));
      return out;
    });
    while (lists.length > 1) lists.push(mergeUnions(lists.shift(), lists.shift()));
    return this.busy = lists[0] || [];
  }

  busyShares(pixels) {
    const shares = new Float64Array(pixels);
    const each = (this.last - this.first) / pixels, busy = this.busyUnion();
    for (let k = 0; k < busy.length; k += 2) {
      let from = (busy[k] - this.first) / each;
      const to = (busy[k + 1] - this.first) / each;
      while (from < to) {
        const cell = Math.floor(from), stop = Math.min(to, cell + 1);
        if (cell < pixels) shares[cell] += stop - from;
        from = stop > from ? stop : to;
      }
    }
    return shares;
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

  // Time in [a, b] by category, each moment counted for the first category that is true of it.
  breakdown(a, b) {
    const points = [];
    for (const lane of this.lanes) {
      const track = this.head.tracks[lane.track];
      if (track.rank !== this.rank || track.type === 'python') continue;
      for (let i = this.firstEnding(lane, a); i < lane.end && this.start[i] < b; ++i) {
        const category = this.category[this.kind[i]];
        if (category >= PARTS) continue;
        points.push([Math.max(this.start[i], a), category], [Math.min(this.endOf(i), b), category - PARTS]);
      }
    }
    points.sort((p, q) => p[0] - q[0]);
    const parts = new Float64Array(PARTS), open = new Int32Array(PARTS);
    let before = a;
    const close = (time) => {
      let first = open.findIndex((count) => count > 0);
      if (first < 0) first = PARTS - 1;
      parts[first] += time - before;
      before = time;
    };
    for (const [time, code] of points) {
      if (time > before) close(time);
      if (code >= 0) ++open[code]; else --open[code + PARTS];
    }
    close(b);
    return parts;
  }

  // Device work in [a, b] by name: [name, time, count, category], most time first.
  heaviest(a, b) {
    const by = new Map();
    for (const lane of this.deviceLanes()) {
      for (let i = this.firstEnding(lane, a); i < lane.end && this.start[i] < b; ++i) {
        const name = this.nameOf(i);
        const entry = by.get(name) || [name, 0, 0, this.category[this.kind[i]]];
        entry[1] += Math.min(this.endOf(i), b) - Math.max(this.start[i], a);
        ++entry[2];
        by.set(name, entry);
      }
    }
    return [...by.values()].sort((p, q) => q[1] - p[1]);
  }

  choose(a, b) {
    this.range = [Math.min(a, b), Math.max(a, b)];
    const [from, to] = this.range, span = to - from;
    const parts = this.breakdown(from, to), heavy = this.heaviest(from, to);
    const row = (color, label, ...cells) => {
      const dot = make('span', { className: 'dot' });
      dot.style.background = color;
      return make('tr', {}, make('th', { scope: 'row', align: 'left' }, dot, label),
        ...cells.map((text) => make('td', { align: 'right' }, text)));
    };
    const table = (caption, rows) => make('table', { className: 'plain' },
      make('caption', {}, caption), make('tbody', {}, ...rows));
    this.summary$.replaceChildren(
      make('h3', {}, `Selected ${format(span, 'ns')}`),
      table('Where it goes', [...parts].map((time, index) => time > 0 &&
        row(CATEGORIES[index][2], CATEGORIES[index][1], format(time / span, 'ratio'), format(Math.round(time), 'ns'))).filter(Boolean)),
      table(`Device work: ${format(heavy.reduce((n, entry) => n + entry[2], 0), 'count')} events`,
        heavy.slice(0, 8).map(([name, time, count, category]) =>
          row(CATEGORIES[category][2], shorten(name, 60), `${format(count, 'count')} ×`, format(Math.round(time), 'ns')))));
    this.redraw();
    this.keepHash();
  }
}
