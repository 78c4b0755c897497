/**
 * From a source to a bundle in the store: fetch, compare, ask, pack, record. `add` and `update` both do
 * this and differ only in how they name the source.
 *
 * The store does not change until the packer renames its finished bundle into place; a failure or an
 * interrupt before that leaves the older bundle unchanged.
 */
import { copyFile, lstat, readFile, rename, mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import {
  describeSource,
  fetchSource,
  messageOf,
  SourceError,
  withoutCredentials,
  withoutSecrets,
  type Fetched,
  type PackageContent,
  type SourceContext,
  type SourceSpec,
} from '../sources/index.js';
import { parseGitAddress } from '../sources/git_url.js';
import { looksLikeApp } from '../sources/sitemap_page.js';
import { hashPages } from '../sources/includes.js';
import { isPackage, parsePackage } from '../sources/ecosystems.js';
import { whyWorse } from '../sources/worse.js';
import { flush } from '../base/files.js';
import { loadConfig, type Config } from '../store/config.js';
import { confirm, pressEnter } from '../base/confirm.js';
import { CliError, EXIT, usageError } from '../base/exit.js';
import { leftOutLine } from '../packer/answer.js';
import { openPacker } from '../packer/choose.js';
import {
  PackFailure,
  type FileRemark,
  type Packer,
  type PackJob,
  type PackReport,
  type SideBySide,
} from '../packer/packer.js';
import { discard, makeWorkFolder, temporaryName } from '../base/leftovers.js';
import { isInside } from '../base/paths.js';
import { stayWithin } from '../sources/project_list.js';
import {
  bundlePath,
  matchesBundle,
  readRecord,
  removeBundle,
  writeRecord,
  type SourceRecord,
} from '../sources/records.js';
import { compareVersions, encodeFileName, storeFolder } from '../store/store.js';
import { withinSize } from './size_limit.js';
import { counted, harmless, oneLine, status } from '../base/terminal.js';
import { withoutEndSlashes } from '../base/slashes.js';

export interface IngestRequest {
  spec: SourceSpec;
  /** By default the source's own name. */
  library?: string | undefined;
  trusted: boolean;
  /** The folder that a local path must stay in. */
  within?: string | undefined;
  allowPrivate: boolean;
  yes: boolean;
  encoder?: string | undefined;
  language?: string | undefined;
  /** Of several languages or versions side by side, the one to pack. It is a library of its own, or that version of it. */
  onlyLanguage?: string | undefined;
  versionFolder?: string | undefined;
  /** The bundle to update; by default the one installed under the same name and version. */
  previous?: SourceRecord | undefined;
  /** The installed bundle that the user asked to update; of another, it must be seen whether it may be replaced. */
  updated?: { library: string; version: string } | undefined;
  /** What is fetched, with all that is unpacked of it, may take so many bytes on the disk. */
  most?: number | undefined;
  /** Who learns how far it is; by default those who read stderr. */
  listener?: Listener | undefined;
}

export interface Listener {
  say(text: string): void;
  progress(label: string, done: number, total: number): void;
}

const TERMINAL: Listener = { say: status, progress: showProgress };
/** Whether somebody sees the packer's own lines. */
const onTerminal = ({ listener }: IngestRequest): boolean => listener === undefined && process.stderr.isTTY;

export interface Changes {
  added: number;
  modified: number;
  deleted: number;
  unchanged: number;
}

export interface Outcome {
  library: string;
  version: string;
  action: 'added' | 'updated' | 'unchanged';
  source: SourceSpec;
  path: string;
  changes?: Changes;
  pages?: number;
  passages?: number;
  bundleBytes?: number;
  /** Languages or versions of which one was packed, or all as one. */
  sideBySide?: SideBySide[];
  /** Of a package: where its pages come from, and where its documentation lies. */
  content?: PackageContent;
  documentation?: string;
  warnings: string[];
}

/** What was fetched is worse than the bundle that is there, which stays. */
export class KeptError extends CliError {
  constructor(message: string) {
    super(EXIT.FAILURE, message);
  }
}

/** `folder` is empty and private to this work. */
export async function ingest(request: IngestRequest, folder: string, signal: AbortSignal): Promise<Outcome> {
  const config = await loadConfig();
  const warnings: string[] = [];
  const { say } = request.listener ?? TERMINAL;
  const warn = (text: string): void => {
    warnings.push(oneLine(text));
    say(harmless(oneLine(text)));
  };
  try {
    if (request.within !== undefined) await stayWithin(request.spec, request.within);
    const packer = isReady(request.spec) ? undefined : await openPacker(); // fail before an hour of fetching
    const settings = await settingsOf(request, config);
    const fetched = await withinSize(folder, request.most, signal, (until) =>
      fetchSource(request.spec, contextFor(request, settings.previous, folder, until, config, warn)),
    );
    return await take(fetched, { request, settings, packer, signal, say, warn, warnings, folder });
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (!(error instanceof SourceError)) throw error;
    const code = { usage: EXIT.USAGE, missing: EXIT.NOT_FOUND, failed: EXIT.FAILURE }[error.kind];
    throw new CliError(code, harmless(oneLine(error.message)));
  }
}

/** Nothing is packed here. */
const isReady = ({ type }: SourceSpec): boolean => type === 'bundle' || type === 'catalogue';

interface Settings {
  encoder: string;
  language: string | undefined;
  onlyLanguage: string | undefined;
  versionFolder: string | undefined;
  passageSize: number;
  previous: SourceRecord | undefined;
}

async function settingsOf(
  { encoder, language, onlyLanguage, versionFolder, previous }: IngestRequest,
  config: Config,
): Promise<Settings> {
  return {
    encoder: encoder ?? previous?.encoder ?? String(config.get('embeddings.encoder')),
    language: language ?? previous?.language,
    onlyLanguage: onlyLanguage ?? previous?.onlyLanguage,
    versionFolder: versionFolder ?? previous?.versionFolder,
    passageSize: Number(config.get('embeddings.chunk_size')),
    previous: previous !== undefined && (await matchesBundle(previous)) ? previous : undefined,
  };
}

function contextFor(
  request: IngestRequest,
  previous: SourceRecord | undefined,
  folder: string,
  signal: AbortSignal,
  config: Config,
  warn: (text: string) => void,
): SourceContext {
  const { say, progress } = request.listener ?? TERMINAL;
  return {
    folder,
    signal,
    say: (text) => say(harmless(oneLine(text))),
    warn,
    progress,
    allowPrivate: request.allowPrivate,
    trusted: request.trusted,
    concurrency: Number(config.get('extraction.concurrency_limit')),
    timeoutMs: Number(config.get('extraction.timeout_seconds')) * 1000,
    env: process.env,
    known: previous !== undefined && isSameWork(previous, request, config) ? previous.revision : undefined,
    compareVersions,
  };
}

/** Whether the same pages would give the same bundle. */
function isSameWork(
  record: SourceRecord,
  { spec, encoder, language, onlyLanguage, versionFolder }: IngestRequest,
  config: Config,
): boolean {
  return (
    JSON.stringify(record.source) === JSON.stringify(withoutSecrets(spec)) &&
    (encoder ?? record.encoder) === record.encoder &&
    (language ?? record.language) === record.language &&
    (onlyLanguage ?? record.onlyLanguage) === record.onlyLanguage &&
    (versionFolder ?? record.versionFolder) === record.versionFolder &&
    record.passageSize === Number(config.get('embeddings.chunk_size'))
  );
}

function showProgress(label: string, done: number, total: number): void {
  if (!process.stderr.isTTY) {
    if (done === total) status(`${label}: ${done} of ${total}`);
    return;
  }
  process.stderr.write(`\r\u001b[K${label}: ${done} of ${total}${done === total ? '\n' : ''}`);
}

interface Work {
  request: IngestRequest;
  settings: Settings;
  /** Undefined if the source is a ready bundle. */
  packer: Packer | undefined;
  folder: string;
  signal: AbortSignal;
  say(text: string): void;
  warn(text: string): void;
  warnings: string[];
}

async function take(fetched: Fetched, work: Work): Promise<Outcome> {
  const { request, settings, warnings, signal, say } = work;
  const { library, version } = namesOf(fetched, request, settings);
  encodeFileName(library, version); // checks both
  const path = bundlePath(library, version);
  const source = withoutSecrets(request.spec);
  const { content, documentation } = fetched;
  const origins = {
    ...(content === undefined ? {} : { content }),
    ...(documentation === undefined ? {} : { documentation }),
  };
  const outcome = { library, version, source, path, ...origins, warnings };

  const installed = request.previous ?? (await readRecord(library, version));
  const previous = installed !== undefined && (await matchesBundle(installed)) ? installed : undefined;
  if (fetched.unchanged && previous !== undefined)
    return nothingToDo(say, outcome, {
      added: 0,
      modified: 0,
      deleted: 0,
      unchanged: Object.keys(previous.files).length,
    });
  const files = await fingerprint(fetched, work.folder, signal);
  if (files.size === 0)
    throw new CliError(
      EXIT.NOT_FOUND,
      `No documentation found in ${oneLine(isInside(fetched.root, work.folder) ? 'the source' : fetched.root)}; taken are .md .mdx .rst .txt .html .htm .ipynb, README, AsciiDoc, OpenAPI, PDF and manual pages.`,
    );
  const changes = previous === undefined ? undefined : compare(new Map(Object.entries(previous.files)), files);
  if (changes !== undefined && previous !== undefined) {
    const same =
      changes.added + changes.modified + changes.deleted === 0 &&
      previous.encoder === settings.encoder &&
      previous.language === settings.language &&
      previous.onlyLanguage === settings.onlyLanguage &&
      previous.versionFolder === settings.versionFolder &&
      previous.passageSize === settings.passageSize;
    if (same && (previous.version === version || isByDay(request.spec))) {
      if (JSON.stringify(previous.source) !== JSON.stringify(source))
        await writeRecord({ ...previous, source, ...origin(request), ...origins });
      return nothingToDo(
        say,
        { ...outcome, version: previous.version, path: bundlePath(library, previous.version) },
        changes,
      );
    }
  }
  await keepBetter(previous, { ...fetched, library, source, pages: files.size });
  // An update may arrive at a version that is there from elsewhere.
  const { updated = request.previous } = request;
  const isOwn = updated?.library === library && updated.version === version;
  if (!isOwn && (await isThere(path))) {
    const there = { library, version, source: (await readRecord(library, version))?.source };
    await mayReplace(there, source, request.yes, signal);
  }
  if (changes !== undefined) say(summaryOf(changes));
  if (!(await pressEnter('Press Enter to continue with embedding, or Ctrl+C to exit...', request.yes, signal)))
    throw new CliError(EXIT.FAILURE, 'Nothing was changed.');
  const isNew = !(await isThere(path));
  const report =
    fetched.bundle === undefined
      ? await pack({ ...fetched, version }, library, path, work)
      : await install(fetched.bundle, path);
  const record = {
    library,
    version,
    source,
    ...origin(request),
    encoder: settings.encoder,
    language: settings.language,
    onlyLanguage: settings.onlyLanguage,
    versionFolder: settings.versionFolder,
    passageSize: settings.passageSize,
    ...(fetched.revision === undefined ? {} : { revision: fetched.revision }),
    ...origins,
    files: Object.fromEntries(files),
  };
  await writeRecord(record).catch(async (error: unknown) => {
    // Without its record, the next `add` could not tell it from a bundle of somebody else.
    if (isNew) await discard(path);
    throw error;
  });
  await retire(previous, library, version, request, say);
  return {
    ...outcome,
    action: previous === undefined ? 'added' : 'updated',
    ...(changes === undefined ? {} : { changes }),
    ...report,
  };
}

/** Error: what was fetched would make the bundle before, or the one of its own version, worse. */
async function keepBetter(
  previous: SourceRecord | undefined,
  offered: Pick<Fetched, 'version' | 'content' | 'incomplete'> & { library: string; source: SourceSpec; pages: number },
): Promise<void> {
  const { library, version } = offered;
  const own = previous?.version === version ? undefined : await readRecord(library, version);
  for (const held of [previous, own]) {
    if (held?.library !== library || !(await matchesBundle(held))) continue;
    const why = whyWorse({ ...held, pages: Object.keys(held.files).length }, offered);
    if (why === undefined) continue;
    const name = oneLine(library);
    const anyway =
      held.version === version
        ? `sheaf remove ${name} -v ${oneLine(version)}, then add it again`
        : `sheaf add ${name} --source ${oneLine(describeSource(pinnedTo(offered.source, version)))}`;
    throw new KeptError(
      `${name} ${oneLine(held.version)} stays as it is: ${oneLine(why)}. Try again later; to take it anyway: ${anyway}`,
    );
  }
}

function pinnedTo(source: SourceSpec, version: string): SourceSpec {
  if (!isPackage(source)) return source;
  return { ...source, package: `${parsePackage(source.type, source.package).name}@${version}` };
}

/** How far we trust the source, for its record. */
function origin({ trusted, within }: IngestRequest): Pick<SourceRecord, 'trusted' | 'within'> {
  return { trusted, within };
}

/** A version's folder names the version; a language that was asked for is a library of its own. */
function namesOf(
  fetched: Fetched,
  request: IngestRequest,
  { onlyLanguage, versionFolder }: Settings,
): { library: string; version: string } {
  const name = nameOf(fetched, request);
  const one = (value: string | undefined): string | undefined => (value === 'all' ? undefined : value);
  const language = request.previous === undefined ? one(onlyLanguage) : undefined; // else it has its name
  const folder = one(versionFolder);
  const version = folder && withoutEndSlashes(folder).split('/').pop();
  return { library: language === undefined ? name : `${name}-${language}`, version: version ?? fetched.version };
}

function nameOf(fetched: Fetched, { library, spec }: IngestRequest): string {
  if (library !== undefined && spec.type === 'bundle' && fetched.library !== library) {
    throw usageError(
      `The bundle is of library '${oneLine(fetched.library ?? '')}', not '${oneLine(library)}'; a ready bundle keeps its own name. Leave the name out.`,
    );
  }
  const name = library ?? fetched.library;
  if (name === undefined || name === '')
    throw usageError('The source does not say what it documents; name the library: sheaf add LIBRARY --source SOURCE');
  return name;
}

function nothingToDo(say: Listener['say'], outcome: Omit<Outcome, 'action'>, changes: Changes): Outcome {
  say('No changes detected. Nothing to update.');
  return { ...outcome, action: 'unchanged', changes };
}

/** How to add the languages or versions that are not in the bundle. Pure. */
export function offersOf({ library, source, sideBySide = [] }: Outcome): string[] {
  return sideBySide.map(({ kind, folder, packed, others }) => {
    const flag = kind === 'languages' ? '--only-language' : '--version-folder';
    const first = oneLine(others[0] as string);
    const command = `sheaf add ${oneLine(library)} --source ${oneLine(describeSource(source))} ${flag} ${first}`;
    const where = folder === '' ? 'The source' : oneLine(folder);
    const names = oneLine(others.join(', '));
    return packed === null
      ? `${where} holds ${others.length} ${kind} of the same pages, which are searched as one: ${names}. One of them alone: ${command}`
      : `${where} holds ${others.length + 1} ${kind} of the same pages: ${oneLine(packed)} was added, and there ${others.length === 1 ? 'is' : 'are'} ${names} too. Another: ${command}`;
  });
}

/** What a package's pages are, where they are not its documentation. */
export function remarkOn({ pages, content, documentation }: Outcome): string {
  const many = pages === undefined ? '' : `${counted(pages, 'page')}: `;
  const what = `${many}${pages === undefined || pages === 1 ? 'its README' : 'its README and what stands beside it'}`;
  if (content !== 'readme') return counted(pages ?? 0, 'page');
  return documentation === undefined ? what : `${what}; documentation lies at ${oneLine(documentation)}`;
}

/**
 * Error: that version of the library is there from elsewhere, and the user does not want it replaced. Without a record nobody
 * knows from where: it was packed here, or put there by hand.
 */
async function mayReplace(
  { library, version, source: old }: { library: string; version: string; source: SourceSpec | undefined },
  source: SourceSpec,
  yes: boolean,
  signal: AbortSignal,
): Promise<void> {
  if (old !== undefined && isSameOrigin(old, source)) return;
  const from = old === undefined ? 'and no record says from where' : `from ${oneLine(describeSource(old))}`;
  const there = `${oneLine(library)} ${oneLine(version)} is there already, ${from}.`;
  const terminal = !yes && process.stdin.isTTY;
  if (terminal && (await confirm(`${there} Replace it?`, false, signal))) return;
  if (terminal) throw new CliError(EXIT.FAILURE, 'Nothing was changed.');
  const given = oneLine(describeSource(source));
  throw new CliError(
    EXIT.FAILURE,
    `${there} Give this one a name of its own: sheaf add NAME --source ${given}; or replace it: sheaf update ${oneLine(library)} -v ${oneLine(version)} --source ${given}`,
  );
}

const isThere = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  );

