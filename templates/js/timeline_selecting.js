// Selecting an event.
class TimelineSelecting extends TimelineSearch {
  rowOf(event) {
    return this.rows.find((row) => row.lanes?.some((lane) => event >= lane.begin && event < lane.end));
  }

  // Host events that contain `time` on the track of `event`, outermost first.
  parentsOf(event) {
    const lane = this.laneOf(event), out = [];
    for (const other of this.lanes) {
      if (other.track !== lane.track || other.depth >= lane.depth) continue;
      const i = this.firstEnding(other, this.start[event]);
      if (i < other.end && this.start[i] <= this.start[event]) out.push(i);
    }
    return out;
  }

  // What the device ran for the host event and all inside it.
  launchedIn(event) {
    const track = this.laneOf(event).track, from = this.start[event], to = this.endOf(event);
    const events = [];
    for (const lane of this.deviceLanes()) {
      for (let i = lane.begin; i < lane.end; ++i) {
        const call = this.link[i];
        if (call === NONE || this.start[call] < from || this.start[call] >= to) continue;
        if (this.laneOf(call).track === track) events.push(i);
      }
    }
    return events;
  }

  pick(event, quiet) {
    this.selected = event;
    if (event === NONE) {
      this.details$.replaceChildren();
    } else {
      this.tell(event);
      if (!quiet) this.bring(event);
    }
    this.redraw();
    this.keepHash();
  }

  // The row of the table of instructions that the event is, or -1.
  instructionOf(event) {
    const grid = grids.get('instructions'), { unit } = this.head;
    if (!grid || !this.head.facets.length) return -1;
    const keyOf = (...parts) => parts.join();
    if (!this.instructions) {
      // A column that is the same in every row is not there.
      const fields = ['rank', 'core', 'engine', 'pc', 'start'].map((id) => grid.field(id));
      this.instructions = new Map();
      this.keyed = fields.map((field) => !!field);
      for (let row = 0; row < grid.rows.count; ++row) {
        const [rank, core, engine, pc, start] = fields.map((field) => field && grid.rows.value(field, row));
        this.instructions.set(keyOf(rank, core, engine, pc && Math.max(pc, 0), start && Math.floor(start / unit)), row);
      }
    }
    const track = this.trackOf(event), pc = this.amounts.find(({ id }) => id === 'pc')?.value[event];
    const parts = [track.rank, track.device, track.unit, pc, Math.round(this.start[event] / unit)];
    return this.instructions.get(keyOf(...parts.map((part, index) => (this.keyed[index] ? part : undefined)))) ?? -1;
  }

  exact(value, unit) { return format(value, unit) + (value >= 1000 ? ` (${value}${unit === 'ns' ? ' ns' : ''})` : ''); }

  // All that is known of an event, as [label, text].
  factsOf(event) {
    const kind = this.head.kinds[this.kind[event]], track = this.trackOf(event), out = [['Name', kind[0]]];
    out.push(['Kind', CATEGORIES[this.category[this.kind[event]]][1]]);
    out.push(['Start', axisTime(this.start[event], 1)], ['Duration', this.exact(this.duration[event], 'ns')]);
    out.push(['On', [track.group, track.section, track.name].filter(Boolean).join(', ')]);
    if (kind[2]) out.push(['Details', kind[2]]);
    this.head.facets.forEach(({ title }, facet) => {
      const text = this.facetOf(this.kind[event], facet);
      if (text) out.push([title, text]);
    });
    for (const amount of this.amounts) {
      const value = amount.value[event];
      if (value) out.push([amount.title, amount.id === 'pc' ? String(value) : this.exact(value, amount.unit)]);
    }
    const row = this.instructionOf(event), grid = grids.get('instructions'), told = new Set(out.map(([label]) => label));
    if (row >= 0) {
      for (const field of grid.rows.fields) {
        const text = grid.rows.text(field, row).trim();
        if (!told.has(field.title) && text && text !== '–' && !/^0\D*$/.test(text)) out.push([field.title, text]);
      }
    }
    return out;
  }
  asJson(event) {
    const plain = (other) => ({ name: this.nameOf(other), start_ns: this.start[other], duration_ns: this.duration[other] });
    const facts = Object.fromEntries(this.factsOf(event).slice(2).map(([label, text]) => [label.toLowerCase().replaceAll(' ', '_'), text]));
    for (const amount of this.amounts) if (amount.value[event]) facts[amount.title.toLowerCase().replaceAll(' ', '_')] = amount.value[event];
    delete facts.start, delete facts.duration;
    return JSON.stringify({ ...plain(event), rank: this.rank, ...facts, predecessors: this.neighbours(event, false).map(plain),
      successors: this.neighbours(event, true).map(plain) }, null, 1);
  }

