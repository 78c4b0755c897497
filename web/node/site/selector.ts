/**
 * Selectors of one element, for the tags of a page as they are written: `nav.menu#top[role=search][href*=book]`.
 *
 * A part of CSS's grammar: a name (needed: it makes looking fast), ids, classes, and attributes by `=`, `^=`, `$=` and `*=`.
 * Nothing is said of where the element stands.
 */
import { attribute } from './insertion_points.js';

export interface Selector {
  name: string;
  tests: readonly { attribute: string; how: string; value: string }[];
}

const PART = /([.#])([\w-]+)|\[([\w:-]+)(?:([\^$*]?=)"?([^\]"]*)"?)?\]/g;

/** Pure. Throws on what is not of the grammar: selectors are constants. */
export function selector(text: string): Selector {
  const [name = ''] = /^[a-z][\w-]*/.exec(text) ?? [];
  const rest = text.slice(name.length);
  const tests = [...rest.matchAll(PART)].map(([, sign, word, attribute, how, value]) =>
    sign === undefined
      ? { attribute: attribute ?? '', how: how ?? '', value: value ?? '' }
      : { attribute: sign === '#' ? 'id' : 'class', how: sign === '#' ? '=' : '~=', value: word ?? '' },
  );
  if (name === '' || rest.replace(PART, '') !== '') throw new Error(`'${text}' is no selector of one element`);
  return { name, tests };
}

/** Whether a start tag, as it is written, is of such an element; `name` in lower case. Pure. */
export function matches({ name: wanted, tests }: Selector, name: string, tag: string): boolean {
  if (name !== wanted) return false;
  for (const { attribute: key, how, value } of tests) {
    if (!tag.includes(value)) return false; // most tags, without parsing them
    const given = attribute(tag, key);
    if (how === '' ? !tag.includes(key) : given === undefined || !holds(given, how, value)) return false;
  }
  return true;
}

function holds(given: string, how: string, value: string): boolean {
  if (how === '~=') return given.split(/\s+/).includes(value);
  if (how === '^=') return given.startsWith(value);
  if (how === '$=') return given.endsWith(value);
  return how === '*=' ? given.includes(value) : given === value;
}
