/** What a page says of its search, and what its host's `site.json` and `sheaf.js` say. All of it is a stranger's text. */
import { ENTRY } from '../deploy.js';
import { attribute, startTags } from '../insertion_points.js';
import { baseHref } from '../inject.js';

export interface PageSearch {
  /** Of sheaf.js; undefined: no tag names one. */
  script: URL | undefined;
  /** Whether its tag carries a nonce or a hash. */
  isTrusted: boolean;
  elements: number;
  /** Bundles and tables that elements name themselves. */
  named: URL[];
  /** Lists of other sites (`<sheaf-source>`). */
  sites: URL[];
  /** Policies in `<meta>`. */
  policies: string[];
}

/** Pure. */
export function searchOf(html: string, page: URL): PageSearch {
  const found: PageSearch = { script: undefined, isTrusted: false, elements: 0, named: [], sites: [], policies: [] };
  const base = parse(baseHref(html) ?? '', page) ?? page;
  for (const { name, tag } of startTags(html, ['script', 'sheaf-search', 'sheaf-source', 'meta'])) {
    const src = parse(attribute(tag, 'src') ?? '', base);
    if (name === 'script') {
      if (found.script !== undefined || src === undefined || !src.pathname.endsWith(`/${ENTRY}`)) continue;
      found.script = src;
      found.isTrusted = attribute(tag, 'nonce') !== undefined || attribute(tag, 'integrity') !== undefined;
    } else if (name === 'meta') {
      const content = attribute(tag, 'content');
      const isPolicy = attribute(tag, 'http-equiv')?.toLowerCase() === 'content-security-policy';
      if (isPolicy && content !== undefined) found.policies.push(content.replace(/&(?:apos|#39|#x27);/gi, "'"));
    } else {
      if (name === 'sheaf-search') found.elements++;
      const table = parse(attribute(tag, 'encoder') ?? '', base);
      if (src !== undefined && attribute(tag, 'src') !== undefined)
        (src.pathname.endsWith('.json') ? found.sites : found.named).push(src);
      if (table !== undefined && attribute(tag, 'encoder') !== undefined) found.named.push(table);
    }
  }
  return found;
}

/** The files of a deployed search. */
export interface Files {
  code: URL[];
  bundles: URL[];
  tables: URL[];
  isOffline: boolean;
}

const MOST_FILES = 500;

/** From site.json, or from sheaf.js where that cannot be read; undefined: neither names a bundle. Pure. */
export function filesOf(list: string, entry: string, folder: URL): Files | undefined {
  return fromList(list, folder) ?? fromEntry(entry, folder);
}

function fromList(text: string, folder: URL): Files | undefined {
  let list: { files?: unknown; sites?: unknown; offline?: unknown };
  try {
    list = (JSON.parse(text) ?? {}) as typeof list;
  } catch {
    return undefined;
  }
  const { files, sites } = list;
  if (!Array.isArray(files) || !Array.isArray(sites)) return undefined;
  const inFolder = (names: readonly unknown[]): URL[] =>
    [...new Set(names)]
      .slice(0, MOST_FILES)
      .map((name) => (typeof name === 'string' ? parse(name, folder) : undefined))
      .filter((url): url is URL => url?.href.startsWith(folder.href) ?? false);
  const each = (key: string): URL[] =>
    inFolder(sites.map((site: unknown) => (site as Record<string, unknown> | null)?.[key]));
  const bundles = each('src');
  if (bundles.length === 0) return undefined;
  const code = inFolder(files).filter(({ pathname }) => /\.(?:m?js|wasm)$/.test(pathname));
  return { code, bundles, tables: each('encoder'), isOffline: list.offline === true };
}

function fromEntry(text: string, folder: URL): Files | undefined {
  const named = (pattern: RegExp): URL[] =>
    [...new Set([...text.matchAll(pattern)].map(([, name]) => name as string))].map((name) => new URL(name, folder));
  const bundles = named(/"src":"([\w.-]+\.sheaf)(?:#pieces)?"/g);
  if (bundles.length === 0) return undefined;
  const code = named(/(code-[0-9a-f]{12})\//g).flatMap(({ href }) =>
    ['client/site.js', 'client/worker.js', 'core/sheaf-core.wasm'].map((file) => new URL(`${href}/${file}`)),
  );
  return {
    code,
    bundles,
    tables: named(/"encoder":"([\w.-]+\.sheaf)(?:#pieces)?"/g),
    isOffline: /"offline":"/.test(text),
  };
}

function parse(text: string, base: URL): URL | undefined {
  return URL.canParse(text, base) ? new URL(text, base) : undefined;
}
