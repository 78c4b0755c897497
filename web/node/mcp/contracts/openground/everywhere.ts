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
import {
  ask,
  otherLanguageNotes,
  hitFacts,
  quoted,
  renderEntry,
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
          topK: Math.max(options.topK, CONSIDERED),
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
      return quoted(library, hits, options);
    });
    groups.push({ bundle, found });
  }
  return { groups, weak: weak && groups.length > 0, languageNotes, failures };
}

/** Another library that answers clearly better than `confidence`, if one of the first few does. */
export async function betterLibrary(
  pool: Pool,
  others: readonly StoredBundle[],
  query: string,
  options: FindOptions,
  confidence: number,
): Promise<StoredBundle | undefined> {
  let best: { bundle: StoredBundle; confidence: number } | undefined;
  for (const bundle of others.slice(0, OTHERS)) {
    try {
      const asked = await pool.use(bundle, (library) => ask(library, query, { ...options, topK: CONSIDERED }));
      const own = asked.confidence ?? 0;
      if (own > (best?.confidence ?? Math.max(confidence, WEAK) + CLEARLY)) best = { bundle, confidence: own };
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
): ToolReply {
  const all = groups.flatMap(({ bundle, found }) => found.map((each) => ({ bundle, ...each })));
  const count = `Found ${all.length} ${all.length === 1 ? 'match' : 'matches'}`;
  const heading = `${count} in ${groups.length} ${groups.length === 1 ? 'library' : 'libraries'}.`;
  const lines = [heading];
  let room =
    maxTokens === undefined ? Number.POSITIVE_INFINITY : maxTokens * CHARACTERS_PER_TOKEN - heading.length - 300;
  let next: number | undefined;
  let last: StoredBundle | undefined;
  const shown = [];
  for (const [i, { bundle, hit, content }] of all.entries()) {
    if (i < offset) continue;
    const entry = `${bundle === last ? '' : `\n${bundle.library} ${bundle.version}\n`}${renderEntry(hit, content, i + 1, bundle.version)}`;
    if ((room -= entry.length + 1) < 0 && i > offset) {
      next = i;
      break;
    }
    lines.push(entry);
    shown.push({ ...hitFacts(hit, bundle.library, bundle.version), library: bundle.library, version: bundle.version });
    last = bundle;
  }
  lines.push(...(notes.length === 0 ? [] : ['', ...notes]));
  for (const failure of failures) lines.push(`(Not searched: ${failure})`);
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
      hits: shown,
      ...(next === undefined ? {} : { next_offset: next }),
      quoted: QUOTED_MARK,
    },
  };
}
