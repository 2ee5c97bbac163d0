// ---- The scope: one rank or all, the first and last iteration, the operator that marks them, for all of the page. What can be summed
// again from rows by iteration follows; what needs the rules or a simulation says what it stands for.

// Positions of iterations; null: as judged. `key`: the operator that marks iterations in their place.
const scope = {
  rank: null, from: null, to: null, key: '',
  get isJudged() { return this.rank === null && !this.hasRange && !this.key; },
  get hasRange() { return this.from !== null; },
  has(position) { return !this.hasRange || (position >= this.from && position <= this.to); },
};

// Positions and numbers of the judged iterations, in order.
const judged = { positions: [], names: new Map(), spans: new Map() };
const nameOf = (position) => judged.names.get(position) ?? iterationName(position);
const numberOf = (name) => judged.positions.find((position) => nameOf(position) === name);

function readJudged(rows) {
  const [index, name, start, duration] = ['index', 'name', 'start', 'duration'].map((id) => rows.fields.find((field) => field.id === id));
  for (let row = 0; index && row < rows.count; ++row) {
    const position = rows.value(index, row), text = name && rows.text(name, row);
    judged.positions.push(position);
    if (start) judged.spans.set(position, [rows.value(start, row), rows.value(start, row) + rows.value(duration, row)]);
    if (text && text !== '–') judged.names.set(position, text.trim());
  }
  judged.positions.sort((a, b) => a - b);
}

// "rank 3 · iterations 7 to 9 of 5 to 10"
const spanOf = (from, to) => (from === to ? `iteration ${nameOf(from)}` : `iterations ${nameOf(from)} to ${nameOf(to)}`);
const allOf = () => (judged.positions.length ? spanOf(judged.positions[0], judged.positions.at(-1)) : '');
function scopeInWords() {
  const { rank, from, to, key } = scope, all = allOf(), has = [rank === null ? hasRanks() && 'all ranks' : `rank ${rank}`];
  if (key) has.push(`iterations by ${elided(key)}${window.timeline?.isKeyWhole(key) ? '' : ', incomplete ones too'}`);
  else if (judged.positions.length > 1) has.push(scope.hasRange ? `${spanOf(from, to)} of ${all.replace(/^\w+ /, '')}` : all);
  return has.filter(Boolean).join(' · ');
}
const judgedInWords = () => [hasRanks() && 'all ranks', allOf()].filter(Boolean).join(', ');
const hasRanks = () => (grids.get('ranks')?.rows.count || 0) > 1;

// Judges the chosen scope; inputs are as they were given, as are options that no choice replaces.
function scopeCommand() {
  const { inputs, options } = document.getElementById('main').dataset, parts = ['profgauge report', inputs || 'INPUTS'];
  const replaced = [scope.rank !== null && '--rank', (scope.hasRange || scope.key) && '--iter-', scope.key && '--key-op', scope.key && '--iteration-marker'].filter(Boolean);
  parts.push(...(options || '').split('\n').filter((option) => option && !replaced.some((start) => option.startsWith(start))));
  if (scope.rank !== null) parts.push(`--rank ${scope.rank}`);
  if (scope.hasRange) parts.push(`--iter-start ${scope.from} --iter-stop ${scope.to}`);
  if (scope.key) parts.push(`--key-op '${scope.key.replaceAll("'", "'\\''")}'`);
  return parts.join(' ');
}

// ---- Rows that are summed again.

