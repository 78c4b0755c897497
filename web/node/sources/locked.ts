/** Which versions the project at hand uses, by its lock files: what `latest` means there. */
import { stat } from 'node:fs/promises';
import { isEcosystem, libraryOf } from './ecosystems.js';

const LOOK_MS = 5_000;

/** Looks at the files again at most every LOOK_MS, and reads them where they changed. The function never throws. */
export function lockedVersions(folder: string): (library: string) => Promise<string | undefined> {
  let known = new Map<string, string>();
  let stamp = '';
  let lookedAt = -Infinity;
  const refresh = async (): Promise<void> => {
    if (performance.now() - lookedAt < LOOK_MS) return;
    lookedAt = performance.now();
    const { findLockfiles, readLockfile } = await import('./lockfile.js');
    const files = await findLockfiles(folder);
    const stamps = await Promise.all(files.map(async (file) => `${file} ${(await stat(file)).mtimeMs}`));
    if (stamps.join('\n') === stamp) return;
    stamp = stamps.join('\n');
    known = new Map();
    for (const file of files)
      for (const { ecosystem, name, version } of await readLockfile(file, true)) {
        const library = (isEcosystem(ecosystem) ? libraryOf(ecosystem, name) : name).toLowerCase();
        if (version !== undefined && !known.has(library)) known.set(library, version);
      }
  };
  return async (library) => {
    await refresh().catch(() => {}); // a lock file that cannot be read says nothing
    return known.get(library.toLowerCase());
  };
}
