/** `sheaf update`: fetches a library's source again, and packs it if something changed. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { withAbsolutePath } from '../node/sources/local.js';
import { detectSource } from '../node/sources/resolve.js';
import type { SourceSpec } from '../node/sources/source.js';
import { tell } from './add.js';
import { sound } from '../node/ingest/wanted.js';
import { CliError, EXIT, exitCodeOf, usageError } from '../node/base/exit.js';
import { parseFlags } from './flags.js';
import { ingest, KeptError, type IngestRequest, type Outcome } from '../node/ingest/ingest.js';
import { withWorkspace } from '../node/store/interrupt.js';
import { readRecord } from '../node/sources/records.js';
import { knownSources } from '../node/sources/sources_file.js';
import { listStore, pick, type StoredBundle } from '../node/store/store.js';
import { harmless, oneLine, printJson, status } from '../node/base/terminal.js';

export const help = `Usage: sheaf update LIBRARY [-v VERSION] [-s SOURCE] [-y]
       sheaf update --all [-y]

Fetches the source of an installed library again, compares its pages with those that were packed,
and packs it anew when something changed.

  -v, --version V       its version; by default latest, or else the newest that is installed
  -s, --source SOURCE   another source than the one it came from
      --all             every library whose source is known
      --allow-private   follow addresses of this machine and of private networks
  -y, --yes             do not ask before packing
      --json            print what was done as JSON`;

const FLAGS = {
  version: { type: 'string', short: 'v' },
  source: { type: 'string', short: 's' },
  all: { type: 'boolean' },
  'allow-private': { type: 'boolean' },
  yes: { type: 'boolean', short: 'y' },
  json: { type: 'boolean' },
} as const;

export async function run(args: string[]): Promise<number> {
  const { values, positionals } = parseFlags('update', { args, allowPositionals: true, options: FLAGS });
  const [library] = positionals;
  if (positionals.length > 1) throw usageError('Name one library, or give --all. See: sheaf update --help');
  const common = { allowPrivate: values['allow-private'] ?? false, yes: values.yes ?? false };
  if (values.all) {
    if (library !== undefined || values.version !== undefined || values.source !== undefined)
      throw usageError('--all takes neither a library nor --source nor --version. See: sheaf update --help');
    return updateAll(common, values.json ?? false);
  }
  if (library === undefined)
    throw new CliError(EXIT.FAILURE, 'Either provide a library name or use --all to update all libraries');
  const bundle = choose(await listStore(), library, values.version);
  const request = await requestFor(bundle, common, values.source);
  if (request === undefined)
    throw new CliError(
      EXIT.FAILURE,
      `No source is known for library '${oneLine(bundle.library)}' (${oneLine(bundle.version)}), which was packed here; name one with --source.`,
    );
  tell(await withWorkspace((folder, signal) => ingest(request, folder, signal)), values.json ?? false);
  return EXIT.OK;
}

/** `latest` if it is installed and the user names no version. */
function choose(bundles: readonly StoredBundle[], library: string, version: string | undefined): StoredBundle {
  const latest =
    version === undefined && bundles.some((bundle) => bundle.library === library && bundle.version === 'latest')
      ? 'latest'
      : version;
  const found = pick(bundles, library, latest);
  if (version === undefined) status(`Updating ${oneLine(found.library)} ${oneLine(found.version)}`);
  return found;
}

type Common = Pick<IngestRequest, 'allowPrivate' | 'yes'>;

/** undefined if the library's source is unknown. */
async function requestFor(bundle: StoredBundle, common: Common, source?: string): Promise<IngestRequest | undefined> {
  const { library, version } = bundle;
  const updated = { library, version };
  const previous = await readRecord(library, version);
  if (source !== undefined)
    return {
      ...common,
      spec: pinned(
        sound(() => detectSource(source).spec),
        version,
      ),
      library,
      trusted: true,
      previous,
      updated,
    };
  if (previous !== undefined)
    return {
      ...common,
      spec: previous.source,
      library,
      trusted: previous.trusted,
      within: previous.within,
      previous,
      updated,
    };
  const known = (await knownSources()).find(({ name, from }) => name === library && from !== 'built in');
  return known === undefined
    ? undefined
    : {
        ...common,
        spec: pinned(
          sound(() => withAbsolutePath(known.spec)),
          version,
        ),
        library,
        trusted: known.trusted,
        within: known.project,
        updated,
      };
}

/** The installed version, if the source has several. */
function pinned(spec: SourceSpec, version: string): SourceSpec {
  return spec.type === 'git_repo' && version !== 'latest' ? { ...spec, ref: version } : spec;
}

async function updateAll(common: Common, json: boolean): Promise<number> {
  const outcomes: Outcome[] = [];
  const failed: { library: string; version: string; reason: string }[] = [];
  const unknown: { library: string; version: string }[] = [];
  await withWorkspace(async (folder, signal) => {
    for (const [index, bundle] of (await listStore()).entries()) {
      const { library, version } = bundle;
      const request = await requestFor(bundle, common);
      if (request === undefined) {
        unknown.push({ library, version });
        continue;
      }
      status(`Updating ${oneLine(library)} ${oneLine(version)}`);
      const own = join(folder, String(index));
      await mkdir(own);
      try {
        outcomes.push(await ingest(request, own, signal));
      } catch (error) {
        if (signal.aborted || exitCodeOf(error) === EXIT.NO_PACKER) throw error;
        failed.push({ library, version, reason: (error as Error).message });
        const what = error instanceof KeptError ? '' : `${oneLine(library)} ${oneLine(version)} failed: `;
        status(`${what}${harmless((error as Error).message)}`);
      }
    }
  });
  if (json) printJson({ libraries: outcomes, failed, unknown });
  else for (const outcome of outcomes) tell(outcome, false);
  const changed = outcomes.filter(({ action }) => action !== 'unchanged').length;
  status(
    `${changed} updated, ${outcomes.length - changed} unchanged, ${failed.length} failed, ${unknown.length} without a known source.`,
  );
  return failed.length > 0 ? EXIT.FAILURE : EXIT.OK;
}
