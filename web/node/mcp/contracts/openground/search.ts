/** `search_documents_tool`: the reply's text is a contract, to the letter; what it does not define stands below. */
import type { Hit, HitSymbol, Library, SearchAnswer, SearchOptions } from '../../../../browser/client/types.js';
import { otherLanguageNote } from '../../../store/other_language.js';
import { oneLine } from '../../../base/terminal.js';
import { pageUri } from '../../page_uri.js';
import { CHARACTERS_PER_TOKEN, closed, QUOTED_MARK, visible } from '../../quote.js';
import type { JsonObject, ToolReply } from '../../tool.js';
import { confidenceOf, CONSIDERED, isWeak } from './confidence.js';
import { CONTENT_TOOL } from './names.js';
import { inNote, quotation, source, title } from './quotation.js';

/** A hit with the text that it quotes, as it stands between quotation marks. */
export interface Found {
  hit: Hit;
  content: string;
}

export interface Answer {
  found: Found[];
  /** Most likely nothing of this answers. */
  weak: boolean;
  /** See confidence.ts. */
  confidence: number | undefined;
}

export interface FindOptions extends SearchOptions {
  /** The question in other words; the answers are fused. */
  wordings?: readonly string[];
  /** Neighbouring passages to quote on each side. */
  context?: number;
}

/** Hits of each wording that are fused: with 20 some of what two wordings agree on is missing. */
const FUSED = 50;

/** The best passages of one library version, uncut; a page may contribute several. */
export async function find(library: Library, query: string, options: FindOptions): Promise<Found[]> {
  return (await answerOf(library, query, options)).found;
}

export async function answerOf(library: Library, query: string, options: FindOptions): Promise<Answer> {
  const { hits, weak, confidence } = await ask(library, query, options);
  return { found: await quoted(library, hits, options), weak, confidence };
}

/** Hits without their texts. */
export async function ask(
  library: Library,
  query: string,
  { wordings = [], context: _context, topK = 10, ...options }: FindOptions,
): Promise<{ hits: Hit[]; weak: boolean; confidence: number | undefined; answer: SearchAnswer }> {
  const queries = [...new Set([query, ...wordings].map((each) => each.trim()))].filter((each) => each !== '');
  const count = queries.length > 1 ? Math.max(FUSED, topK) : Math.max(CONSIDERED, topK);
  const answers: SearchAnswer[] = [];
  for (const each of queries.length === 0 ? [query] : queries) {
    const own = topK === 0 ? 0 : count;
    answers.push(await library.search(each, { ...options, topK: own, by: 'passage', explain: true }));
  }
  const confidences = answers.map((answer) => confidenceOf(answer, library.info));
  const best = confidences.includes(undefined) ? undefined : Math.max(...(confidences as number[]));
  const hits = fuse(answers.map((answer) => answer.hits)).slice(0, topK);
  const weak = answers.every((answer, i) => answer.hits.length === 0 || isWeak(answer, confidences[i]));
  return {
    hits: options.explain === true ? hits : hits.map(({ explanation: _, ...hit }) => hit),
    weak: weak && hits.length > 0,
    confidence: best,
    answer: { ...(answers[0] as SearchAnswer), hits },
  };
}

/**
 * One list out of those of several wordings: a passage's mean score over all wordings. Better than reciprocal ranks on
 * the development sets, since a wording that finds little has low scores, but ranks like any other. Pure.
 */
export function fuse(lists: readonly (readonly Hit[])[]): Hit[] {
  const [only] = lists;
  if (lists.length < 2) return [...(only ?? [])];
  const sums = new Map<number, { hit: Hit; sum: number }>();
  for (const hit of lists.flat()) {
    const known = sums.get(hit.passage);
    if (known === undefined) sums.set(hit.passage, { hit, sum: hit.score });
    else known.sum += hit.score;
  }
  return [...sums.values()]
    .sort((a, b) => b.sum - a.sum) // stable: ties stay in the order of the first wording
    .map(({ hit, sum }) => ({ ...hit, score: sum / lists.length }));
}

/** Passages shown once are not shown again as another hit's neighbours. */
export async function quoted(
  library: Library,
  hits: readonly Hit[],
  { signal, context = 0 }: FindOptions,
): Promise<Found[]> {
  const options = signal === undefined ? {} : { signal };
  const shown = new Set(hits.map(({ passage }) => passage));
  const found: Found[] = [];
  for (const hit of hits) {
    const texts = [(await library.passage(hit.passage, options)).text];
    for (const step of [-1, 1]) {
      for (let i = 1; i <= context; i++) {
        const id = hit.passage + step * i;
        if (id < 0 || id >= library.info.passages || shown.has(id)) break;
        const { page, text } = await library.passage(id, options);
        if (page !== hit.page) break;
        shown.add(id);
        if (step < 0) texts.unshift(text);
        else texts.push(text);
      }
    }
    found.push({ hit, content: quotation(texts.join('')) });
  }
  return found;
}

/** For the end of a reply: that the encoder does not know the language of the pages. */
export function otherLanguageNotes({ info }: Library): string[] {
  const note = otherLanguageNote(info);
  return note === undefined ? [] : [`(${note})`];
}

export interface Window {
  /** Hits to pass over. */
  offset: number;
  maxTokens: number | undefined;
}

export interface Extras {
  weak?: boolean;
  /** Sentences for the end of the reply, in parentheses. */
  notes?: readonly string[];
  /** Further facts for programs. */
  facts?: JsonObject;
  /** Pages as resource links. */
  links?: boolean;
}

