'use strict';
// report.js: what the page can do where scripts run. Tables sort, filter, choose columns, copy, save
// and lead to each other; iterations can be summed over another range; ranks can be chosen. The page
// is complete without any of it.

// ---- Numbers: the same texts as base/format.cc.

const GAP = '\u202f';
const scaleOf = (unit) => ['', 'k', 'M', 'G', 'T', 'P'].map((prefix) => prefix + unit);
const SCALES = {
  ns: ['ns', 'µs', 'ms', 's'], bytes: scaleOf('B'), 'bytes/s': scaleOf('B/s'),
  flop: scaleOf('FLOP'), 'flop/s': scaleOf('FLOP/s'),
};

// toFixed() rounds halves up, C++ to even.
function fixed(value, decimals) {
  const exact = value.toFixed(decimals + 30);
  const isHalf = /50{29}$/.test(exact);
  const cut = exact.slice(0, -30).replace(/\.$/, '');
  return isHalf && /[02468]$/.test(cut) ? cut : value.toFixed(decimals);
}
const grouped = (text) => text.replace(/^(-?)(\d+)/, (all, sign, digits) =>
  sign + digits.replace(/\B(?=(\d{3})+$)/g, GAP));
const exponentOf = (value, digits) => +value.toExponential(digits - 1).split('e')[1];

function formatScaled(value, names) {
  if (value === 0) return '0' + GAP + names[0];
  const exponent = exponentOf(value, 3);
  if (Number.isInteger(value) && Math.abs(value) < 1000 && exponent < 3) {
    return value + GAP + names[0];
  }
  const step = Math.min(Math.max(Math.floor(exponent / 3), 0), names.length - 1);
  const decimals = Math.max(0, 2 - (exponent - 3 * step));
  return grouped(fixed(value / 10 ** (3 * step), decimals)) + GAP + names[step];
}

function format(value, unit) {
  if (value === null || Number.isNaN(value)) return '–';
  if (unit === 'text') return value;
  if (unit === 'bool') return value ? 'yes' : 'no';
  if (SCALES[unit]) return formatScaled(value, SCALES[unit]);
  if (unit === 'ratio') {
    if (value === 0) return '0' + GAP + '%';
    const exponent = exponentOf(value * 100, 2);
    return grouped(fixed(value * 100, exponent >= 0 ? 1 : 1 - exponent)) + GAP + '%';
  }
  if (Number.isInteger(value)) return grouped(String(value));
  const exponent = exponentOf(value, 3);
  if (exponent < -4) return value.toExponential(2).replace(/e-(\d)$/, 'e-0$1');
  return grouped(fixed(value, Math.max(0, 2 - exponent)));
}

// "5 ms" → 5e6; a bare number stays. NaN when it is neither.
function parseQuantity(text) {
  const match = /^\s*(-?[\d.]+(?:e-?\d+)?)\s*([a-zµ%/]*)\s*$/i.exec(text);
  if (!match) return NaN;
  if (!match[2]) return +match[1];
  if (match[2] === '%') return match[1] / 100;
  const word = match[2].replace(/^us$/, 'µs').toLowerCase();
  for (const names of Object.values(SCALES)) {
    const step = names.findIndex((name) => name.toLowerCase() === word);
    if (step >= 0) return match[1] * 1000 ** step;
  }
  return NaN;
}

// ---- Payloads: see render/columns.h.

async function unpack(id) {
  const element = document.getElementById(id);
  const text = element.textContent.trim();
  let bytes;
  if (Uint8Array.fromBase64) {
    bytes = Uint8Array.fromBase64(text);
  } else {
    const raw = atob(text);
    bytes = new Uint8Array(raw.length);
    for (let i = 0; i < raw.length; ++i) bytes[i] = raw.charCodeAt(i);
  }
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  element.remove();  // its text is no longer needed
  const length = new DataView(bytes.buffer).getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
  const columns = {};
  let at = 4 + length;
  for (const [name, kind, planes, count] of head.columns) {
    columns[name] = unpackColumn(bytes, at, kind, planes, count);
    at += planes * count;
  }
  return { head, columns };
}

