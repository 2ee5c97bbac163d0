// Moving, and links to what is in view.
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
    this.restSoon();
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
    if (this.selected === NONE) return this.go(...this.judged());
    const from = this.start[this.selected], to = this.endOf(this.selected);
    this.go(from - (to - from) * 0.2, to + (to - from) * 0.2);
  }
  show(from, to, rank) {
    if (rank !== undefined && rank !== null && rank !== this.rank) this.chooseRank(rank);
    leave();
    const margin = Math.max((to - from) * 0.5, 500);
    this.go(from - margin, to + margin);
    this.choose(from, to);
    document.getElementById('timeline-section').scrollIntoView();
  }
  ranks() { return new Set(this.head.tracks.map((track) => track.rank)); }
  chooseRank(rank) {
    const ranks = this.ranks();
    this.rank = ranks.has(rank) ? rank : Math.min(...ranks);
    this.selected = NONE;
    this.box = this.chosenUnits = null;  // Lanes of the rank before.
    if (this.regionChoice) this.regions = this.findRegions(this.regionChoice);
    this.arrange();
    this.resize();
    this.tellRange();
    this.keepHash();
  }

  // ---- Links: #t=FROM,TO&of=RANK&sel=EVENT&m=MARK~NAME,…&range=…&lanes=…&color=…&regions=…&find=… in ns from
  // the first event. They say what is shown, however the reader came there: another rank than the one
  // that the page's choice of ranks leads to has the same times and other work.

  keepHash() {
    clearTimeout(this.hashTimer);
    if (address.applying) return;
    this.hashTimer = setTimeout(() => this.writeHash(), 300);
  }
  writeHash() {
    clearTimeout(this.hashTimer);
    const [from, to] = this.opening, [a, b] = this.view, color = this.coloring !== this.colorings()[0][0], ranks = this.ranks();
    const opening = from > this.first || to < this.last ? a === from && b === to : a <= from && b >= to;
    const moved = ranks.size > 1 && this.rank !== (ranks.has(scope.rank) ? scope.rank : Math.min(...ranks));
    if (opening && !moved && this.selected === NONE && !this.range && !this.marks.length && !color && !this.regionChoice && !this.search$.value && !addressed().startsWith('t=')) return;
    const at = Math.round;
    const parts = [`t=${at(this.view[0])},${at(this.view[1])}`];
    if (ranks.size > 1) parts.push(`of=${this.rank}`);
    if (this.selected !== NONE) parts.push(`sel=${this.selected}`);
    if (this.range) parts.push(`range=${this.range.map(at)}`);
    if (this.chosenUnits) parts.push(`lanes=${[...new Set(this.chosenUnits.flatMap((unit) => unit.lanes))].map((lane) => this.lanes.indexOf(lane))}`);
    if (this.marks.length) parts.push(`m=${this.marks.map((mark) => `${at(mark.time)}~${encodeURIComponent(mark.name)}`)}`);
    if (color) parts.push(`color=${this.coloring}`);
    if (this.regionChoice) parts.push(`regions=${this.regionChoice}`);
    if (this.search$.value) parts.push(`find=${encodeURIComponent(this.search$.value)}`);
    this.isAway = true;
    address.write((key) => ['t', 'of', 'sel', 'range', 'lanes', 'm', 'color', 'regions', 'find', 'at'].includes(key), parts, 'timeline');
  }
  // An address without a view of it shows what it opened on.
  readOpening() {
    this.isAway = false;
    this.range = this.chosenUnits = this.box = null;
    this.find('');
    this.pick(NONE, true);
    this.chooseRank(scope.rank);
    this.go(...this.opening);
    this.showScope();
    this.tellRange();
  }
  readHash() {
    clearTimeout(this.hashTimer);
    if (!addressed().startsWith('t=')) return this.isAway && this.readOpening();
    this.isAway = true;
    const raw = addressed(), parts = new URLSearchParams(raw);
    const timeOf = (text) => parseQuantity(text) || 0;
    const times = (key) => (parts.get(key) || '').split(',').filter(Boolean).map(timeOf);
    const [from, to] = times('t');
    if (to > from) this.view = [from, to];
    this.range = null;
    this.width = this.canvas$.parentElement.clientWidth || 1190;
    this.scale = (this.width - TL.left) / (this.view[1] - this.view[0]);
    if (this.ranks().size > 1) this.chooseRank(parts.has('of') ? +parts.get('of') : scope.rank);
    if ((parts.get('find') || '') !== this.search$.value) this.find(parts.get('find') || '');
    grids.get('source_lines')?.markLines(this.search$.value);
    if (parts.has('color')) this.chooseColoring(parts.get('color'));
    if (parts.has('regions') && this.regionChoices().some(([id]) => id === parts.get('regions'))) this.chooseRegions(parts.get('regions'));
    const marks = /(?:^|&)m=([^&]*)/.exec(raw)?.[1].split(',').filter(Boolean);  // names may hold commas
    if (marks) {
      this.marks = marks.map((text, index) => {
        const [time, name] = text.split('~');
        return { time: timeOf(time), name: name === undefined ? `mark ${index + 1}` : decodeURIComponent(name) };
      });
      this.tellMarks();
    }
    const range = times('range');
    if (range.length === 2) this.chooseLanes(range, new Set((parts.get('lanes') || '').split(',').map((lane) => this.lanes[lane])));
    const event = parts.has('sel') ? +parts.get('sel') : NONE;
    if (event >= 0 && event < this.start.length) {
      this.rank = this.trackOf(event).rank;
      this.arrange();
      this.pick(event, true);
    }
    this.redraw();
    this.restSoon();
    document.getElementById('timeline-section').scrollIntoView();
  }
}
