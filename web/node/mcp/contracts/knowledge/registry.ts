/**
 * The dataset folders: direct subdirectories of one folder, each with a manifest.json. They are read on
 * each call, so that added, corrected or removed folders take effect at once. A bad folder is listed
 * with its error and does not affect the others.
 *
 * Cost: a readdir, and for each dataset three stats and up to 10 kB to read.
 */
import { readdir, realpath } from 'node:fs/promises';
import { oneLine } from '../../../base/terminal.js';
import type { Log } from '../../tool.js';
import { loadDataset, type Dataset } from './manifest.js';

export interface FailedDataset {
  directory: string;
  error: string;
}

export interface Registry {
  ready: ReadonlyMap<string, Dataset>;
  failed: readonly FailedDataset[];
}

const MAX_DATASETS = 10_000;
/** How many to read at a time. */
const BATCH = 32;

/** A missing folder is an empty registry. */
export async function readRegistry(folder: string, log: Log): Promise<Registry> {
  const ready = new Map<string, Dataset>();
  const failed: FailedDataset[] = [];
  const root = await realpath(folder).catch(() => undefined);
  for (const batch of batches(root === undefined ? [] : await directories(root, log), BATCH)) {
    const loaded = await Promise.all(
      batch.map(async (directory) =>
        loadDataset(root as string, directory).catch((error: Error) => ({ directory, error: error.message })),
      ),
    );
    for (const one of loaded) {
      if ('error' in one) failed.push(one);
      else ready.set(one.id, one); // of two with one id, the last by name wins
    }
  }
  return { ready, failed };
}

async function directories(root: string, log: Log): Promise<string[]> {
  const entries = await readdir(root, { withFileTypes: true }).catch((error: Error) => {
    log('error', `knowledge: the datasets folder cannot be read: ${error.message}`);
    return [];
  });
  const names = entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
  if (names.length > MAX_DATASETS)
    log('warn', `knowledge: ${oneLine(root)} holds ${names.length} folders; the first ${MAX_DATASETS} are read`);
  return names.slice(0, MAX_DATASETS);
}

function* batches<T>(all: readonly T[], size: number): Iterable<readonly T[]> {
  for (let start = 0; start < all.length; start += size) yield all.slice(start, start + size);
}
