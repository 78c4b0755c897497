/** A static server on loopback, with byte ranges, ETags and a strict Content-Security-Policy. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { readFile } from 'node:fs/promises';
import { extname, join, normalize } from 'node:path';

export const STRICT_CSP =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'; style-src 'self'; base-uri 'none'; form-action 'none'";

const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.css': 'text/css',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
};

/** `places` maps a leading path to a folder or a file; longer ones first. */
export async function serveSite(places, { csp = STRICT_CSP, ranges = true, port = 0 } = {}) {
  const requests = [];
  // `meddle(path, bytes)` may wait, and may return other bytes or a status: how servers misbehave.
  // `serve(request, response)` answers what is no file; whether it has, it returns.
  const settings = { csp, ranges, headers: {}, meddle: undefined, serve: undefined };
  const server = createServer(async (request, response) => {
    if (settings.serve?.(request, response)) return;
    const path = normalize(decodeURIComponent(new URL(request.url, 'http://x').pathname));
    const place = Object.keys(places).find((prefix) => path.startsWith(prefix));
    const file =
      place === undefined
        ? undefined
        : path === place && !place.endsWith('/')
          ? places[place]
          : join(places[place], path.slice(place.length) || 'index.html');
    let bytes;
    try {
      bytes = await readFile(file);
    } catch {
      requests.push({ path, url: request.url, range: request.headers.range, status: 404, sent: 0 });
      response.writeHead(404, { 'Content-Security-Policy': settings.csp }).end('not found');
      return;
    }
    const meddled = await settings.meddle?.(path, bytes);
    if (typeof meddled === 'number') {
      requests.push({ path, range: request.headers.range, status: meddled, sent: 0 });
      response.writeHead(meddled).end();
      return;
    }
    bytes = meddled ?? bytes;
    const headers = {
      'Content-Type': TYPES[extname(file)] ?? 'application/octet-stream',
      'Content-Security-Policy': settings.csp,
      'X-Content-Type-Options': 'nosniff',
      'Cache-Control': 'no-cache',
      ETag: `"${createHash('sha256').update(bytes).digest('hex').slice(0, 16)}"`,
      ...settings.headers,
    };
    const match = settings.ranges ? /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') : null;
    let status = 200;
    if (match && Number(match[1]) < bytes.length) {
      const end = Math.min(Number(match[2]), bytes.length - 1);
      headers['Content-Range'] = `bytes ${match[1]}-${end}/${bytes.length}`;
      bytes = bytes.subarray(Number(match[1]), end + 1);
      status = 206;
    }
    requests.push({ path, range: request.headers.range, status, sent: bytes.length });
    response.writeHead(status, { ...headers, 'Content-Length': bytes.length }).end(bytes);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    settings,
    requests,
    origin: `http://127.0.0.1:${server.address().port}`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
