/** `sheaf add --from-lockfile`: one bundle for each package of a project, at the version it uses. */
import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { ECOSYSTEMS, isEcosystem, libraryOf, parsePackage } from '../node/sources/ecosystems.js';
import { findInstalled } from '../node/sources/installed.js';
import { findLockfiles, LOCKFILES, readLockfile, type LockedPackage } from '../node/sources/lockfile.js';
import { Registries } from '../node/sources/registries.js';
import {
  SourceError,
  type CatalogueSpec,
  type InstalledSpec,
  type PackageSpec,
  type SourceSpec,
} from '../node/sources/source.js';
import { pressEnter } from '../node/base/confirm.js';
import { discard } from '../node/base/leftovers.js';
import { loadConfig } from '../node/store/config.js';
import { CliError, EXIT, exitCodeOf } from '../node/base/exit.js';
import { ingest, KeptError, remarkOn, type Outcome } from '../node/ingest/ingest.js';
import { withWorkspace } from '../node/store/interrupt.js';
import { readRecord } from '../node/sources/records.js';
import { formatBytes, harmless, oneLine, print, printJson, status, table } from '../node/base/terminal.js';

export interface LockfileOptions {
  transitive: boolean;
  /** Take installed packages only, without the network. */
  offline: boolean;
  /** Take only the packages' own pages. */
  readmeOnly: boolean;
  allowPrivate: boolean;
  yes: boolean;
  encoder: string | undefined;
  json: boolean;
}

interface Skipped {
  library: string;
  version: string;
  reason: string;
}

type Planned = { library: string; version: string; spec: PackageSpec | InstalledSpec | GitSpec };
type GitSpec = Extract<SourceSpec, { type: 'git_repo' }>;

export async function addFromLockfile(file: string | undefined, options: LockfileOptions): Promise<number> {
  const outcomes: Outcome[] = [];
  const skipped: Skipped[] = [];
  try {
    const kept = await addAll(file, options, outcomes, skipped);
    summarise(outcomes, skipped, options.json);
    return outcomes.length > 0 && !kept ? EXIT.OK : EXIT.FAILURE;
  } catch (error) {
    // Whoever reads JSON learns what was added and left out before the error.
    if (options.json && error instanceof CliError)
      printJson({ libraries: outcomes, skipped, error: harmless(error.message) });
    throw error;
  }
}

/** Returns whether a bundle was kept since the new one was worse. */
async function addAll(
  file: string | undefined,
  options: LockfileOptions,
  outcomes: Outcome[],
  skipped: Skipped[],
): Promise<boolean> {
  let kept = false;
  await withWorkspace(async (folder, signal) => {
    const found = await plan(file, options, skipped, folder, signal);
    if (found.length > 0)
      status(
        table([['Library', 'Version'], ...found.map(({ library, version }) => [oneLine(library), oneLine(version)])]),
      );
    for (const { library, version, reason } of skipped)
      status(`Left out: ${oneLine(library)} ${oneLine(version)}: ${oneLine(reason)}`);
    if (found.length === 0)
      throw new CliError(
        EXIT.NOT_FOUND,
        options.offline
          ? 'None of the packages is installed here in the version of the lock file; install them first (npm ci, pip install -r …).'
          : 'None of the packages can be added.',
      );
    const text = `${found.length} ${found.length === 1 ? 'library' : 'libraries'} to add. Press Enter to continue with embedding, or Ctrl+C to exit...`;
    if (!(await pressEnter(text, options.yes, signal))) throw new CliError(EXIT.FAILURE, 'Nothing was changed.');
    const asking = await readiness(options);
    for (const [index, planned] of found.entries()) {
      const { library, version } = planned;
      const own = join(folder, String(index));
      await mkdir(own);
      try {
        const spec = (await asking(planned, signal)) ?? planned.spec;
        // An address that a lock file names is the project's, not the user's.
        const trusted = planned.spec.type !== 'git_repo';
        const request = { spec, library, trusted, allowPrivate: options.allowPrivate, yes: true };
        const outcome = await ingest({ ...request, encoder: options.encoder }, own, signal);
        outcomes.push(outcome);
        if (outcome.content === 'readme') status(remarkOn(outcome));
      } catch (error) {
        if (signal.aborted || exitCodeOf(error) === EXIT.NO_PACKER) throw error;
        kept ||= error instanceof KeptError;
        skipped.push({ library, version, reason: (error as Error).message });
        status(`Left out: ${oneLine(library)} ${oneLine(version)}: ${harmless((error as Error).message)}`);
      } finally {
        await discard(own); // a hundred repositories fill a disk
      }
    }
  });
  return kept;
}

type Asking = (planned: Planned, signal: AbortSignal) => Promise<CatalogueSpec | undefined>;

/**
 * Whether the user's catalogues have a ready bundle of exactly that version, of the same registry. A library that the store
 * has from elsewhere is updated from there. A catalogue that was refused is not asked again for every package.
 */
async function readiness({ offline, readmeOnly, encoder }: LockfileOptions): Promise<Asking> {
  const wanted = encoder ?? String((await loadConfig()).get('embeddings.encoder'));
  let asks = !offline && !readmeOnly && wanted === 'static';
  return async ({ library, version, spec }, signal) => {
    const record = asks ? await readRecord(library, version) : undefined;
    if (!asks || (record !== undefined && record.source.type !== 'catalogue')) return undefined;
    const { findReady } = await import('../node/sources/catalogue_find.js');
    const { ready, refused } = await findReady(library, version, signal);
    asks = refused.length === 0;
    if (ready === undefined || ready.version !== version || !isOf(ready.source, spec)) return undefined;
    status(`${oneLine(library)} ${oneLine(version)} is ready in ${oneLine(ready.from)}: ${formatBytes(ready.bytes)}`);
    return ready.spec;
  };
}

