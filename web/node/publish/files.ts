/**
 * Writes a catalogue's files: shards, index and head, the head last, so that who reads meanwhile sees the old catalogue or the
 * new one. Files that neither head names are removed then.
 */
import { randomUUID } from 'node:crypto';
import { hashOf } from '../base/hash.js';
import {
  bundlePath,
  HEAD,
  HEAD_SIGNATURE,
  keyPath,
  objectOf,
  parseHead,
  PUBLIC_KEY,
  shardOf,
  shardPath,
  shardsFor,
  type CatalogueLibrary,
  type FileFacts,
  type Head,
} from '../../browser/catalogue/format.js';
import { formatPublicKey, isSignedBy, parseSignature } from '../../browser/catalogue/minisign.js';
import { NODE_PRIMITIVES } from '../catalogue/node.js';
import { publicOf, signBytes, type SecretKey } from '../catalogue/secret_key.js';
import { CatalogueRefusal } from '../../browser/catalogue/refusal.js';
import { CliError, EXIT } from '../base/exit.js';
import { FolderStore, type CatalogueStore } from './store.js';

export interface HeadWishes {
  title: string;
  expiresInDays: number;
  key: SecretKey | undefined;
  now: Date;
}

export interface Written {
  head: Head;
  /** Whether there is a new head. */
  isNew: boolean;
  signed: boolean;
}

/** A head as it lies there. */
export interface KnownHead {
  head: Head;
  bytes: Buffer;
}

const DAY_MS = 24 * 3600 * 1000;

/** The head; undefined where there is none of this form. One that cannot be read is an error: a new one would have another identity. */
export async function readHead(store: CatalogueStore): Promise<KnownHead | undefined> {
  const bytes = await store.read(HEAD);
  if (bytes === undefined) return undefined;
  const fields = objectOf(bytes, HEAD);
  if (fields['sheaf'] === 1)
    throw new CliError(
      EXIT.FAILURE,
      `${store.output}/${HEAD} is a list of another form; build into another folder, or remove it first.`,
    );
  return { head: parseHead(fields), bytes };
}

/**
 * `index`: the bundle of the index, which is in place already, as all bundles are. `before`: the head when the build began.
 * Errors: another build wrote or removed something meanwhile. That is seen but for the instant in which the head is written.
 */
export async function writeCatalogue(
  store: CatalogueStore,
  libraries: readonly CatalogueLibrary[],
  index: FileFacts | undefined,
  before: KnownHead | undefined,
  wishes: HeadWishes,
): Promise<Written> {
  const shards = await writeShards(store, libraries);
  const there = await store.read(HEAD);
  if (there === undefined ? before !== undefined : before === undefined || !there.equals(before.bytes))
    throw overtaken(store, `wrote ${HEAD}`);
  const { title, key, now } = wishes;
  const bundles = libraries.reduce((sum, { versions }) => sum + versions.length, 0);
  const content = { title, libraries: libraries.length, bundles, shards, index };
  const lasts =
    before !== undefined && Date.parse(before.head.expires) - now.getTime() > (wishes.expiresInDays * DAY_MS) / 2;
  const isSame = before !== undefined && lasts && JSON.stringify(contentOf(before.head)) === JSON.stringify(content);
  if (isSame && (await isSigned(store, before.bytes, key)))
    return { head: before.head, isNew: false, signed: key !== undefined };
  const serial = Math.max((before?.head.serial ?? 0) + 1, Math.floor(now.getTime() / 1000));
  const head: Head = {
    id: before?.head.id ?? randomUUID(),
    ...content,
    serial,
    created: now.toISOString(),
    expires: new Date(now.getTime() + wishes.expiresInDays * DAY_MS).toISOString(),
    tables: [],
  };
  await checkBundles(store, libraries, index);
  await writeHead(store, Buffer.from(`${JSON.stringify({ sheaf: 2, ...head })}\n`), head, key);
  await prune(store, filesOf(head, libraries), before?.head);
  return { head, isNew: true, signed: key !== undefined };
}

const contentOf = ({ title, libraries, bundles, shards, index }: Head): Partial<Head> => ({
  title,
  libraries,
  bundles,
  shards,
  index,
});

const overtaken = ({ output }: CatalogueStore, what: string): CliError =>
  new CliError(
    EXIT.FAILURE,
    `Another build into ${output} ${what} meanwhile, so this one wrote no head; run it again when no other one runs.`,
  );

/** Error: a bundle that the head would name is not there, in its size. */
async function checkBundles(
  store: CatalogueStore,
  libraries: readonly CatalogueLibrary[],
  index: FileFacts | undefined,
): Promise<void> {
  await store.list('bundles'); // a store may answer sizes from its last list
  const named = libraries.flatMap(({ library, versions }) =>
    versions.map(({ version, sha256, bytes }) => ({ name: `${library}@${version}`, sha256, bytes })),
  );
  if (index !== undefined) named.push({ name: 'the index', ...index });
  for (const { name, sha256, bytes } of named) {
    const path = bundlePath(sha256);
    if ((await store.size(path)) !== bytes) throw overtaken(store, `removed ${path} (${name})`);
  }
}

/**
 * Where the head cannot be written, key and signature of the one before are put back, so that it still counts. Without a key
 * the signature goes last: it would be one of something else.
 */
