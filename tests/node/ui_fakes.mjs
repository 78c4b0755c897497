/** Fakes of the element and its browser, to test the element's collaborators without either. */
import { nothing } from '../../dist/browser/ui/lit.mjs';
import { IDLE_STATE } from '../../dist/browser/ui/state/search.js';
import { stringsFor } from '../../dist/browser/ui/words/strings.js';

const escaped = (value) => String(value).replace(/&/g, '&amp;').replace(/"/g, '&quot;').replace(/</g, '&lt;');

/**
 * A Lit template as text, with runs of white space collapsed. Listeners become numbers, as in `@click="0"`, their
 * indices in `listeners`; properties stay as in `.value="kiln"`.
 */
export function render(template, listeners = []) {
  const child = (value) => {
    if (value === nothing || value === undefined || value === null) return '';
    if (Array.isArray(value)) return value.map(child).join('');
    return typeof value === 'object' && 'strings' in value ? textOf(value) : escaped(value);
  };
  const textOf = ({ strings, values }) =>
    strings.reduce((text, string, i) => {
      const value = values[i - 1];
      const attribute = /\s([@.?]?)([\w-]+)=$/.exec(text);
      if (attribute === null) return text + (/="[^"]*$/.test(text) ? escaped(value) : child(value)) + string;
      const before = text.slice(0, attribute.index);
      const [, kind, name] = attribute;
      if (value === nothing || (kind === '?' && !value)) return before + string;
      if (kind === '?') return `${before} ${name}${string}`;
      return `${before} ${kind}${name}="${kind === '@' ? listeners.push(value) - 1 : escaped(value)}"${string}`;
    });
  return child(template).replace(/\s+/g, ' ').replace(/> </g, '><').trim();
}

/** An English view before the first query, with `changes`; changes to `state` are merged into the state. */
export function viewOf({ state, ...changes } = {}) {
  return {
    mode: 'button',
    active: -1,
    unfolded: -1,
    opened: true,
    announcement: '',
    placeholder: undefined,
    shortcuts: [],
    recent: [],
    sections: [],
    topPages: [],
    beside: undefined,
    previews: false,
    bars: [],
    direction: undefined,
    documentLanguage: '',
    packedBase: '',
    base: undefined,
    urlFor: undefined,
    highlight: 'on',
    resultsUrl: undefined,
    param: 'q',
    renderer: undefined,
    has: () => false,
    ...stringsFor('en'),
    ...changes,
    state: { ...IDLE_STATE, ...state },
  };
}

export const hitOf = (changes = {}) => ({
  page: 0,
  passage: 0,
  score: 1,
  title: 'Kiln',
  headings: [],
  anchor: '',
  place: ['guide'],
  url: 'https://kiln.example/guide/kiln.html',
  source: 'guide/kiln.md',
  firstLine: 1,
  lastLine: 1,
  snippet: 'A kiln is hot.',
  highlights: [{ start: 2, length: 4 }],
  ...changes,
});

/** The state of a search that found `pages`, each a list of hits. */
export const found = (...pages) => ({
  query: 'kiln',
  answered: 'kiln',
  status: 'done',
  stage: 'final',
  count: pages.flat().length,
  groups: pages.map((hits, page) => ({ page, title: hits[0].title, url: hits[0].url, hits })),
});

/** A function that records its calls' arguments. */
export function spy(answer = () => undefined) {
  const calls = [];
  return Object.assign((...given) => (calls.push(given), answer(...given)), { calls });
}

/** Sets globals for the duration of one test; `t` is its context. */
export function withGlobals(t, globals) {
  for (const [name, value] of Object.entries(globals)) {
    const before = Object.getOwnPropertyDescriptor(globalThis, name);
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
    t.after(() => (before === undefined ? delete globalThis[name] : Object.defineProperty(globalThis, name, before)));
  }
}
