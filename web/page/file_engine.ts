/**
 * The worker of a page that was opened as a file. Its code arrives as a function, since a worker may not be
 * started from a file there: file_open.ts makes a Blob of its text, or calls it where workers are forbidden.
 */
import { loadCore } from '../client/load.js';
import type { Port } from '../client/rpc.js';
import { serve } from '../client/serve.js';

export function start(port: Port): void {
  serve(port, loadCore);
}
