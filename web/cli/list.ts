/** `sheaf list`: the libraries of the store. */
import { EXIT } from '../host/exit.js';
import { parseFlags } from './flags.js';
import { listStore, storeFolder } from '../host/store.js';
import { formatBytes, oneLine, print, printJson, status, table } from '../host/terminal.js';

export const help = `Usage: sheaf list [--json]

Lists the libraries in the store with their versions, newest first.

      --json            {"libraries": {NAME: [VERSION, …]},
                         "bundles": [{library, version, path, bytes}]}`;

export async function run(args: string[]): Promise<number> {
  const { values } = parseFlags('list', { args, options: { json: { type: 'boolean' } } });
  const bundles = await listStore();
  if (values.json) {
    const libraries: Record<string, string[]> = Object.create(null) as Record<string, string[]>;
    for (const { library, version } of bundles) (libraries[library] ??= []).push(version);
    printJson({ libraries, bundles });
    return EXIT.OK;
  }
  if (bundles.length === 0) {
    status(
      `No libraries found.\nNo libraries in ${storeFolder()} yet; add one with: sheaf add NAME --source SOURCE, or sheaf pack FOLDER --library NAME --version VERSION`,
    );
    return EXIT.OK;
  }
  const rows = bundles.map(({ library, version, bytes }) => [oneLine(library), oneLine(version), formatBytes(bytes)]);
  print(table([['Library', 'Version', 'Size'], ...rows], new Set([2])));
  return EXIT.OK;
}
