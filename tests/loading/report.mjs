/** From visits to figures, from figures to verdicts and tables. Pure. */
import { median, summary } from './tally.mjs';

/** Bytes of bodies, code included, in the median: design budgets of a first search. */
/** By words, 3 kB of it what the core knows of symbols, 1.3 kB of other wordings, 1.2 kB what reads data in pieces. */
export const BUDGET = { keyword: 161_100, hybrid: 250_000 };

export const CONTESTANTS = {
  keyword: 'Sheaf, keyword',
  hybrid: 'Sheaf, hybrid',
  component: '`<sheaf-search>`, hybrid',
  'pagefind-1': 'Pagefind, first result',
  'pagefind-10': 'Pagefind, ten results',
};

/** Rows of one site: for each contestant over all queries, then by kind of query. `visits`: [{contestant, kind, ...moved}]. */
export function transferRows(site, visits) {
  const rows = [];
  for (const contestant of Object.keys(CONTESTANTS)) {
    const own = visits.filter((visit) => visit.contestant === contestant);
    if (own.length === 0) continue;
    for (const kind of ['all', ...new Set(own.map((visit) => visit.kind))]) {
      rows.push({ site, contestant, kind, ...figures(kind === 'all' ? own : own.filter((visit) => visit.kind === kind)) });
    }
  }
  return rows;
}

function figures(visits) {
  const of = (key) => visits.map((visit) => visit[key]);
  const middle = (key) => Math.round(median(of(key)));
  const spread = Object.fromEntries(['body', 'wire', 'requests', 'trips', 'dataTrips'].map((key) => [key, summary(of(key))]));
  return {
    n: visits.length,
    ...spread,
    code: middle('code'),
    index: middle('index'),
    table: middle('table'),
    without_hits: visits.filter(({ hits }) => hits === 0).length,
  };
}

/** What further queries of a session move: all but each session's first. */
export function sessionRow(site, contestant, sessions) {
  const further = sessions.flatMap((session) => session.slice(1));
  const of = (key) => further.map((visit) => visit[key]);
  const mean = Math.round(of('body').reduce((sum, bytes) => sum + bytes, 0) / further.length);
  return {
    site,
    contestant,
    n: further.length,
    body: { mean, ...summary(of('body')) },
    requests: summary(of('requests')),
    trips: summary(of('trips')),
  };
}

/** What two pages of a reader move of bundle and table: `same` asks both the same query, `other` two. Pairs of moved bytes, [first, next]. */
export function nextPageRow(site, contestant, { same, other }) {
  const data = (visits) => Math.round(median(visits.map(({ index, table: rows }) => index + rows)));
  const of = (pairs, at) => data(pairs.map((pair) => pair[at]));
  return { site, contestant, n: same.length, first: of([...same, ...other], 0), same: of(same, 1), other: of(other, 1) };
}

/** A line for each budget that is exceeded. */
export function overBudget(rows) {
  return rows
    .filter(({ kind, contestant, body }) => kind === 'all' && body.median > (BUDGET[contestant] ?? Infinity))
    .map(
      ({ site, contestant, body }) =>
        `${site}: the median first ${contestant} search moves ${body.median} bytes, expected at most ${BUDGET[contestant]}`,
    );
}

// ---- tables --------------------------------------------------------------------------------------

