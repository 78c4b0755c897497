/**
 * Which of several bundles a box searches, and how the reader narrows them. Pure functions of plain data, except
 * `expand`, which reads other sites' lists.
 *
 * Each source is one bundle and may have a site name, a version, a language. Each of these can be chosen:
 *   version    exactly one per site, never mixed; at first that of the page the reader is on
 *   language   one, at first the page's own, or all
 *   sites      all, or some
 * If a site cannot serve a choice (no German in version 1), it falls back to what it has.
 */

export interface ScopeSource {
  /** Address of a bundle, or of the `site.json` that `sheaf site` wrote for a whole site. */
  src: string;
  encoder?: string | undefined;
  /** Where the pages of the bundle live. */
  base?: string | undefined;
  /** The site's name. */
  label?: string | undefined;
  version?: string | undefined;
  language?: string | undefined;
  /** Pages whose address begins with this belong to this version. */
  path?: string | undefined;
}

export interface ScopeChoice {
  version: string;
  /** '' for all. */
  language: string;
  /** Labels; none for all. */
  sites: readonly string[];
}

const FIELDS = ['src', 'encoder', 'base', 'label', 'version', 'language', 'path'] as const;
const ADDRESSES: ReadonlySet<string> = new Set(['src', 'encoder', 'base', 'path']);
const MOST_SOURCES = 500;
const MAX_LIST_CHARACTERS = 1 << 20;

/** Sources of plain data from a page or another site, with absolute addresses; what is no text is passed over. Throws a readable Error. */
export function readSources(
  list: unknown,
  base: string,
  where: string,
  defaults: Partial<ScopeSource> = {},
): ScopeSource[] {
  if (!Array.isArray(list))
    throw new Error(`${where} must be a list such as [{"src": "/kiln.sheaf", "label": "Kiln"}].`);
  return list.slice(0, MOST_SOURCES).map((raw: unknown, i) => {
    const given = (typeof raw === 'object' && raw !== null ? raw : {}) as Record<string, unknown>;
    const source: Partial<ScopeSource> = { ...defaults };
    for (const field of FIELDS) {
      const value = given[field];
      if (typeof value !== 'string' || value === '') continue;
      source[field] = ADDRESSES.has(field) ? address(value, base, `${where}, ${i + 1}. entry, ${field}`) : value;
    }
    if (source.src === undefined) throw new Error(`${where}: the ${i + 1}. entry has no src, the address of a bundle.`);
    return source as ScopeSource;
  });
}

function address(value: string, base: string, where: string): string {
  try {
    return new URL(value, base).href;
  } catch {
    throw new Error(`${where}: “${value.slice(0, 80)}” is not an address.`);
  }
}

/** The sources of a site's list, in place of the list. An encoder table that `known` sources have under the same hashed name is theirs. */
export async function expand(source: ScopeSource, known: readonly ScopeSource[]): Promise<ScopeSource[]> {
  if (!isList(source)) return [source];
  const response = await fetch(source.src, { cache: 'no-cache' });
  if (!response.ok) throw new Error(`${source.src}: the server answered ${response.status}; check the address.`);
  const text = await response.text();
  if (text.length > MAX_LIST_CHARACTERS) throw new Error(`${source.src} is too long for the list of a site.`);
  const { sites, base } = (JSON.parse(text) ?? {}) as { sites?: unknown; base?: unknown };
  const home = source.base ?? address(typeof base === 'string' ? base : '..', source.src, source.src);
  const { label, encoder } = source;
  const found = readSources(sites, source.src, source.src, { base: home, label });
  return found.map((each) => ({
    ...each,
    label: label ?? each.label,
    encoder: encoder ?? sameTable(each.encoder, known),
  }));
}

export const isList = ({ src }: ScopeSource): boolean => /\.json(?:[?#]|$)/.test(src);

function sameTable(encoder: string | undefined, known: readonly ScopeSource[]): string | undefined {
  const name = /[^/]+-[0-9a-f]{12}\.sheaf$/.exec(encoder ?? '')?.[0];
  return (
    (name === undefined ? undefined : known.find((source) => source.encoder?.endsWith(`/${name}`))?.encoder) ?? encoder
  );
}

/** The different values of a field, in the order of sources. */
export function valuesOf(sources: readonly ScopeSource[], field: 'version' | 'language' | 'label'): string[] {
  return [...new Set(sources.map((source) => source[field]).filter((value): value is string => value !== undefined))];
}

export function defaultChoice(sources: readonly ScopeSource[], page: { url: string; language: string }): ScopeChoice {
  const here = sources
    .filter(({ path, version }) => version !== undefined && path !== undefined && page.url.startsWith(path))
    .sort((a, b) => (b.path as string).length - (a.path as string).length)[0];
  const languages = valuesOf(sources, 'language');
  const version = here?.version ?? valuesOf(sources, 'version')[0] ?? '';
  return { version, language: matching(page.language, languages) ?? languages[0] ?? '', sites: [] };
}

/** `de-AT` finds `de-AT`, else `de`, else another `de-…`. */
function matching(language: string, available: readonly string[]): string | undefined {
  const primary = (tag: string): string => tag.toLowerCase().split('-')[0] as string;
  const wanted = language.toLowerCase();
  return (
    available.find((tag) => tag.toLowerCase() === wanted) ??
    available.find((tag) => tag.toLowerCase() === primary(wanted)) ??
    available.find((tag) => primary(tag) === primary(wanted))
  );
}

/** Numbers of the sources to search; never none. */
export function inScope(sources: readonly ScopeSource[], { version, language, sites }: ScopeChoice): number[] {
  const chosen: number[] = [];
  for (const label of new Set(sources.map((source) => source.label))) {
    if (sites.length > 0 && !sites.includes(label ?? '')) continue;
    const own = [...sources.keys()].filter((i) => sources[i]?.label === label);
    const versions = valuesOf(
      own.map((i) => sources[i] as ScopeSource),
      'version',
    );
    const shown = versions.includes(version) ? version : versions[0];
    const right = own.filter((i) => sources[i]?.version === undefined || sources[i]?.version === shown);
    const languages = valuesOf(
      right.map((i) => sources[i] as ScopeSource),
      'language',
    );
    const spoken = language === '' ? undefined : (matching(language, languages) ?? languages[0]);
    chosen.push(
      ...right.filter(
        (i) => spoken === undefined || sources[i]?.language === undefined || sources[i]?.language === spoken,
      ),
    );
  }
  return chosen.length > 0 ? chosen.sort((a, b) => a - b) : [...sources.keys()];
}

/** A label that distinguishes the bundles in scope: site, version, language, as far as they differ. */
export function labelOf(source: ScopeSource, scope: readonly ScopeSource[]): string {
  const differs = (field: 'label' | 'version' | 'language'): boolean =>
    new Set(scope.map((each) => each[field])).size > 1;
  const language = source.language !== undefined && differs('language') ? languageName(source.language) : undefined;
  const told = [differs('label') ? source.label : undefined, differs('version') ? source.version : undefined, language];
  return told.filter(Boolean).join(' · ');
}

/** A language's name in that language, so that its readers recognise it. */
export function languageName(tag: string): string {
  try {
    const name = new Intl.DisplayNames([tag], { type: 'language' }).of(tag) ?? tag;
    return name.charAt(0).toLocaleUpperCase(tag) + name.slice(1);
  } catch {
    return tag; // not a language tag
  }
}
