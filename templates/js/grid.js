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

// The rows of findings by rule: {table, all, places}, of a filter "finding=gpu/idle".
const evidence = new Map();
const OF_FINDING = /(^|[\s,])finding=("?)([^\s,"]+)\2/;
function addEvidenceLinks(rows) {
  for (const [rule, [table, all, steps]] of Object.entries(rows)) {
    let at = 0;
    evidence.set(rule, { table, all, places: new Set(steps.map((step) => (at += step))) });
    const caption = document.querySelector(`[data-evidence="${rule}"]`), grid = grids.get(table);
    if (caption && grid && caption.parentElement.tBodies[0].rows.length < all) {
      caption.append(' · ', make('button', { type: 'button', className: 'link', onclick: () => grid.reveal(`finding=${rule}`) }, `All in ${grid.title()}`));
    }
  }
}

class Grid {
  constructor(table, rows) {
    this.id = table.dataset.id;
    this.table = table;
    this.rows = rows;
    this.packed = !(rows instanceof PageRows);
    this.scroller = table.closest('.scroll');
    this.query = '';
    this.current = -1;
    this.shownOrder = [];
    this.unknown = [];
    this.extra = (table.dataset.extra || '').split(' ').filter(Boolean);
    this.hidden = new Set((layout.read().columns || {})[this.id] || this.extra);
    this.widths = { ...(layout.read().widths || {})[this.id] };
    if (this.packed) this.becomeVirtual();
    const sorted = this.heads().findIndex((head) => head.getAttribute('aria-sort'));
    this.sortField = sorted < 0 ? null : this.fields()[sorted];
    this.descending = true;
    this.opening = { field: this.sortField, descending: true };
    this.addHeads();
    rove(this.heads().map((head) => head.querySelector('button')));
    this.addTools();
    this.addKeys();
    this.apply();
    keepHeight(this.scroller, this.id, () => { this.place = null; if (this.packed) this.drawWindow(); });
  }

  // The rows in view. A table in a closed box is arranged anew when one opens it or asks for them.
  get order() {
    if (this.isStale) this.apply();
    return this.shownOrder;
  }
  refresh() {
    const box = this.table.closest('details:not([open])');
    this.isStale = Boolean(box);
    if (!box) return this.apply();
    box.addEventListener('toggle', () => this.order, { once: true });
  }

  heads() { return [...this.table.tHead.rows[0].cells]; }
  fields() { return this.rows.fields; }
  shown() { return this.fields().filter((field) => !this.hidden.has(field.id)); }
  title() { return this.table.caption.firstChild.textContent.trim(); }

  // The payload has all rows, and the columns that are one click away. Of one row it has the heads, too.
  becomeVirtual() {
    const byId = new Map(this.rows.fields.map((field) => [field.id, field]));
    const line = this.table.querySelector('td[data-ids]'), ids = line ? line.dataset.ids.split(' ') : [];
    if (line) {
      line.closest('tr').remove();
      this.table.createTHead().insertRow();
    }
    const there = new Set(this.heads().map((head) => head.dataset.id));
    for (const id of [...ids, ...this.extra]) {
      const field = byId.get(id);
      if (!field || there.has(id)) continue;
      const head = make('th', { scope: 'col', align: isText(field) ? 'left' : 'right' }, field.title);
      head.dataset.id = id;
      this.table.tHead.rows[0].append(head);
    }
    this.rows.fields = this.heads().map((head) => byId.get(head.dataset.id));
    this.table.className = 'data virtual';
    this.scroller.addEventListener('scroll', () => { this.place = null; this.drawWindow(); });
    const note = this.table.caption.querySelector('.small');
    const rest = this.table.dataset.rest || '--json writes all rows';
    if (note) note.textContent = this.rows.of > this.rows.count
      ? `(${format(this.rows.count, 'count')} of ${format(this.rows.of, 'count')} rows${rest ? `; ${rest}` : ''})` : '';
  }

