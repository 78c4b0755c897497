/**
 * A registry over HTTP, as the user's settings name it: its address, a login in it, certificates. pip's indexes, crates.io,
 * Go's proxies and Maven's repositories are asked through this.
 *
 * The address is the user's own setting, so it may be a name of a private network, and so may where it leads. A login goes
 * to the registry's own host alone.
 */
import { basic } from '../net/guarded_http.js';
import { Guard } from './guard.js';
import { Fetcher, parseUrl, statusError, type Reply } from './http.js';
import { SourceError, withoutCredentials, type SourceContext } from './source.js';
import { withoutEndSlashes } from '../base/slashes.js';

const TIMES = { textMs: 60_000, archiveMs: 15 * 60_000 };
export const REGISTRY_LIMITS = { textBytes: 64 << 20, archiveBytes: 1 << 30 };

export class Registry {
  /** Without user and password; ends in a slash. */
  readonly url: URL;
  readonly #fetcher: Fetcher;
  readonly #authorization: string | undefined;
  readonly #say: (text: string) => void;

  /** `authorization`: a token, where the settings have one; by default the login in the address. */
  constructor(
    address: string,
    context: Pick<SourceContext, 'allowPrivate' | 'signal' | 'say'>,
    more: { tls?: { ca?: Buffer; cert?: Buffer; key?: Buffer }; authorization?: string | undefined } = {},
  ) {
    const url = parseUrl(`${withoutEndSlashes(address)}/`);
    this.#authorization = more.authorization ?? basic(url);
    url.username = url.password = '';
    this.url = url;
    this.#say = context.say;
    this.#fetcher = new Fetcher(new Guard(context.allowPrivate, url, true), context.signal, context.say, more.tls);
  }

  /** The text at a path below the registry's address, or at an address. undefined: it is not there (404, 410). */
  async text(path: string, accept?: string): Promise<{ text: string; type: string; url: string } | undefined> {
    const reply = await this.#get(path, accept);
    if (reply === undefined) return undefined;
    return { text: reply.body.toString('utf8'), type: String(reply.headers['content-type'] ?? ''), url: reply.url };
  }

  /** As `text`, of what is no text. */
  async bytes(path: string): Promise<Buffer | undefined> {
    return (await this.#get(path))?.body;
  }

  async #get(path: string, accept?: string): Promise<Reply | undefined> {
    const url = new URL(path, this.url);
    const reply = await this.#fetcher.get(url.href, {
      timeoutMs: TIMES.textMs,
      maxBytes: REGISTRY_LIMITS.textBytes,
      ...(accept === undefined ? {} : { accept }),
      ...this.#login(url),
    });
    if (reply.status === 404 || reply.status === 410) return undefined;
    if (reply.status !== 200) throw statusError(url.href, reply.status);
    return reply;
  }

  /** Saves an archive, and returns its SHA-256. Error of the kind `missing`: it is not there. */
  async save(path: string, file: string): Promise<string> {
    const url = new URL(path, this.url);
    this.#say(`Fetching ${withoutCredentials(url.href)}`);
    const options = { timeoutMs: TIMES.archiveMs, maxBytes: REGISTRY_LIMITS.archiveBytes, ...this.#login(url) };
    return (await this.#fetcher.save(url.href, file, options)).sha256;
  }

  close(): void {
    this.#fetcher.close();
  }

  #login(url: URL): { authorization?: string } {
    return this.#authorization === undefined || url.origin !== this.url.origin
      ? {}
      : { authorization: this.#authorization };
  }
}

/** Error: what came is not what the registry says of it. */
export function checkHash(url: string, algorithm: string, found: string, stated: string): void {
  if (found === stated.toLowerCase()) return;
  throw new SourceError('failed', `${url} has ${algorithm} ${found}, but its index says ${stated.slice(0, 128)}`);
}
