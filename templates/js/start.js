// ---- Copying a rule's id, opening what a link points to, remembering what is open.

function openTarget() {
  if (addressed().startsWith('t=')) return;
  const target = document.getElementById(address.get('at') || '');
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

// The section that is being read is marked in the list of sections.
function followReading() {
  const links = [...document.querySelectorAll('nav.side a[href^="#"]')];
  const targets = links.map((link) => document.getElementById(link.hash.slice(1)));
  let due = false;
  const tell = () => {
    due = false;
    const tops = targets.map((target) => (target?.offsetHeight ? target.getBoundingClientRect().top : Infinity));
    const at = tops.lastIndexOf(Math.max(...tops.filter((top) => top < 120)));
    links.forEach((link, index) => { if (index === at) link.setAttribute('aria-current', 'true'); else link.removeAttribute('aria-current'); });
  };
  addEventListener('scroll', () => { if (!due) { due = true; requestAnimationFrame(tell); } }, { passive: true });
  tell();
}

// A table's rows, wherever the page has them.
function rowsOf(head, columns, id) {
  const packed = head.tables.find((other) => other.id === id), table = document.querySelector(`table.data[data-id="${id}"]`);
  return packed ? new PackedRows(packed, head.texts, columns) : grids.has(id) ? grids.get(id).rows : table ? new PageRows(table) : { fields: [], count: 0 };
}

async function start() {
  document.body.append(dialog);
  // Its place is the timeline's.
  const overview = document.getElementById('overview');
  if (document.getElementById('c-timeline')) {
    if (overview) overview.hidden = true;
    for (const link of document.querySelectorAll('nav a[href="#overview"], nav a[href="#no-timeline"]')) link.href = '#timeline-section';
  }
  rememberOpen();
  const has = (id) => Boolean(document.getElementById(id));
  const [{ head, columns }, markup] = await Promise.all([
    has('c-tables') ? unpack('c-tables') : { head: { tables: [] }, columns: {} },
    has('c-packed') ? inflate('c-packed').then((packed) => packed.text()) : '']);
  const parts = document.createElement('template');
  parts.innerHTML = markup;
  for (const part of [...parts.content.children]) document.getElementById(part.dataset.for)?.lastElementChild.replaceWith(part);
  for (const [position, name] of head.iterations || []) iterationNames.set(position, name);
  for (const [id, docs] of Object.entries(head.docs || {})) {
    columnDocs.set(id, Object.fromEntries(Object.entries(docs).map(([column, text]) => [column, head.texts[text - 1]])));
  }
  for (const table of document.querySelectorAll('table.data')) {
    const packed = head.tables.find((other) => other.id === table.dataset.id);
    let rows = packed ? new PackedRows(packed, head.texts, columns) : new PageRows(table);
    if (table.dataset.id === 'iterations') {
      readJudged(rows);
      const steps = rowsOf(head, columns, 'rank_steps');
      if (steps.count) rows = new IterationRows(rows, steps, rowsOf(head, columns, 'kernels_by_iteration'));
    }
    rows = scopedRows(table.dataset.id, rows, (id) => rowsOf(head, columns, id));
    const Kind = !packed ? Grid : 'tree' in table.dataset ? TreeGrid : packed.id === 'ops' ? OpsGrid : Grid;
    grids.set(table.dataset.id, new Kind(table, rows, rowsOf(head, columns, 'kernels_by_op')));
  }
  for (const id of ['ops', 'kernels', 'op_types', 'layers']) if (grids.has(id)) grids.get(id).shares = new Shares(grids.get(id));
  addEvidenceLinks(head.rows || {});
  addDefinitions();
  arrangePanels();
  addLegends();
  window.chooseMemory?.();
  followReading();
  addLook();
  window.scopeBar = new ScopeBar();
  for (const code of document.querySelectorAll('code.copy')) {
    code.after(make('button', { type: 'button', className: 'small', onclick: () => copyText(code.textContent) }, 'copy'));
  }
  addEventListener('hashchange', openTarget);
  addSearch();
  startAddress();
  openTarget();
  document.documentElement.dataset.tables = 'ready';
}
const started = start();