  addHeads() {
    this.heads().forEach((head, index) => {
      const button = make('button', { type: 'button' }, head.textContent);
      head.replaceChildren(button);
      this.makeResizable(head, button, this.fields()[index]);
      button.addEventListener('click', () => {
        const field = this.fields()[index];
        this.descending = this.sortField === field ? !this.descending : !isText(field);
        this.sortField = field;
        this.apply();
        keepView(this, 'push');
      });
    });
  }

  // The right edge of a head widens its column; so do Alt and the arrows on its button.
  makeResizable(head, button, field) {
    const grip = make('span', { className: 'grip', ariaHidden: 'true' });
    const widen = (width) => {
      this.widths[field.id] = Math.max(40, Math.round(width));
      layout.write('widths', { ...layout.read().widths, [this.id]: this.widths });
      this.setWidth(head, field);
      this.apply();
    };
    grip.addEventListener('pointerdown', (event) => {
      const from = event.clientX, width = head.offsetWidth;
      grip.setPointerCapture(event.pointerId);
      grip.onpointermove = (move) => widen(width + move.clientX - from);
      grip.onpointerup = () => { grip.onpointermove = null; };
      event.preventDefault();
    });
    grip.addEventListener('dblclick', () => {
      delete this.widths[field.id];
      layout.write('widths', { ...layout.read().widths, [this.id]: this.widths });
      this.setWidth(head, field);
      this.apply();
    });
    button.addEventListener('keydown', (event) => {
      const step = event.altKey && { ArrowRight: 20, ArrowLeft: -20 }[event.key];
      if (!step) return;
      widen(head.offsetWidth + step);
      event.preventDefault();
    });
    head.append(grip);
    this.setWidth(head, field);
  }
  setWidth(cell, field) {
    const width = this.widths[field.id];
    cell.style.minWidth = cell.style.maxWidth = width ? `${width}px` : '';
  }

  addTools() {
    this.input = make('input', {
      type: 'search', placeholder: `filter: ${this.example()}`, 'aria-label': `Filter ${this.title()}`,
      size: 46, title: `Words, or a column with one of : = < >. Columns: ${this.fields().map((field) => field.title).join(', ')}`,
    });
    let timer = 0;
    this.input.addEventListener('input', () => {
      clearTimeout(timer);
      timer = setTimeout(() => { this.filter(this.input.value); keepView(this, `filter ${this.id}`); }, 80);
    });
    this.status = make('span', { className: 'small mute', role: 'status' });
    const columns = make('details', { className: 'menu' }, make('summary', {}, 'Columns'));
    const list = make('div', {}), boxes = [];
    this.showColumns = (hidden) => {
      this.hidden = new Set(hidden);
      this.fields().forEach((field, index) => { boxes[index].checked = !this.hidden.has(field.id); });
      this.apply();
    };
    const choose = (hidden) => {
      layout.write('columns', { ...layout.read().columns, [this.id]: hidden });
      this.showColumns(hidden);
      keepView(this);
    };
    const button = (text, onclick) => make('button', { type: 'button', onclick }, text);
    list.append(make('div', {}, button('All', () => choose([])), ' ', button('Default', () => choose(this.extra))));
    for (const field of this.fields()) {
      const box = make('input', { type: 'checkbox', checked: !this.hidden.has(field.id) });
      box.addEventListener('change', () => choose(this.fields().filter((_, index) => !boxes[index].checked).map((other) => other.id)));
      boxes.push(box);
      list.append(make('label', {}, box, ' ' + field.title));
    }
    columns.append(list);
    this.tools = make('div', { className: 'tools' }, this.input, columns,
      button('Copy', () => copyText(this.asText('\t'))),
      button('Markdown', () => copyText(this.asMarkdown())),
      button('CSV', () => save(`${this.id}.csv`, this.asText(','), 'text/csv')), this.status);
    this.scroller.before(this.tools);
    rove(this.tools.querySelectorAll(':scope > button'));
  }

