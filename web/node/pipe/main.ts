/**
 * Serves methods.ts over stdin and stdout: what the Python module starts (python/sheaf/_process.py).
 *
 * Ends when stdin ends, so it never outlives the program that started it, however that ends. What runs by then is
 * aborted first: a packer stops, and leaves nothing behind.
 */
import { SheafError } from '../../browser/client/errors.js';
import { Peer } from '../../browser/client/rpc.js';
import { linesPort } from './lines_port.js';
import { pipeMethods, type PipeMethods } from './methods.js';

/** How long aborted work may take to stop. */
const GRACE_MS = 3000;

const port = linesPort(process.stdin, process.stdout, (reason) => {
  if (reason !== undefined) {
    process.stderr.write(`${reason.message}\n`);
    process.exitCode = 2;
  }
  process.stdin.destroy();
  peer.end(new SheafError('CLOSED', 'The program that asked is gone.'));
  setTimeout(() => process.exit(), GRACE_MS).unref();
});
const peer = new Peer<Record<never, never>, PipeMethods>(port, pipeMethods());
process.stdout.on('error', () => process.exit()); // nobody reads any more
peer.ready();
