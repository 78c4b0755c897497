/**
 * Opens a catalogue: fetches its head, decides whether to believe it, and reads libraries from its shards.
 *
 *     pinned key ── signs ──▶ head ── SHA-256 ──▶ shard ── SHA-256 ──▶ bundle
 *                                └── SHA-256 ──▶ index
 *
 * Idea: a client remembers of each catalogue its key, its id and the newest head that it saw (the pin). The key is
 * trusted on first use, or given. A new head counts where that key signed it, or a key that it passed on to; where it is
 * of the same catalogue; where it is no older than what was seen; and until it expires. All else hangs from the head by
 * hashes, so nothing of another head, another catalogue or another hand can be mixed in.
 *
 * Runs in Node and in browsers; whoever opens brings `get` and the primitives. Cost: two requests to open, one for a
 * library.
 */
import {
  bundlePath,
  HEAD,
  HEAD_SIGNATURE,
  isOlderForm,
  keyPath,
  LIMITS,
  objectOf,
  parseHead,
  parseOlderForm,
  parseShard,
  PUBLIC_KEY,
  rotationComment,
  shardOf,
  shardPath,
  type CatalogueLibrary,
  type CatalogueVersion,
  type FileFacts,
  type Head,
} from './format.js';
import { isSignedBy, parsePublicKey, parseSignature, toHex, type Primitives, type PublicKey } from './minisign.js';
import { CatalogueRefusal } from './refusal.js';

/** What is remembered of a catalogue. */
export interface Pin {
  id: string;
  /** The public key's line; '' for a catalogue that is taken unsigned. */
  key: string;
  serial: number;
  created: string;
  /** SHA-256 of the newest head that was seen. */
  head: string;
}

/**
 * Whether what was seen of a catalogue may be remembered in place of `stored`, when it was opened with `opened`. Meanwhile it may
 * have been removed, added anew with a key, or read at a later head: none of that is undone.
 */
export function mayFollow(stored: Pin | undefined, opened: Pin | undefined, seen: Pin | undefined): boolean {
  if (isSamePin(stored, opened) || isSamePin(stored, seen)) return true;
  return (
    stored !== undefined &&
    seen !== undefined &&
    stored.id === seen.id &&
    stored.key === seen.key &&
    stored.serial < seen.serial
  );
}

export function isSamePin(a: Pin | undefined, b: Pin | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return a.id === b.id && a.key === b.key && a.serial === b.serial && a.head === b.head;
}

export interface Opening extends Primitives {
  /**
   * The bytes of a file of the catalogue, or undefined where there is none. `sha256`: it never changes under its name.
   * Errors: it has more than `most` bytes.
   */
  get(path: string, most: number, sha256?: string): Promise<Uint8Array | undefined>;
  pin?: Pin | undefined;
  /** The key that it must have, where the reader knows it from elsewhere. */
  key?: PublicKey | undefined;
  /** Take it without a signature. */
  unsigned?: boolean | undefined;
  now: number;
}

/** Most times that a key may have been passed on since it was pinned. */
const MOST_ROTATIONS = 16;

export async function openCatalogue(opening: Opening): Promise<Catalogue> {
  try {
    return await open(opening);
  } catch (error) {
    // Head and signature are two files: between the writing of one and the other they do not fit.
    if (!(error instanceof CatalogueRefusal) || error.code !== 'BAD_SIGNATURE') throw error;
    return open(opening);
  }
}

