/**
 * All datasets by id: folders first, then installed bundles. Read again on each call (registry.ts, the
 * pool's list), so that additions, corrections and removals take effect at once.
 */
import type { StoredBundle } from '../../../store/store.js';
import { oneLine } from '../../../base/terminal.js';
import type { Environment } from '../../tool.js';
import { DatasetBundles } from './dataset_bundle.js';
import { BundleListing, datasetId } from './installed.js';
import { DEFAULT_TOP_K, type Dataset } from './manifest.js';
import { readRegistry, type FailedDataset } from './registry.js';

export type Found = { kind: 'folder'; dataset: Dataset } | { kind: 'bundle'; bundle: StoredBundle };

export interface Listed {
  id: string;
  name: string;
  description: string;
  defaultTopK?: number;
  status: 'ready' | 'error';
  error?: string;
}

interface Contents {
  found: Map<string, Found>;
  failed: readonly FailedDataset[];
}

export class Catalog {
  readonly documents: DatasetBundles;
  readonly #environment: Environment;
  readonly #folder: () => string;
  readonly #listing: BundleListing;

  constructor(environment: Environment, folder: () => string) {
    this.#environment = environment;
    this.#folder = folder;
    this.#listing = new BundleListing(environment.pool);
    this.documents = new DatasetBundles(environment.env);
  }

  /** Datasets that can be searched, as far as is known without opening them, by id. */
  async read(): Promise<Contents> {
    const [{ ready, failed }, bundles] = await Promise.all([
      readRegistry(this.#folder(), this.#environment.log),
      this.#environment.pool.list(),
    ]);
    this.documents.retain(ready.values());
    const found = new Map<string, Found>();
    for (const [id, dataset] of ready) found.set(id, { kind: 'folder', dataset });
    for (const bundle of bundles)
      found.set(
        datasetId(bundle.library, bundle.version, (id) => ready.has(id)),
        { kind: 'bundle', bundle },
      );
    return { found: new Map([...found].sort(([a], [b]) => compare(a, b))), failed };
  }

  /** All datasets, including those that failed, by id. */
  async list(): Promise<Listed[]> {
    const { found, failed } = await this.read();
    const listed: Listed[] = [];
    const installed: { id: string; bundle: StoredBundle }[] = [];
    for (const [id, one] of found) {
      if (one.kind === 'bundle') installed.push({ id, bundle: one.bundle });
      else listed.push(ofFolder(one.dataset));
    }
    const facts = await this.#listing.facts(installed.map(({ bundle }) => bundle));
    installed.forEach(({ id }, i) => {
      const { error, name = '', description = '' } = facts[i] ?? {};
      listed.push(
        error === undefined
          ? { id, name, description, defaultTopK: DEFAULT_TOP_K, status: 'ready' }
          : failure(id, error),
      );
    });
    listed.push(...failed.map(({ directory, error }) => failure(oneLine(directory), error)));
    return listed.sort((a, b) => compare(a.id, b.id));
  }

  async close(): Promise<void> {
    await this.documents.close();
  }
}

function ofFolder({ id, name, description, defaultTopK }: Dataset): Listed {
  return { id, name: oneLine(name), description: oneLine(description), defaultTopK, status: 'ready' };
}

function failure(id: string, error: string): Listed {
  return { id, name: id, description: 'Failed to load dataset', status: 'error', error };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
