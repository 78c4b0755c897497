/** Questions about paths. Pure: links are resolved by whoever asks. */
import { isAbsolute, relative, sep } from 'node:path';

/** Whether `path` is `folder` or lies below it; both absolute. */
export function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
