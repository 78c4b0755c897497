/** The file in which a client keeps its servers: found, read, copied aside, replaced. */
import { constants } from 'node:fs';
import { copyFile, mkdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { CliError, EXIT, usageError } from '../../base/exit.js';
import { canAccess, writeAtomically } from '../../base/files.js';
import type { McpClient, ClientContext } from './clients.js';

/** The client's file: of its names, the one that is there. */
export async function fileOf(client: McpClient, context: ClientContext): Promise<string | undefined> {
  if (client.onlyGlobal && context.project !== undefined)
    throw usageError(`${client.title} has one file for all projects; leave out --project.`);
  const file = client.file(context);
  if (file === undefined || (await canAccess(file))) return file;
  for (const other of client.alsoNamed?.(file) ?? []) if (await canAccess(other)) return other;
  return file;
}

export async function readText(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new CliError(EXIT.FAILURE, `${file} cannot be read: ${(error as Error).message}.`);
  }
}

/** Makes a copy beside the file, under an unused name. */
export async function backUp(file: string): Promise<string> {
  const time = new Date()
    .toISOString()
    .replace(/[-:]|\.\d+Z/g, '')
    .replace('T', '-');
  for (let attempt = 0; ; attempt++) {
    const backup = join(dirname(file), `${basename(file)}.backup.${time}${attempt === 0 ? '' : `-${attempt}`}`);
    try {
      await copyFile(file, backup, constants.COPYFILE_EXCL);
      return backup;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || attempt > 100) throw unwritable(backup, error);
    }
  }
}

/** Replaces the file atomically and keeps its permissions. */
export async function replaceFile(file: string, text: string): Promise<void> {
  try {
    await mkdir(dirname(file), { recursive: true });
    const mode = (await stat(file).catch(() => undefined))?.mode;
    await writeAtomically(file, text, mode === undefined ? {} : { mode });
  } catch (error) {
    throw unwritable(file, error);
  }
}

function unwritable(file: string, error: unknown): CliError {
  return new CliError(EXIT.FAILURE, `${file} cannot be written: ${(error as Error).message}.`);
}
