/** Flags that several verbs share: which bundle, which mode, which encoder. */
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parseArgs, type ParseArgsConfig } from 'node:util';
import { SheafError } from '../browser/client/errors.js';
import type { NodeOpenOptions } from '../node/client/node.js';
import type { Library, SearchMode } from '../browser/client/types.js';
import { parseEncoder } from '../node/store/encoder_choice.js';
import { CliError, EXIT, usageError } from '../node/base/exit.js';
import { refuseRemoved } from './removed.js';
import { lockedVersions } from '../node/sources/locked.js';
import { listStore, pick, type StoredBundle } from '../node/store/store.js';
import { resolveVersion } from '../node/store/versions.js';
import { oneLine, status } from '../node/base/terminal.js';

export const BUNDLE_FLAGS = {
  library: { type: 'string', short: 'l' },
  version: { type: 'string', short: 'v' },
  bundle: { type: 'string', short: 'b' },
  json: { type: 'boolean' },
} as const;

export const BUNDLE_FLAGS_HELP = `  -l, --library NAME    library in the store; may be left out when there is only one
  -v, --version V       its version, or a range such as 19 or ^1.4; latest: what the project here
                        uses, else the newest, which is the default
  -b, --bundle FILE     a bundle outside the store: a path or a URL
      --json            print JSON`;

export const ENCODER_FLAG_HELP = `      --encoder E       'static' (default): the table that ships with sheaf; FILE.sheaf or a URL:
                        another table; MODEL or MODEL:fp32: a transformer, see sheaf model;
                        'none': keywords alone`;

/** Strict parseArgs that throws usage errors. */
export function parseFlags<const Config extends ParseArgsConfig>(
  verb: string,
  config: Config,
): ReturnType<typeof parseArgs<Config>> {
  try {
    return parseArgs(config);
  } catch (error) {
    if (error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')) {
      const [, option] = /^Unknown option '(?:-\w, )?(--[\w-]+)/.exec(error.message) ?? [];
      if (option !== undefined) refuseRemoved(verb, option);
      throw usageError(`${error.message.replace(/\.$/, '')}. See: sheaf ${verb} --help`);
    }
    throw error;
  }
}

/** Runs the part of a verb that the first argument names. */
export function partOf(
  verb: string,
  parts: Readonly<Record<string, (args: string[]) => Promise<number>>>,
  [name, ...rest]: string[],
): Promise<number> {
  const part = name !== undefined && Object.hasOwn(parts, name) ? parts[name] : undefined;
  if (part !== undefined) return part(rest);
  if (name !== undefined) refuseRemoved(verb, name);
  const said = name === undefined ? `sheaf ${verb} needs one of` : `There is no 'sheaf ${verb} ${oneLine(name)}':`;
  throw usageError(`${said} ${Object.keys(parts).join(', ')}. See: sheaf ${verb} --help`);
}

export interface BundleChoice {
  library?: string | undefined;
  version?: string | undefined;
  bundle?: string | undefined;
}

/** Path or URL of the chosen bundle. If we choose the version, stderr says which. */
export async function locate(choice: BundleChoice): Promise<string> {
  if (choice.bundle !== undefined) {
    if (choice.library !== undefined || choice.version !== undefined)
      throw usageError('Give either --bundle, or --library and --version.');
    return choice.bundle;
  }
  return (await pickFrom(await listStore(), choice)).path;
}

/** The bundle that library and version mean, of these. If we choose the version, stderr says which. */
export async function pickFrom(bundles: readonly StoredBundle[], choice: BundleChoice): Promise<StoredBundle> {
  const found = pick(bundles, choice.library, choice.version, await lockedFor(choice));
  if (
    choice.library === undefined ||
    (choice.version !== undefined && choice.version !== found.version) ||
    (choice.version === undefined && bundles.filter((b) => b.library === found.library).length > 1)
  ) {
    status(`Using ${oneLine(found.library)} ${oneLine(found.version)}`);
  }
  return found;
}

