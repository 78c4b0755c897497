/** `sheaf query`: searches and prints the hits. */
import { mergeAnswers, type BundleAnswer } from '../browser/client/merge.js';
import type {
  Copy,
  Hit,
  HitSymbol,
  Library,
  SearchAnswer,
  SearchMode,
  SearchOptions,
} from '../browser/client/types.js';
import { asWritten } from '../browser/client/written.js';
import { loadConfig } from '../node/store/config.js';
import { otherLanguageNote } from '../node/store/other_language.js';
import { EXIT, usageError } from '../node/base/exit.js';
import { openDatabase } from '../node/databases/libraries.js';
import {
  BUNDLE_FLAGS,
  BUNDLE_FLAGS_HELP,
  everyLibrary,
  ENCODER_FLAG_HELP,
  openChosen,
  parseCount,
  parseFlags,
  parseMode,
  pickFrom,
} from './flags.js';
import type { Pool } from '../node/mcp/tool.js';
import { listStore, type StoredBundle } from '../node/store/store.js';
import { harmless, oneLine, paint, paintHighlights, print, printJson, status } from '../node/base/terminal.js';

export const help = `Usage: sheaf query "WORDS" [-l LIBRARY] [-v VERSION] [-k N]

Searches a library and prints the best pages, best first. Without -l, searches the newest version of
every library.

${BUNDLE_FLAGS_HELP}
  -k, --top-k N         number of pages, by default query.top_k of the configuration (5)
  -m, --mode MODE       keyword, semantic or hybrid (default)
      --filter KEY=VALUE    only pages with this value; of a repeated key, with any of its values
      --exact           the words as they are: none is completed or corrected
      --tool-text       what agents get from search_documents_tool, to the letter`;

export const more = `      --facets              how many pages have each value that pages can be filtered by
      --sort KEY[:desc]     by the pages' values of this key, instead of by score
      --explain         show the ingredients of each score
      --backend ADDRESS     in a database that sheaf export filled: lancedb:FOLDER, pglite:FOLDER or
                            postgres://HOST/DATABASE
${ENCODER_FLAG_HELP}`;

export async function run(args: string[]): Promise<number> {
  const { values, positionals } = parseFlags('query', {
    args,
    allowPositionals: true,
    options: {
      ...BUNDLE_FLAGS,
      'top-k': { type: 'string', short: 'k' },
      mode: { type: 'string', short: 'm' },
      explain: { type: 'boolean' },
      exact: { type: 'boolean' },
      encoder: { type: 'string' },
      'tool-text': { type: 'boolean' },
      filter: { type: 'string', multiple: true },
      facets: { type: 'boolean' },
      sort: { type: 'string' },
      backend: { type: 'string' },
    },
  });
  if (positionals.length === 0)
    throw usageError('Give the words to search for, for example: sheaf query "connection pool" -l NAME');
  const query = positionals.join(' ');
  const mode = parseMode(values.mode);
  if (values['tool-text'] && values.json) throw usageError('Give either --tool-text or --json.');
  const config = await loadConfig();
  const encoder = values.encoder ?? String(config.get('query.encoder'));
  const options: SearchOptions = {
    topK: parseCount('--top-k', values['top-k'], Number(config.get('query.top_k'))),
    mode,
    explain: values.explain ?? false,
    prefix: !values.exact,
    typo: !values.exact,
    filters: parseFilters(values.filter),
    facets: values.facets ?? false,
    ...(values.sort === undefined ? {} : { sort: parseSort(values.sort) }),
  };

  const used = mode === 'keyword' ? 'none' : encoder;
  await using backend = values.backend === undefined ? undefined : await openDatabase(values.backend, used);
  if (backend !== undefined && values.bundle !== undefined) throw usageError('Give either --bundle or --backend.');
  const bundles = backend === undefined ? undefined : await backend.list();
  if (values.library === undefined && values.bundle === undefined) {
    const libraries = await everyLibrary(values.version, bundles);
    if (libraries.length > 1) {
      const open = (bundle: StoredBundle): Promise<Library> =>
        backend === undefined ? openChosen({ bundle: bundle.path }, used) : backend.open(bundle);
      const asked = { query, mode, options, open };
      return queryAll(libraries, asked, values['tool-text'] ? 'tool' : values.json ? 'json' : 'text');
    }
  }

  await using library =
    backend === undefined || bundles === undefined
      ? await openChosen(values, used)
      : await backend.open(await pickFrom(bundles, values));
  const { library: name, version } = library.info;
  const note = mode === 'keyword' ? undefined : otherLanguageNote(library.info);
  if (note !== undefined) status(oneLine(note));
  if (values['tool-text']) {
    print(harmless(await toolText(library, query, options, bundles ?? (values.bundle ? [] : await listStore()), used)));
    return EXIT.OK;
  }
  const answer = await library.search(query, options);
  if (
    mode === 'hybrid' &&
    options.sort === undefined &&
    !answer.usedSemantic &&
    encoder !== 'none' &&
    query.trim() !== ''
  ) {
    status(
      library.info.semantic
        ? 'The encoder knows no word of the query, so the search was by keyword.'
        : 'The search was by keyword: there are no vectors, or no encoder table for them.',
    );
  }
  if (values.json) {
    printJson({ library: name, version, query, mode, ...answer });
    return EXIT.OK;
  }
  print(renderAnswer(answer, version));
  return EXIT.OK;
}

