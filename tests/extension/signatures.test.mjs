/** The extension's libraries and Node's own crypto say the same of hashes and signatures. */
import assert from 'node:assert/strict';
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { describe, it } from 'node:test';
import { NODE_PRIMITIVES } from '../../dist/node/catalogue/node.js';
import { BROWSER_PRIMITIVES } from '../../dist/extension/signatures.js';

const hex = (text) => Uint8Array.from(Buffer.from(text, 'hex'));
const both = [NODE_PRIMITIVES, BROWSER_PRIMITIVES];

/** The second test of RFC 8032, 7.1. */
const RFC = {
  key: hex('3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c'),
  message: hex('72'),
  signature: hex(
    '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da' + '085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
  ),
};

/** The order of the group, little-endian: S + L has the same value as S and must be refused. */
const ORDER = hex('edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010');

function plusOrder(signature) {
  const sum = signature.slice();
  let carry = 0;
  for (let i = 0; i < 32; i++) {
    carry += sum[32 + i] + ORDER[i];
    sum[32 + i] = carry & 255;
    carry >>= 8;
  }
  assert.equal(carry, 0);
  return sum;
}

describe('signatures in the extension', () => {
  it("The extension's signatures are checked as RFC 8032 shows", async () => {
    for (const { ed25519Verify } of both) {
      assert.equal(await ed25519Verify(RFC.key, RFC.message, RFC.signature), true);
      assert.equal(await ed25519Verify(RFC.key, hex('73'), RFC.signature), false);
    }
  });

  it("Node's signatures hold in the extension, and none of a changed byte does", async () => {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const key = Uint8Array.from(Buffer.from(publicKey.export({ format: 'jwk' }).x, 'base64url'));
    const message = Uint8Array.from(randomBytes(1000));
    const signature = Uint8Array.from(sign(null, message, privateKey));
    for (const { ed25519Verify } of both) {
      assert.equal(await ed25519Verify(key, message, signature), true);
      for (const at of [0, 31, 32, 63]) {
        const changed = signature.slice();
        changed[at] ^= 1;
        assert.equal(await ed25519Verify(key, message, changed), false, `byte ${at}`);
      }
      assert.equal(
        await ed25519Verify(
          key.map((byte) => byte ^ 1),
          message,
          signature,
        ),
        false,
      );
    }
  });

  it('The extension refuses signatures in a second form, or under a small-order key', async () => {
    const smallOrder = new Uint8Array(32);
    smallOrder[0] = 1;
    const ofAnything = new Uint8Array(64);
    ofAnything[0] = 1;
    for (const { ed25519Verify } of both) {
      assert.equal(await ed25519Verify(RFC.key, RFC.message, plusOrder(RFC.signature)), false);
    }
    assert.equal(await BROWSER_PRIMITIVES.ed25519Verify(smallOrder, RFC.message, ofAnything), false);
  });

  it('Signatures in extension and Node rest on the same hashes', async () => {
    const bytes = Uint8Array.from(randomBytes(5000));
    for (const hash of ['sha256', 'blake2b512'])
      assert.deepEqual(Buffer.from(await BROWSER_PRIMITIVES[hash](bytes)), Buffer.from(await NODE_PRIMITIVES[hash](bytes)), hash);
  });
});
