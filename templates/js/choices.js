// ---- Other range of iterations: the summary numbers over it.

// Two bars in the chart of iterations: where the range begins and ends; they move from one edge of a
// column to the next.
function addRangeBars(from, to, low, update) {
  const svg = document.querySelector('#iterations figure > svg');
  const columns = svg ? [...svg.querySelectorAll('rect.hit')] : [];
  const edges = columns.map((rect) => +rect.getAttribute('x'));
  if (columns.length !== +to.max - low + 1) return () => {};
  const last = columns.at(-1), top = +last.getAttribute('y'), height = +last.getAttribute('height');
  edges.push(+last.getAttribute('x') + +last.getAttribute('width'));
  const bar = (input, offset, title) => {
    const rect = shape('rect', { class: 'range', y: top - 4, width: 5, height: height + 8 }, shape('title', {}, title));
    rect.addEventListener('pointerdown', (event) => {
      rect.setPointerCapture(event.pointerId);
      rect.onpointermove = (move) => {
        const box = svg.getBoundingClientRect(), x = (move.clientX - box.left) * svg.viewBox.baseVal.width / box.width;
        const nearest = edges.reduce((best, edge, index) => (Math.abs(edge - x) < Math.abs(edges[best] - x) ? index : best), 0);
        input.value = Math.min(Math.max(low + nearest - offset, +(offset ? from.value : low)), +(offset ? to.max : to.value));
        document.querySelector('#iterations .another').open = true;
        update();
      };
      rect.onpointerup = () => { rect.onpointermove = null; };
      event.preventDefault();
    });
    svg.append(rect);
    return () => rect.setAttribute('x', edges[Math.min(Math.max(+input.value - low + offset, 0), edges.length - 1)] - 2.5);
  };
  const moves = [bar(from, 0, 'Start of the range; drag to move'), bar(to, 1, 'End of the range; drag to move')];
  return () => moves.forEach((move) => move());
}

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
  let moveBars = () => {};
  const update = () => {
    moveBars();
    const chosen = [];
    for (let row = 0; row < rows.count; ++row) {
      const at = rows.value(index, row), rank = by('rank');
      if (at < +from.value || at > +to.value) continue;
      if (chosenRank !== null && rank && rows.value(rank, row) !== chosenRank) continue;
      chosen.push(row);
    }
    out.replaceChildren(...(chosen.length ? summaryOf(chosen, rows, by, parts)
      : [make('p', {}, 'No iteration is in this range.')]));
    out.append(make('p', { className: 'small mute' }, `From iteration ${iterationName(+from.value)} to ${iterationName(+to.value)}; the rest of the page covers the range shown at the top. To judge this range: `,
      make('code', {}, `--iter-start ${from.value} --iter-stop ${to.value}`)));
  };
  moveBars = addRangeBars(from, to, low, update);
  moveBars();
  from.addEventListener('input', update);
  to.addEventListener('input', update);
  const box = make('details', { className: 'table another' }, make('summary', {},
    make('h3', {}, 'Other range of iterations')),
  make('p', { className: 'tools' }, 'From ', from, ' to ', to), out);
  box.addEventListener('toggle', update, { once: true });
  box.addEventListener('rank', update);
  document.querySelector('#iterations figure').after(box);
}

// ---- Operators that could mark iterations: those that run once in each.

function addKeyOps() {
  const grid = grids.get('ops_by_iteration'), after = document.querySelector('#iterations .another');
  if (!grid || !after || grid.rows.of > grid.rows.count) return;
  const [place, rank, name, start, calls] = ['iteration', 'rank', 'name', 'start', 'calls'].map((id) => grid.field(id));
  if (!place || !name || !start || !calls) return;
  const found = new Map(), many = new Set(), all = new Set(), { rows } = grid;
  const first = rank ? rows.value(rank, 0) : null;  // One rank's are enough to choose by.
  for (let row = 0; row < rows.count; ++row) {
    if (rank && rows.value(rank, row) !== first) continue;
    const key = rows.value(name, row);
    all.add(rows.value(place, row));
    if (rows.value(calls, row) !== 1) many.add(key);
    if (!found.has(key)) found.set(key, []);
    found.get(key).push(rows.value(start, row));
  }
  const known = [...found].filter(([key, starts]) => starts.length === all.size && !many.has(key)).sort((a, b) => a[1][0] - b[1][0]);
  if (all.size < 2 || !known.length) return;
  offerKeys(known, `${format(known.length, 'count')} operators run once in each iteration…`, after);
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
  fact('Total', total, 'ns');
  fact('Mean', total / chosen.length, 'ns');
  fact('Median', median, 'ns');
  fact('Variation (robust)', median ? spread / median : 0, 'ratio');
  if (by('kernels') && chosen.every((row) => rows.value(by('kernels'), row) !== null)) fact('Kernels per iteration', sum(by('kernels')) / chosen.length, 'number');
  // Of other ranks than the slowest some parts are not known one by one.
  if (parts.some((part) => chosen.some((row) => rows.value(by(part.id), row) === null))) {
    return [facts, make('p', {}, 'The parts of this rank’s iterations are in ', make('a', { href: '#t-rank_steps' }, 'the table of ranks by iteration'), '.')];
  }
  const svg = shape('svg', { viewBox: '0 0 1190 26', class: 'bar', 'aria-hidden': 'true' });
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
  const heads = ['Part', 'Share', 'Per iteration', 'Total'].map((text, i) =>
    make('th', { scope: 'col', align: i ? 'right' : 'left' }, text));
  return [facts, svg, scrolling('Breakdown of these iterations', make('table', {}, make('caption', {}, 'Breakdown of these iterations'),
    make('thead', {}, make('tr', {}, ...heads)), body))];
}
