/**
 * Writes a bundle or an encoder table in small files, which any host can serve, with ranges or without. The reading
 * end, and what lies in the files, is web/browser/client/pieces.ts.
 *
 * Idea: a bundle's parts lie in the order in which queries need them (docs/format.md), so a cut through it at the right
 * places groups what is read together: header, directory and all indexes that every query needs; leaves of the lexicon,
 * neighbours in the alphabet; partitions near one another; the passages of a page or two. Cuts lie where sections begin, and
 * between a section's pieces, so that a record is never in two files. Where compressed pieces end is read off their zstd
 * frames, which say how long each of their blocks is. Rows have none: a partition may lie in two files.
 *
 * Sizes are a balance, measured on the PostgreSQL manual (docs/hosts.md). Smaller files cost readers on hosts without ranges
 * fewer bytes; larger ones cost readers with ranges fewer requests, where a read goes across a cut, and a host fewer files. A
 * large bundle has larger ones, so that no host's limit of files is met.
 *
 * Invariant: the files, one after the other without the list in the first, are the bundle. What cannot be walked is cut
 * at fixed lengths, which costs a reader some requests and nothing else.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { placeFolder } from './files.js';

/** Sections (docs/format.md), and the bytes after which a file of theirs ends. */
const MANIFEST = 2;
const TERMS = 6;
const PASSAGES = 11;
const VECTORS = 13;
const PARTITION_INDEX = 16;
type Lengths = Readonly<Record<number, number>>;
const LENGTHS: Lengths = { [TERMS]: 12 * 1024, [PASSAGES]: 8 * 1024, [VECTORS]: 6 * 1024 };
const OTHER_LENGTH = 12 * 1024;
/** Of an encoder table, whose words are rarely neighbours. */
const TABLE_LENGTH = 6.5 * 1024;
const TABLE = 2;
/** Of indexes, which are read as a whole. */
const INDEX_LENGTH = 64 * 1024;
/** Files of one bundle, more or less. */
const MOST = 1500;

const ZSTD_MAGIC = 0xfd2fb528;
const CHECKSUM = 4;

/** Writes the pieces of a file in `folder`, and returns the name of theirs. */
export async function placePieces(folder: string, name: string): Promise<string> {
  const target = name.replace(/\.sheaf$/, '.pieces');
  await placeFolder(join(folder, target), async () => pieceFiles(await readFile(join(folder, name))));
  return target;
}

/** The files, by name. Pure. */
export function* pieceFiles(bytes: Buffer): Generator<[name: string, content: Uint8Array]> {
  const ends = cutsOf(bytes);
  const list = Buffer.alloc(4 + 4 * ends.length);
  list.writeUInt32LE(ends.length, 0);
  ends.forEach((end, i) => list.writeUInt32LE(end - (ends[i - 1] ?? 0), 4 + 4 * i));
  for (const [i, end] of ends.entries()) {
    const content = bytes.subarray(ends[i - 1] ?? 0, end);
    yield [`${i}.bin`, i === 0 ? Buffer.concat([list, content]) : content];
  }
}

interface Section {
  id: number;
  hasPieces: boolean;
  begin: number;
  end: number;
}

/** Where each file ends. `small`: a bundle of so few bytes is read whole, and is one file. Pure. */
export function cutsOf(bytes: Buffer, small = 512 * 1024): number[] {
  if (bytes.length <= small) return [bytes.length];
  const sections = sectionsOf(bytes);
  const least = bytes.length / MOST;
  const isTable = bytes[10] === TABLE;
  const lengths: Lengths = isTable ? { [TERMS]: TABLE_LENGTH } : LENGTHS;
  const cuts: number[] = [];
  let last = 0;
  const cut = (at: number): void => {
    if (at > last) cuts.push((last = at));
  };
  for (const { id, hasPieces, begin, end } of sections) {
    // All up to the centroids are indexes that every query needs. Nobody reads a table's manifest to search.
    if (hasPieces || (isTable && id === MANIFEST)) cut(begin);
    if (!hasPieces) {
      while (end - last > INDEX_LENGTH) cut(last + INDEX_LENGTH);
      if (id === PARTITION_INDEX) cut(end);
      continue;
    }
    const length = Math.max(lengths[id] ?? OTHER_LENGTH, least);
    let before = begin;
    for (const next of piecesOf(bytes, begin, end) ?? []) {
      if (next - last > length) cut(before);
      before = next;
    }
    while (end - last > 2 * length) cut(Math.floor(last + length)); // of raw rows, or of what has no frames
    cut(end);
  }
  cut(bytes.length);
  return cuts;
}

/** Of a file that is none of ours: nothing. */
function sectionsOf(bytes: Buffer): Section[] {
  const count = bytes.readUInt32LE(36);
  if (64 + 40 * count > bytes.length || count > 64) return [];
  return Array.from({ length: count }, (_, i) => {
    const at = 64 + 40 * i;
    const begin = Number(bytes.readBigUInt64LE(at + 16));
    const end = begin + Number(bytes.readBigUInt64LE(at + 24));
    return { id: bytes.readUInt16LE(at), hasPieces: bytes.readUInt32LE(at + 32) === 0, begin, end };
  }).filter(({ begin, end }) => begin <= end && end <= bytes.length);
}

/** Where each piece of a section ends; undefined if they are no zstd frames. */
function piecesOf(bytes: Buffer, begin: number, end: number): number[] | undefined {
  const ends: number[] = [];
  for (let at = begin; at < end; ) {
    const next = endOfFrame(bytes, at, end);
    if (next === undefined) return undefined;
    at = next + CHECKSUM;
    ends.push(at);
  }
  return ends.at(-1) === end ? ends : undefined;
}

/** RFC 8878, 3.1.1. */
function endOfFrame(bytes: Buffer, begin: number, limit: number): number | undefined {
  if (begin + 6 > limit || bytes.readUInt32LE(begin) !== ZSTD_MAGIC) return undefined;
  const descriptor = bytes[begin + 4] as number;
  const isSingle = (descriptor & 0x20) !== 0;
  const sizeBytes = [isSingle ? 1 : 0, 2, 4, 8][descriptor >> 6] as number;
  const dictionaryBytes = [0, 1, 2, 4][descriptor & 3] as number;
  let at = begin + 5 + (isSingle ? 0 : 1) + dictionaryBytes + sizeBytes;
  for (let isLast = false; !isLast; ) {
    if (at + 3 > limit) return undefined;
    const header = bytes.readUIntLE(at, 3);
    isLast = (header & 1) === 1;
    at += 3 + (((header >> 1) & 3) === 1 ? 1 : header >> 3); // a run of one byte has one
  }
  if ((descriptor & 4) !== 0) at += 4;
  return at <= limit ? at : undefined;
}