async function open(opening: Opening): Promise<Catalogue> {
  const { get, pin, unsigned = false, now } = opening;
  const bytes = await get(HEAD, LIMITS.headBytes);
  if (bytes === undefined) throw new CatalogueRefusal('MISSING', `There is no ${HEAD}; is the address right?`);
  const key = unsigned ? undefined : await keyOf(bytes, opening);
  const fields = objectOf(bytes, HEAD);
  const sha256 = toHex(await opening.sha256(bytes));
  if (isOlderForm(fields)) {
    if (pin !== undefined && pin.serial > 0) throw rollback('it is of the older form, which has no serial number');
    const seen = { id: '', key: key?.text ?? '', serial: 0, created: '', head: sha256 };
    return new Catalogue(opening, undefined, seen, parseOlderForm(fields), String(fields['title'] ?? ''));
  }
  const head = parseHead(fields);
  const { id, serial, created } = head;
  if (pin !== undefined) {
    if (pin.id !== '' && pin.id !== id)
      throw new CatalogueRefusal(
        'OTHER_CATALOGUE',
        `This is another catalogue (${id}) than the one that was added (${pin.id}).`,
      );
    if (serial < pin.serial) throw rollback(`its number is ${serial}, and ${pin.serial} was seen before`);
    if (serial === pin.serial && sha256 !== pin.head) throw rollback(`two different ones have the number ${serial}`);
    if (Date.parse(created) < Date.parse(pin.created)) throw rollback(`it was made ${created}, before ${pin.created}`);
  }
  if (Date.parse(head.expires) <= now)
    throw new CatalogueRefusal(
      'EXPIRED',
      `The catalogue expired ${head.expires}; whoever keeps it should build or sign it again.`,
    );
  return new Catalogue(opening, head, { id, key: key?.text ?? '', serial, created, head: sha256 });
}

function rollback(why: string): CatalogueRefusal {
  return new CatalogueRefusal('ROLLBACK', `The catalogue is older than what was seen of it: ${why}.`);
}

// ---- the key ----------------------------------------------------------------------------------------

/** The key that signed the head, if that is to be trusted. */
async function keyOf(head: Uint8Array, opening: Opening): Promise<PublicKey> {
  const { get, pin } = opening;
  const text = await textOf(get, HEAD_SIGNATURE);
  if (text === undefined)
    throw new CatalogueRefusal(
      'UNSIGNED',
      pin === undefined || pin.key === ''
        ? 'The catalogue has no signature.'
        : 'The catalogue was signed when it was added, and now has no signature.',
    );
  const signature = parseSignature(text);
  const known = pin !== undefined && pin.key !== '' ? parsePublicKey(pin.key) : opening.key;
  let key = known ?? (await firstKey(get));
  if (key.id !== signature.keyId) {
    if (known === undefined)
      throw new CatalogueRefusal('WRONG_KEY', `It is signed by ${signature.keyId}, but ${PUBLIC_KEY} is ${key.id}.`);
    key = await passedOn(known, signature.keyId, pin?.id || idIn(head), opening);
  }
  if (!(await isSignedBy(key, head, signature, opening)))
    throw new CatalogueRefusal('BAD_SIGNATURE', `The catalogue is not what its key ${key.id} signed: it was changed.`);
  return key;
}

async function firstKey(get: Opening['get']): Promise<PublicKey> {
  const text = await textOf(get, PUBLIC_KEY);
  if (text === undefined)
    throw new CatalogueRefusal(
      'UNSIGNED',
      `The catalogue has a signature but no ${PUBLIC_KEY}; give its key with --key.`,
    );
  return parsePublicKey(text);
}

/** The key `id`, by signatures that begin with the known key's, each for this catalogue alone. */
async function passedOn(known: PublicKey, id: string, catalogue: string, opening: Opening): Promise<PublicKey> {
  const { get } = opening;
  const steps: { key: PublicKey; bytes: Uint8Array; signature: ReturnType<typeof parseSignature> }[] = [];
  for (let next = id; next !== known.id; ) {
    if (steps.length === MOST_ROTATIONS) throw badRotation(`more than ${MOST_ROTATIONS} keys lie between`);
    const bytes = await get(keyPath(next), LIMITS.signatureBytes);
    const text = await textOf(get, `${keyPath(next)}.minisig`);
    if (bytes === undefined || text === undefined)
      throw new CatalogueRefusal(
        'WRONG_KEY',
        `The catalogue is signed by ${id}, but its key is ${known.id}, which has not passed on to ${next}.`,
      );
    const key = parsePublicKey(new TextDecoder().decode(bytes));
    if (key.id !== next) throw badRotation(`the file of key ${next} holds another`);
    const signature = parseSignature(text);
    steps.push({ key, bytes, signature });
    next = signature.keyId;
  }
  let key = known;
  for (const step of steps.reverse()) {
    if (!(await isSignedBy(key, step.bytes, step.signature, opening)))
      throw badRotation(`${key.id} did not sign ${step.key.id}`);
    if (step.signature.trustedComment !== rotationComment(catalogue))
      throw badRotation(`${step.key.id} was made a key of something else`);
    key = step.key;
  }
  return key;
}

