/** What `<sheaf-search>` offers before anything is typed, and its sheet on phones, in Chromium. */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { assertAccessible, isOpen, type, uiFixture } from './ui_page.mjs';

const PHONE = { viewport: { width: 390, height: 760 }, hasTouch: true, isMobile: true };

let ui;
let context;
let page;

before(async () => {
  ui = await uiFixture();
});
after(() => ui?.close());
afterEach(() => context?.close());

/** A page with sections far apart, and two recent searches. */
async function visit(parameters, options) {
  ({ context, page } = await ui.visit(parameters, options));
  await page.evaluate(() => {
    const content = document.querySelector('main');
    for (const [i, name] of ['Loading', 'Firing', 'Cooling'].entries()) {
      const heading = document.createElement('h2');
      heading.id = `part-${i} é`;
      heading.append(name);
      const link = document.createElement('a');
      link.append('¶');
      heading.append(link);
      const text = document.createElement('p');
      text.append('Text. '.repeat(1500));
      content.append(heading, text);
    }
    localStorage.setItem('sheaf-recent', JSON.stringify(['glaze', 'ash']));
  });
}
const entries = () => page.locator('sheaf-search [data-entry]').allTextContents();
const trimmed = async () => (await entries()).map((text) => text.trim());
const focused = () => page.evaluate(() => window.element.shadowRoot.activeElement?.textContent.trim());
const topPages = () => page.locator('sheaf-search [part=top-pages]').waitFor();

describe('before anything is typed', () => {
  it('Recent searches, sections and top pages form one list, which arrows walk through', async () => {
    await visit();
    await page.keyboard.press('Control+k');
    await topPages();
    const names = await trimmed();
    assert.deepEqual(names.slice(0, 5), ['glaze', 'ash', 'Loading', 'Firing', 'Cooling']);
    assert.ok(names.length > 5 && names.length <= 13, names.join());
    for (const name of names) {
      await page.keyboard.press('ArrowDown');
      assert.equal(await focused(), name);
    }
    await page.keyboard.press('ArrowDown');
    assert.equal(await focused(), names.at(-1), 'the last is the end');
    await page.keyboard.press('Home');
    assert.equal(await focused(), 'glaze');
    await page.keyboard.press('ArrowUp');
    assert.equal(await page.evaluate(() => window.element.shadowRoot.activeElement.id), 'input');
    await assertAccessible(page, 'start');
    assert.deepEqual(await page.evaluate(() => window.violations), []);
  });

  it('A chosen section scrolls into view and closes the dialog', async () => {
    await visit();
    for (const [name, id] of [
      ['Cooling', 'part-2 é'],
      ['Loading', 'part-0 é'],
    ]) {
      await page.keyboard.press('Control+k');
      await page.getByRole('link', { name, exact: true }).click();
      assert.equal(await isOpen(page), false);
      await page.waitForFunction((wanted) => Math.abs(document.getElementById(wanted).getBoundingClientRect().top) < 2, id);
      assert.equal(decodeURIComponent(new URL(page.url()).hash), `#${id}`);
    }
    await page.evaluate(() => document.getElementById('part-1 é').scrollIntoView());
    await page.keyboard.press('Control+k');
    assert.equal(await page.locator('sheaf-search [aria-current=location]').textContent(), 'Firing');
  });

  it('Enter follows a link, Delete forgets a search only, letters go to the box', async () => {
    await visit();
    await page.keyboard.press('Control+k');
    await topPages();
    for (let i = 0; i < 3; i++) await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Delete');
    assert.equal(await focused(), 'Loading');
    await page.keyboard.type('k');
    assert.equal(await page.evaluate(() => window.element.shadowRoot.querySelector('input').value), 'k');
    await page.keyboard.press('Escape');
    for (let i = 0; i < 3; i++) await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => location.hash === '#part-0%20%C3%A9');
    assert.equal(await isOpen(page), false);
  });

  it('Top pages lead below the base, and cost no request beyond opening', async () => {
    await visit({ 'a.prefetch': 'none' });
    const before = ui.site.requests.length;
    await page.keyboard.press('Control+k');
    await page.waitForTimeout(200);
    assert.equal(await page.locator('sheaf-search [part=top-pages]').count(), 0);
    assert.deepEqual(ui.site.requests.slice(before), []);
    await type(page, 'furnace');
    const opened = ui.site.requests.length;
    await page.keyboard.press('Escape');
    await topPages();
    const hrefs = await page.locator('sheaf-search [part=top-pages] a').evaluateAll((links) => links.map(({ pathname }) => pathname));
    assert.ok(hrefs.length > 0 && hrefs.every((path) => path.startsWith('/docs/')), hrefs.join());
    assert.equal(ui.site.requests.length, opened);
  });

  it('An inline box offers the same entries, and a results page only recent searches', async () => {
    await visit({ mode: 'inline' });
    await page.evaluate(() => window.element.show());
    await topPages();
    assert.deepEqual((await trimmed()).slice(0, 3), ['glaze', 'ash', 'Loading']);
    await assertAccessible(page, 'start-inline');
    await context.close();
    await visit({ mode: 'page' });
    await page.reload();
    await page.waitForFunction(() => window.element?.hasUpdated);
    await page.getByRole('searchbox').click();
    await page.locator('sheaf-search [data-entry]').first().waitFor();
    assert.deepEqual(await trimmed(), ['glaze', 'ash']);
  });

  it('Several bundles offer the best of each first, below their own bases', async () => {
    const other = { src: '/kiln.sheaf?other', base: 'https://other.example/x/', label: 'Other' };
    ({ context, page } = await ui.visit({ sources: JSON.stringify([other]), 'a.label': 'Kiln' }));
    await page.keyboard.press('Control+k');
    const links = page.locator('sheaf-search [part=top-pages] a');
    await links.nth(3).waitFor();
    const hosts = await links.evaluateAll((all) => all.map(({ host }) => host === 'other.example'));
    assert.deepEqual(hosts.slice(0, 4), [false, true, false, true]);
  });

  it('A page without sections and searches shows its own words until the bundle opens', async () => {
    ({ context, page } = await ui.visit({ 'a.prefetch': 'none', 'slot.empty': 'Ask the kiln' }));
    await page.keyboard.press('Control+k');
    assert.match(
      await page.locator('sheaf-search [part=empty] slot').evaluate((slot) => slot.assignedNodes()[0].textContent),
      /Ask the kiln/,
    );
  });
});

