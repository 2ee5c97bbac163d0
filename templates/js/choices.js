// ---- Ranks: one choice for tables and timeline.

let chosenRank = null;

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
  });
  document.querySelector('nav').append(make('label', {}, 'Show ', select));
}

// ---- Another range of iterations: the summary numbers over it.

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
  const update = () => {
    const chosen = [];
    for (let row = 0; row < rows.count; ++row) {
      const at = rows.value(index, row), rank = by('rank');
      if (at < +from.value || at > +to.value) continue;
      if (chosenRank !== null && rank && rows.value(rank, row) !== chosenRank) continue;
      chosen.push(row);
    }
    out.replaceChildren(...(chosen.length ? summaryOf(chosen, rows, by, parts)
      : [make('p', {}, 'No iteration lies in this range.')]));
    out.append(make('p', { className: 'small mute' }, 'Everything over this range: ',
      make('code', {}, `--iter-start ${from.value} --iter-stop ${to.value}`)));
  };
  from.addEventListener('input', update);
  to.addEventListener('input', update);
  const box = make('details', { className: 'table' }, make('summary', {},
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
  return [facts, svg, make('table', {}, make('caption', {}, 'Where these iterations go'),
    make('thead', {}, make('tr', {}, ...heads)), body)];
}
