/** A site as an MCP server: `sheaf mcp URL` reads the bundles that `sheaf site` published, from hosts with nothing but files. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { findPublished } from '../../dist/node/published/find.js';
import { hostFetch } from '../../dist/node/published/host_fetch.js';
import { bundlesIn, versionNames } from '../../dist/node/published/list.js';
import { createSitePool } from '../../dist/node/mcp/site_pool.js';
import { deploy } from '../../dist/node/site/deploy.js';
import { serveLike } from '../hosts/simulated.mjs';
import { writeBuiltSite } from '../fixtures/built_site.mjs';
import { connect, ERAS } from './mcp_client.mjs';
import { isolatedSheaf } from './doc_servers.mjs';
import { MAIN, manyPages, packFixture, TABLE, temporaryFolder } from './packed.mjs';

const root = temporaryFolder('mcp-site');
const fresh = (name) => mkdtempSync(join(root, `${name}-`));
const text = ({ content }) => content.map((part) => part.text ?? '').join('\n');

/** Servers to be closed after the test. */
const open = new Set();
afterEach(async () => {
  for (const each of open) await each.close();
  open.clear();
});
after(() => rmSync(root, { recursive: true, force: true }));

async function host(kind, site) {
  const server = await serveLike(kind, site);
  open.add(server);
  return server;
}

/** A server that answers by a function. */
async function answering(answer) {
  const server = createServer(answer);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  open.add({ close: () => (server.closeAllConnections(), server.close()) });
  return `http://127.0.0.1:${server.address().port}`;
}

function pool(sites, options = {}) {
  const lines = [];
  const made = createSitePool(
    sites.map((site) => new URL(site)),
    (level, message) => lines.push(`${level} ${message}`),
    { cache: fresh('cache'), store: fresh('store'), ...options },
  );
  open.add(made);
  return Object.assign(made, { lines });
}
const named = async (made) => (await made.list()).map(({ library, version }) => `${library} ${version}`);
const search = async (made, query, at = 0) => made.use((await made.list())[at], (library) => library.search(query));

const large = join(root, 'large');
before(async () => {
  mkdirSync(large);
  const file = await packFixture(join(root, 'kiln.sheaf'), { docs: manyPages(join(root, 'docs'), 700), options: ['--level', '3'] });
  await deploy({ site: large, bundles: [{ file }], table: TABLE, pieces: 'beside' });
});

