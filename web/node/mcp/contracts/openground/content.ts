/**
 * `get_full_content_tool`: a page, each passage once, or one section of it.
 *
 * A page that exceeds the budget (DEFAULT_TOKENS, or max_tokens) stops before a heading, and says which sections it has
 * and how to go on. Offsets are characters of the page's text, for a section as well.
 */
import { SheafError } from '../../../../browser/client/errors.js';
import type { Page } from '../../../../browser/client/types.js';
import type { StoredBundle } from '../../../store/store.js';
import { oneLine } from '../../../base/terminal.js';
import { resolveVersion } from '../../../store/versions.js';
import { pageUri } from '../../page_uri.js';
import { CHARACTERS_PER_TOKEN, closed, cutAtBorders, openFence, QUOTED_MARK, visible } from '../../quote.js';
import type { JsonObject, Pool, ToolReply } from '../../tool.js';
import { body, inNote, source } from './quotation.js';
import type { Window } from './search.js';
import { headingBorder, outline, sectionAt, sectionsOf, type Section } from '../../../../browser/client/sections.js';

/** A page without max_tokens stops here: a release history of 174,000 tokens must not fill a client's memory. */
export const DEFAULT_TOKENS = 8_000;
/** Sections that a reply names, and the budget from which on it does. */
const NAMED_SECTIONS = 40;
const ROOM_FOR_SECTIONS = 2_000;

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
  const bundles = (await pool.list()).filter((bundle) => library === undefined || bundle.library === library);
  const meant = (of: string): string | undefined =>
    resolveVersion(
      bundles.flatMap((bundle) => (bundle.library === of ? [bundle.version] : [])),
      version,
    );
  const matching = bundles.filter((bundle) => bundle.version === meant(bundle.library));
  const rank = ({ path, version: own }: StoredBundle): number => (likely.includes(path) ? 0 : own === version ? 1 : 2);
  const ordered = [...matching].sort((a, b) => rank(a) - rank(b)); // stable
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

/** Pure. `anchor`: of the section that is asked for, without `#`; empty for the page. */
export function renderPage({ page, bundle }: FoundPage, { offset, maxTokens }: Window, anchor = ''): ToolReply {
  const { library, version } = bundle;
  const section = anchor === '' ? undefined : sectionAt(page, anchor);
  const title = oneLine(visible(page.title)) || '(no title)';
  const url = (oneLine(page.url) || 'unknown') + (section === undefined ? '' : anchored(section.anchor));
  const heading = `# ${title}\n\nSource: ${source(url)}\nVersion: ${version}\n\n`;

  const budget = (maxTokens ?? DEFAULT_TOKENS) * CHARACTERS_PER_TOKEN;
  const namesSections = maxTokens === undefined || maxTokens >= ROOM_FOR_SECTIONS;
  const limit = Math.max(budget - heading.length - CONTINUATION - (namesSections ? SECTIONS : 0), 40);
  const all = section === undefined ? page.passages : page.passages.slice(0, section.end);
  const length = section?.to ?? page.text.length;
  const from = Math.max(offset, section?.from ?? 0);
  // What fits, fits, whether or not the reply's own lines do.
  const room = length - from <= budget - heading.length ? Infinity : limit;
  const { text, next } = cutAtBorders(
    all.map((passage) => passage.text),
    from,
    room,
    room === Infinity ? undefined : headingBorder(page, from, from + room),
  );
  const reopened = from > (section?.from ?? 0) ? openFence(page.text.slice(0, from)) : undefined;
  const shown = body(`${reopened === undefined ? '' : `${reopened}\n`}${text}`);

  const notes: string[] = [];
  if (from >= length && length > 0)
    notes.push(
      `(There is nothing at offset ${offset}: the ${section === undefined ? 'page' : 'section'} ends at character ${length}. Begin again without an offset.)`,
    );
  const unknown = anchor !== '' && section === undefined && !names(page.title, anchor);
  if (unknown) notes.push(`(This page has no section ${noted(anchor)}: this is the page.)`);
  if (section !== undefined) notes.push(standing(page, section));
  if (next !== undefined) notes.push(continuation(page, from, next, maxTokens, section));
  const listed = next !== undefined && namesSections ? sectionsFrom(page, next, section) : [];
  if (listed.length > 0) notes.push(table(listed));
  const quoted = next === undefined ? shown : closed(shown);
  const result = heading + [...(quoted === '' ? [] : [quoted]), ...notes].join('\n\n');
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
      ...(section === undefined
        ? {}
        : { section: { headings: section.headings.map(visible), from: section.from, to: section.to } }),
      ...(next === undefined ? {} : { next_offset: next }),
      ...(listed.length === 0 ? {} : { sections: listed.map(sectionFacts) }),
      quoted: QUOTED_MARK,
    },
  };
}

