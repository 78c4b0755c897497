/**
 * Files of a folder over HTTP, as static hosts serve them: `index.html` for a folder, `page` for `page.html`,
 * `Range`, `ETag`, types by name.
 *
 * A path is looked up segment by segment below the folder. It must not climb with `..`, name a hidden file
 * except `.well-known`, or follow a link that leads outside.
 */
import { createHash } from 'node:crypto';
import { isUtf8 } from 'node:buffer';
import { open, realpath, stat, type FileHandle } from 'node:fs/promises';
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { extname, join, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';

export type Found = { kind: 'file'; path: string } | { kind: 'moved'; to: string } | { kind: 'missing' };

/** Looks up `pathname` (of a URL, percent-encoded) below `root`. */
export async function lookUp(root: string, pathname: string): Promise<Found> {
  const missing: Found = { kind: 'missing' };
  const segments = pathname.split('/').slice(1).map(decoded);
  if (segments.some((segment, i) => segment === undefined || (segment === '' && i < segments.length - 1)))
    return missing;
  if (segments.some((segment) => (segment as string).startsWith('.') && segment !== '.well-known')) return missing;
  const path = join(root, ...(segments as string[]));
  const candidates = pathname.endsWith('/')
    ? [join(path, 'index.html'), join(path, 'index.htm')]
    : [path, `${path}.html`, `${path}.htm`];
  for (const candidate of candidates) {
    const stats = await stat(candidate).catch(() => undefined);
    if (stats === undefined) continue;
    if (!(await isBelow(root, candidate))) return missing;
    if (stats.isFile()) return { kind: 'file', path: candidate };
    // `page` is the folder, unless the folder has no front page and there is a page.html.
    if (!stats.isDirectory()) continue;
    if ((await isFile(join(candidate, 'index.html'))) || !(await isFile(`${candidate}.html`)))
      return { kind: 'moved', to: `${pathname}/` };
  }
  // Sites with clean addresses: `guide/` for guide.html.
  if (pathname.endsWith('/') && segments.length > 1) {
    const page = `${path.replace(/[/\\]$/, '')}.html`;
    if ((await isFile(page)) && (await isBelow(root, page))) return { kind: 'file', path: page };
  }
  return missing;
}

/** A decoded segment; undefined if it cannot be a file name. */
function decoded(segment: string): string | undefined {
  try {
    const name = decodeURIComponent(segment);
    return /[/\\\0]/.test(name) ? undefined : name;
  } catch {
    return undefined;
  }
}

async function isFile(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isFile() ?? false;
}

async function isBelow(root: string, path: string): Promise<boolean> {
  const [top, real] = await Promise.all([realpath(root), realpath(path).catch(() => '')]);
  return real === top || real.startsWith(top.endsWith(sep) ? top : top + sep);
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.htm': 'text/html',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.css': 'text/css',
  '.txt': 'text/plain',
  '.md': 'text/markdown',
  '.csv': 'text/csv',
  '.vtt': 'text/vtt',
  '.json': 'application/json',
  '.map': 'application/json',
  '.webmanifest': 'application/manifest+json',
  '.xml': 'application/xml',
  '.rss': 'application/rss+xml',
  '.atom': 'application/atom+xml',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
  '.avif': 'image/avif',
  '.ico': 'image/x-icon',
  '.woff': 'font/woff',
  '.woff2': 'font/woff2',
  '.ttf': 'font/ttf',
  '.otf': 'font/otf',
  '.wasm': 'application/wasm',
  '.pdf': 'application/pdf',
  '.zip': 'application/zip',
  '.gz': 'application/gzip',
  '.mp4': 'video/mp4',
  '.webm': 'video/webm',
  '.mp3': 'audio/mpeg',
  '.ogg': 'audio/ogg',
  '.wav': 'audio/wav',
};

/** The type by extension. Pure. For HTML see htmlType: the page's own declaration counts there. */
export function typeOf(path: string): string {
  const type = TYPES[extname(path).toLowerCase()] ?? 'application/octet-stream';
  return /^text\/|json$|xml$/.test(type) && type !== 'text/html' ? `${type}; charset=utf-8` : type;
}

/** The first and last byte of a `Range` header; undefined: send everything; 'beyond': past the end. Pure. */
export function readRange(
  header: string | undefined,
  size: number,
): { first: number; last: number } | 'beyond' | undefined {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '');
  if (match === null || (match[1] === '' && match[2] === '')) return undefined; // several ranges: the whole file is a valid answer
  if (match[1] === '') {
    const length = Math.min(Number(match[2]), size);
    return length === 0 ? 'beyond' : { first: size - length, last: size - 1 };
  }
  const first = Number(match[1]);
  const last = match[2] === '' ? size - 1 : Math.min(Number(match[2]), size - 1);
  if (match[2] !== '' && Number(match[2]) < first) return undefined;
  return first >= size ? 'beyond' : { first, last };
}

/** Whether the client's copy is current. Pure. */
export function isFresh(header: string | undefined, etag: string): boolean {
  return (
    header !== undefined &&
    (header.trim() === '*' || header.split(',').some((each) => each.trim().replace(/^W\//, '') === etag))
  );
}

/** Sends a file unchanged. Error: it cannot be opened. */
export async function sendFile(
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  headers: OutgoingHttpHeaders,
): Promise<void> {
  const file = await open(path);
  try {
    await sendOpen(request, response, file, { 'Content-Type': typeOf(path), ...headers });
  } finally {
    await file.close().catch(() => {}); // a stream that was read has already closed it
  }
}

async function sendOpen(
  request: IncomingMessage,
  response: ServerResponse,
  file: FileHandle,
  headers: OutgoingHttpHeaders,
): Promise<void> {
  const { size, mtimeNs, ino } = await file.stat({ bigint: true });
  const etag = `"${[size, mtimeNs, ino].map((part) => part.toString(36)).join('-')}"`;
  const common = { ...headers, ETag: etag, 'Accept-Ranges': 'bytes' };
  if (isFresh(request.headers['if-none-match'], etag)) return void response.writeHead(304, common).end();
  const asked =
    request.headers['if-range'] === undefined || request.headers['if-range'] === etag
      ? request.headers.range
      : undefined;
  const range = readRange(asked, Number(size));
  if (range === 'beyond') return void response.writeHead(416, { ...common, 'Content-Range': `bytes */${size}` }).end();
  const { first, last } = range ?? { first: 0, last: Number(size) - 1 };
  response.writeHead(range === undefined ? 200 : 206, {
    ...common,
    'Content-Length': last - first + 1,
    ...(range === undefined ? {} : { 'Content-Range': `bytes ${first}-${last}/${size}` }),
  });
  if (request.method === 'HEAD' || last < first) return void response.end();
  await pipeline(file.createReadStream({ start: first, end: last }), response);
}

/** Sends bytes that were generated for this answer. */
export function sendBytes(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  bytes: Buffer,
  headers: OutgoingHttpHeaders,
): void {
  const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
  const common = { ...headers, ETag: etag };
  if (status === 200 && isFresh(request.headers['if-none-match'], etag))
    return void response.writeHead(304, common).end();
  response
    .writeHead(status, { ...common, 'Content-Length': bytes.length })
    .end(request.method === 'HEAD' ? undefined : bytes);
}

/** Declares UTF-8 if the bytes are valid UTF-8; otherwise leaves the charset to the page. Pure. */
export function htmlType(bytes: Buffer): string {
  return isUtf8(bytes) ? 'text/html; charset=utf-8' : 'text/html';
}
