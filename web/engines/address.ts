/** What `--backend` and the places of `sheaf export` name. */
import { resolve } from 'node:path';
import { stat } from 'node:fs/promises';
import { CliError, EXIT, usageError } from '../host/exit.js';
import { oneLine } from '../host/terminal.js';
import type { Backend } from './backend.js';

export type Address = { kind: 'lancedb' | 'pglite'; folder: string } | { kind: 'postgres'; address: string };

/** Undefined: a path. Pure. */
export function parseAddress(text: string): Address | undefined {
  const [, kind, folder] = /^(lancedb|pglite):(.+)$/is.exec(text) ?? [];
  if (folder !== undefined) return { kind: kind?.toLowerCase() as 'lancedb' | 'pglite', folder: resolve(folder) };
  return /^postgres(ql)?:\/\//i.test(text) ? { kind: 'postgres', address: text } : undefined;
}

/** Error: CliError. What was given is not repeated in it: it may hold a password. */
export function backendAddress(text: string): Address {
  const address = parseAddress(text);
  if (address === undefined) {
    const scheme = /^[a-z]+(?=:)/i.exec(text)?.[0];
    throw usageError(
      `--backend takes lancedb:FOLDER, pglite:FOLDER or postgres://HOST/DATABASE${scheme === undefined ? '' : `, not '${oneLine(scheme)}:…'`}.`,
    );
  }
  return address;
}

/** Opens an engine to read from. */
export async function openBackend(address: Address): Promise<Backend> {
  if (address.kind === 'postgres') {
    const { connectServer, PostgresBackend, shownServer } = await import('./postgres.js');
    return new PostgresBackend(shownServer(address.address), await connectServer(address.address));
  }
  const { kind, folder } = address;
  if (!(await stat(folder).catch(() => undefined))?.isDirectory())
    throw new CliError(EXIT.NOT_FOUND, `There is no folder ${oneLine(folder)}; sheaf export makes one.`);
  if (kind === 'pglite') {
    const { connectFolder, PostgresBackend } = await import('./postgres.js');
    return new PostgresBackend(`${kind}:${folder}`, await connectFolder(folder));
  }
  const { LanceBackend, LanceFolder } = await import('./lancedb.js');
  return new LanceBackend(`${kind}:${folder}`, await LanceFolder.open(folder));
}
