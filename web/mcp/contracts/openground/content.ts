/** `get_full_content_tool`: one page, each passage once. */
import { SheafError } from '../../../client/errors.js';
import type { Page } from '../../../client/types.js';
import type { StoredBundle } from '../../../host/store.js';
import { oneLine } from '../../../host/terminal.js';
import { pageUri } from '../../page_uri.js';
import { CHARACTERS_PER_TOKEN, cutAtBorders, QUOTED_MARK, visible } from '../../quote.js';
import type { Pool, ToolReply } from '../../tool.js';
import type { Window } from './search.js';

export interface FoundPage {
  page: Page;
  bundle: StoredBundle;
}

export interface Sought {
  url: string;
  version: string;
  library: string | undefined;
}

/**
 * The page with that URL, from any library of that version. Tries `likely` first. Skips an unreadable
 * bundle if another has the page; otherwise reports its error, because the page may be in there.
 */
export async function findPage(
  pool: Pool,
  sought: Sought,
  likely: readonly string[],
  signal: AbortSignal,
): Promise<FoundPage | undefined> {
  const { url, version, library } = sought;
  const matching = (await pool.list()).filter(
    (bundle) => bundle.version === version && (library === undefined || bundle.library === library),
  );
  const ordered = [
    ...matching.filter(({ path }) => likely.includes(path)),
    ...matching.filter(({ path }) => !likely.includes(path)),
  ];
  let failure: unknown;
  for (const bundle of ordered) {
    signal.throwIfAborted();
    try {
      return { bundle, page: await pool.use(bundle, (open) => open.page(url, { signal })) };
    } catch (error) {
      if (signal.aborted) throw error;
      if (!(error instanceof SheafError && error.code === 'NOT_FOUND')) failure ??= error;
    }
  }
  if (failure !== undefined) throw failure;
  return undefined;
}

/** Pure. */
export function renderPage({ page, bundle }: FoundPage, { offset, maxTokens }: Window): ToolReply {
  const { library, version } = bundle;
  const title = oneLine(visible(page.title)) || '(no title)';
  const url = oneLine(page.url) || 'unknown';
  const heading = `# ${title}\n\nSource: ${url}\nVersion: ${version}\n\n`;
  const limit =
    maxTokens === undefined ? Infinity : Math.max(maxTokens * CHARACTERS_PER_TOKEN - heading.length - CONTINUATION, 40);
  const { text, next } = cutAtBorders(
    page.passages.map((passage) => passage.text),
    offset,
    limit,
  );
  let result = heading + visible(text).trim();
  if (next !== undefined) {
    result += `\n\n(Characters ${offset} to ${next} of ${page.text.length}, within max_tokens=${maxTokens}. For the rest call get_full_content_tool again with "offset": ${next}.)`;
  }
  return {
    text: result,
    structured: {
      result,
      title,
      url,
      library,
      version,
      source: page.source,
      last_modified: page.lastModified,
      characters: page.text.length,
      uri: pageUri({ library, version, page: page.source || String(page.id) }),
      ...(next === undefined ? {} : { next_offset: next }),
      quoted: QUOTED_MARK,
    },
  };
}

/** Room reserved for the line that says how to continue. */
const CONTINUATION = 140;
