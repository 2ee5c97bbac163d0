// Selecting an event, and searching.
class TimelineSelecting extends TimelineMoving {
  rowOf(event) {
    return this.rows.find((row) => row.type === 'lane' && event >= row.lane.begin && event < row.lane.end);
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

  tell(event) {
    const list = make('dl', {});
    const fact = (label, ...children) => list.append(make('dt', {}, label), make('dd', {}, ...children));
    const jump = (to) => make('button', {
      type: 'button', className: 'link', onclick: () => this.pick(to),
    }, shorten(this.nameOf(to), 90));
    const kind = this.head.kinds[this.kind[event]], track = this.trackOf(event);
    fact('Name', kind[0]);
    fact('Kind', CATEGORIES[this.category[this.kind[event]]][1]);
    fact('Start', `${axisTime(this.start[event] - this.first, 1)}`);
    fact('Duration', `${format(this.duration[event], 'ns')} (${this.duration[event]} ns)`);
    fact('On', `${track.group}, ${track.name}`);
    if (kind[2]) fact('Details', kind[2]);
    const call = this.link[event];
    if (call !== NONE) {
      fact('Launched by', jump(call));
      fact('After', format(Math.max(0, this.start[event] - this.endOf(call)), 'ns'));
      const parents = this.parentsOf(call).reverse();
      if (parents.length) fact('In', ...parents.slice(0, 8).flatMap((p) => [jump(p), ' ']));
    } else if (track.type !== 'stream') {
      const parents = this.parentsOf(event).reverse();
      if (parents.length) fact('In', ...parents.slice(0, 8).flatMap((p) => [jump(p), ' ']));
      const launched = this.launchedIn(event);
      if (launched.length) {
        const time = launched.reduce((sum, i) => sum + this.duration[i], 0);
        fact('Launches', `${format(launched.length, 'count')} events, ${format(time, 'ns')} in sum: `, jump(launched[0]));
      }
    }
    const cited = [...document.querySelectorAll('details.finding')].filter((box) => box.textContent.includes(kind[0]));
    if (cited.length) {
      fact('Cited by', ...cited.map((box) => make('a', { href: `#${box.id}` }, box.querySelector('b').textContent)));
    }
    for (const id of ['kernels', 'ops']) {
      const grid = grids.get(id);
      if (grid && (track.type === 'stream') === (id === 'kernels')) {
        fact('Table', make('button', { type: 'button', className: 'link', onclick: () => grid.reveal(`name="${kind[0]}"`) }, grid.title()));
      }
    }
    this.details$.replaceChildren(make('h3', {}, shorten(kind[0], 120)), list);
  }

  // Moves the view so that the event is in it.
  bring(event) {
    const from = this.start[event], to = this.endOf(event), [t0, t1] = this.view;
    const track = this.trackOf(event);
    if (track.rank !== this.rank) this.chooseRank(track.rank);
    if (this.folded.delete(track.group)) this.arrange();
    if (from < t0 || to > t1 || (to - from) * this.scale < 3) {
      const half = Math.max((to - from) * 10, 1000);
      this.go((from + to) / 2 - half, (from + to) / 2 + half);
    }
    const row = this.rowOf(event);
    if (row && (row.y < this.scroll + TL.axis || row.y + 30 > this.scroll + this.shown)) {
      this.scrollTo(row.y - this.shown / 2);
    }
  }

  // ---- Searching.

  knows(name) {
    this.names = this.names || new Set(this.head.kinds.map((kind) => kind[0]));
    return this.names.has(name);
  }

  search(text) {
    this.search$.value = text;
    const word = text.trim().toLowerCase();
    this.hitKinds = word ? Uint8Array.from(this.head.kinds, (kind) => kind[0].toLowerCase().includes(word)) : null;
    this.hits = [];
    if (word) {
      for (const lane of this.lanes) {
        if (this.head.tracks[lane.track].rank !== this.rank) continue;
        for (let i = lane.begin; i < lane.end; ++i) if (this.hitKinds[this.kind[i]]) this.hits.push(i);
      }
      this.hits.sort((a, b) => this.start[a] - this.start[b]);
    }
    this.hit = -1;
    this.found$.textContent = word ? `${format(this.hits.length, 'count')} found` : '';
    this.redraw();
    if (word) {
      this.nextHit(1);
      document.getElementById('timeline-section').scrollIntoView();
    }
  }

  nextHit(step) {
    if (!this.hits.length) return;
    this.hit = (this.hit + step + this.hits.length) % this.hits.length;
    this.found$.textContent = `${format(this.hit + 1, 'count')} of ${format(this.hits.length, 'count')}`;
    this.pick(this.hits[this.hit]);
  }
}
