/**
 * Parses what people paste to name a repository: its address, or the address of a folder or file on its
 * web page. Pure.
 *
 *     https://github.com/o/r                          https://gitlab.com/g/sub/r/-/tree/v2/docs
 *     https://github.com/o/r/tree/main/docs           https://codeberg.org/o/r/src/branch/main/docs
 *     git@github.com:o/r.git   ssh://git@host/o/r     file:///srv/r.git   ./r.git
 */
import { libraryCharacters } from '../../browser/client/names.js';
import { SourceError, withoutCredentials } from './source.js';
import { decodePercent } from '../../browser/client/percent.js';
import { withoutEndSlashes } from '../base/slashes.js';

export interface Credentials {
  username: string;
  /** undefined: git's own helpers may know it. */
  password: string | undefined;
}

export interface GitAddress {
  /** For git; without credentials, except the ssh login name. */
  repo: string;
  /** From an http(s) address, decoded. */
  credentials?: Credentials;
  protocol: 'https' | 'http' | 'ssh' | 'file';
  /** Where pages are shown: no credentials, no `.git`, no slash at the end. */
  web: string;
  /** What follows `tree/`: a ref, which may hold slashes, then a path. Empty when the address names neither. */
  rest: string[];
  /** http(s) and ssh: for the guard. */
  url?: URL;
}

export function parseGitAddress(given: string): GitAddress {
  const text = given.trim();
  if (text === '' || text.startsWith('-') || /[\u0000-\u0020\u007f]/.test(text)) throw notARepository(given);
  const scp = /^(?:([\w.-]+)@)?([A-Za-z0-9][\w.-]+):(?!\/\/|:)(.+)$/.exec(text);
  if (scp !== null && !/^[A-Za-z]:[\\/]/.test(text)) {
    const [, user, host, path] = scp as unknown as [string, string | undefined, string, string];
    const repo = path.replace(/^\/+/, '');
    return {
      repo: text,
      protocol: 'ssh',
      web: `https://${host}/${trimRepo(repo)}`,
      rest: [],
      url: new URL(`ssh://${user === undefined ? '' : `${user}@`}${host}/${repo}`),
    };
  }
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw notARepository(given);
  }
  const protocol = url.protocol.slice(0, -1).replace('git+', '');
  if (protocol === 'file') return { repo: text, protocol, web: trimRepo(url.href), rest: [] };
  if (protocol !== 'https' && protocol !== 'http' && protocol !== 'ssh') throw notARepository(given);
  const { path, rest } = splitWebPath(url);
  if (protocol === 'ssh') {
    const repo = `ssh://${url.username === '' ? '' : `${url.username}@`}${url.host}/${path}`;
    return { repo, protocol, web: `https://${url.hostname}/${trimRepo(path)}`, rest, url: new URL(repo) };
  }
  const repo = `${protocol}://${url.host}/${path}`;
  return { repo, protocol, web: trimRepo(repo), rest, url: new URL(repo), ...credentialsOf(url, given) };
}

function credentialsOf({ username, password }: URL, given: string): Pick<GitAddress, 'credentials'> {
  if (username === '' && password === '') return {};
  const decoded = {
    username: decodePercent(username),
    password: password === '' ? undefined : decodePercent(password),
  };
  // git gets them as lines, so control characters are refused.
  if (/[\u0000-\u001f\u007f]/.test(decoded.username + (decoded.password ?? ''))) throw notARepository(given);
  return { credentials: decoded };
}

function splitWebPath(url: URL): { path: string; rest: string[] } {
  const parts = url.pathname.split('/').filter((part) => part !== '');
  let at = parts.indexOf('-');
  if (at >= 2 && /^(tree|blob|raw)$/.test(parts[at + 1] ?? ''))
    return { path: parts.slice(0, at).join('/'), rest: decodeAll(parts.slice(at + 2)) };
  at = 2;
  const verb = parts[at] ?? '';
  if (/^(tree|blob|raw|edit)$/.test(verb) && parts.length > 3)
    return { path: parts.slice(0, 2).join('/'), rest: decodeAll(parts.slice(3)) };
  if (verb === 'src' && /^(branch|tag|commit)$/.test(parts[3] ?? ''))
    return { path: parts.slice(0, 2).join('/'), rest: decodeAll(parts.slice(4)) };
  if (/^(github\.com|codeberg\.org)$/.test(url.hostname)) return { path: parts.slice(0, 2).join('/'), rest: [] };
  return { path: parts.join('/'), rest: [] };
}

function decodeAll(parts: readonly string[]): string[] {
  return parts.map(decodePercent);
}

function trimRepo(path: string): string {
  return withoutEndSlashes(path).replace(/\.git$/, '');
}

function notARepository(given: string): SourceError {
  const shown = withoutCredentials(given).slice(0, 200);
  return new SourceError(
    'usage',
    `'${shown}' is not the address of a git repository; expected one such as https://github.com/OWNER/REPO, git@HOST:OWNER/REPO or file:///PATH.`,
  );
}

/** The last part of a repository's name: the library's default name. */
export function repositoryName(address: GitAddress): string {
  return libraryCharacters(decodePercent(address.web.split('/').pop() ?? ''));
}
