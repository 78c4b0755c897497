/** Packs a folder of documentation and reads all of its passages back, with this package's own packer and reader. */
import { stat } from 'node:fs/promises';
import { open } from '../../dist/node/client/node.js';

/**
 * Packs `input` into the file `output`. `options` are fields of a PackJob (docs/packing.md lists them).
 * Error: PackFailure, if there is nothing to pack.
 */
export async function packFolder(packer, input, output, options = {}) {
  const begun = performance.now();
  const job = { inputs: [input], output, library: 'documents', version: 'test', encoder: 'none', ...options };
  const { report } = await packer.pack(job, { show: 'nothing' });
  const { size } = await stat(output);
  return { report, bytes: size, seconds: (performance.now() - begun) / 1000 };
}

/** All pages of a bundle in its order, each with its passages. */
export async function readPages(bundle) {
  const library = await open(bundle, { encoder: false, lazy: false });
  try {
    const pages = [];
    for (let id = 0; id < library.info.pages; id++) pages.push(await library.page(id));
    return pages;
  } finally {
    await library.close();
  }
}
