/** Descriptions and schemas of OpenGround's tools. */
import { SYMBOL_KINDS } from '../../../../browser/client/kind_filter.js';
import { MIN_TOKENS, QUOTED, QUOTED_SCHEMA } from '../../quote.js';
import type { JsonObject, Tool } from '../../tool.js';
import { DEFAULT_TOKENS } from './content.js';
import { CONTENT_TOOL, LIST_TOOL, SEARCH_TOOL } from './names.js';

type Facts = Omit<Tool, 'call'>;

export const INSTRUCTIONS = `These tools give access to official documentation that is installed on this machine.
1. When a library or framework is asked about, check here first.
2. Do not rely on training data for syntax that can be verified here.
3. Always begin by listing the libraries with list_libraries_tool.
4. If the library is there, use search_documents_tool, with a version that is listed.
5. Ask what the user wants in "query", and in "other_wordings" two ways in which the documentation may say it, above all the names that you expect. This finds far more than one wording. Example: query "keep a tab's contents when it is hidden", other_wordings ["KeepAlive component", "cache inactive component instances"].
6. Read on with get_full_content_tool: the url of a match with "#" and a heading of its text gives that section. A text that ends in … was cut. A reply that says "No good match" means that the documentation does not answer in these words: follow its next step.`;

/** Wordings of a question, and neighbouring passages on each side, that a call may ask for. */
export const MAX_WORDINGS = 5;
export const MAX_CONTEXT = 5;

const READ_ONLY = { readOnlyHint: true, openWorldHint: false, idempotentHint: true, destructiveHint: false };

const PART_INPUT: JsonObject = {
  max_tokens: {
    type: 'integer',
    minimum: MIN_TOKENS,
    description:
      'Whole texts within this budget, cut between passages (a token is taken for 4 characters). A search without it takes 1,000',
  },
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
    also_in: { type: 'array', items: { type: 'string' }, description: 'Pages that have the same passage' },
    uri: { type: 'string' },
    symbol: {
      type: 'object',
      description: 'The function, setting or other thing that the query names, where the match is its entry',
      properties: { kind: { type: 'string' }, name: { type: 'string' }, signature: { type: 'string' } },
    },
  },
  required: ['title', 'url', 'score'],
};

/** In an answer of several libraries each match says whose it is. */
const MATCH_SCHEMA: JsonObject = {
  ...HIT_SCHEMA,
  properties: {
    ...(HIT_SCHEMA['properties'] as JsonObject),
    library: { type: 'string' },
    version: { type: 'string' },
  },
};

export const listLibraries: Facts = {
  name: LIST_TOOL,
  title: 'List documentation libraries',
  description: 'Lists the libraries whose documentation is installed, each with its versions. Call this first.',
  input: {
    type: 'object',
    properties: {
      search_term: { type: 'string', description: 'Only libraries whose name has this' },
      details: {
        type: 'boolean',
        description:
          'Of each version also its pages, source, date, description and filters, and whether it is only a README',
      },
    },
  },
  output: {
    type: 'object',
    description: 'Library to its versions; with details, to objects. "…" says what was left out',
    additionalProperties: { type: 'array', items: { type: ['string', 'object'] } },
  },
  annotations: READ_ONLY,
};

export const searchDocuments: Facts = {
  name: SEARCH_TOOL,
  title: 'Search documentation',
  description:
    'Searches the documentation of one version of one library by words and by meaning. Ask a whole question, and give other_wordings with the names that the documentation may use, e.g. query "close idle connections", other_wordings ["pool_recycle timeout", "connection pool idle time"]. ' +
    `Best first; score is 0 to 1, higher is better. A match quotes the best places of a page, with the code that they announce; … marks what is left out. A reply ends with "No good match" where nothing answers. ${QUOTED}`,
  input: {
    type: 'object',
    properties: {
      query: { type: 'string', description: 'What to look for' },
      library_name: { type: 'string', description: 'Name as list_libraries_tool gives it; "*" asks all libraries' },
      version: {
        type: 'string',
        description:
          'Version as list_libraries_tool gives it, or a range such as 19 or ^19.1; "latest" is what the project uses, else the highest',
      },
      other_wordings: {
        type: 'array',
        items: { type: 'string' },
        maxItems: MAX_WORDINGS,
        description:
          'The same question in other words: the names and terms that the documentation would use. Give two or three whenever the query does not quote the documentation; one that adds nothing does no harm',
      },
      context: {
        type: 'integer',
        minimum: 0,
        maximum: MAX_CONTEXT,
        description: 'Neighbouring passages to quote on each side of a match, with whole texts',
      },
      filters: {
        type: 'object',
        additionalProperties: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
        description:
          'Only pages with these values, e.g. {"kind": "guide"}; list_libraries_tool with details gives the keys of a library',
      },
      kind: {
        type: 'string',
        enum: [...SYMBOL_KINDS],
        description: 'Only entries of this kind that the query names, e.g. "function"',
      },
      links: { type: 'boolean', description: "Add the matches' pages as resource links" },
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
      weak: { type: 'boolean', description: 'Most likely nothing of this answers' },
      better: { type: 'object', description: 'Another library that has clearly more about this, with its version' },
      hits: { type: 'array', items: MATCH_SCHEMA },
      next_offset: { type: 'integer', description: 'offset of the next part, where max_tokens cut' },
      quoted: QUOTED_SCHEMA,
    },
    required: ['result'],
  },
  annotations: READ_ONLY,
};

export const fullContent: Facts = {
  name: CONTENT_TOOL,
  title: 'Read a documentation page',
  description: `Returns one documentation page, or one section of it, by the url and version of a match of search_documents_tool. A page beyond ${DEFAULT_TOKENS} tokens stops at a heading, names its sections and says how to go on. ${QUOTED}`,
  input: {
    type: 'object',
    properties: {
      url: {
        type: 'string',
        description: 'The page; with "#" and an anchor or a heading, that section with its subsections',
      },
      version: { type: 'string', description: 'As the match has it' },
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
      section: { type: 'object', description: 'The section asked for: headings, and characters of the page' },
      sections: {
        type: 'array',
        items: { type: 'object' },
        description: 'Sections still to come, where the page was cut',
      },
      next_offset: { type: 'integer', description: 'offset of the next part, where max_tokens cut' },
      quoted: QUOTED_SCHEMA,
    },
    required: ['result'],
  },
  annotations: READ_ONLY,
};
