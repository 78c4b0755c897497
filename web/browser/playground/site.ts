/**
 * The site of a playground: its pages, and its bundle under any rules, packed in this browser.
 *
 * Invariant: one packing at a time; a newer one ends the older.
 */
import { open } from '../client/open.js';
import type { Library } from '../client/types.js';
import { pack } from '../packer/index.js';
import { RULES_FILE } from '../client/rules_file.js';
import type { MemoryFile, PackSettings, Report } from '../packer/types.js';

/** What `sheaf serve DIR --playground` puts beside the page. */
export interface SiteData {
  title: string;
  /** sheaf.search.yaml as it is; empty where there is none. */
  rules: string;
  /** Each is a bundle of its own: a language, a version. */
  collections: { label: string /** Empty, or with a slash at its end. */; folder: string; settings: PackSettings }[];
  /** Pages in UTF-8 are text, others base64. */
  files: { path: string; text?: string; base64?: string }[];
}

export interface Packed {
  library: Library;
  pages: number;
  /** Rules that meet no page, and the like. */
  notes: string[];
  seconds: number;
}

export class Site {
  readonly data: SiteData;
  readonly #files: MemoryFile[];
  readonly #code: Promise<WebAssembly.Module>;
  readonly #table: Promise<ArrayBuffer>;
  #stop: AbortController | undefined;

  constructor(data: SiteData, base: URL) {
    this.data = data;
    this.#files = data.files.map(({ path, text, base64 }) => ({ path, bytes: text ?? bytesOf(base64 ?? '') }));
    this.#code = WebAssembly.compileStreaming(fetch(new URL('dist/browser/packer/sheaf-packer.wasm', base)));
    this.#table = fetch(new URL('models/minilm-l6-256.sheaf', base)).then((response) => response.arrayBuffer());
  }

  /** Error: the packer's, which names the rule that is wrong; ABORTED: a newer packing began. */
  async pack(
    collection: SiteData['collections'][number],
    rules: string,
    onProgress: (share: number) => void,
  ): Promise<Packed> {
    this.#stop?.abort();
    const stop = (this.#stop = new AbortController());
    const began = performance.now();
    const [wasm, table] = await Promise.all([this.#code, this.#table]);
    const { bundle, report } = await pack(
      {
        ...collection.settings,
        source: [
          ...this.#files.filter(({ path }) => path.startsWith(collection.folder)),
          { path: RULES_FILE, bytes: rules },
        ],
        encoderTable: table.slice(0),
      },
      { wasm, signal: stop.signal, onProgress: ({ share }) => onProgress(share) },
    );
    const encoder = collection.settings.encoder === 'none' ? {} : { encoder: table.slice(0) };
    const library = await open(bundle, { ...encoder, transfer: true, signal: stop.signal });
    const { pages, notes: remarks } = report as Pick<Report, 'pages' | 'notes'>;
    const notes = remarks.filter(({ path }) => path.endsWith(RULES_FILE)).map(({ reason }) => reason);
    return { library, pages, notes, seconds: (performance.now() - began) / 1000 };
  }
}

function bytesOf(base64: string): Uint8Array {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}
