// ---- A table of rows within rows: operators of an iteration, modules. Rows open and close; a filter
// shows what matches with all that it lies in; sorting orders the rows of each level.

class TreeGrid extends Grid {
  becomeVirtual() {
    const all = (id) => this.rows.fields.find((field) => field.id === id);
    this.places = ['iteration', 'rank'].map(all).filter(Boolean);
    const parent = all('parent'), depth = all('depth');
    this.children = Array.from({ length: this.rows.count }, () => []);
    this.parents = new Int32Array(this.rows.count).fill(-1);
    this.depths = new Int32Array(this.rows.count);
    this.trees = new Map();  // "iteration 3, rank 0" → its top rows
    for (let row = 0; row < this.rows.count; ++row) {
      const above = this.rows.value(parent, row);
      this.depths[row] = this.rows.value(depth, row);
      if (above !== null) {
        this.parents[row] = above;
        this.children[above].push(row);
      } else {
        const tree = this.treeOf(row);
        if (!this.trees.has(tree)) this.trees.set(tree, []);
        this.trees.get(tree).push(row);
      }
    }
    this.tree = this.wanted = this.trees.keys().next().value;
    super.becomeVirtual();
    this.heavy = ['device_total', 'host_total', 'active_time', 'samples'].map((id) => this.field(id)).filter(Boolean);
    this.open = new Set();
    for (const tops of this.trees.values()) this.openHeavy(tops);
  }

  inScope(tree) {
    const place = /^iteration (\d+)/.exec(tree);
    return (scope.rank === null || !tree.includes('rank ') || tree.endsWith(`rank ${scope.rank}`)) && (!place || scope.has(+place[1]));
  }
  treeOf(row) {
    return this.places.map((field) => `${field.title.toLowerCase()} ${this.rows.value(field, row)}`).join(', ');
  }
  massOf(row) { return Math.max(0, ...this.heavy.map((field) => this.rows.value(field, row) || 0)); }

  // What holds a tenth of the whole is open at first.
  openHeavy(tops) {
    const least = Math.max(...tops.map((row) => this.massOf(row))) / 10;
    const visit = (row) => {
      if (this.massOf(row) < least) return;
      this.open.add(row);
      this.children[row].forEach(visit);
    };
    tops.forEach(visit);
  }

  addTools() {
    super.addTools();
    const button = (text, onclick) => make('button', { type: 'button', onclick }, text);
    this.input.after(
      button('Expand all', () => { this.children.forEach((list, row) => list.length && this.open.add(row)); this.apply(); }),
      button('Collapse all', () => { this.open.clear(); this.apply(); }));
    this.icicle = new Icicle(this);
    if (this.trees.size < 2) return;
    this.select$ = make('select', { 'aria-label': `Which ${this.title()}` },
      ...[...this.trees.keys()].map((tree) => make('option', { value: tree }, tree.replace(/^iteration (\d+)/, (all, position) => `iteration ${iterationName(+position)}`))));
    this.select$.addEventListener('change', () => { this.wanted = this.select$.value; this.apply(); keepView(this, 'push'); });
    this.tools.prepend(this.select$);
  }

  // `iteration=3` chooses a tree; the rest filters it.
  filter(query) {
    const wanted = /(?:^|\s)iteration="?(\d+)"?/.exec(query);
    const tree = wanted && [...this.trees.keys()].find((name) => `${name},`.startsWith(`iteration ${wanted[1]},`));
    if (tree) {
      this.wanted = tree;
      query = query.replace(wanted[0], '').trim();
    }
    super.filter(query);
  }

  showTree(tree = this.trees.keys().next().value) {
    if (!this.trees.has(tree) || tree === this.wanted) return;
    this.wanted = tree;
    this.apply();
  }

  arranged() {
    this.tree = this.inScope(this.wanted) ? this.wanted : [...this.trees.keys()].find((name) => this.inScope(name)) || this.wanted;
    if (this.select$) this.select$.value = this.tree;
    this.icicle?.follow();
    let shown = null;
    if (this.query) {
      shown = new Set();
      for (let row of this.matching(this.query)) {
        for (; row >= 0 && !shown.has(row); row = this.parents[row]) shown.add(row);
      }
    }
    const order = [];
    const visit = (rows) => {
      const level = shown ? rows.filter((row) => shown.has(row)) : rows;
      for (const row of this.sortField ? this.sorted([...level]) : level) {
        order.push(row);
        if (shown || this.open.has(row)) visit(this.children[row]);
      }
    };
    visit(this.trees.get(this.tree) || []);
    return order;
  }

  toggle(row, open) {
    if (open) this.open.add(row); else this.open.delete(row);
    this.apply();
  }

  addKeys() {
    super.addKeys();
    this.scroller.addEventListener('keydown', (event) => {
      if (event.target !== this.scroller || this.current < 0) return;
      const row = this.order[this.current];
      if (event.key === 'ArrowRight' && this.children[row].length) this.toggle(row, true);
      else if (event.key === 'ArrowLeft' && this.open.has(row)) this.toggle(row, false);
      else if (event.key === 'ArrowLeft' && this.parents[row] >= 0) this.select(this.order.indexOf(this.parents[row]));
      else return;
      event.preventDefault();
    });
  }

  makeRow(row, isCurrent) {
    const line = super.makeRow(row, isCurrent);
    const first = line.cells[0];
    first.style.paddingLeft = `${4 + 16 * this.depths[row]}px`;
    if (this.children[row].length) {
      const isOpen = this.open.has(row) || !!this.query;
      const name = first.textContent;
      first.prepend(make('button', {
        type: 'button', className: 'twist', tabIndex: -1, ariaExpanded: String(isOpen), ariaLabel: `${isOpen ? 'Close' : 'Open'} ${name}`,
        onclick: () => this.toggle(row, !isOpen),
      }, isOpen ? '▾' : '▸'));
    } else {
      first.prepend(make('span', { className: 'twist' }));
    }
    return line;
  }
}
