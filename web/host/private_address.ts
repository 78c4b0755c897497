/**
 * Which addresses are not the public internet's: loopback, private, link-local, carrier-grade NAT, multicast,
 * documentation, reserved. What fetches for a user (`sheaf add`, the search over SearXNG) asks here before it follows
 * somebody else's word.
 *
 * An IPv4 address within an IPv6 one (mapped, NAT64) is judged as what it is: on networks of IPv6 alone, every public IPv4
 * host has such an address. Tunnels (6to4, Teredo) and a network's own translators are not public.
 */
import { BlockList, isIP } from 'node:net';

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
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '').toLowerCase();
}
