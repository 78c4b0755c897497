/**
 * What a package's metadata and a repository's names say about its documentation: which repository, which tag is the
 * version's, which files are documentation. Pure.
 *
 *     metadata -> Repository { repo, directory }     tags + version -> tagsFor     paths -> chooseDocs
 *
 * Everything here comes from strangers: an address is only understood here, and judged before a request goes to it
 * (guardAddress in git.ts).
 */
import { isDocumentation } from './walk.js';
import { NOT_DOCS, type PythonMetadata } from './package_docs.js';

export interface Repository {
  /** An https address, without credentials. */
  url: string;
  /** The package's folder in it, without slashes at the ends; '' for the whole. */
  directory: string;
}

// ---- which repository -------------------------------------------------------------------------------

const SHORT: Readonly<Record<string, string>> = {
  'github:': 'https://github.com/',
  'gitlab:': 'https://gitlab.com/',
  'bitbucket:': 'https://bitbucket.org/',
};
/** Hosts whose addresses of projects are those of their repositories. */
const HOSTS = /^(www\.)?(github\.com|gitlab\.com|codeberg\.org|bitbucket\.org)$/;

/** `repository` and `homepage` of package.json. */
export function npmRepository(manifest: Record<string, unknown>): Repository | undefined {
  const field = manifest['repository'];
  const entry = typeof field === 'object' && field !== null ? (field as Record<string, unknown>) : { url: field };
  const { url, directory } = entry;
  const found = typeof url === 'string' ? parseRepository(url) : undefined;
  if (found === undefined) return undefined;
  const stated = typeof directory === 'string' ? cleanPath(directory) : undefined;
  return { ...found, directory: stated ?? found.directory };
}

/** Labels of Project-URL that name a repository, best first; the others' addresses may still lie in one. */
const LABELS = [/^(source|repository|repo|sourcecode|code|github|gitlab|git|vcs)$/, /^home(page)?$/, /./];

export function pythonRepository({ urls }: PythonMetadata): Repository | undefined {
  for (const wanted of LABELS) {
    for (const { label, url } of urls) {
      if (!wanted.test(plain(label)) || /sponsor|fund|donat/.test(plain(label))) continue;
      const found = parseRepository(url);
      const { hostname = '' } = found === undefined ? {} : new URL(found.url);
      if (found !== undefined && (HOSTS.test(hostname) || wanted === LABELS[0])) return found;
    }
  }
  return undefined;
}

const plain = (label: string): string => label.toLowerCase().replace(/[^a-z]/g, '');

