/**
 * Bytes for a page that was opened as a file. There, neither fetch nor modules reach a neighbouring file; a classic
 * script does. So `sheaf site --file` writes a bundle a second time, as scripts of 256 KiB each, and this reads ranges
 * of it by running the scripts that hold them:
 *
 *     document.currentScript.sheaf="BASE64"
 *
 * Plain ASCII, so it reads the same in any encoding that a page, a host or a tool assumes. A byte takes 1.33 on disk,
 * and 1 in an archive. web/node/site/file_page.ts is the writing end.
 *
 * Invariant: a piece has exactly the bytes that the site's entry promised, or reading it fails. As always, the core
 * checks their content. Cost: about 5 ms per piece, most of it in the browser's own parser.
 */
import { SheafError } from '../client/errors.js';
import { checkRange, type Source } from '../client/source.js';

/** A script address as Trusted Types require it; without them, the address itself. */
export type Trust = (url: string) => string;

/** Pieces kept: 8 MiB of the largest. The core keeps what it was given, so few are requested again. */
const KEPT = 32;

/** Runs a classic script and returns what it left on its element. */
function runScript(url: string, trust: Trust): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.addEventListener('load', () => {
      script.remove();
      resolve((script as { sheaf?: unknown }).sheaf);
    });
    script.addEventListener('error', () => {
      script.remove();
      const wayOut = 'keep the folder sheaf beside the pages, whole, or run sheaf site --file again';
      reject(new SheafError('FILE', `${url} could not be read; ${wayOut}.`));
    });
    script.src = trust(url);
    document.head.append(script);
  });
}

/** The bytes that a piece's script carries; `size` is how many there must be. */
export async function readPiece(url: string, size: number, trust: Trust): Promise<Uint8Array> {
  const bytes = decodePiece(await runScript(url, trust), size);
  if (bytes !== undefined) return bytes;
  const wayOut = 'run it again, after all that rewrites scripts';
  throw new SheafError('CORRUPT', `${url} does not hold ${size} bytes as sheaf site --file wrote them; ${wayOut}.`);
}

/** Decodes base64; undefined when the text does not encode `size` bytes. Pure. */
export function decodePiece(left: unknown, size: number): Uint8Array | undefined {
  // Checked first, so that nothing larger than a piece is decoded.
  if (typeof left !== 'string' || left.length !== 4 * Math.ceil(size / 3)) return undefined;
  let text: string;
  try {
    text = atob(left);
  } catch {
    return undefined;
  }
  if (text.length !== size) return undefined;
  const bytes = new Uint8Array(size);
  for (let i = 0; i < size; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

export interface Pieces {
  /** Name of the folder of 0.js, 1.js, … beside sheaf.js. */
  folder: string;
  /** Bytes of the whole. */
  bytes: number;
}

export class PiecesSource implements Source {
  readonly key: string;
  readonly #bytes: number;
  readonly #piece: number;
  readonly #trust: Trust;
  /** By number; least recently used first. */
  readonly #kept = new Map<number, Promise<Uint8Array>>();

  /** `folder` is an address that ends in a slash; `piece` is the size of all pieces but the last. */
  constructor(folder: string, bytes: number, piece: number, trust: Trust) {
    this.key = folder;
    this.#bytes = bytes;
    this.#piece = piece;
    this.#trust = trust;
  }

  async size(): Promise<number> {
    return this.#bytes;
  }

  async read(offset: number, length: number): Promise<Uint8Array> {
    checkRange(this.key, offset, length, this.#bytes);
    const bytes = new Uint8Array(length);
    const first = Math.floor(offset / this.#piece);
    const numbers = Array.from({ length: Math.ceil((offset + length) / this.#piece) - first }, (_, i) => first + i);
    await Promise.all(
      numbers.map(async (number) => {
        const start = number * this.#piece;
        const part = (await this.#get(number)).subarray(Math.max(0, offset - start), offset + length - start);
        bytes.set(part, Math.max(0, start - offset));
      }),
    );
    return bytes;
  }

  /** A failure is forgotten, so that the next call tries again. */
  #get(number: number): Promise<Uint8Array> {
    const size = Math.min(this.#piece, this.#bytes - number * this.#piece);
    const piece = this.#kept.get(number) ?? readPiece(`${this.key}${number}.js`, size, this.#trust);
    this.#kept.delete(number);
    this.#kept.set(number, piece);
    piece.catch(() => this.#kept.delete(number));
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > KEPT && oldest !== undefined) this.#kept.delete(oldest);
    return piece;
  }
}
