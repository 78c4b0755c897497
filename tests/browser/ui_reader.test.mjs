/** <sheaf-search> in Chromium: what readers do besides the straight way. */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { done, invent, inventLate, isOpen, type, uiFixture } from './ui_page.mjs';

let ui;
let context;
let page;

before(async () => {
  ui = await uiFixture([], { scrollbars: true });
});
after(() => ui?.close());
afterEach(() => context?.close());

async function visit(parameters, options) {
  ({ context, page } = await ui.visit(parameters, options));
}
const value = () => page.evaluate(() => window.element.shadowRoot.querySelector('input').value);
const scrollTop = () => page.evaluate(() => window.element.shadowRoot.querySelector('.scroll').scrollTop);
const settled = () => page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
const pageStyle = () => page.evaluate(() => document.documentElement.getAttribute('style') ?? '');

describe('an input method', () => {
  it('An input method is not disturbed by an answer during composition', async () => {
    await visit();
    await invent(page, { gates: ['kiln '] });
    await page.keyboard.press('Control+k');
    await page.keyboard.type('kiln ');
    await page.waitForFunction(() => window.asked.includes('kiln '));
    const client = await context.newCDPSession(page);
    await client.send('Input.imeSetComposition', { text: 'よてい', selectionStart: 3, selectionEnd: 3 });
    await page.evaluate(() => window.release('kiln '));
    await done(page, 'kiln ');
    await settled();
    assert.equal(await value(), 'kiln よてい');
    await client.send('Input.insertText', { text: '予定' });
    await done(page, 'kiln 予定');
    assert.equal(await value(), 'kiln 予定');
  });

  it('The search follows Hangul composition, readable at every stroke', async () => {
    await visit();
    await invent(page);
    await page.keyboard.press('Control+k');
    const client = await context.newCDPSession(page);
    await client.send('Input.imeSetComposition', { text: '검', selectionStart: 1, selectionEnd: 1 });
    await done(page, '검');
    assert.equal(await value(), '검');
  });

  it("The search follows Android's composition, where keyboards compose every word", async () => {
    await visit({}, { userAgent: 'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 Chrome/130.0 Mobile Safari/537.36' });
    await invent(page);
    await page.keyboard.press('Control+k');
    const client = await context.newCDPSession(page);
    await client.send('Input.imeSetComposition', { text: 'furn', selectionStart: 4, selectionEnd: 4 });
    await done(page, 'furn');
    await client.send('Input.imeSetComposition', { text: 'furnace', selectionStart: 7, selectionEnd: 7 });
    await done(page, 'furnace');
    assert.equal(await value(), 'furnace');
  });
});

