/** What `--backend` and the outputs of `sheaf export` name. */
import { resolve } from 'node:path';
import { stat } from 'node:fs/promises';
import { SheafError } from '../../browser/client/errors.js';
import { CliError, EXIT, usageError } from '../base/exit.js';
import { isLibraryName, isVersion } from '../../browser/client/names.js';
import { oneLine } from '../base/terminal.js';
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

/** Opens a database to read from. */
export async function openBackend(address: Address): Promise<Backend> {
  return plainly(await opened(address));
}

/** What a database says of a failure: some throw objects that are no errors. */
export function messageOf(error: unknown): string {
  const { message, code, errno } = Object(error) as { message?: unknown; code?: unknown; errno?: unknown };
  if (typeof message === 'string' && message !== '') return message;
  const known = code ?? errno;
  return typeof error === 'string'
    ? error
    : known === undefined
      ? 'it failed without a reason'
      : `error ${String(known)}`;
}

/** Errors of databases are named and short; only library versions whose names Sheaf's own could be are seen. */
function plainly(backend: Backend): Backend {
  const said = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      if (error instanceof SheafError || error instanceof CliError) throw error;
      const message = oneLine(messageOf(error)).slice(0, 300);
      throw new SheafError('FILE', `${backend.name}: ${message}`, { cause: error });
    }
  };
  return {
    name: backend.name,
    list: async () =>
      (await said(backend.list())).filter(({ library, version }) => isLibraryName(library) && isVersion(version)),
    candidates: (...args) => said(backend.candidates(...args)),
    groups: (...args) => said(backend.groups(...args)),
    spellings: (...args) => said(backend.spellings(...args)),
    page: (...args) => said(backend.page(...args)),
    passage: (...args) => said(backend.passage(...args)),
    findPage: (...args) => said(backend.findPage(...args)),
    close: () => backend.close(),
  };
}

async function opened(address: Address): Promise<Backend> {
  if (address.kind === 'postgres') {
    const { connectServer, PostgresBackend, shownServer } = await import('./postgres.js');
    return new PostgresBackend(shownServer(address.address), await connectServer(address.address, { shared: true }));
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
