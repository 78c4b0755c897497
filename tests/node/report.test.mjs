/** Reports of readers' questions: what a page sends, and what `sheaf report` reads in a log (docs/site.md). */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { MOST_LETTERS, Questions } from '../../dist/browser/page/report.js';
import { ReportLog } from '../../dist/node/site/report_log.js';
import { writeBuiltSite } from '../fixtures/built_site.mjs';
import { MAIN, temporaryFolder } from './packed.mjs';

const root = temporaryFolder('report');
const sheaf = (args, input) =>
  spawnSync(process.execPath, [MAIN, ...args], { encoding: 'utf8', input, env: { ...process.env, NO_COLOR: '1' } });

/** What a page sends in the end, after `read` has used it. */
function sent(read, words = true) {
  const all = [];
  const questions = new Questions(words, (reports) => all.push(reports));
  read(questions);
  questions.left();
  return all;
}

describe('what a page reports', () => {
  it('A question is what the reader settled on, not the keys on the way', () => {
    const reports = sent((page) => {
      for (const query of ['a', 'as', 'asy', 'async', 'asyn', 'async gather']) page.asked(query, 3);
      page.chose(2);
      page.asked('kiln', 7);
      page.asked('glaze', 0);
      page.closed();
    });
    assert.deepEqual(reports, [['3.2.async gather', '7.0.kiln', '0.0.glaze']]);
  });

  it('A question without words has the counts alone', () => {
    assert.deepEqual(
      sent((page) => page.asked('my secret', 4), false),
      [['4.0.']],
    );
  });

  it('Questions go ten at a time, and long ones are cut', () => {
    const reports = sent((page) => {
      for (let i = 0; i < 12; i++) {
        page.asked(`${i} question`, 1);
        page.chose(1);
      }
      page.asked('x'.repeat(500), 1);
    });
    assert.deepEqual(
      reports.map((each) => each.length),
      [10, 3],
    );
    assert.equal(reports[1][2], `1.0.${'x'.repeat(MOST_LETTERS)}`);
  });

  it('A page that nobody asked sends nothing', () => {
    assert.deepEqual(
      sent((page) => {
        page.asked('  ', 0);
        page.closed();
      }),
      [],
    );
  });
});

/** A line of a web server's log. */
const logged = (...reports) =>
  `203.0.113.9 - - [28/Nov/2026:23:00:00 +0000] "POST /search-log?${new URLSearchParams([['sheaf', '1'], ...reports.map((each) => ['s', each])])} HTTP/1.1" 204 0 "-" "Mozilla/5.0"`;

describe('sheaf report', () => {
  it('sheaf report counts what was asked, empty, not followed and far below', () => {
    const log = join(root, 'access.log');
    writeFileSync(
      log,
      [
        '203.0.113.9 - - "GET /index.html HTTP/1.1" 200 512',
        logged('3.1.Async  gather', '0.0.glaze'),
        logged('3.0.async gather', '9.7.kiln & co?'),
        JSON.stringify({ url: `/search-log?sheaf=1&s=${encodeURIComponent('0.0.glaze')}`, ip: 'x' }),
        '',
      ].join('\n'),
    );
    const { status, stdout, stderr } = sheaf(['report', log, '--json']);
    assert.equal(status, 0, stderr);
    const { asked, ...sums } = JSON.parse(stdout);
    assert.deepEqual(sums, { questions: 5, empty: 2, unanswered: 1, deep: 1, withoutWords: 0, dropped: 0 });
    assert.deepEqual(
      asked.map(({ words, ...counts }) => [words, Object.values(counts)]),
      [
        ['Async gather', [2, 0, 1, 0]],
        ['glaze', [2, 2, 0, 0]],
        ['kiln & co?', [1, 0, 0, 1]],
      ],
    );
    const table = sheaf(['report', log]).stdout;
    assert.match(table, /Questions +5\nnothing found +2 +40\.0 %/);
    assert.match(table, /Nothing found\n2 {2}glaze\n/);
    assert.match(table, /Chosen below the fifth\n1 {2}kiln & co\?/);
  });

  it('sheaf report reads gzip and the standard input, and says where nothing is', () => {
    const packed = join(root, 'access.log.1.gz');
    writeFileSync(packed, gzipSync(`${logged('1.1.')}\n`));
    assert.match(sheaf(['report', packed]).stdout, /Questions +1\n[^]*1 without their words/);
    assert.match(sheaf(['report', '-'], `${logged('1.1.a')}\n`).stdout, /Asked most\n1 {2}a/);
    assert.match(sheaf(['report', '-'], 'nothing\n').stdout, /^No report is in the log/);
    assert.equal(sheaf(['report', join(root, 'missing.log')]).status, 4);
    assert.equal(sheaf(['report']).status, 2);
  });

  it('A hostile log neither reaches the terminal nor counts without bound', () => {
    const log = new ReportLog();
    for (const value of ['1.1', '-1.0.a', '1e3.0.a', '99999999.0.a', '%', `1.0.${'%u'.repeat(10)}`]) {
      log.add(`"POST /?sheaf=1&s=${value}"`);
    }
    log.add(`"POST /?sheaf=1&s=${'1.0.a&s='.repeat(100_000)}"`);
    assert.equal(log.report().questions, 1);
    const file = join(root, 'hostile.log');
    writeFileSync(file, `${logged('1.0.\u001b[31m\u202Eevil\nline')}\n`);
    const shown = sheaf(['report', file]).stdout;
    assert.doesNotMatch(shown, /[\u001b\u202e]/u);
    assert.match(shown, /evil line/);
  });
});

describe('sheaf site --report', () => {
  it('sheaf site tells pages where to report, and only if it is asked to', () => {
    const site = writeBuiltSite(join(root, 'public'));
    const entry = () => readFileSync(join(site, 'sheaf', 'sheaf.js'), 'utf8');
    assert.equal(sheaf(['site', site, '--report', '/search-log']).status, 0);
    assert.match(entry(), /"report":\{"address":"\/search-log","words":false\}/);
    assert.equal(sheaf(['site', site, '--report', 'https://logs.example/x', '--report-words']).status, 0);
    assert.match(entry(), /"report":\{"address":"https:\/\/logs\.example\/x","words":true\}/);
    assert.equal(sheaf(['site', site]).status, 0);
    assert.doesNotMatch(entry(), /report/);
    assert.equal(sheaf(['site', site, '--report', 'javascript:x']).status, 2);
    assert.equal(sheaf(['site', site, '--report-words']).status, 2);
  });
});