/** Whether two sources are of one place, whatever is taken from it. Packages of a registry, installed or not, are one. */
export function isSameOrigin(a: SourceSpec, b: SourceSpec): boolean {
  return originOf(a) === originOf(b);
}

function originOf(spec: SourceSpec): string {
  switch (spec.type) {
    case 'git_repo':
      return `git ${repositoryOf(spec.repo_url)}`;
    case 'sitemap':
      return `site ${withoutCredentials(spec.sitemap_url)}`;
    case 'local_path':
      return `path ${spec.local_path}`;
    case 'bundle':
      return 'bundle'; // its own manifest names it
    case 'catalogue':
      return `catalogue ${spec.catalogue}`;
    case 'installed':
      return spec.ecosystem;
    case 'llms':
      return `site ${withoutCredentials(spec.llms_url)}`;
    case 'archive':
      return `archive ${withoutCredentials(spec.archive)}`;
    case 'man':
      return `man ${spec.page}`;
    case 'npm':
    case 'pypi': // the library is called as the package is
      return spec.type;
    default:
      return `${spec.type} ${parsePackage(spec.type, spec.package).name}`;
  }
}

function repositoryOf(address: string): string {
  try {
    return parseGitAddress(address).web.toLowerCase();
  } catch {
    return address;
  }
}