/** Pure. */
export function renderFound(
  found: readonly Found[],
  library: string,
  version: string,
  { offset, maxTokens }: Window,
  { weak = false, notes = [], facts = {}, links = false }: Extras = {},
): ToolReply {
  const heading = `Found ${found.length} ${found.length === 1 ? 'match' : 'matches'}.`;
  const noted = notes.reduce((sum, note) => sum + note.length + 1, 0);
  const { entries, next, left } = fill(
    found,
    version,
    offset,
    maxTokens === undefined ? Infinity : maxTokens * CHARACTERS_PER_TOKEN - heading.length - noted,
  );
  const lines = [heading, ...entries, ...notes];
  const shown = found.slice(offset, next ?? found.length);
  const sections = sectionsNote(shown, offset);
  if (sections.length < left) lines.push(...sections);
  if (offset > 0 && offset >= found.length)
    lines.push(`(Offset ${offset} is beyond the last match; begin again without an offset.)`);
  if (maxTokens !== undefined && next !== undefined) {
    lines.push(
      `(Matches ${offset + 1} to ${next} of ${found.length}, within max_tokens=${maxTokens}. For the rest call search_documents_tool again with "offset": ${next}.)`,
    );
  }
  const result = lines.join('\n');
  return {
    text: result,
    structured: {
      result,
      library,
      version,
      total: found.length,
      ...(weak ? { weak } : {}),
      hits: shown.map(({ hit }) => hitFacts(hit, library, version)),
      ...(next === undefined ? {} : { next_offset: next }),
      ...facts,
      quoted: QUOTED_MARK,
    },
    ...(links
      ? {
          links: onePerPage(shown).map(({ hit }) => ({
            uri: uriOf(hit, library, version),
            name: oneLine(hit.title) || '(no title)',
            description: `The whole page, ${oneLine(hit.url) || 'unknown'}`,
          })),
        }
      : {}),
  };
}

const onePerPage = (found: readonly Found[]): Found[] =>
  found.filter(({ hit }, i) => found.findIndex((other) => other.hit.page === hit.page) === i);

/** A heading path as notes show it: one line, of bounded length, since headings are a stranger's text, too. */
export function pathOf(headings: readonly string[]): string {
  return headings.map((part) => shortened(inNote(part))).join(' > ');

  function shortened(text: string): string {
    return text.length > MAX_HEADING ? `${text.slice(0, MAX_HEADING)}…` : text;
  }
}

const MAX_HEADING = 100;

/** Where on their pages the matches stand: heading path and anchor. One line, for matches that have an anchor. */
function sectionsNote(shown: readonly Found[], offset: number): string[] {
  const sections = shown.flatMap(({ hit: { anchor, headings } }, i) =>
    anchor === '' ? [] : [`${offset + i + 1}. ${pathOf(headings)} #${inNote(anchor)}`],
  );
  if (sections.length === 0) return [];
  return [`(Sections: ${sections.join('; ')}. ${CONTENT_TOOL} gives a section for its url#anchor.)`];
}

/** As many entries as fit, but at least one. `next`: the first hit that did not fit. `left`: the room that remains. */
function fill(
  found: readonly Found[],
  version: string,
  offset: number,
  room: number,
): { entries: string[]; next: number | undefined; left: number } {
  const entries: string[] = [];
  let left = room - CONTINUATION;
  for (let i = offset; i < found.length; i++) {
    const { hit, content } = found[i] as Found;
    const entry = renderEntry(hit, content, i + 1, version);
    if (left - entry.length - 1 >= 0) {
      left -= entry.length + 1;
      entries.push(entry);
      continue;
    }
    if (i > offset) return { entries, next: i, left };
    const over = entry.length + 1 - left;
    entries.push(renderEntry(hit, shortened(content, content.length - over), i + 1, version));
    return { entries, next: i + 1 < found.length ? i + 1 : undefined, left: 0 };
  }
  return { entries, next: undefined, left };
}

/** Room reserved for the line that says how to continue. */
const CONTINUATION = 140;

/** Cuts a passage that alone exceeds the budget; get_full_content_tool has the rest of it. */
function shortened(content: string, length: number): string {
  const kept = content.slice(0, Math.max(length - 8, 40));
  const line = kept.lastIndexOf('\n');
  return closed(`${(line > 0 ? kept.slice(0, line) : kept).trimEnd()} …`);
}

export function renderEntry(hit: Hit, content: string, rank: number, version: string): string {
  const url = oneLine(hit.url) || 'unknown';
  const hint = `{"tool": "get_full_content", "url": ${pythonJson(url)}, "version": ${pythonJson(version)}}`;
  return `${rank}. **${title(hit.title)}**: "${content}" (Source: ${source(hit.url)}, Version: ${version}, score=${hit.score.toFixed(4)})\n   To get full page content: ${hint}`;
}

/** A string as Python's json.dumps writes it: everything but printable ASCII escaped. */
export function pythonJson(text: string): string {
  return JSON.stringify(text).replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function uriOf(hit: Hit, library: string, version: string): string {
  return pageUri({ library, version, page: hit.source || String(hit.page) });
}

function symbolFacts({ name, signature, ...rest }: HitSymbol): JsonObject {
  return { ...rest, name: visible(name), signature: visible(signature) };
}

export function hitFacts(hit: Hit, library: string, version: string): JsonObject {
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
    ...(hit.symbol === undefined ? {} : { symbol: symbolFacts(hit.symbol) }),
  };
}
