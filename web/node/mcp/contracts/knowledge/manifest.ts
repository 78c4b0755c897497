/**
 * A dataset folder's manifest.json.
 *
 *     {"id": "my-docs", "name": "My docs", "description": "…", "index": "index", "metadata": "metadata.json", "defaultTopK": 5}
 *
 * `index` and `metadata` are relative to the manifest, or absolute. The index holds another model's
 * vectors; it must exist but is never opened, because we embed the texts again (dataset_bundle.ts).
 *
 * Allowed paths: a relative path, with all links resolved, must stay inside the datasets folder, and so
 * must the manifest itself. So a folder unpacked from an archive cannot claim other files through `..` or
 * a link. An absolute path is plain to see and is taken as written.
 */
import { constants } from 'node:fs';
import { open, realpath, stat } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';
import { isInside } from '../../../base/paths.js';
import { z } from '../zod3.mjs';

export const MAX_MANIFEST_BYTES = 10_240;
export const DEFAULT_TOP_K = 5;
export const MAX_TOP_K = 100;

const ID = /^[a-z0-9-]+$/;
const MANIFEST = z.object({
  id: z.string().regex(ID).min(1).max(64),
  name: z.string().min(1).max(128),
  description: z.string().min(1).max(512),
  index: z.string().min(1),
  metadata: z.string().min(1),
  defaultTopK: z.number().int().min(1).max(MAX_TOP_K).default(DEFAULT_TOP_K),
});

export interface Dataset {
  id: string;
  name: string;
  description: string;
  defaultTopK: number;
  /** The documents' file: absolute, links resolved. */
  metadata: string;
}

/** Error: one whose message a listing shows. `datasets` is absolute and free of links. */
export async function loadDataset(datasets: string, folder: string): Promise<Dataset> {
  const directory = join(datasets, folder);
  const path = join(directory, 'manifest.json');
  const stats = await stat(path); // ENOENT in the system's own words
  if (!stats.isFile()) throw new Error(`Manifest is not a regular file: ${path}`);
  if (stats.size > MAX_MANIFEST_BYTES) throw new Error(tooLarge(stats.size));
  if (!isInside(await realpath(path), datasets))
    throw new Error(`Manifest is a link that leads out of the datasets folder: ${path}`);
  const parsed = MANIFEST.safeParse(JSON.parse(await readText(path)));
  if (!parsed.success) throw new Error(parsed.error.message);
  const { index, metadata, ...facts } = parsed.data;
  await locate(datasets, directory, index, 'Index directory');
  return { ...facts, metadata: await locate(datasets, directory, metadata, 'Metadata file') };
}

/** The manifest's text. Bounded again here: the file may have grown since it was measured. */
async function readText(path: string): Promise<string> {
  const handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)); // never waits for a pipe's writer
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(MAX_MANIFEST_BYTES + 1), 0, MAX_MANIFEST_BYTES + 1, 0);
    if (bytesRead > MAX_MANIFEST_BYTES) throw new Error(tooLarge((await handle.stat()).size));
    return buffer.toString('utf8', 0, bytesRead).replace(/^\ufeff/, '');
  } finally {
    await handle.close();
  }
}

async function locate(datasets: string, directory: string, named: string, what: string): Promise<string> {
  const path = isAbsolute(named) ? resolve(named) : resolve(directory, named);
  const real = await realpath(path).catch(() => {
    throw new Error(`${what} not found: ${path}`);
  });
  if (isAbsolute(named) || (real !== datasets && isInside(real, datasets))) return real;
  throw new Error(`${what} lies outside the datasets folder: ${path}. Move it inside, or name it by an absolute path.`);
}

function tooLarge(bytes: number): string {
  return `Manifest file exceeds maximum size (${bytes} > ${MAX_MANIFEST_BYTES} bytes). This limit prevents DoS attacks from large manifest files.`;
}
