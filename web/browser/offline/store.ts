/**
 * What a service worker keeps of a site's search, so that it answers without a network.
 *
 * `sheaf site` lists in site.json what the entry names now: code, bundle, encoder table. All of these
 * carry the hash of their content in their names, so what is stored is never stale, only
 * unused. The entry and the list are asked of the network first, and stored last.
 *
 * Invariants
 *  1. What is stored is complete: entry and list are replaced when all they name is there, and only
 *     then is the rest dropped. A run that ends early is taken up by the next.
 *  2. A bundle is stored when its bytes have the hash that its name promises.
 *  3. Only refresh() makes the cache: a request that comes late, when the site has given it up, leaves no
 *     empty one behind.
 *  4. Nobody else keeps what is stored whole (client/kept.ts).
 *
 * On a host without ranges a page reads pieces until it has a worker (client/pieces.ts), and goes on with them. They are
 * the stored file's bytes: of them, only the first is stored, which lists where the others begin.
 *
 * Cost: one download of everything, in the background; an answer by range is a slice of a Blob.
 */

import { dropRanges, KEEP_NOTHING, nameOfWhole } from '../client/kept.js';
import { hashOf, LIST } from '../client/successor.js';

/** Name of the worker at the site's root. */
export const OFFLINE_SCRIPT = 'sheaf-offline.js';
export const ENTRY = 'sheaf.js';
const MOST_FILES = 1000;

/** What the entry names, and whether it is still meant to work offline. */
interface SiteList {
  files: string[];
  /** Folders of pieces, for hosts without ranges. */
  pieces: string[];
  offline: boolean;
}

export interface StoreOptions {
  /** Address of the site's folder `sheaf/`. */
  folder: URL;
  caches: CacheStorage;
  fetch: typeof fetch;
  /** The site no longer works offline; nothing is kept any more. */
  onRetired: () => Promise<unknown>;
}

export class OfflineStore {
  readonly #folder: URL;
  readonly #caches: CacheStorage;
  readonly #fetch: typeof fetch;
  readonly #onRetired: () => Promise<unknown>;
  readonly #cacheName: string;
  /** Whole files that were asked for by range, while the worker lives. */
  readonly #held = new Map<string, Promise<Held | undefined>>();
  /** Files that were stored anew because a reader distrusted them; once each, while the worker lives. */
  readonly #renewed = new Set<string>();
  #refreshing: Promise<void> | undefined;

  constructor({ folder, caches, fetch, onRetired }: StoreOptions) {
    this.#folder = folder;
    this.#caches = caches;
    this.#fetch = fetch;
    this.#onRetired = onRetired;
    this.#cacheName = nameOfWhole(folder);
  }

