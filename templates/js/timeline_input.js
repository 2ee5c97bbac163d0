// Mouse and keys.
class TimelineInput extends TimelineSelecting {
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
}
