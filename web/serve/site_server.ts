/**
 * `sheaf serve DIR` over HTTP: the site as a static host would serve it, each page with its search, and the
 * index from another folder, so that nothing below DIR is touched.
 *
 *   /sheaf/sheaf.js     the entry script, with the lines that keep open pages up to date (live_page.ts)
 *   /sheaf/events       a stream that tells of each new index
 *   /sheaf/…            the index and the code; names with a hash may be kept for ever
 *   all else            files of DIR
 *
 * Idea: pages ask for everything anew but for what carries its hash in its name, so what was just written is
 * what is seen. GET and HEAD alone; who may ask, guard.ts says.
 */
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type OutgoingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { Log } from '../mcp/tool.js';
import { judge } from './guard.js';
import { livePage } from './live_page.js';
import { htmlType, isHtml, lookUp, sendBytes, sendFile } from './static_files.js';

export interface SiteServerOptions {
  /** The folder of the pages. */
  site: string;
  /** The folder whose `sheaf` is served. */
  index: string;
  /** A page as it is sent; characters stand for bytes (Latin-1). */
  page(html: string): string;
  /** Names beside localhost that the server is reached by. */
  hosts: readonly string[];
  log: Log;
}

export interface SiteServer {
  server: Server;
  /** Tells open pages which `.sheaf` files are current. */
  announce(names: readonly string[]): void;
  /** Ends the streams, which would go on for ever. */
  endStreams(): void;
}

const PREFIX = '/sheaf/';
const ENTRY = `${PREFIX}sheaf.js`;
const EVENTS = `${PREFIX}events`;
const MAX_URL = 8 * 1024;
const FOR_EVER = 'public, max-age=31536000, immutable';
const HASHED = /^\/sheaf\/(code-[0-9a-f]{12}\/|[\w.-]+-[0-9a-f]{12}\.sheaf$)/;

/** The server, not yet listening. */
export function createSiteServer(options: SiteServerOptions): SiteServer {
  const streams = new Set<ServerResponse>();
  let current: readonly string[] | undefined;
  const site: Site = { ...options, streams, current: () => current };
  const server = createServer({ requestTimeout: 10_000, headersTimeout: 10_000 }, (request, response) => {
    answer(request, response, site).catch((error: unknown) => {
      if (response.destroyed) return; // the client left
      options.log('error', `${request.method} ${request.url}: ${String(error)}`);
      if (response.headersSent) response.destroy();
      else plain(request, response, 500, 'This file could not be read; the terminal says why.');
    });
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

async function answer(request: IncomingMessage, response: ServerResponse, site: Site): Promise<void> {
  const target = request.url ?? '/';
  const url = target.length <= MAX_URL && URL.canParse(target, 'http://sheaf') ? new URL(target, 'http://sheaf') : undefined;
  if (url === undefined) return plain(request, response, 400, 'The address cannot be read.');
  const denial = judge(request, { hosts: site.hosts, origins: [], token: undefined }, true);
  if (denial !== undefined) return plain(request, response, denial.status, denial.error);
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.setHeader('Allow', 'GET, HEAD');
    return plain(request, response, 405, 'Use GET or HEAD.');
  }
  if (url.pathname === EVENTS) return listen(request, response, site);
  if (url.pathname === ENTRY) return entry(request, response, site);
  if (url.pathname.startsWith(PREFIX)) return file(request, response, site, site.index, url);
  return file(request, response, site, site.site, url);
}

async function file(request: IncomingMessage, response: ServerResponse, site: Site, root: string, url: URL): Promise<void> {
  const found = await lookUp(root, url.pathname);
  if (found.kind === 'moved') return void response.writeHead(301, headers({ Location: found.to + url.search, 'Content-Length': 0 })).end();
  if (found.kind === 'missing') return notFound(request, response, site);
  const caching = HASHED.test(url.pathname) ? { 'Cache-Control': FOR_EVER } : {};
  try {
    if (isHtml(found.path) && root === site.site) await page(request, response, site, found.path, 200);
    else await sendFile(request, response, found.path, headers(caching));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'EISDIR') return notFound(request, response, site); // a builder was here
    if (code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  }
}

async function page(request: IncomingMessage, response: ServerResponse, site: Site, path: string, status: number): Promise<void> {
  const bytes = Buffer.from(site.page((await readFile(path)).toString('latin1')), 'latin1');
  sendBytes(request, response, status, bytes, headers({ 'Content-Type': htmlType(bytes) }));
}

async function notFound(request: IncomingMessage, response: ServerResponse, site: Site): Promise<void> {
  const own = await lookUp(site.site, '/404.html');
  if (own.kind !== 'file') return plain(request, response, 404, 'There is no such page.');
  await page(request, response, site, own.path, 404).catch(() => plain(request, response, 404, 'There is no such page.'));
}

async function entry(request: IncomingMessage, response: ServerResponse, site: Site): Promise<void> {
  const hasIndex = site.current() !== undefined;
  const own = hasIndex ? await readFile(join(site.index, ENTRY), 'utf8') : '';
  const script = Buffer.from(own + livePage(EVENTS, ENTRY, hasIndex));
  sendBytes(request, response, 200, script, headers({ 'Content-Type': 'text/javascript; charset=utf-8' }));
}

function listen(request: IncomingMessage, response: ServerResponse, site: Site): void {
  response.writeHead(200, headers({ 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' }));
  if (request.method === 'HEAD') return void response.end();
  const names = site.current();
  response.write(names === undefined ? ':\n\n' : indexEvent(names)); // who comes late learns what is current
  site.streams.add(response);
  response.on('close', () => site.streams.delete(response));
}

function indexEvent(names: readonly string[]): string {
  return `event: index\ndata: ${JSON.stringify(names)}\n\n`;
}

function headers(more: OutgoingHttpHeaders): OutgoingHttpHeaders {
  return { 'Cache-Control': 'no-cache', 'X-Content-Type-Options': 'nosniff', ...more };
}

function plain(request: IncomingMessage, response: ServerResponse, status: number, text: string): void {
  if (!request.complete) response.shouldKeepAlive = false;
  sendBytes(request, response, status, Buffer.from(`${text}\n`), headers({ 'Content-Type': 'text/plain; charset=utf-8' }));
}