describe('the dialog', () => {
  it('The dialog stays open when a selection in the box ends outside', async () => {
    await visit();
    await page.keyboard.press('Control+k');
    await type(page, 'furnace');
    const box = await page.locator('sheaf-search input').boundingBox();
    await page.mouse.move(box.x + 60, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(5, 300);
    await page.mouse.up();
    await settled();
    assert.equal(await isOpen(page), true);
    await page.mouse.click(5, 300);
    assert.equal(await isOpen(page), false, 'a click outside closes');
  });

  it('The dialog closes by its shortcut though another element stands before it', async () => {
    await visit();
    await page.evaluate(async () => {
      window.other = document.createElement('sheaf-search');
      window.element.before(window.other);
      window.element.remove();
      window.other.after(window.element); // the second to listen
      await window.element.show();
    });
    await page.keyboard.press('Control+k');
    assert.deepEqual(await page.evaluate(() => [window.element.opened, window.other.opened]), [false, false]);
    await page.keyboard.press('Control+k');
    assert.deepEqual(await page.evaluate(() => [window.element.opened, window.other.opened]), [false, true]);
  });

  it("The dialog leaves the page's position and its own scroll style", async () => {
    await visit();
    await page.evaluate(() => {
      document.body.append(Object.assign(document.createElement('div'), { id: 'tall' }));
      document.getElementById('tall').style.height = '3000px';
      document.documentElement.style.overflow = 'auto';
    });
    const before = await page.evaluate(() => [document.documentElement.clientWidth, innerWidth]);
    assert.ok(before[1] > before[0], 'the page has a scrollbar that takes room');
    const heading = () => page.evaluate(() => document.querySelector('main').getBoundingClientRect().width);
    const width = await heading();
    await page.keyboard.press('Control+k');
    assert.equal(await heading(), width, 'nothing moves aside');
    await page.mouse.move(5, 300);
    await page.mouse.wheel(0, 500);
    await settled();
    assert.equal(await page.evaluate(() => scrollY), 0);
    await page.keyboard.press('Escape');
    assert.equal(await pageStyle(), 'overflow: auto;');
  });

  it('The dialog frees the page when the element becomes a box', async () => {
    await visit();
    await page.keyboard.press('Control+k');
    await page.evaluate(() => {
      window.element.mode = 'inline';
      return window.element.updateComplete;
    });
    assert.equal(await pageStyle(), '');
    assert.equal(await page.locator('sheaf-search dialog').count(), 0);
    await page.locator('sheaf-search input').focus();
    await type(page, 'furnace');
    assert.ok((await page.getByRole('option').count()) > 0);
  });

  it('The dialog ends above a soft keyboard', async () => {
    await visit({}, { viewport: { width: 390, height: 760 }, hasTouch: true, isMobile: true });
    await invent(page);
    await page.keyboard.press('Control+k');
    await type(page, 'furnace');
    const bottom = () => page.evaluate(() => window.element.shadowRoot.querySelector('dialog').getBoundingClientRect().bottom);
    assert.equal(await bottom(), 760);
    const keyboard = (share) =>
      page.evaluate((part) => {
        Object.defineProperty(visualViewport, 'height', { configurable: true, value: innerHeight * part });
        visualViewport.dispatchEvent(new Event('resize'));
      }, share);
    await keyboard(0.5);
    assert.equal(await bottom(), 380);
    await page.keyboard.press('ArrowUp'); // the last
    const last = await page.evaluate(() => window.element.shadowRoot.querySelector('[aria-selected=true]').getBoundingClientRect().bottom);
    assert.ok(last <= 380, `the last hit ends at ${last} px`);
    await keyboard(1);
    assert.equal(await bottom(), 760);
  });
});

describe('the list', () => {
  it('The list begins at its top for every new answer', async () => {
    await visit({}, { viewport: { width: 1000, height: 240 } });
    await invent(page);
    await page.keyboard.press('Control+k');
    await type(page, 'furnac');
    await page.evaluate(() => {
      window.element.shadowRoot.querySelector('.scroll').scrollTop = 90;
    });
    assert.equal(await scrollTop(), 90);
    await page.keyboard.type('e');
    await done(page, 'furnace');
    await settled();
    assert.equal(await scrollTop(), 0);
  });

  it('The list shows the best order though the row under the pointer is gone', async () => {
    await visit();
    await inventLate(page, { none: [], x: [1, 2] });
    await page.keyboard.press('Control+k');
    await type(page, 'x');
    await page.getByRole('option').first().hover();
    await page.evaluate(() => {
      window.element.query = 'none';
    });
    await done(page, 'none');
    await page.mouse.move(5, 5);
    await page.evaluate(() => {
      window.element.query = 'kiln';
    });
    await page.waitForFunction(() => window.element.state.stage === 'keyword');
    await page.evaluate(() => window.release());
    await done(page, 'kiln');
    assert.deepEqual(await page.evaluate(() => window.element.state.groups.map((group) => group.page)), [3, 2, 1]);
  });

  it('The search key of a soft keyboard shows the list', async () => {
    await visit({}, { viewport: { width: 390, height: 760 }, hasTouch: true, isMobile: true });
    await page.getByRole('button', { name: 'Search' }).tap();
    await page.waitForFunction(() => window.element.shadowRoot.activeElement?.id === 'input'); // a tap becomes a click in its own time
    await type(page, 'furnace');
    await page.keyboard.press('Enter');
    await settled();
    assert.equal(new URL(page.url()).pathname, '/', 'no hit was followed');
    assert.equal(await isOpen(page), true);
    assert.equal(await page.evaluate(() => window.element.shadowRoot.activeElement?.id), undefined, 'the keyboard goes');
    await page.getByRole('option').first().tap();
    await page.waitForURL('**/docs/**');
  });

  it('The list keeps its place under a finger that was lifted', async () => {
    await visit({}, { hasTouch: true });
    await inventLate(page, { xy: [1, 2] });
    await page.keyboard.press('Control+k');
    await page.keyboard.type('x');
    const first = page.getByRole('option').first();
    await first.waitFor();
    await page.evaluate(() => {
      const list = window.element.shadowRoot.querySelector('.list');
      for (const name of ['pointerenter', 'pointerleave']) list.dispatchEvent(new PointerEvent(name, { pointerType: 'touch' }));
      window.release();
    });
    await done(page, 'x');
    const order = () => page.evaluate(() => window.element.state.groups.map((group) => group.page));
    assert.deepEqual(await order(), [1, 2, 3]);
    await page.keyboard.type('y');
    await done(page, 'xy');
    assert.deepEqual(await order(), [1, 2]);
  });

  it('The list names a long query in a few words', async () => {
    await visit();
    await invent(page, { pages: 0 });
    await page.keyboard.press('Control+k');
    await page.evaluate(() => {
      window.element.query = 'furnace '.repeat(1250);
    });
    await page.waitForFunction(() => window.element.announcement !== '' && window.element.state.status === 'done');
    const [note, said] = await page.evaluate(() => [
      window.element.shadowRoot.querySelector('[part=no-results]').textContent,
      window.element.announcement,
    ]);
    assert.ok(note.length < 200, `${note.length} characters are shown`);
    assert.match(said, /^No results for “furnace .*…”$/);
    assert.ok(said.length < 120, `${said.length} characters are announced`);
  });

  it('The list has room on a small screen, however many filters exist', async () => {
    await visit({ lang: 'en_US' }, { viewport: { width: 320, height: 640 }, hasTouch: true, isMobile: true });
    const values = (count) => Array.from({ length: count }, (_, i) => ({ value: `Value ${i}`, pages: 1000 - i }));
    const facets = [
      { key: 'section', values: values(300) },
      { key: 'kind', values: values(40) },
      { key: 'version', values: values(3) },
    ];
    const long = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerk'.repeat(40);
    await invent(page, {
      info: { manifest: { filters: ['section', 'kind', 'version'] } },
      answer: { facets },
      hit: { title: long, headings: [long, long] },
    });
    await page.keyboard.press('Control+k');
    await type(page, 'furnace');
    const row = page.getByRole('group', { name: 'Section' });
    await row.waitFor();
    const [first, second] = await page.evaluate(() =>
      [...window.element.shadowRoot.querySelectorAll('.hit')].map((node) => node.getBoundingClientRect().top),
    );
    assert.ok(first < 350 && second < 500, `the first hits begin at ${first} and ${second} px`);
    const last = row.getByRole('button').last();
    await last.scrollIntoViewIfNeeded();
    const place = () => row.evaluate((node) => node.scrollLeft);
    const before = await place();
    assert.ok(before > 0);
    await last.tap();
    await row.getByRole('button', { pressed: true }).waitFor(); // until then, the answer is the one before
    await done(page, 'furnace');
    assert.equal(await row.getByRole('button', { pressed: true }).count(), 1);
    assert.equal(await place(), before, 'the row stays where it was scrolled to');
  });

  it('The list shortens addresses that hold a pasted text', async () => {
    await visit({ mode: 'page', 'a.results-url': '/results' });
    await invent(page);
    await page.evaluate(() => {
      window.element.query = 'ofen über '.repeat(1000);
    });
    await page.waitForFunction(() => window.element.state.status === 'done');
    const [address, link] = await page.evaluate(async () => [
      location.href,
      (await import('/dist/browser/ui/state/addresses.js')).resultsHref(window.element),
    ]);
    assert.match(address, /q=ofen\+/);
    assert.ok(address.length < 2000 && link.length < 2000, `${address.length} and ${link.length} characters`);
  });

  it('The list leaves selections by Shift to the box', async () => {
    await visit();
    await page.keyboard.press('Control+k');
    await type(page, 'furnace');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Shift+Home');
    const selected = await page.evaluate(() => {
      const { selectionStart, selectionEnd } = window.element.shadowRoot.querySelector('input');
      return [selectionStart, selectionEnd];
    });
    assert.deepEqual(selected, [0, 7]);
  });
});

describe('the box with its list below', () => {
  it('A press sets the caret in the box, and its shortcut selects all text', async () => {
    await visit({ mode: 'inline' });
    const selection = () => page.evaluate(() => [window.element.input.selectionStart, window.element.input.selectionEnd]);
    await page.locator('sheaf-search input').focus();
    await type(page, 'furnace clock');
    await page.click('h1');
    const box = await page.locator('sheaf-search input').boundingBox();
    await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2); // behind the text
    await settled();
    assert.deepEqual(await selection(), [13, 13]);
    await page.focus('#before');
    await page.keyboard.press('Control+k');
    await settled();
    assert.deepEqual(await selection(), [0, 13]);
  });

  it('The box keeps its list without a soft keyboard, and a touch elsewhere closes it', async () => {
    await visit({ mode: 'inline' }, { hasTouch: true });
    await page.locator('sheaf-search input').focus();
    await type(page, 'furnace');
    await page.evaluate(() => window.element.shadowRoot.activeElement.blur());
    await settled();
    assert.ok((await page.getByRole('option').count()) > 1);
    await page.touchscreen.tap(500, 700);
    await page.locator('sheaf-search [part=popup]').waitFor({ state: 'detached' });
  });

  it("Escape from a control within closes the box's list", async () => {
    await visit({ mode: 'inline', filters: '1' });
    await page.locator('sheaf-search input').focus();
    await type(page, 'furnace');
    await page.getByLabel('Section').focus();
    await page.keyboard.press('Escape');
    assert.equal(await page.locator('sheaf-search [part=popup]').count(), 0);
    assert.equal(await page.evaluate(() => window.element.shadowRoot.activeElement?.id), 'input');
  });
});

