/**
 * Stands in for web/ui/open.ts and web/ui/scope/open.ts in the script of pages that are opened as files
 * (scripts/site_bundle.mjs puts it there), so that the component is the same in both worlds: it names a bundle by its address, and here
 * the address is looked up among the files that `sheaf site --file` wrote as scripts.
 *
 * Hits lead to files: a folder's address would show a listing, and one without `.html` nothing. What a page
 * is called on the web stays what it is filed under (breadcrumbs, filters by path).
 */
import { SheafError } from '../client/errors.js';
import { openRemote } from '../client/remote.js';
import type { Port } from '../client/rpc.js';
import type { Hit, Library } from '../client/types.js';
import type * as Replaced from '../ui/open.js';
import type * as ReplacedOfSeveral from '../ui/scope/open.js';
import { PiecesSource, readPiece, runScript, type Pieces, type Trust } from './pieces.js';

export interface FileSite {
  /** The code's folder beside sheaf.js. */
  code: string;
  /** Bytes of the core's WebAssembly. */
  core: number;
  /** Bytes of a piece. */
  piece: number;
  /** By the names that the bundle and the table have on the web. */
  pieces: Readonly<Record<string, Pieces>>;
}

interface Here extends FileSite {
  /** Address of the folder of sheaf.js, with a slash at its end. */
  folder: string;
  trust: Trust;
}

let here: Here | undefined;
const opened = new Map<string, Promise<Library>>();

export function useSite(site: FileSite, folder: string, trust: Trust): void {
  here ??= { ...site, folder, trust };
}

export const openShared: typeof Replaced.openShared = async (src, options) => {
  const { encoder, failed } = options;
  const key = JSON.stringify([src, encoder]);
  const known = opened.get(key);
  if (known !== undefined) {
    const library = await known;
    if (library !== failed) return library;
    if (opened.get(key) !== known) return openShared(src, options);
    void failed.close();
  }
  const library = open(src, encoder);
  opened.set(key, library);
  library.catch(() => opened.delete(key));
  return library;
};

/** Each of several bundles in a worker of its own: few are open at once, since readers search one version and language. */
export const openOne: typeof ReplacedOfSeveral.openOne = () => (src, { encoder }) => open(String(src), encoder ? String(encoder) : undefined);

async function open(src: string, encoder: string | undefined): Promise<Library> {
  if (here === undefined) throw new SheafError('INTERNAL', 'The site was not named; load sheaf/sheaf.js.');
  const { folder, code, core, trust } = here;
  const bundle = sourceOf(here, src);
  const table = encoder === undefined ? undefined : sourceOf(here, encoder);
  const script = `${folder}${code}/engine.js`;
  const [engine, wasm] = await Promise.all([runScript(script, trust), readPiece(`${folder}${code}/core.js`, core, trust)]);
  if (typeof engine !== 'function') {
    throw new SheafError('CORRUPT', `${script} was changed; run sheaf site --file again, after all that rewrites scripts.`);
  }
  const { port, end } = await startEngine(engine as Engine, trust);
  return asFiles(await openRemote(port, end, bundle, { encoder: table, deferEncoder: true, wasm }));
}

function sourceOf({ folder, piece, pieces, trust }: Here, address: string): PiecesSource {
  const url = new URL(address, document.baseURI).href;
  const name = url.startsWith(folder) ? url.slice(folder.length) : '';
  const found = Object.hasOwn(pieces, name) ? pieces[name] : undefined;
  if (found !== undefined) return new PiecesSource(`${folder}${found.folder}/`, found.bytes, piece, trust);
  const wayOut = 'only what sheaf site --file wrote beside the pages can';
  throw new SheafError('FILE', `${url} cannot be read from a page opened as a file; ${wayOut}.`);
}

type Engine = (port: Port) => void;

/** In a worker made of the engine's text, or on this thread where the page's policy forbids that. */
async function startEngine(engine: Engine, trust: Trust): Promise<{ port: Port; end: () => void }> {
  const url = URL.createObjectURL(new Blob([`(${String(engine)})(self)`], { type: 'text/javascript' }));
  const worker = await startWorker(url, trust).finally(() => URL.revokeObjectURL(url));
  if (worker !== undefined) return { port: worker, end: () => worker.terminate() };
  console.warn("sheaf: no worker could be started (Content-Security-Policy needs worker-src blob: here), so searches run on this thread.");
  const { port1, port2 } = new MessageChannel();
  engine(port2);
  port1.start();
  port2.start();
  const end = (): void => {
    port1.close();
    port2.close();
  };
  return { port: port1, end };
}

/** A worker that said `ready`, or undefined. Classic: modules are refused to pages without an origin, from a Blob as well. */
function startWorker(url: string, trust: Trust): Promise<Worker | undefined> {
  return new Promise((resolve) => {
    try {
      const worker = new Worker(trust(url), { name: 'sheaf' });
      const failed = (event: Event): void => {
        event.preventDefault(); // told by the caller
        worker.terminate();
        resolve(undefined);
      };
      worker.addEventListener('error', failed, { once: true });
      worker.addEventListener('message', () => {
        worker.removeEventListener('error', failed);
        resolve(worker);
      }, { once: true });
    } catch {
      resolve(undefined);
    }
  });
}

/** The same library, whose hits have the addresses of files. */
export function asFiles(library: Library): Library {
  const search: Library['search'] = async (query, options) => {
    const answer = await library.search(query, options);
    const base = library.info.manifest['base_url'];
    return { ...answer, hits: answer.hits.map((hit) => ({ ...hit, url: fileAddress(hit, typeof base === 'string' ? base : '') })) };
  };
  return new Proxy(library, {
    get(target, name) {
      if (name === 'search') return search;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}

/** Below the base URL that the bundle was packed with, so that the component moves it to where the pages lie. Pure. */
export function fileAddress({ source }: Pick<Hit, 'source'>, base: string): string {
  const path = source.split('/').map(encodeURIComponent).join('/');
  return base === '' ? path : `${base.replace(/\/+$/, '')}/${path}`;
}
