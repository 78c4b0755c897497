/**
 * What one export names, known before anything is written: so that `--only` spares every version that is named, and no
 * library version is named with two contents, of which the second would replace the first.
 *
 * Cost: each bundle is read once more, for its fingerprint.
 */
import { usageError } from '../base/exit.js';
import { oneLine } from '../base/terminal.js';
import { BundleRows, type ReadOptions } from './bundle_rows.js';
import type { BundleFacts } from './row.js';

export interface Named {
  path: string;
  facts: BundleFacts;
}

/**
 * Which versions of a bundle's library stay, by its facts; undefined: all. Only the last bundle of a library lets others go:
 * until it is there, readers may have what they had.
 */
export type Only = (facts: Pick<BundleFacts, 'library' | 'version'>) => readonly string[] | undefined;

/** Each library version once. Error: CliError, where one is named with two contents. */
export async function named(paths: readonly string[], options: ReadOptions): Promise<Named[]> {
  const all = new Map<string, Named>();
  for (const path of paths) {
    await using bundle = await BundleRows.open(path, options);
    const { facts } = bundle;
    const key = JSON.stringify([facts.library, facts.version]);
    const before = all.get(key);
    if (before === undefined) all.set(key, { path, facts });
    else if (before.facts.fingerprint !== facts.fingerprint)
      throw usageError(
        `${oneLine(facts.library)} ${oneLine(facts.version)} is named twice, with different content: ${oneLine(before.path)} and ${oneLine(path)}. Name one of them.`,
      );
  }
  return [...all.values()];
}

/** Pure. */
export function onlyOf(all: readonly Pick<Named, 'facts'>[]): Only {
  const versions = new Map<string, string[]>();
  for (const { facts } of all) versions.set(facts.library, [...(versions.get(facts.library) ?? []), facts.version]);
  return ({ library, version }) => {
    const own = versions.get(library);
    return own?.at(-1) === version ? own : undefined;
  };
}
