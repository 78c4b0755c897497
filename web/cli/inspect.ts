/** `sheaf inspect`: shows or verifies a bundle. The packer shows the most; of a bundle on the web, the core gives an outline. */
import { EXIT, usageError } from '../node/base/exit.js';
import { BUNDLE_FLAGS, BUNDLE_FLAGS_HELP, locate, openChosen, parseFlags, type BundleChoice } from './flags.js';
import { openPacker } from '../node/packer/choose.js';
import { PACKER_HELP } from '../node/packer/find.js';
import { inspectOnTerminal } from '../node/packer/terminal.js';
import { harmless, oneLine, print, printJson, table } from '../node/base/terminal.js';

export const help = `Usage: sheaf inspect [FILE | -l LIBRARY [-v VERSION]] [--verify]

Shows counts, sizes, settings and sections of a bundle; of one on the web, an outline.

${BUNDLE_FLAGS_HELP}
      --verify          read all of it and check every byte instead; exit code 3: it is not sound

${PACKER_HELP}`;

export async function run(args: string[]): Promise<number> {
  const { values, positionals } = parseFlags('inspect', {
    args,
    allowPositionals: true,
    options: { ...BUNDLE_FLAGS, verify: { type: 'boolean' } },
  });
  const { verify, ...flags } = values;
  const where = await locate(chooseFile(flags, positionals));
  if (!/^https?:\/\//i.test(where))
    return inspectOnTerminal(await openPacker(), verify ? 'verify' : 'inspect', where, values.json ?? false);

  await using library = await openChosen({ bundle: where }, 'none');
  if (verify) {
    const blocks = await library.verify();
    const { library: name, version, fileSize } = library.info;
    if (values.json) printJson({ library: name, version, blocks, bytes: fileSize, ok: true });
    else print(`${oneLine(name)} ${oneLine(version)} is sound: ${blocks} blocks, ${fileSize} bytes.`);
    return EXIT.OK;
  }
  const { manifest, semantic: _, lazy: __, ...facts } = library.info;
  if (values.json) printJson({ ...facts, manifest });
  else
    print(
      harmless(
        `${table(Object.entries(facts).map(([name, value]) => [name, String(value)]))}\nmanifest  ${JSON.stringify(manifest, null, 2)}`,
      ),
    );
  return EXIT.OK;
}

/** Also accepts the bundle as an argument. */
function chooseFile(values: BundleChoice, positionals: readonly string[]): BundleChoice {
  if (positionals.length > 1) throw usageError('Name one bundle.');
  return positionals[0] === undefined ? values : { ...values, bundle: positionals[0] };
}
