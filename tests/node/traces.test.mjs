/** Traces by OpenTelemetry: spans of real servers with an SDK loaded, and what is said where a part of it is missing. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { bundleLibraries } from '../../scripts/library_bundle.mjs';
import { Access } from '../../dist/node/operate/access.js';
import { Operation } from '../../dist/node/operate/operation.js';
import { addToken } from '../../dist/node/operate/tokens_file.js';
import { Traces } from '../../dist/node/operate/traces.js';
import { listen, serverEnvironment } from './mcp_client.mjs';
import { MAIN, packFixture, temporaryFolder } from './packed.mjs';
import { until } from './until.mjs';

await bundleLibraries();

const root = temporaryFolder('traces');
const store = join(root, 'store');
const SDK = new URL('traces_sdk.mjs', import.meta.url).href;
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';
const traceparent = `00-${TRACE}-${PARENT}-01`;
const QUESTION = 'wait for several batches';

const linesOf = (text) =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
const spansIn = (file) => {
  try {
    return linesOf(readFileSync(file, 'utf8'));
  } catch {
    return [];
  }
};
/** Every key of every span that this file has seen. */
const seen = new Set();
const note = (spans) => {
  for (const { attributes } of spans) for (const key of Object.keys(attributes)) seen.add(key);
  return spans;
};

before(async () => {
  mkdirSync(store);
  await packFixture(join(store, 'kiln@1.4.0.sheaf'));
});

