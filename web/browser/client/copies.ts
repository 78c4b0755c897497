/**
 * Hits whose passages say the same are one hit, which names the others' pages: a function that is described with its group and
 * alone, the same page of two versions.
 *
 * Idea: the core cuts the same snippet from the same text, so equal snippets below equal headings are equal passages,
 * whatever their spaces and links. Short texts prove nothing, and the passages of one page stay.
 */
import type { Hit } from './types.js';

const LEAST_CHARACTERS = 80;

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
