// ---- The address holds the view: "#f-gpu-idle", or "#KEY=VALUE&…" with that anchor as `at`. Keys:
// g.TABLE (filter, sorted column, direction), k.TABLE (columns that are not as at first), tree.TABLE, rank, o and c (opened and closed by the reader), and
// those of the timeline. A link that is copied shows the same view to another reader.

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
  // Replaces the parts whose key is owned; the timeline's come first.
  write(owned, parts) {
    const all = [...this.parts().filter((part) => !owned(part.split('=')[0])), ...parts];
    all.sort((a, b) => b.startsWith('t=') - a.startsWith('t='));
    const text = all.length === 1 && all[0].startsWith('at=') ? all[0].slice(3) : all.join('&');
    history.replaceState(history.state, '', text || ofRun ? `#${ofRun}${text}` : location.href.split('#')[0]);
  },
  set(key, value) { this.write((own) => own === key, value ? [`${key}=${encodeURIComponent(value)}`] : []); },
};

// Before a jump, so that Back returns to where the reader was.
const leave = () => history.pushState(null, '', location.href);

// What a table shows beyond its opening view: "conv~time~d". A tilde of a filter is escaped.
const escapeTilde = (text) => encodeURIComponent(text).replaceAll('~', '%7E');
function viewOf(grid) {
  const sort = grid.sortField !== grid.opening.field || grid.descending !== grid.opening.descending;
  return grid.query || sort ? [escapeTilde(grid.query), grid.sortField?.id || '', grid.descending ? 'd' : 'a'].join('~') : '';
}
const columnsOf = (grid) => grid.fields().map((field) => field.id).filter((id) => grid.hidden.has(id) !== grid.extra.includes(id)).join();
function keepView(grid) {
  address.set(`g.${grid.id}`, viewOf(grid));
  address.set(`k.${grid.id}`, columnsOf(grid));
  address.set(`tree.${grid.id}`, grid.tree !== grid.trees?.keys().next().value ? grid.tree : '');
}

function showView(grid, text) {
  const [query, sort, direction] = text === undefined ? ['', undefined, ''] : text.split('~');
  grid.sortField = sort === undefined ? grid.opening.field : grid.field(sort) || null;
  grid.descending = sort === undefined ? grid.opening.descending : direction === 'd';
  try { grid.filter(decodeURIComponent(query)); } catch { grid.filter(''); }
}

// The tables as the address has them; of several the first is scrolled to, where nothing else is.
function readViews() {
  const select = document.getElementById('rank-choice'), rank = address.get('rank') || '';
  if (select && String(chosenRank ?? '') !== rank && (!rank || [...select.options].some((option) => option.value === rank))) {
    select.value = rank;
    select.dispatchEvent(new Event('change'));
    window.timeline?.readHash();  // Its own rank and selection, if it was there before.
  }
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
  for (const [key, open] of [['o', true], ['c', false]]) {
    for (const id of (address.get(key) || '').split(',')) {
      const box = id && document.getElementById(id);
      if (box?.tagName === 'DETAILS') box.open = open;
    }
  }
  if (first && !addressed().startsWith('t=') && !address.get('at')) first.table.closest('section, details').scrollIntoView();
}

// Which sections the reader opened or closed, also in an earlier visit that this browser remembers.
const openAtFirst = new Map([...document.querySelectorAll('details[id]')].map((box) => [box, box.open]));
function keepOpen() {
  const boxes = [...document.querySelectorAll('details[id]')], before = openAtFirst;
  for (const box of boxes) {
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
  readViews();
  addLinks();
  for (const event of ['hashchange', 'popstate']) addEventListener(event, readViews);
}
