/** <sheaf-search> in Chromium: what pages and frameworks do with the element. */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { CSP, done, uiFixture } from './ui_page.mjs';

let ui;
let context;
let page;

before(async () => {
  ui = await uiFixture(['--js-flags=--expose-gc']);
});
after(() => ui?.close());
afterEach(async () => {
  ui.site.settings.csp = CSP;
  await context?.close();
});

async function visit(parameters, options) {
  ({ context, page } = await ui.visit(parameters, options));
}

describe('the element', () => {
  it('The element takes properties set before its definition', async () => {
    await visit();
    await page.evaluate(async () => {
      const { SheafSearch } = await import('/dist/browser/ui/index.js');
      const later = document.createElement('later-search');
      const library = {
        info: { semantic: false, manifest: {} },
        search: async () => ({
          hits: [1, 2].map((page) => ({
            page,
            passage: page,
            score: 1,
            title: `${page}`,
            url: `/${page}`,
            source: `${page}`,
            anchor: '',
            headings: [],
            snippet: '',
            highlights: [],
          })),
          corrections: [],
        }),
      };
      window.opened = 0;
      Object.assign(later, {
        library: () => (window.opened++, library),
        mode: 'inline',
        query: 'furnace',
        filter: (hit) => hit.page === 2,
      });
      document.body.append(later);
      customElements.define('later-search', class extends SheafSearch {});
      window.later = later;
    });
    await page.waitForFunction(() => window.later.state.status === 'done', undefined, { timeout: 60_000 });
    const found = await page.evaluate(() => [
      window.later.query,
      window.later.mode,
      window.later.state.groups.map((group) => group.page),
      window.opened,
    ]);
    assert.deepEqual(found, ['furnace', 'inline', [2], 1]);
  });

  for (const [where, opened] of [
    ['', false],
    [', also where another had opened its bundle', true],
  ])
    it(`The element is freed once the page drops it${where}`, async () => {
      await visit();
      if (opened) {
        await page.evaluate(() => {
          window.element.query = 'clay';
        });
        await done(page, 'clay');
      }
      await page.evaluate(async () => {
        const dropped = window.element.cloneNode();
        document.getElementById('place').append(dropped);
        dropped.query = 'furnace';
        window.dropped = new WeakRef(dropped);
      });
      await page.waitForFunction(() => window.dropped.deref().state.status === 'done', undefined, { timeout: 60_000 });
      await page.evaluate(() => window.dropped.deref().remove());
      for (let i = 0; i < 200 && (await page.evaluate(() => window.dropped.deref() !== undefined)); i++) {
        await page.evaluate(
          () =>
            new Promise((resolve) =>
              setTimeout(() => {
                window.gc();
                resolve();
              }, 20),
            ),
        );
      }
      assert.equal(await page.evaluate(() => window.dropped.deref()), undefined);
    });

  it('The element is as small after 1,000 queries as after ten', async () => {
    await visit({ mode: 'inline' });
    const sizes = await page.evaluate(async () => {
      const hit = (page, passage, query) => ({
        page,
        passage,
        score: 1,
        title: query,
        url: `/${page}`,
        source: `${page}`,
        anchor: '',
        headings: [query],
        snippet: `${query} of a kiln`,
        highlights: [{ start: 0, length: 3 }],
      });
      window.element.library = {
        info: { semantic: false, manifest: {} },
        search: async (query) => ({
          hits: Array.from({ length: 12 }, (_, i) => hit((query.length * 5 + i) >> 1, i, query)),
          corrections: [],
        }),
      };
      window.element.options = { debounce: 0 };
      await window.element.show();
      const nodes = () => {
        const walker = document.createTreeWalker(window.element.shadowRoot);
        let count = 0;
        while (walker.nextNode()) count++;
        return count;
      };
      const found = [];
      for (let i = 0; i < 1000; i++) {
        const query = 'furnace'.slice(0, 3 + (i % 5)) + (i % 7);
        const answered = new Promise((resolve) => {
          const stop = window.element.search.subscribe((state) => {
            if (state.status === 'done' && state.answered === query) {
              stop();
              resolve();
            }
          });
        });
        window.element.query = query;
        await answered;
        await window.element.updateComplete;
        if (i === 34 || i === 994) found.push(nodes()); // the same query
      }
      return found;
    });
    assert.ok(sizes[0] > 100);
    assert.equal(sizes[1], sizes[0]);
  });

  it('A moved element goes on with its query, and follows answers again', async () => {
    await visit({ mode: 'page' });
    await page.locator('sheaf-search input').fill('furnace');
    await done(page, 'furnace');
    await page.evaluate(() => {
      window.element.remove();
      window.element.query = 'certificate';
    });
    await page.evaluate(() => document.querySelector('main').append(window.element));
    await done(page, 'certificate');
    assert.equal(await page.locator('sheaf-search input').inputValue(), 'certificate');
    await page.locator('sheaf-search input').fill('workers');
    await done(page, 'workers');
    assert.ok((await page.getByRole('link', { name: /Page|›/ }).count()) > 0);
  });

  it('The element keeps a failed query in the address, and reports no answer', async () => {
    await visit({ mode: 'page' });
    await page.evaluate(() => {
      const hit = {
        page: 1,
        passage: 1,
        score: 1,
        title: 'A',
        url: '/a',
        source: 'a',
        anchor: '',
        headings: [],
        snippet: '',
        highlights: [],
      };
      window.element.library = {
        info: { semantic: false, manifest: {} },
        search: async (query) => {
          if (query === 'kiln') throw Object.assign(new Error('Bytes were damaged.'), { code: 'CORRUPT' });
          return { hits: [hit], corrections: [] };
        },
      };
      window.element.query = 'furnace';
    });
    await done(page, 'furnace');
    await page.evaluate(() => {
      window.element.query = 'kiln';
    });
    await page.waitForFunction(() => window.element.state.status === 'error', undefined, { timeout: 60_000 });
    assert.equal(await page.evaluate(() => new URLSearchParams(location.search).get('q')), 'kiln', 'loading the page again asks it again');
    assert.deepEqual(await page.evaluate(() => window.events.filter(([name]) => name === 'sheaf-search').map(([, { query }]) => query)), [
      'furnace',
    ]);
  });

  it('The element leaves the page scrollable where its dialog may not show', async () => {
    await visit();
    const found = await page.evaluate(async () => {
      window.element.remove();
      const shown = await window.element.show().then(
        () => 'shown',
        (error) => error.name,
      );
      return [shown, document.documentElement.style.overflow];
    });
    assert.deepEqual(found, ['InvalidStateError', '']);
  });

  it('The element applies the choice in its filters from the beginning', async () => {
    await visit({ mode: 'page', 'a.prefetch': 'none' });
    await page.evaluate(() => {
      const select = document.createElement('select');
      select.slot = 'filters';
      select.setAttribute('aria-label', 'Section');
      select.append(new Option('Everything', ''), new Option('Reference', 'reference/', true, true));
      window.element.append(select);
    });
    await page.locator('sheaf-search input').fill('furnace');
    await done(page, 'furnace');
    assert.deepEqual(
      [...new Set(await page.evaluate(() => window.element.state.groups.map(({ url }) => url.includes('/reference/'))))],
      [true],
    );
    assert.equal(await page.getByLabel('Section').isVisible(), true);
  });

  it('The element searches in a document whose address cannot hold the query', async () => {
    ui.site.settings.csp = '';
    await visit();
    await page.evaluate(() => {
      const frame = document.createElement('iframe');
      frame.srcdoc =
        '<script type="module" src="/dist/browser/ui/index.js"></' +
        'script><sheaf-search mode="page" src="/kiln.sheaf" base="/docs/"></sheaf-search>';
      document.body.append(frame);
    });
    await page.frameLocator('iframe').getByRole('searchbox').fill('furnace');
    assert.match(
      await page.frameLocator('iframe').locator('sheaf-search [part=count]').textContent(),
      /^\d+ sections on \d+ pages for “furnace”$/,
    );
  });
});
