/**
 * Search in a generator's development server: the index of the last build, served below the site's base.
 * Before the first build, the script in its place says on the console how to get one.
 *
 * Files are found and sent as in `sheaf serve`: nothing outside the folder, by range on request.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { resolve } from 'node:path';
import { lookUp, sendFile } from '../serve/static_files.js';
import { ENTRY_PATH } from './page.js';

const FOLDER = ENTRY_PATH.slice(0, ENTRY_PATH.indexOf('/') + 1);

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
    const path = (request.url ?? '').replace(/[?#].*$/s, '');
    const prefix = prefixes.find((each) => path.startsWith(each));
    if (prefix === undefined || !['GET', 'HEAD'].includes(request.method ?? '')) {
      next();
      return;
    }
    respond(folder, path.slice(prefix.length), build, request, response).catch(() => {
      if (response.headersSent)
        response.destroy(); // the reader left, or the file was cut
      else response.writeHead(500).end();
    });
  };
}

/** What a developer reads on the console before the first build. */
export const noIndex = (build: string): string => `sheaf: there is no search index yet. Make one: ${build}`;

async function respond(
  folder: string,
  name: string,
  build: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const found = await lookUp(folder, `/${name}`);
  if (found.kind === 'file') return sendFile(request, response, found.path, { 'Cache-Control': 'no-cache' });
  const note = `console.info(${JSON.stringify(noIndex(build))});\n`;
  if (`${FOLDER}${name}` !== ENTRY_PATH) response.writeHead(404).end();
  else response.writeHead(200, { 'Content-Type': 'text/javascript' }).end(note);
}
