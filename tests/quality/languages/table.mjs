/** The table of docs/languages.md out of the rows of languages.csv. */
import { readFileSync, writeFileSync } from 'node:fs';

export const KINDS = ['index', 'inflected', 'parts', 'sentence', 'unfinished'];
const BEGIN = '<!-- written by tests/quality/languages.mjs --write -->';
const END = '<!-- end of what is written -->';

const short = (value) => Number(value).toFixed(3).replace(/^0\./, '.');

/** nDCG@10 a language: Sheaf's hybrid in each state, and the best setting of each peer, which is kind to them. Pure. */
export function table(rows, order) {
  const states = [...new Set(rows.filter(({ engine }) => engine === 'Sheaf').map(({ state }) => state))];
  const peers = [...new Set(rows.filter(({ engine }) => engine !== 'Sheaf').map(({ engine }) => engine))];
  const best = (language, engine, kind, measure) => {
    const own = rows.filter((row) => row.language === language && row.engine === engine && row.kind === kind);
    return own.length === 0 ? undefined : own.reduce((a, b) => (Number(b[measure]) > Number(a[measure]) ? b : a))[measure];
  };
  const sheaf = (language, state, kind, measure, setting = 'hybrid') =>
    rows.find(
      (row) => row.language === language && row.state === state && row.engine === 'Sheaf' && row.kind === kind && row.setting === setting,
    )?.[measure];
  const languages = order.filter((language) => rows.some((row) => row.language === language));
  const head = ['language', 'queries', ...states.flatMap((state) => [`Sheaf, ${state}`, 'by words']), ...peers];
  const head1 = [...states.map((state) => `first: Sheaf, ${state}`), ...peers];
  const cell = (value) => (value === undefined ? '' : short(value));
  const lines = languages.map((language) => {
    const n = rows.find((row) => row.language === language && row.kind === 'all')?.n;
    const cells = states.flatMap((state) => ['hybrid', 'keyword'].map((setting) => sheaf(language, state, 'all', 'ndcg10', setting)));
    const first = [
      ...states.map((state) => sheaf(language, state, 'all', 'first')),
      ...peers.map((peer) => best(language, peer, 'all', 'first')),
    ];
    return [language, n, ...[...cells, ...peers.map((peer) => best(language, peer, 'all', 'ndcg10')), ...first].map(cell)];
  });
  const state = states.at(-1);
  const kinds = languages.map((language) => [
    language,
    ...KINDS.map((kind) =>
      [sheaf(language, state, kind, 'ndcg10'), ...peers.map((peer) => best(language, peer, kind, 'ndcg10'))].map(cell).join(' · '),
    ),
  ]);
  return [
    ...markdown([...head, ...head1], lines),
    '',
    `By kind, nDCG@10: Sheaf (${state}) · ${peers.join(' · ')}`,
    '',
    ...markdown(['language', ...KINDS], kinds),
  ].join('\n');
}

function markdown(head, lines) {
  return [`| ${head.join(' | ')} |`, `|---|${'--:|'.repeat(head.length - 1)}`, ...lines.map((line) => `| ${line.join(' | ')} |`)];
}

/** Puts the table where the page keeps it. Throws where the page has no place for it. */
export function tableInto(page, text) {
  const before = readFileSync(page, 'utf8');
  const [begin, end] = [before.indexOf(BEGIN), before.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`${page} lacks the lines ${BEGIN} and ${END}`);
  writeFileSync(page, `${before.slice(0, begin + BEGIN.length)}\n${text}\n${before.slice(end)}`);
}
