/** The state of a search in words: for a live region, and above and below the list. */
import type { ErrorCode } from '../../client/errors.js';
import type { SearchFailure, SearchState } from '../state/search.js';
import { counted, fill, shortened, type Localised, type Strings } from './strings.js';

type Reason = 'noAnswer' | 'damaged' | 'tooNew' | 'noRoom' | 'noWasm';

/** Other failures have no words that would help a reader. */
const REASONS: Partial<Record<ErrorCode, Reason>> = {
  TRUNCATED: 'damaged',
  TOO_LARGE: 'noRoom',
  NOT_A_BUNDLE: 'damaged',
  UNSUPPORTED_VERSION: 'tooNew',
  NETWORK: 'noAnswer',
  CHECKSUM_MISMATCH: 'damaged',
  CORRUPT: 'damaged',
  WASM: 'noWasm',
  UNKNOWN_ANALYSIS: 'tooNew',
};

/** How much is shown: `23 sections on 8 pages`. */
export function countText({ count, groups }: SearchState, { strings, language }: Localised): string {
  return fill(strings.count, {
    sections: counted(strings.sections, count, language),
    pages: counted(strings.pages, groups.length, language),
  });
}

/** The same with the query that it answers. */
export function foundText(state: SearchState, localised: Localised): string {
  return fill(localised.strings.countFor, { count: countText(state, localised), query: shortened(state.answered) });
}

/** That nothing matched well. */
export const weakText = ({ answered }: SearchState, { strings }: Localised): string =>
  fill(strings.weak, { query: shortened(answered) });

/** Why a search failed, as far as that helps a reader, behind a space. */
function reasonText({ code, status }: Partial<SearchFailure> = {}, strings: Strings): string {
  const reason = status ? 'badAnswer' : REASONS[code as ErrorCode];
  return reason ? ` ${fill(strings[reason], { status: `${status}` })}` : '';
}

export function statusText(state: SearchState, localised: Localised): string {
  const { strings } = localised;
  switch (state.status) {
    case 'idle':
      return '';
    case 'opening':
    case 'searching':
      return strings.searching;
    case 'offline':
      return strings.offline;
    case 'error':
      return strings.failed + reasonText(state.error, strings);
    case 'done':
      if (state.count === 0) return fill(strings.noResults, { query: shortened(state.answered) });
      return state.weak ? weakText(state, localised) : foundText(state, localised);
  }
}
