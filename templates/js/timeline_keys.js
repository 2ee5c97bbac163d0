// ---- A key operator: iterations as its calls divide the time of the rank, as --key-op does.
class TimelineKeys extends TimelineInput {
  // name → the starts of its calls on the thread that calls it most, in order.
  keyOps() {
    if (this.keys?.rank === this.rank) return this.keys.known;
    const found = new Map();
    for (const lane of this.head.cut ? [] : this.lanes) {  // Sums of some of the events say nothing.
      const { rank, type } = this.head.tracks[lane.track];
      if (rank !== this.rank || type === 'path') continue;  // Steps of the path are no operators.
      for (let event = lane.begin; event < lane.end; ++event) {
        if (this.category[this.kind[event]] !== CATEGORY.cpu) continue;
        const name = this.head.kinds[this.kind[event]][0];
        if (!found.has(name)) found.set(name, new Map());
        const threads = found.get(name);
        if (!threads.has(lane.track)) threads.set(lane.track, []);
        threads.get(lane.track).push(this.start[event]);
      }
    }
    const known = new Map();
    for (const [name, threads] of found) {
      const starts = [...threads.values()].reduce((most, one) => (one.length > most.length ? one : most));
      if (starts.length > 1) known.set(name, starts.sort((a, b) => a - b));
    }
    this.keys = { rank: this.rank, known };
    return known;
  }

  // Device events of the rank by the start of their launch.
  launched() {
    if (this.launches?.rank === this.rank) return this.launches.list;
    const list = [];
    for (const lane of this.deviceLanes()) {
      for (let i = lane.begin; i < lane.end; ++i) if (this.link[i] !== NONE) list.push(i);
    }
    list.sort((a, b) => this.start[this.link[a]] - this.start[this.link[b]]);
    this.launches = { rank: this.rank, list };
    return list;
  }

  // [first call, from, to]: an iteration ends with the last device work that it launched, and begins where
  // the one before ends.
  keySpans(name) {
    const starts = this.keyOps().get(name) || [], list = this.launched(), spans = [];
    let end = 0, k = 0;
    starts.forEach((start, index) => {
      let last = start;
      for (; k < list.length && this.start[this.link[list[k]]] < start; ++k) last = Math.max(last, this.endOf(list[k]));
      last = Math.max(last, end);
      if (index) spans.push([starts[index - 1], end, last]);
      end = last;
    });
    return spans;
  }

  // Whether each launches at least 80 % of the typical number of kernels; the program leaves out others at the start.
  isKeyWhole(name) {
    const known = this.keys?.whole?.get(name);
    if (known !== undefined) return known;
    const starts = this.keyOps().get(name) || [], counts = Array.from(starts.slice(1), () => 0);
    for (const event of this.launched()) {
      const at = lowerBound(starts, this.start[this.link[event]] + 1) - 1;
      if (at >= 0 && at < counts.length) ++counts[at];
    }
    const isWhole = counts.reduce((least, count) => Math.min(least, count), Infinity) >= 0.8 * medianOf(counts);
    (this.keys.whole ||= new Map()).set(name, isWhole);
    return isWhole;
  }

  // Iterations by column, as the table of iterations has them.
  keySteps(name) {
    return this.keySpans(name).map(([, from, to]) => {
      const step = { duration: to - from, unobserved: this.layersOfWork()[0].in(from, to) };
      this.breakdown(from, to).forEach((time, part) => { step[CATEGORIES[part][0]] = time; });
      return step;
    });
  }

  // Kernels that its iterations launched: name → {calls, time}.
  keyKernels(name) {
    const starts = this.keyOps().get(name) || [], out = new Map();
    for (const event of this.launched()) {
      const at = this.start[this.link[event]], kind = this.kind[event];
      if (at < starts[0] || at >= starts.at(-1) || !TimelineSums.kernels.includes(CATEGORIES[this.category[kind]][0])) continue;
      const kernel = this.head.kinds[kind][0], sum = out.get(kernel) || { calls: 0, time: 0 };
      sum.calls += 1;
      sum.time += this.duration[event];
      out.set(kernel, sum);
    }
    for (const sum of out.values()) sum.mean = Math.trunc(sum.time / sum.calls);
    return out;
  }

