/** What operators of a server have: tokens and their limits, an issuer's tokens, counts, logs, probes, a graceful end. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { bundleLibraries } from '../../scripts/library_bundle.mjs';
import { createPool } from '../../dist/node/mcp/pool.js';
import { Access } from '../../dist/node/operate/access.js';
import { mayRead } from '../../dist/node/operate/identity.js';
import { Rates } from '../../dist/node/operate/rate.js';
import { hashOf } from '../../dist/node/base/hash.js';
import { addToken, LiveTokens, parseTokens, readTokens } from '../../dist/node/operate/tokens_file.js';
import { ERAS, listen, serverEnvironment } from './mcp_client.mjs';
import { MAIN, packFixture, temporaryFolder } from './packed.mjs';
import { until } from './until.mjs';

await bundleLibraries();

const root = temporaryFolder('operate');
const fresh = (name) => join(mkdtempSync(join(root, 'case-')), name);
const silent = () => {};
const READ = { scopes: ['read'] };

/** A request whose every header is the test's own. */
function send(url, { method = 'GET', headers = {}, body } = {}) {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk) => (text += chunk));
      response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, text }));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

const bearing = (token) => ({ headers: { Authorization: `Bearer ${token}` } });
const lines = (log) =>
  log
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

describe('a file of tokens', () => {
  it('A token is added to a new file that only its owner reads, and only its hash is kept', async () => {
    const file = fresh('tokens.json');
    const token = await addToken(file, { name: 'ci', ...READ, libraries: ['acme-*'], perMinute: 60, expires: '2999-01-31' });
    assert.match(token, /^sheaf_[\w-]{43}$/);
    const text = readFileSync(file, 'utf8');
    assert.ok(!text.includes(token));
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.deepEqual((await readTokens(file)).entries, [
      { name: 'ci', sha256: hashOf(token), scopes: ['read'], libraries: ['acme-*'], perMinute: 60, expires: Date.parse('2999-01-31') },
    ]);
  });

  it('Tokens that are added at once are all kept, and a name is taken once', async () => {
    const file = fresh('tokens.json');
    const names = Array.from({ length: 8 }, (_, i) => `team-${i}`);
    await Promise.all(names.map((name) => addToken(file, { name, ...READ })));
    assert.deepEqual((await readTokens(file)).entries.map(({ name }) => name).sort(), names);
    await assert.rejects(addToken(file, { name: 'team-3', ...READ }), /has a token of the name team-3/);
  });

  it('An error in the file names the key and what is allowed', () => {
    const sha256 = hashOf('x');
    const cases = {
      'is not JSON': '{',
      "has the key 'token'; there may be tokens, issuer": '{"token":[]}',
      'tokens must be a list': '{"tokens":{}}',
      'tokens[0].name must be': '{"tokens":[{"name":"a b"}]}',
      'tokens[0].sha256 must be the SHA-256': '{"tokens":[{"name":"a","sha256":"secret"}]}',
      'tokens[0].scopes must be a list of read, write, metrics': { scopes: ['admin'] },
      'tokens[0].libraries must be a list of names': { libraries: ['*-docs'] },
      'tokens[0].expires must be a day or a time': { expires: 'tomorrow' },
      'tokens[0].perMinute must be a whole number': { perMinute: 0.5 },
      "tokens[0] has the key 'until'": { until: 1 },
      'has the name a twice': `{"tokens":[{"name":"a","sha256":"${sha256}"},{"name":"a","sha256":"${hashOf('y')}"}]}`,
      'issuer.jwks must be an address that begins with https://':
        '{"issuer":{"issuer":"https://login.example","jwks":"http://login.example/keys"}}',
    };
    for (const [message, given] of Object.entries(cases)) {
      const text = typeof given === 'string' ? given : JSON.stringify({ tokens: [{ name: 'a', sha256, ...given }] });
      assert.throws(
        () => parseTokens(text, 'tokens.json'),
        (error) => error.message.includes(message) && error.message.startsWith('tokens.json') && error.exitCode === 2,
        message,
      );
    }
  });

  it('An edit of the file counts within a second, and a broken one leaves what was', async () => {
    const file = fresh('tokens.json');
    const first = await addToken(file, { name: 'first', ...READ });
    const complaints = [];
    const tokens = await LiveTokens.open(file, (text) => complaints.push(text));
    const second = await addToken(file, { name: 'second', ...READ });
    await until(async () => (await tokens.find(second))?.name === 'second', 'the second token');
    writeFileSync(file, '{ "tokens": [');
    await until(async () => (await tokens.find(first)) && complaints.length > 0, 'a complaint');
    assert.equal((await tokens.find(first)).name, 'first');
    assert.match(complaints[0], /is not JSON.*The tokens of before stay in force/);
    writeFileSync(file, '{ "tokens": [] }');
    await until(async () => (await tokens.find(first)) === undefined, 'the end of the first token');
  });

  it('A token ends when it expires', async () => {
    const file = fresh('tokens.json');
    const token = await addToken(file, { name: 'brief', ...READ, expires: '2001-02-03' });
    const access = await Access.open({ file }, silent);
    await assert.rejects(access.admit(`Bearer ${token}`, 'read'), { status: 401, message: /or it has expired/ });
  });

  it('A grant names libraries, or how their names begin', () => {
    const grant = { libraries: ['kiln', '@acme/*'] };
    for (const library of ['kiln', '@acme/ui']) assert.ok(mayRead(grant, library), library);
    for (const library of ['kiln2', 'Kiln', '@acm', 'x@acme/ui', '']) assert.ok(!mayRead(grant, library), library);
    assert.ok(mayRead({}, 'any'));
    assert.ok(!mayRead({ libraries: [] }, 'any'));
  });

  it('A rate allows a minute at once, then fills evenly, each name its own', () => {
    let now = 0;
    const rates = new Rates(() => now);
    for (let i = 0; i < 6; i++) assert.equal(rates.take('a', 6), 0);
    assert.equal(rates.take('a', 6), 10);
    assert.equal(rates.take('b', 6), 0);
    now = 9_999;
    assert.equal(rates.take('a', 6), 1);
    now = 10_000;
    assert.equal(rates.take('a', 6), 0);
    assert.equal(rates.take('a', 6), 10);
    now = 10_000_000;
    for (let i = 0; i < 6; i++) assert.equal(rates.take('a', 6), 0);
    assert.ok(rates.take('a', 6) > 0);
  });

  it('sheaf token prints a token once, and refuses what the file could not hold', () => {
    const file = fresh('tokens.json');
    const token = (...args) => spawnSync(process.execPath, [MAIN, 'token', ...args], { encoding: 'utf8' });
    const made = token('ci', '--tokens', file, '--scope', 'read', '--scope', 'metrics', '--library', 'kiln', '--per-minute', '9');
    assert.equal(made.status, 0, made.stderr);
    assert.match(made.stdout, /^sheaf_[\w-]{43}\n$/);
    assert.match(made.stderr, /Keep the token: it is not shown again/);
    for (const [message, ...args] of [
      ['takes one name and a file', 'ci'],
      ['--scope takes read, write, metrics', 'x', '--tokens', file, '--scope', 'root'],
      ['--per-minute takes a whole number', 'x', '--tokens', file, '--per-minute', '0'],
      ['expires must be a day or a time', 'x', '--tokens', file, '--expires', 'soon'],
      ['libraries must be a list of names', 'x', '--tokens', file, '--library', '*'.repeat(2)],
    ]) {
      const { status, stderr } = token(...args);
      assert.equal(status, 2, args.join(' '));
      assert.ok(stderr.includes(message), stderr);
    }
    assert.equal(JSON.parse(readFileSync(file, 'utf8')).tokens.length, 1);
  });
});

