/** Documentation in a local folder or file; its version is the day it was read. */
import { realpath, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { libraryCharacters } from '../../browser/client/names.js';
import { isInside, leadsIntoGit } from '../base/paths.js';
import { isoDay, SourceError, type Ecosystem, type Fetched, type SourceSpec } from './source.js';

/** `~/x`, `file:` URLs and relative paths as absolute paths. */
export function expandPath(path: string, home: string = homedir()): string {
  if (/^file:\/\//i.test(path)) return pathOfUrl(path);
  if (path === '~' || path.startsWith('~/')) return join(home, path.slice(1));
  return resolve(path);
}

function pathOfUrl(url: string): string {
  try {
    return fileURLToPath(url);
  } catch {
    throw new SourceError(
      'usage',
      `'${url.slice(0, 200)}' names no path of this machine; expected one such as file:///srv/docs.`,
    );
  }
}

/** Whether npm:TEXT or pypi:TEXT names a file rather than a package of the registry. */
export function isPackageFile(ecosystem: Ecosystem, text: string): boolean {
  if (ecosystem !== 'npm' && ecosystem !== 'pypi') return false;
  return (ecosystem === 'npm' ? /\.t(ar\.)?gz$/i : /\.(whl|zip|tar\.gz|tgz)$/i).test(text);
}

export function isWebAddress(text: string): boolean {
  return /^https?:\/\//i.test(text);
}

/** The absolute local path of a source, if it has one. Git repositories have their own check. */
function pathOf(spec: SourceSpec): string | undefined {
  switch (spec.type) {
    case 'local_path':
      return expandPath(spec.local_path);
    case 'bundle':
      return isWebAddress(spec.bundle) ? undefined : expandPath(spec.bundle);
    case 'archive':
      return isWebAddress(spec.archive) ? undefined : expandPath(spec.archive);
    case 'npm':
    case 'pypi':
      return isPackageFile(spec.type, spec.package) ? expandPath(spec.package) : undefined;
    default:
      return undefined;
  }
}

/** Makes a local path absolute, so that it means the same wherever `sheaf` runs next. Leaves other sources alone. */
export function withAbsolutePath(spec: SourceSpec): SourceSpec {
  const path = pathOf(spec);
  if (path === undefined) return spec;
  if (spec.type === 'local_path') return { ...spec, local_path: path };
  if (spec.type === 'archive') return { ...spec, archive: path };
  return spec.type === 'bundle' ? { ...spec, bundle: path } : ({ ...spec, package: path } as SourceSpec);
}

/**
 * Where a source leads on this machine, all links resolved, if that is outside `folder` or in a .git folder inside
 * it; otherwise undefined.
 */
export async function placeOutside(spec: SourceSpec, folder: string): Promise<string | undefined> {
  const path = pathOf(spec);
  if (path === undefined) return undefined;
  const [real, home] = await Promise.all([resolved(path), resolved(folder)]);
  return isInside(real, home) && !leadsIntoGit(real, home) ? undefined : real;
}

/** Resolves links as far as the path exists. */
async function resolved(path: string): Promise<string> {
  return realpath(path).catch(async () =>
    dirname(path) === path ? path : join(await resolved(dirname(path)), basename(path)),
  );
}

export async function fetchLocal(spec: { local_path: string; version?: string }): Promise<Fetched> {
  const path = expandPath(spec.local_path);
  const stats = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw new SourceError(
      error.code === 'ENOENT' ? 'missing' : 'failed',
      `${path} cannot be read: ${error.code === 'ENOENT' ? 'there is no such file or folder' : error.message}.`,
    );
  });
  const root = stats.isDirectory() ? path : dirname(path);
  return {
    library: libraryCharacters(basename(stats.isDirectory() ? path : dirname(path))),
    version: spec.version ?? `local-${isoDay()}`,
    root,
    inputs: [path],
    baseUrl: `${pathToFileURL(root).href.replace(/\/$/, '')}/`,
    urlStyle: 'keep',
    noIgnore: false,
  };
}
