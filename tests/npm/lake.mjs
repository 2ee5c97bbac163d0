// Runs examples/cluster/lake/queries.sql on DuckDB, in the folder of a lake, and prints the rows of each question as a
// line of JSON.
//   node lake.mjs LAKE QUERIES.sql
import {createRequire} from 'node:module';
import {readFileSync} from 'node:fs';
import {join} from 'node:path';

const require = createRequire(join(process.env.NODE_PATH ?? '.', 'x.js'));
const {DuckDBInstance} = require('@duckdb/node-api');

const [lake, queries] = process.argv.slice(2);
const text = readFileSync(queries, 'utf8').replace(/--.*$/gm, '');
process.chdir(lake);
const connection = await (await DuckDBInstance.create(':memory:', {threads: '2'})).connect();
for (const statement of text.split(';').filter((one) => one.trim())) {
  const rows = (await connection.runAndReadAll(statement)).getRowObjectsJson();
  if (!/^\s*create/.test(statement)) console.log(JSON.stringify(rows));
}
