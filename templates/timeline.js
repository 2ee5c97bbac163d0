// timeline.js: the recording's events on a canvas. Nothing is an object per event: lanes are sorted
// columns, and drawing jumps over what is narrower than a pixel, so that a million events pan
// smoothly. Keys: W S + - zoom, A D arrows pan, F fit, 0 all, / search, [ ] idle gaps, M mark,
// , . neighbours, Enter details, Esc none.

const TL = { lane: 15, head: 22, counter: 44, left: 190, axis: 24, mini: 40 };
const NONE = -1;

// Colours and order of the exclusive breakdown: templates/html, render/html/palette.h.
const CATEGORIES = [
  ['tensor_core_kernel', 'Kernels on Tensor Cores', '#009E73', '#000'],
  ['other_kernel', 'Other kernels', '#56B4E9', '#000'],
  ['memcpy', 'Memory copies', '#0072B2', '#fff'],
  ['memset', 'Memory sets', '#777777', '#fff'],
  ['communication', 'Communication', '#CC79A7', '#000'],
  ['runtime', 'Runtime calls', '#E69F00', '#000'],
  ['dataloader', 'Data loader', '#D55E00', '#000'],
  ['cpu', 'Other host work', '#F0E442', '#000'],
  ['other', 'Unattributed', '#B3B3B3', '#000'],
  ['annotation', 'Annotations', '#D9D2F0', '#000'],
  ['python', 'Python', '#CFE3D6', '#000'],
];
const PARTS = 9;  // of these make the breakdown

class Timeline {
  constructor(section, { head, columns }) {
    this.head = head;
    this.link = columns.link;
    this.kind = columns.kind;
    this.start = columns.start;
    this.duration = columns.duration;
    for (let i = 0; i < this.start.length; ++i) {
      this.start[i] *= head.unit;
      this.duration[i] *= head.unit;
    }
    const place = new Map(CATEGORIES.map(([id], index) => [id, index]));
    this.category = Uint8Array.from(head.kinds, (kind) => place.get(kind[1]) ?? 8);
    this.readCounters(columns);
    this.first = Infinity;
    this.last = -Infinity;
    this.lanes = head.lanes.map(([track, depth, begin, end]) => ({ track, depth, begin, end }));
    for (const lane of this.lanes) {
      if (lane.begin === lane.end) continue;
      this.first = Math.min(this.first, this.start[lane.begin]);
      this.last = Math.max(this.last, this.endOf(lane.end - 1));
    }
    this.folded = new Set(layout.read().folded || []);
    this.rank = head.tracks.length ? head.tracks[0].rank : 0;
    this.view = [this.first, this.last];
    this.scroll = 0;
    this.selected = NONE;
    this.range = null;
    this.marks = [];
    this.hits = [];
    this.build(section);
    this.arrange();
    this.listen();
    this.readHash();
    this.resize();
  }

  readCounters(columns) {
    let at = 0, time = 0;
    this.counters = this.head.counters.map((counter) => {
      const slice = [at, at += counter.count];
      return { ...counter, time: columns.counter_time.slice(...slice).map((t) => t * this.head.unit),
        value: columns.counter_value.slice(...slice) };
    });
    return time;
  }

