/** `sheaf stats`: what the store holds, and how often agents called the tools. */
import { confirm } from '../node/base/confirm.js';
import { CliError, EXIT, usageError } from '../node/base/exit.js';
import { parseFlags } from './flags.js';
import { readCalls, resetCalls, statsPath } from '../node/store/stats_file.js';
import { listStore, type StoredBundle } from '../node/store/store.js';
import { formatBytes, oneLine, print, printJson, status, table } from '../node/base/terminal.js';

export const help = `Usage: sheaf stats [show] [--json]
       sheaf stats reset [-y]

Shows libraries, passages and the calls of each tool of the MCP server. The counts never leave this
machine; reset (also: clear) sets them to zero.

  -y, --yes             reset without asking
      --json            print JSON`;

export async function run(args: string[]): Promise<number> {
  const { values, positionals } = parseFlags('stats', {
    args,
    allowPositionals: true,
    options: { yes: { type: 'boolean', short: 'y' }, json: { type: 'boolean' } },
  });
  const [verb = 'show', extra] = positionals;
  if (extra !== undefined || !['show', 'reset', 'clear'].includes(verb))
    throw usageError(
      `There is no 'sheaf stats ${oneLine(positionals.join(' '))}': show, reset. See: sheaf stats --help`,
    );
  if (verb === 'show') return show(values.json ?? false);
  if (!(await confirm('Reset all counts of tool calls?', values.yes ?? false)))
    throw new CliError(EXIT.FAILURE, 'Nothing was changed.');
  if (!(await resetCalls())) throw new CliError(EXIT.FAILURE, `${statsPath()} cannot be written.`);
  if (values.json) printJson({ path: statsPath(), reset: true });
  else print('Statistics reset.');
  return EXIT.OK;
}

async function show(json: boolean): Promise<number> {
  const bundles = await listStore();
  const { passages, pages, unreadable } = await count(bundles);
  const calls = [...(await readCalls())].sort(([a], [b]) => (a < b ? -1 : 1));
  const libraries = new Set(bundles.map(({ library }) => library)).size;
  const bytes = bundles.reduce((sum, bundle) => sum + bundle.bytes, 0);
  if (unreadable.length > 0) status(`Not counted, since they cannot be read: ${unreadable.map(oneLine).join(', ')}`);
  if (json) {
    printJson({
      libraries,
      versions: bundles.length,
      pages,
      passages,
      bytes,
      unreadable,
      tool_calls: Object.fromEntries(calls),
    });
    return EXIT.OK;
  }
  const rows: [string, string][] = [
    ['Libraries', String(libraries)],
    ['Versions', String(bundles.length)],
    ['Pages', String(pages)],
    ['Passages', String(passages)],
    ['Size', formatBytes(bytes)],
  ];
  print(table(rows, new Set([1])));
  print('');
  print(
    calls.length === 0
      ? 'No tool was called yet.'
      : table([['Tool', 'Calls'], ...calls.map(([tool, n]) => [oneLine(tool), String(n)])], new Set([1])),
  );
  return EXIT.OK;
}

async function count(
  bundles: readonly StoredBundle[],
): Promise<{ passages: number; pages: number; unreadable: string[] }> {
  const sums = { passages: 0, pages: 0, unreadable: [] as string[] };
  if (bundles.length === 0) return sums;
  const { open } = await import('../node/client/node.js');
  for (const { path } of bundles) {
    try {
      await using library = await open(path, { encoder: false, lazy: true });
      sums.passages += library.info.passages;
      sums.pages += library.info.pages;
    } catch {
      sums.unreadable.push(path);
    }
  }
  return sums;
}
