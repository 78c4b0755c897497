/**
 * Which addresses may be asked. A list of pages written by a stranger could name the router, a cloud's
 * metadata service or a database on this machine, and so could a redirect or a DNS entry.
 *
 * Idea: the address that is judged is the address that is connected to. The resolver's answer is
 * checked in the `lookup` of the connection itself, so a name cannot change its mind in between.
 *
 * Public addresses are always allowed. Others (loopback, private, link-local, carrier-grade NAT,
 * multicast, documentation, reserved) are allowed with `allowPrivate`, or on the host and port of a
 * literal private address that the user typed.
 */
import { lookup as resolve, type LookupAddress } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { SourceError } from './source.js';

const RESERVED4 = new BlockList();
for (const [net, bits] of [
  ['0.0.0.0', 8], ['10.0.0.0', 8], ['100.64.0.0', 10], ['127.0.0.0', 8], ['169.254.0.0', 16], ['172.16.0.0', 12],
  ['192.0.0.0', 24], ['192.0.2.0', 24], ['192.88.99.0', 24], ['192.168.0.0', 16], ['198.18.0.0', 15],
  ['198.51.100.0', 24], ['203.0.113.0', 24], ['224.0.0.0', 4], ['240.0.0.0', 4],
] as const) RESERVED4.addSubnet(net, bits, 'ipv4');

/** Global unicast is 2000::/3, but for these. */
const GLOBAL6 = new BlockList();
GLOBAL6.addSubnet('2000::', 3, 'ipv6');
const RESERVED6 = new BlockList();
for (const [net, bits] of [['2001::', 23], ['2001:db8::', 32], ['2002::', 16], ['3fff::', 20]] as const) RESERVED6.addSubnet(net, bits, 'ipv6');

/** Prefixes whose last 32 bits are an IPv4 address: mapped, and NAT64. */
const EMBEDDED4 = new BlockList();
EMBEDDED4.addSubnet('64:ff9b::', 96, 'ipv6');

/** Whether a numeric address lies outside the public internet. What is no address counts as private. */
export function isPrivateAddress(address: string): boolean {
  const bare = address.replace(/%.*$/, '');
  const family = isIP(bare);
  if (family === 4) return RESERVED4.check(bare, 'ipv4');
  if (family !== 6) return true;
  const mapped = mappedIpv4(bare);
  if (mapped !== undefined) return RESERVED4.check(mapped, 'ipv4');
  return !GLOBAL6.check(bare, 'ipv6') || RESERVED6.check(bare, 'ipv6');
}

/** The IPv4 address within ::ffff:a.b.c.d and 64:ff9b::a.b.c.d, in whatever spelling. */
function mappedIpv4(address: string): string | undefined {
  const host = new URL(`http://[${address}]/`).hostname.slice(1, -1); // canonical: lower case, hexadecimal
  if (!host.startsWith('::ffff:') && !EMBEDDED4.check(address, 'ipv6')) return undefined;
  const groups = /([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(host);
  if (groups === null) return EMBEDDED4.check(address, 'ipv6') ? '0.0.0.0' : undefined;
  const [high, low] = [Number.parseInt(groups[1] as string, 16), Number.parseInt(groups[2] as string, 16)];
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

/** Whether a URL's host is itself, by its letters, an address of this machine or a private network. */
export function isLiteralPrivate(url: URL): boolean {
  const host = hostOf(url);
  if (isIP(host) !== 0) return isPrivateAddress(host);
  return host === 'localhost' || host.endsWith('.localhost');
}

/** Host name without brackets and the root's dot. */
function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '').toLowerCase();
}

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
