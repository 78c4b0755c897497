/**
 * `sheaf publish build`: from a list of sources to a folder that any static host serves.
 *
 * Idea: of each source it is asked what it is upstream (sources/upstream.ts). Where that is what the state file
 * remembers, nothing is fetched or packed. A bundle gets the name of its hash and appears whole; the head, which names
 * all, comes last. So a build may fail for some sources, be killed, and be run again: what was good stays.
 *
 * State (state.ts): `DIR.state.json` beside the folder, not in it, since it holds paths of this machine.
 */
import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import {
  bundlePath,
  libraryPage,
  type CatalogueLibrary,
  type CatalogueVersion,
  type FileFacts,
} from '../../browser/catalogue/format.js';
import { ownVersion } from '../client/paths.js';
import { loadConfig } from '../store/config.js';
import { CliError, EXIT, exitCodeOf } from '../base/exit.js';
import { openPacker } from '../packer/choose.js';
import { PackFailure } from '../packer/packer.js';
import { compareVersions } from '../store/store.js';
import { discard } from '../base/leftovers.js';
import { harmless, oneLine, status } from '../base/terminal.js';
import { describeSource, withoutSecrets, type SourceContext, type SourceSpec } from '../sources/index.js';
import { isPackageFile, isWebAddress } from '../sources/local.js';
import { isPackage, parsePackage } from '../sources/ecosystems.js';
import { upstreamOf, type Upstream } from '../sources/upstream.js';
import { whyWorse } from '../sources/worse.js';
import { writeIndexPages } from './about.js';
import { readHead, writeCatalogue, type HeadWishes, type Written } from './files.js';
import type { ListedSource } from './list.js';
import { Slots } from '../base/slots.js';
import { isFatal, LocalMaker, putBundle, type Maker, type Recipe } from './make.js';
import { StateFile, type Entry, type State } from './state.js';
import type { CatalogueStore } from './store.js';

export interface BuildOptions extends Omit<HeadWishes, 'now'> {
  state: string;
  encoder: string;
  encoderCommand: string | undefined;
  encoderPrecision: string | undefined;
  allowPrivate: boolean;
  /** Sources that are asked what they are upstream at a time. */
  jobs: number;
  /** Bundles that are made at a time. */
  makes: number;
}

export interface BuildOutcome extends Written {
  packed: number;
  unchanged: number;
  failed: { line: number; source: string; reason: string; kept: boolean }[];
  libraries: number;
  bundles: number;
}

/** A line of the list and its number there; of a line with several versions, also which one. */
interface Turn {
  listed: ListedSource;
  at: number;
  version: number;
}

/** Who has the name of a library and version. */
interface Claim {
  turn: Turn;
  key: string;
  as: 'packed' | 'unchanged' | undefined;
}

/** An entry of the state before, and its key. */
type Kept = [key: string, entry: Entry];

const AGAIN_MS = 20 * 3600 * 1000;

/** The settings that decide a bundle's bytes, and how its source is fetched. */
export async function recipeOf(
  options: Pick<BuildOptions, 'encoder' | 'encoderCommand' | 'encoderPrecision' | 'allowPrivate'>,
): Promise<Recipe> {
  const config = await loadConfig();
  const { encoder, encoderCommand, encoderPrecision, allowPrivate } = options;
  return {
    ...{ encoder, encoderCommand, encoderPrecision, allowPrivate },
    passageSize: Number(config.get('embeddings.chunk_size')),
    concurrency: Number(config.get('extraction.concurrency_limit')),
    timeoutMs: Number(config.get('extraction.timeout_seconds')) * 1000,
  };
}

/** `elsewhere`: what makes the bundles; by default this machine does. */
export async function buildCatalogue(
  list: readonly ListedSource[],
  options: BuildOptions,
  store: CatalogueStore,
  work: string,
  signal: AbortSignal,
  elsewhere?: Maker,
): Promise<BuildOutcome> {
  const stopping = new AbortController();
  const recipe = await recipeOf(options);
  const stop = AbortSignal.any([signal, stopping.signal]);
  const show = options.makes === 1 && process.stderr.isTTY ? 'progress' : 'failures';
  const maker: Maker = elsewhere ?? new LocalMaker(recipe, store, work, show, stop);
  const fail = (error: unknown): void => {
    stopping.abort(error);
    maker.stop?.(error as Error);
  };
  const state = await StateFile.open(options.state, fail);
  return new Builder(options, recipe, state, { store, maker, work, signal: stop }).run(list, fail);
}

