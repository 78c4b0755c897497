/**
 * The documents of a dataset: metadata.json, an array of them or `{"documents": […]}`.
 *
 * Each has id, title, path, content and snippet; a missing or non-string field counts as empty. Memory
 * keeps only what replies show; contents are passed on once, for packing.
 */
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, stat } from 'node:fs/promises';

/** JSON.parse briefly needs about five times this much memory. */
export const MAX_METADATA_BYTES = 256 * 1024 * 1024;
export const MAX_DOCUMENTS = 1_000_000;
/** How much of a snippet a reply shows. */
export const SNIPPET_LENGTH = 200;

export interface DocumentFacts {
  id: string;
  title: string;
  path: string;
  /** At most SNIPPET_LENGTH code units, and "..." where there was more. */
  snippet: string;
}

export interface Documents {
  facts: DocumentFacts[];
  contents: string[];
  /** SHA-256 of the file, in hexadecimal. */
  hash: string;
}

export async function readDocuments(path: string): Promise<Documents> {
  const bytes = await readBounded(path);
  const entries = documentsOf(parse(bytes, path));
  if (entries.length > MAX_DOCUMENTS) {
    throw new Error(
      `Metadata file holds ${entries.length} documents; at most ${MAX_DOCUMENTS} are taken. Split the dataset.`,
    );
  }
  const records = entries.map((entry) =>
    typeof entry === 'object' && entry !== null ? (entry as Record<string, unknown>) : {},
  );
  return {
    facts: records.map(factsOf),
    contents: records.map((record) => string(record['content'])),
    hash: createHash('sha256').update(bytes).digest('hex'),
  };
}

/** The file's size and times: while they are unchanged, so are its documents. */
export async function documentsKey(path: string): Promise<string> {
  const { ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true });
  return `${ino}:${size}:${mtimeNs}:${ctimeNs}`;
}

async function readBounded(path: string): Promise<Buffer> {
  const handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)); // never waits for a pipe's writer
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw new Error(`Metadata is not a regular file: ${path}`);
    if (stats.size > MAX_METADATA_BYTES)
      throw new Error(`Metadata file is larger than ${MAX_METADATA_BYTES} bytes: ${path}. Split the dataset.`);
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

/** Replaces the parser's message, which would quote a file that may be private. */
function parse(bytes: Buffer, path: string): unknown {
  try {
    return JSON.parse(bytes.toString('utf8').replace(/^\ufeff/, ''));
  } catch {
    throw new Error(`Metadata file is not valid JSON: ${path}`);
  }
}

function documentsOf(data: unknown): unknown[] {
  if (Array.isArray(data)) return data;
  if (typeof data !== 'object' || data === null)
    throw new Error('Metadata file must contain an object or array of documents');
  const { documents } = data as { documents?: unknown };
  if (!Array.isArray(documents)) throw new Error('Metadata file missing "documents" array');
  return documents;
}

function factsOf(record: Record<string, unknown>, i: number): DocumentFacts {
  const path = string(record['path']);
  const id = record['id'];
  return {
    id: typeof id === 'number' ? String(id) : string(id),
    title: string(record['title']).trim() || path || `Document ${i}`,
    path,
    snippet: shortened(string(record['snippet']) || string(record['content']).slice(0, SNIPPET_LENGTH)),
  };
}

/** The first SNIPPET_LENGTH code units, never half a character, and "..." where there was more. */
export function shortened(text: string): string {
  if (text.length <= SNIPPET_LENGTH) return text;
  return `${text.slice(0, SNIPPET_LENGTH).replace(/[\ud800-\udbff]$/, '')}...`;
}

function string(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
