/** Which version of a site's documentation a page belongs to. Pure. */

interface Docs {
  versions: { path: string; isLast: boolean }[];
}

/** Paths of all versions, ending in '/', and of the one at `pathname`: the version read, else the latest. */
export function versionAt(pathname: string, docs: readonly Docs[]): { part: string; parts: string[] } {
  const slashed = (path: string): string => (path.endsWith('/') ? path : `${path}/`);
  // Several sets of docs are several subjects: only where there is one do versions exclude each other.
  const versions = docs.length === 1 ? (docs[0] as Docs).versions : [];
  const parts = versions.map(({ path }) => slashed(path));
  const here = [...parts].sort((a, b) => b.length - a.length).find((path) => slashed(pathname).startsWith(path));
  return { part: here ?? slashed(versions.find(({ isLast }) => isLast)?.path ?? '/'), parts };
}
