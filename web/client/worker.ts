/** The module worker of `open`: start it with `new Worker(url, { type: 'module' })`. See protocol.ts. */
import { loadCore } from './load.js';
import type { Port } from './protocol.js';
import { serve } from './serve.js';

serve(globalThis as unknown as Port, loadCore);
