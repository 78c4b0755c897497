/** `sheaf mcp --allow-add`: an agent adds a library, with the official client, over a registry on loopback. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { planAddition } from '../../dist/node/ingest/add_for_agent.js';
import { withinSize } from '../../dist/node/ingest/size_limit.js';
import { writeTree } from '../fixtures/tree.mjs';
import { isolatedSheaf, serve, tarGz } from './doc_servers.mjs';
import { connect, ERAS, listen } from './mcp_client.mjs';
import { freshFolder } from './mcp_tools.mjs';
import { finish, MAIN, packFixture } from './packed.mjs';
import { until } from './until.mjs';

const crateOf = (name, version, pages) =>
  tarGz({
    [`${name}-${version}/Cargo.toml`]: `[package]\nname = "${name}"\nversion = "${version}"\ndescription = "Fires pots."\nlicense = "MIT"\n`,
    [`${name}-${version}/src/lib.rs`]: '//! A kiln.\n',
    ...Object.fromEntries(Object.entries(pages).map(([path, text]) => [`${name}-${version}/${path}`, text])),
  });
const pages = {
  'README.md': '# Kiln\n\nFires pots at a steady temperature.\n',
  'docs/glaze.md': '# Glaze\n\nA celadon glaze wants a reducing flame.\n',
};
const crate = crateOf('kiln', '1.2.0', pages);
const slow = crateOf('slowkiln', '1.0.0', pages);
const entry = (name, vers, bytes) =>
  JSON.stringify({ name, vers, cksum: createHash('sha256').update(bytes).digest('hex'), yanked: false, deps: [] });

let registry;
let site;
const waiting = [];
const cargo = freshFolder('cargo');
before(async () => {
  site = await serve({});
  registry = await serve({});
  Object.assign(registry.routes, {
    '/config.json': JSON.stringify({ dl: `${registry.url}/dl` }),
    '/ki/ln/kiln': entry('kiln', '1.2.0', crate),
    '/sl/ow/slowkiln': entry('slowkiln', '1.0.0', slow),
    '/dl/kiln/1.2.0/download': { body: crate },
    '/dl/slowkiln/1.0.0/download': (request, response) => {
      waiting.push(response);
      request.on('close', () => (response.gone = true));
    },
  });
  writeTree(cargo, {
    'config.toml': `[source.crates-io]\nreplace-with = "mirror"\n[source.mirror]\nregistry = "sparse+${registry.url}/"\n`,
  });
});
after(() => Promise.all([registry.close(), site.close()]));

const open = new Set();
afterEach(async () => {
  for (const each of open) await each.close();
  open.clear();
});

const storeOf = (home) => join(home, 'data', 'sheaf', 'libraries');
const environment = () => ({ CARGO_HOME: cargo, ...(process.env.SHEAF_PACK ? { SHEAF_PACK: process.env.SHEAF_PACK } : {}) });

/** A client whose user answers with `answer`; `asked` has the questions. */
async function agent({
  answer,
  era = 'legacy',
  args = ['--allow-add'],
  elicitation = { form: {} },
  clientOptions,
  home = freshFolder('home'),
} = {}) {
  const asked = [];
  const capabilities = answer === undefined ? {} : { elicitation };
  const made = await connect({ era, args, home, env: environment(), cwd: home, clientOptions: { capabilities, ...clientOptions } });
  open.add(made);
  if (answer !== undefined)
    made.client.setRequestHandler('elicitation/create', ({ params }) => {
      asked.push(params);
      return answer === 'accept' ? { action: 'accept', content: {} } : { action: answer };
    });
  const call = async (tool, args, options) => {
    const { content, structuredContent, isError } = await made.client.callTool({ name: tool, arguments: args }, options);
    return { text: content[0].text, structured: structuredContent, isError };
  };
  return { ...made, home, store: storeOf(home), asked, call };
}

