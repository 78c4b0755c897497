/**
 * Opens bundles on a page that was opened as a file. The component names a bundle by its address, as on the web;
 * this looks the address up among the files that `sheaf site --file` wrote as scripts.
 *
 * Hits lead to files: a folder's address would show a listing, and one without `.html` nothing. Breadcrumbs and
 * filters by path still use the page's path on the web.
 */
import { withPlaces } from '../client/copies.js';
import { SheafError } from '../client/errors.js';
import { loadCore } from '../client/load.js';
import { takeTextFrom } from '../client/load_text.js';
import { openLocal } from '../client/local.js';
import { openRemote } from '../client/remote.js';
import type { OpenOne } from '../client/shared_worker.js';
import { tryWorker } from '../client/start_worker.js';
import type { Hit, Library } from '../client/types.js';
import { packedBaseOf } from '../ui/state/manifest.js';
import { PiecesSource, readPiece, type Pieces, type Trust } from './pieces.js';

export interface FileSite {
  /** The code's folder beside sheaf.js. */
  code: string;
  /** Bytes of the worker's script, of the core's WebAssembly, and of what reads passages. */
  worker: number;
  core: number;
  text: number;
  /** The same of languages' rules, by name. */
  languages?: Readonly<Record<string, number>>;
  /** Bytes of a piece. */
  piece: number;
  /** By the names that the bundle and the table have on the web. */
  pieces: Readonly<Record<string, Pieces>>;
}

/**
 * `folder` is the address of sheaf.js's folder, with a trailing slash. Each bundle gets its own worker: few are open at
 * once, since readers search one version and language.
 */
export function fileOpener(site: FileSite, folder: string, trust: Trust): OpenOne {
  const code = `${folder}${site.code}/`;
  takeTextFrom(() => readPiece(`${code}text.js`, site.text, trust));

  function sourceOf(address: string): PiecesSource {
    const url = new URL(address, document.baseURI).href.replace(/#.*/s, '');
    const name = url.startsWith(folder) ? url.slice(folder.length) : '';
    const found = Object.hasOwn(site.pieces, name) ? site.pieces[name] : undefined;
    if (found !== undefined) return new PiecesSource(`${folder}${found.folder}/`, found.bytes, site.piece, trust);
    const wayOut = 'only what sheaf site --file wrote beside the pages can';
    throw new SheafError('FILE', `${url} cannot be read from a page opened as a file; ${wayOut}.`);
  }

  return async (src, { encoder }) => {
    const bundle = sourceOf(String(src));
    const options = { encoder: encoder ? sourceOf(String(encoder)) : undefined, deferEncoder: true };
    const names = Object.entries(site.languages ?? {});
    const [script, wasm, ...rules] = await Promise.all([
      readPiece(`${code}worker.js`, site.worker, trust),
      readPiece(`${code}core.js`, site.core, trust),
      ...names.map(([name, bytes]) => readPiece(`${code}language-${name}.js`, bytes, trust)),
    ]);
    const languages = Object.fromEntries(names.map(([name], i) => [name, rules[i] as Uint8Array]));
    const worker = await startWorker(script, trust);
    if (worker !== undefined) {
      return asFiles(await openRemote(worker, () => worker.terminate(), bundle, { ...options, wasm, languages }));
    }
    const needed = 'Content-Security-Policy needs worker-src blob: here';
    console.warn(`sheaf: no worker could be started (${needed}), so searches run on this thread.`);
    return asFiles(await openLocal(await loadCore(wasm, languages), bundle, options));
  };
}

/** A classic worker: pages without an origin may not load module workers, even from a Blob. */
async function startWorker(script: Uint8Array, trust: Trust): Promise<Worker | undefined> {
  const url = URL.createObjectURL(new Blob([script as BlobPart], { type: 'text/javascript' }));
  return tryWorker(trust(url), { type: 'classic' }).finally(() => URL.revokeObjectURL(url));
}

/** Gives the library's hits the addresses of files. */
export function asFiles(library: Library): Library {
  const search = library.search.bind(library);
  library.search = async (query, options) => {
    const answer = await search(query, options);
    const base = packedBaseOf(library.info);
    return {
      ...answer,
      hits: answer.hits.map((hit) => withPlaces(hit, (place) => ({ url: fileAddress(place, base) }))),
    };
  };
  return library;
}

/** Below the base URL that the bundle was packed with, so that the component moves it to where the pages lie. Pure. */
export function fileAddress({ source }: Pick<Hit, 'source'>, base: string): string {
  const path = source.split('/').map(encodeURIComponent).join('/');
  return base === '' ? path : `${base.replace(/(?<!\/)\/+$/, '')}/${path}`;
}
