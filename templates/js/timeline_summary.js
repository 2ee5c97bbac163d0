// The summary of what is selected, else of what is in view.
const MOST_UNITS = 12;

class TimelineSummary extends TimelineMoving {
  // `units`: only these, where the reader drew a box over some lanes.
  choose(a, b, units) {
    this.range = [Math.min(a, b), Math.max(a, b)];
    this.chosenUnits = units || null;
    if (!units) this.box = null;
    this.tellRange();
    this.redraw();
    this.keepHash();
  }
  tellRange() {
    const [from, to] = this.range || [Math.max(this.view[0], this.first), Math.min(this.view[1], this.last)];
    if (!(to > from)) return;
    const span = to - from, heavy = this.heaviest(from, to, this.chosenUnits ? this.chosenUnits.flatMap((unit) => unit.lanes) : undefined);
    const names = distinct(heavy.slice(0, 8).map(([name]) => name));
    const dot = (color) => { const out = make('span', { className: 'dot' }); out.style.background = color; return out; };
    const colorOf = (category) => `var(--${CATEGORIES[category][3]}, ${CATEGORIES[category][2][0]})`;
    const row = (color, label, ...cells) => make('tr', {}, make('th', { scope: 'row', align: 'left' }, dot(color), label),
      ...cells.map((text) => make('td', { align: 'right' }, text)));
    const table = (caption, rows) => make('table', { className: 'plain' }, make('caption', {}, caption), make('tbody', {}, ...rows));
    const parts = this.chosenUnits ? [] : [...this.breakdown(from, to)], unseen = span - parts.reduce((sum, time) => sum + time, 0);
    this.summary$.replaceChildren(make('h3', {}, `${this.range ? 'Selected' : 'In view'} ${format(Math.round(span), 'ns')}${this.ranks().size > 1 ? ` of rank ${this.rank}` : ''}`), ...this.shares(from, to));
    this.summary$.append(...[
      parts.length && table('Breakdown', parts.map((time, index) => time > 0 &&
        row(colorOf(index), CATEGORIES[index][1], format(time / span, 'ratio'), format(Math.round(time), 'ns'))).filter(Boolean)
        .concat(unseen >= 1 ? row('none', 'Not recorded', format(unseen / span, 'ratio'), format(Math.round(unseen), 'ns')) : [])),
      heavy.length && table(`Device work: ${format(heavy.reduce((n, entry) => n + entry[2], 0), 'count')} events`,
        heavy.slice(0, 8).map(([name, time, count, category]) =>
          row(colorOf(category), names.get(name), `${format(count, 'count')} ×`, format(Math.round(time), 'ns'))))].filter(Boolean));
    this.summary$.append(...this.tellCounters(from, to));
    this.units$.replaceChildren(...this.tellUnits(from, to));
  }

  tellCounters(from, to) {
    const own = this.chosenUnits ? [] : this.counters.filter((counter) => counter.rank === this.rank && !counter.section);
    const several = new Set(own.map((counter) => counter.group)).size > 1;
    const rows = own.map((counter) => make('tr', {}, make('th', { scope: 'row', align: 'left', title: counter.of ? `least and largest of ${EXTREME_PARTS} equal parts` : '' }, (several ? `${shorten(counter.group, 24)} · ` : '') + counter.name),
      ...(this.extremesOf(counter, from, to)?.map((value) => make('td', { align: 'right', title: String(value) }, format(value, counter.unit)))
        || [0, 1, 2].map(() => make('td', { align: 'right' }, '–')))));
    const heads = ['', 'Mean', 'Least', 'Largest'].map((text) => (text ? make('th', { scope: 'col', align: 'right' }, text) : make('td', {})));
    return rows.length ? [scrolling('Counters', make('table', { className: 'plain' }, make('caption', {}, 'Counters'), make('thead', {}, make('tr', {}, ...heads)), make('tbody', {}, ...rows)))] : [];
  }

  // What the device could have done in that time.
  shares(from, to) {
    const { flops, bandwidth } = this.head.peaks, id = (name) => this.amounts.find((amount) => amount.id === name);
    if (!(flops > 0) || !id('flops')) return [];
    // A box is told of what lies in it; one without the engine that computes has no such share.
    const chosen = this.chosenUnits || this.units(), wholes = chosen.filter((unit) => !unit.part), units = wholes.length ? wholes : chosen;
    const total = (name) => (id(name) ? units.reduce((n, unit) => n + this.sum(unit, from, to).amounts[name], 0) : 0);
    if (this.chosenUnits && !total('flops')) return [];
    const seconds = (to - from) * 1e-9, all = total('flops'), list = make('dl', {});
    const fact = (label, share) => list.append(make('dt', {}, label), make('dd', {}, format(share, 'ratio')));
    fact('HFU', all / (flops * seconds));
    fact('MFU', (all - total('transpose_flops')) / (flops * seconds));
    if (bandwidth > 0) fact('MBU', (total('hbm_read') + total('hbm_write')) / (bandwidth * seconds));
    return [list];
  }

  tellUnits(from, to) {
    const chosen = this.chosenUnits || this.units(), span = to - from;
    let sums = chosen.map((unit) => [unit, this.sum(unit, from, to)]);
    const whole = sums.length, most = this.head.facets.length ? 40 : MOST_UNITS;
    if (whole > most) {
      const least = [...sums].sort((p, q) => q[1].busy - p[1].busy)[most - 1][1].busy;
      sums = sums.filter(([, sum]) => sum.busy >= least).slice(0, most);
    }
    const amounts = this.amounts.filter((amount) => amount.adds_up && sums.some(([, sum]) => sum.amounts[amount.id]));
    const head = ['Unit', 'Events', 'Busy', 'Share', ...amounts.map((amount) => amount.title), 'Mostly'];
    const cell = (text, align = 'right', title = '') => make('td', { align, title }, text);
    const rows = sums.map(([unit, sum]) => make('tr', {}, make('th', { scope: 'row', align: 'left' }, (unit.part ? '   ' : '') + unit.name),
      cell(format(sum.events, 'count')), cell(format(sum.busy, 'ns'), 'right', `${sum.busy} ns`), cell(format(sum.busy / span, 'ratio')),
      ...amounts.map(({ id, unit }) => cell(sum.amounts[id] ? format(sum.amounts[id], unit) : '0', 'right', String(sum.amounts[id]))),
      cell([...sum.names].sort((p, q) => q[1] - p[1]).slice(0, 3).map(([name, count]) => `${shorten(name, 28)} ×${format(count, 'count')}`).join(', '), 'left')));
    if (!rows.length) return [];
    const more = whole > sums.length ? `, the busiest ${sums.length} of ${whole}` : '';
    return [scrolling('Totals per stream', make('table', { className: 'units' },
      make('caption', {}, `By ${this.head.facets.length ? 'engine and queue' : 'stream'}${more}: number of events, busy time`),
      make('thead', {}, make('tr', {}, ...head.map((text, i) => make('th', { scope: 'col', align: i && i + 1 < head.length ? 'right' : 'left' }, text)))),
      make('tbody', {}, ...rows)))];
  }

  // Moving the view says what is in it, once it rests.
  restSoon() {
    if (this.range) return;
    clearTimeout(this.restTimer);
    this.restTimer = setTimeout(() => { if (!this.range) this.tellRange(); }, 250);
  }
}