// A table of sums by name, and the rows by iteration and rank that add up to it. `sums`: column of the
// sum → column of the parts. What neither is a sum nor a text is not known of another scope.
class ScopedRows {
  constructor(rows, parts, key, sums, means) {
    Object.assign(this, { rows, parts, sums, means });
    const by = (table, id) => table.fields.find((field) => field.id === id);
    [this.key, this.rank, this.place] = [key, 'rank', 'iteration'].map((id) => by(parts, id));
    this.name = by(rows, 'name');
    this.from = Object.entries(sums).map(([to, from]) => [to, by(parts, from)]).filter(([, field]) => field);
    this.isOfKernels = parts.fields.some((field) => field.id === 'uses_tensor_core') && !by(parts, 'host_self');
    this.follows = Boolean(this.key && this.place && this.name) && parts.count === (parts.of ?? parts.count);
  }
  get fields() { return this.rows.fields; }
  set fields(fields) { this.rows.fields = fields; }
  get count() { return this.rows.count; }
  get of() { return this.rows.of; }
  has(row) { return scope.isJudged || !this.follows || this.chosen().has(this.rows.value(this.name, row)); }

  chosen() {
    const wanted = JSON.stringify([scope.rank, scope.from, scope.to, scope.key, Boolean(window.timeline)]);
    if (this.summed === wanted) return this.known;
    this.summed = wanted;
    if (scope.key) return this.known = this.chosenByKey();
    const { parts } = this, known = new Map();
    for (let row = 0; row < parts.count; ++row) {
      if (!scope.has(parts.value(this.place, row))) continue;
      if (scope.rank !== null && this.rank && parts.value(this.rank, row) !== scope.rank) continue;
      const key = parts.value(this.key, row);
      let sum = known.get(key);
      if (!sum) known.set(key, sum = { operators: new Set() });
      for (const [to, field] of this.from) {
        const value = parts.value(field, row);
        if (value !== null) sum[to] = (sum[to] ?? 0) + value;
      }
      sum.operators.add(this.key.id === 'name' ? 0 : parts.value(parts.fields.find((field) => field.id === 'name'), row));
    }
    for (const sum of known.values()) {
      sum.operators = sum.operators.size;
      for (const [to, from] of this.means) if (sum.calls) sum[to] = sum[from] === undefined ? null : Math.trunc(sum[from] / sum.calls);
    }
    return this.known = known;
  }
  // Of iterations that a key operator marks, the events are known.
  chosenByKey() {
    if (!window.timeline) return new Map();
    const { parts } = this, known = this.isOfKernels ? timeline.keyKernels(scope.key) : timeline.keyOperators(scope.key);
    if (this.isOfKernels || this.key.id === 'name') return known;
    const types = new Map(), name = parts.fields.find((field) => field.id === 'name'), out = new Map();
    for (let row = 0; row < parts.count; ++row) types.set(parts.value(name, row), parts.value(this.key, row));
    for (const [operator, one] of known) {
      const type = types.get(operator), sum = out.get(type) || {};
      for (const [id, value] of Object.entries(one)) sum[id] = (sum[id] || 0) + value;
      out.set(type, sum);
    }
    return out;
  }
  value(field, row) {
    if (scope.isJudged || !this.follows || isText(field)) return this.rows.value(field, row);
    return this.chosen().get(this.rows.value(this.name, row))?.[field.id] ?? null;
  }
  text(field, row) {
    return scope.isJudged || !this.follows || isText(field) ? this.rows.text(field, row) : format(this.value(field, row), field.unit);
  }
}

// The tables that are summed again: from which, by which column.
const SUMMED = {
  ops: ['ops_by_iteration', 'name', { calls: 'calls', kernels: 'kernels', host_self: 'host_self', host_total: 'host_total', device_self: 'time', device_total: 'device_total', tensor_core_self: 'tensor_core_time', flops: 'flops', bytes: 'bytes' }, []],
  op_types: ['ops_by_iteration', 'type', { calls: 'calls', kernels: 'kernels', host_self: 'host_self', host_total: 'host_total', device_self: 'time', tensor_core_self: 'tensor_core_time' },
    []],  // Its means are over outermost calls, which the parts do not know.
  kernels: ['kernels_by_iteration', 'name', { calls: 'calls', time: 'time' }, [['mean', 'time']]],
};
function scopedRows(id, rows, rowsOf) {
  const [from, key, sums, means] = SUMMED[id] || [], parts = from && rowsOf(from);
  return parts?.count && !(rows instanceof PageRows) ? new ScopedRows(rows, parts, key, sums, means) : rows;
}

