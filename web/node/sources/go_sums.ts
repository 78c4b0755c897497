/**
 * Whether a Go module's zip is the one that everybody else got: by the project's go.sum, else by the checksum database (GOSUMDB).
 *
 *     go.sum has it -> compared, and nobody is asked
 *     else: proxy's /sumdb/NAME/supported -> lookup -> signature -> proof that the record is in the signed tree -> compared
 *
 * The database is a log of records in a Merkle tree (RFC 6962), served as tiles of 256 hashes. Its signed tree and the proof make
 * its words independent of who passes them on, so the proxy is asked for them first, as go does. The database's own host is
 * asked only for modules of the public proxy: another proxy may know names that are nobody else's business.
 *
 * Bounds: texts and tiles by Registry's; a proof takes at most 64 tiles.
 */
import { createHash, createPublicKey, verify } from 'node:crypto';
import { hashZip } from './archive.js';
import { messageOf, SourceError, type SourceContext } from './source.js';
import { Registry } from './registry.js';

export interface Module {
  name: string;
  version: string;
}

/** As go has them; other databases state theirs in GOSUMDB. */
const KEYS: Readonly<Record<string, string>> = {
  'sum.golang.org': 'sum.golang.org+033de0ae+Ac4zctda0e5eza+HJyk9SxEdh+s3Ux18htTTAD8OuAn8',
};

export interface Database {
  name: string;
  /** Where it is, if no proxy passes it on. */
  address: string;
  /** Of the signature: the key's hash, and the key. */
  id: Buffer;
  key: Buffer;
}

/** `NAME`, `NAME+HASH+KEY` and an address; undefined: `off`. Error: there is no key. Pure. */
export function parseDatabase(text: string): Database | undefined {
  const [stated = '', address] = text.trim().split(/\s+/);
  if (stated === 'off') return undefined;
  const known = stated === 'sum.golang.google.cn' ? 'sum.golang.org' : stated;
  const [, name = '', hash = '', key = ''] =
    /^([^\s+]{1,200})\+([0-9a-f]{8})\+([A-Za-z0-9+/=]{44,48})$/.exec(KEYS[known] ?? stated) ?? [];
  const bytes = Buffer.from(key, 'base64');
  const id = sha256(`${name}\n`, bytes).subarray(0, 4);
  // The first byte says Ed25519.
  if (bytes.length !== 33 || bytes[0] !== 1 || id.toString('hex') !== hash)
    throw new SourceError(
      'failed',
      `GOSUMDB is ${stated.slice(0, 100)}, whose key is not known. State it as NAME+HASH+KEY, or set GOSUMDB=off`,
    );
  return { name, address: address ?? `https://${stated === known ? name : stated}`, id, key: bytes.subarray(1) };
}

/**
 * Error: the zip is not what go.sum or the database says. Where neither can be asked, a remark goes to `say`.
 *
 * `stated`: go.sum's hash. `database`: undefined if the user's settings ask none for this module. `proxy` sent the zip.
 */
export async function checkModule(
  file: string,
  module: Module,
  { stated, database, proxy, isPublic }: Sums,
  context: SourceContext,
): Promise<void> {
  const title = `go:${module.name}@${module.version}`;
  if (stated === undefined && database === undefined) return;
  const found = await hashModule(file);
  const refuse = (who: string, wanted: string): never => {
    throw new SourceError(
      'failed',
      `${title}: ${proxy.url.host} sent a zip with the hash ${found}, but ${who} says ${wanted}. Nothing was added`,
    );
  };
  if (stated !== undefined) {
    if (stated !== found) refuse('go.sum', stated);
    return;
  }
  const { name, address } = database as Database;
  let own: Registry | undefined;
  try {
    const isPassedOn = (await proxy.text(`sumdb/${name}/supported`)) !== undefined;
    if (!isPassedOn && !isPublic)
      return context.say(`${proxy.url.host} passes on no ${name}, so the hash of ${title} was not compared.`);
    if (!isPassedOn) own = new Registry(address, context);
    const wanted = await lookUp(own ?? proxy, isPassedOn ? `sumdb/${name}/` : '', module, database as Database);
    if (wanted === undefined) throw new SourceError('failed', `${title}: ${name} does not know it. Nothing was added`);
    if (wanted !== found) refuse(name, wanted);
  } catch (error) {
    context.signal.throwIfAborted();
    if (!(error instanceof SourceError) || error.message.includes(title)) throw error;
    // Nobody was reached: as for a module of which no go.sum speaks. A reply that proves nothing is an error (lookUp).
    context.say(`The hash of ${title} was not compared: ${messageOf(error)}`);
  } finally {
    own?.close();
  }
}

export interface Sums {
  stated: string | undefined;
  database: Database | undefined;
  proxy: Registry;
  isPublic: boolean;
}

/** go's Hash1: of the list of all files with their hashes. */
export async function hashModule(file: string): Promise<string> {
  const lines: Buffer[] = [];
  for await (const { name, sha256: hash } of hashZip(file)) {
    if (name.includes('\n')) throw new SourceError('failed', `${file} holds a file whose name has two lines`);
    lines.push(Buffer.from(name + '\0' + hash));
  }
  const total = createHash('sha256');
  for (const line of lines.sort(Buffer.compare)) {
    const [name = '', hash = ''] = line.toString().split('\0');
    total.update(`${hash}  ${name}\n`);
  }
  return `h1:${total.digest('base64')}`;
}

/** The hashes of modules' zips in go.sum, by `NAME VERSION`. Pure. */
export function parseSums(goSum: string): Map<string, string> {
  const lines = goSum.matchAll(/^(\S+ v[^\s/]+) (h1:[A-Za-z0-9+/=]{44})\r?$/gm);
  return new Map([...lines].map(([, module = '', hash = '']) => [module, hash]));
}

