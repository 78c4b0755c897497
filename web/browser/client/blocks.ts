/**
 * Decodes the blocks of a stored passage that sheaf-text.wasm reads (wasm/text.d.ts): plain data, ready to draw. A block
 * holds text and addresses, never markup.
 */
import { SheafError } from './errors.js';
import { Reader } from './wire.js';

const KINDS = ['paragraph', 'heading', 'quote', 'item', 'code', 'cell'] as const;
/** By the bits of a run, innermost first. */
const LOOKS = ['code', 'em', 'strong', 's'] as const;

export interface TextRun {
  text: string;
  /** HTML elements that show these looks, innermost first. */
  looks: (typeof LOOKS)[number][];
  /** Where the words lead, as the page writes it: a stranger's address. */
  to?: string;
}

export interface Block {
  kind: (typeof KINDS)[number];
  /** Of an item, from 0; of a cell its column: 0 begins a row. */
  depth: number;
  /** The marker of an item, or the name of an admonition. */
  label: string;
  runs: TextRun[];
}

export function readBlocks(bytes: Uint8Array): Block[] {
  const reader = new Reader(bytes);
  const links = reader.list((r) => r.string());
  return reader.list((r) => {
    const kind = KINDS[r.u8()];
    if (kind === undefined)
      throw new SheafError('INTERNAL', 'sheaf-text.wasm and its JavaScript are of different versions.');
    return { kind, depth: r.u8(), label: r.string(), runs: r.list((run) => readRun(run, links), 3) };
  }, 4);
}

function readRun(reader: Reader, links: readonly string[]): TextRun {
  const looks = reader.u8();
  const to = links[reader.varint() - 1];
  return {
    text: reader.string(),
    looks: LOOKS.filter((_, bit) => (looks & (1 << bit)) !== 0),
    ...(to === undefined ? {} : { to }),
  };
}
