/**
 * all-MiniLM-L6-v2's own vectors, 384 wide, by this repository's encoder: what a peer that searches by
 * meaning is given. Sheaf's projection to 256 dimensions is left off, so that no peer pays for it.
 *
 * Vectors are kept by content in one file that only grows: `key (16 bytes) · 384 × f32` a record, where the
 * key is the beginning of SHA-256 over the model's hash and the token ids. A run that was interrupted goes on where it
 * stopped; a torn last record is cut off. One process at a time writes. `sheaf-pack` is served from the same file
 * (embed_kept.mjs), so that a passage is embedded once for all search engines.
 */
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { findModel, loadEncoder, modelHash } from '../../../dist/node/encoder/node.js';

export const MODEL = 'all-MiniLM-L6-v2';
export const WIDTH = 384;
const KEY = 16;
const RECORD = KEY + 4 * WIDTH;
const BATCH_TOKENS = 4096; // padding included

/** The model in the store, or undefined where it is not installed. */
export async function installedModel() {
  return findModel(MODEL).catch((error) => {
    if (error.code === 'NOT_FOUND') return undefined;
    throw error;
  });
}

/** Where vectors are kept: $SHEAF_QUALITY_CACHE, or sheaf/quality in the user's cache folder. */
function cacheFile() {
  const folder = process.env.SHEAF_QUALITY_CACHE ?? join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'sheaf/quality');
  return join(folder, `${MODEL}-${WIDTH}.vectors`);
}

/** The model as its makers meant it: no projection. A folder of links, removed by `dispose`. */
function unprojected({ folder, descriptor }) {
  const place = mkdtempSync(join(tmpdir(), 'sheaf-minilm-'));
  const { [descriptor.space.projection]: _, ...files } = descriptor.files;
  const plain = { ...descriptor, space: { name: `minilm-l6-${WIDTH}`, dimensions: WIDTH }, files };
  writeFileSync(join(place, 'encoder.json'), JSON.stringify(plain));
  for (const path of Object.keys(files)) {
    mkdirSync(dirname(join(place, path)), { recursive: true });
    symlinkSync(join(folder, path), join(place, path));
  }
  return { place, dispose: () => rmSync(place, { recursive: true, force: true }) };
}

/** An open cache: `get(tokens)`, `put(tokens, vector)`, by the token ids of a text. */
export function openCache(file, modelId) {
  const found = new Map();
  mkdirSync(dirname(file), { recursive: true });
  if (existsSync(file)) {
    const bytes = readFileSync(file);
    const whole = bytes.length - (bytes.length % RECORD);
    if (whole !== bytes.length) truncateSync(file, whole);
    for (let at = 0; at < whole; at += RECORD) {
      const vector = bytes.buffer.slice(bytes.byteOffset + at + KEY, bytes.byteOffset + at + RECORD);
      found.set(bytes.toString('hex', at, at + KEY), new Float32Array(vector));
    }
  }
  const keyOf = (tokens) => createHash('sha256').update(`${modelId}\0`).update(Uint32Array.from(tokens)).digest().subarray(0, KEY);
  return {
    get: (tokens) => found.get(keyOf(tokens).toString('hex')),
    put(tokens, vector) {
      const key = keyOf(tokens);
      appendFileSync(file, Buffer.concat([key, new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength)]));
      found.set(key.toString('hex'), vector);
    },
  };
}

/** Batches of like length, so that padding is small. Pure. */
export function batchesByLength(lengths, budget = BATCH_TOKENS) {
  const order = lengths.map((_, i) => i).sort((a, b) => lengths[b] - lengths[a] || a - b);
  const batches = [];
  for (let start = 0; start < order.length; ) {
    const size = Math.max(1, Math.floor(budget / Math.max(1, lengths[order[start]])));
    batches.push(order.slice(start, start + size));
    start += size;
  }
  return batches;
}

/** An encoder that embeds what is not kept yet: `tokenize(text)`, `embedTokens(lists)` to 384 wide vectors, `close()`. */
export async function openKept(model) {
  const cache = openCache(cacheFile(), modelHash(model.descriptor, 'fp32'));
  const { place, dispose } = unprojected(model);
  const encoder = await loadEncoder(place, { precision: 'fp32', recent: 0 });
  return {
    tokenize: (text) => encoder.tokenize(text),
    async embedTokens(lists, onProgress = () => {}) {
      const unknown = lists.filter((tokens) => cache.get(tokens) === undefined);
      const missing = [...new Map(unknown.map((tokens) => [tokens.join(), tokens])).values()];
      let done = 0;
      for (const batch of batchesByLength(missing.map((tokens) => tokens.length))) {
        const vectors = await encoder.embedTokens(batch.map((i) => missing[i]));
        batch.forEach((i, row) => cache.put(missing[i], vectors[row]));
        onProgress((done += batch.length), missing.length);
      }
      return lists.map((tokens) => cache.get(tokens));
    },
    async close() {
      await encoder.close();
      dispose();
    },
  };
}

/** One L2-normalised vector a text, fp32. `onProgress(done, all)` counts what had to be computed. */
export async function embedAll(model, texts, onProgress) {
  const kept = await openKept(model);
  try {
    return await kept.embedTokens(
      texts.map((text) => kept.tokenize(text)),
      onProgress,
    );
  } finally {
    await kept.close();
  }
}
