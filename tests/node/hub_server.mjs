/**
 * A hub on loopback: /{owner}/{name}/resolve/{revision}/{path}, by default with a redirect to a
 * "CDN" on another port, which honours Range and If-Range. Tests can spoil every answer:
 *
 *     const hub = await serveHub(files);                       // bytes by path
 *     hub.spoil('vocab.txt', status(500), cutAfter(100, arrived)); // the CDN's next answers for it, in this order
 *     hub.always('vocab.txt', endless());
 *     hub.requests                                             // { at: 'hub' | 'cdn', path, range, ifRange, authorization, status, sent }
 */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';

export const REPOSITORY = 'kiln/tiny-bert';
export const REVISION = 'v1';

export async function serveHub(files, { redirect = true } = {}) {
  const requests = [];
  const spoilt = new Map(); // path -> handlers for the next answers
  const constant = new Map();
  const etags = new Map();

  async function deliver(path, request, response, record) {
    response.on('close', () => (record.status = response.statusCode));
    const write = response.write.bind(response);
    response.write = (chunk, ...rest) => ((record.sent += chunk.length), write(chunk, ...rest));
    const bytes = files[path];
    const context = {
      bytes,
      request,
      response,
      etag:
        etags.get(path) ??
        `"${createHash('sha256')
          .update(bytes ?? '')
          .digest('hex')}"`,
    };
    const handler = spoilt.get(path)?.shift() ?? constant.get(path) ?? wellBehaved;
    await handler(context);
  }

  function listen(at, handle) {
    const server = createServer((request, response) => {
      const path = decodeURIComponent(new URL(request.url, 'http://x').pathname);
      const { range, authorization, 'if-range': ifRange } = request.headers;
      const record = { at, path, range, ifRange, authorization, sent: 0, status: undefined };
      requests.push(record);
      handle(path, request, response, record);
    });
    server.keepAliveTimeout = 60_000; // do not close a connection just as it is reused
    server.listen(0, '127.0.0.1');
    return once(server, 'listening').then(() => server);
  }

  const cdn = await listen('cdn', (path, request, response, record) => deliver(path.slice('/blob/'.length), request, response, record));
  const prefix = `/${REPOSITORY}/resolve/${REVISION}/`;
  const hub = await listen('hub', (path, request, response, record) => {
    const file = path.startsWith(prefix) ? path.slice(prefix.length) : undefined;
    const known = file !== undefined && (Object.hasOwn(files, file) || spoilt.has(file) || constant.has(file));
    if (!known) return response.writeHead(404, { 'X-Error-Code': 'EntryNotFound' }).end('Entry not found');
    if (redirect === false) return deliver(file, request, response, record);
    const usual = `http://127.0.0.1:${cdn.address().port}/blob/${file}`;
    const location = typeof redirect === 'function' ? redirect(file, usual) : usual;
    return response.writeHead(302, { Location: location, 'X-Linked-Etag': 'of the CDN' }).end('Found. Redirecting');
  });
  return {
    url: `http://127.0.0.1:${hub.address().port}`,
    requests,
    spoil: (path, ...handlers) => spoilt.set(path, handlers),
    always: (path, handler) => constant.set(path, handler),
    setEtag: (path, etag) => etags.set(path, etag),
    /** Body bytes sent for that file. */
    sent: (path) => requests.filter((r) => r.path.endsWith(`/${path}`)).reduce((sum, r) => sum + r.sent, 0),
    to: (path, at = 'cdn') => requests.filter((r) => r.at === at && r.path.endsWith(`/${path}`)),
    close: async () => {
      for (const server of [hub, cdn]) {
        server.closeAllConnections();
        server.close();
        await once(server, 'close');
      }
    },
  };
}

/** A correct answer: status and headers, and the bytes that follow them. */
function begin({ bytes, request, response, etag }) {
  const match = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '');
  const condition = request.headers['if-range'];
  if (etag) response.setHeader('ETag', etag);
  if (match === null || (condition !== undefined && condition !== etag)) {
    response.writeHead(200, { 'Content-Length': bytes.length });
    return bytes;
  }
  const start = Number(match[1]);
  if (start >= bytes.length) {
    response.writeHead(416, { 'Content-Range': `bytes */${bytes.length}` });
    return new Uint8Array(0);
  }
  response.writeHead(206, {
    'Content-Length': bytes.length - start,
    'Content-Range': `bytes ${start}-${bytes.length - 1}/${bytes.length}`,
  });
  return bytes.subarray(start);
}

export function wellBehaved(context) {
  const body = begin(context);
  if (body.length > 0) context.response.write(body);
  context.response.end();
}

/**
 * A network failure: so many bytes, then the connection breaks. `arrived(count)` resolves once the client has them,
 * because bytes that it has not read yet are lost with the connection.
 */
export const cutAfter = (count, arrived) => async (context) => {
  context.response.write(begin(context).subarray(0, count));
  await arrived(count);
  context.response.destroy();
};

/** So many bytes, then silence. */
export const wedgeAfter = (count) => (context) => {
  const body = begin(context);
  if (count > 0) context.response.write(body.subarray(0, count));
  else context.response.flushHeaders();
};

export const status =
  (code, headers = {}) =>
  ({ response }) =>
    response.writeHead(code, headers).end('no');

/** Always the whole file, whatever range was requested. */
export const ignoreRange = ({ bytes, response, etag }) => {
  response.writeHead(200, { 'Content-Length': bytes.length, ...(etag ? { ETag: etag } : {}) });
  response.write(bytes);
  response.end();
};

/** States its range correctly, but starts elsewhere than requested, or claims another file size. */
export const wrongRange =
  (shift, total) =>
  ({ bytes, request, response, etag }) => {
    const start = Number(/^bytes=(\d+)-/.exec(request.headers.range)[1]) + shift;
    response.writeHead(206, { ETag: etag, 'Content-Range': `bytes ${start}-${bytes.length - 1}/${total ?? bytes.length}` });
    response.write(bytes.subarray(start));
    response.end();
  };

/** Different bytes, as a valid file with its own headers. */
export const instead = (other) => (context) => wellBehaved({ ...context, bytes: other, etag: undefined });

/** The bytes over and over, without an announced length and without end. */
export const endless =
  () =>
  ({ bytes, response }) => {
    response.writeHead(200);
    const more = () => {
      while (!response.destroyed && response.write(bytes));
      if (!response.destroyed) response.once('drain', more);
    };
    more();
  };

/** Without an announced length, ended early as if complete. */
export const short =
  (count) =>
  ({ bytes, response }) => {
    response.writeHead(200);
    response.write(bytes.subarray(0, count));
    response.end();
  };

/** Announces a length that differs from the body's. */
export const announce =
  (length) =>
  ({ bytes, response }) => {
    response.writeHead(200, { 'Content-Length': length });
    response.write(bytes.subarray(0, Math.min(bytes.length, length)), () => setTimeout(() => response.destroy(), 30));
  };

/** `pieces` pieces, each once `arrived(count)` says that the client has the `count` bytes before it. */
export const drip = (pieces, arrived) => async (context) => {
  const body = begin(context);
  const step = Math.ceil(body.length / pieces);
  for (let at = 0; at < body.length; at += step) {
    context.response.write(body.subarray(at, at + step));
    await arrived(Math.min(at + step, body.length));
  }
  context.response.end();
};