  endOf(event) { return this.start[event] + this.duration[event]; }
  nameOf(event) { return this.head.kinds[this.kind[event]][0]; }
  trackOf(event) { return this.head.tracks[this.laneOf(event).track]; }
  laneOf(event) {
    let low = 0, high = this.lanes.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.lanes[middle].begin <= event) low = middle; else high = middle - 1;
    }
    return this.lanes[low];
  }
  // The first event of the lane, not before `from`, that ends after `time`.
  firstEnding(lane, time, from = lane.begin) {
    let low = from, high = lane.end;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.endOf(middle) > time) high = middle; else low = middle + 1;
    }
    return low;
  }
  firstStarting(lane, time, from) {
    let low = from, high = lane.end;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.start[middle] >= time) high = middle; else low = middle + 1;
    }
    return low;
  }

  // ---- The parts of the section.

  build(section) {
    section.hidden = false;
    const button = (text, title, onclick) => make('button', { type: 'button', title, onclick }, text);
    this.search$ = make('input', { type: 'search', placeholder: 'find events ( / )', 'aria-label': 'Find events', size: 22 });
    this.found$ = make('span', { className: 'small mute', role: 'status' });
    this.mini$ = make('canvas', { className: 'mini', role: 'img', 'aria-label': 'How busy the GPUs are over the recording; drag to move the view' });
    this.canvas$ = make('canvas', { tabIndex: 0, role: 'application', 'aria-label': 'Timeline of the recording: W and S zoom, A and D move, comma and full stop step through events, Enter tells of one' });
    this.tip$ = make('div', { className: 'tip', hidden: true });
    this.details$ = make('div', { className: 'details', role: 'status' });
    this.summary$ = make('div', { className: 'details' });
    this.marks$ = make('div', { className: 'small' });
    const tools = make('div', { className: 'tools' }, this.search$,
      button('‹', 'previous match', () => this.nextHit(-1)), button('›', 'next match', () => this.nextHit(1)), this.found$,
      button('All', 'the whole recording (0)', () => this.go(this.first, this.last)),
      button('Fit', 'fit what is selected (F)', () => this.fit()),
      button('‹ gap', 'previous idle gap ([)', () => this.nextGap(-1)),
      button('gap ›', 'next idle gap (])', () => this.nextGap(1)),
      button('Mark', 'mark this time (M)', () => this.mark()),
      button('Perfetto', 'open this view\'s events in ui.perfetto.dev', () => this.openPerfetto()));
    const keys = 'Drag or A D to move, wheel or W S to zoom, shift-drag to sum a range, click for details.';
    section.append(make('h2', {}, 'Timeline'), tools, this.mini$,
      make('div', { className: 'stage' }, this.canvas$, this.tip$),
      make('p', { className: 'small mute' }, keys, this.head.left_out ? ` Left out: ${this.head.left_out}.` : '',
        this.head.unit > 1 ? ` Times are to ${this.head.unit} ns.` : ''),
      this.legend(), this.marks$, make('div', { className: 'columns' }, this.details$, this.summary$));
  }

  legend() {
    const used = new Set(this.category);
    const line = make('p', { className: 'small legend' });
    CATEGORIES.forEach(([, label, color], index) => {
      if (!used.has(index)) return;
      const swatch = make('span', { className: 'dot' });
      swatch.style.background = color;
      line.append(make('span', {}, swatch, label), ' ');
    });
    return line;
  }

  // Rows of the canvas: group heads, lanes, counters, each with its y.
  arrange() {
    this.rows = [];
    const groups = new Map();
    this.head.tracks.forEach((track, index) => {
      if (track.rank !== this.rank) return;
      if (!groups.has(track.group)) groups.set(track.group, []);
      groups.get(track.group).push(index);
    });
    let y = TL.axis;
    const add = (row) => { this.rows.push({ ...row, y }); y += row.height; };
    const several = this.head.tracks.some((track) => track.rank !== this.rank);
    for (const [group, tracks] of groups) {
      const folded = this.folded.has(group);
      add({ type: 'group', group, name: several ? `rank ${this.rank} · ${group}` : group, height: TL.head, folded });
      if (folded) continue;
      for (const index of tracks) {
        const lanes = this.lanes.filter((lane) => lane.track === index);
        lanes.forEach((lane, i) => add({
          type: 'lane', lane, name: i ? '' : this.head.tracks[index].name,
          height: TL.lane + (i + 1 === lanes.length ? 4 : 0),
        }));
      }
      for (const counter of this.counters) {
        if (counter.group === group && counter.rank === this.rank) {
          add({ type: 'counter', counter, name: counter.name, height: TL.counter });
        }
      }
    }
    this.height = y + 8;
    this.busy = null;
  }

  resize() {
    const ratio = devicePixelRatio || 1;
    this.width = this.canvas$.parentElement.clientWidth || 1190;
    this.shown = Math.min(this.height, Math.max(320, Math.round(innerHeight * 0.62)));
    const fit = (canvas, height) => {
      canvas.width = this.width * ratio;
      canvas.height = height * ratio;
      canvas.style.height = `${height}px`;
      canvas.style.width = `${this.width}px`;
      canvas.getContext('2d').setTransform(ratio, 0, 0, ratio, 0, 0);
    };
    fit(this.canvas$, this.shown);
    fit(this.mini$, TL.mini);
    this.miniImage = null;
    this.scroll = Math.min(this.scroll, Math.max(0, this.height - this.shown));
    this.redraw();
  }

  redraw() {
    if (this.pending) return;
    this.pending = requestAnimationFrame(() => {
      this.pending = 0;
      this.draw();
    });
  }

  x(time) { return TL.left + (time - this.view[0]) * this.scale; }
  timeAt(x) { return this.view[0] + (x - TL.left) / this.scale; }

  // ---- Drawing.

  draw() {
    const css = getComputedStyle(document.documentElement);
    this.colors = { ink: css.getPropertyValue('--ink'), soft: css.getPropertyValue('--soft'),
      line: css.getPropertyValue('--line'), paper: css.getPropertyValue('--paper'),
      raised: css.getPropertyValue('--raised'), bad: css.getPropertyValue('--bad') };
    const g = this.canvas$.getContext('2d');
    this.scale = (this.width - TL.left) / (this.view[1] - this.view[0]);
    g.fillStyle = this.colors.paper;
    g.fillRect(0, 0, this.width, this.shown);
    g.font = '11px system-ui, sans-serif';
    g.textBaseline = 'middle';
    this.drawFindings(g);
    for (const row of this.rows) {
      const y = row.y - this.scroll;
      if (y + row.height < TL.axis || y > this.shown) continue;
      if (row.type === 'lane') this.drawLane(g, row.lane, y);
      if (row.type === 'counter') this.drawCounter(g, row.counter, y);
    }
    this.drawArrow(g);
    this.drawOverlay(g);
    this.drawNames(g);
    this.drawAxis(g);
    this.drawMini();
    document.documentElement.dataset.drawn = 1 + +(document.documentElement.dataset.drawn || 0);
  }

  // An event narrower than a pixel is drawn as one, and the next event looked at is the first that
  // reaches beyond it: the work is bounded by pixels, not by events.
  drawLane(g, lane, y) {
    const [t0, t1] = this.view;
    const height = TL.lane - 2, wide = [];
    let color = NONE;
    for (let i = this.firstEnding(lane, t0); i < lane.end && this.start[i] < t1;) {
      const x0 = Math.max(this.x(this.start[i]), TL.left);
      const x1 = Math.min(this.x(this.endOf(i)), this.width);
      const category = this.category[this.kind[i]];
      if (category !== color) g.fillStyle = CATEGORIES[color = category][2];
      if (x1 - x0 < 1) {
        g.fillRect(x0, y, 1, height);
        i = this.firstEnding(lane, this.timeAt(x0 + 1), i + 1);
        continue;
      }
      g.fillRect(x0, y, Math.max(x1 - x0 - 0.5, 0.5), height);
      if (x1 - x0 > 28) wide.push(i, x0, x1);
      ++i;
    }
    for (let k = 0; k < wide.length; k += 3) {
      const [i, x0, x1] = wide.slice(k, k + 3);
      g.fillStyle = CATEGORIES[this.category[this.kind[i]]][3];
      g.fillText(shorten(this.nameOf(i), Math.floor((x1 - x0 - 4) / 6.4)), x0 + 3, y + height / 2 + 0.5);
    }
    if (this.hitKinds) this.drawHits(g, lane, y, height);
    if (this.selected >= lane.begin && this.selected < lane.end) {
      const x0 = this.x(this.start[this.selected]), x1 = this.x(this.endOf(this.selected));
      g.strokeStyle = this.colors.ink;
      g.lineWidth = 2;
      g.strokeRect(x0 - 1, y - 1, Math.max(x1 - x0, 2) + 1, height + 2);
    }
  }

  drawHits(g, lane, y, height) {
    g.strokeStyle = this.colors.bad;
    g.lineWidth = 1.5;
    for (let i = this.firstEnding(lane, this.view[0]); i < lane.end && this.start[i] < this.view[1];) {
      const x0 = this.x(this.start[i]), x1 = this.x(this.endOf(i));
      if (this.hitKinds[this.kind[i]]) g.strokeRect(x0, y, Math.max(x1 - x0, 2), height);
      i = x1 - x0 < 1 ? this.firstEnding(lane, this.timeAt(x0 + 2), i + 1) : i + 1;
    }
  }

  drawCounter(g, counter, y) {
    const top = Math.max(...counter.value, 1), height = TL.counter - 8;
    g.fillStyle = CATEGORIES[1][2];
    const at = (i) => y + 2 + height * (1 - counter.value[i] / top);
    let i = Math.max(0, lowerBound(counter.time, this.view[0]) - 1);
    for (; i < counter.time.length && counter.time[i] < this.view[1];) {
      const x0 = Math.max(this.x(counter.time[i]), TL.left);
      let next = i + 1;
      if (next < counter.time.length && this.x(counter.time[next]) < x0 + 1) {
        next = Math.max(next, lowerBound(counter.time, this.timeAt(x0 + 1)));
      }
      const x1 = next < counter.time.length ? this.x(counter.time[next]) : this.width;
      g.fillRect(x0, at(i), Math.max(Math.min(x1, this.width) - x0, 1), y + 2 + height - at(i));
      i = next;
    }
    g.fillStyle = this.colors.soft;
    g.fillText(format(top, counter.unit), TL.left + 4, y + 8);
  }

  // Names stand over the left edge, so that events never cover them.
  drawNames(g) {
    g.fillStyle = this.colors.paper;
    g.fillRect(0, 0, TL.left, this.shown);
    for (const row of this.rows) {
      const y = row.y - this.scroll;
      if (y + row.height < TL.axis || y > this.shown) continue;
      if (row.type === 'group') {
        g.fillStyle = this.colors.raised;
        g.fillRect(0, y, this.width, row.height - 2);
        g.fillStyle = this.colors.ink;
        g.font = '600 12px system-ui, sans-serif';
        g.fillText(`${row.folded ? '▸' : '▾'} ${shorten(row.name, 90)}`, 6, y + row.height / 2);
        g.font = '11px system-ui, sans-serif';
      } else if (row.name) {
        g.fillStyle = this.colors.soft;
        g.fillText(shorten(row.name, 30), 18, y + TL.lane / 2);
      }
    }
    g.strokeStyle = this.colors.line;
    g.lineWidth = 1;
    line(g, TL.left - 0.5, TL.axis, TL.left - 0.5, this.shown);
  }

  drawAxis(g) {
    g.fillStyle = this.colors.paper;
    g.fillRect(0, 0, this.width, TL.axis);
    g.fillStyle = this.colors.soft;
    g.strokeStyle = this.colors.line;
    const rough = (this.view[1] - this.view[0]) / ((this.width - TL.left) / 120);
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].find((factor) => factor * power >= rough) * power;
    for (let t = Math.ceil((this.view[0] - this.first) / step) * step; this.first + t < this.view[1]; t += step) {
      const x = this.x(this.first + t);
      line(g, x, TL.axis - 5, x, TL.axis);
      g.fillText(axisTime(t, step), x + 3, TL.axis / 2);
    }
    line(g, 0, TL.axis - 0.5, this.width, TL.axis - 0.5);
  }

  drawFindings(g) {
    g.globalAlpha = 0.16;
    g.fillStyle = this.colors.bad;
    for (const [start, end, rank] of this.findings || []) {
      if (rank !== NONE && rank !== this.rank) continue;
      if (end < this.view[0] || start > this.view[1]) continue;
      g.fillRect(this.x(start), TL.axis, Math.max((end - start) * this.scale, 2), this.shown);
    }
    g.globalAlpha = 1;
  }

  drawOverlay(g) {
    const band = (start, end, alpha) => {
      g.globalAlpha = alpha;
      g.fillStyle = this.colors.ink;
      g.fillRect(this.x(start), TL.axis, Math.max((end - start) * this.scale, 1), this.shown);
      g.globalAlpha = 1;
    };
    if (this.range) band(...this.range, 0.12);
    g.strokeStyle = this.colors.bad;
    g.fillStyle = this.colors.bad;
    g.lineWidth = 1.5;
    this.marks.forEach((time, index) => {
      const x = this.x(time);
      line(g, x, TL.axis, x, this.shown);
      g.fillText(String(index + 1), x + 3, TL.axis + 8);
    });
  }

  // From the launching call to the device event.
  drawArrow(g) {
    const from = this.selected === NONE ? NONE : this.link[this.selected];
    if (from === NONE || from === undefined) return;
    const a = this.rowOf(from), b = this.rowOf(this.selected);
    if (!a || !b) return;
    const x0 = this.x(this.endOf(from)), y0 = a.y - this.scroll + TL.lane / 2;
    const x1 = this.x(this.start[this.selected]), y1 = b.y - this.scroll + TL.lane / 2;
    g.strokeStyle = this.colors.ink;
    g.lineWidth = 1.5;
    g.beginPath();
    g.moveTo(x0, y0);
    g.bezierCurveTo(x0 + 40, y0, x1 - 40, y1, x1, y1);
    g.moveTo(x1 - 7, y1 - 4);
    g.lineTo(x1, y1);
    g.lineTo(x1 - 7, y1 + 4);
    g.stroke();
  }

  drawMini() {
    const g = this.mini$.getContext('2d');
    g.font = '11px system-ui, sans-serif';
    g.textBaseline = 'middle';
    if (!this.miniImage) {
      this.miniImage = this.busyShares(Math.floor(this.width - TL.left));
    }
    g.clearRect(0, 0, this.width, TL.mini);
    g.fillStyle = this.colors.raised;
    g.fillRect(TL.left, 0, this.width, TL.mini);
    g.fillStyle = this.colors.soft;
    g.fillText('GPU busy', 18, TL.mini / 2);
    g.fillStyle = CATEGORIES[1][2];
    this.miniImage.forEach((share, x) => g.fillRect(TL.left + x, TL.mini * (1 - share), 1, TL.mini * share));
    const at = (time) => TL.left + Math.min(Math.max((time - this.first) / (this.last - this.first), 0), 1) * (this.width - TL.left);
    g.fillStyle = this.colors.bad;
    for (const [start, end, rank] of this.findings || []) {
      if (rank === NONE || rank === this.rank) g.fillRect(at(start), 0, Math.max(at(end) - at(start), 2), 4);
    }
    g.strokeStyle = this.colors.ink;
    g.lineWidth = 2;
    g.strokeRect(at(this.view[0]) + 1, 1, Math.max(at(this.view[1]) - at(this.view[0]) - 2, 3), TL.mini - 2);
  }

  // ---- What the device events say together.

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

  // The longest times in which the rank's GPUs run nothing, in order of time.
  gaps() {
    const busy = this.busyUnion(), gaps = [];
    for (let k = 1; k + 1 < busy.length; k += 2) gaps.push([busy[k], busy[k + 1]]);
    gaps.sort((a, b) => (b[1] - b[0]) - (a[1] - a[0]));
    return gaps.slice(0, 200).sort((a, b) => a[0] - b[0]);
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

  // ---- Selecting an event.

  rowOf(event) {
    return this.rows.find((row) => row.type === 'lane' && event >= row.lane.begin && event < row.lane.end);
  }

  // Host events that contain `time` on the track of `event`, outermost first.
  parentsOf(event) {
    const lane = this.laneOf(event), out = [];
    for (const other of this.lanes) {
      if (other.track !== lane.track || other.depth >= lane.depth) continue;
      const i = this.firstEnding(other, this.start[event]);
      if (i < other.end && this.start[i] <= this.start[event]) out.push(i);
    }
    return out;
  }

  // What the device ran for the host event and all inside it.
  launchedIn(event) {
    const track = this.laneOf(event).track, from = this.start[event], to = this.endOf(event);
    const events = [];
    for (const lane of this.deviceLanes()) {
      for (let i = lane.begin; i < lane.end; ++i) {
        const call = this.link[i];
        if (call === NONE || this.start[call] < from || this.start[call] >= to) continue;
        if (this.laneOf(call).track === track) events.push(i);
      }
    }
    return events;
  }

  pick(event, quiet) {
    this.selected = event;
    if (event === NONE) {
      this.details$.replaceChildren();
    } else {
      this.tell(event);
      if (!quiet) this.bring(event);
    }
    this.redraw();
    this.keepHash();
  }

  tell(event) {
    const list = make('dl', {});
    const fact = (label, ...children) => list.append(make('dt', {}, label), make('dd', {}, ...children));
    const jump = (to) => make('button', {
      type: 'button', className: 'link', onclick: () => this.pick(to),
    }, shorten(this.nameOf(to), 90));
    const kind = this.head.kinds[this.kind[event]], track = this.trackOf(event);
    fact('Name', kind[0]);
    fact('Kind', CATEGORIES[this.category[this.kind[event]]][1]);
    fact('Start', `${axisTime(this.start[event] - this.first, 1)}`);
    fact('Duration', `${format(this.duration[event], 'ns')} (${this.duration[event]} ns)`);
    fact('On', `${track.group}, ${track.name}`);
    if (kind[2]) fact('Details', kind[2]);
    const call = this.link[event];
    if (call !== NONE) {
      fact('Launched by', jump(call));
      fact('After', format(Math.max(0, this.start[event] - this.endOf(call)), 'ns'));
      const parents = this.parentsOf(call).reverse();
      if (parents.length) fact('In', ...parents.slice(0, 8).flatMap((p) => [jump(p), ' ']));
    } else if (track.type !== 'stream') {
      const parents = this.parentsOf(event).reverse();
      if (parents.length) fact('In', ...parents.slice(0, 8).flatMap((p) => [jump(p), ' ']));
      const launched = this.launchedIn(event);
      if (launched.length) {
        const time = launched.reduce((sum, i) => sum + this.duration[i], 0);
        fact('Launches', `${format(launched.length, 'count')} events, ${format(time, 'ns')} in sum: `, jump(launched[0]));
      }
    }
    const cited = [...document.querySelectorAll('details.finding')].filter((box) => box.textContent.includes(kind[0]));
    if (cited.length) {
      fact('Cited by', ...cited.map((box) => make('a', { href: `#${box.id}` }, box.querySelector('b').textContent)));
    }
    for (const id of ['kernels', 'ops']) {
      const grid = grids.get(id);
      if (grid && (track.type === 'stream') === (id === 'kernels')) {
        fact('Table', make('button', { type: 'button', className: 'link', onclick: () => grid.reveal(`name="${kind[0]}"`) }, grid.title()));
      }
    }
    this.details$.replaceChildren(make('h3', {}, shorten(kind[0], 120)), list);
  }

  // Moves the view so that the event is in it.
  bring(event) {
    const from = this.start[event], to = this.endOf(event), [t0, t1] = this.view;
    const track = this.trackOf(event);
    if (track.rank !== this.rank) this.chooseRank(track.rank);
    if (this.folded.delete(track.group)) this.arrange();
    if (from < t0 || to > t1 || (to - from) * this.scale < 3) {
      const half = Math.max((to - from) * 10, 1000);
      this.go((from + to) / 2 - half, (from + to) / 2 + half);
    }
    const row = this.rowOf(event);
    if (row && (row.y < this.scroll + TL.axis || row.y + 30 > this.scroll + this.shown)) {
      this.scrollTo(row.y - this.shown / 2);
    }
  }

  // ---- Searching.

  knows(name) {
    this.names = this.names || new Set(this.head.kinds.map((kind) => kind[0]));
    return this.names.has(name);
  }

  search(text) {
    this.search$.value = text;
    const word = text.trim().toLowerCase();
    this.hitKinds = word ? Uint8Array.from(this.head.kinds, (kind) => kind[0].toLowerCase().includes(word)) : null;
    this.hits = [];
    if (word) {
      for (const lane of this.lanes) {
        if (this.head.tracks[lane.track].rank !== this.rank) continue;
        for (let i = lane.begin; i < lane.end; ++i) if (this.hitKinds[this.kind[i]]) this.hits.push(i);
      }
      this.hits.sort((a, b) => this.start[a] - this.start[b]);
    }
    this.hit = -1;
    this.found$.textContent = word ? `${format(this.hits.length, 'count')} found` : '';
    this.redraw();
    if (word) {
      this.nextHit(1);
      document.getElementById('timeline-section').scrollIntoView();
    }
  }

  nextHit(step) {
    if (!this.hits.length) return;
    this.hit = (this.hit + step + this.hits.length) % this.hits.length;
    this.found$.textContent = `${format(this.hit + 1, 'count')} of ${format(this.hits.length, 'count')}`;
    this.pick(this.hits[this.hit]);
  }

  // ---- Moving.

  go(from, to) {
    const whole = this.last - this.first;
    const span = Math.min(Math.max(to - from, 20), whole * 1.1);
    const middle = (from + to) / 2;
    const start = Math.min(Math.max(middle - span / 2, this.first - span * 0.5), this.last - span * 0.5);
    this.view = [start, start + span];
    this.scale = (this.width - TL.left) / span;
    this.redraw();
    this.keepHash();
  }
  zoom(factor, x) {
    const at = this.timeAt(x === undefined ? (this.width + TL.left) / 2 : x);
    this.go(at - (at - this.view[0]) * factor, at + (this.view[1] - at) * factor);
  }
  pan(share) {
    const step = (this.view[1] - this.view[0]) * share;
    this.go(this.view[0] + step, this.view[1] + step);
  }
  scrollTo(y) {
    this.scroll = Math.min(Math.max(y, 0), Math.max(0, this.height - this.shown));
    this.redraw();
  }
  fit() {
    if (this.range) return this.go(...this.range);
    if (this.selected === NONE) return this.go(this.first, this.last);
    const from = this.start[this.selected], to = this.endOf(this.selected);
    this.go(from - (to - from) * 0.2, to + (to - from) * 0.2);
  }
  show(from, to, rank) {
    if (rank !== undefined && rank !== null && rank !== this.rank) this.chooseRank(rank);
    const margin = Math.max((to - from) * 0.5, 500);
    this.go(from - margin, to + margin);
    this.choose(from, to);
    document.getElementById('timeline-section').scrollIntoView();
  }
  chooseRank(rank) {
    const ranks = new Set(this.head.tracks.map((track) => track.rank));
    this.rank = ranks.has(rank) ? rank : Math.min(...ranks);
    this.selected = NONE;
    this.arrange();
    this.resize();
  }

  mark(time) {
    this.marks.push(time ?? this.cursor ?? (this.view[0] + this.view[1]) / 2);
    this.tellMarks();
  }
  tellMarks() {
    const parts = this.marks.map((time, index) => {
      const apart = index ? `, ${format(Math.abs(time - this.marks[index - 1]), 'ns')} from mark ${index}` : '';
      return make('span', { className: 'chip' }, `${index + 1}: ${axisTime(time - this.first, 1)}${apart} `,
        make('button', { type: 'button', 'aria-label': `remove mark ${index + 1}`, onclick: () => { this.marks.splice(index, 1); this.tellMarks(); } }, '×'));
    });
    this.marks$.replaceChildren(...(parts.length ? ['Marks ', ...parts] : []));
    this.redraw();
    this.keepHash();
  }

  // ---- Links: #t=FROM,TO&sel=EVENT&m=MARK,… in nanoseconds from the first event.

  keepHash() {
    clearTimeout(this.hashTimer);
    this.hashTimer = setTimeout(() => {
      const whole = this.view[0] <= this.first && this.view[1] >= this.last;
      if (whole && this.selected === NONE && !this.marks.length && !location.hash.startsWith('#t=')) return;
      const at = (time) => Math.round(time - this.first);
      let hash = `#t=${at(this.view[0])},${at(this.view[1])}`;
      if (this.selected !== NONE) hash += `&sel=${this.selected}`;
      if (this.range) hash += `&range=${this.range.map(at)}`;
      if (this.marks.length) hash += `&m=${this.marks.map(at)}`;
      history.replaceState(null, '', hash);
    }, 300);
  }
  readHash() {
    if (!location.hash.startsWith('#t=')) return;
    const parts = new URLSearchParams(location.hash.slice(1));
    const times = (key) => (parts.get(key) || '').split(',').filter(Boolean).map((text) => {
      const number = parseQuantity(text);
      return this.first + (Number.isNaN(number) ? 0 : number);
    });
    const [from, to] = times('t');
    if (to > from) this.view = [from, to];
    this.width = this.canvas$.parentElement.clientWidth || 1190;
    this.scale = (this.width - TL.left) / (this.view[1] - this.view[0]);
    this.marks = times('m');
    if (this.marks.length) this.tellMarks();
    const range = times('range');
    if (range.length === 2) this.choose(...range);
    const event = parts.has('sel') ? +parts.get('sel') : NONE;
    if (event >= 0 && event < this.start.length) {
      this.rank = this.trackOf(event).rank;
      this.arrange();
      this.pick(event, true);
    }
    document.getElementById('timeline-section').scrollIntoView();
  }

  // ---- Mouse and keys.

  eventAt(x, y) {
    const row = this.rows.find((r) => y >= r.y - this.scroll && y < r.y - this.scroll + r.height);
    if (!row) return { row: null, event: NONE };
    if (row.type !== 'lane' || x < TL.left) return { row, event: NONE };
    const slack = 2 / this.scale, time = this.timeAt(x);
    const event = this.firstEnding(row.lane, time - slack);
    const isHit = event < row.lane.end && this.start[event] <= time + slack;
    return { row, event: isHit ? event : NONE };
  }

  listen() {
    const canvas = this.canvas$;
    addEventListener('resize', () => this.resize());
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.redraw());
    canvas.addEventListener('wheel', (event) => {
      event.preventDefault();
      if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
        this.pan((event.deltaX || event.deltaY) / this.width);
      } else if (event.altKey) {
        this.scrollTo(this.scroll + event.deltaY);
      } else {
        this.zoom(1.0015 ** event.deltaY, event.offsetX);
      }
    }, { passive: false });
    canvas.addEventListener('pointerdown', (event) => this.press(event));
    canvas.addEventListener('pointermove', (event) => this.hover(event));
    canvas.addEventListener('pointerleave', () => { this.tip$.hidden = true; });
    canvas.addEventListener('keydown', (event) => this.key(event));
    this.search$.addEventListener('change', () => this.search(this.search$.value));
    this.mini$.addEventListener('pointerdown', (event) => {
      const move = (moved) => {
        const box = this.mini$.getBoundingClientRect();
        const share = (moved.clientX - box.left - TL.left) / (box.width - TL.left);
        const time = this.first + share * (this.last - this.first);
        const half = (this.view[1] - this.view[0]) / 2;
        this.go(time - half, time + half);
      };
      move(event);
      this.drag(event, move);
    });
    addEventListener('keydown', (event) => {
      if (event.key !== '/' || /INPUT|SELECT|TEXTAREA/.test(event.target.tagName)) return;
      event.preventDefault();
      this.search$.focus();
    });
    addEventListener('hashchange', () => this.readHash());
  }

  drag(event, move, done) {
    const target = event.target;
    target.setPointerCapture(event.pointerId);
    const stop = (last) => {
      target.removeEventListener('pointermove', move);
      if (done) done(last);
    };
    target.addEventListener('pointermove', move);
    target.addEventListener('pointerup', stop, { once: true });
  }

  press(event) {
    this.canvas$.focus();
    const x = event.offsetX, y = event.offsetY, view = [...this.view], scroll = this.scroll;
    if (event.shiftKey) {
      const from = this.timeAt(x);
      this.range = [from, from];
      const update = (moved) => { this.range = [from, this.timeAt(moved.offsetX)].sort((a, b) => a - b); this.redraw(); };
      this.drag(event, update, (last) => this.choose(from, this.timeAt(last.offsetX)));
      return;
    }
    let moved = false;
    this.drag(event, (at) => {
      const dx = at.offsetX - x, dy = at.offsetY - y;
      moved = moved || Math.abs(dx) + Math.abs(dy) > 3;
      if (!moved) return;
      this.go(view[0] - dx / this.scale, view[1] - dx / this.scale);
      this.scrollTo(scroll - dy);
    }, () => {
      if (moved) return;
      const { row, event: hit } = this.eventAt(x, y);
      if (row && row.type === 'group') this.fold(row.group); else this.pick(hit, true);
    });
  }

  fold(group) {
    if (!this.folded.delete(group)) this.folded.add(group);
    layout.write('folded', [...this.folded]);
    this.arrange();
    this.resize();
  }

  hover(event) {
    this.cursor = this.timeAt(event.offsetX);
    const { event: hit } = this.eventAt(event.offsetX, event.offsetY);
    this.tip$.hidden = hit === NONE || event.buttons > 0;
    if (hit === NONE) return;
    this.tip$.textContent = `${format(this.duration[hit], 'ns')}  ${shorten(this.nameOf(hit), 140)}`;
    this.tip$.style.left = `${Math.min(event.offsetX + 14, this.width - 320)}px`;
    this.tip$.style.top = `${event.offsetY + 16}px`;
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const step = (by) => {
      if (this.selected === NONE) return this.pickFirst();
      const lane = this.laneOf(this.selected), next = this.selected + by;
      if (next >= lane.begin && next < lane.end) this.pick(next);
    };
    const acts = {
      w: () => this.zoom(0.7), '+': () => this.zoom(0.7), '=': () => this.zoom(0.7),
      s: () => this.zoom(1 / 0.7), '-': () => this.zoom(1 / 0.7),
      a: () => this.pan(-0.2), arrowleft: () => this.pan(-0.2),
      d: () => this.pan(0.2), arrowright: () => this.pan(0.2),
      arrowup: () => this.scrollTo(this.scroll - 40), arrowdown: () => this.scrollTo(this.scroll + 40),
      f: () => this.fit(), 0: () => this.go(this.first, this.last), m: () => this.mark(),
      '[': () => this.nextGap(-1), ']': () => this.nextGap(1), ',': () => step(-1), '.': () => step(1),
      n: () => this.nextHit(1), p: () => this.nextHit(-1),
      enter: () => (this.selected === NONE ? this.pickFirst() : this.pick(this.selected)),
      escape: () => { this.range = null; this.summary$.replaceChildren(); this.pick(NONE); },
    };
    const act = acts[event.key.toLowerCase()];
    if (!act) return;
    event.preventDefault();
    act();
  }

  // The first event in view, of the topmost lane that has one.
  pickFirst() {
    for (const row of this.rows) {
      if (row.type !== 'lane') continue;
      const i = this.firstStarting(row.lane, this.view[0], row.lane.begin);
      if (i < row.lane.end && this.start[i] < this.view[1]) return this.pick(i, true);
    }
  }

  // ---- Elsewhere.

  // The events in view as a Chrome trace, handed to Perfetto's page when the reader asks for it.
  openPerfetto() {
    const trace = { traceEvents: this.chromeEvents() };
    const other = open('https://ui.perfetto.dev');
    const buffer = new TextEncoder().encode(JSON.stringify(trace)).buffer;
    const ping = setInterval(() => other.postMessage('PING', 'https://ui.perfetto.dev'), 100);
    const answer = (message) => {
      if (message.source !== other || message.data !== 'PONG') return;
      clearInterval(ping);
      removeEventListener('message', answer);
      other.postMessage({ perfetto: { buffer, title: document.title } }, 'https://ui.perfetto.dev');
    };
    addEventListener('message', answer);
    setTimeout(() => clearInterval(ping), 30000);
  }

  chromeEvents() {
    const events = [], groups = [...new Set(this.head.tracks.map((track) => track.group))];
    this.head.tracks.forEach((track, tid) => {
      const pid = groups.indexOf(track.group);
      events.push({ ph: 'M', name: 'process_name', pid, tid, args: { name: track.group } },
        { ph: 'M', name: 'thread_name', pid, tid, args: { name: track.name } });
    });
    for (const lane of this.lanes) {
      const pid = groups.indexOf(this.head.tracks[lane.track].group);
      for (let i = this.firstEnding(lane, this.view[0]); i < lane.end && this.start[i] < this.view[1]; ++i) {
        events.push({ ph: 'X', name: this.nameOf(i), cat: this.head.kinds[this.kind[i]][1], pid,
          tid: lane.track, ts: this.start[i] / 1000, dur: this.duration[i] / 1000 });
      }
    }
    return events;
  }
}

