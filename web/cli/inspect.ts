/** `sheaf inspect`: what a bundle holds. The native packer shows the most; without it, the core gives an outline. */
import { EXIT, usageError } from '../host/exit.js';
import { BUNDLE_FLAGS, BUNDLE_FLAGS_HELP, locate, openChosen, parseFlags, type BundleChoice } from './flags.js';
import { findPacker, PACKER_HELP } from '../host/packer/find.js';
import { inspectNatively } from '../host/packer/terminal.js';
import { harmless, print, printJson, status, table } from '../host/terminal.js';

export const help = `Usage: sheaf inspect [FILE | -l LIBRARY [-v VERSION]]

Shows counts, sizes and settings of a bundle, and with sheaf-pack its sections.

${BUNDLE_FLAGS_HELP}

${PACKER_HELP}`;

export async function run(args: string[]): Promise<number> {
  const { values, positionals } = parseFlags('inspect', { args, allowPositionals: true, options: BUNDLE_FLAGS });
  const choice = chooseFile(values, positionals);
  const where = await locate(choice);
  const packer = isUrl(where) ? undefined : await findPacker();
  if (packer !== undefined) return inspectNatively(packer, 'inspect', where, values.json ?? false);

  if (!isUrl(where)) status('sheaf-pack is not here; showing the outline.');
  await using library = await openChosen({ bundle: where }, 'none');
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
export function chooseFile(values: BundleChoice, positionals: readonly string[]): BundleChoice {
  if (positionals.length > 1) throw usageError('One bundle at a time, please.');
  return positionals[0] === undefined ? values : { ...values, bundle: positionals[0] };
}

export function isUrl(where: string): boolean {
  return /^https?:\/\//i.test(where);
}
