/** The one guarded HTTP client: both of its uses judge every form of an address alike, and carry no secret along. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { get, Guard, HttpFailure, readBody } from '../../dist/node/net/guarded_http.js';
import { isPrivateAddress } from '../../dist/node/net/private_address.js';

/** Nothing here is public, so one of the loopback addresses stands for it. */
const isPrivate = (address) => address !== '127.0.0.2' && isPrivateAddress(address);
const refuse = (url, address) => Object.assign(new Error(`refused: ${address ?? url.protocol}`), { refused: true });
const servers = [];
let outside;
let inside;

async function server(host) {
  const seen = [];
  const http = createServer((request, response) => {
    const url = new URL(request.url, 'http://x');
    seen.push([url.pathname, request.headers.authorization]);
    const to = url.searchParams.get('to');
    if (to !== null) return response.writeHead(302, { location: to.replace(/[^\x20-\x7e]/g, encodeURIComponent) }).end();
    if (url.pathname === '/zipped') return response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('x'.repeat(5000)));
    if (url.pathname === '/odd') return response.writeHead(200, { 'content-encoding': 'rot13' }).end('k');
    response.end('here');
  });
  await new Promise((done) => http.listen(0, host, done));
  servers.push(http);
  return { port: http.address().port, origin: `http://${host}:${http.address().port}`, seen };
}

before(async () => {
  outside = await server('127.0.0.2');
  inside = await server('127.0.0.1');
});
after(() => servers.forEach((http) => (http.closeAllConnections(), http.close())));

function fetchFrom(start, options = {}, request = {}) {
  return get(
    new URL(start),
    {
      guard: new Guard({ allowPrivate: false, isPrivate, refuse, ...options }),
      headers: {},
      maxRedirects: 3,
      hop: (_, work) => work(AbortSignal.timeout(20_000)),
      badRedirect: (location, isTooMany) => new Error(isTooMany ? 'too many' : `bad: ${location}`),
      ...request,
    },
    async (response, url) => `${url.pathname} ${await readBody(response, 1000, () => {})}`,
  );
}

const FORMS = [
  '127.0.0.1',
  '127.1',
  '127.0.1',
  '0x7f.1',
  '0x7f000001',
  '0177.0.0.1',
  '017700000001',
  '2130706433',
  '127.0.0.1.',
  '127.255.255.254',
  '１２７.０.０.１',
  '127。0。0。1',
  '0',
  '0.0.0.0',
  '10.0.0.1',
  '10.1',
  '172.16.0.1',
  '192.168.1.1',
  '169.254.169.254',
  '0xa9fea9fe',
  '100.64.0.1',
  '198.18.0.1',
  '224.0.0.1',
  '255.255.255.255',
  'localhost',
  'LOCALHOST.',
  'a.localhost',
  '[::1]',
  '[::]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[0:0:0:0:0:ffff:7f00:1]',
  '[::127.0.0.1]',
  '[64:ff9b::7f00:1]',
  '[64:ff9b::10.0.0.1]',
  '[64:ff9b:1::1]',
  '[fe80::1]',
  '[fc00::1]',
  '[fd00:ec2::254]',
  '[2002:7f00:1::]',
  '[2001:0:7f00:1::]',
  '[ff02::1]',
];

describe('an address of a private network', () => {
  it(`A private address is refused in each of ${FORMS.length} forms, as start or redirect`, async () => {
    for (const form of FORMS) {
      const address = `http://${form}:${inside.port}/secret`;
      await assert.rejects(fetchFrom(address), { refused: true }, `${form} as a start`);
      const away = `${outside.origin}/away?to=${encodeURIComponent(address)}`;
      await assert.rejects(fetchFrom(away), { refused: true }, `to ${form}`);
      await assert.rejects(fetchFrom(away, { fromInside: true }), { refused: true }, `to ${form}, from inside`);
      await assert.rejects(fetchFrom(away, { own: 'http://127.0.0.9/' }), { refused: true }, `to ${form}, beside one's own`);
    }
    assert.deepEqual(inside.seen, [], 'no request arrives');
  });

  it('A private address is followed where the user typed it, on that host and port', async () => {
    assert.equal(await fetchFrom(`${inside.origin}/a`, { own: inside.origin }), '/a here');
    assert.equal(await fetchFrom(`${inside.origin}/x?to=/b`, { own: inside.origin }), '/b here');
    await assert.rejects(fetchFrom(`${inside.origin}/x?to=${inside.origin.replace(/:\d+$/, ':1')}/`, { own: inside.origin }), {
      refused: true,
    });
  });

  it('A private address is followed from inside, and never after a public answer', async () => {
    assert.equal(await fetchFrom(`${inside.origin}/x?to=http://localhost:${inside.port}/b`, { fromInside: true }), '/b here');
    const there = `${outside.origin}/y?to=${encodeURIComponent(`${inside.origin}/c`)}`;
    await assert.rejects(fetchFrom(`${inside.origin}/x?to=${encodeURIComponent(there)}`, { fromInside: true }), { refused: true });
    assert.equal(await fetchFrom(there, { allowPrivate: true }), '/c here');
  });

  it("A private address behind a name is refused by the connection's own lookup", async () => {
    const guard = new Guard({ allowPrivate: false, refuse });
    const url = new URL('http://name.example/');
    const failed = await new Promise((done) => guard.lookup(url)('localhost', { all: true }, done));
    assert.equal(failed.refused, true);
    assert.equal(guard.threw(failed), true);
    assert.equal(guard.threw(new Error('refused: 127.0.0.1')), false);
    await assert.rejects(guard.checkHost(new URL('ssh://git@127.0.0.1/x')), { refused: true });
  });
});

