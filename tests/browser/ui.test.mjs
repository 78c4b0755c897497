/** <sheaf-search> in Chromium, under a strict Content-Security-Policy with Trusted Types: as a reader uses it. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { seenRows } from '../looks/rows.mjs';
import { packFixture, TABLE, temporaryFolder } from '../node/packed.mjs';
import { launchChromium } from './chromium.mjs';
import { serveSite } from './serve_site.mjs';
import * as ui from './ui_page.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const folder = temporaryFolder('browser-ui');
const file = join(folder, 'kiln.sheaf');

let browser;
let context;
let page;
let site;
let problems;

before(async () => {
  await packFixture(file);
  browser = await launchChromium();
});
after(() => browser?.close());

beforeEach(async () => {
  site = await serveSite(
    { '/dist/': here('../../dist/'), '/kiln.sheaf': file, '/table.sheaf': TABLE, '/': here('ui-site/') },
    { csp: ui.CSP },
  );
  await newPage();
});
afterEach(async () => {
  await context?.close();
  await site?.close();
});

/** A fresh reader; `options` are the browser context's. */
async function newPage(options = {}) {
  await context?.close();
  context = await browser.newContext({ viewport: { width: 1000, height: 720 }, ...options });
  // What hits lead to: a page with a far passage.
  await context.route('**/docs/**', (route) =>
    route.fulfill({
      contentType: 'text/html',
      body: '<!doctype html><title>target</title><h1>Target</h1><div style="height:5000px"></div><p>If the installer reports that the certificate could not be checked, the clock of the machine is usually wrong.</p><div style="height:3000px"></div>',
    }),
  );
  page = await context.newPage();
  problems = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type()) && !/status of \d+|^sheaf: /.test(message.text())) problems.push(message.text());
  });
}

async function visit(parameters = {}) {
  await page.goto(`${site.origin}/?${new URLSearchParams(parameters)}`);
  await page.waitForFunction(() => window.element?.hasUpdated);
}

const input = () => page.getByRole('combobox', { includeHidden: false });
const options = () => page.getByRole('option');
const active = () =>
  page.evaluate(() => {
    const root = window.element.shadowRoot;
    return (
      root.getElementById(root.querySelector('input').getAttribute('aria-activedescendant'))?.textContent.replace(/\s+/g, ' ').trim() ?? ''
    );
  });
const state = () =>
  page.evaluate(() => {
    const { groups, ...rest } = window.element.state;
    return { ...rest, pages: groups.map((group) => group.url) };
  });
const announced = (text) =>
  page.waitForFunction((wanted) => window.element.shadowRoot.querySelector('[role=status]').textContent.includes(wanted), text, {
    timeout: 60_000,
  });
const done = (query) => ui.done(page, query);
const isOpen = () => ui.isOpen(page);
const focused = () =>
  page.evaluate(() => {
    let node = document.activeElement;
    while (node?.shadowRoot?.activeElement) node = node.shadowRoot.activeElement;
    return node?.id || node?.getAttribute('part') || node?.tagName;
  });

const type = (query) => ui.type(page, query);

async function assertNoProblems() {
  assert.deepEqual(await page.evaluate(() => window.violations ?? []), []);
  assert.deepEqual(problems, []);
  assert.equal(await page.evaluate(() => window.pwned), undefined);
}

const assertAccessible = (name) => ui.assertAccessible(page, name);

