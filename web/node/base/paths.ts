/** Path predicates. Pure: the caller resolves links. */
import { isAbsolute, relative, sep } from 'node:path';

/** Whether `path` is `folder` or lies below it; both absolute. */
export function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/**
 * Whether `target` lies in a .git folder that `from` is not in. Both paths must be free of links.
 */
export function leadsIntoGit(target: string, from: string): boolean {
  return relative(from, target).split(sep).some(isGitFolder);
}

/** Ignores case, because some file systems do. */
export function isGitFolder(name: string): boolean {
  return name.toLowerCase() === '.git';
}
