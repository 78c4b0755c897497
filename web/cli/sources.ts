/** `sheaf sources`: lists the libraries that `sheaf add NAME` knows by name. */
import { describeSource } from '../node/sources/source.js';
import { loadConfig } from '../node/store/config.js';
import { CliError, EXIT, usageError } from '../node/base/exit.js';
import { parseFlags } from './flags.js';
import { knownSources, projectSources, userSources } from '../node/sources/sources_file.js';
import { oneLine, print, printJson, table } from '../node/base/terminal.js';

export const help = `Usage: sheaf sources [NAME] [--sources-file FILE] [--json]

Lists the libraries that sheaf add knows by name, and which file says where each comes from. Looked
up in this order: --sources-file, sources.file_path of sheaf config, .sheaf/sources.json of the
project, the user's sources.json beside the configuration, OpenGround's files, the list that comes
with Sheaf.

      --sources-file FILE   another sources.json, looked up first
      --json                print JSON`;

export async function run(args: string[]): Promise<number> {
  const { values, positionals } = parseFlags('sources', {
    args,
    allowPositionals: true,
    options: { 'sources-file': { type: 'string' }, json: { type: 'boolean' } },
  });
  if (positionals.length > 1) throw usageError('Name one library, or none for all. See: sheaf sources --help');
  const configured = (await loadConfig()).get('sources.file_path');
  const all = await knownSources({
    file: values['sources-file'],
    configured: typeof configured === 'string' ? configured : undefined,
  });
  const [name] = positionals;
  const chosen = (name === undefined ? all : all.filter((source) => source.name === name)).sort((a, b) =>
    a.name < b.name ? -1 : 1,
  );
  if (chosen.length === 0) {
    throw new CliError(
      EXIT.NOT_FOUND,
      `No source is known for '${oneLine(name ?? '')}'. Add one with: sheaf add NAME --source SOURCE, or write it into ${projectSources()} or ${userSources()}.`,
    );
  }
  if (values.json) printJson({ sources: chosen.map(({ name, spec, from }) => ({ name, from, ...spec })) });
  else
    print(
      table([
        ['Library', 'Source', 'From'],
        ...chosen.map(({ name, spec, from }) => [oneLine(name), oneLine(describeSource(spec)), oneLine(from)]),
      ]),
    );
  return EXIT.OK;
}
