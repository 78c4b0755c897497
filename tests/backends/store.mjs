/** Bundles as rows for tests and measurements, and databases to load them into. */
import { BundleRows } from '../../dist/node/databases/bundle_rows.js';

/** Bundles as rows, each closed before the next is opened. */
export async function* opened(paths, read) {
  for (const path of paths) {
    const rows = await BundleRows.open(path, read);
    try {
      yield rows;
    } finally {
      await rows.close();
    }
  }
}

/** All of a bundle: what it says of itself, its rows, and its terms. */
export async function allRows(path, read) {
  for await (const bundle of opened([path], read)) {
    const rows = [];
    for await (const batch of bundle.batches()) rows.push(...batch);
    return { facts: bundle.facts, rows, groups: await bundle.groups() };
  }
}

/** A database for `backendSuite`: how it loads rows, and its `backend` and `close`. */
export function testStore(loadRows, others) {
  return {
    loadRows,
    async load(path, { only = false, read } = {}) {
      for await (const rows of opened([path], read))
        return await loadRows(rows, { only: only === true ? [rows.facts.version] : only || undefined });
    },
    ...others,
  };
}
