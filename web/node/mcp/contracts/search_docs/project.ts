/** Which folder is the project, and where its index lies. */
import { createHash } from 'node:crypto';
import { existsSync, realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { cacheFolder } from '../../packing.js';

const MARKERS = ['.git', 'package.json', 'pyproject.toml', 'Cargo.toml', 'go.mod'];

/** The nearest folder, from `cwd` upwards, that holds a marker; `cwd` when none does. Links are resolved. */
export function projectRoot(cwd: string): string {
  const start = resolved(cwd);
  for (let folder = start; ; folder = dirname(folder)) {
    if (MARKERS.some((name) => existsSync(join(folder, name)))) return folder;
    if (folder === dirname(folder)) return start;
  }
}

/** `$XDG_CACHE_HOME/sheaf/projects/KEY`; the key is of the path, so no path can lead out of the folder. */
export function indexFolder(root: string, env: NodeJS.ProcessEnv): string {
  return join(cacheFolder(env), 'projects', createHash('sha256').update(root).digest('hex').slice(0, 32));
}

function resolved(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path); // gone or unreadable: the scan will say so
  }
}
