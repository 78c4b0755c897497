/**
 * Who may ask a server on this machine, judged before anything else is read.
 *
 * Idea: a web page that a user visits can send requests to loopback. A page of another site gives itself
 * away by its Origin; one whose name was pointed here (DNS rebinding) by its Host, which then is a name
 * of its own. An address as Host cannot be rebound.
 */
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { bearsToken, hostNameOf } from '../host/http_guard.js';

export interface GuardOptions {
  /** Names beside localhost that the server is reached by. */
  hosts: readonly string[];
  /** Sites whose pages may ask, as `https://docs.example`, or `*`. */
  origins: readonly string[];
  /** When set, requests must carry it as `Authorization: Bearer …`. */
  token: string | undefined;
}

export interface Denial {
  status: number;
  error: string;
  headers?: Record<string, string>;
}

/** Why a request is turned away, or undefined. `open` requests need no token. */
export function judge(request: IncomingMessage, options: GuardOptions, open: boolean): Denial | undefined {
  const host = request.headers.host ?? '';
  if (!isOwnHost(host, options.hosts)) {
    return { status: 403, error: `The Host ${quote(host)} is not a name of this server; if it should be, start it with --allow-host` };
  }
  const { origin } = request.headers;
  if (origin !== undefined && !isAllowedOrigin(origin, host, options.origins)) {
    return { status: 403, error: `Pages of ${quote(origin)} may not ask this server; if they should, start it with --allow-origin` };
  }
  if (options.token !== undefined && !open && request.method !== 'OPTIONS' && !bearsToken(request.headers.authorization, options.token)) {
    return { status: 401, error: 'This server asks for a token: Authorization: Bearer TOKEN', headers: { 'WWW-Authenticate': 'Bearer' } };
  }
  return undefined;
}

/** CORS headers for an origin that was allowed. */
export function corsHeaders(request: IncomingMessage, options: GuardOptions): Record<string, string> {
  const { origin } = request.headers;
  if (options.origins.length === 0) return {};
  if (origin === undefined) return { Vary: 'Origin' };
  return { 'Access-Control-Allow-Origin': origin, 'Access-Control-Allow-Headers': 'Authorization', 'Access-Control-Max-Age': '600', Vary: 'Origin' };
}

function isOwnHost(host: string, allowed: readonly string[]): boolean {
  const name = hostNameOf(host);
  if (name === undefined) return false;
  return isIP(name.replace(/^\[|\]$/g, '')) !== 0 || name === 'localhost' || allowed.includes(name);
}

function isAllowedOrigin(origin: string, host: string, allowed: readonly string[]): boolean {
  return allowed.includes('*') || allowed.includes(origin) || origin === `http://${host}`;
}

function quote(text: string): string {
  return `'${text.slice(0, 100).replace(/[^\x20-\x7e]/g, '?')}'`;
}