const kB = (bytes) => (bytes < 1e6 ? `${Math.round(bytes / 1000)} kB` : `${(bytes / 1e6).toFixed(2)} MB`);
const spreadOf = ({ median: middle, p95, max }) => `${kB(middle)} / ${kB(p95)} / ${kB(max)}`;
const table = (head, rows) =>
  [head, head.map((_, i) => (i === 0 ? '---' : '--:')), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
const seconds = (ms) => `${(ms / 1000).toFixed(1)} s`;

function transferTable(rows) {
  return table(
    [
      'first search',
      'body, median / p95 / max',
      'code',
      'index',
      'encoder rows',
      'wire',
      'requests',
      'round trips (data alone)',
      'queries without a hit',
    ],
    rows
      .filter(({ kind }) => kind === 'all')
      .map((row) => [
        CONTESTANTS[row.contestant],
        spreadOf(row.body),
        kB(row.code),
        kB(row.index),
        row.table === 0 ? '' : kB(row.table),
        kB(row.wire.median),
        row.requests.median,
        `${row.trips.median} (${row.dataTrips.median})`,
        `${row.without_hits} of ${row.n}`,
      ]),
  );
}

function kindTable(rows) {
  const kinds = [...new Set(rows.map(({ kind }) => kind))].filter((kind) => kind !== 'all');
  const cell = (contestant, kind) => rows.find((row) => row.contestant === contestant && row.kind === kind);
  const contestants = Object.keys(CONTESTANTS).filter((contestant) => cell(contestant, 'all') !== undefined);
  return table(
    ['body, median / p95', ...kinds],
    contestants.map((contestant) => [
      CONTESTANTS[contestant],
      ...kinds.map((kind) => {
        const { body } = cell(contestant, kind);
        return `${kB(body.median)} / ${kB(body.p95)}`;
      }),
    ]),
  );
}

const sectionTable = (rows) => {
  const names = [...new Set(rows.map(({ name }) => name))];
  const cell = (contestant, name) => rows.find((row) => row.contestant === contestant && row.name === name)?.median ?? 0;
  return table(
    ['sections of the bundle, median', ...names],
    ['keyword', 'hybrid'].map((contestant) => [
      CONTESTANTS[contestant],
      ...names.map((name) => `${(cell(contestant, name) / 1000).toFixed(1)} kB`),
    ]),
  );
};

const sessionTable = (rows) =>
  table(
    ['each further query of a session', 'body, mean', 'median / p95 / max', 'requests', 'round trips'],
    rows.map((row) => [CONTESTANTS[row.contestant], kB(row.body.mean), spreadOf(row.body), row.requests.median, row.trips.median]),
  );

const nextPageTable = (rows) =>
  table(
    ['bytes of bundle and table, medians', 'first page', 'same query on the next page', 'another query there'],
    rows.map(({ contestant, ...row }) => [
      CONTESTANTS[contestant],
      ...['first', 'same', 'other'].map((part) => row[part].toLocaleString('en')),
    ]),
  );

const TYPISTS = { sheaf: '`<sheaf-search>`', pagefind: "Pagefind's interface" };
const KEYS = { pasted: 'pasted', steady: 'a key every 150 ms', halting: 'the same with thoughts and a slip' };

const typingTable = (rows) =>
  table(
    ['typed into a fresh page', 'keys', 'requests, median / p95', 'bytes sent, median / p95', 'last key to first list', 'to final list'],
    rows.map(({ contestant, script, requests, sent, first, settle }) => [
      TYPISTS[contestant],
      KEYS[script],
      `${requests.median} / ${requests.p95}`,
      `${kB(sent.median)} / ${kB(sent.p95)}`,
      first === undefined ? '' : `${(first / 1000).toFixed(2)} s`,
      settle === undefined ? '' : `${(settle / 1000).toFixed(2)} s`,
    ]),
  );

const linkTable = (rows) =>
  table(
    ['first hit at 150 ms, 1.6 Mbit/s, CPU slowed 4 times', 'from page start', 'from focus'],
    rows.map(({ contestant, start, focus }) => [LINK_NAMES[contestant] ?? contestant, seconds(start), seconds(focus)]),
  );
const LINK_NAMES = {
  keyword: CONTESTANTS.keyword,
  hybrid: CONTESTANTS.hybrid,
  pagefind: 'Pagefind',
  'component, first': '`<sheaf-search>`, first list',
  'component, final': '`<sheaf-search>`, final list',
};

/** Markdown for docs/benchmarks.md, of what tests/loading/results.json holds. */
export function markdown({ sites }) {
  const parts = [
    'Bodies as sent (text and WebAssembly in brotli); wire: all bytes of the connections, in both directions. HTTP/2 with TLS.',
  ];
  for (const { figures: facts, title, transfer, sections, sessions, next, typing, link, http1, answers, memory } of Object.values(sites)) {
    const pagefind = facts.pagefind === undefined ? '' : `; Pagefind's output ${kB(facts.pagefind)}`;
    parts.push(
      `### ${title}, ${facts.pages.toLocaleString('en')} pages`,
      `Bundle ${kB(facts.sheaf.bundle)} of ${kB(facts.sourceBytes)} HTML${pagefind}.`,
    );
    if (transfer) parts.push(transferTable(transfer), kindTable(transfer));
    if (sections) parts.push(sectionTable(sections));
    if (sessions) parts.push(sessionTable(sessions));
    if (next) parts.push(nextPageTable(next));
    if (typing) parts.push(typingTable(typing));
    if (link) parts.push(linkTable(link));
    if (http1) parts.push('Over HTTP/1.1, without TLS:');
    if (http1?.transfer) parts.push(transferTable(http1.transfer));
    if (http1?.typing) parts.push(typingTable(http1.typing));
    if (http1?.link) parts.push(linkTable(http1.link));
    if (answers) parts.push(answersLine(answers));
    if (memory) parts.push(memoryLine(memory));
  }
  return `${parts.join('\n\n')}\n`;
}

const answersLine = ({ queries, keyword, hybrid, recall }) =>
  `Read by ranges against resident, ${queries} queries: ${keyword} keyword and ${hybrid} hybrid answers differ; ` +
  `recall@10 by meaning ${recall.toFixed(3)}.`;

const memoryLine = (states) =>
  states
    .map(({ lazy, early, late }) => {
      const total = ({ page, worker, core }) => `${kB(page + worker)} of JavaScript heaps and ${kB(core)} of the core`;
      return `${lazy ? 'Read by ranges' : 'Resident'}: ${total(early)} after 100 searches, ${total(late)} after 1,000.`;
    })
    .join(' ');
