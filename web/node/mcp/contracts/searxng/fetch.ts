/**
 * One GET of host/guarded_http.ts with a time limit over everything, a cap on the body, at most ten redirects, and no
 * way from a public host into the private network.
 *
 * The first address is the user's own choice and may be private. Once a public host has been spoken to, a
 * redirect to a private address is refused unless that is allowed.
 *
 * Messages are those of the contract: `Failed to fetch {url}: …`, `Timeout while fetching {url}: …`.
 */
import { STATUS_CODES, type IncomingMessage } from 'node:http';
import { get as guardedGet, Guard, HttpFailure, readBody, type GetRequest } from '../../../net/guarded_http.js';

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

/** Rejects with FetchFailure, or with the reason of `signal`. Any status is an answer. */
export async function get(start: URL, limits: FetchLimits): Promise<Fetched> {
  const shown = showUrl(start);
  const timer = new AbortController();
  const timeout = setTimeout(() => timer.abort(), limits.timeoutMs);
  try {
    return await guardedGet(start, request(limits, AbortSignal.any([limits.signal, timer.signal])), (response) =>
      read(response, limits.maxBytes),
    );
  } catch (error) {
    limits.signal.throwIfAborted();
    if (timer.signal.aborted)
      throw new FetchFailure(`Timeout while fetching ${shown}: no answer within ${limits.timeoutMs / 1000} s`);
    const { kind, message } = toRefusal(error);
    throw new FetchFailure(`${kind} ${shown}: ${message}`);
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

function request(limits: FetchLimits, signal: AbortSignal): GetRequest {
  const { allowPrivate, isPrivate, headers } = limits;
  return {
    guard: new Guard({ allowPrivate, fromInside: true, isPrivate, refuse }),
    headers,
    maxRedirects: MAX_REDIRECTS,
    hop: (_, work) => work(signal),
    badRedirect: (location, isTooMany) => {
      if (isTooMany)
        return new Refusal(
          'Too many redirects while fetching',
          `more than ${MAX_REDIRECTS}, the last to ${location.slice(0, 200)}`,
        );
      return notWeb(location);
    },
  };
}

function refuse(url: URL, address: string | undefined): Refusal {
  if (address === undefined) return notWeb(url.href);
  return new Refusal(
    'Unexpected error while fetching',
    `it redirects to ${url.origin}, the private address ${address}; set SHEAF_ALLOW_PRIVATE=1 if that is meant`,
  );
}

function notWeb(location: string): Refusal {
  return new Refusal(
    'Unexpected error while fetching',
    `it redirects to ${location.slice(0, 200)}, which is no http or https address`,
  );
}

async function read(response: IncomingMessage, maxBytes: number): Promise<Fetched> {
  const status = response.statusCode ?? 0;
  const reason = response.statusMessage || STATUS_CODES[status] || 'no reason given';
  const bytes = await readBody(response, maxBytes, () => {
    throw new Refusal('Unexpected error while fetching', `the answer is larger than ${maxBytes / 2 ** 20} MiB`);
  }).catch((error: Error) => {
    throw error instanceof Refusal ? error : new Refusal('Network error while fetching', error.message);
  });
  return { status, reason, contentType: response.headers['content-type'] ?? '', body: new TextDecoder().decode(bytes) };
}

function toRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  if (!(error instanceof HttpFailure))
    return new Refusal('Unexpected error while fetching', error instanceof Error ? error.message : String(error));
  const { code, connected, message } = error;
  if (code.startsWith('HPE_')) return new Refusal('HTTP error while fetching', `400 - ${message}`);
  // A certificate is judged after the connection, and before there is one to speak over.
  if (!connected || /^(ERR_TLS|ERR_SSL|CERT_|DEPTH_|SELF_|UNABLE_|EPROTO)/.test(code))
    return new Refusal('Failed to connect to', message);
  return new Refusal('Network error while fetching', message);
}
