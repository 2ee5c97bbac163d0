// ---- Ranks: one choice for tables and timeline.

let chosenRank = null;

// What a choice of rank does not change says for which ranks it stands.
function tellRanks() {
  for (const note of document.querySelectorAll('.all-ranks')) note.remove();
  if (chosenRank === null) return;
  const note = () => make('small', { className: 'all-ranks mute' }, ' of all ranks');
  for (const head of document.querySelectorAll('#breakdown > h2, #findings > h2, #gate > h2, #comparison > h2, .panel > h3')) head.append(note());
  for (const grid of grids.values()) {
    if (grid.field('rank') || grid.id === 'ranks' || grid.id === 'metrics' || grid.trees) continue;
    grid.table.closest('details')?.querySelector('summary')?.append(note());
  }
}

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
    for (const figure of document.querySelectorAll('figure.memory')) {
      figure.hidden = chosenRank !== null && +figure.dataset.rank !== chosenRank;
    }
    if (window.timeline) window.timeline.chooseRank(chosenRank);
    tellRanks();
  });
  document.querySelector('nav').append(make('label', {}, 'Show ', select));
}

// ---- Another range of iterations: the summary numbers over it.

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
    const rect = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
    for (const [name, value] of Object.entries({ class: 'range', y: top - 4, width: 5, height: height + 8 })) rect.setAttribute(name, value);
    rect.append(Object.assign(document.createElementNS('http://www.w3.org/2000/svg', 'title'), { textContent: title }));
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
  const moves = [bar(from, 0, 'Where the range begins; drag it'), bar(to, 1, 'Where the range ends; drag it')];
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
      : [make('p', {}, 'No iteration lies in this range.')]));
    out.append(make('p', { className: 'small mute' }, `From iteration ${iterationName(+from.value)} to ${iterationName(+to.value)}; the rest of the page stands for the range at its top. Everything over this one: `,
      make('code', {}, `--iter-start ${from.value} --iter-stop ${to.value}`)));
  };
  moveBars = addRangeBars(from, to, low, update);
  moveBars();
  from.addEventListener('input', update);
  to.addEventListener('input', update);
  const box = make('details', { className: 'table another' }, make('summary', {},
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
  return [facts, svg, make('div', { className: 'scroll' }, make('table', {}, make('caption', {}, 'Where these iterations go'),
    make('thead', {}, make('tr', {}, ...heads)), body))];
}