/** Any form that npm and PyPI know, as https; undefined for anything else. */
export function parseRepository(text: string): Repository | undefined {
  let address = text.trim();
  if (address === '' || address.length > 2000 || /[\u0000-\u0020\u007f]/.test(address)) return undefined;
  if (/^[\w.-]+\/[\w.-]+$/.test(address)) address = `https://github.com/${address}`;
  for (const [prefix, base] of Object.entries(SHORT))
    if (address.startsWith(prefix)) address = base + address.slice(prefix.length);
  address = address
    .replace(/^git\+/, '')
    .replace(/^(?:ssh:\/\/)?[\w.-]+@([\w.-]+)[:/](?=\w)(?!\d+\/)/, 'https://$1/')
    .replace(/^(git|ssh):\/\//, 'https://');
  if (!URL.canParse(address)) return undefined;
  const url = new URL(address);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return undefined;
  if (HOSTS.test(url.hostname)) url.protocol = 'https:';
  const parts = url.pathname.split('/').filter((part) => part !== '');
  if (parts.length === 0) return undefined;
  if (!HOSTS.test(url.hostname)) return { url: `${url.protocol}//${url.host}/${parts.join('/')}`, directory: '' };
  const [host, gitlab] = [url.hostname.replace(/^www\./, ''), url.hostname === 'gitlab.com'];
  const dash = gitlab ? parts.indexOf('-') : -1;
  const length = dash > 1 ? dash : gitlab && !/^(tree|blob|issues)$/.test(parts[2] ?? 'tree') ? parts.length : 2;
  const name = parts.slice(0, length);
  if (name.length < 2 || /^(sponsors|orgs|users|marketplace|features)$/.test(name[0] as string)) return undefined;
  const rest = parts.slice(dash > 1 ? dash + 1 : length);
  const directory = /^(tree|blob)$/.test(rest[0] ?? '') ? cleanPath(rest.slice(2).join('/')) : '';
  return { url: `https://${host}/${name.join('/').replace(/\.git$/, '')}`, directory: directory ?? '' };
}

/** A path within a repository; undefined if it leads out. */
function cleanPath(path: string): string | undefined {
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  return parts.includes('..') || parts.includes('.git') || /[\u0000-\u001f\\]/.test(path) ? undefined : parts.join('/');
}

/** Where a package says that its documentation is, for people; not a page of a registry. */
export function npmHome(manifest: Record<string, unknown>): string | undefined {
  const { homepage } = manifest;
  return typeof homepage === 'string' ? webAddress(homepage) : undefined;
}

export function pythonHome({ urls }: PythonMetadata): string | undefined {
  for (const wanted of [/^(docs?|documentation|manual|readthedocs|rtd)/, /^home(page)?$/]) {
    const found = urls.find(({ label, url }) => wanted.test(plain(label)) && webAddress(url) !== undefined);
    if (found !== undefined) return webAddress(found.url);
  }
  return undefined;
}

export function webAddress(text: string): string | undefined {
  if (text.length > 2000 || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  if (!/^https?:$/.test(url.protocol)) return undefined;
  url.username = url.password = '';
  return url.href;
}

/** Sites that show the documentation of packages of a whole registry. */
const SHELVES = /^(docs\.rs|crates\.io|pkg\.go\.dev|javadoc\.io|search\.maven\.org)$/;

/** Whether an address is a page of a host of repositories or packages, and not a site of the project's own. */
export function isOnHost(address: string): boolean {
  const { hostname } = new URL(address);
  return HOSTS.test(hostname) || SHELVES.test(hostname);
}

// ---- which tag --------------------------------------------------------------------------------------

/**
 * The tags that may be a version's, best first: the package's own (`pkg@1.2.3`, `pkg-v1.2.3`), then `v1.2.3` and
 * `1.2.3`, then `release-1.2.3` and the like. Tags of another package of the repository are none of them.
 */
export function tagsFor(
  { name, version, repository }: { name: string; version: string; repository: string },
  tags: Iterable<string>,
): { tag: string; isOwn: boolean }[] {
  const short = name.replace(/^@[^/]+\//, '');
  const own = new Set([name, name.replace(/^@/, ''), name.replace(/^@/, '').replace('/', '-'), short].map(bare));
  const forms = formsOf(version);
  const found: { tag: string; rank: number }[] = [];
  for (const tag of tags) {
    const at = forms.findIndex((form) => tag.toLowerCase().endsWith(form));
    if (at < 0) continue;
    const before = tag.slice(0, tag.length - (forms[at] as string).length);
    if (/[\d.]$/.test(before)) continue; // the end of a longer number
    const prefix = before.replace(/(^|[^a-z])v[-_.]?$/i, '$1');
    const kind = bare(prefix);
    const rank =
      own.has(kind) && kind !== bare(repository)
        ? 0
        : kind === ''
          ? 1
          : kind === bare(repository) || own.has(kind)
            ? 2
            : /^(release|releases|rel|version|ver|tag|r)$/.test(kind)
              ? 3
              : undefined;
    if (rank !== undefined) found.push({ tag, rank: rank * 100 + at });
  }
  return found
    .sort((a, b) => a.rank - b.rank || b.tag.length - a.tag.length)
    .map(({ tag, rank }) => ({ tag, isOwn: rank < 100 }));
}

/** Letters and digits alone, for comparing names. */
function bare(text: string): string {
  return text.toLowerCase().replace(/[^a-z0-9]+/g, '');
}

/** How a version may be written in a tag, in lower case, likeliest first. */
function formsOf(version: string): string[] {
  const base = version.toLowerCase().replace(/^v(?=\d)/, '');
  const all = [base];
  const pre = /^(\d+(?:\.\d+)*)[-_.]?(a|alpha|b|beta|c|rc|pre|preview)[-_.]?(\d*)$/.exec(base);
  if (pre !== null) {
    const [, core, word, number] = pre as unknown as [string, string, string, string];
    const words = { a: ['a', 'alpha'], b: ['b', 'beta'] }[word[0] as string] ?? ['rc', 'c', 'pre'];
    for (const each of words)
      for (const form of [`${each}${number}`, `-${each}${number}`, `-${each}.${number}`, `.${each}${number}`])
        all.push(core + form);
  }
  if (/^\d+\.\d+$/.test(base)) all.push(`${base}.0`);
  if (/^\d+\.\d+\.0$/.test(base)) all.push(base.slice(0, -2));
  return [...new Set(all.flatMap((form) => [form, form.replaceAll('.', '_'), form.replaceAll('.', '-')]))];
}

// ---- which files ------------------------------------------------------------------------------------

const FOLDERS = [
  ...['docs', 'doc', 'documentation', 'guide', 'guides', 'manual', 'handbook', 'book'],
  ...[
    'website',
    'site',
    'www',
    'content',
    'packages/docs',
    'packages/website',
    'apps/docs',
    'apps/website',
    'apps/www',
  ],
  ...['src/content', 'src/docs'],
];
/** Within a site, where its documentation is. */
const INNER = ['docs', 'content/docs', 'src/content/docs', 'content', 'src/content', 'src/docs', 'src/pages/docs'];
/** How deep a folder of documentation may lie. */
const MAX_FOLDERS = 12;
/** Folders of a site that hold other versions, translations, news, or nothing that is written for readers. */
const OTHER =
  /^(versioned_docs|versioned_sidebars|i18n|locales?|blog|_posts|news|node_modules|__tests__|fixtures|_sources|\..*)$/i;
/** Files at the top that tell users something; the rest there is for contributors. */
const AT_TOP =
  /^(readme|changelog|changes|history|release.?notes|migrat|upgrad|breaking|api|faq|usage|install|getting.?started|tutorial|examples?|reference|options|config)/i;

export interface ChosenDocs {
  /** Folders of documentation; empty: there is only a README. */
  folders: string[];
  /** Folders below them that are left out: translations, other versions, a blog. */
  without: string[];
  /** Files at the top of the package and of the repository. */
  files: string[];
}

/** Of all paths of a repository, the documentation of the package in `directory`. */
export function chooseDocs(paths: readonly string[], directory: string): ChosenDocs {
  const docs = paths.filter((path) => isPage(path));
  const below = (folder: string): string[] => docs.filter((path) => path.startsWith(`${folder}/`));
  // A site may hold no more than pages of its own, but a folder of documentation may be one long README.
  const worth = (folder: string): boolean =>
    below(folder).some(
      (path) => (/(^|\/)docs?$/i.test(folder) || !/^readme/i.test(lastOf(path))) && !/\.txt$/i.test(path),
    ) || below(folder).length > 2;
  // As they are spelled here: some repositories have Documentation.
  const spelled = new Map<string, string>();
  for (const path of docs)
    for (let at = path.indexOf('/'), depth = 0; at > 0 && depth < MAX_FOLDERS; at = path.indexOf('/', at + 1), depth++)
      spelled.set(path.slice(0, at).toLowerCase(), path.slice(0, at));
  const found = (candidates: readonly string[]): string[] =>
    candidates.flatMap((folder) => spelled.get(folder.toLowerCase()) ?? []).filter(worth);
  const own = directory === '' ? [] : found(FOLDERS.map((folder) => `${directory}/${folder}`));
  const folders = (own.length > 0 ? own : found(FOLDERS)).map((folder) => {
    if (!/(^|\/)(website|site|www|apps\/docs|packages\/docs)$/.test(folder)) return folder;
    return found(INNER.map((inner) => `${folder}/${inner}`))[0] ?? folder;
  });
  const kept = folders.filter((folder) => !folders.some((other) => folder.startsWith(`${other}/`)));
  const without = new Set<string>();
  for (const folder of kept) {
    for (const one of otherFolders(below(folder), folder)) without.add(one);
    for (const path of paths) if (path.startsWith(`${folder}/`)) addOther(path, folder, without);
  }
  const top = directory === '' || !docs.some((path) => dirOf(path) === directory) ? '' : directory;
  const files = docs.filter((path) => dirOf(path) === top && AT_TOP.test(lastOf(path)));
  return { folders: kept, without: [...without].sort(), files };
}

/** Adds the folder of `path` below `folder` that OTHER names, if there is one. */
function addOther(path: string, folder: string, without: Set<string>): void {
  const parts = path
    .slice(folder.length + 1)
    .split('/')
    .slice(0, -1);
  const at = parts.findIndex((part) => OTHER.test(part));
  if (at >= 0) without.add(`${folder}/${parts.slice(0, at + 1).join('/')}`);
}

function isPage(path: string): boolean {
  const name = lastOf(path);
  return isDocumentation(name) && !NOT_DOCS.test(name) && !path.split('/').some((part) => OTHER.test(part));
}

const lastOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
const dirOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));

const LANGUAGE = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' });
/** The languages that documentation is most often translated into: two letters that are seldom anything else. */
const USUAL = /^(zh|ja|ko|fr|de|es|pt|ru|tr|uk|pl)$/;

function isLanguage(name: string): boolean {
  if (!/^[a-z]{2}(?:[-_](?:[a-z]{2,4}|\d{3}))?$/i.test(name)) return false;
  try {
    return LANGUAGE.of(name.replace('_', '-')) !== undefined;
  } catch {
    return false;
  }
}

/** Folders below `folder` that hold translations beside English, or what OTHER names. */
function otherFolders(paths: readonly string[], folder: string): string[] {
  const children = new Map<string, Set<string>>();
  for (const path of paths) {
    for (let at = path.indexOf('/', folder.length + 1); at > 0; at = path.indexOf('/', at + 1)) {
      const parent = dirOf(path.slice(0, at));
      const names = children.get(parent) ?? new Set();
      names.add(path.slice(parent.length + 1, at));
      children.set(parent, names);
    }
  }
  const found: string[] = [];
  for (const [parent, names] of children) {
    const languages = [...names].filter(isLanguage);
    const hasEnglish = languages.some((name) => /^en\b/i.test(name));
    const translations = languages.filter((name) => !/^en\b/i.test(name));
    const areTranslations =
      translations.length > 0 &&
      (hasEnglish || (translations.length > 2 && translations.some((name) => USUAL.test(name.slice(0, 2)))));
    // Where there are many, what looks like one is one: FastAPI has a translation into emoji.
    const all =
      hasEnglish && translations.length > 2
        ? [...names].filter((name) => /^(?!en\b)[a-z]{2}(-\w+)?$/.test(name))
        : translations;
    if (areTranslations) found.push(...all.map((name) => `${parent}/${name}`));
  }
  return found;
}
