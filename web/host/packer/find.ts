/** Finds the native packer, sheaf-pack. */
import { access, constants } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CliError, EXIT } from '../exit.js';

const EXECUTABLE = process.platform === 'win32' ? 'sheaf-pack.exe' : 'sheaf-pack';

export const PACKER_HELP = `The native packer is searched in this order: the variable SHEAF_PACK, the package's dist/bin, a
source tree's build/native, PATH.`;

/** Path of sheaf-pack, or undefined. Error: SHEAF_PACK names something that cannot be run. */
export async function findPacker(env: NodeJS.ProcessEnv = process.env): Promise<string | undefined> {
  const named = env['SHEAF_PACK'];
  if (named) {
    if (await isExecutable(named)) return named;
    throw new CliError(
      EXIT.NO_PACKER,
      `SHEAF_PACK is set to ${named}, which is not an executable file; correct or unset it.`,
    );
  }
  const root = fileURLToPath(new URL('../../..', import.meta.url));
  const places = [join(root, 'dist', 'bin'), join(root, 'build', 'native')];
  places.push(...(env['PATH'] ?? '').split(delimiter).filter(isAbsolute)); // never relative to the current folder
  for (const folder of places) {
    const path = join(folder, EXECUTABLE);
    if (await isExecutable(path)) return path;
  }
  return undefined;
}

/** Error: there is none. */
export async function requirePacker(env?: NodeJS.ProcessEnv): Promise<string> {
  const path = await findPacker(env);
  if (path !== undefined) return path;
  throw new CliError(
    EXIT.NO_PACKER,
    'The native packer sheaf-pack was not found. Build it in a source tree with: npm run build — or name it in the variable SHEAF_PACK.',
  );
}

async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
