/** What the user's catalogues have: a library by name and range, and libraries by what they do. */
import { libraryOfPage, type CatalogueLibrary } from '../../browser/catalogue/format.js';
import { readPins, type AddedCatalogue } from '../catalogue/pins.js';
import type { Catalogue } from '../../browser/catalogue/reader.js';
import { CatalogueRefusal } from '../../browser/catalogue/refusal.js';
import { open } from '../client/node.js';
import { harmless, oneLine, status } from '../base/terminal.js';
import { CatalogueFiles, openAdded, versionOf } from './catalogue.js';
import type { CatalogueSpec } from './source.js';
import { lockedVersions } from './locked.js';

export interface Ready {
  spec: CatalogueSpec;
  version: string;
  bytes: number;
  from: string;
  /** Where its text is from, as the catalogue says: npm:vue@3.5.13, an address, or ''. */
  source: string;
}

/**
 * The first catalogue that has it, in the order in which they were added. A catalogue that is refused or cannot be reached
 * is said so, and the next one is asked: `refused` has the reasons.
 */
export async function findReady(
  library: string,
  range: string,
  signal: AbortSignal,
): Promise<{ ready: Ready | undefined; refused: string[] }> {
  const refused: string[] = [];
  for (const added of await readPins()) {
    const ready = await asking(added, signal, refused, async (catalogue) => {
      const found = await catalogue.library(library);
      const locked = /^(latest)?$/.test(range) ? await lockedVersions(process.cwd())(library) : undefined;
      const version = found === undefined ? undefined : versionOf(found, range, locked);
      if (found === undefined || version === undefined) return undefined;
      // What the lock file decided is asked for by name, and followed by no update.
      const wanted = versionOf(found, range) === version ? range : version.version;
      const spec = { type: 'catalogue' as const, catalogue: added.address, library, version: wanted };
      const { source, bytes } = version;
      return { spec, version: version.version, bytes, from: catalogue.title || added.address, source };
    });
    if (ready !== undefined) return { ready, refused };
  }
  return { ready: undefined, refused };
}

export interface FoundLibrary {
  library: string;
  title: string;
  description: string;
  words: string[];
  versions: string[];
  score: number;
  catalogue: string;
}

/** Libraries that do what `query` says, best first; of several catalogues that have one, the first. */
export async function findLibraries(
  query: string,
  count: number,
  signal: AbortSignal,
): Promise<{ found: FoundLibrary[]; refused: string[]; catalogues: number }> {
  const pins = await readPins();
  const refused: string[] = [];
  const found = new Map<string, FoundLibrary>();
  for (const added of pins) {
    const some = await asking(added, signal, refused, (catalogue) => searchIn(catalogue, query, count, signal));
    for (const { entry, score } of some ?? []) {
      const { library, title, description, words, versions } = entry;
      if (found.has(library)) continue;
      const names = versions.map(({ version }) => version);
      found.set(library, { library, title, description, words, versions: names, score, catalogue: added.address });
    }
  }
  const best = [...found.values()].sort((a, b) => b.score - a.score).slice(0, count);
  return { found: best, refused, catalogues: pins.length };
}

/** Summaries are a dozen words, which seldom are those of who asks: meaning decides more than elsewhere. */
export const MEANING = 0.7;

interface OpenIndex {
  library: ReturnType<typeof open>;
  /** Searches under way. */
  users: number;
}

/** Opened indexes by their hash, for a server that is asked again and again. */
const opened = new Map<string, OpenIndex>();
const MOST_OPEN = 4;
/** Of a catalogue without an index, which is read as a whole. */
const MOST_LISTED_BYTES = 64 * 2 ** 20;

/** Closes what has not been asked for lately, and is not being searched. */
async function closeOldest(): Promise<void> {
  for (const [sha256, one] of [...opened].slice(0, -MOST_OPEN)) {
    if (one.users > 0 || opened.get(sha256) !== one) continue;
    opened.delete(sha256);
    await close(one);
  }
}

const close = ({ library }: OpenIndex): Promise<void> => library.then((each) => each.close()).catch(() => {});

async function searchIn(
  catalogue: Catalogue,
  query: string,
  count: number,
  signal: AbortSignal,
): Promise<{ entry: CatalogueLibrary; score: number }[]> {
  const index = catalogue.head?.index;
  if (index === undefined) {
    if (catalogue.listBytes > MOST_LISTED_BYTES)
      throw new CatalogueRefusal('MALFORMED', 'It has no index, and its list is too long to be searched without one.');
    return byName(await catalogue.libraries(), query, count);
  }
  const bytes = opened.has(index.sha256) ? undefined : await catalogue.index();
  // Nothing waits from here to the counting, so that it is opened once and not closed before it is counted.
  const one = opened.get(index.sha256) ?? { library: open(bytes as Uint8Array), users: 0 };
  opened.delete(index.sha256);
  opened.set(index.sha256, one); // the last one asked for
  one.users++;
  let hits;
  try {
    ({ hits } = await (await one.library).search(query, {
      topK: count,
      prefix: false,
      semanticWeight: MEANING,
      signal,
    }));
  } catch (error) {
    if (!signal.aborted && opened.get(index.sha256) === one) opened.delete(index.sha256);
    throw error;
  } finally {
    if (--one.users === 0 && opened.get(index.sha256) !== one) await close(one);
    await closeOldest();
  }
  const found: { entry: CatalogueLibrary; score: number }[] = [];
  for (const { source, score } of hits) {
    const name = libraryOfPage(source);
    const entry = name === undefined ? undefined : await catalogue.library(name);
    if (entry !== undefined) found.push({ entry, score });
  }
  return found;
}

/** Of a catalogue without an index: what has the words of the query. */
function byName(
  libraries: readonly CatalogueLibrary[],
  query: string,
  count: number,
): { entry: CatalogueLibrary; score: number }[] {
  const words = [...new Set(query.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? [])];
  const scored = libraries.map((entry) => {
    const text = `${entry.library} ${entry.title} ${entry.description} ${entry.words.join(' ')}`.toLowerCase();
    return { entry, score: words.filter((word) => text.includes(word)).length / Math.max(1, words.length) };
  });
  return scored
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, count);
}

const say = (text: string): void => status(harmless(oneLine(text)));

async function asking<T>(
  added: AddedCatalogue,
  signal: AbortSignal,
  refused: string[],
  work: (catalogue: Catalogue) => Promise<T>,
): Promise<T | undefined> {
  const files = new CatalogueFiles(added, signal, say);
  try {
    return await work(await openAdded(added, files, { env: process.env, say }));
  } catch (error) {
    if (signal.aborted) throw error;
    const code = error instanceof CatalogueRefusal ? `${error.code}: ` : '';
    const why = `Catalogue ${oneLine(added.address)} is not used: ${code}${harmless(oneLine((error as Error).message))}`;
    refused.push(why);
    status(why);
    return undefined;
  } finally {
    files.close();
  }
}