async function writeHead(store: CatalogueStore, bytes: Buffer, head: Head, key: SecretKey | undefined): Promise<void> {
  if (key === undefined) {
    await store.write(HEAD, bytes);
    return store.remove(HEAD_SIGNATURE);
  }
  const before: [path: string, content: Buffer | undefined][] = [];
  for (const path of [HEAD_SIGNATURE, PUBLIC_KEY]) before.push([path, await store.read(path)]);
  try {
    await writeSignature(store, bytes, head, key);
    await store.write(HEAD, bytes);
  } catch (error) {
    await putBack(store, before, error as Error);
    throw error;
  }
}

/** Error: that, and why the head was not written. */
async function putBack(
  store: CatalogueStore,
  before: readonly [path: string, content: Buffer | undefined][],
  cause: Error,
): Promise<void> {
  try {
    for (const [path, content] of before) {
      if (content === undefined) await store.remove(path);
      else if ((await store.read(path))?.equals(content) !== true) await store.write(path, content);
    }
  } catch (error) {
    throw new CliError(
      EXIT.FAILURE,
      `${cause.message} The signature of the head before could not be put back, so readers refuse it until the same build succeeds: ${(error as Error).message}`,
    );
  }
}

/** The signature and the public key, beside the head. */
export async function writeSignature(store: CatalogueStore, bytes: Buffer, head: Head, key: SecretKey): Promise<void> {
  await store.write(PUBLIC_KEY, formatPublicKey(publicOf(key)));
  const comment = `sheaf catalogue ${head.id} serial ${head.serial} expires ${head.expires}`;
  await store.write(HEAD_SIGNATURE, signBytes(key, bytes, comment));
}

/** Whether the head is signed by the key, or unsigned where there is none. */
async function isSigned(store: CatalogueStore, bytes: Buffer, key: SecretKey | undefined): Promise<boolean> {
  const text = (await store.read(HEAD_SIGNATURE).catch(() => undefined))?.toString();
  if (key === undefined || text === undefined) return key === undefined;
  try {
    return await isSignedBy(publicOf(key), bytes, parseSignature(text), NODE_PRIMITIVES);
  } catch {
    return false;
  }
}

async function writeShards(store: CatalogueStore, libraries: readonly CatalogueLibrary[]): Promise<FileFacts[]> {
  const count = shardsFor(libraries.length);
  const parts: CatalogueLibrary[][] = Array.from({ length: count }, () => []);
  for (const library of libraries) parts[shardOf(library.library, count)]?.push(library);
  const facts: FileFacts[] = [];
  for (const part of parts) {
    const bytes = Buffer.from(`${JSON.stringify({ sheaf: 2, libraries: part })}\n`);
    const sha256 = hashOf(bytes);
    const path = shardPath(sha256);
    const isThere = (await store.size(path)) === bytes.length && (await store.read(path))?.equals(bytes) === true;
    if (!isThere) await store.write(path, bytes);
    facts.push({ sha256, bytes: bytes.length });
  }
  return facts;
}

// ---- what is no longer named -------------------------------------------------------------------------

function filesOf(head: Head, libraries: readonly CatalogueLibrary[]): Set<string> {
  const bundles = libraries.flatMap(({ versions }) => versions.map(({ sha256 }) => bundlePath(sha256)));
  const index = head.index === undefined ? [] : [bundlePath(head.index.sha256)];
  return new Set([...head.shards.map(({ sha256 }) => shardPath(sha256)), ...bundles, ...index]);
}

/** Readers of the head before may still fetch what that one names, so it stays for one more time. */
async function prune(store: CatalogueStore, named: Set<string>, before: Head | undefined): Promise<void> {
  if (before?.index !== undefined) named.add(bundlePath(before.index.sha256));
  for (const { sha256 } of before?.shards ?? []) {
    named.add(shardPath(sha256));
    const text = (await store.read(shardPath(sha256)))?.toString() ?? '';
    for (const [, hash] of text.matchAll(/"sha256":"([0-9a-f]{64})"/g)) named.add(bundlePath(hash as string));
  }
  for (const [folder, pattern] of [
    ['shards', /^[0-9a-f]{64}\.json$/],
    ['bundles', /^[0-9a-f]{64}\.sheaf$/],
  ] as const)
    for (const name of await store.list(folder))
      if (pattern.test(name) && !named.has(`${folder}/${name}`)) await store.remove(`${folder}/${name}`);
}

/** The new key's file, and the old key's signature of it. */
export async function writeRotation(
  store: CatalogueStore,
  publicKey: { id: string; text: string },
  signature: string,
): Promise<void> {
  await store.write(`${keyPath(publicKey.id)}.minisig`, signature);
  await store.write(keyPath(publicKey.id), formatPublicKey(publicKey));
}

/** The catalogue of a folder. Error: there is none, or it cannot be read. */
export async function headOf(folder: string): Promise<KnownHead & { store: FolderStore }> {
  const store = new FolderStore(folder);
  const found = await readHead(store).catch((error: unknown) => {
    throw error instanceof CatalogueRefusal ? new CliError(EXIT.FAILURE, `${folder}: ${error.message}`) : error;
  });
  if (found === undefined)
    throw new CliError(
      EXIT.NOT_FOUND,
      `${folder} holds no ${HEAD}; make it with: sheaf publish build LIST -o ${folder}`,
    );
  return { ...found, store };
}