// ---- changes --------------------------------------------------------------------------------------

/** Hashes of the pages, and of the files that they include. `work`: the folder of this run. */
async function fingerprint(fetched: Fetched, work: string, signal: AbortSignal): Promise<Map<string, string>> {
  if (fetched.bundle !== undefined) return new Map([['bundle', fetched.revision ?? '']]);
  const included = fetched.included ?? (isInside(fetched.root, work) ? [] : undefined);
  return hashPages({ ...fetched, included }, signal);
}

/** Compares by path and content. Pure. */
export function compare(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): Changes {
  const changes: Changes = { added: 0, modified: 0, deleted: 0, unchanged: 0 };
  for (const [path, hash] of after) {
    const old = before.get(path);
    changes[old === undefined ? 'added' : old === hash ? 'unchanged' : 'modified']++;
  }
  for (const path of before.keys()) if (!after.has(path)) changes.deleted++;
  return changes;
}

function summaryOf({ added, modified, deleted, unchanged }: Changes): string {
  return `Update Summary:\n  Added: ${added}\n  Modified: ${modified}\n  Deleted: ${deleted}\n  Unchanged: ${unchanged}`;
}

// ---- the bundle -----------------------------------------------------------------------------------

type Facts = Pick<PackReport, 'pages' | 'passages' | 'bundleBytes' | 'sideBySide'>;