describe('a server with tokens', () => {
  const store = join(root, 'store');
  const file = join(root, 'tokens.json');
  const tokens = {};
  let server;
  let base;

  before(async () => {
    mkdirSync(store);
    await packFixture(join(store, 'kiln@1.4.0.sheaf'));
    await packFixture(join(store, 'acme-oven@2.0.0.sheaf'), { library: 'acme-oven', version: '2.0.0' });
    const add = async (name, more) => (tokens[name] = await addToken(file, { name, ...READ, ...more }));
    await add('everything', { scopes: ['read', 'write', 'metrics'] });
    await add('kiln-only', { libraries: ['kiln'] });
    await add('acme-only', { libraries: ['acme-*'] });
    await add('nothing', { libraries: [] });
    await add('slow', { perMinute: 3 });
    await add('prometheus', { scopes: ['metrics'] });
    server = await listen({ store, args: ['--tokens', file, '--metrics', '--log-format', 'json', '--tools', 'all'] });
    base = server.url.replace(/\/mcp$/, '');
  });
  after(() => server?.close());

  const open = (name, era = 'legacy') => server.connect(era, bearing(tokens[name]));
  const textOf = ({ content }) => content[0].text;
  const search = (client, library) =>
    client.callTool({
      name: 'search_documents_tool',
      arguments: { query: 'wait for several batches', ...(library === undefined ? {} : { library_name: library }) },
    });

  for (const era of ERAS) {
    it(`A token that is limited to libraries lists, finds and reads no others (${era})`, async () => {
      const client = await open('kiln-only', era);
      assert.equal(textOf(await client.callTool({ name: 'list_libraries_tool' })), '{"kiln":["1.4.0"]}');
      assert.match(textOf(await search(client, 'kiln')), /Batches/);
      const everywhere = await search(client);
      assert.ok(!textOf(everywhere).includes('acme-oven'));
      assert.ok(!textOf(await search(client, 'acme-oven')).includes('Batches'));
      const { resources } = await client.listResources();
      assert.ok(resources.length > 0 && resources.every(({ uri }) => uri.includes('kiln') && !uri.includes('acme')));
      await assert.rejects(client.readResource({ uri: resources[0].uri.replace('kiln', 'acme-oven').replace('1.4.0', '2.0.0') }));
      assert.ok(
        !JSON.stringify(await client.callTool({ name: 'search', arguments: { query: 'wait for several batches' } })).includes('acme'),
      );
      await client.close();
      const other = await open('acme-only', era);
      assert.equal(textOf(await other.callTool({ name: 'list_libraries_tool' })), '{"acme-oven":["2.0.0"]}');
      await other.close();
      const none = await open('nothing', era);
      assert.equal(textOf(await none.callTool({ name: 'list_libraries_tool' })), '{}');
      await none.close();
    });

    it(`A token sees and calls only the tools that its scopes and limits allow (${era})`, async () => {
      const all = await open('everything', era);
      const names = (await all.listTools()).tools.map(({ name }) => name);
      await all.close();
      const client = await open('kiln-only', era);
      const seen = (await client.listTools()).tools.map(({ name }) => name);
      assert.deepEqual(
        names.filter((name) => !seen.includes(name)).sort(),
        ['create_index', 'delete_index', 'get_index_status', 'knowledge.listDatasets', 'knowledge.search', 'search_docs'].sort(),
      );
      const { isError, content } = await client.callTool({ name: 'create_index' });
      assert.ok(isError);
      assert.match(content[0].text, /The token of kiln-only may not call create_index: it lacks the scope 'write'/);
      assert.match(textOf(await client.callTool({ name: 'knowledge.listDatasets' })), /limited to some libraries/);
      await client.close();
    });
  }

  it('Calls of different tokens at the same time are not mixed up', async () => {
    const clients = await Promise.all(['kiln-only', 'acme-only', 'everything'].map((name) => open(name)));
    const expected = ['{"kiln":["1.4.0"]}', '{"acme-oven":["2.0.0"]}', '{"acme-oven":["2.0.0"],"kiln":["1.4.0"]}'];
    const answers = await Promise.all(Array.from({ length: 90 }, (_, i) => clients[i % 3].callTool({ name: 'list_libraries_tool' })));
    answers.forEach((answer, i) => assert.equal(textOf(answer), expected[i % 3]));
    await Promise.all(clients.map((client) => client.close()));
  });

  it('A token without its scope is refused with 403, one beyond its rate with 429', async () => {
    const post = (token) =>
      send(server.url, {
        method: 'POST',
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
        headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', Authorization: `Bearer ${token}` },
      });
    const scope = await post(tokens.prometheus);
    assert.equal(scope.status, 403);
    assert.match(scope.headers['www-authenticate'], /error="insufficient_scope"/);
    assert.match(scope.text, /lacks the scope 'read'/);
    const statuses = [];
    for (let i = 0; i < 4; i++) statuses.push((await post(tokens.slow)).status);
    assert.deepEqual(statuses, [200, 200, 200, 429]);
    const refused = await post(tokens.slow);
    assert.ok(Number(refused.headers['retry-after']) > 0);
    assert.match(refused.text, /slow may ask 3 times a minute/);
    assert.equal((await post('sheaf_unknown')).status, 401);
  });

  it('Probes need no token, and /metrics needs one of its scope', async () => {
    assert.deepEqual(JSON.parse((await send(`${base}/healthz`)).text), { status: 'ok' });
    assert.deepEqual(JSON.parse((await send(`${base}/readyz`)).text), { status: 'ready' });
    assert.equal((await send(`${base}/readyz`, { method: 'POST' })).status, 405);
    assert.equal((await send(`${base}/metrics`)).status, 401);
    assert.equal((await send(`${base}/metrics`, bearing(tokens['kiln-only']))).status, 403);
    const { status, text, headers } = await send(`${base}/metrics`, bearing(tokens.prometheus));
    assert.equal(status, 200);
    assert.match(headers['content-type'], /^text\/plain; version=0\.0\.4/);
    assert.match(text, /^sheaf_libraries 2$/m);
    assert.match(text, /^sheaf_ready 1$/m);
    assert.match(text, /^sheaf_calls_total\{tool="list_libraries_tool",outcome="ok"\} \d+$/m);
    assert.match(text, /^sheaf_calls_total\{tool="create_index",outcome="refused"\} 2$/m);
    assert.match(text, /^sheaf_token_requests_total\{token="kiln-only"\} \d+$/m);
    assert.match(text, /^sheaf_refused_total\{status="429"\} 2$/m);
    assert.match(text, /^sheaf_requests_total\{endpoint="mcp",status="200"\} \d+$/m);
    assert.match(text, /^sheaf_open_libraries [12]$/m);
    assert.ok(Number(/^sheaf_open_bytes (\S+)$/m.exec(text)[1]) > 0);
  });

  it("The operator's page has every metric, and no other", async () => {
    const { text } = await send(`${base}/metrics`, bearing(tokens.prometheus));
    const counted = [...text.matchAll(/^# TYPE (sheaf_\w+) /gm)].map(([, name]) => name).sort();
    const page = readFileSync(new URL('../../docs/operators.md', import.meta.url), 'utf8');
    const documented = [...page.matchAll(/^\| `(sheaf_\w+)`/gm)].map(([, name]) => name).sort();
    assert.deepEqual(documented, counted);
  });

  it('The log has a line of JSON for each request, with its id, and neither questions nor tokens', async () => {
    const { headers } = await send(`${base}/nowhere`, { headers: { 'X-Request-Id': 'trace:1.2-3' } });
    assert.equal(headers['x-request-id'], 'trace:1.2-3');
    const forged = await send(`${base}/nowhere`, { headers: { 'X-Request-Id': 'a b' } });
    assert.match(forged.headers['x-request-id'], /^[0-9a-f-]{36}$/);
    await until(() => server.log().includes(forged.headers['x-request-id']), 'the log line');
    const entries = lines(server.log());
    const { time, milliseconds, ...line } = entries.find(({ request: id }) => id === 'trace:1.2-3');
    assert.ok(Date.parse(time) > 0 && milliseconds >= 0);
    assert.deepEqual(line, { level: 'info', message: 'request', request: 'trace:1.2-3', endpoint: 'other', method: 'GET', status: '404' });
    const call = entries.find(({ tool }) => tool === 'search_documents_tool');
    assert.deepEqual([call.outcome, call.status, call.endpoint], ['ok', '200', 'mcp']);
    assert.ok(['kiln-only', 'acme-only'].includes(call.token));
    assert.ok(!server.log().includes('several batches'));
    for (const token of Object.values(tokens)) assert.ok(!server.log().includes(token));
  });
});

describe("a company's issuer", () => {
  const AUDIENCE = 'https://docs.acme.example/mcp';
  const store = join(root, 'issuer-store');
  const file = join(root, 'issuer.json');
  let issuer; // its server
  let origin;
  let key;
  let server;

  before(async () => {
    mkdirSync(store);
    await packFixture(join(store, 'kiln@1.4.0.sheaf'));
    await packFixture(join(store, 'other@1.sheaf'), { library: 'other', version: '1' });
    const pair = await generateKeyPair('ES256');
    key = pair.privateKey;
    const jwks = { keys: [{ ...(await exportJWK(pair.publicKey)), kid: 'one', alg: 'ES256', use: 'sig' }] };
    issuer = createServer((_, response) => response.setHeader('Content-Type', 'application/json').end(JSON.stringify(jwks)));
    await new Promise((resolve) => issuer.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${issuer.address().port}`;
    writeFileSync(
      file,
      JSON.stringify({ issuer: { issuer: origin, jwks: `${origin}/keys`, audience: AUDIENCE, libraries: ['kiln'], perMinute: 1000 } }),
    );
    server = await listen({ store, args: ['--tokens', file, '--log-format', 'json'] });
  });
  after(async () => {
    await server?.close();
    issuer?.closeAllConnections();
    issuer?.close();
  });

  const signed = ({ alg = 'ES256', by = key, claims = {}, ...more } = {}) =>
    new SignJWT({ scope: 'openid read', ...claims })
      .setProtectedHeader({ alg, kid: 'one' })
      .setIssuer(more.iss ?? origin)
      .setSubject('ada@acme.example')
      .setAudience(more.aud ?? AUDIENCE)
      .setIssuedAt()
      .setExpirationTime(more.exp ?? '5m')
      .sign(by);

  for (const era of ERAS)
    it(`A signed token of the issuer is let in, within the issuer's limits (${era})`, async () => {
      const client = await server.connect(era, bearing(await signed()));
      const { content } = await client.callTool({ name: 'list_libraries_tool' });
      assert.equal(content[0].text, '{"kiln":["1.4.0"]}');
      await client.close();
      await until(() => lines(server.log()).some(({ token }) => token === 'ada@acme.example'), 'its name in the log');
    });

  it('A token of another issuer, audience, key, time or algorithm is refused', async () => {
    const stranger = (await generateKeyPair('ES256')).privateKey;
    const none = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${(await signed()).split('.')[1]}.`;
    const jwks = await (await fetch(`${origin}/keys`)).text();
    const wrong = {
      issuer: await signed({ iss: 'https://login.evil.example' }),
      audience: await signed({ aud: 'https://other.acme.example' }),
      key: await signed({ by: stranger }),
      time: await signed({ exp: Math.floor(Date.now() / 1000) - 60 }),
      none,
      secret: await signed({ alg: 'HS256', by: new TextEncoder().encode(jwks) }),
      text: 'a.b.c',
    };
    for (const [name, token] of Object.entries(wrong)) {
      const { status, headers } = await send(server.url, { method: 'POST', ...bearing(token) });
      assert.equal(status, 401, name);
      assert.match(headers['www-authenticate'], /error="invalid_token"/);
    }
    assert.equal((await send(server.url, { method: 'POST', ...bearing(await signed({ claims: { scope: 'openid' } })) })).status, 403);
    const byList = await send(server.url, { method: 'POST', ...bearing(await signed({ claims: { scope: undefined, scp: ['read'] } })) });
    assert.notEqual(byList.status, 403);
  });

  it('A client without a token learns from the answer where to get one (RFC 9728)', async () => {
    const { status, headers } = await send(server.url, { method: 'POST' });
    assert.equal(status, 401);
    const place = 'https://docs.acme.example/.well-known/oauth-protected-resource/mcp';
    assert.equal(headers['www-authenticate'], `Bearer realm="sheaf", scope="read", resource_metadata="${place}"`);
    for (const path of [new URL(place).pathname, '/.well-known/oauth-protected-resource']) {
      const metadata = await send(new URL(path, server.url));
      assert.equal(metadata.status, 200);
      assert.deepEqual(JSON.parse(metadata.text), {
        resource: AUDIENCE,
        authorization_servers: [origin],
        scopes_supported: ['read', 'write'],
        bearer_methods_supported: ['header'],
        resource_name: 'Sheaf documentation search',
      });
    }
  });

  it('Where the keys cannot be had, tokens are put off with 503', async () => {
    const gone = fresh('tokens.json');
    writeFileSync(gone, JSON.stringify({ issuer: { issuer: origin, jwks: 'http://127.0.0.1:9/keys', audience: AUDIENCE } }));
    const logged = [];
    const access = await Access.open({ file: gone }, (level, message) => logged.push(`${level}: ${message}`));
    await assert.rejects(access.admit(`Bearer ${await signed()}`, 'read'), { status: 503 });
    assert.match(logged[0], /^error: The keys at http:\/\/127\.0\.0\.1:9\/keys cannot be read/);
  });
});

describe('the end of a server', () => {
  const store = join(root, 'ending');
  before(async () => {
    mkdirSync(store);
    await packFixture(join(store, 'kiln@1.4.0.sheaf'));
  });

  /** Sends a request in two parts; `rest` sends the second and resolves with the answer. */
  function begin(url, { path, headers, body }) {
    const { hostname, port } = new URL(url);
    const sent = request({ hostname, port, path, method: 'POST', agent: false, headers: { ...headers, 'Content-Length': body.length } });
    const answer = new Promise((resolve, reject) => {
      sent.on('error', reject);
      sent.on('response', (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk) => (text += chunk));
        response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, text }));
      });
    });
    sent.write(body.slice(0, 10));
    return { rest: () => (sent.end(body.slice(10)), answer) };
  }

  it('sheaf mcp answers what was asked before SIGTERM, and takes nothing new', async () => {
    const server = await listen({ store, args: ['--log-format', 'json'] });
    const call = { name: 'search_documents_tool', arguments: { query: 'wait for several batches', library_name: 'kiln' } };
    const asked = begin(server.url, {
      path: '/mcp',
      headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', 'MCP-Protocol-Version': '2025-06-18' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call }),
    });
    await send(`${new URL(server.url).origin}/healthz`); // the first part has arrived before this
    const ended = server.close();
    await until(
      () =>
        send(server.url).then(
          () => false,
          () => true,
        ),
      'an end of listening',
    );
    const { status, headers, text } = await asked.rest();
    assert.equal(status, 200);
    assert.equal(headers.connection, 'close');
    assert.match(text, /Batches/);
    assert.equal((await ended).code, 0);
  });

  it('sheaf serve answers what was asked before SIGTERM', async () => {
    const child = spawn(process.execPath, [MAIN, 'serve', '--port', '0', '--store', store, '--metrics', '--log-format', 'json'], {
      env: serverEnvironment(),
    });
    let log = '';
    child.stderr.on('data', (chunk) => (log += chunk));
    const url = String(await once(child.stdout, 'data')).trim();
    const end = once(child, 'close');
    const asked = begin(url, {
      path: '/search',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: 'q=wait+for+several+batches&format=json',
    });
    assert.match((await send(`${url}metrics`)).text, /^sheaf_requests_in_flight 1$/m);
    child.kill('SIGTERM');
    await until(
      () =>
        send(url).then(
          () => false,
          () => true,
        ),
      'an end of listening',
    );
    const { status, text } = await asked.rest();
    assert.equal(status, 200);
    assert.ok(JSON.parse(text).results.length > 0);
    assert.equal((await end)[0], 0);
    assert.ok(lines(log).some(({ endpoint, status: of }) => endpoint === 'search' && of === '200'));
  });

  it('A server whose libraries cannot be listed runs, but is not ready', async () => {
    const { Operation } = await import('../../dist/node/operate/operation.js');
    const pool = createPool(silent, { store });
    const broken = { list: () => Promise.reject(new Error('the disk is gone')), onChange: () => silent };
    const access = await Access.open({}, silent);
    const operation = await Operation.create({ access, log: silent, pool: broken, version: '1' });
    const ask = { method: 'GET', headers: {} };
    assert.equal((await operation.own(ask, '/healthz')).status, 200);
    const { status, body } = await operation.own(ask, '/readyz');
    assert.equal(status, 503);
    assert.match(body, /the disk is gone/);
    const sound = await Operation.create({ access, log: silent, pool, version: '1' });
    assert.equal((await sound.own(ask, '/readyz')).status, 200);
    sound.end();
    assert.equal((await sound.own(ask, '/readyz')).status, 503);
    assert.equal(await sound.own(ask, '/metrics'), undefined);
    await pool.close();
  });
});

describe('flags of operators', () => {
  const run = (args, env = {}) =>
    spawnSync(process.execPath, [MAIN, ...args], { encoding: 'utf8', env: { ...serverEnvironment(), ...env }, timeout: 20_000 });

  it('Flags that contradict each other end with 2 and say why', () => {
    for (const [message, args, env] of [
      ['--tokens belongs to --http', ['mcp', '--tokens', 'x']],
      ['--metrics belongs to --http', ['mcp', '--metrics']],
      ['Give either --tokens or SHEAF_MCP_TOKEN', ['mcp', '--http', '0', '--tokens', 'x'], { SHEAF_MCP_TOKEN: 't' }],
      ['Give either --tokens or SHEAF_SERVE_TOKEN', ['serve', '--tokens', 'x'], { SHEAF_SERVE_TOKEN: 't' }],
      ['--log-format must be text or json', ['mcp', '--log-format', 'xml']],
      ['so a token is needed: set SHEAF_MCP_TOKEN, or give --tokens', ['mcp', '--http', '0.0.0.0:0']],
      ['--tokens is for the libraries in the store', ['serve', '.', '--tokens', 'x']],
    ]) {
      const { status, stderr } = run(args, env);
      assert.equal(status, 2, `${args.join(' ')}: ${stderr}`);
      assert.ok(stderr.includes(message), stderr);
    }
    const missing = run(['mcp', '--http', '0', '--tokens', join(root, 'none.json')]);
    assert.equal(missing.status, 4);
    assert.match(missing.stderr, /there is no such file; make one with: sheaf token NAME --tokens FILE/);
  });
});
