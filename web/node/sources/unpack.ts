/**
 * Takes the documentation out of a package's archive: its pages into a folder, its metadata into memory. All registries'
 * packages are read here, whichever archive they come in.
 *
 *     archive -> paths of the package -> metadata: kept as bytes   pages: saved   code: to its converter   all else: skipped
 *
 * Of reStructuredText and the HTML that was built from it, one stays: the HTML, if all its pages are there, since it also
 * holds what the sources only point to.
 */
import { readFileSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { isApiSource, type ApiPage, type SourceTree } from '../convert/grammars.js';
import { makeApiPages } from './api_pages.js';
import { ARCHIVE_LIMITS, readArchive, type Wanted } from './archive.js';
import { isPackageDoc, saveDoc } from './package_docs.js';
import type { SourceContext } from './source.js';
import { isDocumentation } from './walk.js';

export interface Layout {
  /** A path of the archive as one of the package; undefined: it is not of the package. By default the archive's own. */
  inner?(path: string): string | undefined;
  /** Of inner paths. */
  isMetadata?(path: string): boolean;
  /** Of inner paths; by default isPackageDoc. */
  isDoc?(path: string): boolean;
  /** Of inner paths: code that pages of API documentation are made of; by default isApiSource. */
  isSource?(path: string): boolean;
  /** Other packages whose code is part of this one's API, by what its own code says. */
  parts?(code: SourceTree): AsyncIterable<Part>;
}

export interface Part {
  archive: string;
  /** Where a converter looks for its code, below this package's: `vendor/NAME/`, `node_modules/NAME/`. */
  folder: string;
}

/** Packages of one that is split over many. */
export const MOST_PARTS = 12;

export interface Unpacked {
  /** Inner paths of the pages that were saved below `root`. */
  files: string[];
  root: string;
  metadata: Map<string, Buffer>;
  /** Pages that a converter made of the code, which no folder holds yet. */
  api: readonly ApiPage[];
}

/** Most archives have one folder at the top, of any name: `package/`, `kiln-1.0/`. */
export const belowTop = (path: string): string => path.slice(path.indexOf('/') + 1);

const MAX_METADATA = 4 << 20;
/** Of source code; the converter's own bounds are narrower. */
const SOURCES = { files: 20_000, bytes: 256 << 20 };
const unzip = promisify(gunzip);

export async function unpack(
  archive: string,
  layout: Layout,
  context: SourceContext,
  most = SOURCES,
): Promise<Unpacked> {
  const { inner = (path): string => path, isMetadata = (): boolean => false, isDoc = isPackageDoc } = layout;
  const { isSource = isApiSource } = layout;
  const [root, code] = [join(context.folder, 'docs'), join(context.folder, 'code')];
  const sources: string[] = [];
  const metadata = new Map<string, Buffer>();
  const saved = new Set<string>();
  const taken = { files: 0, bytes: 0, left: 0 };
  const wantedSource: Wanted = (own, size) => {
    if (!isSource(own)) return false;
    if (taken.files >= most.files || taken.bytes + size > most.bytes) {
      taken.left += 1;
      return false;
    }
    taken.files += 1;
    taken.bytes += size;
    return 'aside';
  };
  const wanted: Wanted = (path, size) => {
    const own = inner(path);
    if (own === undefined) return false;
    return isMetadata(own) || isDoc(own.replace(/\.gz$/i, '')) || wantedSource(own, size);
  };
  for await (const { path, bytes } of readArchive(archive, wanted)) {
    const own = inner(path) as string;
    if (isMetadata(own) && bytes.length <= MAX_METADATA) metadata.set(own, bytes);
    if (isSource(own) && (await saveDoc(code, own, bytes, context))) sources.push(own);
    if (!isDoc(own.replace(/\.gz$/i, ''))) continue;
    // Manual pages stay as they are: their reader unpacks them.
    const name = /\.gz$/i.test(own) && isDocumentation(own.slice(0, -3)) ? own.slice(0, -3) : own;
    const page = name === own ? bytes : await plain(bytes);
    if (page === undefined) context.warn(`Left out: ${own.slice(0, 200)}: it is damaged, or too large`);
    else if (await saveDoc(root, name, page, context)) saved.add(name);
  }
  const twins = twinsOf([...saved]);
  for (const path of twins) {
    saved.delete(path);
    await rm(join(root, path), { force: true });
  }
  if (twins.length > 0) context.say(`Left out: ${twins.length} files that are there in another form as well`);
  await mkdir(root, { recursive: true });
  const tree = { paths: sources, read: (path: string): Buffer => readFileSync(join(code, path)) };
  if (layout.parts !== undefined && sources.length > 0) {
    for await (const part of layout.parts(tree))
      for await (const { path, bytes } of readArchive(part.archive, (each, size) =>
        wantedSource(belowTop(each), size),
      )) {
        const own = `${part.folder}${belowTop(path)}`;
        if (await saveDoc(code, own, bytes, context)) sources.push(own);
      }
  }
  if (taken.left > 0)
    context.warn(
      `Left out: ${taken.left} source files beyond the first ${most.files}, or ${most.bytes >> 20} MiB of them`,
    );
  return { files: [...saved], root, metadata, api: await makeApiPages(tree, context) };
}

/** undefined if it is no gzip, or holds more than a file of an archive may. */
async function plain(bytes: Buffer): Promise<Buffer | undefined> {
  return unzip(bytes, { maxOutputLength: ARCHIVE_LIMITS.fileBytes }).catch(() => undefined);
}

/** What Sphinx leaves beside the HTML that it makes. */
const BUILT = /(^|\/)(objects\.inv|searchindex\.js|genindex\.html)$/;

/**
 * Paths of pages that are there in another form as well: HTML that was built from reStructuredText or Markdown of the same
 * package, or those sources. Pure.
 */
export function twinsOf(paths: readonly string[]): string[] {
  const built = new Set(paths.flatMap((path) => (BUILT.test(path) ? [path.slice(0, path.lastIndexOf('/') + 1)] : [])));
  const twins = new Set<string>();
  for (const folder of built) {
    const html = paths.filter((path) => path.startsWith(folder) && /\.html?$/i.test(path));
    const names = new Set(html.map((path) => path.slice(folder.length).replace(/\.html?$/i, '')));
    // The sources: the folder in which most of the names are again.
    const sources = new Map<string, string[]>();
    for (const path of paths) {
      if (path.startsWith(folder) || !/\.(rst|md|txt)$/i.test(path)) continue;
      const stem = path.replace(/\.(rst|md|txt)$/i, '');
      for (let cut = 0; cut >= 0; cut = nextCut(stem, cut)) {
        if (!names.has(stem.slice(cut))) continue;
        const home = stem.slice(0, cut);
        sources.set(home, [...(sources.get(home) ?? []), path]);
        break;
      }
    }
    for (const [home, found] of sources) {
      const all = paths.filter((path) => path.startsWith(home) && !path.startsWith(folder) && /\.rst$/i.test(path));
      if (found.length < 2) continue;
      // All of the sources are built, but for fragments that pages include: the HTML holds more.
      const losers = found.length * 2 >= all.length ? found : html;
      for (const path of losers) twins.add(path);
    }
  }
  return [...twins].sort();
}

function nextCut(stem: string, cut: number): number {
  const slash = stem.indexOf('/', cut);
  return slash < 0 ? -1 : slash + 1;
}
