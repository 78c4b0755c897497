/**
 * The packer's end of the pipe to an embedding process, in Node: synchronous, as the packer is.
 *
 * Idea: the process (or thread) belongs to another thread of ours, whose event loop is free. Its bytes come as
 * messages; a counter in shared memory tells that one has arrived, and this thread sleeps on it.
 */
import { receiveMessageOnPort, type MessagePort } from 'node:worker_threads';
import type { Bridge, BridgeEnded } from '../../browser/packer/sheaf-packer.mjs';
import type { BridgeEnd, FromEmbedder, ToEmbedder } from '../../browser/packer/protocol.js';

export function bridgeOver({ port, arrivals }: BridgeEnd): Bridge {
  const ours = port as unknown as MessagePort;
  const count = new Int32Array(arrivals);
  let run = 0;
  const tell = (message: ToEmbedder): void => ours.postMessage(message);
  const next = (): Uint8Array | BridgeEnded | undefined => {
    for (;;) {
      const message = (receiveMessageOnPort(ours) as { message: FromEmbedder } | undefined)?.message;
      if (message === undefined) return undefined;
      if (message.run === run) return message.type === 'bytes' ? message.bytes : message; // not of an earlier process
    }
  };
  return {
    start(command) {
      run++;
      tell({ type: 'start', command });
    },
    send: (bytes) => tell({ type: 'bytes', bytes }),
    receive(milliseconds) {
      const seen = Atomics.load(count, 0);
      const already = next();
      if (already !== undefined) return already;
      Atomics.wait(count, 0, seen, milliseconds);
      return next();
    },
    close: () => tell({ type: 'close' }),
    kill: () => tell({ type: 'kill' }),
  };
}
