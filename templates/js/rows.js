// ---- Where a table's rows come from: the page itself, or a payload.

class PageRows {
  constructor(table) {
    this.rows = [...table.tBodies[0].rows];
    this.fields = [...table.tHead.rows[0].cells].map((cell, index) => ({
      index, id: cell.dataset.id || cell.textContent, title: cell.textContent,
      unit: cell.dataset.unit || (cell.align === 'right' ? 'number' : 'text'),
    }));
    this.count = this.rows.length;
  }
  text(field, row) { return this.rows[row].cells[field.index].textContent.trim(); }
  // The exact value leads the title where the text is rounded.
  value(field, row) {
    if (isText(field)) return this.text(field, row);
    const cell = this.rows[row].cells[field.index];
    const text = cell.title || cell.textContent.replace(/[\s\u202f]/g, '');
    const number = parseFloat(text);
    return Number.isNaN(number) ? null : /%$/.test(text) ? number / 100 : number;
  }
}

class PackedRows {
  constructor(table, texts, columns) {
    this.fields = table.fields.map((field, index) => ({ ...field, index, column: columns[`${table.id}.${field.id}`] }));
    this.count = table.rows;
    this.of = table.of;
    this.texts = texts;
  }
  value(field, row) {
    const raw = field.column[row];
    if (field.unit === 'text') return raw ? this.texts[raw - 1] : null;
    if (['count', 'ns', 'bytes', 'bool'].includes(field.unit)) return raw ? unzigzag(raw - 1) : null;
    return Number.isNaN(raw) ? null : raw;
  }
  text(field, row) { return format(this.value(field, row), field.unit); }
}
const isText = (field) => field.unit === 'text' || field.unit === 'bool';

// ---- Filters: words, field:part, field=exact, field>5ms, !word.

// Quoted words may hold blanks; a quote in them stands behind a backslash.
const quote = (text) => `"${String(text).replace(/["\\]/g, '\\$&')}"`;
const unquote = (text) => text.replace(/"((?:[^"\\]|\\.)*)"?/g, (all, inside) => inside.replace(/\\(.)/g, '$1'));

function parseFilter(text, fields) {
  const tests = [];
  const tokens = text.match(/(?:[^\s"]|"(?:[^"\\]|\\.)*"?)+/g) || [];
  for (let token of tokens) {
    const not = token.startsWith('!');
    if (not) token = token.slice(1);
    const match = /^([\w ]+?)(<=|>=|[:=<>])([^]*)$/.exec(token);
    const field = match && fields.find((f) => f.id === match[1]);
    const word = unquote(field ? match[3] : token);
    if (!word) continue;
    const test = field ? fieldTest(field, match[2], word) : anyTest(fields, word.toLowerCase());
    tests.push(not ? (rows, row) => !test(rows, row) : test);
  }
  return tests;
}

function anyTest(fields, word) {
  const texts = fields.filter(isText);
  return (rows, row) => texts.some((f) => String(rows.value(f, row) ?? '').toLowerCase().includes(word));
}

function fieldTest(field, sign, word) {
  const limit = parseQuantity(word);
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
