/**
 * The lines of a page of PDF, made of the pieces of text that PDF.js finds. All functions are pure.
 *
 * Idea: pieces come in the order in which the page draws them, which in documentation is the order of reading. A piece
 * joins the line before it if it stands on the same height and further right.
 */

/** What is used of PDF.js' TextItem. */
export interface Piece {
  str: string;
  /** The last two are x and y; y grows upwards. */
  transform: readonly number[];
  width: number;
  fontName: string;
  hasEOL: boolean;
}

export interface Line {
  text: string;
  left: number;
  right: number;
  y: number;
  /** Of most of its characters. */
  size: number;
  /** Whether most of it is in a font whose characters are equally wide. */
  isCode: boolean;
}

interface Growing extends Omit<Line, 'size' | 'isCode'> {
  sizes: Map<number, number>;
  inCode: number;
  /** x where its next piece goes on. */
  end: number;
}

const sizeOf = ({ transform: [a = 0, b = 0, c = 0, d = 0] }: Piece): number =>
  Math.round(10 * (Math.hypot(c, d) || Math.hypot(a, b))) / 10;

/** `codeFonts`: names of fonts whose characters are equally wide. */
export function linesOf(pieces: readonly Piece[], codeFonts: ReadonlySet<string>): Line[] {
  const lines: Line[] = [];
  let line: Growing | undefined;
  const finish = (): void => {
    if (line !== undefined && line.text.trim() !== '') lines.push(finished(line));
    line = undefined;
  };
  for (const piece of pieces) {
    const size = sizeOf(piece);
    const [x = 0, y = 0] = piece.transform.slice(4);
    if (piece.str !== '' && size > 0) {
      const goesOn = line !== undefined && Math.abs(y - line.y) < size * 0.6 && x > line.end - size * 0.5;
      if (!goesOn) finish();
      line ??= { text: '', left: x, right: x, y, sizes: new Map(), inCode: 0, end: x };
      const isApart = x - line.end > size * 0.2 && !/\s$/.test(line.text) && !/^\s/.test(piece.str);
      line.text += `${isApart ? ' ' : ''}${piece.str}`;
      line.end = x + piece.width;
      if (piece.str.trim() !== '') {
        const letters = piece.str.trim().length;
        line.right = Math.max(line.right, line.end);
        line.sizes.set(size, (line.sizes.get(size) ?? 0) + letters);
        if (codeFonts.has(piece.fontName)) line.inCode += letters;
      }
    }
    if (piece.hasEOL) finish();
  }
  finish();
  return lines;
}

function finished({ text, left, right, y, sizes, inCode }: Growing): Line {
  const letters = [...sizes.values()].reduce((all, each) => all + each, 0);
  return { text: text.trim(), left, right, y, size: mostCommon(sizes), isCode: letters > 0 && inCode >= letters * 0.8 };
}

/** The key with the highest count; of equals the first. */
export function mostCommon(counts: ReadonlyMap<number, number>): number {
  let best = 0;
  let most = 0;
  for (const [key, count] of counts) {
    if (count <= most) continue;
    best = key;
    most = count;
  }
  return best;
}

/** Pieces of a font from which its widths say something. */
const ENOUGH = 10;

/** How wide the characters of each font are, as shares of its size. */
export class FontWidths {
  readonly #stated = new Set<string>();
  readonly #seen = new Map<string, { shares: Map<number, number>; pieces: number; narrow: boolean; wide: boolean }>();

  /** `styles`: what the file says of its fonts. */
  add(pieces: readonly Piece[], styles: Readonly<Record<string, { fontFamily: string }>>): void {
    for (const piece of pieces) {
      if (styles[piece.fontName]?.fontFamily === 'monospace') this.#stated.add(piece.fontName);
      const { str, width, fontName } = piece;
      const size = sizeOf(piece);
      if (str.length < 3 || str.trim() === '' || size === 0) continue;
      const share = Math.round((100 * width) / str.length / size);
      const seen = this.#seen.get(fontName) ?? { shares: new Map(), pieces: 0, narrow: false, wide: false };
      seen.shares.set(share, (seen.shares.get(share) ?? 0) + 1);
      seen.pieces += 1;
      seen.narrow ||= /[ilj.,]/.test(str);
      seen.wide ||= /[mwMW]/.test(str);
      this.#seen.set(fontName, seen);
    }
  }

  /** Fonts in which most pieces, of narrow characters and of wide ones, are as wide as their length says. */
  code(): Set<string> {
    const code = new Set(this.#stated);
    for (const [name, { shares, pieces, narrow, wide }] of this.#seen) {
      const share = mostCommon(shares);
      const near = [share - 1, share, share + 1].reduce((all, each) => all + (shares.get(each) ?? 0), 0);
      if (narrow && wide && share > 40 && near > pieces * 0.9 && pieces >= ENOUGH) code.add(name);
    }
    return code;
  }
}
