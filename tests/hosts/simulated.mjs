/**
 * Static hosts as they are met, on loopback: how each answers for a range of a file that it does not compress, and what it does
 * to whole files. All of them send the right bytes of a file that is asked for whole.
 *
 *     const host = await serveLike('whole', '/srv/site');     // host.origin, host.requests, host.close()
 */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

/** `ranges(bytes, range)`: {status, headers, bytes} for a range {first, last} of a .sheaf file, or of a piece. */
export const HOSTS = {
  good: { like: 'nginx, Apache, Caddy, GitHub Pages, S3', ranges: (bytes, range) => part(bytes, range) },
  whole: { like: 'Cloudflare Pages; Python’s http.server', ranges: (bytes) => ({ status: 200, headers: {}, bytes }) },
  'whole, without a length': {
    like: 'hosts that compress on the fly',
    ranges: (bytes) => ({ status: 200, headers: { 'Content-Encoding': 'gzip' }, bytes: gzip(bytes), isChunked: true }),
  },
  'of some files': {
    like: 'GitLab Pages, which serves ranges of what its archive holds uncompressed',
    ranges: (bytes, range) => (bytes.length > 2 ** 20 ? part(bytes, range) : { status: 200, headers: {}, bytes }),
  },
  'of other files': {
    like: 'the same',
    ranges: (bytes, range) => (bytes.length < 2 ** 20 ? part(bytes, range) : { status: 200, headers: {}, bytes }),
  },
  'compressed, as such': {
    like: 'a CDN before GitHub Pages; Firefox before 2024, which asked for encodings of ranges',
    ranges: (bytes, range) => part(gzip(bytes), range, { 'Content-Encoding': 'gzip' }),
  },
  'compressed, unsaid': { like: 'a CDN that drops the header', ranges: (bytes, range) => part(gzip(bytes), range) },
  'marked br': {
    like: 'Firebase Hosting at times',
    ranges: (bytes, range) => part(bytes, range, { 'Content-Encoding': 'br' }),
  },
  'wrong total': {
    like: 'a cache that knows the encoded length',
    ranges(bytes, range) {
      const answer = part(bytes, range);
      const total = gzip(bytes).length;
      return { ...answer, headers: { 'Content-Range': `bytes ${range.first}-${range.first + answer.bytes.length - 1}/${total}` } };
    },
  },
  'another range': { like: 'a cache of aligned parts', ranges: (bytes, { last }) => part(bytes, { first: 1, last: last + 1 }) },
  damaged: {
    like: 'a proxy that rewrites what it takes for text',
    ranges(bytes, range) {
      const answer = part(bytes, range);
      return { ...answer, bytes: Buffer.from(answer.bytes).map((byte, i) => (range.first + i >= 64 ? byte ^ 1 : byte)) };
    },
  },
  'another ETag each time': {
    like: 'several servers behind one name',
    ranges: (bytes, range) => part(bytes, range, { ETag: `"${Math.random()}"` }),
  },
};

function part(bytes, { first, last }, headers = {}) {
  const end = Math.min(last, bytes.length - 1);
  if (first > end) return { status: 416, headers: { 'Content-Range': `bytes */${bytes.length}` }, bytes: Buffer.alloc(0) };
  return {
    status: 206,
    headers: { ...headers, 'Content-Range': `bytes ${first}-${end}/${bytes.length}` },
    bytes: bytes.subarray(first, end + 1),
  };
}

const zipped = new Map();
function gzip(bytes) {
  const key = createHash('sha256').update(bytes).digest('hex');
  if (!zipped.has(key)) zipped.set(key, gzipSync(bytes, { level: 1 }));
  return zipped.get(key);
}

const TYPES = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.json': 'application/json', '.wasm': 'application/wasm' };

/**
 * `encode`: whole files come by Brotli, data too. `absent`: how missing files are answered: 404, or a page with 200.
 * `hold(path)`: may wait before an answer.
 */
export async function serveLike(name, folder, { encode = false, absent = 404, csp, hold } = {}) {
  const requests = [];
  const server = createServer(async (request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url, 'http://x').pathname));
    const note = { path, range: request.headers.range, status: 0, sent: 0, aborted: false };
    requests.push(note);
    await hold?.(path);
    response.once('close', () => (note.aborted = !response.writableFinished));
    const bytes = await readFile(join(folder, path.endsWith('/') ? `${path}index.html` : path)).catch(() => undefined);
    if (bytes === undefined) {
      note.status = absent;
      return response.writeHead(absent, { 'Content-Type': 'text/html' }).end('<!doctype html><p>Home</p>');
    }
    const headers = {
      'Content-Type': TYPES[extname(path) || '.html'] ?? 'application/octet-stream',
      'Cache-Control': /-[0-9a-f]{12}[./]/.test(path) ? 'public, max-age=31536000, immutable' : 'no-cache',
      ETag: `"${createHash('sha256').update(bytes).digest('hex').slice(0, 16)}"`,
      ...(csp === undefined ? {} : { 'Content-Security-Policy': csp }),
    };
    const match = /^bytes=(\d{1,15})-(\d{1,15})$/.exec(request.headers.range ?? '');
    let answer = { status: 200, headers: {}, bytes };
    if (match && /\.(sheaf|bin)$/.test(path)) answer = HOSTS[name].ranges(bytes, { first: Number(match[1]), last: Number(match[2]) });
    else if (encode && /\bbr\b/.test(request.headers['accept-encoding'] ?? ''))
      answer = {
        status: 200,
        headers: { 'Content-Encoding': 'br' },
        bytes: brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
      };
    note.status = answer.status;
    note.sent = answer.bytes.length;
    const length = answer.isChunked ? {} : { 'Content-Length': answer.bytes.length };
    response.writeHead(answer.status, { ...headers, ...length, ...answer.headers });
    return response.end(answer.bytes);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    requests,
    origin: `http://127.0.0.1:${server.address().port}`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
