// The whole of it, and handing events on to Perfetto.
class Timeline extends TimelineKeys {
  constructor(section, payload) {
    super(payload);
    this.build(section);
    this.arrange();
    this.listen();
    this.resize();
    if (scope.rank !== null) this.chooseRank(scope.rank);  // The address was read before this was there.
    this.chooseColoring(layout.read().color);
    this.tellMarks();
    this.opening = this.view = this.judged();
    this.readHash();
    this.resize();
    this.restSoon();
  }

  // The iterations of the chosen range, where their times are this rank's.
  showScope() {
    const spans = judged.positions.filter((at) => scope.has(at) && judged.spans.has(at)).map((at) => judged.spans.get(at));
    if (!scope.hasRange) return this.go(...this.opening);
    if (spans.length) this.go(spans[0][0], spans.at(-1)[1]);
  }

  // What the page opens on: the iterations that were judged, where the recording holds much beside them.
  judged() {
    const grid = grids.get('iterations'), iterations = grid?.field('start') && grid.field('duration') ? this.findRegions('iterations') : [];
    const begin = Math.min(...iterations.map((region) => region[1])), end = Math.max(...iterations.map((region) => region[2]));
    const room = Math.round(0.05 * (end - begin)), from = Math.max(this.first, begin - room), to = Math.min(this.last, end + room);
    return to > from && to - from < 0.9 * (this.last - this.first) ? [from, to] : [this.first, this.last];
  }

  // The events in view as a Chrome trace, handed to Perfetto's page when the reader asks for it.
  openPerfetto() {
    const trace = { traceEvents: this.chromeEvents() };
    const other = open('https://ui.perfetto.dev');
    if (!other) return save('view.json', JSON.stringify(trace), 'application/json');  // No window may open.
    const buffer = new TextEncoder().encode(JSON.stringify(trace)).buffer;
    const ping = setInterval(() => other.postMessage('PING', 'https://ui.perfetto.dev'), 100);
    const answer = (message) => {
      if (message.source !== other || message.data !== 'PONG') return;
      clearInterval(ping);
      removeEventListener('message', answer);
      other.postMessage({ perfetto: { buffer, title: document.title } }, 'https://ui.perfetto.dev');
    };
    addEventListener('message', answer);
    setTimeout(() => clearInterval(ping), 30000);
  }

  chromeEvents() {
    const events = [], groups = [...new Set(this.head.tracks.map((track) => track.group))];
    this.head.tracks.forEach((track, tid) => {
      const pid = groups.indexOf(track.group);
      events.push({ ph: 'M', name: 'process_name', pid, tid, args: { name: track.group } },
        { ph: 'M', name: 'thread_name', pid, tid, args: { name: track.name } });
    });
    for (const lane of this.lanes) {
      const pid = groups.indexOf(this.head.tracks[lane.track].group);
      for (let i = this.firstEnding(lane, this.view[0]); i < lane.end && this.start[i] < this.view[1]; ++i) {
        events.push({ ph: 'X', name: this.nameOf(i), cat: this.head.kinds[this.kind[i]][1], pid,
          tid: lane.track, ts: this.start[i] / 1000, dur: this.duration[i] / 1000 });
      }
    }
    return events;
  }
}

async function startTimeline() {
  if (!document.getElementById('c-timeline')) return;
  // It opens on the iterations of their table.
  const [payload] = await Promise.all([unpack('c-timeline'), started]);
  window.timeline = new Timeline(document.getElementById('timeline-section'), payload);
  const cited = [...document.querySelectorAll('[data-interval]')];
  window.timeline.findings = cited.map((row) => row.dataset.interval.split(',').map(Number));
  cited.forEach((row, index) => {
    const [start, end, rank] = window.timeline.findings[index];
    row.prepend(make('td', { className: 'lead' }, make('button', {
      type: 'button', className: 'link', onclick() {
        if (innerWidth > 1000) window.timeline.dock(row.closest('details.finding'));
        window.timeline.show(start, end, rank < 0 ? null : rank);
      },
    }, '→ Timeline')));
  });
  for (const table of new Set(cited.map((row) => row.closest('table')))) rove(table.querySelectorAll('.lead button'));
  for (const table of new Set(cited.map((row) => row.closest('table')))) {
    table.tHead.rows[0].prepend(make('td', { className: 'lead' }));
    for (const row of table.tBodies[0].rows) if (!row.dataset.interval) row.prepend(make('td', { className: 'lead' }));
  }
  // Where a finding cites no time, its link leads to the finding.
  for (const link of document.querySelectorAll('a.show')) {
    const row = document.querySelector(`${link.hash} [data-interval] button`);
    if (row) link.addEventListener('click', (event) => { event.preventDefault(); row.click(); });
  }
  scopeBar.addKeys();
  // A row that the address opened leads to the timeline, too.
  const [table, opened] = (address.get('row') || '').split('~');
  if (dialog.open && grids.has(table)) openRow(grids.get(table), +opened, [], '');
  window.timeline.redraw();
  document.documentElement.dataset.timeline = 'ready';
}
startTimeline();
