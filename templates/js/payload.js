// ---- Payloads: see render/columns.h.

async function unpack(id) {
  const bytes = new Uint8Array(await (await inflate(id)).arrayBuffer());
  const length = new DataView(bytes.buffer).getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
  const columns = {};
  let at = 4 + length;
  // Of tables the fields say what the columns are.
  const fields = (head.tables || []).flatMap((table) => table.fields.map((field) => [`${table.id}.${field.id}`, table.rows]));
  const all = fields.length ? head.columns.map(([kind, planes], index) => [fields[index][0], kind, planes, fields[index][1]]) : head.columns;
  for (const [name, kind, planes, count] of all) {
    columns[name] = unpackColumn(bytes, at, kind, planes, count);
    at += planes * count;
  }
  return { head, columns };
}

function unpackColumn(bytes, at, kind, planes, count) {
  if (kind === 'f') {
    const out = new Uint8Array(8 * count);
    for (let p = 0; p < 8; ++p) for (let i = 0; i < count; ++i) out[8 * i + p] = bytes[at + p * count + i];
    return new Float64Array(out.buffer);
  }
  const out = new Float64Array(count);
  if (planes <= 4) {  // whole 32-bit numbers are faster by far
    const raw = new Uint32Array(count);
    for (let p = 0; p < planes; ++p) for (let i = 0, base = at + p * count; i < count; ++i) raw[i] |= bytes[base + i] << (8 * p);
    if (kind !== 'd') out.set(raw);
    else for (let i = 0, sum = 0; i < count; ++i) out[i] = sum += (raw[i] >>> 1) ^ -(raw[i] & 1);
    return out;
  }
  for (let p = 0, factor = 1; p < planes; ++p, factor *= 256) {
    const base = at + p * count;
    for (let i = 0; i < count; ++i) out[i] += factor * bytes[base + i];
  }
  if (kind === 'd') {
    for (let i = 0, sum = 0; i < count; ++i) out[i] = sum += unzigzag(out[i]);
  }
  return out;
}
const unzigzag = (value) => (value % 2 ? -(value + 1) / 2 : value / 2);
