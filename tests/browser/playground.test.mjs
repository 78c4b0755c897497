/** The playground of `sheaf serve DIR --playground` in Chromium, by keys: search, rules, questions, the file that it saves. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { bundleLibraries } from '../../scripts/library_bundle.mjs';
import { writeRules, readRules } from '../../dist/browser/playground/rules_text.js';
import { pageKey, readQuestions, worthOf, writeQuestions } from '../../dist/browser/playground/questions.js';
import { sharesOf } from '../../dist/browser/playground/explain.js';
import { MAIN, temporaryFolder } from '../node/packed.mjs';
import { launchChromium, newReader } from './chromium.mjs';
import { serveSite } from './serve_site.mjs';
import { assertAccessible, shots } from './ui_page.mjs';

await bundleLibraries();

const root = temporaryFolder('playground');
const site = join(root, 'public');
const PAGES = {
  'index.html': ['Orchard', 'Orchard keeps versions of your documents, and brings every one of them back.'],
  'guide/revert.html': ['Revert a change', 'To revert a change, open the history of the document and choose the version before it.'],
  'guide/install.html': ['Set up the server', 'Download the package and install it on Linux. The install script asks for a folder.'],
  'guide/backup.html': ['Backups', 'A backup copies all documents. Install a schedule, so that a backup is made every night.'],
  'blog/install-party.html': ['Install party', 'We had an install party: install, install, install! Everybody could install Orchard.'],
  'reference/history.html': ['History', 'The history lists versions of a document, newest first, with who made them.'],
};
const RULES = '# ours\nsynonyms:\n  - [backup, copy]\nexclude: ["drafts/**"]\ncrumbs: { guide: Guides }\n';

let browser;
let server;
let byWords; // no word finds a page by its meaning
let url;
let urlByWords;

before(async () => {
  for (const [path, [title, text]] of Object.entries(PAGES)) {
    mkdirSync(dirname(join(site, path)), { recursive: true });
    writeFileSync(
      join(site, path),
      `<!doctype html><html lang="en"><title>${title}</title><main><h1>${title}</h1><p>${text}</p></main></html>`,
    );
  }
  writeFileSync(join(root, 'sheaf.search.yaml'), RULES);
  browser = await launchChromium();
  [server, byWords] = [[], ['--keywords']].map((more) =>
    spawn(process.execPath, [MAIN, 'serve', site, '--playground', '--port', '0', ...more]),
  );
  [url, urlByWords] = await Promise.all([server, byWords].map(async ({ stdout }) => String((await once(stdout, 'data'))[0]).trim()));
});
after(async () => {
  await browser?.close();
  server?.kill('SIGTERM');
  byWords?.kill('SIGTERM');
});

const ready = (page) => page.waitForFunction(() => document.body.dataset.state === 'ready', null, { timeout: 120_000 });
const sources = (page) => page.$$eval('#hits .path', (all) => all.map(({ textContent }) => textContent));

async function visit(options = {}, address = url) {
  const reader = await newReader(browser, { viewport: { width: 1280, height: 860 }, ...options });
  await reader.page.goto(address);
  await ready(reader.page);
  return reader;
}

/** Types into what has the focus, as a reader would, and waits for the answer. */
async function typed(page, text) {
  await page.keyboard.type(text);
  await ready(page);
}

