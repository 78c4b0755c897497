/** Installs the peers into this folder, once per lock file, so that `npm ci` of the product stays small. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const readJson = (path) => JSON.parse(readFileSync(join(here, path), 'utf8'));

/** Versions that package.json pins, by name. */
export function pinned() {
  return readJson('package.json').dependencies;
}

/** All of them where one of `needed` is missing; without `needed`, where any is. */
export function installPeers(say, needed = Object.keys(pinned())) {
  const isThere = ([name, version]) => {
    const manifest = `node_modules/${name}/package.json`;
    return existsSync(join(here, manifest)) && readJson(manifest).version === version;
  };
  if (
    Object.entries(pinned())
      .filter(([name]) => needed.includes(name))
      .every(isThere)
  )
    return;
  say(`Installing the peers into ${here}/node_modules (about 560 MB, most of it what LanceDB brings along) …`);
  // Not `npm ci`: it wants the lock file to name the binaries of every platform, and this one was made where some were missing.
  const flags = ['--no-save', '--no-audit', '--no-fund', '--ignore-scripts'];
  execFileSync('npm', ['install', ...flags], { cwd: here, stdio: ['ignore', 'ignore', 'inherit'] });
}
