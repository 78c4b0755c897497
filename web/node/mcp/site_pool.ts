/**
 * The libraries that sites publish, instead of the store's: `sheaf mcp https://docs.example.org/`. Tools get the same Pool
 * and notice nothing.
 *
 * Idea: `sheaf site` puts a bundle and a list of bundles beside a site's pages, and any host serves ranges of them. So the
 * bundle is read where it lies, a few ranges a question, without a copy first. File names carry the hash of the content: a
 * range that was read once is kept on disk and never asked for again.
 *
 * Invariants
 *  1. A site that does not answer takes nothing from the others. One that answered once is served from its last list, and
 *     from what is kept of its bundles, while it is away.
 *  2. No call waits for a second look at a list: it is taken in the background, at most every LOOK_MS.
 *
 * Cost: two requests a site before the first answer, its list and the head of its bundle. What tools pack for themselves
 * stays in files, and goes to the pool of files.
 */
import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { SheafError } from '../../browser/client/errors.js';
import { FetchSource, firstReadOf } from '../../browser/client/fetch_source.js';
import { isLibraryName } from '../../browser/client/names.js';
import type { Source } from '../../browser/client/source.js';
import type { Library } from '../../browser/client/types.js';
import { writeAtomically } from '../base/files.js';
import { oneLine } from '../base/terminal.js';
import { userFolder } from '../client/paths.js';
import { DiskRanges } from '../published/disk_ranges.js';
import { requirePublished } from '../published/find.js';
import { HostedLibrary } from '../published/hosted_library.js';
import { hostFetch } from '../published/host_fetch.js';
import { bundlesIn, siteOf, versionNames, type PublishedBundle } from '../published/list.js';
import { compareText, compareVersions } from '../store/versions.js';
import type { StoredBundle } from '../store/store.js';
import { createPool, type PoolOptions, type RemoteBundle } from './pool.js';
import type { Log, Pool } from './tool.js';

/** How long a list is believed without a look. */
const LOOK_MS = 5 * 60_000;
const MONTH_MS = 30 * 24 * 3600_000;

export interface SitePoolOptions extends PoolOptions {
  /** Folder of what is kept of sites; by default the user's. */
  cache?: string;
  lookMs?: number;
}

/** `sites`: addresses of the user's. */
export function createSitePool(sites: readonly URL[], log: Log, options: SitePoolOptions = {}): Pool {
  return new SitePool(sites, log, options);
}

/** A site as it was last seen. */
interface Seen {
  list: URL;
  bundles: PublishedBundle[];
  library: string;
  version: string;
}

interface Site {
  address: URL;
  fetch: typeof fetch;
  seen: Seen | undefined;
}

class SitePool implements Pool {
  readonly #sites: readonly Site[];
  readonly #log: Log;
  readonly #files: Pool;
  readonly #cache: string;
  readonly #lookMs: number;
  readonly #listeners = new Set<() => void>();
  readonly #remote = new Map<string, { bundle: PublishedBundle; site: Site }>();
  #listed: StoredBundle[] | undefined;
  #loading: Promise<void> | undefined;
  #lookedAt = 0;
  #isClosed = false;

  constructor(sites: readonly URL[], log: Log, options: SitePoolOptions) {
    this.#log = log;
    this.#cache = options.cache ?? join(userFolder('cache'), 'sheaf', 'sites');
    this.#lookMs = options.lookMs ?? LOOK_MS;
    const onWait = (host: string): void => log('info', `Waiting for ${host} …`);
    this.#sites = sites.map((address) => ({ address, fetch: hostFetch({ own: address, onWait }), seen: undefined }));
    const { originOf: _, ...ofFiles } = options; // sites are not in the store
    this.#files = createPool(log, { ...ofFiles, remote: (bundle) => this.#remoteBundle(bundle) });
  }

