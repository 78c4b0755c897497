/** Who may ask a server on this machine: one judgement of Host and Origin for both servers, and of tokens. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Access, bearerOf } from '../../dist/node/operate/access.js';
import { Gate, hostNameOf, isLoopback, plainHost } from '../../dist/node/net/gate.js';
import { gateOf as mcpGate } from '../../dist/node/mcp/http.js';
import { gateOf as serveGate } from '../../dist/node/serve/guard.js';

const mcp = (host, { isGuarded = false, ...more } = {}) => mcpGate({ host, port: 1, ...more }, isGuarded);
const serve = (...hosts) => serveGate({ hosts, origins: [] });

describe('a host that is this machine alone', () => {
  it('A loopback host is localhost, 127.0.0.0/8 or ::1, with or without brackets', () => {
    for (const host of [
      'localhost',
      'LOCALHOST',
      'localhost.',
      '127.0.0.1',
      '127.9.9.9',
      '::1',
      '[::1]',
      '[0:0:0:0:0:0:0:1]',
      '::ffff:127.0.0.1',
    ])
      assert.equal(isLoopback(host), true, host);
    for (const host of [
      '',
      '0.0.0.0',
      '::',
      '[::]',
      '127.0.0.256',
      '127.999.1.1',
      '127.evil.example',
      '127.0.0.1.evil.example',
      '127.1',
      '128.0.0.1',
      'localhost.evil.example',
      'a.localhost',
      '::2',
      '10.0.0.1',
    ])
      assert.equal(isLoopback(host), false, host);
  });

  it('A loopback host is listened on without brackets', () => {
    assert.deepEqual(['[::1]', 'Docs.LAN.', '127.0.0.1'].map(plainHost), ['::1', 'docs.lan', '127.0.0.1']);
  });
});

describe('the name in a Host header', () => {
  it('The name in a Host header has no port, brackets, capitals or last dot', () => {
    for (const [header, name] of [
      ['a', 'a'],
      ['A.b.:80', 'a.b'],
      ['[::1]:5', '::1'],
      ['127.0.0.1:65535', '127.0.0.1'],
    ])
      assert.equal(hostNameOf(header), name, header);
  });

  it('The name in a Host header is empty when missing or invalid', () => {
    for (const header of [
      undefined,
      '',
      ':',
      '.',
      ':80',
      'a:x',
      'a:99999',
      'a:-1',
      'a:1:2',
      'x@127.0.0.1',
      '127.0.0.1/x',
      'a b',
      'a?b',
      'a#b',
      'a\\\\b',
      '[::1',
      '::1',
      '[g::1]',
      '[127.0.0.1]',
      'a%zz',
      'a<b',
      '127.0.0.256',
    ])
      assert.equal(hostNameOf(header), undefined, header);
  });
});

describe('both servers', () => {
  const loopback = ['localhost', 'localhost:8383', 'LOCALHOST.', '127.0.0.1', '127.0.0.2:99', '[::1]', '[::1]:5'];

  it('Both servers know themselves by every loopback name and their own address', () => {
    for (const gate of [mcp('127.0.0.1'), serve('127.0.0.1'), mcp('[::1]'), serve('[::1]'), mcp('192.168.1.5'), serve('192.168.1.5')])
      for (const host of loopback) assert.equal(gate.allowsHost(host), true, host);
    for (const gate of [mcp('192.168.1.5'), serve('192.168.1.5')]) assert.equal(gate.allowsHost('192.168.1.5:1'), true);
    for (const gate of [mcp('Docs.lan'), serve('127.0.0.1', 'Docs.lan')])
      for (const host of ['docs.lan', 'DOCS.LAN.:80']) assert.equal(gate.allowsHost(host), true, host);
    for (const gate of [mcp('fe80::1'), mcp('[FE80::1]'), serve('fe80::1')]) assert.equal(gate.allowsHost('[fe80::1]:1'), true);
  });

  it('Both servers are known by no other name and no invalid host', () => {
    for (const gate of [mcp('127.0.0.1'), serve('127.0.0.1'), serve('0.0.0.0'), serve('::')]) {
      for (const host of [
        undefined,
        '',
        'evil.example',
        'evil.example:80',
        'localhost.evil.example',
        '127.0.0.1.nip.io',
        'localhost@evil.example',
        'localhost:99999',
        'a.localhost',
      ])
        assert.equal(gate.allowsHost(host), false, host);
    }
  });

  it('Both servers bar other sites and hidden origins, and admit their own', () => {
    for (const gate of [mcp('127.0.0.1'), serve('127.0.0.1')]) {
      for (const origin of [
        '',
        'null',
        'https://evil.example',
        'http://localhost.evil.example',
        'file://',
        'http://',
        'http://localhost:x',
        'http://127.0.0.1@evil.example',
        'http://localhost/x',
        'chrome-extension://abc',
        '*',
      ])
        assert.equal(gate.allowsOrigin(origin, 'localhost:1'), false, origin);
      assert.equal(gate.allowsOrigin('http://evil.example:1', 'evil.example:1'), false, 'a rebound name is not its own');
      assert.equal(gate.allowsOrigin('http://localhost:1', 'localhost:1'), true);
      assert.equal(gate.allowsOrigin(undefined, 'localhost:1'), true);
    }
  });

  it('Both servers take their allowed sites in any case, with a slash', () => {
    for (const gate of [
      mcp('127.0.0.1', { allowOrigins: ['https://Docs.example/'] }),
      serveGate({ hosts: [], origins: ['https://Docs.example/'] }),
    ]) {
      assert.equal(gate.allowsOrigin('https://docs.example'), true);
      for (const origin of ['http://docs.example', 'https://docs.example:444', 'https://docs.example.evil.example'])
        assert.equal(gate.allowsOrigin(origin), false, origin);
    }
    assert.equal(new Gate({ hosts: [], origins: ['*'] }).allowsOrigin('null'), true);
  });

  it('Both servers compare tokens whole', async () => {
    const access = await Access.open({ token: 'open-sesame' }, () => {});
    for (const header of [undefined, '', 'Bearer', 'Bearer open', 'Bearer open-sesame2', 'Basic open-sesame', 'open-sesame'])
      await assert.rejects(access.admit(header, 'read'), { status: 401 }, header);
    assert.equal((await access.admit('bearer open-sesame', 'write')).name, 'token');
    const open = await Access.open({}, () => {});
    assert.equal(await open.admit(undefined, 'read'), undefined);
    assert.equal(bearerOf('Bearer a b'), undefined);
  });
});

describe('what the servers judge differently, and why', () => {
  it('sheaf serve takes any numeric address: forwarded ports use it, and none can be rebound', () => {
    for (const host of ['192.168.1.7', '[fe80::1]:8383', '0.0.0.0'])
      assert.deepEqual([serve('127.0.0.1').allowsHost(host), mcp('127.0.0.1').allowsHost(host)], [true, false], host);
  });

  it('The MCP server lets in pages of this machine, where inspectors run', () => {
    for (const origin of ['http://localhost:5173', 'https://127.0.0.1', 'http://[::1]:6274'])
      assert.deepEqual(
        [mcp('127.0.0.1').allowsOrigin(origin, 'localhost:1'), serve('127.0.0.1').allowsOrigin(origin, 'localhost:1')],
        [true, false],
        origin,
      );
  });

  it('The MCP server bound to every address takes any name behind a token', () => {
    for (const host of ['0.0.0.0', '::', '[::]']) {
      assert.equal(mcp(host, { isGuarded: true }).allowsHost('docs.example:1'), true);
      assert.equal(mcp(host, { isGuarded: true }).allowsHost('x@y'), false);
      assert.equal(mcp(host).allowsHost('docs.example:1'), false);
      assert.equal(
        mcp(host, { isGuarded: true }).allowsOrigin('http://docs.example:1', 'docs.example:1'),
        false,
        'such a name is not known',
      );
    }
    assert.equal(mcp('127.0.0.1', { isGuarded: true }).allowsHost('docs.example'), false);
  });
});