describe('recent searches', () => {
  it('Recent searches give way to text typed among them', async () => {
    await visit();
    await page.evaluate(() => localStorage.setItem('sheaf-recent', '["certificate","workers"]'));
    await page.keyboard.press('Control+k');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await type(page, 'furnace');
    assert.equal(await value(), 'furnace');
  });
});

describe('shortcuts', () => {
  it('Shortcuts leave `/` to a text field in a closed shadow tree', async () => {
    await visit();
    await page.evaluate(() => {
      customElements.define(
        'closed-box',
        class extends HTMLElement {
          constructor() {
            super();
            this.attachShadow({ mode: 'closed' }).append((window.inner = document.createElement('input')));
          }
        },
      );
      document.body.append(document.createElement('closed-box'));
      window.inner.focus();
    });
    await page.keyboard.press('/');
    assert.equal(await isOpen(page), false);
    assert.equal(await page.evaluate(() => window.inner.value), '/');
  });

  // The listeners of mdBook (arrows turn the page), Sphinx and themes (`/`, `s`): they know text fields by the event's target.
  const listen = () =>
    page.evaluate(() => {
      window.taken = [];
      for (const type of ['keydown', 'keypress', 'keyup'])
        document.addEventListener(type, ({ target, key, ctrlKey }) => {
          if (!(target instanceof HTMLInputElement)) window.taken.push(`${type} ${ctrlKey ? 'Control+' : ''}${key}`);
        });
    });
  const taken = () => page.evaluate(() => window.taken.splice(0));

  for (const mode of ['button', 'inline', 'page'])
    it(`Shortcuts of the page leave typed letters and arrows to the ${mode === 'button' ? 'dialog' : `field of the mode \`${mode}\``}`, async () => {
      await visit({ mode });
      if (mode === 'button') await page.keyboard.press('Control+k');
      else await page.locator('sheaf-search input').focus();
      await listen();
      for (const key of ['s', '/', 'A', 'ArrowLeft', 'Home', 'Delete']) await page.keyboard.press(key);
      assert.equal(await value(), '/A');
      assert.deepEqual(await taken(), []);
    });

  it('Shortcuts of the page with a modifier, Escape and keys of its own controls reach it', async () => {
    await visit({ filters: '1' });
    await page.keyboard.press('Control+k');
    await listen();
    await page.keyboard.press('Control+b');
    assert.deepEqual(await taken(), ['keydown Control+Control', 'keydown Control+b', 'keyup Control+b', 'keyup Control']);
    await type(page, 'furnace');
    await page.getByLabel('Section').focus();
    await page.keyboard.press('r');
    assert.deepEqual(await taken(), ['keydown r', 'keypress r', 'keyup r']);
    await page.keyboard.press('Escape');
    assert.ok((await taken()).includes('keydown Escape'));
  });

  it('Shortcuts of the page rest while a letter goes from a recent search to the field', async () => {
    await visit();
    await page.evaluate(() => localStorage.setItem('sheaf-recent', '["certificate"]'));
    await page.keyboard.press('Control+k');
    await page.keyboard.press('ArrowDown');
    await listen();
    await page.keyboard.press('s');
    assert.equal(await value(), 's');
    assert.deepEqual(await taken(), []);
  });
});
