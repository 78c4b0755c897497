/** `sheaf serve DIR`: a static host for those who write a site, with search in every page. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, afterEach, before, describe, it } from 'node:test';
import { runInNewContext } from 'node:vm';
import { open } from '../../dist/node/client/node.js';
import { livePage } from '../../dist/node/serve/live_page.js';
import { createSiteServer } from '../../dist/node/serve/site_server.js';
import { isFresh, readRange, typeOf } from '../../dist/node/serve/static_files.js';
import { putPage, writeBuiltSite } from '../fixtures/built_site.mjs';
import { MAIN, temporaryFolder } from './packed.mjs';
import { until } from './until.mjs';

const root = temporaryFolder('serve-site');

/** One request, its path and headers exactly as given. */
function ask(port, path, { method = 'GET', headers = {} } = {}) {
  return new Promise((resolve, reject) => {
    const sent = request({ port, host: '127.0.0.1', path, method, headers, agent: false }, async (response) => {
      const chunks = [];
      for await (const chunk of response) chunks.push(chunk);
      const bytes = Buffer.concat(chunks);
      resolve({ status: response.statusCode, headers: response.headers, bytes, text: bytes.toString() });
    });
    sent.on('error', reject);
    sent.end();
  });
}

describe('a page that was opened before there was an index', () => {
  it('A page opened before the first index leaves listening to its script', () => {
    const opened = [];
    const target = () => {
      const told = new Map();
      return {
        addEventListener: (name, listener) => told.set(name, listener),
        removeEventListener: (name, listener) => told.get(name) === listener && told.delete(name),
        tell: (name, event) => told.get(name)?.(event),
      };
    };
    class EventSource {
      constructor() {
        Object.assign(this, target());
        opened.push(this);
      }
      close() {}
    }
    const [page, document] = [target(), { ...target(), visibilityState: 'visible', querySelectorAll: () => [] }];
    class MutationObserver {
      observe() {}
    }
    const script = livePage('/sheaf/events', '/sheaf/sheaf.js', false).replace('return import(', 'return String(');
    runInNewContext(script, { ...page, document, EventSource, MutationObserver });
    document.tell('visibilitychange');
    assert.equal(opened.length, 2, 'who comes back listens anew');
    opened[1].tell('index', { data: '["site-0123456789ab.sheaf"]' });
    document.tell('visibilitychange');
    page.tell('pageshow', { persisted: true });
    assert.equal(opened.length, 2);
  });
});

