/**
 * Pages of API documentation from a package's source: "these files of a package → pages".
 *
 *     files -> wanted by name -> a tree each, by tree-sitter -> plain data (readers of languages) -> modules -> Markdown
 *
 * One page a module: of Python and Rust by name, of Go a package, of Java a file's types, of JavaScript and TypeScript a
 * file that declares exports, of C and C++ a header. Public names alone. A heading is a full name within its module, its
 * attributes are its anchor and its kind:
 *
 *     ### Session.get {#requests.Session.get .method}
 *
 * Below it stand its signatures in a fence, then its words; examples are fences, names of the package are links.
 *
 * Invariants
 *  1. The same files give the same pages, in any order of `files`.
 *  2. A file that is left out is counted in `notes`: too large, too slow, damaged, or its grammar is not there.
 *  3. Trees are walked along declarations alone, never into the bodies of functions; the recursion of readers is bounded.
 *
 * Bounds: LIMITS, for a file and for all. Cost: about 1 MB of source a second; a tree takes some 20 bytes a byte of source.
 */
import { DEPENDENCY, TooSlow } from './model.js';
import { Parsers, packageOf, GRAMMAR_PACKAGES, type GrammarPackage, type Grammars } from './grammars.js';
import { isApiSource, isManifest, LANGUAGES, languageOf, wantedOf, type Grammar } from './languages.js';
import { writePages, type ApiPage } from './write.js';
import { textOf } from '../text.js';

export { isApiSource } from './languages.js';
export type { ApiEntry, ApiPage } from './write.js';

export interface ApiFile {
  /** Below the package, with slashes. Of other packages that it hands on below `node_modules/NAME` or `vendor/NAME`. */
  path: string;
  /** Asked for when its turn comes, once: a host may read it then. */
  readonly bytes: Uint8Array;
}

export interface ApiPages {
  pages: ApiPage[];
  /** Public names that have a heading, and those of them with a sentence. */
  names: number;
  described: number;
  /** Sentences on what was left out. */
  notes: string[];
}

export const LIMITS = {
  files: 10_000,
  /** Of a file, and of all. */
  fileBytes: 4 << 20,
  bytes: 128 << 20,
  /** Of parsing and reading a file, and of all work. */
  fileMs: 10_000,
  ms: 120_000,
  /** Children of one node. */
  children: 200_000,
  names: 200_000,
};

/** Others of the thread, signals among them, wait no longer. */
const PAUSE_MS = 100;

export interface ApiOptions {
  grammars: Grammars;
  limits?: Partial<typeof LIMITS>;
  signal?: AbortSignal | undefined;
}

