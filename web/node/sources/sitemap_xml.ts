/**
 * A sitemap's <loc> and <lastmod> elements. A library parses the XML (xml_format.d.mts) leniently: a bare `&`
 * in an address stays, and so do entities other than XML's own five. No document type is ever followed.
 *
 * Cost: linear; reading stops at text that no real sitemap holds (deep nesting, thousands of attributes).
 */
import { xmlParser } from './xml_format.mjs';

export interface SitemapEntry {
  loc: string;
  /** As written, or empty. */
  lastmod: string;
}

export interface Sitemap {
  /** `index`: its entries are sitemaps. */
  kind: 'pages' | 'index';
  entries: SitemapEntry[];
}

const LIMITS = { depth: 16, attributes: 256, characters: 8192 };
const KINDS = { urlset: 'pages', sitemapindex: 'index' } as const;
const CHUNK = 1 << 16;

/** undefined when the text is not a sitemap. Takes at most `limit` entries. */
export function parseSitemap(text: string, limit: number): Sitemap | undefined {
  // The parser limits comments and the like to 64 KiB; it needs its position to know when to check.
  const options = { lowercase: true, strictEntities: true, noscript: true, position: true };
  const parser = xmlParser(false, options);
  const open: string[] = []; // names of open elements; an entry is the second, a field of it the third
  let prefix = ''; // of the root; elements of others are extensions (<image:loc>)
  let sitemap: Sitemap | undefined;
  let entry: SitemapEntry = { loc: '', lastmod: '' };
  let content = '';
  let attributes = 0;
  let done = false;
  parser.onopentag = ({ name }) => {
    open.push(name);
    [content, attributes] = ['', 0];
    if (open.length === 1) {
      const kind = KINDS[name.replace(/^.*:/, '') as keyof typeof KINDS];
      prefix = /^.*:/.exec(name)?.[0] ?? '';
      if (kind !== undefined) sitemap ??= { kind, entries: [] };
    }
    if (open.length === 2) entry = { loc: '', lastmod: '' };
    done ||= sitemap === undefined || open.length > LIMITS.depth;
  };
  parser.onclosetag = (name) => {
    open.pop();
    if (done || sitemap === undefined) return;
    if (open.length === 2 && name === `${prefix}loc`) entry.loc = content.trim();
    if (open.length === 2 && name === `${prefix}lastmod`) entry.lastmod = content.trim();
    if (open.length !== 1 || entry.loc === '' || !(name === `${prefix}url` || name === `${prefix}sitemap`)) return;
    sitemap.entries.push(entry);
    done = sitemap.entries.length >= limit;
  };
  parser.ontext = parser.oncdata = (part) => {
    if (content.length < LIMITS.characters) content += part;
  };
  parser.onattribute = () => {
    done ||= ++attributes > LIMITS.attributes;
  };
  parser.onerror = () => {
    done = true;
  };
  for (let at = 0; at < text.length && !done; at += CHUNK) parser.write(text.slice(at, at + CHUNK));
  return sitemap;
}
