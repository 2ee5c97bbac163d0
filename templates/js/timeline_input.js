// Mouse and keys.
class TimelineInput extends TimelineSelecting {
  rowAt(y) { return this.rows.find((r) => y >= r.y - this.scroll && y < r.y - this.scroll + r.height); }
  eventAt(x, y) {
    const row = this.rowAt(y), slack = 2 / this.scale, time = this.timeAt(x);
    if (!row || !row.lanes || x < TL.left) return { row, event: NONE };
    for (const lane of [...row.lanes].reverse()) {  // what is drawn last is on top
      const event = this.firstEnding(lane, time - slack);
      if (event < lane.end && this.start[event] <= time + slack) return { row, event };
    }
    return { row, event: NONE };
  }

  listen() {
    const canvas = this.canvas$;
    addEventListener('resize', () => this.resize());
    keepHeight(this.frame$, 'timeline', () => { if (this.frame$.clientWidth !== this.width || this.frame$.style.height) this.resize(); });
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.redraw());
    canvas.addEventListener('wheel', (event) => this.wheel(event), { passive: false });
    canvas.addEventListener('pointerdown', (event) => this.press(event));
    canvas.addEventListener('pointermove', (event) => this.hover(event));
    canvas.addEventListener('contextmenu', (event) => {
      event.preventDefault();
      if (event.offsetX >= TL.left) this.mark(this.snap(this.timeAt(event.offsetX), this.rowAt(event.offsetY)));
    });
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
  }

  // Without a key the page scrolls, so that no one is caught on the way down.
  wheel(event) {
    if (event.ctrlKey || event.metaKey) this.zoom(1.0015 ** event.deltaY, event.offsetX);
    else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) this.pan((event.deltaX || event.deltaY) / this.width);
    else if (event.altKey) this.scrollTo(this.scroll + event.deltaY);
    else return this.say('Ctrl + wheel zooms', event);
    event.preventDefault();
  }

  say(text, event) {
    this.tip$.textContent = text;
    this.tip$.style.left = `${Math.max(0, Math.min(event.offsetX + 14, this.width - 380))}px`;
    this.tip$.style.top = `${event.offsetY + 16}px`;
    this.tip$.hidden = false;
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
    if (event.button !== 0) return;
    const x = event.offsetX, y = event.offsetY, view = [...this.view], scroll = this.scroll, mark = this.marks[this.markAt(x)];
    if (event.shiftKey) {
      const from = this.timeAt(x);
      this.range = [from, from];
      const update = (moved) => {
        this.range = [from, this.timeAt(moved.offsetX)].sort((a, b) => a - b);
        this.box = Math.abs(moved.offsetY - y) < 8 ? null : [y, moved.offsetY].sort((a, b) => a - b).map((at) => at + this.scroll);
        this.redraw();
      };
      update(event);
      this.drag(event, update, (last) => this.choose(from, this.timeAt(last.offsetX), this.unitsIn(this.box)));
      return;
    }
    if (mark) {
      const move = (at) => { mark.time = this.snap(this.timeAt(at.offsetX), this.rowAt(at.offsetY)); this.redraw(); };
      this.drag(event, move, () => this.tellMarks());
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
      const { row, event: hit } = this.eventAt(x, y), time = this.timeAt(x);
      if (row?.key && (x < TL.left || row.type === 'group')) return this.fold(row.key);
      const region = row?.type === 'regions' && this.regions.find(([, start, end]) => start <= time && time < end);
      if (region) this.choose(region[1], region[2]); else this.pick(hit, true);
      if (hit !== NONE && (event.ctrlKey || event.metaKey || this.guest?.id === 't-source_lines')) this.showLine(hit);
    });
  }

  // Engines and streams of the lanes in a box; all when there is none.
  unitsIn(box) {
    return this.unitsOf(new Set(box ? this.rows.filter((row) => row.y < box[1] && row.y + row.height > box[0]).flatMap((row) => row.lanes || []) : []));
  }
  unitsOf(lanes) {
    const units = this.units().filter((unit) => unit.lanes.some((lane) => lanes.has(lane)));
    return units.length ? units.map((unit) => this.partOf(unit, lanes)) : null;
  }
  // What a link says of a box: the rows of its lanes may be elsewhere.
  chooseLanes([from, to], lanes) {
    const rows = this.rows.filter((row) => row.lanes?.some((lane) => lanes.has(lane)));
    this.box = rows.length ? [rows[0].y, rows.at(-1).y + rows.at(-1).height] : null;
    this.choose(from, to, this.unitsOf(lanes));
  }
  partOf(unit, chosen) {
    const lanes = unit.lanes.filter((lane) => chosen.has(lane));
    return lanes.length === unit.lanes.length ? unit : { ...unit, lanes, covered: new Covered(mergeAll(lanes.map((lane) => this.unionOf(lane)))) };
  }

  hover(event) {
    this.cursor = this.timeAt(event.offsetX);
    const { row, event: hit } = this.eventAt(event.offsetX, event.offsetY);
    this.canvas$.style.cursor = this.markAt(event.offsetX) >= 0 ? 'ew-resize' : row?.key && event.offsetX < TL.left ? 'pointer' : '';
    const text = hit !== NONE ? this.tipOf(hit) : row?.counter && event.offsetX > TL.left ? this.valueAt(row.counter, this.cursor) : '';
    this.tip$.hidden = !text || event.buttons > 0;
    if (!this.tip$.hidden) this.say(text, event);
  }
  tipOf(event) {
    const kind = this.head.kinds[this.kind[event]], at = (time) => axisTime(time, Math.max(1, this.duration[event] / 1000));
    const lines = [`${format(this.duration[event], 'ns')}  ${shorten(kind[0], 140)}`, `${at(this.start[event])} to ${at(this.endOf(event))}`];
    if (kind[2]) lines.push(shorten(kind[2], 140));
    this.head.facets.forEach(({ title }, facet) => {
      const text = this.facetOf(this.kind[event], facet);
      if (text && text !== kind[0]) lines.push(`${title}: ${shorten(text, 120)}`);
    });
    for (const amount of this.amounts) if (amount.value[event] && amount.id !== 'pc') lines.push(`${amount.title}: ${format(amount.value[event], amount.unit)}`);
    const lane = this.laneOf(event), pixel = this.duration[event] * this.scale < 1 && this.pixelAt(lane, event);
    if (pixel && pixel.next > event + 1 && pixel.share >= 0) lines.push(`${pixel.next - event} events, ${format(pixel.share, 'ratio')} of this pixel`);
    return lines.join('\n');
  }
  valueAt(counter, time) {
    if (counter.of && time > counter.end) return '';
    if (counter.of) return `${counter.name}: ${format(this.meanOf(counter, time, time + 1 / this.scale), counter.unit)} of this pixel`;
    const i = lowerBound(counter.time, time + 1) - 1;
    return i < 0 || time > counter.end ? '' : `${counter.name}: ${format(counter.value[i], counter.unit)}`;
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
      arrowup: () => this.stepLane(-1), arrowdown: () => this.stepLane(1),
      e: () => this.foldSelected(), f: () => this.fit(), 0: () => this.go(this.first, this.last), m: () => this.mark(),
      '[': () => this.nextGap(-1), ']': () => this.nextGap(1), ',': () => step(-1), '.': () => step(1),
      j: () => this.stepOnPath(1), k: () => this.stepOnPath(-1),
      n: () => this.nextHit(1), p: () => this.nextHit(-1),
      enter: () => (this.selected === NONE ? this.pickFirst() : this.pick(this.selected)),
      escape: () => { if (this.isFull()) return this.fill(false); this.range = this.box = this.chosenUnits = null; this.tellRange(); this.pick(NONE); },
    };
    const act = acts[event.key.toLowerCase()];
    if (!act) return;
    event.preventDefault();
    act();
  }

  // To the event of the next lane at the same time; without a selection the lanes scroll.
  stepLane(by) {
    if (this.selected === NONE) return this.scrollTo(this.scroll + 40 * by);
    const lanes = this.rows.flatMap((row) => row.lanes || []), time = this.start[this.selected];
    for (let at = lanes.indexOf(this.laneOf(this.selected)) + by; at >= 0 && at < lanes.length; at += by) {
      const lane = lanes[at], next = Math.min(this.firstEnding(lane, time + 1), lane.end - 1);
      if (next >= lane.begin) return this.pick(next);
    }
  }

  // Along the critical path; from elsewhere to the step at that time.
  stepOnPath(by) {
    const lane = this.pathLane();
    if (!lane) return;
    const isOn = this.selected >= lane.begin && this.selected < lane.end;
    const near = Math.min(this.firstEnding(lane, this.selected === NONE ? this.view[0] : this.start[this.selected]), lane.end - 1);
    const next = isOn ? this.selected + by : near;
    if (next >= lane.begin && next < lane.end) this.pick(next);
  }

  // Folds or opens the lanes that the selected event is in, else the first group.
  foldSelected() {
    const row = this.selected === NONE ? this.rows.find(({ type }) => type === 'group') : this.rowOf(this.selected);
    const key = row && (row.key || this.rows.findLast((other) => other.y < row.y && other.key)?.key);
    if (key) this.fold(key);
  }

  // The first event in view, of the topmost lane that has one.
  pickFirst() {
    for (const row of this.rows) {
      for (const lane of row.lanes || []) {
        const i = this.firstStarting(lane, this.view[0]);
        if (i < lane.end && this.start[i] < this.view[1]) return this.pick(i, true);
      }
    }
  }
}
