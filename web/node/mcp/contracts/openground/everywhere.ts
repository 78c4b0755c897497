/**
 * One question over many libraries: all of them, or those that may know better than the one that was asked.
 *
 * Each bundle scores against itself; client/merge.ts makes scores that compare. A library shows at most MOST of its
 * passages, so that a large one does not hide the others.
 *
 * Cost: a search a library, one after another (they share a thread), and opening those that are not open yet.
 */
import { SheafError } from '../../../../browser/client/errors.js';
import { mergeAnswers, type BundleAnswer } from '../../../../browser/client/merge.js';
import type { Hit } from '../../../../browser/client/types.js';
import type { StoredBundle } from '../../../store/store.js';
import { oneLine } from '../../../base/terminal.js';
import { CHARACTERS_PER_TOKEN, QUOTED_MARK } from '../../quote.js';
import type { Pool, ToolCall, ToolReply } from '../../tool.js';
import { CLEARLY, CONSIDERED, WEAK } from './confidence.js';
import { namedOf } from './names_asked.js';
import {
  ask,
  entriesOf,
  otherLanguageNotes,
  hitFacts,
  quoted,
  type FindOptions,
  type Found,
  type Window,
} from './search.js';

/** Passages of one library in an answer from all. */
const MOST = 3;
/** Libraries that are asked whether they know better. */
const OTHERS = 12;

export interface Group {
  bundle: StoredBundle;
  found: Found[];
}

export interface Everywhere {
  /** Best first. */
  groups: Group[];
  weak: boolean;
  /** What is to be said of the languages of those that are shown. */
  languageNotes: string[];
  /** Libraries that could not be searched, with the reason. */
  failures: string[];
}

export async function searchEverywhere(
  pool: Pool,
  bundles: readonly StoredBundle[],
  query: string,
  options: FindOptions & { topK: number },
  progress: ToolCall['progress'],
): Promise<Everywhere> {
  const answers: BundleAnswer[] = [];
  const failures: string[] = [];
  let weak = true;
  let done = 0;
  for (const [i, bundle] of bundles.entries()) {
    try {
      await pool.use(bundle, async (library) => {
        const asked = await ask(library, query, {
          ...options,
          topK: Math.max(options.topK * 2, CONSIDERED),
          explain: true,
        });
        weak &&= asked.weak || asked.hits.length === 0;
        const { pages, space } = library.info;
        answers.push({ bundle: i, pages, space, answer: asked.answer });
      });
    } catch (error) {
      if (options.signal?.aborted) throw error;
      failures.push(error instanceof Error ? oneLine(error.message) : String(error));
    }
    progress(++done, bundles.length);
  }
  const taken = new Map<number, Hit[]>();
  let total = 0;
  for (const { bundle, explanation: _, ...hit } of (await mergeAnswers(answers, Number.POSITIVE_INFINITY)).hits) {
    const own = taken.get(bundle) ?? [];
    if (own.length === MOST || total === options.topK) continue;
    taken.set(bundle, [...own, hit]);
    total++;
  }
  const groups: Group[] = [];
  const languageNotes: string[] = [];
  for (const [i, hits] of taken) {
    const bundle = bundles[i] as StoredBundle;
    const found = await pool.use(bundle, (library) => {
      languageNotes.push(...otherLanguageNotes(library));
      return quoted(library, hits, MOST, options);
    });
    groups.push({ bundle, found });
  }
  return { groups, weak: weak && groups.length > 0, languageNotes, failures };
}

/**
 * A library that answers clearly better than the one that was asked, of the first few. One about something else is no
 * answer, however many of the question's words it has: it must be named, or have a name that the other lacks.
 */
export async function betterLibrary(
  pool: Pool,
  others: readonly StoredBundle[],
  asked: { library: string; confidence: number; names: ReadonlySet<string> },
  query: string,
  options: FindOptions,
): Promise<StoredBundle | undefined> {
  const queries = [query, ...(options.wordings ?? [])];
  const named = namedOf(others, asked.library, queries);
  let best: { bundle: StoredBundle; confidence: number } | undefined;
  for (const bundle of [...new Set([...named, ...others])].slice(0, OTHERS)) {
    try {
      const { confidence = 0, names } = await pool.use(bundle, (library) =>
        ask(library, query, { ...options, topK: CONSIDERED }),
      );
      const isMeant = named.includes(bundle) || [...names].some((name) => !asked.names.has(name));
      if (isMeant && confidence > (best?.confidence ?? Math.max(asked.confidence, WEAK) + CLEARLY))
        best = { bundle, confidence };
    } catch (error) {
      // It was not the one that was asked for: its faults are told when it is.
      if (options.signal?.aborted || (error instanceof SheafError && error.code === 'CLOSED')) throw error;
    }
  }
  return best?.bundle;
}

/** Pure. The entries are those of one library's reply, under a line for each library. */
export function renderGroups(
  { groups, weak, failures }: Everywhere,
  { offset, maxTokens }: Window,
  notes: readonly string[],
  whole = false,
): ToolReply {
  const all = groups.flatMap(({ bundle, found }) => found.map((each) => ({ bundle, ...each })));
  const rest = all.slice(offset);
  const count = `Found ${all.length} ${all.length === 1 ? 'match' : 'matches'}`;
  const heading = `${count} in ${groups.length} ${groups.length === 1 ? 'library' : 'libraries'}.`;
  const heads = rest.map(({ bundle }, i) =>
    bundle === rest[i - 1]?.bundle ? '' : `\n${bundle.library} ${bundle.version}\n`,
  );
  const ends = [
    ...(notes.length === 0 ? [] : ['', ...notes]),
    ...failures.map((failure) => `(Not searched: ${failure})`),
  ];
  const taken = [heading, ...heads, ...ends].reduce((sum, line) => sum + line.length + 1, 0);
  const isCut = maxTokens !== undefined;
  const entries = entriesOf(
    rest,
    offset,
    (i) => rest[i]?.bundle.version ?? '',
    isCut || whole ? Number.POSITIVE_INFINITY : taken,
  ).map((entry, i) => `${heads[i]}${entry}`);
  let room = isCut ? maxTokens * CHARACTERS_PER_TOKEN - heading.length - CONTINUATION : Number.POSITIVE_INFINITY;
  const full = entries.findIndex((entry, i) => (room -= entry.length + 1) < 0 && i > 0);
  const shown = full < 0 ? rest : rest.slice(0, full);
  const next = full < 0 ? undefined : offset + full;
  const lines = [heading, ...entries.slice(0, shown.length), ...ends];
  if (next !== undefined)
    lines.push(
      `(Matches ${offset + 1} to ${next} of ${all.length}, within max_tokens=${maxTokens}. For the rest call search_documents_tool again with "offset": ${next}.)`,
    );
  const result = lines.join('\n');
  return {
    text: result,
    structured: {
      result,
      total: all.length,
      ...(weak ? { weak } : {}),
      hits: shown.map(({ hit, bundle: { library, version } }) => ({
        ...hitFacts(hit, library, version),
        library,
        version,
      })),
      ...(next === undefined ? {} : { next_offset: next }),
      quoted: QUOTED_MARK,
    },
  };
}

/** Room for the line that says how to go on, and for notes. */
const CONTINUATION = 300;
