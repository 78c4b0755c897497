/**
 * The pages that a sitemap lists. Follows sitemap indexes, reads gzip and obeys robots.txt. A page has
 * ten seconds; one that fails is reported and left out.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { fetcherFor, forEachLimited, parseUrl, statusError, type Fetcher, type Reply } from './http.js';
import { ALLOW_ALL, MAX_ROBOTS_BYTES, parseRobots, type Robots } from './robots.js';
import { addressHtml, addressMarkdown, decodeBody, PageNames } from './sitemap_page.js';
import { parseSitemap, type SitemapEntry } from './sitemap_xml.js';
import { messageOf, SourceError, type Fetched, type SourceContext } from './source.js';

/** The protocol's limits for one sitemap, and our own limits for everything that it leads to. */
const LIMITS = {
  sitemapBytes: 50 << 20,
  sitemaps: 1000,
  depth: 3,
  pages: 100_000,
  pageBytes: 10 << 20,
  totalBytes: 4 * 2 ** 30,
  warnings: 20,
};
const SITEMAP_TIMEOUT_MS = 60_000;
const HTML = /^(text\/html|application\/xhtml\+xml)\b/i;
const TEXT = /^text\/(plain|markdown|x-markdown)\b/i;

export interface SitemapSpec {
  sitemap_url: string;
  filter_keywords?: string[];
  trim_query_params?: boolean;
}

export async function fetchSitemap(spec: SitemapSpec, context: SourceContext): Promise<Fetched> {
  const start = parseUrl(spec.sitemap_url);
  const fetcher = fetcherFor(start, context);
  try {
    const robots = new RobotsCache(fetcher, context.timeoutMs);
    const listed = await listPages(start, fetcher, robots, context);
    const chosen = choosePages(listed, spec);
    if (chosen.length === 0) {
      const why =
        listed.length === 0
          ? 'it lists no pages'
          : `none of its ${listed.length} pages matches ${(spec.filter_keywords ?? []).join(', ')}`;
      throw new SourceError('missing', `${start.href}: ${why}.`);
    }
    const urls = await new PageSaver(fetcher, robots, context, start.host).saveAll(chosen);
    return {
      version: 'latest',
      root: context.folder,
      inputs: [context.folder],
      baseUrl: '',
      urlStyle: 'keep',
      noIgnore: true,
      urls,
    };
  } finally {
    fetcher.close();
  }
}

/** Distinct pages whose URL contains one of the keywords, ignoring case. Pure. */
export function choosePages(
  entries: readonly SitemapEntry[],
  { filter_keywords = [], trim_query_params = false }: Omit<SitemapSpec, 'sitemap_url'>,
): SitemapEntry[] {
  const keywords = filter_keywords.map((word) => word.toLowerCase());
  const chosen = new Map<string, SitemapEntry>();
  for (const { loc, lastmod } of entries) {
    let url: URL;
    try {
      url = new URL(loc);
    } catch {
      continue;
    }
    url.hash = '';
    url.username = url.password = '';
    if (trim_query_params) url.search = '';
    if (keywords.length > 0 && !keywords.some((word) => loc.toLowerCase().includes(word))) continue;
    if (!chosen.has(url.href)) chosen.set(url.href, { loc: url.href, lastmod });
  }
  return [...chosen.values()];
}

// ---- sitemaps -------------------------------------------------------------------------------------