describe('a redirect', () => {
  it('A redirect to another scheme, an invalid URL, and one too many are errors', async () => {
    for (const to of ['file:///etc/passwd', 'ftp://8.8.8.8/', 'data:text/html,x'])
      await assert.rejects(fetchFrom(`${outside.origin}/?to=${encodeURIComponent(to)}`), { refused: true }, to);
    await assert.rejects(fetchFrom(`${outside.origin}/?to=http://%5b`), /^Error: bad: http:\/\/\[/);
    const hops = (left) => (left === 0 ? '/end' : `/?to=${encodeURIComponent(hops(left - 1))}`);
    assert.equal(await fetchFrom(outside.origin + hops(3)), '/end here');
    await assert.rejects(fetchFrom(outside.origin + hops(4)), /too many/);
  });

  it('A redirect takes user and password along within their origin alone', async () => {
    const other = await server('127.0.0.2');
    const login = `Basic ${Buffer.from('me:s@cret').toString('base64')}`;
    const start = outside.origin.replace('//', '//me:s%40cret@');
    const last = (at) => at.seen.at(-1)[1];
    for (const to of ['/b', `${outside.origin}/b`]) {
      await fetchFrom(`${start}/a?to=${encodeURIComponent(to)}`);
      assert.equal(last(outside), login, to);
    }
    await fetchFrom(`${outside.origin.replace('//', '//me:50%zz@')}/b`);
    assert.equal(last(outside), `Basic ${Buffer.from('me:50%zz').toString('base64')}`, 'a stray percent sign is itself');
    await fetchFrom(`${start}/a?to=${encodeURIComponent(`${other.origin}/b`)}`);
    assert.equal(last(other), undefined);
    await fetchFrom(`${start}/a?to=${encodeURIComponent(`${other.origin}/b?to=${outside.origin}/c`)}`);
    assert.deepEqual(outside.seen.at(-1), ['/c', undefined], 'not on the way back either');
    await fetchFrom(`${outside.origin}/a?to=${encodeURIComponent(`${other.origin.replace('//', '//you:lie@')}/d`)}`);
    assert.deepEqual(other.seen.at(-1), ['/d', undefined]);
  });
});

describe('an answer', () => {
  it('An answer is unpacked, cut or refused at its cap after unpacking', async () => {
    assert.equal((await fetchFrom(`${outside.origin}/zipped`)).length, '/zipped '.length + 1000);
    const whole = get(
      new URL(`${outside.origin}/zipped`),
      {
        guard: new Guard({ allowPrivate: true, refuse }),
        headers: {},
        maxRedirects: 0,
        hop: (_, work) => work(AbortSignal.timeout(20_000)),
        badRedirect: () => new Error(),
      },
      (response) =>
        readBody(response, 4999, () => {
          throw new Error('too large');
        }),
    );
    await assert.rejects(whole, /too large/);
    await assert.rejects(fetchFrom(`${outside.origin}/odd`), /content coding 'rot13' was not asked for/);
  });

  it('An answer that never comes fails, and says whether a connection existed', async () => {
    const closed = await server('127.0.0.2');
    servers.pop().close();
    await assert.rejects(
      fetchFrom(`${closed.origin}/`),
      (error) =>
        error instanceof HttpFailure && !error.connected && error.code === 'ECONNREFUSED' && error.message.includes('ECONNREFUSED'),
    );
  });
});
