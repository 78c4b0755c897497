/** `sheaf list`: the libraries of the store. */
import type { Details } from '../node/mcp/contracts/openground/details.js';
import { EXIT, usageError } from '../node/base/exit.js';
import { parseFlags } from './flags.js';
import { listStore, storeFolder, type StoredBundle } from '../node/store/store.js';
import { formatBytes, oneLine, print, printJson, status, table } from '../node/base/terminal.js';

export const help = `Usage: sheaf list [--details] [--json]
       sheaf list --sources [NAME]

Lists the libraries in the store with their versions, newest first. With --sources, lists those
that sheaf add knows by name, and the file that says where each comes from (docs/cli.md).

      --details         also their pages, where they are from, and when they were packed
      --sources         what sheaf add knows by name
      --sources-file F  with it: another sources.json, looked up first
      --json            {"libraries": {NAME: [VERSION, …]},
                         "bundles": [{library, version, path, bytes}]}; with --details,
                         of each bundle also pages, source, date, description, and
                         readme_only where all of it is a README; {"sources": […]} of --sources`;

export async function run(args: string[]): Promise<number> {
  const { values, positionals } = parseFlags('list', {
    args,
    allowPositionals: true,
    options: {
      json: { type: 'boolean' },
      details: { type: 'boolean' },
      sources: { type: 'boolean' },
      'sources-file': { type: 'string' },
    },
  });
  const [name, extra] = positionals;
  if ((!values.sources && (name ?? values['sources-file']) !== undefined) || extra !== undefined)
    throw usageError('Give one name at most, with --sources. See: sheaf list --help');
  if (values.sources) {
    const { listSources } = await import('./sources.js');
    return listSources(name, values['sources-file'], values.json);
  }
  const bundles = await listStore();
  const details = values.details ? await detailsOf(bundles) : undefined;
  if (values.json) {
    const libraries: Record<string, string[]> = Object.create(null) as Record<string, string[]>;
    for (const { library, version } of bundles) (libraries[library] ??= []).push(version);
    printJson({ libraries, bundles: bundles.map((bundle, i) => ({ ...bundle, ...details?.[i] })) });
    return EXIT.OK;
  }
  if (bundles.length === 0) {
    status(
      `No libraries found.\nNo libraries in ${storeFolder()} yet; add one with: sheaf add NAME --source SOURCE, or sheaf pack FOLDER --library NAME --version VERSION`,
    );
    return EXIT.OK;
  }
  if (details !== undefined) {
    const rows = bundles.map(({ library, bytes }, i) => {
      const { version, pages, source, date, readme_only, error } = details[i] as Details;
      const what = error ?? `${source ?? ''}${readme_only ? ' (its README alone)' : ''}`.trim();
      return [oneLine(library), oneLine(version), formatBytes(bytes), String(pages ?? ''), date ?? '', oneLine(what)];
    });
    print(table([['Library', 'Version', 'Size', 'Pages', 'Date', 'Source'], ...rows], new Set([2, 3])));
    return EXIT.OK;
  }
  const rows = bundles.map(({ library, version, bytes }) => [oneLine(library), oneLine(version), formatBytes(bytes)]);
  print(table([['Library', 'Version', 'Size'], ...rows], new Set([2])));
  return EXIT.OK;
}

async function detailsOf(bundles: readonly StoredBundle[]): Promise<Details[]> {
  const { createPool } = await import('../node/mcp/pool.js');
  const { DetailsList } = await import('../node/mcp/contracts/openground/details.js');
  const { originOf } = await import('../node/sources/records.js');
  const pool = createPool(() => {}, { encoder: () => 'none' });
  try {
    const list = new DetailsList({ pool, originOf });
    const details: Details[] = [];
    for (const bundle of bundles) details.push(await list.of(bundle));
    return details;
  } finally {
    await pool.close();
  }
}
