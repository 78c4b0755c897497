/**
 * Long work that Ctrl+C may interrupt at any time. It gets its own folder and a signal that fires on
 * SIGINT and SIGTERM; everything is cleaned up before the process ends. What a killed run left is removed first.
 */
import { rmSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { constants, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { configPath } from './config.js';
import { CliError } from '../base/exit.js';
import { discard, makeWorkFolder, removeLeftovers } from '../base/leftovers.js';
import { recordsFolder, storeFolder } from './store.js';

/** `folder` is absolute, empty, and readable by this user alone. */
export async function withWorkspace<T>(work: (folder: string, signal: AbortSignal) => Promise<T>): Promise<T> {
  for (const folder of [resolve(tmpdir()), storeFolder(), recordsFolder(), dirname(configPath())])
    await removeLeftovers(folder);
  const own = await makeWorkFolder(resolve(tmpdir()));
  const folder = join(own, 'work');
  await mkdir(folder);
  try {
    return await interruptible(
      'Interrupted; the libraries are unchanged.',
      (signal) => work(folder, signal),
      () => rmSync(own, { recursive: true, force: true }),
    );
  } finally {
    await discard(own);
  }
}

/** The first signal ends the work with `said` as its error; the second one ends the process, after `atOnce`. */
export async function interruptible<T>(
  said: string,
  work: (signal: AbortSignal) => Promise<T>,
  atOnce: () => void = () => {},
): Promise<T> {
  const controller = new AbortController();
  const onSignal = (name: NodeJS.Signals): void => {
    const code = 128 + constants.signals[name];
    if (!controller.signal.aborted) return controller.abort(new CliError(code, said));
    atOnce();
    process.exit(code);
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  try {
    return await work(controller.signal);
  } catch (error) {
    throw controller.signal.aborted ? controller.signal.reason : error;
  } finally {
    process.off('SIGINT', onSignal);
    process.off('SIGTERM', onSignal);
  }
}
