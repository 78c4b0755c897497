/** The native packer of this tree, for tests that start sheaf-pack themselves. */
import { choosePacker } from '../dist/node/packer/find.js';

/** Its path. Error: there is none of this version, which `npm run build` mends. */
export async function requirePacker() {
  const choice = await choosePacker();
  if (choice.kind === 'native') return choice.path;
  throw new Error(`These tests need a native sheaf-pack: ${choice.because}. Build it: npm run build`);
}