class Builder {
  readonly #options: BuildOptions;
  readonly #recipe: Recipe;
  readonly #state: StateFile;
  readonly #old: State;
  readonly #new: State = { format: 1, entries: {} };
  readonly #store: CatalogueStore;
  readonly #maker: Maker;
  readonly #work: string;
  readonly #signal: AbortSignal;
  readonly #making: Slots;
  readonly #outcome: Pick<BuildOutcome, 'packed' | 'unchanged' | 'failed'> = { packed: 0, unchanged: 0, failed: [] };
  /** By library and version. */
  readonly #claims = new Map<string, Claim>();
  /** The recipe as far as it decides bytes. */
  #settings = '';
  /** Every source of the list was looked at. */
  #isComplete = false;
  #count = 0;
  /** What each line made before, by its number. */
  #before: ReadonlyMap<number, Kept[]> = new Map();

  constructor(
    options: BuildOptions,
    recipe: Recipe,
    state: StateFile,
    { store, maker, work, signal }: { store: CatalogueStore; maker: Maker; work: string; signal: AbortSignal },
  ) {
    this.#options = options;
    this.#recipe = recipe;
    this.#state = state;
    this.#old = state.before;
    this.#store = store;
    this.#maker = maker;
    this.#work = work;
    this.#signal = signal;
    this.#making = new Slots(options.makes);
  }

