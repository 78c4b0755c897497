/**
 * Who may ask a server, and what: no one is asked, one token of the environment, or a file of tokens with an issuer.
 *
 * A refusal says by its status and `WWW-Authenticate` what a client can do, as RFC 6750 and MCP define it: 401 for a
 * token that is missing or not valid, 403 for a scope that it lacks, 429 for too many requests.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Log } from './log.js';
import type { Identity, Scope } from './identity.js';
import { createVerifier, looksSigned, type Verify } from './jwt.js';
import { Rates } from './rate.js';
import { Refusal } from './refusal.js';
import { LiveTokens, type Issuer } from './tokens_file.js';

export interface AccessOptions {
  /** The only token, which may everything. */
  token?: string | undefined;
  /** The path of a file of tokens, in the place of `token`. */
  file?: string | undefined;
}

/** Of RFC 9728, below the origin that clients reach. */
const WELL_KNOWN = '/.well-known/oauth-protected-resource';

export class Access {
  readonly #token: string | undefined;
  readonly #tokens: LiveTokens | undefined;
  readonly #log: Log;
  readonly #rates = new Rates();
  #verifier: { issuer: Issuer; verify: Promise<Verify> } | undefined;

  private constructor(token: string | undefined, tokens: LiveTokens | undefined, log: Log) {
    this.#token = token;
    this.#tokens = tokens;
    this.#log = log;
  }

  /** Error: CliError, about the file. */
  static async open({ token, file }: AccessOptions, log: Log): Promise<Access> {
    return new Access(
      token,
      file === undefined ? undefined : await LiveTokens.open(file, (text) => log('warn', text)),
      log,
    );
  }

  /** Whether requests need a token. */
  get isGuarded(): boolean {
    return this.#token !== undefined || this.#tokens !== undefined;
  }

  /** Who asks; undefined where nobody is asked for a token. Counts the request against its token. Error: Refusal. */
  async admit(authorization: string | undefined, scope: Scope): Promise<Identity | undefined> {
    if (!this.isGuarded) return undefined;
    const given = bearerOf(authorization);
    const who = given === undefined ? undefined : await this.#find(given);
    if (who === undefined) {
      const message =
        authorization === undefined
          ? 'This server asks for a token, as: Authorization: Bearer TOKEN'
          : 'This token is not one of this server, or it has expired; ask its operator for one, and give it as: Authorization: Bearer TOKEN';
      throw new Refusal(
        401,
        message,
        this.#challenge(authorization === undefined ? undefined : 'invalid_token', scope),
      );
    }
    if (!who.scopes.includes(scope))
      throw new Refusal(
        403,
        `The token of ${who.name} lacks the scope '${scope}'; the server's operator can add it.`,
        this.#challenge('insufficient_scope', scope),
      );
    const wait =
      who.perMinute === undefined ? 0 : this.#rates.take(`${who.isSigned ?? false} ${who.name}`, who.perMinute);
    if (wait > 0)
      throw new Refusal(429, `${who.name} may ask ${who.perMinute} times a minute; ask again in ${wait} s.`, {
        'Retry-After': String(wait),
      });
    return who;
  }

  /** What RFC 9728 says of this server, at these paths; undefined without an issuer. */
  get resource(): { paths: readonly string[]; body: Readonly<Record<string, unknown>> } | undefined {
    const issuer = this.#tokens?.issuer;
    if (issuer === undefined) return undefined;
    return {
      paths: [...new Set([WELL_KNOWN, metadataOf(issuer).pathname])],
      body: {
        resource: issuer.audience,
        authorization_servers: [issuer.issuer],
        scopes_supported: ['read', 'write'],
        bearer_methods_supported: ['header'],
        resource_name: 'Sheaf documentation search',
      },
    };
  }

  async #find(token: string): Promise<Identity | undefined> {
    if (this.#token !== undefined)
      return isSame(token, this.#token) ? { name: 'token', scopes: ['read', 'write', 'metrics'] } : undefined;
    const known = await this.#tokens?.find(token);
    const issuer = this.#tokens?.issuer;
    if (known !== undefined || issuer === undefined || !looksSigned(token)) return known;
    if (this.#verifier?.issuer !== issuer) this.#verifier = { issuer, verify: createVerifier(issuer, this.#log) };
    try {
      return await (await this.#verifier.verify)(token);
    } catch (error) {
      this.#log('error', `The keys at ${issuer.jwks} cannot be read: ${(error as Error).message}`);
      throw new Refusal(
        503,
        'The keys of the issuer cannot be read now, so its tokens cannot be checked; ask again later.',
        {
          'Retry-After': '5',
        },
      );
    }
  }

  #challenge(error: string | undefined, scope: Scope): Record<string, string> {
    const issuer = this.#tokens?.issuer;
    const parts = ['realm="sheaf"'];
    if (error !== undefined) parts.push(`error="${error}"`);
    if (issuer !== undefined) parts.push(`scope="${scope}"`, `resource_metadata="${metadataOf(issuer).href}"`);
    return { 'WWW-Authenticate': `Bearer ${parts.join(', ')}` };
  }
}

/** RFC 9728: the well-known part stands between the host and the path of the resource. Pure. */
function metadataOf({ audience }: Issuer): URL {
  const { origin, pathname } = new URL(audience);
  return new URL(`${WELL_KNOWN}${pathname === '/' ? '' : pathname}`, origin);
}

/** The token of an Authorization header. Pure. */
export function bearerOf(header: string | undefined): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(header ?? '')?.[1];
}

/** Compares in constant time. */
function isSame(given: string, token: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(token)); // digests have equal length
}