describe('adding from the agent', () => {
  it('A server that was not told to let agents add has no tool for it', async () => {
    const { client } = await agent({ args: [], answer: 'accept' });
    const { tools } = await client.listTools();
    assert.deepEqual(
      tools.map(({ name }) => name).filter((name) => name.startsWith('add')),
      [],
    );
  });

  for (const era of ERAS)
    it(`A library is added after the user said yes, and is searched at once, in the ${era} era`, async () => {
      let changes = 0;
      const listChanged = { resources: { autoRefresh: false, debounceMs: 0, onChanged: () => changes++ } };
      const { call, asked, client } = await agent({ era, answer: 'accept', clientOptions: { listChanged } });
      const tool = (await client.listTools()).tools.find(({ name }) => name === 'add_library');
      assert.deepEqual(
        [tool.annotations.readOnlyHint, tool.annotations.destructiveHint, tool.annotations.openWorldHint],
        [false, false, true],
      );
      const told = [];
      const added = await call('add_library', { source: 'crate:kiln' }, { onprogress: (one) => told.push(one) });
      assert.equal(added.isError, undefined, added.text);
      assert.match(added.text, /^kiln 1\.2\.0 was added: \d+ pages, \d+ passages\. Search it under that name and version\./);
      assert.deepEqual([added.structured.library, added.structured.version, added.structured.action], ['kiln', '1.2.0', 'added']);
      assert.equal(asked.length, 1);
      assert.match(asked[0].message, /^Add the documentation of crate:kiln\? .*at most 256 MB/);
      assert.deepEqual(asked[0].requestedSchema.properties, {});
      const found = await call('search_documents_tool', { query: 'celadon glaze', library_name: 'kiln', version: '1.2.0' });
      assert.match(found.text, /reducing flame/);
      assert.ok(told.length > 0 && told.every(({ message }) => typeof message === 'string'));
      assert.deepEqual(
        told.map(({ progress }) => progress),
        told.map(({ progress }) => progress).sort((a, b) => a - b),
      );
      if (era === 'legacy') await until(() => changes > 0, 'notifications/resources/list_changed');
      const again = await call('add_library', { source: 'crate:kiln' });
      assert.match(again.text, /^kiln 1\.2\.0 is there already/);
    });

  for (const answer of ['decline', 'cancel'])
    it(`Without the user's yes (${answer}) nobody is asked for a package, and nothing is added`, async () => {
      const { call, store } = await agent({ answer });
      const before = registry.seen.length;
      const { text, isError } = await call('add_library', { library_name: 'mine', source: 'crate:kiln' });
      assert.deepEqual([isError, text], [true, 'The user does not want it added. Go on without it.']);
      assert.equal(registry.seen.length, before);
      assert.equal(existsSync(store), false);
    });

  for (const era of ERAS)
    it(`A client that cannot ask its user is told the command, in the ${era} era`, async () => {
      const { call, store } = await agent({ era });
      const { text, isError } = await call('add_library', {
        library_name: 'my-kiln',
        source: 'crate:kiln',
        version: '^1',
      });
      assert.equal(isError, true);
      assert.match(
        text,
        /cannot ask them \(it has no elicitation\)\. Ask the user to run: sheaf add my-kiln --source crate:kiln -v '\^1'$/,
      );
      assert.equal(existsSync(store), false);
    });

  it('A client that shows addresses alone, and no forms, cannot ask its user', async () => {
    const { call } = await agent({ answer: 'accept', elicitation: { url: {} } });
    assert.match((await call('add_library', { source: 'crate:kiln' })).text, /cannot ask them/);
  });

  it('A cancelled call stops its download, adds nothing, and the server goes on', async () => {
    const { call, store } = await agent({ answer: 'accept' });
    const stop = new AbortController();
    const adding = call('add_library', { source: 'crate:slowkiln' }, { signal: stop.signal });
    const refused = assert.rejects(adding);
    await until(() => waiting.length > 0, 'the download');
    stop.abort();
    await refused;
    await until(() => waiting[0].gone || waiting[0].destroyed, 'the end of the download');
    assert.deepEqual(existsSync(store) ? readdirSync(store).filter((name) => name.endsWith('.sheaf')) : [], []);
    assert.equal((await call('list_libraries_tool', {})).text, '{}');
  });

  it('Files, folders, plain http, private addresses and logins are refused before the user is asked', async () => {
    const { call, asked, home } = await agent({ answer: 'accept' });
    mkdirSync(join(home, 'docs'));
    writeFileSync(join(home, 'docs', 'a.md'), '# Secret\n\nSecret.\n');
    const before = site.seen.length;
    for (const [source, why] of [
      ['./docs', /only packages of registries and https addresses/],
      [join(home, 'docs'), /only packages of registries and https addresses/],
      [`file://${home}/docs`, /only packages of registries and https addresses/],
      [`file://${home}/docs.git`, /only packages of registries and https addresses/],
      ['~/docs.zip', /only packages of registries and https addresses/],
      ['./x.sheaf', /only packages of registries and https addresses/],
      ['npm:./x.tgz', /it is a file of this machine/],
      ['man:git', /only packages of registries and https addresses/],
      ['git@github.com:o/r', /only https addresses/],
      ['ssh://git@host.example/o/r', /only https addresses/],
      ['http://docs.example.org/', /only https addresses/],
      [`${site.url}/`, /only https addresses/],
      [`${site.url.replace('http:', 'https:')}/`, /this machine or of a private network/],
      ['https://localhost/llms.txt', /this machine or of a private network/],
      ['https://[::1]/x.sheaf', /this machine or of a private network/],
      ['https://10.0.0.1/sitemap.xml', /this machine or of a private network/],
      ['https://169.254.169.254/latest/x.git', /this machine or of a private network/],
      ['https://me:secret@docs.example.org/', /holds a login/],
      ['https://me:secret@github.com/o/r', /holds a login/],
      [`https://docs.example.org/${'x'.repeat(300)}`, /A source has at most 300 characters/],
    ]) {
      const { text, isError } = await call('add_library', { source });
      assert.equal(isError, true, source);
      assert.match(text, why, source);
      assert.doesNotMatch(text, /secret@/);
    }
    assert.equal(asked.length, 0);
    assert.equal(site.seen.length, before);
  });

  it('A list of sources does not lead an agent to what it may not name itself', async () => {
    const { call, asked, home } = await agent({ answer: 'accept' });
    writeTree(join(home, 'config', 'sheaf'), {
      'sources.json': JSON.stringify({
        inside: { type: 'sitemap', sitemap_url: `${site.url}/sitemap.xml` },
        folder: { type: 'local_path', local_path: home },
      }),
    });
    for (const library_name of ['inside', 'folder']) {
      const { text, isError } = await call('add_library', { library_name });
      assert.equal(isError, true);
      assert.match(text, /cannot be added from here: .*The user can add it: sheaf add (inside|folder)$/);
    }
    assert.equal(asked.length, 0);
  });

  it("A library of the user's catalogues is taken as it was published, with its size in the question", async (t) => {
    const sheaf = isolatedSheaf(freshFolder('catalogue'));
    await packFixture(join(sheaf.cwd, 'oven@2.0.0.sheaf'), { library: 'oven', version: '2.0.0' });
    writeFileSync(join(sheaf.cwd, 'list.txt'), 'oven@2.0.0.sheaf\n');
    await sheaf.json(['publish', 'keygen', 'first.key']);
    await sheaf.json(['publish', 'build', 'list.txt', '-o', 'published', '--key', 'first.key']);
    const server = await serve(({ url }) => {
      const file = join(sheaf.cwd, 'published', url.slice(1));
      return existsSync(file) ? { body: readFileSync(file) } : undefined;
    });
    t.after(() => server.close());
    await sheaf.json(['catalogue', 'add', server.url]);

    const { call, asked } = await agent({ answer: 'accept', home: sheaf.home });
    const added = await call('add_library', { library_name: 'oven' });
    assert.match(added.text, /^oven 2\.0\.0 was added\. Search it/);
    assert.match(asked[0].message, /^Add the documentation of oven of the catalogue http:.* \([\d.]+ kB\)\?/);
    assert.match((await call('list_libraries_tool', {})).text, /oven/);
  });

  it('An unknown name, and arguments that are none, are said to be so', async () => {
    const { call } = await agent({ answer: 'accept' });
    const unknown = await call('add_library', { library_name: 'no-such-kiln' });
    assert.match(unknown.text, /No source is known under the name 'no-such-kiln'\. Name one: npm:no-such-kiln/);
    for (const [args, why] of [
      [{}, /Name a library or a source/],
      [{ source: 7 }, /source must be a text/],
      [{ library_name: '' }, /library_name must be a text/],
      [{ library_name: '../x' }, /cannot be a library/],
      [{ source: 'npm:--evil' }, /npm:/],
      [{ source: 'crate:kiln@1', version: '2' }, /the source names one already/],
    ]) {
      const { text, isError } = await call('add_library', args);
      assert.equal(isError, true, JSON.stringify(args));
      assert.match(text, why);
    }
  });

  it('A package that its registry does not have is an error that says so', async () => {
    const { call } = await agent({ answer: 'accept' });
    const { text, isError } = await call('add_library', { source: 'crate:absent' });
    assert.equal(isError, true);
    assert.match(text, /^Nothing was added: .*no crate of that name/);
  });

  it('An agent never replaces a library that came from elsewhere', async () => {
    const { call, home } = await agent({ answer: 'accept' });
    writeTree(join(home, 'own'), { 'a.md': '# Mine\n\nMy own page.\n' });
    const env = { ...process.env, HOME: home, XDG_DATA_HOME: join(home, 'data'), XDG_CONFIG_HOME: join(home, 'config') };
    const mine = ['add', 'kiln', '-s', join(home, 'own'), '-v', '1.2.0', '-y'];
    const { code, stderr } = await finish(spawn(process.execPath, [MAIN, ...mine], { env, cwd: home, stdio: ['ignore', 'pipe', 'pipe'] }));
    assert.equal(code, 0, stderr);
    const { text, isError } = await call('add_library', { source: 'crate:kiln' });
    assert.equal(isError, true);
    assert.match(text, /kiln 1\.2\.0 is there already, from /);
    assert.match(
      (await call('search_documents_tool', { query: 'my own page', library_name: 'kiln', version: '1.2.0' })).text,
      /My own page/,
    );
  });

  it('Over HTTP the newer era asks in the same way, and the older one says the command', async (t) => {
    const home = freshFolder('home');
    const server = await listen({ home, env: environment(), args: ['--allow-add'], cwd: home });
    t.after(() => server.close());
    const legacy = await server.connect('legacy');
    const old = await legacy.callTool({ name: 'add_library', arguments: { source: 'crate:kiln' } });
    assert.match(old.content[0].text, /Ask the user to run: sheaf add crate:kiln$/);
    await legacy.close();
    const modern = await server.connect('modern', {}, { capabilities: { elicitation: { form: {} } } });
    const asked = [];
    modern.setRequestHandler('elicitation/create', ({ params }) => (asked.push(params.message), { action: 'accept', content: {} }));
    const added = await modern.callTool({ name: 'add_library', arguments: { source: 'crate:kiln' } });
    assert.match(added.content[0].text, /^kiln 1\.2\.0 was added/);
    assert.equal(asked.length, 1);
    await modern.close();
  });

  it('An answer to another question is none', async () => {
    const server = await listen({ home: freshFolder('home'), env: environment(), args: ['--allow-add'] });
    open.add(server);
    const asked = [];
    const one = await server.connect('modern', {}, { capabilities: { elicitation: {} } });
    one.setRequestHandler('elicitation/create', ({ params }) => (asked.push(params.message), { action: 'decline' }));
    const inputResponses = { 'consent-0123456789abcdef': { action: 'accept', content: {} } };
    const { content } = await one.callTool({ name: 'add_library', arguments: { source: 'crate:kiln' }, inputResponses });
    assert.match(content[0].text, /does not want it added/);
    assert.equal(asked.length, 1);
    await one.close();
  });

  it('--allow-add goes without --store, --backend and sites, whose libraries it could not add to', async () => {
    for (const args of [['--store', freshFolder('store')], ['https://docs.example.org/']]) {
      const { code, stderr } = await finish(
        spawn(process.execPath, [MAIN, 'mcp', '--allow-add', ...args], { stdio: ['ignore', 'pipe', 'pipe'] }),
      );
      assert.equal(code, 2);
      assert.match(stderr, /--allow-add adds to the store of the user/);
    }
  });
});

