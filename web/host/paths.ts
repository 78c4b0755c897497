/** Questions about paths. Pure: links are resolved by whoever asks. */
import { isAbsolute, relative, sep } from 'node:path';

/** Whether `path` is `folder` or lies below it; both absolute. */
export function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/**
 * Whether the way from a folder to a target, both free of links, goes through a .git folder that the first is not in.
 */
export function leadsIntoGit(target: string, from: string): boolean {
  return relative(from, target).split(sep).some(isGitFolder);
}

/** In any case: some disks tell no cases apart. */
export function isGitFolder(name: string): boolean {
  return name.toLowerCase() === '.git';
}
