// ---- An op's kernels below its row: rows that the table of kernels by operator has, in place.

// Rows of the op's table behind its own: numbers from `count` on are kernels of an op.
class RowsWithKernels {
  constructor(rows, kernels) {
    this.rows = rows;
    this.kernels = kernels;
    this.inner = [];  // {parent, values by the op's columns}
    this.known = new Map();
    this.nameField = rows.fields.find((field) => field.id === 'name');
  }
  get fields() { return this.rows.fields; }
  set fields(fields) { this.rows.fields = fields; }
  get count() { return this.rows.count; }
  get of() { return this.rows.of; }
  has(row) { return !this.rows.has || this.rows.has(row); }
  isInner(row) { return row >= this.count; }
  parentOf(row) { return this.inner[row - this.count].parent; }
  value(field, row) { return this.isInner(row) ? this.inner[row - this.count].values[field.id] ?? null : this.rows.value(field, row); }
  text(field, row) { return this.isInner(row) ? format(this.value(field, row), field.unit) : this.rows.text(field, row); }

  // The op's kernels, the longest first; each is one row whatever its launches were.
  innerOf(row) {
    const key = `${row} ${scope.rank}`;
    if (scope.hasRange || scope.key) return [];  // They are not known by iteration.
    if (this.known.has(key)) return this.known.get(key);
    const { kernels } = this, by = (id) => kernels.fields.find((field) => field.id === id);
    const [op, name, time, calls, uses, rank] = ['op', 'name', 'time', 'calls', 'uses_tensor_core', 'rank'].map(by);
    const sums = new Map(), wanted = this.rows.value(this.nameField, row);
    for (let k = 0; op && name && k < kernels.count; ++k) {
      if (kernels.value(op, k) !== wanted || (scope.rank !== null && rank && kernels.value(rank, k) !== scope.rank)) continue;
      const kernel = kernels.value(name, k);
      const sum = sums.get(kernel) || { name: kernel, device_self: 0, kernels: 0, uses_tensor_core: uses && kernels.value(uses, k) };
      sum.device_self += (time && kernels.value(time, k)) || 0;
      sum.kernels += (calls && kernels.value(calls, k)) || 0;
      sums.set(kernel, sum);
    }
    const out = [...sums.values()].sort((a, b) => b.device_self - a.device_self)
      .map((values) => this.count + this.inner.push({ parent: row, values }) - 1);
    this.known.set(key, out);
    return out;
  }
}

// The table of ops, whose rows open to their kernels.
class OpsGrid extends Grid {
  constructor(table, rows, kernels) { super(table, new RowsWithKernels(rows, kernels)); }
  becomeVirtual() {
    this.open = new Set();
    super.becomeVirtual();
  }
  arranged() {
    return super.arranged().flatMap((row) => (this.open?.has(row) ? [row, ...this.rows.innerOf(row)] : [row]));
  }
  toggle(row, open) {
    if (open) this.open.add(row); else this.open.delete(row);
    this.apply();
    this.table.querySelector(`tr[data-row="${row}"] .twist`)?.focus();
  }
  addKeys() {
    super.addKeys();
    this.scroller.addEventListener('keydown', (event) => {
      const row = this.order[this.current], step = { ArrowRight: true, ArrowLeft: false }[event.key];
      if (event.target !== this.scroller || row === undefined || step === undefined || this.rows.isInner(row)) return;
      this.toggle(row, step && this.rows.innerOf(row).length > 0);
      this.scroller.focus();
      event.preventDefault();
    });
  }
  openRow(row) {
    if (!this.rows.isInner(row)) return openRow(this, row);
    const name = this.rows.value(this.rows.nameField, row);
    grids.get('kernels')?.reveal(`name=${quote(name)}`);
  }
  makeRow(row, isCurrent) {
    const line = super.makeRow(row, isCurrent), first = line.cells[0];
    if (this.rows.isInner(row)) {
      first.style.paddingLeft = '38px';
      return line;
    }
    const isOpen = this.open.has(row), name = first.textContent;
    first.prepend(this.rows.innerOf(row).length ? make('button', {
      type: 'button', className: 'twist', tabIndex: -1, ariaExpanded: String(isOpen), ariaLabel: `${isOpen ? 'Close' : 'Kernels of'} ${name}`,
      onclick: () => this.toggle(row, !isOpen),
    }, isOpen ? '▾' : '▸') : make('span', { className: 'twist' }));
    return line;
  }
}
