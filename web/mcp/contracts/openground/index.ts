/** The three tools of OpenGround's server, under their names and with their texts. */
import { SheafError } from '../../../client/errors.js';
import { MAX_TOP_K } from '../../../client/limits.js';
import type { StoredBundle } from '../../../host/store.js';
import type { Environment, Tool, ToolCall, ToolReply, ToolSet } from '../../tool.js';
import { BadArguments, complaint, optionalText, shown, text, windowOf } from './arguments.js';
import { findPage, renderPage } from './content.js';
import { CONTENT_TOOL, SEARCH_TOOL } from './names.js';
import * as schema from './schemas.js';
import { find, renderFound } from './search.js';
import { warmUp } from './warm_up.js';

const DEFAULT_TOP_K = 5;
/** Recently shown pages, so that the next call finds them without searching every library. */
const REMEMBERED = 2_000;

export function createOpenground(environment: Environment): ToolSet {
  const openground = new Openground(environment);
  return {
    name: 'openground',
    instructions: schema.INSTRUCTIONS,
    tools: openground.tools(),
    aliases: { get_full_content: CONTENT_TOOL }, // hints in OpenGround's own replies name it so
    serverName: 'openground Documentation Search',
    warmUp: () => warmUp(environment),
  };
}

class Openground {
  readonly #environment: Environment;
  /** Page URL → paths of the bundles that showed it. */
  readonly #seen = new Map<string, string[]>();
  #topKComplained = false;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  tools(): Tool[] {
    return [
      { ...schema.listLibraries, call: () => this.#list() },
      { ...schema.searchDocuments, call: (call) => answered(SEARCH_TOOL, () => this.#search(call)) },
      { ...schema.fullContent, call: (call) => answered(CONTENT_TOOL, () => this.#content(call)) },
    ];
  }

  async #list(): Promise<ToolReply> {
    const libraries = grouped(await this.#environment.pool.list());
    // Assembled by hand: objects put names like "7" before all others.
    const entries = [...libraries].map(([name, versions]) => `${JSON.stringify(name)}:${JSON.stringify(versions)}`);
    return { text: `{${entries.join(',')}}`, structured: Object.fromEntries(libraries) };
  }

  async #search({ args, signal }: ToolCall): Promise<ToolReply> {
    const query = text(args, 'query');
    const library = text(args, 'library_name');
    const version = text(args, 'version');
    const window = windowOf(args);

    const { pool } = this.#environment;
    const bundles = await pool.list();
    const bundle = bundles.find((candidate) => candidate.library === library && candidate.version === version);
    if (bundle === undefined) return plain(missing(grouped(bundles), library, version));
    const found = await pool.use(bundle, (open) => find(open, query, { topK: this.#topK(), signal }));
    for (const { hit } of found) this.#remember(hit.url, bundle.path);
    return renderFound(found, library, version, window);
  }

  async #content({ args, signal }: ToolCall): Promise<ToolReply> {
    const url = text(args, 'url');
    const version = text(args, 'version');
    const library = optionalText(args, 'library_name');
    const window = windowOf(args);

    const { pool } = this.#environment;
    const page = await findPage(pool, { url, version, library }, this.#seen.get(withoutAnchor(url)) ?? [], signal);
    if (page !== undefined) return renderPage(page, window);
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
