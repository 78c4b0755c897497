/**
 * zod 3, whose error messages two of the contracts quote. dist/node/mcp/contracts/zod3.mjs is made of the line below by
 * scripts/library_bundle.mjs, so that an installed Sheaf needs no node_modules.
 */
export { z } from 'zod/v3';