describe('the playground', () => {
  it('The playground shows why each hit stands where it stands', async () => {
    const { page, context, problems } = await visit();
    assert.equal(await page.evaluate(() => document.activeElement.id), 'query');
    await typed(page, 'install');
    assert.equal((await sources(page))[0], 'blog/install-party.html');
    const bars = await page.$$eval('.bar', (all) => all.map((bar) => bar.getAttribute('aria-label')));
    assert.match(bars[0], /^Score 0\.\d\d: words 0\.\d\d/);
    assert.match(await page.textContent('#hits > li:first-child .terms'), /install/);
    await assertAccessible(page, 'playground');
    if (shots) await page.screenshot({ path: join(shots, 'playground-light.png'), fullPage: true });
    assert.deepEqual(problems, []);
    await context.close();
  });

  it('A synonym, a weight and a pin that are typed change the list at once, and questions show it', async () => {
    const { page, context, problems } = await visit({}, urlByWords);
    await page.focus('#questions-text');
    await typed(page, 'undo => guide/revert.html\ninstall => /blog/install-party\nbackup => guide/backup.html');
    await page.waitForSelector('#judged-rows tr:nth-child(4)');
    const rows = () => page.$$eval('#judged-rows tr', (all) => all.map(({ textContent, className }) => `${textContent} ${className}`));
    assert.match((await rows())[1], /^undo– → –0\.00 → 0\.00same/);

    await page.focus('#synonyms > button');
    await page.keyboard.press('Enter');
    await page.keyboard.type('undo');
    await page.keyboard.press('Tab');
    await page.keyboard.type('revert');
    await ready(page);
    assert.match((await rows())[1], /^undo– → 10\.00 → 1\.00▲ \+1\.00 better$/);

    await page.focus('#query');
    await typed(page, 'undo');
    assert.equal((await sources(page))[0], 'guide/revert.html');
    assert.match(await page.textContent('#hits > li:first-child .terms'), /undo by your synonym/);
    assert.match(await page.textContent('#hits > li:first-child h3'), /new|up/);

    await page.focus('#weights > button');
    await page.keyboard.press('Enter');
    await page.keyboard.type('blog/**');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Control+A');
    await page.keyboard.type('0.1');
    await ready(page);
    await page.focus('#query');
    await page.keyboard.press('Control+A');
    await typed(page, 'install');
    assert.notEqual((await sources(page))[0], 'blog/install-party.html');

    await page.getByRole('button', { name: 'Pin for these words: guide/backup.html' }).focus();
    await page.keyboard.press('Enter');
    await ready(page);
    assert.equal((await sources(page))[0], 'guide/backup.html');
    assert.match(await page.textContent('#hits > li:first-child .terms'), /by your pin/);
    assert.ok(
      (await rows()).some((row) => /^install.*▼ -0\.\d\d worse$/.test(row)),
      (await rows()).join('\n'),
    );
    for (const [name, options] of Object.entries({
      dark: { colorScheme: 'dark' },
      phone: { colorScheme: 'light', width: 390 },
      'phone-dark': { colorScheme: 'dark', width: 390 },
    })) {
      await page.emulateMedia({ colorScheme: options.colorScheme });
      await page.setViewportSize({ width: options.width ?? 1280, height: 860 });
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(wide <= 0, `${name}: ${wide} pixels too wide`);
      await assertAccessible(page, `playground ${name}`);
      if (shots) await page.screenshot({ path: join(shots, `playground-${name}.png`), fullPage: true });
    }
    assert.deepEqual(problems, []);
    await context.close();
  });

  it('What it saves is a file of rules that packs, with the keys that it does not show', async () => {
    const { page, context } = await visit();
    await page.focus('#query');
    await typed(page, 'keep it safe');
    await page.getByRole('button', { name: 'Pin for these words: guide/backup.html' }).press('Enter');
    await ready(page);
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save sheaf.search.yaml' }).press('Enter'),
    ]);
    assert.equal(saved.suggestedFilename(), 'sheaf.search.yaml');
    const text = readFileSync(await saved.path(), 'utf8');
    assert.deepEqual(readRules(text), {
      synonyms: [{ to: ['backup', 'copy'] }],
      pins: [{ words: 'keep it safe', pages: ['guide/backup.html'] }],
      weights: [],
      others: { exclude: ['drafts/**'], crumbs: { guide: 'Guides' } },
    });
    const rules = join(root, 'saved.yaml');
    writeFileSync(rules, text);
    const out = join(root, 'saved.sheaf');
    const packed = spawnSync(
      process.execPath,
      [MAIN, 'pack', site, '--library', 'x', '--version', '1', '--rules', rules, '-q', '-o', out],
      { encoding: 'utf8' },
    );
    assert.equal(packed.status, 0, packed.stderr);
    const found = spawnSync(process.execPath, [MAIN, 'query', 'keep it safe', '--json', '-b', out], { encoding: 'utf8' });
    assert.equal(JSON.parse(found.stdout).hits[0].source, 'guide/backup.html');
    await context.close();
  });

  it('A rule that the packer refuses is named, and the list stays', async () => {
    const { page, context } = await visit();
    await typed(page, 'install');
    const before = await sources(page);
    await page.focus('#weights > button');
    await page.keyboard.press('Enter');
    await page.keyboard.type('guide/**');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Control+A');
    await page.keyboard.type('99');
    await page
      .waitForFunction(() => document.body.dataset.state === 'failed', null, { timeout: 30_000 })
      .catch(async (error) => {
        throw new Error(
          await page.evaluate(() => `${document.body.dataset.state} ${document.activeElement.outerHTML} ${document.body.innerText}`),
          { cause: error },
        );
      });
    assert.match(await page.textContent('#problem'), /weights\.guide\/\*\*: expected a number from 0 to 10/);
    assert.deepEqual(await sources(page), before);
    await page.keyboard.press('Control+A');
    await page.keyboard.type('2');
    await ready(page);
    assert.equal(await page.textContent('#problem'), '');
    await context.close();
  });

  it('Where the rules of the file are wrong, the list is that without rules, and the mistake is named with its line', async () => {
    for (const [text, mistake] of [
      ['synonyms:\n  - [undo, revert]\nwheights: {}\n', /yaml:3: wheights: is unknown; expected synonyms/],
      ['weights: [\n', /yaml:2: is no YAML/],
    ]) {
      const rules = join(root, 'wrong.yaml');
      writeFileSync(rules, text);
      const out = join(root, 'wrong');
      const made = spawnSync(process.execPath, [MAIN, 'site', site, '--playground', out, '--rules', rules, '--keywords'], {
        encoding: 'utf8',
      });
      assert.equal(made.status, 0, made.stderr);
      const host = await serveSite({ '/': `${out}/` }, {});
      const { page, context, problems } = await visit({}, `${host.origin}/index.html`);
      await typed(page, 'revert');
      assert.equal((await sources(page))[0], 'guide/revert.html');
      const said = await page.textContent('#problem');
      assert.match(said, /^The rules of your file are left out, for one is wrong: /);
      assert.match(said, mistake);
      await page.focus('#synonyms > button');
      await page.keyboard.press('Enter');
      await page.keyboard.type('bring back');
      await page.keyboard.press('Tab');
      await page.keyboard.type('revert');
      if (text.startsWith('synonyms')) {
        await page.waitForFunction(() => document.body.dataset.state === 'failed', null, { timeout: 30_000 });
        assert.match(await page.textContent('#problem'), /wheights: is unknown/);
      } else {
        await ready(page);
        assert.equal(await page.textContent('#problem'), '');
      }
      assert.equal((await sources(page))[0], 'guide/revert.html');
      assert.deepEqual(problems, []);
      await context.close();
      await host.close();
    }
  });

  it('The playground works from a folder that any host serves', async () => {
    const out = join(root, 'team');
    const args = [MAIN, 'site', site, '--playground', out];
    assert.equal(spawnSync(process.execPath, args, { encoding: 'utf8' }).status, 0);
    assert.equal(spawnSync(process.execPath, args, { encoding: 'utf8' }).status, 0, 'a second time, too');
    assert.ok(!existsSync(join(site, 'sheaf')));
    const refused = spawnSync(process.execPath, [MAIN, 'site', site, '--playground', site], { encoding: 'utf8' });
    assert.equal(refused.status, 1);
    assert.match(refused.stderr, /holds other files than a playground/);
    const host = await serveSite({ '/tools/playground/': `${out}/` }, {});
    const { page, context, problems } = await visit({}, `${host.origin}/tools/playground/index.html`);
    await typed(page, 'history of a document');
    assert.ok((await sources(page)).includes('reference/history.html'));
    assert.deepEqual(problems, []);
    await context.close();
    await host.close();
  });
});

