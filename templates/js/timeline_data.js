// The timeline: the recording's events on a canvas. Nothing is an object per event: lanes are sorted
// columns, and drawing jumps over what is narrower than a pixel, so that a million events pan
// smoothly. Keys: W S + - zoom, A D arrows pan, F fit, 0 all, / search, [ ] idle gaps, J K steps of the critical path, M mark, E fold,
// , . neighbours, Enter details, Esc none.

const TL = { lane: 15, head: 22, counter: 44, left: 190, axis: 24, mini: 40 };
const NONE = -1;

// What events are: [id, title, [fill, ink], variable of the sheet], as the recording's columns bring
// them; the first PARTS make the breakdown, in this order.
let CATEGORIES = [], PARTS = 0;
const CATEGORY = {};  // place by id

function line(g, x0, y0, x1, y1) {
  g.beginPath();
  g.moveTo(x0, y0);
  g.lineTo(x1, y1);
  g.stroke();
}

function shorten(text, length) {
  if (text.length <= length) return text;
  return length < 3 ? '' : text.slice(0, length - 1) + '…';
}

function lowerBound(values, value) {
  let low = 0, high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] < value) low = middle + 1; else high = middle;
  }
  return low;
}

// A union of at most so many intervals, [start, end, start, end, …], each of which starts no earlier
// than those before it.
class Union {
  constructor(most) {
    this.at = new Float64Array(2 * most);
    this.length = 0;
  }
  add(start, end) {
    const last = this.length - 1;
    if (last > 0 && start <= this.at[last]) {
      if (end > this.at[last]) this.at[last] = end;
    } else {
      this.at[this.length++] = start;
      this.at[this.length++] = end;
    }
  }
  all() { return this.at.subarray(0, this.length); }
}

function mergeUnions(a, b) {
  const out = new Union((a.length + b.length) / 2);
  for (let i = 0, k = 0; i < a.length || k < b.length;) {
    if (k >= b.length || (i < a.length && a[i] <= b[k])) out.add(a[i++], a[i++]);
    else out.add(b[k++], b[k++]);
  }
  return out.all();
}

function mergeAll(lists) {
  for (lists = [...lists]; lists.length > 1;) lists.push(mergeUnions(lists.shift(), lists.shift()));
  return lists[0] || [];
}

// How much of any [a, b) a union covers, by sums of what lies before.
class Covered {
  constructor(union) {
    const n = union.length / 2;
    this.union = union;
    this.before = new Float64Array(n + 1);
    for (let i = 0; i < n; ++i) this.before[i + 1] = this.before[i] + union[2 * i + 1] - union[2 * i];
  }
  until(time) {
    let low = 0, high = this.before.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.union[2 * middle] < time) low = middle + 1; else high = middle;
    }
    return low ? this.before[low] - Math.max(0, this.union[2 * low - 1] - time) : 0;
  }
  in(a, b) { return this.until(b) - this.until(a); }
}

// The integral of a level that changes at some times: `in(a, b)` as of Covered.
class Level {
  constructor(changes, most) {  // [time, change, …] in any order.
    const order = [...Array(changes.length / 2).keys()].sort((p, q) => changes[2 * p] - changes[2 * q]);
    this.times = Float64Array.from(order, (k) => changes[2 * k]);
    this.levels = new Float64Array(order.length);
    this.before = new Float64Array(order.length);
    let sum = 0;
    order.forEach((k, i) => {
      if (i) this.before[i] = this.before[i - 1] + this.levels[i - 1] * (this.times[i] - this.times[i - 1]);
      sum += changes[2 * k + 1];
      this.levels[i] = Math.min(most, Math.max(0, sum < 1e-9 ? 0 : sum));
    });
  }
  until(time) {
    const i = lowerBound(this.times, time) - 1;
    return i < 0 ? 0 : this.before[i] + this.levels[i] * (time - this.times[i]);
  }
  in(a, b) { return this.until(b) - this.until(a); }
}

// A time on the axis: as many digits as the step needs.
function axisTime(ns, step) {
  const scale = Math.abs(ns) >= 1e9 || step >= 1e9 ? [1e9, 's'] : Math.abs(ns) >= 1e6 || step >= 1e6 ? [1e6, 'ms']
    : [1e3, 'µs'];
  const decimals = Math.max(0, Math.ceil(-Math.log10(step / scale[0])));
  return `${(ns / scale[0]).toFixed(Math.min(decimals, 9))}${GAP}${scale[1]}`;
}

