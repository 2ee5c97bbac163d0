// ---- The address holds the view: "#f-gpu-idle", or "#KEY=VALUE&…" with that anchor as `at`. Keys:
// rank, it (first and last iteration), g.TABLE (filter, sorted column, direction), k.TABLE (columns that are not as at first), tree.TABLE, row
// (of an open dialog), o and c (opened and closed by the reader), and those of the timeline. A link that is copied shows the same view to another reader.

const address = {
  parts() {
    const raw = addressed();
    return raw.includes('=') ? raw.split('&') : raw ? [`at=${raw}`] : [];
  },
  get(key) {
    const part = this.parts().find((one) => one.startsWith(`${key}=`));
    if (part === undefined) return undefined;
    try { return decodeURIComponent(part.slice(key.length + 1)); } catch { return undefined; }
  },
  // Replaces the parts whose key is owned; the timeline's come first. `how`: without a word the entry of
  // the history is replaced, "push" makes one, and any other word makes one for what follows within 2 s.
  write(owned, parts, how) {
    if (this.applying) return;
    const all = [...this.parts().filter((part) => !owned(part.split('=')[0])), ...parts];
    all.sort((a, b) => b.startsWith('t=') - a.startsWith('t='));
    const text = all.length === 1 && all[0].startsWith('at=') ? all[0].slice(3) : all.join('&');
    const url = text || ofRun ? `#${ofRun}${text}` : location.href.split('#')[0], now = performance.now();
    if (new URL(url, location.href).href === location.href) return;
    const joins = !how || (now < this.until && (how === this.series || (['jump', 'range'].includes(this.series) && how === 'timeline')));
    if (how) Object.assign(this, { series: joins ? this.series : how, until: how === 'push' ? 0 : now + 2000 });
    history[joins ? 'replaceState' : 'pushState'](joins ? history.state : null, '', url);
  },
  set(key, value, how) { this.write((own) => own === key, value ? [`${key}=${encodeURIComponent(value)}`] : [], how); },
};

// Before a jump, so that Back returns to where the reader was; what the jump writes is of its entry, as is
// the timeline's view if it moves there, which is written once it rests.
function leave(series = 'jump') {
  if (address.applying) return;
  history.pushState(null, '', location.href);
  if (!dialog.open) address.set('row', '');
  Object.assign(address, { series, until: performance.now() + 3000 });
}

// What a table shows beyond its opening view: "conv~time~d". A tilde of a filter is doubled.
function viewOf(grid) {
  const sort = grid.sortField !== grid.opening.field || grid.descending !== grid.opening.descending;
  return grid.query || sort ? [grid.query.replaceAll('~', '~~'), grid.sortField?.id || '', grid.descending ? 'd' : 'a'].join('~') : '';
}
const columnsOf = (grid) => grid.fields().map((field) => field.id).filter((id) => grid.hidden.has(id) !== grid.extra.includes(id)).join();
function keepView(grid, how) {
  if (grids.get(grid.id) !== grid) return;
  const parts = { g: viewOf(grid), k: columnsOf(grid), tree: grid.wanted !== grid.trees?.keys().next().value ? grid.wanted : '' };
  address.write((key) => parts[key.split('.')[0]] !== undefined && key.endsWith(`.${grid.id}`),
    Object.entries(parts).filter(([, text]) => text).map(([key, text]) => `${key}.${grid.id}=${encodeURIComponent(text)}`), how);
}

function showView(grid, text) {
  const [, query, sort, direction] = /^((?:[^~]|~~)*)~([^~]*)~(.*)$/s.exec(text ?? '') || ['', ''];
  grid.sortField = sort === undefined ? grid.opening.field : grid.field(sort) || null;
  grid.descending = sort === undefined ? grid.opening.descending : direction === 'd';
  grid.filter(query.replaceAll('~~', '~'));
}

// The page as the address has it: scope, tables, boxes, the open row, the timeline. Of several tables the
// first is scrolled to, where nothing else is.
function applyAddress() {
  address.applying = true;
  address.until = 0;
  scopeBar.read();
  let first = null;
  for (const grid of grids.values()) {
    // Without a word on columns the reader's own stay.
    const columns = address.get(`k.${grid.id}`)?.split(',');
    if (columns && columns.join() !== columnsOf(grid)) grid.showColumns(grid.fields().map((field) => field.id).filter((id) => grid.extra.includes(id) !== columns.includes(id)));
    grid.showTree?.(address.get(`tree.${grid.id}`));
    const wanted = address.get(`g.${grid.id}`);
    if ((wanted || '') === viewOf(grid)) continue;
    showView(grid, wanted);
    const box = grid.table.closest('details.table');
    if (wanted && box) box.open = true;
    first ||= wanted && grid;
  }
  const [opened, closed] = ['o', 'c'].map((key) => (address.get(key) || '').split(','));
  for (const [box, open] of openAtStart) {
    if (opened.includes(box.id)) box.open = true;
    else if (closed.includes(box.id)) box.open = false;
    else if (address.applied && !address.get(`g.${box.id.slice(2)}`)) box.open = open;
  }
  const [table, row] = (address.get('row') || '').split('~'), grid = grids.get(table);
  if (grid && grid.rows.count > +row) openRow(grid, +row, [], '');
  else if (dialog.open) closeRow();
  window.timeline?.readHash();
  if (first && !address.applied && !addressed().startsWith('t=') && !address.get('at')) first.table.closest('section, details').scrollIntoView();
  address.applied = true;
  address.applying = false;
}

// Which sections the reader opened or closed, also in an earlier visit that this browser remembers.
const openAtStart = new Map();  // As this visit began.
const openAtFirst = new Map([...document.querySelectorAll('details[id]')].map((box) => [box, box.open]));
function keepOpen() {
  const boxes = [...document.querySelectorAll('details[id]')], before = openAtFirst;
  for (const box of boxes) {
    openAtStart.set(box, box.open);
    box.addEventListener('toggle', () => {
      if (printing) return;
      const changed = boxes.filter((other) => other.open !== before.get(other));
      for (const [key, open] of [['o', true], ['c', false]]) address.set(key, changed.filter((other) => other.open === open).map((other) => other.id).join(','));
    });
  }
}

// Headings and folded boxes have a link to themselves; the menu copies the link to all of the view.
function addLinks() {
  for (const head of document.querySelectorAll('section[id] > h2, details[id] > summary')) {
    const href = `#${head.parentElement.id}`, title = 'Link to this place';
    // A head that folds its box is a button already, which must hold no other: its link is for the mouse.
    head.append(head.tagName === 'SUMMARY' ? make('span', { className: 'anchor', title, ariaHidden: 'true', onclick(event) { event.preventDefault(); location.hash = href; } })
      : make('a', { className: 'anchor', href, ariaLabel: title, tabIndex: -1 }));
  }
  const button = make('button', { type: 'button', title: 'Filters, sorting, columns, zoom, rank, selection and open boxes are in the link' }, 'Copy link to this view');
  button.addEventListener('click', async () => {
    for (const grid of grids.values()) keepView(grid);
    window.timeline?.writeHash();
    await copyText(location.href);
    button.textContent = 'Copied';
    setTimeout(() => { button.textContent = 'Copy link to this view'; }, 1500);
  });
  document.querySelector('nav.side, header nav')?.append(button);
}

function startAddress() {
  keepOpen();
  applyAddress();
  addLinks();
  // Both come of one step.
  let at = location.href;
  const follow = () => { if (at !== location.href) applyAddress(); at = location.href; };
  addEventListener('popstate', () => { at = ''; follow(); });
  addEventListener('hashchange', follow);
}