async function listPages(
  start: URL,
  fetcher: Fetcher,
  robots: RobotsCache,
  context: SourceContext,
): Promise<SitemapEntry[]> {
  const pages: SitemapEntry[] = [];
  const seen = new Set([start.href]);
  let level = await firstSitemaps(start, fetcher, robots);
  for (let depth = 0; level.length > 0; depth++) {
    const indexes: string[] = [];
    for (const { kind, entries } of level) {
      if (kind === 'index') indexes.push(...entries.map((entry) => entry.loc));
      else for (const entry of entries) if (pages.length < LIMITS.pages) pages.push(entry);
    }
    level = [];
    const next = indexes.filter((url) => !seen.has(url) && seen.size < LIMITS.sitemaps && seen.add(url));
    if (depth >= LIMITS.depth && next.length > 0)
      throw new SourceError('failed', `${start.href}: sitemaps within sitemaps, more than ${LIMITS.depth} deep.`);
    await forEachLimited(next, context.concurrency, async (url) => {
      try {
        level.push(await getSitemap(fetcher, url));
      } catch (error) {
        context.signal.throwIfAborted();
        context.warn(`Warning: Sitemap left out: ${messageOf(error)}`);
      }
    });
  }
  if (pages.length >= LIMITS.pages)
    context.warn(`Warning: Only the first ${LIMITS.pages} pages of ${start.href} are taken.`);
  return pages;
}

/** The sitemap at `start`; for a page, those that its robots.txt names or those at the usual places. */
async function firstSitemaps(
  start: URL,
  fetcher: Fetcher,
  robots: RobotsCache,
): Promise<{ kind: 'pages' | 'index'; entries: SitemapEntry[] }[]> {
  const reply = await fetcher.get(start.href, { timeoutMs: SITEMAP_TIMEOUT_MS, maxBytes: LIMITS.sitemapBytes });
  if (reply.status !== 200) throw statusError(start.href, reply.status);
  const own = await parseReply(reply);
  if (own !== undefined) return [own];
  const { sitemaps } = await robots.of(start);
  const addresses =
    sitemaps.length > 0
      ? sitemaps
      : [
          new URL('sitemap.xml', start.href.endsWith('/') ? start : `${start.href}/`).href,
          new URL('/sitemap.xml', start).href,
        ];
  const found = [];
  for (const address of new Set(addresses)) {
    const sitemap = await getSitemap(fetcher, address).catch(() => undefined);
    if (sitemap !== undefined) found.push(sitemap);
    if (found.length > 0 && sitemaps.length === 0) break;
  }
  if (found.length > 0) return found;
  throw new SourceError(
    'failed',
    `${start.href} is not a sitemap (no <urlset> or <sitemapindex>), and its site names none; give the address of its sitemap.xml, a git repository or a folder.`,
  );
}

async function getSitemap(
  fetcher: Fetcher,
  url: string,
): Promise<{ kind: 'pages' | 'index'; entries: SitemapEntry[] }> {
  const reply = await fetcher.get(url, { timeoutMs: SITEMAP_TIMEOUT_MS, maxBytes: LIMITS.sitemapBytes });
  if (reply.status !== 200) throw statusError(url, reply.status);
  const sitemap = await parseReply(reply);
  if (sitemap === undefined) throw new SourceError('failed', `${url} is not a sitemap.`);
  return sitemap;
}

async function parseReply(reply: Reply): Promise<ReturnType<typeof parseSitemap>> {
  let { body } = reply;
  if (body[0] === 0x1f && body[1] === 0x8b) {
    body = await (promisify(gunzip) as (data: Buffer, options: object) => Promise<Buffer>)(body, {
      maxOutputLength: LIMITS.sitemapBytes,
    }).catch((error: unknown) => {
      throw new SourceError('failed', `${reply.url} cannot be unpacked: ${messageOf(error)}.`);
    });
  }
  return parseSitemap(decodeBody(body, String(reply.headers['content-type'] ?? '')), LIMITS.pages);
}

// ---- robots.txt -----------------------------------------------------------------------------------

/** The robots.txt of each site, asked for once. */
export class RobotsCache {
  readonly #fetcher: Fetcher;
  readonly #timeoutMs: number;
  readonly #byOrigin = new Map<string, Promise<Robots>>();

  constructor(fetcher: Fetcher, timeoutMs: number) {
    this.#fetcher = fetcher;
    this.#timeoutMs = timeoutMs;
  }

  of(url: URL): Promise<Robots> {
    let found = this.#byOrigin.get(url.origin);
    if (found === undefined) this.#byOrigin.set(url.origin, (found = this.#get(url.origin)));
    return found;
  }

