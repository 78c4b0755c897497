/**
 * `npm run loading`: what a search moves and how long it takes, beside Pagefind on the same pages and queries.
 *
 *   node tests/loading/run.mjs [--site NAME]... [--quick] [--only PART,...] [--contestants NAME,...] [--queries N] [--http1]
 *   node tests/loading/run.mjs --markdown       tables for docs/benchmarks.md from results.json
 *
 *   --site          pg, rust10k; both by default
 *   --only          transfer, sessions, next, typing, link, answers, memory; all by default
 *   --contestants   keyword, hybrid, component, pagefind; all by default
 *   --queries N     N queries of each site, in proportion of their kinds, instead of all forty
 *   --quick         --only transfer --contestants keyword,hybrid,component --queries 8; prints and writes nothing
 *   --http1         HTTP/1.1 without TLS instead of HTTP/2; its transfer, typing and link stand beside the others in the results
 *
 * Sites are made ready below build/loading once. What was measured takes the place of the same rows in
 * tests/loading/results.json. Exit code 1 when a budget is exceeded, an answer differs or memory grows.
 */
import { existsSync, readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { writeAtomically } from '../../dist/node/base/files.js';
import { compare, compareSets, complaints, line } from './identical.mjs';
import { measureLink } from './link.mjs';
import { componentCold, libraryCold, librarySession, nextPage, openBench, pagefindCold, pagefindSession } from './measure.mjs';
import { growth, measureMemory, placesOf } from './memory.mjs';
import { pagefindVersion } from './pagefind.mjs';
import { CONTESTANTS, markdown, nextPageRow, overBudget, sessionRow, transferRows } from './report.mjs';
import { sectionRows, sectionsOf } from './sections.mjs';
import { measureTyping } from './typing.mjs';
import { fewer, prepare, queriesOf, SITES, whyNot, WORK } from './sites.mjs';

const RESULTS = fileURLToPath(new URL('results.json', import.meta.url));
const PARTS = ['transfer', 'sessions', 'next', 'typing', 'link', 'answers', 'memory'];
const OURS = ['keyword', 'hybrid', 'component'];
const LINK_QUERIES = 10;
const TYPED_QUERIES = 20;
const SESSION_LENGTH = 10;
const NEXT_QUERIES = 6;

const say = (text) => console.error(text);

function settingsOf() {
  const { values } = parseArgs({
    options: {
      site: { type: 'string', multiple: true },
      quick: { type: 'boolean' },
      only: { type: 'string' },
      contestants: { type: 'string' },
      queries: { type: 'string' },
      http1: { type: 'boolean' },
      markdown: { type: 'boolean' },
    },
  });
  const known = (what, list, allowed) => {
    for (const name of list) if (!allowed.includes(name)) throw new Error(`--${what} ${name}: expected one of ${allowed.join(', ')}`);
    return list;
  };
  return {
    ...values,
    sites: known('site', values.site ?? Object.keys(SITES), Object.keys(SITES)),
    parts: known('only', values.only?.split(',') ?? (values.quick ? ['transfer'] : PARTS), PARTS),
    contestants: known('contestants', values.contestants?.split(',') ?? OURS.concat(values.quick ? [] : 'pagefind'), [...OURS, 'pagefind']),
    count: countOf(values.queries ?? (values.quick ? '8' : 'Infinity')),
    http2: !values.http1,
  };
}

function countOf(text) {
  const count = Number(text);
  if (!(count >= 1)) throw new Error(`--queries ${text}: expected a number from 1`);
  return count;
}

async function transfer(bench, queries, { contestants }) {
  const takesPart = (contestant) => contestants.includes(contestant);
  const visits = [];
  for (const [at, { id, kind, query }] of queries.entries()) {
    const add = (contestant, moved) => visits.push({ contestant, id, kind, query, ...moved });
    for (const mode of ['keyword', 'hybrid'].filter(takesPart)) add(mode, await libraryCold(bench, query, mode));
    if (takesPart('component')) add('component', await componentCold(bench, query));
    if (takesPart('pagefind')) (await pagefindCold(bench, query)).forEach((moved, i) => add(['pagefind-1', 'pagefind-10'][i], moved));
    if (at % 10 === 9) say(`${bench.site.name}: ${id}`);
  }
  return visits;
}

async function sessions(bench, queries, settings) {
  const lists = [];
  // Strided, so that each session has queries of all kinds.
  const count = Math.ceil(queries.length / SESSION_LENGTH);
  for (let i = 0; i < count; i++) lists.push(queries.filter((_, at) => at % count === i).map(({ query }) => query));
  const asked = [
    ['keyword', (list) => librarySession(bench, list, 'keyword')],
    ['hybrid', (list) => librarySession(bench, list, 'hybrid')],
    ['pagefind', (list) => pagefindSession(bench, list)],
  ].filter(([contestant]) => settings.contestants.includes(contestant));
  const rows = [];
  for (const [contestant, ask] of asked) {
    const done = [];
    for (const list of lists) done.push(await ask(list));
    rows.push(sessionRow(bench.site.name, contestant === 'pagefind' ? 'pagefind-10' : contestant, done));
  }
  return rows;
}

/** Each query on two pages, and each with the one after it. */
async function nextPages(bench, queries, { contestants }) {
  const rows = [];
  for (const mode of ['keyword', 'hybrid'].filter((contestant) => contestants.includes(contestant))) {
    const pairs = { same: [], other: [] };
    for (const [at, { query }] of queries.entries()) {
      pairs.same.push(await nextPage(bench, [query, query], mode));
      pairs.other.push(await nextPage(bench, [query, queries[(at + 1) % queries.length].query], mode));
    }
    rows.push(nextPageRow(bench.site.name, mode, pairs));
  }
  return rows;
}

async function memory(site, queries, problems) {
  const bench = await openBench(site, { delay: 0, places: placesOf(site) });
  try {
    const rows = [];
    for (const lazy of [true, false]) {
      const [early, late] = await measureMemory(bench, queries, lazy);
      problems.push(...growth([early, late]).complaints.map((text) => `${site.name}, ${lazy ? 'read by ranges' : 'resident'}: ${text}`));
      rows.push({ lazy, early, late });
    }
    return rows;
  } finally {
    await bench.close();
  }
}

async function measureSite(name, settings, problems) {
  const site = await prepare(name, { pagefind: settings.contestants.includes('pagefind'), say });
  const all = queriesOf(name);
  const queries = settings.count < all.length ? fewer(all, settings.count) : all;
  const wants = (part) => settings.parts.includes(part);
  const result = { title: site.title, figures: site.figures };
  if (wants('transfer') || wants('sessions') || wants('next')) {
    const bench = await openBench(site, settings);
    try {
      result.chromium = bench.browser.version();
      if (wants('transfer')) {
        const visits = await transfer(bench, queries, settings);
        await writeAtomically(join(WORK, name, 'visits.json'), `[\n${visits.map((visit) => JSON.stringify(visit)).join(',\n')}\n]\n`);
        result.transfer = transferRows(name, visits);
        if (OURS.some((contestant) => settings.contestants.includes(contestant)))
          result.sections = sectionRows(sectionsOf(join(site.folder, site.bundle)), visits);
        problems.push(...overBudget(result.transfer));
      }
      if (wants('sessions')) result.sessions = await sessions(bench, queries, settings);
      if (wants('next')) result.next = await nextPages(bench, fewer(queries, NEXT_QUERIES), settings);
    } finally {
      await bench.close();
    }
  }
  if (wants('typing'))
    result.typing = await measureTyping(site, fewer(queries, TYPED_QUERIES), fewer(queries, LINK_QUERIES), { ...settings, say });
  if (wants('link')) result.link = await measureLink(site, fewer(queries, LINK_QUERIES), { ...settings, say });
  if (wants('answers')) {
    const answers = await compare(
      name,
      join(site.folder, site.bundle),
      queries.map(({ query }) => query),
    );
    say(line(answers));
    problems.push(...complaints(answers));
    result.answers = { ...answers, keyword: answers.keyword.length, hybrid: answers.hybrid.length };
  }
  if (wants('memory')) result.memory = await memory(site, queries, problems);
  return result;
}

/** New results of a site over old ones; rows of contestants that took no part stay. */
function merged(old = {}, fresh) {
  const result = { ...old, ...fresh, figures: { ...old.figures, ...JSON.parse(JSON.stringify(fresh.figures)) } };
  const order = Object.keys(CONTESTANTS);
  for (const part of ['transfer', 'sessions', 'next', 'typing']) {
    const measured = new Set(fresh[part]?.map(({ contestant }) => contestant));
    const rows = [...(fresh[part] ?? []), ...(old[part] ?? []).filter(({ contestant }) => !measured.has(contestant))];
    if (rows.length > 0) result[part] = rows.sort((a, b) => order.indexOf(a.contestant) - order.indexOf(b.contestant));
  }
  return result;
}

/** What depends on the protocol is kept apart for HTTP/1.1. */
function added(old = {}, fresh, { http2 }) {
  if (http2) return merged(old, fresh);
  const { transfer, typing, link, ...same } = fresh;
  const apart = { ...(transfer && { transfer }), ...(typing && { typing }), ...(link && { link }) };
  const http1 = merged({ figures: {}, ...old.http1 }, { figures: {}, ...apart });
  delete http1.figures;
  delete same.sections;
  delete same.sessions;
  delete same.next;
  return { ...merged(old, same), http1 };
}

/** Results with a row a line, so that changes show as such. */
function rowsAlone(results) {
  const rows = [];
  const text = JSON.stringify(
    results,
    (_, value) => (Array.isArray(value) ? value.map((row) => `@${rows.push(JSON.stringify(row)) - 1}@`) : value),
    1,
  );
  return text.replace(/"@(\d+)@"/g, (_, at) => rows[at]);
}

async function main() {
  const settings = settingsOf();
  if (settings.markdown) {
    process.stdout.write(markdown(JSON.parse(readFileSync(RESULTS, 'utf8'))));
    return;
  }
  await mkdir(WORK, { recursive: true });
  const known = existsSync(RESULTS) ? JSON.parse(readFileSync(RESULTS, 'utf8')) : { sites: {} };
  const results = {
    pagefind: pagefindVersion(),
    contestants: CONTESTANTS,
    sites: {},
  };
  const problems = [];
  for (const name of settings.sites) {
    const why = whyNot(name);
    if (why !== undefined) say(`${name} skipped: ${why}`);
    else results.sites[name] = added(settings.quick ? {} : known.sites[name], await measureSite(name, settings, problems), settings);
  }
  if (settings.parts.includes('answers')) {
    const { results: sets, skipped } = await compareSets(say);
    for (const set of sets) problems.push(...complaints(set));
    for (const text of skipped) say(`skipped: ${text}`);
  }
  console.log(markdown(results));
  if (!settings.quick) await writeAtomically(RESULTS, `${rowsAlone({ ...results, sites: { ...known.sites, ...results.sites } })}\n`);
  for (const problem of problems) console.error(`OVER ${problem}`);
  process.exitCode = problems.length > 0 ? 1 : 0;
}

await main();
