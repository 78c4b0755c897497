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
import { escapeText, headings, withReferences, code } from './markup.js';
import { DEPENDENCY, type ApiModule, type Declared } from './model.js';
import { Parsers, packageOf, GRAMMAR_PACKAGES, type GrammarPackage, type Grammars } from './grammars.js';
import { isApiSource, isManifest, LANGUAGES, languageOf, wantedOf, type Grammar } from './languages.js';
import { textOf } from '../text.js';

export { isApiSource } from './languages.js';

export interface ApiFile {
  /** Below the package, with slashes. Of other packages that it hands on below `node_modules/NAME` or `vendor/NAME`. */
  path: string;
  bytes: Uint8Array;
}

export interface ApiPage {
  /** `api/NAME.md`. */
  path: string;
  /** The file that it is made of. */
  source: string;
  title: string;
  text: string;
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
  /** Of parsing a file, and of all work. */
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
  const sources = new Map<string, Uint8Array>();
  for (const { path, bytes } of files) {
    if (!isApiSource(path.replace(DEPENDENCY, ''))) continue;
    if (isManifest(path)) manifests.set(path, textOf(bytes));
    else sources.set(path, bytes);
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
      const bytes = sources.get(path) as Uint8Array;
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
            left.add(`that take more than ${limits.fileMs / 1000} seconds to parse`, path);
            continue;
          }
          if (tree.rootNode.namedChildCount > limits.children) {
            left.add(`with more than ${limits.children} declarations`, path);
            continue;
          }
          const data: unknown = language.reader.read(tree.rootNode, { path, text });
          const own = read.get(language) ?? new Map<string, unknown>();
          read.set(language, own.set(path, data));
        } catch (error) {
          left.add(`that could not be read (${(error as Error).message})`, path);
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
    return own === undefined ? [] : language.reader.assemble(own, manifests);
  });
  const made = write(modules, limits.names, left);
  for (const [name, { files: many, names }] of missing)
    left.notes.push(
      `${many} ${many === 1 ? 'file' : 'files'} of ${[...names].join(', ')} ${many === 1 ? 'is' : 'are'} not read: that needs ${name}@${GRAMMAR_PACKAGES[name]}, which is not installed. ${grammars.advice([...missing.keys()])}`,
    );
  return { ...made, notes: left.all() };
}

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

// ---- pages --------------------------------------------------------------------------------------

interface Target {
  page: string;
  anchor: string;
}

