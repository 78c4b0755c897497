/**
 * The verifier of signed tokens. dist/node/operate/jose.mjs is made of the line below by scripts/library_bundle.mjs: one
 * file without imports. Only a file of tokens that names an issuer loads it.
 */
export { createRemoteJWKSet, jwtVerify } from 'jose';
