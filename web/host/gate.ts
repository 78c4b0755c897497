/**
 * Who may ask a server on this machine: the one judgement of Host, Origin and token, for MCP over HTTP and `sheaf
 * serve`.
 *
 * Idea: a web page that a user visits can send requests to loopback. A page of another site gives itself away by its
 * Origin; one whose name was pointed here (DNS rebinding) by its Host, which then is a name of its own. What is refused
 * with which words and status is each server's own business.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { BlockList, isIP } from 'node:net';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

export interface GateOptions {
  /** What the server listens on, and the names beside localhost that it is reached by. */
  hosts: readonly string[];
  /** Sites whose pages may ask, as `https://docs.example`, or `*`. */
  origins?: readonly string[] | undefined;
  /** When set, requests must carry it as `Authorization: Bearer …`. */
  token?: string | undefined;
  /** Pages of other servers on this machine may ask. */
  loopbackPages?: boolean;
  /** Every numeric address will do as Host: none can be pointed elsewhere. */
  anyAddress?: boolean;
  /** A server bound to every address does not know its names; where a token decides, any will do. */
  anyName?: boolean;
}

export class Gate {
  readonly #options: GateOptions;
  readonly #hosts: ReadonlySet<string>;
  readonly #origins: ReadonlySet<string>;
  readonly #anyName: boolean;

  constructor(options: GateOptions) {
    this.#options = options;
    this.#hosts = new Set(options.hosts.map(plainHost));
    this.#origins = new Set((options.origins ?? []).map((origin) => origin.replace(/\/$/, '').toLowerCase()));
    this.#anyName =
      options.anyName === true &&
      options.token !== undefined &&
      ['0.0.0.0', '::'].some((every) => this.#hosts.has(every));
  }

  /** A Host header; none, or one that is no host, is refused. */
  allowsHost(header: string | undefined): boolean {
    const name = hostNameOf(header);
    return name !== undefined && (this.#anyName || this.#isOwn(name));
  }

  /** An Origin header; none: not a browser. `null`: a page that hides where it comes from. `host`: the Host header. */
  allowsOrigin(header: string | undefined, host?: string): boolean {
    if (header === undefined) return true;
    const origin = header.toLowerCase();
    if (this.#origins.has('*') || this.#origins.has(origin)) return true;
    const url = /^https?:\/\/[^/]+$/.test(origin) && URL.canParse(origin) ? new URL(origin) : undefined;
    if (url === undefined) return false;
    if (this.#options.loopbackPages === true && isLoopback(url.hostname)) return true;
    const name = hostNameOf(host);
    return name !== undefined && this.#isOwn(name) && origin === `http://${host?.toLowerCase()}`; // its own page
  }

  allowsToken(header: string | undefined): boolean {
    const { token } = this.#options;
    return token === undefined || bearsToken(header, token);
  }

  #isOwn(name: string): boolean {
    return isLoopback(name) || this.#hosts.has(name) || (this.#options.anyAddress === true && isIP(name) !== 0);
  }
}

/**
 * Whether a host name or address, with or without brackets, is this machine alone. Names beside localhost are not
 * asked for.
 */
export function isLoopback(host: string): boolean {
  const name = plainHost(host);
  const family = isIP(name);
  return family === 0 ? name === 'localhost' : LOOPBACK.check(name, family === 4 ? 'ipv4' : 'ipv6');
}

/**
 * Lower case, without an IPv6 address's brackets and the root's dot: as it is listened on, and as hosts are compared.
 */
export function plainHost(host: string): string {
  return host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');
}

/** The host in a Host header, without port, see plainHost. undefined: it is no host. Pure. */
export function hostNameOf(header: string | undefined): string | undefined {
  const name = /^(\[[0-9a-f:.]+\]|[^:/@?#\\[\]\s]+)(?::\d{1,5})?$/i.exec(header ?? '')?.[1];
  if (name === undefined || !URL.canParse(`http://${header}`)) return undefined; // 99999 is no port
  return plainHost(name) || undefined;
}

/** Whether an Authorization header bears the token. Compared in equal time. */
export function bearsToken(header: string | undefined, token: string): boolean {
  const given = /^Bearer +(.*\S) *$/i.exec(header ?? '')?.[1];
  if (given === undefined) return false;
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(token)); // of equal length
}