describe("the playground's parts", () => {
  it('Rules are written as they were read', () => {
    const text = writeRules(
      readRules(
        'synonyms:\n - [k8s, kubernetes]\n - {from: undo, to: [revert, roll back]}\npins:\n  "how: to": a.html\n  yes: [b.html]\nweights: {"blog/**": 0.3}\nstart: [a.html]\n',
      ),
    );
    assert.deepEqual(readRules(text), {
      synonyms: [{ to: ['k8s', 'kubernetes'] }, { from: ['undo'], to: ['revert', 'roll back'] }],
      pins: [
        { words: 'how: to', pages: ['a.html'] },
        { words: 'yes', pages: ['b.html'] },
      ],
      weights: [{ glob: 'blog/**', weight: 0.3 }],
      others: { start: ['a.html'] },
    });
    assert.equal(writeRules(readRules(text)), text);
    assert.throws(() => readRules('[1]'));
    const hostile = { synonyms: [{ to: ['a"]\nexclude: ["**"]', '#'] }], pins: [], weights: [], others: {} };
    assert.deepEqual(readRules(writeRules(hostile)), hostile);
  });

  it('Questions are read from lines and from JSON, and written for sheaf eval', () => {
    const questions = readQuestions(
      'how to install => guide/install.html, /start/\n\nno page\n{"query":"undo","relevant":["a.html"]}\n{"query":\n',
    );
    assert.deepEqual(questions, [
      { question: 'how to install', pages: ['guide/install.html', '/start/'] },
      { question: 'undo', pages: ['a.html'] },
    ]);
    assert.deepEqual(readQuestions(writeQuestions(questions)), questions);
  });

  it('A page has one name as a file and as an address', () => {
    for (const name of ['guide/', '/guide', 'guide/index.html', 'https://docs.example/guide/#x', 'guide.html'])
      assert.equal(pageKey(name), 'guide', name);
    assert.equal(pageKey('index.html'), '');
  });

  it('The worth of a list is its first right page and its nDCG', () => {
    const ranked = [['a.html'], ['b.html', '/b'], ['c.html']];
    assert.deepEqual(worthOf(ranked, ['a.html']), { first: 1, ndcg: 1 });
    assert.deepEqual(worthOf(ranked, ['d.html']), { first: undefined, ndcg: 0 });
    assert.deepEqual(worthOf([['a.html'], ['a.html'], ['b.html']], ['a.html', 'b.html']), { first: 1, ndcg: 1 }, 'a page counts once');
    const { first, ndcg } = worthOf(ranked, ['/b/', 'c']);
    assert.equal(first, 2);
    assert.ok(Math.abs(ndcg - (1 / Math.log2(3) + 1 / 2) / (1 + 1 / Math.log2(3))) < 1e-9);
  });

  it('The shares of a picture add up to the score of a hit', () => {
    const shares = sharesOf({ keyword: 0.8, semantic: 0.5, semanticWeight: 0.4, pageBonus: 0.1 });
    assert.deepEqual(
      shares.map(({ kind, value }) => [kind, Number(value.toFixed(3))]),
      [
        ['words', 0.48],
        ['meaning', 0.2],
        ['page', 0.1],
      ],
    );
  });
});
