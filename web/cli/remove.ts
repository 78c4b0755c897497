/** `sheaf remove`: removes one version of a library from the store. */
import { confirm } from '../node/base/confirm.js';
import { CliError, EXIT, usageError } from '../node/base/exit.js';
import { parseFlags } from './flags.js';
import { removeBundle } from '../node/sources/records.js';
import { listStore } from '../node/store/store.js';
import { oneLine, print, printJson, status } from '../node/base/terminal.js';

export const help = `Usage: sheaf remove LIBRARY -v VERSION [-y]

Shows what the library holds, asks, and deletes it. Where it comes from stays in sources.json.

  -v, --version V       which version; needed, since a guess could delete the wrong one
  -y, --yes             delete without asking; needed where there is no terminal
      --json            print what was deleted as JSON`;

const SAMPLES = 3;

interface Facts {
  passages: number;
  pages: number;
  titles: string[];
}

export async function run(args: string[]): Promise<number> {
  const { values, positionals } = parseFlags('remove', {
    args,
    allowPositionals: true,
    options: {
      version: { type: 'string', short: 'v' },
      yes: { type: 'boolean', short: 'y' },
      json: { type: 'boolean' },
    },
  });
  const [library] = positionals;
  if (library === undefined || positionals.length > 1)
    throw usageError('Name one library, for example: sheaf remove vue -v 3.5.0. See: sheaf remove --help');
  const { version } = values;
  const bundles = (await listStore()).filter((bundle) => bundle.library === library);
  if (version === undefined) {
    const versions = bundles.map((bundle) => oneLine(bundle.version)).join(', ');
    throw usageError(
      `Name the version with -v.${versions === '' ? '' : ` Installed: ${versions}.`} See: sheaf remove --help`,
    );
  }
  const found = bundles.find((bundle) => bundle.version === version);
  if (found === undefined)
    throw new CliError(EXIT.FAILURE, `Library '${oneLine(library)}' version '${oneLine(version)}' not found.`);

  const facts = await look(found.path);
  const name = `library '${oneLine(library)}' version '${oneLine(version)}'`;
  if (facts === undefined) status(`${name}: ${found.path} cannot be read as a bundle (${found.bytes} bytes).`);
  else
    status(
      [
        `Library: ${oneLine(library)}`,
        `Version: ${oneLine(version)}`,
        `Chunks: ${facts.passages}`,
        `Pages: ${facts.pages}`,
        ...facts.titles.map((title) => `  - ${title}`),
      ].join('\n'),
    );
  if (!(await confirm(`Delete ${name}?`, values.yes ?? false)))
    throw new CliError(EXIT.FAILURE, 'Nothing was deleted.');

  await removeBundle(library, version, found.path);
  const chunks = facts?.passages ?? 0;
  if (values.json) printJson({ library, version, path: found.path, deletedChunks: chunks, pages: facts?.pages ?? 0 });
  else print(`Deleted ${chunks} chunks for ${name}.`);
  return EXIT.OK;
}

/** undefined for a damaged bundle, which may be removed like any other. */
async function look(path: string): Promise<Facts | undefined> {
  const { open } = await import('../node/client/node.js');
  try {
    await using library = await open(path, { encoder: false, lazy: true });
    const { pages, passages } = library.info;
    const titles: string[] = [];
    for (let id = 0; id < Math.min(pages, SAMPLES); id++)
      titles.push(oneLine((await library.page(id)).title) || '(no title)');
    return { pages, passages, titles };
  } catch {
    return undefined;
  }
}