// The columns, and finding one's way in them.
class TimelineData {
  constructor({ head, columns }) {
    this.head = head;
    this.link = columns.link;
    this.kind = Uint32Array.from(columns.kind);
    this.start = columns.start;
    this.duration = columns.duration;
    for (let i = 0; i < this.start.length; ++i) {
      this.start[i] *= head.unit;
      this.duration[i] *= head.unit;
    }
    CATEGORIES = head.categories;
    PARTS = head.parts;
    CATEGORIES.forEach(([id], index) => { CATEGORY[id] = index; });
    this.category = Uint8Array.from(head.kinds, (kind) => CATEGORY[kind[1]] ?? CATEGORY.other);
    this.amounts = head.amounts.map((amount) => ({ ...amount, value: columns[`amount.${amount.id}`] }));
    this.edges = [columns.edge_from, columns.edge_to];
    this.readCounters(columns);
    this.first = Infinity;
    this.last = -Infinity;
    this.lanes = head.lanes.map(([track, depth, begin, end]) => ({ track, depth, begin, end }));
    for (const lane of this.lanes) {
      if (lane.begin === lane.end) continue;
      this.first = Math.min(this.first, this.start[lane.begin]);
      this.last = Math.max(this.last, this.endOf(lane.end - 1));
    }
    this.folds = layout.read().folds || {};
    this.rank = head.tracks.length ? head.tracks[0].rank : 0;
    this.view = [this.first, this.last];
    this.scroll = 0;
    this.selected = NONE;
    this.range = null;
    this.marks = head.marks.map((mark) => ({ ...mark }));
    this.hits = [];
    this.muted = new Set();  // Categories that the legend switched off.
  }

  readCounters(columns) {
    let at = 0;
    this.counters = this.head.counters.map((counter) => {
      const slice = [at, at += counter.count];
      if (counter.of) return { ...counter, end: counter.end * this.head.unit, value: [], time: [], most: 1, top: 1 };
      const value = columns.counter_value.slice(...slice).map((whole) => whole * counter.scale);
      const most = value.reduce((a, b) => Math.max(a, b), counter.unit === 'ratio' ? 1 : 0);
      return { ...counter, end: counter.end * this.head.unit, value, most, top: most || 1, time: columns.counter_time.slice(...slice).map((t) => t * this.head.unit) };
    });
  }

  endOf(event) { return this.start[event] + this.duration[event]; }
  nameOf(event) { return this.head.kinds[this.kind[event]][0]; }
  trackOf(event) { return this.head.tracks[this.laneOf(event).track]; }
  isWork(event) { return this.category[this.kind[event]] !== CATEGORY.wait; }
  // What a facet says of a kind, by the facet's place or id; '' when nothing.
  facetOf(kind, facet) {
    if (typeof facet === 'string') facet = this.head.facets.findIndex((other) => other.id === facet);
    const index = facet < 0 ? 0 : this.head.kinds[kind][3 + facet];
    return index ? this.head.texts[index - 1] : '';
  }
  // What waits for the event (after) or what it waits for.
  neighbours(event, after) {
    const [from, to] = this.edges, key = after ? from : to, other = after ? to : from, out = [];
    if (!key.length) return out;
    if (!after) for (let i = lowerBound(to, event); to[i] === event; ++i) out.push(from[i]);
    else for (let i = 0; i < key.length; ++i) if (key[i] === event) out.push(other[i]);
    return out;
  }
  laneOf(event) {
    let low = 0, high = this.lanes.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.lanes[middle].begin <= event) low = middle; else high = middle - 1;
    }
    return this.lanes[low];
  }
  // The critical path of the rank: its steps, each linked to the event that it lies in.
  pathLane() { return this.lanes.find((lane) => this.head.tracks[lane.track].type === 'path' && this.head.tracks[lane.track].rank === this.rank); }
  isStep(event) { return this.trackOf(event).type === 'path'; }
  // The first event of the lane, not before `from`, that ends after `time`.
  firstEnding(lane, time, from = lane.begin) {
    let low = from, high = lane.end;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.endOf(middle) > time) high = middle; else low = middle + 1;
    }
    return low;
  }
  firstStarting(lane, time, from = lane.begin) {
    let low = from, high = lane.end;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.start[middle] >= time) high = middle; else low = middle + 1;
    }
    return low;
  }
}
