/**
 * Writes a catalogue's folder: shards, index and head, the head last, so that who reads meanwhile sees the old catalogue or the
 * new one. Files that neither head names are removed then.
 */
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
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
} from '../catalogue/format.js';
import { formatPublicKey, isSignedBy, parseSignature } from '../catalogue/minisign.js';
import { NODE_PRIMITIVES } from '../catalogue/node.js';
import { publicOf, signBytes, type SecretKey } from '../catalogue/secret_key.js';
import { CliError, EXIT } from '../host/exit.js';
import { writeAtomically } from '../host/files.js';

export interface HeadWishes {
  title: string;
  expiresInDays: number;
  key: SecretKey | undefined;
  /** For a catalogue whose folder and state were lost. */
  id: string | undefined;
  now: Date;
}

export interface Written {
  head: Head;
  /** Whether there is a new head. */
  isNew: boolean;
  signed: boolean;
}

const DAY_MS = 24 * 3600 * 1000;

/** The head of the folder; undefined where there is none of this form. */
export async function readHead(folder: string): Promise<{ head: Head; bytes: Buffer } | undefined> {
  const bytes = await readFile(join(folder, HEAD)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    // Not taken for a new catalogue: that would have another identity, which all clients refuse.
    throw new CliError(EXIT.FAILURE, `${join(folder, HEAD)} cannot be read: ${error.message}.`);
  });
  if (bytes === undefined) return undefined;
  const fields = objectOf(bytes, HEAD);
  if (fields['sheaf'] === 1)
    throw new CliError(
      EXIT.FAILURE,
      `${join(folder, HEAD)} is the list of sheaf catalogue DIR; build into another folder, or remove it first.`,
    );
  return { head: parseHead(fields), bytes };
}

/** `index`: the bundle of the index, which is in place already, as all bundles are. */
export async function writeCatalogue(
  folder: string,
  libraries: readonly CatalogueLibrary[],
  index: FileFacts | undefined,
  wishes: HeadWishes,
): Promise<Written> {
  const before = await readHead(folder);
  await mkdir(join(folder, 'shards'), { recursive: true });
  const shards = await writeShards(folder, libraries);
  const { title, key, now } = wishes;
  const bundles = libraries.reduce((sum, { versions }) => sum + versions.length, 0);
  const content = { title, libraries: libraries.length, bundles, shards, index };
  const lasts =
    before !== undefined && Date.parse(before.head.expires) - now.getTime() > (wishes.expiresInDays * DAY_MS) / 2;
  const isSame = before !== undefined && lasts && JSON.stringify(contentOf(before.head)) === JSON.stringify(content);
  if (isSame && (await isSigned(folder, before.bytes, key)))
    return { head: before.head, isNew: false, signed: key !== undefined };
  const serial = Math.max((before?.head.serial ?? 0) + 1, Math.floor(now.getTime() / 1000));
  const head: Head = {
    id: before?.head.id ?? wishes.id ?? randomUUID(),
    ...content,
    serial,
    created: now.toISOString(),
    expires: new Date(now.getTime() + wishes.expiresInDays * DAY_MS).toISOString(),
    tables: [],
  };
  await writeHead(folder, Buffer.from(`${JSON.stringify({ sheaf: 2, ...head })}\n`), head, key);
  await prune(folder, filesOf(head, libraries), before?.head);
  return { head, isNew: true, signed: key !== undefined };
}

const contentOf = ({ title, libraries, bundles, shards, index }: Head): Partial<Head> => ({
  title,
  libraries,
  bundles,
  shards,
  index,
});

/** Without a key, the signature of the head before would be one of something else, so it goes. */
async function writeHead(folder: string, bytes: Buffer, head: Head, key: SecretKey | undefined): Promise<void> {
  if (key === undefined) await rm(join(folder, HEAD_SIGNATURE), { force: true });
  else await writeSignature(folder, bytes, head, key);
  await writeAtomically(join(folder, HEAD), bytes);
}

/** The signature and the public key, beside the head. */
export async function writeSignature(folder: string, bytes: Buffer, head: Head, key: SecretKey): Promise<void> {
  await writeAtomically(join(folder, PUBLIC_KEY), formatPublicKey(publicOf(key)));
  const comment = `sheaf catalogue ${head.id} serial ${head.serial} expires ${head.expires}`;
  await writeAtomically(join(folder, HEAD_SIGNATURE), signBytes(key, bytes, comment));
}

/** Whether the head is signed by the key, or unsigned where there is none. */
async function isSigned(folder: string, bytes: Buffer, key: SecretKey | undefined): Promise<boolean> {
  const text = await readFile(join(folder, HEAD_SIGNATURE), 'utf8').catch(() => undefined);
  if (key === undefined || text === undefined) return key === undefined;
  try {
    return await isSignedBy(publicOf(key), bytes, parseSignature(text), NODE_PRIMITIVES);
  } catch {
    return false;
  }
}

async function writeShards(folder: string, libraries: readonly CatalogueLibrary[]): Promise<FileFacts[]> {
  const count = shardsFor(libraries.length);
  const parts: CatalogueLibrary[][] = Array.from({ length: count }, () => []);
  for (const library of libraries) parts[shardOf(library.library, count)]?.push(library);
  const facts: FileFacts[] = [];
  for (const part of parts) {
    const bytes = Buffer.from(`${JSON.stringify({ sheaf: 2, libraries: part })}\n`);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const path = join(folder, shardPath(sha256));
    if ((await stat(path).catch(() => undefined))?.size !== bytes.length) await writeAtomically(path, bytes);
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
async function prune(folder: string, named: Set<string>, before: Head | undefined): Promise<void> {
  if (before?.index !== undefined) named.add(bundlePath(before.index.sha256));
  for (const { sha256 } of before?.shards ?? []) {
    named.add(shardPath(sha256));
    const text = await readFile(join(folder, shardPath(sha256)), 'utf8').catch(() => '');
    for (const [, hash] of text.matchAll(/"sha256":"([0-9a-f]{64})"/g)) named.add(bundlePath(hash as string));
  }
  for (const [place, pattern] of [
    ['shards', /^[0-9a-f]{64}\.json$/],
    ['bundles', /^[0-9a-f]{64}\.sheaf$/],
  ] as const)
    for (const name of await readdir(join(folder, place)).catch(() => []))
      if (pattern.test(name) && !named.has(`${place}/${name}`)) await rm(join(folder, place, name), { force: true });
}

/** The new key's file, and the old key's signature of it. */
export async function writeRotation(
  folder: string,
  publicKey: { id: string; text: string },
  signature: string,
): Promise<void> {
  await mkdir(join(folder, 'keys'), { recursive: true });
  await writeAtomically(join(folder, `${keyPath(publicKey.id)}.minisig`), signature);
  await writeAtomically(join(folder, keyPath(publicKey.id)), formatPublicKey(publicKey));
}
