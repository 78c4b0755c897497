/** zod 3's issues in one line, as two contracts write them. */
import type { z } from './zod3.mjs';

/** At most this many unknown keys are named, each cut at this length: the sender chose both. */
const NAMED_KEYS = 10;
const KEY_LENGTH = 64;

/** `path: message, path: message`. */
export function joined({ issues }: z.ZodError): string {
  return issues.map((issue) => `${issue.path.join('.')}: ${messageOf(issue)}`).join(', ');
}

function messageOf(issue: z.ZodIssue): string {
  if (issue.code !== 'unrecognized_keys') return issue.message;
  const { keys } = issue;
  const named = keys
    .slice(0, NAMED_KEYS)
    .map((key) => (key.length > KEY_LENGTH ? `${key.slice(0, KEY_LENGTH)}…` : key));
  if (keys.length > NAMED_KEYS) named.push('…');
  return `Unrecognized key(s) in object: ${named.map((key) => `'${key}'`).join(', ')}`;
}
