/**
 * Bundles out of the user's catalogues: what brings a catalogue's files (a web address under the guard, or a folder of
 * this machine), and the source `catalogue`, one library of one of them. What may be believed, web/node/catalogue decides.
 *
 * Shards and indexes never change under their names, so they are kept in the user's cache, and checked each time.
 */
import { constants } from 'node:fs';
import { copyFile, mkdir, readdir, readFile, rm, stat, utimes } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';
import { hashFile, hashOf } from '../base/hash.js';
import type { CatalogueLibrary, CatalogueVersion } from '../../browser/catalogue/format.js';
import { addressBelow, HEAD } from '../../browser/catalogue/format.js';
import type { PublicKey } from '../../browser/catalogue/minisign.js';
import { NODE_PRIMITIVES } from '../catalogue/node.js';
import { advancePin, readPins, type AddedCatalogue } from '../catalogue/pins.js';
import { openCatalogue, type Catalogue } from '../../browser/catalogue/reader.js';
import { CatalogueRefusal } from '../../browser/catalogue/refusal.js';
import { open } from '../client/node.js';
import { userFolder } from '../client/paths.js';
import { writeAtomically } from '../base/files.js';
import { isInside } from '../base/paths.js';
import { isLiteralPrivate } from '../net/private_address.js';
import { resolveVersion } from '../store/versions.js';
import { Guard } from './guard.js';
import { Fetcher, statusError } from './http.js';
import { expandPath, isWebAddress } from './local.js';
import { SourceError, type CatalogueSpec, type Fetched, type SourceContext } from './source.js';

const TIMES = { listMs: 60_000, bundleMs: 30 * 60_000 };
const CACHE_BYTES = 512 << 20;