/** What search_documents_tool says to the same question, of the same libraries. */
async function toolText(
  library: Library,
  query: string,
  { topK, filters, signal: _, ...options }: SearchOptions,
  stored: readonly StoredBundle[],
  encoder: string,
): Promise<string> {
  const { createOpenground } = await import('../node/mcp/contracts/openground/index.js');
  const { SEARCH_TOOL } = await import('../node/mcp/contracts/openground/names.js');
  const { library: name, version } = library.info;
  const isAsked = (each: StoredBundle): boolean => each.library === name && each.version === version;
  const bundles = stored.some(isAsked) ? stored : [...stored, { library: name, version, path: '', bytes: 0 }];
  const pool: Pool = {
    list: async () => bundles,
    use: async (bundle, work) => {
      if (isAsked(bundle)) return work(library);
      await using other = await openChosen({ bundle: bundle.path }, encoder);
      return await work(other); // which is closed behind it
    },
    onChange: () => () => {},
    close: async () => {},
  };
  const config = (key: string): unknown => (key === 'query.top_k' ? topK : undefined);
  const environment = { pool, log: () => {}, config, env: process.env, cwd: process.cwd() };
  const { tools } = createOpenground(environment, options);
  const tool = tools.find((each) => each.name === SEARCH_TOOL);
  const args = { query, library_name: name, version, ...(filters === undefined ? {} : { filters }) };
  const reply = await tool?.call({
    args,
    signal: new AbortController().signal,
    progress: () => {},
    consent: () => 'impossible',
  });
  return reply?.text ?? '';
}

interface Asked {
  query: string;
  mode: SearchMode;
  options: SearchOptions;
  open: (bundle: StoredBundle) => Promise<Library>;
}

/** One answer out of those of several libraries, printed by library. */
async function queryAll(
  bundles: readonly StoredBundle[],
  { query, mode, options, open }: Asked,
  form: 'text' | 'json' | 'tool',
): Promise<number> {
  if (options.sort !== undefined) throw usageError('--sort orders one library; name it with -l.');
  const answers: BundleAnswer[] = [];
  const texts = new Map<string, string>();
  const key = (bundle: number, passage: number): string => `${bundle} ${passage}`;
  for (const [bundle, stored] of bundles.entries()) {
    await using library = await open(stored);
    const by = form === 'tool' ? { by: 'passage' as const } : {};
    const answer = await library.search(query, { ...options, ...by, explain: true });
    answers.push({ bundle, pages: library.info.pages, space: library.info.space, answer });
    if (form !== 'tool') continue;
    for (const { passage } of answer.hits) texts.set(key(bundle, passage), (await library.passage(passage)).text);
  }
  const merged = await mergeAnswers(answers, options.topK ?? 10);
  const hits = merged.hits.map(({ explanation, ...hit }) => ({
    ...hit,
    ...(options.explain && explanation !== undefined ? { explanation } : {}),
  }));
  const of = (bundle: number): StoredBundle => bundles[bundle] as StoredBundle;
  if (form === 'json') {
    const named = hits.map(({ bundle, ...hit }) => ({
      library: of(bundle).library,
      version: of(bundle).version,
      ...hit,
    }));
    printJson({ query, mode, ...merged, hits: named });
    return EXIT.OK;
  }
  const order = [...new Set(hits.map(({ bundle }) => bundle))];
  if (form === 'tool') {
    const { entriesOf, foundOne } = await import('../node/mcp/contracts/openground/search.js');
    const { quotation } = await import('../node/mcp/contracts/openground/quotation.js');
    const quoted = hits.map(({ bundle, ...hit }, i) =>
      foundOne(hit, i, quotation(texts.get(key(bundle, hit.passage)) ?? '')),
    );
    const versionOf = (i: number): string => of((hits[i] as (typeof hits)[number]).bundle).version;
    print(harmless([found(hits.length), ...entriesOf(quoted, 0, versionOf, 0)].join('\n')));
    return EXIT.OK;
  }
  const lines = [merged.weak ? 'No good match; the nearest:' : found(hits.length)];
  let rank = 0;
  for (const bundle of order) {
    lines.push('', paint('bold', `${oneLine(of(bundle).library)} ${oneLine(of(bundle).version)}`));
    for (const hit of hits.filter((each) => each.bundle === bundle))
      lines.push('', ...renderHit(hit, ++rank, of(bundle).version));
  }
  print(lines.join('\n'));
  return EXIT.OK;
}

