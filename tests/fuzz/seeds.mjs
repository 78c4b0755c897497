/**
 * What the fuzzer of `open_bundle` begins with (fuzz_open_bundle.cc says what the bytes mean):
 *
 *   node tests/fuzz/seeds.mjs build/fuzz/corpus/fuzz_open_bundle
 *
 * Every bundle of tests/golden and tests/conformance as it is, and one edit of each section of the samples, whose checksums are
 * mended. So the first inputs come as far as every section's reader, and the fuzzer need not guess checksums.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const HERE = fileURLToPath(new URL('../', import.meta.url));
const WHOLE = 0;
/** Edits with mended checksums: of the sample, of the encoder table, of the sample with partitions. */
const EDITED = [2, 4, 6];
/** More than a bundle has: the number is taken modulo its sections. */
const SECTIONS = 16;
/** A byte set, a bit changed, a word, an insertion, a removal, a copy: by the numbers of fuzz.h's Edit. */
const EDITS = [
  [0, 5, 0, 0, 0, 255],
  [2, 9, 0, 0, 0, 3],
  [11, 4, 0, 0, 0, 255, 255, 255, 127],
  [4, 7, 0, 0, 0, 2, 128, 1],
  [5, 3, 0, 0, 0, 2],
  [6, 1, 0, 0, 0, 16],
];

/** Name and bytes of each. Pure but for the bundles that it reads. */
export function seeds() {
  const bundles = ['golden/v1', 'conformance/bundles'].flatMap((folder) =>
    readdirSync(join(HERE, folder))
      .filter((name) => name.endsWith('.sheaf'))
      .map((name) => [`whole-${name}`, Buffer.concat([Buffer.from([WHOLE]), readFileSync(join(HERE, folder, name))])]),
  );
  const edited = EDITED.flatMap((kind) =>
    Array.from({ length: SECTIONS }, (_, section) =>
      EDITS.map((edit, number) => [`edit-${kind}-${section}-${number}`, Buffer.from([kind, section, 0, ...edit])]),
    ).flat(),
  );
  return [...bundles, ...edited];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , folder] = process.argv;
  if (folder === undefined) throw new Error('Name the folder of the corpus.');
  mkdirSync(folder, { recursive: true });
  for (const [name, bytes] of seeds()) writeFileSync(join(folder, name), bytes);
}
