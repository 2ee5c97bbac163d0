// ---- Memory over time: one chart at a time, values under the pointer, sums over a range. It comes along
// only where there is a chart.

// With many devices one chart is enough at a time.
function chooseMemory() {
  const figures = [...document.querySelectorAll('figure.memory')];
  figures.forEach(readCurve);
  if (figures.length < 2) return;
  const names = figures.map((figure) => figure.dataset.name + (figure.dataset.rank > 0 || figures.some((other) => other.dataset.rank > 0) ? ` of rank ${figure.dataset.rank}` : ''));
  const select = make('select', { 'aria-label': 'Device whose memory is shown' },
    make('option', { value: '' }, 'all devices'), ...names.map((name, index) => make('option', { value: index }, name)));
  const show = () => figures.forEach((figure, index) => figure.classList.toggle('off', select.value !== '' && +select.value !== index));
  select.addEventListener('change', show);
  select.value = '0';
  show();
  figures[0].before(make('p', { className: 'tools' }, make('label', {}, 'Show ', select)));
}

// What the step line `d` of a chart is at x.
function heightAt(d, x) {
  let y = NaN;
  for (const [, letter, number, start] of d.matchAll(/([MHV])([\d.]+)(?: ([\d.]+))?/g)) {
    if (letter === 'H' && +number >= x) break;
    if (letter !== 'H') y = +(start ?? number);
  }
  return y;
}

// A curve of memory tells its values under the pointer; a range that is drawn over it sums up what was
// allocated in it, and the blocks' table shows these.
function readCurve(figure) {
  const svg = figure.querySelector('svg'), plot = svg.querySelector('.plot');
  if (!plot) return;
  const [left, top, width, height, from, to, most] = ['x', 'y', 'width', 'height', 'data-from', 'data-to', 'data-top'].map((name) => +plot.getAttribute(name));
  const tip = make('div', { className: 'tip', hidden: true }), out = make('div', { role: 'status' });
  const band = plot.cloneNode();
  const placeOf = (event) => {
    const box = svg.getBoundingClientRect();
    return Math.min(Math.max((event.clientX - box.left) * svg.viewBox.baseVal.width / box.width, left), left + width);
  };
  const timeAt = (x) => from + (x - left) / width * (to - from);
  const tell = (event) => {
    const x = placeOf(event), lines = [`at ${format(Math.round(timeAt(x)), 'ns')}`];
    for (const path of svg.querySelectorAll('path:has(title)')) {
      const y = heightAt(path.getAttribute('d'), x);
      if (y >= 0) lines.push(`${path.textContent} about ${format(most * (1 - (y - top) / height), 'bytes')}`);
    }
    tip.textContent = lines.join('\n');
    tip.hidden = false;
    const box = figure.getBoundingClientRect();
    tip.style.left = `${Math.min(event.clientX - box.left + 14, box.width - 190)}px`;
    tip.style.top = `${event.clientY - box.top + 14}px`;
  };
  svg.addEventListener('pointermove', tell);
  svg.addEventListener('pointerleave', () => { tip.hidden = true; });
  svg.addEventListener('pointerdown', (event) => {
    const begun = placeOf(event);
    svg.setPointerCapture(event.pointerId);
    svg.onpointermove = (moved) => {
      const [a, b] = [begun, placeOf(moved)].sort((p, q) => p - q);
      band.setAttribute('x', a);
      band.setAttribute('width', b - a);
      svg.append(band);
    };
    svg.onpointerup = (last) => {
      const [a, b] = [begun, placeOf(last)].sort((p, q) => p - q);
      svg.onpointermove = svg.onpointerup = null;
      if (b - a < 3) band.remove();
      out.replaceChildren(...(b - a < 3 ? [] : allocatedIn(figure.dataset, timeAt(a), timeAt(b))));
    };
    event.preventDefault();
  });
  band.setAttribute('class', 'band');
  figure.querySelector('figcaption').append(make('small', { className: 'mute' }, ' · drag over the curve to total the allocations'));
  figure.append(tip, out);
}

// By operator, of the blocks that the page has.
function allocatedIn({ device, rank }, a, b) {
  const grid = grids.get('memory_events'), field = (id) => grid?.field(id);
  const heading = make('h3', {}, `From ${format(Math.round(a), 'ns')} to ${format(Math.round(b), 'ns')}`);
  if (!field('allocated_at')) return [heading, make('p', {}, 'No blocks were recorded.')];
  const value = (id, row) => (field(id) ? grid.rows.value(field(id), row) : null), sums = new Map();
  grid.filter(`${field('device') ? `device=${quote(device)} ` : ''}allocated_at>=${Math.floor(a)} allocated_at<=${Math.ceil(b)}`);
  for (const row of grid.order) {
    if (field('rank') && value('rank', row) !== +rank) continue;
    const name = value('op', row) ?? 'no operator', sum = sums.get(name) || [0, 0, 0];
    sum[0] += 1;
    sum[1] += value('bytes', row);
    // What was given back in the range is not left after it.
    const released = value('released_at', row);
    if (released === null || released > b) sum[2] += value('bytes', row);
    sums.set(name, sum);
  }
  const rows = [...sums].sort((p, q) => q[1][1] - p[1][1]), some = grid.rows.of > grid.rows.count;
  const cells = (tag, texts) => texts.map((text, i) => make(tag, { align: i ? 'right' : 'left' }, text));
  return [heading, make('p', { className: 'small mute' }, rows.length ? '' : 'No block was allocated. ',
    some ? `This page has ${format(grid.rows.count, 'count')} of ${format(grid.rows.of, 'count')} blocks. ` : '',
    make('button', { type: 'button', className: 'link', onclick: () => grid.reveal(grid.query) }, 'These blocks')),
  scrolling('Blocks by operator', make('table', {}, make('thead', {}, make('tr', {}, ...cells('th', ['Operator', 'Blocks', 'Allocated', 'Still allocated']))),
    make('tbody', {}, ...rows.slice(0, 20).map(([name, [count, bytes, left]]) => make('tr', {},
      ...cells('td', [elided(name), format(count, 'count'), format(bytes, 'bytes'), format(left, 'bytes')]))))))];
}
