/** The three tools of OpenGround's server, under their names and with their texts. */
import { SheafError } from '../../../../browser/client/errors.js';
import { kindFilter } from '../../../../browser/client/kind_filter.js';
import { MAX_TOP_K } from '../../../../browser/client/limits.js';
import type { Library, SearchOptions } from '../../../../browser/client/types.js';
import type { StoredBundle } from '../../../store/store.js';
import type { Environment, JsonObject, Tool, ToolCall, ToolReply, ToolSet } from '../../tool.js';
import {
  BadArguments,
  complaint,
  optionalCount,
  optionalFilters,
  optionalFlag,
  optionalKind,
  optionalText,
  optionalTexts,
  shown,
  text,
  windowOf,
} from './arguments.js';
import { choose, grouped, NAMED, newestOf } from './choose.js';
import { UNSURE } from './confidence.js';
import { findPage, renderPage } from './content.js';
import { DetailsList, isReadme } from './details.js';
import { betterLibrary, renderGroups, searchEverywhere } from './everywhere.js';
import { having, listed } from './list.js';
import { CONTENT_TOOL, LIST_TOOL, SEARCH_TOOL } from './names.js';
import { inNote } from './quotation.js';
import * as schema from './schemas.js';
import { answerOf, otherLanguageNotes, renderFound, type Answer, type FindOptions } from './search.js';
import { warmUp } from './warm_up.js';

const DEFAULT_TOP_K = 5;
/** Recently shown pages, so that the next call finds them without searching every library. */
const REMEMBERED = 2_000;
/** Asks all libraries. */
const ALL = '*';

/** `fixed`: of every search, beside what a call says. */
export function createOpenground(environment: Environment, fixed: SearchOptions = {}): ToolSet {
  const openground = new Openground(environment, fixed);
  return {
    name: 'openground',
    instructions: schema.INSTRUCTIONS,
    tools: openground.tools(),
    aliases: { get_full_content: CONTENT_TOOL }, // hints in OpenGround's own replies name it so
    warmUp: () => warmUp(environment),
  };
}

interface Advice {
  better?: StoredBundle | undefined;
  advice: string[];
}

class Openground {
  readonly #environment: Environment;
  readonly #fixed: SearchOptions;
  readonly #details: DetailsList;
  /** Page URL → paths of the bundles that showed it. */
  readonly #seen = new Map<string, string[]>();
  #topKComplained = false;

  constructor(environment: Environment, fixed: SearchOptions) {
    this.#environment = environment;
    this.#fixed = fixed;
    this.#details = new DetailsList(environment);
  }

