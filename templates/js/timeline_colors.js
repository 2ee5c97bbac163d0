// What colours mean: categories, or the values of something that kinds have (operator, opcode, queue),
// and the regions that may be highlighted.
const PALETTE = ['#0072B2', '#E69F00', '#009E73', '#CC79A7', '#56B4E9', '#D55E00', '#F0E442', '#8C7AE6', '#A6761D',
  '#66C2A5', '#B23A48', '#A0C75A'];
const NOTHING = ['#C9C9C9', '#000'];

function inkOn(color) {
  const [r, g, b] = [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16));
  return 0.299 * r + 0.587 * g + 0.114 * b > 130 ? '#000' : '#fff';
}
// The colour that the program gave a range of its own.
const paintOf = (kind) => /\bcolor (#[0-9a-f]{6})/.exec(kind[2])?.[1] || '';
const GONE = ['#0000', '#0000'];
const partsOf = (path) => path.split('/').filter(Boolean);

class TimelineColors extends TimelineSums {
  // [id, title] of the colourings that this recording has.
  colorings() {
    const has = (id) => this.head.facets.some((facet) => facet.id === id) && this.head.kinds.some((kind, k) => this.facetOf(k, id));
    const neuron = this.head.facets.length > 0;
    const out = [['category', 'category'], ['name', neuron ? 'opcode' : 'name'], ['track', neuron ? 'engine' : 'stream, thread']];
    if (has('layer')) {
      out.unshift(['operator', 'operator']);
      for (let depth = 1; depth <= Math.min(this.layerDepth() - 1, 4); ++depth) out.push([`layer${depth}`, `layer, depth ${depth}`]);
    }
    for (const facet of this.head.facets) {
      if (facet.id !== 'layer' && has(facet.id)) out.push([facet.id, facet.title.toLowerCase()]);
    }
    if (this.head.kinds.some(paintOf)) out.push(['painted', "the program's"]);
    return out;
  }
  layerDepth() {
    return this.head.kinds.reduce((most, kind, k) => Math.max(most, partsOf(this.facetOf(k, 'layer')).length), 0);
  }

  // What a kind's colour stands for; '' when it has nothing of the sort.
  valueOf(kind, coloring) {
    if (coloring === 'category') return CATEGORIES[this.category[kind]][1];
    if (coloring === 'name') return this.head.kinds[kind][0];
    if (coloring === 'painted') return paintOf(this.head.kinds[kind]);
    if (coloring === 'operator') return partsOf(this.facetOf(kind, 'layer')).pop() || '';
    if (coloring.startsWith('layer')) return partsOf(this.facetOf(kind, 'layer')).slice(0, +coloring.slice(5)).join('/');
    return this.facetOf(kind, coloring);
  }

  chooseColoring(id) {
    const known = this.colorings();
    this.coloring = known.some(([other]) => other === id) ? id : known[0][0];
    this.color$.value = this.coloring;
    const time = new Map(), ofKind = new Float64Array(this.head.kinds.length), tracks = this.head.tracks;
    this.byTrack = null;
    const device = this.coloring === 'name' && this.deviceLanes().length ? this.deviceLanes() : this.lanes;
    for (const lane of device) for (let i = lane.begin; i < lane.end; ++i) ofKind[this.kind[i]] += this.duration[i];
    const add = (value, amount) => value && amount && time.set(value, (time.get(value) || 0) + amount);
    if (this.coloring === 'track') {
      for (const lane of this.lanes) {
        const track = tracks[lane.track];
        let sum = 0;
        for (let i = lane.begin; i < lane.end; ++i) sum += this.duration[i];
        add(track.unit || track.name, sum);
      }
    } else {
      ofKind.forEach((sum, kind) => add(this.valueOf(kind, this.coloring), sum));
    }
    // The twelve that take most time look different; the others share colours by their names.
    const heavy = [...time].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
    const place = new Map(heavy.slice(0, PALETTE.length).map(([value], index) => [value, index]));
    const fixed = this.coloring === 'category';
    const lookOf = (value) => {
      if (!value) return NOTHING;
      if (this.coloring === 'painted') return [value, inkOn(value)];
      let hash = place.get(value);
      if (hash === undefined) hash = [...value].reduce((sum, letter) => (sum * 31 + letter.codePointAt(0)) >>> 0, 7);
      const color = PALETTE[hash % PALETTE.length];
      return [color, inkOn(color)];
    };
    this.looks = this.head.kinds.map((kind, k) => (fixed || this.category[k] === CATEGORY.wait ? CATEGORIES[this.category[k]][2]
      : lookOf(this.valueOf(k, this.coloring))));
    if (this.coloring === 'track') this.byTrack = tracks.map((track) => lookOf(track.unit || track.name));
    this.tellLegend(fixed ? null : heavy.slice(0, PALETTE.length), heavy.length, lookOf);
    this.redraw();
  }
  lookOf(event, lane) {
    if (this.muted.has(this.category[this.kind[event]])) return GONE;
    return this.byTrack && this.category[this.kind[event]] !== CATEGORY.wait ? this.byTrack[lane.track] : this.looks[this.kind[event]];
  }

  tellLegend(heavy, count, lookOf) {
    const entry = (color, ...label) => {
      const swatch = make('span', { className: 'dot' });
      swatch.style.background = color;
      return [make('span', {}, swatch, ...label), ' '];
    };
    const used = new Set(this.category), out = [];
    const search = (value) => make('button', { type: 'button', className: 'link', title: 'find', onclick: () => this.search(value) }, shorten(value, 40));
    if (heavy) {
      for (const [value] of heavy) out.push(...entry(lookOf(value)[0], this.coloring === 'track' ? value : search(value)));
      if (count > heavy.length) out.push(`and ${format(count - heavy.length, 'count')} more, which share these colors`);
    }
    // Each category can leave the picture.
    const button = (label, index) => make('button', {
      type: 'button', className: 'switch', ariaPressed: String(!this.muted.has(index)), title: `Show or hide ${label}`, onclick: ({ target }) => {
        if (!this.muted.delete(index)) this.muted.add(index);
        target.ariaPressed = String(!this.muted.has(index));
        this.redraw();
      },
    }, label);
    CATEGORIES.forEach(([, label, look, name], index) => { if (used.has(index) && (!heavy || index === CATEGORY.wait)) out.push(...entry(`var(--${name}, ${look[0]})`, button(label, index))); });
    this.legend$.replaceChildren(...out);
    rove(this.legend$.querySelectorAll('button'));
  }

  // ---- Regions: bands over all lanes.

  regionChoices() {
    const out = [['', 'none']];
    const depths = new Set(this.layerRows().map(([depth]) => depth));
    for (const depth of [...depths].sort()) out.push([`layer${depth}`, `layers, depth ${depth + 1}`]);
    const grid = grids.get('iterations');
    if (grid && grid.rows.count > 1) out.push(['iterations', 'iterations']);
    if (this.category.includes(CATEGORY.communication)) out.push(['collectives', 'between collectives']);
    return out;
  }

  // [depth, rank, name, start, end] of the layers in the table of operators.
  layerRows() {
    const grid = grids.get('layers'), field = (id) => grid?.field(id), out = [];
    if (!field('start') || !field('duration') || !grid.depths) return out;
    for (let row = 0; row < grid.rows.count; ++row) {
      const value = (id) => (field(id) ? grid.rows.value(field(id), row) : null), start = value('start');
      if ((value('kind') ?? 'layer') !== 'layer' || start === null) continue;
      out.push([grid.depths[row], value('rank'), value('path') || value('name'), start, start + value('duration')]);
    }
    return out;
  }

  // [name, start, end] in order of time.
  findRegions(choice) {
    const out = [];
    if (choice.startsWith('layer')) {
      for (const [depth, rank, ...region] of this.layerRows()) if (depth === +choice.slice(5) && (rank ?? this.rank) === this.rank) out.push(region);
    } else if (choice === 'iterations') {
      const grid = grids.get('iterations'), value = (id, row) => grid.rows.value(grid.field(id), row);
      for (let row = 0; row < grid.rows.count; ++row) {
        const start = value('start', row);
        if (start !== null) out.push([`iteration ${value('index', row)}`, start, start + value('duration', row)]);
      }
    } else if (choice === 'collectives') {
      const busy = mergeAll(this.deviceLanes().map((lane) => this.unionOf(lane, ['communication'])));
      let from = this.first;
      for (let k = 0; k <= busy.length; k += 2) {
        const to = k < busy.length ? busy[k] : this.last;
        if (to > from) out.push([k ? `after collective ${k / 2}` : 'before the first collective', from, to]);
        from = busy[k + 1];
      }
    }
    return out.sort((a, b) => a[1] - b[1]);
  }
  chooseRegions(choice) {
    this.regionChoice = choice;
    this.regions$.value = choice;
    this.regions = choice ? this.findRegions(choice) : [];
    this.arrange();
    this.resize();
  }
}