/** The packages of the lock file that can be added; those that cannot go to `skipped`. */
async function plan(
  file: string | undefined,
  { transitive, offline, readmeOnly }: LockfileOptions,
  skipped: Skipped[],
  folder: string,
  signal: AbortSignal,
): Promise<Planned[]> {
  const found: Planned[] = [];
  const only = offline || readmeOnly ? { readme_only: true as const } : {};
  try {
    const files = file === undefined ? await findLockfiles(process.cwd()) : [resolve(file)];
    if (files.length === 0)
      throw new CliError(
        EXIT.NOT_FOUND,
        `There is no lock file in ${process.cwd()}; known are ${LOCKFILES.join(', ')}. Name one: sheaf add --from-lockfile FILE`,
      );
    for (const lockfile of files) {
      const base = dirname(lockfile);
      const packages = await readLockfile(lockfile, transitive, status);
      const requirements = lockfile.endsWith('.txt') ? await readFile(lockfile, 'utf8') : '';
      const registries = new Registries(base, requirements, { folder, signal, env: process.env, say: status });
      for (const locked of packages) {
        const { name, version, ecosystem } = locked;
        const library = isEcosystem(ecosystem) ? libraryOf(ecosystem, name) : name;
        if (locked.why !== undefined || !isSound(locked)) {
          skip(locked, locked.why ?? 'no name and version that a package can have');
          continue;
        }
        const where = await findInstalled(locked, base, process.env);
        if (!('missing' in where))
          add({ library, version: where.version, spec: { type: 'installed', ...where, ...only } });
        else if (where.isOdd) skip(locked, where.missing);
        else if (offline) skip(locked, where.missing);
        else if (version === undefined) skip(locked, 'not pinned, and not installed');
        else if (locked.repository !== undefined) {
          const { url, ref } = locked.repository;
          add({ library, version, spec: { type: 'git_repo', repo_url: url, ref } });
        } else if (isEcosystem(ecosystem)) {
          const objection = await registries.objection(locked).catch(reasonOf);
          if (objection !== undefined) skip(locked, objection);
          else {
            const sum = locked.sum === undefined ? {} : { sum: `${version} ${locked.sum}` };
            add({ library, version, spec: { type: ecosystem, package: `${name}@${version}`, ...sum, ...only } });
          }
        }
      }
    }
  } catch (error) {
    if (error instanceof SourceError)
      throw new CliError(
        error.kind === 'missing' ? EXIT.NOT_FOUND : error.kind === 'usage' ? EXIT.USAGE : EXIT.FAILURE,
        harmless(oneLine(error.message)),
      );
    throw error;
  }
  return found;

  /**
   * A name that npm and PyPI both have is two libraries: the second is called NAME-npm or NAME-pypi. Of two packages of one
   * registry that end alike, the second has its whole name.
   */
  function add(one: Planned): void {
    const ecosystem = ecosystemOf(one.spec);
    const others = found.filter(({ library }) => library === one.library);
    const isTaken = others.some(({ spec }) => ecosystemOf(spec) !== ecosystem);
    const isOther = others.some(({ spec }) => nameOf(spec) !== nameOf(one.spec));
    const library = isTaken
      ? `${one.library}-${ecosystem}`
      : isOther
        ? nameOf(one.spec).replaceAll(':', '.')
        : one.library;
    if (!found.some((other) => other.library === library && other.version === one.version))
      found.push({ ...one, library });
  }
  function skip({ name, version }: LockedPackage, reason: string): void {
    skipped.push({ library: name, version: version ?? '', reason });
  }
}

/** Whether a name and a version can be a package's; PHP's are checked as addresses of git. */
function isSound({ ecosystem, name, version }: LockedPackage): boolean {
  if (!isEcosystem(ecosystem) || ecosystem === 'npm' || ecosystem === 'pypi') return true; // findInstalled looks
  try {
    parsePackage(ecosystem, version === undefined ? name : `${name}@${version}`);
    return true;
  } catch {
    return false;
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof SourceError) return error.message;
  throw error;
}

/** Whether a catalogue's bundle is of that package: its source is npm:NAME@V and the like, or says nothing of a registry. */
function isOf(source: string, spec: Planned['spec']): boolean {
  const [, kind = '', text = ''] = new RegExp(`^(${ECOSYSTEMS}):(.*)$`).exec(source) ?? [];
  if (!isEcosystem(kind)) return true;
  if (kind !== ecosystemOf(spec)) return false;
  try {
    return kind === 'npm' || kind === 'pypi' || parsePackage(kind, text).name === nameOf(spec);
  } catch {
    return false;
  }
}

/** The package's name on its registry. */
function nameOf(spec: Planned['spec']): string {
  if (spec.type === 'git_repo') return spec.repo_url;
  return spec.type === 'installed' ? spec.package : parsePackage(spec.type, spec.package).name;
}

function ecosystemOf(spec: Planned['spec']): string {
  return spec.type === 'installed' ? spec.ecosystem : spec.type;
}

function summarise(outcomes: readonly Outcome[], skipped: readonly Skipped[], json: boolean): void {
  if (json) return printJson({ libraries: outcomes, skipped });
  for (const { library, version, action } of outcomes)
    if (action !== 'unchanged') print(`Embedding complete: Library ${oneLine(library)} (${oneLine(version)}) added.`);
  const count = (action: Outcome['action']): number => outcomes.filter((outcome) => outcome.action === action).length;
  status(
    `${count('added')} added, ${count('updated')} updated, ${count('unchanged')} unchanged, ${skipped.length} left out.`,
  );
}
