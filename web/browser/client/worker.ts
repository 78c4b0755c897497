/**
 * The module worker of `open`: start it with `new Worker(url, { type: 'module' })`. See serve.ts. It serves one
 * library, and one more for each port that it is sent (federated.ts).
 */
import { loadCore } from './load.js';
import type { Port } from './rpc.js';
import { serve } from './serve.js';

const scope = globalThis as unknown as Port;

serve(scope, loadCore);
scope.addEventListener('message', ({ ports: [port] }) => {
  if (port === undefined) return;
  serve(port, loadCore);
  port.start();
});