  async run(list: readonly ListedSource[], stop: (error: unknown) => void): Promise<BuildOutcome> {
    const { encoder, encoderCommand, encoderPrecision, passageSize } = this.#recipe;
    const transformer = [encoderCommand, encoderPrecision].filter((each) => each !== undefined);
    this.#settings = [await ownVersion(), encoder, passageSize, ...transformer].join(' ');
    try {
      const before = await readHead(this.#store);
      this.#before = this.#byLine(list);
      const asking = new Slots(this.#options.jobs);
      const all = list.map((listed, at) =>
        this.#take(listed, at, asking).catch((error: unknown) => {
          stop(error); // so that nothing else begins
          throw error;
        }),
      );
      const failure = (await Promise.allSettled(all)).find((each) => each.status === 'rejected');
      this.#signal.throwIfAborted(); // with the first failure
      if (failure !== undefined) throw failure.reason;
      this.#isComplete = true;
      this.#outcome.failed.sort((a, b) => a.line - b.line);
      const libraries = this.#libraries();
      if (libraries.length === 0)
        throw new CliError(
          EXIT.FAILURE,
          `Nothing of the list could be had, so no catalogue was written. ${this.#outcome.failed.map(({ source, reason }) => `${source}: ${reason}`).join(' | ')}`,
        );
      const index = await this.#index(libraries);
      const plain = libraries.map(({ headings: _, ...library }) => library);
      const written = await writeCatalogue(this.#store, plain, index, before, {
        ...this.#options,
        now: new Date(),
      });
      return { ...written, ...this.#outcome, libraries: written.head.libraries, bundles: written.head.bundles };
    } catch (error) {
      // What is not reached yet stays in the state.
      for (const [key, entry] of Object.entries(this.#old.entries)) this.#new.entries[key] ??= entry;
      throw error;
    } finally {
      await this.#save();
    }
  }

  /** Every version of one line. */
  async #take(listed: ListedSource, at: number, asking: Slots): Promise<void> {
    let upstream: Upstream[];
    try {
      upstream = await asking.run(() => this.#ask(listed));
    } catch (error) {
      await this.#keepAll(this.#before.get(at) ?? [], { listed, at, version: 0 }, describeSource(listed.spec), error);
      return;
    }
    // A version that is new and cannot be made leaves the one that it would replace, the newest first.
    const keys = new Set(upstream.map(({ spec }) => keyOf(listed, spec)));
    const replaced = (this.#before.get(at) ?? [])
      .filter(([key]) => !keys.has(key))
      .sort(([, a], [, b]) => compareVersions(b.about.version, a.about.version));
    const versions = upstream.map((one, version) =>
      this.#making.run(() => this.#takeOne(one, { listed, at, version }, replaced)),
    );
    const failure = (await Promise.allSettled(versions)).find((each) => each.status === 'rejected');
    if (failure !== undefined) throw failure.reason;
  }

  /** Says what failed. Of what was there before, that stays whose bundle is there still. */
  async #keepAll(entries: readonly Kept[], turn: Turn, source: string, error: unknown): Promise<void> {
    const kept: Kept[] = [];
    const lost: string[] = [];
    for (const [key, entry] of entries)
      if (await this.#has(entry.file)) kept.push([key, entry]);
      else lost.push(`${entry.about.library}@${entry.about.version}`);
    const more = lost.length === 0 ? '' : ` The bundle before is no longer there: ${lost.join(', ')}.`;
    this.#fail(turn.listed, source, error, kept.length > 0, more);
    for (const [at, [key, entry]] of kept.entries())
      this.#keep(key, { ...entry, failed: messageOf(error) }, { ...turn, version: turn.version + at }, undefined);
  }

  /** By the numbers of the lines: what each made before. A line that was edited, which made nothing as it stands, is known by its source. */
  #byLine(list: readonly ListedSource[]): Map<number, Kept[]> {
    const entries = Object.entries(this.#old.entries);
    const texts = new Set(entries.map(([, { text }]) => text));
    const positions = new Map<string, number>();
    for (const [at, listed] of list.entries())
      for (const name of [listed.text, texts.has(listed.text) ? undefined : lineKey(listed)])
        if (name !== undefined && !positions.has(name)) positions.set(name, at);
    const found = new Map<number, Kept[]>();
    for (const [key, entry] of entries) {
      const at = positions.get(entry.text) ?? positions.get(lineKeyOf(key) ?? '');
      if (at !== undefined) found.set(at, [...(found.get(at) ?? []), [key, entry]]);
    }
    return found;
  }

  async #ask(listed: ListedSource): Promise<Upstream[]> {
    this.#signal.throwIfAborted();
    const folder = await this.#folder();
    try {
      return await upstreamOf(listed.spec, listed, this.#context(folder, listed));
    } finally {
      await discard(folder);
    }
  }

  async #takeOne(one: Upstream, turn: Turn, replaced: Kept[]): Promise<void> {
    this.#signal.throwIfAborted();
    const { listed } = turn;
    const key = keyOf(listed, one.spec);
    const old = Object.hasOwn(this.#old.entries, key) ? this.#old.entries[key] : undefined;
    try {
      await this.#make(key, old, one, turn, old ?? replaced[0]?.[1]);
    } catch (error) {
      const before: Kept[] = old === undefined ? replaced.splice(0, 1) : [[key, old]];
      await this.#keepAll(before, turn, describeSource(one.spec), error);
    }
  }

  /** `before`: the bundle that it takes the place of. */
  async #make(
    key: string,
    old: Entry | undefined,
    { spec, identity }: Upstream,
    turn: Turn,
    before: Entry | undefined,
  ): Promise<void> {
    const { listed } = turn;
    const { title, description, licence, library, baseUrl, trusted, text } = listed;
    const recipe = `${this.#settings} ${JSON.stringify([title, description, licence])}`;
    const isThere = old !== undefined && (await this.#has(old.file));
    const isDue = old?.again !== undefined && Date.parse(old.again) <= Date.now();
    if (isThere && identity !== '' && old.identity === identity && old.recipe === recipe && !isDue)
      return this.#keep(key, old, turn, 'unchanged');
    const version = namedVersion(listed);
    const order = { spec, trusted, library, version, title, description, licence, baseUrl };
    const { file, about, commit, incomplete, content } = await this.#maker.make(order);
    const { pages } = about;
    const held = before && { ...before, ...before.about, source: spec };
    const why = held && whyWorse(held, { version: about.version, source: spec, content, pages, incomplete });
    if (why !== undefined) throw new CliError(EXIT.FAILURE, `it would become worse: ${why}`);
    const isSame = old !== undefined && old.file.sha256 === file.sha256;
    const date = isSame ? old.date : new Date().toISOString();
    const again = incomplete ? { again: new Date(Date.now() + AGAIN_MS).toISOString() } : {};
    const source = publicSource(spec);
    this.#claim(
      key,
      { text, identity, recipe, file, about, source, commit, date, content, ...again },
      turn,
      isSame ? 'unchanged' : 'packed',
    );
  }

  /** An entry as it was. */
  #keep(key: string, entry: Entry, turn: Turn, as: Claim['as']): void {
    try {
      this.#claim(key, { ...entry, text: turn.listed.text }, turn, as);
    } catch (error) {
      this.#fail(turn.listed, describeSource(turn.listed.spec), error, false);
    }
  }

  /**
   * Takes an entry into the catalogue. Error: an earlier line gave the same version of the same library. Bundles are done in
   * any order; the order of the list decides nevertheless.
   */
  #claim(key: string, entry: Entry, turn: Turn, as: Claim['as']): void {
    const name = `${entry.about.library}@${entry.about.version}`;
    const other = this.#claims.get(name);
    const refusal = ({ listed }: Turn): CliError =>
      new CliError(EXIT.FAILURE, `${name} is there already, from line ${listed.line}`);
    if (other !== undefined) {
      if (isBefore(other.turn, turn)) throw refusal(other.turn);
      if (other.as !== undefined) this.#outcome[other.as]--;
      delete this.#new.entries[other.key];
      this.#fail(other.turn.listed, describeSource(other.turn.listed.spec), refusal(turn), false);
    }
    this.#claims.set(name, { turn, key, as });
    this.#new.entries[key] = entry;
    if (JSON.stringify(entry) !== JSON.stringify(this.#old.entries[key])) this.#state.add(key, entry);
    if (as !== undefined) this.#outcome[as]++;
  }

  #fail({ line }: ListedSource, source: string, error: unknown, kept: boolean, more = ''): void {
    if (this.#signal.aborted || exitCodeOf(error) === EXIT.NO_PACKER || isFatal(error)) throw error;
    const reason = `${messageOf(error)}${more}`;
    this.#outcome.failed.push({ line, source: oneLine(source), reason, kept });
    status(`Line ${line}, ${oneLine(source)} failed: ${reason}${kept ? ' What was there before stays.' : ''}`);
  }

  async #has({ sha256, bytes }: FileFacts): Promise<boolean> {
    return (await this.#store.size(bundlePath(sha256))) === bytes;
  }

  async #index(libraries: readonly (CatalogueLibrary & { headings: readonly string[] })[]): Promise<FileFacts> {
    const pages = createHash('sha256')
      .update(
        `${this.#settings} ${JSON.stringify(libraries.map(({ library, title, description, words, headings }) => [library, title, description, words, headings]))}`,
      )
      .digest('hex');
    const { index } = this.#old;
    if (index !== undefined && index.pages === pages && (await this.#has(index.file))) {
      this.#new.index = index;
      return index.file;
    }
    const folder = await this.#folder();
    const staging = await this.#store.staging();
    try {
      await writeIndexPages(folder, libraries);
      const output = join(staging, 'libraries.sheaf');
      const inputs = libraries.map(({ library }) => join(folder, libraryPage(library)));
      const what = { library: 'libraries', version: 'latest', output, root: folder, noIgnore: true, urlStyle: 'keep' };
      // Thousands of names are too long for a command line; the folder holds nothing else.
      const all = { ...what, inputs: inputs.length > 100 ? [folder] : inputs, encoder: 'static' };
      await (await openPacker()).pack(all, { show: 'failures', signal: this.#signal });
      const file = await putBundle(this.#store, output);
      this.#new.index = { pages, file };
      return file;
    } catch (error) {
      if (!(error instanceof PackFailure)) throw error;
      throw new CliError(
        EXIT.FAILURE,
        `The catalogue's index could not be packed: ${error.message}. The catalogue is as it was.`,
      );
    } finally {
      await discard(staging);
      await discard(folder);
    }
  }

  #libraries(): (CatalogueLibrary & { headings: string[] })[] {
    const byName = new Map<string, Entry[]>();
    for (const entry of Object.values(this.#new.entries))
      byName.set(entry.about.library, [...(byName.get(entry.about.library) ?? []), entry]);
    const libraries = [...byName].map(([library, entries]) => {
      entries.sort((a, b) => compareVersions(b.about.version, a.about.version));
      const { title, description, licence, words, headings, vector, space } = (entries[0] as Entry).about;
      const shared = { library, title, description, licence, words, vector, space };
      return { ...shared, versions: entries.map(versionOf), headings };
    });
    return libraries.sort((a, b) => (a.library < b.library ? -1 : 1));
  }

  #context(folder: string, { trusted }: ListedSource): SourceContext {
    const { concurrency, timeoutMs, allowPrivate } = this.#recipe;
    const say = (text: string): void => status(harmless(oneLine(text)));
    return {
      ...{ folder, trusted, concurrency, timeoutMs, allowPrivate, compareVersions },
      signal: this.#signal,
      say,
      warn: say,
      progress: () => {},
      env: process.env,
    };
  }

  async #folder(): Promise<string> {
    const folder = join(this.#work, String(this.#count++));
    await mkdir(folder);
    return folder;
  }

  /** Once, at the end. */
  #save(): Promise<void> {
    // What has not been looked at stays, should this build have been ended before.
    const entries = { ...(this.#isComplete ? {} : this.#old.entries), ...this.#new.entries };
    return this.#state.write({ ...this.#new, entries });
  }
}

/** What an entry is of. */
const keyOf = (listed: ListedSource, spec: SourceSpec): string =>
  JSON.stringify([listed.library ?? '', withoutSecrets(spec), listed.baseUrl ?? '', namedVersion(listed)]);

/** What decides a line's source, whatever else the line says: as a key, without versions of packages and repositories. */
const lineKey = (listed: ListedSource): string | undefined => lineKeyOf(keyOf(listed, listed.spec));

function lineKeyOf(key: string): string | undefined {
  try {
    const [library, spec, ...more] = JSON.parse(key) as [string, SourceSpec, ...string[]];
    return JSON.stringify([library, withoutVersion(spec), ...more]);
  } catch {
    return undefined; // of a state file that somebody edited
  }
}

function withoutVersion(spec: SourceSpec): SourceSpec {
  if (isPackage(spec))
    return isPackageFile(spec.type, spec.package)
      ? spec
      : { ...spec, package: parsePackage(spec.type, spec.package).name };
  if (spec.type !== 'git_repo') return spec;
  const { ref: _, ...rest } = spec;
  return rest;
}

/** Whether a stands before b in the list. */
const isBefore = (a: Turn, b: Turn): boolean => (a.at === b.at ? a.version < b.version : a.at < b.at);

/** A folder's only version is the name that the list gives it. */
const namedVersion = ({ spec, versions: [version = ''] }: ListedSource): string =>
  spec.type === 'local_path' ? version : '';

function versionOf({ about, file, source, commit, date }: Entry): CatalogueVersion {
  const { version, language, pages, passages, space, licence } = about;
  return { version, language, ...file, pages, passages, space, source, licence, commit, date };
}

/** What the catalogue says of where a text comes from: no path of this machine. */
function publicSource(spec: SourceSpec): string {
  const clean = withoutSecrets(spec);
  if (clean.type === 'local_path' || (clean.type === 'bundle' && !/^https?:/i.test(clean.bundle))) return '';
  if (clean.type === 'git_repo') return /^file:/i.test(clean.repo_url) ? '' : clean.repo_url;
  if (isPackage(clean) && isPackageFile(clean.type, clean.package)) return '';
  if (clean.type === 'man' || (clean.type === 'archive' && !isWebAddress(clean.archive))) return '';
  return describeSource(clean);
}

const messageOf = (error: unknown): string => harmless(oneLine((error as Error).message ?? String(error)));
