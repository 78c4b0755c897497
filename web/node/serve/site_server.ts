/**
 * `sheaf serve DIR` over HTTP: the site as a static host would serve it, each page with its search, and the
 * index from another folder, so that nothing below DIR is touched.
 *
 *   /sheaf/sheaf.js     the entry script, with the lines that keep open pages up to date (live_page.ts)
 *   /sheaf/events       a stream that announces each new index
 *   /sheaf/…            the index and the code; names with a hash may be kept for ever
 *   all else            files of DIR
 *
 * Idea: browsers revalidate everything except files with a hash in their name, so they always show the latest
 * build. GET and HEAD only; guard.ts decides who may send requests (http.ts calls it).
 */
import { readFile } from 'node:fs/promises';
import type { OutgoingHttpHeaders, Server, ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { Log } from '../operate/log.js';
import { ENTRY, FOLDER } from '../site/deploy.js';
import { isHtml } from '../site/files.js';
import { checkMethod, closeUnlessRead, createHttpServer, type Answer, type Asked } from './http.js';
import { livePage } from './live_page.js';
import { htmlType, lookUp, sendBytes, sendFile } from './static_files.js';

export interface SiteServerOptions {
  /** The folder of the pages. */
  site: string;
  /** The folder whose `sheaf` is served. */
  index: string;
  /** Turns a page into what is sent; each character stands for a byte (Latin-1). */
  page(html: string): string;
  /** The server's names besides localhost. */
  hosts: readonly string[];
  log: Log;
}

export interface SiteServer {
  server: Server;
  /** Tells open pages which `.sheaf` files are current. */
  announce(names: readonly string[]): void;
  /** Closes the event streams, which would otherwise never end. */
  endStreams(): void;
}

const PREFIX = `/${FOLDER}/`;
const ENTRY_PATH = `${PREFIX}${ENTRY}`;
const EVENTS = `${PREFIX}events`;
const FOR_EVER = 'public, max-age=31536000, immutable';
const HASHED = new RegExp(`^${PREFIX}(code-[0-9a-f]{12}/|[\\w.-]+-[0-9a-f]{12}\\.sheaf$)`);

/** The server, not yet listening. */
export function createSiteServer(options: SiteServerOptions): SiteServer {
  const streams = new Set<ServerResponse>();
  let current: readonly string[] | undefined;
  const site: Site = { ...options, streams, current: () => current };
  const server = createHttpServer({
    guard: { hosts: options.hosts, origins: [] },
    handle: (asked) => route(asked, site),
    refuse: ({ status, message, headers: more }) => plain(status, message, more),
    texts: { unreadable: 'The address cannot be read.', failed: 'This file could not be read; the terminal says why.' },
    log: options.log,
  });
  return {
    server,
    announce(names) {
      current = names;
      for (const stream of streams) stream.write(indexEvent(names));
    },
    endStreams: () => streams.forEach((stream) => stream.end()),
  };
}

interface Site extends SiteServerOptions {
  streams: Set<ServerResponse>;
  current(): readonly string[] | undefined;
}

function route({ request, url }: Asked, site: Site): Answer | Promise<Answer> {
  checkMethod(request, ['GET', 'HEAD'], 'Use GET or HEAD.');
  if (url.pathname === EVENTS) return listening(site);
  if (url.pathname === ENTRY_PATH) return entry(site);
  return file(site, url.pathname.startsWith(PREFIX) ? site.index : site.site, url);
}

async function file(site: Site, root: string, url: URL): Promise<Answer> {
  const found = await lookUp(root, url.pathname);
  if (found.kind === 'moved') return moved(found.to + url.search);
  if (found.kind === 'missing') return notFound(site);
  if (isHtml(found.path) && root === site.site)
    return page(site, found.path, 200).catch((error: unknown) => ifGone(site, error));
  const caching = HASHED.test(url.pathname) ? { 'Cache-Control': FOR_EVER } : {};
  return (request, response) =>
    sendFile(request, response, found.path, headers(caching)).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') await (await ifGone(site, error))(request, response);
    });
}

/** A builder may remove a file between lookup and reading. Rethrows any other error. */
function ifGone(site: Site, error: unknown): Promise<Answer> {
  const { code } = error as NodeJS.ErrnoException;
  if (code !== 'ENOENT' && code !== 'EISDIR') throw error;
  return notFound(site);
}

function moved(to: string): Answer {
  return (_, response) => void response.writeHead(301, headers({ Location: to, 'Content-Length': 0 })).end();
}

async function page(site: Site, path: string, status: number): Promise<Answer> {
  const bytes = Buffer.from(site.page((await readFile(path)).toString('latin1')), 'latin1');
  return (request, response) =>
    sendBytes(request, response, status, bytes, headers({ 'Content-Type': htmlType(bytes) }));
}

async function notFound(site: Site): Promise<Answer> {
  const none = plain(404, 'There is no such page.');
  const own = await lookUp(site.site, '/404.html');
  return own.kind === 'file' ? page(site, own.path, 404).catch(() => none) : none;
}

async function entry(site: Site): Promise<Answer> {
  const hasIndex = site.current() !== undefined;
  const own = hasIndex ? await readFile(join(site.index, ENTRY_PATH), 'utf8') : '';
  const script = Buffer.from(own + livePage(EVENTS, ENTRY_PATH, hasIndex));
  return (request, response) =>
    sendBytes(request, response, 200, script, headers({ 'Content-Type': 'text/javascript; charset=utf-8' }));
}

function listening(site: Site): Answer {
  return (request, response) => {
    response.writeHead(200, headers({ 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' }));
    if (request.method === 'HEAD') return void response.end();
    const names = site.current();
    response.write(names === undefined ? ':\n\n' : indexEvent(names)); // tells a late client the current index
    site.streams.add(response);
    response.on('close', () => site.streams.delete(response));
  };
}

function indexEvent(names: readonly string[]): string {
  return `event: index\ndata: ${JSON.stringify(names)}\n\n`;
}

function headers(more: OutgoingHttpHeaders): OutgoingHttpHeaders {
  return { 'Cache-Control': 'no-cache', 'X-Content-Type-Options': 'nosniff', ...more };
}

function plain(status: number, text: string, more: OutgoingHttpHeaders = {}): Answer {
  const body = Buffer.from(`${text}\n`);
  return (request, response) => {
    closeUnlessRead(request, response);
    sendBytes(request, response, status, body, headers({ 'Content-Type': 'text/plain; charset=utf-8', ...more }));
  };
}
