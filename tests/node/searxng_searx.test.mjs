/**
 * Debian's searx on loopback, both ways round: as the instance behind `search`, and with `sheaf serve` as
 * one of its engines. Its engines all lie on this machine (tests/fixtures/searx/settings.yml).
 */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createPool } from '../../dist/node/mcp/pool.js';
import { Access } from '../../dist/node/operate/access.js';
import { Operation } from '../../dist/node/operate/operation.js';
import { createSearchServer } from '../../dist/node/serve/search_server.js';
import { packFixture, temporaryFolder } from './packed.mjs';
import { emptyPool, environment, searchOnce, sendJson, startServer } from './searxng_fake.mjs';
import { until } from './until.mjs';

const missing = spawnSync('searx-run', ['--help'], { env: { ...process.env, SEARX_SETTINGS_PATH: '/nonexistent' } }).error !== undefined;

/** SIGTERM, and its end. */
async function stop(child) {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const end = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await end;
}

async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** { child, port }, once searx answers; its own words when it does not. */
async function startSearx(folder, ports) {
  const template = readFileSync(new URL('../fixtures/searx/settings.yml', import.meta.url), 'utf8');
  const settings = join(folder, 'settings.yml');
  for (let tries = 1; ; tries++) {
    const port = await freePort();
    writeFileSync(settings, template.replace('@PORT@', port).replace('@SHEAF_PORT@', ports.sheaf).replace('@WEB_PORT@', ports.web));
    const child = spawn('searx-run', {
      env: { ...process.env, SEARX_SETTINGS_PATH: settings },
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    let ended = false;
    child.on('close', () => (ended = true));
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
    const answers = async () => {
      const config = await fetch(`http://127.0.0.1:${port}/config`, { signal: AbortSignal.timeout(10_000) })
        .then((response) => response.json())
        .catch(() => undefined);
      return config?.instance_name === 'searx'; // and nobody else who listens there
    };
    await until(async () => ended || (await answers()), 'searx').catch((error) => (output += error.message));
    if (!ended && (await answers())) return { child, port };
    child.kill('SIGKILL');
    // Until searx listens, its port is anybody's.
    if (tries === 5 || !output.includes('Address already in use')) throw new Error(`searx did not start:\n${output}`);
  }
}

describe("Debian's searx, which asks sheaf serve as its json_engine and is asked by the tool search", {
  skip: missing ? "searx-run is missing: it is in Debian's package searx" : false,
}, () => {
  const folder = temporaryFolder('searx');
  let pool;
  let server;
  let web;
  let searx;
  let origin;

  before(async () => {
    await packFixture(join(folder, 'kiln@1.4.0.sheaf'));
    const docs = temporaryFolder('rows');
    for (let i = 0; i < 25; i++) writeFileSync(join(docs, `row-${i}.md`), `# Row ${i}\n\nA ledger row, number ${i}.\n`);
    await packFixture(join(folder, 'ledger@1.sheaf'), { docs, library: 'ledger', version: '1' });
    pool = createPool(() => {}, { store: folder });
    const log = () => {};
    const operation = await Operation.create({ access: await Access.open({}, log), log, pool, version: '1' });
    server = createSearchServer({ pool, operation, log, hosts: [], origins: [] });
    server.keepAliveTimeout = 0; // searx may be late, and still find its connection
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    web = await startServer({
      '/almanac': (url, response) => {
        const q = url.searchParams.get('q');
        if (q === 'broken') response.writeHead(500).end();
        else
          sendJson(response, {
            results: [{ url: `https://web.example/${encodeURIComponent(q)}`, title: `About ${q}`, content: 'Of the web.' }],
          });
      },
    });
    const { child, port } = await startSearx(folder, { sheaf: server.address().port, web: web.port });
    searx = child;
    origin = `http://127.0.0.1:${port}`;
  });

  after(async () => {
    await stop(searx);
    server?.closeAllConnections();
    server?.close();
    await pool?.close();
  });

  const ask = async (parameters) => (await fetch(`${origin}/search?${new URLSearchParams({ format: 'json', ...parameters })}`)).json();

  describe('with sheaf serve as its json_engine', () => {
    for (const bang of ['!sh', '!sheaf', '!it']) {
      it(`Debian's searx with sheaf serve as json_engine gives our pages for ${bang}`, async () => {
        const { results, query, unresponsive_engines: troubles } = await ask({ q: `${bang} start workers one after another` });
        assert.deepEqual(troubles, []);
        assert.equal(query, 'start workers one after another');
        assert.deepEqual([results[0].url, results[0].engine], ['https://kiln.example/docs/guide/schedules#warming-up-slowly', 'sheaf']);
        assert.match(results[0].title, /Warming up slowly/);
        assert.match(results[0].content, /adds workers one after another/);
      });
    }

    it("Debian's searx passes on a library bang that it does not know", async () => {
      const { results } = await ask({ q: '!sh !kiln furnace' });
      assert.ok(results.length > 0);
    });

    it("Debian's searx with sheaf serve asks page after page, until the last", async () => {
      const pages = [];
      for (const pageno of ['1', '2', '3', '4'])
        pages.push((await ask({ q: '!sh !ledger row', pageno })).results.map(({ url }) => url.replace(/#.*/, '')));
      assert.deepEqual(
        pages.map(({ length }) => length),
        [10, 10, 5, 0],
      );
      assert.equal(new Set(pages.flat()).size, 25);
    });

    it("Debian's searx with sheaf serve survives every character, and an empty search", async () => {
      for (const q of ['C++ & <b> 100% "x" #1 +/?', 'ünïcødé 検索', 'x'.repeat(2000), '!kiln@9 x']) {
        const { unresponsive_engines: troubles } = await ask({ q: `!sh ${q}` });
        assert.deepEqual(troubles, [], q.slice(0, 40));
      }
    });
  });

  describe('as the instance behind search', () => {
    // The list of bangs has a tenth of that: searx may take its time.
    const env = (path) => ({ SEARXNG_QUERY_URL: `${origin}${path}`, SHEAF_SEARXNG_TIMEOUT: '600' });

    it("Debian's searx as the instance answers at /search, and at / by a redirect", async () => {
      for (const path of ['/search', '/']) {
        const { data, isError, text } = await searchOnce(environment(emptyPool, env(path)), { q: 'almanac words & more' });
        assert.equal(isError, undefined, text);
        assert.equal(data.query, 'almanac words & more');
        assert.deepEqual(
          data.results.map(({ url, engine }) => [url, engine]),
          [['https://web.example/almanac%20words%20%26%20more', 'almanac']],
        );
        assert.equal(data.number_of_results, 0, "the instance's own JSON, with a key of its own");
      }
    });

    it("Debian's searx as the instance takes the filters", async () => {
      for (const args of [{ time_range: 'day' }, { time_range: 'year', safesearch: 2 }, { safesearch: 0 }]) {
        assert.equal((await searchOnce(environment(emptyPool, env('/search')), { q: 'words', ...args })).isError, undefined);
      }
    });

    it("Debian's searx as the instance is asked alone for its listed bangs", async () => {
      const { data } = await searchOnce(environment(pool, env('/search')), { q: '!al furnace' });
      assert.deepEqual(
        data.results.map(({ engine }) => engine),
        ['almanac'],
      );
      const { data: both } = await searchOnce(environment(pool, env('/search')), { q: '!nosuch furnace' });
      const engines = new Set(both.results.map(({ engine }) => engine));
      assert.ok(engines.has('almanac') && engines.has('kiln'), 'a bang that it does not know is text');
      assert.equal(both.query, '!nosuch furnace');
    });

    it("Debian's searx as the instance finds the libraries' hits, credited to both", async () => {
      const { data } = await searchOnce(environment(pool, env('/search')), { q: '!it start workers one after another' });
      const [first] = data.results;
      assert.deepEqual([first.engines, first.positions, first.score], [['kiln', 'sheaf'], [1, 1], 4]);
      assert.equal(new Set(data.results.map(({ url }) => url)).size, data.results.length);
    });

    it("Debian's searx as the instance has no digest or average in its JSON", async () => {
      assert.deepEqual((await ask({ q: 'sha512 text' })).answers, ['hash']);
      assert.deepEqual((await ask({ q: 'avg 1 2 3' })).answers, []);
      const { data } = await searchOnce(environment(emptyPool, env('/search')), { q: 'sha512 text' });
      assert.deepEqual(
        data.answers.map(({ answer }) => answer.slice(0, 28)),
        ['sha512 hash digest: eaf2c127'],
      );
      assert.equal(
        (await searchOnce(environment(emptyPool, env('/search')), { q: 'avg 1 2 3' })).data.answers[0].answer,
        '[en] avg(1, 2, 3) = 2 ',
      );
    });

    it("Debian's searx as the instance names its engines that failed", async () => {
      const { data } = await searchOnce(environment(pool, env('/search')), { q: 'broken' });
      assert.deepEqual(
        data.unresponsive_engines.map(([name]) => name),
        ['almanac'],
      );
    });

    it('A stopped searx fails only a search without libraries', async () => {
      await stop(searx);
      const { data } = await searchOnce(environment(pool, env('/search')), { q: 'start workers' });
      assert.ok(data.results.length > 0);
      assert.match(data.unresponsive_engines[0][1], /^Failed to connect to http/);
      const { text, isError } = await searchOnce(environment(emptyPool, env('/search')), { q: 'start workers' });
      assert.equal(isError, true);
      assert.match(text, /^SearXNG query failed: Failed to connect to http.*ECONNREFUSED/);
    });
  });
});

it('docs/searxng.md shows the engine as the tests run it', () => {
  const engineOf = (file, end) => {
    const text = readFileSync(new URL(file, import.meta.url), 'utf8');
    const block = text.slice(text.lastIndexOf('  - name: sheaf'));
    return block
      .slice(0, block.indexOf(end))
      .trim()
      .split('\n')
      .map((line) => line.trim().replace(/@SHEAF_PORT@/, '8383'))
      .filter((line) => !line.startsWith('timeout'));
  };
  assert.deepEqual(engineOf('../../docs/searxng.md', '```'), engineOf('../fixtures/searx/settings.yml', '  # Stands for the web'));
});