/** The folder's address, for what the user typed: an address or path of the folder, or of its catalogue.json. */
export function catalogueAddress(typed: string): string {
  const text = typed.trim();
  if (/^file:\/\//i.test(text)) return withoutHead(expandPath(text));
  if (!isWebAddress(text) && /^[a-z][a-z0-9+.-]*:\/\//i.test(text))
    throw new SourceError(
      'usage',
      `'${text.slice(0, 200)}' is no address of a catalogue; expected https://… or a folder.`,
    );
  if (!isWebAddress(text)) return withoutHead(expandPath(text));
  if (!URL.canParse(text)) throw new SourceError('usage', `'${text.slice(0, 200)}' is not a URL.`);
  const url = new URL(text);
  if (url.username !== '' || url.password !== '')
    throw new SourceError('usage', 'The address of a catalogue holds no user and no password.');
  url.hash = url.search = '';
  url.pathname = withoutHead(url.pathname).replace(/(?<!\/)\/*$/, '/');
  return url.href;
}

const withoutHead = (path: string): string => path.replace(new RegExp(`[\\\\/]${HEAD.replace('.', '\\.')}$`), '');

type CatalogueAccess = Pick<AddedCatalogue, 'address' | 'insecure' | 'private'>;

/** Brings files of one catalogue. */
export class CatalogueFiles {
  readonly #access: CatalogueAccess;
  readonly #fetcher: Fetcher | undefined;
  readonly #cache: string;

  /** `say` learns what is waited for. */
  constructor(
    access: CatalogueAccess,
    signal: AbortSignal,
    say: (text: string) => void,
    env: NodeJS.ProcessEnv = process.env,
  ) {
    this.#access = access;
    this.#cache = join(userFolder('cache', env), 'sheaf', 'catalogues');
    if (!isWebAddress(access.address)) return;
    this.#fetcher = new Fetcher(new CatalogueGuard(access), signal, say);
  }

  /** See Opening. */
  readonly get = async (path: string, most: number, sha256?: string): Promise<Uint8Array | undefined> => {
    if (this.#fetcher === undefined) return readCapped(this.#local(path), most);
    const kept = sha256 === undefined ? undefined : await this.#kept(sha256, most);
    if (kept !== undefined) return kept;
    // One byte more than allowed shows that there is more.
    const options = { timeoutMs: TIMES.listMs, maxBytes: most + 1, truncate: true };
    const reply = await this.#fetcher.get(this.url(path), options).catch(throwRefusal);
    if (sha256 === undefined && reply.body.length > most)
      throw new CatalogueRefusal('MALFORMED', `${reply.url} is larger than it may be.`);
    if (reply.status === 404 || reply.status === 410) return undefined;
    if (reply.status !== 200) throw statusError(reply.url, reply.status);
    if (sha256 !== undefined && hashOf(reply.body) === sha256) await this.#keep(sha256, reply.body);
    return reply.body;
  };

  /** Saves a bundle; returns its SHA-256. */
  async save(path: string, file: string, most: number): Promise<string> {
    if (this.#fetcher !== undefined)
      return (
        await this.#fetcher
          .save(this.url(path), file, { timeoutMs: TIMES.bundleMs, maxBytes: most })
          .catch(throwRefusal)
      ).sha256;
    const from = this.#local(path);
    const stats = await stat(from).catch(() => undefined);
    if (!stats?.isFile()) throw new SourceError('missing', `${from} is not there.`);
    if (stats.size > most) throw new SourceError('failed', `${from} is larger than the catalogue says.`);
    await copyFile(from, file, constants.COPYFILE_EXCL);
    return hashFile(file);
  }

  url(path: string): string {
    return addressBelow(path, this.#access.address);
  }

  close(): void {
    this.#fetcher?.close();
  }

  /** A path of the older form comes from the list, so it must stay in the folder. */
  #local(path: string): string {
    const { address } = this.#access;
    let below = '';
    try {
      below = resolve(address, decodeURIComponent(path));
    } catch {
      // no path at all: refused below
    }
    if (!isAbsolute(address) || !isInside(below, resolve(address)))
      throw new CatalogueRefusal('MALFORMED', 'The catalogue names a file outside of its folder.');
    return below;
  }

  async #kept(sha256: string, most: number): Promise<Uint8Array | undefined> {
    const file = join(this.#cache, sha256);
    const bytes = await readCapped(file, most).catch(() => undefined);
    if (bytes === undefined) return undefined;
    if (hashOf(bytes) === sha256) {
      await utimes(file, new Date(), new Date()).catch(() => {});
      return bytes;
    }
    await rm(file, { force: true });
    return undefined;
  }

  /** A cache that cannot be written is none. */
  async #keep(sha256: string, bytes: Uint8Array): Promise<void> {
    try {
      await mkdir(this.#cache, { recursive: true });
      await writeAtomically(join(this.#cache, sha256), bytes, { isDurable: false });
      await trim(this.#cache);
    } catch {
      // it is fetched again next time
    }
  }
}

/** A refusal of the guard comes wrapped as a failed request. */
function throwRefusal(error: unknown): never {
  const { cause } = error as Error;
  throw cause instanceof CatalogueRefusal ? cause : error;
}

async function readCapped(file: string, most: number): Promise<Uint8Array | undefined> {
  const stats = await stat(file).catch(() => undefined);
  if (!stats?.isFile()) return undefined;
  if (stats.size > most) throw new CatalogueRefusal('MALFORMED', `${file} is larger than it may be.`);
  return readFile(file);
}

/** Removes what was not used for longest. */
async function trim(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => /^[0-9a-f]{64}$/.test(name));
  const files = await Promise.all(names.map(async (name) => ({ name, ...(await statOf(join(folder, name))) })));
  let all = files.reduce((sum, { bytes }) => sum + bytes, 0);
  for (const { name, bytes } of files.sort((a, b) => a.used - b.used)) {
    if (all <= CACHE_BYTES) break;
    await rm(join(folder, name), { force: true });
    all -= bytes;
  }
}

async function statOf(path: string): Promise<{ bytes: number; used: number }> {
  const stats = await stat(path).catch(() => undefined);
  return { bytes: stats?.size ?? 0, used: stats?.mtimeMs ?? 0 };
}

/** https, also after redirects, unless the user asked for less; this machine may be asked without. */
class CatalogueGuard extends Guard {
  readonly #insecure: boolean;

  constructor({ address, insecure, private: isPrivate }: CatalogueAccess) {
    super(isPrivate, address);
    this.#insecure = insecure;
  }

  override check(url: URL): void {
    if (url.protocol === 'http:' && !this.#insecure && !isLoopbackUrl(url))
      throw new CatalogueRefusal(
        'INSECURE',
        `${url.origin} is refused: a catalogue comes by https. If plain http is meant, add it with --insecure.`,
      );
    super.check(url);
  }
}

function isLoopbackUrl(url: URL): boolean {
  return isLiteralPrivate(url, (address) => /^127\.|^::1$/.test(address));
}

/** Opens one of the user's catalogues, and remembers what was seen of it. */
export async function openAdded(
  added: AddedCatalogue,
  files: CatalogueFiles,
  { env, say }: Pick<SourceContext, 'env' | 'say'>,
): Promise<Catalogue> {
  const { id, key, serial, created, head } = added;
  const pin = { id, key, serial, created, head };
  const opening = { ...NODE_PRIMITIVES, get: files.get, pin, unsigned: key === '', now: Date.now() };
  const catalogue = await openCatalogue(opening);
  // A catalogue that was taken unsigned stays so until it is added anew.
  if (catalogue.pin.head !== head || catalogue.pin.key !== key)
    await advancePin(added.address, pin, catalogue.pin, env).catch((error: unknown) => {
      // A configuration that cannot be written keeps what was known, which is no reason to give no answer.
      say(`The last state seen of ${added.address} is not remembered: ${(error as Error).message}`);
    });
  return catalogue;
}

/** Opens a catalogue that is being added. */
export function openNew(
  files: CatalogueFiles,
  { key, unsigned, pin }: { key?: PublicKey | undefined; unsigned: boolean; pin?: AddedCatalogue | undefined },
): Promise<Catalogue> {
  return openCatalogue({ ...NODE_PRIMITIVES, get: files.get, key, unsigned, pin, now: Date.now() });
}

/** The version that is meant; undefined where the catalogue has none that fits. */
export function versionOf(
  { versions }: CatalogueLibrary,
  wanted: string,
  locked?: string | undefined,
): CatalogueVersion | undefined {
  const names = versions.map(({ version }) => version);
  const meant = resolveVersion(names, wanted === '' ? 'latest' : wanted, locked);
  return versions.find(({ version }) => version === meant);
}

/** A bundle of a catalogue, whose hash its head vouches for. */
export async function fetchFromCatalogue(spec: CatalogueSpec, context: SourceContext): Promise<Fetched> {
  const added = (await readPins(context.env)).find(({ address }) => address === spec.catalogue);
  if (added === undefined)
    throw new SourceError(
      'missing',
      `${spec.catalogue} is none of your catalogues any more; add it again with: sheaf catalogue add ${spec.catalogue}`,
    );
  const files = new CatalogueFiles(added, context.signal, context.say, context.env);
  try {
    const catalogue = await openAdded(added, files, context);
    const library = await catalogue.library(spec.library);
    const version = library === undefined ? undefined : versionOf(library, spec.version);
    if (version === undefined)
      throw new SourceError(
        'missing',
        `${spec.catalogue} has no ${spec.library}${spec.version === '' ? '' : ` ${spec.version}`} any more.`,
      );
    const shared = {
      library: spec.library,
      version: version.version,
      revision: version.sha256,
      root: context.folder,
      inputs: [],
      baseUrl: '',
      urlStyle: 'keep' as const,
      noIgnore: false,
    };
    if (context.known === version.sha256) return { ...shared, unchanged: true };
    context.say(`Fetching ${spec.library} ${version.version} (${version.bytes} bytes) of ${spec.catalogue}`);
    const file = join(context.folder, 'bundle.sheaf');
    const sha256 = await files.save(catalogue.pathOf(version), file, version.bytes);
    if (sha256 !== version.sha256 || (await stat(file)).size !== version.bytes)
      throw new CatalogueRefusal(
        'TAMPERED',
        `The bundle of ${spec.library} ${version.version} is not the one that the catalogue names: its SHA-256 is ${sha256}.`,
      );
    await using bundle = await open(file, { encoder: false, lazy: true });
    await bundle.verify({ signal: context.signal });
    if (bundle.info.library !== spec.library || bundle.info.version !== version.version)
      throw new CatalogueRefusal(
        'TAMPERED',
        `The bundle documents ${bundle.info.library} ${bundle.info.version}, not ${spec.library} ${version.version}.`,
      );
    return { ...shared, bundle: file };
  } catch (error) {
    throw error instanceof CatalogueRefusal
      ? new SourceError('failed', `${error.code}: ${error.message}`, { cause: error })
      : error;
  } finally {
    files.close();
  }
}
