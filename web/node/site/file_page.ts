/**
 * `sheaf site --file`: what a page needs that is opened as a file, without a host. Browsers let such a page
 * load classic scripts and nothing else, so everything is written as scripts (web/browser/page/pieces.ts says how):
 *
 *   sheaf/file-HASH/page.js         component and client         read with the page
 *   sheaf/file-HASH/worker.js       the worker, as a piece       read when a reader reaches for the search
 *   sheaf/file-HASH/core.js         the core's WebAssembly       the same
 *   sheaf/file-HASH/text.js         what reads passages          read when a passage is shown
 *   sheaf/file-HASH/language-xx.js  the rules of its language    the same, for languages that have some
 *   sheaf/NAME-HASH.pieces/0.js …   a bundle or the table        the pieces that a query touches
 *
 * Cost: four thirds of what the .sheaf files take, and 480 kB of code; readers on the web load none of it.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CORE_FILE, readLanguage, TEXT_FILE } from '../client/paths.js';
import { CliError, EXIT } from '../base/exit.js';
import type { FileSite } from '../../browser/page/file_open.js';
import type { Pieces } from '../../browser/page/pieces.js';
import { placeFolder } from './files.js';

const CODE = fileURLToPath(new URL('./file/', import.meta.url));
/** Small enough that a page never waits for one, large enough that there are not thousands. */
export const PIECE_BYTES = 256 * 1024;

/** Writes code and pieces below `folder`; `names` are .sheaf files there. */
export async function placeForFiles(
  folder: string,
  names: readonly string[],
  languages: readonly string[] = [],
): Promise<FileSite> {
  const written: Record<string, Pieces> = {};
  const site: FileSite = { ...(await placeFileCode(folder, languages)), piece: PIECE_BYTES, pieces: written };
  for (const name of names) {
    const bytes = await readFile(join(folder, name));
    const pieces = piecesName(name, bytes);
    await placeFolder(join(folder, pieces), () => cut(bytes));
    written[name] = { folder: pieces, bytes: bytes.length };
  }
  return site;
}

/** The script that carries `bytes`, as web/browser/page/pieces.ts reads it. Pure. */
export function pieceScript(bytes: Uint8Array): string {
  const { buffer, byteOffset, length } = bytes;
  return `document.currentScript.sheaf="${Buffer.from(buffer, byteOffset, length).toString('base64')}"\n`;
}

/** Hashes the content and the format of the pieces, so another version's pieces are not mistaken for these. */
function piecesName(name: string, bytes: Uint8Array): string {
  const hash = createHash('sha256')
    .update(`${PIECE_BYTES} ${pieceScript(new Uint8Array(0))}`)
    .update(bytes);
  return `${name.replace(/-[0-9a-f]{12}\.sheaf$/, '')}-${hash.digest('hex').slice(0, 12)}.pieces`;
}

function* cut(bytes: Uint8Array): Generator<[name: string, content: string]> {
  for (let start = 0; start < bytes.length; start += PIECE_BYTES) {
    yield [`${start / PIECE_BYTES}.js`, pieceScript(bytes.subarray(start, start + PIECE_BYTES))];
  }
}

async function placeFileCode(
  folder: string,
  languages: readonly string[],
): Promise<Pick<FileSite, 'code' | 'worker' | 'core' | 'text' | 'languages'>> {
  const [page, worker, core, text] = await Promise.all([
    readCode('page.js'),
    readCode('worker.js'),
    readFile(CORE_FILE),
    readFile(TEXT_FILE),
  ]);
  const rules = await Promise.all(languages.map(async (name) => [name, await readLanguage(name)] as const));
  const files: [string, Uint8Array | string][] = [
    ['page.js', page],
    ['worker.js', pieceScript(worker)],
    ['core.js', pieceScript(core)],
    ['text.js', pieceScript(text)],
    ...rules.map(([name, bytes]): [string, string] => [`language-${name}.js`, pieceScript(bytes)]),
  ];
  const hash = createHash('sha256');
  for (const [name, content] of files) hash.update(name).update('\0').update(content);
  const code = `file-${hash.digest('hex').slice(0, 12)}`;
  await placeFolder(join(folder, code), () => files);
  const sizes = Object.fromEntries(rules.map(([name, bytes]) => [name, bytes.length]));
  return {
    code,
    worker: worker.length,
    core: core.length,
    text: text.length,
    ...(rules.length === 0 ? {} : { languages: sizes }),
  };
}

async function readCode(name: string): Promise<Uint8Array> {
  const content = await readFile(join(CODE, name)).catch(() => undefined);
  if (content === undefined) throw new CliError(EXIT.FAILURE, `${name} is missing in ${CODE}; build it: npm run build`);
  return content;
}
