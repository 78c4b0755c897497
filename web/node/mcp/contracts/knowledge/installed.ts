/**
 * Every installed bundle as a dataset.
 *
 * Its id depends only on library and version, so that it stays the same whatever else is installed:
 * `vue-3-5-13`. If characters had to be replaced, or the boundary between the two would be ambiguous, a
 * checksum follows: `vue-core-3-5-x1a2b3c4d` for @vue/core 3.5. Plain ids are words, then numbers, and
 * decode unambiguously; they end in a number, ids with a checksum in a word.
 */
import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import type { StoredBundle } from '../../../store/store.js';
import { oneLine } from '../../../base/terminal.js';
import { open } from '../../../client/node.js';
import type { LibraryInfo } from '../../../../browser/client/types.js';
import type { Pool } from '../../tool.js';

const MAX_ID = 64;
const MAX_NAME = 128;
const MAX_DESCRIPTION = 512;

/** `words-and-words 1.2.3`: reads back from its id in one way only. */
const PLAIN_LIBRARY = /^[a-z][a-z0-9]*(-[a-z][a-z0-9]*)*$/;
const PLAIN_VERSION = /^\d+(\.\d+)*$/;

export function datasetId(library: string, version: string, taken: (id: string) => boolean = () => false): string {
  const slug = `${library}-${version}`
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
  const plain = PLAIN_LIBRARY.test(library) && PLAIN_VERSION.test(version) && slug.length <= MAX_ID;
  if (plain && !taken(slug)) return slug;
  const checksum = `-x${createHash('sha256').update(`${library}\0${version}`).digest('hex').slice(0, 8)}`;
  return slug.slice(0, MAX_ID - checksum.length).replace(/-$/, '') + checksum;
}

export interface BundleFacts {
  name: string;
  description: string;
  error?: string;
}

/** How many to open at a time. */
const BATCH = 4;

/** The bundle details for a listing. Opens each file once and reads only its header. */
export class BundleListing {
  readonly #pool: Pick<Pool, 'info'>;
  readonly #facts = new Map<string, { key: string; facts: BundleFacts }>();

  constructor(pool: Pick<Pool, 'info'>) {
    this.#pool = pool;
  }

  async facts(bundles: readonly StoredBundle[]): Promise<BundleFacts[]> {
    const all: BundleFacts[] = [];
    for (let start = 0; start < bundles.length; start += BATCH) {
      all.push(...(await Promise.all(bundles.slice(start, start + BATCH).map((bundle) => this.#one(bundle)))));
    }
    const paths = new Set(bundles.map(({ path }) => path));
    for (const path of this.#facts.keys()) if (!paths.has(path)) this.#facts.delete(path);
    return all;
  }

  async #one(bundle: StoredBundle): Promise<BundleFacts> {
    const known = await this.#pool.info?.(bundle);
    if (known !== undefined) return factsOf(bundle, known);
    const stats = await stat(bundle.path, { bigint: true }).catch(() => undefined);
    const key = stats === undefined ? '' : `${stats.ino}:${stats.size}:${stats.mtimeNs}`;
    const read = this.#facts.get(bundle.path);
    if (read?.key === key) return read.facts;
    const facts = await readFacts(bundle);
    this.#facts.set(bundle.path, { key, facts });
    return facts;
  }
}

async function readFacts(bundle: StoredBundle): Promise<BundleFacts> {
  try {
    const opened = await open(bundle.path, { lazy: true, encoder: false });
    try {
      return factsOf(bundle, opened.info);
    } finally {
      await opened.close();
    }
  } catch (error) {
    return { name: '', description: '', error: oneLine((error as Error).message) };
  }
}

function factsOf({ library, version }: StoredBundle, { manifest, pages }: LibraryInfo): BundleFacts {
  const title = text(manifest['title'], MAX_NAME) || library;
  const own = text(manifest['description'], MAX_DESCRIPTION);
  const counted = `Documentation of ${library} ${version}, ${pages} page${pages === 1 ? '' : 's'}`;
  return { name: cut(`${title} ${version}`, MAX_NAME), description: own || counted };
}

function text(value: unknown, most: number): string {
  return typeof value === 'string' ? cut(oneLine(value), most) : '';
}

function cut(line: string, most: number): string {
  return line.length <= most ? line : `${line.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
