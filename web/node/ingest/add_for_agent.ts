/**
 * What `sheaf add` does, for an agent (`sheaf mcp --allow-add`). Whoever names the source is a model that reads texts of
 * strangers, so less is taken than from a user who types:
 *  - sources are catalogues of the user's, registries, and https addresses without a login; nothing of this machine or of a
 *    private network, whatever a list of sources says;
 *  - what is fetched, with all that is unpacked of it, has MOST_BYTES, and the whole LIMIT_MS;
 *  - a bundle from elsewhere is never replaced, and sources.json stays as it is.
 *
 * `planAddition` asks nobody but the user's own catalogues, so that the user decides before a stranger is asked.
 */
import { parseGitAddress } from '../sources/git_url.js';
import { Guard } from '../sources/guard.js';
import { isPackage, parsePackage } from '../sources/ecosystems.js';
import { isPackageFile } from '../sources/local.js';
import { detectSource, nameFor, type Detected } from '../sources/resolve.js';
import { describeSource, SourceError, withoutCredentials, type SourceSpec } from '../sources/source.js';
import { CliError, EXIT, usageError } from '../base/exit.js';
import { formatBytes, oneLine, shellWord } from '../base/terminal.js';
import { loadConfig } from '../store/config.js';
import { withWorkspace } from '../store/interrupt.js';
import { encodeFileName } from '../store/store.js';
import { ingest, type Listener, type Outcome } from './ingest.js';
import { publishedBy, requireKnown, sound, splitName, withVersion } from './wanted.js';

export interface Addition {
  /** A library's name, also with a range: vue, vue@^3. */
  library?: string | undefined;
  /** As `sheaf add` takes it. By default what is known under the name. */
  source?: string | undefined;
  version?: string | undefined;
}

export interface AdditionPlan {
  /** For the user, who is asked. */
  question: string;
  /** The command that does the same. */
  command: string;
  /** Fetches and packs. Errors: their messages are complete; the signal's reason. */
  run(listener: Listener, signal: AbortSignal): Promise<Outcome>;
}

export const MOST_BYTES = 256_000_000;
const LIMIT_MS = 30 * 60_000;
/** Longer addresses would not be read by whoever is asked. */
const LONGEST_SOURCE = 300;

/** Error: CliError, where the request is not understood or not allowed. */
export async function planAddition(request: Addition, signal: AbortSignal): Promise<AdditionPlan> {
  const { name, range } =
    request.library === undefined || request.source !== undefined
      ? { name: request.library, range: '' }
      : splitName(request.library);
  if (name !== undefined) encodeFileName(name, 'latest');
  if (range !== '' && request.version !== undefined) throw usageError('Give the version once: after the @, or alone.');
  const version = request.version ?? (range || undefined);
  const { detected, isReady, bytes } = await chosen(name, request.source, version, signal);
  const spec = isReady ? detected.spec : sound(() => withVersion(detected.spec, version));
  const command = commandFor({ ...request, library: name, version });
  refuseUnfit(spec, command);
  const library = isReady || request.source === undefined ? name : (name ?? nameFor(spec));
  const from = `${describeSource(spec)}${bytes === undefined ? '' : ` (${formatBytes(bytes)})`}`;
  const what = library === undefined || isReady ? from : `${library} from ${from}`;
  return {
    question: `Add the documentation of ${oneLine(what)}? It is downloaded, at most ${formatBytes(MOST_BYTES)}, and becomes one of the libraries of this machine.`,
    command,
    run: (listener, until) => add({ detected: { ...detected, spec }, library }, listener, until),
  };
}

interface Chosen {
  detected: Detected;
  /** A bundle of one of the user's catalogues. */
  isReady: boolean;
  bytes?: number;
}