async function pack(
  fetched: Fetched,
  library: string,
  output: string,
  { request, packer, settings, signal, warn }: Work,
): Promise<Facts> {
  await mkdir(storeFolder(), { recursive: true });
  const { version, root, inputs, baseUrl, urlStyle, noIgnore } = fetched;
  const { encoder, language, onlyLanguage, versionFolder, passageSize } = settings;
  // The packer writes beside the store's bundles, in a folder that the next run can remove if this one is killed.
  const staging = await makeWorkFolder(storeFolder());
  const fresh = join(staging, basename(output));
  const what = { library, version, output: fresh, root, inputs, noIgnore, encoder, language, passageSize };
  const job: PackJob = { ...what, onlyLanguage, versionFolder, baseUrl: baseUrl || undefined, urlStyle };
  let notes: readonly FileRemark[] = [];
  try {
    const show = request.listener !== undefined ? 'nothing' : process.stderr.isTTY ? 'all' : 'failures';
    request.listener?.say(`Packing ${oneLine(library)} ${oneLine(version)}`);
    const { report } = await (packer as Packer).pack(job, { show, signal });
    notes = report.notes;
    const leftOut = leftOutLine(report);
    if (leftOut !== undefined && !onTerminal(request)) warn(`Note: ${library}: ${leftOut}`);
    await moveInto(fresh, output);
    const { pages, passages, bundleBytes, sideBySide = [] } = report;
    return { pages, passages, bundleBytes, ...(sideBySide.length > 0 ? { sideBySide } : {}) };
  } catch (error) {
    if (!(error instanceof PackFailure)) throw error;
    notes = error.facts.notes ?? [];
    const why = `${library} (${version}) could not be packed: ${error.message}`;
    throw new CliError(EXIT.FAILURE, `${why}. What was there before is untouched.`);
  } finally {
    await discard(staging);
    await warnOfEmpty(emptyPages(notes, fetched), fetched, warn);
    // On a terminal the packer has said it.
    if (!onTerminal(request))
      for (const { path, reason } of notes) if (path === 'language') warn(`Note: ${path}: ${reason}`);
  }
}

