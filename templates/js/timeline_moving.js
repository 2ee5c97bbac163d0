// Moving, marks, and links to what is in view.
class TimelineMoving extends TimelineDrawing {
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
    const keep = make('button', { type: 'button', title: 'for `profgauge report --marks marks.json`', onclick: () => this.saveMarks() }, 'Save marks');
    this.marks$.replaceChildren(...(parts.length ? ['Marks ', ...parts, keep] : []));
    this.redraw();
    this.keepHash();
  }

  // What --marks takes: nanoseconds from the start of the recording.
  saveMarks() {
    const marks = this.marks.map((time, index) => ({ name: `mark ${index + 1}`, time: Math.round(time) }));
    save('marks.json', JSON.stringify({ marks }, null, 1) + '\n', 'application/json');
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
}
