/**
 * Draws a language's queries from its manual: always the same ones from the same pages, chosen by a hash, without a look at any index.
 * README.md says what the kinds are and what counts as right.
 */
import { createHash } from 'node:crypto';
import { plain } from './manual.mjs';

/** Queries of each drawn kind. Those of the other kinds are written by hand (hand.jsonl). */
const WANTED = { index: 20, sentence: 20, unfinished: 18 };
const MOST_RIGHT = 4;
const LICENCE = /^gfdl/;

const hash = (text) => createHash('sha256').update(text).digest();
const byHash = (seed) => (a, b) => Buffer.compare(hash(`${seed} ${a.key}`), hash(`${seed} ${b.key}`));
const unspaced = (language) => /^(?:ja|zh)/.test(language);

/** Words, as their language separates them; the marks between them are gone. */
export function wordsOf(text, language) {
  const segments = [...new Intl.Segmenter(language, { granularity: 'word' }).segment(text)];
  return segments.filter(({ isWordLike }) => isWordLike).map(({ segment }) => segment);
}

/** All pages that hold `phrase` where `field` says; as `plain` compares. */
function pagesWith(manual, phrase, texts, test) {
  const wanted = plain(phrase);
  return [...manual.pages].filter(([, page]) => texts(page).some((text) => test(plain(text), wanted))).map(([name]) => name);
}
const titled = (manual, text) =>
  pagesWith(
    manual,
    text,
    ({ title }) => [title],
    (title, wanted) => title === wanted,
  );
const beginning = (manual, text) =>
  pagesWith(
    manual,
    text,
    ({ title }) => [title],
    (title, wanted) => ` ${title}`.includes(` ${wanted}`),
  );
const headed = (manual, text) =>
  pagesWith(
    manual,
    text,
    ({ headings }) => headings,
    (heading, wanted) => heading === wanted,
  );
const saying = (manual, text) =>
  pagesWith(
    manual,
    text,
    ({ paragraphs }) => paragraphs,
    (paragraph, wanted) => paragraph.includes(wanted),
  );

/** Entries of the index in the manual's own language, other than titles of the pages they lead to. */
function indexEntries(manual, english) {
  const strange = new Set(english.index.flatMap(({ words }) => words.map(plain)));
  const queries = new Map();
  for (const { words, pages } of manual.index) {
    const query = words.join(' ');
    if (words.some((word) => strange.has(plain(word))) || plain(query).length < 3) continue;
    const known = pages.filter((page) => manual.pages.has(page) && page !== 'glossary.html');
    if (known.length === 0) continue;
    if (known.some((page) => plain(manual.pages.get(page).title) === plain(query))) continue;
    const also = pages.filter((page) => page === 'glossary.html');
    const before = queries.get(plain(query));
    const relevant = new Set([...(before?.relevant ?? []), ...known, ...also, ...headed(manual, query)]);
    queries.set(plain(query), { page: before?.page ?? known[0], query, relevant });
  }
  return [...queries.values()];
}

/** A part of the first translated paragraph, with its function words; of every second one, each fourth word is left out. */
function sentences(manual, english, language) {
  const found = [];
  const inEnglish = new Set([...english.pages.values()].flatMap(({ paragraphs }) => paragraphs.flatMap((text) => plain(text).split(' '))));
  const isEnglish = (text) => {
    const words = plain(text).split(' ');
    return words.filter((word) => inEnglish.has(word)).length > words.length * 0.6;
  };
  for (const [page, { paragraphs, title }] of manual.pages) {
    if (plain(title) === plain(english.pages.get(page)?.title ?? '') || LICENCE.test(page)) continue;
    const isLong = (text) => wordsOf(text, language).length >= 9 && !text.includes('→');
    const paragraph = paragraphs.find((text) => isLong(text) && !isEnglish(text));
    const sentence = paragraph?.split(/(?<=[.!?;·。！？])\s*(?=\S)/u).find((part) => isLong(part) && !isEnglish(part));
    if (sentence === undefined) continue;
    const query = partOf(sentence, page, language);
    if (plain(query).length < 12 || isEnglish(query)) continue;
    const whole = partOf(sentence, page, language, false);
    found.push({ page, query, relevant: new Set([page, ...saying(manual, whole)]) });
  }
  return found;
}