describe('a site as an MCP server', () => {
  for (const era of ERAS)
    it(`An official client asks a site of files alone, in the ${era} era of the protocol`, async () => {
      const site = writeBuiltSite(fresh('built'));
      const made = spawnSync(process.execPath, [MAIN, 'site', site, '--name', 'furnace'], { encoding: 'utf8' });
      assert.equal(made.status, 0, made.stderr);
      const { origin } = await host('good', site);
      const server = await connect({ era, args: [`${origin}/guide/`] });
      open.add(server);
      const { structuredContent: listed } = await server.client.callTool({ name: 'list_libraries_tool' });
      assert.deepEqual(listed, { furnace: ['site'] });
      const reply = await server.client.callTool({
        name: 'search_documents_tool',
        arguments: { query: 'wait for several batches', library_name: 'furnace', version: 'latest' },
      });
      assert.match(text(reply), /Batches are awaitable; gather them/);
      assert.match(text(reply), /Found \d+ matches?\./);
      // Pages have the address of the site, and are read by it.
      const [url] = /http:\/\/127\.0\.0\.1:\d+\/guide\/batches\.html/.exec(text(reply));
      assert.ok(url.startsWith(origin), url);
      const page = await server.client.callTool({ name: 'get_full_content_tool', arguments: { url, version: 'site' } });
      assert.match(text(page), /all of them finish before the first error is raised/);
    });

  it('A large bundle is read by range, and a second server asks for none of it again', async () => {
    const server = await host('good', large);
    const size = statSync(
      join(
        large,
        'sheaf',
        readdirSync(join(large, 'sheaf')).find((name) => /^site-.*\.sheaf$/.test(name)),
      ),
    ).size;
    const cache = fresh('cache');
    const first = pool([server.origin], { cache });
    const { hits } = await search(first, 'firing the kiln too fast');
    assert.ok(hits.length > 0);
    const asked = server.requests.filter(({ path }) => /\.sheaf$/.test(path));
    assert.ok(asked.length > 0 && asked.every(({ range }) => range !== undefined), JSON.stringify(asked));
    const bytes = asked.reduce((sum, { sent = 0 }) => sum + sent, 0);
    assert.ok(bytes < size / 2, `${bytes} of ${size} bytes were read`);
    await new Promise((resolve) => setTimeout(resolve, 300)); // what is kept is written behind the answer
    const before = server.requests.length;
    const second = pool([server.origin], { cache });
    assert.deepEqual((await search(second, 'firing the kiln too fast')).hits, hits);
    assert.deepEqual(
      server.requests.slice(before).map(({ path }) => path),
      ['/sheaf/site.json'],
    );
  });

  it('A site that is away is served from what was read of it before', async () => {
    const server = await host('good', large);
    const cache = fresh('cache');
    const { hits } = await search(pool([server.origin], { cache }), 'firing the kiln too fast');
    await new Promise((resolve) => setTimeout(resolve, 300));
    open.delete(server);
    await server.close();
    const later = pool([server.origin], { cache });
    assert.deepEqual((await search(later, 'firing the kiln too fast')).hits, hits);
    assert.match(later.lines.join('\n'), /Serving what was last seen of it/);
  });

  for (const kind of ['whole', 'compressed, as such', 'another range', 'another ETag each time'])
    it(`A host that serves no sound ranges (${kind}) gives the same answers`, async () => {
      const good = await search(pool([(await host('good', large)).origin]), 'firing the kiln too fast');
      const other = await search(pool([(await host(kind, large)).origin]), 'firing the kiln too fast');
      assert.deepEqual(other.hits, good.hits);
    });

  it('Versions and languages of a site are versions of its library, English first', async () => {
    const site = fresh('versions');
    const file = await packFixture(join(site, 'kiln.sheaf'));
    const bundles = ['1.0', '2.0'].flatMap((version) => ['de', 'en'].map((language) => ({ file, version, path: version, language })));
    await deploy({ site, bundles, table: TABLE });
    const made = pool([(await host('good', site)).origin]);
    assert.deepEqual(await named(made), ['kiln 2.0', 'kiln 2.0-de', 'kiln 1.0', 'kiln 1.0-de']);
    assert.ok((await search(made, 'secrets', 1)).hits.length > 0);
  });

  it('Several sites are one server; the same name of a library gets its host in front, and a dead site takes nothing away', async () => {
    const server = await host('good', large);
    const other = server.origin.replace('127.0.0.1', 'localhost');
    const made = pool(['http://127.0.0.1:1/', server.origin, other]);
    assert.deepEqual(await named(made), ['kiln 1.4.0', 'localhost/kiln 1.4.0']);
    assert.match(made.lines.join('\n'), /127\.0\.0\.1:1 cannot be reached: connect ECONNREFUSED/);
  });

  it('After a deploy, the new bundle is found without a restart, and no call waits for the look', async () => {
    const site = fresh('deploys');
    const file = await packFixture(join(root, 'one.sheaf'));
    await deploy({ site, bundles: [{ file }], table: TABLE });
    const made = pool([(await host('good', site)).origin], { lookMs: 0 });
    assert.deepEqual(await named(made), ['kiln 1.4.0']);
    let changes = 0;
    made.onChange(() => changes++);
    await deploy({ site, bundles: [{ file: await packFixture(join(root, 'two.sheaf'), { version: '1.5.0' }) }], table: TABLE });
    assert.deepEqual(await named(made), ['kiln 1.4.0']);
    for (let i = 0; i < 100 && changes === 0; i++) await new Promise((resolve) => setTimeout(resolve, 20));
    assert.deepEqual(await named(made), ['kiln 1.5.0']);
    assert.equal(changes, 1);
  });

  it('A site without search is refused with the way out, at the first call', async () => {
    const site = writeBuiltSite(fresh('plain'));
    const { origin } = await host('good', site);
    const server = await connect({ args: ['--site', origin] });
    open.add(server);
    const reply = await server.client.callTool({ name: 'list_libraries_tool' });
    assert.equal(reply.isError, true);
    assert.match(text(reply), /has no search of Sheaf: there is no sheaf\/site\.json beside it or above.*sheaf add/);
  });

  it('The command refuses what is no site, and two answers to which libraries are served', () => {
    const run = (...args) => spawnSync(process.execPath, [MAIN, 'mcp', ...args], { encoding: 'utf8' });
    assert.match(run('nonsense').stderr, /A site is an address such as https:\/\/docs\.example\.org\//);
    assert.match(run('https://docs.example.org/', '--store', root).stderr, /Give one of --store, --backend and sites/);
    assert.match(run('file:///etc/passwd').stderr, /A site is an address/);
    assert.match(run('-x').stderr, /Unknown option/);
  });
});

describe('sheaf add of a site', () => {
  it('A site that publishes its search is added by its bundle, and updated by it', async () => {
    const site = fresh('added');
    const kiln = (name, version) => packFixture(join(root, name), { version });
    const source = (file, version, language) => ({ file, version, path: version, language });
    const [one, two] = [await kiln('add1.sheaf', '1.0'), await kiln('add2.sheaf', '2.0')];
    await deploy({ site, bundles: [source(one, '1.0'), source(two, '2.0')], table: TABLE });
    const { origin, requests } = await host('good', site);
    const sheaf = isolatedSheaf(fresh('home'));
    const list = async () => readdirSync(sheaf.store).sort();
    const added = await sheaf(['add', `${origin}/`, '--yes']);
    assert.equal(added.code, 0, added.stderr);
    assert.match(added.stderr, /The site publishes its search: .*\/sheaf\/site\.json/);
    assert.deepEqual(await list(), ['kiln@2.0.sheaf']);
    assert.ok(!requests.some(({ path }) => /sitemap/.test(path)));
    assert.equal((await sheaf(['add', `${origin}/`, '-v', '1', '--yes'])).code, 0);
    assert.deepEqual(await list(), ['kiln@1.0.sheaf', 'kiln@2.0.sheaf']);
    const missing = await sheaf(['add', `${origin}/`, '-v', '3', '--yes']);
    assert.notEqual(missing.code, 0);
    assert.match(missing.stderr, /has no version '3'; available: 1\.0, 2\.0/);
    // The next deploy has other bytes, and pieces alone.
    const docs = fresh('docs');
    writeFileSync(join(docs, 'new.md'), '# Enamel\n\nEnamel is fired twice.\n'.repeat(3));
    await deploy({
      site,
      bundles: [{ file: await packFixture(join(root, 'add3.sheaf'), { docs, version: '2.0' }) }],
      table: TABLE,
      pieces: 'only',
    });
    const updated = await sheaf(['update', 'kiln', '-v', '2.0', '--yes']);
    assert.equal(updated.code, 0, updated.stderr);
    const asked = await sheaf(['query', 'enamel', '-l', 'kiln', '-v', '2.0']);
    assert.match(asked.stdout, /fired twice/);
  });
});

describe('a site that was added', () => {
  it('Pages of a site that was added have the address of the site', async () => {
    const site = writeBuiltSite(fresh('built'));
    assert.equal(spawnSync(process.execPath, [MAIN, 'site', site, '--name', 'furnace'], { encoding: 'utf8' }).status, 0);
    const { origin } = await host('good', site);
    const sheaf = isolatedSheaf(fresh('home'));
    assert.equal((await sheaf(['add', `${origin}/guide/`, '--yes'])).code, 0);
    const server = await connect({ home: sheaf.home });
    open.add(server);
    const reply = await server.client.callTool({
      name: 'search_documents_tool',
      arguments: { query: 'wait for several batches', library_name: 'furnace', version: 'latest' },
    });
    assert.ok(text(reply).includes(`${origin}/guide/batches.html`), text(reply));
  });
});

describe('what a site publishes', () => {
  const list = new URL('https://docs.example.org/sheaf/site.json');

  it('A list names no file outside of its folder, and what is no list is none', () => {
    const sites = [
      { src: '../other.sheaf' },
      { src: 'https://evil.example/x.sheaf' },
      { src: 'a.sheaf', encoder: '/t.sheaf', version: 'a/b' },
    ];
    assert.deepEqual(bundlesIn(JSON.stringify({ sites: [null, 7, ...sites] }), list), [
      { src: 'https://docs.example.org/sheaf/a.sheaf', encoder: undefined, version: undefined, language: undefined },
    ]);
    for (const none of ['', 'null', '{}', '[]', '{"sites":[]}', '<!doctype html>', '{"sites":{}}'])
      assert.equal(bundlesIn(none, list), undefined);
  });

  it('Names of versions are unique', () => {
    const of = (...languages) =>
      versionNames(
        languages.map((language) => ({ src: '', language })),
        '3',
      );
    assert.deepEqual(of(undefined), ['3']);
    assert.deepEqual(of('de', 'en-US', 'fr'), ['3-de', '3', '3-fr']);
    assert.deepEqual(of('de', 'fr'), ['3', '3-fr']);
    assert.deepEqual(of(undefined, undefined), ['3', '3-2']);
  });

  it('A start page that redirects leads to the list', async () => {
    const origin = await answering(({ url }, response) => {
      if (url === '/') return response.writeHead(302, { Location: '/en/latest/' }).end();
      if (url === '/en/latest/sheaf/site.json') return response.end('{"sites":[{"src":"a.sheaf"}]}');
      return response.writeHead(url === '/en/latest/' ? 200 : 404).end('<p>');
    });
    const found = await findPublished(new URL(origin), hostFetch({ own: new URL(origin) }));
    assert.equal(found.list.href, `${origin}/en/latest/sheaf/site.json`);
  });
});

describe('requests to sites', () => {
  it('A public site cannot lead to this machine, nor an https site to plain http', async () => {
    const secret = await answering((_, response) => response.end('secret'));
    const origin = await answering((_, response) => response.writeHead(302, { Location: secret.replace('127.0.0.1', 'localhost') }).end());
    const own = new URL(origin);
    // Only localhost is private here: 127.0.0.1 stands for a public host.
    const fetch = hostFetch({ own, isPrivate: (address) => !/^127\.0\.0\.1$/.test(address) });
    await assert.rejects(fetch(own), /localhost:\d+ is refused: .*a public site led there/);
    await assert.rejects(hostFetch({ own: new URL('https://docs.example.org/') })(origin), /leads from https to plain http/);
  });

  it('A host that is silent is named after its deadline, and not waited for a second time', async () => {
    let requests = 0;
    const origin = await answering(() => requests++);
    const waited = [];
    const fetch = hostFetch({ own: new URL(origin), answerMs: 2300, onWait: (host) => waited.push(host) });
    await assert.rejects(fetch(origin), /^SheafError: 127\.0\.0\.1:\d+ did not answer within 2\.3 s/);
    assert.deepEqual(waited, [new URL(origin).host]);
    const begun = performance.now();
    await assert.rejects(fetch(origin), /did not answer/);
    assert.ok(performance.now() - begun < 500);
    assert.equal(requests, 1);
  });

  it('A body that stops halfway fails by the name of its host', async () => {
    const origin = await answering((_, response) => response.writeHead(200, { 'Content-Length': 10 }).write('half'));
    const answer = await hostFetch({ own: new URL(origin), answerMs: 200 })(origin);
    await assert.rejects(answer.text(), /did not answer within/);
  });

  it('A caller that gives up ends the request', async () => {
    let closed = false;
    const origin = await answering((request) => request.once('close', () => (closed = true)));
    const stop = new AbortController();
    const asked = hostFetch({ own: new URL(origin) })(origin, { signal: stop.signal });
    setTimeout(() => stop.abort(new Error('enough')), 50);
    await assert.rejects(asked, /enough/);
    for (let i = 0; i < 50 && !closed; i++) await new Promise((resolve) => setTimeout(resolve, 20));
    assert.ok(closed);
  });
});
