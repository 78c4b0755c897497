/** Where things lie on a machine with Node: what ships with this package, and the user's folders. */
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { asSheafError } from '../../browser/client/errors.js';

const shipped = (path: string): string => fileURLToPath(new URL(`../../../${path}`, import.meta.url));

/** The search core. */
export const CORE_FILE = fileURLToPath(new URL('../../browser/core/sheaf-core.wasm', import.meta.url));

/** What reads text of passages, for those who show some. */
export const TEXT_FILE = fileURLToPath(new URL('../../browser/core/sheaf-text.wasm', import.meta.url));

/** The encoder table that bundles are packed with, unless another is named. */
export const TABLE_FILE = shipped('models/minilm-l6-256.sheaf');

/**
 * Where the table of a vector space lies, if it ships with the package; undefined for an invalid name.
 * The name comes from an untrusted bundle, so it must not escape the package's folder.
 */
export function tableOf(space: string): string | undefined {
  return /^[a-z0-9][a-z0-9_-]{0,63}$/.test(space) ? shipped(`models/${space}.sheaf`) : undefined;
}

let core: Promise<Uint8Array> | undefined;

/** The core's code, read once. */
export function readCore(): Promise<Uint8Array> {
  core ??= readFile(CORE_FILE).catch((error: unknown) => {
    core = undefined;
    throw asSheafError(error, 'WASM', `The core could not be read from ${CORE_FILE}`);
  });
  return core;
}

/** The rules of a language (languages.ts). */
export const languageFile = (language: string): string =>
  fileURLToPath(new URL(`../../browser/core/language-${language}.wasm`, import.meta.url));

export async function readLanguage(language: string): Promise<Uint8Array> {
  const path = languageFile(language);
  return readFile(path).catch((error: unknown) => {
    throw asSheafError(error, 'WASM', `The rules of the language ${language} could not be read from ${path}`);
  });
}

/** This package's version. */
export async function ownVersion(): Promise<string> {
  return (await ownPackage()).version;
}

/** As npm knows this package. */
export async function ownPackage(): Promise<{ name: string; version: string }> {
  const manifest = JSON.parse(await readFile(shipped('package.json'), 'utf8')) as { name?: string; version?: string };
  return { name: manifest.name ?? 'sheaf', version: manifest.version ?? 'unknown' };
}

const BASES = {
  config: ['XDG_CONFIG_HOME', '.config'],
  data: ['XDG_DATA_HOME', join('.local', 'share')],
  cache: ['XDG_CACHE_HOME', '.cache'],
} as const;

/** The user's folder of a kind. A relative path in the environment is ignored, as its specification (XDG) asks. */
export function userFolder(kind: keyof typeof BASES, env: NodeJS.ProcessEnv = process.env): string {
  const [variable, otherwise] = BASES[kind];
  const named = env[variable];
  return named !== undefined && isAbsolute(named) ? named : join(homedir(), otherwise);
}

/** Packages that users install for Sheaf: `$SHEAF_MODULES`, or `sheaf/modules` in the user's data folder. */
export function modulesFolder(env: NodeJS.ProcessEnv = process.env): string {
  return env['SHEAF_MODULES'] || join(userFolder('data', env), 'sheaf', 'modules');
}
