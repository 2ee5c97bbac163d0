// ---- Where a table's rows come from: the page itself, or a payload.

// Iterations whose recorded name is not their position.
const iterationNames = new Map();
const iterationName = (position) => iterationNames.get(position) || String(position);

// Definitions of the columns of tables that are in the page: by table and column.
const columnDocs = new Map();

class PageRows {
  constructor(table) {
    const docs = columnDocs.get(table.dataset.id) || {};
    this.rows = [...table.tBodies[0].rows];
    this.fields = [...table.tHead.rows[0].cells].map((cell, index) => ({
      index, id: cell.dataset.id || cell.textContent, title: cell.textContent, doc: cell.title || docs[cell.dataset.id],
      unit: cell.dataset.unit || (cell.align === 'right' ? 'number' : 'text'),
    }));
    this.count = this.rows.length;
  }
  text(field, row) { return this.rows[row].cells[field.index].textContent.trim(); }
  // The exact value leads the title where the text is rounded.
  value(field, row) {
    if (isText(field)) return this.text(field, row);
    const cell = this.rows[row].cells[field.index];
    const text = (cell.title || cell.textContent).trim().replace('−', '-').replace(/(\d)[\s\u202f](?=\d)/g, '$1');
    const number = cell.title ? parseFloat(text) : parseQuantity(text);
    return Number.isNaN(number) ? null : number;
  }
}

class PackedRows {
  constructor(table, texts, columns) {
    this.fields = table.fields.map((field, index) => ({
      ...field, index, isInstant: field.unit === 'ns' && /^(call_)?start$|_at$/.test(field.id), numbers: field.id === 'iteration' || (field.id === 'index' && table.id === 'iterations'), doc: field.doc ? texts[field.doc - 1] : '', column: columns[`${table.id}.${field.id}`],
    }));
    this.count = table.rows;
    this.of = table.of;
    this.texts = texts;
    this.absent = (table.absent || []).map(([text, ...where]) => [texts[text - 1], ...where]);
  }
  value(field, row) {
    const raw = field.column[row];
    if (field.unit === 'text') return raw ? this.texts[raw - 1] : null;
    if (['count', 'ns', 'bytes', 'bool'].includes(field.unit)) return raw ? unzigzag(raw - 1) : null;
    return Number.isNaN(raw) ? null : Number.isInteger(raw) ? raw : +raw.toPrecision(8);  // Packed with no more.
  }
  text(field, row) {
    const value = this.value(field, row);
    if (field.isInstant && value !== null) return this.instant(field, value);
    return (field.numbers && iterationNames.get(value)) || format(value, field.unit);
  }
  // Neighbours in time must be told apart: to the microsecond, or to the nanosecond that was recorded.
  instant(field, value) {
    if (!field.digits) {
      field.digits = 3;
      for (let row = 0; row < this.count; ++row) if (this.value(field, row) % 1000) field.digits = 6;
    }
    return `${grouped((value / 1e6).toFixed(field.digits))}${GAP}ms`;
  }
}
const isText = (field) => field.unit === 'text' || field.unit === 'bool';

// ---- Filters: words, column:part, column=exact, column>5 ms, column=yes, !word.

// Quoted words may hold blanks; a quote in them stands behind a backslash.
const quote = (text) => `"${String(text).replace(/["\\]/g, '\\$&')}"`;
const unquote = (text) => text.replace(/"((?:[^"\\]|\\.)*)"?/g, (all, inside) => inside.replace(/\\(.)/g, '$1'));

// The column that a filter names at the start of `text`, by its id or its title in any case, with the
// comparison behind it: [field, sign, length of both].
function namedColumn(text, fields) {
  const lower = text.toLowerCase();
  let best = null;
  for (const field of fields) {
    for (const name of [field.id, field.title || field.id]) {
      if (!lower.startsWith(name.toLowerCase())) continue;
      const sign = /^\s*(<=|>=|[:=<>])\s*/.exec(text.slice(name.length));
      // "aten::mm" is a word, even where a column is called aten.
      if (!sign || text.startsWith('::', name.length) || (best && name.length <= best[3])) continue;
      best = [field, sign[1], name.length + sign[0].length, name.length];
    }
  }
  return best;
}

