/** The three tools of OpenGround's server, under their names and with their texts. */
import { SheafError } from '../../../../browser/client/errors.js';
import { MAX_TOP_K } from '../../../../browser/client/limits.js';
import type { StoredBundle } from '../../../store/store.js';
import { resolveVersion } from '../../../store/versions.js';
import type { Environment, JsonObject, Tool, ToolCall, ToolReply, ToolSet } from '../../tool.js';
import {
  BadArguments,
  complaint,
  optionalCount,
  optionalFlag,
  optionalText,
  optionalTexts,
  shown,
  text,
  windowOf,
} from './arguments.js';
import { UNSURE } from './confidence.js';
import { findPage, renderPage } from './content.js';
import { DetailsList, isReadme } from './details.js';
import { betterLibrary, renderGroups, searchEverywhere } from './everywhere.js';
import { CONTENT_TOOL, LIST_TOOL, SEARCH_TOOL } from './names.js';
import * as schema from './schemas.js';
import { answerOf, otherLanguageNotes, renderFound, type FindOptions } from './search.js';
import { warmUp } from './warm_up.js';

const DEFAULT_TOP_K = 5;
/** Recently shown pages, so that the next call finds them without searching every library. */
const REMEMBERED = 2_000;
/** Library names that a reply about a weak answer lists. */
const NAMED = 12;
/** Asks all libraries. */
const ALL = '*';

export function createOpenground(environment: Environment): ToolSet {
  const openground = new Openground(environment);
  return {
    name: 'openground',
    instructions: schema.INSTRUCTIONS,
    tools: openground.tools(),
    aliases: { get_full_content: CONTENT_TOOL }, // hints in OpenGround's own replies name it so
    warmUp: () => warmUp(environment),
  };
}

class Openground {
  readonly #environment: Environment;
  readonly #details: DetailsList;
  /** Page URL → paths of the bundles that showed it. */
  readonly #seen = new Map<string, string[]>();
  #topKComplained = false;

