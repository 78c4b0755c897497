/** `sheaf add`: fetches documentation from any source into the store. */
import { findInstalled } from '../node/sources/installed.js';
import { withAbsolutePath } from '../node/sources/local.js';
import { isPackage, parsePackage } from '../node/sources/ecosystems.js';
import { isSource, detectSource, nameFor, type Detected } from '../node/sources/resolve.js';
import {
  describeSource,
  withoutCredentials,
  withoutSecrets,
  type PackageSpec,
  type SourceSpec,
} from '../node/sources/source.js';
import { addFromLockfile } from './add_lockfile.js';
import { loadConfig } from '../node/store/config.js';
import { CliError, EXIT, usageError } from '../node/base/exit.js';
import { parseFlags } from './flags.js';
import { ingest, isSameOrigin, offersOf, remarkOn, type Outcome } from '../node/ingest/ingest.js';
import { publishedBy, requireKnown, sound, splitName, withVersion } from '../node/ingest/wanted.js';
import { withWorkspace } from '../node/store/interrupt.js';
import { PACKER_HELP } from '../node/packer/find.js';
import { boundaryOf } from '../node/sources/project_list.js';
import { knownSources, projectFolder, saveSource } from '../node/sources/sources_file.js';
import { encodeFileName } from '../node/store/store.js';
import { counted, formatBytes, oneLine, print, printJson, status } from '../node/base/terminal.js';
import { chooseNumber } from '../node/base/confirm.js';

export const help = `Usage: sheaf add NAME[@RANGE] | SOURCE [-v VERSION] | "WHAT IT DOES" …
       sheaf add NAME -s SOURCE …
       sheaf add --from-lockfile [FILE]

Fetches documentation and packs it into the store, where sheaf query and agents find it, or
updates it. NAME is looked up in your catalogues, then among known sources (sheaf list --sources).

SOURCE
  https://github.com/OWNER/REPO   a git repository; also …/tree/REF/PATH, git@HOST:REPO, file:
  https://HOST/                   the bundle that sheaf site published there; else its sitemap
  https://HOST/…/llms.txt         a site's text for language models; also a sitemap.xml
  ./FOLDER  x.sheaf  x.zip        files of this machine, a ready bundle, an archive; also at https:
  npm:NAME[@V]  pypi:  crate:     a package: its repository at that version, else what it holds
  go:MODULE[@V]  maven:G:A[:V]    a module of Go; the javadoc jar of an artifact
  deb:NAME[@V]  man:[NAME]        a Debian package, by apt; manual pages of this machine

  -s, --source SOURCE         where the documentation is
  -v, --version V             tag or branch (git), release (packages), any name (folder)
      --from-lockfile [FILE]  the versions that a project uses, by its lock files (docs/cli.md)
  -y, --yes                   do not ask before packing; without a terminal nothing is asked anyway`;

export const more = `  -d, --docs-path PATH        folder or file of a git repository; may be repeated
  -f, --filter-keyword WORD   pages of a sitemap whose URL holds WORD; may be repeated
      --trim-query-params     drop ?… from a sitemap's URLs
      --transitive            with --from-lockfile: also what only packages need
      --readme-only           of a package: what it holds itself, its README and docs
      --offline               of a package: what node_modules or the virtual environment holds
      --build                 build it here, also where a catalogue has it ready
      --sources-file FILE     another sources.json, looked up first
      --encoder E             document encoder: static (default), none, or a transformer
      --language TAG          of the pages: de, pt-BR, …, or none; by default what most are in
      --only-language CODE    of languages side by side: this one, as the library NAME-CODE; or all
      --version-folder NAME   of versions side by side: this one, as that version; or all
      --allow-private         follow addresses of this machine and of private networks. One that you
                              type is followed; one that a page, a redirect or a sources file names
                              needs this
      --json                  print what was done as JSON

${PACKER_HELP}`;