// Iterations of the slowest rank, or of the chosen one from the tables by rank.
class IterationRows {
  constructor(rows, steps, kernels) {
    Object.assign(this, { rows, steps, kernels, lists: new Map() });
    [this.rank, this.index, this.name] = ['rank', 'index', 'name'].map((id) => rows.fields.find((field) => field.id === id));
  }
  get fields() { return this.rows.fields; }
  set fields(fields) { this.rows.fields = fields; }
  get count() { return this.list().length; }
  get of() { return scope.rank === null ? this.rows.of ?? this.count : this.count; }
  // The typical time is that of all judged iterations.
  isOfOthers(field) { return field.id === 'typical' && !scope.isJudged; }
  value(field, row) {
    const at = this.list()[row];
    if (this.isOfOthers(field)) return null;
    return typeof at === 'number' ? this.rows.value(field, at) : at[field.id] ?? null;
  }
  text(field, row) {
    const at = this.list()[row], value = this.value(field, row);
    if (typeof at === 'number' && !this.isOfOthers(field)) return this.rows.text(field, at);
    return (field.id === 'index' && iterationNames.get(value)) || format(value, field.unit);
  }

  // A column that is the same in every row is not there; the rank is the one whose time it is.
  rankOf(row) {
    if (this.rank) return this.rows.value(this.rank, row);
    const { steps } = this, [rank, duration] = ['rank', 'duration'].map((id) => steps.fields.find((field) => field.id === id));
    const own = this.rows.value(this.rows.fields.find((field) => field.id === 'duration'), row);
    for (let step = 0; step < steps.count; ++step) if (steps.value(duration, step) === own) return steps.value(rank, step);
    return null;
  }

  // Numbers of rows, or values by column.
  list() {
    if (!this.lists.has(scope.rank)) this.lists.set(scope.rank, this.listOf(scope.rank));
    return this.lists.get(scope.rank);
  }
  listOf(rank) {
    const { rows } = this, all = [...Array(rows.count).keys()];
    if (rank === null || !this.steps.count) return all;
    const own = all.filter((row) => this.rankOf(row) === rank);
    const there = new Set(own.map((row) => rows.value(this.index, row)));
    const places = new Map(all.map((row) => [String(this.name ? rows.value(this.name, row) : rows.value(this.index, row)), rows.value(this.index, row)]));
    const others = this.stepsOf(rank, places).filter((values) => !there.has(values.index));
    const placeOf = (at) => (typeof at === 'number' ? rows.value(this.index, at) : at.index);
    return [...own, ...others].sort((a, b) => placeOf(a) - placeOf(b));
  }