const plainName = (name: string): string =>
  name
    .replace(/^[~!.#*&]+|\(.*$|<.*$/gs, '')
    .replace(/^(?:crate|self|super|Self)::/, '')
    .replace(/::|#|\//g, '.');

/** Every name's places; of several namesakes, a link leads to the one nearby or nowhere. */
class Names {
  readonly #by = new Map<string, Target[]>();

  add(name: string, target: Target): void {
    const found = this.#by.get(name);
    if (found === undefined) this.#by.set(name, [target]);
    else if (found.length < 4) found.push(target);
  }

  /** `within`: full names that may hold it, nearest first. */
  find(name: string, page: string, within: readonly string[]): Target | undefined {
    const plain = plainName(name);
    if (plain === '') return undefined;
    for (const each of within) {
      const [nearby] = this.#by.get(`=${each}.${plain}`) ?? [];
      if (nearby !== undefined) return nearby;
    }
    const [exact] = this.#by.get(`=${plain}`) ?? [];
    if (exact !== undefined) return exact;
    const all = this.#by.get(plain) ?? [];
    return all.find((each) => each.page === page) ?? (all.length === 1 ? all[0] : undefined);
  }
}

interface Placed {
  one: Declared;
  /** Within its module. */
  name: string;
  level: number;
  anchor: string;
}

function write(modules: readonly ApiModule[], most: number, left: LeftOut): Omit<ApiPages, 'notes'> {
  const names = new Names();
  const paths = new Set<string>();
  const pages: { path: string; module: ApiModule; placed: Placed[] }[] = [];
  let count = 0;
  for (const module of modules) {
    if (module.entries.length === 0 && module.also.length === 0 && module.doc === '') continue;
    const path = unique(
      `api/${
        module.name
          .replace(/::|[/\\]/g, '.')
          .replace(/[^\w.@+-]+/g, '-')
          .replace(/^[.-]+/, '') || 'api'
      }`,
      paths,
    );
    const anchors = new Set<string>();
    const placed: Placed[] = [];
    const place = (one: Declared, above: string, level: number): void => {
      if (count >= most || level > 8)
        return left.add(`whose names are nested too deep or beyond the first ${most}`, module.source);
      count += 1;
      const name = above === '' ? one.name : `${above}${module.separator}${one.name}`;
      const anchor = unique(
        (module.qualifier === '' ? name : `${module.qualifier}.${name}`)
          .replace(/::/g, '.')
          .replace(/[^\p{L}\p{N}_.$-]+/gu, '-')
          .replace(/^-+|-+$/g, '') || 'name',
        anchors,
      );
      placed.push({ one, name, level, anchor });
      const plain = plainName(name);
      const target = { page: path, anchor };
      names.add(`=${plainName(module.name)}.${plain}`, target);
      names.add(plain, target);
      const last = plain.slice(plain.lastIndexOf('.') + 1);
      if (last !== plain) names.add(last, target);
      for (const each of one.members) place(each, name, level + 1);
    };
    names.add(`=${plainName(module.name)}`, { page: path, anchor: '' });
    for (const each of module.entries) place(each, '', 2);
    pages.push({ path, module, placed });
  }
  for (const { path, module } of pages)
    for (const { name, target } of module.also) {
      const found = names.find(target, path, []);
      if (found !== undefined) names.add(`=${plainName(module.name)}.${plainName(name)}`, found);
    }
  let described = 0;
  for (const { placed } of pages) for (const { one } of placed) if (one.doc.trim() !== '') described += 1;
  return { pages: pages.map((each) => page(each, names)), names: count, described };
}

function unique(name: string, taken: Set<string>): string {
  let found = name;
  for (let i = 2; taken.has(found.toLowerCase()); ++i) found = `${name}-${i}`;
  taken.add(found.toLowerCase());
  return found;
}

/** Without a first line that is the module's name once more. */
const withoutTitle = (doc: string, title: string): string =>
  doc.replace(/^\s*(?:#+ |\*\*)?`?([\w.:/-]+)`?(?:\*\*)?\s*\n/, (all, name: string) => (name === title ? '' : all));

function page(
  { path, module, placed }: { path: string; module: ApiModule; placed: readonly Placed[] },
  names: Names,
): ApiPage {
  const { name: title, language, source } = module;
  const resolved = (markdown: string, within: readonly string[]): string =>
    withReferences(markdown, (name, text) => {
      const target = names.find(name, path, within);
      const shown = /\s/.test(text) || text.includes('`') ? text : code(text);
      if (target === undefined) return shown;
      const file = target.page === path ? '' : `${target.page.slice('api/'.length)}.md`;
      return `[${shown}](${file}${target.anchor === '' && file !== '' ? '' : `#${target.anchor}`})`;
    });
  const own = plainName(title);
  const lines = [`# ${escapeText(title)}`, '', resolved(headings(withoutTitle(module.doc, title), false), [own]), ''];
  for (const { one, name, level, anchor } of placed) {
    lines.push(`${'#'.repeat(Math.min(level, 6))} ${escapeText(name)} {#${anchor} .${one.kind}}`, '');
    const signatures = one.signatures.filter((each) => each !== '').slice(0, 50);
    if (signatures.length > 0)
      lines.push(
        `\`\`\`${language}`,
        signatures.join(signatures.some((each) => each.includes('\n')) ? '\n\n' : '\n').replace(/```/g, "'''"),
        '```',
        '',
      );
    if (one.doc !== '') lines.push(resolved(one.doc, [`${own}.${plainName(name)}`, own]), '');
  }
  if (module.also.length > 0) {
    lines.push('## Also here', '');
    for (const { name, target } of module.also) {
      const found = names.find(target, path, []);
      const full = `${title}${module.separator}${name}`;
      lines.push(
        found === undefined
          ? `- ${code(full)}`
          : `- [${code(full)}](${found.page === path ? '' : `${found.page.slice('api/'.length)}.md`}#${found.anchor})`,
      );
    }
    lines.push('');
  }
  return {
    path: `${path}.md`,
    source,
    title,
    text: `${lines
      .join('\n')
      .replace(/\n{3,}/g, '\n\n')
      .trim()}\n`,
  };
}