describe('what an addition may take', () => {
  const signal = new AbortController().signal;

  it('A source that leaves more than its bound is refused, at its end at the latest', async () => {
    const folder = freshFolder('size');
    const write = (bytes) => async () => writeTree(folder, { 'a/b/one.md': 'x'.repeat(bytes), 'two.md': 'y' });
    await assert.rejects(withinSize(folder, 1000, signal, write(1000)), /more than 1\.0 kB of files/);
    assert.equal(await withinSize(folder, 1001, signal, async () => 7), 7);
    assert.equal(await withinSize(folder, undefined, signal, async () => 7), 7);
  });

  it('A source that goes on and on is stopped while it does', async () => {
    const folder = freshFolder('size');
    const forever = (until) =>
      new Promise((_, reject) => {
        writeTree(folder, { 'big.bin': 'x'.repeat(5000) });
        until.addEventListener('abort', () => reject(new Error('some error of the source')));
      });
    await assert.rejects(withinSize(folder, 1000, signal, forever), /more than 1\.0 kB of files/);
  });

  it('A plan asks nobody, and its question says the very source', async () => {
    const before = registry.seen.length;
    const { question, command } = await planAddition({ library: 'mine', source: 'https://github.com/o/r/tree/main/docs' }, signal);
    assert.match(question, /of mine from https:\/\/github\.com\/o\/r\/tree\/main\/docs\?/);
    assert.equal(command, 'sheaf add mine --source https://github.com/o/r/tree/main/docs');
    assert.equal(registry.seen.length, before);
  });
});
