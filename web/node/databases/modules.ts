/** Packages of databases, which are optional and said to be missing in clear words (client/modules.ts finds them). */
import { CliError, EXIT } from '../base/exit.js';
import { importOptional, installAdvice } from '../client/modules.js';

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
  const found = await importOptional<T>(name).catch((error: unknown) => {
    throw new CliError(EXIT.FAILURE, `${name} is installed but did not load: ${(error as Error).message}`);
  });
  if (found !== undefined) return found;
  const advice = installAdvice([name, ...beside].map((each) => `${each}@${OPTIONAL[each]}`));
  throw new CliError(EXIT.FAILURE, `This needs ${name}, which is not installed. ${advice}`);
}
