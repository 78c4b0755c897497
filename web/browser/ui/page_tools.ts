/**
 * Tools of the page for agents: `search_docs` and `read_page`, which only read. In a browser with WebMCP they are registered
 * as long as the page has a search; on others they are `window.sheaf.search_docs` and `window.sheaf.read_page`.
 *
 * Idea: the elements' own libraries answer, in the worker that serves readers too, so an agent costs no second download.
 * All elements of a page are one tool: a library that several of them search is asked once.
 *
 * Invariants
 *  1. A result says the same as text and as structure (`content`, `structuredContent`), as MCP's results do.
 *  2. Text of the documentation is quoted as it is and marked as foreign (`untrustedContentHint`); addresses are those that
 *     readers are sent to (state/links.ts).
 *  3. A result has at most MOST_CHARACTERS of text, and says how to go on.
 */
import { sectionAt } from '../client/sections.js';
import type { Hit, Library, Page } from '../client/types.js';
import type { AgentHost } from './host.js';
import { hrefOf } from './state/addresses.js';
import { packedBaseOf } from './state/manifest.js';

const MOST_CHARACTERS = 12_000;
const MOST_OF_HIT = 1_500;
const HITS = 5;
const MOST_HITS = 20;

interface ToolResult {
  content: { type: 'text'; text: string }[];
  structuredContent: Record<string, unknown>;
  isError?: true;
}

interface PageTool {
  name: string;
  title: string;
  description: string;
  inputSchema: object;
  annotations: { readOnlyHint: boolean; untrustedContentHint: boolean };
  execute(input: unknown): Promise<ToolResult>;
}

interface ModelContext {
  registerTool(tool: PageTool, options: { signal: AbortSignal }): unknown;
}

type Hosts = ReadonlySet<AgentHost>;

// ---- registration --------------------------------------------------------------------------------

let registered: AbortController | undefined;

/** Registers the tools while there are elements. */
export function register(hosts: Hosts): void {
  if ((registered !== undefined) === hosts.size > 0) return;
  if (registered !== undefined) {
    registered.abort();
    registered = undefined;
    return;
  }
  const { modelContext } = document as unknown as { modelContext: ModelContext };
  const { signal } = (registered = new AbortController());
  // A page may have tools of these names of its own: they stay.
  const add = async (tool: PageTool): Promise<unknown> => modelContext.registerTool(tool, { signal });
  for (const tool of toolsFor(hosts))
    add(tool).catch((error: unknown) => signal.aborted || console.debug('sheaf:', error));
}

function toolsFor(hosts: Hosts): PageTool[] {
  const site = document.title === '' ? location.host : `${location.host} (${document.title.slice(0, 80)})`;
  const annotations = { readOnlyHint: true, untrustedContentHint: true };
  return [
    {
      name: 'search_docs',
      title: 'Search the documentation',
      description: `Searches the documentation of ${site} by words and by meaning, and returns the passages that answer best, with their addresses. Ask in a sentence, or name what you look for exactly: an option, a function, an error message.`,
      inputSchema: {
        type: 'object',
        properties: {
          query: { type: 'string', description: 'A question or words, in the language of the documentation' },
          max_results: { type: 'integer', minimum: 1, maximum: MOST_HITS, default: HITS },
        },
        required: ['query'],
      },
      annotations,
      execute: (input) => searchDocs(hosts, input),
    },
    {
      name: 'read_page',
      title: 'Read a page of the documentation',
      description: `Returns the text of a page of the documentation of ${site}, or of one section. Take the address from search_docs; with its #anchor, the section is returned.`,
      inputSchema: {
        type: 'object',
        properties: {
          url: { type: 'string', description: 'An address that search_docs returned' },
          offset: { type: 'integer', minimum: 0, default: 0, description: 'Where to go on in a long page' },
        },
        required: ['url'],
      },
      annotations,
      execute: (input) => readPage(hosts, input),
    },
  ];
}

// ---- the tools -----------------------------------------------------------------------------------

export async function searchDocs(hosts: Hosts, input: unknown): Promise<ToolResult> {
  const { query, max_results: wanted = HITS } = (input ?? {}) as { query?: unknown; max_results?: unknown };
  if (typeof query !== 'string' || query.trim() === '') return failed('query has to be a text that is not empty.');
  const count = Math.min(Math.max(Math.trunc(Number(wanted)) || HITS, 1), MOST_HITS);
  const answers = await eachLibrary(hosts, async ({ host, library }) => {
    const { hits, weak } = await library.search(query, { topK: count, by: 'passage' });
    const found = hits.filter(host.filter ?? (() => true));
    return Promise.all(found.map(async (hit) => ({ ...(await quoted(host, library, hit)), weak })));
  });
  if ('content' in answers) return answers;
  const hits = answers
    .flat()
    .sort((a, b) => b.score - a.score)
    .slice(0, count);
  const isWeak = hits.every(({ weak }) => weak);
  const told = hits.map(({ title, headings, url, text }, i) => {
    const name = [title, ...headings.filter((heading) => heading !== title)].join(' > ');
    return `${i + 1}. ${name}\n${url}\n\n${text}`;
  });
  const lead = hits.length > 0 && isWeak ? 'Nothing matches well; these are the nearest passages.\n\n' : '';
  const text = hits.length === 0 ? 'No page matches. Try other words.' : lead + told.join('\n\n');
  return result(text, { hits: hits.map(({ weak: _, ...hit }) => hit), weak: isWeak });
}

