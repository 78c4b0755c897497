/**
 * Which files the pages of a documentation include, so that they are fetched too and their changes are seen. What an
 * include means is the packer's matter; here it is enough to find every file that it may mean.
 *
 *     MkDocs       --8<-- "FILE"   {* FILE *}   {! FILE !}        VitePress   <<< @/FILE{1,3}#region   <!--@include: FILE-->
 *     mdBook       {{#include FILE:anchor}}                       MDX         import X from './FILE.mdx', …?raw
 *     Sphinx       .. include:: FILE   .. literalinclude:: FILE     AsciiDoc   include::FILE[]
 *
 * Each of them has its own idea of what a path is relative to, often the folder of a configuration that we do not read.
 * So a path is tried from the page's folder and from the folders above it, up to the root, and never outside of it.
 *
 * Cost: linear in the pages; a page has a limited number of includes, each with a limited number of candidates.
 */
import { readFile, realpath, stat } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { isInside, leadsIntoGit } from '../base/paths.js';
import { hashFiles, isDocumentation } from './walk.js';

/** As deep, as many of a page, and in as many folders above it, as the packer includes. */
const LIMITS = { files: 5000, depth: 10, perPage: 1000, folders: 64, pageBytes: 4 << 20 };

const FORMS = [
  /--8<--[ \t]+["']([^"'\n]{1,500})["']/g,
  /\{\*[ \t]*([^\s*{}]{1,500})/g,
  /\{!>?[ \t]*([^!\s]{1,500})[ \t]*!\}/g,
  /^[ \t]*<<<[ \t]+([^\s{}[\]]{1,500})/gm,
  /<!--[ \t]*@include:[ \t]*([^\s{}<>]{1,500}?)(?=-->|[\s{}<>])/g,
  /\{\{[ \t]*#(?:rustdoc_include|include|playground)[ \t]+([^\s{}]{1,500})/g,
  /^import[ \t][^'"\n]{1,200}['"]([^'"\n]{1,500}(?:\.mdx?|\?raw))['"]/gm,
  /^import[ \t][^'"\n]{1,200}['"]!![\w-]*raw-loader!([^'"\n]{1,500})['"]/gm,
  /^[ \t]*\.\.[ \t]+(?:literal)?include::[ \t]*(\S{1,500})/gm,
  /^include::([^[\s]{1,500})\[/gm,
];
/** Antora's families of files, which lie in folders of these names: `api:partial$x.adoc` is `api/partials/x.adoc`. */
const ANTORA = /^(?:([\w-]+):)?(partial|example)\$/;
/** A block of snippets, a path on each line. */
const BLOCK = /^[ \t]*--8<--[ \t]*$/;

/** The paths that a page's includes name, as they are written but without lines, regions and anchors. Pure. */
export function includesOf(text: string): string[] {
  const found = new Set<string>();
  const add = (path: string): void => {
    if (found.size >= LIMITS.perPage || /^[a-z]+:\/\//i.test(path)) return;
    const plain = path
      .trim()
      .replace(ANTORA, (_, module?: string, family?: string) => `${module ? `${module}/` : ''}${family}s/`);
    const bare = plain.replace(/\?raw$|[#{].*$/s, '');
    for (const form of [bare, bare.replace(/(?<=[^:]):[^/]*$/, '')]) if (form !== '') found.add(form);
  };
  for (const form of FORMS) for (const [, path] of text.matchAll(form)) add(path as string);
  if (text.includes('--8<--')) {
    let inside = false;
    for (const line of text.split('\n')) {
      if (BLOCK.test(line.replace(/\r$/, ''))) inside = !inside;
      else if (inside && line.trim() !== '' && !line.trim().startsWith(';')) add(line);
    }
  }
  return [...found];
}

/** The candidates below the root that `target`, in the page at `page`, may mean, nearest first. Pure. Of a deep page, not all. */
export function candidatesOf(page: string, target: string): string[] {
  const path = target.replace(/^(@site|@|~|\$root)?\//, '');
  if (path.startsWith('/') || path.includes('\\') || path.includes('\0')) return [];
  const found = new Set<string>();
  for (let folder = posix.dirname(page), tried = 1; ; tried++) {
    const candidate = posix.normalize(posix.join(folder, path));
    if (candidate !== '..' && !candidate.startsWith('../') && !candidate.split('/').includes('.git'))
      found.add(candidate);
    if (folder === '.') return [...found];
    folder = tried < LIMITS.folders ? posix.dirname(folder) : '.';
  }
}

/**
 * The files that `pages` include, directly or by pages that they include; without the pages themselves. All paths are
 * relative to `root`. `fetch` makes those that exist readable, and returns them.
 */
export async function findIncluded(
  root: string,
  pages: Iterable<string>,
  fetch: (candidates: readonly string[]) => Promise<readonly string[]>,
): Promise<string[]> {
  const known = new Set(pages);
  const included: string[] = [];
  let level = [...known].filter((path) => isDocumentation(path));
  for (let depth = 0; depth < LIMITS.depth && level.length > 0; depth++) {
    const candidates = new Set<string>();
    for (const page of level) {
      const text = await readFile(join(root, page), 'utf8').catch(() => '');
      for (const target of includesOf(text.slice(0, LIMITS.pageBytes)))
        for (const candidate of candidatesOf(page, target)) if (!known.has(candidate)) candidates.add(candidate);
    }
    level = (await fetch([...candidates])).filter((path) => !known.has(path)).slice(0, LIMITS.files - included.length);
    for (const path of level) known.add(path);
    included.push(...level);
    level = level.filter((path) => isDocumentation(path));
  }
  return included.sort();
}

/** The same of a folder of this machine. */
export const findIncludedHere = (root: string, pages: Iterable<string>): Promise<string[]> =>
  findIncluded(root, pages, (candidates) => existing(root, candidates));

/** What is packed, as `Fetched` has it; `tables`: files that decide about pages without being any, where they are there. */
interface Packed {
  root: string;
  inputs: readonly string[];
  noIgnore: boolean;
  included?: readonly string[] | undefined;
  tables?: readonly string[];
}

/** Hashes of the pages, of what they include, and of tables, by path below the root. */
export async function hashPages(
  { root, inputs, noIgnore, included, tables = [] }: Packed,
  signal: AbortSignal,
): Promise<Map<string, string>> {
  const pages = await hashFiles(root, inputs, noIgnore, signal);
  const others = [...(included ?? (await findIncludedHere(root, pages.keys()))), ...tables];
  const paths = others.map((path) => join(root, path));
  return new Map([...pages, ...(await hashFiles(root, paths, noIgnore, signal))]);
}

/** Those of `candidates` that are files below `root`, all links resolved, and in no .git folder. */
async function existing(root: string, candidates: readonly string[]): Promise<string[]> {
  const home = await realpath(root);
  const found: string[] = [];
  for (const candidate of candidates) {
    const path = join(root, candidate);
    // Most candidates are none: to ask is cheaper than to resolve.
    if (!(await stat(path).catch(() => undefined))?.isFile()) continue;
    const real = await realpath(path).catch(() => undefined);
    if (real !== undefined && isInside(real, home) && !leadsIntoGit(real, home)) found.push(candidate);
  }
  return found;
}
