/** The filter by kind of what a query names: "kind:function open". */
import type { SymbolKind } from './types.js';

/** By their numbers in a bundle. */
export const SYMBOL_KINDS =
  'module class function method property setting command option variable error operator type macro endpoint'.split(
    ' ',
  ) as SymbolKind[];

/** A query without its filter, and the kind; undefined where it has none. Pure. */
export function kindFilter(query: string): { text: string; kind?: SymbolKind } {
  const [filter = '', word = ''] = /(?:^|\s)kind:(\w+)(?!\S)/.exec(query) ?? [];
  const kind = word as SymbolKind;
  return SYMBOL_KINDS.includes(kind) ? { text: query.replace(filter, '').trim(), kind } : { text: query };
}
