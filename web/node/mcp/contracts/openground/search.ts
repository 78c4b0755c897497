/** `search_documents_tool`: the reply's text is a contract, to the letter; what it does not define stands below. */
import type {
  Hit,
  HitSymbol,
  Library,
  SearchAnswer,
  SearchOptions,
  SymbolKind,
} from '../../../../browser/client/types.js';
import { otherLanguageNote } from '../../../store/other_language.js';
import { oneLine } from '../../../base/terminal.js';
import { pageUri } from '../../page_uri.js';
import { CHARACTERS_PER_TOKEN, QUOTED_MARK, visible } from '../../quote.js';
import type { JsonObject, ToolReply } from '../../tool.js';
import { confidenceOf, CONSIDERED, isWeak } from './confidence.js';
import { allot, REPLY_CHARACTERS, shortened, type Wanted } from './budget.js';
import { nameAlone, namesFound } from './names_asked.js';
import { matchesOf } from './passages.js';
import { quotation, source, title } from './quotation.js';

/** A hit with what it quotes of its page, in reading order. */
export interface Found {
  hit: Hit;
  places: Quoted[];
}

/** A text as it stands between quotation marks. */
export interface Quoted {
  content: string;
  /** The content from the passage that matched on, for replies that have no room for all of it. */
  from: string;
  /** See `Place` in passages.ts. */
  rank: number;
  announces: boolean;
  /** Nothing is left out between the place before and this one. */
  follows: boolean;
}

/** A match that quotes one text. */
export function foundOne(hit: Hit, rank: number, content: string): Found {
  return { hit, places: [{ content, from: content, rank, announces: false, follows: false }] };
}

export interface Answer {
  found: Found[];
  /** Most likely nothing of this answers. */
  weak: boolean;
  /** See confidence.ts. */
  confidence: number | undefined;
  /** Names of code in the question that the best passages have: see names_asked.ts. */
  names: ReadonlySet<string>;
}

export interface FindOptions extends SearchOptions {
  /** The question in other words; the answers are fused. */
  wordings?: readonly string[];
  /** Neighbouring passages to quote on each side. */
  context?: number;
  /** Only entries of this kind that a wording names. */
  kind?: SymbolKind;
}

/** Hits of each wording that are fused: with 20 some of what two wordings agree on is missing. */
const FUSED = 50;

/** Hits that are asked for, for each match: several may be of one section. */
const SPARE = 4;

export async function answerOf(library: Library, query: string, options: FindOptions): Promise<Answer> {
  const { topK = 10 } = options;
  const { hits, weak, confidence, names } = await ask(library, query, { ...options, topK: topK * SPARE });
  return { found: await quoted(library, hits, topK, options), weak, confidence, names };
}

/**
 * Hits without their texts. Who asks for the signature of a name is given the name's own entry: the name alone is one more
 * wording. A wording that finds nothing of its own, where another does, changes nothing.
 */
export async function ask(
  library: Library,
  query: string,
  { wordings = [], context: _context, topK = 10, kind, ...options }: FindOptions,
): Promise<Omit<Answer, 'found'> & { hits: Hit[]; answer: SearchAnswer }> {
  const queries = distinct([query, ...wordings, nameAlone(query) ?? '']);
  const count = queries.length > 1 ? Math.max(FUSED, topK) : Math.max(CONSIDERED, topK);
  const answers: SearchAnswer[] = [];
  for (const each of queries) {
    const own = topK === 0 ? 0 : count;
    const asked = kind === undefined ? each : `${each} kind:${kind}`;
    answers.push(await library.search(asked, { ...options, topK: own, by: 'passage', explain: true }));
  }
  const confidences = answers.map((answer) => confidenceOf(answer, library.info));
  const best = confidences.includes(undefined) ? undefined : Math.max(...(confidences as number[]));
  const sound = answers.filter((answer, i) => answer.hits.length > 0 && !isWeak(answer, confidences[i]));
  const hits = fuse((sound.length > 0 ? sound : answers).map((answer) => answer.hits)).slice(0, topK);
  return {
    hits: options.explain === true ? hits : hits.map(({ explanation: _, ...hit }) => hit),
    weak: sound.length === 0 && hits.length > 0,
    confidence: best,
    names: namesFound(queries, answers),
    answer: { ...(answers[0] as SearchAnswer), hits },
  };
}

