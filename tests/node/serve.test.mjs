/** `sheaf serve`: SearXNG's JSON over HTTP, who may ask, and the command itself. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createPool } from '../../dist/node/mcp/pool.js';
import { Access } from '../../dist/node/operate/access.js';
import { Operation } from '../../dist/node/operate/operation.js';
import { createSearchServer } from '../../dist/node/serve/search_server.js';
import { MAIN, packFixture, temporaryFolder } from './packed.mjs';
import { emptyPool } from './searxng_fake.mjs';

const store = temporaryFolder('serve');
const pool = createPool(() => {}, { store });
const opened = [];

before(() => packFixture(join(store, 'kiln@1.4.0.sheaf')));
after(async () => {
  for (const server of opened) {
    server.closeAllConnections();
    server.close();
  }
  await pool.close();
});

/** A server over the store; `logs` is what it logged. */
async function serve({ token, ...options } = {}) {
  const logs = [];
  const log = (level, message) => logs.push(`${level}: ${message}`);
  const access = await Access.open({ token }, log);
  const operation = await Operation.create({ access, log, pool, version: '1' });
  const server = createSearchServer({ pool, operation, log, hosts: [], origins: [], ...options });
  opened.push(server);
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  return { port, logs, server };
}

/** One request, every header as given (fetch would not send another Host). */
function ask(port, path, { method = 'GET', headers = {}, body } = {}) {
  return new Promise((resolve, reject) => {
    const sent = request({ port, host: '127.0.0.1', path, method, headers, agent: false }, async (response) => {
      const chunks = [];
      for await (const chunk of response) chunks.push(chunk);
      const text = Buffer.concat(chunks).toString();
      const isJson = (response.headers['content-type'] ?? '').startsWith('application/json') && text !== '';
      resolve({ status: response.statusCode, headers: response.headers, text, json: isJson ? JSON.parse(text) : undefined });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

describe('sheaf serve: /search answers with the keys and errors of SearXNG', () => {
  let port;
  before(async () => ({ port } = await serve()));

  it("sheaf serve answers in SearXNG's JSON, by GET and by POST", async () => {
    const path = '/search?q=start+workers+one+after+another&format=json';
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const answers = [await ask(port, path), await ask(port, '/search', { method: 'POST', headers: form, body: path.slice(8) })];
    for (const { status, json, headers } of answers) {
      assert.equal(status, 200);
      assert.deepEqual(Object.keys(json), [
        'query',
        'results',
        'answers',
        'corrections',
        'infoboxes',
        'suggestions',
        'unresponsive_engines',
      ]);
      assert.equal(json.results[0].url, 'https://kiln.example/docs/guide/schedules#warming-up-slowly');
      assert.equal(headers['content-type'], 'application/json; charset=utf-8');
      assert.equal(headers['x-content-type-options'], 'nosniff');
    }
    assert.deepEqual(answers[0].json, answers[1].json);
  });

  const rows = [
    ['/search?format=json', 400, 'No query'],
    ['/search?q=&format=json', 400, 'No query'],
    ['/search?q=x&time_range=decade', 400, 'Invalid value decade for parameter time_range'],
    ['/search?q=x&safesearch=3', 400, 'Invalid value 3 for parameter safesearch'],
    ['/search?q=x&safesearch=high', 400, 'Invalid value high for parameter safesearch'],
    ['/search?q=x&pageno=0', 400, 'Invalid value 0 for parameter pageno'],
    ['/search?q=x&pageno=two', 400, 'Invalid value two for parameter pageno'],
    ['/search?q=x&language=klingon!', 400, 'Invalid value klingon! for parameter language'],
    ['/search?q=x&timeout_limit=soon', 400, 'Invalid value soon for parameter timeout_limit'],
    ['/search?q=x&format=html', 403, 'This server answers in JSON alone: format=json, not html'],
    ['/search?q=x&format=csv', 403, 'This server answers in JSON alone: format=json, not csv'],
    ['/elsewhere', 404, 'There is nothing here; ask /search?q=WORDS&format=json'],
    [`/search?q=${'x'.repeat(5000)}`, 400, 'Invalid value for parameter q: at most 4096 characters, got 5000. Search with fewer words.'],
    [`/search?q=${'x'.repeat(9000)}`, 414, 'The address is longer than 8192 characters; send long queries with POST'],
  ];
  for (const [path, status, error] of rows) {
    it(`sheaf serve answers ${status} for ${path.slice(0, 40)}`, async () => {
      const answer = await ask(port, path);
      assert.deepEqual([answer.status, answer.json], [status, { error }]);
    });
  }

  it('sheaf serve takes the parameters that SearXNG sends', async () => {
    for (const extra of [
      'time_range=',
      'time_range=week',
      'safesearch=0',
      'language=en-US',
      'language=all',
      'timeout_limit=3.5',
      'categories=it',
      'pageno=2',
      'pageno=1000',
    ]) {
      assert.equal((await ask(port, `/search?q=kiln&${extra}`)).status, 200, extra);
    }
  });

  it('An internal failure gives 500 {"error": "search error"}, and the log all details', async () => {
    const { port: other, logs } = await serve({ pool: { ...emptyPool, list: () => Promise.reject(new Error('the disk is gone')) } });
    const { status, json } = await ask(other, '/search?q=x');
    assert.deepEqual([status, json], [500, { error: 'search error' }]);
    assert.match(logs[0], /^error: GET \/search\?q=x: Error: the disk is gone/);
  });

  it('sheaf serve answers from an empty store with no results', async () => {
    const { port: other } = await serve({ pool: emptyPool });
    const { status, json } = await ask(other, '/search?q=x');
    assert.deepEqual([status, json.results], [200, []]);
  });

  it('sheaf serve answers avg, and !library', async () => {
    assert.equal((await ask(port, '/search?q=avg+1+2+3')).json.answers[0].answer, '[en] avg(1, 2, 3) = 2 ');
    assert.ok((await ask(port, '/search?q=!kiln+furnace')).json.results.length > 0);
  });

  it('sheaf serve redirects / with a query, and introduces itself at /', async () => {
    const moved = await ask(port, '/?q=a+b&format=json');
    assert.deepEqual([moved.status, moved.headers.location], [308, '/search?q=a+b&format=json']);
    const front = await ask(port, '/');
    assert.deepEqual([front.status, front.headers['content-type']], [200, 'text/html; charset=utf-8']);
    assert.match(front.text, /searches 1 library of documentation/);
    assert.match(front.headers['content-security-policy'], /default-src 'none'/);
  });

  it('sheaf serve is healthy, and answers HEAD without a body', async () => {
    assert.deepEqual((await ask(port, '/healthz')).json, { status: 'ok' });
    const { status, text, headers } = await ask(port, '/search?q=kiln', { method: 'HEAD' });
    assert.deepEqual([status, text], [200, '']);
    assert.ok(Number(headers['content-length']) > 100);
  });

  it('sheaf serve survives 50 simultaneous searches, and clients that leave', async () => {
    const leaving = Array.from({ length: 20 }, async () => {
      const socket = connect(port, '127.0.0.1');
      await once(socket, 'connect');
      socket.write('GET /search?q=kiln HTTP/1.1\r\nHost: localhost\r\n\r\n');
      socket.destroy();
    });
    const answers = await Promise.all(Array.from({ length: 50 }, (_, i) => ask(port, `/search?q=kiln+furnace+${i}`)));
    await Promise.all(leaving);
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
    assert.equal((await ask(port, '/healthz')).status, 200);
  });
});

describe('sheaf serve: who may ask', () => {
  it('sheaf serve refuses useless methods and bodies', async () => {
    const { port } = await serve();
    const put = await ask(port, '/search?q=x', { method: 'PUT' });
    assert.deepEqual([put.status, put.headers.allow], [405, 'GET, HEAD, POST, OPTIONS']);
    assert.equal((await ask(port, '/', { method: 'POST', body: 'q=x' })).status, 405);
    assert.equal((await ask(port, '/search', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' })).status, 415);
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const long = await ask(port, '/search', { method: 'POST', headers, body: `q=${'x'.repeat(70_000)}` });
    assert.deepEqual([long.status, long.json], [413, { error: 'The body is longer than 65536 bytes' }]);
  });

  it('sheaf serve refuses another Host: a rebound name is an attack', async () => {
    const { port } = await serve({ hosts: ['docs.lan'] });
    for (const host of [
      'evil.example',
      `evil.example:${port}`,
      'localhost.evil.example',
      '127.0.0.1.nip.io',
      'localhost:x',
      'a@localhost',
    ]) {
      const { status, json } = await ask(port, '/search?q=x', { headers: { host } });
      assert.equal(status, 403, host);
      assert.match(json.error, /--allow-host/);
    }
    for (const host of ['localhost', `LOCALHOST:${port}`, '127.0.0.1', `[::1]:${port}`, 'docs.lan', 'docs.lan.:80', '192.168.1.7']) {
      assert.equal((await ask(port, '/search?q=x', { headers: { host } })).status, 200, host);
    }
  });

  it('sheaf serve refuses pages of other sites unless they are allowed', async () => {
    const { port } = await serve();
    const closed = await ask(port, '/search?q=x', { headers: { origin: 'https://docs.example' } });
    assert.deepEqual([closed.status, closed.headers['access-control-allow-origin']], [403, undefined]);
    assert.equal((await ask(port, '/search?q=x', { headers: { origin: 'null' } })).status, 403);
    assert.equal(
      (await ask(port, '/search?q=x', { headers: { host: `localhost:${port}`, origin: `http://localhost:${port}` } })).status,
      200,
      'its own',
    );

    const { port: open } = await serve({ origins: ['https://docs.example'] });
    const allowed = await ask(open, '/search?q=x', { headers: { origin: 'https://docs.example' } });
    assert.deepEqual(
      [allowed.status, allowed.headers['access-control-allow-origin'], allowed.headers.vary],
      [200, 'https://docs.example', 'Origin'],
    );
    assert.equal((await ask(open, '/search?q=x', { headers: { origin: 'https://evil.example' } })).status, 403);
    const preflight = await ask(open, '/search', { method: 'OPTIONS', headers: { origin: 'https://docs.example' } });
    assert.deepEqual([preflight.status, preflight.headers['access-control-allow-methods']], [204, 'GET, HEAD, POST, OPTIONS']);
    assert.equal(
      (await ask((await serve({ origins: ['*'] })).port, '/search?q=x', { headers: { origin: 'https://any.example' } })).status,
      200,
    );
  });

  it('sheaf serve wants its token, but tells anyone that it runs', async () => {
    const { port } = await serve({ token: 'open-sesame' });
    const denied = await ask(port, '/search?q=x');
    assert.deepEqual([denied.status, denied.headers['www-authenticate']], [401, 'Bearer realm="sheaf"']);
    for (const authorization of ['Bearer wrong', 'open-sesame', 'Basic open-sesame', 'Bearer open-sesame2']) {
      assert.equal((await ask(port, '/search?q=x', { headers: { authorization } })).status, 401, authorization);
    }
    assert.equal((await ask(port, '/search?q=x', { headers: { authorization: 'Bearer open-sesame' } })).status, 200);
    assert.equal((await ask(port, '/healthz')).status, 200);
  });
});

describe('sheaf serve: the command', () => {
  function start(args, env = {}) {
    const child = spawn(process.execPath, [MAIN, 'serve', ...args], { env: { ...process.env, ...env } });
    const result = { child, stdout: '', stderr: '', end: once(child, 'close') };
    child.stdout.on('data', (chunk) => (result.stdout += chunk));
    child.stderr.on('data', (chunk) => (result.stderr += chunk));
    return result;
  }

  it('sheaf serve prints its address, serves the store, and ends on SIGTERM', async () => {
    const run = start(['--port', '0', '--store', store], { SHEAF_SERVE_TOKEN: 'abc' });
    await once(run.child.stdout, 'data');
    const { port, hostname } = new URL(run.stdout.trim());
    assert.equal(hostname, '127.0.0.1');
    const { json } = await ask(port, '/search?q=furnace&format=json', { headers: { authorization: 'Bearer abc' } });
    assert.ok(json.results.length > 0);
    run.child.kill('SIGTERM');
    assert.deepEqual((await run.end)[0], 0);
    assert.equal(run.stderr, '');
  });

  it('sheaf serve warns where other machines can reach it', async () => {
    const run = start(['--port', '0', '--host', '0.0.0.0', '--store', store, '--json']);
    await once(run.child.stdout, 'data');
    assert.equal(JSON.parse(run.stdout).host, '0.0.0.0');
    run.child.kill('SIGINT');
    assert.deepEqual((await run.end)[0], 0);
    assert.match(run.stderr, /^\[warn\] Everyone who reaches 0\.0\.0\.0 may search the store/);
  });

  const wrong = [
    [['--port', '99999'], '--port must be a number from 0 to 65535'],
    [['--allow-origin', 'docs.example'], '--allow-origin takes a scheme and a host'],
    [['--allow-origin', 'https://docs.example/path'], '--allow-origin takes a scheme and a host'],
    [[], 'SHEAF_SERVE_TOKEN must be made of printable ASCII', { SHEAF_SERVE_TOKEN: 'two words' }],
    [['.', '--store', 'x'], '--store is for the libraries in the store, without a folder'],
    [['.', '--allow-origin', '*'], '--allow-origin is for the libraries in the store'],
    [['--include', '*.html'], '--include is for a site: sheaf serve DIR --include'],
    [['a', 'b'], 'Name the folder that your site generator wrote'],
    [['--colour'], 'See: sheaf serve --help'],
  ];
  for (const [args, message, env] of wrong) {
    it(`sheaf serve ends with 2 for ${args.join(' ') || 'a token with a space'}`, async () => {
      const run = start(args, env);
      assert.deepEqual((await run.end)[0], 2);
      assert.ok(run.stderr.includes(message), run.stderr);
    });
  }

  it('sheaf serve has help', async () => {
    const run = start(['--help']);
    assert.deepEqual((await run.end)[0], 0);
    assert.match(run.stdout, /^Usage: sheaf serve /);
  });

  it('sheaf serve reports a taken port', async () => {
    const { port } = await serve();
    const run = start(['--port', String(port), '--store', store]);
    assert.deepEqual((await run.end)[0], 1);
    assert.match(run.stderr, /cannot listen at 127\.0\.0\.1: port \d+ is taken; choose another with --port/);
  });
});
