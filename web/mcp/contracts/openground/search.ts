/** `search_documents_tool`: the reply's text is a contract, to the letter. */
import type { Hit, Library, SearchOptions } from '../../../client/types.js';
import { oneLine } from '../../../host/terminal.js';
import { pageUri } from '../../page_uri.js';
import { CHARACTERS_PER_TOKEN, QUOTED_MARK, visible } from '../../quote.js';
import type { JsonObject, ToolReply } from '../../tool.js';

/** A hit with the text that it quotes. */
export interface Found {
  hit: Hit;
  content: string;
}

/** The best passages of one library version, uncut; a page may contribute several. */
export async function find(library: Library, query: string, options: SearchOptions): Promise<Found[]> {
  const { hits } = await library.search(query, { ...options, by: 'passage' });
  const found: Found[] = [];
  for (const hit of hits) {
    const passage = await library.passage(hit.passage, options.signal === undefined ? {} : { signal: options.signal });
    found.push({ hit, content: visible(passage.text).trim() });
  }
  return found;
}

export interface Window {
  /** Hits to pass over. */
  offset: number;
  maxTokens: number | undefined;
}

/** Pure. */
export function renderFound(
  found: readonly Found[],
  library: string,
  version: string,
  { offset, maxTokens }: Window,
): ToolReply {
  const heading = `Found ${found.length} ${found.length === 1 ? 'match' : 'matches'}.`;
  const { entries, next } = fill(
    found,
    version,
    offset,
    maxTokens === undefined ? Infinity : maxTokens * CHARACTERS_PER_TOKEN - heading.length,
  );
  const lines = [heading, ...entries];
  if (maxTokens !== undefined && next !== undefined) {
    lines.push(
      `(Matches ${offset + 1} to ${next} of ${found.length}, within max_tokens=${maxTokens}. For the rest call search_documents_tool again with "offset": ${next}.)`,
    );
  }
  const result = lines.join('\n');
  const shown = found.slice(offset, next ?? found.length);
  return {
    text: result,
    structured: {
      result,
      library,
      version,
      total: found.length,
      hits: shown.map(({ hit }) => hitFacts(hit, library, version)),
      ...(next === undefined ? {} : { next_offset: next }),
      quoted: QUOTED_MARK,
    },
    links: onePerPage(shown).map(({ hit }) => ({
      uri: uriOf(hit, library, version),
      name: oneLine(hit.title) || '(no title)',
      description: `The whole page, ${oneLine(hit.url) || 'unknown'}`,
    })),
  };
}

const onePerPage = (found: readonly Found[]): Found[] =>
  found.filter(({ hit }, i) => found.findIndex((other) => other.hit.page === hit.page) === i);

/** As many entries as fit, but at least one. `next`: the first hit that did not fit. */
function fill(
  found: readonly Found[],
  version: string,
  offset: number,
  room: number,
): { entries: string[]; next: number | undefined } {
  const entries: string[] = [];
  let left = room - CONTINUATION;
  for (let i = offset; i < found.length; i++) {
    const { hit, content } = found[i] as Found;
    const entry = renderEntry(hit, content, i + 1, version);
    left -= entry.length + 1;
    if (left >= 0) {
      entries.push(entry);
      continue;
    }
    if (i > offset) return { entries, next: i };
    entries.push(renderEntry(hit, shortened(content, content.length + left), i + 1, version));
    return { entries, next: i + 1 < found.length ? i + 1 : undefined };
  }
  return { entries, next: undefined };
}

/** Room reserved for the line that says how to continue. */
const CONTINUATION = 140;

/** Cuts a passage that alone exceeds the budget; get_full_content_tool has the rest of it. */
function shortened(content: string, length: number): string {
  const kept = content.slice(0, Math.max(length - 2, 40));
  const line = kept.lastIndexOf('\n');
  return `${(line > 0 ? kept.slice(0, line) : kept).trimEnd()} …`;
}

function renderEntry(hit: Hit, content: string, rank: number, version: string): string {
  const title = oneLine(visible(hit.title)) || '(no title)';
  const url = oneLine(hit.url) || 'unknown';
  const hint = `{"tool": "get_full_content", "url": ${pythonJson(url)}, "version": ${pythonJson(version)}}`;
  return `${rank}. **${title}**: "${content}" (Source: ${url}, Version: ${version}, score=${hit.score.toFixed(4)})\n   To get full page content: ${hint}`;
}

/** A string as Python's json.dumps writes it: everything but printable ASCII escaped. */
export function pythonJson(text: string): string {
  return JSON.stringify(text).replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function uriOf(hit: Hit, library: string, version: string): string {
  return pageUri({ library, version, page: hit.source || String(hit.page) });
}

function hitFacts(hit: Hit, library: string, version: string): JsonObject {
  return {
    title: visible(hit.title),
    url: hit.url,
    anchor: hit.anchor,
    headings: hit.headings.map(visible),
    score: Number(hit.score.toFixed(4)),
    source: hit.source,
    first_line: hit.firstLine,
    last_line: hit.lastLine,
    uri: uriOf(hit, library, version),
  };
}
