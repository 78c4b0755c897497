/**
 * BLAKE2b with any length of digest, which Node's OpenSSL does not have: minisign's secret keys hold 32 bytes of it.
 * dist/browser/catalogue/blake2.mjs is made of the line below by scripts/library_bundle.mjs.
 */
export { blake2b } from '@noble/hashes/blake2.js';
