// A team's server under load, with its libraries replaced underneath:
//
//   node tests/bench/load.mjs [--minutes 10] [--clients 200] [--pause 2000] [--profile FOLDER]
//
// Each client has a token of its own that reaches one library, and asks `sheaf mcp --http` again and again, with a pause of
// that many milliseconds on average. Meanwhile editions of the libraries replace each other, twice a second. Each page says
// its library and edition, so that a reply tells whose it is. The run fails if
//
//   lost     a request has no answer, or one without a match
//   crossed  a reply has another request's id, or text of another library
//   stale    a reply has text of an edition that had been replaced before it was asked for
//
// or if the server does not end by itself and with 0. Each minute it prints calls, times by percentile, and the server's memory
// and processor time from /metrics, then the same of the whole run. --profile writes the server's .cpuprofile.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { Agent, request } from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { bundleLibraries } from '../../scripts/library_bundle.mjs';
import { addToken } from '../../dist/node/operate/tokens_file.js';
import { listen } from '../node/mcp_client.mjs';
import { packFixture } from '../node/packed.mjs';

const LIBRARIES = 10;
const EDITIONS = 4;
const REPLACE_MS = 500;
const QUESTIONS = ['start workers one after another', 'wait for several batches', 'keep secrets out of files'];

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    clients: { type: 'string', default: '200' },
    pause: { type: 'string', default: '2000' },
    profile: { type: 'string' },
  },
});
const [minutes, clients, pause] = [values.minutes, values.clients, values.pause].map(Number);
assert.ok(minutes > 0 && clients > 0 && pause >= 0, '--minutes, --clients and --pause take numbers');

await bundleLibraries();
const root = fs.mkdtempSync(path.join(os.tmpdir(), 'sheaf-load-'));
process.on('exit', () => fs.rmSync(root, { recursive: true, force: true }));
const store = path.join(root, 'store');
fs.mkdirSync(store);

// ---- libraries and their editions -----------------------------------------------------------------------------

const marker = (library, edition) => `lib${library}ed${edition}`;
const fixture = new URL('../fixtures/docs', import.meta.url);
for (let library = 0; library < LIBRARIES; library++)
  for (let edition = 0; edition < EDITIONS; edition++) {
    const docs = path.join(root, 'docs');
    fs.rmSync(docs, { recursive: true, force: true });
    fs.cpSync(fixture, docs, { recursive: true });
    for (const file of fs.readdirSync(docs, { recursive: true }).filter((name) => name.endsWith('.md'))) {
      const full = path.join(docs, file);
      // Below every heading, so that whatever passage a reply quotes has it.
      const text = fs.readFileSync(full, 'utf8').replace(/^#+ .*$/gm, (line) => `${line}\n\nThis is ${marker(library, edition)}.\n`);
      fs.writeFileSync(full, text);
    }
    await packFixture(path.join(root, `${marker(library, edition)}.sheaf`), { docs, library: `lib${library}`, version: '1' });
  }

/** By library: its editions, each with the time from which and to which it was in place. */
const places = Array.from({ length: LIBRARIES }, () => []);

function put(library, edition) {
  const aside = path.join(store, `.${library}`);
  fs.copyFileSync(path.join(root, `${marker(library, edition)}.sheaf`), aside);
  const before = places[library].at(-1);
  const place = { edition, from: performance.now(), to: Infinity };
  places[library].push(place);
  fs.renameSync(aside, path.join(store, `lib${library}@1.sheaf`));
  if (before !== undefined) before.to = performance.now();
}
for (let library = 0; library < LIBRARIES; library++) put(library, 0);

// ---- the server -----------------------------------------------------------------------------------------------

const file = path.join(root, 'tokens.json');
const tokens = [];
for (let client = 0; client < clients; client++)
  tokens.push(await addToken(file, { name: `client-${client}`, scopes: ['read'], libraries: [`lib${client % LIBRARIES}`] }));
const metrics = await addToken(file, { name: 'metrics', scopes: ['metrics'] });
const server = await listen({
  store,
  args: ['--tokens', file, '--metrics', '--log-format', 'json'],
  ...(values.profile === undefined ? {} : { node: ['--cpu-prof', `--cpu-prof-dir=${values.profile}`] }),
});
/** Each client is a program of its own, so it has a connection of its own. */
const newAgent = () => new Agent({ keepAlive: true, maxSockets: 1 });
const agents = Array.from({ length: clients }, newAgent);
const watcher = newAgent();

function send(url, { method = 'POST', token, body, agent }) {
  return new Promise((resolve, reject) => {
    const headers = {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': '2025-06-18',
    };
    const sent = request(url, { method, headers, agent }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk) => (text += chunk));
      response.on('end', () => resolve({ status: response.statusCode, text }));
      response.on('error', reject);
    });
    sent.on('error', (error) => reject(new Error(`${error.message} (${sent.reusedSocket ? 'a used' : 'a new'} connection)`)));
    sent.end(body);
  });
}

