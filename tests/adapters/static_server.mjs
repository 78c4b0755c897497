/**
 * A plain static host: files, `index.html` for folders, `NAME.html` for NAME, as GitHub Pages and most others
 * serve them; byte ranges. `dir` is served below `base`.
 */
import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';

const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.css': 'text/css',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
};

const isFile = (path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true;

/** The file that the host sends for a path; undefined for none. */
export function fileFor(dir, base, pathname) {
  const path = normalize(decodeURIComponent(pathname));
  if (!path.startsWith(base)) return undefined;
  const plain = join(dir, path.slice(base.length));
  const candidates = path.endsWith('/') ? [join(plain, 'index.html')] : [plain, `${plain}.html`, join(plain, 'index.html')];
  return candidates.find(isFile);
}

export async function serveStatic(dir, base) {
  const requests = [];
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url, 'http://host');
    const file = fileFor(dir, base, pathname);
    requests.push({ path: pathname, status: file === undefined ? 404 : 200 });
    if (file === undefined) {
      response.writeHead(404).end('not found');
      return;
    }
    let bytes = readFileSync(file);
    const headers = { 'Content-Type': TYPES[extname(file)] ?? 'application/octet-stream', 'Cache-Control': 'no-cache' };
    const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '');
    if (range && Number(range[1]) < bytes.length) {
      const end = Math.min(Number(range[2]), bytes.length - 1);
      headers['Content-Range'] = `bytes ${range[1]}-${end}/${bytes.length}`;
      bytes = bytes.subarray(Number(range[1]), end + 1);
    }
    response.writeHead(headers['Content-Range'] ? 206 : 200, { ...headers, 'Content-Length': bytes.length }).end(bytes);
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
