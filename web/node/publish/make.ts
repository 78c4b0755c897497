/**
 * One bundle of a catalogue: fetch a source, pack it, say what it is about. Here on this machine; `ray.ts` has the
 * same done on a cluster, whose workers call `fetchOrder` and `packOrder` too (worker.ts). So both make the same bytes.
 */
import { copyFile, link, mkdtemp, rename } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { hashFile } from '../base/hash.js';
import { bundlePath, type FileFacts } from '../../browser/catalogue/format.js';
import { CliError, EXIT } from '../base/exit.js';
import { discard, temporaryName } from '../base/leftovers.js';
import { Slots } from '../base/slots.js';
import { openPacker } from '../packer/choose.js';
import type { Packer, Show } from '../packer/packer.js';
import { compareVersions, encodeFileName } from '../store/store.js';
import { harmless, oneLine, status } from '../base/terminal.js';
import {
  fetchSource,
  type Fetched,
  type PackageContent,
  type SourceContext,
  type SourceSpec,
} from '../sources/index.js';
import { describe, type Described } from './about.js';
import type { CatalogueStore } from './store.js';

/** What is the same for all bundles of a build. */
export interface Recipe {
  encoder: string;
  /** What embeds, by docs/embedding-protocol.md. */
  encoderCommand?: string | undefined;
  encoderPrecision?: string | undefined;
  /** In seconds; of a cluster, whose queue is long. */
  encoderTimeout?: number | undefined;
  /** Of the packer; `none` where the cluster keeps vectors. */
  vectorCache?: string | undefined;
  passageSize: number;
  /** Of fetching. */
  concurrency: number;
  timeoutMs: number;
  allowPrivate: boolean;
}

/** One bundle to be made. Plain JSON. */
export interface Order {
  spec: SourceSpec;
  /** The user's own list named the source. */
  trusted: boolean;
  /** Undefined where only the source can tell. */
  library?: string | undefined;
  /** '' where the source says it. */
  version: string;
  title?: string | undefined;
  description?: string | undefined;
  licence?: string | undefined;
  baseUrl?: string | undefined;
}

/** A bundle that is in the store under its hash. */
export interface Made {
  file: FileFacts;
  about: Described;
  /** Of a repository; else ''. */
  commit: string;
  /** A better place for its text could not be read this time. */
  incomplete: boolean;
  /** Of a package: where its pages come from. */
  content?: PackageContent | undefined;
}

export interface Maker {
  /** Errors: those of the source, the packer and the store; `isFatal` ones concern all bundles. */
  make(order: Order): Promise<Made>;
  /** Gives up what is being made: the build has failed. */
  stop?(error: Error): void;
}

/** An error that says that no other bundle can be made either. */
export const isFatal = (error: unknown): boolean => error instanceof Error && 'isFatal' in error;

export function fetchOrder(
  { spec, trusted }: Order,
  { concurrency, timeoutMs, allowPrivate }: Recipe,
  folder: string,
  signal: AbortSignal,
): Promise<Fetched> {
  const say = (text: string): void => status(harmless(oneLine(text)));
  const context: SourceContext = {
    ...{ folder, signal, allowPrivate, trusted, concurrency, timeoutMs, compareVersions },
    say,
    warn: say,
    progress: () => {},
    env: process.env,
  };
  return fetchSource(spec, context);
}

/** Writes the bundle to `output`. */
export async function packOrder(
  order: Order,
  fetched: Fetched,
  recipe: Recipe,
  { output, packer, show, signal }: { output: string; packer: () => Promise<Packer>; show: Show; signal: AbortSignal },
): Promise<Omit<Made, 'file'>> {
  if (fetched.bundle === undefined) {
    const version = order.version === '' ? fetched.version : order.version;
    const library = order.library ?? fetched.library ?? '';
    encodeFileName(library, version); // checks both
    const { root, inputs, noIgnore, urlStyle } = fetched;
    const { encoder, encoderCommand, encoderPrecision, encoderTimeout, vectorCache, passageSize } = recipe;
    // Where the pages lie on this machine is nobody's business.
    const baseUrl = order.baseUrl ?? (fetched.baseUrl.startsWith('file:') ? undefined : fetched.baseUrl || undefined);
    const title = order.title === undefined ? {} : { title: order.title };
    await (await packer()).pack(
      {
        ...{ library, version, output, root, inputs, noIgnore, urlStyle, baseUrl },
        ...{ encoder, encoderCommand, encoderPrecision, encoderTimeout, vectorCache, passageSize, ...title },
      },
      { show, signal },
    );
  } else await linkOrCopy(fetched.bundle, output);
  const about = await describe(output, order, fetched.about);
  // A bundle that somebody packed keeps its own name; only the others are packed under the name of the list.
  if (order.library !== undefined && about.library !== order.library)
    throw new CliError(
      EXIT.FAILURE,
      `the bundle documents ${about.library}, and the list calls it ${order.library}: leave the name out, or name it ${about.library}`,
    );
  const isRepository = order.spec.type === 'git_repo' || fetched.content === 'repository';
  return {
    about,
    commit: isRepository ? (fetched.revision ?? '') : '',
    incomplete: fetched.incomplete ?? false,
    content: fetched.content,
  };
}

export async function factsOf(path: string): Promise<FileFacts> {
  let bytes = 0;
  const sha256 = await hashFile(path, (read) => {
    bytes = read;
  });
  return { sha256, bytes };
}

/**
 * Puts a bundle under the name of its hash. What lies there already under that name may have been cut or changed since, so it
 * is written again.
 */
export async function putBundle(store: CatalogueStore, bundle: string): Promise<FileFacts> {
  const file = await factsOf(bundle);
  const path = bundlePath(file.sha256);
  await store.put(bundle, path);
  return file;
}

async function linkOrCopy(from: string, to: string): Promise<void> {
  await link(from, to).catch(async () => {
    const temporary = temporaryName(to);
    await copyFile(from, temporary);
    await rename(temporary, to);
  });
}

/** Fetches as often as it is asked to; packs at most once a core, since a packer uses all of them where it can. */
export class LocalMaker implements Maker {
  readonly #packing = new Slots(availableParallelism());
  readonly #recipe: Recipe;
  readonly #store: CatalogueStore;
  readonly #work: string;
  readonly #show: Show;
  readonly #signal: AbortSignal;
  #packer: Promise<Packer> | undefined;

  constructor(recipe: Recipe, store: CatalogueStore, work: string, show: Show, signal: AbortSignal) {
    this.#recipe = recipe;
    this.#store = store;
    this.#work = work;
    this.#show = show;
    this.#signal = signal;
  }

  async make(order: Order): Promise<Made> {
    const folder = await mkdtemp(join(this.#work, 'fetched-'));
    try {
      const fetched = await fetchOrder(order, this.#recipe, folder, this.#signal);
      return await this.#packing.run(() => this.#pack(order, fetched));
    } finally {
      await discard(folder);
    }
  }

  async #pack(order: Order, fetched: Fetched): Promise<Made> {
    const staging = await this.#store.staging();
    try {
      const output = join(staging, 'bundle.sheaf');
      const packer = (): Promise<Packer> => {
        this.#packer ??= openPacker();
        return this.#packer;
      };
      const how = { output, packer, show: this.#show, signal: this.#signal };
      const made = await packOrder(order, fetched, this.#recipe, how);
      return { ...made, file: await putBundle(this.#store, output) };
    } finally {
      await discard(staging);
    }
  }
}
