/**
 * `sheaf site --file`: what a page needs that is opened as a file, without a host. Browsers let such a page
 * load classic scripts and nothing else, so everything is written as scripts (web/page/pieces.ts says how):
 *
 *   sheaf/file-HASH/page.js         component                    read with the page
 *   sheaf/file-HASH/engine.js       client and core's glue       read when a reader reaches for the search
 *   sheaf/file-HASH/core.js         the core's WebAssembly       the same
 *   sheaf/NAME-HASH.pieces/0.js …   a bundle or the table        the pieces that a query touches
 *
 * Cost: about what the .sheaf files take, once more, and 290 kB of code; readers on the web load none of it.
 */
import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { constants, deflateRawSync } from 'node:zlib';
import { CliError, EXIT } from '../host/exit.js';
import type { FileSite } from '../page/file_open.js';
import type { Pieces } from '../page/pieces.js';
import { renameUnlessThere, touch } from './files.js';

const CODE = fileURLToPath(new URL('../site/file/', import.meta.url));
const CORE = fileURLToPath(new URL('../core/sheaf-core.wasm', import.meta.url));
/** Small enough that a page never waits for one, large enough that there are not thousands. */
export const PIECE_BYTES = 256 * 1024;
const FIRST = 0x3400;
const BITS = 15;

/** Writes code and pieces below `folder`; `names` are .sheaf files there. */
export async function placeForFiles(folder: string, names: readonly string[]): Promise<FileSite> {
  const core = await readFile(CORE);
  const written: Record<string, Pieces> = {};
  const site: FileSite = { code: await placeFileCode(folder, core), core: core.length, piece: PIECE_BYTES, pieces: written };
  for (const name of names) {
    const bytes = await readFile(join(folder, name));
    const pieces = `${name.replace(/\.sheaf$/, '')}.pieces`;
    await placeFolder(join(folder, pieces), () => cut(bytes));
    written[name] = { folder: pieces, bytes: bytes.length };
  }
  return site;
}

/** The script that carries `bytes`: UTF-16, little-endian, 15 bits a character. Pure. */
export function pieceScript(bytes: Uint8Array): Buffer {
  const packed = deflateRawSync(bytes, { level: constants.Z_BEST_COMPRESSION });
  const [head, tail] = [`\ufeffdocument.currentScript.sheaf=[${packed.length},"`, '"]'];
  const script = Buffer.alloc((head.length + Math.ceil((packed.length * 8) / BITS) + tail.length) * 2);
  let end = script.write(head, 'utf16le');
  let waiting = 0;
  let held = 0;
  for (const byte of packed) {
    waiting = (waiting << 8) | byte;
    held += 8;
    if (held < BITS) continue;
    held -= BITS;
    end = script.writeUInt16LE(FIRST + (waiting >> held), end);
    waiting &= (1 << held) - 1;
  }
  if (held > 0) end = script.writeUInt16LE(FIRST + (waiting << (BITS - held)), end);
  script.write(tail, end, 'utf16le');
  return script;
}

function* cut(bytes: Uint8Array): Generator<[name: string, content: Uint8Array]> {
  for (let start = 0; start < bytes.length; start += PIECE_BYTES) {
    yield [`${start / PIECE_BYTES}.js`, pieceScript(bytes.subarray(start, start + PIECE_BYTES))];
  }
}

async function placeFileCode(folder: string, core: Uint8Array): Promise<string> {
  const files: [string, Uint8Array][] = [];
  for (const name of ['page.js', 'engine.js']) {
    const content = await readFile(join(CODE, name)).catch(() => undefined);
    if (content === undefined) throw new CliError(EXIT.FAILURE, `${name} is missing in ${CODE}; build it: npm run build`);
    files.push([name, content]);
  }
  files.push(['core.js', pieceScript(core)]);
  const hash = createHash('sha256');
  for (const [name, content] of files) hash.update(name).update('\0').update(content);
  const name = `file-${hash.digest('hex').slice(0, 12)}`;
  await placeFolder(join(folder, name), () => files);
  return name;
}

/** Writes a folder under another name and renames it, unless it is there; then its day begins anew. */
async function placeFolder(target: string, files: () => Iterable<[string, Uint8Array]>): Promise<void> {
  if (await stat(target).catch(() => undefined)) return touch(target);
  const temporary = `${target}.${process.pid}.tmp`;
  await rm(temporary, { recursive: true, force: true });
  await mkdir(temporary, { recursive: true });
  for (const [name, content] of files()) await writeFile(join(temporary, name), content);
  await renameUnlessThere(temporary, target);
}