  stepsOf(rank, places) {
    const { steps, kernels } = this, by = (table, id) => table.fields.find((field) => field.id === id);
    const value = (id, row) => (by(steps, id) ? steps.value(by(steps, id), row) : null), out = [];
    // A column that is 0 in every row may not be there.
    const time = (id, row) => value(id, row) ?? 0;
    for (let row = 0; row < steps.count; ++row) {
      if (value('rank', row) !== rank) continue;
      const computing = time('compute_only', row) + time('overlapped', row), onCores = time('tensor_core_kernel', row);
      out.push({ rank, index: places.get(String(value('step', row))) ?? value('step', row), name: String(value('step', row)), duration: value('duration', row),
        tensor_core_kernel: onCores, other_kernel: computing - onCores, communication: time('transfer_exposed', row) + time('waiting_exposed', row),
        memset: time('memset', row), memcpy: time('copy', row) - time('memset', row), runtime: time('runtime', row), cpu: time('host_time', row) - time('runtime', row),
        dataloader: time('dataloader', row), other: time('unattributed', row) });
    }
    // Launched work, where the page has the table whole; positions are the rank's own.
    const sums = new Map(), [place, whose, length, calls, uses] = ['iteration', 'rank', 'time', 'calls', 'uses_tensor_core'].map((id) => by(kernels, id));
    for (let row = 0; place && whose && (kernels.of ?? kernels.count) === kernels.count && row < kernels.count; ++row) {
      if (kernels.value(whose, row) !== rank) continue;
      const at = kernels.value(place, row), sum = sums.get(at) || [0, 0, 0, 0], on = kernels.text(uses, row) === 'yes';
      [calls, length].forEach((field, k) => { sum[k] += kernels.value(field, row); sum[k + 2] += on ? kernels.value(field, row) : 0; });
      sums.set(at, sum);
    }
    const sorted = [...sums].sort((a, b) => a[0] - b[0]);
    if (sorted.length === out.length) {
      out.sort((a, b) => a.index - b.index).forEach((values, k) => {
        const [, [count, gpu, onCores, gpuOnCores]] = sorted[k];
        Object.assign(values, { kernels: count, tensor_core_kernels: onCores, gpu_time: gpu, tensor_core_gpu_time: gpuOnCores,
          gpu_time_share: gpu / values.duration, tensor_core_gpu_time_share: gpuOnCores / values.duration });
      });
    }
    return out;
  }
}

// ---- Numbers of the page that follow: cells that say a metric, and the breakdown.

class ScopedNumbers {
  constructor() {
    this.cells = new Map();  // cell → [text, title] as judged
    this.rows = grids.get('iterations')?.rows;
  }
  set(cell, value, unit) {
    if (!cell) return;
    if (!this.cells.has(cell)) this.cells.set(cell, [cell.textContent, cell.title]);
    cell.textContent = value === undefined ? '–' : format(value, unit);
    cell.title = value === undefined ? 'unknown for this choice' : `${value}${SCALES[unit] ? ` ${unit}` : ''}`;
  }
  restore() {
    for (const [cell, [text, title]] of this.cells) Object.assign(cell, { textContent: text, title });
    this.cells.clear();
  }

  // The iterations in the scope: values by column.
  steps() {
    const { rows } = this, out = [];
    if (scope.key) return window.timeline?.keySteps(scope.key) || out;
    if (!rows) return out;
    for (let row = 0; row < rows.count; ++row) {
      const step = Object.fromEntries(rows.fields.map((field) => [field.id, rows.value(field, row)]));
      if (scope.has(step.index)) out.push(step);
    }
    return out;
  }

