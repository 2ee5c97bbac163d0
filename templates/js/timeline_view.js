// The parts of the section, and the rows of the canvas.
class TimelineView extends TimelineSums {
  build(section) {
    section.hidden = false;
    const button = (text, title, onclick) => make('button', { type: 'button', title, onclick }, text);
    this.search$ = make('input', { type: 'search', placeholder: 'find events ( / )', 'aria-label': 'Find events', size: 22 });
    this.found$ = make('span', { className: 'small mute', role: 'status' });
    this.mini$ = make('canvas', { className: 'mini', role: 'img', 'aria-label': 'How busy the GPUs are over the recording; drag to move the view' });
    this.canvas$ = make('canvas', { tabIndex: 0, role: 'application', 'aria-label': 'Timeline of the recording: W and S zoom, A and D move, comma and full stop step through events, Enter tells of one' });
    this.tip$ = make('div', { className: 'tip', hidden: true });
    this.details$ = make('div', { className: 'details', role: 'status' });
    this.summary$ = make('div', { className: 'details' });
    this.marks$ = make('div', { className: 'small' });
    const tools = make('div', { className: 'tools' }, this.search$,
      button('‹', 'previous match', () => this.nextHit(-1)), button('›', 'next match', () => this.nextHit(1)), this.found$,
      button('All', 'the whole recording (0)', () => this.go(this.first, this.last)),
      button('Fit', 'fit what is selected (F)', () => this.fit()),
      button('‹ gap', 'previous idle gap ([)', () => this.nextGap(-1)),
      button('gap ›', 'next idle gap (])', () => this.nextGap(1)),
      button('Mark', 'mark this time (M)', () => this.mark()),
      button('Perfetto', 'open this view\'s events in ui.perfetto.dev', () => this.openPerfetto()));
    const keys = 'Drag or A D to move, wheel or W S to zoom, shift-drag to sum a range, click for details.';
    section.append(make('h2', {}, 'Timeline'), tools, this.mini$,
      make('div', { className: 'stage' }, this.canvas$, this.tip$),
      make('p', { className: 'small mute' }, keys, this.head.left_out ? ` Left out: ${this.head.left_out}.` : '',
        this.head.unit > 1 ? ` Times are to ${this.head.unit} ns.` : ''),
      this.legend(), this.marks$, make('div', { className: 'columns' }, this.details$, this.summary$));
  }

  legend() {
    const used = new Set(this.category);
    const line = make('p', { className: 'small legend' });
    CATEGORIES.forEach(([, label, color], index) => {
      if (!used.has(index)) return;
      const swatch = make('span', { className: 'dot' });
      swatch.style.background = color;
      line.append(make('span', {}, swatch, label), ' ');
    });
    return line;
  }

  // Rows of the canvas: group heads, lanes, counters, each with its y.
  arrange() {
    this.rows = [];
    const groups = new Map();
    this.head.tracks.forEach((track, index) => {
      if (track.rank !== this.rank) return;
      if (!groups.has(track.group)) groups.set(track.group, []);
      groups.get(track.group).push(index);
    });
    let y = TL.axis;
    const add = (row) => { this.rows.push({ ...row, y }); y += row.height; };
    const several = this.head.tracks.some((track) => track.rank !== this.rank);
    for (const [group, tracks] of groups) {
      const folded = this.folded.has(group);
      add({ type: 'group', group, name: several ? `rank ${this.rank} · ${group}` : group, height: TL.head, folded });
      if (folded) continue;
      for (const index of tracks) {
        const lanes = this.lanes.filter((lane) => lane.track === index);
        lanes.forEach((lane, i) => add({
          type: 'lane', lane, name: i ? '' : this.head.tracks[index].name,
          height: TL.lane + (i + 1 === lanes.length ? 4 : 0),
        }));
      }
      for (const counter of this.counters) {
        if (counter.group === group && counter.rank === this.rank) {
          add({ type: 'counter', counter, name: counter.name, height: TL.counter });
        }
      }
    }
    this.height = y + 8;
    this.busy = null;
  }

  resize() {
    const ratio = devicePixelRatio || 1;
    this.width = this.canvas$.parentElement.clientWidth || 1190;
    this.shown = Math.min(this.height, Math.max(320, Math.round(innerHeight * 0.62)));
    const fit = (canvas, height) => {
      canvas.width = this.width * ratio;
      canvas.height = height * ratio;
      canvas.style.height = `${height}px`;
      canvas.style.width = `${this.width}px`;
      canvas.getContext('2d').setTransform(ratio, 0, 0, ratio, 0, 0);
    };
    fit(this.canvas$, this.shown);
    fit(this.mini$, TL.mini);
    this.miniImage = null;
    this.scroll = Math.min(this.scroll, Math.max(0, this.height - this.shown));
    this.redraw();
  }

  redraw() {
    if (this.pending) return;
    this.pending = requestAnimationFrame(() => {
      this.pending = 0;
      this.draw();
    });
  }

  x(time) { return TL.left + (time - this.view[0]) * this.scale; }
  timeAt(x) { return this.view[0] + (x - TL.left) / this.scale; }
}
