// The parts of the section, and the rows of the canvas.
class TimelineView extends TimelineColors {
  build(section) {
    section.hidden = false;
    const button = (text, title, onclick) => make('button', { type: 'button', title, onclick }, text);
    const select = (label, choices, chosen) => {
      const box = make('select', { ariaLabel: label }, ...choices.map(([value, text]) => make('option', { value }, text)));
      box.addEventListener('change', () => chosen(box.value));
      return [box, make('label', {}, `${label} `, box)];
    };
    this.search$ = make('input', { type: 'search', placeholder: 'find events', 'aria-label': 'Find events', size: 22 });
    this.found$ = make('span', { className: 'small mute', role: 'status' });
    this.help$ = make('details', { className: 'menu' }, make('summary', { ariaLabel: 'How to search' }, '?'));
    this.help$.addEventListener('toggle', () => this.help$.append(this.searchHelp()), { once: true });
    this.mini$ = make('canvas', { className: 'mini', role: 'img', 'aria-label': 'Device utilization over the profile; drag to move the view' });
    this.canvas$ = make('canvas', { tabIndex: 0, role: 'application', 'aria-label': 'Timeline of the profile: W and S zoom, A and D move, comma and period step through events, Enter shows details, E folds lanes' });
    this.frame$ = make('div', { className: 'frame' }, this.canvas$);
    this.stage$ = make('div', { className: 'stage' }, make('div', { className: 'sight' }, this.frame$));
    this.tip$ = make('div', { className: 'tip', hidden: true });
    this.details$ = make('div', { className: 'details', role: 'status' });
    this.summary$ = make('div', { className: 'details' });
    this.units$ = make('div', {});
    this.marks$ = make('div', { className: 'small' });
    this.legend$ = make('p', { className: 'small legend' });
    this.lanes$ = make('div', {});
    let color, regions;
    [this.color$, color] = select('Color', this.colorings(), (id) => { layout.write('color', id); this.chooseColoring(id); this.keepHash(); });
    [this.regions$, regions] = select('Regions', this.regionChoices(), (id) => { this.chooseRegions(id); this.keepHash(); });
    const tools = make('div', { className: 'tools' }, this.search$,
      button('‹', 'previous match', () => this.nextHit(-1)), button('›', 'next match', () => this.nextHit(1)), this.found$, this.help$,
      button('All', 'whole profile (0)', () => this.go(this.first, this.last)),
      button('Fit', 'fit the selection (F)', () => this.fit()),
      button('‹ gap', 'previous idle gap ([)', () => this.nextGap(-1)),
      button('gap ›', 'next idle gap (])', () => this.nextGap(1)),
      button('Mark', 'mark this time (M, or the right mouse button)', () => this.mark()),
      button('Full window', 'the timeline in all of the window; Escape returns', () => this.fill()),
      button('PNG', 'copy a picture of this view', () => copyPicture(this.canvas$, 'timeline')),
      button('Perfetto', 'open this view\'s events in ui.perfetto.dev', () => this.openPerfetto()),
      grids.has('source_lines') ? button('Code', 'source lines beside the timeline', () => this.showCode()) : '',
      color, this.regions$.options.length > 1 ? regions : '', make('details', { className: 'menu' }, make('summary', {}, 'Lanes'), this.lanes$));
    rove(tools.querySelectorAll(':scope > button'));
    const keys = 'Drag or A D to move, Ctrl + wheel or W S to zoom. Shift-drag to measure a range or the lanes in a box. Click for details or to fold lanes, right-click to mark.' + (this.pathLane() ? ' J K follow the critical path.' : '');
    this.frame$.after(this.tip$);
    section.append(make('h2', {}, 'Timeline'), tools, this.mini$,
      this.stage$,
      make('p', { className: 'small mute' }, keys, this.head.left_out ? ` Not shown: ${this.head.left_out}.` : '',
        this.head.unit > 1 ? ` Times are rounded to ${this.head.unit} ns.` : ''),
      this.legend$, this.marks$, make('div', { className: 'columns' }, this.details$, this.summary$), this.units$);
  }

  // All of the window, or back in the page.
  fill(full) {
    const section = this.canvas$.closest('section');
    section.classList.toggle('full', full);
    document.body.classList.toggle('filled', section.classList.contains('full'));
    this.resize();
    this.canvas$.focus({ preventScroll: true });
  }
  isFull() { return document.body.classList.contains('filled'); }