  constructor(environment: Environment) {
    this.#environment = environment;
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
    const bundles = await this.#environment.pool.list();
    const libraries = grouped(bundles);
    if (!optionalFlag(args, 'details')) return listed(libraries);
    const detailed = new Map<string, unknown[]>([...libraries.keys()].map((name) => [name, []]));
    for (const [i, bundle] of bundles.entries()) {
      signal.throwIfAborted();
      detailed.get(bundle.library)?.push(await this.#details.of(bundle));
      progress(i + 1, bundles.length);
    }
    return listed(detailed);
  }

  async #search({ args, signal, progress }: ToolCall): Promise<ToolReply> {
    const query = text(args, 'query');
    const library = optionalText(args, 'library_name') ?? '';
    const wanted = optionalText(args, 'version') ?? '';
    const window = windowOf(args);
    const links = optionalFlag(args, 'links');
    const options: FindOptions & { topK: number } = {
      topK: this.#topK(),
      signal,
      wordings: optionalTexts(args, 'other_wordings', schema.MAX_WORDINGS),
      context: optionalCount(args, 'context', 0, schema.MAX_CONTEXT) ?? 0,
    };

    const { pool } = this.#environment;
    const bundles = await pool.list();
    if (library === ALL || library === '') {
      const all = await searchEverywhere(pool, await this.#newest(bundles), query, options, progress);
      for (const { bundle, found } of all.groups) for (const { hit } of found) this.#remember(hit.url, bundle.path);
      const notes = all.weak
        ? [`(No good match: these are the nearest passages of all libraries. Ask in other words, or look elsewhere.)`]
        : [];
      return renderGroups(all, window, [...notes, ...all.languageNotes]);
    }
    const { bundle, note } = await this.#choose(bundles, library, wanted);
    if (bundle === undefined) return plain(missing(grouped(bundles), library, wanted));
    const { version } = bundle;
    const { found, weak, confidence, nothing, readme, languageNotes } = await pool.use(bundle, async (open) => {
      const answer = await answerOf(open, query, options);
      const nothing = answer.found.length === 0 && query.trim() !== '';
      return { ...answer, nothing, readme: await isReadme(open), languageNotes: otherLanguageNotes(open) };
    });
    for (const { hit } of found) this.#remember(hit.url, bundle.path);

    const unsure = nothing || (found.length > 0 && confidence !== undefined && confidence < UNSURE);
    const better = unsure
      ? await betterLibrary(pool, await this.#newest(bundles, library), query, options, confidence ?? 0)
      : undefined;
    const others = [...grouped(bundles).keys()].filter((name) => name !== library);
    const reason = nothing
      ? 'No passage has a word of this, or is near its meaning.'
      : weak
        ? 'No good match: the passages above are the nearest there are, but share too little with the question, in words and in meaning.'
        : `Not sure: another library has clearly more about this than ${library}.`;
    const advice = nothing || weak || better !== undefined ? [adviceOn(reason, readme, better, library, others)] : [];
    const alone = readme ? [`(All that is installed of ${library} is its README.)`] : [];
    const notes = [...note, ...(advice.length > 0 ? advice : alone), ...languageNotes];
    const facts: JsonObject =
      better === undefined ? {} : { better: { library: better.library, version: better.version } };
    return renderFound(found, library, version, window, { weak, notes, facts, links });
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

  /** The bundle that a library and a version mean, with a sentence about it where that is not the very one. */
  async #choose(
    bundles: readonly StoredBundle[],
    library: string,
    wanted: string,
  ): Promise<{ bundle: StoredBundle | undefined; note: string[] }> {
    const own = bundles.filter((bundle) => bundle.library === library);
    const exact = own.find(({ version }) => version === wanted);
    if (exact !== undefined || own.length === 0) return { bundle: exact, note: [] };
    const locked = await this.#environment.lockedVersion?.(library);
    const version = resolveVersion(
      own.map((bundle) => bundle.version),
      wanted,
      locked,
    );
    const bundle = own.find((each) => each.version === version);
    if (bundle === undefined) return { bundle, note: [] };
    const asked = wanted.trim() === '' ? 'No version was asked for' : `Version ${shown(wanted)} was asked for`;
    const reason =
      locked === undefined || !/^(latest|)$/i.test(wanted.trim())
        ? ''
        : locked === version
          ? " as in the project's lock file"
          : `; the project's lock file has ${shown(locked)}, which is not installed`;
    return { bundle, note: [`(${asked}; this is ${bundle.version}${reason}.)`] };
  }

  /** One version of each library: what the project has, else the highest. */
  async #newest(bundles: readonly StoredBundle[], except?: string): Promise<StoredBundle[]> {
    const chosen: StoredBundle[] = [];
    for (const library of new Set(bundles.map((bundle) => bundle.library))) {
      if (library === except) continue;
      const { bundle } = await this.#choose(bundles, library, 'latest');
      if (bundle !== undefined) chosen.push(bundle);
    }
    return chosen;
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

/** Why the matches may be no answer, and what to do next. */
function adviceOn(
  reason: string,
  readme: boolean,
  better: StoredBundle | undefined,
  library: string,
  others: readonly string[],
): string {
  const about = readme ? ` All that is installed of ${library} is its README.` : '';
  const names = others.slice(0, NAMED).join(', ') + (others.length > NAMED ? ', …' : '');
  const next =
    better !== undefined
      ? `Next: library_name "${better.library}", version "${better.version}".`
      : others.length === 0
        ? 'Next: other words; other_wordings takes several at once.'
        : `Next: other words (other_wordings takes several at once), or another library: ${names}; "${ALL}" asks all.`;
  return `(${reason}${about} ${next})`;
}

/** The object as text and as it is. Assembled by hand: objects put names like "7" before all others. */
function listed(libraries: ReadonlyMap<string, readonly unknown[]>): ToolReply {
  const entries = [...libraries].map(([name, versions]) => `${JSON.stringify(name)}:${JSON.stringify(versions)}`);
  return { text: `{${entries.join(',')}}`, structured: Object.fromEntries(libraries) };
}

function missing(libraries: ReadonlyMap<string, readonly string[]>, library: string, version: string): string {
  if (libraries.size === 0)
    return `Library '${shown(library)}' not found. No libraries are currently available in the database.`;
  const versions = libraries.get(library);
  if (versions === undefined)
    return `Library '${shown(library)}' not found. Available libraries: ${[...libraries.keys()].join(', ')}`;
  return `Version '${shown(version)}' not found for library '${library}'. Available versions: ${versions.join(', ')}`;
}

/** Libraries by name, versions as plain strings, both sorted. */
function grouped(bundles: readonly StoredBundle[]): Map<string, string[]> {
  const libraries = new Map<string, string[]>();
  for (const { library, version } of bundles) libraries.set(library, [...(libraries.get(library) ?? []), version]);
  const byCodePoint = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));
  for (const versions of libraries.values()) versions.sort(byCodePoint);
  return new Map([...libraries].sort(([a], [b]) => byCodePoint(a, b)));
}

function withoutAnchor(url: string): string {
  return url.replace(/#.*$/s, '');
}

/** What follows `#`, unless it belongs to the page's own address (sites whose pages are behind one). */
function anchorOf(url: string, page: string): string {
  if (url === page) return '';
  return url.startsWith(`${page}#`) ? url.slice(page.length + 1) : (/#(.*)$/s.exec(url)?.[1] ?? '');
}
