/**
 * The configuration: `$XDG_CONFIG_HOME/sheaf/config.json`, by default ~/.config/sheaf/config.json.
 *
 *     { "query": { "top_k": 8 }, "sources": { "auto_add_local": false } }
 *
 * The file holds only the values that differ from the defaults, section by section, so a better default
 * in a later version reaches everyone who never set the key. Unknown sections and keys are ignored and
 * kept. The file is created on first use; a message on stderr says where.
 */
import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { MAX_TOP_K } from '../../browser/client/limits.js';
import { userFolder } from '../client/paths.js';
import { CliError, EXIT } from '../base/exit.js';
import { createWhole, writeAtomically } from '../base/files.js';
import { oneLine, status } from '../base/terminal.js';

interface Key {
  byDefault: unknown;
  meaning: string;
  /** What the key expects, if `value` is invalid; else undefined. */
  refuses(value: unknown): string | undefined;
}

const wholeNumber =
  (from: number, to: number) =>
  (value: unknown): string | undefined =>
    typeof value === 'number' && Number.isInteger(value) && value >= from && value <= to
      ? undefined
      : `a whole number from ${from} to ${to}`;
const yesOrNo = (value: unknown): string | undefined => (typeof value === 'boolean' ? undefined : 'true or false');
const word = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' && value.length <= 1000 ? undefined : 'a text';

export const CONFIG_KEYS: Readonly<Record<string, Key>> = {
  'query.top_k': { byDefault: 5, meaning: 'passages that a search returns', refuses: wholeNumber(1, MAX_TOP_K) },
  'query.encoder': {
    byDefault: 'static',
    meaning: "query encoder: 'static', 'none', a table, or a transformer (see sheaf model)",
    refuses: word,
  },
  'sources.auto_add_local': {
    byDefault: true,
    meaning: 'sheaf add writes down where a library comes from, in sources.json',
    refuses: yesOrNo,
  },
  'sources.file_path': {
    byDefault: null,
    meaning: 'a sources.json to look libraries up in, before all others but --sources-file',
    refuses: (value) => (value === null ? undefined : word(value)),
  },
  'extraction.concurrency_limit': {
    byDefault: 50,
    meaning: 'pages fetched at once (8 of them from one host)',
    refuses: wholeNumber(1, 200),
  },
  'extraction.timeout_seconds': {
    byDefault: 10,
    meaning: 'time that a page has to arrive',
    refuses: wholeNumber(1, 600),
  },
  'embeddings.encoder': {
    byDefault: 'static',
    meaning: "document encoder of sheaf add: 'static', 'none', or a transformer",
    refuses: word,
  },
  'embeddings.chunk_size': {
    byDefault: 800,
    meaning: 'characters that a passage is filled up to',
    refuses: wholeNumber(200, 4000),
  },
};

export interface Config {
  /** By dotted key; undefined for a key that is neither known nor in the file. */
  get(key: string): unknown;
  path: string;
}

/** The file's own values and the effective configuration. */
export interface FullConfig extends Config {
  /** Defaults with the file's values over them, by section. */
  all(): Record<string, unknown>;
  /** The file alone. */
  own: Record<string, unknown>;
}

export function configPath(env: NodeJS.ProcessEnv = process.env): string {
  return join(userFolder('config', env), 'sheaf', 'config.json');
}

/** Errors: the file is not JSON, a section is not an object, a value is invalid for its key. */
export async function loadConfig(
  env: NodeJS.ProcessEnv = process.env,
  say: (text: string) => void = status,
): Promise<FullConfig> {
  const path = configPath(env);
  const own = await readOwn(path, say);
  const all = (): Record<string, unknown> => merge(defaults(), own);
  const merged = all();
  for (const [key, { refuses }] of Object.entries(CONFIG_KEYS)) {
    const value = at(merged, key);
    const expected = refuses(value);
    if (expected !== undefined) {
      throw new CliError(
        EXIT.FAILURE,
        `Config file ${path}: '${key}' is ${oneLine(JSON.stringify(value) ?? 'missing').slice(0, 100)}; expected ${expected}. Correct it with: sheaf config set ${key} VALUE`,
      );
    }
  }
  return { path, own, all, get: (key) => at(merged, key) };
}

/** The file's object. Checks that sections are objects; does not check values. */
export async function readOwn(path: string, say: (text: string) => void = status): Promise<Record<string, unknown>> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (!['ENOENT', 'ENOTDIR'].includes(String((error as NodeJS.ErrnoException).code)))
      throw new CliError(EXIT.FAILURE, `Config file ${path} cannot be read: ${(error as Error).message}.`);
    // A read-only home directory is no reason to fail: the defaults apply.
    await mkdir(dirname(path), { recursive: true })
      .then(() => createWhole(path, '{}\n'))
      .then(
        (made) => (made ? say(`Config file created at ${path}`) : undefined),
        () => {},
      );
    return {};
  }
  let value: unknown;
  try {
    value = text.trim() === '' ? {} : JSON.parse(text);
  } catch (error) {
    throw new CliError(
      EXIT.FAILURE,
      `Invalid JSON in config file ${path}: ${oneLine((error as Error).message)}. Correct it, or start anew with: sheaf config reset`,
    );
  }
  if (!isSection(value))
    throw new CliError(EXIT.FAILURE, `Config file ${path} holds no object; start anew with: sheaf config reset`);
  const sections = new Set(Object.keys(CONFIG_KEYS).map((key) => key.slice(0, key.indexOf('.'))));
  for (const section of sections) {
    if (Object.hasOwn(value, section) && !isSection(value[section])) {
      throw new CliError(
        EXIT.FAILURE,
        `Config file ${path}: section '${section}' is not an object; start anew with: sheaf config reset`,
      );
    }
  }
  return value;
}

export function defaults(): Record<string, unknown> {
  const all: Record<string, unknown> = {};
  for (const [key, { byDefault }] of Object.entries(CONFIG_KEYS)) put(all, key, byDefault);
  return all;
}

/** Replaces the file atomically. */
export async function writeConfig(path: string, own: Record<string, unknown>): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeAtomically(path, `${JSON.stringify(own, null, 2)}\n`);
}

// ---- nested objects by dotted key -------------------------------------------------------------------

function isSection(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function merge(base: Record<string, unknown>, over: Record<string, unknown>): Record<string, unknown> {
  const merged = { ...base };
  for (const [name, value] of Object.entries(over)) {
    if (name === '__proto__') continue;
    const below = merged[name];
    merged[name] = isSection(value) && isSection(below) && Object.hasOwn(base, name) ? { ...below, ...value } : value;
  }
  return merged;
}

function at(all: Record<string, unknown>, key: string): unknown {
  let value: unknown = all;
  for (const part of key.split('.')) {
    if (!isSection(value) || !Object.hasOwn(value, part)) return undefined;
    value = value[part];
  }
  return value;
}

/** `key` is one of CONFIG_KEYS. */
export function put(all: Record<string, unknown>, key: string, value: unknown): void {
  const [section = '', name = ''] = key.split('.');
  if (!isSection(all[section])) all[section] = {};
  (all[section] as Record<string, unknown>)[name] = value;
}
