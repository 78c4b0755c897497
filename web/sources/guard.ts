/**
 * Which addresses may be asked. A list of pages written by a stranger could name the router, a cloud's
 * metadata service or a database on this machine, and so could a redirect or a DNS entry.
 *
 * Idea: the address that is judged is the address that is connected to. The resolver's answer is
 * checked in the `lookup` of the connection itself, so a name cannot change its mind in between.
 *
 * Public addresses (host/private_address.ts) are always allowed. Others are allowed with `allowPrivate`, or on the host
 * and port of a literal private address that the user typed.
 */
import { lookup as resolve, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { hostOf, isLiteralPrivate, isPrivateAddress } from '../host/private_address.js';
import { SourceError } from './source.js';

export class Guard {
  readonly #allowPrivate: boolean;
  readonly #own: string | undefined;

  /** `own`: an address that the user typed. */
  constructor(allowPrivate: boolean, own?: string | URL) {
    this.#allowPrivate = allowPrivate;
    const url = own === undefined ? undefined : parse(own);
    if (url !== undefined && isLiteralPrivate(url)) this.#own = url.host;
  }

  /** Throws for what may not be asked, as far as the URL tells; `lookup` judges the rest. */
  check(url: URL): void {
    if (url.protocol !== 'http:' && url.protocol !== 'https:') throw new SourceError('failed', `${url.href} is refused: only http and https addresses are followed.`);
    if (isLiteralPrivate(url) && !this.#allows(url)) throw refused(url, hostOf(url));
  }

  /** For the connection to `url`. */
  lookup(url: URL): LookupFunction {
    const allowed = this.#allows(url);
    return (hostname, options, callback) => {
      resolve(hostname, { ...options, all: true }, (error, found) => {
        const addresses = found as LookupAddress[] | undefined;
        if (error !== null || addresses === undefined || addresses.length === 0) {
          callback(error ?? Object.assign(new Error(`${hostname} has no address`), { code: 'ENOTFOUND' }), '', 0);
          return;
        }
        const bad = allowed ? undefined : addresses.find(({ address }) => isPrivateAddress(address));
        if (bad !== undefined) return callback(refused(url, bad.address) as NodeJS.ErrnoException, '', 0);
        if (options.all) return callback(null, addresses as unknown as string);
        const [first] = addresses as [LookupAddress];
        callback(null, first.address, first.family);
      });
    };
  }

  /** Resolves a host that another program will connect to. Errors: a private address. */
  async checkHost(url: URL): Promise<void> {
    if (this.#allows(url)) return;
    if (isLiteralPrivate(url)) throw refused(url, hostOf(url));
    if (isIP(hostOf(url)) !== 0) return;
    await new Promise<void>((done, fail) => {
      this.lookup(url)(hostOf(url), { all: true }, (error) => (error instanceof SourceError ? fail(error) : done()));
    });
  }

  #allows(url: URL): boolean {
    return this.#allowPrivate || url.host === this.#own;
  }
}

function parse(url: string | URL): URL | undefined {
  try {
    return new URL(url);
  } catch {
    return undefined;
  }
}

function refused(url: URL, address: string): SourceError {
  return new SourceError('failed', `${url.origin} is refused: ${address} is an address of this machine or a private network. If that is meant, add --allow-private.`);
}
