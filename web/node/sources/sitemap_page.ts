/**
 * Writes the page's real URL into a fetched page, so that sheaf-pack uses it: as the canonical link (the
 * last one in <head> counts, so the page's own links are renamed), or as `url` in the front matter.
 */
import { createHash } from 'node:crypto';
import { decodePercent } from '../../browser/client/percent.js';

const MAX_SEGMENT = 100;
const MAX_PATH = 800;

/** File names for URLs: readable, safe for any file system, and unique even if case is ignored. */
export class PageNames {
  readonly #host: string;
  readonly #taken = new Set<string>();

  /** Pages of other hosts go into a folder named after their host. */
  constructor(host: string) {
    this.#host = host;
  }

  /** `extension` with its dot. */
  nameOf(url: URL, extension: string): string {
    const parts = url.pathname
      .split('/')
      .map(decodePercent)
      .map(segment)
      .filter((part) => part !== '');
    if (url.host !== this.#host) parts.unshift(segment(url.host));
    const leaf =
      url.pathname.endsWith('/') || parts.length === 0
        ? 'index'
        : (parts.pop() as string).replace(/\.(html?|mdx?|txt)$/i, '');
    const folders = parts.map((part) => (/\.(html?|md)$/i.test(part) ? `${part}_` : part));
    let stem = [...folders, leaf === '' ? 'index' : leaf].join('/');
    if (url.search !== '' || stem.length > MAX_PATH || folders.length > 32)
      stem = `${stem.length > MAX_PATH || folders.length > 32 ? 'long' : stem}-${hash(url.href)}`;
    if (this.#taken.has(key(stem + extension))) stem += `-${hash(url.href)}`;
    this.#taken.add(key(stem + extension));
    return stem + extension;
  }
}

const key = (name: string): string => name.normalize('NFC').toLowerCase();
const hash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 8);

function segment(part: string): string {
  return part
    .replace(/[\u0000-\u001f\u007f-\u009f<>:"/\\|?*]+/g, '_')
    .replace(/^\.+/, '_')
    .replace(/(?<![. ])[. ]+$/, '')
    .slice(0, MAX_SEGMENT);
}

/** Text of a body by its BOM, its HTTP charset, its <meta>, or as UTF-8. */
export function decodeBody(body: Buffer, contentType: string): string {
  const stated =
    /charset\s*=\s*["']?([\w.:-]+)/i.exec(contentType)?.[1] ??
    /<meta[^>]{0,200}?charset\s*=\s*["']?([\w.:-]+)/i.exec(body.toString('latin1', 0, 2048))?.[1];
  const bom =
    body[0] === 0xef && body[1] === 0xbb
      ? 'utf-8'
      : body[0] === 0xff && body[1] === 0xfe
        ? 'utf-16le'
        : body[0] === 0xfe && body[1] === 0xff
          ? 'utf-16be'
          : undefined;
  for (const label of [bom, stated]) {
    try {
      if (label === undefined) continue;
      const decoder = new TextDecoder(label);
      return decoder.encoding === 'windows-1252' ? windows1252(body) : decoder.decode(body);
    } catch {
      // An unknown encoding.
    }
  }
  return new TextDecoder().decode(body);
}

/** Decoded here because Node 20 decodes it as Latin-1, without the quotation marks and the euro sign. */
function windows1252(body: Buffer): string {
  const high = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ'; // 0x80 to 0x9f
  return body.toString('latin1').replace(/[\x80-\x9f]/g, (c) => high[c.charCodeAt(0) - 0x80] as string);
}

/** Adds the URL and date to the page's head; line numbers stay the same. */
export function addressHtml(html: string, url: string, lastmod: string): string {
  const end = /<\/head|<body/i.exec(html)?.index ?? Math.min(html.length, 1 << 18);
  const head = html.slice(0, end).replace(/\brel\s*=\s*(["']?)canonical\1/gi, 'rel=$1own-address$1');
  const date = /^\d{4}-\d{2}-\d{2}/.test(lastmod) ? `<meta name="lastmod" content="${attribute(lastmod)}">` : '';
  return `<link rel="canonical" href="${attribute(url)}">${date}${head}${html.slice(end)}`;
}

function attribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}

/** Puts the URL first in the front matter and removes the old `url`; lines elsewhere that look like one stay. */
export function addressMarkdown(text: string, url: string): string {
  const line = `url: ${JSON.stringify(url)}`;
  const marker = /^---[ \t]*\r?\n/.exec(text)?.[0] ?? '';
  const rest = text.slice(marker.length);
  const end = rest.search(/^(?:---|\.\.\.)[ \t]*\r?$/m);
  if (marker === '' || end < 0) return `---\n${line}\n---\n${text}`;
  return `${marker}${line}\n${rest.slice(0, end).replace(/^url:.*$/m, '')}${rest.slice(end)}`;
}

/** Whether the page looks like one that JavaScript fills in the browser. */
export function looksLikeApp(html: string): boolean {
  return (
    /<(?:div|main|section)[^>]{0,200}\bid\s*=\s*["']?(?:root|app|__next|__nuxt|___gatsby|svelte|application)["'\s>]/i.test(
      html,
    ) ||
    /<app-root|data-reactroot|\bng-(?:app|version)\b|window\.__(?:NUXT|NEXT_DATA|INITIAL_STATE)__|__NEXT_DATA__/i.test(
      html,
    ) ||
    /<noscript>[^<]{0,500}(?:enable|requires?|need)[^<]{0,100}javascript/i.test(html)
  );
}