export async function readPage(hosts: Hosts, input: unknown): Promise<ToolResult> {
  const { url, offset: from = 0 } = (input ?? {}) as { url?: unknown; offset?: unknown };
  if (typeof url !== 'string' || url.trim() === '')
    return failed('url has to be an address that search_docs returned.');
  const offset = Math.max(Math.trunc(Number(from)) || 0, 0);
  const [address = '', anchor = ''] = url.split('#');
  const pages = await eachLibrary(hosts, async ({ host, library }) => {
    const page = await pageAt(host, library, address);
    return page === undefined ? undefined : { page, host, library };
  });
  if ('content' in pages) return pages;
  const [found] = pages.filter((each) => each !== undefined);
  if (found === undefined)
    return failed(
      `No page of this documentation has the address ${address.slice(0, 300)}; search_docs returns addresses.`,
    );
  const { page } = found;
  const section = anchor === '' ? undefined : sectionAt(page, anchor.replace(/:~:.*$/s, ''));
  const whole = page.text.slice(section?.from, section?.to);
  const text = whole.slice(offset, offset + MOST_CHARACTERS);
  const next = offset + text.length < whole.length ? offset + text.length : undefined;
  const more =
    next === undefined
      ? ''
      : `\n\n(${whole.length - next} characters follow: call read_page again with offset ${next}.)`;
  return result(`# ${page.title}\n${address}\n\n${text}${more}`, {
    ...{ title: page.title, url, text },
    ...(next === undefined ? {} : { next_offset: next }),
  });
}

// ---- parts ---------------------------------------------------------------------------------------

interface Asked {
  host: AgentHost;
  library: Library;
}

/** What `work` makes of each library, once; a failed result where none can be opened or asked. */
async function eachLibrary<T>(hosts: Hosts, work: (asked: Asked) => Promise<T>): Promise<T[] | ToolResult> {
  const asked = new Map<Library, AgentHost>();
  const failures: string[] = [];
  await Promise.all(
    [...hosts].map(async (host) => {
      await host.search.prefetch(); // it is open then, or failed to be
      const { library, state } = host.search;
      if (library === undefined) failures.push(state.error?.message ?? 'The search of this page could not be opened.');
      else if (!asked.has(library)) asked.set(library, host);
    }),
  );
  const done: T[] = [];
  for (const [library, host] of asked) {
    try {
      done.push(await work({ host, library }));
    } catch (error) {
      failures.push(error instanceof Error ? error.message : String(error));
    }
  }
  return done.length > 0 ? done : failed(failures[0] ?? 'This page has no search any more.');
}

async function quoted(host: AgentHost, library: Library, hit: Hit): Promise<Quoted> {
  const { title, headings, score, snippet } = hit;
  const passage = await library.passage(hit.passage).catch(() => undefined);
  const whole = (passage?.text ?? snippet).trim();
  const text = whole.length > MOST_OF_HIT ? `${whole.slice(0, MOST_OF_HIT)}…` : whole;
  return { title, headings, url: addressOf(host, library, hit), score, text };
}

interface Quoted {
  title: string;
  headings: string[];
  url: string;
  score: number;
  text: string;
}

function addressOf(host: AgentHost, library: Library, hit: Hit): string {
  const { base, urlFor } = host;
  const settings = { base, urlFor, packedBase: packedBaseOf(library.info), highlight: 'off' as const };
  return hrefOf(settings, hit) ?? hit.source;
}

/** By the address that readers are sent to, or the one in the bundle. */
async function pageAt(host: AgentHost, library: Library, address: string): Promise<Page | undefined> {
  const packedBase = packedBaseOf(library.info);
  const base = host.base === undefined ? undefined : new URL(host.base, document.baseURI).href;
  const path = URL.canParse(address, document.baseURI) ? new URL(address, document.baseURI) : undefined;
  const isHere = path?.origin === location.origin;
  const names = [address, isHere ? path?.pathname : undefined];
  if (base !== undefined && path?.href.startsWith(base)) {
    const below = path.href.slice(base.length);
    names.unshift(packedBase + below, `/${below}`, below);
  }
  for (const name of new Set(names)) {
    if (name === undefined) continue;
    const page = await library.page(name).catch((error: { code?: string }) => {
      if (error.code !== 'NOT_FOUND') throw error;
    });
    if (page !== undefined) return page;
  }
  return undefined;
}

function result(text: string, structuredContent: Record<string, unknown>): ToolResult {
  return { content: [{ type: 'text', text }], structuredContent };
}

function failed(text: string): ToolResult {
  return { ...result(text, { error: text }), isError: true };
}
