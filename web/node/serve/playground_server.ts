/** The playground over HTTP: its files, and the site's pages as they are when they are asked for. GET and HEAD only. */
import type { Server } from 'node:http';
import { dirname } from 'node:path';
import type { Log } from '../operate/log.js';
import { isOfPlayground, PLAYGROUND_FILES, playgroundData } from '../site/playground.js';
import type { SiteRequest } from '../site/pack_collections.js';
import { checkMethod, createHttpServer, type Answer } from './http.js';
import { lookUp, sendBytes, sendFile, typeOf } from './static_files.js';

const ALWAYS_NEW = { 'Cache-Control': 'no-cache', 'X-Content-Type-Options': 'nosniff' };

/** The server, not yet listening. */
export function createPlaygroundServer(request: SiteRequest, hosts: readonly string[], log: Log): Server {
  return createHttpServer({
    guard: { hosts, origins: [] },
    handle: ({ request: asked, url }) => {
      checkMethod(asked, ['GET', 'HEAD'], 'Use GET or HEAD.');
      return answerOf(url.pathname.slice(1) || 'index.html', request);
    },
    refuse: ({ status, message, headers }) => text(status, 'text/plain; charset=utf-8', `${message}\n`, headers),
    texts: { unreadable: 'The address cannot be read.', failed: 'This could not be made; the terminal says why.' },
    log,
  });
}

async function answerOf(name: string, request: SiteRequest): Promise<Answer> {
  if (name === 'data.json') {
    const data = await playgroundData(request);
    return (asked, response) =>
      sendBytes(asked, response, 200, data, { ...ALWAYS_NEW, 'Content-Type': 'application/json; charset=utf-8' });
  }
  const own = PLAYGROUND_FILES.get(name);
  if (own !== undefined && 'text' in own)
    return text(200, name.endsWith('.html') ? 'text/html; charset=utf-8' : typeOf(name), own.text);
  const path = own !== undefined && 'file' in own ? own.file : await below(name);
  if (path === undefined || !isOfPlayground(path))
    return text(404, 'text/plain; charset=utf-8', 'There is nothing here.\n');
  const type = path.endsWith('.mjs') ? { 'Content-Type': 'text/javascript; charset=utf-8' } : {};
  return (asked, response) => sendFile(asked, response, path, { ...ALWAYS_NEW, ...type });
}

/** The file of a folder of the playground. */
async function below(name: string): Promise<string | undefined> {
  const folder = dirname(name).split('/').slice(0, 3).join('/');
  const own = PLAYGROUND_FILES.get(folder);
  if (own === undefined || !('folder' in own)) return undefined;
  const found = await lookUp(own.folder, name.slice(folder.length));
  return found.kind === 'file' ? found.path : undefined;
}

function text(status: number, type: string, body: string, headers: Readonly<Record<string, string>> = {}): Answer {
  return (request, response) =>
    sendBytes(request, response, status, Buffer.from(body), { ...ALWAYS_NEW, 'Content-Type': type, ...headers });
}
