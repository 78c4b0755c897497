/**
 * Which names and pages may reach the servers on this machine: the single check of Host and Origin, for MCP over HTTP
 * and `sheaf serve`. Tokens are checked after it (web/node/operate/access.ts).
 *
 * Idea: any web page that a user visits can send requests to loopback. Origin gives away a page of another site. Host
 * gives away DNS rebinding, because it then holds the attacker's name. Each server chooses its own status and message
 * for a refusal.
 */
import { BlockList, isIP } from 'node:net';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

export interface GateOptions {
  /** The addresses that the server listens on, and its names besides localhost. */
  hosts: readonly string[];
  /** Origins whose pages may send requests, such as `https://docs.example`, or `*`. */
  origins?: readonly string[] | undefined;
  /** Pages of other servers on this machine may send requests. */
  loopbackPages?: boolean;
  /** Accept any numeric address as Host: DNS cannot rebind an address. */
  anyAddress?: boolean;
  /** Accept any name, where the server is bound to all addresses: it does not know its names. For servers with tokens. */
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
    this.#anyName = options.anyName === true && ['0.0.0.0', '::'].some((every) => this.#hosts.has(every));
  }

  /** Checks a Host header. Refuses a missing or invalid one. */
  allowsHost(header: string | undefined): boolean {
    const name = hostNameOf(header);
    return name !== undefined && (this.#anyName || this.#isOwn(name));
  }

  /** Checks an Origin header. None: not a browser. `null`: a page that hides its origin. `host`: the Host header. */
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

  #isOwn(name: string): boolean {
    return isLoopback(name) || this.#hosts.has(name) || (this.#options.anyAddress === true && isIP(name) !== 0);
  }
}

/**
 * Whether a host name or address, with or without brackets, is loopback. Names other than localhost are not
 * resolved.
 */
export function isLoopback(host: string): boolean {
  const name = plainHost(host);
  const family = isIP(name);
  return family === 0 ? name === 'localhost' : LOOPBACK.check(name, family === 4 ? 'ipv4' : 'ipv6');
}

/**
 * The form that we listen on and compare: lower case, without an IPv6 address's brackets and without a trailing dot.
 */
export function plainHost(host: string): string {
  return host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');
}

/** The host in a Host header, without its port, as by plainHost. undefined: not a valid host. Pure. */
export function hostNameOf(header: string | undefined): string | undefined {
  const name = /^(\[[0-9a-f:.]+\]|[^:/@?#\\[\]\s]+)(?::\d{1,5})?$/i.exec(header ?? '')?.[1];
  if (name === undefined || !URL.canParse(`http://${header}`)) return undefined; // rejects port 99999
  return plainHost(name) || undefined;
}