export const ADD_FLAGS = {
  source: { type: 'string', short: 's' },
  version: { type: 'string', short: 'v' },
  'docs-path': { type: 'string', short: 'd', multiple: true },
  'filter-keyword': { type: 'string', short: 'f', multiple: true },
  yes: { type: 'boolean', short: 'y' },
  build: { type: 'boolean' },
  'sources-file': { type: 'string' },
  'trim-query-params': { type: 'boolean' },
  'allow-private': { type: 'boolean' },
  'from-lockfile': { type: 'boolean' },
  transitive: { type: 'boolean' },
  'readme-only': { type: 'boolean' },
  offline: { type: 'boolean' },
  encoder: { type: 'string' },
  language: { type: 'string' },
  'only-language': { type: 'string' },
  'version-folder': { type: 'string' },
  json: { type: 'boolean' },
} as const;

type Flags = {
  [Name in keyof typeof ADD_FLAGS]?: (typeof ADD_FLAGS)[Name] extends { multiple: true }
    ? string[]
    : (typeof ADD_FLAGS)[Name]['type'] extends 'string'
      ? string
      : boolean;
};

export async function run(args: string[]): Promise<number> {
  const parsed = parseFlags('add', { args, allowPositionals: true, options: ADD_FLAGS });
  const values = { ...parsed.values } as { -readonly [Name in keyof Flags]: Flags[Name] };
  const [first, ...more] = parsed.positionals;
  if (more.length > 0)
    throw usageError(`Name one library; '${oneLine(more[0] as string)}' is one too many. See: sheaf add --help`);
  if (values['from-lockfile']) {
    if (values.source !== undefined || values.version !== undefined)
      throw usageError(
        '--from-lockfile takes neither --source nor --version: the lock file says both. See: sheaf add --help',
      );
    return addFromLockfile(first, {
      transitive: values.transitive ?? false,
      offline: values.offline ?? false,
      readmeOnly: values['readme-only'] ?? false,
      allowPrivate: values['allow-private'] ?? false,
      yes: values.yes ?? false,
      encoder: values.encoder,
      json: values.json ?? false,
    });
  }
  if (values.transitive) throw usageError('--transitive belongs to --from-lockfile. See: sheaf add --help');
  if (first === undefined)
    throw usageError(
      'Name a library or a source, for example: sheaf add vue, or sheaf add npm:vue. See: sheaf add --help',
    );

  const isName = values.source === undefined && !isSource(first);
  if (isName && /\S\s+\S/.test(first)) return addByWords(first, values);
  const { name, range } = isName ? splitName(first) : { name: first, range: '' };
  if (range !== '') {
    if (values.version !== undefined) throw usageError('Give the version once: after the @, or with --version.');
    values.version = range;
  }
  const { outcome: ready, refused } = isName ? await addReady(name, values) : { outcome: undefined, refused: [] };
  if (ready !== undefined) {
    tell(ready, values.json ?? false);
    return EXIT.OK;
  }
  const { library, spec, trusted, within, manual } = await chooseSource(name, values).catch((error: unknown) => {
    // Name the catalogues that could not be asked, beside the unknown name.
    if (!(error instanceof CliError) || refused.length === 0) throw error;
    throw new CliError(error.exitCode, `${error.message} ${refused.join(' ')}`);
  });
  const wanted = await ofPackage(withVersion(spec, values.version), values);
  const outcome = await withWorkspace((folder, signal) =>
    ingest(
      {
        spec: wanted,
        library,
        trusted,
        within,
        allowPrivate: values['allow-private'] ?? false,
        yes: values.yes ?? false,
        encoder: values.encoder,
        language: values.language,
        onlyLanguage: values['only-language'],
        versionFolder: values['version-folder'],
      },
      folder,
      signal,
    ),
  );
  // A known source is the whole of it.
  const isPart = values['only-language'] !== undefined || values['version-folder'] !== undefined;
  if (manual && !isPart) await writeDown(outcome.library, spec, values.source !== undefined);
  tell(outcome, values.json ?? false);
  return EXIT.OK;
}

