/**
 * Latency of Sheaf's tools over databases, by rows:
 *
 *   node tests/bench/backends.mjs --bundle FILE… --rows 10000,100000 [--database lancedb|pglite|postgres] [--queries FILE.jsonl] [--clients 1,20,200] [--modes hybrid,keyword,semantic] [--json]
 *
 * `postgres` is PyPI's server with pgvector, started here (tests/backends/servers.mjs); its processor time counts, too.
 * Rows are the bundles' passages again and again, in one library: each copy has a word of its own, and its vector turned a little, so
 * that no two are alike. So every query is about all rows, which is the worst case: a filter by library only takes away. Clients
 * share one process, as in `sheaf mcp`, and each asks again as soon as it is answered.
 */
import { mkdtempSync, readFileSync, rmSync, statSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { DatabaseLibrary } from '../../dist/node/databases/database_library.js';
import { queryVectors } from '../../dist/node/databases/query_vectors.js';
import { rowId } from '../../dist/node/databases/row.js';
import { installBackends } from '../backends/install.mjs';
import { pypiPostgres, startPostgres } from '../backends/servers.mjs';
import { allRows } from '../backends/store.mjs';

const { values } = parseArgs({
  options: {
    bundle: { type: 'string', multiple: true },
    rows: { type: 'string', default: '10000' },
    database: { type: 'string', default: 'lancedb' },
    queries: { type: 'string' },
    clients: { type: 'string', default: '1' },
    modes: { type: 'string', default: 'hybrid,keyword,semantic' },
    json: { type: 'boolean' },
  },
});
const PAGE = 8; // passages a page
const ASKED = 60;

/** Something with the face of BundleRows. */
function copies(base, groups, facts, count) {
  const sum = new Float64Array(facts.dimensions);
  let state = 1;
  const random = () => (state = (state * 48271) % 2147483647) / 2147483647 - 0.5;
  return {
    facts: {
      ...facts,
      library: 'copies',
      version: String(count),
      passages: count,
      pages: Math.ceil(count / PAGE),
      fingerprint: `copies-${count}`,
    },
    mean: () => Array.from(sum, (v) => v / count),
    groups: async () => {
      const times = Math.ceil(count / base.length);
      const often = ({ pages, ...each }) => ({ ...each, pages: pages * times });
      return [...groups.values()].map((group) => ({ ...often(group), terms: group.terms.map(often) }));
    },
    async *batches() {
      for (let at = 0; at < count; ) {
        const batch = [];
        for (; at < count && batch.length < 500; at++) {
          const { id: _, ...row } = base[at % base.length];
          const copy = Math.floor(at / base.length);
          const vector = Float32Array.from(row.vector, (v) => v + random() * 0.06);
          const norm = Math.hypot(...vector);
          for (let d = 0; d < vector.length; d++) sum[d] += vector[d] /= norm;
          const page = Math.floor(at / PAGE);
          const own = {
            ...row,
            library: 'copies',
            version: String(count),
            passage: at,
            page,
            source: `page-${page}.md`,
            url: `/page-${page}`,
            text: `${row.text}\n\ncopy${copy}`,
            vector,
          };
          batch.push({ id: rowId(own), ...own });
        }
        yield batch;
      }
    },
  };
}

function bytesBelow(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .reduce((all, entry) => all + statSync(join(entry.parentPath ?? entry.path, entry.name)).size, 0);
}

/** Milliseconds of processor time of a server's processes, past ones too. */
function serverCpu(server) {
  if (server === undefined) return 0;
  // PostgreSQL's main process adopts its children's time as they end; those that run are added.
  let ticks = 0;
  for (const name of readdirSync('/proc').filter((each) => /^\d+$/.test(each))) {
    try {
      const fields = readFileSync(`/proc/${name}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ')
        .map(Number);
      const [parent, own, ended] = [fields[1], fields[11] + fields[12], fields[13] + fields[14]];
      if (Number(name) === server.pid) ticks += own + ended;
      else if (parent === server.pid) ticks += own;
    } catch {
      // it ended meanwhile
    }
  }
  return ticks * 10; // Linux counts in hundredths of a second
}

process.env.SHEAF_MODULES ??= installBackends((text) => console.error(text));
const base = [];
const groups = new Map(); // a stem that several bundles have is that of the last one
let facts;
for (const path of values.bundle) {
  const bundle = await allRows(path);
  facts = bundle.facts;
  for (const group of bundle.groups) groups.set(group.stem, group);
  base.push(...bundle.rows.filter(({ vector }) => vector !== undefined));
}
const queries = readFileSync(values.queries, 'utf8')
  .split('\n')
  .filter((line) => line.trim() !== '')
  .map((line) => JSON.parse(line).query)
  .filter((query) => query !== undefined)
  .slice(0, ASKED);
const rounded = (_, value) => (typeof value === 'number' ? Math.round(value * 10) / 10 : value);
const vectors = queryVectors('static');
const results = [];
for (const rows of values.rows.split(',').map(Number)) {
  const folder = mkdtempSync(join(tmpdir(), 'sheaf-bench-backends-'));
  try {
    const made = copies(base, groups, facts, rows);
    const started = performance.now();
    let backend;
    let server;
    const beganWith = process.cpuUsage();
    if (values.database === 'lancedb') {
      const { LanceBackend, LanceFolder } = await import('../../dist/node/databases/lancedb.js');
      const tables = await LanceFolder.open(folder);
      await tables.load(made);
      backend = new LanceBackend('lancedb', tables);
    } else if (values.database === 'postgres') {
      const { connectServer, load, PostgresBackend } = await import('../../dist/node/databases/postgres.js');
      const { bin, missing } = pypiPostgres();
      if (missing) throw new Error(missing);
      // What a machine of this size would be set to: rows in memory, and the graph of vectors made in memory.
      const settings = { shared_buffers: '2GB', maintenance_work_mem: '3GB', max_wal_size: '8GB', random_page_cost: '1.1' };
      server = await startPostgres(bin, folder, { settings });
      process.env.PGPASSWORD = server.env.PGPASSWORD;
      const loader = await connectServer(server.address);
      await load(loader, made);
      await loader.close();
      backend = new PostgresBackend('postgres', await connectServer(server.address, { shared: true }));
    } else {
      const { connectFolder, load, PostgresBackend } = await import('../../dist/node/databases/postgres.js');
      const connection = await connectFolder(folder);
      await load(connection, made);
      backend = new PostgresBackend('pglite', connection);
    }
    const seconds = (performance.now() - started) / 1000;
    const cpuOf = (since) => {
      const { user, system } = process.cpuUsage(since);
      return (user + system) / 1000 + serverCpu(server);
    };
    const loadCpu = cpuOf(beganWith) / 1000;
    const [held] = await backend.list();
    const library = new DatabaseLibrary(backend, held, vectors);
    const search = (query, mode) => library.search(query, { mode, by: 'passage', topK: 10, explain: true });
    /** Each of them asks its share of at least ASKED questions, and twice. */
    const measure = async (mode, clients) => {
      const times = [];
      const used = cpuOf();
      const began = performance.now();
      const each = Math.max(2, Math.ceil(ASKED / clients));
      const ask = async (client) => {
        for (let i = 0; i < each; i++) {
          const asked = performance.now();
          await search(queries[(client * each + i) % queries.length], mode);
          times.push(performance.now() - asked);
        }
      };
      await Promise.all(Array.from({ length: clients }, (_, client) => ask(client)));
      const seconds = (performance.now() - began) / 1000;
      times.sort((one, other) => one - other);
      return {
        cpu: (cpuOf() - used) / times.length,
        p50: times[times.length >> 1],
        p95: times[Math.floor(times.length * 0.95)],
        a_second: times.length / seconds,
      };
    };
    const of = {};
    for (const mode of values.modes.split(',')) {
      for (const query of queries.slice(0, 5)) await search(query, mode);
      of[mode] = {};
      for (const clients of values.clients.split(',').map(Number)) {
        of[mode][clients] = await measure(mode, clients);
        console.error(`${rows} rows, ${mode}, ${clients} clients: ${JSON.stringify(of[mode][clients], rounded)}`);
      }
    }
    const result = {
      database: values.database,
      rows,
      load_s: seconds,
      load_cpu_s: loadCpu,
      bytes_a_row: bytesBelow(folder) / rows,
      peak_mb: process.resourceUsage().maxRSS / 1024,
      ...of,
    };
    results.push(result);
    if (!values.json) console.log(JSON.stringify(result, rounded));
    await backend.close();
    await server?.stop();
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
if (values.json) console.log(JSON.stringify(results));
await vectors.close();
