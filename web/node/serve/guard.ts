/** How `sheaf serve` refuses requests that net/gate.ts does not allow. */
import type { IncomingMessage } from 'node:http';
import { Gate } from '../net/gate.js';
import { Refusal } from '../operate/refusal.js';

export interface GuardOptions {
  /** The addresses that the server listens on, and its names besides localhost. */
  hosts: readonly string[];
  /** Origins whose pages may send requests, such as `https://docs.example`, or `*`. */
  origins: readonly string[];
}

/** Accepts any numeric address as Host, because these servers are also reached through forwarded ports. */
export function gateOf({ hosts, origins }: GuardOptions): Gate {
  return new Gate({ hosts, origins, anyAddress: true });
}

/** Runs before anything else is read. Error: Refusal. */
export function admit(request: IncomingMessage, gate: Gate): void {
  const { host, origin } = request.headers;
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
