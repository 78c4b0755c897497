/**
 * What the servers on this machine look for in a request before they trust it: the name that it calls the server by, and a token.
 * Which names and which pages' origins each of them lets in is its own business (mcp/http.ts, serve/guard.ts).
 */
import { createHash, timingSafeEqual } from 'node:crypto';

/** The name in a Host header: lower case, an IPv6 address in brackets, without port and the root's dot. undefined: it is no host. Pure. */
export function hostNameOf(header: string | undefined): string | undefined {
  const match = /^(\[[0-9a-f:.]+\]|[^:/@?#\\[\]\s]+)(?::\d{1,5})?$/i.exec(header ?? '');
  return match?.[1]?.toLowerCase().replace(/\.$/, '');
}

/** Whether an Authorization header bears the token. Compared in equal time. */
export function bearsToken(header: string | undefined, token: string): boolean {
  const given = /^Bearer +(.*\S) *$/i.exec(header ?? '')?.[1];
  if (given === undefined) return false;
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(token)); // of equal length
}