/** Without those that have the same words, whatever their case and signs; the query alone where all are empty. */
function distinct(queries: readonly string[]): string[] {
  const byWords = new Map<string, string>();
  for (const each of queries) {
    const words =
      each
        .toLowerCase()
        .match(/[^\s"'.,;:!?]+/g)
        ?.join(' ') ?? '';
    if (each.trim() !== '' && !byWords.has(words)) byWords.set(words, each.trim());
  }
  return byWords.size === 0 ? [queries[0] ?? ''] : [...byWords.values()];
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

/** The first `count` matches that the hits make, with their texts. */
export async function quoted(
  library: Library,
  hits: readonly Hit[],
  count: number,
  { signal, context = 0 }: FindOptions,
): Promise<Found[]> {
  const matches = await matchesOf(library, hits, count, context, signal === undefined ? {} : { signal });
  return matches.map(({ hit, places }) => ({
    hit,
    places: places.map(({ rank, announces, first, text, above }, i) => ({
      content: quotation(above + text, i > 0),
      from: quotation(text, i > 0),
      rank,
      announces,
      follows: places[i - 1]?.last === first - 1,
    })),
  }));
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
  /** Without the bounds of budget.ts. */
  whole?: boolean;
}

/** Pure. */
export function renderFound(
  found: readonly Found[],
  library: string,
  version: string,
  { offset, maxTokens }: Window,
  { weak = false, notes = [], facts = {}, links = false, whole = false }: Extras = {},
): ToolReply {
  const heading = `Found ${found.length} ${found.length === 1 ? 'match' : 'matches'}.`;
  const own = heading.length + notes.reduce((sum, note) => sum + note.length + 1, 0);
  const { entries, next } =
    maxTokens !== undefined
      ? fill(found, version, offset, maxTokens * CHARACTERS_PER_TOKEN - own)
      : { entries: entriesOf(found.slice(offset), offset, () => version, whole ? Infinity : own), next: undefined };
  const lines = [heading, ...entries, ...notes];
  const shown = found.slice(offset, next ?? found.length);
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

/** All of them, with what budget.ts gives to each. `taken`: characters of the reply's other lines; Infinity for whole texts. */
export function entriesOf(
  found: readonly Found[],
  offset: number,
  versionOf: (i: number) => string,
  taken: number,
): string[] {
  const entry = (i: number, content: string): string =>
    renderEntry((found[i] as Found).hit, content, offset + i + 1, versionOf(i));
  const lines = found.reduce((sum, _, i) => sum + entry(i, '').length + 1, 0);
  const room = taken === Infinity ? Infinity : Math.max(0, REPLY_CHARACTERS - taken - lines);
  const given = allot(found.flatMap(wanted), room, BETWEEN.length);
  let next = 0;
  return found.map(({ places }, i) => entry(i, contentOf(places, given.slice(next, (next += places.length)))));
}

function wanted({ places }: Found): Wanted[] {
  const best = Math.min(...places.map(({ rank }) => rank));
  return places.map(({ content, rank, announces }) => ({
    length: content.length,
    rank,
    announces,
    leads: rank === best,
  }));
}

/** Between places of a page that do not follow each other, and between those that do. */
const BETWEEN = '\n\n…\n\n';
const FOLLOWS = '\n\n';

/** The places, each with as many characters as it is given; without `given`, all of them whole. Pure. */
function contentOf(places: readonly Quoted[], given: readonly number[] = []): string {
  let text = '';
  let last = -1;
  let isCut = false;
  for (const [i, { content, from, follows }] of places.entries()) {
    const length = given[i] ?? Infinity;
    if (length === 0) continue;
    const goesOn = isCut || (follows && last === i - 1); // a cut text ends with the mark
    isCut = content.length > length;
    text += (text === '' ? '' : goesOn ? FOLLOWS : BETWEEN) + (isCut ? shortened(from, length) : content);
    last = i;
  }
  return text;
}

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
    const each = found[i] as Found;
    const entry = renderEntry(each.hit, contentOf(each.places), i + 1, version);
    if (left - entry.length - 1 >= 0) {
      left -= entry.length + 1;
      entries.push(entry);
      continue;
    }
    if (i > offset) return { entries, next: i };
    const own = left - 1 - renderEntry(each.hit, '', i + 1, version).length;
    const content = contentOf(each.places, allot(wanted(each), own, BETWEEN.length));
    entries.push(renderEntry(each.hit, shortened(content, own), i + 1, version)); // room may be less than any place is sure of
    return { entries, next: i + 1 < found.length ? i + 1 : undefined };
  }
  return { entries, next: undefined };
}

/** Room reserved for the line that says how to continue. */
const CONTINUATION = 140;

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
    ...(hit.alsoIn === undefined ? {} : { also_in: hit.alsoIn.map(({ url }) => url) }),
    uri: uriOf(hit, library, version),
    ...(hit.symbol === undefined ? {} : { symbol: symbolFacts(hit.symbol) }),
  };
}
