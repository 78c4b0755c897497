/** A loopback HTTP server for one file, which can behave like good and bad servers; and a port without a server. */
import { createServer } from 'node:http';
import { once } from 'node:events';
import { connect, createServer as createTcpServer } from 'node:net';

/**
 * `behaviour` may be changed between requests: bytes, etag, ranges ('honour', 'ignore', 'wrong',
 * 'short'), status, headers, delay (ms), hang, onRequest(count), hideRange.
 */
export async function serveFile(behaviour) {
  const requests = [];
  const server = createServer(async (request, response) => {
    requests.push({ method: request.method, range: request.headers.range, aborted: false, sent: 0 });
    const record = requests.at(-1);
    response.on('close', () => {
      if (!response.writableFinished) record.aborted = true;
    });
    behaviour.onRequest?.(requests.length);
    const { bytes, etag, ranges = 'honour', status = 200, headers: more = {}, delay = 0, hang = false } = behaviour;
    if (delay) await new Promise((resolve) => setTimeout(resolve, delay));
    if (etag) response.setHeader('ETag', etag);
    for (const [name, value] of Object.entries(more)) response.setHeader(name, value);
    if (status !== 200) return response.writeHead(status).end('nothing here');
    const match = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '');
    if (hang && match && Number(match[1]) > 0) return undefined; // never answered
    if (request.method === 'HEAD') return response.writeHead(200, { 'Content-Length': bytes.length }).end();
    if (!match || ranges === 'ignore') {
      response.writeHead(200, { 'Content-Length': bytes.length });
      if (ranges === 'short') {
        response.write(bytes.subarray(0, bytes.length >> 1));
        return setTimeout(() => response.destroy(), 20);
      }
      record.sent = bytes.length;
      return response.end(bytes);
    }
    let start = Number(match[1]);
    const end = Math.min(Number(match[2]), bytes.length - 1);
    if (start >= bytes.length) return response.writeHead(416, { 'Content-Range': `bytes */${bytes.length}` }).end();
    if (ranges === 'wrong' && start > 0) start -= 1;
    const headers = { 'Content-Length': end - start + 1 };
    if (!behaviour.hideRange) headers['Content-Range'] = `bytes ${start}-${end}/${bytes.length}`;
    response.writeHead(206, headers);
    if (ranges === 'short') {
      response.write(bytes.subarray(start, start + 10));
      return setTimeout(() => response.destroy(), 20);
    }
    record.sent = end + 1 - start;
    return response.end(bytes.subarray(start, end + 1));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}/docs.sheaf`,
    requests,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** A port of 127.0.0.1 that refuses: the local end of a connection holds it, so nobody else can listen there. */
export async function refusingPort() {
  const far = createTcpServer((socket) => socket.on('error', () => {}).resume());
  far.listen(0, '127.0.0.1');
  await once(far, 'listening');
  const near = connect({ port: far.address().port, host: '127.0.0.1', localAddress: '127.0.0.1' });
  await once(near, 'connect');
  return {
    port: near.localPort,
    close: () => {
      near.destroy();
      far.close();
    },
  };
}
