/** `sheaf verify`: checks every checksum and bound of a bundle, by the packer or the search core. */
import { EXIT } from '../node/base/exit.js';
import { BUNDLE_FLAGS, BUNDLE_FLAGS_HELP, locate, openChosen, parseFlags } from './flags.js';
import { chooseFile, isUrl } from './inspect.js';
import { openPacker } from '../node/packer/choose.js';
import { PACKER_HELP } from '../node/packer/find.js';
import { inspectOnTerminal } from '../node/packer/terminal.js';
import { oneLine, print, printJson } from '../node/base/terminal.js';

export const help = `Usage: sheaf verify [FILE | -l LIBRARY [-v VERSION]]

Reads a whole bundle and checks it. Exit code 3 says that it is not sound.

${BUNDLE_FLAGS_HELP}
      --wasm            read it with the search core, as browsers do

${PACKER_HELP}`;

export async function run(args: string[]): Promise<number> {
  const { values, positionals } = parseFlags('verify', {
    args,
    allowPositionals: true,
    options: { ...BUNDLE_FLAGS, wasm: { type: 'boolean' } },
  });
  const where = await locate(chooseFile(values, positionals));
  if (!values.wasm && !isUrl(where))
    return inspectOnTerminal(await openPacker(), 'verify', where, values.json ?? false);

  await using library = await openChosen({ bundle: where }, 'none');
  const blocks = await library.verify();
  const { library: name, version, fileSize } = library.info;
  if (values.json) printJson({ library: name, version, blocks, bytes: fileSize, ok: true });
  else print(`${oneLine(name)} ${oneLine(version)} is sound: ${blocks} blocks, ${fileSize} bytes.`);
  return EXIT.OK;
}