/** Flags that say how to build it, so that no ready bundle will do. */
const BUILD_FLAGS = [
  'build',
  'language',
  'only-language',
  'version-folder',
  'docs-path',
  'filter-keyword',
  'trim-query-params',
  'readme-only',
  'offline',
  'sources-file',
] as const;

/** A ready bundle of one of the user's catalogues. */
async function addReady(name: string, values: Flags): Promise<{ outcome: Outcome | undefined; refused: string[] }> {
  encodeFileName(name, 'latest');
  const encoder = values.encoder ?? String((await loadConfig()).get('embeddings.encoder'));
  if (encoder !== 'static' || BUILD_FLAGS.some((flag) => values[flag] !== undefined))
    return { outcome: undefined, refused: [] };
  return withWorkspace(async (folder, signal) => {
    const { findReady } = await import('../node/sources/catalogue_find.js');
    const { ready, refused } = await findReady(name, values.version ?? '', signal);
    if (ready === undefined) return { outcome: undefined, refused };
    status(
      `${oneLine(name)} ${oneLine(ready.version)} is ready in ${oneLine(ready.from)}: ${formatBytes(ready.bytes)}`,
    );
    const request = { spec: ready.spec, library: name, trusted: true, allowPrivate: false, yes: values.yes ?? false };
    return { outcome: await ingest(request, folder, signal), refused };
  });
}

/** Which libraries do that; on a terminal, one of them is added. */
async function addByWords(query: string, values: Flags): Promise<number> {
  const { findOrComplain, shown } = await import('./catalogue.js');
  const found = await findOrComplain(query, 5);
  if (found.length === 0) throw new CliError(EXIT.NOT_FOUND, 'Your catalogues have no library that does that.');
  if (values.json) {
    printJson({ libraries: found });
    return EXIT.OK;
  }
  print(shown(found));
  const chosen = await chooseNumber('Which one to add? Its number, or Enter for none: ', found.length);
  const library = chosen === undefined ? undefined : found[chosen - 1]?.library;
  if (library !== undefined) return run([library]);
  status('No library was added. Add one by its name: sheaf add NAME');
  return EXIT.OK;
}

export function tell(outcome: Outcome, json: boolean): void {
  if (json) printJson(outcome);
  else if (outcome.action !== 'unchanged') {
    if (outcome.pages !== undefined) status(`${remarkOn(outcome)}, ${counted(outcome.passages ?? 0, 'passage')}`);
    for (const offer of offersOf(outcome)) status(offer);
    print(`Embedding complete: Library ${oneLine(outcome.library)} (${oneLine(outcome.version)}) added.`);
  }
}

interface Choice {
  library: string | undefined;
  spec: SourceSpec;
  trusted: boolean;
  /** See IngestRequest. */
  within?: string | undefined;
  /** The user named the source, rather than a file of sources. */
  manual: boolean;
}

async function chooseSource(first: string, values: Flags): Promise<Choice> {
  const source = values.source ?? (isSource(first) ? first : undefined);
  if (source !== undefined) {
    const { spec, warning } = await published(detect(source, values), values);
    if (warning !== undefined) status(oneLine(withoutCredentials(warning)));
    const library = values.source === undefined ? nameFor(spec) : first;
    if (library !== undefined) encodeFileName(library, 'latest'); // refuse a bad name before fetching anything
    return { library, spec, trusted: true, manual: true };
  }
  const known = await requireKnown(first, values['sources-file']);
  status(`Using ${oneLine(describeSource(known.spec))} (${known.from})`);
  const spec = override(
    sound(() => withAbsolutePath(known.spec)),
    values,
  );
  return {
    library: first,
    spec,
    trusted: known.trusted,
    within: await boundaryOf(known, values.yes ?? false),
    manual: false,
  };
}

/** See publishedBy; flags that say how to read the pages have them read. */
async function published(detected: Detected, values: Flags): Promise<Detected> {
  const flags = ['filter-keyword', 'build', 'trim-query-params', 'language'] as const;
  if (flags.some((flag) => values[flag])) return detected;
  const allowPrivate = values['allow-private'] ?? false;
  return withWorkspace((_, signal) => publishedBy(detected, { allowPrivate, trusted: true, signal, say: status }));
}

