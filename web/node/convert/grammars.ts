/**
 * Tree-sitter's packages on this machine: beside this package, or in the user's folder for packages (client/paths.ts).
 * Never in the working directory: whoever starts Sheaf in a stranger's project runs none of its code.
 */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import {
  GRAMMAR_PACKAGES,
  type GrammarPackage,
  type Grammars,
  type TreeSitter,
} from '../../browser/convert/api/grammars.js';
import { apiPages, isApiSource, type ApiPage } from '../../browser/convert/api/pages.js';
import { modulesFolder } from '../client/paths.js';

export { fillDirectives, hasDirectives, type DocPage } from '../../browser/convert/api/fill.js';
export { withoutKnown } from '../../browser/convert/api/known.js';
export { isApiSource };
export type { ApiPage };

/** What can resolve files of a package, with the folder of the package; undefined: it is not there. */
function find(name: GrammarPackage): { load: NodeJS.Require; folder: string } | undefined {
  for (const from of [import.meta.url, join(modulesFolder(), 'none.js')]) {
    const load = createRequire(from);
    try {
      return { load, folder: dirname(load.resolve(`${name}/package.json`)) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw error;
    }
  }
  return undefined;
}

export const installedGrammars: Grammars = {
  async file(name, path) {
    const found = find(name);
    return found === undefined ? undefined : new Uint8Array(await readFile(join(found.folder, path)));
  },
  async runtime() {
    const name = '@vscode/tree-sitter-wasm';
    return find(name)?.load(name) as TreeSitter | undefined;
  },
  advice(names) {
    const wanted = names.map((name) => `'${name}@${GRAMMAR_PACKAGES[name]}'`).join(' ');
    // Their native parts are not needed, so their scripts need not run.
    return `In a project: npm install --ignore-scripts ${wanted}. For a machine-wide sheaf: npm install --ignore-scripts --prefix '${modulesFolder()}' ${wanted}`;
  },
};

/** The source code of one package. */
export interface SourceTree {
  /** With slashes, below the package. */
  readonly paths: readonly string[];
  read(path: string): Uint8Array;
}

/** Pages of its API (browser/convert/api/pages.ts). What is left out is said to `warn`. */
export async function apiPagesOf(
  tree: SourceTree,
  warn: (text: string) => void,
  signal?: AbortSignal,
): Promise<ApiPage[]> {
  const files = tree.paths.map((path) => ({
    path,
    get bytes() {
      return tree.read(path);
    },
  }));
  const { pages, notes } = await apiPages(files, { grammars: installedGrammars, signal });
  for (const note of notes) warn(note);
  return pages;
}
