/** `sheaf pack`: runs sheaf-pack; without -o, the bundle goes into the store. */
import { mkdir } from 'node:fs/promises';
import { ownCommand, PACKER_HELP, requirePacker, runPacker } from '../host/native.js';
import { storeFolder } from '../host/store.js';
import { status } from '../host/terminal.js';

export const help = `Usage: sheaf pack INPUT… --library NAME --version VERSION [-o FILE] [OPTIONS]

Packs files, folders and globs of documentation into one bundle. Without -o it goes into the store,
where sheaf query finds it. All other options are those of sheaf-pack; see: sheaf-pack pack --help

${PACKER_HELP}`;

/** sheaf-pack's exit codes after which there is a bundle: all packed, and some files skipped. */
const WRITTEN: ReadonlySet<number> = new Set([0, 3]);

export async function run(args: string[]): Promise<number> {
  const packer = await requirePacker();
  process.env['SHEAF_COMMAND'] ??= ownCommand();
  if (namesOutput(args)) return runPacker(packer, ['pack', ...args]);

  const folder = storeFolder();
  await mkdir(folder, { recursive: true });
  const code = await runPacker(packer, ['pack', '--output', folder, ...args]); // the packer names the file
  if (WRITTEN.has(code)) status('In the store; ask it with: sheaf query "…" -l LIBRARY -v VERSION');
  return code;
}

/** Whether the packer's arguments say where to write. */
export function namesOutput(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  const flags = end < 0 ? args : args.slice(0, end);
  return flags.some((arg) => arg === '--output' || arg.startsWith('--output=') || /^-q?o/.test(arg));
}
