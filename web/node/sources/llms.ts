/**
 * Documentation by llms.txt (llmstxt.org): a site's own Markdown for language models. `llms-full.txt` holds all pages in
 * one file, `llms.txt` links to them. Sites document their newest version, whichever was asked for.
 *
 * Pages have their own addresses: those that llms-full.txt states above each (`Source: URL`, `url:`), or those of the
 * links. An llms-full.txt that states none stays one page, at its own address.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fetcherFor, forEachLimited, parseUrl, statusError, type Fetcher, type Reply } from './http.js';
import { RobotsCache } from './sitemap.js';
import { addressHtml, addressMarkdown, decodeBody, PageNames } from './sitemap_page.js';
import { SourceError, type Fetched, type SourceContext } from './source.js';

const LIMITS = { fileBytes: 32 << 20, pageBytes: 10 << 20, pages: 2000, leastPages: 3, leastBytes: 200 };
const TIMEOUT_MS = 30_000;

/** undefined if the site has no such file. Nothing but the site's own host is asked for pages. */
export async function fetchLlms(
  site: string,
  context: SourceContext,
): Promise<(Omit<Fetched, 'library' | 'version'> & { version: string }) | undefined> {
  const fetcher = fetcherFor(site, context);
  try {
    const robots = new RobotsCache(fetcher, context.timeoutMs);
    const full = await firstOf('llms-full.txt', site, fetcher, robots, context);
    const sections = full === undefined ? [] : splitFull(textOf(full), full.url);
    if (full !== undefined && sections.length > 1) return await save(sections, full.url, context);
    const index = await firstOf('llms.txt', site, fetcher, robots, context);
    const linked = index === undefined ? [] : await readLinked(index, fetcher, robots, context);
    if (index !== undefined && linked.length >= LIMITS.leastPages) return await save(linked, index.url, context);
    return full === undefined ? undefined : await save(sections, full.url, context);
  } finally {
    fetcher.close();
  }
}

/** The documentation of one llms.txt or llms-full.txt, by its address. */
export async function fetchLlmsFile({ llms_url }: { llms_url: string }, context: SourceContext): Promise<Fetched> {
  const url = parseUrl(llms_url);
  const fetcher = fetcherFor(url, context);
  try {
    const robots = new RobotsCache(fetcher, context.timeoutMs);
    if (!(await robots.of(url)).allows(url.pathname))
      throw new SourceError('failed', `${url.href} is refused by the site's robots.txt.`);
    context.say(`Fetching ${url.origin}${url.pathname}`);
    const reply = await fetcher.get(url.href, ASKED);
    if (reply.status !== 200) throw statusError(url.href, reply.status);
    if (!isText(reply)) throw new SourceError('failed', `${url.href} is a page of HTML, or empty, and no llms.txt.`);
    const sections = splitFull(textOf(reply), reply.url);
    const linked = sections.length > 1 ? [] : await readLinked(reply, fetcher, robots, context);
    const pages = sections.length > 1 || linked.length === 0 ? sections : [...sections, ...linked];
    return { library: hostOf(url), ...(await save(pages, reply.url, context)) };
  } finally {
    fetcher.close();
  }
}

const hostOf = ({ hostname }: URL): string => hostname.replace(/^(www|docs?)\./, '');

const ASKED = { timeoutMs: TIMEOUT_MS, maxBytes: LIMITS.fileBytes, accept: 'text/plain, text/markdown' };

/** Many sites answer any address with a page of HTML. */
function isText(reply: Reply): boolean {
  const isPlain = /^(text\/(plain|markdown|x-markdown)\b|$)/i.test(String(reply.headers['content-type'] ?? ''));
  return isPlain && reply.body.length > LIMITS.leastBytes && !/^\s*<(!doctype|html)/i.test(textOf(reply).slice(0, 200));
}

interface Page {
  url: string;
  text: string;
  isHtml?: boolean;
}

/** The file beside the address, else at the top of its host. */
async function firstOf(
  name: string,
  site: string,
  fetcher: Fetcher,
  robots: RobotsCache,
  context: SourceContext,
): Promise<Reply | undefined> {
  const base = parseUrl(site);
  base.hash = base.search = '';
  const beside = new URL(name, base.pathname.endsWith('/') || /\.\w+$/.test(base.pathname) ? base : `${base.href}/`);
  for (const address of new Set([beside.href, new URL(`/${name}`, base).href])) {
    const url = new URL(address);
    if (!(await robots.of(url)).allows(url.pathname)) continue;
    const reply = await fetcher.get(address, ASKED).catch(() => undefined);
    context.signal.throwIfAborted();
    if (reply?.status === 200 && isText(reply)) return reply;
  }
  return undefined;
}

function textOf({ body, headers }: Reply): string {
  return decodeBody(body, String(headers['content-type'] ?? ''));
}

