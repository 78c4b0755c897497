/** The libraries that a database holds, for verbs that search. */
import type { Library } from '../../browser/client/types.js';
import { backendAddress, openBackend } from './address.js';
import { CliError, EXIT } from '../base/exit.js';
import { oneLine } from '../base/terminal.js';
import type { StoredBundle } from '../store/store.js';
import { compareText, compareVersions } from '../store/versions.js';

export interface OpenDatabase extends AsyncDisposable {
  list(): Promise<readonly StoredBundle[]>;
  open(bundle: StoredBundle): Promise<Library>;
}

/** `address` and `encoder` as in --backend and --encoder. */
export async function openDatabase(address: string, encoder: string): Promise<OpenDatabase> {
  const parsed = backendAddress(address);
  const [{ DatabaseLibrary }, { queryVectors }] = await Promise.all([
    import('./database_library.js'),
    import('./query_vectors.js'),
  ]);
  const backend = await openBackend(parsed);
  const vectors = queryVectors(encoder);
  const end = (): Promise<unknown> => Promise.allSettled([vectors.close(), backend.close()]);
  const held = await backend.list().catch(async (error: unknown) => {
    await end();
    throw error;
  });
  if (held.length === 0) {
    await end();
    throw new CliError(EXIT.NOT_FOUND, `${oneLine(backend.name)} holds no libraries yet; fill it with: sheaf export`);
  }
  const key = (library: string, version: string): string => `${backend.name}#${library}@${version}`;
  const byPath = new Map(held.map((each) => [key(each.library, each.version), each]));
  return {
    list: async () =>
      held
        .map(({ library, version }) => ({ library, version, path: key(library, version), bytes: 0 }))
        .sort((a, b) => compareText(a.library, b.library) || compareVersions(b.version, a.version)),
    open: async ({ path }) => {
      const found = byPath.get(path);
      if (found === undefined) throw new Error(`${path} was not listed`);
      return new DatabaseLibrary(backend, found, vectors);
    },
    [Symbol.asyncDispose]: async () => {
      await end();
    },
  };
}
