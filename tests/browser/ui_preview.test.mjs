/** The preview beside the list of a wide dialog, in Chromium, under a strict Content-Security-Policy with Trusted Types. */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { assertAccessible, done, invent, type, uiFixture } from './ui_page.mjs';

const WIDE = { viewport: { width: 1280, height: 760 } };

let ui;
let context;
let page;
let problems;

before(async () => {
  ui = await uiFixture();
});
after(() => ui?.close());
afterEach(async () => {
  await context?.close();
});

async function visit(parameters, options = WIDE) {
  ({ context, page } = await ui.visit(parameters, options));
  problems = [];
  page.on('pageerror', (error) => problems.push(String(error)));
}
const preview = () => page.locator('sheaf-search [part=preview]');
const shows = (text) =>
  page.waitForFunction((wanted) => window.element.shadowRoot.querySelector('[part=preview]')?.textContent.includes(wanted), text);
/** Replaces the passages of an invented library. */
const passages = (text) =>
  page.evaluate((given) => {
    window.read = [];
    window.element.search.library.passage = async (id) => {
      window.read.push(id);
      return { id, page: id, anchor: '', headings: ['Heat'], firstLine: 1, lastLine: 9, text: given.replace('#ID', id) };
    };
  }, text);

/** A search over an invented library whose passages all say `text`, `#ID` being their number. */
async function previewOf(text, { hit } = {}) {
  await visit();
  await invent(page, { hit });
  await page.evaluate(() => window.element.show());
  await page.evaluate(() => window.element.search.prefetch()); // opens it
  await passages(text);
  await type(page, 'furnace');
  await preview().waitFor();
}

