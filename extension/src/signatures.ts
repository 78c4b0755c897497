/**
 * What the browser brings to reading a signed catalogue: Ed25519 of its WebCrypto (Chromium 137, Firefox 129), hashes of a
 * library. A browser without Ed25519 refuses signed catalogues by name; it never takes one unchecked.
 */
import { blake2b } from '@noble/hashes/blake2.js';
import { sha256 } from '@noble/hashes/sha2.js';
import type { Primitives } from '../catalogue/minisign.js';
import { DeskError } from './plain.js';

export const BROWSER_PRIMITIVES: Primitives = {
  sha256: (bytes) => sha256(bytes),
  blake2b512: (bytes) => blake2b(bytes, { dkLen: 64 }),
  async ed25519Verify(key, message, signature) {
    const bytes = (each: Uint8Array): BufferSource => each as Uint8Array<ArrayBuffer>;
    let imported: CryptoKey;
    try {
      imported = await crypto.subtle.importKey('raw', bytes(key), 'Ed25519', false, ['verify']);
    } catch (error) {
      throw new DeskError(
        'BAD_SIGNATURE',
        'This browser cannot check the signature; Chromium 137 and Firefox 129 can.',
        {
          cause: error,
        },
      );
    }
    return crypto.subtle.verify('Ed25519', imported, bytes(signature), bytes(message));
  },
};
