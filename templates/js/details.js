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

// Buttons to the tables that say more about the row; only where they have something.
function leadsOf(grid, values) {
  const out = [];
  for (const [id, fields] of LEADS[grid.id] || []) {
    const other = grids.get(id);
    const parts = Object.entries(fields).filter(([, from]) => values[from] !== undefined && values[from] !== null);
    if (!other || !parts.length) continue;
    const query = parts.map(([to, from]) => `${to}=${typeof values[from] === 'number' ? values[from] : quote(values[from])}`).join(' ');
    const count = other.matching(query).length;
    if (!count) continue;
    out.push(make('button', { type: 'button', onclick() { dialog.close(); other.reveal(query); } },
      `→ ${other.title()}${other instanceof TreeGrid ? '' : ` (${format(count, 'count')})`}`));
  }
  const show = (act) => out.push(make('button', { type: 'button', onclick() { dialog.close(); act(); } }, '→ Timeline'));
  const start = values.start ?? values.allocated_at, length = values.duration ?? values.time;
  const timeline = window.timeline, name = [values.path, values.name, values.opcode, `${values.file}:${values.line}`, `nn.Module: ${values.name}`].find((text) => timeline?.knows(text));
  if (timeline && Number.isFinite(start) && Number.isFinite(length)) show(() => timeline.show(start, start + length, values.rank));
  else if (name) show(() => timeline.search(name));
  return out;
}

function openRow(grid, row) {
  const list = make('dl', {});
  const values = {};
  for (const field of grid.fields()) {
    values[field.id] = grid.rows.value(field, row);
    const exact = isText(field) ? '' : grid.exact(field, row);
    const text = field.id === 'call_stack' ? grid.rows.text(field, row).replaceAll(';', '\n') : grid.rows.text(field, row);
    list.append(make('dt', {}, field.title), make('dd', {}, text,
      exact && exact !== text.replace(GAP, ' ') ? make('span', { className: 'mute small' }, '  ' + exact) : ''));
  }
  const close = make('button', { type: 'button', onclick: () => dialog.close() }, 'Close');
  dialog.replaceChildren(make('div', {}, make('h3', {}, grid.title()), list,
    make('p', { className: 'tools' }, ...leadsOf(grid, values)), close));
  dialog.onclick = (event) => { if (event.target === dialog) dialog.close(); };
  dialog.showModal();
}
