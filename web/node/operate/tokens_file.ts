/**
 * The file of `--tokens`: who may ask a server, as names with the hashes of their tokens, and an issuer whose tokens are
 * taken as well. docs/operators.md describes it.
 *
 * A token is 32 random bytes, so that one round of SHA-256 keeps it: there is nothing to guess. An edit counts within a
 * second; while a file cannot be read, what it said before stays.
 *
 * Limits: 1 MiB.
 */
import { randomBytes } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { CliError, EXIT, usageError } from '../base/exit.js';
import { writeAtomically } from '../base/files.js';
import { hashOf } from '../base/hash.js';
import { lock } from '../base/lock.js';
import { oneLine } from '../base/terminal.js';
import { isLoopback } from '../net/gate.js';
import { SCOPES, type Grant, type Identity, type Scope } from './identity.js';

export interface TokenEntry extends Grant {
  name: string;
  /** SHA-256 of the token, in hexadecimal. */
  sha256: string;
  /** Milliseconds; by default it lasts. */
  expires?: number;
}

/** Whose signed tokens (JWT) are taken. */
export interface Issuer extends Omit<Grant, 'scopes'> {
  /** What the tokens state as `iss`, and where clients of MCP get them. */
  issuer: string;
  /** The address of its keys. */
  jwks: string;
  /** What the tokens state as `aud`: this server's own address, as clients reach it. */
  audience: string;
}

export interface Tokens {
  entries: readonly TokenEntry[];
  issuer?: Issuer;
}

const MAX_BYTES = 1024 * 1024;
const LOOK_MS = 1_000;
const LOCK_MS = 10_000;
const NAME = /^[\w.@-]{1,64}$/;

// ---- reading ------------------------------------------------------------------------------------

/** Error: CliError that names the file, the key, and what is allowed. Pure. */
export function parseTokens(text: string, path: string): Tokens {
  const fail = (where: string, what: string): never => {
    throw usageError(`${oneLine(path)}: ${where} ${what}.`);
  };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw usageError(`${oneLine(path)} is not JSON: ${oneLine((error as Error).message)}.`);
  }
  const top = objectOf(value, 'the file', ['tokens', 'issuer'], fail);
  const list = top['tokens'] ?? [];
  if (!Array.isArray(list)) return fail('tokens', 'must be a list');
  const entries = list.map((each: unknown, at) => entryOf(each, `tokens[${at}]`, fail));
  for (const key of ['name', 'sha256'] as const) {
    const seen = new Set<string>();
    for (const entry of entries) {
      if (seen.has(entry[key])) fail('tokens', `has the ${key} ${entry[key]} twice`);
      seen.add(entry[key]);
    }
  }
  if (top['issuer'] === undefined) return { entries };
  return { entries, issuer: issuerOf(top['issuer'], fail) };
}

type Fail = (where: string, what: string) => never;

function objectOf(value: unknown, where: string, keys: readonly string[], fail: Fail): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return fail(where, 'must be an object');
  const other = Object.keys(value).find((key) => !keys.includes(key));
  if (other !== undefined) fail(where, `has the key '${oneLine(other).slice(0, 40)}'; there may be ${keys.join(', ')}`);
  return value as Record<string, unknown>;
}

function entryOf(value: unknown, where: string, fail: Fail): TokenEntry {
  const keys = ['name', 'sha256', 'scopes', 'libraries', 'expires', 'perMinute'];
  const given = objectOf(value, where, keys, fail);
  const { name, sha256, expires, scopes = ['read'] } = given;
  if (typeof name !== 'string' || !NAME.test(name))
    return fail(`${where}.name`, 'must be 1 to 64 letters, digits, or one of . _ - @');
  if (typeof sha256 !== 'string' || !/^[0-9a-f]{64}$/.test(sha256))
    return fail(`${where}.sha256`, 'must be the SHA-256 of the token, 64 digits in small hexadecimal');
  if (!Array.isArray(scopes) || !scopes.every((scope) => SCOPES.includes(scope as Scope)))
    return fail(`${where}.scopes`, `must be a list of ${SCOPES.join(', ')}`);
  const end = expires === undefined ? undefined : readTime(expires);
  if (Number.isNaN(end)) fail(`${where}.expires`, 'must be a day or a time, as 2027-01-31 or 2027-01-31T12:00:00Z');
  return {
    name,
    sha256,
    scopes: scopes as Scope[],
    ...limitsOf(given, where, fail),
    ...(end === undefined ? {} : { expires: end }),
  };
}

function limitsOf(given: Record<string, unknown>, where: string, fail: Fail): Omit<Grant, 'scopes'> {
  const { libraries, perMinute } = given;
  if (libraries !== undefined && !(Array.isArray(libraries) && libraries.every(isPattern)))
    fail(`${where}.libraries`, 'must be a list of names of libraries; a * may stand at the end of a name');
  if (perMinute !== undefined && !(Number.isInteger(perMinute) && (perMinute as number) > 0))
    fail(`${where}.perMinute`, 'must be a whole number above 0');
  return {
    ...(libraries === undefined ? {} : { libraries: libraries as string[] }),
    ...(perMinute === undefined ? {} : { perMinute: perMinute as number }),
  };
}

