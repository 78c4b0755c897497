/**
 * SearXNG's query syntax: `!name` chooses engines or categories, `:fr` a language, `<3` a time limit,
 * `!!name` sends the user to another site. Tokens are split on white space; a modifier may stand
 * anywhere, and bangs add up.
 *
 * Here every installed library is an engine, and all of them are of the categories `docs` and `it`.
 * Our bangs choose libraries and are removed from the query to the instance; the instance's bangs are
 * passed through; an unknown bang stays in the text.
 *
 * Without a bang everything is searched. With bangs only what they name is searched, as in SearXNG.
 */
import type { StoredBundle } from '../../../store/store.js';

export interface ParsedQuery {
  /** The words alone. */
  text: string;
  /** The bundles to search; empty when the bangs name others. */
  bundles: StoredBundle[];
  /** What the instance is asked: everything but our bangs. Undefined when it is not asked. */
  forInstance: string | undefined;
  /** Bangs of ours that lead nowhere, as [name, what is wrong]. */
  problems: [string, string][];
}

/** Whether a bang, in normal form, is the instance's; undefined where there is no instance. */
export type KnowsBang = ((name: string) => boolean) | undefined;

export function parseQuery(q: string, installed: readonly StoredBundle[], knowsBang: KnowsBang): ParsedQuery {
  const words: string[] = [];
  const modifiers: string[] = [];
  const forInstance: string[] = [];
  const chosen = new Set<StoredBundle>();
  const problems: [string, string][] = [];
  let localBang = false;
  let instanceBang = false;

  for (const token of tokens(q)) {
    const target = isBang(token) ? findLocal(token.slice(1), installed) : undefined;
    if (target !== undefined) {
      localBang = true;
      for (const bundle of target.bundles) chosen.add(bundle);
      if (target.problem !== undefined) problems.push([token.slice(1), target.problem]);
      // `it` is a category of both.
      if (!(target.shared && knowsBang !== undefined)) continue;
      instanceBang = true;
    } else if (isBang(token) && knowsBang?.(normalBang(token.slice(1)))) {
      instanceBang = true;
    } else if (isModifier(token)) {
      modifiers.push(token);
    } else {
      words.push(token);
    }
    forInstance.push(token);
  }

  // Someone who searches for `:is` alone means the word.
  const text = (words.length > 0 || localBang || instanceBang ? words : modifiers).join(' ');
  const askInstance = knowsBang !== undefined && text !== '' && (instanceBang || !localBang);
  return {
    text,
    bundles: localBang ? [...chosen] : instanceBang ? [] : newest(installed),
    forInstance: askInstance ? (localBang ? forInstance.join(' ') : q) : undefined,
    problems,
  };
}

/** The bangs of a query that no library answers to, in normal form. */
export function otherBangs(q: string, installed: readonly StoredBundle[]): string[] {
  const bangs = tokens(q)
    .filter(isBang)
    .map((token) => token.slice(1));
  return bangs.filter((name) => findLocal(name, installed) === undefined).map(normalBang);
}

/** SearXNG reads `_` and `-` of a bang as spaces. */
export function normalBang(name: string): string {
  return name.toLowerCase().replace(/[_-]/g, ' ');
}

function tokens(q: string): string[] {
  return q.split(/\s+/).filter((token) => token !== '');
}

function isBang(token: string): boolean {
  return token.length > 1 && token.startsWith('!') && !token.startsWith('!!');
}

interface Target {
  bundles: StoredBundle[];
  /** The instance may have it too. */
  shared?: boolean;
  problem?: string;
}

/** A library, `library@version`, an npm scope, or a category; in this order, as SearXNG puts engines before categories. */
function findLocal(name: string, installed: readonly StoredBundle[]): Target | undefined {
  const libraries = byName(name, installed);
  if (libraries.length > 0) return { bundles: newest(libraries) };
  const at = name.lastIndexOf('@');
  if (at > 0) {
    const versions = byName(name.slice(0, at), installed);
    const wanted = name.slice(at + 1).replace(/^v(?=\d)/i, '');
    const found = versions.filter(({ version }) => version.replace(/^v(?=\d)/i, '') === wanted);
    if (found.length > 0) return { bundles: found };
    if (versions.length > 0) {
      return {
        bundles: [],
        problem: `Version '${wanted}' not found. Available versions: ${versions.map(({ version }) => version).join(', ')}`,
      };
    }
  }
  const scope = normalName(name);
  const scoped = installed.filter(
    ({ library }) => library.startsWith('@') && normalName(library.slice(0, library.indexOf('/'))) === scope,
  );
  if (scoped.length > 0) return { bundles: newest(scoped) };
  const category = name.toLowerCase();
  if (category !== 'docs' && category !== 'it') return undefined;
  const target: Target = { bundles: newest(installed), shared: category === 'it' };
  if (installed.length === 0 && category === 'docs')
    target.problem = 'No libraries are installed; add one with: sheaf add';
  return target;
}

function byName(name: string, installed: readonly StoredBundle[]): StoredBundle[] {
  const wanted = normalName(name);
  return installed.filter(({ library }) => normalName(library) === wanted);
}

/** `@Vue/runtime_core` and `vue-runtime-core` are one name. */
function normalName(name: string): string {
  return name
    .toLowerCase()
    .replace(/^@/, '')
    .replace(/[_/\s-]/g, '-');
}

/** The first bundle of each library: the pool lists newest versions first. */
function newest(bundles: readonly StoredBundle[]): StoredBundle[] {
  const seen = new Set<string>();
  return bundles.filter(({ library }) => !seen.has(library) && seen.add(library));
}

function isModifier(token: string): boolean {
  return token.startsWith('!!') || /^<\d{1,9}$/.test(token) || (token.startsWith(':') && isLanguage(token.slice(1)));
}

const LANGUAGES = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' });

/** A language that exists: `:not` and `:has` are words of CSS. */
function isLanguage(code: string): boolean {
  if (code === 'all' || code === 'auto') return true;
  const match = /^([a-z]{2,3})(?:[-_][a-z]{2})?$/i.exec(code);
  return match !== null && LANGUAGES.of((match[1] as string).toLowerCase()) !== undefined;
}