async function chosen(
  name: string | undefined,
  source: string | undefined,
  version: string | undefined,
  signal: AbortSignal,
): Promise<Chosen> {
  if (source !== undefined) {
    if (source.length > LONGEST_SOURCE) throw usageError(`A source has at most ${LONGEST_SOURCE} characters.`);
    return { detected: sound(() => detectSource(source, {}, () => false)), isReady: false };
  }
  if (name === undefined) throw usageError('Name a library or a source, such as npm:vue or https://docs.example.org/');
  let refused: string[] = [];
  if (String((await loadConfig()).get('embeddings.encoder')) === 'static') {
    const { findReady } = await import('../sources/catalogue_find.js');
    const found = await findReady(name, version ?? '', signal);
    if (found.ready !== undefined)
      return { detected: { spec: found.ready.spec }, isReady: true, bytes: found.ready.bytes };
    refused = found.refused;
  }
  const known = await requireKnown(name).catch((error: unknown) => {
    if (!(error instanceof CliError)) throw error;
    const sources = `No source is known under the name '${oneLine(name)}'. Name one: npm:${oneLine(name)}, pypi:${oneLine(name)}, crate:, go: or maven:, a repository or a site`;
    throw new CliError(EXIT.NOT_FOUND, [`${sources}.`, ...refused].join(' '));
  });
  return { detected: { spec: known.spec }, isReady: false };
}

function commandFor({ library, source, version }: Addition): string {
  const words = ['sheaf', 'add', ...(library === undefined ? [] : [library])];
  const shown = source === undefined ? undefined : withoutCredentials(source);
  if (shown !== undefined) words.push(...(library === undefined ? [shown] : ['--source', shown]));
  return [...words, ...(version === undefined ? [] : ['-v', version])]
    .map((word) => shellWord(oneLine(word)))
    .join(' ');
}

/** Error: an agent may not add from there. */
function refuseUnfit(spec: SourceSpec, command: string): void {
  const refuse = (why: string): never => {
    throw new CliError(
      EXIT.FAILURE,
      `${oneLine(describeSource(spec))} cannot be added from here: ${why}. The user can add it: ${command}`,
    );
  };
  if (isPackage(spec)) {
    if (isPackageFile(spec.type, spec.package)) refuse('it is a file of this machine');
    sound(() => parsePackage(spec.type, spec.package));
    return;
  }
  if (spec.type === 'catalogue') return;
  const address = addressOf(spec);
  if (address === undefined) return refuse('only packages of registries and https addresses can be');
  if (address.protocol !== 'https:') refuse('only https addresses and packages of registries can be');
  if (address.username !== '' || address.password !== '') refuse('its address holds a login');
  try {
    new Guard(false).check(address);
  } catch {
    refuse('it is an address of this machine or of a private network');
  }
}

/** Where a source lies, if that is an address. */
function addressOf(spec: SourceSpec): URL | undefined {
  const text = addressText(spec);
  return URL.canParse(text) ? new URL(text) : undefined;
}

function addressText(spec: SourceSpec): string {
  switch (spec.type) {
    case 'git_repo':
      return sound(() => gitAddress(spec.repo_url));
    case 'sitemap':
      return spec.sitemap_url;
    case 'llms':
      return spec.llms_url;
    case 'archive':
      return spec.archive;
    case 'bundle':
      return spec.bundle;
    default:
      return '';
  }
}

/** `git+https:` and bare names of hosts are https; a login stays visible. */
function gitAddress(text: string): string {
  const { url, credentials } = parseGitAddress(text);
  if (url === undefined) return '';
  const address = new URL(url);
  if (credentials !== undefined) address.username = credentials.username || 'login';
  return address.href;
}

async function add(
  { detected, library }: { detected: Detected; library: string | undefined },
  listener: Listener,
  signal: AbortSignal,
): Promise<Outcome> {
  const untrusted = { trusted: false, allowPrivate: false };
  const late = AbortSignal.timeout(LIMIT_MS);
  try {
    return await withWorkspace(async (folder, interrupted) => {
      const until = AbortSignal.any([signal, interrupted, late]);
      const { spec } = await publishedBy(detected, { ...untrusted, signal: until, say: listener.say });
      // A site's own bundle keeps its own name.
      const named = spec.type === 'bundle' ? undefined : library;
      return ingest({ ...untrusted, spec, library: named, yes: true, most: MOST_BYTES, listener }, folder, until);
    });
  } catch (error) {
    if (late.aborted && !signal.aborted)
      throw new CliError(EXIT.FAILURE, `It took longer than ${LIMIT_MS / 60_000} minutes, and was stopped.`);
    if (error instanceof SourceError) throw new CliError(EXIT.FAILURE, oneLine(error.message));
    throw error;
  }
}
