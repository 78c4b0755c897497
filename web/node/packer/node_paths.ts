/**
 * Names of files inside and outside of the module. On POSIX they are the same. On Windows:
 *
 *     C:\docs\a b.md             /C:/docs/a b.md
 *     \\server\share\docs        /\\server\share/docs      (the share is one name)
 *     docs\a.md                  docs/a.md
 *
 * All functions are pure.
 */
import type { PackOptions } from '../../browser/packer/sheaf-packer.mjs';
import { flagOf } from './arguments.js';

export const IS_WINDOWS = process.platform === 'win32';

/** The name inside. */
export function insidePath(path: string, windows = IS_WINDOWS): string {
  if (!windows) return path;
  const [, share, rest] = /^(?:\\\\\?\\UNC)?[\\/]{2}([^\\/?]+[\\/][^\\/]+)(.*)$/.exec(path) ?? [];
  if (share !== undefined) return `/\\\\${share.replace('/', '\\')}${slashes(rest as string)}`;
  const [, drive, below] = /^(?:\\\\\?\\)?([A-Za-z]:)[\\/]?(.*)$/s.exec(path) ?? [];
  return drive === undefined ? slashes(path) : `/${drive.toUpperCase()}/${slashes(below as string)}`;
}

/** The name outside of an absolute name inside. `/` stays: it is on no drive. */
export function outsidePath(path: string, windows = IS_WINDOWS): string {
  if (!windows || path === '/') return path;
  const outside = path.slice(1).replaceAll('/', '\\');
  return /^[A-Za-z]:$/.test(outside) ? `${outside}\\` : outside;
}

/** What the module says, with names as they are outside: `/C:/docs/a.md: …` becomes `C:\docs\a.md: …`. */
export function outsideText(text: string, windows = IS_WINDOWS): string {
  if (!windows) return text;
  return text.replace(
    /(?<![\w./:-])\/([A-Za-z]:|\\\\[^\\/"]+\\[^\\/"]+)(\/[^"\n:*?<>|]*)?/g,
    (_, root: string, below = '') => `${root}${(below as string).replaceAll('/', '\\')}`,
  );
}

/** A value of JSON with names as they are outside. */
export function outsideJson(value: unknown, windows = IS_WINDOWS): unknown {
  if (!windows) return value;
  if (typeof value === 'string') return outsideText(value, true);
  if (Array.isArray(value)) return value.map((each) => outsideJson(each, true));
  if (value === null || typeof value !== 'object' || ArrayBuffer.isView(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, outsideJson(each, true)]));
}

/** The options of sheaf-pack that hold paths or parts of paths, and those without a value (packer/job/options.inc). */
export const PATH_OPTIONS: readonly string[] = [
  'output',
  'root',
  'includesFrom',
  'converted',
  'rules',
  'vectorCache',
  'encoderTable',
];
export const GLOB_OPTIONS: readonly string[] = ['include', 'exclude', 'ownUrlsIn'];
export const SWITCH_OPTIONS: readonly string[] = ['noIgnore', 'honorNoindex', 'strict'];

const PATH_FLAGS = new Set(['-o', ...PATH_OPTIONS.map(flagOf)]);
const GLOB_FLAGS = new Set(GLOB_OPTIONS.map(flagOf));
/** How many of a verb's arguments that are no flags are paths: `search FILE QUERY`. */
const PATHS: Readonly<Record<string, number>> = { search: 1, inspect: 1, verify: 1 };
/** Flags without a value; the others of sheaf-pack take one. */
const SWITCHES = new Set([
  ...SWITCH_OPTIONS.map(flagOf),
  ...'--json --brief --quiet -q --help -h --explain --by-passage --lazy --rrf --no-prefix --no-typo'.split(' '),
]);

/** The options of a job, with paths as they are inside. */
export function insideOptions(options: PackOptions, windows = IS_WINDOWS): PackOptions {
  if (!windows) return options;
  const inside = Object.entries(options).map(([name, value]: [string, unknown]) => {
    if (name === 'scratch' && typeof value === 'string') return [name, insidePath(value, true)];
    if (typeof value === 'string') return [name, inFlag(flagOf(name), value)];
    if (!Array.isArray(value)) return [name, value];
    return [name, value.map((each) => (name === 'inputs' ? insidePath(each, true) : inFlag(flagOf(name), each)))];
  });
  return Object.fromEntries(inside) as PackOptions;
}

/** A command line of sheaf-pack, its verb first, with paths as they are inside. */
export function insideArguments(args: readonly string[], windows = IS_WINDOWS): string[] {
  if (!windows) return [...args];
  const [verb = '', ...rest] = args;
  let left = PATHS[verb] ?? Number.POSITIVE_INFINITY;
  let flag: string | undefined;
  let onlyInputs = false;
  return [
    verb,
    ...rest.map((arg) => {
      if (flag !== undefined) {
        const value = inFlag(flag, arg);
        flag = undefined;
        return value;
      }
      if (arg === '--' && !onlyInputs) {
        onlyInputs = true;
        return arg;
      }
      if (onlyInputs || !arg.startsWith('-')) return left-- > 0 ? insidePath(arg, true) : arg;
      const [, name, value] = /^(--[\w-]+)=(.*)$/s.exec(arg) ?? [];
      if (name !== undefined) return `${name}=${inFlag(name, value as string)}`;
      if (!SWITCHES.has(arg)) flag = arg;
      return arg;
    }),
  ];
}

function inFlag(flag: string, value: string): string {
  if (PATH_FLAGS.has(flag)) return insidePath(value, true);
  return GLOB_FLAGS.has(flag) ? slashes(value) : value;
}

function slashes(path: string): string {
  return path.replaceAll('\\', '/');
}
