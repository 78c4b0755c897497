/**
 * Signed tokens (JWT) of a company's issuer, as MCP defines it for a resource server: checked by signature, issuer,
 * audience and time. Nothing is asked of the issuer but its keys, which are kept.
 *
 * Only signatures by key pairs are taken: a shared secret in a list of public keys would let anyone sign.
 */
import { oneLine } from '../base/terminal.js';
import type { Log } from './log.js';
import { SCOPES, type Identity, type Scope } from './identity.js';
import type { Issuer } from './tokens_file.js';

const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];
/** Between our clock and the issuer's. */
const SKEW_SECONDS = 30;
const FETCH_MS = 5_000;

export type Verify = (token: string) => Promise<Identity | undefined>;

export function looksSigned(token: string): boolean {
  return /^[\w-]+\.[\w-]+\.[\w-]+$/.test(token);
}

/** Its result is undefined for a token that is not valid. It rejects where the keys cannot be had. */
export async function createVerifier(issuer: Issuer, log: Log): Promise<Verify> {
  const { createRemoteJWKSet, jwtVerify } = await import('./jose.mjs');
  const keys = createRemoteJWKSet(new URL(issuer.jwks), { timeoutDuration: FETCH_MS });
  return async (token) => {
    const verified = await jwtVerify(token, keys, {
      issuer: issuer.issuer,
      audience: issuer.audience,
      algorithms: ALGORITHMS,
      clockTolerance: SKEW_SECONDS,
      requiredClaims: ['exp', 'sub'],
    }).catch((error: Error & { code?: string }) => {
      // A library error about the token has a code of its own; everything else is about the keys.
      if (error.code === undefined || /^ERR_JWKS_(TIMEOUT|INVALID)$|^ERR_JOSE_GENERIC$/.test(error.code)) throw error;
      log('debug', `A signed token is refused: ${oneLine(error.message)}`);
      return undefined;
    });
    if (verified === undefined) return undefined;
    const { libraries, perMinute } = issuer;
    return {
      name: oneLine(String(verified.payload.sub)).slice(0, 200),
      isSigned: true,
      scopes: scopesOf(verified.payload),
      ...(libraries === undefined ? {} : { libraries }),
      ...(perMinute === undefined ? {} : { perMinute }),
    };
  };
}

/** `scope` is OAuth's text of words; some issuers write `scp`, as a text or a list. */
function scopesOf({ scope, scp }: Record<string, unknown>): Scope[] {
  const given = [scope, scp].flatMap((each) =>
    typeof each === 'string' ? each.split(' ') : Array.isArray(each) ? each : [],
  );
  return SCOPES.filter((each) => given.includes(each));
}
