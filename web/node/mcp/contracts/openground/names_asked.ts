/**
 * Names in a question, by which another library may be pointed to: of code (send_from_directory, useEffect, app.config), or
 * its own.
 *
 * A question is asked of a library because it is about that library. Having more of its words is no reason to send the
 * agent elsewhere: Django has more about e-mail addresses than zod, and is no answer to a question about zod. Having a name
 * that the library lacks is one. Pure.
 */
import type { SearchAnswer } from '../../../../browser/client/types.js';
import { sameNames } from '../../../base/near.js';
import { CONSIDERED } from './confidence.js';

/** A part of a word that makes it a name: a sign or a capital between letters, or a call. */
const NAME = /[\p{L}\p{N}][_.:$]+[\p{L}\p{N}]|\p{Ll}\p{Lu}|\(\)?$/u;

/** Names of code in the questions, in small letters, as the index has them. */
function namesIn(queries: readonly string[]): Set<string> {
  const words = queries.flatMap((query) => query.slice(0, 10_000).split(/\s+/));
  const names = words.filter((word) => word.length < 200 && NAME.test(word));
  return new Set(names.map((word) => word.replace(/[^\p{L}\p{N}]+$|^[^\p{L}\p{N}_$]+/gu, '').toLowerCase()));
}

/** Those of them that the best passages have to the letter. */
export function namesFound(queries: readonly string[], answers: readonly SearchAnswer[]): Set<string> {
  const names = namesIn(queries);
  const terms = answers.flatMap(({ hits }) => hits.slice(0, CONSIDERED).flatMap((hit) => hit.explanation?.terms ?? []));
  const exact = new Set(terms.filter(({ kind }) => kind === 'exact').map(({ term }) => term));
  return new Set([...names].filter((name) => exact.has(name)));
}

/** Those of `others` that the question names, or that are of the family of the one asked: vue and vue-router. */
export function namedOf<T extends { library: string }>(
  others: readonly T[],
  asked: string,
  queries: readonly string[],
): T[] {
  const parts = (name: string): string[] => name.split(/[/-]/).filter((part) => part !== '');
  const isFamily = (inner: string, outer: string): boolean => sameNames(inner, parts(outer)).length > 0;
  const words = new Set(queries.flatMap((query) => query.slice(0, 10_000).split(/[\s,;:!?()"']+/)));
  return others.filter(
    ({ library }) =>
      isFamily(asked, library) ||
      isFamily(library, asked) ||
      [...words].some((word) => sameNames(word, [library]).length > 0),
  );
}

/** What one asks of a name: its own words stand in no documentation of it. */
const FORM =
  /^(?:(?:method|function|constructor|full|exact|type)s?|signatures?|prototypes?|param(?:eter)?s?|arg(?:ument)?s?|options?)$/i;

/** `Arg::default_value` of "Arg::default_value signature" and of "parameters of Arg::default_value"; undefined: no name alone is asked for. */
export function nameAlone(query: string): string | undefined {
  const words = query.trim().slice(0, 300).split(/\s+/);
  const count = words.length;
  while (words.length > 1 && FORM.test(words.at(-1) as string)) words.pop();
  if (words.length > 2 && words[1] === 'of' && FORM.test(words[0] as string)) words.splice(0, 2);
  return words.length < count && words.length <= 2 ? words.join(' ') : undefined;
}
