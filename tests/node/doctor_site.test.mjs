/** `sheaf doctor ADDRESS`: hosts that serve a search well, and hosts that do one thing wrong. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, get } from 'node:http';
import { createSecureServer } from 'node:http2';
import { createServer as createHttpsServer } from 'node:https';
import { extname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { brotliCompressSync } from 'node:zlib';
import { Guard } from '../../dist/node/net/guarded_http.js';
import { checkSite } from '../../dist/node/site/checkup/checkup.js';
import { allows, missingFrom, parsePolicies } from '../../dist/node/site/checkup/policy.js';
import { Visitor } from '../../dist/node/site/checkup/visitor.js';
import { deploy } from '../../dist/node/site/deploy.js';
import { isolatedSheaf } from './doc_servers.mjs';
import { manyPages, packFixture, TABLE, temporaryFolder } from './packed.mjs';

const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.json': 'application/json', '.wasm': 'application/wasm' };
const PAGE = `<!doctype html><title>Kiln</title><script src="sheaf/sheaf.js" defer data-sheaf-site></script><sheaf-search></sheaf-search><h1>Kiln</h1>`;

const root = temporaryFolder('doctor-site');
const site = join(root, 'site');
const sheaf = isolatedSheaf(root);
const hosts = [];
const packed = new Map();

before(async () => {
  const bundle = join(root, 'kiln.sheaf');
  await packFixture(bundle, { docs: manyPages(join(root, 'pages'), 300), options: ['--level', '3'] });
  await deploy({ site, bundles: [{ file: bundle }], table: TABLE });
  writeFileSync(join(site, 'index.html'), PAGE);
});
after(async () => {
  for (const host of hosts) {
    host.closeAllConnections();
    host.close();
  }
});

/** A host as it should be; `change(path, answer, request)` spoils an answer: {status, headers, bytes, hasRanges}. */
async function serve(change = () => {}, { folder = site } = {}) {
  const server = createServer((request, response) => {
    const path = new URL(request.url, 'http://x').pathname;
    const isHashed = /-[0-9a-f]{12}[./]/.test(path);
    const answer = { status: 200, headers: {}, bytes: undefined, hasRanges: path.endsWith('.sheaf') };
    try {
      answer.bytes = readFileSync(join(folder, path === '/' ? 'index.html' : path));
      answer.headers = {
        'content-type': TYPES[extname(path) || '.html'] ?? 'application/octet-stream',
        'cache-control': isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
        etag: `"${createHash('sha256').update(answer.bytes).digest('hex').slice(0, 12)}"`,
      };
      if (/\.(js|wasm)$/.test(path) && /\bbr\b/.test(request.headers['accept-encoding'])) {
        if (!packed.has(path)) packed.set(path, brotliCompressSync(answer.bytes, { params: { 1: 4 } }));
        answer.bytes = packed.get(path);
        answer.headers['content-encoding'] = 'br';
      }
    } catch {
      Object.assign(answer, { status: 404, bytes: Buffer.from('not here'), headers: { 'content-type': 'text/plain' } });
    }
    change(path, answer, request);
    const range = answer.hasRanges && answer.status === 200 ? /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') : null;
    if (range) {
      const { length } = answer.bytes;
      const end = Math.min(Number(range[2]), length - 1);
      answer.status = 206;
      answer.headers['content-range'] = `bytes ${range[1]}-${end}/${length}`;
      answer.bytes = answer.bytes.subarray(Number(range[1]), end + 1);
      answer.cut?.(answer);
    }
    response.writeHead(answer.status, { 'content-length': answer.bytes.length, ...answer.headers }).end(answer.bytes);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  hosts.push(server);
  return `http://127.0.0.1:${server.address().port}/`;
}

/** The same without a process of its own. */
async function check(address) {
  const guard = new Guard({ allowPrivate: false, own: address, refuse: (url) => new Error(`${url.href} is refused`) });
  const findings = await checkSite(new URL(address), new Visitor(guard, new AbortController().signal));
  return { findings, of: (name) => findings.find((finding) => finding.name === name) };
}

async function ask(address, ...flags) {
  const { code, stdout, stderr } = await sheaf(['doctor', address, '--json', ...flags]);
  assert.notEqual(stdout, '', stderr);
  const findings = JSON.parse(stdout);
  return { code, findings, of: (name) => findings.find((finding) => finding.name === name) };
}

const isBundle = (path) => /\/site-[^/]*\.sheaf$/.test(path);
const isData = (path) => path.endsWith('.sheaf');

describe('a search that is deployed well', () => {
  it('A well deployed search has nothing to mend, and is opened and searched', async () => {
    const address = await serve();
    const { code, findings, of } = await ask(address);
    assert.deepEqual(
      findings.filter(({ state }) => state !== 'ok'),
      [],
    );
    assert.equal(code, 0);
    assert.match(of('Bundle').detail, /^\d+ pages, \d+ passages, format 1, made by sheaf-pack [\d.]+; the code reads it$/);
    assert.match(
      of('First search').detail,
      /^\d+ requests, [\d.]+ kB to open and to find 'getting started' by words and meaning; \d+ hits$/,
    );
    assert.match(of('Sizes').detail, /^code \d+ kB, 2\d\d kB as sent; bundle [\d.]+ (kB|MB); table 4\.3 MB$/);
    const text = await sheaf(['doctor', address]);
    assert.equal(text.stdout.split('\n').filter((line) => line.startsWith('✓ ')).length, findings.length, 'a line each');
    assert.match(text.stdout, /✓ Ranges +206, and the bytes asked for\n/);
  });

  it('A search without a script on the page is found by site.json, and reported', async () => {
    const { code, of } = await ask(
      `${await serve((path, answer) => {
        if (path === '/') answer.bytes = Buffer.from('<!doctype html><title>Kiln</title>');
      })}`,
    );
    assert.equal(code, 1);
    assert.match(of('Page').detail, /names no script, though there is .*\/sheaf\/sheaf\.js$/);
    assert.equal(of('Bundle').state, 'ok');
  });
});

describe('a search that lies there in pieces', () => {
  const inPieces = (name, pieces) => {
    const folder = join(root, name);
    return deploy({ site: folder, bundles: [{ file: join(root, 'kiln.sheaf') }], table: TABLE, pieces }).then(() => {
      writeFileSync(join(folder, 'index.html'), PAGE);
      return folder;
    });
  };
  const noRanges = (_, answer) => void (answer.hasRanges = false);

  it('A search in pieces needs no change on a host without ranges', async () => {
    const { findings, of } = await ask(await serve(noRanges, { folder: await inPieces('beside', 'beside') }));
    assert.match(of('Ranges').detail, /minilm.* is read in pieces. With --pieces only/);
    assert.match(of('First search').detail, /, \d{3}\.?\d* kB to open and to find .* by words and meaning/);
    assert.deepEqual(
      findings.filter(({ state }) => state !== 'ok'),
      [],
    );
  });

  it('A search in pieces alone is found, and is searched', async () => {
    const { findings, of } = await ask(await serve(noRanges, { folder: await inPieces('only', 'only') }));
    assert.match(of('Ranges').detail, /lies there in pieces alone/);
    assert.match(of('First search').detail, /by words and meaning/);
    assert.deepEqual(
      findings.filter(({ state }) => state !== 'ok'),
      [],
    );
  });
});

describe('one thing that is wrong', () => {
  const cases = {
    'ranges that are ignored': {
      change: (path, answer) => void (answer.hasRanges = false),
      finds: ['Ranges', 'warn', /minilm.*ranges are ignored, so every reader's first search downloads 4\.3 MB/],
    },
    'ranges of other bytes than were asked for': {
      change: (path, answer, { headers }) => {
        if (isBundle(path) && headers.range && !headers.range.startsWith('bytes=0-'))
          answer.cut = (cut) => void (cut.headers['content-range'] = cut.headers['content-range'].replace(/\d+-/, '7-'));
      },
      finds: ['Ranges', 'fail', /asked for, 'bytes 7-/],
    },
    'ranges of an encoding': {
      change: (path, answer) => {
        if (isBundle(path)) answer.headers['content-encoding'] = 'gzip';
      },
      finds: ['Ranges', 'fail', /ranges are cut from the gzip encoding/],
    },
    'bundles that are compressed again when they come whole': {
      change: (path, answer, { headers }) => {
        if (isBundle(path) && !headers.range) answer.headers['content-encoding'] = 'br';
      },
      finds: ['Bytes as they are', 'warn', /is sent as br/],
    },
    'an ETag that changes from request to request': {
      change: (path, answer, { headers }) => {
        if (isBundle(path)) answer.headers.etag = `"${headers.range}"`;
      },
      finds: ['Ranges', 'fail', /the ETag changes/],
    },
    'a bundle that is cut short': {
      change: (path, answer) => {
        if (isBundle(path)) answer.bytes = answer.bytes.subarray(0, 40_000);
      },
      finds: ['Ranges', 'fail', /has 40\.0 kB, and should have/],
    },
    'a bundle that was not deployed': {
      change: (path, answer) => {
        if (isBundle(path)) Object.assign(answer, { status: 404, bytes: Buffer.from('') });
      },
      finds: ['Ranges', 'fail', /site-.*\.sheaf answers 404/],
    },
    'wasm without its type': {
      change: (path, answer) => {
        if (path.endsWith('.wasm')) answer.headers['content-type'] = 'application/octet-stream';
      },
      finds: ['Types', 'warn', /\.wasm is sent as application\/octet-stream/],
    },
    'scripts without their type': {
      change: (path, answer) => {
        if (path.endsWith('worker.js')) answer.headers['content-type'] = 'text/plain';
      },
      finds: ['Types', 'fail', /worker\.js is sent as text\/plain: browsers do not run it/],
    },
    'bundles sent as text': {
      change: (path, answer) => {
        if (isData(path)) answer.headers['content-type'] = 'text/plain';
      },
      finds: ['Types', 'warn', /\.sheaf is sent as text\/plain/],
    },
    'wasm that was left out': {
      change: (path, answer) => {
        if (path.endsWith('.wasm')) Object.assign(answer, { status: 403, bytes: Buffer.from('') });
      },
      finds: ['Code', 'fail', /sheaf-core\.wasm answers 403/],
    },
    'code without compression': {
      change: (path, answer) => {
        if (!path.endsWith('.wasm')) return;
        answer.bytes = readFileSync(join(site, path));
        delete answer.headers['content-encoding'];
      },
      finds: ['Compression', 'warn', /^\.wasm files come uncompressed: \d+ kB of code, \d+ kB with gzip$/],
    },
    'hashed files that are kept for minutes': {
      change: (path, answer) => void (answer.headers['cache-control'] = 'max-age=600'),
      finds: ['Caching', 'warn', /code with a hash in the name: kept for 10 minutes; \.sheaf files/],
    },
    'an entry that is kept for a year': {
      change: (path, answer) => void (answer.headers['cache-control'] = 'max-age=31536000'),
      finds: ['Caching', 'fail', /readers keep sheaf\.js for 365 days/],
    },
    'no validators': {
      change: (path, answer) => {
        delete answer.headers.etag;
      },
      finds: ['Validators', 'warn', /sheaf\.js has neither ETag nor Last-Modified/],
    },
    'a policy without WebAssembly and data': {
      change: (path, answer) => void (answer.headers['content-security-policy'] = "default-src 'none'; script-src 'self'"),
      finds: ['Policy', 'fail', /lacks script-src 'wasm-unsafe-eval'; connect-src 'self'$/],
    },
    'a policy in the page': {
      change: (path, answer) => {
        if (path === '/') answer.bytes = Buffer.from(`<meta http-equiv="Content-Security-Policy" content="worker-src 'none'">${PAGE}`);
      },
      finds: ['Policy', 'warn', /lacks worker-src 'self': searches run on the page's own thread$/],
    },
    'pages instead of 404': {
      change: (path, answer) => {
        if (answer.status === 404) Object.assign(answer, { status: 200, headers: { 'content-type': 'text/html' } });
      },
      finds: ['Missing files', 'warn', /answers 200, text\/html/],
    },
    'a list of another deploy': {
      change: (path, answer) => {
        if (path.endsWith('site.json')) answer.bytes = Buffer.from(String(answer.bytes).replace(/site-[0-9a-f]{12}/g, 'site-000000000000'));
      },
      finds: ['Files', 'fail', /names site-000000000000\.sheaf, sheaf\.js does not: they are of different deploys/],
    },
    'a bundle of a format to come': {
      change: (path, answer) => {
        if (isBundle(path)) answer.bytes = Buffer.concat([answer.bytes.subarray(0, 8), Buffer.from([9, 0]), answer.bytes.subarray(10)]);
      },
      finds: ['Bundle', 'fail', /format 9: /],
    },
  };
  for (const [what, { change, finds }] of Object.entries(cases)) {
    it(`The doctor names the fault with the way out: ${what}`, async () => {
      const { of, findings } = await check(await serve(change));
      const [name, state, detail] = finds;
      assert.equal(of(name)?.state, state, JSON.stringify(findings, undefined, 1));
      assert.match(of(name).detail, detail);
      assert.ok(of(name).advice.length > 10);
      if (state === 'warn') assert.ok(!findings.some((finding) => finding.state === 'fail'), JSON.stringify(findings));
    });
  }

  it('The doctor names code and bundle on another origin without CORS', async () => {
    const headers = {};
    const cdn = await serve((path, answer) => void Object.assign(answer.headers, headers));
    const address = await serve((path, answer) => {
      if (path === '/') answer.bytes = Buffer.from(PAGE.replace('sheaf/sheaf.js', `${cdn}sheaf/sheaf.js`));
    });
    const refused = await sheaf(['doctor', address]);
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /is refused: 127\.0\.0\.1 is an address of this machine.*add --allow-private/);
    const name = `CORS of ${new URL(cdn).host}`;
    const without = await ask(address, '--allow-private');
    assert.deepEqual([without.code, without.of(name).state], [1, 'fail']);
    headers['access-control-allow-origin'] = '*';
    const hidden = await ask(address, '--allow-private');
    assert.match(hidden.of(name).detail, /Content-Range and ETag hidden/);
    headers['access-control-expose-headers'] = 'content-range, ETag';
    const allowed = await ask(address, '--allow-private');
    assert.deepEqual([allowed.code, allowed.of(name).state], [0, 'warn']);
    assert.match(allowed.of(name).detail, /^allows every origin, but browsers start no worker of another origin/);
  });
});

describe('a connection over HTTPS', () => {
  it('The doctor asks an HTTPS connection for its agreed protocol', async (t) => {
    const [key, cert] = ['key.pem', 'cert.pem'].map((name) => join(root, name));
    const made = spawnSync('openssl', [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'],
      ...['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost', '-keyout', key, '-out', cert],
    ]);
    if (made.error) return t.skip('there is no openssl');
    assert.equal(made.status, 0, String(made.stderr));
    const inner = new URL(await serve());
    for (const [http2, state, detail] of [
      [true, 'ok', /^HTTP\/2, HTTP\/3 offered$/],
      [false, 'warn', /^HTTP\/1\.1 alone, HTTP\/3 offered: six requests at a time$/],
    ]) {
      const server = (http2 ? createSecureServer : createHttpsServer)(
        { key: readFileSync(key), cert: readFileSync(cert), allowHTTP1: true },
        (request, response) => {
          const { path, headers } = { path: request.url, headers: request.headers };
          get({ host: inner.hostname, port: inner.port, path, headers, agent: false }, (answer) => {
            response.writeHead(answer.statusCode, { ...answer.headers, 'alt-svc': 'h3=":443"' });
            answer.pipe(response);
          });
        },
      );
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      const { code, stdout, stderr } = await sheaf(['doctor', `https://localhost:${server.address().port}/`, '--json'], {
        NODE_EXTRA_CA_CERTS: cert,
      });
      server.close();
      assert.equal(code, 0, stdout + stderr);
      const found = JSON.parse(stdout).find(({ name }) => name === 'Connection');
      assert.equal(found.state, state);
      assert.match(found.detail, detail);
    }
  });
});

describe('an address without a search', () => {
  it('An address without a search is reported so', async () => {
    const empty = join(temporaryFolder('no-search'), '.');
    writeFileSync(join(empty, 'index.html'), '<!doctype html><title>Kiln</title><!-- <script src="sheaf/sheaf.js"></script> -->');
    const address = await serve(() => {}, { folder: empty });
    const { code, findings } = await ask(`${address}`);
    assert.equal(code, 1);
    assert.deepEqual(
      findings.map(({ name, state }) => [name, state]),
      [['Page', 'fail']],
    );
    assert.match(findings[0].advice, /sheaf site DIR --inject/);
    const lost = await ask(`${address}lost.html`);
    assert.match(lost.findings[0].detail, /lost\.html answers 404/);
  });

  it('An address is refused with the reason: invalid, without host, or redirected to private', async () => {
    for (const wrong of ['kiln', 'ftp://kiln.example/', 'file:///etc/passwd']) {
      const { code, stderr } = await sheaf(['doctor', wrong]);
      assert.equal(code, 2);
      assert.match(stderr, /is not the address of a page/);
    }
    assert.equal((await sheaf(['doctor', 'http://a/', 'http://b/'])).code, 2);
    const closed = await sheaf(['doctor', 'http://127.0.0.1:1/']);
    assert.equal(closed.code, 1);
    assert.match(closed.stderr, /http:\/\/127\.0\.0\.1:1\/ could not be checked: /);
    const elsewhere = await serve();
    const address = await serve((path, answer) => Object.assign(answer, { status: 302, headers: { location: elsewhere } }));
    const { code, stderr } = await sheaf(['doctor', address]);
    assert.equal(code, 1);
    assert.match(stderr, /is refused: 127\.0\.0\.1 is an address of this machine/);
  });

  it('An address cannot make the doctor wait or crash by its answers', async () => {
    const noise = (path, answer) => {
      if (path.endsWith('site.json'))
        answer.bytes = Buffer.from(
          JSON.stringify({ files: [1, null, '../../x.js', 'http://evil.example/a.js'], sites: [null, 3, { src: 'a.sheaf' }] }),
        );
      if (path.endsWith('.sheaf'))
        Object.assign(answer, { status: 206, bytes: Buffer.alloc(1 << 20), headers: { 'content-range': 'bytes 0-0/1' } });
    };
    const { code, findings } = await ask(await serve(noise));
    assert.equal(code, 1);
    assert.ok(!JSON.stringify(findings).includes('evil.example'));
    const bomb = brotliCompressSync(Buffer.alloc(64 << 20));
    const fat = await ask(
      await serve((path, answer) => {
        if (path === '/') Object.assign(answer, { bytes: bomb, headers: { 'content-type': 'text/html', 'content-encoding': 'br' } });
      }),
    );
    assert.equal(fat.code, 1);
  });
});

describe('a content security policy', () => {
  const page = new URL('https://kiln.example/docs/');
  const wanted = {
    page,
    script: new URL('https://kiln.example/sheaf/sheaf.js'),
    isTrusted: false,
    data: [new URL('https://kiln.example/a.sheaf')],
  };
  const lacks = (text, more = {}) => missingFrom(parsePolicies(text), { ...wanted, ...more });

  it('A content security policy allows by self, scheme, host, port and path', () => {
    const url = (text) => new URL(text);
    const yes = [
      ["'self'", 'https://kiln.example/x'],
      ['*', 'http://a.example/x'],
      ['https:', 'https://a.example/x'],
      ['http:', 'https://a.example/x'],
      ['a.example', 'https://a.example/x'],
      ['*.example', 'https://a.b.example/x'],
      ['https://a.example:8443', 'https://a.example:8443/x'],
      ['a.example:*', 'https://a.example:99/x'],
      ['https://a.example/x/', 'https://a.example/x/y'],
    ];
    const no = [
      ["'none'", 'https://kiln.example/x'],
      ["'self'", 'http://kiln.example/x'],
      ['https:', 'http://a.example/x'],
      ['a.example', 'http://a.example/x'],
      ['*.example', 'https://example/x'],
      ['a.example', 'https://a.example:8443/x'],
      ['https://a.example/x/', 'https://a.example/z'],
      ['https://a.example/x', 'https://a.example/x/y'],
      ['data:', 'https://a.example/x'],
    ];
    for (const [source, target] of yes) assert.ok(allows([source], url(target), page), `${source} ${target}`);
    for (const [source, target] of no) assert.ok(!allows([source], url(target), page), `${source} ${target}`);
  });

  it("A content security policy lacks undeclared permissions, with the browsers' fallbacks", () => {
    assert.deepEqual(lacks("script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'"), []);
    assert.deepEqual(lacks("script-src 'self' 'unsafe-eval'"), []);
    assert.deepEqual(lacks("img-src 'none'"), []);
    assert.deepEqual(lacks("default-src 'self' 'wasm-unsafe-eval'"), []);
    assert.deepEqual(lacks("default-src 'none'; script-src 'self' 'wasm-unsafe-eval'"), ["connect-src 'self'"]);
    assert.deepEqual(lacks("script-src https://cdn.example 'wasm-unsafe-eval'"), ["script-src 'self'", "worker-src 'self'"]);
    assert.deepEqual(lacks("script-src 'nonce-x' 'strict-dynamic' 'wasm-unsafe-eval'", { isTrusted: true }), []);
    assert.match(lacks("script-src 'nonce-x' 'strict-dynamic' 'wasm-unsafe-eval'")[0], /nonce/);
    assert.deepEqual(lacks("connect-src 'self'", { data: [new URL('https://cdn.example/a.sheaf')] }), ['connect-src https://cdn.example']);
    assert.deepEqual(lacks("require-trusted-types-for 'script'; trusted-types lit-html"), ['trusted-types sheaf']);
    assert.deepEqual(lacks("worker-src 'self', worker-src 'none'"), ["worker-src 'self'"], 'every policy must allow it');
  });
});

it("The doctor's fixture is read by ranges, so that the tests cover them", () => {
  const bundle = readdirSync(join(site, 'sheaf')).find((name) => name.startsWith('site-'));
  assert.ok(readFileSync(join(site, 'sheaf', bundle)).length > 100_000);
});