/** The newest version of every library of the store, or the one that `version` means; a library may lack it. */
export async function everyLibrary(
  version: string | undefined,
  stored?: readonly StoredBundle[],
): Promise<StoredBundle[]> {
  const bundles = stored ?? (await listStore());
  const chosen: StoredBundle[] = [];
  for (const library of new Set(bundles.map((bundle) => bundle.library))) {
    const own = bundles.filter((bundle) => bundle.library === library);
    const names = own.map((bundle) => bundle.version);
    const meant =
      version === undefined ? names[0] : resolveVersion(names, version, await lockedFor({ library, version }));
    chosen.push(...own.filter((bundle) => bundle.version === meant));
  }
  return chosen;
}

/** What the project's lock file says of the library, where the latest version is asked for. */
async function lockedFor({ library, version }: BundleChoice): Promise<string | undefined> {
  return library !== undefined && version === 'latest' ? lockedVersions(process.cwd())(library) : undefined;
}

/** Opens the chosen bundle; `encoder` is the value of --encoder. `recent`: see NodeEncoderOptions. */
export async function openChosen(choice: BundleChoice, encoder?: string, recent?: number): Promise<Library> {
  const wanted = parseEncoder(encoder);
  const library = await openBundle(
    choice,
    wanted.kind === 'table' ? (wanted.table === undefined ? {} : { encoder: wanted.table }) : { encoder: false },
  );
  if (wanted.kind !== 'model') return library;
  try {
    const { loadEncoder, withTransformer } = await import('../node/encoder/node.js'); // load ONNX Runtime only on request
    const { name, precision } = wanted;
    const transformer = await loadEncoder(name, {
      ...(precision === undefined ? {} : { precision }),
      ...(recent === undefined ? {} : { recent }),
    });
    return withTransformer(library, transformer, { closeEncoder: true });
  } catch (error) {
    await library.close();
    throw error;
  }
}

async function openBundle(choice: BundleChoice, options: NodeOpenOptions): Promise<Library> {
  const where = await locate(choice);
  const { open } = await import('../node/client/node.js'); // load the core only in verbs that search
  try {
    return await open(where, options);
  } catch (error) {
    if (error instanceof SheafError && !error.message.includes(where)) {
      throw new SheafError(error.code, `${where}: ${error.message}`, {
        cause: error.cause,
        ...(error.status === undefined ? {} : { status: error.status }),
      });
    }
    throw error;
  }
}

export function parseMode(value: string | undefined): SearchMode {
  const mode = value ?? 'hybrid';
  if (mode === 'keyword' || mode === 'semantic' || mode === 'hybrid') return mode;
  throw usageError(`--mode must be keyword, semantic or hybrid, not '${oneLine(mode)}'.`);
}

export function parseCount(flag: string, value: string | undefined, byDefault: number): number {
  if (value === undefined) return byDefault;
  if (!/^\d{1,9}$/.test(value)) throw usageError(`${flag} must be a whole number from 0, not '${oneLine(value)}'.`);
  return Number(value);
}

export function parseShare(flag: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const share = /^(\d+(\.\d*)?|\.\d+)$/.test(value) ? Number(value) : Number.NaN;
  if (!(share >= 0 && share <= 1)) throw usageError(`${flag} must be a number from 0 to 1, not '${oneLine(value)}'.`);
  return share;
}

/** The folder that a flag names, as an absolute path. */
export async function existingFolder(flag: string, value: string): Promise<string> {
  const folder = resolve(value);
  const stats = await stat(folder).catch(() => undefined);
  if (!stats?.isDirectory()) throw new CliError(EXIT.NOT_FOUND, `${flag}: there is no folder ${oneLine(folder)}.`);
  return folder;
}

/** The address of a site; `docs.example.org` is https. */
export function siteAddress(text: string): URL {
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || !/[.:]|^localhost$/.test(url.hostname))
    throw usageError(`A site is an address such as https://docs.example.org/, not '${oneLine(text)}'.`);
  return url;
}
