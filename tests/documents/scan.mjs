/**
 * Scans documentation sets for what should not be in a passage, and counts what should:
 *
 *   node tests/documents/scan.mjs [SET…] [--sets=DIR] [--show=KIND] [--json=FILE] [--before=FILE]
 *
 * SET is a name of tests/documents/sets.mjs or a folder; by default all sets that gather.mjs laid into DIR
 * (build/documents). The packer is that of this tree, or the one that SHEAF_PACK names.
 *   --show=KIND  prints passages that hold this kind of leftover (`all`: of every kind)
 *   --json=FILE  writes all counts, and samples by kind
 *   --before=FILE  such a file of another packer: prints the table of docs/documents.md, which has both
 *
 * Columns: left is the share of passages with any leftover; then each kind's passages. `same`: passages of 80
 * characters or more whose text stands on another page too. `made`: passages of pages that only
 * a generator's machinery has, by their paths. `anchors`: share of the passages' anchors that exist in
 * their HTML source. `titles`: pages whose title has words that most titles share. `bare`: pages of three passages or
 * more without a heading.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { loadText } from '../../dist/browser/client/load_text.js';
import { openPacker } from '../../dist/node/packer/choose.js';
import { isGenerated, LEFTOVERS, leftovers, repeatedBlocks, repeatedIn, sharedAffix } from './leftovers.mjs';
import { packFolder, readPages } from './read_bundle.mjs';
import { SETS } from './sets.mjs';

const SAMPLES = 12;

/** All counts of a packed set. `root` is the folder that its pages' sources are relative to. */
export function scanPages(pages, text, root) {
  const counts = { pages: pages.length, passages: 0, left: 0, code: 0, rows: 0, headings: 0, bare: 0, same: 0, generated: 0 };
  const kinds = Object.fromEntries(LEFTOVERS.map((kind) => [kind, 0]));
  const samples = {};
  const read = pages.map((page) => blocksOf(page, text));
  const repeated = repeatedBlocks(read.map((passages) => passages.flat()));
  const byText = textsOnSeveralPages(pages);
  const anchors = { all: 0, there: 0 };

  pages.forEach((page, at) => {
    let headings = 0;
    const ids = /\.x?html?$/i.test(page.source) ? idsOf(join(root, page.source)) : undefined;
    page.passages.forEach((passage, number) => {
      const blocks = read[at][number];
      counts.passages++;
      counts.code += blocks.filter(({ kind }) => kind === 'code').length;
      counts.rows += blocks.filter(({ kind, depth }) => kind === 'cell' && depth === 0).length;
      headings += blocks.filter(({ kind }) => kind === 'heading').length;
      if (byText.has(plain(passage.text))) counts.same++;
      if (ids && passage.anchor) {
        anchors.all++;
        if (ids.has(passage.anchor)) anchors.there++;
      }
      const found = leftovers(blocks, page.source);
      const block = repeatedIn(blocks, repeated);
      if (block !== undefined) found.push({ kind: 'repeated', sample: block });
      if (found.length > 0) counts.left++;
      for (const { kind, sample } of found) {
        kinds[kind]++;
        samples[kind] ??= [];
        if (samples[kind].length < SAMPLES) samples[kind].push({ source: page.source, anchor: passage.anchor, sample });
      }
    });
    if (isGenerated(page.source)) counts.generated += page.passages.length;
    counts.headings += headings;
    if (headings === 0 && page.passages.length >= 3) counts.bare++;
  });
  const titles = sharedAffix(pages.map(({ title }) => title));
  return { ...counts, titles: titles.count, affix: titles.affix, anchors, kinds, samples, repeated: [...repeated] };
}

