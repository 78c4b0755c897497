/**
 * `npm run quality -- --how-good`: ten judged questions, and the first three pages that four search engines give, side by side:
 * docs/how-good.md, for people who do not read tables of measures.
 *
 * The questions are not chosen by hand: of each of five sets the two whose ids have the smallest SHA-256. The search engines get the
 * same pages (peers/collections.mjs); those of npm are installed into tests/quality/peers on demand.
 */
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describeCollection, readCollection } from './peers/collections.mjs';
import { fts5, sqliteVersion, whyNoFts5 } from './peers/fts5.mjs';
import { installPeers, pinned } from './peers/install.mjs';
import { minisearch } from './peers/minisearch.mjs';
import { pagefind } from './peers/pagefind.mjs';
import { REFERENCE, sheaf } from './peers/sheaf.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const PAGE = join(root, 'docs', 'how-good.md');
/** What each set documents; no set that is held out. */
export const SETS = { vue: 'Vue', 'rust-book': 'The Rust book', fish: 'fish', pillow: 'Pillow', octave: 'GNU Octave' };
export const EACH = 2;
const FIRST = 3;
const ENGINES = [
  { name: 'Sheaf', build: sheaf, setting: REFERENCE },
  { name: 'Pagefind', build: pagefind, setting: 'default' },
  { name: 'MiniSearch', build: minisearch, setting: 'VitePress: prefixes, fuzzy 0.2' },
  { name: 'SQLite FTS5', build: fts5 },
];

const hashOf = (id) => createHash('sha256').update(id).digest('hex');

/** The questions of a set whose ids have the smallest hashes, in that order. Pure. */
export const chosen = (queries, count = EACH) => [...queries].sort((a, b) => (hashOf(a.id) < hashOf(b.id) ? -1 : 1)).slice(0, count);

const cell = (text) => text.replace(/[\\`*_[\]<>|#]/g, '\\$&').trim() || '(no title)';

/** An answer as a cell: titles in order, those that answer in bold. Pure. */
export function answerCell(pages, relevant) {
  if (pages.length === 0) return 'nothing';
  return pages.map(({ id, title }, at) => `${at + 1}. ${relevant.has(id) ? `**${cell(title)}** ✓` : cell(title)}`).join('<br>');
}

/** How many of the questions have a page that answers first, and among the first three. Pure. */
export function counts(questions, name) {
  const found = (most) => questions.filter(({ relevant, answers }) => answers[name].slice(0, most).some(({ id }) => relevant.has(id)));
  return { first: found(1).length, three: found(FIRST).length };
}

/** The document. `questions`: [{ set, query, relevant, answers: { engine: [{ id, title }] } }]. Pure. */
export function document(questions, versions) {
  const names = ENGINES.map(({ name }) => name);
  const rows = names.map((name) => {
    const { first, three } = counts(questions, name);
    return `| ${name} ${versions[name]} | ${first} | ${three} |`;
  });
  const parts = questions.map(({ set, query, relevant, answers }, at) => {
    const columns = names.map((name) => answerCell(answers[name], relevant));
    return [
      `## ${at + 1}. ${cell(query)}`,
      `Asked of: ${SETS[set]}.`,
      [`| ${names.join(' | ')} |`, `|${'---|'.repeat(names.length)}`, `| ${columns.join(' | ')} |`].join('\n'),
    ].join('\n\n');
  });
  return `${[
    '# How good is it?',
    `Ten questions, and the first three pages that each of four search engines answers with. A page in bold with ✓ answers the question, by [judgments made beforehand](../tests/quality/sets/README.md).`,
    `The questions are not chosen by hand: of each of five sets of judged questions, the two whose ids have the smallest SHA-256. Ten questions show what answers look like; they prove nothing. ` +
      'The figures over 501 questions are in [tests/quality/peers.csv](../tests/quality/peers.csv), with their intervals; [tests/quality/peers/README.md](../tests/quality/peers/README.md) has the method. Two things favour Sheaf here: it was tuned on these sets, and the judgments were pooled from its own modes and from grep.',
    ['| of ten questions | answered by the first page | by one of the first three |', '|---|--:|--:|', ...rows].join('\n'),
    'Every engine gets the same pages, as plain text with titles and headings. Sheaf answers as it comes (keyword and meaning, its static table), Pagefind with its defaults, MiniSearch with the settings that VitePress gives it, ' +
      "SQLite's FTS5 with the Porter stemmer, titles weighed four times and the words joined by OR. `npm run quality -- --how-good` writes this page.",
    ...parts,
  ].join('\n\n')}\n`;
}

async function answersOf(collection, questions, work) {
  const answers = questions.map(() => ({}));
  for (const { name, build, setting } of ENGINES) {
    const { engines, close } = await build({ model: undefined, work }, collection);
    try {
      const engine = engines.find(
        (each) => (setting === undefined || each.setting === setting) && ['page', 'passage'].includes(each.records),
      );
      for (const [at, question] of questions.entries()) {
        const ranked = (await engine.rank(question)).slice(0, FIRST);
        answers[at][name] = ranked.map((id) => ({ id, title: collection.pages[id].title }));
      }
    } finally {
      await close?.();
    }
  }
  return answers;
}

export async function main() {
  const missing = [...Object.keys(SETS).map((set) => describeCollection(set).missing), whyNoFts5()].find(Boolean);
  if (missing) throw new Error(`docs/how-good.md needs all of its sets and search engines: ${missing}`);
  installPeers((text) => console.error(text), ['minisearch', 'pagefind']);
  const work = mkdtempSync(join(tmpdir(), 'sheaf-how-good-'));
  try {
    const questions = [];
    for (const set of Object.keys(SETS)) {
      const collection = await readCollection(describeCollection(set), join(work, `${set}.sheaf`));
      const own = chosen(collection.queries);
      const answers = await answersOf(collection, own, work);
      questions.push(...own.map(({ query, relevant }, at) => ({ set, query, relevant, answers: answers[at] })));
    }
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const { minisearch: ofMinisearch, pagefind: ofPagefind } = pinned();
    const versions = { Sheaf: version, Pagefind: ofPagefind, MiniSearch: ofMinisearch, 'SQLite FTS5': sqliteVersion() };
    writeFileSync(PAGE, document(questions, versions));
    console.log(`docs/how-good.md: ${questions.length} questions, ${ENGINES.length} search engines`);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  return 0;
}
