/**
 * The order of versions, and which installed one a request means: the very one, one that a range allows, or `latest`. Pure.
 *
 *     19      any 19.x.y          ^19.1   19.1 or later, below 20       latest   what the project has, else the highest
 *     19.1    any 19.1.y          ~19.1   19.1 or later, below 19.2     *, x     the highest
 *     v19     as 19               >=19.1, >19, <=19, <20, =19.1.0
 *
 * What the project has comes before a bundle that is called `latest`; else an installed version of that very name comes
 * before any reading of it as a range. Pre-releases and names such as
 * `latest` or `main` are taken by a range only if nothing else is there to take.
 */
const LATEST: ReadonlySet<string> = new Set(['latest', 'newest', 'current', '*', 'x', '']);
const NUMBERS = /^v?(\d+(?:\.\d+)*)(?:\.[x*])?$/i;

/** One of `installed`, or undefined. `locked`: what the project at hand has, for `latest`. */
export function resolveVersion(
  installed: readonly string[],
  wanted: string,
  locked?: string | undefined,
): string | undefined {
  const text = wanted.trim();
  const isLatest = LATEST.has(text.toLowerCase());
  const ofProject = isLatest && locked !== undefined && installed.find((version) => plain(version) === plain(locked));
  if (ofProject) return ofProject;
  if (installed.includes(wanted)) return wanted;
  const bare = installed.find((version) => plain(version) === plain(text));
  if (bare !== undefined) return bare;
  const order = [...installed].sort((a, b) => Number(isRelease(b)) - Number(isRelease(a)) || compareVersions(b, a));
  if (isLatest) return order[0];
  const allows = rangeOf(text);
  return allows === undefined ? undefined : order.find((version) => isRelease(version) && allows(version));
}

function plain(version: string): string {
  return version.replace(/^v(?=\d)/i, '');
}

/** Numbers with dots: no pre-release, no branch, no date of a folder. */
export function isRelease(version: string): boolean {
  return /^v?\d+(?:\.\d+)*(?:\+.*)?$/i.test(version);
}

/** The newest release of each of the `count` newest minor versions, newest first: 3.5.13, 3.4.38, 3.3.13. */
export function newestMinors(versions: readonly string[], count: number): string[] {
  const newest = new Map<string, string>();
  for (const version of versions.filter(isRelease).sort((a, b) => compareVersions(b, a))) {
    const minor = plain(version).split(/[.+]/).slice(0, 2).map(Number).join('.');
    if (!newest.has(minor)) newest.set(minor, version);
  }
  return [...newest.values()].slice(0, count);
}

function rangeOf(text: string): ((version: string) => boolean) | undefined {
  const [, operator = '', rest = ''] = /^(\^|~|>=|<=|>|<|==?|)\s*(.+)$/.exec(text) ?? [];
  const stated = NUMBERS.exec(rest)?.[1];
  if (stated === undefined) return undefined;
  const parts = stated.split('.');
  const within = (version: string, count: number): boolean => {
    const own = plain(version).split(/[.+]/);
    return parts.slice(0, count).every((part, i) => Number(part) === Number(own[i] ?? 0));
  };
  const least = (version: string): boolean =>
    compareVersions(plain(version), stated) >= 0 || within(version, parts.length);
  switch (operator) {
    case '^': {
      const significant = parts.findIndex((part) => Number(part) > 0);
      return (version) => least(version) && within(version, significant < 0 ? parts.length : significant + 1);
    }
    case '~':
      return (version) => least(version) && within(version, Math.min(parts.length, 2));
    case '>=':
      return least;
    case '>':
      return (version) => least(version) && !within(version, parts.length);
    case '<':
      return (version) => !least(version);
    case '<=':
      return (version) => !least(version) || within(version, parts.length);
    default:
      return (version) => within(version, parts.length);
  }
}

/** Orders numbers by value and words alphabetically; a release follows its pre-releases (1.0.0-rc.1 < 1.0.0). */
export function compareVersions(a: string, b: string): number {
  const left = split(a);
  const right = split(b);
  return compareParts(left.core, right.core) || comparePre(left.pre, right.pre) || compareText(a, b);
}

function split(version: string): { core: string[]; pre: string[] } {
  const [core = '', ...pre] = version
    .replace(/^v(?=\d)/i, '')
    .replace(/\+.*$/s, '')
    .split('-');
  return { core: core.split(/[._]/), pre: pre.length === 0 ? [] : pre.join('-').split(/[.-]/) };
}

function comparePre(a: readonly string[], b: readonly string[]): number {
  if (a.length === 0 || b.length === 0) return b.length - a.length;
  return compareParts(a, b);
}

function compareParts(a: readonly string[], b: readonly string[]): number {
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    const x = a[i];
    const y = b[i];
    if (x === undefined) return -1;
    if (y === undefined) return 1;
    const numeric = /^\d{1,15}$/;
    const xIsNumber = numeric.test(x);
    const yIsNumber = numeric.test(y);
    const order = xIsNumber && yIsNumber ? Number(x) - Number(y) : xIsNumber ? -1 : yIsNumber ? 1 : compareText(x, y);
    if (order !== 0) return order;
  }
  return 0;
}

export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
