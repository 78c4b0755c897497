/** The MCP server over stdio, with the official client: both eras, hostile input, and how it ends. */
import assert from 'node:assert/strict';
import { copyFileSync, linkSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { InMemoryTransport } from '@modelcontextprotocol/client';
import { Service } from '../../dist/node/mcp/server.js';
import { createSets, PAGE_GUIDE, parseSets, SET_NAMES } from '../../dist/node/mcp/sets.js';
import { Toolbox } from '../../dist/node/mcp/toolbox.js';
import { ProtocolFailure } from '../../dist/node/mcp/tool.js';
import { pageUri, parsePageUri } from '../../dist/node/mcp/page_uri.js';
import { connect, ERAS, newClient, spawnServer } from './mcp_client.mjs';
import { testEnvironment } from './mcp_tools.mjs';
import { until } from './until.mjs';
import { BASE_URL, packFixture, temporaryFolder } from './packed.mjs';

const root = temporaryFolder('mcp-server');
const store = join(root, 'store');

before(async () => {
  mkdirSync(store);
  const kiln = await packFixture(join(store, 'kiln@1.4.0.sheaf'));
  linkSync(kiln, join(store, '@vue~core@3.5.sheaf'));
});

async function connectFor(t, options) {
  const connected = await connect(options);
  t.after(connected.close);
  return connected;
}

const search = (client, query, options) =>
  client.callTool({ name: 'search_documents_tool', arguments: { query, library_name: 'kiln', version: '1.4.0' } }, options);

// ---- tools of the test's own, for what the real ones do not do ---------------------------------------

function fakeTool(name, call) {
  return {
    name,
    title: name,
    description: name,
    input: { type: 'object' },
    output: { type: 'object' },
    annotations: { readOnlyHint: true, openWorldHint: false },
    call,
  };
}

async function serving(t, tools, { contract = { name: 'own' }, underscores = false } = {}) {
  const lines = [];
  const set = { ...contract, instructions: `About ${contract.name}.`, tools };
  const pool = { list: async () => [], use: async () => assert.fail(), onChange: () => () => {}, close: async () => {} };
  const service = new Service({
    toolbox: new Toolbox([set], underscores),
    guide: PAGE_GUIDE,
    pool,
    log: (level, message) => lines.push(`[${level}] ${message}`),
    version: '0',
  });
  const [near, far] = InMemoryTransport.createLinkedPair();
  await service.createServer().connect(near);
  const client = newClient();
  await client.connect(far);
  t.after(() => client.close());
  return { client, service, lines };
}

describe('the protocol', () => {
  for (const era of ERAS) {
    it(`The server answers fifty calls at the same time, each its own (${era})`, async (t) => {
      const { client } = await connectFor(t, { store, era });
      const queries = ['wait for several batches', 'send workers home', 'keep secrets out of files', 'subscribe in React'];
      const alone = [];
      for (const query of queries) alone.push((await search(client, query)).content[0].text);
      const together = await Promise.all(Array.from({ length: 50 }, (_, i) => search(client, queries[i % 4])));
      together.forEach(({ content }, i) => assert.equal(content[0].text, alone[i % 4]));
    });

    it(`The server gives pages as resources: listed in parts, read by template (${era})`, async (t) => {
      const { client } = await connectFor(t, { store, era });
      const { resources } = await client.listResources();
      assert.equal(resources.length, 16);
      assert.ok(resources.every(({ mimeType, title }) => mimeType === 'text/markdown' && title));
      const { contents } = await client.readResource({ uri: 'sheaf://%40vue%2Fcore/3.5/guide/batches.md' });
      assert.match(contents[0].text, /^# Batches\n/);
      assert.deepEqual(contents[0]._meta['sheaf/quoted'], {
        source: `${BASE_URL}guide/batches`,
        library: '@vue/core',
        version: '3.5',
        kind: 'documentation',
        trust: 'untrusted',
      });
      const { resourceTemplates } = await client.listResourceTemplates();
      assert.deepEqual(
        resourceTemplates.map(({ uriTemplate }) => uriTemplate),
        ['sheaf://{library}/{version}/{+page}'],
      );
      for (const uri of [
        'sheaf://kiln/1.4.0/none.md',
        'sheaf://nope/1/x',
        'file:///etc/passwd',
        'sheaf://kiln/1.4.0/../../../etc/passwd',
        'sheaf://kiln/%zz/x',
        'sheaf://kiln',
      ]) {
        await assert.rejects(client.readResource({ uri }), { code: -32602 }, uri);
      }
    });

    it(`The server tells of new, replaced and removed libraries (${era})`, async (t) => {
      const folder = mkdtempSync(join(root, 'changing-'));
      let changes = 0;
      const listChanged = { resources: { autoRefresh: false, debounceMs: 0, onChanged: () => changes++ } };
      const { client } = await connectFor(t, { store: folder, era, clientOptions: { listChanged } });
      assert.deepEqual((await client.listResources()).resources, []);
      for (const change of [
        () => copyFileSync(join(store, 'kiln@1.4.0.sheaf'), join(folder, 'kiln@1.4.0.sheaf')),
        () => (
          copyFileSync(join(store, 'kiln@1.4.0.sheaf'), join(folder, 'tmp')),
          renameSync(join(folder, 'tmp'), join(folder, 'kiln@1.4.0.sheaf'))
        ),
        () => rmSync(join(folder, 'kiln@1.4.0.sheaf')),
      ]) {
        const before = changes;
        change();
        await until(() => changes > before, 'notifications/resources/list_changed');
      }
    });
  }

  it('The server states its name when it serves more than OpenGround', async (t) => {
    const { client } = await connectFor(t, { store, args: ['--tools', 'openground,searxng'] });
    assert.equal(client.getServerVersion().name, 'sheaf');
    assert.match(client.getInstructions(), /check here first[\s\S]*search/);
    const { tools } = await client.listTools();
    assert.ok(tools.some(({ name }) => name === 'search') && tools.some(({ name }) => name === 'search_documents_tool'));
  });

  it('The server lists pages by the hundred, up to a bound, and survives removals', async (t) => {
    const folder = mkdtempSync(join(root, 'many-'));
    for (let i = 10; i < 60; i++) linkSync(join(store, 'kiln@1.4.0.sheaf'), join(folder, `lib@${i}.sheaf`));
    writeFileSync(join(folder, 'broken@1.sheaf'), 'no bundle');
    const { client } = await connectFor(t, { store: folder });
    const seen = new Set();
    let cursor;
    let replies = 0;
    do {
      const page = await client.request({ method: 'resources/list', params: cursor === undefined ? {} : { cursor } });
      assert.ok(page.resources.length <= 100);
      for (const { uri } of page.resources) seen.add(uri);
      cursor = page.nextCursor;
      replies++;
    } while (cursor !== undefined);
    assert.equal(seen.size, 400);
    assert.equal(replies, 4);
    const { nextCursor } = await client.request({ method: 'resources/list', params: {} });
    for (let i = 10; i < 60; i++) rmSync(join(folder, `lib@${i}.sheaf`));
    assert.deepEqual((await client.request({ method: 'resources/list', params: { cursor: nextCursor } })).resources, []);
    for (const bad of ['x', '', Buffer.from('["a","b",-1]').toString('base64url'), 'A'.repeat(10_000)]) {
      await assert.rejects(client.request({ method: 'resources/list', params: { cursor: bad } }), { code: -32602 });
    }
  });

  it('The server names pages so that only these names read back', () => {
    for (const name of [
      { library: '@vue/core', version: '1 beta', page: 'a b/ü?#.md' },
      { library: 'x', version: '1%2F2', page: '0' },
    ]) {
      assert.deepEqual(parsePageUri(pageUri(name)), name);
    }
    for (const uri of ['', 'sheaf://', 'sheaf://a/b', 'sheaf:///b/c', 'https://a/b/c', 'sheaf://a/%/c', `sheaf://a/b/${'c'.repeat(5000)}`])
      assert.equal(parsePageUri(uri), undefined, uri);
  });
});

describe('calls', () => {
  it('Calls report rising progress to a client that asked, at intervals', async (t) => {
    const { client } = await serving(t, [
      fakeTool('work', async ({ progress }) => {
        for (let i = 0; i <= 1000; i++) progress(i, 1000, `step ${i}`);
        progress(3, 1000); // falls back: not told
        return { text: 'done', structured: {} };
      }),
    ]);
    const told = [];
    await client.callTool({ name: 'work' }, { onprogress: (update) => told.push(update) });
    assert.deepEqual(told[0], { progress: 0, total: 1000, message: 'step 0' });
    assert.equal(told.at(-1).progress, 1000);
    assert.ok(told.length < 100, `${told.length} notifications for 1001 steps`);
    for (let i = 1; i < told.length; i++) assert.ok(told[i].progress > told[i - 1].progress);
  });

  it('Calls hear of a cancellation through their signal', async (t) => {
    const controller = new AbortController();
    let aborted;
    const heard = new Promise((resolve) => (aborted = resolve));
    const slow = ({ signal }) => {
      setImmediate(() => controller.abort('enough'));
      return new Promise((_, reject) => signal.addEventListener('abort', () => (aborted(), reject(signal.reason))));
    };
    const { client } = await serving(t, [fakeTool('slow', slow), fakeTool('quick', async () => ({ text: 'still here', structured: {} }))]);
    await assert.rejects(client.callTool({ name: 'slow' }, { signal: controller.signal }));
    await heard;
    assert.equal((await client.callTool({ name: 'quick' })).content[0].text, 'still here');
  });

  it('Calls that throw are logged isError replies; protocol failures keep their fields', async (t) => {
    const { client, lines } = await serving(t, [
      fakeTool('throws', async () => {
        throw new TypeError('no luck');
      }),
      fakeTool('refuses', async () => {
        throw new ProtocolFailure(-32603, 'There is no index.', { code: 'DOCS_INDEX_NOT_FOUND' });
      }),
    ]);
    assert.deepEqual(await client.callTool({ name: 'throws' }), {
      content: [{ type: 'text', text: 'Tool execution failed: no luck' }],
      isError: true,
    });
    assert.match(lines.join('\n'), /\[error\] throws: TypeError: no luck/);
    await assert.rejects(client.callTool({ name: 'refuses' }), {
      code: -32603,
      message: 'MCP error -32603: There is no index.',
      data: { code: 'DOCS_INDEX_NOT_FOUND' },
    });
  });

  it('Calls of unknown tools are answered as each original does', async (t) => {
    const asked = async (name) => {
      const [contract] = await createSets([name], testEnvironment({ cwd: root }));
      const { client } = await serving(t, [fakeTool('known', async () => ({ text: '' }))], { contract });
      return client.callTool({ name: 'nope' });
    };
    await assert.rejects(asked('openground'), { code: -32602, message: /Unknown tool: nope\. Tools: known/ });
    await assert.rejects(asked('search_docs'), { code: -32601, message: 'MCP error -32601: Unknown tool: nope' });
    assert.deepEqual((await asked('knowledge')).content, [{ type: 'text', text: 'Unknown tool: nope' }]);
    assert.deepEqual((await asked('searxng')).content, [{ type: 'text', text: "Tool 'nope' isn't available on this server anymore" }]);
  });

  it('Calls reach dotted tools under underscores, too, and list them so on demand', async (t) => {
    const tool = fakeTool('knowledge.search', async () => ({ text: 'found', structured: {} }));
    const dotted = await serving(t, [tool]);
    assert.deepEqual(
      (await dotted.client.listTools()).tools.map(({ name }) => name),
      ['knowledge.search'],
    );
    const plain = await serving(t, [tool], { underscores: true });
    assert.deepEqual(
      (await plain.client.listTools()).tools.map(({ name }) => name),
      ['knowledge_search'],
    );
    for (const name of ['knowledge_search', 'knowledge.search'])
      assert.equal((await plain.client.callTool({ name })).content[0].text, 'found');
  });

  it('Calls may leave arguments out, and may send at most a megabyte of them', async (t) => {
    const { client } = await connectFor(t, { store });
    assert.ok((await client.callTool({ name: 'list_libraries_tool' })).content);
    const { isError, content } = await search(client, 'x'.repeat(10_000_000));
    assert.equal(isError, true);
    assert.match(content[0].text, /have 100\d{5} bytes; at most 1048576 are taken/);
    assert.match((await search(client, 'batches')).content[0].text, /^Found/);
  });
});

describe('sets', () => {
  it('Sets are chosen by name, in one order, each once', () => {
    assert.deepEqual(parseSets('knowledge, openground,knowledge'), ['openground', 'knowledge']);
    assert.deepEqual(parseSets('all'), SET_NAMES);
    for (const value of ['', ',', 'nope', 'openground,nope']) assert.throws(() => parseSets(value), { exitCode: 2 });
  });

  it('Sets have no two tools of one name', () => {
    const set = { name: 'openground', instructions: '', tools: [fakeTool('a.b'), fakeTool('a_b')] };
    assert.equal(new Toolbox([set]).tools.size, 2);
    assert.throws(() => new Toolbox([set], true), /Two tools are called a_b/);
  });
});

describe('stdout', () => {
  it('Standard output carries the protocol alone: every line is a JSON-RPC message', async () => {
    const server = spawnServer({ store, args: ['--log-level', 'debug'] });
    await server.initialize();
    server.send({ id: 1, method: 'tools/list' });
    server.send('this is not JSON\n');
    server.send('{"jsonrpc":"2.0","id":');
    server.send('\n\n[]\n"text"\n');
    server.send({
      id: 2,
      method: 'tools/call',
      params: { name: 'search_documents_tool', arguments: { query: 'x', library_name: 'kiln', version: '1.4.0' } },
    });
    await server.answer(2);
    await until(() => /^\[info\] /m.test(server.stderr), 'a line of the log');
    server.child.stdin.end();
    assert.deepEqual(await server.exited, { code: 0, signal: null });
    const messages = server.stdout
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));
    assert.ok(messages.every(({ jsonrpc }) => jsonrpc === '2.0'));
    assert.ok(messages.length >= 3);
  });

  it('Standard output is out of reach for console.log and stray writes', async () => {
    const script = `
      import { claimStdout } from ${JSON.stringify(new URL('../../dist/node/mcp/log.js', import.meta.url).href)};
      import { createLog } from ${JSON.stringify(new URL('../../dist/node/operate/log.js', import.meta.url).href)};
      const out = claimStdout();
      console.log('stray one'); process.stdout.write('stray two\\n');
      createLog('info')('info', 'a line\\nwith a break');
      createLog('warn')('info', 'too low');
      out.write('protocol\\n');`;
    const { spawnSync } = await import('node:child_process');
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
    assert.equal(stdout, 'protocol\n');
    assert.equal(stderr, 'stray one\nstray two\n[info] a line with a break\n');
  });
});

