// ---- Ranks: one choice for tables and timeline.

// Iterations of the slowest rank, or of the chosen one. What the tables by rank do not know of an
// iteration on another rank than the slowest is absent.
class IterationRows {
  constructor(rows, steps, kernels) {
    Object.assign(this, { rows, steps, kernels, lists: new Map() });
    [this.rank, this.index, this.name] = ['rank', 'index', 'name'].map((id) => rows.fields.find((field) => field.id === id));
  }
  get fields() { return this.rows.fields; }
  set fields(fields) { this.rows.fields = fields; }
  get count() { return this.list().length; }
  get of() { return chosenRank === null ? this.rows.of ?? this.count : this.count; }
  value(field, row) {
    const at = this.list()[row];
    return typeof at === 'number' ? this.rows.value(field, at) : at[field.id] ?? null;
  }
  text(field, row) {
    const at = this.list()[row], value = this.value(field, row);
    if (typeof at === 'number') return this.rows.text(field, at);
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
    if (!this.lists.has(chosenRank)) this.lists.set(chosenRank, this.listOf(chosenRank));
    return this.lists.get(chosenRank);
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
    for (let row = 0; row < steps.count; ++row) {
      if (value('rank', row) !== rank) continue;
      const transfer = value('transfer_exposed', row), duration = value('duration', row);
      out.push({ rank, index: places.get(String(value('step', row))) ?? value('step', row), name: String(value('step', row)), duration,
        communication: transfer === null ? null : transfer + (value('waiting_exposed', row) ?? 0),
        dataloader: value('dataloader', row), other: value('unattributed', row) });
    }
    // Launched work, where the page has the table whole; positions are the rank's own.
    const sums = new Map(), [place, whose, time, calls, uses] = ['iteration', 'rank', 'time', 'calls', 'uses_tensor_core'].map((id) => by(kernels, id));
    for (let row = 0; place && whose && (kernels.of ?? kernels.count) === kernels.count && row < kernels.count; ++row) {
      if (kernels.value(whose, row) !== rank) continue;
      const at = kernels.value(place, row), sum = sums.get(at) || [0, 0, 0, 0], on = kernels.text(uses, row) === 'yes';
      [calls, time].forEach((field, k) => { sum[k] += kernels.value(field, row); sum[k + 2] += on ? kernels.value(field, row) : 0; });
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

function iterationsByRank(rows, steps, kernels) {
  return steps.count ? new IterationRows(rows, steps, kernels) : rows;
}

// What a choice of rank does not change says for which ranks it stands.
function tellRanks() {
  for (const note of document.querySelectorAll('.all-ranks')) note.remove();
  // Of the slowest rank alone: "2 rows · Rank 1".
  document.querySelector('#t-iterations > summary .constants')?.classList.toggle('off', chosenRank !== null);
  if (chosenRank === null) return;
  const note = (whose) => make('small', { className: 'all-ranks mute' }, ` of ${whose}`);
  for (const head of document.querySelectorAll('#breakdown > h2, #findings > h2, #gate > h2, #comparison > h2, .panel > h3')) head.append(note('all ranks'));
  document.querySelector('#iterations > p')?.append(make('small', { className: 'all-ranks' }, ` Numbers and chart cover the slowest rank, the table covers rank ${chosenRank}.`));
  for (const grid of grids.values()) {
    const follows = grid.field('rank') || ['iterations', 'ranks', 'metrics'].includes(grid.id);
    const isTree = grid.places?.some((field) => field.id === 'rank');
    if (isTree ? grid.tree.endsWith(`rank ${chosenRank}`) : follows) continue;
    grid.table.closest('details')?.querySelector('summary')?.append(note(isTree ? grid.tree : 'all ranks'));
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
    document.querySelector('#iterations .another')?.dispatchEvent(new Event('rank'));
    if (window.timeline) window.timeline.chooseRank(chosenRank);
    address.set('rank', select.value);
    tellRanks();
  });
  document.querySelector('nav').append(make('label', {}, 'Show ', select));
}
