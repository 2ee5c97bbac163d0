// ---- A tree of rows as an icicle: each row as wide as its time, below the row it lies in. The table
// beneath says the same.

class Icicle {
  constructor(grid) {
    this.grid = grid;
    this.top = -1;
    this.figure = make('figure', { className: 'icicle' });
    grid.scroller.before(this.figure);
    const box = grid.table.closest('details');
    if (box.open) this.draw();
    box.addEventListener('toggle', () => { if (box.open) this.draw(); });
  }

  // What rows are as wide as, where they have it: the first of these.
  massOf(row) {
    this.weights ||= ['device_total', 'active_time', 'host_total', 'samples'].map((id) => this.grid.field(id)).filter(Boolean)
      .filter((field) => this.grid.parents.some((above, other) => this.grid.rows.value(field, other) > 0)).slice(0, 1);
    return this.weights.length ? this.grid.rows.value(this.weights[0], row) || 0 : 0;
  }

  follow() {
    if (this.tree !== this.grid.tree && this.grid.table.closest('details').open) { this.top = -1; this.draw(); }
  }

  draw() {
    const { grid } = this, WIDTH = 1190, HEIGHT = 21, name = grid.field('name');
    this.tree = grid.tree;
    const tops = this.top < 0 ? grid.trees.get(grid.tree) || [] : [this.top];
    const whole = tops.reduce((sum, row) => sum + this.massOf(row), 0);
    if (!whole || !name) return this.figure.replaceChildren();
    const boxes = [];
    // Rows that overlap (queues, threads) share their parent's width by their parts of the sum.
    const lay = (rows, x, width, depth, above) => {
      const sum = Math.max(above, rows.reduce((total, row) => total + this.massOf(row), 0));
      for (const row of [...rows].sort((a, b) => this.massOf(b) - this.massOf(a))) {
        const own = width * this.massOf(row) / sum;
        if (own < 2 || boxes.length >= 600) break;
        boxes.push([row, x, own, depth]);
        if (depth < 15) lay(grid.children[row], x, own, depth + 1, this.massOf(row));
        x += own;
      }
    };
    lay(tops, 0, WIDTH, 0, 0);
    const deepest = Math.max(...boxes.map((box) => box[3]));
    const svg = shape('svg', { viewBox: `0 0 ${WIDTH} ${(deepest + 1) * HEIGHT}`, role: 'img', 'aria-label': `${grid.title()} as boxes as wide as their time; the table below has the same rows` });
    for (const [row, x, width, depth] of boxes) {
      const text = grid.rows.text(name, row), mass = this.massOf(row);
      const box = shape('g', { class: `ice ice${depth % 3}` },
        shape('title', {}, `${text}: ${format(mass, this.weights[0].unit)}, ${format(mass / whole, 'ratio')}`),
        shape('rect', { x, y: depth * HEIGHT, width: Math.max(width - 1, 1), height: HEIGHT - 1, rx: 2 }));
      const letters = Math.floor((width - 8) / 7.3);
      if (letters > 2) box.append(shape('text', { x: x + 4, y: depth * HEIGHT + 14, 'font-size': 11.5 }, text.length > letters ? `${text.slice(0, letters - 1)}…` : text));
      box.addEventListener('click', () => { this.top = row === this.top ? grid.parents[row] : row; this.draw(); });
      svg.append(box);
    }
    const button = (text, onclick) => make('button', { type: 'button', onclick }, text);
    this.figure.replaceChildren(svg, make('figcaption', { className: 'small mute' }, `Width: ${this.weights[0].title.toLowerCase()}. Click a box to zoom in. `,
      ...(this.top < 0 ? [] : [button('Up', () => { this.top = grid.parents[this.top]; this.draw(); }), ' ',
        button('Row', () => openRow(grid, this.top)), ` ${grid.rows.text(name, this.top)}`])));
  }
}
