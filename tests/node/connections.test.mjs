/** What a server does with more connections than it holds. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { after, it } from 'node:test';
import { limitConnections } from '../../dist/node/net/connections.js';

const until = async (what) => {
  while (!what()) await new Promise((done) => setTimeout(done, 5));
};

async function serverOf(most) {
  const answers = [];
  const server = createServer((request, response) => (request.url === '/slow' ? answers.push(response) : response.end('done')));
  limitConnections(server, most);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => (server.closeAllConnections(), server.close()));
  const open = async (text = '') => {
    const socket = connect(server.address().port, '127.0.0.1');
    const state = { socket, text: '', closed: false };
    socket
      .setEncoding('latin1')
      .on('data', (chunk) => (state.text += chunk))
      .on('error', () => {})
      .on('close', () => (state.closed = true));
    await once(socket, 'connect');
    socket.write(text);
    return state;
  };
  return { server, answers, open };
}

const GET = (path) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;

it('The oldest unfinished connection makes room first, then answered ones', async () => {
  const { open } = await serverOf(4);
  const kept = await open(GET('/'));
  const silent = await open();
  const head = await open('POST / HTTP/1.1\r\nHost: x\r\n');
  const body = await open('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{');
  await until(() => kept.text.includes('done'));
  for (const [index, gone] of [silent, head, body, kept].entries()) {
    const next = await open(GET('/'));
    await until(() => next.text.includes('done') && gone.closed);
    assert.deepEqual(
      [silent, head, body, kept].map(({ closed }) => closed),
      [0, 1, 2, 3].map((at) => at <= index),
    );
  }
});

it('Connections being answered stay, and the newcomer goes when all are', async () => {
  const { open, answers } = await serverOf(2);
  const busy = [await open(GET('/slow')), await open(GET('/slow'))];
  await until(() => answers.length === 2);
  const late = await open(GET('/'));
  await until(() => late.closed);
  assert.equal(late.text, '');
  answers.forEach((response) => response.end('at last'));
  await until(() => busy.every(({ text }) => text.includes('at last')));
  const next = await open(GET('/'));
  await until(() => next.text.includes('done'));
});
