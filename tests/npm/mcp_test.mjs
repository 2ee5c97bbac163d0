// Calls `profgauge mcp` with the official client in both eras of the protocol.
//   node mcp_test.mjs PROGRAM
import {createRequire} from 'node:module';
import {dirname, join, resolve} from 'node:path';
import {fileURLToPath} from 'node:url';
import assert from 'node:assert/strict';

const require = createRequire(join(process.env.NODE_PATH ?? '.', 'x.js'));
const {Client} = await import(require.resolve('@modelcontextprotocol/client'));
const {StdioClientTransport} = await import(require.resolve('@modelcontextprotocol/client/stdio'));

const examples = resolve(dirname(fileURLToPath(import.meta.url)), '../../examples');
const slow = join(examples, 'slow.pt.trace.json.gz');
for (const [name, options] of [['default', {}], ['auto', {versionNegotiation: {mode: 'auto'}}],
                               ['modern', {versionNegotiation: {mode: {pin: '2026-07-28'}}}]]) {
  const client = new Client({name: 'test', version: '1'}, options);
  await client.connect(new StdioClientTransport({command: resolve(process.argv[2]), args: ['mcp', '--root', examples],
                                                 stderr: 'ignore'}));
  const {tools} = await client.listTools();
  assert.deepEqual(tools.map((tool) => tool.name),
                   ['find', 'inspect', 'check', 'explain', 'query', 'compare', 'what_if']);
  const verdict = (await client.callTool({name: 'check', arguments: {paths: [slow]}})).structuredContent;
  assert.equal(verdict.verdict, 'fail');
  const rows = (await client.callTool({name: 'query', arguments: {paths: [join(examples, 'ddp')], sql: '@busy-by-rank'}}))
      .structuredContent.rows;
  assert.equal(rows.length, 4);
  const failed = await client.callTool({name: 'check', arguments: {paths: ['/etc/passwd']}});
  assert.equal(JSON.parse(failed.content[0].text).code, 'mcp/outside-roots');
  console.log(`${name}: ${tools.length} tools, verdict ${verdict.verdict}, ${rows.length} rows`);
  await client.close();
}
