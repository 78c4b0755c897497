/** `sheaf pack`: runs sheaf-pack; without -o, the bundle goes into the store. */
import { mkdir } from 'node:fs/promises';
import { WRITTEN } from '../node/packer/answer.js';
import { openPacker } from '../node/packer/choose.js';
import { PACKER_HELP } from '../node/packer/find.js';
import { storeFolder } from '../node/store/store.js';
import { status } from '../node/base/terminal.js';

export const help = `Usage: sheaf pack INPUT… --library NAME --version VERSION [-o FILE] [OPTIONS]

Packs files, folders and globs of documentation into one bundle. Without -o it goes into the store,
where sheaf query finds it. All other options are those of sheaf-pack; sheaf pack . --help lists
them.

${PACKER_HELP}`;

export async function run(args: string[]): Promise<number> {
  const packer = await openPacker();
  if (namesOutput(args)) return packer.onTerminal(['pack', ...args]);

  const folder = storeFolder();
  await mkdir(folder, { recursive: true });
  const code = await packer.onTerminal(['pack', '--output', folder, ...args]); // the packer names the file
  if (WRITTEN.has(code)) status('In the store; ask it with: sheaf query "…" -l LIBRARY -v VERSION');
  return code;
}

/** Whether the packer's arguments say where to write. */
export function namesOutput(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  const flags = end < 0 ? args : args.slice(0, end);
  return flags.some((arg) => arg === '--output' || arg.startsWith('--output=') || /^-q?o/.test(arg));
}
