/** What a checkup says of a deployed search, and how single answers of a host are judged. */
import type { IncomingHttpHeaders } from 'node:http';

export interface Finding {
  name: string;
  /** warn: the search works, at a price. fail: it does not, or will not after the next deploy. */
  state: 'ok' | 'warn' | 'fail';
  detail: string;
  /** The way out. */
  advice?: string;
}

/** Worst first. */
const STATES = ['fail', 'warn', 'ok'] as const;

/** One finding of several: the worst state, and what those of that state say. Pure. */
export function summary(name: string, parts: readonly Omit<Finding, 'name'>[]): Finding {
  const state = STATES.find((each) => parts.some((part) => part.state === each)) ?? 'ok';
  const worst = parts.filter((part) => part.state === state);
  const details = [...new Set(worst.map(({ detail }) => detail))].filter(Boolean);
  const advice = [...new Set(worst.flatMap((part) => part.advice ?? []))].join(' ');
  const more = details.length > 3 ? `; and ${details.length - 3} more` : '';
  return { name, state, detail: details.slice(0, 3).join('; ') + more, ...(advice === '' ? {} : { advice }) };
}

/** Seconds that an answer may be used again without a question; undefined: the browser decides. Pure. */
export function lifetimeOf(headers: IncomingHttpHeaders): number | undefined {
  const control = (headers['cache-control'] ?? '').toLowerCase();
  if (/\bno-(?:store|cache)\b/.test(control)) return 0;
  const age = /(?:^|[\s,])max-age\s*=\s*"?(\d{1,10})/.exec(control)?.[1];
  if (age !== undefined) return Number(age);
  const expires = Date.parse(headers.expires ?? '');
  const date = Date.parse(headers.date ?? '');
  return Number.isNaN(expires) || Number.isNaN(date) ? undefined : Math.max(0, (expires - date) / 1000);
}

/** Empty: there is none. Pure. */
export function validatorOf(headers: IncomingHttpHeaders): string {
  return headers.etag?.replace(/^W\//, '') ?? headers['last-modified'] ?? '';
}

/** `bytes 0-99/1234`; undefined where it is not of this form. Pure. */
export function rangeOf(headers: IncomingHttpHeaders): { start: number; end: number; total: number } | undefined {
  const match = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15})$/.exec(headers['content-range']?.trim() ?? '');
  return match === null ? undefined : { start: Number(match[1]), end: Number(match[2]), total: Number(match[3]) };
}

const MAGIC = Buffer.from('\x89SHEAF\r\n', 'latin1');

/** What a container's first bytes say (docs/format.md); undefined: they are of another kind of file. Pure. */
export function headerOf(bytes: Buffer): { format: number; kind: 'bundle' | 'table'; size: number } | undefined {
  if (bytes.length < 64 || !bytes.subarray(0, 8).equals(MAGIC)) return undefined;
  return {
    format: bytes.readUInt16LE(8),
    kind: bytes[10] === 2 ? 'table' : 'bundle',
    size: Number(bytes.readBigUInt64LE(16)),
  };
}

/** 10 minutes, 3 days. Pure. */
export function inTime(seconds: number): string {
  for (const [unit, length] of [
    ['day', 86_400],
    ['hour', 3600],
    ['minute', 60],
  ] as const) {
    const count = Math.floor(seconds / length);
    if (count >= 1) return `${count} ${unit}${count === 1 ? '' : 's'}`;
  }
  return `${seconds} s`;
}
