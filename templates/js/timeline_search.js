// Searching the timeline: words, field:part, field=exact, field>5 µs; terms side by side must all
// hold, "or" starts an alternative, ! turns a term around, "…" keeps blanks. Fields are those that the
// details of an event show, by title or id.
class TimelineSearch extends TimelineMarks {
  knows(name) {
    return (this.names ||= new Set([...this.head.kinds.map((kind) => kind[0]), ...this.head.texts])).has(name);
  }

  // The operator that an event is, or that launched it.
  opOf(event) {
    const isOp = (other) => this.category[this.kind[other]] === CATEGORY.cpu;
    if (isOp(event)) return this.nameOf(event);
    const call = this.trackOf(event).type === 'thread' ? event : this.link[event];
    const op = call === NONE ? undefined : this.parentsOf(call).findLast(isOp);
    return op === undefined ? '' : this.nameOf(op);
  }

  // What fields there are: {names, kind: text of a kind} or {names, event: text or number of an event}.
  searchFields() {
    if (this.fields$) return this.fields$;
    const out = [
      { names: ['name'], kind: (k) => this.head.kinds[k][0] },
      { names: ['kind'], kind: (k) => CATEGORIES[this.category[k]][1] },
      { names: ['details'], kind: (k) => this.head.kinds[k][2] || '' },
      { names: ['op'], event: (event) => this.opOf(event) },
    ];
    for (const { id, title } of this.head.facets) out.push({ names: [id, title], kind: (k) => this.facetOf(k, id) });
    const place = (event) => { const track = this.trackOf(event); return [track.group, track.section, track.name].filter(Boolean).join(', '); };
    const numbered = (word) => (event) => new RegExp(`\\b${word} (\\S+)`, 'i').exec(place(event))?.[1].replace(/,$/, '') ?? '';
    out.push({ names: ['on', 'track', 'engine', 'thread'], event: place },
      { names: ['stream'], event: numbered('stream'), exact: true },
      { names: ['gpu'], event: numbered('GPU'), exact: true },
      { names: ['rank'], event: (event) => String(this.trackOf(event).rank), exact: true },
      { names: ['duration'], event: (event) => this.duration[event], number: true },
      { names: ['start'], event: (event) => this.start[event], number: true });
    for (const amount of this.amounts) out.push({ names: [amount.id, amount.title], event: (event) => amount.value[event], number: true });
    const grid = grids.get('instructions');
    for (const field of (this.head.facets.length && grid?.rows.fields) || []) {
      if (out.some(({ names }) => names.some((name) => name.toLowerCase() === field.title.toLowerCase() || name === field.id))) continue;
      out.push({
        names: [field.id, field.title], number: !isText(field),
        event: (event) => { const row = this.instructionOf(event); return row < 0 ? '' : isText(field) ? grid.rows.text(field, row) : grid.rows.value(field, row); },
      });
    }
    return (this.fields$ = out);
  }

  // In names and all that kinds have.
  textsOf(kind) {
    return [this.head.kinds[kind][0], this.head.kinds[kind][2] || '', ...this.head.facets.map((other, index) => this.facetOf(kind, index))].join('\n').toLowerCase();
  }

