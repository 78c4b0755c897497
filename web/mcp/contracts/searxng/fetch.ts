/**
 * One GET, guarded: a time limit over everything, a cap on the body, at most ten redirects, and no way from
 * a public host into the private network.
 *
 * The first address is the user's own choice and may be private. Once a public host has been spoken to, a
 * redirect to a private address is refused unless that is allowed. The address is judged where the
 * connection is made, so a name that resolves differently the second time gains nothing.
 *
 * Messages are those of the contract: `Failed to fetch {url}: …`, `Timeout while fetching {url}: …`.
 */
import { lookup } from 'node:dns';
import { request as requestHttp, STATUS_CODES, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { hostOf, isLiteralPrivate, isPrivateAddress } from '../../../host/private_address.js';

export interface FetchLimits {
  timeoutMs: number;
  maxBytes: number;
  allowPrivate: boolean;
  headers: Record<string, string>;
  signal: AbortSignal;
  /** What counts as private; by default `isPrivateAddress`. Tests have no public hosts. */
  isPrivate?: (address: string) => boolean;
}

export interface Fetched {
  status: number;
  reason: string;
  contentType: string;
  body: string;
}

/** The message is complete and names the URL. */
export class FetchFailure extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'FetchFailure';
  }
}

const MAX_REDIRECTS = 10;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Rejects with FetchFailure, or with the reason of `signal`. Any status is an answer. */
export async function get(start: URL, limits: FetchLimits): Promise<Fetched> {
  const shown = showUrl(start);
  const timer = new AbortController();
  const timeout = setTimeout(() => timer.abort(), limits.timeoutMs);
  try {
    return await follow(start, limits, AbortSignal.any([limits.signal, timer.signal]));
  } catch (error) {
    limits.signal.throwIfAborted();
    if (timer.signal.aborted) throw new FetchFailure(`Timeout while fetching ${shown}: no answer within ${limits.timeoutMs / 1000} s`);
    if (error instanceof Refusal) throw new FetchFailure(`${error.kind} ${shown}: ${error.message}`);
    throw new FetchFailure(`Unexpected error while fetching ${shown}: ${messageOf(error)}`);
  } finally {
    clearTimeout(timeout);
  }
}

/** A URL without the password that may be in it. */
export function showUrl(url: URL): string {
  if (url.username === '' && url.password === '') return url.href;
  const shown = new URL(url);
  shown.username = '';
  shown.password = '';
  return shown.href;
}

type Kind =
  | 'Failed to connect to'
  | 'Too many redirects while fetching'
  | 'HTTP error while fetching'
  | 'Network error while fetching'
  | 'Unexpected error while fetching';

class Refusal extends Error {
  readonly kind: Kind;

  constructor(kind: Kind, message: string) {
    super(message);
    this.kind = kind;
  }
}

async function follow(start: URL, limits: FetchLimits, signal: AbortSignal): Promise<Fetched> {
  let url = start;
  let guarded = false;
  for (let redirects = 0; ; redirects++) {
    const { response, address } = await send(url, start, { limits, signal, guarded });
    const status = response.statusCode ?? 0;
    const { location } = response.headers;
    if (!REDIRECTS.has(status) || location === undefined) {
      const body = await readBody(response, limits.maxBytes);
      const reason = response.statusMessage || STATUS_CODES[status] || 'no reason given';
      return { status, reason, contentType: response.headers['content-type'] ?? '', body };
    }
    response.destroy();
    if (redirects === MAX_REDIRECTS) throw new Refusal('Too many redirects while fetching', `more than ${MAX_REDIRECTS}, the last to ${location.slice(0, 200)}`);
    guarded ||= !limits.allowPrivate && (address === '' || !(limits.isPrivate ?? isPrivateAddress)(address));
    url = nextUrl(location, url);
  }
}

function nextUrl(location: string, from: URL): URL {
  const url = URL.canParse(location, from) ? new URL(location, from) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new Refusal('Unexpected error while fetching', `it redirects to ${location.slice(0, 200)}, which is no http or https address`);
  }
  return url;
}

interface Sending {
  limits: FetchLimits;
  signal: AbortSignal;
  /** Private addresses are refused. */
  guarded: boolean;
}

function send(url: URL, start: URL, { limits, signal, guarded }: Sending): Promise<{ response: IncomingMessage; address: string }> {
  const host = hostOf(url);
  const inside = limits.isPrivate ?? isPrivateAddress;
  if (guarded && (isIP(host) === 0 ? isLiteralPrivate(url) : inside(host))) return Promise.reject(privateRefusal(url, host));
  const options: RequestOptions = { agent: false, signal, headers: { ...limits.headers, ...credentials(url, start) } };
  if (guarded) options.lookup = guardedLookup(url, inside);
  return new Promise((resolve, reject) => {
    let address = '';
    const request = (url.protocol === 'https:' ? requestHttps : requestHttp)(withoutCredentials(url), options, (response) => resolve({ response, address }));
    request.on('socket', (socket) => socket.on('connect', () => (address = socket.remoteAddress ?? '')));
    request.on('error', (error: NodeJS.ErrnoException) => reject(toRefusal(error, address !== '')));
    request.end();
  });
}

function toRefusal(error: NodeJS.ErrnoException, connected: boolean): Error {
  if (error instanceof Refusal) return error;
  const code = error.code ?? '';
  if (code.startsWith('HPE_')) return new Refusal('HTTP error while fetching', `400 - ${messageOf(error)}`);
  // A certificate is judged after the connection, and before there is one to speak over.
  if (!connected || /^(ERR_TLS|ERR_SSL|CERT_|DEPTH_|SELF_|UNABLE_|EPROTO)/.test(code)) return new Refusal('Failed to connect to', messageOf(error));
  return new Refusal('Network error while fetching', messageOf(error));
}

async function readBody(response: IncomingMessage, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > maxBytes) throw new Refusal('Unexpected error while fetching', `the answer is larger than ${maxBytes / 2 ** 20} MiB`);
      chunks.push(chunk);
    }
  } catch (error) {
    throw error instanceof Refusal ? error : new Refusal('Network error while fetching', messageOf(error));
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}

/** Those of the start URL, for its origin alone. */
function credentials(url: URL, start: URL): Record<string, string> {
  if ((start.username === '' && start.password === '') || url.origin !== start.origin) return {};
  const pair = `${decodeURIComponent(start.username)}:${decodeURIComponent(start.password)}`;
  return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
}

function withoutCredentials(url: URL): URL {
  return new URL(showUrl(url));
}

function guardedLookup(url: URL, inside: (address: string) => boolean): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, options, (error, found: string | { address: string }[], family) => {
      const addresses = typeof found === 'string' ? [found] : (found ?? []).map(({ address }) => address);
      const refused = addresses.find(inside);
      const problem = error ?? (refused === undefined ? null : privateRefusal(url, refused));
      (callback as (error: Error | null, address: unknown, family?: number) => void)(problem, found, family);
    });
  };
}

function privateRefusal(url: URL, address: string): Refusal {
  return new Refusal(
    'Unexpected error while fetching',
    `it redirects to ${url.origin}, the private address ${address}; set SHEAF_ALLOW_PRIVATE=1 if that is meant`,
  );
}

function messageOf(error: unknown): string {
  // Connecting to several addresses fails with a collection, whose own message is empty.
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
  return first instanceof Error ? first.message || ((first as NodeJS.ErrnoException).code ?? first.name) : String(first);
}
