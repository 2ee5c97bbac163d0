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
  // Its place is the timeline's.
  const overview = document.getElementById('overview');
  if (overview && document.getElementById('c-timeline')) overview.hidden = true;
  rememberOpen();
  const { head, columns } = document.getElementById('c-tables') ? await unpack('c-tables')
    : { head: { tables: [] }, columns: {} };
  for (const table of document.querySelectorAll('table.data')) {
    const packed = head.tables.find((other) => other.id === table.dataset.id);
    const rows = packed ? new PackedRows(packed, head.texts, columns) : new PageRows(table);
    const Kind = 'tree' in table.dataset && rows instanceof PackedRows ? TreeGrid : Grid;
    grids.set(table.dataset.id, new Kind(table, rows));
  }
  arrangePanels();
  addLook();
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