const MAX_EMPTY_SHOWN = 20;

/** Fetched pages in which the packer found no text. Pure. */
function emptyPages(notes: readonly FileRemark[], { urls }: Fetched): string[] {
  return notes.filter(({ path, reason }) => urls?.has(path) && reason.includes('no text')).map(({ path }) => path);
}

/** Pages without text, which JavaScript may fill. */
async function warnOfEmpty(
  paths: readonly string[],
  { root, urls }: Fetched,
  warn: (text: string) => void,
): Promise<void> {
  for (const path of paths.slice(0, MAX_EMPTY_SHOWN)) {
    const url = urls?.get(path) ?? path;
    const html = await readFile(join(root, path), 'utf8').catch(() => '');
    warn(
      looksLikeApp(html)
        ? `Warning: Page likely requires JavaScript to render (detected SPA/CSR indicators): ${url}`
        : `Warning: No content extracted for ${url}`,
    );
  }
  if (paths.length > MAX_EMPTY_SHOWN) warn(`Warning: ${paths.length - MAX_EMPTY_SHOWN} more pages without content.`);
}

/** Puts a checked bundle into the store atomically. */
async function install(bundle: string, path: string): Promise<Partial<Facts>> {
  await mkdir(storeFolder(), { recursive: true });
  const temporary = temporaryName(path);
  try {
    await copyFile(bundle, temporary);
    await moveInto(temporary, path);
  } finally {
    await discard(temporary);
  }
  return {};
}

/** On the disk first, then under its name. */
async function moveInto(file: string, path: string): Promise<void> {
  try {
    await flush(file);
    await rename(file, path);
  } catch (error) {
    const why = `${path} cannot be written: ${messageOf(error)}`;
    throw new CliError(EXIT.FAILURE, `${why}. What was there before is untouched.`);
  }
}

/** Of this machine, and named by the day that it was read. */
const isByDay = (spec: SourceSpec): boolean =>
  spec.type === 'man' || (spec.type === 'local_path' && spec.version === undefined);

/** A local folder's version is the day; today's update replaces yesterday's bundle. */
async function retire(
  previous: SourceRecord | undefined,
  library: string,
  version: string,
  { spec }: IngestRequest,
  say: Listener['say'],
): Promise<void> {
  if (previous === undefined || previous.library !== library || previous.version === version || !isByDay(spec)) return;
  await removeBundle(library, previous.version, bundlePath(library, previous.version));
  say(`Replaced ${oneLine(previous.version)}.`);
}
