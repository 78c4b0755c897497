/**
 * Pages of API documentation from a package's source code. A converter makes them: files in, pages of Markdown out. This file
 * says which files of a package are handed to it, and puts its pages beside the package's own.
 *
 *     package -> files of code (isCode) -> the converter -> api/NAME.md -> packed with README and docs
 *
 * Without a converter a package has no such pages, and its code is not even unpacked.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { saveDoc } from './package_docs.js';
import type { SourceContext } from './source.js';

/** Source code of one package. */
export interface SourceTree {
  /** With slashes, below the package; manifests (Cargo.toml, go.mod, package.json) are among them. */
  readonly paths: readonly string[];
  /** A file's bytes. */
  read(path: string): Uint8Array;
}

/** Public names with their documentation, one page a module. Files that cannot be read are warnings of it. */
export type ApiConverter = (
  tree: SourceTree,
  warn: (text: string) => void,
) => Promise<readonly { path: string; text: string }[]>;

/** The converter that is installed; undefined: none is. */
let converter: ApiConverter | undefined;

export function useApiConverter(made: ApiConverter | undefined): void {
  converter = made;
}

export const readsCode = (): boolean => converter !== undefined;

const CODE = /\.(py|pyi|rs|go|java|kt|kts|rb|d\.[mc]?ts|h|hh|hpp|hxx)$/i;
const MANIFEST = /(^|\/)(Cargo\.toml|go\.mod|package\.json)$/;
/** Folders and files that no user of a package calls. */
const INNER =
  /(^|\/)(tests?|__tests__|spec|testdata|fixtures|benches|benchmarks?|examples?|internal|vendor|third_party|node_modules|\.[^/]*)\/|_test\.go$|(^|\/)test_[^/]*\.py$/i;

/** Whether the code of a file may have public documentation. */
export const isCode = (path: string): boolean => (CODE.test(path) || MANIFEST.test(path)) && !INNER.test(path);

/** The paths of the pages, which are saved below `root`. `folder` has the files at `paths`. */
export async function makeApiPages(
  folder: string,
  paths: readonly string[],
  root: string,
  context: SourceContext,
): Promise<string[]> {
  if (converter === undefined || !paths.some((path) => CODE.test(path))) return [];
  const tree = { paths: [...paths].sort(), read: (path: string): Uint8Array => readFileSync(join(folder, path)) };
  const made: string[] = [];
  for (const { path, text } of await converter(tree, (text) => context.warn(text)))
    if (await saveDoc(root, path, text, context)) made.push(path);
  return made;
}
