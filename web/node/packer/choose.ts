/** The packer of this machine (find.ts says which) as one thing that all callers use. */
import { convertingPacker } from './converting.js';
import { choosePacker } from './find.js';
import { openModulePacker } from './module.js';
import { nativePacker } from './native.js';
import type { PackerProgram } from './packer.js';
import { encoderTable, tableArguments, withTable } from './table.js';

/** Error: CliError NO_PACKER when SHEAF_PACK names what cannot be run, or the module is not installed. */
export async function openPacker(env: NodeJS.ProcessEnv = process.env): Promise<PackerProgram> {
  const [choice, table] = await Promise.all([choosePacker(env), encoderTable(env)]);
  const program = choice.kind === 'native' ? nativePacker(choice.path) : await openModulePacker();
  return convertingPacker({
    unread: (args, signal) => program.unread(args, signal),
    pack: (job, run) => program.pack(withTable(job, table), run),
    rounds: (job, run) => program.rounds(withTable(job, table), run),
    onTerminal: ([verb = '', ...args]) =>
      program.onTerminal([verb, ...(verb === 'pack' ? tableArguments(args, table) : []), ...args]),
  });
}
