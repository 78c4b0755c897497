/**
 * A Port (client/rpc.ts) over two streams, for a program in another language: one message a line, as JSON.
 *
 * Numbers of a Float32Array are sent as an array; fields that are undefined are left out. `closed` is called once, when
 * the other program has closed its end, or with the reason when it sent what is no message.
 */
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import type { Port } from '../../browser/client/rpc.js';

export function linesPort(input: Readable, output: Writable, closed: (reason?: Error) => void): Port {
  const listeners: ((event: MessageEvent) => void)[] = [];
  const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
  lines.on('line', (line) => {
    const data = parse(line);
    if (data instanceof Error) {
      lines.removeAllListeners();
      closed(data);
    } else for (const listener of listeners) listener({ data } as MessageEvent);
  });
  lines.once('close', () => closed());
  return {
    postMessage: (message) => void output.write(`${JSON.stringify(message, plainNumbers)}\n`),
    addEventListener: (_, listener) => void listeners.push(listener),
  };
}

function parse(line: string): object | Error {
  try {
    const message: unknown = JSON.parse(line);
    if (typeof message === 'object' && message !== null) return message;
  } catch {
    // said below
  }
  return new Error(`Expected a message, one object of JSON a line, and got: ${line.slice(0, 80)}`);
}

const plainNumbers = (_: string, value: unknown): unknown => (value instanceof Float32Array ? [...value] : value);
