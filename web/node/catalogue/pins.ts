/**
 * The catalogues that the user has added, and what is remembered of each: `catalogues.json` beside the configuration.
 *
 *     { "format": 1, "catalogues": [{ "address", "id", "key", "serial", "created", "head", "insecure", "private" }] }
 *
 * A file that cannot be read is an error, never an empty list: forgetting a pin would trust whoever answers next.
 */
import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { configPath } from '../store/config.js';
import { CliError, EXIT } from '../base/exit.js';
import { writeAtomically } from '../base/files.js';
import { lock } from '../base/lock.js';
import { isSamePin, type Pin } from '../../browser/catalogue/reader.js';

export interface AddedCatalogue extends Pin {
  /** Of the folder: a web address that ends in a slash, or an absolute path. */
  address: string;
  title: string;
  /** Plain http to another machine was asked for. */
  insecure: boolean;
  /** Addresses of private networks were asked for. */
  private: boolean;
}

const LOCK_MS = 40_000;
const MOST = 100;

export function pinsPath(env: NodeJS.ProcessEnv = process.env): string {
  return join(dirname(configPath(env)), 'catalogues.json');
}

export async function readPins(env: NodeJS.ProcessEnv = process.env): Promise<AddedCatalogue[]> {
  const path = pinsPath(env);
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(String((error as NodeJS.ErrnoException).code))) return [];
    throw new CliError(EXIT.FAILURE, `${path} cannot be read: ${(error as Error).message}.`);
  }
  try {
    const { format, catalogues } = JSON.parse(text) as { format?: unknown; catalogues?: unknown };
    if (format === 1 && Array.isArray(catalogues) && catalogues.every(isPin)) return catalogues;
  } catch {
    // said below
  }
  throw new CliError(
    EXIT.FAILURE,
    `${path} is not what sheaf catalogue add writes. It says which keys to trust, so nothing is read from any catalogue; correct it, or remove it and add them again.`,
  );
}

function isPin(value: unknown): value is AddedCatalogue {
  const { address, id, key, serial, created, head } = (value ?? {}) as Record<string, unknown>;
  const texts = [address, id, key, created, head].every((each) => typeof each === 'string');
  return texts && Number.isSafeInteger(serial) && (address as string) !== '';
}

/** Changes the list while no other process does. */
export async function changePins(
  change: (pins: readonly AddedCatalogue[]) => AddedCatalogue[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<void> {
  const path = pinsPath(env);
  await mkdir(dirname(path), { recursive: true });
  const release = await lock(`${path}.lock`, AbortSignal.timeout(LOCK_MS));
  try {
    const catalogues = change(await readPins(env));
    if (catalogues.length > MOST) throw new CliError(EXIT.FAILURE, `There are ${MOST} catalogues; remove one first.`);
    await writeAtomically(path, `${JSON.stringify({ format: 1, catalogues }, undefined, 2)}\n`, { mode: 0o600 });
  } finally {
    await release();
  }
}

/**
 * Remembers what was seen of a catalogue that was opened with the pin `opened`. It never goes back, and where another process
 * has changed the pin meanwhile (a key that was trusted anew, a later head), that stays.
 */
export async function advancePin(
  address: string,
  opened: Pin,
  seen: Pin,
  env: NodeJS.ProcessEnv = process.env,
): Promise<void> {
  await changePins(
    (pins) => pins.map((pin) => (pin.address === address && isSamePin(pin, opened) ? { ...pin, ...seen } : { ...pin })),
    env,
  );
}