// ---- the load -------------------------------------------------------------------------------------------------

const times = [];
const wrong = { lost: 0, crossed: 0, stale: 0 };
const told = [];
const complain = (kind, text) => {
  wrong[kind]++;
  if (told.length < 20) told.push(`${kind}: ${text}, minute ${Math.ceil((performance.now() - start) / 60_000)}`);
};
let replaced = 0;
let peak = 0;
const start = performance.now();
const end = start + minutes * 60_000;

async function ask(client, id) {
  const library = client % LIBRARIES;
  const question = QUESTIONS[id % QUESTIONS.length];
  const call = { name: 'search_documents_tool', arguments: { query: question, library_name: `lib${library}` } };
  const began = performance.now();
  const { status, text } = await send(server.url, {
    token: tokens[client],
    agent: agents[client],
    body: JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: call }),
  });
  const ended = performance.now();
  times.push(ended - began);
  const answer = /^(?:data: )?(\{.*\})$/m.exec(text)?.[1];
  if (status !== 200 || answer === undefined) return complain('lost', `${status} ${text.slice(0, 200)}`);
  const { id: answered, result } = JSON.parse(answer);
  if (answered !== id) complain('crossed', `${answered} for ${id}`);
  const markers = [...new Set([...JSON.stringify(result ?? {}).matchAll(/lib(\d+)ed(\d+)/g)].map(([, ...found]) => found.join(' ')))];
  if (markers.length === 0) return complain('lost', `no match: ${answer.slice(0, 200)}`);
  for (const [of, edition] of markers.map((found) => found.split(' ').map(Number))) {
    if (of !== library) complain('crossed', `text of lib${of} for lib${library}`);
    else if (!places[of].some((place) => place.edition === edition && place.from <= ended && place.to >= began))
      complain('stale', `edition ${edition} of lib${of}`);
  }
}

async function run(client) {
  await sleep(Math.random() * pause);
  for (let id = client * 1_000_000; performance.now() < end; id++) {
    await ask(client, id).catch((error) => complain('lost', String(error)));
    await sleep(Math.random() * 2 * pause);
  }
}

async function replace() {
  for (; performance.now() < end; replaced++) {
    const library = replaced % LIBRARIES;
    put(library, (places[library].at(-1).edition + 1) % EDITIONS);
    await sleep(REPLACE_MS);
  }
}

/** Seconds of the server's processor time. */
let processor = 0;

const at = (sorted, share) => `${Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))])} ms`;
const percentiles = (some) => {
  const sorted = some.toSorted((a, b) => a - b);
  return `p50 ${at(sorted, 0.5)}, p95 ${at(sorted, 0.95)}, p99 ${at(sorted, 0.99)}`;
};
const megabytes = (bytes) => `${Math.round(bytes / 1e6)} MB`;

async function watch() {
  let minute = { number: 1, end: performance.now() + 60_000, calls: 0, processor: 0 };
  while (performance.now() < end) {
    const { text } = await send(server.url.replace(/\/mcp$/, '/metrics'), { method: 'GET', token: metrics, agent: watcher });
    const count = (name) => Number(new RegExp(`^${name} (\\S+)`, 'm').exec(text)?.[1]);
    processor = count('process_cpu_seconds_total');
    const resident = count('process_resident_memory_bytes');
    peak = Math.max(peak, resident);
    if (performance.now() >= minute.end) {
      const [memory, heap] = [resident, count('nodejs_heap_size_used_bytes')].map(megabytes);
      console.log(
        `minute ${minute.number}: ${times.length - minute.calls} calls, ${percentiles(times.slice(minute.calls))}, ${(processor - minute.processor).toFixed(1)} s of processor time, resident ${memory}, heap ${heap}`,
      );
      minute = { number: minute.number + 1, end: minute.end + 60_000, calls: times.length, processor };
    }
    await sleep(1000);
  }
}

await Promise.all([...Array.from({ length: clients }, (_, client) => run(client)), replace(), watch()]);
for (const agent of [...agents, watcher]) agent.destroy();
const { code } = await server.close();

console.log(
  `${clients} clients, ${minutes} min, ${os.cpus().length} cores with the clients: ${times.length} calls (${(times.length / minutes / 60).toFixed(0)}/s)`,
);
console.log(`lost ${wrong.lost}, crossed ${wrong.crossed}, stale ${wrong.stale}; ${replaced} libraries replaced`);
console.log(
  `${percentiles(times)}; ${Math.round((1000 * processor) / times.length)} ms of processor time a call; resident memory at most ${megabytes(peak)}`,
);
for (const line of told) console.log(line);
assert.equal(code, 0, `the server ended with ${code}: ${server.log()}`);
assert.deepEqual(wrong, { lost: 0, crossed: 0, stale: 0 });
