'use strict';
// What the page can do where scripts run. Tables sort, filter, choose columns, copy, save
// and lead to each other; panels can be arranged; iterations can be summed over another range; ranks
// can be chosen. The page is complete without any of it.

// ---- Numbers: the same texts as base/format.cc.

const GAP = '\u202f';
const scaleOf = (unit) => ['', 'k', 'M', 'G', 'T', 'P'].map((prefix) => prefix + unit);
const SCALES = {
  ns: ['ns', 'µs', 'ms', 's'], bytes: scaleOf('B'), 'bytes/s': scaleOf('B/s'),
  flop: scaleOf('FLOP'), 'flop/s': scaleOf('FLOP/s'),
};

// toFixed() rounds halves up, C++ to even.
function fixed(value, decimals) {
  const exact = value.toFixed(decimals + 30);
  const isHalf = /50{29}$/.test(exact);
  const cut = exact.slice(0, -30).replace(/\.$/, '');
  return isHalf && /[02468]$/.test(cut) ? cut : value.toFixed(decimals);
}
const grouped = (text) => text.replace(/^(-?)(\d+)/, (all, sign, digits) =>
  sign.replace('-', '−') + digits.replace(/\B(?=(\d{3})+$)/g, GAP));
const exponentOf = (value, digits) => +value.toExponential(digits - 1).split('e')[1];

function formatScaled(value, names) {
  if (value === 0) return '0' + GAP + names[0];
  const exponent = exponentOf(value, 3);
  if (Number.isInteger(value) && Math.abs(value) < 1000 && exponent < 3) {
    return grouped(String(value)) + GAP + names[0];
  }
  const step = Math.min(Math.max(Math.floor(exponent / 3), 0), names.length - 1);
  const decimals = Math.max(0, 2 - (exponent - 3 * step));
  return grouped(fixed(value / 10 ** (3 * step), decimals)) + GAP + names[step];
}

function format(value, unit) {
  if (value === null || Number.isNaN(value)) return '–';
  if (unit === 'text') return value;
  if (unit === 'bool') return value ? 'yes' : 'no';
  if (SCALES[unit]) return formatScaled(value, SCALES[unit]);
  if (unit === 'ratio') {
    if (value === 0) return '0' + GAP + '%';
    const exponent = exponentOf(value * 100, 2);
    return grouped(fixed(value * 100, exponent >= 0 ? 1 : 1 - exponent)) + GAP + '%';
  }
  if (Number.isInteger(value)) return grouped(String(value));
  const exponent = exponentOf(value, 3);
  if (exponent < -4) return value.toExponential(2).replace(/e-(\d)$/, 'e-0$1');
  return grouped(fixed(value, Math.max(0, 2 - exponent)));
}

// "5 ms" → 5e6; a bare number stays. NaN when it is neither.
function parseQuantity(text) {
  const match = /^\s*(-?[\d.]+(?:e-?\d+)?)\s*([a-zµ%/]*)\s*$/i.exec(text.replace('−', '-'));
  if (!match) return NaN;
  if (!match[2]) return +match[1];
  if (match[2] === '%') return match[1] / 100;
  const word = match[2].replace(/^us$/, 'µs').toLowerCase();
  for (const names of Object.values(SCALES)) {
    const step = names.findIndex((name) => name.toLowerCase() === word);
    if (step >= 0) return match[1] * 1000 ** step;
  }
  return NaN;
}
