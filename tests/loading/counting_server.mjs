/**
 * A static host on loopback that counts: what a good host does (ranges, ETags, brotli for text and WebAssembly,
 * caching for ever of files with a hash in their names), and a note of each request.
 *
 *     const server = await serveCounted({ '/': '/srv/site/' });
 *     const watch = server.watch();
 *     ...                              // a page loads something
 *     await server.quiet();
 *     watch.read()                     // { requests, wire, sent }
 *
 * `body` of a request are the bytes of its answer's body as sent. `sent` are all bytes to the reader, headers included. `wire` are all bytes of the connections in both
 * directions: with HTTP/1.1 bodies and headers, with HTTP/2 also frames, compressed headers and TLS. Handshakes of
 * connections that were there before `watch` are not in it.
 *
 * Loopback answers in microseconds, so a page's second request could leave after the answer to its first even when
 * they do not depend on each other. `delay` holds every answer back that long, so that waves (tally.mjs) are true.
 *
 * `ranges: false` is a host that answers every range with the whole file; `body` of such a request is what had left when
 * the reader hung up. Loopback carries megabytes before anybody can, so a file leaves as TCP's slow start lets it over a
 * distance of 150 ms: two windows of ten and twenty packets before the reader can be heard, then twice as much each time.
 */
import { execFileSync } from 'node:child_process';
import { createHash, createPublicKey } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { open, readFile, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createSecureServer } from 'node:http2';
import { tmpdir } from 'node:os';
import { extname, join, normalize } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';

const compress = promisify(brotliCompress);
const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.css': 'text/css',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
};
const HASHED = /-[0-9a-f]{12}[./]|_[0-9a-f]{10}\.pf_|\/[a-z]+_[0-9a-f]{7,}\.pf_/;

/** A connection outlives a pause of the machine, so that nobody sends a request into one that is just being closed. */
const KEEP_ALIVE_MS = 120_000;

