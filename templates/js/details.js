// ---- One row, whole, with what it leads to.

// Where a row leads: table → [other table, filter from the row's values].
const LEADS = {
  ops: [['kernels_by_op', { op: 'name' }], ['ops_by_shape', { name: 'name' }], ['ops_by_stack', { name: 'name' }],
    ['ops_by_iteration', { name: 'name' }], ['launches', { op: 'name' }], ['memory_ops', { name: 'name' }], ['op_tree', { name: 'name' }]],
  ops_by_shape: [['kernels_by_op', { op: 'name' }], ['ops', { name: 'name' }]],
  ops_by_stack: [['kernels_by_op', { op: 'name' }], ['ops', { name: 'name' }]],
  op_types: [['ops', { type: 'name' }]],
  op_tree: [['ops', { name: 'name' }], ['kernels', { name: 'name' }], ['launches', { name: 'name', iteration: 'iteration' }]],
  kernels: [['kernels_by_op', { name: 'name' }], ['launches', { name: 'name' }], ['kernels_by_iteration', { name: 'name' }]],
  kernels_by_op: [['launches', { name: 'name', op: 'op' }], ['ops', { name: 'op' }]],
  kernels_by_iteration: [['launches', { name: 'name', iteration: 'iteration' }], ['kernels', { name: 'name' }]],
  ops_by_iteration: [['launches', { op: 'name', iteration: 'iteration' }], ['ops', { name: 'name' }], ['op_tree', { iteration: 'iteration', name: 'name' }]],
  iterations: [['ops_by_iteration', { iteration: 'index' }], ['kernels_by_iteration', { iteration: 'index' }],
    ['launches', { iteration: 'index' }], ['op_tree', { iteration: 'index' }]],
  launches: [['kernels', { name: 'name' }], ['ops', { name: 'op' }]],
  tensor_core_ops: [['ops_by_shape', { name: 'name', input_shapes: 'input_shapes' }]],
  memory_events: [['ops', { name: 'op' }]],
  memory_ops: [['ops', { name: 'name' }], ['memory_events', { op: 'name' }]],
  source_files: [['source_lines', { file: 'file' }]],
  gaps: [['ops', { name: 'op' }]],
};

const dialog = make('dialog', { 'aria-label': 'Details' });

// The tables that have something about the row: [table, its filter, the rows that pass].
function leadsTo(grid, values) {
  return (LEADS[grid.id] || []).flatMap(([id, fields]) => {
    const other = grids.get(id);
    const parts = Object.entries(fields).filter(([, from]) => values[from] !== undefined && values[from] !== null);
    if (!other || !parts.length) return [];
    const query = parts.map(([to, from]) => `${to}=${typeof values[from] === 'number' ? values[from] : quote(values[from])}`).join(' ');
    const rows = other.matching(query);
    return rows.length ? [[other, query, rows]] : [];
  });
}

// Buttons to those tables, and to the timeline.
function leadsOf(values, leads) {
  const out = leads.map(([other, query, rows]) => make('button', { type: 'button', onclick() { closeRow(); other.reveal(query); } },
    `→ ${other.title()}${other instanceof TreeGrid ? '' : ` (${format(rows.length, 'count')})`}`));
  const show = (act) => out.push(make('button', { type: 'button', onclick() { closeRow(); act(); } }, '→ Timeline'));
  const start = values.start ?? values.allocated_at, length = values.duration ?? values.time;
  const timeline = window.timeline, name = [values.path, values.name, values.opcode, `${values.file}:${values.line}`, `nn.Module: ${values.name}`].find((text) => timeline?.knows(text));
  if (timeline && Number.isFinite(start) && Number.isFinite(length)) show(() => timeline.show(start, start + length, values.rank));
  else if (name) show(() => { leave(); timeline.search(name); });
  return out;
}

// The heaviest rows of the first of those tables; each opens in place of the row that led to it.
function innerTable([other, query, rows], trail) {
  const fields = other.fields().filter((field) => (!other.hidden.has(field.id) || ['min', 'max'].includes(field.id)) && !query.split(' ').some((part) => part.startsWith(`${field.id}=`)));
  const most = 12, sorted = other.sortField ? other.sorted([...rows]) : rows;
  const cell = (field, row, index) => {
    const text = other.shortOf(field, other.rows.text(field, row));
    return make('td', { align: isText(field) ? 'left' : 'right' }, index ? text : make('button', { type: 'button', className: 'link', onclick: () => openRow(other, row, trail) }, text));
  };
  return scrolling(other.title(), make('table', { cellPadding: 4 },
    make('caption', {}, `${other.title()}${rows.length > most ? `, ${most} of ${format(rows.length, 'count')}` : ''}${scope.isJudged || followsScope(other) ? '' : `; judged: ${judgedInWords()}`}`),
    make('thead', {}, make('tr', {}, ...fields.map((field) => make('th', { scope: 'col', align: isText(field) ? 'left' : 'right' }, field.title)))),
    make('tbody', {}, ...sorted.slice(0, most).map((row) => make('tr', {}, ...fields.map((field, index) => cell(field, row, index)))))));
}

// The reader closes: the entries of its rows go. Another address closes or leaves: they stay.
let isLeft = false;
function closeRow() {
  isLeft = true;
  if (dialog.open) dialog.close();
}
dialog.addEventListener('close', () => {
  const rows = history.state?.rows;
  if (!isLeft && rows) history.go(-rows);
  else if (!isLeft) address.set('row', '');
  isLeft = false;
});

// `trail`: the rows that led to this one.
function openRow(grid, row, trail = [], how = 'push') {
  const rows = (history.state?.rows || 0) + 1;
  if (how) address.set('row', `${grid.id}~${row}`, how);
  if (how && !address.applying) history.replaceState({ rows }, '');
  const list = make('dl', {});
  const values = {};
  for (const field of grid.fields()) {
    values[field.id] = grid.rows.value(field, row);
    const exact = isText(field) ? '' : grid.exact(field, row);
    const text = field.id === 'call_stack' ? grid.rows.text(field, row).replaceAll(';', '\n') : grid.rows.text(field, row);
    list.append(make('dt', {}, field.title), make('dd', {}, text,
      exact && exact !== text.replace(GAP, ' ') ? make('span', { className: 'mute small' }, '  ' + exact) : ''));
  }
  const close = make('button', { type: 'button', onclick: () => dialog.close() }, 'Close'), rank = grid.id === 'ranks' ? values.id : values.rank;
  const choose = hasRanks() && Number.isInteger(rank) && rank !== scope.rank ? make('button', { type: 'button', onclick() { closeRow(); scopeBar.choose({ rank }); } }, `Show rank ${rank}`) : '';
  const leads = leadsTo(grid, values), [from, at] = trail.at(-1) || [];
  const back = from ? make('button', { type: 'button', onclick: () => history.back() }, `‹ ${from.title()}`) : '';
  dialog.replaceChildren(make('div', {}, make('h3', {}, grid.title()), back,
    leads.length && !(leads[0][0] instanceof TreeGrid) ? innerTable(leads[0], [...trail, [grid, row]]) : '', list,
    make('p', { className: 'tools' }, choose, ...leadsOf(values, leads)), close));
  dialog.onclick = (event) => { if (event.target === dialog) dialog.close(); };
  isLeft = false;
  if (!dialog.open) dialog.showModal();
  dialog.scrollTop = 0;
}