  // Arrows move through the rows, Enter opens one.
  addKeys() {
    this.scroller.addEventListener('keydown', (event) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (event.target !== this.scroller || !this.order.length) return;
      if (step) this.select(Math.min(Math.max(this.current + step, 0), this.order.length - 1));
      else if (event.key === 'Enter' && this.current >= 0) this.openRow(this.order[this.current]);
      else return;
      event.preventDefault();
    });
    // Lines of source are chosen by dragging over them, too.
    if (this.isSource) {
      this.table.addEventListener('mousedown', (event) => { this.dragged = this.rowAt(event); });
      // Not before: the timeline that shows a chosen line may move the lines below the pointer.
      this.table.addEventListener('mouseup', (event) => {
        const row = this.rowAt(event), from = this.dragged;
        if (row < 0 || from < 0 || row === from) return;
        const kept = event.ctrlKey ? [...this.lines || []].filter((line) => line !== from) : [];
        this.lines = new Set([...kept, from]);
        this.chooseSpan(row, kept);
      });
    }
    this.table.tBodies[0].addEventListener('click', (event) => {
      const index = this.rowAt(event);
      if (index < 0 || event.target.closest('summary, a, button') || (!event.shiftKey && String(getSelection()))) return;
      if (event.shiftKey && this.isSource && this.chooseSpan(index)) return;
      if (this.chooseLine(index, event.ctrlKey || event.metaKey)) return;
      this.openRow(index);
    });
  }

  rowAt(event) {
    const row = event.target.closest('tbody tr');
    return row ? this.packed ? +(row.dataset.row ?? -1) : this.rows.rows.indexOf(row) : -1;
  }
  get isSource() { return this.id === 'source_lines'; }
  // A line of source that nothing was made of.
  isPale(row) { return this.isSource && !this.rows.value(this.field('instructions'), row); }
  // The column whose bars the rows have: a source shows at once where its time goes.
  get barField() { return this.sortField || (this.isSource ? this.field('instruction_time') : undefined); }
  // From the line that was chosen last to this one.
  chooseSpan(row, kept = []) {
    const [from, to] = [this.order.indexOf([...this.lines || []].at(-1) ?? row), this.order.indexOf(row)];
    getSelection().removeAllRanges();
    this.lines = new Set([...kept, ...this.order.slice(Math.min(from, to), Math.max(from, to) + 1)]);
    this.lines.delete(row);
    return this.chooseLine(row, true);
  }

  openRow(row) { openRow(this, row); }

  // A line of source is found on the timeline at once; with Ctrl, together with those chosen before.
  // A second click opens it.
  chooseLine(row, adds) {
    const file = this.field('file'), line = this.field('line');
    if (!this.isSource || !window.timeline || !file || !line) return false;
    const lines = this.lines ||= new Set();
    if (!adds) {
      if (lines.has(row)) return false;
      lines.clear();
    }
    if (!lines.delete(row)) lines.add(row);
    const places = [...lines].map((other) => `${this.rows.text(file, other)}:${this.rows.value(line, other)}`);
    // A text of the trace may have the column, too: "mm.py:13:5".
    timeline.search(places.map((place) => (timeline.knows(place) ? `source=${quote(place)}` : `source:${quote(`${place}:`)}`)).join(' or '));
    this.table.closest('details').scrollIntoView({ block: 'nearest' });
    this.apply();
    return true;
  }

  // The lines that a search of the timeline is about, as a link brings it.
  markLines(search) {
    const file = this.field('file'), line = this.field('line');
    if (!this.isSource || !file || !line || (!search.startsWith('source') && !this.lines?.size)) return;
    const isOf = (place) => search.includes(`=${quote(place)}`) || search.includes(`:${quote(`${place}:`)}`);
    this.lines = new Set([...Array(this.rows.count).keys()].filter((row) => isOf(`${this.rows.text(file, row)}:${this.rows.value(line, row)}`)));
    this.apply();
  }

  select(position) {
    this.current = position;
    if (this.packed) {
      const top = position * ROW_HEIGHT, view = this.scroller.clientHeight - 2 * ROW_HEIGHT;
      if (top < this.scroller.scrollTop) this.scroller.scrollTop = top;
      if (top > this.scroller.scrollTop + view) this.scroller.scrollTop = top - view;
      this.place = null;
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
    this.unknown = [];
    if (this.input.value !== query) this.input.value = query;
    this.apply();
  }

  field(id) { return this.fields().find((field) => field.id === id); }

  // A filter of this table's own columns.
  example() {
    const time = this.shown().find((field) => field.unit === 'ns'), flag = this.shown().find((field) => field.unit === 'bool');
    return ['words', time && `${time.title} > 5 ms`, flag && `${flag.title}=yes`, '!not'].filter(Boolean).join(', ');
  }

  // The rows that pass a filter and are of the chosen rank.
  matching(query) {
    const known = evidence.get(OF_FINDING.exec(query)?.[3]), finding = known?.table === this.id ? known : null;
    if (finding) query = query.replace(OF_FINDING, ' ');
    const rows = this.rows, { tests, unknown } = parseFilter(query, this.fields(), rows);
    if (finding) {
      tests.push((r, row) => finding.places.has(row));
      if (finding.places.size < finding.all) unknown.push(`${format(finding.places.size, 'count')} of the finding’s ${format(finding.all, 'count')} rows are in this page; “profgauge export tables” has all`);
    }
    this.unknown = unknown;
    const scoped = scopeTests(this), fits = (row) => scoped.every((test) => test(rows, row));
    tests.push((r, row) => fits(row));
    if (rows.count && scoped.length && !Array.from({ length: rows.count }, (_, row) => row).some(fits)) unknown.push(`it has no row of ${scopeInWords()}`);
    const outside = !scope.isJudged && rows.follows && this.field('outside_calls');
    if (outside && Array.from({ length: rows.count }, (_, row) => rows.rows.value(outside, row)).some((calls) => calls > 0)) unknown.push('calls outside of iterations are not in it');
    const order = [];
    for (let row = 0; row < rows.count; ++row) if (tests.every((test) => test(rows, row))) order.push(row);
    return order;
  }

  arranged() {
    const order = this.matching(this.query);
    return this.sortField ? this.sorted(order) : order;
  }

  // Filters, sorts and draws.
  apply() {
    this.isStale = false;
    const rows = this.rows, order = this.shownOrder = this.arranged();
    this.current = Math.min(this.current, order.length - 1);
    this.heads().forEach((head, index) => {
      const field = this.fields()[index];
      head.hidden = this.hidden.has(field.id);
      head.removeAttribute('aria-sort');
      if (field === this.sortField) head.setAttribute('aria-sort', this.descending ? 'descending' : 'ascending');
    });
    const left = (rows.of ?? rows.count) - rows.count;
    const own = order.filter((row) => row < rows.count).length;  // Without rows opened below others.
    const counted = own === rows.count ? []
      : [`${format(own, 'count')} of ${format(rows.count, 'count')} rows${left ? `; ${format(left, 'count')} more are not in this page and were not searched` : ''}`];
    this.status.textContent = [...counted, ...this.unknown].join('; ');
    this.top = 0;
    for (const row of order) this.top = Math.max(this.top, this.weight(row));
    if (this.packed) this.drawWindow(true); else this.drawAll();
    this.shares?.draw();
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

  // What of the sorted column a row carries.
  weight(row) {
    const field = this.barField;
    return field && !isText(field) ? Math.max(this.rows.value(field, row) || 0, 0) : 0;
  }

  // A share is its own bar; other numbers have one in the column that they are sorted by.
  paintBar(cell, field, row) {
    const share = /share$/.test(field.id) ? this.rows.value(field, row)
      : field === this.barField && this.weight(row) / this.top;
    cell.style.background = share > 0
      ? `linear-gradient(to left, var(--bar) ${(100 * Math.min(share, 1)).toFixed(1)}%, transparent 0)` : '';
  }

  drawAll() {
    const body = this.table.tBodies[0];
    body.replaceChildren(...this.order.map((row) => this.rows.rows[row]));
    for (const row of this.order) {
      this.rows.rows[row].classList.toggle('chosen', !!this.lines?.has(row));
      this.rows.rows[row].classList.toggle('pale', this.isPale(row));
      for (const field of this.fields()) {
        const cell = this.rows.rows[row].cells[field.index];
        cell.hidden = this.hidden.has(field.id);
        if (this.widths[field.id] || cell.style.minWidth) this.setWidth(cell, field);
        this.paintBar(cell, field, row);
      }
    }
  }

  // Only the rows in view exist; on paper the first ones.
  drawWindow(always) {
    // To ask for places lays out the whole page anew: once until they change, and not for a table in a closed
    // box, of which there are many.
    const { scrollTop, clientHeight } = this.scroller.closest('details:not([open])') ? { scrollTop: 0, clientHeight: 0 }
      : this.place ||= { scrollTop: this.scroller.scrollTop, clientHeight: this.scroller.clientHeight };
    const first = printing ? 0 : Math.max(0, Math.floor(scrollTop / ROW_HEIGHT) - 10);
    const view = printing ? 200 : Math.ceil((clientHeight || 700) / ROW_HEIGHT) + 20;
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
    const line = make('tr', { className: `${isCurrent ? 'current' : ''}${this.lines?.has(row) ? ' chosen' : ''}${this.isPale(row) ? ' pale' : ''}` });
    line.dataset.row = row;
    this.shown().forEach((field, index) => {
      const text = this.rows.text(field, row);
      const cell = make(index ? 'td' : 'th', isText(field) && text.length > 30 ? { title: text } : {}, this.shortOf(field, text));
      if (!index) cell.scope = 'row';
      if (this.widths[field.id]) this.setWidth(cell, field);
      if (isText(field)) cell.align = 'left'; else cell.title = this.exact(field, row);
      this.paintBar(cell, field, row);
      line.append(cell);
    });
    return line;
  }

  // Different names of a column look different.
  shortOf(field, text) {
    if (text.length <= WIDTH || !isText(field)) return text;
    field.short ||= distinct(Array.from({ length: this.rows.count }, (_, row) => this.rows.text(field, row)));
    return field.short.get(text) ?? elided(text);
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
    const cell = (f, row) => (f.unit === 'bool' && this.rows.value(f, row) !== null ? this.rows.text(f, row) : String(this.rows.value(f, row) ?? ''));
    for (const row of this.order) lines.push(fields.map((f) => quote(cell(f, row))));
    return lines.map((line) => line.join(separator)).join('\n') + '\n';
  }

  // The same as a table of Markdown, numbers as shown; of long tables the first rows.
  asMarkdown() {
    const fields = this.shown(), cell = (text) => text.replaceAll('\\', '\\\\').replaceAll('|', '\\|').replace(/[<>&`*_[\]]/g, (sign) => `&#${sign.charCodeAt()};`).replace(/\s+/g, ' ');
    const line = (cells) => `| ${cells.join(' | ')} |`, most = 100;
    const rows = this.order.slice(0, most).map((row) => line(fields.map((field) => cell(this.rows.text(field, row)))));
    const more = this.order.length > most ? [`\n${format(this.order.length - most, 'count')} more rows`] : [];
    return [line(fields.map((field) => cell(field.title))), line(fields.map((field) => (isText(field) ? ':--' : '--:'))), ...rows, ...more].join('\n') + '\n';
  }

  reveal(query) {
    leave('table');
    for (let at = this.table; at; at = at.parentElement) if (at.tagName === 'DETAILS') at.open = true;
    this.filter(query);
    keepView(this);
    this.table.closest('details').scrollIntoView();
    this.input.focus({ preventScroll: true });
  }
}