describe('the preview', () => {
  it('The preview shows the first hit, follows the choice, and has place, title and marks', async () => {
    await visit();
    await page.keyboard.press('Control+k');
    await type(page, 'certificate clock');
    await shows('the clock of the machine is usually wrong');
    assert.deepEqual(await preview().locator('mark').allTextContents(), ['certificate', 'clock']);
    assert.equal(await preview().locator('h2').textContent(), 'Installation');
    const place = await page.evaluate(() => window.element.state.groups[0].hits[0].place);
    assert.deepEqual(await preview().locator('[part=preview-place]').allTextContents(), place.length > 0 ? [place.join(' › ')] : []);
    assert.match(await preview().locator('h3').first().textContent(), /Troubleshooting/);
    const before = await preview().textContent();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.waitForFunction((old) => window.element.shadowRoot.querySelector('[part=preview]').textContent !== old, before);
    const row = page.getByRole('option').nth(3);
    await row.hover();
    const { x, y } = await row.boundingBox();
    await page.mouse.move(x + 12, y + 6); // a pointer that moves, not a list under a pointer that rests
    const hovered = await page.evaluate(() => window.element.state.groups.flatMap(({ hits }) => hits)[3].title);
    await page.waitForFunction((title) => window.element.shadowRoot.querySelector('[part=preview] h2').textContent === title, hovered);
    await assertAccessible(page, 'preview');
    assert.deepEqual([problems, await page.evaluate(() => window.violations)], [[], []]);
  });

  it("The preview requests no byte beyond the hits'", async () => {
    await visit();
    // By ranges, as a large bundle is read; the fixture's is small.
    await page.evaluate(async () => {
      const { open } = await import('/dist/browser/client/index.js');
      window.element.library = await open('/kiln.sheaf', { lazy: true, encoder: '/table.sheaf' });
      window.asked = [];
      const { passage, prefetch } = window.element.library;
      window.element.library.prefetch = () => prefetch.call(window.element.library); // not the whole of it
      window.element.library.passage = (id) => {
        window.asked.push(id);
        return passage.call(window.element.library, id);
      };
    });
    await page.keyboard.press('Control+k');
    await type(page, 'furnace');
    await page.waitForFunction(() => window.element.shadowRoot.querySelector('[part=preview] h2') !== null);
    assert.equal(await page.evaluate(() => window.element.library.info.lazy), true);
    const ranges = ui.site.requests.filter(({ path, status }) => path === '/kiln.sheaf' && status === 206);
    assert.ok(ranges.length > 1, 'it is read by ranges');
    const before = ui.site.requests.length;
    const count = await page.evaluate(() => window.element.state.count);
    assert.ok(count > 4, String(count));
    for (let i = 0; i < count; i++) {
      await page.keyboard.press('ArrowDown');
      await page.waitForTimeout(60);
    }
    await page.waitForFunction((wanted) => new Set(window.asked).size === wanted, count);
    await page.waitForTimeout(200);
    assert.deepEqual(ui.site.requests.slice(before), []);
  });

  it('The preview keeps code lines and lists, and scrolls to the first mark', async () => {
    await previewOf(
      `Intro.\n\n\`\`\`js\nfire(\n    kiln)\n\`\`\`\n\n- one\n  - two\n\n| a | b |\n|---|---|\n| longer | x |\n\n${'Text.\n\n'.repeat(80)}A furnace, at last.\n`,
    );
    assert.equal(await preview().locator('[part=preview-code]').textContent(), 'fire(\n    kiln)');
    assert.equal(await preview().locator('[part=preview-table]').textContent(), 'a       b\nlonger  x');
    assert.equal(await preview().locator('li').count(), 2);
    const seen = await page.evaluate(() => {
      const pane = window.element.shadowRoot.querySelector('[part=preview]');
      const mono = getComputedStyle(pane.querySelector('pre')).whiteSpace;
      const mark = pane.querySelector('mark').getBoundingClientRect();
      const box = pane.getBoundingClientRect();
      return { mono, top: pane.scrollTop, inside: mark.top > box.top && mark.bottom < box.bottom };
    });
    assert.ok(seen.top > 500 && seen.inside, JSON.stringify(seen));
    assert.equal(seen.mono, 'pre');
    await page.keyboard.press('ArrowDown');
    assert.equal(await page.evaluate(() => document.scrollingElement.scrollTop), 0);
  });

  it('The preview shows HTML links as links, and words alone without an address', async () => {
    await previewOf(
      'Set [track_counts](/runtime.html#X) of the furnace.\n\n| [fire](fire.html) | `a` |\n| --- | --- |\n\n[x](javascript:window.pwned=1.)\n',
      {
        hit: { url: '/docs/kiln.html', source: 'kiln.html' },
      },
    );
    assert.match(await preview().textContent(), /Set track_counts of the furnace\.fire {2}ax$/);
    assert.deepEqual(
      await preview()
        .locator('a')
        .evaluateAll((links) => links.map((link) => [link.textContent, link.href, link.target])),
      [
        ['track_counts', new URL('/runtime.html#X', page.url()).href, ''],
        ['fire', new URL('/docs/fire.html', page.url()).href, ''],
      ],
    );
  });

  it('The preview shows text as text, whatever a bundle contains', async () => {
    const hostile = '<img src=x onerror="window.pwned=1">';
    await previewOf(
      `# ${hostile}\n\n${hostile} [x](javascript:window.pwned=1) <https://kiln.example/"onclick=window.pwned=1>\n\n- ${hostile}\n\n\`${hostile}\`\n\n\`\`\`${hostile}\n<script>window.pwned=1</script>\n\`\`\`\n\n| ${hostile} |\n\n> ${hostile}\n`,
      {
        hit: {
          title: hostile,
          url: `/docs/${hostile}/x`,
          headings: [hostile],
          source: `${hostile}.md`,
          snippet: `${hostile} furnace`,
          highlights: [
            { start: 0, length: 36 },
            { start: -5, length: 99999 },
          ],
        },
      },
    );
    const names = await preview().evaluate((pane) =>
      [...new Set([...pane.querySelectorAll('*')].map(({ localName }) => localName))].sort(),
    );
    assert.deepEqual(
      names.filter(
        (name) =>
          !['a', 'bdi', 'blockquote', 'code', 'div', 'em', 'h2', 'h3', 'header', 'li', 'mark', 'p', 'pre', 'span', 'strong', 'ul'].includes(
            name,
          ),
      ),
      [],
    );
    assert.equal(
      await preview().evaluate((pane) =>
        [...pane.querySelectorAll('*')].some((node) => [...node.attributes].some(({ name }) => /^on|src/.test(name))),
      ),
      false,
    );
    assert.deepEqual(await preview().evaluate((pane) => [...pane.querySelectorAll('[href]')].map(({ href }) => href)), [
      'https://kiln.example/%22onclick=window.pwned=1',
    ]);
    assert.match(await preview().textContent(), /<img src=x onerror="window\.pwned=1">/);
    assert.equal(await page.evaluate(() => window.pwned), undefined);
    assert.deepEqual(await page.evaluate(() => window.violations), []);
  });

  it('The preview shows the old passage until the new one is there', async () => {
    await previewOf('Passage #ID of the furnace.');
    await shows('Passage 0');
    await page.evaluate(() => {
      const { passage } = window.element.search.library;
      window.element.search.library.passage = (id) => new Promise((resolve) => (window.answer = () => resolve(passage(id))));
    });
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.waitForFunction(() => window.answer);
    assert.match(await preview().textContent(), /Passage 0/);
    await page.evaluate(() => window.answer());
    await page.waitForFunction(() => !window.element.shadowRoot.querySelector('[part=preview]').textContent.includes('Passage 0'));
  });

  it('The preview is a region of its own that the keyboard reaches and scrolls', async () => {
    await previewOf(`${'Text.\n\n'.repeat(200)}`);
    assert.equal(await preview().getAttribute('aria-label'), 'Preview');
    assert.equal(await preview().getAttribute('aria-live'), null);
    for (let i = 0; i < 6 && !(await preview().evaluate((pane) => pane.matches(':focus'))); i++) await page.keyboard.press('Tab');
    assert.equal(await preview().evaluate((pane) => pane.matches(':focus')), true);
    await page.keyboard.press('PageDown');
    await page.waitForFunction(() => window.element.shadowRoot.querySelector('[part=preview]').scrollTop > 50);
    await page.keyboard.press('Escape');
    assert.equal(await page.evaluate(() => window.element.shadowRoot.querySelector('dialog').open), false);
  });

  it('The preview costs nothing when off or on a narrow screen', async () => {
    for (const [parameters, options] of [
      [{ 'a.preview': 'off' }, WIDE],
      [{}, { viewport: { width: 1000, height: 720 } }],
      [{}, { viewport: { width: 390, height: 760 }, hasTouch: true, isMobile: true }],
      [{ mode: 'inline' }, WIDE],
    ]) {
      await context?.close();
      await visit(parameters, options);
      const before = ui.site.requests.length;
      await page.evaluate(() => window.element.show());
      await type(page, 'furnace');
      await page.waitForTimeout(100);
      assert.equal(await preview().count(), 0);
      assert.deepEqual(
        ui.site.requests.slice(before).filter(({ path }) => /preview|sheaf-text/.test(path)),
        [],
        JSON.stringify(parameters),
      );
    }
  });

  it('The preview returns with a reopened dialog, and goes with the last hit', async () => {
    await previewOf('Passage #ID of the furnace.');
    await page.evaluate(() => window.element.close());
    await page.evaluate(() => window.element.show());
    await shows('Passage 0');
    await page.keyboard.press('Control+a');
    await page.keyboard.press('Delete');
    await page.waitForFunction(() => window.element.shadowRoot.querySelector('[part=preview]') === null);
    await type(page, 'kiln');
    await shows('Passage 0');
    await done(page, 'kiln');
  });

  it('The preview stands on the other side in Arabic, and has an Arabic name', async () => {
    await visit({ lang: 'ar', dir: 'rtl' });
    await page.keyboard.press('Control+k');
    await type(page, 'furnace');
    await preview().waitFor();
    assert.equal(await preview().getAttribute('aria-label'), 'معاينة');
    const [list, pane] = await page.evaluate(() =>
      ['.scroll', '[part=preview]'].map((selector) => window.element.shadowRoot.querySelector(selector).getBoundingClientRect().left),
    );
    assert.ok(pane < list, `${pane} ${list}`);
    await assertAccessible(page, 'preview-arabic');
  });
});
