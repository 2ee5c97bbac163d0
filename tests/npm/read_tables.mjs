// Reads the tables of `export tables --format parquet` with hyparquet and DuckDB: counts and sums of each column must
// agree, and with those of `--format csv` where its folder is given.
//   node read_tables.mjs PARQUET_FOLDER [CSV_FOLDER]
import {createRequire} from 'node:module';
import {readFileSync} from 'node:fs';
import {join} from 'node:path';

const require = createRequire(join(process.env.NODE_PATH ?? '.', 'x.js'));
const {asyncBufferFromFile, parquetReadObjects} = await import(require.resolve('hyparquet'));
const {DuckDBInstance} = require('@duckdb/node-api');

const [folder, csv] = process.argv.slice(2);
const schema = JSON.parse(readFileSync(join(folder, 'schema.json'), 'utf8'));
const connection = await (await DuckDBInstance.create(':memory:')).connect();
const numeric = (column) => column.unit !== 'text' && column.unit !== 'bool';
let failures = 0, rows = 0;

async function totals(table, source) {
  const parts = table.columns.map(({name}) => `count("${name}") AS "n_${name}"`);
  const sums = table.columns.filter(numeric).map(({name}) => `coalesce(sum("${name}"::DOUBLE), 0) AS "s_${name}"`);
  const reader = await connection.runAndReadAll(`SELECT count(*) AS rows, ${[...parts, ...sums].join(', ')} FROM ${source}`);
  return Object.fromEntries(Object.entries(reader.getRowObjects()[0]).map(([key, value]) => [key, Number(value)]));
}

for (const table of schema.tables.filter(({file}) => file)) {
  const path = join(folder, table.file);
  const duck = await totals(table, `read_parquet('${path}')`);
  const objects = await parquetReadObjects({file: await asyncBufferFromFile(path)});
  const found = {rows: objects.length};
  for (const {name} of table.columns) {
    const there = objects.map((row) => row[name]).filter((value) => value !== undefined && value !== null);
    found[`n_${name}`] = there.length;
    if (`s_${name}` in duck) found[`s_${name}`] = there.reduce((sum, value) => sum + Number(value), 0);
  }
  const all = [found];
  if (csv) {
    const types = table.columns.map(({name, unit}) => `'${name}': '${unit === 'text' ? 'VARCHAR' : unit === 'bool' ? 'BOOLEAN' : 'DOUBLE'}'`);
    all.push(await totals(table, `read_csv('${join(csv, table.name + '.csv')}', columns={${types.join(', ')}}, header=true, nullstr='')`));
  }
  for (const [i, other] of all.entries()) {
    for (const [key, value] of Object.entries(other)) {
      const near = Math.abs(value - duck[key]) <= 1e-9 * Math.max(1, Math.abs(duck[key]));
      // CSV has one empty cell for a missing text and an empty one.
      if (near || (i === 1 && key.startsWith('n_'))) continue;
      console.error(`${table.name}.${key}: ${['hyparquet', 'csv'][i]} ${value}, duckdb ${duck[key]}`);
      failures += 1;
    }
  }
  if (duck.rows !== table.rows) failures += 1, console.error(`${table.name}: ${duck.rows} rows, schema.json ${table.rows}`);
  rows += duck.rows;
}
console.log(`${schema.tables.length} tables, ${rows} rows, ${failures} differences`);
process.exit(failures ? 1 : 0);