/** Room reserved for the line that says how to continue, and for the table of sections. */
const CONTINUATION = 200;
const SECTIONS = 2_400;

function names(title: string, anchor: string): boolean {
  const letters = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');
  return letters(title) === letters(anchor);
}

/** A heading path as notes show it: one line, of bounded length, since headings are a stranger's text, too. */
function pathOf(headings: readonly string[]): string {
  return headings.map((part) => shortened(inNote(part))).join(' > ');

  function shortened(text: string): string {
    return text.length > MAX_HEADING ? `${text.slice(0, MAX_HEADING)}…` : text;
  }
}

const MAX_HEADING = 100;

function nameOf({ headings, anchor }: Section): string {
  return pathOf(headings) || noted(anchor);
}

function anchored(anchor: string): string {
  return `#${oneLine(visible(anchor)).slice(0, 200)}`;
}

function noted(anchor: string): string {
  return inNote(anchored(anchor));
}

/** Where a section stands in its page. */
function standing(page: Page, section: Section): string {
  const depth = section.headings.length;
  const siblings = sectionsOf(page).filter(({ headings }) => headings.length <= depth);
  const before = siblings.filter(({ end }) => end <= section.first).at(-1);
  const after = siblings.find(({ first }) => first >= section.end);
  const beside = [
    ...(before === undefined ? [] : [`before it "${shortName(before)}" ${noted(before.anchor)}`]),
    ...(after === undefined ? [] : [`after it "${shortName(after)}" ${noted(after.anchor)}`]),
  ];
  return `(Section "${nameOf(section)}", characters ${section.from} to ${section.to} of the page's ${page.text.length}${beside.length === 0 ? '' : `; ${beside.join(', ')}`}. The url without its #anchor gives the page.)`;
}

function shortName({ headings, anchor }: Section): string {
  return pathOf(headings.slice(-1)) || noted(anchor);
}

function continuation(
  page: Page,
  from: number,
  next: number,
  maxTokens: number | undefined,
  section?: Section,
): string {
  const within =
    maxTokens === undefined
      ? `which is what one reply holds (max_tokens=${DEFAULT_TOKENS})`
      : `within max_tokens=${maxTokens}`;
  const of =
    section === undefined ? `${page.text.length}` : `${page.text.length}, the section's end being ${section.to}`;
  return `(Characters ${from} to ${next} of ${of}, ${within}. For the rest call get_full_content_tool again with "offset": ${next}.)`;
}

/** What a page that was cut still has: the outermost sections that end after `next`; of one that holds all, its parts. */
function sectionsFrom(page: Page, next: number, within: Section | undefined): Section[] {
  const sections = sectionsOf(page);
  let level = outline(sections, within).filter(({ to }) => to > next);
  for (let depth = 0; level.length === 1 && depth < 8; depth++) {
    const inner = outline(sections, level[0]).filter(({ to }) => to > next);
    if (inner.length === 0) break;
    level = inner;
  }
  return level;
}

function table(sections: readonly Section[]): string {
  const lines: string[] = [];
  let room = SECTIONS - 200;
  for (const section of sections.slice(0, NAMED_SECTIONS)) {
    const line = `- ${nameOf(section).slice(0, 160)} ${noted(section.anchor)} (${tokensOf(section)} tokens)`;
    if ((room -= line.length + 1) < 0) break;
    lines.push(line);
  }
  const more = sections.length - lines.length;
  if (more > 0) lines.push(`- and ${more} more`);
  return `(Sections still to come; the url with #anchor gives one of them:)\n${lines.join('\n')}`;
}

function sectionFacts(section: Section): JsonObject {
  return { anchor: section.anchor, headings: section.headings.map(visible), tokens: tokensOf(section) };
}

function tokensOf({ from, to }: Section): number {
  return Math.ceil((to - from) / CHARACTERS_PER_TOKEN);
}