// ---- the database ---------------------------------------------------------------------------------

const RECORD = /^(\d{1,15})\n((?:[^\n]+\n){1,8})\n((?:[^\n]+\n){3,16})\n((?:\u2014 [^\n]+\n?){1,16})$/;

/** What the database says of the module's zip, proved; undefined: it does not know it. */
async function lookUp(
  registry: Registry,
  base: string,
  module: Module,
  database: Database,
): Promise<string | undefined> {
  const path = `${base}lookup/${escapedPath(module.name)}@${escapedPath(module.version)}`;
  const reply = await registry.text(path);
  if (reply === undefined) return undefined;
  const broken = (what: string): never => {
    throw new SourceError('failed', `go:${module.name}@${module.version}: ${reply.url} ${what}. Nothing was added`);
  };
  const [, id = '', text = '', note = '', signatures = ''] =
    RECORD.exec(reply.text) ?? broken('is no record with a signed tree');
  if (!isSigned(note, signatures, database)) broken(`is not signed by ${database.name}`);
  const [heading, size = '', root = ''] = note.split('\n');
  const count = Number(size);
  if (heading !== 'go.sum database tree' || !/^\d{1,13}$/.test(size) || !(Number(id) < count))
    broken('names a record that its tree does not hold');
  const leaf = sha256(Buffer.of(0), text);
  const found = await rootWith(leaf, Number(id), count, async (tile) => registry.bytes(base + tile)).catch(
    (error: unknown) => broken(`cannot be proved: ${messageOf(error)}`),
  );
  if (!found.equals(Buffer.from(root, 'base64'))) broken('is not in the tree that is signed');
  return parseSums(text).get(`${module.name} ${module.version}`) ?? broken('is about another module');
}

/** Ed25519, over the text of the note. Pure. */
function isSigned(note: string, signatures: string, { name, id, key }: Database): boolean {
  const spki = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), key]);
  const publicKey = createPublicKey({ key: spki, format: 'der', type: 'spki' });
  return signatures.split('\n').some((line) => {
    const [, signer, text = ''] = line.split(' ');
    const bytes = Buffer.from(text, 'base64');
    if (signer !== name || bytes.length !== 68 || !bytes.subarray(0, 4).equals(id)) return false;
    return verify(null, Buffer.from(note), publicKey, bytes.subarray(4));
  });
}

const MOST_TILES = 64;

/** The root of a tree of `count` records, of which that with number `id` has the hash `leaf`. `fetch` gets tiles by path. */
export async function rootWith(
  leaf: Buffer,
  id: number,
  count: number,
  fetch: (path: string) => Promise<Buffer | undefined>,
): Promise<Buffer> {
  const tiles = new Map<string, Buffer>();
  async function tile(level: number, index: number): Promise<Buffer> {
    const path = `tile/8/${level}/${numberPath(index)}`;
    const known = tiles.get(path);
    if (known !== undefined) return known;
    if (tiles.size >= MOST_TILES) throw new Error(`the proof needs more than ${MOST_TILES} tiles`);
    const width = Math.min(256, Math.floor(count / 256 ** level) - index * 256);
    // A part of a tile may be gone when the whole is there.
    const bytes = (width < 256 ? await fetch(`${path}.p/${width}`) : undefined) ?? (await fetch(path));
    if (bytes === undefined || bytes.length < width * 32) throw new Error(`${path} is not there`);
    tiles.set(path, bytes);
    return bytes;
  }
  /** The hash of 2 ** height records, from tiles. */
  async function stored(height: number, index: number): Promise<Buffer> {
    const level = Math.floor(height / 8);
    const width = 2 ** (height % 8);
    const first = index * width;
    const bytes = await tile(level, Math.floor(first / 256));
    let row = Array.from({ length: width }, (_, i) =>
      bytes.subarray(((first % 256) + i) * 32, ((first % 256) + i + 1) * 32),
    );
    while (row.length > 1)
      row = Array.from({ length: row.length / 2 }, (_, i) => both(row[2 * i] as Buffer, row[2 * i + 1] as Buffer));
    return row[0] as Buffer;
  }
  async function hashOfRange(begin: number, end: number): Promise<Buffer> {
    const size = end - begin;
    const height = Math.floor(Math.log2(size));
    const isInside = begin <= id && id < end;
    if (isInside && size === 1) return leaf;
    if (!isInside && size === 2 ** height) return stored(height, begin / size);
    const half = size === 2 ** height ? size / 2 : 2 ** height;
    return both(await hashOfRange(begin, begin + half), await hashOfRange(begin + half, end));
  }
  return hashOfRange(0, count);
}

const both = (left: Buffer, right: Buffer): Buffer => sha256(Buffer.of(1), left, right);

/** 1234067 is x001/x234/067. Pure. */
export function numberPath(number: number): string {
  const digits = String(number);
  const parts = digits.padStart(Math.ceil(digits.length / 3) * 3, '0').match(/\d{3}/g) ?? [];
  return parts.map((part, i) => (i < parts.length - 1 ? `x${part}` : part)).join('/');
}

/** As proxies spell it, whose disks may not tell letters by case: `!g` for `G`. Pure. */
export function escapedPath(text: string): string {
  return text
    .replace(/[A-Z]/g, (letter) => `!${letter.toLowerCase()}`)
    .split('/')
    .map(encodeURIComponent)
    .join('/')
    .replaceAll('%40', '@');
}

function sha256(...parts: (Buffer | string)[]): Buffer {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
}