/** The blocks of each passage. A passage that begins inside of code gets its fence back. */
function blocksOf(page, text) {
  let fence = '';
  return page.passages.map((passage) => {
    const blocks = text.blocks(fence === '' ? passage.text : `${fence}\n${passage.text}`, page.source, false);
    for (const line of passage.text.split('\n')) {
      const mark = /^\s*(`{3,}|~{3,})/.exec(line)?.[1];
      if (mark === undefined) continue;
      if (fence === '') fence = mark;
      else if (mark[0] === fence[0] && mark.length >= fence.length && line.trim() === mark) fence = '';
    }
    return blocks;
  });
}

const plain = (text) => text.replace(/\s+/g, ' ').trim();

function textsOnSeveralPages(pages) {
  const first = new Map();
  const several = new Set();
  for (const { id, passages } of pages)
    for (const each of passages) {
      const words = plain(each.text);
      if (words.length < 80) continue;
      if (!first.has(words)) first.set(words, id);
      else if (first.get(words) !== id) several.add(words);
    }
  return several;
}

/** The ids of an HTML file; undefined if it is not there. */
function idsOf(path) {
  if (!existsSync(path)) return undefined;
  const html = readFileSync(path, 'latin1');
  const ids = new Set();
  for (const [, , a, b, c] of html.matchAll(/\s(id|name)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>"']+))/gi)) {
    const id = Buffer.from(a ?? b ?? c, 'latin1').toString();
    ids.add(id).add(
      id
        .replace(/&lt;/g, '<')
        .replace(/&gt;/g, '>')
        .replace(/&quot;/g, '"')
        .replace(/&#39;/g, "'")
        .replace(/&amp;/g, '&'),
    );
  }
  return ids;
}

const percent = (part, all) => (all === 0 ? '-' : `${((100 * part) / all).toFixed(part * 200 < all && part > 0 ? 2 : 1)}`);

function rowOf({ name, kind, result, report, bytes, seconds, failure }) {
  if (failure !== undefined) return [name, kind, failure];
  const { pages, passages, left, code, rows, headings, anchors, same, generated, titles, bare, kinds } = result;
  const worst = Object.entries(kinds)
    .filter(([, count]) => count > 0)
    .sort((a, b) => b[1] - a[1]);
  const share = `${percent(left, passages)} %`;
  return [
    name,
    kind,
    pages,
    passages,
    (bytes / 1e6).toFixed(2),
    seconds.toFixed(1),
    share,
    percent(same, passages),
    percent(generated, passages),
    code,
    rows,
    headings,
    percent(anchors.there, anchors.all),
    titles,
    bare,
    report.skipped.length,
    worst.map(([each, count]) => `${each} ${count}`).join(', '),
  ].map(String);
}

const HEAD = [
  'set',
  'kind',
  'pages',
  'passages',
  'MB',
  's',
  'left',
  'same %',
  'made %',
  'code',
  'rows',
  'headings',
  'anchors %',
  'titles',
  'bare',
  'skipped',
  'leftovers',
];

/** The table of docs/documents.md: figures of now beside those of `before`, both as --json writes them. */
export function markdownTable(now, before) {
  const old = new Map(before.map((each) => [each.name, each]));
  const both = (name, of) => {
    const [then, since] = [old.get(name), now.find((each) => each.name === name)].map((each) => (each?.result ? of(each) : '-'));
    return then === since ? since : `${then} → ${since}`;
  };
  const rows = now.map(({ name, kind, seconds }) => [
    name,
    kind,
    both(name, ({ result }) => `${result.pages}`),
    both(name, ({ result }) => `${result.passages}`),
    both(name, ({ result }) => percent(result.left, result.passages)),
    both(name, ({ result }) => percent(result.same, result.passages)),
    seconds?.toFixed(1) ?? '-',
  ]);
  const head = ['set', 'kind', 'pages', 'passages', 'left, %', 'same, %', 's'];
  return [head, ['---', '---', '--:', '--:', '--:', '--:', '--:'], ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
}

function print(rows) {
  const widths = HEAD.map((_, column) => Math.min(28, Math.max(...rows.map((row) => row[column]?.length ?? 0))));
  return rows
    .map((row) =>
      row
        .map((cell, column) => (column > 1 && column < 16 && row.length > 3 ? cell.padStart(widths[column]) : cell.padEnd(widths[column])))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

async function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      sets: { type: 'string', default: fileURLToPath(new URL('../../build/documents', import.meta.url)) },
      show: { type: 'string' },
      json: { type: 'string' },
      before: { type: 'string' },
    },
  });
  const known = (name) => SETS.find((each) => each.name === name);
  const chosen =
    positionals.length > 0
      ? positionals.map((name) => known(name) ?? { name: name.split('/').filter(Boolean).at(-1), kind: '', folder: resolve(name) })
      : SETS;
  const work = mkdtempSync(join(tmpdir(), 'sheaf-scan-'));
  process.on('exit', () => rmSync(work, { recursive: true, force: true }));
  const [packer, text] = await Promise.all([
    openPacker(),
    loadText(readFileSync(new URL('../../dist/browser/core/sheaf-text.wasm', import.meta.url))),
  ]);
  const all = [];
  const rows = [HEAD];
  for (const { name, kind, folder = join(values.sets, name), pack = '.', options = {} } of chosen) {
    const root = join(folder, pack);
    if (!existsSync(root)) {
      console.error(`${name}: ${root} is not there; node tests/documents/gather.mjs ${name} lays it`);
      continue;
    }
    const bundle = join(work, 'set.sheaf');
    const scanned = { name, kind };
    try {
      const { report, bytes, seconds } = await packFolder(packer, root, bundle, { root, ...options });
      Object.assign(scanned, { report, bytes, seconds, result: scanPages(await readPages(bundle), text, root) });
    } catch (error) {
      scanned.failure = String(error.message).split('\n')[0].slice(0, 160);
    }
    all.push(scanned);
    rows.push(rowOf(scanned));
    console.log(print([HEAD, rows.at(-1)]));
    for (const [kindOf, samples] of Object.entries(scanned.result?.samples ?? {}))
      if (values.show === kindOf || values.show === 'all')
        for (const { source, anchor, sample } of samples) console.log(`  ${kindOf}  ${source}#${anchor}: ${sample}`);
  }
  console.log(`\n${values.before ? markdownTable(all, JSON.parse(readFileSync(values.before, 'utf8'))) : print(rows)}`);
  if (values.json) writeFileSync(values.json, JSON.stringify(all));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
