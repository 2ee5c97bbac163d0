// Marks: named moments, which snap to the edges of events, can be dragged and renamed, compared with
// one of them, saved for `--marks` and loaded.
class TimelineMarks extends TimelineSummary {
  // The nearest start or end of an event within a few pixels, in the row under the pointer, else in
  // any that is in view.
  snap(time, row) {
    const reach = 7 / this.scale;
    let best = time, distance = reach;
    const rows = row && row.lanes ? [row] : this.rows.filter((other) => other.y + other.height > this.scroll && other.y < this.scroll + this.shown);
    for (const lane of rows.flatMap((other) => other.lanes || [])) {
      let i = this.firstEnding(lane, time - reach);
      for (let looked = 0; i < lane.end && looked < 50 && this.start[i] <= time + reach; ++i, ++looked) {
        for (const edge of [this.start[i], this.endOf(i)]) {
          if (Math.abs(edge - time) < distance) [best, distance] = [edge, Math.abs(edge - time)];
        }
      }
    }
    return best;
  }
  markAt(x) { return this.marks.findIndex((mark) => Math.abs(this.x(mark.time) - x) < 5); }

  mark(time, name) {
    let number = this.marks.length + 1;
    while (this.marks.some((mark) => mark.name === `mark ${number}`)) ++number;
    this.marks.push({ name: name || `mark ${number}`, time: time ?? this.cursor ?? (this.view[0] + this.view[1]) / 2 });
    this.tellMarks();
  }

  tellMarks() {
    this.marks.sort((a, b) => a.time - b.time);
    if (!this.marks.includes(this.base)) this.base = this.marks[0];
    const button = (text, title, onclick) => make('button', { type: 'button', title, ariaLabel: title, onclick }, text);
    const tools = make('p', { className: 'tools' }, 'Marks ', button('Save', 'Save marks for `profgauge report --marks marks.json`', () => this.saveMarks()),
      button('Load', 'Load marks from a file', () => this.loadMarks()));
    const base = make('select', { ariaLabel: 'Difference to' }, ...this.marks.map((mark, index) => make('option', { value: index, selected: mark === this.base }, mark.name)));
    base.addEventListener('change', () => { this.base = this.marks[base.value]; this.tellMarks(); });
    const busy = new Covered(this.marks.length ? this.busyUnion() : []);
    const rows = this.marks.map((mark, index) => {
      const apart = mark.time - this.base.time, [a, b] = [Math.min(mark.time, this.base.time), Math.max(mark.time, this.base.time)];
      const name = make('input', { value: mark.name, ariaLabel: `Name of mark ${index + 1}`, size: 14 });
      name.addEventListener('change', () => { mark.name = name.value || mark.name; this.tellMarks(); });
      const own = mark === this.base;
      return make('tr', {}, make('th', { scope: 'row', align: 'left' }, name), make('td', { align: 'right', title: `${mark.time} ns` }, axisTime(mark.time, 1)),
        make('td', { align: 'right', title: own ? '' : `${apart} ns` }, own ? '–' : `${apart < 0 ? '−' : '+'}${format(Math.round(b - a), 'ns')}`),
        make('td', { align: 'right' }, own ? '–' : format(busy.in(a, b) / (b - a || 1), 'ratio')),
        make('td', {}, own ? '' : button('total', `Show the total from ${mark.name} to ${this.base.name}`, () => { this.choose(a, b); this.fit(); }), ' ',
          button('×', `Remove ${mark.name}`, () => {
            const before = [...this.marks];
            this.marks.splice(this.marks.indexOf(mark), 1);
            this.tellMarks();
            offerUndo(`${mark.name} removed`, () => { this.marks = before; this.tellMarks(); });
          })));
    });
    this.marks$.replaceChildren(tools, this.marks.length ? scrolling('Marks', make('table', {}, make('caption', { className: 'hide' }, 'Marks'), make('thead', {}, make('tr', {},
      ...['Mark', 'Time'].map((text, i) => make('th', { scope: 'col', align: i ? 'right' : 'left' }, text)), make('th', { scope: 'col' }, 'Difference to ', base),
      make('th', { scope: 'col' }, 'Busy between'), make('th', { scope: 'col' }, make('span', { className: 'hide' }, 'Actions')))), make('tbody', {}, ...rows))) : '');
    this.redraw();
    this.keepHash();
  }

  // What --marks takes: nanoseconds from the start of the recording.
  saveMarks() {
    const marks = this.marks.map(({ name, time }) => ({ name, time: Math.round(time) }));
    save('marks.json', JSON.stringify({ marks }, null, 1) + '\n', 'application/json');
  }
  loadMarks() {
    const file = make('input', { type: 'file', accept: '.json' });
    file.addEventListener('change', async () => this.readMarks(await file.files[0].text()));
    file.click();
  }
  readMarks(text) {
    try {
      const { marks } = JSON.parse(text);
      this.marks = marks.filter(({ time }) => Number.isFinite(time)).map(({ name, time }) => ({ name: String(name), time }));
    } catch { this.found$.textContent = 'the file has no marks'; }
    this.tellMarks();
  }
}