/** Error: the abort error alone. */
export async function apiPages(
  files: Iterable<ApiFile>,
  { grammars, signal, limits: given }: ApiOptions,
): Promise<ApiPages> {
  const limits = { ...LIMITS, ...given };
  const left = new LeftOut();
  const manifests = new Map<string, string>();
  const sources = new Map<string, ApiFile>();
  for (const file of files) {
    const { path } = file;
    if (!isApiSource(path.replace(DEPENDENCY, ''))) continue;
    if (isManifest(path)) manifests.set(path, textOf(file.bytes));
    else sources.set(path, file);
  }
  const wanted = wantedOf([...sources.keys()].sort());
  const parsers = new Parsers(grammars);
  const read = new Map<(typeof LANGUAGES)[number], Map<string, unknown>>();
  const ends = Date.now() + limits.ms;
  const missing = new Map<GrammarPackage, { files: number; names: Set<string> }>();
  let total = 0;
  let count = 0;
  let pause = Date.now() + PAUSE_MS;
  try {
    for (const path of wanted) {
      signal?.throwIfAborted();
      if (Date.now() > pause) {
        await new Promise((resolve) => setTimeout(resolve));
        pause = Date.now() + PAUSE_MS;
      }
      const { bytes } = sources.get(path) as ApiFile;
      const { language, grammar } = languageOf(path) as { language: (typeof LANGUAGES)[number]; grammar: Grammar };
      if (count >= limits.files || total + bytes.length > limits.bytes)
        left.add('beyond the limits of a package', path);
      else if (Date.now() > ends) left.add(`not reached within ${limits.ms / 1000} seconds`, path);
      else if (bytes.length > limits.fileBytes) left.add(`of more than ${limits.fileBytes >> 20} MiB`, path);
      else {
        const parser = await parsers.of(grammar).catch((error: Error) => {
          left.add(`whose grammar did not load (${error.message})`, path);
          return null;
        });
        if (parser === null) continue;
        if (parser === undefined) {
          const name = packageOf(grammar);
          const one = missing.get(name) ?? { files: 0, names: new Set() };
          missing.set(name, one);
          one.files += 1;
          one.names.add(language.name);
          continue;
        }
        count += 1;
        total += bytes.length;
        const until = Math.min(ends, Date.now() + limits.fileMs);
        const text = textOf(bytes).replace(/\u0000/g, ' ');
        let tree: ReturnType<typeof parser.parse> = null;
        try {
          tree = parser.parse(language.reader.prepare?.(text) ?? text, null, {
            progressCallback: () => Date.now() > until,
          });
          if (tree === null) {
            parser.reset();
            left.add(slow(limits), path);
            continue;
          }
          if (tree.rootNode.namedChildCount > limits.children) {
            left.add(`with more than ${limits.children} declarations`, path);
            continue;
          }
          const data: unknown = language.reader.read(tree.rootNode, { path, text, until });
          const own = read.get(language) ?? new Map<string, unknown>();
          read.set(language, own.set(path, data));
        } catch (error) {
          const isSlow = error instanceof TooSlow;
          left.add(isSlow ? slow(limits) : `that could not be read (${(error as Error).message})`, path);
        } finally {
          tree?.delete();
        }
      }
    }
  } finally {
    await parsers.close();
  }
  const modules = LANGUAGES.flatMap((language) => {
    const own = read.get(language);
    if (own === undefined) return [];
    try {
      // Of what is left, half: the others and the pages take time, too.
      return language.reader.assemble(own, manifests, (Date.now() + ends) / 2);
    } catch (error) {
      if (!(error instanceof TooSlow)) throw error;
      left.notes.push(
        `The API of ${language.name} is left out: to find its public names takes more than ${limits.ms / 1000} seconds`,
      );
      return [];
    }
  });
  const made = writePages(modules, {
    most: limits.names,
    tooMany: (module) => left.add(`whose names are nested too deep or beyond the first ${limits.names}`, module.source),
    ends,
    tooLate: (module) => left.add(`not written within ${limits.ms / 1000} seconds`, module.source),
  });
  for (const [name, { files: many, names }] of missing)
    left.notes.push(
      `${many} ${many === 1 ? 'file' : 'files'} of ${[...names].join(', ')} ${many === 1 ? 'is' : 'are'} not read: that needs ${name}@${GRAMMAR_PACKAGES[name]}, which is not installed. ${grammars.advice([...missing.keys()])}`,
    );
  return { ...made, notes: left.all() };
}

const slow = ({ fileMs }: typeof LIMITS): string => `that take more than ${fileMs / 1000} seconds to read`;

/** Counts by reason, with an example. */
class LeftOut {
  readonly notes: string[] = [];
  readonly #counted = new Map<string, { files: number; example: string }>();

  add(why: string, path: string): void {
    const one = this.#counted.get(why) ?? { files: 0, example: path };
    one.files += 1;
    this.#counted.set(why, one);
  }

  all(): string[] {
    const counted = [...this.#counted].map(
      ([why, { files, example }]) =>
        `Left out: ${files} source ${files === 1 ? 'file' : 'files'} ${why}, such as ${example}`,
    );
    return [...counted, ...this.notes];
  }
}
