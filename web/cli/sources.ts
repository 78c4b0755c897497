/** `sheaf list --sources`: lists the libraries that `sheaf add NAME` knows by name. */
import { describeSource } from '../node/sources/source.js';
import { loadConfig } from '../node/store/config.js';
import { CliError, EXIT } from '../node/base/exit.js';
import { knownSources, projectSources, userSources } from '../node/sources/sources_file.js';
import { oneLine, print, printJson, table } from '../node/base/terminal.js';

/** `name`: that one alone. `file`: another sources.json, looked up first. */
export async function listSources(
  name: string | undefined,
  file: string | undefined,
  json: boolean | undefined,
): Promise<number> {
  const configured = (await loadConfig()).get('sources.file_path');
  const all = await knownSources({
    file,
    configured: typeof configured === 'string' ? configured : undefined,
  });
  const chosen = (name === undefined ? all : all.filter((source) => source.name === name)).sort((a, b) =>
    a.name < b.name ? -1 : 1,
  );
  if (chosen.length === 0) {
    throw new CliError(
      EXIT.NOT_FOUND,
      `No source is known for '${oneLine(name ?? '')}'. Add one with: sheaf add NAME --source SOURCE, or write it into ${projectSources()} or ${userSources()}.`,
    );
  }
  if (json) printJson({ sources: chosen.map(({ name, spec, from }) => ({ name, from, ...spec })) });
  else
    print(
      table([
        ['Library', 'Source', 'From'],
        ...chosen.map(({ name, spec, from }) => [oneLine(name), oneLine(describeSource(spec)), oneLine(from)]),
      ]),
    );
  return EXIT.OK;
}