describe('a site over HTTP', () => {
  const site = writeBuiltSite(join(root, 'dist'));
  const index = join(root, 'index');
  const logs = [];
  let made;
  let port;

  before(async () => {
    const at = (name) => join(site, name);
    writeFileSync(at('data.bin'), Buffer.from(Array.from({ length: 1000 }, (_, i) => i % 256)));
    writeFileSync(at('empty.txt'), '');
    writeFileSync(at('guide.html'), '<html><head></head><body>not this one</body></html>');
    writeFileSync(at('clean.html'), '<html><head></head><body>clean</body></html>');
    writeFileSync(at('ünï code.html'), '<html><head></head><body>umlauts</body></html>');
    writeFileSync(at('latin.html'), Buffer.from('<html><head><meta charset="iso-8859-1"></head><body>Caf\xe9</body></html>', 'latin1'));
    writeFileSync(at('.env'), 'SECRET=1');
    mkdirSync(at('.git'));
    writeFileSync(at('.git/config'), 'x');
    mkdirSync(at('.well-known'));
    writeFileSync(at('.well-known/security.txt'), 'Contact: x');
    mkdirSync(at('docs'));
    writeFileSync(at('docs.html'), '<html><head></head><body>beside an empty folder</body></html>');
    writeFileSync(join(root, 'outside.html'), 'outside');
    symlinkSync(join(root, 'outside.html'), at('link-out.html'));
    symlinkSync(root, at('folder-out'));
    symlinkSync(at('clean.html'), at('link-in.html'));
    mkdirSync(join(index, 'sheaf/code-0123456789ab'), { recursive: true });
    writeFileSync(join(index, 'sheaf/sheaf.js'), 'export {};\n');
    writeFileSync(join(index, 'sheaf/site-0123456789ab.sheaf'), 'the bundle');
    writeFileSync(join(index, 'sheaf/code-0123456789ab/a.js'), 'code');
    const page = (html) => html.replace('</head>', '<i></i></head>');
    made = createSiteServer({ site, index, hosts: ['docs.test'], page, log: (...line) => logs.push(line.join(' ')) });
    await new Promise((resolve) => made.server.listen(0, '127.0.0.1', resolve));
    ({ port } = made.server.address());
  });
  after(() => {
    made.server.closeAllConnections();
    made.server.close();
  });

  it('A served site answers with pages that have their search, and leaves files alone', async () => {
    const file = readFileSync(join(site, 'index.html'), 'utf8');
    for (const path of ['/', '/index.html', '/?q=1']) {
      const { status, headers, text } = await ask(port, path);
      assert.deepEqual([status, headers['content-type']], [200, 'text/html; charset=utf-8']);
      assert.deepEqual([headers['cache-control'], headers['x-content-type-options']], ['no-cache', 'nosniff']);
      assert.equal(text, file.replace('</head>', '<i></i></head>'));
    }
    assert.equal(readFileSync(join(site, 'index.html'), 'utf8'), file);
    const latin = await ask(port, '/latin.html');
    assert.equal(latin.headers['content-type'], 'text/html', 'what the page says of its encoding counts');
    assert.ok(latin.bytes.includes(Buffer.from('Caf\xe9', 'latin1')));
  });

  const found = [
    ['/clean', /clean/],
    ['/clean/', /clean/],
    ['/clean.html', /clean/],
    ['/guide/', /<h1>Guide/],
    ['/guide/batches', /<h1>Batches/],
    ['/%C3%BCn%C3%AF%20code.html', /umlauts/],
    ['/link-in.html', /clean/],
    ['/docs', /beside an empty/],
    ['/docs/', /beside an empty/],
    ['/.well-known/security.txt', /Contact/],
  ];
  for (const [path, text] of found) {
    it(`A served site finds ${path}`, async () => {
      const answer = await ask(port, path);
      assert.equal(answer.status, 200);
      assert.match(answer.text, text);
    });
  }

  it('A served site leads from a folder without a slash to its slash', async () => {
    const { status, headers } = await ask(port, '/guide?q=a');
    assert.deepEqual([status, headers.location], [301, '/guide/?q=a']);
  });

  const hidden = [
    '/nothing',
    '/nothing/',
    '/.env',
    '/.git/config',
    '/guide/../.env',
    '/../outside.html',
    '/..%2foutside.html',
    '/%2e%2e/outside.html',
    '/guide/..%2f..%2f..%2foutside.html',
    '/..%5coutside.html',
    '/link-out.html',
    '/folder-out/outside.html',
    '/folder-out',
    '/clean.html/',
    '/clean.html/x',
    '//clean.html//x',
    '/%00',
    '/%',
    '/a%00.html',
    '/index.html%00.png',
    `/${'a'.repeat(300)}`,
  ];
  for (const path of hidden) {
    it(`A served site shows its own 404 page for ${path.slice(0, 40)}`, async () => {
      const { status, text } = await ask(port, path);
      assert.deepEqual([status, /<h1>Not found/.test(text), /outside|SECRET/.test(text)], [404, true, false]);
      assert.match(text, /<i><\/i>/);
    });
  }

  it('A served site without a 404 page says so in plain text', async () => {
    renameSync(join(site, '404.html'), join(site, 'aside'));
    const { status, headers, text } = await ask(port, '/nothing');
    renameSync(join(site, 'aside'), join(site, '404.html'));
    assert.deepEqual([status, headers['content-type'], text], [404, 'text/plain; charset=utf-8', 'There is no such page.\n']);
  });

  it('A served site answers ranges, and the whole file for an invalid range', async () => {
    const all = readFileSync(join(site, 'data.bin'));
    const rows = [
      ['bytes=0-9', 206, 0, 9],
      ['bytes=990-', 206, 990, 999],
      ['bytes=-5', 206, 995, 999],
      ['bytes=10-5000', 206, 10, 999],
      ['bytes=-5000', 206, 0, 999],
      ['bytes=5-2', 200],
      ['bytes=0-1,5-6', 200],
      ['items=0-1', 200],
      ['bytes=-', 200],
      [undefined, 200],
    ];
    for (const [range, status, first = 0, last = 999] of rows) {
      const answer = await ask(port, '/data.bin', { headers: range === undefined ? {} : { range } });
      assert.deepEqual([answer.status, Number(answer.headers['content-length'])], [status, last - first + 1], range);
      assert.equal(answer.headers['content-range'], status === 206 ? `bytes ${first}-${last}/1000` : undefined, range);
      assert.ok(answer.bytes.equals(all.subarray(first, last + 1)), range);
      assert.equal(answer.headers['accept-ranges'], 'bytes');
    }
    const beyond = await ask(port, '/data.bin', { headers: { range: 'bytes=1000-' } });
    assert.deepEqual([beyond.status, beyond.headers['content-range']], [416, 'bytes */1000']);
    assert.deepEqual(readRange('bytes=-0', 10), 'beyond');
    assert.deepEqual(readRange('bytes=0-', 0), 'beyond');
    assert.equal((await ask(port, '/empty.txt')).text, '');
  });

  it("A served site knows a client's copy by its tag, which changes with the file", async () => {
    for (const path of ['/data.bin', '/', '/sheaf/sheaf.js']) {
      const { etag } = (await ask(port, path)).headers;
      const same = await ask(port, path, { headers: { 'if-none-match': `"x", W/${etag}` } });
      assert.deepEqual([same.status, same.text, same.headers.etag], [304, '', etag], path);
    }
    const { etag } = (await ask(port, '/data.bin')).headers;
    const part = { range: 'bytes=0-1' };
    assert.equal((await ask(port, '/data.bin', { headers: { ...part, 'if-range': etag } })).status, 206);
    writeFileSync(join(site, 'data.bin'), readFileSync(join(site, 'data.bin')).reverse());
    const after = await ask(port, '/data.bin', { headers: { ...part, 'if-range': etag } });
    assert.deepEqual([after.status, after.bytes.length, after.headers.etag === etag], [200, 1000, false]);
    assert.ok(isFresh('*', '"a"') && !isFresh('"ab"', '"a"') && !isFresh(undefined, '"a"'));
  });

  it('A served site caches hashed files for ever, and revalidates the rest', async () => {
    const caching = async (path) => (await ask(port, path)).headers['cache-control'];
    assert.match(await caching('/sheaf/site-0123456789ab.sheaf'), /immutable/);
    assert.match(await caching('/sheaf/code-0123456789ab/a.js'), /immutable/);
    const plain = ['/sheaf/sheaf.js', '/', '/data.bin', '/sheaf/nothing-0123456789ab.sheaf'];
    for (const path of plain) assert.equal(await caching(path), 'no-cache', path);
  });

  it('A served site names types by their endings', () => {
    const rows = [
      ['a.js', 'text/javascript; charset=utf-8'],
      ['a.CSS', 'text/css; charset=utf-8'],
      ['a.json', 'application/json; charset=utf-8'],
      ['a.svg', 'image/svg+xml; charset=utf-8'],
      ['a.wasm', 'application/wasm'],
      ['a.woff2', 'font/woff2'],
      ['a.sheaf', 'application/octet-stream'],
      ['a', 'application/octet-stream'],
    ];
    for (const [path, type] of rows) assert.equal(typeOf(path), type, path);
  });

  it('A served site answers HEAD without a body, and no other method', async () => {
    for (const path of ['/', '/data.bin', '/nothing']) assert.equal((await ask(port, path, { method: 'HEAD' })).bytes.length, 0, path);
    const { status, headers } = await ask(port, '/', { method: 'POST' });
    assert.deepEqual([status, headers.allow], [405, 'GET, HEAD']);
  });

  it('A served site turns away pages of other sites, and other names', async () => {
    assert.equal((await ask(port, '/', { headers: { host: 'evil.example' } })).status, 403);
    assert.equal((await ask(port, '/', { headers: { origin: 'https://evil.example' } })).status, 403);
    assert.equal((await ask(port, '/', { headers: { host: 'docs.test' } })).status, 200);
    assert.equal((await ask(port, `/${'x'.repeat(9000)}`)).status, 400);
  });

  it('A served site tells open pages of each index, latecomers of the last', async () => {
    const early = await listen(port);
    assert.equal((await ask(port, '/sheaf/sheaf.js')).text.includes('export {}'), false, 'there is no index yet');
    made.announce(['site-000000000001.sheaf']);
    assert.deepEqual(await early.next(), ['site-000000000001.sheaf']);
    const late = await listen(port);
    assert.deepEqual(await late.next(), ['site-000000000001.sheaf']);
    made.announce(['site-000000000002.sheaf']);
    assert.deepEqual([await early.next(), await late.next()], [['site-000000000002.sheaf'], ['site-000000000002.sheaf']]);
    assert.match((await ask(port, '/sheaf/sheaf.js')).text, /^export \{\};\n[^]*EventSource/);
    early.close();
    late.close();
    assert.deepEqual(logs, []);
  });
});

