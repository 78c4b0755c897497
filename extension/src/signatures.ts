/**
 * Hashes and Ed25519 for reading a signed catalogue, of libraries: WebCrypto has Ed25519 only from Chromium 137 on, and the
 * extension runs in older ones.
 */
import { hashes, verify } from '@noble/ed25519';
import { blake2b } from '@noble/hashes/blake2.js';
import { sha256, sha512 } from '@noble/hashes/sha2.js';
import type { Primitives } from '../browser/catalogue/minisign.js';

hashes.sha512 = sha512;

export const BROWSER_PRIMITIVES: Primitives = {
  sha256: (bytes) => sha256(bytes),
  blake2b512: (bytes) => blake2b(bytes, { dkLen: 64 }),
  // By RFC 8032, as OpenSSL and minisign check, not by the laxer ZIP 215.
  ed25519Verify: (key, message, signature) => verify(signature, message, key, { zip215: false }),
};