  tools(): Tool[] {
    return [
      { ...schema.listLibraries, call: (call) => answered(LIST_TOOL, () => this.#list(call)) },
      { ...schema.searchDocuments, call: (call) => answered(SEARCH_TOOL, () => this.#search(call)) },
      { ...schema.fullContent, call: (call) => answered(CONTENT_TOOL, () => this.#content(call)) },
    ];
  }

  async #list({ args, signal, progress }: ToolCall): Promise<ToolReply> {
    const all = await this.#environment.pool.list();
    const libraries = having(grouped(all), optionalText(args, 'search_term') ?? '');
    const bundles = all.filter(({ library }) => libraries.has(library));
    const newest = (name: string): number => {
      const first = bundles.find(({ library }) => library === name); // the pool has the newest first
      return Math.max(0, libraries.get(name)?.indexOf(first?.version ?? '') ?? 0);
    };
    if (!optionalFlag(args, 'details')) return listed(libraries, newest);
    const detailed = new Map<string, unknown[]>([...libraries.keys()].map((name) => [name, []]));
    for (const [i, bundle] of bundles.entries()) {
      signal.throwIfAborted();
      detailed.get(bundle.library)?.push(await this.#details.of(bundle));
      progress(i + 1, bundles.length);
    }
    return listed(detailed, () => 0);
  }

  async #search({ args, signal, progress }: ToolCall): Promise<ToolReply> {
    const { text: query, kind: typed } = kindFilter(text(args, 'query'));
    const kind = optionalKind(args, 'kind') ?? typed;
    const library = optionalText(args, 'library_name') ?? '';
    const wanted = optionalText(args, 'version') ?? '';
    const window = windowOf(args);
    const links = optionalFlag(args, 'links');
    const options: FindOptions & { topK: number } = {
      ...this.#fixed,
      topK: this.#topK(),
      signal,
      wordings: optionalTexts(args, 'other_wordings', schema.MAX_WORDINGS),
      context: optionalCount(args, 'context', 0, schema.MAX_CONTEXT) ?? 0,
      filters: optionalFilters(args, 'filters') ?? {},
      ...(kind && { kind }),
    };

    const whole = (options.context ?? 0) > 0;
    const { pool } = this.#environment;
    const bundles = await pool.list();
    if (library === ALL || library === '') {
      const all = await searchEverywhere(pool, await newestOf(bundles, this.#environment), query, options, progress);
      for (const { bundle, found } of all.groups) for (const { hit } of found) this.#remember(hit.url, bundle.path);
      const notes = all.weak
        ? [
            '(No good match: these are the nearest passages of all libraries. Next: the same call with "other_wordings", or look elsewhere.)',
          ]
        : [];
      return renderGroups(all, window, [...notes, ...all.languageNotes], whole);
    }
    const chosen = await choose(bundles, library, wanted, this.#environment, signal);
    if (typeof chosen === 'string') return plain(chosen);
    const { bundle, notes } = chosen;
    const { answer, readme, filtered, languageNotes } = await pool.use(bundle, async (open) => {
      const answer = await answerOf(open, query, options);
      const filtered = await unfiltered(open, answer, options);
      return { answer, readme: await isReadme(open), filtered, languageNotes: otherLanguageNotes(open) };
    });
    for (const { hit } of answer.found) this.#remember(hit.url, bundle.path);

    const others = bundles.filter((each) => each.library !== bundle.library);
    const { better, advice }: Advice =
      filtered.length > 0 ? { advice: filtered } : await this.#advice(bundle, answer, query, options, readme, others);
    const alone = readme ? [`(All that is installed of ${bundle.library} is its README.)`] : [];
    const facts: JsonObject =
      better === undefined ? {} : { better: { library: better.library, version: better.version } };
    return renderFound(answer.found, bundle.library, bundle.version, window, {
      weak: answer.weak,
      notes: [...notes, ...(advice.length > 0 ? advice : alone), ...languageNotes],
      facts,
      links,
      whole,
    });
  }

  /** Where the matches may be no answer: why, and what to do next. */
  async #advice(
    { library }: StoredBundle,
    { found, weak, confidence, names }: Answer,
    query: string,
    options: FindOptions,
    readme: boolean,
    others: readonly StoredBundle[],
  ): Promise<Advice> {
    const nothing = found.length === 0 && query.trim() !== '';
    const unsure = nothing || (found.length > 0 && confidence !== undefined && confidence < UNSURE);
    if (!unsure && !weak) return { advice: [] };
    const own = { library, confidence: confidence ?? 0, names };
    const rivals = await newestOf(others, this.#environment);
    const better = unsure ? await betterLibrary(this.#environment.pool, rivals, own, query, options) : undefined;
    if (!nothing && !weak && better === undefined) return { advice: [] };
    const reason = nothing
      ? options.kind
        ? `The query names no ${options.kind} of this library.`
        : 'No passage has a word of this, or is near its meaning.'
      : weak
        ? 'No good match: the passages above are the nearest there are, but share too little with the question, in words and in meaning.'
        : `Not sure: another library has clearly more about this than ${library}.`;
    const asked = (options.wordings ?? []).length > 0;
    return { better, advice: [adviceOn(reason, readme, better, library, [...grouped(others).keys()], asked)] };
  }

  async #content({ args, signal }: ToolCall): Promise<ToolReply> {
    const url = text(args, 'url');
    const version = text(args, 'version');
    const library = optionalText(args, 'library_name');
    const window = windowOf(args);

    const { pool } = this.#environment;
    const page = await findPage(pool, { url, version, library }, this.#seen.get(withoutAnchor(url)) ?? [], signal);
    if (page !== undefined) return renderPage(page, window, anchorOf(url, page.page.url));
    const anything = (await pool.list()).length > 0;
    return plain(`No content found for URL: ${shown(url)}${anything ? ` (version: ${shown(version)})` : ''}`);
  }

  #topK(): number {
    const value = this.#environment.config('query.top_k') ?? DEFAULT_TOP_K;
    if (typeof value === 'number' && Number.isInteger(value) && value >= 1) return Math.min(value, MAX_TOP_K);
    if (!this.#topKComplained) {
      this.#topKComplained = true;
      this.#environment.log(
        'warn',
        `query.top_k in the configuration must be a whole number from 1 to ${MAX_TOP_K}; ${DEFAULT_TOP_K} is used.`,
      );
    }
    return DEFAULT_TOP_K;
  }

  #remember(url: string, path: string): void {
    const paths = this.#seen.get(url) ?? [];
    this.#seen.delete(url);
    this.#seen.set(url, [path, ...paths.filter((other) => other !== path)].slice(0, 4));
    if (this.#seen.size <= REMEMBERED) return;
    const [oldest] = this.#seen.keys();
    this.#seen.delete(oldest as string);
  }
}

/** Bad arguments and bad bundles are replies that the model can act on. */
async function answered(tool: string, work: () => Promise<ToolReply>): Promise<ToolReply> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof BadArguments) return complaint(tool, error);
    if (error instanceof SheafError && error.code !== 'ABORTED') return { ...plain(error.message), isError: true };
    throw error;
  }
}

function plain(result: string): ToolReply {
  return { text: result, structured: { result } };
}

/** Values of a key that a note names. */
const VALUES = 12;

/** What pages can be filtered by, where the filters left none. */
async function unfiltered(open: Library, { found }: Answer, { filters, signal }: FindOptions): Promise<string[]> {
  if (found.length > 0 || filters === undefined || Object.keys(filters).length === 0) return [];
  const { filters: facets } = await open.facets(signal === undefined ? {} : { signal });
  const keys = facets.slice(0, VALUES).map(({ key, values }) => {
    const names = values.slice(0, VALUES).map(({ value }) => inNote(value).slice(0, 60));
    return `${inNote(key).slice(0, 60)}: ${names.join(', ')}${values.length > VALUES ? ', …' : ''}`;
  });
  return [
    keys.length === 0
      ? '(The pages of this library have no filters.)'
      : `(No page passes the filters. There are ${keys.join('; ')}.)`,
  ];
}

/** Why the matches may be no answer, and what to do next. `asked`: in several wordings already. */
function adviceOn(
  reason: string,
  readme: boolean,
  better: StoredBundle | undefined,
  library: string,
  others: readonly string[],
  asked: boolean,
): string {
  const about = readme ? ` All that is installed of ${library} is its README.` : '';
  const names = others.slice(0, NAMED).join(', ') + (others.length > NAMED ? ', …' : '');
  const words = asked
    ? 'still other words in other_wordings'
    : 'the same call with "other_wordings": the question in two or three other ways, in the terms that the documentation would use';
  const next =
    better !== undefined
      ? `Next: library_name "${better.library}", version "${better.version}".`
      : `Next: ${words}${others.length === 0 ? '' : `; or another library: ${names}; "${ALL}" asks all`}.`;
  return `(${reason}${about} ${next})`;
}

function withoutAnchor(url: string): string {
  return url.replace(/#.*$/s, '');
}

/** What follows `#`, unless it belongs to the page's own address (sites whose pages are behind one). */
function anchorOf(url: string, page: string): string {
  if (url === page) return '';
  return url.startsWith(`${page}#`) ? url.slice(page.length + 1) : (/#(.*)$/s.exec(url)?.[1] ?? '');
}
