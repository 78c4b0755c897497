/**
 * Decodes the messages of the WASM core. The twin of wasm/bindings.cc; the layout is written down
 * in wasm/module.d.ts, and this file is the one place on the JavaScript side that knows it.
 *
 * Every read is checked against the message's end, and every list's count against the bytes left,
 * so that a damaged message is an INTERNAL error rather than a wrong answer.
 */
import { coreError, SheafError } from './errors.js';
import { SYMBOL_KINDS } from './kind_filter.js';
import type {
  Explanation,
  Facet,
  Highlight,
  Hit,
  HitKind,
  HitSymbol,
  MatchKind,
  Passage,
  SearchAnswer,
  TermMatch,
} from './types.js';

/** Bytes that the host must supply before the core can answer the same call. */
export interface Need {
  source: number;
  offset: number;
  length: number;
}

export type Message<T> =
  | { kind: 'answer'; value: T }
  | { kind: 'needs'; needs: Need[] }
  | { kind: 'error'; error: SheafError };

/** The answer to `open`, as the core gives it. */
export interface CoreInfo {
  library: string;
  version: string;
  manifest: string;
  pages: number;
  passages: number;
  terms: number;
  dimensions: number;
  vectorBits: number;
  hasGraph: boolean;
  space: string;
  fileSize: number;
  /** Whose rules the core needs, unless it is en or empty. */
  language: string;
}

/** The answer to `page`: the passages' texts, joined, are the page's text. */
export interface CorePage {
  id: number;
  title: string;
  url: string;
  source: string;
  description: string;
  lastModified: string;
  passages: Passage[];
}

const TAG_ANSWER = 0;
const TAG_NEEDS = 1;
const TAG_ERROR = 2;

const HIT_KINDS: readonly HitKind[] = ['heading', 'code', 'text'];
export const MATCH_KINDS: readonly MatchKind[] = [
  'exact',
  'stem',
  'part',
  'joined',
  'prefix',
  'typo',
  'wording',
  'synonym',
  'pinned',
];

// A byte order mark is text like any other: passages are byte-exact.
const UTF8 = new TextDecoder('utf-8', { ignoreBOM: true });

/** Reads little-endian fields from the front of a message. */
export class Reader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #position = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get left(): number {
    return this.#bytes.length - this.#position;
  }

  u8(): number {
    return this.#view.getUint8(this.#take(1));
  }

  flag(): boolean {
    return this.u8() !== 0;
  }

  f32(): number {
    return this.#view.getFloat32(this.#take(4), true);
  }

  /** LEB128, up to 2^53 - 1: arithmetic instead of shifts, which stop at 32 bits. */
  varint(): number {
    let value = 0;
    let scale = 1;
    for (let i = 0; i < 8; i++) {
      const byte = this.u8();
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) {
        if (!Number.isSafeInteger(value)) break;
        return value;
      }
      scale *= 128;
    }
    throw damaged('a number beyond 2^53');
  }

  string(): string {
    const length = this.varint();
    const start = this.#take(length);
    return UTF8.decode(this.#bytes.subarray(start, start + length));
  }

  /** A list; `least` is the fewest bytes an item can take, which bounds the count. */
  list<T>(item: (reader: Reader) => T, least = 1): T[] {
    const count = this.varint();
    if (count * least > this.left) throw damaged(`a list of ${count} items in ${this.left} bytes`);
    const items = new Array<T>(count);
    for (let i = 0; i < count; i++) items[i] = item(this);
    return items;
  }

  #take(length: number): number {
    if (length > this.left) throw damaged(`${length} bytes wanted, ${this.left} left`);
    const start = this.#position;
    this.#position += length;
    return start;
  }
}

function damaged(detail: string): SheafError {
  return new SheafError(
    'INTERNAL',
    `A message of the core could not be read (${detail}); sheaf-core.wasm and the JavaScript files may be of different versions: install them together.`,
  );
}

/** Decodes one message; `decode` reads the answer proper. */
export function decodeMessage<T>(bytes: Uint8Array, decode: (reader: Reader) => T): Message<T> {
  const reader = new Reader(bytes);
  const message = decodeBody(reader, decode);
  if (reader.left !== 0) throw damaged(`${reader.left} bytes after its end`);
  return message;
}

function decodeBody<T>(reader: Reader, decode: (reader: Reader) => T): Message<T> {
  const tag = reader.u8();
  switch (tag) {
    case TAG_ANSWER:
      return { kind: 'answer', value: decode(reader) };
    case TAG_NEEDS:
      return { kind: 'needs', needs: reader.list(readNeed, 3) };
    case TAG_ERROR: {
      const code = reader.u8();
      return { kind: 'error', error: coreError(code, reader.string()) };
    }
    default:
      throw damaged(`the unknown tag ${tag}`);
  }
}