describe('malformed requests', () => {
  it('Malformed requests are answered with JSON-RPC errors, and the server goes on', async () => {
    const server = spawnServer({ store });
    await server.initialize();
    const requests = [
      { method: 'tools/call', params: { name: 'search_documents_tool', arguments: 'text' } },
      { method: 'tools/call', params: { name: 'search_documents_tool', arguments: [1, 2] } },
      { method: 'tools/call', params: { name: 7 } },
      { method: 'tools/call' },
      { method: 'tools/call', params: { name: '__proto__', arguments: {} } },
      { method: 'no/such/method' },
      { method: 'resources/read', params: { uri: 5 } },
    ];
    requests.forEach((request, i) => server.send({ id: 100 + i, ...request }));
    for (let i = 0; i < requests.length; i++) {
      const { error } = await server.answer(100 + i);
      assert.ok([-32601, -32602, -32603].includes(error?.code), JSON.stringify([requests[i], error]));
    }
    server.send({ id: 1, method: 'tools/call', params: { name: 'list_libraries_tool', arguments: { unknown: { deep: [] } } } });
    assert.match((await server.answer(1)).result.content[0].text, /kiln/);
    server.child.stdin.end();
    await server.exited;
  });
});

describe('the end', () => {
  it('The server ends with stdin, after its pending answers', async () => {
    const server = spawnServer({ store });
    server.send({
      id: 0,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'pipe', version: '1' } },
    });
    server.send({ method: 'notifications/initialized' });
    server.send({
      id: 1,
      method: 'tools/call',
      params: { name: 'search_documents_tool', arguments: { query: 'batches', library_name: 'kiln', version: '1.4.0' } },
    });
    server.child.stdin.end();
    assert.deepEqual(await server.exited, { code: 0, signal: null });
    assert.match((await server.answer(1)).result.content[0].text, /^Found/);
  });

  for (const signal of ['SIGINT', 'SIGTERM']) {
    it(`The server ends with ${signal}, cleanly`, async () => {
      const server = spawnServer({ store });
      await server.initialize();
      server.child.kill(signal);
      assert.deepEqual(await server.exited, { code: 0, signal: null });
      assert.doesNotMatch(server.stderr, /error|Error/);
    });
  }

  it('The server ends when the client is killed in the middle of a call', async () => {
    const server = spawnServer({ store });
    await server.initialize();
    for (let i = 1; i < 50; i++)
      server.send({
        id: i,
        method: 'tools/call',
        params: { name: 'search_documents_tool', arguments: { query: `batches ${i}`, library_name: 'kiln', version: '1.4.0' } },
      });
    // What a killed client leaves: both pipes closed, nothing said.
    server.child.stdout.destroy();
    server.child.stdin.destroy();
    const { code } = await server.exited;
    assert.equal(code, 0);
    assert.throws(() => process.kill(server.child.pid, 0), { code: 'ESRCH' });
  });

  it('The server explains a wrong command line and ends', async () => {
    for (const [args, expected] of [
      [['--tools', 'nope'], /--tools takes openground, search_docs, knowledge, catalogue, searxng .* or all, not 'nope'/],
      [['--log-level', 'loud'], /--log-level must be debug, info, warn or error/],
      [['--memory', 'lots'], /--memory takes a size such as 256MB/],
      [['--allow-origin', 'https://app.example'], /belongs to --http/],
      [['--http', '0.0.0.0:0'], /a token is needed/],
      [['--http', '127.999.1.1:0'], /a token is needed/],
      [['--http', 'a:b:c'], /--http takes PORT or HOST:PORT/],
      [['--frobnicate'], /sheaf mcp --help/],
    ]) {
      const server = spawnServer({ args });
      assert.equal((await server.exited).code, 2, args.join(' '));
      assert.match(server.stderr, expected);
      assert.equal(server.stdout, '');
    }
  });
});
