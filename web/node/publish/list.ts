/**
 * The list that `sheaf publish build` reads: on each line the arguments of `sheaf add`, and how many versions.
 *
 *     # what everybody imports
 *     npm:vue --newest 3                                  the newest three minor versions
 *     pypi:fastapi -v 0.115.0 -v ^0.110
 *     house -s ./docs -v 2.1 --title "House rules" --licence CC-BY-4.0
 *     https://github.com/vuejs/pinia -d packages/docs
 *     rust-book                                           a name of sheaf list --sources
 */
import { readFile, stat } from 'node:fs/promises';
import { dirname, isAbsolute, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { CliError, EXIT, usageError } from '../base/exit.js';
import { isLibraryName } from '../../browser/client/names.js';
import { oneLine } from '../base/terminal.js';
import { isPackage } from '../sources/ecosystems.js';
import { detectSource, isSource, nameFor } from '../sources/resolve.js';
import { SourceError, type SourceSpec } from '../sources/source.js';
import { withAbsolutePath } from '../sources/local.js';
import { knownSources } from '../sources/sources_file.js';

export interface ListedSource {
  line: number;
  /** The line itself, for people and as the key of what was made of it. */
  text: string;
  /** Undefined where only the source can tell. */
  library: string | undefined;
  spec: SourceSpec;
  /** The user's own list named it, rather than a file that came from elsewhere. */
  trusted: boolean;
  versions: string[];
  newest: number | undefined;
  title: string | undefined;
  description: string | undefined;
  licence: string | undefined;
  baseUrl: string | undefined;
}

const FLAGS = {
  source: { type: 'string', short: 's' },
  version: { type: 'string', short: 'v', multiple: true },
  newest: { type: 'string' },
  'docs-path': { type: 'string', short: 'd', multiple: true },
  'filter-keyword': { type: 'string', short: 'f', multiple: true },
  'trim-query-params': { type: 'boolean' },
  'readme-only': { type: 'boolean' },
  title: { type: 'string' },
  description: { type: 'string' },
  licence: { type: 'string' },
  'base-url': { type: 'string' },
} as const;

const MOST_BYTES = 16 << 20;

/** Errors name the file and the line. */
export async function readList(path: string): Promise<ListedSource[]> {
  const stats = await stat(path).catch(() => undefined);
  if (!stats?.isFile()) throw new CliError(EXIT.NOT_FOUND, `The list ${oneLine(path)} is not there.`);
  if (stats.size > MOST_BYTES) throw usageError(`${oneLine(path)} is larger than 16 MiB.`);
  const lines = (await readFile(path, 'utf8')).replace(/^\ufeff/, '').split(/\r?\n/);
  const known = new Map((await knownSources()).map((each) => [each.name, each]));
  const found: ListedSource[] = [];
  for (const [index, raw] of lines.entries()) {
    try {
      const words = wordsOf(raw);
      if (words.length > 0)
        found.push({ line: index + 1, text: raw.trim(), ...parseLine(words, known, dirname(resolve(path))) });
    } catch (error) {
      const isOurs = error instanceof SourceError || error instanceof CliError || error instanceof TypeError;
      if (!isOurs) throw error;
      throw usageError(`${oneLine(path)}, line ${index + 1}: ${oneLine((error as Error).message)}`);
    }
  }
  if (found.length === 0) throw usageError(`${oneLine(path)} names no source.`);
  return found;
}

type Known = Awaited<ReturnType<typeof knownSources>>[number];

function parseLine(
  args: string[],
  known: ReadonlyMap<string, Known>,
  folder: string,
): Omit<ListedSource, 'line' | 'text'> {
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options: FLAGS });
  const [first, ...more] = positionals;
  if (first === undefined || more.length > 0)
    throw usageError('expected one library or source, and flags; quote what holds spaces.');
  const newest = values.newest === undefined ? undefined : Number(values.newest);
  if (newest !== undefined && !(Number.isInteger(newest) && newest >= 1 && newest <= 100))
    throw usageError(`--newest takes how many minor versions, from 1 to 100, not '${values.newest}'.`);
  if (newest !== undefined && values.version !== undefined) throw usageError('give either --newest or --version.');
  const about = {
    versions: values.version ?? [],
    newest,
    title: values.title,
    description: values.description,
    licence: values.licence,
    baseUrl: values['base-url'],
  };
  const source = values.source ?? (isSource(first) ? first : undefined);
  if (values.source !== undefined && !isLibraryName(first)) throw usageError(`'${first}' cannot be a library's name.`);
  if (source === undefined) {
    const one = known.get(first);
    if (one === undefined)
      throw usageError(
        `no source is known for '${first}'; give it with -s, or name a package as npm:${first} or pypi:${first}.`,
      );
    return { ...about, library: first, spec: withAbsolutePath(one.spec), trusted: one.trusted };
  }
  const options = {
    docsPaths: values['docs-path'] ?? [],
    keywords: values['filter-keyword'] ?? [],
    trimQueryParams: values['trim-query-params'] ?? false,
  };
  const { spec } = detectSource(beside(source, folder), options);
  const library = values.source === undefined ? nameFor(spec) : first;
  const isPackaged = isPackage(spec);
  if (values['readme-only'] && !isPackaged) throw usageError('--readme-only is for packages.');
  return {
    ...about,
    library,
    spec: isPackage(spec) && values['readme-only'] ? { ...spec, readme_only: true } : spec,
    trusted: true,
  };
}

/** A relative path of the list is one beside the list. */
function beside(source: string, folder: string): string {
  const [, kind = '', path = source] = /^([a-z]+:)?(\.{1,2}[\\/].*|\.{1,2})$/i.exec(source) ?? [];
  if (/^\.{1,2}([\\/]|$)/.test(path)) return `${kind}${resolve(folder, path)}`;
  const isBundle = /\.sheaf$/i.test(source) && !/^[a-z][a-z0-9+.-]+:\/\//i.test(source) && !isAbsolute(source);
  return isBundle && !source.startsWith('~') ? resolve(folder, source) : source;
}

/** The words of a line: blanks part them, quotes keep them together, a # begins a comment. Error: an open quote. */
export function wordsOf(line: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote = '';
  for (const one of line) {
    if (quote !== '') {
      if (one === quote) quote = '';
      else word += one;
    } else if (one === '"' || one === "'") {
      quote = one;
      word ??= '';
    } else if (/\s/.test(one)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (one === '#' && word === undefined) return words;
    else word = (word ?? '') + one;
  }
  if (quote !== '') throw usageError('a quote is not closed.');
  if (word !== undefined) words.push(word);
  return words;
}
