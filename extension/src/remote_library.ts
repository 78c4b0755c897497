/** All installed libraries as one library for the component: its calls go to the desk. */
import type { DeskClient } from './connect.js';
import type {
  CallOptions,
  Library,
  LibraryFacets,
  LibraryInfo,
  Page,
  Passage,
  SearchOptions,
} from '../browser/client/types.js';
import type { DeskAnswer } from './types.js';

const INFO: LibraryInfo = {
  library: 'sheaf',
  version: '',
  manifest: {},
  pages: 0,
  passages: 0,
  terms: 0,
  dimensions: 256,
  vectorBits: 4,
  hasGraph: false,
  space: '',
  fileSize: 0,
  semantic: true,
  lazy: false, // from disk: a search costs no requests
};

export class RemoteLibrary implements Library {
  readonly info = INFO;
  /** See scope.ts. */
  scope = '';
  readonly #desk: DeskClient;
  readonly #answered: (answer: DeskAnswer) => void;

  constructor(desk: DeskClient, answered: (answer: DeskAnswer) => void = () => {}) {
    this.#desk = desk;
    this.#answered = answered;
  }

  async search(query: string, { signal, vector: _, ...options }: SearchOptions = {}): Promise<DeskAnswer> {
    const answer = await this.#desk.call('search', [query, options, this.scope], signal);
    this.#answered(answer);
    return answer;
  }

  passage(id: number, { signal }: CallOptions = {}): Promise<Passage> {
    return this.#desk.call('passage', [id], signal);
  }

  async prefetch(): Promise<void> {
    await this.#desk.call('state', []);
  }

  page(): Promise<Page> {
    return Promise.reject(new Error('Pages are read by the reader.'));
  }
  findPage(): Promise<number> {
    return Promise.reject(new Error('Pages are read by the reader.'));
  }
  embed(): Promise<Float32Array> {
    return Promise.reject(new Error('The desk encodes.'));
  }
  facets(): Promise<LibraryFacets> {
    return Promise.resolve({ filters: [], sorts: [] });
  }
  verify(): Promise<number> {
    return Promise.resolve(0);
  }
  async close(): Promise<void> {}
  [Symbol.dispose](): void {}
  async [Symbol.asyncDispose](): Promise<void> {}
}
