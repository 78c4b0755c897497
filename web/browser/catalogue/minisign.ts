/**
 * Public keys and signatures in minisign's format, so that `minisign -V` checks what we sign, and signs what we check.
 *
 *     untrusted comment: …                       untrusted comment: …
 *     base64('Ed' key-id(8) key(32))             base64('ED' key-id(8) signature(64))
 *                                                trusted comment: …
 *     (public key)                               base64(signature of signature and trusted comment)
 *
 * 'ED' signs the BLAKE2b-512 of a file; the older 'Ed', which signs the file itself, is refused: one form is enough.
 * Pure but for the primitives, which Node and browsers have from elsewhere.
 */
import { CatalogueRefusal } from './refusal.js';

export interface Primitives {
  sha256(bytes: Uint8Array): Promise<Uint8Array> | Uint8Array;
  blake2b512(bytes: Uint8Array): Uint8Array;
  ed25519Verify(key: Uint8Array, message: Uint8Array, signature: Uint8Array): Promise<boolean> | boolean;
}

export interface PublicKey {
  /** 16 hexadecimal digits, as minisign prints them. */
  id: string;
  key: Uint8Array;
  /** The line that stands for it everywhere: base64 of algorithm, id and key. */
  text: string;
}

export interface Signature {
  keyId: string;
  signature: Uint8Array;
  trustedComment: string;
  global: Uint8Array;
}

const UNTRUSTED = 'untrusted comment: ';
const TRUSTED = 'trusted comment: ';
const MOST_COMMENT = 1024;

/** A public key's file, or its second line alone. */
export function parsePublicKey(text: string): PublicKey {
  const lines = linesOf(text);
  const line = lines.length === 1 ? lines[0] : lines[0]?.startsWith(UNTRUSTED) ? lines[1] : undefined;
  const bytes = line === undefined || lines.length > 2 ? undefined : fromBase64(line);
  if (bytes?.length !== 42 || ascii(bytes.subarray(0, 2)) !== 'Ed')
    throw new CatalogueRefusal('MALFORMED', 'This is no public key of minisign; expected 56 characters such as RWQ….');
  return { id: keyIdOf(bytes.subarray(2, 10)), key: bytes.subarray(10), text: line as string };
}

export function formatPublicKey({ id, text }: Pick<PublicKey, 'id' | 'text'>): string {
  return `${UNTRUSTED}minisign public key ${id}\n${text}\n`;
}

export function parseSignature(text: string): Signature {
  const [comment = '', first = '', trusted = '', last = '', ...more] = linesOf(text);
  const bytes = fromBase64(first);
  const global = fromBase64(last);
  const isSound = comment.startsWith(UNTRUSTED) && trusted.startsWith(TRUSTED) && trusted.length <= MOST_COMMENT;
  if (!isSound || more.length > 0 || bytes?.length !== 74 || global?.length !== 64)
    throw new CatalogueRefusal('BAD_SIGNATURE', 'The signature is not in minisign’s form.');
  if (ascii(bytes.subarray(0, 2)) !== 'ED')
    throw new CatalogueRefusal('BAD_SIGNATURE', 'The signature is of minisign’s older kind; sign without -l.');
  return {
    keyId: keyIdOf(bytes.subarray(2, 10)),
    signature: bytes.subarray(10),
    trustedComment: trusted.slice(TRUSTED.length),
    global,
  };
}

export function formatSignature({ keyId, signature, trustedComment, global }: Signature): string {
  const head = new Uint8Array([...latin('ED'), ...keyIdBytes(keyId), ...signature]);
  return `${UNTRUSTED}signature of a sheaf catalogue\n${toBase64(head)}\n${TRUSTED}${trustedComment}\n${toBase64(global)}\n`;
}

/** Whether the key signed these bytes, and the trusted comment with them. */
export async function isSignedBy(
  { id, key }: PublicKey,
  bytes: Uint8Array,
  { keyId, signature, trustedComment, global }: Signature,
  { blake2b512, ed25519Verify }: Primitives,
): Promise<boolean> {
  if (keyId !== id) return false;
  if (!(await ed25519Verify(key, blake2b512(bytes), signature))) return false;
  return ed25519Verify(key, globalMessage(signature, trustedComment), global);
}

/** What the second signature is of. */
export function globalMessage(signature: Uint8Array, trustedComment: string): Uint8Array {
  return new Uint8Array([...signature, ...new TextEncoder().encode(trustedComment)]);
}

/** Eight bytes, least significant first, as minisign prints them. */
export function keyIdOf(bytes: Uint8Array): string {
  return toHex(new Uint8Array(bytes).reverse()).toUpperCase();
}

export function keyIdBytes(id: string): Uint8Array {
  return new Uint8Array((id.match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16))).reverse();
}

// ---- text and bytes -------------------------------------------------------------------------------

const linesOf = (text: string): string[] => text.replace(/\r?\n$/, '').split(/\r?\n/);
const latin = (text: string): Uint8Array => Uint8Array.from(text, (one) => one.charCodeAt(0));
const ascii = (bytes: Uint8Array): string => String.fromCharCode(...bytes);

export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

export function toBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}

/** Strict base64, or undefined. */
export function fromBase64(text: string): Uint8Array | undefined {
  if (text.length > 4096 || text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return undefined;
  return latin(atob(text));
}