  async list(): Promise<readonly StoredBundle[]> {
    if (this.#listed === undefined) {
      await this.#load();
      if (this.#listed === undefined) throw new SheafError('CLOSED', 'The server is shutting down.');
    } else if (Date.now() - this.#lookedAt > this.#lookMs) {
      void this.#load().catch((error: unknown) => this.#log('warn', messageOf(error)));
    }
    return this.#listed;
  }

  use<T>(bundle: StoredBundle, work: (library: Library) => Promise<T>): Promise<T> {
    const site = this.#remote.get(bundle.path)?.site;
    if (site?.seen === undefined) return this.#files.use(bundle, work);
    const root = siteOf(site.seen.list);
    return this.#files.use(bundle, (library) => work(new HostedLibrary(library, root)));
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  get memory(): Pool['memory'] {
    return this.#files.memory;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#listeners.clear();
    await this.#files.close();
  }

  /** Error: no site can be read. */
  #load(): Promise<void> {
    this.#loading ??= this.#look().finally(() => (this.#loading = undefined));
    return this.#loading;
  }

  async #look(): Promise<void> {
    await removeOld(this.#cache);
    const failures: unknown[] = [];
    await Promise.all(
      this.#sites.map(async (site) => {
        try {
          site.seen = await this.#see(site);
        } catch (error) {
          site.seen ??= await this.#remembered(site.address);
          failures.push(error);
          const instead = site.seen === undefined ? '' : ' Serving what was last seen of it.';
          if (!this.#isClosed) this.#log('warn', `${oneLine(messageOf(error))}${instead}`);
        }
      }),
    );
    if (this.#isClosed) return;
    if (this.#sites.every(({ seen }) => seen === undefined)) throw failures[0];
    this.#lookedAt = Date.now();
    const before = JSON.stringify(this.#listed);
    this.#listed = this.#bundles();
    if (before !== undefined && before !== JSON.stringify(this.#listed))
      for (const listener of this.#listeners) listener();
  }

  async #see(site: Site): Promise<Seen> {
    const { list, bundles } = await requirePublished(site.address, site.fetch);
    const [first] = bundles as [PublishedBundle];
    this.#remote.set(first.src, { bundle: first, site });
    const nameless = { library: site.address.host, version: '', path: first.src, bytes: 0 };
    const { library, version } = await this.#files.use(nameless, async ({ info }) => info);
    const seen = { list, bundles, library, version };
    await this.#remember(site.address, seen);
    return seen;
  }

  /** Of all sites, by library, newest version first. A library's name that an earlier site has gets its host in front. */
  #bundles(): StoredBundle[] {
    const listed: StoredBundle[] = [];
    const taken = new Set<string>();
    for (const site of this.#sites) {
      if (site.seen === undefined) continue;
      const { bundles, version, library: own } = site.seen;
      const library = taken.has(own) ? `${site.address.hostname}/${own}` : own;
      taken.add(library);
      const names = versionNames(bundles, version);
      for (const [i, bundle] of bundles.entries()) {
        this.#remote.set(bundle.src, { bundle, site });
        listed.push({ library, version: names[i] as string, path: bundle.src, bytes: 0 });
      }
    }
    return listed.sort((a, b) => compareText(a.library, b.library) || compareVersions(b.version, a.version));
  }

  #remoteBundle({ path }: StoredBundle): RemoteBundle | undefined {
    const known = this.#remote.get(path);
    if (known === undefined) return undefined;
    const { bundle, site } = known;
    const sourceOf = (url: string, file: 'bundle' | 'encoder'): Source =>
      new FetchSource(url, {
        fetch: site.fetch,
        first: firstReadOf(file, true),
        kept: (address) => new DiskRanges(this.#cache, address),
      });
    return {
      source: sourceOf(bundle.src, 'bundle'),
      table: () => (bundle.encoder === undefined ? undefined : sourceOf(bundle.encoder, 'encoder')),
    };
  }

  async #remember(address: URL, { list, bundles, library, version }: Seen): Promise<void> {
    try {
      await mkdir(this.#cache, { recursive: true, mode: 0o700 });
      const known = JSON.stringify({ list: list.href, sites: bundles, library, version });
      await writeAtomically(this.#fileOf(address), known, { isDurable: false });
    } catch (error) {
      this.#log('debug', messageOf(error)); // then it must be there the next time
    }
  }

  async #remembered(address: URL): Promise<Seen | undefined> {
    try {
      const text = await readFile(this.#fileOf(address), 'utf8');
      const { list, library, version } = JSON.parse(text) as Record<string, unknown>;
      const at = new URL(String(list));
      const bundles = bundlesIn(text, at);
      if (bundles === undefined || !isLibraryName(String(library))) return undefined;
      return { list: at, bundles, library: String(library), version: String(version) };
    } catch {
      return undefined;
    }
  }

  #fileOf({ href }: URL): string {
    return join(this.#cache, `${createHash('sha256').update(href).digest('hex').slice(0, 32)}.json`);
  }
}

/** What no server has written to for a month. */
async function removeOld(cache: string): Promise<void> {
  for (const name of await readdir(cache).catch(() => [])) {
    const path = join(cache, name);
    const stats = await stat(path).catch(() => undefined);
    if (stats !== undefined && Date.now() - stats.mtimeMs > MONTH_MS)
      await rm(path, { recursive: true, force: true }).catch(() => {});
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
