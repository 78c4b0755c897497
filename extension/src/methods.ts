/** The calls between the parts of the extension, over client/rpc.ts. */
import type { CacheMemory } from '../browser/client/open_libraries.js';
import type { Page, Passage, SearchOptions } from '../browser/client/types.js';
import type { CatalogueRecord, Contents, DeskAnswer, DeskState, Ledger, LibraryRecord, Offer } from './types.js';

/** Calls of views, omnibox and menu to the desk. */
export interface DeskMethods {
  state(): DeskState;
  search(text: string, options: Omit<SearchOptions, 'signal' | 'vector'>, scope: string): DeskAnswer;
  page(id: string, page: number | string): { page: Page; record: LibraryRecord; base: string; packedBase: string };
  findPage(id: string, candidates: string[]): number | null;
  contents(id: string, from: number): Contents;
  passage(number: number): Passage;
  install(offer: Offer, replaces: string | null): string;
  sizeOf(offer: Offer): number | null;
  pause(id: string): void;
  resume(id: string): void;
  cancel(id: string): void;
  replace(id: string): void;
  adopt(file: string, name: string): LibraryRecord | null;
  remove(id: string): void;
  mend(): { begun: number; files: string[] };
  addCatalogue(typed: string, unsigned: boolean): CatalogueRecord;
  findOffers(address: string, words: string): Offer[];
  removeCatalogue(address: string): void;
  siteOffers(text: string, address: string, title: string): Offer[];
  setGroup(name: string, members: string[]): void;
  setTransformer(on: boolean): void;
  memory(): CacheMemory;
}

/** Calls of the desk to connected views. */
export interface ViewMethods {
  changed(): void;
}

/** Calls of the worker to the page that started it. */
export interface HostMethods {
  readLedger(): Ledger | undefined;
  writeLedger(ledger: Ledger): void;
  /** Downloads run, or none does any more. */
  busy(busy: boolean): void;
}

/** Calls of that page to the worker. */
export interface WorkerMethods {
  start(): void;
}
