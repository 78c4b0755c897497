/**
 * The store: a folder of bundles named LIBRARY@VERSION.sheaf, with each `/` of the library as `~`, as
 * sheaf-pack names them (packer/output/output.h): `@vue~core@3.5.sheaf` holds @vue/core 3.5. Libraries hold
 * no `~`, and `@` only in front, so every file name reads back as one library and version. Files of
 * other names are left alone.
 */
import { readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { userFolder } from '../client/paths.js';
import { CliError, EXIT, usageError } from '../base/exit.js';
import { isLibraryName, isVersion } from '../../browser/client/names.js';
import { oneLine } from '../base/terminal.js';
import { compareText, compareVersions, resolveVersion } from './versions.js';

export { compareVersions } from './versions.js';

export interface StoredBundle {
  library: string;
  version: string;
  path: string;
  bytes: number;
}

/** `$XDG_DATA_HOME/sheaf/libraries`. */
export function storeFolder(env: NodeJS.ProcessEnv = process.env): string {
  return join(userFolder('data', env), 'sheaf', 'libraries');
}

/** Where records of sources lie (sources/records.ts). */
export function recordsFolder(env: NodeJS.ProcessEnv = process.env): string {
  return join(dirname(storeFolder(env)), 'sources');
}

export function encodeFileName(library: string, version: string): string {
  if (!isKey(library, version)) {
    throw usageError(
      `'${oneLine(library)}' '${oneLine(version)}' cannot be a library and a version; expected names such as fastapi or @vue/core, and 1.2.3, 2024-06 or latest.`,
    );
  }
  return `${library.replaceAll('/', '~')}@${version}.sheaf`;
}

/** The library and version of a file name, or undefined when `encodeFileName` did not make it. */
export function decodeFileName(name: string): { library: string; version: string } | undefined {
  const match = /^(.[^@]*)@(.+)\.sheaf$/su.exec(name);
  if (match === null) return undefined;
  const library = (match[1] as string).replaceAll('~', '/');
  const version = match[2] as string;
  return isKey(library, version) ? { library, version } : undefined;
}

function isKey(library: string, version: string): boolean {
  return isLibraryName(library) && isVersion(version);
}

/** Every bundle of the store, by library, then version, newest first. */
export async function listStore(folder: string = storeFolder()): Promise<StoredBundle[]> {
  let names: string[];
  try {
    names = await readdir(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw new CliError(EXIT.FAILURE, `The store ${folder} cannot be read: ${(error as Error).message}.`);
  }
  const bundles: StoredBundle[] = [];
  for (const name of names) {
    const key = decodeFileName(name);
    if (key === undefined) continue;
    const path = join(folder, name);
    const stats = await stat(path).catch(() => undefined);
    if (stats?.isFile()) bundles.push({ ...key, path, bytes: stats.size });
  }
  return bundles.sort((a, b) => compareText(a.library, b.library) || compareVersions(b.version, a.version));
}

/**
 * The bundle of a library and version, which may be a range. `locked`: what `latest` means, where the project at hand says. Without a version, the newest; without a library, the only
 * one there is. If nothing matches, the error lists what is available.
 */
export function pick(
  bundles: readonly StoredBundle[],
  library: string | undefined,
  version: string | undefined,
  locked?: string | undefined,
): StoredBundle {
  const libraries = [...new Set(bundles.map((bundle) => bundle.library))];
  if (libraries.length === 0) {
    throw new CliError(
      EXIT.NOT_FOUND,
      'The store holds no libraries yet; add one with: sheaf pack FOLDER --library NAME --version VERSION',
    );
  }
  const wanted = library ?? (libraries.length === 1 ? libraries[0] : undefined);
  if (wanted === undefined) {
    throw usageError(`Which library? Name one with -l. Available: ${libraries.map(oneLine).join(', ')}`);
  }
  const versions = bundles.filter((bundle) => bundle.library === wanted);
  if (versions.length === 0) {
    throw new CliError(
      EXIT.NOT_FOUND,
      `Library '${oneLine(wanted)}' not found. Available libraries: ${libraries.map(oneLine).join(', ')}`,
    );
  }
  const names = versions.map((bundle) => bundle.version);
  const meant = version === undefined ? names[0] : resolveVersion(names, version, locked);
  const found = versions.find((bundle) => bundle.version === meant);
  if (found === undefined) {
    throw new CliError(
      EXIT.NOT_FOUND,
      `Version '${oneLine(version ?? '')}' not found for library '${oneLine(wanted)}'. Available versions: ${versions.map((bundle) => oneLine(bundle.version)).join(', ')}`,
    );
  }
  return found;
}