function partOf(sentence, page, language, thinned = true) {
  const [where, which] = hash(page);
  if (unspaced(language)) {
    // Whole clauses: to begin within one would tear words apart. Without spaces a sentence with holes is none.
    const clauses = sentence.split(/(?<=[、，；：])/u);
    const first = where % clauses.length;
    const part = clauses.slice(first).join('');
    return trimmed([...(part.length < 14 ? sentence : part)].slice(0, 28).join(''));
  }
  const words = sentence.split(/\s+/);
  const length = language === 'ko' ? 8 : 12;
  const first = words.length <= length ? 0 : where % (words.length - length + 1);
  const part = words.slice(first, first + length);
  return trimmed((thinned && which % 2 === 1 ? part.filter((_, i) => i % 4 !== which % 4) : part).join(' '));
}

const trimmed = (text) => text.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{M}\p{N}]+$/gu, '');

/** Titles as they stand while they are typed: the last word lacks two letters or three, where words have many; every second one begins late. */
function unfinished(manual, english, language) {
  const found = [];
  const asked = new Set();
  for (const [page, { title }] of manual.pages) {
    if (plain(title) === plain(english.pages.get(page)?.title ?? '') || LICENCE.test(page)) continue;
    const words = title
      .replace(/[()„“”«»»"「」『』]/gu, ' ')
      .trim()
      .split(/\s+/u);
    const late = hash(page)[2] % 2 === 1 ? words.findLastIndex((word, i) => i < words.length - 1 && i > 0 && word.length > 3) : 0;
    const kept = words.slice(Math.max(0, late));
    const dense = unspaced(language) || language === 'ko';
    const missing = dense ? 1 : 2 + (hash(page)[0] % 2);
    const last = [...kept.at(-1)];
    if (!/^[\p{L}\p{M}]+$/u.test(kept.at(-1)) || last.length < (dense ? (language === 'ko' ? 3 : 4) : missing + 4)) continue;
    const query = [...kept.slice(0, -1), last.slice(0, -missing).join('')].join(' ');
    if (asked.has(plain(query)) || isEnglish(query, english)) continue;
    asked.add(plain(query));
    found.push({ page, query, relevant: new Set([page, ...beginning(manual, query)]) });
  }
  return found;
}

const isEnglish = (query, english) => beginning(english, query).length > 0;

/**
 * All queries of a language: {id, query, kind, relevant: file names}. `written`: its lines of hand.jsonl; `dropped`: ids that were read
 * and found unfit (dropped.txt). Throws where a written query names a page that the manual lacks.
 */
export function drawQueries({ manual, english, language, written, dropped }) {
  const pools = {
    index: indexEntries(manual, english),
    sentence: sentences(manual, english, language),
    unfinished: unfinished(manual, english, language),
  };
  const drawn = Object.entries(pools).flatMap(([kind, pool]) =>
    pool
      .map((query) => ({
        ...query,
        key: `${kind} ${query.page} ${plain(query.query)}`,
        id: `${language}-${kind}-${query.page.replace(/\.html$/, '')}`,
      }))
      .filter(({ id, relevant }) => relevant.size <= MOST_RIGHT && !dropped.has(id))
      .sort(byHash(language))
      .filter(firstOfItsPage())
      .slice(0, WANTED[kind])
      .map(({ id, query, relevant }) => ({ id, query, kind, relevant: [...relevant].sort() })),
  );
  const byHand = written.map(({ query, kind, relevant }, i) => {
    const strangers = relevant.filter((page) => !manual.pages.has(page));
    if (strangers.length > 0) throw new Error(`${language}: "${query}" is judged by ${strangers.join(', ')}, which the manual lacks`);
    const right = new Set([...relevant, ...relevant.flatMap((page) => titled(manual, manual.pages.get(page).title))]);
    return { id: `${language}-${kind}-${i + 1}`, query, kind, relevant: [...right].sort() };
  });
  return [...drawn, ...byHand];
}

function firstOfItsPage() {
  const seen = new Set();
  return ({ page }) => !seen.has(page) && seen.add(page) !== undefined;
}