/** The pages of an llms-full.txt, by the addresses that it states. Pure. */
export function splitFull(text: string, address: string): Page[] {
  const lines = text.split(/\r?\n/);
  const starts: { line: number; url: string }[] = [];
  let fence = '';
  for (const [index, line] of lines.entries()) {
    const mark = /^\s*(`{3,}|~{3,})/.exec(line)?.[1];
    if (mark !== undefined && fence === '') fence = mark;
    else if (mark !== undefined && line.trim() === mark && mark.startsWith(fence)) fence = '';
    if (fence !== '') continue;
    const stated =
      /^(?:Source|URL|Link)\s*:\s*<?(https?:\/\/\S+?|\/\S*?)>?$/i.exec(line)?.[1] ??
      (lines[index - 1]?.trim() === '---' ? /^url:\s*["']?(\S+?)["']?$/i.exec(line)?.[1] : undefined);
    if (stated === undefined || !URL.canParse(stated, address)) continue;
    const url = new URL(stated, address);
    if (url.host !== new URL(address).host) continue;
    // The page begins at the heading or the `---` just above.
    let line0 = index;
    for (let above = index - 1; above >= Math.max(0, index - 3); above--)
      if (/^(#{1,2} |---\s*$)/.test(lines[above] as string)) line0 = above;
    starts.push({ line: line0, url: url.href.replace(/\.md$/, '') });
  }
  if (starts.length < 2) return [{ url: address, text }];
  const pages = new Map<string, string>();
  for (const [index, { line, url }] of starts.entries()) {
    const own = lines.slice(line, starts[index + 1]?.line);
    const isMatter = own[0]?.trim() === '---';
    const text = (isMatter ? own : own.filter((each) => !/^(Source|URL|Link)\s*:\s*\S+$/i.test(each))).join('\n');
    const before = pages.get(url);
    if (before !== undefined || pages.size < LIMITS.pages)
      pages.set(url, before === undefined ? text : `${before}\n${text}`);
  }
  return [...pages].map(([url, text]) => ({ url, text }));
}

/** The addresses of an llms.txt's links on its own host, in order. Pure. */
export function linksOf(text: string, address: string): string[] {
  const found = new Set<string>();
  for (const [, target] of text.matchAll(/\]\(\s*<?([^\s()<>]{1,2000})>?[^()\n]{0,200}\)/g)) {
    if (!URL.canParse(target as string, address)) continue;
    const url = new URL(target as string, address);
    url.hash = '';
    if (url.host !== new URL(address).host || !/^https?:$/.test(url.protocol)) continue;
    if (/llms[\w-]{0,100}\.txt$|\.(json|ya?ml|xml|zip|png|svg|pdf)$/i.test(url.pathname)) continue;
    if (found.size < LIMITS.pages) found.add(url.href);
  }
  return [...found];
}

async function readLinked(
  index: Reply,
  fetcher: Fetcher,
  robots: RobotsCache,
  context: SourceContext,
): Promise<Page[]> {
  const links = linksOf(textOf(index), index.url);
  const pages: (Page | undefined)[] = [];
  let done = 0;
  await forEachLimited(links, context.concurrency, async (link, at) => {
    const url = new URL(link);
    if ((await robots.of(url)).allows(url.pathname + url.search)) {
      const reply = await fetcher
        .get(link, {
          timeoutMs: context.timeoutMs,
          maxBytes: LIMITS.pageBytes,
          accept: 'text/markdown, text/html;q=0.8',
        })
        .catch(() => undefined);
      context.signal.throwIfAborted();
      const type = String(reply?.headers['content-type'] ?? '');
      if (reply?.status === 200 && /^text\/(html|plain|markdown|x-markdown)\b/i.test(type))
        pages[at] = { url: link, text: decodeBody(reply.body, type), isHtml: /^text\/html\b/i.test(type) };
    }
    context.progress('Reading pages', ++done, links.length);
  });
  return pages.filter((page) => page !== undefined);
}

async function save(pages: readonly Page[], address: string, context: SourceContext): Promise<Fetched> {
  const root = join(context.folder, 'site');
  const names = new PageNames(new URL(address).host);
  const urls = new Map<string, string>();
  for (const { url, text, isHtml } of pages) {
    const name = names.nameOf(new URL(url), isHtml ? '.html' : '.md');
    await mkdir(dirname(join(root, name)), { recursive: true });
    await writeFile(join(root, name), isHtml ? addressHtml(text, url, '') : addressMarkdown(text, url));
    urls.set(name, url);
  }
  context.warn(`Taken from ${address}, which documents the newest version, not necessarily this one`);
  const documentation = { root, inputs: [root], baseUrl: '', urlStyle: 'keep' as const, noIgnore: true, urls };
  return { version: 'latest', ...documentation, content: 'site' };
}
