/**
 * The one HTTP client for fetches on a user's behalf (`sheaf add`, the search over SearXNG). GET only; it follows
 * redirects itself and checks each hop before the request. A stranger's list of pages could name the router, a cloud's
 * metadata service or a database on this machine, and so could a redirect or a DNS entry.
 *
 * Idea: we connect to the very address that we checked. The check runs in the connection's own `lookup`, so a name
 * cannot resolve differently in between (no DNS rebinding). That is why this uses node:http and not fetch.
 *
 * Public addresses (private_address.ts) are always allowed. Private ones are allowed
 *   - with `allowPrivate`;
 *   - on the host and port of `own`, if the user typed a literal private address;
 *   - with `fromInside`, until the first public host has answered: private may lead to private, public may not.
 * The caller supplies the error for a refused address. HTTP proxies are not used.
 */
import { decodePercent } from '../../browser/client/percent.js';
import { lookup as resolve, type LookupAddress } from 'node:dns';
import { request as httpRequest, type Agent, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { pipeline, type Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { hostOf, isLiteralPrivate, isPrivateAddress } from './private_address.js';

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

// ---- addresses ------------------------------------------------------------------------------------

export interface GuardOptions {
  allowPrivate: boolean;
  /** An address that the user typed. */
  own?: string | URL | undefined;
  fromInside?: boolean;
  /** The error for a refusal: a private `address`, or undefined for a URL that is neither http nor https. */
  refuse(url: URL, address: string | undefined): Error;
  /** Overrides what counts as private, because tests have no public hosts. */
  isPrivate?: ((address: string) => boolean) | undefined;
}

export class Guard {
  readonly #options: GuardOptions;
  readonly #own: string | undefined;
  readonly #isPrivate: (address: string) => boolean;
  readonly #refused = new WeakSet<object>();
  #inside: boolean;

  constructor(options: GuardOptions) {
    this.#options = options;
    this.#isPrivate = options.isPrivate ?? isPrivateAddress;
    this.#inside = options.fromInside ?? false;
    const own = options.own === undefined || !URL.canParse(String(options.own)) ? undefined : new URL(options.own);
    if (own !== undefined && isLiteralPrivate(own, this.#isPrivate)) this.#own = own.host;
  }

  /** Throws if the URL itself shows that it is not allowed; `lookup` checks the rest. */
  check(url: URL): void {
    if (url.protocol !== 'http:' && url.protocol !== 'https:') throw this.#refuse(url, undefined);
    if (!this.#allows(url) && isLiteralPrivate(url, this.#isPrivate)) throw this.#refuse(url, hostOf(url));
  }

  /** The checking `lookup` for a connection to `url`. */
  lookup(url: URL): LookupFunction {
    const allowed = this.#allows(url);
    return (hostname, options, callback) => {
      resolve(hostname, { ...options, all: true }, (error, found) => {
        const addresses = found as LookupAddress[] | undefined;
        if (error !== null || addresses === undefined || addresses.length === 0) {
          callback(error ?? Object.assign(new Error(`${hostname} has no address`), { code: 'ENOTFOUND' }), '', 0);
          return;
        }
        const bad = allowed ? undefined : addresses.find(({ address }) => this.#isPrivate(address));
        if (bad !== undefined) return callback(this.#refuse(url, bad.address), '', 0);
        if (options.all) return callback(null, addresses as unknown as string);
        const [first] = addresses as [LookupAddress];
        callback(null, first.address, first.family);
      });
    };
  }

  /**
   * Resolves a host for another program, which should connect to exactly these addresses. Errors: a private one.
   * Empty for a numeric address, and for a name that we cannot resolve but that program or its proxy might.
   */
  async checkHost(url: URL): Promise<string[]> {
    const allowed = this.#allows(url);
    if (!allowed && isLiteralPrivate(url, this.#isPrivate)) throw this.#refuse(url, hostOf(url));
    if (isIP(hostOf(url)) !== 0) return [];
    const found = await new Promise<LookupAddress[]>((done) =>
      resolve(hostOf(url), { all: true }, (error, all) => done(error === null ? all : [])),
    );
    const bad = allowed ? undefined : found.find(({ address }) => this.#isPrivate(address));
    if (bad !== undefined) throw this.#refuse(url, bad.address);
    return found.map(({ address }) => address);
  }

  /** Records an address that answered; '' if the connection closed before we could read it. */
  reached(address: string): void {
    if (address === '' || !this.#isPrivate(address)) this.#inside = false;
  }

  /** Whether an error is one of this guard's. */
  threw(error: object): boolean {
    return this.#refused.has(error);
  }

  #refuse(url: URL, address: string | undefined): Error {
    const error = this.#options.refuse(url, address);
    this.#refused.add(error);
    return error;
  }

  #allows(url: URL): boolean {
    return this.#options.allowPrivate || this.#inside || url.host === this.#own;
  }
}

// ---- requests -------------------------------------------------------------------------------------

/** `connected`: it failed after the connection was made. The message is that of the innermost cause. */
export class HttpFailure extends Error {
  readonly connected: boolean;

  constructor(cause: unknown, connected: boolean) {
    super(innermost(cause), { cause });
    this.name = 'HttpFailure';
    this.connected = connected;
  }

  get code(): string {
    return (this.cause as NodeJS.ErrnoException | undefined)?.code ?? '';
  }
}

export interface GetRequest {
  guard: Guard;
  headers: Readonly<Record<string, string>>;
  /** Sent to the start URL's origin until a redirect leaves it. By default the user and password in the start URL. */
  authorization?: string | undefined;
  maxRedirects: number;
  /** Agent by protocol; without it each request opens its own connection. */
  agent?: ((url: URL) => Agent) | undefined;
  /** Wraps each hop and supplies the signal that aborts it. */
  hop<T>(url: URL, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** The error for a redirect to an invalid URL, or for too many redirects. */
  badRedirect(location: string, isTooMany: boolean): Error;
}

/**
 * `use` reads the final answer, whatever its status; `url` is its address after redirects. Errors: those of the
 * guard, of `badRedirect` and of `use`; HttpFailure.
 */
export async function get<T>(
  start: URL,
  request: GetRequest,
  use: (response: IncomingMessage, url: URL) => Promise<T>,
): Promise<T> {
  let url = start;
  let authorization = request.authorization ?? basic(start);
  for (let redirects = 0; ; redirects++) {
    const step = await request.hop(url, async (signal): Promise<{ result: T } | { next: URL }> => {
      const response = await send(url, request, authorization, signal);
      try {
        const location = REDIRECTS.has(response.statusCode ?? 0) ? response.headers.location : undefined;
        if (location === undefined) return { result: await use(response, url) };
        if (redirects === request.maxRedirects || !URL.canParse(location, url))
          throw request.badRedirect(location, redirects === request.maxRedirects);
        return { next: new URL(location, url) };
      } finally {
        response.destroy();
      }
    });
    if ('result' in step) return step.result;
    if (step.next.origin !== url.origin) authorization = undefined;
    url = step.next;
  }
}

async function send(
  url: URL,
  { guard, headers, agent }: GetRequest,
  authorization: string | undefined,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  guard.check(url);
  const options = {
    headers: { ...headers, ...(authorization === undefined ? {} : { authorization }) },
    signal,
    agent: agent?.(url) ?? (false as const),
    lookup: guard.lookup(url),
  };
  return new Promise((done, reject) => {
    let connected = false;
    const request = (url.protocol === 'https:' ? httpsRequest : httpRequest)(withoutLogin(url), options, (response) => {
      response.on('error', () => {}); // the reader of the body gets the error
      guard.reached(response.socket.remoteAddress ?? '');
      done(response);
    });
    request.once('socket', (socket) => {
      if (!socket.connecting) connected = true;
      else socket.once('connect', () => (connected = true));
    });
    request.once('error', (error) => reject(guard.threw(error) ? error : new HttpFailure(error, connected)));
    request.end();
  });
}

function withoutLogin(url: URL): URL {
  const clean = new URL(url);
  clean.username = clean.password = '';
  return clean;
}

/** The login of an address as a header; a stray percent sign is itself. */
export function basic({ username, password }: URL): string | undefined {
  if (username === '' && password === '') return undefined;
  return `Basic ${Buffer.from(`${decodePercent(username)}:${decodePercent(password)}`).toString('base64')}`;
}

function innermost(error: unknown): string {
  // Connecting to several addresses fails with an AggregateError, whose own message is empty.
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
  return first instanceof Error
    ? first.message || ((first as NodeJS.ErrnoException).code ?? first.name)
    : String(first);
}

// ---- bodies ---------------------------------------------------------------------------------------

export const ACCEPTED_CODINGS = 'gzip, br';

/**
 * The body with its content coding decoded. Calls `full` when it exceeds `maxBytes`: `full` throws, or the body is
 * truncated.
 */
export async function readBody(response: IncomingMessage, maxBytes: number, full: () => void): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of decoded(response) as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) {
      full();
      chunks.push(chunk.subarray(0, chunk.length - (bytes - maxBytes)));
      break;
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

export function decoded(response: IncomingMessage): Readable {
  const coding = (response.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  if (coding === 'identity' || coding === '') return response;
  const decoder =
    coding === 'br'
      ? createBrotliDecompress()
      : coding === 'gzip' || coding === 'x-gzip'
        ? createGunzip()
        : coding === 'deflate'
          ? createInflate()
          : undefined;
  if (decoder === undefined) throw new Error(`its content coding '${coding.slice(0, 40)}' was not asked for`);
  return pipeline(response, decoder, () => {}); // an error reaches the reader through the decoder
}
