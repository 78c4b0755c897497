/**
 * Questions on the terminal. They go to stderr, so that stdout holds only the result.
 *
 * Without a terminal nobody can answer. Work that only adds then proceeds as if -y were given; work
 * that destroys requires -y.
 */
import { createInterface } from 'node:readline';
import { usageError } from './exit.js';

export interface Terminal {
  input: NodeJS.ReadableStream & { isTTY?: boolean };
  output: NodeJS.WritableStream;
}

export const standardTerminal = (): Terminal => ({ input: process.stdin, output: process.stderr });

/** One line of input, or undefined at its end. Rejects with the signal's reason. */
function ask(question: string, { input, output }: Terminal, signal?: AbortSignal): Promise<string | undefined> {
  signal?.throwIfAborted();
  return new Promise((resolve, reject) => {
    output.write(question);
    // Keep readline out of terminal mode, so that Ctrl+C still sends a signal.
    const lines = createInterface({ input, terminal: false });
    const finish = (settle: () => void): void => {
      signal?.removeEventListener('abort', onAbort);
      lines.removeAllListeners();
      lines.close();
      settle();
    };
    const onAbort = (): void => finish(() => reject(signal?.reason));
    signal?.addEventListener('abort', onAbort, { once: true });
    lines.once('line', (line) => finish(() => resolve(line)));
    lines.once('close', () => finish(() => resolve(undefined)));
  });
}

/** Waits for Enter on a terminal. False if the input ended instead. */
export async function pressEnter(
  text: string,
  yes: boolean,
  signal?: AbortSignal,
  terminal: Terminal = standardTerminal(),
): Promise<boolean> {
  if (yes || !terminal.input.isTTY) return true;
  return (await ask(text, terminal, signal)) !== undefined;
}

/** Any answer except y or yes means no. Error: no terminal and no -y. */
export async function confirm(
  question: string,
  yes: boolean,
  signal?: AbortSignal,
  terminal: Terminal = standardTerminal(),
): Promise<boolean> {
  if (yes) return true;
  if (!terminal.input.isTTY) throw usageError(`${question} There is no terminal to answer on; add -y to say yes.`);
  return /^y(es)?$/i.test(((await ask(`${question} [y/N]: `, terminal, signal)) ?? '').trim());
}

/** A number from 1 to `most` on a terminal; undefined for anything else, and without a terminal. */
export async function chooseNumber(
  question: string,
  most: number,
  terminal: Terminal = standardTerminal(),
): Promise<number | undefined> {
  if (!terminal.input.isTTY) return undefined;
  const answer = Number(((await ask(question, terminal)) ?? '').trim() || Number.NaN);
  return Number.isInteger(answer) && answer >= 1 && answer <= most ? answer : undefined;
}