describe('a server with an SDK of OpenTelemetry', () => {
  const file = join(root, 'mcp.jsonl');
  let server;
  let token;
  before(async () => {
    token = await addToken(join(root, 'tokens.json'), { name: 'ada', scopes: ['read'] });
    server = await listen({
      store,
      args: ['--tokens', join(root, 'tokens.json'), '--log-format', 'json'],
      env: { NODE_OPTIONS: `--import ${SDK}`, SPANS_FILE: file },
    });
  });
  after(() => server?.close());

  const post = (message, headers = {}) =>
    fetch(server.url, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        'MCP-Protocol-Version': '2025-06-18',
        Authorization: `Bearer ${token}`,
        ...headers,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }),
    });
  const search = { method: 'tools/call', params: { name: 'search_documents_tool', arguments: { query: QUESTION, library_name: 'kiln' } } };
  const spanOf = async (id) => {
    await until(() => spansIn(file).some(({ attributes }) => attributes['sheaf.request'] === id), `the span of ${id}`);
    return note(spansIn(file)).find(({ attributes }) => attributes['sheaf.request'] === id);
  };

  it('A call of a tool is a child of the traceparent that came with it, and its log line has the trace', async () => {
    const answer = await post(search, { traceparent, 'X-Request-Id': 'call-1' });
    assert.match(await answer.text(), /Batches/);
    const { traceId, parent, name, kind, status, scope, attributes, duration } = await spanOf('call-1');
    assert.deepEqual([traceId, parent, name, kind], [TRACE, PARENT, 'tools/call search_documents_tool', SpanKind.SERVER]);
    assert.equal(scope.name, 'sheaf');
    assert.equal(status.code, SpanStatusCode.UNSET);
    assert.ok(duration[0] * 1e9 + duration[1] > 0);
    assert.deepEqual(attributes, {
      'http.request.method': 'POST',
      'http.route': '/mcp',
      'http.response.status_code': 200,
      'sheaf.request': 'call-1',
      'sheaf.token': 'ada',
      'sheaf.libraries': ['kiln@1.4.0'],
      'sheaf.outcome': 'ok',
      'mcp.method.name': 'tools/call',
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'search_documents_tool',
    });
    await until(() => server.log().includes('call-1'), 'the log line');
    assert.equal(linesOf(server.log()).find(({ request }) => request === 'call-1').trace, TRACE);
  });

  it('A request without a traceparent begins a trace, and a broken one is passed over', async () => {
    await (await post(search, { 'X-Request-Id': 'call-2' })).text();
    await (await post(search, { 'X-Request-Id': 'call-3', traceparent: '00-zz-1' })).text();
    for (const id of ['call-2', 'call-3']) {
      const { traceId, parent } = await spanOf(id);
      assert.match(traceId, /^[0-9a-f]{32}$/);
      assert.notEqual(traceId, TRACE);
      assert.equal(parent, undefined);
    }
  });

  it('Requests at the same time keep their traces and libraries apart', async () => {
    const ids = Array.from({ length: 20 }, (_, i) => `many-${i}`);
    const traceOf = (i) => `${TRACE.slice(0, 30)}${String(i + 10)}`;
    await Promise.all(
      ids.map(async (id, i) => {
        const isSearch = i % 2 === 0;
        const message = isSearch ? search : { method: 'tools/list', params: {} };
        await (await post(message, { traceparent: `00-${traceOf(i)}-${PARENT}-01`, 'X-Request-Id': id })).text();
      }),
    );
    for (const [i, id] of ids.entries()) {
      const { traceId, name, attributes } = await spanOf(id);
      assert.equal(traceId, traceOf(i));
      assert.equal(name, i % 2 === 0 ? 'tools/call search_documents_tool' : 'POST /mcp');
      assert.deepEqual(attributes['sheaf.libraries'], i % 2 === 0 ? ['kiln@1.4.0'] : undefined);
    }
  });

  it('A refusal has its status and is no error; addresses of strangers, probes and questions are in no span', async () => {
    const { origin } = new URL(server.url);
    await post(search, { Authorization: 'Bearer sheaf_wrong', 'X-Request-Id': 'refused' });
    await fetch(`${origin}/secret/path?q=1`, { headers: { 'X-Request-Id': 'nowhere' } });
    await fetch(`${origin}/healthz`, { headers: { 'X-Request-Id': 'probe' } });
    const refused = await spanOf('refused');
    assert.deepEqual([refused.attributes['http.response.status_code'], refused.status.code], [401, SpanStatusCode.UNSET]);
    assert.equal((await spanOf('nowhere')).name, 'GET');
    const text = readFileSync(file, 'utf8');
    for (const secret of ['secret', 'probe', 'several batches', token]) assert.ok(!text.includes(secret), secret);
  });

  it('sheaf serve has a span for each search', async () => {
    const spans = join(root, 'serve.jsonl');
    const env = serverEnvironment({ env: { NODE_OPTIONS: `--import ${SDK}`, SPANS_FILE: spans } });
    const child = spawn(process.execPath, [MAIN, 'serve', '--port', '0', '--store', store], { env });
    const end = once(child, 'close');
    const url = String(await once(child.stdout, 'data')).trim();
    const answer = await fetch(`${url}search?q=batches&format=json`, { headers: { traceparent } });
    assert.ok((await answer.json()).results.length > 0);
    await until(() => spansIn(spans).length > 0, 'a span');
    const [{ name, traceId, attributes }] = note(spansIn(spans));
    assert.deepEqual([name, traceId], ['GET /search', TRACE]);
    assert.deepEqual(attributes['sheaf.libraries'], ['kiln@1.4.0']);
    child.kill('SIGTERM');
    assert.equal((await end)[0], 0);
  });
});

