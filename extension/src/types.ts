/**
 * Plain data that the parts of the extension pass to each other. All of it crosses contexts as JSON, and parts of it
 * come from strangers: text of them is shown as text, and addresses were checked by plain.ts.
 */
import type { Pin } from '../browser/catalogue/reader.js';
import type { RefusalCode } from '../browser/catalogue/refusal.js';
import type { ErrorCode } from '../browser/client/errors.js';
import type { Hit, SearchAnswer } from '../browser/client/types.js';

/** Where a library came from, and comes from again when its file is gone. */
export interface Origin {
  kind: 'catalogue' | 'site' | 'file';
  /** Of the bundle; '' for a file that the reader gave. */
  address: string;
  /** Of the catalogue, or of the site's list; '' for a file. */
  list: string;
}

/** Something that can be installed, as its catalogue, site or file describes it. */
export interface Offer {
  library: string;
  version: string;
  title: string;
  description: string;
  licence: string;
  language: string;
  /** As stated; undefined where it is unknown. */
  bytes?: number | undefined;
  /** SHA-256 of the file, or its beginning, in hex; '' where it is unknown. */
  hash: string;
  /** Where the pages live; '' for where the bundle says. */
  base: string;
  /** The encoder table of its vector space, for spaces that the extension brings no table for. */
  table?: { address: string; hash: string } | undefined;
  origin: Origin;
}

/** An installed library. */
export interface LibraryRecord extends Omit<Offer, 'bytes' | 'table'> {
  id: string;
  bytes: number;
  /** Name in the vault. */
  file: string;
  pages: number;
  passages: number;
  /** Vector space; '' without vectors. */
  space: string;
  installed: number;
}

/** An encoder table. It serves the libraries of its space and publisher, and goes with the last of them. */
export interface TableRecord {
  space: string;
  /** See publisherOf; '' for the table that comes with the extension, which serves every library of its space. */
  publisher: string;
  /** Name in the vault. */
  file: string;
}

export type DownloadStatus = 'running' | 'paused' | 'checking' | 'asking' | 'failed';

/** A library as a question names it. */
export type Named = Pick<LibraryRecord, 'id' | 'library' | 'version' | 'title' | 'origin'>;

/** The file is good, but would replace libraries of another publisher: the reader decides. */
export interface Question {
  comes: Named;
  goes: Named[];
}

export interface DownloadRecord {
  id: string;
  offer: Offer;
  /** Name in the vault, of what is there so far. */
  file: string;
  /** ETag or date of the server's file; '' before it answers. A part continues only the same file. */
  validator: string;
  total?: number | undefined;
  status: DownloadStatus;
  /** Installed library that it takes the place of, beside one of the same id. */
  replaces?: string | undefined;
  /** Of a download that is `asking`. */
  question?: Question | undefined;
  error?: Trouble | undefined;
}

/** Codes of the extension, beside the client's. */
export type TroubleCode =
  | ErrorCode
  | 'QUOTA' // no room
  | 'HASH' // not the file that was announced
  | 'OTHER_LIBRARY' // the file documents something else than announced
  | 'ACCESS' // the server lets no extension read it; a host permission would
  | 'MISSING' // the browser deleted the file
  | 'LOCKED' // the file is there, and something else holds it
  | 'LIST' // a catalogue or list that cannot be used
  | RefusalCode; // a catalogue that must not be believed

export interface Trouble {
  code: TroubleCode;
  message: string;
}

/** A group of libraries under a short name; members are ids, or names for whatever version is newest. */
export interface Group {
  name: string;
  members: string[];
}

export interface CatalogueRecord {
  address: string;
  title: string;
  /** All that it offers; of a large one, what is installed from it. */
  offers: Offer[];
  read: number;
  /** Of a catalogue with a head: what is believed of it from now on, and until when `offers` count. */
  pin?: Pin | undefined;
  expires?: string | undefined;
  /** Until when what was found in it since counts: a later head vouches for that, and not for the older list. */
  foundExpires?: string | undefined;
  /** Libraries of a large one, which is searched and not listed. */
  size?: number | undefined;
}

export interface Settings {
  /** Queries are encoded by a transformer. */
  transformer: boolean;
}

/** Everything that survives a restart; kept outside of what the browser may evict. */
export interface Ledger {
  libraries: LibraryRecord[];
  downloads: DownloadRecord[];
  groups: Group[];
  catalogues: CatalogueRecord[];
  tables: TableRecord[];
  settings: Settings;
}

/** The state that views show. */
export interface DeskState {
  libraries: (LibraryRecord & { missing: boolean })[];
  downloads: (DownloadRecord & { received: number })[];
  groups: Group[];
  catalogues: CatalogueRecord[];
  settings: Settings;
  /** The transformer, where the reader wants one. */
  transformer: {
    status: 'off' | 'loading' | 'ready' | 'failed';
    share?: number | undefined;
    error?: string | undefined;
  };
  storage: { used: number; free: number; persisted: boolean };
}

/** A hit, with the library that it belongs to. */
export interface DeskHit extends Hit {
  /** Of the library. */
  id: string;
  /** Number of the page within its library. */
  own: number;
  label?: string;
  base?: string;
  lang?: string;
}

/** Pages of a library, in its own order. */
export interface Contents {
  record: LibraryRecord;
  /** Those to begin with, best first. */
  first: ContentsEntry[];
  pages: ContentsEntry[];
  total: number;
}

export interface ContentsEntry {
  page: number;
  title: string;
  /** Of its source; '' at the top. */
  folder: string;
}

export interface DeskAnswer extends SearchAnswer {
  hits: DeskHit[];
  /** The scope that the query itself named; '' for none. */
  scope: string;
  /** Libraries that could not be searched. */
  failures: { label: string; trouble: Trouble }[];
}
