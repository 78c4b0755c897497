/**
 * Hits whose passages say the same are one hit, which names the others' pages: a function that is described with its group and
 * alone, the same page of two versions.
 *
 * Idea: the core cuts the same snippet from the same text, so equal snippets below equal headings are equal passages,
 * whatever their spaces and links. Short texts prove nothing, and the passages of one page stay.
 *
 * Cost: where copies took places, a second search of a multiple of the hits fills them, once.
 */
import type { Copy, Hit } from './types.js';

const LEAST_CHARACTERS = 80;

/** How many times the hits are asked for again. The same by range, where each hit costs bytes, as in memory: answers are equal. */
export const DEEPER = 2;

/** The best `topK` hits without copies, of an answer that had room for as many; `ask` searches again for more, at most `most`. */
export async function filledUp(
  hits: readonly Hit[],
  { topK, most }: { topK: number; most: number },
  ask: (topK: number) => Promise<readonly Hit[]>,
): Promise<Hit[]> {
  const kept = withoutCopies(hits);
  const wanted = Math.min(most, topK * DEEPER);
  if (kept.length === hits.length || hits.length < topK || wanted <= topK) return kept;
  return withoutCopies(await ask(wanted)).slice(0, topK);
}

/** Both a hit and the places where its passage stands too, as `change` makes them. Pure. */
export function withPlaces<T extends Hit>(hit: T, change: (place: Copy) => Partial<Copy>): T {
  const { alsoIn } = hit;
  return {
    ...hit,
    ...change(hit),
    ...(alsoIn === undefined ? {} : { alsoIn: alsoIn.map((copy) => ({ ...copy, ...change(copy) })) }),
  };
}

/** The best hit of equal ones stands for all. Pure. */
export function withoutCopies(hits: readonly Hit[]): Hit[] {
  const known = new Map<string, Hit>();
  const kept: Hit[] = [];
  for (const hit of hits) {
    const { page, passage, title, url, source, anchor } = hit;
    const text = hit.snippet.replace(/\s+/g, ' ');
    const key = `${hit.headings.at(-1) ?? title}\n${text}`;
    const first = text.length < LEAST_CHARACTERS ? undefined : known.get(key);
    if (first !== undefined && first.page !== page) {
      (first.alsoIn ??= []).push({ page, passage, title, url, source, anchor });
      continue;
    }
    known.set(key, first ?? hit);
    kept.push(hit);
  }
  return kept;
}
