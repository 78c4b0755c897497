/**
 * Secret keys in minisign's format, and what is signed with them.
 *
 *     untrusted comment: …
 *     base64('Ed' kdf(2) 'B2' salt(32) opslimit(8) memlimit(8) box(104))      box: key-id(8) seed(32) key(32) checksum(32)
 *
 * `kdf` is 'Sc' where a passphrase hides the box under a stream of scrypt's, or zeros where none does. The checksum, 32
 * bytes of BLAKE2b, says whether the passphrase was right.
 */
import { generateKeyPairSync, randomBytes, scryptSync, timingSafeEqual } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { createWhole } from '../base/files.js';
import { blake2b } from '../../browser/catalogue/blake2.mjs';
import { formatSignature, globalMessage, keyIdOf, type PublicKey } from '../../browser/catalogue/minisign.js';
import { ed25519Sign, NODE_PRIMITIVES } from './node.js';

export interface SecretKey {
  id: string;
  /** Seed and public key. */
  secret: Uint8Array;
}

/** As minisign chooses them: a gibibyte of memory for each guess. */
const COST = { opslimit: 33_554_432n, memlimit: 1_073_741_824n };
const MOST_MEMORY = 2 ** 31;
const BOX = 104;

export class KeyError extends Error {}

export function generateKey(): SecretKey {
  const { privateKey } = generateKeyPairSync('ed25519');
  const { d, x } = privateKey.export({ format: 'jwk' });
  const secret = Buffer.concat([Buffer.from(d as string, 'base64url'), Buffer.from(x as string, 'base64url')]);
  return { id: keyIdOf(randomBytes(8)), secret };
}

export function publicOf({ id, secret }: SecretKey): PublicKey {
  const key = secret.subarray(32);
  const text = Buffer.concat([Buffer.from('Ed'), idBytes(id), key]).toString('base64');
  return { id, key, text };
}

const idBytes = (id: string): Buffer => Buffer.from(id, 'hex').reverse();

export function formatSecretKey({ id, secret }: SecretKey, passphrase: string, { opslimit, memlimit } = COST): string {
  const box = Buffer.concat([idBytes(id), secret, checksum(id, secret)]);
  const salt = passphrase === '' ? Buffer.alloc(32) : randomBytes(32);
  const limits = Buffer.alloc(16);
  if (passphrase !== '') {
    limits.writeBigUInt64LE(opslimit, 0);
    limits.writeBigUInt64LE(memlimit, 8);
    xor(box, passphrase, salt, opslimit, memlimit);
  }
  const kdf = passphrase === '' ? Buffer.alloc(2) : Buffer.from('Sc');
  const all = Buffer.concat([Buffer.from('Ed'), kdf, Buffer.from('B2'), salt, limits, box]);
  const comment = passphrase === '' ? 'minisign unencrypted secret key' : 'minisign encrypted secret key';
  return `untrusted comment: ${comment}\n${all.toString('base64')}\n`;
}

/** `passphrase` is asked for only where the key has one. Error: KeyError. */
export async function parseSecretKey(text: string, passphrase: () => Promise<string>): Promise<SecretKey> {
  const line = text.split(/\r?\n/)[1] ?? '';
  const all = Buffer.from(line, 'base64');
  const kdf = all.subarray(2, 4).toString('latin1');
  const isSound =
    all.length === 54 + BOX && all.subarray(0, 2).toString() === 'Ed' && all.subarray(4, 6).toString() === 'B2';
  if (!isSound || (kdf !== 'Sc' && kdf !== '\0\0')) throw new KeyError('it is no secret key of minisign');
  const box = Buffer.from(all.subarray(54));
  if (kdf === 'Sc') xor(box, await passphrase(), all.subarray(6, 38), all.readBigUInt64LE(38), all.readBigUInt64LE(46));
  const [id, secret] = [keyIdOf(box.subarray(0, 8)), box.subarray(8, 72)];
  // minisign writes no checksum into keys without a passphrase.
  const isUnsaid = kdf !== 'Sc' && box.subarray(72).every((byte) => byte === 0);
  if (!isUnsaid && !timingSafeEqual(checksum(id, secret), box.subarray(72)))
    throw new KeyError(kdf === 'Sc' ? 'the passphrase is wrong' : 'it is damaged');
  return { id, secret };
}

function checksum(id: string, secret: Uint8Array): Uint8Array {
  return blake2b(Buffer.concat([Buffer.from('Ed'), idBytes(id), secret]), { dkLen: 32 });
}

function xor(box: Buffer, passphrase: string, salt: Uint8Array, opslimit: bigint, memlimit: bigint): void {
  const { N, r, p } = costOf(Number(opslimit), Number(memlimit));
  if (128 * N * r > MOST_MEMORY) throw new KeyError('it asks for more than 2 GiB of memory to be opened');
  const stream = scryptSync(passphrase, salt, BOX, { N, r, p, maxmem: 128 * N * r + 128 * r * p + 2 ** 20 });
  for (let i = 0; i < BOX; i++) box[i] = (box[i] as number) ^ (stream[i] as number);
}

/** As libsodium's crypto_pwhash_scryptsalsa208sha256 turns its two limits into scrypt's cost. */
function costOf(opslimit: number, memlimit: number): { N: number; r: number; p: number } {
  const r = 8;
  const operations = Math.max(opslimit, 32_768);
  const isShort = operations < memlimit / 32;
  const most = isShort ? operations / (r * 4) : memlimit / (r * 128);
  let log = 1;
  while (log < 40 && 2 ** log <= most / 2) log++;
  const p = isShort ? 1 : Math.max(1, Math.floor(Math.min(operations / 4 / 2 ** log, 0x3fffffff) / r));
  return { N: 2 ** log, r, p };
}

/** Creates the file for this user alone, whole or not at all; false where one is there. */
export function saveSecretKey(path: string, text: string): Promise<boolean> {
  return createWhole(path, text, { mode: 0o600, isDurable: true });
}

/** Error: KeyError, where others may read it too. */
export async function readSecretKey(path: string, passphrase: () => Promise<string>): Promise<SecretKey> {
  const { mode } = await stat(path);
  if (process.platform !== 'win32' && (mode & 0o077) !== 0)
    throw new KeyError('others may read it; take that away with: chmod 600');
  return parseSecretKey(await readFile(path, 'utf8'), passphrase);
}

/** A signature's file, which `minisign -V` accepts. */
export function signBytes({ id, secret }: SecretKey, bytes: Uint8Array, trustedComment: string): string {
  const signature = ed25519Sign(secret, NODE_PRIMITIVES.blake2b512(bytes));
  const global = ed25519Sign(secret, globalMessage(signature, trustedComment));
  return formatSignature({ keyId: id, signature, trustedComment, global });
}
