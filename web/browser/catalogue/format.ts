/**
 * The files of a catalogue, and what they may say (docs/catalogue.md).
 *
 *     catalogue.json              the head: commits to every shard and to the index, by SHA-256
 *     catalogue.json.minisig      the head's signature
 *     catalogue.pub               the public key, for who has none yet
 *     keys/ID.pub, .pub.minisig   a newer key, signed by the one before
 *     shards/SHA256.json          libraries whose names fall into this shard; commits to their bundles
 *     bundles/SHA256.sheaf        bundles, and the index of the catalogue itself
 *
 * Invariants: no address and no path comes from what a catalogue says, but for the older form's, whose bundles are beside
 * it; sizes are stated before anything is fetched, and capped here; text has no control characters and an end.
 */
import { isLibraryName } from '../client/names.js';
import { lineOf } from '../client/plain_text.js';
import { CatalogueRefusal } from './refusal.js';

export const HEAD = 'catalogue.json';
export const HEAD_SIGNATURE = 'catalogue.json.minisig';
export const PUBLIC_KEY = 'catalogue.pub';
export const keyPath = (id: string): string => `keys/${id}.pub`;
export const shardPath = (sha256: string): string => `shards/${sha256}.json`;
export const bundlePath = (sha256: string): string => `bundles/${sha256}.sheaf`;
/** What a signature of a new key says of whose it is. */
export const rotationComment = (id: string): string => `sheaf catalogue ${id} key`;

/** As many libraries as a shard is meant to hold. */
const PER_SHARD = 32;

export const LIMITS = {
  /** Of the older form too, which lists everything in it. */
  headBytes: 4 << 20,
  shards: 4096,
  shardBytes: 8 << 20,
  librariesPerShard: 20_000,
  versions: 2000,
  indexBytes: 256 << 20,
  bundleBytes: 4 * 2 ** 30,
  signatureBytes: 4096,
} as const;

export interface FileFacts {
  sha256: string;
  bytes: number;
}

export interface Head {
  /** Says which catalogue this is, whatever its address and key. */
  id: string;
  title: string;
  /** Grows with each head. */
  serial: number;
  /** ISO 8601, in UTC. */
  created: string;
  expires: string;
  libraries: number;
  bundles: number;
  /** A power of two; a library's shard is that of its name. */
  shards: FileFacts[];
  /** The bundle that finds libraries by what they do; its pages are named by libraryPage. */
  index?: FileFacts | undefined;
  /** Encoder tables of spaces that do not come with Sheaf. */
  tables: (FileFacts & { space: string })[];
}

export interface CatalogueVersion extends FileFacts {
  version: string;
  language: string;
  pages: number;
  passages: number;
  space: string;
  /** Where the text comes from, as sheaf add takes it; '' where that is a folder. */
  source: string;
  licence: string;
  /** Of a repository; '' where there is none. */
  commit: string;
  /** When it was packed, ISO 8601. */
  date: string;
  /** Only in the older form: relative to the catalogue. */
  address?: string;
}

export interface CatalogueLibrary {
  library: string;
  title: string;
  description: string;
  licence: string;
  /** Words that say what it is about, the most telling first. */
  words: string[];
  /** The vector of that text in `space`, one signed byte a dimension, as base64; '' where there is none. */
  vector: string;
  space: string;
  versions: CatalogueVersion[];
}

/** Which shard a library is in: FNV-1a of its name, so that every reader can tell without a table. */
export function shardOf(library: string, shards: number): number {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(library)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  // The low bits of FNV-1a are the weak ones.
  return ((hash ^ (hash >>> 16)) & (shards - 1)) >>> 0;
}

/** How many shards so many libraries get. */
export function shardsFor(libraries: number): number {
  let shards = 1;
  while (shards * PER_SHARD < libraries && shards < LIMITS.shards) shards *= 2;
  return shards;
}

/** The page of a library in the index. */
export const libraryPage = (library: string): string => `${library.replaceAll('/', '~')}.md`;
export function libraryOfPage(source: string): string | undefined {
  const name = /^([^/]+)\.md$/.exec(source)?.[1]?.replaceAll('~', '/');
  return name !== undefined && isLibraryName(name) ? name : undefined;
}

/** The address of a file of the catalogue at `catalogue`. A list of the older form names addresses: they must be of its host and folder. */
export function addressBelow(path: string, catalogue: string): string {
  const folder = new URL('.', catalogue);
  if (!URL.canParse(path, folder)) throw malformed('It names what is no address');
  const url = new URL(path, folder);
  if (url.origin !== folder.origin) throw malformed(`It names a file of another host: ${url.origin}`);
  if (url.username !== '' || url.password !== '') throw malformed('It names an address with a user');
  if (!url.pathname.startsWith(folder.pathname) || /(\.|%2e){2}(%2f|%5c)/i.test(url.pathname))
    throw malformed('It names a file outside of its folder');
  return url.href;
}

// ---- reading --------------------------------------------------------------------------------------

/** The object of a file's text. */
export function objectOf(bytes: Uint8Array, what: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // said below
  }
  throw malformed(`${what} is no JSON object`);
}

export function isOlderForm(fields: Record<string, unknown>): boolean {
  return fields['sheaf'] === 1;
}