export function isPattern(text: unknown): text is string {
  return typeof text === 'string' && /^[^*\s]{0,200}\*?$/.test(text) && text !== '';
}

/** Milliseconds; a day begins at midnight UTC. NaN: neither a day nor a time with its zone. Pure. */
export function readTime(value: unknown): number {
  if (typeof value !== 'string') return Number.NaN;
  return /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/.test(value) ? Date.parse(value) : Number.NaN;
}

function issuerOf(value: unknown, fail: Fail): Issuer {
  const given = objectOf(value, 'issuer', ['issuer', 'jwks', 'audience', 'libraries', 'perMinute'], fail);
  const address = (key: string): string => {
    const text = given[key];
    const url = typeof text === 'string' && URL.canParse(text) ? new URL(text) : undefined;
    if (url === undefined || !(url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))))
      return fail(`issuer.${key}`, 'must be an address that begins with https://');
    return text as string;
  };
  return {
    issuer: address('issuer'),
    jwks: address('jwks'),
    audience: address('audience'),
    ...limitsOf(given, 'issuer', fail),
  };
}

/** Error: CliError. */
export async function readTokens(path: string): Promise<Tokens> {
  try {
    if ((await stat(path)).size > MAX_BYTES) throw usageError(`${oneLine(path)} is larger than ${MAX_BYTES} bytes.`);
    return parseTokens(await readFile(path, 'utf8'), path);
  } catch (error) {
    if (error instanceof CliError) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    const why = code === 'ENOENT' ? 'there is no such file; make one with: sheaf token NAME --tokens FILE' : message;
    throw new CliError(EXIT.NOT_FOUND, `The tokens cannot be read from ${oneLine(path)}: ${oneLine(why)}`);
  }
}

/** The file, kept in step with what lies there. */
export class LiveTokens {
  readonly #path: string;
  readonly #complain: (message: string) => void;
  #tokens: Tokens;
  #byHash: ReadonlyMap<string, TokenEntry>;
  #stamp: string;
  #lookedAt = performance.now();

  private constructor(path: string, complain: (message: string) => void, tokens: Tokens, stamp: string) {
    this.#path = path;
    this.#complain = complain;
    this.#stamp = stamp;
    this.#tokens = tokens;
    this.#byHash = byHash(tokens);
  }

  /** `complain` is told of each later version that cannot be read. Error: CliError, as by readTokens. */
  static async open(path: string, complain: (message: string) => void): Promise<LiveTokens> {
    const stamp = await stampOf(path);
    return new LiveTokens(path, complain, await readTokens(path), stamp);
  }

  get issuer(): Issuer | undefined {
    return this.#tokens.issuer;
  }

  /** Whose token it is; undefined: nobody's, or it has expired. */
  async find(token: string): Promise<Identity | undefined> {
    await this.#refresh();
    const entry = this.#byHash.get(hashOf(token));
    return entry === undefined || (entry.expires ?? Infinity) <= Date.now() ? undefined : entry;
  }

  async #refresh(): Promise<void> {
    const now = performance.now();
    if (now - this.#lookedAt < LOOK_MS) return;
    this.#lookedAt = now;
    const stamp = await stampOf(this.#path);
    if (stamp === this.#stamp) return;
    this.#stamp = stamp;
    try {
      this.#tokens = await readTokens(this.#path);
      this.#byHash = byHash(this.#tokens);
    } catch (error) {
      this.#complain(`${(error as Error).message} The tokens of before stay in force.`);
    }
  }
}

function byHash({ entries }: Tokens): ReadonlyMap<string, TokenEntry> {
  return new Map(entries.map((entry) => [entry.sha256, entry]));
}

async function stampOf(path: string): Promise<string> {
  const stats = await stat(path, { bigint: true }).catch(() => undefined);
  return stats === undefined ? 'absent' : `${stats.mtimeNs}:${stats.size}:${stats.ino}`;
}

// ---- writing ------------------------------------------------------------------------------------

export interface NewToken extends Grant {
  name: string;
  /** As the file has it. */
  expires?: string;
}

/** Adds a token to the file, which is made where there is none, and returns it. Error: CliError. */
export async function addToken(
  path: string,
  { name, scopes, libraries, perMinute, expires }: NewToken,
): Promise<string> {
  const release = await lock(`${path}.lock`, AbortSignal.timeout(LOCK_MS));
  try {
    const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return '{ "tokens": [] }';
      throw new CliError(EXIT.FAILURE, `The tokens cannot be read from ${oneLine(path)}: ${error.message}`);
    });
    const { entries } = parseTokens(text, path);
    if (entries.some((entry) => entry.name === name))
      throw usageError(`${oneLine(path)} has a token of the name ${name}. Choose another name, or remove that one.`);
    const token = `sheaf_${randomBytes(32).toString('base64url')}`;
    const added = { name, sha256: hashOf(token), scopes, libraries, expires, perMinute };
    const file = JSON.parse(text) as { tokens?: unknown[] };
    const next = `${JSON.stringify({ ...file, tokens: [...(file.tokens ?? []), added] }, null, 2)}\n`;
    parseTokens(next, path); // the arguments, by the rules of the file
    const before = await stat(path).catch(() => undefined);
    await writeAtomically(path, next, { mode: before?.mode ?? 0o600 });
    return token;
  } finally {
    await release();
  }
}
