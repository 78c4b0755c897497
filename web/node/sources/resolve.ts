/**
 * Decides what kind of source a text names. Pure, except that it checks whether a path exists.
 *
 *     npm:NAME  crate:NAME  maven:G:A  …      a package of a registry
 *     man:NAME  man:                          manual pages of this machine
 *     FILE.sheaf, URL ending in .sheaf        a ready bundle; so is a site's list of them, …/sheaf/site.json
 *     FILE.tgz, .zip, .jar, …, URL of one     an archive
 *     URL ending in llms.txt, llms-full.txt   a site's text for language models
 *     github.com, gitlab.com, *.git, git@…    a git repository; so is a folder that is a bare one
 *     URL ending in .xml or with `sitemap`    a sitemap
 *     ./x  /x  ~/x  or a path that exists     a folder or file
 *     anything else                           a sitemap, with a warning
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseGitAddress, repositoryName } from './git_url.js';
import { isList } from '../published/list.js';
import { expandPath } from './local.js';
import { ECOSYSTEMS, isEcosystem, parsePackage } from './ecosystems.js';
import { parseManual } from './man.js';
import { SourceError, withoutCredentials, type Ecosystem, type SourceSpec } from './source.js';

const PREFIX = new RegExp(`^(${ECOSYSTEMS}|man):(?!//)(.*)$`, 'i');
const ARCHIVE = /\.(tgz|tar\.gz|zip|whl|jar|gem|crate|deb)$/i;
const GIT_HOST = /(^|\.)(github\.com|gitlab\.com|codeberg\.org|bitbucket\.org|git\.sr\.ht)$/i;
const MAX_SOURCE = 4096;

export interface Detected {
  spec: SourceSpec;
  warning?: string;
}

export interface SourceOptions {
  docsPaths?: readonly string[];
  keywords?: readonly string[];
  trimQueryParams?: boolean;
}

export function detectSource(
  given: string,
  options: SourceOptions = {},
  exists: (path: string) => boolean = existsSync,
): Detected {
  const source = given.trim().replace(/^(?=(?:www\.)?(?:github|gitlab)\.com\/)/i, 'https://');
  if (source === '' || source.length > MAX_SOURCE || /[\u0000-\u001f\u007f]/.test(source)) {
    throw new SourceError(
      'usage',
      'The source is empty, longer than 4,096 characters, or holds control characters; expected a URL, a path, npm:NAME or the like.',
    );
  }
  const [, prefix = '', rest = ''] = PREFIX.exec(source) ?? [];
  const kind = prefix.toLowerCase();
  if (isEcosystem(kind)) return { spec: { type: kind, package: checked(kind, rest) } };
  if (kind === 'man') return { spec: { type: 'man', page: parseManual(rest) } };
  const hasScheme = /^[a-z][a-z0-9+.-]+:\/\//i.test(source);
  if (hasScheme && !URL.canParse(source))
    throw new SourceError(
      'usage',
      `'${withoutCredentials(source)}' is not a URL; expected one such as https://docs.example.org/sitemap.xml`,
    );
  const url = hasScheme ? new URL(source) : undefined;
  const web = url?.protocol === 'http:' || url?.protocol === 'https:';
  if (/\.sheaf$/i.test(web ? (url as URL).pathname : source) || (web && isList(url as URL)))
    return { spec: { type: 'bundle', bundle: web ? source : expandPath(source) } };
  if (ARCHIVE.test(web ? (url as URL).pathname : source) && (web || !hasScheme || url?.protocol === 'file:'))
    return { spec: { type: 'archive', archive: web ? source : expandPath(source) } };
  if (web && /(^|\/)llms(-full)?\.txt$/i.test((url as URL).pathname))
    return { spec: { type: 'llms', llms_url: source } };
  const git = (address: string): Detected => {
    const paths = options.docsPaths?.length ? { docs_paths: [...options.docsPaths] } : {};
    return { spec: { type: 'git_repo', repo_url: address, ...paths } };
  };
  if (isGit(source, url)) return git(source);
  const sitemap = (address: string): SourceSpec => ({
    type: 'sitemap',
    sitemap_url: address,
    ...(options.keywords?.length ? { filter_keywords: [...options.keywords] } : {}),
    ...(options.trimQueryParams ? { trim_query_params: true } : {}),
  });
  if (web && (/\.xml(\.gz)?$/i.test((url as URL).pathname) || /sitemap/i.test(source)))
    return { spec: sitemap(source) };
  if (!web && isBare(expandPath(source))) return git(pathToFileURL(expandPath(source)).href);
  if (!web && (exists(expandPath(source)) || looksLikePath(source)))
    return { spec: { type: 'local_path', local_path: expandPath(source) } };
  const address = web ? source : `https://${source}`;
  if (url !== undefined && !web)
    throw new SourceError(
      'usage',
      `'${source}' has the scheme ${url.protocol}, which is not known here; expected https, http, ssh or file.`,
    );
  if (!URL.canParse(address)) throw new SourceError('usage', `'${source}' is neither a URL nor a path that exists.`);
  return {
    spec: sitemap(address),
    warning: `Could not reliably detect source type for ${source}. Defaulting to sitemap.`,
  };
}

/** Whether a bundle's address is that of a site's list, and says no version yet. */
export function isListOfSite(bundle: string): boolean {
  const url = URL.canParse(bundle) ? new URL(bundle) : undefined;
  return url !== undefined && url.hash === '' && isList(url);
}

/** Whether an argument of `sheaf add` is a source rather than a library's name. */
export function isSource(text: string): boolean {
  return (
    PREFIX.test(text) ||
    /^[a-z][a-z0-9+.-]+:\/\//i.test(text) ||
    /\.sheaf$/i.test(text) ||
    ARCHIVE.test(text) ||
    /^[\w.-]+@[\w.-]+:/.test(text) ||
    looksLikePath(text)
  );
}

function looksLikePath(text: string): boolean {
  return /^(\.{1,2}(\/|\\|$)|\/|~\/|~$|[A-Za-z]:[\\/]|file:\/\/)/i.test(text);
}

function isGit(source: string, url: URL | undefined): boolean {
  if (url !== undefined) {
    if (/^(git\+)?ssh:$|^git\+/i.test(url.protocol)) return true;
    if (url.protocol === 'file:') return /\.git\/?$/.test(url.pathname) || isBare(expandPath(url.href));
    return GIT_HOST.test(url.hostname) || /\.git\/?$/.test(url.pathname) || /\/-\/(tree|blob|raw)\//.test(url.pathname);
  }
  return /^[\w.-]+@[A-Za-z0-9][\w.-]*:(?!\/\/)/.test(source);
}

/** Whether a folder is a git repository without a work tree, whatever its name. */
function isBare(path: string): boolean {
  return ['HEAD', 'objects', 'refs', 'config'].every((name) => existsSync(join(path, name)));
}

function checked(ecosystem: Ecosystem, text: string): string {
  const isFile = (ecosystem === 'npm' || ecosystem === 'pypi') && /\.(t(ar\.)?gz|whl|zip)$/i.test(text);
  if (isFile) return expandPath(text);
  parsePackage(ecosystem, text);
  return text;
}

/** The default name of a library; undefined if only the source itself can tell. */
export function nameFor(spec: SourceSpec): string | undefined {
  if (spec.type === 'git_repo') return repositoryName(parseGitAddress(spec.repo_url));
  if (spec.type === 'sitemap') return new URL(spec.sitemap_url).hostname.replace(/^(www|docs?)\./, '');
  return undefined;
}
