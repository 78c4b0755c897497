/**
 * Records where an installed library came from, so that it can be updated: one file per bundle in
 * `$XDG_DATA_HOME/sheaf/sources`, named like the bundle.
 *
 *     { "format": 1, "library", "version", "source": {…}, "trusted", "within"?, "encoder", "language"?, "onlyLanguage"?,
 *       "versionFolder"?, "passageSize",
 *       "revision", "content"?, "documentation"?, "files": { PATH: SHA-256 }, "bundle": { "bytes", "modified" } }
 *
 * `bundle` ties the record to one file: a bundle that something else has written since does not match,
 * and an update packs it again instead of trusting it.
 */
import { mkdir, readFile, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describeSource, type PackageContent, type SourceSpec } from './source.js';
import { writeAtomically } from '../base/files.js';
import { parseSpec } from './sources_file.js';
import { encodeFileName, recordsFolder, storeFolder, type StoredBundle } from '../store/store.js';

export interface SourceRecord {
  format: 1;
  library: string;
  version: string;
  source: SourceSpec;
  trusted: boolean;
  /** The folder that the source must stay in, because it came from a list that is not the user's own. */
  within?: string | undefined;
  encoder: string;
  /** As it was given; missing where the pages say it. */
  language?: string | undefined;
  /** Which of several languages and versions, as it was given. */
  onlyLanguage?: string | undefined;
  versionFolder?: string | undefined;
  passageSize: number;
  revision?: string;
  /** Of a package: where its pages come from, and where its documentation lies. */
  content?: PackageContent;
  documentation?: string;
  files: Record<string, string>;
  bundle: { bytes: number; modified: number };
}

export function bundlePath(library: string, version: string): string {
  return join(storeFolder(), encodeFileName(library, version));
}

function recordPath(library: string, version: string): string {
  return join(recordsFolder(), encodeFileName(library, version).replace(/\.sheaf$/, '.json'));
}

/** undefined if the record is missing or unreadable. */
export async function readRecord(library: string, version: string): Promise<SourceRecord | undefined> {
  try {
    const record = JSON.parse(await readFile(recordPath(library, version), 'utf8')) as SourceRecord;
    const source = parseSpec(record.source);
    const sound =
      record.format === 1 &&
      source !== undefined &&
      typeof record.files === 'object' &&
      record.files !== null &&
      typeof record.bundle === 'object' &&
      ['string', 'undefined'].includes(typeof record.within);
    return sound ? { ...record, source } : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the bundle is still the one that the record describes. */
export async function matchesBundle(record: SourceRecord): Promise<boolean> {
  const now = await bundleFacts(record.library, record.version);
  return now !== undefined && now.bytes === record.bundle.bytes && now.modified === record.bundle.modified;
}

/** Fills in `format` and `bundle`. */
export async function writeRecord(record: Omit<SourceRecord, 'format' | 'bundle'>): Promise<void> {
  const bundle = await bundleFacts(record.library, record.version);
  if (bundle === undefined) return; // removed meanwhile
  const path = recordPath(record.library, record.version);
  await mkdir(dirname(path), { recursive: true });
  await writeAtomically(path, `${JSON.stringify({ format: 1, ...record, bundle }, null, 1)}\n`);
}

/** In this order a failure leaves a bundle that can be removed again, and no record without one. */
export async function removeBundle(library: string, version: string, bundle: string): Promise<void> {
  await rm(recordPath(library, version), { force: true });
  await rm(bundle, { force: true });
}

async function bundleFacts(library: string, version: string): Promise<SourceRecord['bundle'] | undefined> {
  const stats = await stat(bundlePath(library, version)).catch(() => undefined);
  return stats?.isFile() ? { bytes: stats.size, modified: stats.mtimeMs } : undefined;
}

/** Where a bundle of the user's store came from, by the record of `sheaf add`. */
export async function originOf({ library, version, path }: StoredBundle): Promise<string | undefined> {
  if (path !== bundlePath(library, version)) return undefined;
  const record = await readRecord(library, version);
  return record === undefined ? undefined : describeSource(record.source);
}
