/**
 * A sitemap's <loc> and <lastmod> elements. Sitemaps are flat and written by machines, so one linear
 * walk over the tags reads them; entities beyond XML's own five are left as they are, and no document
 * type is ever followed.
 */

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

/** undefined when the text is not a sitemap. Takes at most `limit` entries. */
export function parseSitemap(text: string, limit: number): Sitemap | undefined {
  let sitemap: Sitemap | undefined;
  let prefix = '';
  let entry: SitemapEntry | undefined;
  let field: 'loc' | 'lastmod' | undefined;
  let content = '';
  for (const token of tokens(text)) {
    if (token.tag === undefined) {
      if (field !== undefined && content.length < 8192) content += token.text;
      continue;
    }
    const [, closing, space = '', name = ''] = /^(\/?)([\w.-]+:)?([\w.-]+)/.exec(token.tag) ?? [];
    if (sitemap === undefined) {
      if (name !== 'urlset' && name !== 'sitemapindex') return undefined;
      sitemap = { kind: name === 'urlset' ? 'pages' : 'index', entries: [] };
      prefix = space;
    } else if (space !== prefix) {
      continue; // <image:loc> and other extensions
    } else if (name === 'url' || name === 'sitemap') {
      if (closing && entry !== undefined && entry.loc !== '') {
        sitemap.entries.push(entry);
        if (sitemap.entries.length >= limit) return sitemap;
      }
      entry = closing ? undefined : { loc: '', lastmod: '' };
    } else if (name === 'loc' || name === 'lastmod') {
      if (!closing) [field, content] = [name, ''];
      else if (entry !== undefined && field === name) entry[name] = content.trim();
      if (closing) field = undefined;
    }
  }
  return sitemap;
}

type Token = { tag: string; text?: undefined } | { tag?: undefined; text: string };

/** Tags without their brackets, and the text between them. */
function* tokens(text: string): Generator<Token> {
  let at = 0;
  while (at < text.length) {
    const open = text.indexOf('<', at);
    if (open !== at) yield { text: unescapeXml(text.slice(at, open < 0 ? undefined : open)) };
    if (open < 0) return;
    if (text.startsWith('<![CDATA[', open)) {
      const end = text.indexOf(']]>', open);
      yield { text: text.slice(open + 9, end < 0 ? undefined : end) };
      at = end < 0 ? text.length : end + 3;
    } else {
      const [ending, after] = text.startsWith('<!--', open) ? ['-->', 3] : ['>', 1];
      const end = text.indexOf(ending, open);
      if (end < 0) return;
      const tag = text.slice(open + 1, Math.min(end, open + 200));
      if (!/^[!?]/.test(tag)) yield { tag };
      at = end + after;
    }
  }
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function unescapeXml(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(amp|lt|gt|quot|apos));/gi, (all, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return ENTITIES[name.toLowerCase()] as string;
    const code = decimal !== undefined ? Number(decimal) : Number.parseInt(hex as string, 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : all;
  });
}
