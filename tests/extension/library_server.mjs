/**
 * A static host on the loopback for tests of downloads: ranges, ETags, CORS where asked for, and what goes wrong: answers
 * that are cut, slow, of a wrong size, or of another file.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join, relative } from 'node:path';

export async function startServer({ cors = true } = {}) {
  /** Path to `{ bytes, type, cut, slow, lie, status, ranges, etag }`. */
  const files = new Map();
  const requests = [];
  const server = createServer(async (request, response) => {
    const path = decodeURIComponent(new URL(request.url, 'http://x').pathname);
    const file = files.get(path);
    requests.push({ method: request.method, path, range: request.headers.range, headers: request.headers });
    const headers = cors ? { 'access-control-allow-origin': '*', 'access-control-expose-headers': 'Content-Range, ETag' } : {};
    if (file === undefined || file.status !== undefined) return response.writeHead(file?.status ?? 404, headers).end();
    const etag = file.etag ?? `"${createHash('sha256').update(file.bytes).digest('hex').slice(0, 16)}"`;
    Object.assign(headers, { 'content-type': file.type ?? 'application/octet-stream', etag, 'accept-ranges': 'bytes' });
    const from = file.ranges === false ? undefined : /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '');
    const start = from ? Number(from[1]) : 0;
    const end = from?.[2] ? Math.min(Number(from[2]) + 1, file.bytes.length) : file.bytes.length;
    if (from && start >= file.bytes.length)
      return response.writeHead(416, { ...headers, 'content-range': `bytes */${file.bytes.length}` }).end();
    const body = file.bytes.subarray(start, end);
    if (file.length !== false) headers['content-length'] = String(body.length + (file.lie ?? 0));
    response.writeHead(
      from ? 206 : 200,
      from ? { ...headers, 'content-range': `bytes ${start}-${end - 1}/${file.bytes.length}` } : headers,
    );
    if (request.method === 'HEAD') return response.end();
    const most = file.cut === undefined ? body.length : Math.max(0, Math.min(body.length, file.cut - start));
    const step = file.slow ? 16 * 1024 : 256 * 1024;
    for (let at = 0; at < most; at += step) {
      if (response.destroyed) return;
      response.write(body.subarray(at, Math.min(at + step, most)));
      if (file.slow) await new Promise((resolve) => setTimeout(resolve, file.slow));
    }
    if (most < body.length)
      setTimeout(() => response.destroy(), 30); // what was written goes out first
    else response.end();
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${server.address().port}`;
  return {
    origin,
    files,
    requests,
    serve: (path, bytes, more = {}) => files.set(path, { bytes: Buffer.from(bytes), ...more }),
    close: () => new Promise((resolve) => (server.closeAllConnections(), server.close(resolve))),
  };
}

export const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');

/** A catalogue of `{ library, version, bytes, path, … }`. */
export function catalogueOf(libraries, more = {}) {
  const names = [...new Set(libraries.map(({ library }) => library))];
  return JSON.stringify({
    sheaf: 1,
    title: 'Test catalogue',
    libraries: names.map((name) => {
      const versions = libraries.filter(({ library }) => library === name);
      const [{ title = name, description = `About ${name}.`, licence = 'MIT' }] = versions;
      return {
        library: name,
        title,
        description,
        licence,
        versions: versions.map(({ version, bytes, path, hash, size }) => ({
          version,
          language: 'en',
          bytes: size ?? bytes.length,
          sha256: hash ?? sha256(bytes),
          address: path ?? `${name}@${version}.sheaf`,
          space: 'minilm-l6-256',
        })),
      };
    }),
    ...more,
  });
}

/**
 * Serves a catalogue with a head, of `{ library, version, bytes, description }`, signed by `key`. `more` is of writeCatalogue's wishes;
 * `index` the bytes of a bundle. Returns the files by path.
 */
export async function serveSigned(server, libraries, { key, folder, index, ...more }) {
  const { readHead, writeCatalogue } = await import('../../dist/node/publish/files.js');
  const { FolderStore } = await import('../../dist/node/publish/store.js');
  const entries = libraries.map(({ library, version, bytes, description = `About ${library}.` }) => ({
    ...{ library, title: library, description, licence: 'MIT', words: [], vector: '', space: '' },
    versions: [
      {
        ...{ version, language: 'en', pages: 1, passages: 1, space: '', source: '', licence: '', commit: '', date: '' },
        ...{ sha256: sha256(bytes), bytes: bytes.length },
      },
    ],
  }));
  const facts = index === undefined ? undefined : { sha256: sha256(index), bytes: index.length };
  const store = new FolderStore(folder);
  for (const bytes of [...libraries.map((each) => each.bytes), ...(index === undefined ? [] : [index])])
    await store.write(`bundles/${sha256(bytes)}.sheaf`, bytes);
  await writeCatalogue(store, entries, facts, await readHead(store), {
    title: 'Signed',
    expiresInDays: 10,
    key,
    now: new Date(),
    ...more,
  });
  const files = new Map();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) {
      const path = join(entry.parentPath ?? entry.path, entry.name);
      files.set(`/${relative(folder, path).replaceAll('\\', '/')}`, readFileSync(path));
    }
  for (const [path, bytes] of files) server.serve(path, bytes);
  return files;
}