  draw() {
    this.restore();
    const hero = document.querySelector('[data-hero]');
    document.querySelector('.hero .chosen')?.remove();
    for (const more of document.querySelectorAll('.hero span')) more.hidden = false;
    // Notes are about the judged iterations only.
    for (const note of document.querySelectorAll('#iterations .facts .small')) note.hidden = !scope.isJudged;
    if (scope.isJudged) return;
    // Lengths are as observed, as in the metrics.
    const steps = this.steps(), times = steps.map((step) => step.duration - (step.unobserved || 0)), total = times.reduce((sum, time) => sum + time, 0), median = medianOf(times);
    const sorted = [...times].sort((a, b) => a - b);
    const known = steps.length ? {
      'iteration.time.median': median, 'iteration.time.mean': total / steps.length, 'iteration.time.min': sorted[0], 'iteration.time.max': sorted.at(-1),
      'iteration.time.robust_cv': median ? 1.4826 * medianOf(times.map((time) => Math.abs(time - median))) / median : 0,
    } : {};
    if (hero?.nextElementSibling?.textContent.includes('iteration')) {
      this.set(hero, known['iteration.time.mean'], 'ns');
      for (const more of hero.parentElement.querySelectorAll('span')) more.hidden = more !== hero.nextElementSibling;
      hero.parentElement.append(make('span', { className: 'chosen' }, `of ${scopeInWords()}`));
    }
    const line = document.querySelector('#iterations > .mute');
    if (line) {
      this.cells.set(line, [line.textContent, line.title]);
      line.textContent = scopeInWords();
    }
    for (const label of document.querySelectorAll('#iterations .facts dt')) {
      this.set(label.nextElementSibling, known[label.dataset.metric], label.dataset.metric.endsWith('cv') ? 'ratio' : 'ns');
    }
    for (const row of document.querySelectorAll('#breakdown tbody tr[data-id]')) {
      const time = steps.length && steps.every((step) => step[row.dataset.id] !== undefined) ? steps.reduce((sum, step) => sum + (step[row.dataset.id] || 0), 0) : undefined;
      [time / total, time / steps.length, time].forEach((value, k) => this.set(row.cells[k + 1], time === undefined ? undefined : value, k ? 'ns' : 'ratio'));
    }
    const head = document.querySelector('#breakdown thead th:nth-child(3)');
    if (head && scope.rank !== null) {
      this.cells.set(head, [head.textContent, head.title]);
      head.textContent = 'Per iteration';
    }
    const sum = document.querySelector('#breakdown tfoot tr');
    if (sum) [total / steps.length, total].forEach((value, k) => this.set(sum.cells[k + 2], steps.length ? value : undefined, 'ns'));
  }
}

// ---- What stands, says so: where it is greyed, for what it stands, and the command that judges the choice.

const STANDS = '.top, #plan, #strip, #findings, #path, #dashboard, #comparison, #gate, #quality, #ranks, #memory, #tables';
function tellStands() {
  for (const note of document.querySelectorAll('[data-stands]')) note.remove();
  for (const part of document.querySelectorAll('.stands')) part.classList.remove('stands');
  document.querySelector('#t-iterations > summary .constants')?.classList.toggle('off', scope.rank !== null);
  if (scope.isJudged) return;
  const command = scopeCommand(), all = judgedInWords();
  const note = (words) => make('p', { className: 'small' }, `${words}: ${all}. To judge ${scopeInWords()}: `, make('code', {}, command), ' ',
    make('button', { type: 'button', className: 'small', onclick: () => copyText(command) }, 'copy'));
  for (const part of document.querySelectorAll(STANDS)) {
    const isTables = part.id === 'tables', isTop = part.classList.contains('top');
    if (part.id === 'memory' && !scope.hasRange) continue;
    const said = note(isTables ? 'Pale tables are as judged' : 'Judged');
    said.dataset.stands = '';
    const head = part.querySelector(isTop ? '.masthead' : ':scope > h2, :scope > figcaption');
    if (part.id === 'plan' || part.id === 'strip') part.classList.add('stands');  // The first screen says it once.
    else if (head) head.after(said);
    if (!isTables && !isTop) part.classList.add('stands');
    if (isTop) for (const lead of part.querySelectorAll('.diagnosis, .reasons, .counts')) lead.classList.add('stands');
  }
  for (const figure of document.querySelectorAll('#iterations > figure')) {
    figure.classList.add('stands');
    const said = make('p', { className: 'small' }, `The chart is as judged: ${all}.`);
    said.dataset.stands = '';
    figure.before(said);
  }
  for (const grid of grids.values()) grid.table.closest('details')?.classList.toggle('stands', !followsScope(grid));
}

// Whether a table's rows are those of the chosen rank and range.
function followsScope(grid) {
  const { rows } = grid, inner = rows.rows instanceof ScopedRows ? rows.rows : rows;
  if (inner instanceof ScopedRows && inner.follows) return true;
  if (scope.key) return false;
  if (grid.id === 'metrics') return false;
  const has = (id) => grid.field(id) || grid.places?.some((field) => field.id === id);
  return (scope.rank === null || Boolean(has('rank')) || ['iterations', 'ranks'].includes(grid.id))
    && (!scope.hasRange || Boolean(has('iteration') || has('step') || grid.id === 'iterations'));
}

