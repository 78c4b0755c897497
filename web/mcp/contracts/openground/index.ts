/** The three tools of OpenGround's server, under their names and with their texts. */
import { SheafError } from '../../../client/errors.js';
import { MAX_TOP_K } from '../../../client/limits.js';
import type { StoredBundle } from '../../../host/store.js';
import { MIN_TOKENS, QUOTED, QUOTED_SCHEMA } from '../../quote.js';
import type { Environment, JsonObject, Tool, ToolCall, ToolReply, ToolSet } from '../../tool.js';
import { BadArguments, complaint, optionalText, shown, text, windowOf } from './arguments.js';
import { findPage, renderPage } from './content.js';
import { CONTENT_TOOL, LIST_TOOL, SEARCH_TOOL } from './names.js';
import { find, renderFound } from './search.js';
import { warmUp } from './warm_up.js';

const INSTRUCTIONS = `These tools give access to official documentation that is installed on this machine.
1. When a library or framework is asked about, check here first.
2. Do not rely on training data for syntax that can be verified here.
3. Always begin by listing the libraries with list_libraries_tool.
4. If the library is there, use search_documents_tool, with a version that is listed.`;

const READ_ONLY = { readOnlyHint: true, openWorldHint: false, idempotentHint: true, destructiveHint: false };
const DEFAULT_TOP_K = 5;
/** Pages lately shown, so that the next call finds them without a look into every library. */
const REMEMBERED = 2_000;

export function createOpenground(environment: Environment): ToolSet {
  const openground = new Openground(environment);
  return {
    name: 'openground',
    instructions: INSTRUCTIONS,
    tools: [openground.listTool(), openground.searchTool(), openground.contentTool()],
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

  listTool(): Tool {
    return {
      name: LIST_TOOL,
      title: 'List documentation libraries',
      description: 'Lists the libraries whose documentation is installed, each with its versions. Call this first.',
      input: { type: 'object', properties: {} },
      output: { type: 'object', description: 'Library to its versions', additionalProperties: { type: 'array', items: { type: 'string' } } },
      annotations: READ_ONLY,
      call: () => this.#list(),
    };
  }

  searchTool(): Tool {
    return {
      name: SEARCH_TOOL,
      title: 'Search documentation',
      description:
        'Searches the documentation of one version of one library by words and by meaning. Ask in words of the documentation, or in a whole question, e.g. "how to close idle connections". ' +
        `Best page first; score is 0 to 1, higher is better. ${QUOTED}`,
      input: {
        type: 'object',
        properties: {
          query: { type: 'string', description: 'What to look for' },
          library_name: { type: 'string', description: 'Name as list_libraries_tool gives it' },
          version: { type: 'string', description: 'Version as list_libraries_tool gives it' },
          ...PART_INPUT,
        },
        required: ['query', 'library_name', 'version'],
      },
      output: {
        type: 'object',
        properties: {
          result: { type: 'string', description: 'The text of the reply' },
          library: { type: 'string' },
          version: { type: 'string' },
          total: { type: 'integer', description: 'Matches in all' },
          hits: { type: 'array', items: HIT_SCHEMA },
          next_offset: { type: 'integer', description: 'offset of the next part, where max_tokens cut' },
          quoted: QUOTED_SCHEMA,
        },
        required: ['result'],
      },
      annotations: READ_ONLY,
      call: (call) => answered(SEARCH_TOOL, () => this.#search(call)),
    };
  }

  contentTool(): Tool {
    return {
      name: CONTENT_TOOL,
      title: 'Read a documentation page',
      description: `Returns one documentation page whole, by the url and version of a match of search_documents_tool. ${QUOTED}`,
      input: {
        type: 'object',
        properties: {
          url: { type: 'string', description: 'The page, with or without #anchor' },
          version: { type: 'string' },
          library_name: { type: 'string', description: 'Only needed when two libraries hold the same page' },
          ...PART_INPUT,
        },
        required: ['url', 'version'],
      },
      output: {
        type: 'object',
        properties: {
          result: { type: 'string', description: 'The text of the reply' },
          title: { type: 'string' },
          url: { type: 'string' },
          library: { type: 'string' },
          version: { type: 'string' },
          source: { type: 'string', description: 'File the page was made of' },
          last_modified: { type: 'string' },
          characters: { type: 'integer', description: 'Length of the whole page' },
          uri: { type: 'string', description: 'The page as a resource' },
          next_offset: { type: 'integer', description: 'offset of the next part, where max_tokens cut' },
          quoted: QUOTED_SCHEMA,
        },
        required: ['result'],
      },
      annotations: READ_ONLY,
      call: (call) => answered(CONTENT_TOOL, () => this.#content(call)),
    };
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
      this.#environment.log('warn', `query.top_k in the configuration must be a whole number from 1 to ${MAX_TOP_K}; ${DEFAULT_TOP_K} is used.`);
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

const PART_INPUT: JsonObject = {
  max_tokens: { type: 'integer', minimum: MIN_TOKENS, description: 'Cut the reply at a passage border within this budget (a token is taken for 4 characters)' },
  offset: { type: 'integer', minimum: 0, description: 'Go on where a cut reply said' },
};

const HIT_SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    title: { type: 'string' },
    url: { type: 'string' },
    anchor: { type: 'string' },
    headings: { type: 'array', items: { type: 'string' } },
    score: { type: 'number' },
    source: { type: 'string' },
    first_line: { type: 'integer' },
    last_line: { type: 'integer' },
    uri: { type: 'string' },
  },
  required: ['title', 'url', 'score'],
};

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
  if (libraries.size === 0) return `Library '${shown(library)}' not found. No libraries are currently available in the database.`;
  const versions = libraries.get(library);
  if (versions === undefined) return `Library '${shown(library)}' not found. Available libraries: ${[...libraries.keys()].join(', ')}`;
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