  // Operators that its iterations call, as they are nested on their threads: name → {calls, kernels, host_self, device_self}.
  // Time inside of calls of the runtime is no operator's own.
  keyOperators(name) {
    const starts = this.keyOps().get(name) || [], threads = new Map(), out = new Map(), isIn = (time) => time >= starts[0] && time < starts.at(-1);
    const isNode = (event) => [CATEGORY.cpu, CATEGORY.dataloader].includes(this.category[this.kind[event]]), isCall = (event) => this.category[this.kind[event]] === CATEGORY.runtime;
    for (const lane of this.lanes) {
      const { rank, type } = this.head.tracks[lane.track];
      if (rank !== this.rank || type !== 'thread') continue;
      if (!threads.has(lane.track)) threads.set(lane.track, []);
      threads.get(lane.track)[lane.depth] = lane;
    }
    // The nearest operator around an event; none inside of another call.
    const ownerOf = (event, lane) => {
      const lanes = threads.get(lane.track) || [];
      for (let depth = lane.depth - 1; depth >= 0; --depth) {
        const around = lanes[depth] && this.firstStarting(lanes[depth], this.start[event] + 1) - 1;
        if (!(around >= lanes[depth]?.begin) || this.endOf(around) < this.start[event]) continue;
        if (isCall(around) && isCall(event)) return NONE;
        if (isNode(around)) return around;
      }
      return NONE;
    };
    const sumOf = (event) => {
      const operator = this.nameOf(event);
      if (!out.has(operator)) out.set(operator, { calls: 0, kernels: 0, host_self: 0, device_self: 0 });
      return out.get(operator);
    };
    const launching = new Set();
    for (const event of this.launched()) {
      const launch = this.link[event], owner = !isIn(this.start[launch]) ? NONE : isNode(launch) ? launch : ownerOf(launch, this.laneOf(launch));
      if (owner === NONE) continue;
      launching.add(owner);
      sumOf(owner).device_self += this.duration[event];
      if (TimelineSums.kernels.includes(CATEGORIES[this.category[this.kind[event]]][0])) sumOf(owner).kernels += 1;
    }
    // A call is of the iteration of its launches, else of that in which it starts; parts of it may lie outside.
    const last = starts.at(-1), counts = (event) => launching.has(event) || (this.start[event] >= starts[0] && this.start[event] <= last), lanes = [...threads.values()].flat();
    const open = lanes.map((lane) => this.firstStarting(lane, last + 1) - 1).filter((event, index) => event >= lanes[index].begin), ends = [...open, ...launching].map((event) => this.endOf(event));
    const from = [...launching].reduce((least, event) => Math.min(least, this.start[event]), starts[0]), to = ends.reduce((most, end) => Math.max(most, end), last);
    for (const lane of lanes) {
      for (let i = this.firstStarting(lane, from); i < lane.end && this.start[i] <= to; ++i) {
        const isOwn = isNode(i), owner = isOwn || isCall(i) ? ownerOf(i, lane) : NONE;
        if (owner !== NONE && counts(owner)) sumOf(owner).host_self -= Math.min(this.endOf(i), this.endOf(owner)) - this.start[i];
        if (!isOwn || !counts(i)) continue;
        sumOf(i).calls += 1;
        sumOf(i).host_self += this.duration[i];
      }
    }
    return out;
  }

  // A dialog to pick one from.
  pickKey() {
    const fields = [['name', 'Operator', 'text'], ['calls', 'Calls', 'count'], ['iterations', 'Iterations', 'count'], ['mean', 'Mean interval', 'ns'], ['variation', 'Variation', 'ratio'], ['start', 'First start', 'ns']]
      .map(([id, title, unit], index) => ({ id, title, unit, index, doc: '' }));
    const list = [...this.keyOps()].map(([name, starts]) => {
      const times = starts.slice(1).map((time, index) => time - starts[index]), mean = times.reduce((a, b) => a + b) / times.length, median = medianOf(times);
      return { name, calls: starts.length, iterations: times.length, mean: Math.round(mean), variation: median ? 1.4826 * medianOf(times.map((time) => Math.abs(time - median))) / median : 0, start: starts[0] };
    });
    const rows = { fields, count: list.length, value: (field, row) => list[row][field.id], text: (field, row) => format(list[row][field.id], field.unit) };
    const head = make('tr', {}, ...fields.map((field) => { const cell = make('th', { scope: 'col', align: isText(field) ? 'left' : 'right' }, field.title); cell.dataset.id = field.id; return cell; }));
    const table = make('table', { className: 'data', cellPadding: 4 }, make('caption', {}, 'Operators that could mark iterations'), make('thead', {}, head), make('tbody', {}));
    table.dataset.id = 'key_ops';
    const box = make('dialog', { className: 'keys', ariaLabel: 'Key operator' }, make('h3', {}, 'Key operator: its calls divide the iterations'), make('div', { className: 'scroll', tabIndex: 0 }, table),
      make('p', { className: 'tools' }, make('button', { type: 'button', onclick: () => box.close() }, 'Close')));
    document.body.append(box);
    box.addEventListener('close', () => box.remove());
    const grid = new Grid(table, rows);
    grid.openRow = (row) => { box.close(); scopeBar.choose({ key: list[row].name, from: null, to: null, rank: hasRanks() ? this.rank : null }); };
    [grid.sortField, grid.descending] = [fields[1], false];
    box.showModal();
    grid.apply();
    return grid;
  }
}