  tell(event) {
    const list = make('dl', {});
    const fact = (label, ...children) => list.append(make('dt', {}, label), make('dd', {}, ...children));
    const link = (text, onclick) => make('button', { type: 'button', className: 'link', onclick }, text);
    const jump = (to) => link(shorten(this.nameOf(to), 90), () => this.pick(to));
    const kind = this.head.kinds[this.kind[event]], track = this.trackOf(event);
    for (const [label, text] of this.factsOf(event)) {
      const lines = label === 'Source' && grids.get('source_lines');
      if (lines) {
        const [, file, line] = /^(.*?):(\d+)/.exec(text) || [0, text];
        fact(label, link(text, () => lines.reveal(`file=${quote(file)}${line ? ` line=${line}` : ''}`)));
      } else {
        fact(label, text);
      }
    }
    const call = this.link[event];
    if (track.type === 'path') {
      const lane = this.laneOf(event), to = (step, text) => (step >= lane.begin && step < lane.end ? link(text, () => this.pick(step)) : '');
      fact('Step', `${format(event - lane.begin + 1, 'count')} of ${format(lane.end - lane.begin, 'count')} `, to(event - 1, '← K'), ' ', to(event + 1, 'J →'));
      if (call !== NONE) fact('In', jump(call));
    } else if (call !== NONE) {
      fact('Launched by', jump(call));
      fact('After', format(Math.max(0, this.start[event] - this.endOf(call)), 'ns'));
      const parents = this.parentsOf(call).reverse();
      if (parents.length) fact('In', ...parents.slice(0, 8).flatMap((p) => [jump(p), ' ']));
    } else if (track.type !== 'stream') {
      const parents = this.parentsOf(event).reverse();
      if (parents.length) fact('In', ...parents.slice(0, 8).flatMap((p) => [jump(p), ' ']));
      const launched = track.type === 'thread' ? this.launchedIn(event) : [];
      if (launched.length) {
        const time = launched.reduce((sum, i) => sum + this.duration[i], 0);
        fact('Launches', `${format(launched.length, 'count')} events, ${format(time, 'ns')} total: `, jump(launched[0]));
      }
    }
    for (const after of [false, true]) {
      const others = this.neighbours(event, after);
      if (others.length) fact(after ? 'Awaited by' : 'Waits for', ...others.slice(0, 12).flatMap((other) => [jump(other), ' ']), others.length > 12 ? `and ${others.length - 12} more` : '');
    }
    const cited = [...document.querySelectorAll('details.finding')].filter((box) => box.textContent.includes(kind[0]));
    if (cited.length) {
      fact('Cited by', ...cited.flatMap((box) => [make('a', { href: `#${box.id}` }, box.querySelector('b').textContent), ' · ']).slice(0, -1));
    }
    for (const id of ['kernels', 'ops']) {
      const grid = grids.get(id);
      if (grid && (track.type === 'stream') === (id === 'kernels') && grid.matching(`name=${quote(kind[0])}`).length) fact('Table', link(grid.title(), () => grid.reveal(`name=${quote(kind[0])}`)));
    }
    this.details$.replaceChildren(make('h3', {}, shorten(kind[0], 120)), list,
      make('p', {}, make('button', { type: 'button', onclick: () => copyText(this.asJson(event)) }, 'Copy as JSON')));
  }

  // The line of source that the event is of, in its table.
  showLine(event) {
    const [, file, line] = /^(.*?):(\d+)/.exec(this.facetOf(this.kind[event], 'source')) || [], grid = grids.get('source_lines');
    if (!file || !grid) return;
    const at = grid.order.findIndex((row) => grid.rows.text(grid.field('file'), row) === file && grid.rows.value(grid.field('line'), row) === +line);
    if (at < 0) return;
    grid.table.closest('details').open = true;
    grid.select(at);
    grid.scroller.scrollIntoView({ block: 'nearest' });
  }

  // Moves the view so that the event is in it.
  bring(event) {
    const from = this.start[event], to = this.endOf(event), [t0, t1] = this.view;
    const track = this.trackOf(event);
    if (track.rank !== this.rank) this.chooseRank(track.rank);
    for (const key of [track.group, `${track.group}\t${track.section}`]) {
      if ((key === track.group || track.section) && this.isFolded(key)) this.fold(key);
    }
    if (from < t0 || to > t1 || (to - from) * this.scale < 3) {
      const half = Math.max((to - from) * 10, 1000);
      this.go((from + to) / 2 - half, (from + to) / 2 + half);
    }
    const row = (track.type === 'path' && this.link[event] !== NONE && this.rowOf(this.link[event])) || this.rowOf(event);
    if (row && (row.y < this.scroll + TL.axis || row.y + 30 > this.scroll + this.shown)) {
      this.scrollTo(row.y - this.shown / 2);
    }
  }
}
