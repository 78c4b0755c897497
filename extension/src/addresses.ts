/** Addresses of the extension's own pages. */
import type { DeskHit } from './types.js';

export interface ReaderAddress {
  id: string;
  /** Its number, or its address or path within the library; undefined: the library's contents. */
  page: number | string | undefined;
  anchor: string;
  /** The query; its words are marked. */
  query: string;
}

export function readerPath({ id, page, anchor, query }: ReaderAddress): string {
  const fields = new URLSearchParams({ l: id });
  if (page !== undefined) fields.set(typeof page === 'number' ? 'p' : 'u', String(page));
  if (anchor !== '') fields.set('a', anchor);
  if (query !== '') fields.set('q', query.slice(0, 500));
  return `reader.html?${fields.toString()}`;
}

export const hitPath = (hit: DeskHit, query: string): string =>
  readerPath({ id: hit.id, page: hit.own, anchor: hit.anchor, query });

export const contentsPath = (id: string): string => readerPath({ id, page: undefined, anchor: '', query: '' });

export const searchPath = (query: string, scope = ''): string =>
  `search.html?${new URLSearchParams({ q: query.slice(0, 500), ...(scope === '' ? {} : { s: scope }) }).toString()}`;

export function readAddress(search: string): ReaderAddress | undefined {
  const fields = new URLSearchParams(search);
  const id = fields.get('l');
  const number = fields.get('p');
  const page = number === null ? (fields.get('u') ?? undefined) : Number(number);
  if (id === null || id === '' || (typeof page === 'number' && !(Number.isInteger(page) && page >= 0)))
    return undefined;
  return { id, page, anchor: fields.get('a') ?? '', query: fields.get('q') ?? '' };
}