// The test of rows by the scope, for tables that say rank and iteration of each.
function scopeTests(grid) {
  const tests = [], rank = grid.field('rank') || (grid.id === 'ranks' && grid.field('id'));
  const place = grid.field(grid.id === 'iterations' ? 'index' : 'iteration'), step = grid.field('step');
  if (rank && scope.rank !== null && grid.id !== 'ranks') tests.push((rows, row) => rows.value(rank, row) === scope.rank);
  if (scope.hasRange && place) tests.push((rows, row) => { const at = rows.value(place, row); return at !== null && scope.has(at); });
  else if (scope.hasRange && step && grid.id === 'rank_steps') {
    const names = new Set(judged.positions.filter((at) => scope.has(at)).map(nameOf));
    tests.push((rows, row) => names.has(String(rows.value(step, row))));
  }
  if (grid.rows.has) tests.push((rows, row) => rows.has(row));
  return tests;
}

// ---- The bar.

class ScopeBar {
  constructor() {
    this.numbers = new ScopedNumbers();
    const option = (value, text) => make('option', { value }, text), { positions } = judged;
    this.rank$ = this.from$ = null;
    this.said$ = make('b', { role: 'status' });
    this.reset$ = make('button', { type: 'button', onclick: () => this.choose({ rank: null, from: null, to: null, key: '' }) }, 'Reset');
    this.recent$ = make('details', { className: 'menu' }, make('summary', {}, this.aggregations().length ? 'Aggregations, recent' : 'Recent'), make('div', { className: 'narrow' }));
    this.recent$.addEventListener('toggle', () => this.listRecent());
    const parts = [];
    if (hasRanks()) {
      const { rows } = grids.get('ranks'), field = rows.fields.find((one) => one.id === 'id');
      this.rank$ = make('select', { id: 'rank-choice', name: 'rank', ariaLabel: 'Rank' }, option('', 'all ranks'));
      for (let row = 0; row < rows.count; ++row) this.rank$.append(option(rows.value(field, row), `rank ${rows.value(field, row)}`));
      this.rank$.addEventListener('change', () => this.choose(this.rank$.value === '' ? { rank: null, key: '' } : { rank: +this.rank$.value }));
      parts.push(this.rank$, ' ');
      // A bar of a rank leads to it; keys have the list.
      for (const row of document.querySelectorAll('#ranks tbody tr')) {
        const rank = /^Rank (\d+)$/.exec(row.cells[0]?.textContent.trim())?.[1];
        if (rank === undefined) continue;
        row.cells[0].title = `Show rank ${rank}`;
        row.style.cursor = 'pointer';
        row.addEventListener('click', () => this.choose({ rank: +rank }));
      }
    }
    if (positions.length > 1) {
      const list = (name, label) => {
        const select = make('select', { name, ariaLabel: label }, ...positions.map((at) => option(at, nameOf(at))));
        select.addEventListener('change', () => {
          let from = +this.from$.value, to = +this.to$.value;
          if (from > to) { if (select === this.from$) to = from; else from = to; }
          this.choose({ from, to });
        });
        return select;
      };
      [this.from$, this.to$] = [list('from', 'First iteration'), list('to', 'Last iteration')];
      parts.push('iterations ', this.from$, ' to ', this.to$, ' ');
    }
    this.key$ = make('button', { type: 'button', hidden: true, title: 'Iterations as the calls of an operator divide the time', onclick: () => timeline.pickKey() }, 'Key operator…');
    const body = document.querySelector('.body'), run = document.getElementById('run-choice')?.parentElement;
    if (!body) return;  // A comparison alone.
    // Without a choice it waits for the operators of the timeline.
    this.box = make('form', { id: 'scope', className: 'tools noprint', hidden: !parts.length && !run, ariaLabel: 'Scope', onsubmit: (event) => event.preventDefault() },
      make('span', {}, ...(parts.length ? ['Show ', ...parts] : [])), this.key$, this.said$, this.reset$, this.recent$);
    if (run) this.box.prepend(run);
    body.prepend(this.box);
    this.moveBars = this.from$ ? addRangeBars(this) : () => {};
    this.draw();
  }