  /** Whether a request is ours to answer. */
  handles({ method, url }: Request): boolean {
    return method === 'GET' && url.startsWith(this.#folder.href);
  }

  /** `keepAlive` receives work that continues after the response. */
  async answer(request: Request, keepAlive: (work: Promise<unknown>) => void): Promise<Response> {
    const url = plain(request.url);
    if (url === this.#address(ENTRY) || url === this.#address(LIST)) return this.#answerFirst(request, url, keepAlive);
    // A reader of the bundle that distrusts what it got asks past every cache.
    const distrusted = ['reload', 'no-cache'].includes(request.cache);
    if (distrusted) {
      const answer = await this.#fetch(request).catch(() => undefined);
      if (answer !== undefined) {
        if (answer.ok && !this.#renewed.has(url)) {
          this.#renewed.add(url);
          // What is stored may be what was wrong; a reader distrusts a file by asking for its pieces.
          const { file = url, list } = locationOfPiece(url) ?? {};
          const dropped = Promise.all([file, list].map((each) => each !== undefined && this.#drop(each)));
          keepAlive(dropped.then(() => this.#refreshQuietly()));
        }
        return answer;
      }
    }
    const held = (await this.#hold(url)) ?? (await this.#piece(url));
    return held === undefined ? this.#fetch(request) : respond(held, request.headers.get('Range'));
  }

  /** A piece of a file that is stored whole. */
  async #piece(url: string): Promise<Held | undefined> {
    const location = locationOfPiece(url);
    const [whole, list] = await Promise.all([location?.file, location?.list].map((each) => each && this.#hold(each)));
    if (location === undefined || !whole || !list) return undefined;
    const range = rangeOfPiece(new DataView(await list.blob.arrayBuffer()), location.number, whole.blob.size);
    return range && { blob: whole.blob.slice(...range), headers: list.headers };
  }

  /** Stores what the list names and drops the rest. */
  refresh(): Promise<void> {
    this.#refreshing ??= this.#refresh().finally(() => (this.#refreshing = undefined));
    return this.#refreshing;
  }

  async #refresh(): Promise<void> {
    // In this order: deploying writes the list before the entry. So a deploy meanwhile leaves the former entry, which names other files.
    const entry = await this.#fetchFresh(ENTRY);
    const list = await this.#fetchFresh(LIST);
    const { files, pieces, offline } = parseList(await list.clone().text());
    if (!offline) return this.#retire();
    const ours = (names: string[]): string[] =>
      names.map((name) => this.#address(name)).filter((url) => url.startsWith(this.#folder.href));
    const wanted = new Set(ours(files));
    const text = await entry.clone().text();
    const unnamed = [...wanted].find(
      (url) => !text.includes(url.slice(this.#folder.href.length).split('/')[0] as string),
    );
    if (unnamed !== undefined)
      throw new Error(
        `sheaf: the site is being deployed (${ENTRY} does not name ${unnamed}); it is stored at the next visit.`,
      );
    const cache = await this.#caches.open(this.#cacheName);
    for (const url of wanted)
      if ((await cache.match(url)) === undefined) await cache.put(url, await this.#fetchWhole(url));
    for (const url of ours(pieces.map((name) => `${name}/0.bin`))) {
      wanted.add(url);
      // A page that lacks it has the network; the next one has the whole file.
      const store = async (): Promise<void> => cache.put(url, await this.#fetchWhole(url));
      if ((await cache.match(url)) === undefined) await store().catch(() => {});
    }
    await cache.put(this.#address(LIST), list);
    await cache.put(this.#address(ENTRY), entry);
    for (const { url } of await cache.keys()) {
      if (!wanted.has(url) && url !== this.#address(LIST) && url !== this.#address(ENTRY)) await this.#drop(url);
    }
    await dropRanges(this.#caches, this.#folder.href);
  }

  async #retire(): Promise<void> {
    this.#held.clear();
    await this.#caches.delete(this.#cacheName);
    await this.#onRetired();
  }

  /** Entry and list: as the network has them, or as they were. */
  async #answerFirst(request: Request, url: string, keepAlive: (work: Promise<unknown>) => void): Promise<Response> {
    const stored = await this.#stored(url);
    const answer = await this.#fetch(request).catch((error: unknown) => {
      if (stored === undefined) throw error;
      return undefined;
    });
    if (answer === undefined || (answer.status >= 500 && stored !== undefined)) return stored as Response;
    if (url !== this.#address(ENTRY)) return answer;
    if (answer.status === 404 || answer.status === 410) keepAlive(this.#retire()); // the site has no search any more
    if (answer.ok) {
      const copy = answer.clone();
      keepAlive(copy.text().then(async (text) => text === (await stored?.clone().text()) || this.#refreshQuietly()));
    }
    return answer;
  }

  async #refreshQuietly(): Promise<void> {
    await this.refresh().catch(() => {}); // the next visit takes it up
  }

  async #drop(url: string): Promise<void> {
    this.#held.delete(url);
    if (await this.#caches.has(this.#cacheName)) await (await this.#caches.open(this.#cacheName)).delete(url);
  }

  #hold(url: string): Promise<Held | undefined> {
    const known = this.#held.get(url);
    if (known !== undefined) return known;
    const held = this.#read(url);
    this.#held.set(url, held);
    held.then(
      (found) => found === undefined && this.#held.delete(url),
      () => this.#held.delete(url),
    );
    return held;
  }

  #stored(url: string): Promise<Response | undefined> {
    return this.#caches.match(url, { cacheName: this.#cacheName });
  }

  async #read(url: string): Promise<Held | undefined> {
    const stored = await this.#stored(url);
    return stored === undefined ? undefined : { blob: await stored.blob(), headers: headersOf(stored) };
  }

  async #fetchFresh(file: string): Promise<Response> {
    const response = await this.#fetch(this.#address(file), { cache: 'no-cache' });
    if (response.ok) return response;
    throw new Error(
      `sheaf: ${this.#address(file)}: the server answered ${response.status}, so the search is not kept for offline use.`,
    );
  }

  async #fetchWhole(url: string): Promise<Response> {
    const promised = hashOf(url);
    // Of bundles the HTTP cache holds ranges; Chromium may answer with one of them instead of the whole.
    const response = await this.#fetch(url, { cache: promised === undefined ? 'default' : 'reload' });
    const isPage = /^text\/html\b/i.test(response.headers.get('Content-Type') ?? ''); // of a host that knows no 404, of a hotel's network
    if (response.status !== 200 || isPage) {
      throw new Error(
        `sheaf: ${url} could not be stored: the server answered ${isPage ? 'with a web page' : response.status}.`,
      );
    }
    if (promised === undefined) return response;
    const bytes = await response.arrayBuffer();
    const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
    const found = Array.from(digest.subarray(0, 6), (byte) => byte.toString(16).padStart(2, '0')).join('');
    if (found !== promised) {
      throw new Error(
        `sheaf: ${url} came with other bytes than its name promises (${found}); it is asked for again at the next visit.`,
      );
    }
    return new Response(bytes, { headers: headersOf(response) });
  }

  #address(file: string): string {
    return new URL(file, this.#folder).href;
  }
}

interface Held {
  blob: Blob;
  headers: Headers;
}

const KEPT_HEADERS = [
  'Content-Type',
  'ETag',
  'Last-Modified',
  'Content-Security-Policy',
  'Cross-Origin-Resource-Policy',
  'Cross-Origin-Embedder-Policy',
];

/** The headers that still hold for the decoded bytes. */
function headersOf(response: Response): Headers {
  const headers = new Headers();
  for (const name of KEPT_HEADERS) {
    const value = response.headers.get(name);
    if (value !== null) headers.set(name, value);
  }
  return headers;
}

/** All of a file, or the range of it that was asked for. Pure. */
export function respond({ blob, headers }: Held, range: string | null): Response {
  const answer = new Headers(headers);
  answer.set('Accept-Ranges', 'bytes');
  answer.set('Cache-Control', KEEP_NOTHING);
  const match = /^bytes=(\d{1,15})-(\d{0,15})$/.exec(range?.trim() ?? '');
  if (match === null) {
    answer.set('Content-Length', String(blob.size));
    return new Response(blob, { headers: answer });
  }
  const start = Number(match[1]);
  const last = Math.min(match[2] === '' ? Infinity : Number(match[2]), blob.size - 1);
  if (start > last) {
    answer.set('Content-Range', `bytes */${blob.size}`);
    return new Response(null, { status: 416, headers: answer });
  }
  answer.set('Content-Range', `bytes ${start}-${last}/${blob.size}`);
  answer.set('Content-Length', String(last + 1 - start));
  // A Blob's type would take the place of the header.
  return new Response(blob.slice(start, last + 1, blob.type), { status: 206, headers: answer });
}

/** Throws on anything but a list that `sheaf site` may have written. Pure. */
export function parseList(text: string): SiteList {
  const { files, pieces = [], offline } = JSON.parse(text) as Record<keyof SiteList, unknown>;
  if (!isListOfNames(files) || !isListOfNames(pieces)) {
    throw new Error(`sheaf: ${LIST} holds no list of files; run sheaf site again.`);
  }
  return { files, pieces, offline: offline === true };
}

const isListOfNames = (value: unknown): value is string[] =>
  Array.isArray(value) && value.length <= MOST_FILES && value.every((name) => typeof name === 'string');

/** Which piece of which file an address names, and where the list of the file's pieces is. Pure. */
function locationOfPiece(url: string): { file: string; list: string; number: number } | undefined {
  const [, stem = '', number = ''] = /^(.*)\.pieces\/(\d{1,6})\.bin$/.exec(url) ?? [];
  return stem === '' ? undefined : { file: `${stem}.sheaf`, list: `${stem}.pieces/0.bin`, number: Number(number) };
}

/**
 * Where a piece begins and ends in the file. undefined unless the list, which begins the first piece's file, adds up to the
 * `size` of the file, and has the piece. Pure.
 */
export function rangeOfPiece(list: DataView, number: number, size: number): [begin: number, end: number] | undefined {
  const count = list.byteLength < 4 ? 0 : list.getUint32(0, true);
  if (number >= count || 4 + 4 * count > list.byteLength) return undefined;
  const ends: number[] = [];
  for (let i = 0, end = 0; i < count; i++) ends.push((end += list.getUint32(4 + 4 * i, true)));
  return ends.at(-1) === size ? [ends[number - 1] ?? 0, ends[number] as number] : undefined;
}

const plain = (url: string): string => url.replace(/[?#].*$/s, '');
