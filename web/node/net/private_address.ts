/**
 * Tells private addresses from public ones. Private: loopback, private, link-local, carrier-grade NAT, multicast,
 * documentation, reserved; the ranges come from IANA's special-purpose address registries. Code that fetches for a user
 * (guarded_http.ts) checks here before it follows an address from a stranger.
 *
 * An IPv4 address embedded in an IPv6 one (mapped, NAT64) is judged as the IPv4 address: on IPv6-only networks every
 * public IPv4 host has such an address. Tunnels (6to4, Teredo) and a network's own NAT64 prefixes are not public.
 */
import { BlockList, isIP } from 'node:net';

/** The 96-bit prefixes before an embedded IPv4 address: mapped and NAT64. */
const BEFORE_IPV4 = ['::ffff:', '64:ff9b::'];

const RESERVED = new BlockList();
for (const [net, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const) {
  RESERVED.addSubnet(net, bits, 'ipv4');
  for (const prefix of BEFORE_IPV4) RESERVED.addSubnet(`${prefix}${net}`, 96 + bits, 'ipv6');
}
for (const [net, bits] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const)
  RESERVED.addSubnet(net, bits, 'ipv6');

/**
 * The only public IPv6 ranges, minus their reserved parts: global unicast, and those that embed an IPv4 address.
 */
const PUBLIC6 = new BlockList();
PUBLIC6.addSubnet('2000::', 3, 'ipv6');
for (const prefix of BEFORE_IPV4) PUBLIC6.addSubnet(`${prefix}0.0.0.0`, 96, 'ipv6');

/** Whether a numeric address lies outside the public internet. Text that is not an address counts as private. */
export function isPrivateAddress(address: string): boolean {
  const bare = address.replace(/%.*$/s, '');
  switch (isIP(bare)) {
    case 4:
      return RESERVED.check(bare, 'ipv4');
    case 6:
      return !PUBLIC6.check(bare, 'ipv6') || RESERVED.check(bare, 'ipv6');
    default:
      return true;
  }
}

/** Whether a URL's host is a literal address of this machine or a private network. Resolves no names. */
export function isLiteralPrivate(url: URL, isPrivate: (address: string) => boolean = isPrivateAddress): boolean {
  const host = hostOf(url);
  if (isIP(host) !== 0) return isPrivate(host);
  return host === 'localhost' || host.endsWith('.localhost');
}

/** Host name without brackets and without a trailing dot. */
export function hostOf(url: URL): string {
  return url.hostname
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase();
}