function line(g, x0, y0, x1, y1) {
  g.beginPath();
  g.moveTo(x0, y0);
  g.lineTo(x1, y1);
  g.stroke();
}

function shorten(text, length) {
  if (text.length <= length) return text;
  return length < 3 ? '' : text.slice(0, length - 1) + '…';
}

function lowerBound(values, value) {
  let low = 0, high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] < value) low = middle + 1; else high = middle;
  }
  return low;
}

// Adds [start, end] to a union whose last interval starts no later.
function push(union, start, end) {
  const last = union.length - 1;
  if (last > 0 && start <= union[last]) union[last] = Math.max(union[last], end);
  else union.push(start, end);
}

function mergeUnions(a, b) {
  const out = [];
  for (let i = 0, k = 0; i < a.length || k < b.length;) {
    if (k >= b.length || (i < a.length && a[i] <= b[k])) push(out, a[i++], a[i++]);
    else push(out, b[k++], b[k++]);
  }
  return out;
}

// A time on the axis: as many digits as the step needs.
function axisTime(ns, step) {
  const scale = Math.abs(ns) >= 1e9 || step >= 1e9 ? [1e9, 's'] : Math.abs(ns) >= 1e6 || step >= 1e6 ? [1e6, 'ms']
    : [1e3, 'µs'];
  const decimals = Math.max(0, Math.ceil(-Math.log10(step / scale[0])));
  return `${(ns / scale[0]).toFixed(Math.min(decimals, 9))}${GAP}${scale[1]}`;
}

async function startTimeline() {
  if (!document.getElementById('c-timeline')) return;
  const payload = await unpack('c-timeline');
  window.timeline = new Timeline(document.getElementById('timeline-section'), payload);
  const cited = [...document.querySelectorAll('[data-interval]')];
  window.timeline.findings = cited.map((row) => row.dataset.interval.split(',').map(Number));
  cited.forEach((row, index) => {
    const [start, end, rank] = window.timeline.findings[index];
    row.append(make('td', {}, make('button', {
      type: 'button', className: 'link', onclick: () => window.timeline.show(start, end, rank < 0 ? null : rank),
    }, '→ Timeline')));
  });
  window.timeline.redraw();
  document.documentElement.dataset.timeline = 'ready';
}
startTimeline();
