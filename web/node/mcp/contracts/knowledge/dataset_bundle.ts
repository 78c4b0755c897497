/**
 * A dataset's documents as a bundle: each document a page, its texts embedded in our own space.
 *
 *     $XDG_CACHE_HOME/sheaf/datasets/PLACE-CONTENT.sheaf
 *
 * PLACE is a hash of the metadata file's path, CONTENT of its bytes: the same documents are packed once,
 * and changed ones replace them. Pages are written as HTML, which leaves a text as it is: the lines of a
 * chunk of Markdown are joined, so that its `#` no longer marks a heading.
 *
 * Page I of the dataset lies at `I/1000 rounded down`/`I`.html.
 */
import { createHash } from 'node:crypto';
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { canAccess } from '../../../base/files.js';
import type { StoredBundle } from '../../../store/store.js';
import { abortable, throwIfAborted } from '../../../../browser/client/errors.js';
import { cacheFolder, packFolder, withStage } from '../../packing.js';
import { documentsKey, readDocuments, type DocumentFacts, type Documents } from './documents.js';
import type { Dataset } from './manifest.js';

/** Increment when the way pages are written changes. */
const FORMAT = 1;
const PAGES_PER_FOLDER = 1000;

export interface Prepared {
  documents: readonly DocumentFacts[];
  /** Undefined when no document holds text. */
  bundle: StoredBundle | undefined;
}

interface Entry {
  key: string;
  prepared: Promise<Prepared>;
}

export class DatasetBundles {
  readonly #env: NodeJS.ProcessEnv;
  readonly #closing = new AbortController();
  /** By the metadata file's path. */
  readonly #entries = new Map<string, Entry>();

  constructor(env: NodeJS.ProcessEnv) {
    this.#env = env;
  }

  /** Packs on first use and after changes. Concurrent callers share the work; none of them can stop it. */
  async prepare(dataset: Dataset, signal: AbortSignal): Promise<Prepared> {
    const key = await documentsKey(dataset.metadata);
    let entry = this.#entries.get(dataset.metadata);
    if (entry?.key !== key) {
      const prepared = this.#prepareNow(dataset);
      entry = { key, prepared };
      this.#entries.set(dataset.metadata, entry);
      prepared.catch(() => this.#forget(dataset.metadata, key));
    }
    return abortable(entry.prepared, signal);
  }

  /** Removes a bundle that could not be read; the next use packs it again. */
  async discard(dataset: Dataset, bundle: StoredBundle): Promise<void> {
    this.#entries.delete(dataset.metadata);
    await rm(bundle.path, { force: true });
  }

  /** Forgets datasets that no longer exist. */
  retain(datasets: Iterable<Dataset>): void {
    const wanted = new Set([...datasets].map(({ metadata }) => metadata));
    for (const path of this.#entries.keys()) if (!wanted.has(path)) this.#entries.delete(path);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.allSettled([...this.#entries.values()].map(({ prepared }) => prepared));
  }

  #forget(path: string, key: string): void {
    if (this.#entries.get(path)?.key === key) this.#entries.delete(path);
  }

  async #prepareNow(dataset: Dataset): Promise<Prepared> {
    const documents = await readDocuments(dataset.metadata);
    const folder = join(cacheFolder(this.#env), 'datasets');
    const key = hash(dataset.metadata).slice(0, 16);
    const content = hash(`sheaf dataset ${FORMAT} ${documents.hash}`).slice(0, 32);
    const path = join(folder, `${key}-${content}.sheaf`);
    const bundle: StoredBundle = { library: dataset.id, version: content, path, bytes: 0 };
    if (await canAccess(path)) return { documents: documents.facts, bundle };
    const packed = await withStage(folder, (stage) => this.#pack(documents, stage, bundle));
    for (const name of await readdir(folder)) {
      if (name.startsWith(`${key}-`) && name !== basename(path)) await rm(join(folder, name), { force: true });
    }
    return { documents: documents.facts, bundle: packed ? bundle : undefined };
  }

  async #pack(documents: Documents, stage: string, bundle: StoredBundle): Promise<boolean> {
    const pages = join(stage, 'pages');
    const signal = this.#closing.signal;
    for (const [i, { title }] of documents.facts.entries()) {
      throwIfAborted(signal);
      const folder = join(pages, String(Math.floor(i / PAGES_PER_FOLDER)));
      if (i % PAGES_PER_FOLDER === 0) await mkdir(folder, { recursive: true });
      await writeFile(join(folder, `${i}.html`), page(title, documents.contents[i] as string));
    }
    if (documents.facts.length === 0) return false;
    const output = join(stage, 'packed.sheaf');
    const what = { folder: pages, output, library: 'dataset', version: bundle.version, title: bundle.library };
    const packed = await packFolder({ ...what, env: this.#env, signal });
    if (packed !== undefined) await rename(output, bundle.path);
    return packed !== undefined;
  }
}

/** Which document a hit's source path stands for; -1 for none. */
export function documentNumber(source: string): number {
  const match = /^\d+\/(\d{1,9})\.html$/.exec(source);
  return match === null ? -1 : Number(match[1]);
}

function page(title: string, content: string): string {
  const paragraphs = content.split(/\r?\n[ \t]*\r?\n/).filter((text) => text.trim() !== '');
  const body = paragraphs.map((text) => `<p>${escaped(text)}</p>`).join('\n');
  return `<!doctype html><html><head><meta charset="utf-8"><title>${escaped(title)}</title></head><body><main>${body}</main></body></html>\n`;
}

function escaped(text: string): string {
  const plain = text.replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, ' ');
  return plain.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