describe('on phones', () => {
  const box = () =>
    page.evaluate(async () => {
      const dialog = window.element.shadowRoot.querySelector('dialog');
      await Promise.all(dialog.getAnimations().map(({ finished }) => finished));
      const { x, y, width, height } = dialog.getBoundingClientRect();
      return [x, y, width, height].map(Math.round);
    });
  const closed = () => page.waitForFunction(() => !window.element.shadowRoot.querySelector('dialog').open);
  async function drag(from, to, steps = 8) {
    const client = await context.newCDPSession(page);
    const touch = (kind, y) =>
      client.send('Input.dispatchTouchEvent', { type: kind, touchPoints: kind === 'touchEnd' ? [] : [{ x: 195, y }] });
    await touch('touchStart', from);
    for (let i = 1; i <= steps; i++) {
      await touch('touchMove', from + ((to - from) * i) / steps);
      await page.waitForTimeout(20);
    }
    await page.waitForTimeout(100); // the finger rests
    await touch('touchEnd', to);
  }

  it('On phones, the dialog is a sheet below a strip of the page', async () => {
    await visit({}, PHONE);
    await page.getByRole('button', { name: 'Search' }).tap();
    assert.deepEqual(await box(), [0, 48, 390, 712]);
    const radius = await page.evaluate(() => getComputedStyle(window.element.shadowRoot.querySelector('dialog')).borderRadius);
    assert.equal(radius, '16px 16px 0px 0px');
    await topPages();
    await assertAccessible(page, 'sheet');
    await type(page, 'furnace');
    assert.deepEqual(await box(), [0, 48, 390, 712], 'it keeps its height');
    await assertAccessible(page, 'sheet-hits');
  });

  it('A drag of the handle follows the finger, returns when short, and closes when long', async () => {
    await visit({}, PHONE);
    await page.getByRole('button', { name: 'Search' }).tap();
    await box();
    await drag(60, 130);
    assert.deepEqual(await box(), [0, 48, 390, 712]);
    assert.equal(await isOpen(page), true);
    await drag(60, 400);
    await closed();
    await page.getByRole('button', { name: 'Search' }).tap();
    assert.deepEqual(await box(), [0, 48, 390, 712], 'the next time it stands where it belongs');
  });

  it('A tap on the strip above, or the close button, closes the sheet', async () => {
    await visit({}, PHONE);
    await page.getByRole('button', { name: 'Search' }).tap();
    await box();
    await page.touchscreen.tap(195, 20);
    await closed();
    await page.getByRole('button', { name: 'Search' }).tap();
    await box();
    await page.locator('sheaf-search [part=close]').tap();
    await closed();
  });

  it('The sheet does not slide for less motion, and a drag still closes it', async () => {
    await visit({}, { ...PHONE, reducedMotion: 'reduce' });
    await page.getByRole('button', { name: 'Search' }).tap();
    assert.equal(await page.evaluate(() => window.element.shadowRoot.querySelector('dialog').getAnimations().length), 0);
    await drag(60, 400);
    await closed();
  });

  it('The keyboard stays while the handle is pressed', async () => {
    await visit({}, PHONE);
    await page.getByRole('button', { name: 'Search' }).tap();
    await box();
    await page.touchscreen.tap(195, 60);
    assert.equal(await page.evaluate(() => window.element.shadowRoot.activeElement.id), 'input');
  });

  it('The sheet leaves room for the list on a sideways phone', async () => {
    await visit({}, { ...PHONE, viewport: { width: 760, height: 390 } });
    await page.getByRole('button', { name: 'Search' }).tap();
    const [, top, width, height] = await box();
    assert.ok(top < 30 && width === 760 && top + height === 390, `${top} ${width} ${height}`);
  });
});