  // One term as a test of events; a word is looked up once per kind.
  testOf(term) {
    const not = term.startsWith('!'), text = not ? term.slice(1) : term;
    const fields = this.searchFields();
    const named = /^("(?:[^"\\]|\\.)*"|[\w ]+?)\s*(<=|>=|[:=<>])(?!:)(.+)$/s.exec(text);
    const field = named && fields.find(({ names }) => names.some((name) => name.toLowerCase() === unquote(named[1]).toLowerCase()));
    if (named && !field) this.strange.push(unquote(named[1]).trim());
    const word = unquote(field ? named[3] : text).trim().toLowerCase(), sign = field ? named[2] : ':';
    const limit = parseQuantity(word);
    const holds = (value) => {
      if (sign === ':' && !field.exact) return String(value).toLowerCase().includes(word);
      if (sign === ':' || (sign === '=' && (!field.number || Number.isNaN(limit)))) return String(value).toLowerCase() === word;
      return { '=': value === limit, '<': value < limit, '>': value > limit, '<=': value <= limit, '>=': value >= limit }[sign];
    };
    let test;
    if (field?.event) {
      test = (event) => holds(field.event(event));
    } else {
      const kinds = Uint8Array.from(this.head.kinds, (kind, k) => (field ? holds(field.kind(k)) : this.textsOf(k).includes(word)));
      test = (event) => kinds[this.kind[event]] === 1;
    }
    return not ? (event) => !test(event) : test;
  }

  // The text as one word where something is called so, else as terms.
  testsOf(text) {
    const whole = text.trim();
    if (this.knows(whole)) return [[this.testOf(quote(whole))]];
    // A number keeps its unit: "duration > 5 µs" is one term.
    const joined = whole.replace(/\s*(<=|>=|[<>=])\s*([\d.]+)\s*(%|[nµum]?s|[kMGTP]?(?:B|FLOP)(?:\/s)?)?(?=\s|$)/gi, '$1$2$3');
    const terms = joined.match(/!?(?:"(?:[^"\\]|\\.)*"?|[^\s"])+/g) || [];
    const tries = [[]];
    for (const term of terms) if (term.toLowerCase() === 'or') tries.push([]); else tries.at(-1).push(this.testOf(term));
    return tries.filter((tests) => tests.length);
  }

  // The events of the chosen rank that a text finds; null where it asks for nothing.
  matches(text) {
    this.strange = [];  // What is written as a field and is none.
    const tries = text.trim() ? this.testsOf(text) : [], out = [];
    if (!tries.length) return null;
    for (const lane of this.lanes) {
      if (this.head.tracks[lane.track].rank !== this.rank || this.head.tracks[lane.track].type === 'path') continue;
      for (let i = lane.begin; i < lane.end; ++i) if (tries.some((tests) => tests.every((test) => test(i)))) out.push(i);
    }
    return out;
  }

  // Marks what matches, without a move.
  find(text) {
    this.search$.value = text;
    const found = this.matches(text);
    this.hits = found || [];
    this.isHit = found && new Uint8Array(this.start.length);
    for (const event of this.hits) this.isHit[event] = 1;
    this.hits.sort((a, b) => this.start[a] - this.start[b]);
    this.hit = -1;
    this.sayFound(found ? `${format(this.hits.length, 'count')} found` : '');
    this.redraw();
    return found;
  }

  search(text) {
    this.keepHash();
    if (this.find(text)) {
      this.nextHit(1);
      document.getElementById('timeline-section').scrollIntoView();
    }
  }

  sayFound(text) {
    this.found$.textContent = [text, ...this.strange.map((name) => `no field “${name}”, searched as a word`)].filter(Boolean).join('; ');
  }

  nextHit(step) {
    if (!this.hits.length) return;
    this.hit = (this.hit + step + this.hits.length) % this.hits.length;
    this.sayFound(`${format(this.hit + 1, 'count')} of ${format(this.hits.length, 'count')}`);
    this.pick(this.hits[this.hit]);
  }

  // How to search, with the fields of this recording.
  searchHelp() {
    const names = this.searchFields().map(({ names: all }) => all.at(-1).toLowerCase());
    return make('div', { className: 'narrow' }, make('p', {}, 'Searches names and all fields of an event. ',
      make('code', {}, 'name:gemm'), ' searches one field, ', make('code', {}, '='), ' matches all of it, ',
      make('code', {}, 'duration>5 µs'), ' compares. All terms must match; ', make('code', {}, 'or'), ' starts an alternative, ',
      make('code', {}, '!'), ' excludes a term; quotes match a phrase.'), make('p', {}, `Fields: ${[...new Set(names)].join(', ')}.`));
  }
}