  // All of the judged iterations are no range.
  choose(change, how = 'push') {
    const { positions } = judged, before = JSON.stringify([scope.rank, scope.from, scope.to, scope.key]), next = { ...scope, ...change };
    if (next.from !== null && next.from <= positions[0] && next.to >= positions.at(-1)) next.from = next.to = null;
    if (change.from !== undefined && change.from !== null) next.key = '';  // Other iterations than those.
    if (next.key && hasRanks()) next.rank ??= timeline.rank;  // Its calls are those of a rank.
    if (JSON.stringify([next.rank, next.from, next.to, next.key]) === before) return;
    const moved = next.rank !== scope.rank;
    [scope.rank, scope.from, scope.to, scope.key] = [next.rank, next.from, next.to, next.key];
    const isElsewhere = () => scope.key && hasRanks() && timeline.rank !== scope.rank;
    if (moved || isElsewhere()) window.timeline?.chooseRank(scope.rank);
    if (isElsewhere()) scope.key = '';  // The timeline has no lanes of that rank.
    if (how) {
      if (how === 'push') leave();
      address.write((key) => ['rank', 'it', 'key'].includes(key), [...(scope.rank === null ? [] : [`rank=${scope.rank}`]), ...(scope.hasRange ? [`it=${nameOf(scope.from)}-${nameOf(scope.to)}`] : []), ...(scope.key ? [`key=${encodeURIComponent(scope.key)}`] : [])], how === 'push' ? '' : how);
      this.keepRecent();
    }
    this.draw();
    window.timeline?.showScope();
  }

  draw() {
    if (!this.box) return;
    if (this.rank$) this.rank$.value = scope.rank ?? '';
    // No judged iterations are chosen beside a key operator's.
    if (this.from$) [this.from$.value, this.to$.value] = scope.key ? ['', ''] : [scope.from ?? judged.positions[0], scope.to ?? judged.positions.at(-1)];
    this.said$.textContent = scope.isJudged ? '' : scopeInWords();
    this.reset$.hidden = scope.isJudged;
    this.recent$.hidden = !this.recent().length && !this.aggregations().length;
    this.box.classList.toggle('chosen', !scope.isJudged);
    this.moveBars();
    for (const grid of grids.values()) grid.refresh();
    for (const figure of document.querySelectorAll('figure.memory')) figure.hidden = scope.rank !== null && +figure.dataset.rank !== scope.rank;
    this.numbers.draw();
    tellStands();
    document.dispatchEvent(new Event('scope'));
  }

  // "rank=3", "it=7-9" of the address; what there is not is no choice.
  read() {
    const rank = address.get('rank'), [from, to] = (/^(.+)-(.+)$/.exec(address.get('it') || '') || []).slice(1).map(numberOf);
    const known = this.rank$ && [...this.rank$.options].some((one) => one.value === rank);
    this.choose({ rank: known && rank !== '' ? +rank : null, from: from <= to ? from : null, to: from <= to ? to : null, key: (window.timeline?.keyOps().has(address.get('key')) && address.get('key')) || '' }, '');
  }

  // With the timeline come the operators that could mark iterations.
  addKeys() {
    if (!this.box || timeline.keyOps().size === 0) return;
    this.key$.hidden = this.box.hidden = false;
    if (address.get('key')) this.read();
  }

