// ---- One search over everything: findings, tables and their rows, definitions, events. "/" leads to it.

const MOST_HITS = 6;  // Of each kind; the table or the timeline has the rest.

function hitsOf(query) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean), hits = [];
  const fits = (text) => words.every((word) => text.toLowerCase().includes(word));
  const add = (kind, text, act, count) => hits.push({ kind, text, act, count });
  const goTo = (element) => () => {
    leave('place');
    for (let at = element; at; at = at.parentElement) if (at.tagName === 'DETAILS') at.open = true;
    element.scrollIntoView();
  };
  for (const box of document.querySelectorAll('details.finding')) {
    const title = box.querySelector('summary b').textContent;
    if (fits(`${title} ${box.id.slice(2)}`)) add('Finding', title, goTo(box));
  }
  for (const box of document.querySelectorAll('details.table')) {
    const title = box.querySelector('h3')?.textContent || '';
    if (fits(title)) add('Table', title, goTo(box));
  }
  for (const grid of grids.values()) {
    const name = grid.field('name') || grid.fields().find(isText);
    if (!name || grid.id === 'metrics') continue;
    const rows = [], tests = scopeTests(grid);
    for (let row = 0; row < grid.rows.count; ++row) if (tests.every((test) => test(grid.rows, row)) && fits(grid.rows.text(name, row))) rows.push(row);
    if (rows.length) add(grid.title(), elided(grid.rows.text(name, rows[0])), () => grid.reveal(words.map(quote).join(' ')), rows.length);
    // "aten::mm and 2 more: in 12 rows that are not in this page, ranks 40 to 51"
    const absent = (grid.rows.absent || []).filter(([text, , from, to]) => fits(text) && (scope.rank === null || from < 0 || (from <= scope.rank && scope.rank <= to)));
    if (!absent.length) continue;
    const count = absent.reduce((sum, one) => sum + one[1], 0), from = Math.min(...absent.map((one) => one[2])), to = Math.max(...absent.map((one) => one[3]));
    const ranks = from < 0 || !hasRanks() ? '' : from === to ? `, rank ${from}` : `, ranks ${from} to ${to}`;
    add(grid.title(), `${elided(absent[0][0])}${absent.length > 1 ? ` and ${absent.length - 1} more` : ''}: in ${format(count, 'count')} row${count === 1 ? ' that is' : 's that are'} not in this page${ranks}`, goTo(grid.table));
  }
  const metrics = grids.get('metrics');
  if (metrics) {
    let shown = 0;
    metrics.rows.rows.forEach((line) => {
      if (shown < MOST_HITS && fits(`${line.cells[0].textContent} ${line.cells[1].textContent}`)) {
        ++shown;
        add('Definition', line.cells[0].textContent, goTo(line));
      }
    });
  }
  const events = window.timeline?.matches(words.map(quote).join(' '))?.length;
  if (events) add('Timeline', 'events', () => { leave(); timeline.search(words.map(quote).join(' ')); document.getElementById('timeline-section').scrollIntoView(); }, events);
  return hits;
}

function addSearch() {
  const side = document.querySelector('nav.side');
  if (!side) return;
  const input = make('input', { type: 'search', placeholder: 'Search ( / )', ariaLabel: 'Search everything', id: 'search-all' });
  const list = make('ul', { className: 'hits', role: 'list', hidden: true }), box = make('div', { className: 'search', role: 'search' }, input, list);
  const draw = () => {
    const query = input.value.trim(), hits = query.length > 1 ? hitsOf(query) : [];
    list.hidden = query.length < 2;
    list.replaceChildren(...hits.map(({ kind, text, act, count }) => make('li', {}, make('button', { type: 'button', className: 'link', onclick() { list.hidden = true; act(); } },
      make('small', { className: 'mute' }, `${kind}${count > 1 ? ` (${format(count, 'count')})` : ''} `), text))));
    if (!hits.length) list.append(make('li', {}, `Nothing in this page has “${query}”.`));
  };
  let timer = 0;
  input.addEventListener('input', () => { clearTimeout(timer); timer = setTimeout(draw, 120); });
  box.addEventListener('keydown', (event) => {
    const buttons = [...list.querySelectorAll('button')], at = buttons.indexOf(document.activeElement);
    if (event.key === 'Escape') { list.hidden = true; input.focus(); }
    else if (event.key === 'Enter' && event.target === input) buttons[0]?.click();
    else if (event.key === 'ArrowDown') (buttons[at + 1] || input).focus();
    else if (event.key === 'ArrowUp') (buttons[at - 1] || input).focus();
    else return;
    event.preventDefault();
  });
  addEventListener('keydown', (event) => {
    if (event.key !== '/' || /INPUT|SELECT|TEXTAREA/.test(event.target.tagName)) return;
    event.preventDefault();
    input.focus();
  });
  addEventListener('click', (event) => { if (!box.contains(event.target)) list.hidden = true; });
  side.prepend(box);
}
