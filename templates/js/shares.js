// ---- Shares of a table's sorted column as a pie: the rows with the most of it, and the rest.

// Neighbours differ in hue and in lightness.
const shareColour = (index) => `hsl(${(index * 137) % 360} 55% ${48 + 14 * (index % 3)}%)`;

class Shares {
  constructor(grid) {
    this.grid = grid;
    this.most = make('select', { 'aria-label': `Number of rows of ${grid.title()} with a separate share` },
      ...[5, 10, 20, 50, 100].map((count) => make('option', { value: count, selected: count === 10 }, `top ${count}`)));
    this.most.addEventListener('change', () => this.draw());
    this.box = make('figure', { className: 'shares', hidden: true });
    const button = make('button', { type: 'button', ariaPressed: 'false' }, 'Shares');
    button.addEventListener('click', () => {
      this.box.hidden = !this.box.hidden;
      button.ariaPressed = String(!this.box.hidden);
      this.draw();
    });
    grid.status.before(button);
    grid.scroller.before(this.box);
  }

  // The columns of a pie each: an operator's four times at once, else the one that the table is sorted by.
  fields() {
    const { grid } = this, times = ['device_self', 'device_total', 'host_self', 'host_total'].map((id) => grid.field(id)).filter(Boolean);
    return times.length > 1 && times.includes(grid.sortField) ? times : [grid.sortField].filter((field) => field && !isText(field));
  }

  // [label, value] of the rows in view, the largest first, with the rest as one.
  parts(field) {
    const { grid } = this, name = grid.fields()[0];
    const all = grid.order.filter((row) => !grid.rows.isInner?.(row)).map((row) => [grid.rows.text(name, row), grid.rows.value(field, row) || 0]).filter(([, value]) => value > 0);
    all.sort((a, b) => b[1] - a[1]);
    const most = +this.most.value, rest = all.slice(most).reduce((sum, [, value]) => sum + value, 0);
    return rest > 0 ? [...all.slice(0, most), [`${format(all.length - most, 'count')} others`, rest]] : all;
  }

  draw() {
    if (this.box.hidden) return;
    const pies = this.fields().map((field) => this.pie(field)).filter(Boolean);
    this.box.replaceChildren(...(pies.length ? [make('figcaption', { className: 'small mute' }, this.most), make('div', { className: 'pies' }, ...pies)]
      : [make('p', { className: 'small mute' }, 'Sort by a column of numbers to see its shares.')]));
  }

  pie(field) {
    const parts = this.parts(field), whole = parts.reduce((sum, [, value]) => sum + value, 0);
    if (!whole) return null;
    const svg = shape('svg', { viewBox: '-100 -100 200 200', width: 200, height: 200, role: 'img', 'aria-label': `Shares of ${field.title}; the list beside it has the same values` });
    const legend = make('ol', { className: 'small' });
    let from = 0;
    parts.forEach(([label, value], index) => {
      const share = value / whole, to = from + share, colour = index < +this.most.value ? shareColour(index) : '#bbb';
      const at = (part) => `${(96 * Math.sin(2 * Math.PI * part)).toFixed(2)} ${(-96 * Math.cos(2 * Math.PI * part)).toFixed(2)}`;
      const path = share > 0.9999 ? 'M0 -96 A96 96 0 1 1 -0.01 -96 Z' : `M0 0 L${at(from)} A96 96 0 ${share > 0.5 ? 1 : 0} 1 ${at(to)} Z`;
      svg.append(shape('path', { d: path, fill: colour, stroke: 'var(--paper)' }, shape('title', {}, `${label}: ${format(value, field.unit)}, ${format(share, 'ratio')}`)));
      const dot = make('span', { className: 'dot' });
      dot.style.background = colour;
      legend.append(make('li', { title: label }, dot, `${format(share, 'ratio')} ${this.grid.shortOf(this.grid.fields()[0], label)}`));
      from = to;
    });
    return make('div', { className: 'pie' }, svg, make('div', {}, make('b', { className: 'small' }, field.title), legend));
  }
}