  // The last ten choices, of this report.
  recent() { return (layout.read().recent || {})[document.title] || []; }
  keepRecent() {
    if (scope.isJudged) return;
    const now = { rank: scope.rank, from: scope.from, to: scope.to, key: scope.key }, same = JSON.stringify(now);
    layout.write('recent', { [document.title]: [now, ...this.recent().filter((one) => JSON.stringify(one) !== same)].slice(0, 10) });
  }
  // The aggregations of a DLProf database as ranges of the judged iterations. One whose iterations begin
  // elsewhere, or are not all here, has the command that reads it.
  aggregations() {
    const rows = grids.get('dlprof_aggregations')?.rows, out = [], field = (id) => rows.fields.find((one) => one.id === id);
    for (let row = 0; row < (rows?.count || 0); ++row) {
      const number = rows.value(field('number'), row), [from, to] = ['first', 'last'].map((id) => numberOf(String(rows.value(field(id), row))));
      const isHere = rows.text(field('has_same_iterations'), row) === 'yes' && from !== undefined && to !== undefined;
      const isAll = from === judged.positions[0] && to === judged.positions.at(-1);
      out.push({ number, from: isAll ? null : from, to: isAll ? null : to,
        command: isHere ? '' : `profgauge report ${document.getElementById('main').dataset.inputs || 'INPUTS'} --aggr ${number}` });
    }
    return out;
  }
  listRecent() {
    const kept = { ...scope };  // Its getters say nothing here.
    const chosen = (one, before) => {
      Object.assign(scope, one);
      const text = scopeInWords();
      Object.assign(scope, { rank: kept.rank, from: kept.from, to: kept.to, key: kept.key });
      return make('div', {}, make('button', { type: 'button', className: 'link', onclick: () => { this.recent$.open = false; this.choose(one); } }, `${before}${text || 'as judged'}`));
    };
    this.recent$.lastChild.replaceChildren(...this.aggregations().map(({ number, from, to, command }) => (command
      ? make('div', {}, `aggregation ${number}, of other iterations: `, make('code', {}, command))
      : chosen({ rank: null, from, to, key: '' }, `aggregation ${number} · `))), ...this.recent().map((one) => chosen(one, '')));
  }
}

// Two bars in the chart of iterations: where the range begins and ends; they move from one edge of a
// column to the next.
function addRangeBars(bar) {
  const svg = document.querySelector('#iterations figure > svg'), { positions } = judged;
  const columns = svg ? [...svg.querySelectorAll('rect.hit')] : [];
  const edges = columns.map((rect) => +rect.getAttribute('x'));
  if (columns.length !== positions.length) return () => {};
  const last = columns.at(-1), top = +last.getAttribute('y'), height = +last.getAttribute('height');
  edges.push(+last.getAttribute('x') + +last.getAttribute('width'));
  const ends = () => [positions.indexOf(scope.from ?? positions[0]), positions.indexOf(scope.to ?? positions.at(-1))];
  const moves = [0, 1].map((offset) => {
    const rect = shape('rect', { class: 'range', y: top - 4, width: 5, height: height + 8 }, shape('title', {}, `${offset ? 'End' : 'Start'} of the range; drag to move`));
    rect.addEventListener('pointerdown', (event) => {
      rect.setPointerCapture(event.pointerId);
      rect.onpointermove = (move) => {
        const box = svg.getBoundingClientRect(), x = (move.clientX - box.left) * svg.viewBox.baseVal.width / box.width, at = ends();
        const nearest = edges.reduce((best, edge, index) => (Math.abs(edge - x) < Math.abs(edges[best] - x) ? index : best), 0) - offset;
        at[offset] = offset ? Math.max(nearest, at[0]) : Math.max(0, Math.min(nearest, at[1]));
        bar.choose({ from: positions[at[0]], to: positions[at[1]] }, 'range');
      };
      rect.onpointerup = () => { rect.onpointermove = null; };
      event.preventDefault();
    });
    svg.append(rect);
    return () => rect.setAttribute('x', edges[ends()[offset] + offset] - 2.5);
  });
  return () => moves.forEach((move) => move());
}
