/**
 * `sheaf catalogue build`: from a list of sources to a folder that any static host serves.
 *
 * Idea: of each source it is asked what it is upstream (sources/upstream.ts). Where that is what the state file
 * remembers, nothing is fetched or packed. A bundle gets the name of its hash and appears whole; the head, which names
 * all, comes last. So a build may fail for some sources, be killed, and be run again: what was good stays.
 *
 * State: `DIR.state.json` beside the folder, not in it, since it holds paths of this machine.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { copyFile, link, mkdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import {
  bundlePath,
  libraryPage,
  type CatalogueLibrary,
  type CatalogueVersion,
  type FileFacts,
} from '../catalogue/format.js';
import { ownVersion } from '../client/places.js';
import { flush } from '../encoder/store.js';
import { loadConfig } from '../host/config.js';
import { CliError, EXIT, exitCodeOf } from '../host/exit.js';
import { writeAtomically } from '../host/files.js';
import { makeWorkFolder, removeLeftovers, temporaryName } from '../host/leftovers.js';
import { openPacker } from '../host/packer/choose.js';
import type { Packer } from '../host/packer/packer.js';
import { compareVersions, encodeFileName } from '../host/store.js';
import { harmless, oneLine, status } from '../host/terminal.js';
import {
  describeSource,
  fetchSource,
  withoutSecrets,
  type Fetched,
  type SourceContext,
  type SourceSpec,
} from '../sources/index.js';
import { upstreamOf, type Upstream } from '../sources/upstream.js';
import { describe, writeIndexPages, type Described } from './catalogue_about.js';
import { writeCatalogue, type HeadWishes, type Written } from './catalogue_files.js';
import type { ListedSource } from './catalogue_list.js';

export interface BuildOptions extends Omit<HeadWishes, 'now'> {
  folder: string;
  state: string;
  encoder: string;
  allowPrivate: boolean;
}

/** One bundle of the state. */
interface Entry {
  /** The line of the list that it came from. */
  text: string;
  identity: string;
  /** What else decides the bytes: versions of the packer and settings. */
  recipe: string;
  file: FileFacts;
  about: Described;
  source: string;
  commit: string;
  date: string;
  /** A better place for its text could not be read; from this time on it is tried again. */
  again?: string;
  /** Why the last try to make it anew failed. */
  failed?: string;
}

interface State {
  format: 1;
  entries: Record<string, Entry>;
  /** Of the index: a hash of its pages, and its bundle. */
  index?: { pages: string; file: FileFacts };
}

export interface BuildOutcome extends Written {
  packed: number;
  unchanged: number;
  failed: { line: number; source: string; reason: string; kept: boolean }[];
  libraries: number;
  bundles: number;
}

const SAVE_EVERY_MS = 30_000;
const AGAIN_MS = 20 * 3600 * 1000;

export async function buildCatalogue(
  list: readonly ListedSource[],
  options: BuildOptions,
  work: string,
  signal: AbortSignal,
): Promise<BuildOutcome> {
  await mkdir(join(options.folder, 'bundles'), { recursive: true });
  for (const place of ['.', 'bundles', 'shards', 'keys']) await removeLeftovers(join(options.folder, place));
  const builder = new Builder(options, await readState(options.state), work, signal);
  return builder.run(list);
}

class Builder {
  readonly #options: BuildOptions;
  readonly #old: State;
  readonly #new: State = { format: 1, entries: {} };
  readonly #work: string;
  readonly #signal: AbortSignal;
  readonly #outcome: Pick<BuildOutcome, 'packed' | 'unchanged' | 'failed'> = { packed: 0, unchanged: 0, failed: [] };
  /** Library and version, and the line that gave them. */
  readonly #names = new Map<string, number>();
  #packer: Packer | undefined;
  #recipe = '';
  #concurrency = 8;
  #timeoutMs = 10_000;
  #passageSize = 800;
  #savedAt = performance.now();
  /** Every source of the list was looked at. */
  #isComplete = false;
  #count = 0;

  constructor(options: BuildOptions, old: State, work: string, signal: AbortSignal) {
    this.#options = options;
    this.#old = old;
    this.#work = work;
    this.#signal = signal;
  }