export function parseHead(fields: Record<string, unknown>): Head {
  if (fields['sheaf'] !== 2) throw malformed('It is of a form that this version does not read');
  const { id, serial } = fields;
  const shards = Array.isArray(fields['shards']) ? fields['shards'].slice(0, LIMITS.shards + 1) : [];
  const files = shards.map((one) => fileFacts(one, LIMITS.shardBytes));
  const isPower = files.length > 0 && (files.length & (files.length - 1)) === 0;
  if (typeof id !== 'string' || !/^[0-9a-f-]{16,64}$/.test(id)) throw malformed('It has no id');
  if (!isCount(serial)) throw malformed('It has no serial number');
  if (!isPower || files.length > LIMITS.shards || files.includes(undefined))
    throw malformed('Its shards are not named');
  return {
    id,
    serial: serial as number,
    title: lineOf(fields['title'], 80),
    created: timeOf(fields['created'], 'creation'),
    expires: timeOf(fields['expires'], 'expiry'),
    libraries: isCount(fields['libraries']) ? (fields['libraries'] as number) : 0,
    bundles: isCount(fields['bundles']) ? (fields['bundles'] as number) : 0,
    shards: files as FileFacts[],
    index: fileFacts(fields['index'], LIMITS.indexBytes),
    tables: listOf(fields['tables'], 100).flatMap((one) => {
      const facts = fileFacts(one, LIMITS.indexBytes);
      const space = lineOf((one as Record<string, unknown> | null)?.['space'], 64);
      return facts === undefined || space === '' ? [] : [{ ...facts, space }];
    }),
  };
}

/** The libraries of a shard; entries that cannot be used, or belong into another shard, are passed over. */
export function parseShard(fields: Record<string, unknown>, at: number, shards: number): CatalogueLibrary[] {
  if (fields['sheaf'] !== 2) throw malformed('A shard is of a form that this version does not read');
  return listOf(fields['libraries'], LIMITS.librariesPerShard)
    .flatMap((raw) => parseLibrary(raw) ?? [])
    .filter(({ library }) => shardOf(library, shards) === at);
}

/** The libraries of the earlier form, all in one file. */
export function parseOlderForm(fields: Record<string, unknown>): CatalogueLibrary[] {
  return listOf(fields['libraries'], LIMITS.librariesPerShard).flatMap((raw) => parseLibrary(raw, true) ?? []);
}

function parseLibrary(raw: unknown, withAddress = false): CatalogueLibrary | undefined {
  if (typeof raw !== 'object' || raw === null) return undefined;
  const entry = raw as Record<string, unknown>;
  const { library, vector } = entry;
  if (typeof library !== 'string' || !isLibraryName(library)) return undefined;
  const versions = listOf(entry['versions'], LIMITS.versions).flatMap((one) => parseVersion(one, withAddress) ?? []);
  if (versions.length === 0) return undefined;
  return {
    library,
    title: lineOf(entry['title'], 80) || library,
    description: lineOf(entry['description'], 300),
    licence: lineOf(entry['licence'], 80),
    words: listOf(entry['words'], 64).flatMap((word) => lineOf(word, 40) || []),
    vector: typeof vector === 'string' && vector.length <= 8192 && /^[A-Za-z0-9+/]*=*$/.test(vector) ? vector : '',
    space: lineOf(entry['space'], 64),
    versions,
  };
}

function parseVersion(raw: unknown, withAddress: boolean): CatalogueVersion | undefined {
  const facts = fileFacts(raw, LIMITS.bundleBytes);
  if (facts === undefined) return undefined;
  const entry = raw as Record<string, unknown>;
  const { version, address } = entry;
  if (typeof version !== 'string' || !isPlainVersion(version)) return undefined;
  if (withAddress && (typeof address !== 'string' || address.length > 4096)) return undefined;
  const count = (key: string): number => (isCount(entry[key]) ? (entry[key] as number) : 0);
  return {
    ...facts,
    version,
    language: lineOf(entry['language'], 40),
    pages: count('pages'),
    passages: count('passages'),
    space: lineOf(entry['space'], 64),
    source: lineOf(entry['source'], 1000),
    licence: lineOf(entry['licence'], 80),
    commit: /^[0-9a-f]{40,64}$/.test(String(entry['commit'])) ? String(entry['commit']) : '',
    date: lineOf(entry['date'], 40),
    ...(withAddress ? { address: address as string } : {}),
  };
}

/** A version's name: no slash, nothing that a terminal or a file name takes for something else. */
function isPlainVersion(text: string): boolean {
  return text.length <= 64 && /^(?! )[^/\\\p{Cc}]+(?<! )$/u.test(text) && lineOf(text, 64) === text;
}

function fileFacts(value: unknown, mostBytes: number): FileFacts | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { sha256, bytes } = value as Record<string, unknown>;
  if (typeof sha256 !== 'string' || !/^[0-9a-f]{64}$/.test(sha256)) return undefined;
  return isCount(bytes) && (bytes as number) <= mostBytes ? { sha256, bytes: bytes as number } : undefined;
}

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;
const listOf = (value: unknown, most: number): unknown[] => (Array.isArray(value) ? value.slice(0, most) : []);

function timeOf(value: unknown, what: string): string {
  if (
    typeof value === 'string' &&
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z$/.test(value) &&
    !Number.isNaN(Date.parse(value))
  )
    return value;
  throw malformed(`Its time of ${what} is no time`);
}

function malformed(what: string): CatalogueRefusal {
  return new CatalogueRefusal('MALFORMED', `The catalogue cannot be read: ${what}.`);
}
