/** The MCP server over streamable HTTP: both eras, and who may come in. */
import assert from 'node:assert/strict';
import { linkSync, mkdirSync, renameSync } from 'node:fs';
import { request } from 'node:http';
import { connect as connectSocket } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { gateOf } from '../../dist/node/mcp/http.js';
import { ERAS, listen, spawnServer } from './mcp_client.mjs';
import { until } from './until.mjs';
import { packFixture, temporaryFolder } from './packed.mjs';

const root = temporaryFolder('mcp-http');
const store = join(root, 'store');
const TOKEN = 'a-secret';
let open; // no token
let locked;

before(async () => {
  mkdirSync(store);
  await packFixture(join(store, 'kiln@1.4.0.sheaf'));
  open = await listen({ store, args: ['--allow-origin', 'https://app.example'] });
  locked = await listen({ store, env: { SHEAF_MCP_TOKEN: TOKEN } });
});

after(() => Promise.all([open?.close(), locked?.close()]));

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'bare', version: '1' } },
};

/** A request whose every header is the test's own, Host too. */
function send(server, { headers = {}, body = JSON.stringify(INITIALIZE), method = 'POST', path = '/mcp' } = {}) {
  const { hostname, port } = new URL(server.url);
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        hostname,
        port,
        path,
        method,
        headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', ...headers },
      },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk) => (text += chunk));
        response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, text }));
      },
    );
    sent.on('error', reject);
    sent.end(['GET', 'OPTIONS', 'TRACE'].includes(method) ? undefined : body);
  });
}

const query = (client, text) =>
  client.callTool({ name: 'search_documents_tool', arguments: { query: text, library_name: 'kiln', version: '1.4.0' } });