function detect(source: string, values: Flags): Detected {
  const detected = sound(() =>
    detectSource(source, {
      docsPaths: values['docs-path'] ?? [],
      keywords: values['filter-keyword'] ?? [],
      trimQueryParams: values['trim-query-params'] ?? false,
    }),
  );
  refuseOtherFlags(detected.spec, values);
  return detected;
}

function refuseOtherFlags(spec: SourceSpec, values: Flags): void {
  const refuse = (flag: string, owner: string): never => {
    throw usageError(
      `${flag} is for ${owner}, but the source is ${oneLine(describeSource(spec))}. See: sheaf add --help`,
    );
  };
  if (values['docs-path'] && spec.type !== 'git_repo') refuse('--docs-path', 'git repositories');
  if (values['filter-keyword'] && spec.type !== 'sitemap') refuse('--filter-keyword', 'sitemaps');
  if (values['trim-query-params'] && spec.type !== 'sitemap') refuse('--trim-query-params', 'sitemaps');
  if (values['readme-only'] && !isPackage(spec)) refuse('--readme-only', 'packages');
  if (values.offline && !canBeInstalled(spec)) refuse('--offline', 'packages of npm and PyPI');
}

/** Flags override the sources file. */
function override(spec: SourceSpec, values: Flags): SourceSpec {
  refuseOtherFlags(spec, values);
  if (spec.type === 'git_repo' && values['docs-path']) return { ...spec, docs_paths: values['docs-path'] };
  if (spec.type !== 'sitemap') return spec;
  return {
    ...spec,
    ...(values['filter-keyword'] ? { filter_keywords: values['filter-keyword'] } : {}),
    ...(values['trim-query-params'] ? { trim_query_params: true } : {}),
  };
}

type Installable = PackageSpec & { type: 'npm' | 'pypi' };

/** Whether node_modules or a virtual environment may hold it. */
const canBeInstalled = (spec: SourceSpec): spec is Installable => spec.type === 'npm' || spec.type === 'pypi';

/** --readme-only and --offline. Error: the package is not installed here. */
async function ofPackage(spec: SourceSpec, values: Flags): Promise<SourceSpec> {
  if (!isPackage(spec)) return spec;
  if (!values.offline || !canBeInstalled(spec)) return values['readme-only'] ? { ...spec, readme_only: true } : spec;
  const wanted = parsePackage(spec.type, spec.package);
  const locked = { ...wanted, ecosystem: spec.type };
  let why = '';
  for (const base of new Set([process.cwd(), projectFolder() ?? process.cwd()])) {
    const found = await findInstalled(locked, base, process.env);
    if (!('missing' in found)) return { type: 'installed', ...found, readme_only: true };
    why ||= found.missing;
  }
  throw new CliError(EXIT.NOT_FOUND, `${oneLine(describeSource(spec))} is not available offline: ${oneLine(why)}.`);
}

/**
 * Adds the source to sources.json; an unwritable folder is no reason to fail. `named`: the user gave the library its
 * name; otherwise a name that is known for another source keeps it.
 */
async function writeDown(library: string, spec: SourceSpec, named: boolean): Promise<void> {
  if ((await loadConfig()).get('sources.auto_add_local') !== true) return;
  try {
    const known = named ? undefined : (await knownSources()).find(({ name }) => name === library);
    if (known !== undefined && !isSameOrigin(known.spec, withAbsolutePath(spec)))
      return status(
        `Source not saved: ${oneLine(library)} is ${oneLine(describeSource(known.spec))} (${known.from}). To change that: sheaf add ${oneLine(library)} --source ${oneLine(describeSource(spec))}`,
      );
    for (const file of await saveSource(library, withoutSecrets(spec))) status(`Source saved to ${file}`);
  } catch (error) {
    status(`Source not saved to sources.json: ${oneLine((error as Error).message)}`);
  }
}
