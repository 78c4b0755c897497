/**
 * robots.txt by RFC 9309. The file is flat and has only five rules, so this uses no library.
 *
 * Rules: the groups of our own product token, else those of `*`; the longest pattern that matches
 * decides, and `Allow` wins a tie; `*` stands for any characters, a final `$` for the end; a path that
 * no rule matches is allowed. A missing or unreachable robots.txt allows everything.
 *
 * Cost: a pattern is matched in pattern x path steps at worst, never exponentially.
 */
export const PRODUCT = 'sheaf';
/** RFC 9309 asks crawlers to read at least 500 KiB. */
export const MAX_ROBOTS_BYTES = 512 << 10;
const MAX_RULES = 10_000;

interface Rule {
  allow: boolean;
  pattern: string;
}

export interface Robots {
  /** `path` with its query. */
  allows(path: string): boolean;
  /** The `Sitemap:` lines. */
  sitemaps: string[];
}

export function parseRobots(text: string): Robots {
  const groups = new Map<string, Rule[]>([
    [PRODUCT, []],
    ['*', []],
  ]);
  const sitemaps: string[] = [];
  let named = false; // a group for PRODUCT exists, even if empty
  let current: Rule[][] = [];
  let inAgents = false;
  let rules = 0;
  for (const line of text.replace(/^\ufeff/, '').split(/\r\n?|\n/)) {
    const match = /^\s*([A-Za-z-]+)\s*:\s*([^#]*)/.exec(line);
    if (match === null) continue;
    const key = (match[1] as string).toLowerCase();
    const value = (match[2] as string).trim();
    if (key === 'sitemap') {
      if (sitemaps.length < 100) sitemaps.push(line.slice(line.indexOf(':') + 1).trim()); // '#' may belong to a URL
    } else if (key === 'user-agent') {
      if (!inAgents) current = [];
      inAgents = true;
      const agent = (/^[A-Za-z_-]+|^\*/.exec(value)?.[0] ?? '').toLowerCase();
      if (agent === PRODUCT) named = true;
      const group = groups.get(agent);
      if (group !== undefined) current.push(group);
    } else if (key === 'allow' || key === 'disallow') {
      inAgents = false;
      if (value === '' || ++rules > MAX_RULES) continue;
      for (const group of current) group.push({ allow: key === 'allow', pattern: normalise(value) });
    }
  }
  const active = (named ? groups.get(PRODUCT) : groups.get('*')) ?? [];
  return { sitemaps, allows: (path) => decide(active, normalise(path)) };
}

export const ALLOW_ALL: Robots = { sitemaps: [], allows: () => true };

function decide(rules: readonly Rule[], path: string): boolean {
  let best = -1;
  let allowed = true;
  for (const { allow, pattern } of rules) {
    if (pattern.length < best || (pattern.length === best && !allow) || !matches(pattern, path)) continue;
    best = pattern.length;
    allowed = allow;
  }
  return allowed;
}

/** Anchored at the start, and with a final `$` also at the end. */
function matches(pattern: string, path: string): boolean {
  const toEnd = pattern.endsWith('$');
  const parts = (toEnd ? pattern.slice(0, -1) : pattern).split('*');
  const first = parts[0] as string;
  if (!path.startsWith(first)) return false;
  if (parts.length === 1) return !toEnd || path.length === first.length;
  let at = first.length;
  for (const part of parts.slice(1, -1)) {
    const found = path.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  const last = parts[parts.length - 1] as string;
  return toEnd ? path.length - last.length >= at && path.endsWith(last) : path.indexOf(last, at) >= 0;
}

/** Non-ASCII percent-encoded, and %xx in upper case, so that spellings of one path compare equal. */
function normalise(path: string): string {
  return path
    .replace(/[^\x00-\x7f]+/g, (text) => [...Buffer.from(text)].map((byte) => `%${byte.toString(16)}`).join(''))
    .replace(/%[0-9a-f]{2}/gi, (triplet) => triplet.toUpperCase());
}