describe('the dialog, by keyboard alone', () => {
  it('The dialog opens with Ctrl+K, finds, moves, and follows a hit to its words', async () => {
    await visit();
    await page.focus('#before');
    await page.keyboard.press('Control+k');
    assert.equal(await isOpen(), true);
    assert.equal(await focused(), 'input');
    await type('certificate clock');
    assert.equal(await input().getAttribute('aria-expanded'), 'true');
    const first = await active();
    assert.match(first, /^Installation › Troubleshooting/, 'the first is chosen');
    await page.keyboard.press('ArrowDown');
    assert.notEqual(await active(), first);
    assert.equal(await focused(), 'input', 'the focus stays in the input');
    await page.keyboard.press('End');
    const last = await active();
    await page.keyboard.press('ArrowDown');
    assert.match(await active(), /^Installation › Troubleshooting/, 'the list goes around');
    await page.keyboard.press('ArrowUp');
    assert.notEqual(last, first);
    await page.keyboard.press('Home');
    assert.match(await active(), /^Installation › Troubleshooting/);
    await assertNoProblems();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/docs/guide/install**');
    await page.waitForFunction(() => window.scrollY > 3000); // the text fragment was found, far below
    assert.match(new URL(page.url()).hash, /^#troubleshooting:~:text=certificate/);
  });

  it('The dialog closes with Escape after clearing, and returns the focus', async () => {
    await visit();
    await page.focus('#before');
    await page.keyboard.press('/');
    await type('furnace');
    await page.keyboard.press('Escape');
    assert.equal(await isOpen(), true);
    assert.equal(await input().inputValue(), '');
    await page.keyboard.press('Escape');
    assert.equal(await isOpen(), false);
    assert.equal(await focused(), 'before');
    assert.deepEqual(
      await page.evaluate(() => window.events.filter(([name]) => name === 'sheaf-toggle').map(([, detail]) => detail.open)),
      [true, false],
    );
    assert.equal(await page.evaluate(() => document.documentElement.style.overflow), '');
    await assertNoProblems();
  });

  it('The dialog toggles with Ctrl+K, and leaves `/` to text fields', async () => {
    await visit();
    await page.focus('#notes');
    await page.keyboard.press('/');
    assert.equal(await isOpen(), false);
    assert.equal(await page.inputValue('#notes'), '/');
    await page.keyboard.press('Control+k');
    assert.equal(await isOpen(), true);
    await page.keyboard.press('Control+k');
    assert.equal(await isOpen(), false);
    assert.equal(await focused(), 'notes');
  });

  it('The dialog stays open when reopened before the browser reports its close', async () => {
    await visit();
    await page.evaluate(async () => {
      window.toggles = [];
      window.element.addEventListener('sheaf-toggle', ({ detail }) => window.toggles.push(detail.open));
      await window.element.show();
      const dialog = window.element.shadowRoot.querySelector('dialog');
      const told = new Promise((resolve) => dialog.addEventListener('close', resolve, { once: true }));
      window.element.close();
      await window.element.show();
      await told;
      await window.element.updateComplete;
    });
    assert.equal(await isOpen(), true);
    assert.equal(await focused(), 'input');
    assert.deepEqual(await page.evaluate(() => window.toggles), [true, false, true]);
    await page.keyboard.press('Control+k');
    assert.equal(await isOpen(), false);
  });

  it('The dialog stays closed when closed before it showed, or moved in the page', async () => {
    await visit();
    await page.evaluate(async () => {
      const showing = window.element.show();
      window.element.close();
      await showing;
    });
    assert.equal(await isOpen(), false);
    await page.keyboard.press('Control+k');
    assert.equal(await isOpen(), true);
    await page.evaluate(() => {
      const { parentNode } = window.element;
      window.element.remove();
      parentNode.append(window.element);
    });
    assert.equal(await isOpen(), false);
    assert.equal(await page.evaluate(() => document.documentElement.style.overflow), '', 'the page scrolls again');
  });

  it('The dialog has the shortcuts that the page wants, or none', async () => {
    await visit({ 'a.shortcuts': 'mod+shift+f' });
    await page.keyboard.press('Control+k');
    await page.keyboard.press('/');
    assert.equal(await isOpen(), false);
    await page.keyboard.press('Control+Shift+f');
    assert.equal(await isOpen(), true);
    await visit({ 'a.shortcuts': 'none' });
    await page.keyboard.press('Control+k');
    assert.equal(await isOpen(), false);
    assert.equal(await page.locator('sheaf-search kbd').count(), 0);
  });

  it('The dialog keeps the focus inside while it is open', async () => {
    await visit();
    await page.keyboard.press('Control+k');
    await type('certficate');
    const seen = new Set();
    for (let i = 0; i < 8; i++) {
      await page.keyboard.press('Tab');
      seen.add(await focused());
    }
    assert.ok(seen.has('clear') && seen.has('close'), [...seen].join(', '));
    assert.deepEqual(
      [...seen].filter((name) => ['before', 'notes', 'button'].includes(name)),
      [],
    );
  });

  it('The dialog opens a hit in a new tab with Ctrl+Enter, and stays', async () => {
    await visit();
    await page.keyboard.press('Control+k');
    await type('certificate');
    const [tab] = await Promise.all([context.waitForEvent('page'), page.keyboard.press('Control+Enter')]);
    await tab.waitForURL('**/docs/guide/install**');
    assert.equal(await isOpen(), true);
    assert.deepEqual(
      await page.evaluate(() =>
        window.events.filter(([name]) => name === 'sheaf-select').map(([, { hit, query, newTab }]) => [hit.source, query, newTab]),
      ),
      [['guide/install.md', 'certificate', true]],
    );
  });

  it('The dialog follows the first hit when Enter is pressed without another choice', async () => {
    await visit();
    await page.keyboard.press('Control+k');
    await type('certificate');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/docs/guide/install**');
  });

  it('The dialog names the corrected query where a word was mistyped', async () => {
    await visit();
    await page.keyboard.press('Control+k');
    await type('certficate');
    assert.equal(await page.locator('sheaf-search [part=suggestion]').textContent(), 'Showing results for certificate');
    await page.keyboard.type(' clock');
    await done('certficate clock');
    assert.equal(await page.locator('sheaf-search [part=suggestion] strong').textContent(), 'certificate clock');
    await page.keyboard.press('Control+a');
    await type('certificate');
    assert.equal(await page.locator('sheaf-search [part=suggestion]').count(), 0);
  });

  it('The dialog has one height from the first letter on, whatever it shows', async () => {
    await visit();
    await ui.invent(page, { gates: ['w'] });
    const height = () => page.evaluate(() => window.element.shadowRoot.querySelector('dialog').getBoundingClientRect().height);
    await page.keyboard.press('Control+k');
    const empty = await height();
    await page.keyboard.type('w');
    await page.waitForSelector('sheaf-search .bones');
    const waiting = await height();
    const bone = await page.locator('sheaf-search .bones .hit').first().boundingBox();
    assert.ok(waiting > empty);
    await page.evaluate(() => window.release('w'));
    await done('w');
    assert.equal(await height(), waiting);
    const row = await options().nth(1).boundingBox();
    assert.ok(Math.abs(row.height - bone.height) < 0.5, `what waits has the measures of rows: ${bone.height} and ${row.height} px`);
    await page.evaluate(() => {
      window.element.filter = ({ page }) => page === 0;
    });
    await page.waitForFunction(() => window.element.state.count === 1);
    assert.equal(await height(), waiting);
    await page.evaluate(() => {
      window.element.filter = () => false;
    });
    await page.waitForFunction(() => window.element.state.count === 0);
    assert.equal(await height(), waiting);
  });

  it('The dialog ignores keys while an input method composes', async () => {
    await visit();
    await page.keyboard.press('Control+k');
    const client = await context.newCDPSession(page);
    await client.send('Input.imeSetComposition', { text: 'ぞうき', selectionStart: 3, selectionEnd: 3 });
    assert.equal((await state()).query, '');
    await client.send('Input.insertText', { text: '予定表' });
    await done('予定表');
    assert.match((await state()).pages[0], /schedules$/);
  });
});

describe('what is announced', () => {
  it('The search follows the ARIA combobox pattern, within a labelled dialog', async () => {
    await visit();
    const button = page.getByRole('button', { name: 'Search' });
    assert.equal(await button.getAttribute('aria-keyshortcuts'), 'Control+K /');
    assert.equal(await button.getAttribute('aria-haspopup'), 'dialog');
    await button.click();
    await type('certificate');
    const snapshot = await page.getByRole('dialog', { name: 'Search' }).ariaSnapshot();
    assert.match(snapshot, /combobox "Search" \[expanded\]/);
    assert.match(snapshot, /listbox "Results":\s+- group "Installation":\s+- option "Installation › Troubleshooting[^\n]*\[selected\]/);
    assert.match(snapshot, /- status/);
  });

  it('The search announces the number of results, an empty result, and a failure', async () => {
    await visit();
    await page.keyboard.press('Control+k');
    await type('certificate');
    const { count, pages } = await state();
    await announced(`${count} sections on ${pages.length} pages for “certificate”`);
    await page.keyboard.press('Escape');
    await page.keyboard.type('   ');
    assert.equal((await state()).status, 'idle');
  });

  it('A results page announces a list of links', async () => {
    await visit({ mode: 'page' });
    await page.getByRole('searchbox', { name: 'Search' }).fill('certificate');
    await done('certificate');
    const snapshot = await page.locator('sheaf-search').ariaSnapshot();
    assert.match(snapshot, /- search:\s+- searchbox/);
    assert.match(
      snapshot,
      /list "Results":\s+- listitem:\s+- link "Guide › Installation"[^-]*- [^-]*- link "Installation › Troubleshooting/,
    );
    assert.doesNotMatch(snapshot, /^\s*- .?(option|combobox|listbox)/m);
  });
});

describe('axe-core finds nothing in', () => {
  for (const dark of ['', '1']) {
    const look = dark ? 'dark' : 'light';
    for (const mode of ['button', 'inline', 'page']) {
      it(`axe-core accepts mode ${mode}, ${look}, in each state: idle, answer, choice, nothing found, error, recent searches`, async () => {
        await visit({ mode, dark, filters: '1', 'a.recent-key': 'axe', 'a.results-url': mode === 'page' ? '' : '/results' });
        await assertAccessible(`${mode}-${look}-closed`);
        if (mode === 'button') await page.keyboard.press('Control+k');
        else await page.locator('sheaf-search input').focus();
        await assertAccessible(`${mode}-${look}-idle`);
        await type('certficate clock');
        await assertAccessible(`${mode}-${look}-answer`);
        await page.keyboard.press('ArrowDown');
        await page.keyboard.press('ArrowDown');
        await assertAccessible(`${mode}-${look}-choice`);
        await page.evaluate(() => {
          window.element.filter = () => false;
        });
        await page.waitForFunction(() => window.element.state.status === 'done' && window.element.state.count === 0);
        await assertAccessible(`${mode}-${look}-nothing`);
        await page.evaluate(() => {
          localStorage.setItem('axe', '["certificate clock","how do I keep workers waiting"]');
          window.element.library = () => Promise.reject(Object.assign(new Error('broken'), { code: 'NETWORK' }));
        });
        await page.waitForFunction(() => window.element.state.status === 'error');
        await assertAccessible(`${mode}-${look}-error`);
        await page.evaluate(() => {
          window.element.query = '';
          return window.element.show();
        });
        await page.waitForFunction(() => window.element.shadowRoot.querySelector('[part=recent]') !== null);
        await assertAccessible(`${mode}-${look}-recent`);
        await assertNoProblems();
      });
    }
  }
});

describe('the list under the pointer', () => {
  it('The list keeps its place under the pointer, and takes the best order afterwards', async () => {
    await visit();
    await ui.inventLate(page);
    await page.keyboard.press('Control+k');
    await page.keyboard.type('x');
    const titles = () => page.$$eval('sheaf-search .page-title', (nodes) => nodes.map((node) => node.textContent.trim()));
    await options().first().hover();
    const before = await options().first().boundingBox();
    await page.evaluate(() => window.release());
    await done('x');
    assert.deepEqual(await titles(), ['Page 1', 'Page 2', 'Page 3']);
    assert.deepEqual(await options().first().boundingBox(), before);
    await page.mouse.move(5, 5);
    await page.waitForFunction(() => window.element.state.groups[0].page === 3);
    assert.deepEqual(await titles(), ['Page 3', 'Page 2', 'Page 1']);
  });
});

describe('the list at a glance', () => {
  const looks = () =>
    page.$$eval('sheaf-search .hit', (rows) =>
      rows.map((row) => ({
        chosen: row.ariaSelected === 'true',
        look: getComputedStyle(row).backgroundColor,
        top: row.getBoundingClientRect().top,
      })),
    );

  it('The list looks alike for keyboard and pointer choices, and moves no row', async () => {
    await visit();
    await ui.invent(page, { hit: { headings: ['Fire'], anchor: 'fire' } });
    await page.mouse.move(5, 5);
    await page.keyboard.press('Control+k');
    await type('furnace');
    const before = await looks();
    assert.deepEqual(before.map(({ chosen }) => chosen).slice(0, 3), [true, false, false]);
    await options().nth(3).hover();
    await page.waitForFunction(() => window.element.active === 3);
    const after = await looks();
    assert.equal(after[3].look, before[0].look);
    assert.equal(after[0].look, before[3].look, 'one is chosen, not two');
    assert.deepEqual(
      after.map(({ top }) => top),
      before.map(({ top }) => top),
    );
    await page.keyboard.press('ArrowDown');
    assert.equal((await looks())[4].look, before[0].look);
    await Promise.all([page.waitForURL('**/docs/4*'), page.keyboard.press('Enter')]);
  });

  it("A page's header in the list leads to its top, and remembers the query", async () => {
    await visit();
    await ui.invent(page, { hit: { headings: ['Fire'], anchor: 'fire' } });
    await page.keyboard.press('Control+k');
    await type('furnace');
    await page.locator('sheaf-search .head').nth(2).click();
    await page.waitForURL('**/docs/2');
    assert.equal(new URL(page.url()).hash, '');
    assert.deepEqual(await page.evaluate(() => JSON.parse(localStorage.getItem('sheaf-recent'))), ['furnace']);
  });

  it('The list shows five pages of two sections each at 1280 by 800', async () => {
    await newPage({ viewport: { width: 1280, height: 800 } });
    await visit();
    await ui.invent(page);
    await page.evaluate(() => {
      const { search, info } = window.element.library;
      window.element.library = {
        info,
        search: async (query, settings) => {
          const answer = await search(query, settings);
          const below = (hit, i) => ({ ...hit, passage: hit.passage * 2 + i, headings: [`Section ${i}`], anchor: `s${i}` });
          return { ...answer, hits: answer.hits.flatMap((hit) => [below(hit, 0), below(hit, 1)]) };
        },
      };
    });
    await page.keyboard.press('Control+k');
    await type('furnace');
    const seen = await page.evaluate(() => {
      const root = window.element.shadowRoot;
      const { bottom } = root.querySelector('.scroll').getBoundingClientRect();
      return [...root.querySelectorAll('.group')].filter((group) => group.getBoundingClientRect().bottom <= bottom).length;
    });
    assert.ok(seen >= 5, `${seen} pages`);
  });

  for (const width of [1280, 1920]) {
    it(`The list shows titles whole at ${width} px, with sixty letters of text around the words, and grows once`, async () => {
      await newPage({ viewport: { width, height: 800 } });
      await visit();
      await page.evaluate(() => {
        const dialog = () => window.element.shadowRoot.querySelector('dialog[open]')?.offsetHeight;
        window.heights = [];
        const watch = () => {
          if (dialog() !== undefined && dialog() !== window.heights.at(-1)) window.heights.push(dialog());
          requestAnimationFrame(watch);
        };
        watch();
      });
      const before = 'The reader fills its buffer from the stream below it, and waits where that has nothing to give. ';
      await ui.invent(page, {
        pages: 3,
        hit: {
          anchor: 'read',
          headings: [
            'Class BufferedReader of the package for input and output',
            'Method Details',
            'readSomeCharactersInto(array, offset, length)',
          ],
          snippet: `${before}It blocks until the furnace is hot, unless the end has been reached before that, or another thread closes it.`,
          highlights: [{ start: before.length + 20, length: 7 }],
        },
      });
      await page.keyboard.press('Control+k');
      await page.waitForFunction(() => window.heights.length > 0);
      await type('furnace');
      const rows = (await page.evaluate(seenRows)).filter(({ isHit }) => isHit);
      assert.equal(rows.length, 3);
      assert.ok(rows.every(({ clipped, markSeen }) => !clipped && markSeen));
      for (const { letters } of rows) assert.ok(letters >= 60, `${letters} letters`);
      const crumbs = await page.$eval('sheaf-search .hit:not([aria-selected=true]) .crumbs', (node) =>
        [...node.children].map((part) => part.scrollWidth > part.clientWidth),
      );
      if (width === 1280) assert.deepEqual(crumbs, [true, true], 'the path gives way to its end');
      const heights = await page.evaluate(async () => {
        const frame = () => new Promise((done) => requestAnimationFrame(done));
        await frame();
        await frame();
        return window.heights;
      });
      assert.equal(heights.length, 2, `${heights}`);
    });
  }

  it('The list shows code as code, with as many lines as fit', async () => {
    await visit();
    const snippet = 'def fire(batch):\n    with furnace(batch) as hot:\n        hot.fire()\n    return ashes(batch)\n\nfire(batch)';
    await ui.invent(page, {
      pages: 2,
      hit: { kind: 'code', headings: ['Fire'], anchor: 'fire', snippet, highlights: [{ start: 26, length: 7 }] },
    });
    await page.keyboard.press('Control+k');
    await type('furnace');
    const rows = await page.$$eval('sheaf-search code', (nodes) =>
      nodes.map((node) => [
        node.innerText,
        getComputedStyle(node).whiteSpaceCollapse,
        getComputedStyle(node).fontFamily.includes('monospace'),
      ]),
    );
    assert.deepEqual(rows, [
      [snippet.split('\n').slice(0, 4).join('\n'), 'preserve', true],
      ['with furnace(batch) as hot:', 'collapse', true],
    ]);
    await assertAccessible('code');
  });

  it('The list says accessibly that it has only weak matches', async () => {
    await visit();
    await ui.invent(page, { answer: { weak: true } });
    await page.keyboard.press('Control+k');
    await type('xylophone');
    assert.equal(await page.locator('sheaf-search [part=weak]').textContent(), 'No good match for “xylophone”. The nearest:');
    await announced('No good match for “xylophone”');
    await assertAccessible('weak');
  });
});

describe('the inline box', () => {
  it('The inline box shows its list below while it has the focus', async () => {
    await visit({ mode: 'inline' });
    await page.keyboard.press('/');
    await type('furnace');
    assert.ok((await options().count()) > 1);
    await page.keyboard.press('Escape');
    assert.equal(await page.locator('sheaf-search [part=popup]').count(), 0);
    assert.equal(await input().inputValue(), 'furnace', 'the first Escape closes the list alone');
    await page.keyboard.press('ArrowDown');
    assert.ok((await options().count()) > 1);
    await page.click('h1');
    assert.equal(await page.locator('sheaf-search [part=popup]').count(), 0);
  });

  it('Tab leaves the inline box', async () => {
    await visit({ mode: 'inline' });
    await page.locator('sheaf-search input').focus();
    await type('furnace');
    for (let i = 0; i < 5 && (await focused()) !== 'notes'; i++) await page.keyboard.press('Tab');
    assert.equal(await focused(), 'notes');
    assert.equal(await page.locator('sheaf-search [part=popup]').count(), 0);
  });

  it('The inline box follows hits by pointer, and leads to a results page', async () => {
    await visit({ mode: 'inline', 'a.results-url': '/results' });
    await page.locator('sheaf-search input').fill('certificate');
    await done('certificate');
    assert.equal(await page.getByRole('link', { name: 'All results' }).getAttribute('href'), `${site.origin}/results?q=certificate`);
    await options().first().click();
    await page.waitForURL('**/docs/guide/install**');
  });
});

describe('the address of a page with a dialog', () => {
  const asked = () => new URL(page.url()).searchParams.get('q');

  it('The address holds the query while the dialog shows its answer, and opens it for whom it was sent to', async () => {
    await visit();
    await page.keyboard.press('Control+k');
    await type('certificate');
    assert.equal(asked(), 'certificate');
    const shared = page.url();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await page.waitForFunction(() => !new URLSearchParams(location.search).has('q'));
    await newPage();
    await page.goto(shared);
    await page.waitForFunction(() => window.element?.hasUpdated);
    await done('certificate');
    assert.equal(await isOpen(), true);
    assert.equal(await input().inputValue(), 'certificate');
    await assertNoProblems();
  });

  const scrolled = () => page.evaluate(() => window.element.shadowRoot.querySelector('.scroll')?.scrollTop);

  it('Back from a hit shows the list again, at its place and with the same entry chosen', async () => {
    await newPage({ viewport: { width: 1000, height: 400 } });
    await visit();
    await page.keyboard.press('Control+k');
    await type('certificate clock');
    await page.keyboard.press('ArrowDown');
    const chosen = await active();
    await page.evaluate(() => window.element.shadowRoot.querySelector('.scroll').scrollTo(0, 30));
    assert.equal(await scrolled(), 30);
    await page.keyboard.press('Enter');
    await page.waitForURL(/docs/);
    await page.goBack();
    await page.waitForFunction(() => window.element?.hasUpdated);
    await done('certificate clock');
    assert.equal(await isOpen(), true);
    await page.waitForFunction(() => window.element.active === 1);
    assert.equal(await active(), chosen);
    await page.waitForFunction(() => window.element.shadowRoot.querySelector('.scroll').scrollTop === 30);
  });

  it('Back within a page that a router draws shows the list too, and keeps the state of the router', async () => {
    await visit();
    await page.evaluate(() => {
      history.replaceState({ position: 3 }, '');
      window.element.addEventListener('sheaf-select', ({ detail }) => queueMicrotask(() => history.pushState(null, '', detail.url)));
      document.addEventListener('click', (event) => event.preventDefault());
    });
    await page.keyboard.press('Control+k');
    await type('certificate');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL(/docs/);
    assert.equal(await isOpen(), false);
    await page.goBack();
    await page.waitForFunction(() => window.element.opened && window.element.active === 1);
    assert.equal(await page.evaluate(() => history.state.position), 3);
    assert.equal(asked(), 'certificate');
  });

  it('A page with a results page of its own, and an empty param, keep their address', async () => {
    await visit();
    await page.evaluate(() => window.element.setAttribute('param', ''));
    await page.keyboard.press('Control+k');
    await type('certificate');
    assert.equal(asked(), null);
  });
});

describe('the results page', () => {
  it('The results page answers its address and keeps it up to date', async () => {
    await visit({ mode: 'page', q: 'certificate' });
    await done('certificate');
    await page.getByRole('searchbox').fill('furnace');
    await done('furnace');
    assert.equal(new URL(page.url()).searchParams.get('q'), 'furnace');
  });

  it("Arrows move the focus through the results page's links, and back to the box", async () => {
    await visit({ mode: 'page', q: 'furnace' });
    await done('furnace');
    await page.getByRole('searchbox').focus();
    await page.keyboard.press('ArrowDown');
    assert.equal(await focused(), 'hit-0');
    await page.keyboard.press('End');
    assert.equal(await focused(), `hit-${(await state()).count - 1}`);
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowDown');
    assert.equal(await focused(), 'hit-1');
    await page.keyboard.press('Escape');
    assert.equal(await focused(), 'input');
  });

  it('The results page shows more on demand', async () => {
    await visit({ mode: 'page' });
    await page.evaluate(() => {
      window.element.options = { pages: 2, passagesPerPage: 1 };
      window.element.query = 'furnace';
    });
    await done('furnace');
    assert.equal((await state()).count, 2);
    await page.getByRole('button', { name: 'More results' }).click();
    await page.waitForFunction(() => window.element.state.count > 2);
  });
});

describe('recent searches', () => {
  it('Recent searches are kept after a followed hit, offered, taken by keyboard and deleted', async () => {
    await visit();
    for (const query of ['certificate', 'furnace']) {
      await page.keyboard.press('Control+k');
      await page.keyboard.press('Control+a');
      await type(query);
      await page.keyboard.press('ArrowDown');
      await Promise.all([page.waitForURL('**/docs/**'), page.keyboard.press('Enter')]);
      await visit();
    }
    await page.keyboard.press('Control+k');
    const kept = () => page.evaluate(() => JSON.parse(localStorage.getItem('sheaf-recent') ?? '[]'));
    assert.deepEqual(await kept(), ['furnace', 'certificate']);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await done('certificate');
    assert.equal(await focused(), 'input');
    await page.keyboard.press('Escape');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Delete');
    assert.deepEqual(await kept(), ['certificate']);
    await page.getByRole('button', { name: 'Remove “certificate” from recent searches' }).click();
    assert.deepEqual(await kept(), []);
    assert.equal(await page.locator('sheaf-search [part=recent]').count(), 0);
    await assertNoProblems();
  });

  it('Recent searches are not kept where the page declines them', async () => {
    await visit({ 'a.recent': '0' });
    await page.keyboard.press('Control+k');
    await type('certificate');
    await Promise.all([page.waitForURL('**/docs/**'), page.keyboard.press('Enter')]);
    assert.equal(await page.evaluate(() => localStorage.length), 0);
  });
});

describe('languages and sight', () => {
  for (const [lang, label, direction] of [
    ['de-AT', 'Suchen', 'ltr'],
    ['zh-Hans', '搜索', 'ltr'],
    ['ar', 'بحث', 'rtl'],
    ['zh-TW', '搜尋', 'ltr'],
    ['pt-BR', 'Pesquisar', 'ltr'],
    ['fa', 'جستجو', 'rtl'],
    ['eo', 'Search', 'ltr'],
  ]) {
    it(`The component speaks ${lang}`, async () => {
      await visit({ lang });
      await page.getByRole('button', { name: label }).click();
      await type('certificate clock');
      assert.equal(await page.evaluate(() => getComputedStyle(window.element.shadowRoot.querySelector('dialog')).direction), direction);
      await assertAccessible(`language-${lang}`);
    });
  }

  it("The component shows no other language's words first, and fetches none for English", async () => {
    const asked = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname.split('/languages/')[1]));
    await page.addInitScript(() => {
      window.labels = new Set();
      const look = () => {
        const label = window.element?.shadowRoot?.querySelector('[part=button-label]')?.textContent.trim();
        if (label) window.labels.add(label);
        requestAnimationFrame(look);
      };
      look();
    });
    const labels = () => page.evaluate(() => new Promise((next) => requestAnimationFrame(() => next([...window.labels]))));
    await visit({ lang: 'de' });
    assert.deepEqual(await labels(), ['Suchen']);
    assert.deepEqual(asked.filter(Boolean), ['de.js']);
    asked.length = 0;
    await visit({ lang: 'en-GB' });
    assert.deepEqual(await labels(), ['Search']);
    assert.deepEqual(asked.filter(Boolean), []);
  });

  it('The component falls back to English, and follows the page to another language', async () => {
    await page.route('**/languages/fr.js', (route) => route.abort());
    await page.goto(`${site.origin}/?lang=fr`);
    await page.getByRole('button', { name: 'Search' }).waitFor();
    await page.evaluate(() => window.element.setAttribute('lang', 'nl'));
    await page.getByRole('button', { name: 'Zoeken' }).waitFor();
  });

  it('The component mirrors itself on a page from right to left', async () => {
    await visit({ lang: 'ar', dir: 'rtl', mode: 'inline' });
    await page.locator('sheaf-search input').focus();
    await type('workers');
    const [field, icon, sub] = await page.evaluate(() =>
      ['.field', '.field svg', '.head ~ .hit'].map((name) => {
        const { left, right } = window.element.shadowRoot.querySelector(name).getBoundingClientRect();
        return { left, right };
      }),
    );
    assert.ok(icon.right > (field.left + field.right) / 2, 'the glass stands at the right');
    const first = await page.evaluate(() => window.element.shadowRoot.querySelector('.head').getBoundingClientRect().right);
    assert.ok(sub.right < first, 'sections are indented from the right');
    const aligned = await page.evaluate(() => getComputedStyle(window.element.shadowRoot.querySelector('.snippet')).textAlign);
    assert.match(aligned, /right|match-parent/, 'a snippet from left to right still stands at the right');
    await assertAccessible('rtl-inline');
  });

  it('The component has keys from left to right on a page from right to left', async () => {
    await visit({ lang: 'ar', dir: 'rtl' });
    const placesOf = () =>
      page.evaluate(() =>
        [...window.element.shadowRoot.querySelectorAll("[part='key'], .keys kbd")].map((key) => [
          key.textContent,
          key.getBoundingClientRect().left,
        ]),
      );
    const [ctrl, k] = await placesOf();
    assert.ok(ctrl[1] < k[1], `${ctrl} ${k}`);
    await page.keyboard.press('Control+K');
    await type('workers');
    const keys = await placesOf();
    const at = keys.findLastIndex(([name]) => name === 'Ctrl');
    assert.ok(at > 0 && keys[at][1] < keys[at + 1][1], JSON.stringify(keys));
  });

  it('The component reads the same under any text style of the page', async () => {
    const names = [
      'fontStyle',
      'fontVariant',
      'fontWeight',
      'hyphens',
      'letterSpacing',
      'lineHeight',
      'textAlign',
      'textIndent',
      'textShadow',
      'textTransform',
      'whiteSpace',
      'wordBreak',
      'wordSpacing',
    ];
    const look = () =>
      page.evaluate((wanted) => {
        const style = getComputedStyle(window.element.shadowRoot.querySelector('.snippet'));
        return Object.fromEntries(wanted.map((name) => [name, style[name]]));
      }, names);
    await visit();
    await page.keyboard.press('Control+k');
    await type('certificate clock');
    const plain = await look();
    await page.evaluate(() =>
      Object.assign(document.body.style, {
        font: 'italic small-caps 900 30px/3 serif',
        hyphens: 'auto',
        letterSpacing: '0.3em',
        textAlign: 'right',
        textIndent: '3em',
        textShadow: '2px 2px red',
        textTransform: 'uppercase',
        whiteSpace: 'pre',
        wordBreak: 'break-all',
        wordSpacing: '1em',
      }),
    );
    assert.deepEqual(await look(), plain);
  });

  it("The component follows the page's colour scheme, and `theme` overrides it", async () => {
    const background = () => page.evaluate(() => getComputedStyle(window.element.shadowRoot.querySelector('dialog')).backgroundColor);
    await visit();
    assert.equal(await background(), 'rgb(255, 255, 255)');
    await page.evaluate(() => document.documentElement.classList.add('dark'));
    const dark = await background();
    assert.notEqual(dark, 'rgb(255, 255, 255)');
    await page.evaluate(() => window.element.setAttribute('theme', 'light'));
    assert.equal(await background(), 'rgb(255, 255, 255)');
  });

  it("The component takes the page's link colour as accent, where readable and not overridden", async () => {
    const accent = async (change) => {
      await visit();
      await page.evaluate((css) => {
        const sheet = new CSSStyleSheet();
        sheet.replaceSync(css);
        document.adoptedStyleSheets = [sheet];
      }, change);
      await page.keyboard.press('Control+k');
      return page.locator('sheaf-search [part=dialog]').evaluate((dialog) => {
        const probe = dialog.appendChild(document.createElement('i'));
        probe.style.color = 'var(--_accent)';
        return getComputedStyle(probe).color;
      });
    };
    const ours = 'rgb(5, 80, 174)';
    assert.equal(await accent(''), ours, "the browser's blue is nobody's choice");
    assert.equal(await accent('#before { color: #8a2f00 }'), 'rgb(138, 47, 0)');
    assert.equal(await accent('#before { color: #ffd54a }'), ours, 'yellow on white cannot be read');
    assert.equal(await accent('#before { color: #8a2f00 } sheaf-search { --sheaf-accent: #00695c }'), 'rgb(0, 105, 92)');
  });

  it('The button is an icon for fingers on a small screen, with its label', async () => {
    await newPage({ viewport: { width: 390, height: 760 }, hasTouch: true, isMobile: true });
    await visit();
    const button = page.getByRole('button', { name: 'Search' });
    const { width, height } = await button.boundingBox();
    assert.deepEqual([width, height], [44, 44]);
    const [label, icon] = await page.evaluate(() => {
      const { shadowRoot } = window.element;
      return ['button-label', 'button-icon'].map((part) => shadowRoot.querySelector(`[part=${part}]`).getBoundingClientRect().width);
    });
    assert.ok(label <= 1 && icon >= 16, `${label} px of the label and ${icon} of the icon are seen`);
  });

  it('The component fits at 200 % zoom and with doubled text', async () => {
    await newPage({ viewport: { width: 500, height: 360 }, deviceScaleFactor: 2 });
    for (const mode of ['button', 'inline', 'page']) {
      await visit({ mode, filters: '1' });
      await page.evaluate(() => {
        document.documentElement.style.fontSize = '200%';
      });
      if (mode === 'button') await page.keyboard.press('Control+k');
      else await page.locator('sheaf-search input').focus();
      await type('certficate clock');
      const wide = await page.evaluate(() => {
        const all = [...window.element.shadowRoot.querySelectorAll('.root *')].filter(
          (node) => node.checkVisibility() && !node.closest('.unseen, svg, .text *'), // a line ends in an ellipsis within .text
        );
        return all
          .filter((node) => {
            const { left, right } = node.getBoundingClientRect();
            return left < -1 || right > innerWidth + 1;
          })
          .map((node) => node.outerHTML.slice(0, 80));
      });
      assert.deepEqual(wide, [], mode);
      const box = await page.evaluate(() => window.element.shadowRoot.querySelector('.scroll').getBoundingClientRect().height);
      assert.ok(box > 40, `${mode}: ${box} px are left for results`);
      if (ui.shots) await page.screenshot({ path: join(ui.shots, `zoom-${mode}.png`) });
    }
  });

  it('The component works by touch, on the whole of a small screen', async () => {
    await newPage({ viewport: { width: 390, height: 760 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 });
    await visit();
    await page.getByRole('button', { name: 'Search' }).tap();
    await input().tap();
    await type('workers');
    const small = await page.evaluate(() =>
      [...window.element.shadowRoot.querySelectorAll('button, .hit')]
        .filter((node) => node.checkVisibility())
        .map((node) => [node.part.value || node.className, node.getBoundingClientRect()])
        .filter(([, box]) => box.height < 43.9 || box.width < 43.9)
        .map(([name, { width, height }]) => `${name} ${width}x${height}`),
    );
    assert.deepEqual(small, []);
    const dialog = await page.evaluate(() => {
      const { width, height } = window.element.shadowRoot.querySelector('dialog').getBoundingClientRect();
      return [width, height];
    });
    assert.deepEqual(dialog, [390, 712], 'a sheet, below a strip of the page');
    await assertAccessible('mobile');
    await options().nth(1).tap();
    await page.waitForURL('**/docs/**');
  });

  it('The component moves no part for readers who prefer less motion', async () => {
    await newPage({ reducedMotion: 'reduce' });
    let release;
    const gate = new Promise((resolve) => {
      release = resolve;
    });
    site.settings.meddle = (path) => (path === '/kiln.sheaf' ? gate : undefined);
    await visit();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('x');
    await page.waitForSelector('sheaf-search .bones');
    assert.equal(await page.evaluate(() => document.getAnimations().length + window.element.shadowRoot.getAnimations().length), 0);
    release();
  });

  it('The component shows the choice in forced colours', async () => {
    await newPage({ forcedColors: 'active' });
    await visit();
    await page.keyboard.press('Control+k');
    await type('certificate');
    await page.keyboard.press('ArrowDown');
    const outline = await page.evaluate(
      () => getComputedStyle(window.element.shadowRoot.querySelector('[aria-selected=true]')).outlineStyle,
    );
    assert.equal(outline, 'solid');
    if (ui.shots) await page.screenshot({ path: join(ui.shots, 'forced-colours.png') });
  });
});

describe('trouble', () => {
  it('The component shows that it loads, and then answers', async () => {
    let release;
    const gate = new Promise((resolve) => {
      release = resolve;
    });
    site.settings.meddle = async (path) => {
      if (path === '/kiln.sheaf') await gate;
    };
    await visit();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('certificate');
    await page.waitForSelector('sheaf-search [part=loading]');
    assert.equal(await page.locator('sheaf-search [part=results]').getAttribute('aria-busy'), 'true');
    await announced('Searching…');
    await assertAccessible('loading');
    release();
    await done('certificate');
    assert.equal(await page.locator('sheaf-search [part=results]').getAttribute('aria-busy'), 'false');
  });

  it('The component resumes by itself when the network is back', async () => {
    await visit();
    site.settings.meddle = (path) => (path === '/kiln.sheaf' ? 404 : undefined);
    await context.setOffline(true);
    await page.evaluate(() => window.element.show());
    await page.keyboard.type('certificate');
    await page.waitForFunction(() => window.element.state.status === 'offline', undefined, { timeout: 60_000 });
    await announced('You are offline');
    await assertAccessible('offline');
    site.settings.meddle = undefined;
    await context.setOffline(false);
    await done('certificate');
  });

  it('The component offers another try after an error, and says so in words', async () => {
    site.settings.meddle = (path) => (path === '/kiln.sheaf' ? 403 : undefined);
    await visit();
    await page.keyboard.press('Control+k');
    await input().fill('certificate'); // in one go: what is typed slowly is asked, and fails, more than once
    assert.match(
      await page.locator('sheaf-search [part=error]').innerText(),
      /^The search could not be completed\. The server answers with error 403\.\s+Try again$/,
    );
    assert.equal(await page.evaluate(() => window.events.filter(([name]) => name === 'sheaf-error').length), 1);
    site.settings.meddle = undefined;
    await page.getByRole('button', { name: 'Try again' }).click();
    await done('certificate');
  });

  it('The component names the missing address of its element', async () => {
    await visit({ 'a.src': '' });
    const said = page.waitForEvent('console', (message) => /needs the address of a bundle/.test(message.text()));
    await page.keyboard.press('Control+k');
    await page.keyboard.type('x');
    await said;
  });

  it('The component runs no code from a hostile bundle', async () => {
    for (const mode of ['button', 'inline', 'page']) {
      await visit({ mode, fake: '1', template: mode === 'inline' ? '1' : '' });
      await page.evaluate(() => window.element.show());
      await type('x');
      const found = await page.evaluate(() => {
        const root = window.element.shadowRoot;
        return {
          hrefs: [...root.querySelectorAll('a.hit')].map((node) => new URL(node.href).protocol),
          elements: [...new Set([...root.querySelectorAll('.list *')].map((node) => node.localName))].sort(),
          handlers: [...root.querySelectorAll('.list *')]
            .flatMap((node) => [...node.attributes])
            .filter(({ name }) => name.startsWith('on') || name === 'style' || name === 'srcdoc').length,
        };
      });
      assert.deepEqual([...new Set(found.hrefs)].sort(), ['http:', 'https:'], mode);
      assert.equal(found.handlers, 0);
      assert.deepEqual(
        found.elements.filter((name) => !['a', 'bdi', 'div', 'li', 'mark', 'p', 'path', 'span', 'strong', 'svg'].includes(name)),
        [],
      );
      for (const entry of await page.locator('sheaf-search [data-entry]').all()) await entry.hover();
      await page.locator('sheaf-search div.hit').first().click({ force: true });
      if (mode !== 'inline' && ui.shots) await page.screenshot({ path: join(ui.shots, `hostile-${mode}.png`) });
      await assertNoProblems();
    }
  });
});

describe('what pages make of it', () => {
  it('The component takes filters from controls in its slot', async () => {
    await visit({ filters: '1' });
    await page.keyboard.press('Control+k');
    await type('furnace');
    const all = (await state()).pages;
    assert.ok(all.some((url) => url.includes('/guide/')) && all.some((url) => url.includes('/reference/')));
    await page.getByLabel('Section').selectOption('reference/');
    await page.waitForFunction(
      () => window.element.state.status === 'done' && window.element.state.groups.every((group) => group.url.includes('/reference/')),
    );
    assert.ok((await state()).count > 0);
    await page.getByLabel('Section').selectOption('');
    await page.waitForFunction((count) => window.element.state.groups.length === count, all.length);
  });

  it('The component keeps its filter and its query when the library changes', async () => {
    await visit();
    await page.evaluate(() => {
      window.element.filter = (hit) => hit.source.startsWith('reference/');
    });
    await page.keyboard.press('Control+k');
    await type('furnace');
    await page.evaluate(async () => {
      window.element.library = window.element.search.library;
      await window.element.updateComplete;
    });
    await done('furnace');
    const found = await state();
    assert.ok(found.count > 0 && found.pages.every((url) => url.includes('/reference/')), found.pages.join());
  });

  it('The component takes its looks from parts, properties, slots and a template', async () => {
    await visit({ template: '1', 'slot.button': 'Ask me', 'slot.footer': 'By Sheaf', 'slot.no-results': 'Nichts' });
    await page.evaluate(() => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(
        'sheaf-search { --sheaf-accent: rgb(1, 2, 3); } sheaf-search::part(dialog) { border-width: 7px } sheaf-search::part(my-title) { text-transform: uppercase }',
      );
      document.adoptedStyleSheets = [sheet];
    });
    await page.getByRole('button', { name: 'Ask me' }).click();
    await type('certificate clock');
    assert.equal(await page.getByText('By Sheaf').isVisible(), true);
    const looks = await page.evaluate(() => {
      const root = window.element.shadowRoot;
      return [
        getComputedStyle(root.querySelector('dialog')).borderTopWidth,
        getComputedStyle(root.querySelector('.hit strong')).textTransform,
        root.querySelector('.hit mark').textContent,
        getComputedStyle(root.querySelector('[aria-selected=true]')).boxShadow.match(/rgb\([^)]*\)/)[0],
      ];
    });
    assert.deepEqual(looks, ['7px', 'uppercase', 'certificate', 'rgb(1, 2, 3)']);
    assert.equal(await page.locator('sheaf-search .title').count(), 0);
    await page.evaluate(() => {
      window.element.filter = () => false;
    });
    await page.getByText('Nichts').waitFor();
    await assertNoProblems();
  });

  it('The component says the texts that the page gives', async () => {
    await visit();
    await page.evaluate(() => {
      window.element.strings = { search: 'Ask the manual' };
    });
    await page.getByRole('button', { name: 'Ask the manual' }).waitFor();
  });

  it('A page can keep the component from following a hit', async () => {
    await visit();
    await page.evaluate(() => document.addEventListener('sheaf-select', (event) => event.preventDefault()));
    await page.keyboard.press('Control+k');
    await type('certificate');
    await options().first().click();
    assert.equal(new URL(page.url()).pathname, '/');
    assert.equal(await isOpen(), true);
  });

  it('Elements of the same bundle share one library and one worker', async () => {
    await visit();
    await page.evaluate(async () => {
      const second = window.element.cloneNode();
      document.getElementById('place').append(second);
      await Promise.all([window.element.search.prefetch(), second.search.prefetch()]);
    });
    assert.equal(page.workers().length, 1);
    assert.equal(site.requests.filter(({ path, status }) => path === '/kiln.sheaf' && status < 400).length, 1);
    await page.keyboard.press('Control+k');
    assert.equal(await page.locator('dialog[open]').count(), 1, 'one of them answers a shortcut');
    await assertNoProblems();
  });

  it('An unused search costs a page no request for client, core or bundle', async () => {
    await visit();
    await page.waitForLoadState('networkidle');
    // client/written.js and its letters are of what the component shows; they load nothing.
    assert.deepEqual(
      site.requests.filter(({ path }) => /client(?!\/(written|marked_words|spelled_letters)\.js$)|core|\.sheaf/.test(path)),
      [],
    );
  });

  it('The component also comes as one file', async () => {
    await page.route('**/app.js', async (route) =>
      route.fulfill({
        contentType: 'text/javascript',
        body: (await readFile(here('ui-site/app.js'), 'utf8')).replace('/dist/browser/ui/index.js', '/dist/browser/ui/sheaf-search.min.js'),
      }),
    );
    await visit();
    await page.keyboard.press('Control+k');
    await type('certificate clock');
    assert.match((await state()).pages[0], /install$/);
    assert.equal(site.requests.filter(({ path }) => path.startsWith('/dist/browser/ui/')).length, 1);
    await assertNoProblems();
  });
});
