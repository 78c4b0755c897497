/**
 * Pages of API documentation from source code, and their place in a documentation. A converter makes them
 * (node/convert/grammars.ts): files in, pages of Markdown out.
 *
 *     code of a package  -> makeApiPages -> pages -> joinApi -> in place of directives (automodule, ::: kiln) of the documentation
 *                                                            -> left out: the documentation describes these names itself
 *                                                            -> a folder of its own, behind the guides
 *     code of a checkout -> fillFromCheckout -> in place of directives alone
 *
 * The grammars are packages that a user installs once. Without them the converter's note says how many files were not read.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isInside } from '../base/paths.js';
import {
  apiPagesOf,
  fillDirectives,
  hasDirectives,
  isApiSource,
  withoutKnown,
  type ApiPage,
  type DocPage,
  type SourceTree,
} from '../convert/grammars.js';
import { saveDoc } from './package_docs.js';
import type { Fetched, SourceContext } from './source.js';
import { findFiles } from './walk.js';

/** Public names with their documentation, one page a module. Files that cannot be read are warnings of it. */
export type ApiConverter = (tree: SourceTree, warn: (text: string) => void) => Promise<readonly ApiPage[]>;

const MAX_PAGE_BYTES = 8 << 20;
/** Formats that hold directives, and those that define names. */
const FILLED = /\.(rst|txt|mdx?)$/i;
const READ = /\.(rst|txt|mdx?|html?|adoc|asciidoc)$/i;

export async function makeApiPages(
  { paths, read }: SourceTree,
  context: SourceContext,
  convert: ApiConverter = (tree, warn) => apiPagesOf(tree, warn, context.signal),
): Promise<readonly ApiPage[]> {
  if (paths.length === 0) return [];
  return convert({ paths: [...paths].sort(), read }, (text) => context.warn(text));
}

/**
 * The documentation with the pages of its API, each name once. `addressOf` a source file: what readers are shown for the
 * page that is made of it.
 */
export async function joinApi(
  found: Fetched,
  api: readonly ApiPage[],
  addressOf: (source: string) => string | undefined,
  context: SourceContext,
): Promise<Fetched> {
  if (found.unchanged || found.bundle !== undefined) return found;
  const docs = await Docs.of(found, context);
  const { rest } = fill(docs, api, context);
  if (api.length === 0) return found;
  const { kept, left } = withoutKnown(rest, docs.read(READ));
  for (const { title, defined, names, where } of left.slice(0, MAX_SHOWN))
    context.say(`No page of the API of ${title}: ${where} and others describe ${defined} of its ${names} names`);
  if (left.length > MAX_SHOWN)
    context.say(`No pages of the API of ${left.length - MAX_SHOWN} more modules, which the documentation describes`);
  if (kept.length === 0) return found;
  const folder = folderBehind(docs.paths);
  let saved = 0;
  for (const { path, text, source } of kept) {
    const address = addressOf(source);
    const head = address === undefined ? '' : `---\nurl: ${JSON.stringify(address)}\n---\n`;
    if (await saveDoc(found.root, path.replace(/^api\//, `${folder}/`), head + text, context)) saved += 1;
  }
  if (docs.paths.length > 0 && saved > 0)
    context.say(`Made ${saved} ${saved === 1 ? 'page' : 'pages'} of the API from source, in ${folder}`);
  const isIn = found.inputs.some((input) => isInside(join(found.root, folder), input));
  const content = found.content === 'readme' && saved > 0 ? { content: 'package' as const } : {};
  return { ...found, ...content, inputs: isIn ? found.inputs : [...found.inputs, join(found.root, folder)] };
}

const MAX_SHOWN = 5;

/** The documentation in a checkout, filled from its code; `sources` puts the code there and gives its paths. */
export async function fillFromCheckout(
  found: Fetched,
  sources: () => Promise<readonly string[]>,
  context: SourceContext,
): Promise<Fetched> {
  const docs = await Docs.of(found, context);
  for (const { text } of docs.read(FILLED)) {
    if (!hasDirectives(text)) continue;
    const paths = (await sources()).filter(isApiSource);
    const read = (path: string): Uint8Array => readFileSync(join(found.root, path));
    fill(docs, await makeApiPages({ paths, read }, context), context);
    break;
  }
  return found;
}

function fill(docs: Docs, api: readonly ApiPage[], context: SourceContext): { rest: readonly ApiPage[] } {
  const { pages, rest, filled, left } = fillDirectives(docs.read(FILLED), api);
  for (const page of pages) docs.write(page);
  if (filled > 0)
    context.say(`Filled ${filled} ${filled === 1 ? 'directive' : 'directives'} for documentation in the source`);
  const kinds = [...left].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  if (kinds.length > 0)
    context.warn(
      `Not filled: ${kinds.map(([kind, count]) => `${count} ${kind}`).join(', ')} ${kinds.length === 1 && kinds[0]?.[1] === 1 ? 'directive' : 'directives'} without source`,
    );
  return { rest };
}

/** The pages of what was fetched. They are read one by one, since there may be many. */
class Docs {
  readonly paths: readonly string[];
  readonly #files: ReadonlyMap<string, Buffer>;
  readonly #signal: AbortSignal;

  private constructor(files: ReadonlyMap<string, Buffer>, signal: AbortSignal) {
    this.paths = [...files.keys()].sort();
    this.#files = files;
    this.#signal = signal;
  }

  static async of({ root, inputs, noIgnore }: Fetched, { signal }: SourceContext): Promise<Docs> {
    const found = await findFiles(root, inputs, noIgnore);
    // Two names of one file are one page.
    const own = new Map([...found].map(([path, file]) => [file, path]));
    return new Docs(new Map([...own].map(([file, path]) => [path, Buffer.from(file, 'latin1')])), signal);
  }

  *read(format: RegExp): Generator<DocPage> {
    for (const path of this.paths) {
      if (!format.test(path)) continue;
      this.#signal.throwIfAborted();
      const bytes = this.#bytes(path);
      if (bytes !== undefined && bytes.length <= MAX_PAGE_BYTES) yield { path, text: bytes.toString('utf8') };
    }
  }

  #bytes(path: string): Buffer | undefined {
    try {
      return readFileSync(this.#files.get(path) as Buffer);
    } catch {
      return undefined; // the packer reports it
    }
  }

  /** A page in another encoding stays as it is. */
  write({ path, text }: DocPage): void {
    const bytes = this.#bytes(path) ?? Buffer.alloc(0);
    if (Buffer.from(bytes.toString('utf8')).equals(bytes)) writeFileSync(this.#files.get(path) as Buffer, text);
  }
}

/** A folder that no page is in, and that comes behind the folders of all pages: the packer sorts by path. Pure. */
export function folderBehind(paths: readonly string[]): string {
  const tops = paths.flatMap((path) => (path.includes('/') ? [path.slice(0, path.indexOf('/'))] : []));
  const last = tops.reduce((a, b) => (a > b ? a : b), '');
  return ['api', 'reference'].find((name) => name > last) ?? `${last}-api`;
}
