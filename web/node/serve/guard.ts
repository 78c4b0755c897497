/** How `sheaf serve` refuses requests that host/gate.ts does not allow. */
import type { IncomingMessage } from 'node:http';
import { Gate } from '../net/gate.js';

export interface GuardOptions {
  /** The addresses that the server listens on, and its names besides localhost. */
  hosts: readonly string[];
  /** Origins whose pages may send requests, such as `https://docs.example`, or `*`. */
  origins: readonly string[];
  /** When set, requests must carry it as `Authorization: Bearer …`. */
  token: string | undefined;
}

/** Accepts any numeric address as Host, because these servers are also reached through forwarded ports. */
export function gateOf({ hosts, origins, token }: GuardOptions): Gate {
  return new Gate({ hosts, origins, token, anyAddress: true });
}

export type Headers = Readonly<Record<string, string>>;

/** Ends a request with a status other than success. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly headers: Headers = {},
  ) {
    super(message);
    this.name = 'Refusal';
  }
}

/** Runs before anything else is read. `open` requests need no token. Error: Refusal. */
export function admit(request: IncomingMessage, gate: Gate, open: boolean): void {
  const { host, origin, authorization } = request.headers;
  if (!gate.allowsHost(host)) {
    const shown = quote(host ?? '');
    throw new Refusal(
      403,
      `The Host ${shown} is not a name of this server; if it should be, start it with --allow-host`,
    );
  }
  if (!gate.allowsOrigin(origin, host)) {
    const shown = quote(origin ?? '');
    throw new Refusal(403, `Pages of ${shown} may not ask this server; if they should, start it with --allow-origin`);
  }
  if (!open && request.method !== 'OPTIONS' && !gate.allowsToken(authorization)) {
    const message = 'This server asks for a token: Authorization: Bearer TOKEN';
    throw new Refusal(401, message, { 'WWW-Authenticate': 'Bearer' });
  }
}

/** CORS headers for an origin that was allowed. */
export function corsHeaders(request: IncomingMessage, options: GuardOptions): Record<string, string> {
  const { origin } = request.headers;
  if (options.origins.length === 0) return {};
  if (origin === undefined) return { Vary: 'Origin' };
  return {
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Allow-Headers': 'Authorization',
    'Access-Control-Max-Age': '600',
    Vary: 'Origin',
  };
}

function quote(text: string): string {
  return `'${text.slice(0, 100).replace(/[^\x20-\x7e]/g, '?')}'`;
}