  // A part of the page beside the lanes: the lines of source, or what a finding cites.
  dock(part) {
    if (this.guest === part) return;
    this.undock();
    this.guest = part;
    this.place = document.createComment('');
    part.replaceWith(this.place);
    this.back$ = make('button', { type: 'button', className: 'small', onclick: () => this.undock() }, '× Back to its place');
    this.stage$.append(make('div', { className: 'guest' }, this.back$, part));
    this.stage$.classList.add('coded');
    part.open = true;
    this.resize();
  }
  undock() {
    if (!this.guest) return;
    this.guest.parentElement.remove();
    this.place.replaceWith(this.guest);
    this.guest = null;
    this.stage$.classList.remove('coded');
    this.resize();
  }
  showCode() {
    const code = document.getElementById('t-source_lines');
    if (this.guest === code) this.undock(); else this.dock(code);
  }

  // ---- Folding: groups, sections of them (folded at first), and tracks of several lanes.

  isFolded(key) { return this.folds[key] ?? key.split('\t').length === 2; }
  fold(key) {
    this.folds[key] = !this.isFolded(key);
    layout.write('folds', this.folds);
    this.arrange();
    this.resize();
  }

  // Rows of the canvas: heads, lanes, counters, each with its y.
  arrange() {
    this.rows = [];
    const groups = new Map(), seen = new Set();
    const of = (item, place) => {
      if (item.rank !== this.rank) return;
      if (!groups.has(item.group)) groups.set(item.group, { tracks: [], counters: [] });
      groups.get(item.group)[place].push(item);
    };
    this.lanesOf = this.lanesOf || this.head.tracks.map((track, index) => this.lanes.filter((lane) => lane.track === index));
    this.head.tracks.forEach((track) => of(track, 'tracks'));
    this.counters.forEach((counter) => of(counter, 'counters'));
    let y = TL.axis;
    const add = (row) => { this.rows.push({ ...row, y }); y += row.height; };
    if (this.regions?.length) add({ type: 'regions', name: 'Regions', height: TL.lane + 4 });
    const several = this.head.tracks.some((track) => track.rank !== this.rank);
    const menu = [];
    const laneRows = (lanes, name, key, folded) => {
      if (folded || lanes.length === 1) return add({ type: 'lane', lanes, name, key: lanes.length > 1 ? key : '', folded, height: TL.lane + 4 });
      lanes.forEach((lane, i) => add({ type: 'lane', lanes: [lane], name: i ? '' : name, key, height: TL.lane + (i + 1 === lanes.length ? 4 : 0) }));
    };
    // The head of a section, at its first member; whether it is open.
    const section = (item, group, members) => {
      if (!item.section) return true;
      const key = `${group}\t${item.section}`, folded = this.isFolded(key);
      if (seen.has(key)) return !folded;
      seen.add(key);
      menu.push([key, item.section, 1]);
      const lanes = members.filter((other) => other.section === item.section && 'type' in other).flatMap((track) => this.lanesOf[this.head.tracks.indexOf(track)]);
      add({ type: 'section', name: item.section, key, folded, lanes: folded ? lanes : [], height: TL.lane + 4 });
      return !folded;
    };
    for (const [group, { tracks, counters }] of groups) {
      const folded = this.isFolded(group);
      menu.push([group, group, 0]);
      add({ type: 'group', key: group, name: several ? `rank ${this.rank} · ${group}` : group, height: TL.head, folded });
      if (folded) continue;
      for (const track of tracks) {
        if (!section(track, group, tracks)) continue;
        const key = `${group}\t${track.section}\t${track.name}\t${track.type}`;
        laneRows(this.lanesOf[this.head.tracks.indexOf(track)], track.name, key, this.isFolded(key));
      }
      for (const counter of counters) {
        if (section(counter, group, counters)) add({ type: 'counter', counter, name: counter.name, height: counter.section ? TL.head + 6 : TL.counter });
      }
    }
    this.height = y + 8;
    this.busy = this.work = this.unitList = null;
    this.lanes$.replaceChildren(...menu.map(([key, name, depth]) => {
      const box = make('input', { type: 'checkbox', checked: !this.isFolded(key) });
      box.addEventListener('change', () => { this.fold(key); this.lanes$.querySelectorAll('input')[menu.findIndex((entry) => entry[0] === key)]?.focus(); });
      return make('label', { className: depth ? 'sub' : '' }, box, ` ${name}`);
    }));
  }

  resize() {
    const ratio = devicePixelRatio || 1;
    this.width = this.canvas$.parentElement.clientWidth || 1190;
    this.shown = Math.min(this.height, Math.max(120, parseInt(this.frame$.style.height) || Math.max(320, this.isFull() ? innerHeight - 300 : Math.round(innerHeight * 0.62))));
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