// What stands behind a comparison: a quantity with its unit, or a word.
function valueAt(text) {
  const quantity = /^[-−]?[\d.]+(?:e-?\d+)?\s?[a-zµ%/]*(?=[\s,]|$)/i.exec(text);
  if (quantity && !Number.isNaN(parseQuantity(quantity[0]))) return quantity[0];
  const word = /^(?:[^\s"]|"(?:[^"\\]|\\.)*"?)+/.exec(text);
  return word ? word[0].replace(/(.),$/, '$1') : '';
}

// "Cause=waiting for data": of the words up to the next comma as many as a row has as its whole value,
// else the first.
function wholeValue(text, field, rows) {
  let part = /^[^,"]*/.exec(text)[0].trimEnd();
  if (field.unit !== 'text' || !part.includes(' ')) return valueAt(text);
  const known = new Set(Array.from({ length: rows.count }, (_, row) => rows.text(field, row)));
  while (part.includes(' ') && !known.has(part)) part = part.slice(0, part.lastIndexOf(' ')).trimEnd();
  return known.has(part) ? part : valueAt(text);
}

// The tests of a filter, and what to say of words in it that look like a column of a table and are none.
function parseFilter(text, fields, all) {
  const tests = [], unknown = [];
  const next = (rest) => rest.replace(/^[\s,]+/, '');  // Commas may part terms.
  for (let rest = next(text); rest; rest = next(rest)) {
    const not = rest.startsWith('!');
    if (not) rest = rest.slice(1);
    const named = namedColumn(rest, fields);
    // "Time > 5 ms" of no column is no three words.
    const apart = named ? null : /^(\w+)\s+(?:[<>]=?|=)\s*/.exec(rest);
    if (apart) {
      rest = rest.slice(apart[0].length);
      rest = rest.slice(valueAt(rest).length || 1);
      unknown.push(`no column “${apart[1]}”, ignored`);
      continue;
    }
    if (named) rest = rest.slice(named[2]);
    const value = named?.[1] === '=' ? wholeValue(rest, named[0], all) : valueAt(rest);
    rest = rest.slice(value.length || 1);
    const word = unquote(value);
    if (!word) continue;
    const strange = named ? null : /^([\w ]+)(?:[<>]=?|=|:(?!:))/.exec(word);
    if (strange) unknown.push(`no column “${strange[1]}”, searched as text`);
    const test = named ? fieldTest(named[0], named[1], word) : anyTest(fields, word.toLowerCase());
    tests.push(not ? (rows, row) => !test(rows, row) : test);
  }
  return { tests, unknown };
}

function anyTest(fields, word) {
  const texts = fields.filter(isText);
  return (rows, row) => texts.some((f) => String(rows.value(f, row) ?? '').toLowerCase().includes(word));
}

const YES = /^(1|true|yes)$/i, NO = /^(0|false|no)$/i;

function fieldTest(field, sign, word) {
  const limit = parseQuantity(word);
  if (isText(field) && (sign === '=' || sign === ':') && (YES.test(word) || NO.test(word))) {
    const wanted = YES.test(word) ? 'yes' : 'no', other = word.toLowerCase();
    return (rows, row) => { const text = rows.text(field, row).toLowerCase(); return text === wanted || text === other; };
  }
  if (sign === ':') {
    return (rows, row) => rows.text(field, row).toLowerCase().includes(word.toLowerCase());
  }
  if (sign === '=' && (isText(field) || Number.isNaN(limit))) {
    return (rows, row) => rows.text(field, row) === word;
  }
  const holds = {
    '=': (a) => a === limit, '<': (a) => a < limit, '>': (a) => a > limit,
    '<=': (a) => a <= limit, '>=': (a) => a >= limit,
  }[sign];
  return (rows, row) => { const a = rows.value(field, row); return a !== null && holds(a); };
}