function found(count: number): string {
  return `Found ${count} ${count === 1 ? 'match' : 'matches'}.`;
}

/** Repeated `author=Anne`: several values of one key are alternatives. Pure. */
export function parseFilters(flags: readonly string[] = []): Record<string, string[]> {
  const filters = new Map<string, string[]>();
  for (const flag of flags) {
    const [, key, value] = /^([^=]+)=(.+)$/s.exec(flag) ?? [];
    if (key === undefined || value === undefined)
      throw usageError(`--filter must be KEY=VALUE, such as author=Anne, not '${oneLine(flag)}'.`);
    filters.set(key, [...(filters.get(key) ?? []), value]);
  }
  return Object.fromEntries(filters);
}

function parseSort(flag: string): { key: string; descending: boolean } {
  const key = flag.replace(/:desc$/, '');
  if (key === '') throw usageError('--sort must name a key, such as date or date:desc.');
  return { key, descending: key !== flag };
}

/** The answer as text. Pure. */
export function renderAnswer(answer: SearchAnswer, version: string): string {
  const { hits, corrections, ignoredWords } = answer;
  const lines = [found(hits.length)];
  for (const { word, term } of corrections)
    lines.push(`Searched ${oneLine(asWritten(term, hits))} for ${oneLine(word)}.`);
  if (answer.weak) lines[0] = 'No good match; the nearest:';
  if (ignoredWords > 0) lines.push(`${ignoredWords} words beyond the limit were ignored.`);
  hits.forEach((hit, index) => lines.push('', ...renderHit(hit, index + 1, version)));
  for (const { key, values } of answer.facets ?? []) {
    lines.push(
      '',
      paint('bold', oneLine(key)),
      ...values.map(({ value, pages }) => `  ${oneLine(value)} ${paint('dim', `(${pages})`)}`),
    );
  }
  return lines.join('\n');
}

function renderHit(hit: Hit, rank: number, version: string): string[] {
  const path = [...hit.place, hit.title || '(no title)', ...hit.headings]
    .map(oneLine)
    .filter((part, i, all) => part !== all[i - 1]);
  const lines = [
    `${rank}. ${paint('bold', path.join(' › '))}  ${paint('dim', `${hit.score.toFixed(4)}  ${oneLine(version)}`)}`,
    `   ${paint('cyan', oneLine(hit.url + (hit.anchor ? `#${hit.anchor}` : '')))}${where(hit)}`,
  ];
  if (hit.symbol !== undefined) lines.push(`   ${symbolLine(hit.symbol)}`);
  const snippet = paintHighlights(hit.snippet, hit.highlights, hit.kind === 'code');
  if (snippet !== '') lines.push(...snippet.split('\n').map((line) => `   ${line}`));
  if (hit.alsoIn !== undefined) lines.push(paint('dim', `   also in ${hit.alsoIn.map(copyOf).join(', ')}`));
  if (hit.explanation !== undefined) {
    const e = hit.explanation;
    const keyword = `keyword ${f(e.keyword)} (raw ${f(e.keywordRaw)}, coverage ${f(e.coverage)})`;
    const semantic = `semantic ${f(e.semantic)} (cosine ${f(e.cosine)})`;
    lines.push(paint('dim', `   ${keyword}  ${semantic}  weight ${f(e.semanticWeight)}  page +${f(e.pageBonus)}`));
    for (const t of e.terms) {
      lines.push(
        paint(
          'dim',
          `     ${oneLine(t.word)} → ${oneLine(t.term)}  ${t.kind}  idf ${f(t.idf)}  weight ${f(t.weight)}  frequency ${f(t.frequency)}  score ${f(t.score)}`,
        ),
      );
    }
  }
  return lines;
}

const copyOf = ({ title, url, anchor }: Copy): string =>
  `${oneLine(title)} (${oneLine(url + (anchor ? `#${anchor}` : ''))})`;
function symbolLine({ kind, deprecated, name, signature }: HitSymbol): string {
  return `${paint('dim', deprecated ? `deprecated ${kind}` : kind)}  ${oneLine(signature || name)}`;
}

function where(hit: Hit): string {
  if (hit.source === '') return '';
  const lines = hit.firstLine === 0 ? '' : `:${hit.firstLine}-${hit.lastLine}`;
  return paint('dim', `  (${oneLine(hit.source)}${lines})`);
}

function f(value: number): string {
  return value.toFixed(3);
}