function unpackColumn(bytes, at, kind, planes, count) {
  if (kind === 'f') {
    const out = new Uint8Array(8 * count);
    for (let p = 0; p < 8; ++p) for (let i = 0; i < count; ++i) out[8 * i + p] = bytes[at + p * count + i];
    return new Float64Array(out.buffer);
  }
  const out = new Float64Array(count);
  for (let p = 0, factor = 1; p < planes; ++p, factor *= 256) {
    const base = at + p * count;
    for (let i = 0; i < count; ++i) out[i] += factor * bytes[base + i];
  }
  if (kind === 'd') {
    for (let i = 0, sum = 0; i < count; ++i) out[i] = sum += unzigzag(out[i]);
  }
  return out;
}
const unzigzag = (value) => (value % 2 ? -(value + 1) / 2 : value / 2);

// ---- Small helpers.

// make('button', {type: 'button', onclick}, 'Copy', child, …)
function make(tag, properties, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties || {})) {
    if (name in element) element[name] = value; else element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

// What the reader arranged is kept per kind of report, where the browser lets us.
const layout = {
  read() { try { return JSON.parse(localStorage.getItem('profgauge')) || {}; } catch { return {}; } },
  write(key, value) {
    try {
      localStorage.setItem('profgauge', JSON.stringify({ ...this.read(), [key]: value }));
    } catch { /* storage is off */ }
  },
};

function save(name, text, type) {
  const link = make('a', { href: URL.createObjectURL(new Blob([text], { type })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = make('textarea', { value: text, className: 'hide' });
    document.body.append(area);
    area.select();
    document.execCommand('copy');
    area.remove();
  }
}

// ---- Where a table's rows come from: the page itself, or a payload.

class PageRows {
  constructor(table) {
    this.rows = [...table.tBodies[0].rows];
    this.fields = [...table.tHead.rows[0].cells].map((cell, index) => ({
      index, id: cell.dataset.id || cell.textContent, title: cell.textContent,
      unit: cell.dataset.unit || (cell.align === 'right' ? 'number' : 'text'),
    }));
    this.count = this.rows.length;
  }
  text(field, row) { return this.rows[row].cells[field.index].textContent.trim(); }
  // The exact value leads the title where the text is rounded.
  value(field, row) {
    if (isText(field)) return this.text(field, row);
    const cell = this.rows[row].cells[field.index];
    const text = cell.title || cell.textContent.replace(/[\s\u202f]/g, '');
    const number = parseFloat(text);
    return Number.isNaN(number) ? null : /%$/.test(text) ? number / 100 : number;
  }
}

class PackedRows {
  constructor({ head, columns }) {
    this.fields = head.fields.map((field, index) => ({ ...field, index }));
    this.count = head.rows;
    this.of = head.of;
    this.texts = head.texts;
    this.columns = columns;
  }
  value(field, row) {
    const raw = this.columns[field.id][row];
    if (field.unit === 'text') return raw ? this.texts[raw - 1] : null;
    if (['count', 'ns', 'bytes', 'bool'].includes(field.unit)) return raw ? unzigzag(raw - 1) : null;
    return Number.isNaN(raw) ? null : raw;
  }
  text(field, row) { return format(this.value(field, row), field.unit); }
}
const isText = (field) => field.unit === 'text' || field.unit === 'bool';

// ---- Filters: words, field:part, field=exact, field>5ms, !word.

function parseFilter(text, fields) {
  const tests = [];
  const tokens = text.match(/(?:[^\s"]|"[^"]*")+/g) || [];
  for (let token of tokens) {
    const not = token.startsWith('!');
    if (not) token = token.slice(1);
    const match = /^([\w ]+?)(<=|>=|[:=<>])(.*)$/.exec(token);
    const field = match && fields.find((f) => f.id === match[1]);
    const word = (field ? match[3] : token).replace(/"/g, '');
    if (!word) continue;
    const test = field ? fieldTest(field, match[2], word) : anyTest(fields, word.toLowerCase());
    tests.push(not ? (rows, row) => !test(rows, row) : test);
  }
  return tests;
}

function anyTest(fields, word) {
  const texts = fields.filter(isText);
  return (rows, row) => texts.some((f) => String(rows.value(f, row) ?? '').toLowerCase().includes(word));
}

function fieldTest(field, sign, word) {
  const limit = parseQuantity(word);
  if (sign === ':') {
    return (rows, row) => rows.text(field, row).toLowerCase().includes(word.toLowerCase());
  }
  if (sign === '=' && (isText(field) || Number.isNaN(limit))) {
    return (rows, row) => rows.text(field, row) === word;
  }
  const holds = {
    '=': (a) => a === limit, '<': (a) => a < limit, '>': (a) => a > limit,
    '<=': (a) => a <= limit, '>=': (a) => a >= limit,
  }[sign];
  return (rows, row) => { const a = rows.value(field, row); return a !== null && holds(a); };
}

// ---- A table with controls.

const ROW_HEIGHT = 28;
const grids = new Map();
let printing = false;
for (const [event, now] of [['beforeprint', true], ['afterprint', false]]) {
  addEventListener(event, () => {
    printing = now;
    for (const grid of grids.values()) if (grid.packed) grid.drawWindow(true);
  });
}

// Where a row leads: table → [other table, filter from the row's values].
const LEADS = {
  ops: [['kernels_by_op', { op: 'name' }], ['ops_by_shape', { name: 'name' }], ['memory_ops', { name: 'name' }]],
  ops_by_shape: [['kernels_by_op', { op: 'name' }]],
  op_types: [['ops', { type: 'name' }]],
  kernels: [['kernels_by_op', { name: 'name' }], ['launches', { name: 'name' }], ['kernels_by_iteration', { name: 'name' }]],
  kernels_by_op: [['launches', { name: 'name', op: 'op' }], ['ops', { name: 'op' }]],
  kernels_by_iteration: [['kernels', { name: 'name' }]],
  iterations: [['kernels_by_iteration', { iteration: 'index' }]],
  launches: [['kernels', { name: 'name' }], ['ops', { name: 'op' }]],
  tensor_core_ops: [['ops_by_shape', { name: 'name', input_shapes: 'input_shapes' }]],
  memory_events: [['ops', { name: 'op' }]],
  gaps: [['ops', { name: 'op' }]],
};

class Grid {
  constructor(table, rows) {
    this.id = table.dataset.id;
    this.table = table;
    this.rows = rows;
    this.packed = rows instanceof PackedRows;
    this.scroller = table.closest('.scroll');
    this.query = '';
    this.current = -1;
    this.hidden = new Set((layout.read().columns || {})[this.id] || []);
    if (this.packed) this.becomeVirtual();
    const sorted = this.heads().findIndex((head) => head.getAttribute('aria-sort'));
    this.sortField = sorted < 0 ? null : this.fields()[sorted];
    this.descending = true;
    this.addHeads();
    this.addTools();
    this.addKeys();
    this.apply();
  }

  heads() { return [...this.table.tHead.rows[0].cells]; }
  fields() { return this.rows.fields; }
  shown() { return this.fields().filter((field) => !this.hidden.has(field.id)); }
  title() { return this.table.caption.firstChild.textContent.trim(); }

  // The payload may have columns that the page left out as empty, and has all rows.
  becomeVirtual() {
    const present = new Set(this.heads().map((head) => head.dataset.id));
    this.rows.fields = this.rows.fields.filter((field) => present.has(field.id));
    this.table.classList.add('virtual');
    this.scroller.addEventListener('scroll', () => this.drawWindow());
    const note = this.table.caption.querySelector('.small');
    if (note) note.textContent = this.rows.of > this.rows.count
      ? `(${format(this.rows.count, 'count')} of ${format(this.rows.of, 'count')} rows)` : '';
  }

  addHeads() {
    this.heads().forEach((head, index) => {
      const button = make('button', { type: 'button' }, head.textContent);
      head.replaceChildren(button);
      button.addEventListener('click', () => {
        const field = this.fields()[index];
        this.descending = this.sortField === field ? !this.descending : !isText(field);
        this.sortField = field;
        this.apply();
      });
    });
  }

  addTools() {
    this.input = make('input', {
      type: 'search', placeholder: 'filter: words, column:part, time>5ms, !not',
      'aria-label': `Filter ${this.title()}`, size: 34,
    });
    let timer = 0;
    this.input.addEventListener('input', () => {
      clearTimeout(timer);
      timer = setTimeout(() => this.filter(this.input.value), 80);
    });
    this.status = make('span', { className: 'small mute', role: 'status' });
    const columns = make('details', { className: 'menu' }, make('summary', {}, 'Columns'));
    const list = make('div', {});
    for (const field of this.fields()) {
      const box = make('input', { type: 'checkbox', checked: !this.hidden.has(field.id) });
      box.addEventListener('change', () => {
        if (box.checked) this.hidden.delete(field.id); else this.hidden.add(field.id);
        layout.write('columns', { ...layout.read().columns, [this.id]: [...this.hidden] });
        this.apply();
      });
      list.append(make('label', {}, box, ' ' + field.title));
    }
    columns.append(list);
    const button = (text, onclick) => make('button', { type: 'button', onclick }, text);
    this.scroller.before(make('div', { className: 'tools' }, this.input, columns,
      button('Copy', () => copyText(this.asText('\t'))),
      button('CSV', () => save(`${this.id}.csv`, this.asText(','), 'text/csv')), this.status));
  }

  // Arrows move through the rows, Enter opens one.
  addKeys() {
    this.scroller.addEventListener('keydown', (event) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (event.target !== this.scroller) return;
      if (step) this.select(Math.min(Math.max(this.current + step, 0), this.order.length - 1));
      else if (event.key === 'Enter' && this.current >= 0) openRow(this, this.order[this.current]);
      else return;
      event.preventDefault();
    });
    this.table.tBodies[0].addEventListener('click', (event) => {
      const row = event.target.closest('tr');
      if (!row || event.target.closest('summary, a, button') || String(getSelection())) return;
      const index = this.packed ? +row.dataset.row : this.rows.rows.indexOf(row);
      if (index >= 0) openRow(this, index);
    });
  }

  select(position) {
    this.current = position;
    if (this.packed) {
      const top = position * ROW_HEIGHT, view = this.scroller.clientHeight - 2 * ROW_HEIGHT;
      if (top < this.scroller.scrollTop) this.scroller.scrollTop = top;
      if (top > this.scroller.scrollTop + view) this.scroller.scrollTop = top - view;
      this.drawWindow(true);
    } else {
      for (const row of this.rows.rows) row.classList.remove('current');
      const row = this.rows.rows[this.order[position]];
      row.classList.add('current');
      row.scrollIntoView({ block: 'nearest' });
    }
  }

  filter(query) {
    this.query = query;
    if (this.input.value !== query) this.input.value = query;
    this.apply();
  }

  // Filters, sorts and draws.
  apply() {
    const rows = this.rows;
    const tests = parseFilter(this.query, this.fields());
    const rank = this.fields().find((field) => field.id === 'rank');
    if (rank && chosenRank !== null) tests.push((r, row) => r.value(rank, row) === chosenRank);
    let order = [];
    for (let row = 0; row < rows.count; ++row) if (tests.every((test) => test(rows, row))) order.push(row);
    if (this.sortField) order = this.sorted(order);
    this.order = order;
    this.heads().forEach((head, index) => {
      const field = this.fields()[index];
      head.hidden = this.hidden.has(field.id);
      head.removeAttribute('aria-sort');
      if (field === this.sortField) head.setAttribute('aria-sort', this.descending ? 'descending' : 'ascending');
    });
    this.status.textContent = order.length === rows.count ? ''
      : `${format(order.length, 'count')} of ${format(rows.count, 'count')} rows`;
    this.top = 0;
    for (const row of order) this.top = Math.max(this.top, this.weight(row));
    if (this.packed) this.drawWindow(true); else this.drawAll();
  }

  sorted(order) {
    const field = this.sortField, sign = this.descending ? -1 : 1;
    const keys = new Map();
    for (const row of order) keys.set(row, this.rows.value(field, row));
    const compare = isText(field)
      ? (a, b) => (a < b ? -1 : a > b ? 1 : 0) : (a, b) => a - b;
    return order.sort((r, s) => {
      const a = keys.get(r), b = keys.get(s);
      if (a === null || b === null) return (a === null) - (b === null);
      return sign * compare(a, b) || r - s;
    });
  }

  // How much of the sorted column a row carries, for its bar.
  weight(row) {
    const field = this.sortField;
    return field && !isText(field) ? Math.max(this.rows.value(field, row) || 0, 0) : 0;
  }

  paintBar(cell, row) {
    const share = this.top > 0 ? this.weight(row) / this.top : 0;
    cell.style.background = share > 0
      ? `linear-gradient(to left, var(--bar) ${(100 * share).toFixed(1)}%, transparent 0)` : '';
  }

  drawAll() {
    const body = this.table.tBodies[0];
    body.replaceChildren(...this.order.map((row) => this.rows.rows[row]));
    for (const row of this.order) {
      for (const field of this.fields()) {
        const cell = this.rows.rows[row].cells[field.index];
        cell.hidden = this.hidden.has(field.id);
        if (field === this.sortField) this.paintBar(cell, row); else cell.style.background = '';
      }
    }
  }

  // Only the rows in view exist; on paper the first ones.
  drawWindow(always) {
    const first = printing ? 0 : Math.max(0, Math.floor(this.scroller.scrollTop / ROW_HEIGHT) - 10);
    const view = printing ? 200 : Math.ceil((this.scroller.clientHeight || 700) / ROW_HEIGHT) + 20;
    const last = Math.min(this.order.length, first + view);
    if (!always && first === this.first && last === this.last) return;
    this.first = first;
    this.last = last;
    const spacer = (rows) => {
      const row = make('tr', { ariaHidden: 'true' });
      row.style.height = `${rows * ROW_HEIGHT}px`;
      return row;
    };
    const out = [spacer(first)];
    for (let i = first; i < last; ++i) out.push(this.makeRow(this.order[i], i === this.current));
    if (!printing) out.push(spacer(this.order.length - last));
    this.table.tBodies[0].replaceChildren(...out);
  }

  makeRow(row, isCurrent) {
    const line = make('tr', { className: isCurrent ? 'current' : '' });
    line.dataset.row = row;
    this.shown().forEach((field, index) => {
      const cell = make(index ? 'td' : 'th', {}, this.rows.text(field, row));
      if (!index) cell.scope = 'row';
      if (isText(field)) cell.align = 'left'; else cell.title = this.exact(field, row);
      if (field === this.sortField) this.paintBar(cell, row);
      line.append(cell);
    });
    return line;
  }

  exact(field, row) {
    const value = this.rows.value(field, row);
    return value === null ? '' : String(value) + (SCALES[field.unit] ? ' ' + field.unit : '');
  }

  // The rows and columns in view, numbers exact; a text that a spreadsheet would run is quoted.
  asText(separator) {
    const quote = (text) => {
      const safe = /^[=+\-@\t]/.test(text) && Number.isNaN(+text) ? "'" + text : text;
      return /["\n\t,]/.test(safe) ? '"' + safe.replace(/"/g, '""') + '"' : safe;
    };
    const fields = this.shown();
    const lines = [fields.map((f) => quote(f.title + (SCALES[f.unit] ? ` (${f.unit})` : '')))];
    for (const row of this.order) lines.push(fields.map((f) => quote(String(this.rows.value(f, row) ?? ''))));
    return lines.map((line) => line.join(separator)).join('\n') + '\n';
  }

  reveal(query) {
    for (let at = this.table; at; at = at.parentElement) if (at.tagName === 'DETAILS') at.open = true;
    this.filter(query);
    this.table.closest('details').scrollIntoView();
    this.input.focus({ preventScroll: true });
  }
}

// ---- One row, whole, with what it leads to.

const dialog = make('dialog', { 'aria-label': 'Details' });

function openRow(grid, row) {
  const list = make('dl', {});
  const values = {};
  for (const field of grid.fields()) {
    values[field.id] = grid.rows.value(field, row);
    const exact = isText(field) ? '' : grid.exact(field, row);
    const text = grid.rows.text(field, row);
    list.append(make('dt', {}, field.title), make('dd', {}, text,
      exact && exact !== text.replace(GAP, ' ') ? make('span', { className: 'mute small' }, '  ' + exact) : ''));
  }
  const leads = make('p', { className: 'tools' });
  for (const [id, fields] of LEADS[grid.id] || []) {
    const parts = Object.entries(fields).filter(([, from]) => values[from] !== undefined && values[from] !== null);
    const other = grids.get(id);
    if (!other || !parts.length) continue;
    const query = parts.map(([to, from]) => `${to}="${values[from]}"`).join(' ');
    leads.append(make('button', {
      type: 'button', onclick() { dialog.close(); other.reveal(query); },
    }, `→ ${other.title()}`));
  }
  const start = values.start ?? values.allocated_at, length = values.duration ?? values.time;
  if (window.timeline && start !== undefined && start !== null && length !== undefined) {
    leads.append(make('button', {
      type: 'button', onclick() { dialog.close(); window.timeline.show(start, start + length, values.rank); },
    }, '→ Timeline'));
  } else if (window.timeline && values.name && window.timeline.knows(values.name)) {
    leads.append(make('button', {
      type: 'button', onclick() { dialog.close(); window.timeline.search(values.name); },
    }, '→ Timeline'));
  }
  const close = make('button', { type: 'button', onclick: () => dialog.close() }, 'Close');
  dialog.replaceChildren(make('div', {}, make('h3', {}, grid.title()), list, leads, close));
  dialog.onclick = (event) => { if (event.target === dialog) dialog.close(); };
  dialog.showModal();
}

// ---- Ranks: one choice for tables and timeline.

let chosenRank = null;

function addRankChoice() {
  const ranks = grids.get('ranks');
  if (!ranks || ranks.rows.count < 2) return;
  const field = ranks.fields()[0];
  const select = make('select', { id: 'rank-choice' }, make('option', { value: '' }, 'all ranks'));
  for (let row = 0; row < ranks.rows.count; ++row) {
    const rank = ranks.rows.value(field, row);
    select.append(make('option', { value: rank }, `rank ${rank}`));
  }
  select.addEventListener('change', () => {
    chosenRank = select.value === '' ? null : +select.value;
    for (const grid of grids.values()) grid.apply();
    if (window.timeline) window.timeline.chooseRank(chosenRank);
  });
  document.querySelector('nav').append(make('label', {}, 'Show ', select));
}

// ---- Another range of iterations: the summary numbers over it.

function addReaggregation() {
  const grid = grids.get('iterations');
  if (!grid || grid.rows.count < 2) return;
  const rows = grid.rows, by = (id) => grid.fields().find((field) => field.id === id);
  const index = by('index'), duration = by('duration');
  if (!index || !duration) return;
  const all = [...Array(rows.count).keys()].map((row) => rows.value(index, row));
  const low = Math.min(...all), high = Math.max(...all);
  const number = (value, label) => make('input', {
    type: 'number', min: low, max: high, value, 'aria-label': label,
  });
  const from = number(low, 'First iteration'), to = number(high, 'Last iteration');
  const out = make('div', { role: 'status' });
  const parts = [...document.querySelectorAll('#breakdown tbody tr[data-id]')].map((row) => ({
    id: row.dataset.id, label: row.cells[0].textContent.trim(),
    paint: row.querySelector('rect').cloneNode(),
  })).filter((part) => by(part.id));
  const update = () => {
    const chosen = [];
    for (let row = 0; row < rows.count; ++row) {
      const at = rows.value(index, row), rank = by('rank');
      if (at < +from.value || at > +to.value) continue;
      if (chosenRank !== null && rank && rows.value(rank, row) !== chosenRank) continue;
      chosen.push(row);
    }
    out.replaceChildren(...(chosen.length ? summaryOf(chosen, rows, by, parts)
      : [make('p', {}, 'No iteration lies in this range.')]));
    out.append(make('p', { className: 'small mute' }, 'Everything over this range: ',
      make('code', {}, `--iter-start ${from.value} --iter-stop ${to.value}`)));
  };
  from.addEventListener('input', update);
  to.addEventListener('input', update);
  const box = make('details', { className: 'table' }, make('summary', {},
    make('h3', {}, 'Another range of iterations')),
  make('p', { className: 'tools' }, 'From ', from, ' to ', to), out);
  box.addEventListener('toggle', update, { once: true });
  document.querySelector('#iterations figure').after(box);
}

function medianOf(values) {
  const sorted = [...values].sort((a, b) => a - b), half = sorted.length >> 1;
  return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

function summaryOf(chosen, rows, by, parts) {
  const times = chosen.map((row) => rows.value(by('duration'), row));
  const sum = (field) => chosen.reduce((total, row) => total + (rows.value(field, row) || 0), 0);
  const total = sum(by('duration')), median = medianOf(times);
  const spread = 1.4826 * medianOf(times.map((time) => Math.abs(time - median)));
  const facts = make('dl', { className: 'facts' });
  const fact = (label, value, unit) => facts.append(make('div', {},
    make('dt', {}, label), make('dd', { title: value }, format(value, unit))));
  fact('Iterations', chosen.length, 'count');
  fact('In all', total, 'ns');
  fact('Mean', total / chosen.length, 'ns');
  fact('Median', median, 'ns');
  fact('Variation', median ? spread / median : 0, 'ratio');
  if (by('kernels')) fact('Kernels per iteration', sum(by('kernels')) / chosen.length, 'number');
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('viewBox', '0 0 1190 26');
  svg.setAttribute('class', 'bar');
  svg.setAttribute('aria-hidden', 'true');
  const body = make('tbody', {});
  let x = 0;
  for (const part of parts) {
    const time = sum(by(part.id)), share = total ? time / total : 0;
    const rect = part.paint.cloneNode();
    for (const [name, value] of Object.entries({ x, width: 1190 * share, height: 26, rx: 0 })) {
      rect.setAttribute(name, value);
    }
    svg.append(rect);
    x += 1190 * share;
    body.append(make('tr', {}, make('th', { scope: 'row', align: 'left' }, part.label),
      make('td', { align: 'right' }, format(share, 'ratio')),
      make('td', { align: 'right' }, format(time / chosen.length, 'ns')),
      make('td', { align: 'right', title: `${time} ns` }, format(time, 'ns'))));
  }
  const heads = ['Part', 'Share', 'Per iteration', 'In all'].map((text, i) =>
    make('th', { scope: 'col', align: i ? 'right' : 'left' }, text));
  return [facts, svg, make('table', {}, make('caption', {}, 'Where these iterations go'),
    make('thead', {}, make('tr', {}, ...heads)), body)];
}

// ---- Copying a rule's id, opening what a link points to, remembering what is open.

function openTarget() {
  if (location.hash.startsWith('#t=')) return;
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  for (let at = target; at; at = at.parentElement) if (at.tagName === 'DETAILS') at.open = true;
  if (target) target.scrollIntoView();
}

function rememberOpen() {
  const kept = layout.read().open || {};
  for (const box of document.querySelectorAll('details.table[id]')) {
    if (box.id in kept) box.open = kept[box.id];
    box.addEventListener('toggle', () => layout.write('open', { ...layout.read().open, [box.id]: box.open }));
  }
}

async function start() {
  document.body.append(dialog);
  rememberOpen();
  for (const table of document.querySelectorAll('table.data')) {
    const id = `c-${table.dataset.id}`;
    const rows = document.getElementById(id) ? new PackedRows(await unpack(id)) : new PageRows(table);
    grids.set(table.dataset.id, new Grid(table, rows));
  }
  addRankChoice();
  addReaggregation();
  for (const code of document.querySelectorAll('code.copy')) {
    code.after(make('button', { type: 'button', className: 'small', onclick: () => copyText(code.textContent) }, 'copy'));
  }
  addEventListener('hashchange', openTarget);
  openTarget();
  document.documentElement.dataset.tables = 'ready';
}
start();
