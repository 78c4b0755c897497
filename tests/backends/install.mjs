/** Installs the databases' packages into this folder, once per version, so that `npm ci` of the product stays small. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const readJson = (path) => JSON.parse(readFileSync(join(here, path), 'utf8'));

/** The folder to name in $SHEAF_MODULES. */
export function installBackends(say) {
  const isThere = ([name, version]) => {
    const manifest = `node_modules/${name}/package.json`;
    return existsSync(join(here, manifest)) && readJson(manifest).version === version;
  };
  if (Object.entries(readJson('package.json').dependencies).every(isThere)) return here;
  say(`Installing the databases into ${here}/node_modules (about 600 MB, most of it LanceDB's) …`);
  // Not `npm ci`: it wants the lock file to name the binaries of every platform.
  const flags = ['--no-save', '--no-audit', '--no-fund', '--ignore-scripts', '--legacy-peer-deps'];
  execFileSync('npm', ['install', ...flags], { cwd: here, stdio: ['ignore', 'ignore', 'inherit'] });
  return here;
}