/** `places`: a leading path to a folder (both end in "/"), or a whole path to the text of a page. */
export async function serveCounted(places, { delay = 0, http2 = false, ranges = true } = {}) {
  const settings = { delay, ranges };
  const notes = [];
  const sockets = new Set();
  let closedWire = 0;
  let closedSent = 0;
  let active = 0;
  let lastEnd = -Infinity;

  const identity = http2 ? certificate() : undefined;
  const server = http2
    ? createSecureServer({ ...identity, allowHTTP1: false })
    : createServer({ keepAlive: true, keepAliveTimeout: KEEP_ALIVE_MS });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => {
      sockets.delete(socket);
      closedWire += wireOf(socket);
      closedSent += socket.bytesWritten;
    });
  });
  server.on('request', (request, response) => {
    const note = {
      path: new URL(request.url, 'http://x').pathname,
      range: request.headers.range,
      status: 0,
      body: 0,
      begun: performance.now(),
      ended: Infinity,
    };
    notes.push(note);
    active++;
    response.once('close', () => {
      note.ended = lastEnd = performance.now();
      note.aborted = !response.writableFinished;
      active--;
    });
    answer(places, settings, request, response, note).catch((error) => response.destroy(error));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  const wire = () => [...sockets].reduce((sum, socket) => sum + wireOf(socket), closedWire);
  const sent = () => [...sockets].reduce((sum, socket) => sum + socket.bytesWritten, closedSent);
  return {
    settings,
    /** Switches with which Chromium takes this server for a trusted one: it caches nothing of others. */
    switches: http2 ? [`--ignore-certificate-errors-spki-list=${fingerprint(identity.cert)}`] : [],
    origin: `${http2 ? 'https' : 'http'}://127.0.0.1:${server.address().port}`,
    watch() {
      const first = notes.length;
      const before = wire();
      const sentBefore = sent();
      return { read: () => ({ requests: notes.slice(first), wire: wire() - before, sent: sent() - sentBefore }) };
    },
    /** Resolves when nothing was under way for `ms`. */
    async quiet(ms = 60) {
      while (active > 0 || performance.now() - lastEnd < ms) await sleep(10);
    },
    /** Forgets what was noted. */
    forget: () => notes.splice(0),
    async close() {
      server.closeAllConnections?.();
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

const wireOf = (socket) => socket.bytesWritten + socket.bytesRead;

async function answer(places, settings, request, response, note) {
  const path = normalize(decodeURIComponent(note.path));
  const prefix = Object.keys(places)
    .filter((place) => path === place || (place.endsWith('/') && path.startsWith(place)))
    .sort((a, b) => b.length - a.length)[0];
  const found = prefix === undefined ? undefined : await lookUp(places[prefix], path, prefix);
  if (settings.delay > 0) await sleep(settings.delay);
  if (found === undefined) return send(response, note, 404, { 'Content-Type': 'text/plain' }, Buffer.from('not found'));
  const { bytes, size, etag, read } = found;
  const headers = {
    'Content-Type': TYPES[extname(path)] ?? (prefix.endsWith('/') ? 'application/octet-stream' : TYPES['.html']),
    'Cache-Control': HASHED.test(path) ? 'public, max-age=31536000, immutable' : 'no-cache',
    ETag: etag,
  };
  if (request.headers['if-none-match'] === etag) return send(response, note, 304, headers, Buffer.alloc(0));
  if (extname(path) in TYPES || bytes !== undefined) {
    const text = bytes ?? (await read(0, size));
    if (!/\bbr\b/.test(request.headers['accept-encoding'] ?? '')) return send(response, note, 200, headers, text);
    return send(response, note, 200, { ...headers, 'Content-Encoding': 'br', Vary: 'Accept-Encoding' }, await encoded(text));
  }
  if (!settings.ranges) return sendSlowly(response, note, headers, await read(0, size));
  headers['Accept-Ranges'] = 'bytes';
  const match = /^bytes=(\d{1,15})-(\d{1,15})$/.exec(request.headers.range ?? '');
  if (match === null) return send(response, note, 200, headers, await read(0, size));
  const [first, last] = [Number(match[1]), Math.min(Number(match[2]), size - 1)];
  if (first > last) return send(response, note, 416, { ...headers, 'Content-Range': `bytes */${size}` }, Buffer.alloc(0));
  return send(response, note, 206, { ...headers, 'Content-Range': `bytes ${first}-${last}/${size}` }, await read(first, last - first + 1));
}

function send(response, note, status, headers, body) {
  note.status = status;
  note.body = body.length; // of an aborted answer too: on loopback it has left before anybody can abort it
  response.writeHead(status, status === 304 ? headers : { ...headers, 'Content-Length': body.length });
  response.end(body);
}

async function sendSlowly(response, note, headers, body) {
  note.status = 200;
  response.writeHead(200, { ...headers, 'Content-Length': body.length });
  let isOpen = true;
  response.once('close', () => (isOpen = false));
  let window = FIRST_WINDOWS;
  for (let at = 0; at < body.length && isOpen; window *= 2) {
    const chunk = body.subarray(at, at + window);
    at += chunk.length;
    note.body += chunk.length;
    response.write(chunk);
    if (at < body.length) await sleep(DISTANCE_MS);
  }
  response.end();
}

const FIRST_WINDOWS = 30 * 1460;
const DISTANCE_MS = 150;

async function lookUp(place, path, prefix) {
  if (path === prefix && !path.endsWith('/')) return { bytes: Buffer.from(place), etag: etagOf(place) };
  const file = join(place, path.slice(prefix.length) || 'index.html');
  const stats = await stat(file).catch(() => undefined);
  if (!stats?.isFile()) return undefined;
  const read = async (offset, length) => {
    if (offset === 0 && length === stats.size) return readFile(file);
    const handle = await open(file);
    try {
      return (await handle.read(Buffer.alloc(length), 0, length, offset)).buffer;
    } finally {
      await handle.close();
    }
  };
  return { size: stats.size, etag: etagOf(`${file} ${stats.size} ${stats.mtimeMs}`), read };
}

const etagOf = (text) => `"${createHash('sha256').update(text).digest('hex').slice(0, 16)}"`;

// As a build would have written beside the file: best quality, once.
const brotli = new Map();

async function encoded(bytes) {
  const key = createHash('sha256').update(bytes).digest('hex');
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
  if (!brotli.has(key)) brotli.set(key, compress(bytes, { params }));
  return brotli.get(key);
}

const fingerprint = (cert) =>
  createHash('sha256')
    .update(createPublicKey(cert).export({ type: 'spki', format: 'der' }))
    .digest('base64');

/** Browsers speak HTTP/2 over TLS only. */
function certificate() {
  const folder = mkdtempSync(join(tmpdir(), 'sheaf-certificate-'));
  try {
    const [key, cert] = ['key.pem', 'cert.pem'].map((name) => join(folder, name));
    execFileSync(
      'openssl',
      [
        'req',
        '-x509',
        '-newkey',
        'ec',
        '-pkeyopt',
        'ec_paramgen_curve:prime256v1',
        '-nodes',
        '-days',
        '2',
        '-subj',
        '/CN=127.0.0.1',
        '-keyout',
        key,
        '-out',
        cert,
      ],
      { stdio: 'ignore' },
    );
    return { key: readFileSync(key), cert: readFileSync(cert) };
  } catch (error) {
    throw new Error(`--http2 needs a certificate, and openssl could not make one (${error.message}); install the package openssl.`, {
      cause: error,
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