  async run(list: readonly ListedSource[]): Promise<BuildOutcome> {
    const config = await loadConfig();
    this.#concurrency = Number(config.get('extraction.concurrency_limit'));
    this.#timeoutMs = Number(config.get('extraction.timeout_seconds')) * 1000;
    this.#passageSize = Number(config.get('embeddings.chunk_size'));
    this.#recipe = `${await ownVersion()} ${this.#options.encoder} ${this.#passageSize}`;
    try {
      for (const listed of list) await this.#take(listed);
      this.#isComplete = true;
      const libraries = this.#libraries();
      if (libraries.length === 0)
        throw new CliError(
          EXIT.FAILURE,
          `Nothing of the list could be had, so no catalogue was written. ${this.#outcome.failed.map(({ source, reason }) => `${source}: ${reason}`).join(' | ')}`,
        );
      const index = await this.#index(libraries);
      const plain = libraries.map(({ headings: _, ...library }) => library);
      const written = await writeCatalogue(this.#options.folder, plain, index, { ...this.#options, now: new Date() });
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
  async #take(listed: ListedSource): Promise<void> {
    let upstream: Upstream[];
    try {
      upstream = await upstreamOf(listed.spec, listed, this.#context(await this.#folder(), listed));
    } catch (error) {
      const kept = Object.entries(this.#old.entries).filter(([, { text }]) => text === listed.text);
      this.#fail(listed, describeSource(listed.spec), error, kept.length > 0);
      for (const [key, entry] of kept) this.#keep(key, { ...entry, failed: messageOf(error) }, listed);
      return;
    }
    for (const one of upstream) {
      this.#signal.throwIfAborted();
      const key = JSON.stringify([
        listed.library ?? '',
        withoutSecrets(one.spec),
        listed.baseUrl ?? '',
        namedVersion(listed),
      ]);
      const old = Object.hasOwn(this.#old.entries, key) ? this.#old.entries[key] : undefined;
      try {
        await this.#make(key, old, one, listed);
      } catch (error) {
        this.#fail(listed, describeSource(one.spec), error, old !== undefined);
        if (old !== undefined) this.#keep(key, { ...old, failed: messageOf(error) }, listed);
      }
      if (performance.now() - this.#savedAt > SAVE_EVERY_MS) await this.#save();
    }
  }

  async #make(key: string, old: Entry | undefined, { spec, identity }: Upstream, listed: ListedSource): Promise<void> {
    const recipe = `${this.#recipe} ${JSON.stringify([listed.title, listed.description, listed.licence])}`;
    const isThere = old !== undefined && (await this.#has(old.file));
    const isDue = old?.again !== undefined && Date.parse(old.again) <= Date.now();
    if (isThere && identity !== '' && old.identity === identity && old.recipe === recipe && !isDue) {
      this.#outcome.unchanged++;
      return this.#keep(key, old, listed);
    }
    const folder = await this.#folder();
    const context = this.#context(folder, listed);
    const fetched = await fetchSource(spec, context);
    const named = namedVersion(listed);
    const version = named === '' || fetched.bundle !== undefined ? fetched.version : named;
    const staging = await makeWorkFolder(this.#options.folder);
    try {
      const bundle = join(staging, 'bundle.sheaf');
      if (fetched.bundle === undefined) {
        const library = listed.library ?? fetched.library ?? '';
        encodeFileName(library, version); // checks both
        await this.#pack(fetched, { library, version, listed, output: bundle });
      } else await moveOrCopy(fetched.bundle, bundle);
      const about = await describe(bundle, listed, fetched.about);
      const file = await factsOf(bundle);
      const isSame = old !== undefined && old.file.sha256 === file.sha256;
      const date = isSame ? old.date : new Date().toISOString();
      const commit = spec.type === 'git_repo' || fetched.content === 'repository' ? (fetched.revision ?? '') : '';
      const again = fetched.incomplete ? { again: new Date(Date.now() + AGAIN_MS).toISOString() } : {};
      const entry = {
        text: listed.text,
        identity,
        recipe,
        file,
        about,
        source: publicSource(spec),
        commit,
        date,
        ...again,
      };
      this.#claim(entry, listed);
      await this.#place(bundle, file);
      this.#new.entries[key] = entry;
      this.#outcome[isSame ? 'unchanged' : 'packed']++;
    } finally {
      await rm(staging, { recursive: true, force: true, maxRetries: 3 });
      await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    }
  }

  async #pack(
    { root, inputs, noIgnore, baseUrl, urlStyle }: Fetched,
    { library, version, listed, output }: { library: string; version: string; listed: ListedSource; output: string },
  ): Promise<void> {
    this.#packer ??= await openPacker();
    const { encoder } = this.#options;
    // Where the pages lie on this machine is nobody's business.
    const base = listed.baseUrl ?? (baseUrl.startsWith('file:') ? undefined : baseUrl || undefined);
    await this.#packer.pack(
      {
        ...{ library, version, output, root, inputs, noIgnore, encoder, urlStyle, baseUrl: base },
        passageSize: this.#passageSize,
        ...(listed.title === undefined ? {} : { title: listed.title }),
      },
      { show: process.stderr.isTTY ? 'progress' : 'failures', signal: this.#signal },
    );
  }

  /** An entry as it was. */
  #keep(key: string, entry: Entry, listed: ListedSource): void {
    try {
      this.#claim(entry, listed);
      this.#new.entries[key] = { ...entry, text: listed.text };
    } catch (error) {
      this.#fail(listed, entry.source, error, false);
    }
  }

  /** Error: an earlier line gave the same version of the same library. */
  #claim({ about: { library, version } }: Entry, { line }: ListedSource): void {
    const name = `${library}@${version}`;
    const other = this.#names.get(name);
    if (other !== undefined) throw new CliError(EXIT.FAILURE, `${name} is there already, from line ${other}`);
    this.#names.set(name, line);
  }

  #fail({ line }: ListedSource, source: string, error: unknown, kept: boolean): void {
    if (this.#signal.aborted || exitCodeOf(error) === EXIT.NO_PACKER) throw error;
    const reason = messageOf(error);
    this.#outcome.failed.push({ line, source: oneLine(source), reason, kept });
    status(`Line ${line}, ${oneLine(source)} failed: ${reason}${kept ? ' What was there before stays.' : ''}`);
  }

  async #has({ sha256, bytes }: FileFacts): Promise<boolean> {
    return (await stat(join(this.#options.folder, bundlePath(sha256))).catch(() => undefined))?.size === bytes;
  }

  /** Under the name of its hash; what is there already under that name is the same. */
  async #place(bundle: string, file: FileFacts): Promise<void> {
    if (await this.#has(file)) return;
    await flush(bundle);
    await rename(bundle, join(this.#options.folder, bundlePath(file.sha256)));
  }

  async #index(libraries: readonly (CatalogueLibrary & { headings: readonly string[] })[]): Promise<FileFacts> {
    const pages = createHash('sha256')
      .update(
        `${this.#recipe} ${JSON.stringify(libraries.map(({ library, title, description, words, headings }) => [library, title, description, words, headings]))}`,
      )
      .digest('hex');
    const { index } = this.#old;
    if (index !== undefined && index.pages === pages && (await this.#has(index.file))) {
      this.#new.index = index;
      return index.file;
    }
    const folder = await this.#folder();
    const staging = await makeWorkFolder(this.#options.folder);
    try {
      await writeIndexPages(folder, libraries);
      const output = join(staging, 'libraries.sheaf');
      this.#packer ??= await openPacker();
      const inputs = libraries.map(({ library }) => join(folder, libraryPage(library)));
      const what = { library: 'libraries', version: 'latest', output, root: folder, noIgnore: true, urlStyle: 'keep' };
      // Thousands of names are too long for a command line; the folder holds nothing else.
      const all = { ...what, inputs: inputs.length > 100 ? [folder] : inputs, encoder: 'static' };
      await this.#packer.pack(all, { show: 'failures', signal: this.#signal });
      const file = await factsOf(output);
      await this.#place(output, file);
      this.#new.index = { pages, file };
      return file;
    } finally {
      await rm(staging, { recursive: true, force: true, maxRetries: 3 });
      await rm(folder, { recursive: true, force: true, maxRetries: 3 });
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
    return {
      folder,
      signal: this.#signal,
      say: (text) => status(harmless(oneLine(text))),
      warn: (text) => status(harmless(oneLine(text))),
      progress: () => {},
      allowPrivate: this.#options.allowPrivate,
      trusted,
      concurrency: this.#concurrency,
      timeoutMs: this.#timeoutMs,
      env: process.env,
      compareVersions,
    };
  }

  async #folder(): Promise<string> {
    const folder = join(this.#work, String(this.#count++));
    await mkdir(folder);
    return folder;
  }

  async #save(): Promise<void> {
    this.#savedAt = performance.now();
    // What has not been looked at yet stays, should this build be ended here.
    const entries = { ...(this.#isComplete ? {} : this.#old.entries), ...this.#new.entries };
    await writeAtomically(this.#options.state, `${JSON.stringify({ ...this.#new, entries })}\n`, { mode: 0o600 });
  }
}

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
  if ((clean.type === 'npm' || clean.type === 'pypi') && /[\\/].*\.(t?gz|whl|zip)$/i.test(clean.package)) return '';
  return describeSource(clean);
}

const messageOf = (error: unknown): string => harmless(oneLine((error as Error).message ?? String(error)));

async function factsOf(path: string): Promise<FileFacts> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of createReadStream(path)) {
    hash.update(chunk as Buffer);
    bytes += (chunk as Buffer).length;
  }
  return { sha256: hash.digest('hex'), bytes };
}

async function moveOrCopy(from: string, to: string): Promise<void> {
  await link(from, to).catch(async () => {
    const temporary = temporaryName(to);
    await copyFile(from, temporary);
    await rename(temporary, to);
  });
}

// ---- the state ---------------------------------------------------------------------------------------

async function readState(path: string): Promise<State> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { format: 1, entries: {} };
    throw new CliError(EXIT.FAILURE, `${resolve(path)} cannot be read: ${(error as Error).message}.`);
  }
  try {
    const state = JSON.parse(text) as State;
    if (state.format === 1 && typeof state.entries === 'object' && state.entries !== null) return state;
  } catch {
    // said below
  }
  throw new CliError(
    EXIT.FAILURE,
    `${resolve(path)} is not what sheaf catalogue build writes; remove it to fetch everything anew.`,
  );
}
