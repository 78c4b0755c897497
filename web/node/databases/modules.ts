/**
 * Packages of databases: optional, loaded by who asks for them, and said to be missing in clear words.
 *
 * They are found beside this package, or in the user's own folder for them, which is where a machine-wide installation of
 * Sheaf has them. Never in the working directory: whoever starts Sheaf in a stranger's project runs none of its code.
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { modulesFolder } from '../client/paths.js';
import { CliError, EXIT } from '../base/exit.js';

/** Versions that were tried (docs/databases.md). */
export const OPTIONAL = {
  'hyparquet-writer': '^0.17.0',
  '@lancedb/lancedb': '^0.33.0',
  'apache-arrow': '^18.1.0',
  pg: '^8.23.0',
  '@electric-sql/pglite': '0.5.14',
  '@electric-sql/pglite-pgvector': '0.0.15',
} as const;

export type OptionalModule = keyof typeof OPTIONAL;

/** Error: CliError, saying how to install it. `with`: what it needs beside it. */
export async function optional<T>(name: OptionalModule, ...beside: OptionalModule[]): Promise<T> {
  const folder = modulesFolder();
  const failures: unknown[] = [];
  for (const from of [undefined, folder]) {
    try {
      const path = from === undefined ? name : pathToFileURL(createRequire(join(from, 'none.js')).resolve(name)).href;
      return (await import(path)) as T;
    } catch (error) {
      failures.push(error);
    }
  }
  const broken = failures.find((error) => !isMissing(error, name));
  if (broken !== undefined)
    throw new CliError(EXIT.FAILURE, `${name} is installed but did not load: ${(broken as Error).message}`);
  const wanted = [name, ...beside].map((each) => `'${each}@${OPTIONAL[each]}'`).join(' ');
  throw new CliError(
    EXIT.FAILURE,
    `This needs ${name}, which is not installed. In a project: npm install ${wanted}. For a machine-wide sheaf: npm install --prefix '${folder}' ${wanted}`,
  );
}

function isMissing(error: unknown, name: string): boolean {
  const { code, message } = error as NodeJS.ErrnoException;
  return (code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND') && message.includes(name);
}
