/** What Node brings to reading and signing a catalogue: hashes and Ed25519 of its own crypto. */
import { createHash, createPrivateKey, createPublicKey, sign, verify, type KeyObject } from 'node:crypto';
import type { Primitives } from '../../browser/catalogue/minisign.js';

export const NODE_PRIMITIVES: Primitives = {
  sha256: (bytes) => createHash('sha256').update(bytes).digest(),
  blake2b512: (bytes) => createHash('blake2b512').update(bytes).digest(),
  ed25519Verify: (key, message, signature) => verify(null, message, publicKey(key), signature),
};

const url = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');

function publicKey(key: Uint8Array): KeyObject {
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: url(key) }, format: 'jwk' });
}

/** `secret`: seed and public key, 32 bytes each, as minisign and libsodium keep them. */
export function ed25519Sign(secret: Uint8Array, message: Uint8Array): Uint8Array {
  const [d, x] = [url(secret.subarray(0, 32)), url(secret.subarray(32, 64))];
  return sign(null, message, createPrivateKey({ key: { kty: 'OKP', crv: 'Ed25519', d, x }, format: 'jwk' }));
}
