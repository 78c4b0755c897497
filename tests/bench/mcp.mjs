// The MCP server, measured: cold start, warm searches, the size of what it lists and of what is installed.
//
//   node tests/bench/mcp.mjs [--bundle FILE] [--bundles N] [--rounds N] [--tools SETS] [--json]
//
//   cold start   from spawning `node` until the answer to `initialize`, with a store of N bundles (links
//                to one; 100 by default); beside it, what an empty Node takes to start and to end
//   warm search  tools/call until its answer, over stdio, one at a time; the SDK's client included
//   fifty        fifty searches at the same time, until the last answer
//   tool list    bytes of the tools/list result: what every conversation pays for
//   installed    bytes of dist, models and package.json
//
// Budgets (docs: sizes and speeds): ready in 200 ms on an idle machine, 10 MB installed.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { connect, spawnServer, serverEnvironment } from '../node/mcp_client.mjs';
import { packFixture } from '../node/packed.mjs';

const { values } = parseArgs({
  options: {
    bundle: { type: 'string' },
    bundles: { type: 'string' },
    rounds: { type: 'string' },
    tools: { type: 'string' },
    json: { type: 'boolean' },
  },
});
const bundles = Number(values.bundles ?? 100);
const rounds = Number(values.rounds ?? 15);
const args = values.tools === undefined ? [] : ['--tools', values.tools];
const root = path.resolve(import.meta.dirname ?? path.dirname(new URL(import.meta.url).pathname), '..', '..');

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'sheaf-bench-mcp-'));
process.on('exit', () => fs.rmSync(folder, { recursive: true, force: true }));
const store = path.join(folder, 'store');
fs.mkdirSync(store);
const bundle = path.join(folder, 'one.sheaf');
if (values.bundle === undefined) await packFixture(bundle);
else fs.copyFileSync(values.bundle, bundle);
for (let i = 0; i < bundles; i++) fs.linkSync(bundle, path.join(store, `library${i}@1.sheaf`));

const quantile = (sorted, q) => sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))];
const summary = (times) => {
  const sorted = [...times].sort((a, b) => a - b);
  return { p50: quantile(sorted, 0.5), p95: quantile(sorted, 0.95), best: sorted[0] };
};
const timed = async (work) => {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
};
const repeat = async (count, work) => {
  const times = [];
  for (let i = 0; i < count; i++) times.push(await timed(() => work(i)));
  return summary(times);
};

async function coldStart() {
  const times = [];
  for (let i = 0; i < rounds; i++) {
    const env = serverEnvironment();
    const begun = performance.now();
    const server = spawnServer({ store, args, home: env.HOME });
    await server.initialize();
    times.push(performance.now() - begun);
    server.child.kill('SIGTERM');
    await server.exited;
  }
  return summary(times);
}

const emptyNode = () => repeat(rounds, () => new Promise((resolve) => spawn(process.execPath, ['-e', '0']).once('exit', resolve)));

function bytesOf(name) {
  const full = path.join(root, name);
  const stats = fs.statSync(full);
  return stats.isDirectory() ? fs.readdirSync(full).reduce((sum, inner) => sum + bytesOf(path.join(name, inner)), 0) : stats.size;
}

const QUERIES = [
  'wait for several batches',
  'send workers home when idle',
  'keep secrets out of files',
  'subscribe in React',
  'leave fields out of a report',
];
const call = (client, i) =>
  client.callTool({
    name: 'search_documents_tool',
    arguments: { query: QUERIES[i % QUERIES.length], library_name: 'library7', version: '1' },
  });

const report = { bundles, emptyNode: await emptyNode(), coldStart: await coldStart() };
const { client, close } = await connect({ store, args });
for (let i = 0; i < 20; i++) await call(client, i);
report.warmSearch = await repeat(300, (i) => call(client, i));
report.firstSearchOfBundle = await repeat(Math.min(20, bundles - 10), (i) =>
  client.callTool({ name: 'search_documents_tool', arguments: { query: QUERIES[0], library_name: `library${i + 10}`, version: '1' } }),
);
report.fifty = await repeat(10, () => Promise.all(Array.from({ length: 50 }, (_, i) => call(client, i))));
report.toolListBytes = JSON.stringify({ tools: (await client.listTools()).tools }).length;
report.instructionBytes = client.getInstructions().length;
await close();
report.installedBytes = ['dist', 'models', 'package.json'].reduce((sum, name) => sum + bytesOf(name), 0);
report.machine = `${os.cpus()[0]?.model ?? '?'}, ${os.cpus().length} cores, Node ${process.versions.node}, load ${os.loadavg()[0].toFixed(1)}`;

if (values.json) {
  console.log(JSON.stringify(report, null, 2));
} else {
  const line = (name, { p50, p95, best }) =>
    `${name.padEnd(34)} p50 ${p50.toFixed(1).padStart(7)} ms   p95 ${p95.toFixed(1).padStart(7)} ms   best ${best.toFixed(1).padStart(7)} ms`;
  console.log(report.machine);
  console.log(line('an empty Node', report.emptyNode));
  console.log(line(`cold start, ${bundles} bundles`, report.coldStart));
  console.log(line('warm search', report.warmSearch));
  console.log(line('first search of a bundle', report.firstSearchOfBundle));
  console.log(line('fifty searches at once', report.fifty));
  console.log(
    `tool list ${report.toolListBytes} bytes, instructions ${report.instructionBytes} bytes, installed ${(report.installedBytes / 1e6).toFixed(2)} MB`,
  );
}
