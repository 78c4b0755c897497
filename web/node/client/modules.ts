/**
 * Optional packages, loaded by who asks for them.
 *
 * They are found beside this package, or in the user's own folder for them, which is where a machine-wide installation of
 * Sheaf has them. Never in the working directory: whoever starts Sheaf in a stranger's project runs none of its code.
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { modulesFolder } from './paths.js';

/** Undefined where it is not installed. Error: the package's own, where it does not load. */
export async function importOptional<T>(name: string): Promise<T | undefined> {
  const failures: unknown[] = [];
  for (const from of [undefined, modulesFolder()]) {
    try {
      const path = from === undefined ? name : pathToFileURL(createRequire(join(from, 'none.js')).resolve(name)).href;
      return (await import(path)) as T;
    } catch (error) {
      failures.push(error);
    }
  }
  const broken = failures.find((error) => !isMissing(error, name));
  if (broken !== undefined) throw broken;
  return undefined;
}

/** How to install packages, given as `NAME@VERSION`. Pure. */
export function installAdvice(wanted: readonly string[]): string {
  const names = wanted.map((each) => `'${each}'`).join(' ');
  return `In a project: npm install ${names}. For a machine-wide sheaf: npm install --prefix '${modulesFolder()}' ${names}`;
}

function isMissing(error: unknown, name: string): boolean {
  const { code, message } = error as NodeJS.ErrnoException;
  return (code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND') && message.includes(name);
}
