/** The state of a search in words, for a live region. */
import type { SearchState } from '../state/search.js';
import { counted, fill, shortened, type Localised } from './strings.js';

export function statusText(state: SearchState, { strings, language }: Localised): string {
  switch (state.status) {
    case 'idle':
      return '';
    case 'opening':
    case 'searching':
      return strings.searching;
    case 'offline':
      return strings.offline;
    case 'error':
      return strings.failed;
    case 'done': {
      const values = { query: shortened(state.answered) };
      return state.count === 0
        ? fill(strings.noResults, values)
        : counted(strings.found, state.count, language, values);
    }
  }
}