function readNeed(reader: Reader): Need {
  return { source: reader.u8(), offset: reader.varint(), length: reader.varint() };
}

const readString = (reader: Reader): string => reader.string();

export function readNothing(): void {}

export function readInfo(reader: Reader): CoreInfo {
  return {
    library: reader.string(),
    version: reader.string(),
    manifest: reader.string(),
    pages: reader.varint(),
    passages: reader.varint(),
    terms: reader.varint(),
    dimensions: reader.varint(),
    vectorBits: reader.varint(),
    hasGraph: reader.flag(),
    space: reader.string(),
    fileSize: reader.varint(),
    language: reader.string(),
  };
}

export function readSpace(reader: Reader): string {
  return reader.string();
}

export function readAnswer(reader: Reader): SearchAnswer {
  const matchingPassages = reader.varint();
  const ignoredWords = reader.varint();
  const usedKeyword = reader.flag();
  const usedSemantic = reader.flag();
  const weak = reader.flag();
  const corrections = reader.list((r) => ({ word: r.string(), term: r.string() }), 2);
  const hits = reader.list(readHit, 22);
  const facets = readFacets(reader.string());
  return {
    hits,
    corrections,
    ...(facets.length === 0 ? {} : { facets }),
    matchingPassages,
    ignoredWords,
    usedKeyword,
    usedSemantic,
    weak,
  };
}

/** The fields of each line; keys and values hold neither tabs nor line ends. */
const tabbed = (text: string): string[][] =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => line.split('\t'));

function readFacets(text: string): Facet[] {
  const facets: Facet[] = [];
  for (const [key = '', value = '', pages = 0] of tabbed(text)) {
    if (facets.at(-1)?.key !== key) facets.push({ key, values: [] });
    facets.at(-1)?.values.push({ value, pages: Number(pages) || 0 });
  }
  return facets;
}

function readHit(reader: Reader): Hit {
  const hit: Hit = {
    page: reader.varint(),
    passage: reader.varint(),
    score: reader.f32(),
    title: reader.string(),
    place: reader.list(readString),
    url: reader.string(),
    source: reader.string(),
    anchor: reader.string(),
    headings: reader.list(readString),
    firstLine: reader.varint(),
    lastLine: reader.varint(),
    kind: named(HIT_KINDS, reader.u8()),
    snippet: reader.string(),
    highlights: reader.list(readHighlight, 2),
    titleHighlights: reader.list(readHighlight, 2),
    headingHighlights: reader.list(readHighlight, 2),
  };
  const meta = reader.list((r): [string, string] => [r.string(), r.string()], 2);
  if (meta.length > 0) hit.meta = Object.fromEntries(meta); // defines own properties: a key `__proto__` is like any other
  if (reader.flag()) hit.symbol = readSymbol(reader);
  if (reader.flag()) hit.explanation = readExplanation(reader);
  return hit;
}

function readSymbol(reader: Reader): HitSymbol {
  return {
    kind: named(SYMBOL_KINDS, reader.u8()),
    deprecated: reader.flag(),
    name: reader.string(),
    signature: reader.string(),
  };
}

function named<T>(names: readonly T[], number: number): T {
  const name = names[number];
  if (name === undefined) throw damaged(`the unknown kind ${number}`);
  return name;
}

function readHighlight(reader: Reader): Highlight {
  return { start: reader.varint(), length: reader.varint() };
}

function readExplanation(reader: Reader): Explanation {
  return {
    keywordRaw: reader.f32(),
    keyword: reader.f32(),
    cosine: reader.f32(),
    semantic: reader.f32(),
    semanticWeight: reader.f32(),
    coverage: reader.f32(),
    pageBonus: reader.f32(),
    terms: reader.list(readTermMatch, 19),
  };
}

function readTermMatch(reader: Reader): TermMatch {
  const word = reader.string();
  const term = reader.string();
  const kind = named(MATCH_KINDS, reader.u8());
  return { word, term, kind, idf: reader.f32(), weight: reader.f32(), frequency: reader.f32(), score: reader.f32() };
}

export function readVector(reader: Reader): Float32Array {
  return Float32Array.from(reader.list((r) => r.f32(), 4));
}

export function readPage(reader: Reader): CorePage {
  return {
    id: reader.varint(),
    title: reader.string(),
    url: reader.string(),
    source: reader.string(),
    description: reader.string(),
    lastModified: reader.string(),
    passages: reader.list(readPassage, 7),
  };
}

export function readNumber(reader: Reader): number {
  return reader.varint();
}

export function readPassage(reader: Reader): Passage {
  return {
    id: reader.varint(),
    page: reader.varint(),
    anchor: reader.string(),
    headings: reader.list(readString),
    firstLine: reader.varint(),
    lastLine: reader.varint(),
    text: reader.string(),
  };
}