  async #get(origin: string): Promise<Robots> {
    try {
      const reply = await this.#fetcher.get(`${origin}/robots.txt`, {
        timeoutMs: this.#timeoutMs,
        maxBytes: MAX_ROBOTS_BYTES,
        truncate: true,
      });
      return reply.status === 200 ? parseRobots(reply.body.toString('utf8')) : ALLOW_ALL;
    } catch {
      return ALLOW_ALL; // the page itself will fail like its robots.txt, and report why
    }
  }
}

// ---- pages ----------------------------------------------------------------------------------------

class PageSaver {
  readonly #fetcher: Fetcher;
  readonly #robots: RobotsCache;
  readonly #context: SourceContext;
  readonly #host: string;
  #bytes = 0;
  #warnings = 0;

  constructor(fetcher: Fetcher, robots: RobotsCache, context: SourceContext, host: string) {
    this.#fetcher = fetcher;
    this.#robots = robots;
    this.#context = context;
    this.#host = host;
  }

  /** Returns the URL of each saved file. */
  async saveAll(entries: readonly SitemapEntry[]): Promise<Map<string, string>> {
    const names = new PageNames(this.#host);
    // Assign names in sitemap order, not in order of arrival: the same sitemap gives the same bundle.
    const html = entries.map(({ loc }) => names.nameOf(new URL(loc), '.html'));
    const urls = new Map<string, string>();
    let done = 0;
    let disallowed = 0;
    await forEachLimited(entries, this.#context.concurrency, async (entry, index) => {
      const url = new URL(entry.loc);
      if (url.protocol.startsWith('http') && !(await this.#robots.of(url)).allows(url.pathname + url.search))
        disallowed++;
      else {
        const name = await this.#save(entry, html[index] as string);
        if (name !== undefined) urls.set(name, entry.loc);
      }
      this.#context.progress('Processing URLs', ++done, entries.length);
    });
    if (disallowed > 0)
      this.#context.warn(`Warning: ${disallowed} of ${entries.length} pages left out, as the site's robots.txt asks.`);
    if (this.#warnings > LIMITS.warnings)
      this.#context.warn(`Warning: ${this.#warnings - LIMITS.warnings} more pages could not be fetched.`);
    if (urls.size === 0) throw new SourceError('failed', `None of the ${entries.length} pages could be fetched.`);
    return urls;
  }

  async #save({ loc, lastmod }: SitemapEntry, htmlName: string): Promise<string | undefined> {
    try {
      const { timeoutMs } = this.#context;
      const reply = await this.#fetcher.get(loc, {
        timeoutMs,
        maxBytes: LIMITS.pageBytes,
        accept: 'text/html, application/xhtml+xml, text/markdown, text/plain;q=0.8',
      });
      if (reply.status !== 200) throw statusError(loc, reply.status);
      const type = String(reply.headers['content-type'] ?? 'text/html');
      if (!HTML.test(type) && !TEXT.test(type))
        throw new SourceError('failed', `${loc} is not a page of text but ${type.slice(0, 80)}.`);
      this.#bytes += reply.body.length;
      if (this.#bytes > LIMITS.totalBytes)
        throw new TotalExceeded(
          'failed',
          `The pages are larger than ${LIMITS.totalBytes / 2 ** 30} GiB in all; choose some with --filter-keyword.`,
        );
      const text = decodeBody(reply.body, type);
      const isHtml = HTML.test(type);
      const name = isHtml ? htmlName : htmlName.replace(/\.html$/, '.md');
      const file = join(this.#context.folder, name);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, isHtml ? addressHtml(text, loc, lastmod) : addressMarkdown(text, loc));
      return name;
    } catch (error) {
      this.#context.signal.throwIfAborted();
      if (error instanceof TotalExceeded) throw error;
      if (++this.#warnings <= LIMITS.warnings) this.#context.warn(`Warning: Page left out: ${messageOf(error)}`);
      return undefined;
    }
  }
}

class TotalExceeded extends SourceError {}