describe('HTTP', () => {
  for (const era of ERAS) {
    it(`The HTTP server serves the official client (${era})`, async () => {
      const client = await open.connect(era);
      assert.equal(client.getServerVersion().name, 'sheaf');
      assert.equal((await client.listTools()).tools.length, 3);
      assert.equal((await client.callTool({ name: 'list_libraries_tool' })).content[0].text, '{"kiln":["1.4.0"]}');
      const { content, structuredContent } = await query(client, 'wait for several batches');
      assert.equal(structuredContent.result, content[0].text);
      assert.match((await client.readResource({ uri: structuredContent.hits[0].uri })).contents[0].text, /^# Batches/);
      await client.close();
    });

    it(`The HTTP server answers fifty calls at once, each its own (${era})`, async () => {
      const client = await open.connect(era);
      const queries = ['wait for several batches', 'send workers home', 'keep secrets out of files'];
      const alone = [];
      for (const text of queries) alone.push((await query(client, text)).content[0].text);
      const together = await Promise.all(Array.from({ length: 50 }, (_, i) => query(client, queries[i % 3])));
      together.forEach(({ content }, i) => assert.equal(content[0].text, alone[i % 3]));
      await client.close();
    });
  }

  it('The HTTP server tells subscribers of new libraries (modern)', async () => {
    const client = await open.connect('modern');
    let changes = 0;
    client.setNotificationHandler('notifications/resources/list_changed', () => changes++);
    const subscription = await client.listen({ resourcesListChanged: true });
    linkSync(join(store, 'kiln@1.4.0.sheaf'), join(root, 'moving'));
    renameSync(join(root, 'moving'), join(store, 'other@1.sheaf'));
    await until(() => changes > 0, 'notifications/resources/list_changed');
    renameSync(join(store, 'other@1.sheaf'), join(root, 'moving'));
    await subscription.close();
    await client.close();
  });

  it('The HTTP server listens on loopback, on a free port, at /mcp', async () => {
    assert.match(open.url, /^http:\/\/127\.0\.0\.1:\d+\/mcp$/);
    assert.equal((await send(open, { path: '/' })).status, 404);
    assert.equal((await send(open, { path: '/mcp/../etc/passwd' })).status, 404);
    assert.equal((await send(open, { path: '/mcp?x=1' })).status, 200);
  });

  it('An answer says how long its connection stays open, so that no client asks over one that is being closed', async () => {
    const { headers } = await send(open, { headers: { Connection: 'keep-alive' } });
    assert.equal(headers['content-type'], 'text/event-stream');
    assert.equal(headers.connection, 'keep-alive');
    assert.equal(headers['keep-alive'], 'timeout=75');
    const last = await send(open, { headers: { Connection: 'close' } });
    assert.equal(last.headers.connection, 'close');
  });

  it('The HTTP server refuses another Host with 403 (DNS rebinding)', async () => {
    for (const host of ['evil.example', 'evil.example:80', '127.0.0.1.evil.example', 'localhost@evil.example']) {
      assert.equal((await send(open, { headers: { Host: host } })).status, 403, host);
    }
    for (const host of ['localhost', 'localhost:1', '127.0.0.1:99', '[::1]:5'])
      assert.equal((await send(open, { headers: { Host: host } })).status, 200, host);
  });

  it('The HTTP server refuses pages of other origins with 403, first of all', async () => {
    for (const origin of [
      'https://evil.example',
      'null',
      'http://localhost.evil.example',
      'file://',
      'https://app.example.evil.example',
      'http://app.example',
      'chrome-extension://abc',
    ]) {
      const { status, headers } = await send(open, { headers: { Origin: origin } });
      assert.equal(status, 403, origin);
      assert.equal(headers['access-control-allow-origin'], undefined);
    }
    for (const origin of ['http://localhost:5173', 'https://app.example']) {
      const { status, headers } = await send(open, { headers: { Origin: origin } });
      assert.equal(status, 200, origin);
      assert.equal(headers['access-control-allow-origin'], origin);
    }
    assert.equal((await send(open, { method: 'OPTIONS', headers: { Origin: 'https://app.example' } })).status, 204);
    assert.equal((await send(open, { method: 'OPTIONS', headers: { Origin: 'https://evil.example' } })).status, 403);
  });

  it('The HTTP server asks for its token with 401 and WWW-Authenticate', async () => {
    const without = await send(locked);
    assert.equal(without.status, 401);
    assert.equal(without.headers['www-authenticate'], 'Bearer realm="sheaf"');
    for (const authorization of ['Bearer wrong', `Basic ${TOKEN}`, 'Bearer', `Bearer ${TOKEN}x`, `Bearer ${TOKEN} x`]) {
      const { status, headers, text } = await send(locked, { headers: { Authorization: authorization } });
      assert.equal(status, 401, authorization);
      assert.match(headers['www-authenticate'], /error="invalid_token"/);
      assert.ok(!text.includes(TOKEN));
    }
    assert.equal((await send(locked, { headers: { Authorization: `bearer ${TOKEN}` } })).status, 200);
    for (const era of ERAS) {
      await assert.rejects(locked.connect(era));
      const client = await locked.connect(era, { headers: { Authorization: `Bearer ${TOKEN}` } });
      assert.equal((await client.listTools()).tools.length, 3);
      await client.close();
    }
    assert.ok(!locked.log().includes(TOKEN), 'the token is not logged');
  });

  it('The HTTP server refuses bodies over 4 MiB with 413, arguments over 1 MiB', async () => {
    const call = (size) =>
      JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'search_documents_tool', arguments: { query: 'x'.repeat(size), library_name: 'kiln', version: '1' } },
      });
    assert.equal((await send(open, { body: call(5 * 1024 * 1024) })).status, 413);
    const { status, text } = await send(open, { body: call(2 * 1024 * 1024), headers: { 'MCP-Protocol-Version': '2025-06-18' } });
    assert.equal(status, 200);
    assert.match(text, /at most 1048576 are taken/);
    // Without Content-Length, and never ending.
    const { hostname, port } = new URL(open.url);
    const sent = await new Promise((resolve, reject) => {
      const endless = request(
        {
          hostname,
          port,
          path: '/mcp',
          method: 'POST',
          headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
        },
        (response) => {
          resolve(response.statusCode);
          endless.destroy();
        },
      );
      endless.on('error', reject);
      const chunk = Buffer.alloc(65536, 'x');
      const more = () => !endless.destroyed && endless.write(chunk, () => setImmediate(more));
      more();
    });
    assert.equal(sent, 413);
    assert.equal((await send(open)).status, 200, 'and goes on serving');
  });

  it('The HTTP server ends endless requests within seconds, and admits others meanwhile', async () => {
    const { hostname, port } = new URL(open.url);
    const starts = [
      '',
      'POST /mcp HTTP/1.1\r\nHost: localhost\r\n',
      'POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{',
    ];
    let closed = 0;
    const sockets = await Promise.all(
      Array.from(
        { length: 300 },
        (_, index) =>
          new Promise((resolve) => {
            const socket = connectSocket(Number(port), hostname, () => {
              socket.write(starts[index % 3]);
              resolve(socket);
            });
            socket
              .on('error', () => {})
              .on('close', () => closed++)
              .resume();
          }),
      ),
    );
    const began = performance.now();
    for (let i = 0; i < 5; i++) assert.equal((await send(open)).status, 200);
    assert.ok(performance.now() - began < 5000);
    while (closed < sockets.length && performance.now() - began < 40_000) await new Promise((done) => setTimeout(done, 200));
    assert.equal(closed, sockets.length);
  });

  it('The HTTP server survives other methods, types, bodies, and bytes that are no HTTP', async () => {
    assert.equal((await send(open, { method: 'GET' })).status, 405);
    assert.equal((await send(open, { method: 'PUT' })).status, 405);
    const trace = await send(open, { method: 'TRACE' });
    assert.deepEqual([trace.status, trace.headers.allow], [405, 'GET, POST, DELETE']);
    assert.equal((await send(open, { headers: { Host: 'localhost:99999' } })).status, 403);
    assert.equal((await send(open, { headers: { 'Content-Type': 'text/plain' } })).status, 415);
    for (const body of ['', 'no json', '[]', '{}', '"x"', 'null', `${'['.repeat(50_000)}`]) {
      const { status } = await send(open, { body });
      assert.ok(status >= 400 && status < 500, `${body.slice(0, 10)}: ${status}`);
    }
    const { hostname, port } = new URL(open.url);
    await new Promise((resolve) => {
      const socket = connectSocket(Number(port), hostname, () => socket.write('\u0000\u0001 garbage\r\n\r\n'));
      socket
        .on('close', resolve)
        .on('error', () => {})
        .resume();
    });
    assert.equal((await send(open)).status, 200);
  });

  it('The HTTP server forgets a client that goes away in the middle', async () => {
    const { hostname, port } = new URL(open.url);
    for (let i = 0; i < 20; i++) {
      const sent = request({
        hostname,
        port,
        path: '/mcp',
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'Content-Length': 1000 },
      });
      sent.on('error', () => {});
      sent.write('{"jsonrpc":');
      setTimeout(() => sent.destroy(), 5);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert.equal((await send(open)).status, 200);
  });

  it('The HTTP server ends with a signal, and takes open streams with it', async () => {
    const server = await listen({ store });
    const client = await server.connect('modern');
    const subscription = await client.listen({ resourcesListChanged: true });
    const { code } = await server.close();
    assert.equal(code, 0);
    await subscription.close().catch(() => {});
    await client.close();
  });

  it('The HTTP server says so when the port is taken', async () => {
    const { port } = new URL(open.url);
    const server = spawnServer({ store, args: ['--http', port] });
    assert.equal((await server.exited).code, 1);
    assert.match(server.stderr, new RegExp(`127\\.0\\.0\\.1:${port} cannot be listened on: another program listens there`));
  });
});

describe('the gate', () => {
  it('A server bound to every address admits any name, and relies on the token', () => {
    const every = { host: '0.0.0.0', port: 1 };
    assert.ok(gateOf(every, true).allowsHost('docs.example:1'));
    assert.ok(!gateOf(every, false).allowsHost('docs.example:1'));
  });

  it('The gate knows the address it was given', () => {
    assert.ok(gateOf({ host: '192.168.1.5', port: 1 }, false).allowsHost('192.168.1.5:1'));
    assert.ok(!gateOf({ host: '192.168.1.5', port: 1 }, false).allowsHost('192.168.1.6:1'));
    for (const header of [undefined, '', ':', 'x@127.0.0.1', '127.0.0.1/x'])
      assert.ok(!gateOf({ host: '127.0.0.1', port: 1 }, false).allowsHost(header), header);
  });
});
