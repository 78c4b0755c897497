/**
 * Which packer runs on this machine, and why.
 *
 * The order: SHEAF_PACK; a native sheaf-pack of exactly this version (the optional package for this system, the
 * package's dist/bin, a source tree's build/native, PATH); else the packer as a module, which every system runs.
 *
 * Idea: options and reports change from version to version, so a native packer of another version is passed over.
 * SHEAF_PACK is the user's own word and is not checked.
 *
 * Cost: one process (`sheaf-pack --version`) for each native packer found, once per process of ours.
 */
import { execFile } from 'node:child_process';
import { constants, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ownVersion } from '../client/paths.js';
import { CliError, EXIT } from '../base/exit.js';
import { canAccess } from '../base/files.js';
import { oneLine } from '../base/terminal.js';

const EXECUTABLE = process.platform === 'win32' ? 'sheaf-pack.exe' : 'sheaf-pack';
/** The value of SHEAF_PACK that asks for the module. */
const MODULE = 'module';
const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

export const PACKER_HELP = `The packer: the one that SHEAF_PACK names (module: the WebAssembly module), else a native
sheaf-pack of this version, else the module. See: sheaf doctor`;

/** A native packer that was found and does not fit. */
export interface PassedOver {
  path: string;
  /** A clause: "it is of version 0.0.9". */
  why: string;
}

export type Choice = (
  | { kind: 'native'; path: string /** Undefined: SHEAF_PACK names it. */; version?: string | undefined }
  | { kind: 'module' }
) & {
  /** Where it comes from, or why there is no other: a clause. */
  because: string;
  passedOver: readonly PassedOver[];
};

/** `root` is this package's folder. Error: SHEAF_PACK names something that cannot be run (NO_PACKER). */
export async function choosePacker(env: NodeJS.ProcessEnv = process.env, root: string = ROOT): Promise<Choice> {
  const named = env['SHEAF_PACK'];
  if (named === MODULE) return { kind: 'module', because: 'SHEAF_PACK asks for it', passedOver: [] };
  if (named) {
    if (await isExecutable(named))
      return { kind: 'native', path: named, because: 'SHEAF_PACK names it', passedOver: [] };
    throw new CliError(
      EXIT.NO_PACKER,
      `SHEAF_PACK is set to ${oneLine(named)}, which is not an executable file; correct or unset it.`,
    );
  }
  const own = await ownVersion();
  const passedOver: PassedOver[] = [];
  for (const { path, because } of await candidates(env, root)) {
    if (!(await isExecutable(path))) continue;
    const version = await versionOf(path);
    if (version === own) return { kind: 'native', path, version, because, passedOver };
    passedOver.push({ path, why: version === undefined ? 'it does not run here' : `it is of version ${version}` });
  }
  const because = `no native sheaf-pack ${own} is installed for ${process.platform} ${process.arch}`;
  return { kind: 'module', because, passedOver };
}

interface Candidate {
  path: string;
  because: string;
}

async function candidates(env: NodeJS.ProcessEnv, root: string): Promise<Candidate[]> {
  const found: Candidate[] = [];
  for (const name of await optionalPackages(root)) {
    const folder = folderOfPackage(name, root);
    if (folder !== undefined)
      found.push({ path: join(folder, 'bin', EXECUTABLE), because: `from the package ${name}` });
  }
  found.push({ path: join(root, 'dist', 'bin', EXECUTABLE), because: 'it came with this package' });
  found.push({ path: join(root, 'build', 'native', EXECUTABLE), because: 'built in this source tree' });
  // Never relative to the current folder.
  for (const folder of (env['PATH'] ?? '').split(delimiter).filter(isAbsolute))
    found.push({ path: join(folder, EXECUTABLE), because: 'it is on PATH' });
  return found;
}

/** Names of this package's optional dependencies that hold a packer for this system; at most one is expected. */
async function optionalPackages(root: string): Promise<string[]> {
  const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
    optionalDependencies?: Record<string, string>;
  };
  const wanted = `pack-${process.platform}-${process.arch}`;
  return Object.keys(manifest.optionalDependencies ?? {}).filter((name) => name.endsWith(wanted));
}

function folderOfPackage(name: string, root: string): string | undefined {
  try {
    return dirname(createRequire(join(root, 'package.json')).resolve(`${name}/package.json`));
  } catch {
    return undefined; // not installed: npm skips packages for other systems, and users may refuse optional ones
  }
}

const versions = new Map<string, Promise<string | undefined>>();

/** Of the sheaf-pack at `path`. Undefined: it does not run, or it is something else. */
function versionOf(path: string): Promise<string | undefined> {
  let version = versions.get(path);
  if (version === undefined) {
    version = promisify(execFile)(path, ['--version'], { timeout: 10_000 }).then(
      ({ stdout }) => /^sheaf-pack (\S+)\s*$/.exec(stdout)?.[1],
      () => undefined,
    );
    versions.set(path, version);
  }
  return version;
}

const isExecutable = (path: string): Promise<boolean> => canAccess(path, constants.X_OK);