/** Of a head that nobody has checked yet; it counts only once the key that it leads to has signed it. */
function idIn(head: Uint8Array): string {
  return String(objectOf(head, HEAD)['id']);
}

function badRotation(why: string): CatalogueRefusal {
  return new CatalogueRefusal('BAD_ROTATION', `The catalogue’s new key is not to be trusted: ${why}.`);
}

async function textOf(get: Opening['get'], path: string): Promise<string | undefined> {
  const bytes = await get(path, LIMITS.signatureBytes);
  return bytes === undefined ? undefined : new TextDecoder().decode(bytes);
}

// ---- what is in it ------------------------------------------------------------------------------------

export class Catalogue {
  /** Undefined for the older form. */
  readonly head: Head | undefined;
  /** To be remembered once this was opened. */
  readonly pin: Pin;
  readonly title: string;
  readonly #opening: Opening;
  readonly #all: readonly CatalogueLibrary[];
  readonly #shards = new Map<number, Promise<CatalogueLibrary[]>>();

  constructor(opening: Opening, head: Head | undefined, pin: Pin, all: readonly CatalogueLibrary[] = [], title = '') {
    this.#opening = opening;
    this.head = head;
    this.pin = pin;
    this.#all = all;
    this.title = head?.title ?? title;
  }

  /** How many libraries it says that it has. */
  get size(): number {
    return this.head?.libraries ?? this.#all.length;
  }

  /** Bytes of all shards together. */
  get listBytes(): number {
    return this.head?.shards.reduce((sum, { bytes }) => sum + bytes, 0) ?? 0;
  }

  /** Reads one shard. */
  async library(name: string): Promise<CatalogueLibrary | undefined> {
    const { head } = this;
    const among = head === undefined ? this.#all : await this.#shard(shardOf(name, head.shards.length));
    return among.find(({ library }) => library === name);
  }

  /** Reads every shard. */
  async libraries(): Promise<CatalogueLibrary[]> {
    const { head } = this;
    if (head === undefined) return [...this.#all];
    const all: CatalogueLibrary[] = [];
    for (let at = 0; at < head.shards.length; at++) all.push(...(await this.#shard(at)));
    return all.sort((a, b) => (a.library < b.library ? -1 : 1));
  }

  /** The bundle that finds libraries, checked. */
  async index(): Promise<Uint8Array | undefined> {
    const index = this.head?.index;
    return index === undefined ? undefined : this.#checked(bundlePath(index.sha256), index, 'index');
  }

  /** Where a version's bundle is, relative to the catalogue. */
  pathOf({ sha256, address }: CatalogueVersion): string {
    return this.head === undefined ? (address ?? '') : bundlePath(sha256);
  }

  #shard(at: number): Promise<CatalogueLibrary[]> {
    const shards = (this.head as Head).shards;
    const facts = shards[at] as FileFacts;
    const known =
      this.#shards.get(at) ??
      this.#checked(shardPath(facts.sha256), facts, `shard ${at}`).then((bytes) =>
        parseShard(objectOf(bytes, `shard ${at}`), at, shards.length),
      );
    this.#shards.set(at, known);
    known.catch(() => this.#shards.delete(at));
    return known;
  }

  /** Size and hash are what the head says. */
  async #checked(path: string, { sha256, bytes: size }: FileFacts, what: string): Promise<Uint8Array> {
    const bytes = await this.#opening.get(path, size, sha256);
    if (bytes === undefined)
      throw new CatalogueRefusal('MISSING', `The catalogue’s ${what} is not where it should be.`);
    if (bytes.length !== size || toHex(await this.#opening.sha256(bytes)) !== sha256)
      throw new CatalogueRefusal('TAMPERED', `The catalogue’s ${what} is not the one that its head names.`);
    return bytes;
  }
}