/** An event stream; `next` waits for an index. */
async function listen(port) {
  const sent = request({ port, host: '127.0.0.1', path: '/sheaf/events', agent: false });
  sent.end();
  const [response] = await once(sent, 'response');
  assert.equal(response.headers['content-type'], 'text/event-stream');
  const lines = createInterface({ input: response })[Symbol.asyncIterator]();
  return {
    next: async () => {
      for (;;) {
        const { value } = await lines.next();
        if (value.startsWith('data: ')) return JSON.parse(value.slice(6));
      }
    },
    response,
    close: () => sent.destroy(),
  };
}

describe('sheaf serve DIR: the command', () => {
  const running = [];
  afterEach(async () => {
    for (const { child, ended } of running.splice(0)) {
      child.kill('SIGTERM'); // by which its packer ends, too, before this folder is removed
      await ended;
    }
  });

  async function start(site, ...args) {
    const temporary = join(root, `tmp-${running.length}-${Math.random().toString(36).slice(2)}`);
    mkdirSync(temporary);
    const env = { ...process.env, TMPDIR: temporary };
    const child = spawn(process.execPath, [MAIN, 'serve', site, '--port', '0', '--json', ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env,
    });
    const ended = once(child, 'close');
    running.push({ child, ended });
    let stdout = '';
    for await (const chunk of child.stdout) if ((stdout += chunk).endsWith('}\n')) break;
    return { child, ended, temporary, port: JSON.parse(stdout).port };
  }
  const digest = (folder) => {
    const hash = createHash('sha256');
    for (const name of readdirSync(folder, { recursive: true }).sort()) hash.update(name);
    return hash.update(readFileSync(join(folder, 'index.html'))).digest('hex');
  };

  it('sheaf serve DIR serves pages with search, follows changes, and leaves DIR alone', async () => {
    const site = writeBuiltSite(join(root, 'served'));
    const before = digest(site);
    const { child, ended, temporary, port } = await start(site);
    const stream = await listen(port);
    const bundle = async () => (await stream.next()).find((name) => name.startsWith('site-'));
    const titles = async (name, words) => {
      const library = await open(new URL(`http://127.0.0.1:${port}/sheaf/${name}`));
      const { hits } = await library.search(words, { mode: 'keyword' });
      await library.close();
      return hits.map(({ title }) => title);
    };
    const first = await bundle();
    const { text } = await ask(port, '/guide/batches');
    assert.match(text, /<script src="\/sheaf\/sheaf\.js" defer data-sheaf-site><\/script><\/head>/);
    assert.deepEqual(await titles(first, 'awaitable'), ['Batches']);
    assert.equal(digest(site), before);
    putPage(join(site, 'glaze.html'), '<html><head></head><body><h1>Glaze</h1><p>Celadon is a glaze.</p></body></html>');
    const second = await bundle();
    assert.notEqual(second, first);
    assert.deepEqual(await titles(second, 'celadon'), ['Glaze']);
    stream.close();
    child.kill('SIGINT');
    assert.deepEqual(await ended, [0, null]);
    assert.deepEqual(readdirSync(temporary), []);
  });

  it("sheaf serve DIR ends the pages' open streams when it ends", async () => {
    const site = writeBuiltSite(join(root, 'held'));
    const { child, ended, port } = await start(site);
    const stream = await listen(port);
    await stream.next();
    child.kill('SIGTERM');
    assert.deepEqual(await ended, [0, null]);
    await until(() => stream.response.complete || stream.response.destroyed, 'the end of the stream');
    assert.ok(stream.response.complete, 'the stream came to its end and was not cut');
  });

  it("sheaf serve DIR waits for a builder's first pages", async () => {
    const site = join(root, 'later');
    mkdirSync(site);
    const { port } = await start(site);
    const stream = await listen(port);
    assert.equal((await ask(port, '/')).status, 404);
    writeBuiltSite(site);
    assert.equal((await stream.next()).length, 2);
    rmSync(site, { recursive: true });
    mkdirSync(site);
    assert.equal((await ask(port, '/sheaf/sheaf.js')).status, 200, 'the old index stays');
  });

  it('sheaf serve DIR reports a missing folder, taken port or failed packer, and ends', async () => {
    const temporary = mkdtempSync(join(root, 'tmp-'));
    const run = (...args) =>
      spawnSync(process.execPath, [MAIN, 'serve', ...args], { encoding: 'utf8', env: { ...process.env, TMPDIR: temporary } });
    assert.equal(run(join(root, 'nowhere')).status, 4);
    const site = writeBuiltSite(join(root, 'wrong'));
    const { port } = await start(site);
    const taken = run(site, '--port', String(port));
    assert.equal(taken.status, 1);
    assert.match(taken.stderr, new RegExp(`port ${port} is taken`));
    const memory = run(site, '--port', '0', '--memory', 'lots');
    assert.equal(memory.status, 1);
    assert.match(memory.stderr, /--memory lots/);
    assert.deepEqual(readdirSync(temporary), [], 'nothing is left behind');
  });
});
