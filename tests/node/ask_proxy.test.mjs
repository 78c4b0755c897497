/** The proxy of docs/site.md, which holds the key of a model, as it stands there. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { chatText } from '../../dist/browser/ui/ask/chat.js';
import { temporaryFolder } from './packed.mjs';

const documented = readFileSync(new URL('../../docs/site.md', import.meta.url), 'utf8');
const [, source] = /```js\n(\/\/ ask\.mjs.*?)```/s.exec(documented);

/** What the model was sent, and how it answers. */
const asked = [];
let respond;
let model;
let proxy;
let address;

before(async () => {
  model = createServer(async (request, response) => {
    let text = '';
    for await (const piece of request) text += piece;
    asked.push({ headers: request.headers, body: JSON.parse(text) });
    respond(response);
  }).listen(0, '127.0.0.1');
  await once(model, 'listening');
  const free = createServer().listen(0, '127.0.0.1');
  await once(free, 'listening');
  const { port } = free.address();
  free.close();
  address = `http://127.0.0.1:${port}/ask`;
  const file = join(temporaryFolder('ask-proxy'), 'ask.mjs');
  writeFileSync(file, source);
  const env = {
    ...process.env,
    PORT: String(port),
    MODEL: 'small',
    MODEL_KEY: 'secret',
    MODEL_URL: `http://127.0.0.1:${model.address().port}/v1/chat/completions`,
  };
  proxy = spawn(process.execPath, [file], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  await once(proxy.stdout, 'data');
});
after(() => {
  proxy?.kill();
  model?.closeAllConnections();
  model?.close();
});

const post = (body, headers = { 'Sec-Fetch-Site': 'same-origin' }) =>
  fetch(address, { method: 'POST', body, headers: { 'Content-Type': 'application/json', ...headers } });
const question = JSON.stringify({ messages: [{ role: 'user', content: 'why?' }], stream: true, model: 'dearest' });

it("The documented proxy adds key and model, and passes the model's stream on", async () => {
  respond = (response) => {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    response.write('data: {"choices":[{"delta":{"content":"So "}}]}\n\n');
    response.end('data: {"choices":[{"delta":{"content":"[1]."}}]}\n\ndata: [DONE]\n\n');
  };
  const answer = await post(question);
  assert.equal(answer.headers.get('content-type'), 'text/event-stream');
  let text = '';
  for await (const piece of chatText(answer.body)) text += piece;
  assert.equal(text, 'So [1].');
  const [{ headers, body }] = asked;
  assert.equal(headers.authorization, 'Bearer secret');
  assert.deepEqual(body, { model: 'small', messages: [{ role: 'user', content: 'why?' }], stream: true, max_tokens: 500 });
});

it('The documented proxy passes refusals on, and refuses other sites, long questions and what is no question', async () => {
  respond = (response) => response.writeHead(429).end('slowly');
  assert.equal((await post(question)).status, 429);
  const before = asked.length;
  assert.equal((await post(question, { 'Sec-Fetch-Site': 'cross-site' })).status, 403);
  assert.equal((await post(question, {})).status, 403);
  assert.equal((await fetch(address)).status, 403);
  assert.equal((await post('x'.repeat(100_000))).status, 413);
  assert.equal((await post('no question')).status, 502);
  assert.equal(asked.length, before);
  respond = (response) => response.destroy();
  assert.equal((await post(question)).status, 502);
});
