/**
 * Questions on the terminal. They go to stderr, so that stdout stays the result.
 *
 * Without a terminal nobody can answer. What only adds goes on as if -y were given; what destroys
 * asks for -y instead.
 */
import { createInterface } from 'node:readline';
import { usageError } from '../host/exit.js';

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
    // Not a terminal of readline's own: Ctrl+C stays the signal that it is.
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

/** Waits for Enter, if there is somebody to press it. False when the input ended instead. */
export async function pressEnter(
  text: string,
  yes: boolean,
  signal?: AbortSignal,
  terminal: Terminal = standardTerminal(),
): Promise<boolean> {
  if (yes || !terminal.input.isTTY) return true;
  return (await ask(text, terminal, signal)) !== undefined;
}

/** Anything but y or yes is no. Error: no terminal and no -y. */
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
