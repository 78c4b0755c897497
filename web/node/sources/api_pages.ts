/**
 * Pages of API documentation from a package's source code. A converter makes them (node/convert/grammars.ts): files in,
 * pages of Markdown out. This file puts them beside the package's own.
 *
 *     package -> files of source (isApiSource) -> the converter -> api/NAME.md -> packed with README and docs
 *
 * The grammars are packages that a user installs once. Without them the converter's note says how many files were not read.
 */
import { apiPagesOf, type SourceTree } from '../convert/grammars.js';
import { saveDoc } from './package_docs.js';
import type { SourceContext } from './source.js';

/** Public names with their documentation, one page a module. Files that cannot be read are warnings of it. */
export type ApiConverter = (
  tree: SourceTree,
  warn: (text: string) => void,
) => Promise<readonly { path: string; text: string }[]>;

/** The paths of the pages, which are saved below `root`. */
export async function makeApiPages(
  { paths, read }: SourceTree,
  root: string,
  context: SourceContext,
  convert: ApiConverter = (tree, warn) => apiPagesOf(tree, warn, context.signal),
): Promise<string[]> {
  if (paths.length === 0) return [];
  const tree = { paths: [...paths].sort(), read };
  const made: string[] = [];
  for (const { path, text } of await convert(tree, (text) => context.warn(text)))
    if (await saveDoc(root, path, text, context)) made.push(path);
  return made;
}
