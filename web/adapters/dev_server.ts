/**
 * Search in a generator's development server: the index of the last build, served below the site's base.
 * Before the first build, the script in its place says on the console how to get one.
 *
 * Paths come from the network: what does not stay below the folder is not found. Byte ranges are served,
 * since the component reads by range.
 */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname, join, resolve, sep } from 'node:path';
import { pipeline } from 'node:stream';
import { ENTRY_PATH } from './page.js';

const FOLDER = ENTRY_PATH.slice(0, ENTRY_PATH.indexOf('/') + 1);
const TYPES: { [extension: string]: string } = { '.js': 'text/javascript', '.wasm': 'application/wasm' };

export interface LastBuild {
  /** Folder of the built site. */
  dir: string;
  /** The site's base path, `/` or `/docs/`. */
  base: string;
  /** What makes the index: `vitepress build docs`. */
  build: string;
}

export type Middleware = (request: IncomingMessage, response: ServerResponse, next: () => void) => void;

export function serveLastBuild({ dir, base, build }: LastBuild): Middleware {
  const prefixes = [...new Set([`${base}${FOLDER}`, `/${FOLDER}`])]; // some servers cut the base off before
  const folder = resolve(dir, FOLDER);
  return (request, response, next) => {
    const path = (request.url ?? '').replace(/[?#].*$/, '');
    const prefix = prefixes.find((each) => path.startsWith(each));
    if (prefix === undefined || !['GET', 'HEAD'].includes(request.method ?? '')) {
      next();
      return;
    }
    void respond(folder, path.slice(prefix.length), build, request, response).catch(() => response.writeHead(500).end());
  };
}

/** What a developer reads on the console before the first build. */
export const noIndex = (build: string): string => `sheaf: there is no search index yet. Make one: ${build}`;

async function respond(folder: string, name: string, build: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const file = await within(folder, name);
  if (file === undefined) {
    const note = `console.info(${JSON.stringify(noIndex(build))});\n`;
    if (`${FOLDER}${name}` !== ENTRY_PATH) response.writeHead(404).end();
    else response.writeHead(200, { 'Content-Type': 'text/javascript' }).end(note);
    return;
  }
  const range = /^bytes=(\d{1,15})-(\d{0,15})$/.exec(request.headers.range ?? '');
  const first = range === null ? 0 : Number(range[1]);
  const last = range === null || range[2] === '' ? file.size - 1 : Math.min(Number(range[2]), file.size - 1);
  const type = TYPES[extname(file.path)] ?? 'application/octet-stream';
  const headers = { 'Content-Type': type, 'Cache-Control': 'no-cache', 'Accept-Ranges': 'bytes', ETag: file.tag };
  if (range !== null && first > last) {
    response.writeHead(416, { 'Content-Range': `bytes */${file.size}` }).end();
    return;
  }
  const partial = range === null ? {} : { 'Content-Range': `bytes ${first}-${last}/${file.size}` };
  response.writeHead(range === null ? 200 : 206, { ...headers, ...partial, 'Content-Length': last - first + 1 });
  if (request.method === 'HEAD' || last < first) response.end();
  else pipeline(createReadStream(file.path, { start: first, end: last }), response, () => {}); // ends the one when the other fails or leaves
}

/** The file of that name below the folder; undefined when there is none. */
async function within(folder: string, name: string): Promise<{ path: string; size: number; tag: string } | undefined> {
  let path: string;
  try {
    path = resolve(join(folder, decodeURIComponent(name)));
  } catch {
    return undefined;
  }
  if (!path.startsWith(folder + sep) || path.includes('\0')) return undefined;
  const stats = await stat(path).catch(() => undefined);
  return stats?.isFile() ? { path, size: stats.size, tag: `"${stats.size.toString(36)}-${stats.mtimeMs.toString(36)}"` } : undefined;
}