describe('a request in a process with an SDK', () => {
  let sdk;
  let api;
  before(async () => {
    sdk = await import('./traces_sdk.mjs');
    api = await import('@opentelemetry/api');
  });

  /** A server whose work is `answer`, and the spans of one request to it. `around` is what else follows requests. */
  async function spansOf(answer, { around = (work) => work(), ask = (url) => fetch(url) } = {}) {
    const log = () => {};
    const pool = { list: async () => [], onChange: () => () => {} };
    const operation = await Operation.create({ access: await Access.open({}, log), log, pool, version: '9.8.7' });
    const server = createServer((request, response) =>
      around(() => operation.observe({ '/mcp': 'mcp' }, request, response, () => answer(response))),
    );
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    const before = sdk.ended.length;
    await ask(`http://127.0.0.1:${server.address().port}/mcp`);
    await until(() => sdk.ended.slice(before).some(({ scope }) => scope.name === 'sheaf'), 'the span');
    server.closeAllConnections();
    server.close();
    return note(sdk.ended.slice(before));
  }

  it('What the work of a request starts is a child of its span', async () => {
    const spans = await spansOf(async (response) => {
      await new Promise((resolve) => setImmediate(resolve));
      api.trace.getTracer('pg').startSpan('SELECT').end();
      response.end();
    });
    const own = spans.find(({ scope }) => scope.name === 'sheaf');
    assert.equal(own.scope.version, '9.8.7');
    assert.equal(spans.find(({ name }) => name === 'SELECT').parent, own.spanId);
  });

  it('Where the SDK follows HTTP itself, its span is the parent, and ours is inside the server', async () => {
    let outer;
    const around = (work) =>
      api.trace.getTracer('http').startActiveSpan('POST', (span) => {
        outer = span;
        return work();
      });
    const spans = await spansOf(async (response) => void response.end(), { around });
    const own = spans.find(({ scope }) => scope.name === 'sheaf');
    assert.deepEqual([own.parent, own.kind], [outer.spanContext().spanId, SpanKind.INTERNAL]);
  });

  it('A failure of the server is an error, and a client that left is named', async () => {
    const [failed] = await spansOf(async (response) => void response.writeHead(503).end());
    assert.deepEqual([failed.status.code, failed.attributes['error.type']], [SpanStatusCode.ERROR, '503']);
    const leave = async (url) => {
      const gone = new AbortController();
      const asked = fetch(url, { signal: gone.signal }).catch(() => {});
      setTimeout(() => gone.abort(), 50);
      await asked;
    };
    const [left] = await spansOf(() => new Promise(() => {}), { ask: leave });
    assert.deepEqual([left.attributes['error.type'], left.attributes['http.response.status_code']], ['gone', undefined]);
  });

  it('The API that is missing, broken or too new for the SDK is said in one line', async () => {
    for (const [load, message] of [
      [
        async () => undefined,
        /an SDK of OpenTelemetry is loaded, but @opentelemetry\/api is not installed beside sheaf\. In a project: npm install/,
      ],
      [() => Promise.reject(new Error('a syntax error')), /is installed but did not load: a syntax error/],
      [
        async () => ({ ...api, trace: { getTracerProvider: () => new api.ProxyTracerProvider() } }),
        /has no tracer for this @opentelemetry\/api/,
      ],
    ]) {
      const logged = [];
      const opened = await Traces.open({ env: {}, version: '1', log: (level, text) => logged.push(`${level}: ${text}`), load });
      assert.equal(opened, undefined);
      assert.equal(logged.length, 1);
      assert.match(logged[0], message);
      assert.match(logged[0], /^warn: There are no traces: /);
    }
    assert.equal(await Traces.open({ env: { OTEL_SDK_DISABLED: 'true' }, version: '1', log: assert.fail, load: assert.fail }), undefined);
  });
});

describe('a server without an SDK', () => {
  /** What Traces.open says in a process of its own, and whether it loaded the API. */
  function open(env) {
    const script = `
      import { Traces } from ${JSON.stringify(new URL('../../dist/node/operate/traces.js', import.meta.url).href)};
      const traces = await Traces.open({
        env: process.env, version: '1', log: (level, text) => console.log(text), load: () => console.log('loaded'),
      });
      console.log(traces === undefined ? 'none' : 'some');`;
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
      encoding: 'utf8',
      env: serverEnvironment({ env }),
    });
    assert.equal(stderr, '');
    return stdout.trim().split('\n');
  }

  it('Nothing is loaded and nothing is said', () => {
    assert.deepEqual(open({}), ['none']);
    assert.deepEqual(open({ OTEL_SERVICE_NAME: 'x', OTEL_SDK_DISABLED: 'true' }), ['none']);
  });

  it('Where the environment asks for traces, one line says what to install and how to start', () => {
    const [line, ...rest] = open({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector.example:4318' });
    assert.match(
      line,
      /no SDK of OpenTelemetry is loaded\. Install .*NODE_OPTIONS='--require @opentelemetry\/auto-instrumentations-node\/register'/,
    );
    assert.deepEqual(rest, ['none']);
  });
});

describe("the operator's page", () => {
  it('It has every attribute of a span, and no other', () => {
    const page = readFileSync(fileURLToPath(new URL('../../docs/operators.md', import.meta.url)), 'utf8');
    const section = page.slice(page.indexOf('## Traces'), page.indexOf('## Updates'));
    const documented = [...section.matchAll(/^\| `([a-z_.]+)`/gm)].map(([, name]) => name);
    assert.deepEqual(documented.sort(), [...seen].sort());
  });
});
