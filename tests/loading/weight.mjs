/**
 * What a search weighs: the files that `sheaf site` writes, and the requests of a question.
 *
 *   node tests/loading/weight.mjs [--site NAME] [--queries N] [--script pasted,steady] [--http2] [--no-ranges] [--no-typing] [--each]
 *
 * Files: how many, their bytes, and what they take in blocks of 4 KiB, by kind, Pagefind's beside them. Requests: over
 * HTTP/1.1, medians and the most over the queries, each kind alone, and how many of each kind begin behind which key.
 * --each prints the requests of every query too.
 */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openBench } from './measure.mjs';
import { fewer, prepare, queriesOf } from './sites.mjs';
import { median, summary } from './tally.mjs';
import { requestKinds } from './request_kinds.mjs';
import { typed, typingPlaces } from './typing.mjs';

const { values } = parseArgs({
  options: {
    site: { type: 'string', default: 'pg' },
    queries: { type: 'string', default: '8' },
    script: { type: 'string', default: 'pasted,steady' },
    http2: { type: 'boolean' },
    'no-ranges': { type: 'boolean' },
    'no-typing': { type: 'boolean' },
    each: { type: 'boolean' },
  },
});

const site = await prepare(values.site, { say: console.error });
const table = (head, rows) => {
  console.log(`\n| ${head.join(' | ')} |\n|---|${'--:|'.repeat(head.length - 1)}`);
  for (const row of rows) console.log(`| ${row.join(' | ')} |`);
};
const number = (value) => Math.round(value).toLocaleString('en');

// ---- files

const BLOCK = 4096;

function filesBelow(folder, kindOf) {
  const kinds = new Map();
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath ?? entry.path, entry.name);
    const { size } = statSync(path);
    for (const kind of [kindOf(path.slice(folder.length + 1)), 'all']) {
      const { files = 0, bytes = 0, blocks = 0 } = kinds.get(kind) ?? {};
      kinds.set(kind, { files: files + 1, bytes: bytes + size, blocks: blocks + Math.ceil(size / BLOCK) * BLOCK });
    }
  }
  return [...kinds].sort(([, a], [, b]) => a.bytes - b.bytes);
}

const ofSheaf = (path) => {
  if (path.startsWith('code-')) return 'code';
  const what = /^minilm/.test(path) ? 'table' : 'bundle';
  if (/\.pieces\//.test(path)) return `${what} in pieces`;
  return path.endsWith('.sheaf') ? what : 'entry and list';
};
const ofPagefind = (path) =>
  path.includes('/') ? path.split('/')[0] : /-(ui|highlight)\b/.test(path) ? 'user interfaces' : 'code and lists';

for (const [name, folder, kindOf] of [
  ['sheaf', join(site.folder, 'sheaf'), ofSheaf],
  ['Pagefind', site.pagefind, ofPagefind],
]) {
  const rows = filesBelow(folder, kindOf).map(([kind, { files, bytes, blocks }]) => [kind, number(files), number(bytes), number(blocks)]);
  table([`${site.title}, ${name}`, 'files', 'bytes', 'in blocks'], rows);
}

// ---- requests

/** Rows of {kind: count} as medians and maxima over the visits. */
function kindRows(visits) {
  const kinds = [...new Set(visits.flatMap(({ log }) => log.map(({ kind }) => kind)))];
  return kinds
    .map((kind) => {
      const own = visits.map(({ log }) => log.filter((request) => request.kind === kind));
      const counts = own.map((list) => list.length);
      return { kind, counts, bytes: own.map((list) => list.reduce((sum, { body }) => sum + body, 0)) };
    })
    .sort((a, b) => median(b.counts) - median(a.counts) || Math.max(...b.counts) - Math.max(...a.counts))
    .map(({ kind, counts, bytes }) => [kind, median(counts), Math.max(...counts), number(median(bytes)), number(Math.max(...bytes))]);
}

if (!values['no-typing']) {
  const queries = fewer(queriesOf(values.site), Number(values.queries));
  const nameKind = requestKinds(site);
  const bench = await openBench(site, { http2: values.http2, delay: 0, ranges: !values['no-ranges'], places: typingPlaces() });
  try {
    for (const script of values.script.split(',')) {
      const visits = [];
      for (const { query } of queries) {
        const visit = await typed(bench, 'sheaf', query, script);
        visits.push({ query, ...visit, log: visit.log.map((request) => ({ ...request, kind: nameKind(request) })) });
      }
      const all = (key) => summary(visits.map((visit) => visit[key]));
      console.log(
        `\n${script}: ${all('requests').median} requests (at most ${all('requests').max}), ${number(all('sent').median)} bytes (at most ${number(all('sent').max)}), ${visits.length} queries`,
      );
      table([script, 'requests', 'at most', 'bytes', 'at most'], kindRows(visits));
      const phases = ['page', 'box', 'typing', 'last key'];
      const inPhase = (visit, phase, kind) =>
        visit.log.filter((request) => request.kind === kind && phaseOf(visit, request) === phase).length;
      const kinds = [...new Set(visits.flatMap(({ log }) => log.map(({ kind }) => kind)))].sort();
      table(
        [`${script}, means`, ...phases],
        kinds.map((kind) => [
          kind,
          ...phases.map((phase) => (visits.reduce((sum, visit) => sum + inPhase(visit, phase, kind), 0) / visits.length).toFixed(1)),
        ]),
      );
      if (values.each)
        for (const { query, keys, log, requests, sent } of visits) {
          console.log(`\n“${query}” ${requests} requests, ${sent} bytes`);
          for (const { kind, begun, range, path, body } of log) {
            const typedText = keys
              .filter(({ at }) => at <= begun)
              .map(({ text }) => text)
              .join('');
            console.log(
              `  ${JSON.stringify(typedText).padEnd(44)} ${kind.padEnd(24)} ${(range ?? path.split('/').slice(-2).join('/')).padEnd(30)} ${body}`,
            );
          }
        }
    }
  } finally {
    await bench.close();
  }
}

/** While the page loaded, while the box opened, while keys were pressed, behind the last. */
function phaseOf({ opened, keys }, { begun }) {
  if (begun < opened) return 'page';
  if (begun < keys[0].at) return 'box';
  return begun < keys.at(-1).at ? 'typing' : 'last key';
}
