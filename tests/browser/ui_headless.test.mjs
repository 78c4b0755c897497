/** The component's logic without a browser: the store, links, strings, shortcuts. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createSearch, isByWords, fragmentOf, groupHits, hitHref, segments } from '../../dist/browser/ui/headless.js';
import { filterOf } from '../../dist/browser/ui/controllers/filters.js';
import { RecentSearches } from '../../dist/browser/ui/state/recent.js';
import { ariaShortcut, parseShortcuts, shortcutKeys } from '../../dist/browser/ui/state/shortcut.js';

const hit = (page, passage = page, more = {}) => ({
  page,
  passage,
  score: 1 / (passage + 1),
  title: `Page ${page}`,
  url: `https://kiln.example/docs/guide/p${page}`,
  source: `guide/p${page}.md`,
  anchor: '',
  headings: [],
  firstLine: 1,
  lastLine: 1,
  snippet: 'some text',
  highlights: [],
  ...more,
});
const answer = (pages, more = {}) => ({
  hits: pages.map((page) => hit(page)),
  corrections: [],
  matchingPassages: pages.length,
  ignoredWords: 0,
  usedKeyword: true,
  usedSemantic: true,
  ...more,
});
const pagesOf = (search) => search.state.groups.map((group) => group.page);
const tick = (times = 10) =>
  Array.from({ length: times }).reduce((before) => before.then(() => new Promise(setImmediate)), Promise.resolve());

/** A library whose searches are answered by hand: `calls[i].answer(…)` or `.fail(…)`. */
function manual({ semantic = true } = {}) {
  const calls = [];
  const library = {
    info: { semantic, manifest: {} },
    search: (query, options) =>
      new Promise((resolve, reject) => {
        calls.push({
          query,
          ...options,
          answer: (pages, more) => resolve(answer(pages, more)),
          fail: (code) => reject(Object.assign(new Error(code), { code })),
        });
        options.signal.addEventListener('abort', () => reject(Object.assign(new Error('aborted'), { code: 'ABORTED' })));
      }),
  };
  return { library, calls };
}

describe('the store', () => {
  const eager = { debounce: 0, patience: 0 };

  it('The store shows the hits by words first, and then the hybrid list', async () => {
    const { library, calls } = manual();
    const search = createSearch(library, eager);
    const stages = [];
    search.subscribe((state) => stages.push(`${state.status} ${state.stage}`));
    search.setQuery('furnace');
    await tick();
    assert.deepEqual(
      calls.map(({ mode, by }) => `${mode} ${by}`),
      ['keyword passage', 'hybrid passage'],
    );
    calls[0].answer([1, 2]);
    await new Promise((resolve) => search.subscribe((state) => state.stage === 'keyword' && resolve()));
    assert.deepEqual(pagesOf(search), [1, 2]);
    calls[1].answer([3, 1]);
    await tick();
    assert.deepEqual(pagesOf(search), [3, 1]);
    assert.deepEqual([...new Set(stages)], ['opening none', 'searching none', 'searching keyword', 'done final']);
  });

  it('The store skips the hits by words when the hybrid list is as quick', async () => {
    const { library, calls } = manual();
    const search = createSearch(library, { debounce: 0, patience: 60_000 });
    const stages = new Set();
    search.subscribe((state) => stages.add(state.stage));
    search.setQuery('furnace');
    await tick();
    calls[0].answer([1]);
    await tick();
    calls[1].answer([2]);
    await tick();
    assert.deepEqual([...stages], ['none', 'final']);
  });

  it('The store asks once where there is no encoder', async () => {
    const { library, calls } = manual({ semantic: false });
    createSearch(library, eager).setQuery('furnace');
    await tick();
    assert.equal(calls.length, 1);
  });

  it('The store keeps rows in place under the pointer, and shows the best order afterwards', async () => {
    const { library, calls } = manual();
    const search = createSearch(library, eager);
    search.setQuery('furnace');
    await tick();
    calls[0].answer([1, 2]);
    await new Promise((resolve) => search.subscribe((state) => state.stage === 'keyword' && resolve()));
    search.hold(true);
    const before = search.state.groups;
    calls[1].answer([3, 2, 1]);
    await tick();
    assert.deepEqual(pagesOf(search), [1, 2, 3]);
    assert.equal(search.state.groups[0], before[0]);
    search.hold(false);
    assert.deepEqual(pagesOf(search), [3, 2, 1]);
  });

  it('The store aborts a superseded query, and never shows its answer', async () => {
    const { library, calls } = manual({ semantic: false });
    const search = createSearch(library, eager);
    search.setQuery('fur');
    await tick();
    search.setQuery('furnace');
    await tick();
    assert.deepEqual(
      calls.map(({ query, signal }) => [query, signal.aborted]),
      [
        ['fur', true],
        ['furnace', false],
      ],
    );
    calls[1].answer([2]);
    calls[0].answer([1]);
    await tick();
    assert.deepEqual(pagesOf(search), [2]);
    assert.equal(search.state.answered, 'furnace');
  });

  it('The store waits for a pause in typing, but not when told to submit', async () => {
    const { library, calls } = manual({ semantic: false });
    const search = createSearch(library, { debounce: 60_000 });
    for (const query of ['f', 'fu', 'fur']) search.setQuery(query);
    await tick();
    assert.equal(calls.length, 0);
    search.submit();
    await tick();
    assert.deepEqual(
      calls.map(({ query }) => query),
      ['fur'],
    );
    search.dispose();
  });

  it('The store is idle again, and empty, when the query is cleared', async () => {
    const { library, calls } = manual({ semantic: false });
    const search = createSearch(library, eager);
    search.setQuery('furnace');
    await tick();
    calls[0].answer([1]);
    await tick();
    search.setQuery('  ');
    assert.deepEqual([search.state.status, pagesOf(search), search.state.answered], ['idle', [], '']);
  });

  it('The store keeps the hits by words when the rest fails, and retries', async () => {
    const { library, calls } = manual();
    const search = createSearch(library, eager);
    search.setQuery('furnace');
    await tick();
    calls[0].answer([1]);
    calls[1].fail('NETWORK');
    await tick();
    assert.deepEqual(
      [search.state.status, search.state.stage, search.state.error.code, pagesOf(search)],
      ['done', 'keyword', 'NETWORK', [1]],
    );
    assert.ok(isByWords(search.state));
    search.retry();
    assert.ok(isByWords(search.state), 'until meaning answers');
    await tick();
    calls[2].answer([1]);
    calls[3].answer([4]);
    await tick();
    assert.deepEqual([search.state.status, search.state.error, pagesOf(search)], ['done', undefined, [4]]);
    assert.ok(!isByWords(search.state));
  });

  it("The store shows no other query's answer beside an error", async () => {
    const { library, calls } = manual({ semantic: false });
    const search = createSearch(library, eager);
    search.setQuery('one');
    await tick();
    calls[0].answer([1]);
    await tick();
    search.setQuery('two');
    await tick();
    calls[1].fail('NETWORK');
    await tick();
    assert.deepEqual([search.state.status, pagesOf(search)], ['error', []]);
  });

  it('The store opens a library anew, once, when its file was replaced', async () => {
    const opened = [];
    const stale = {
      info: { semantic: false, manifest: {} },
      search: async () => {
        throw Object.assign(new Error('replaced'), { code: 'SOURCE_CHANGED' });
      },
    };
    const { library, calls } = manual({ semantic: false });
    const search = createSearch(({ again }) => {
      opened.push(again);
      return opened.length === 1 ? stale : library;
    }, eager);
    search.setQuery('furnace');
    await tick();
    calls[0].answer([1]);
    await tick();
    assert.deepEqual([opened, pagesOf(search)], [[false, true], [1]]);
    const broken = createSearch(() => {
      opened.push('broken');
      return stale;
    }, eager);
    broken.setQuery('furnace');
    await tick(30);
    assert.deepEqual([opened.slice(2), broken.state.status], [['broken', 'broken'], 'error']);
  });

  it('The store tries to open again after a failure', async () => {
    let tries = 0;
    const { library, calls } = manual({ semantic: false });
    const search = createSearch(() => {
      if (++tries < 3) throw Object.assign(new Error('no'), { code: 'NETWORK' });
      return library;
    }, eager);
    await search.prefetch();
    assert.equal(search.state.status, 'idle', 'a failed prefetch is told with the first query');
    search.setQuery('furnace');
    await tick();
    assert.equal(search.state.status, 'error');
    search.retry();
    await tick();
    calls[0].answer([1]);
    await tick();
    assert.deepEqual(pagesOf(search), [1]);
  });

  it('The store brings more pages on demand, and says whether more exist', async () => {
    const { library, calls } = manual({ semantic: false });
    const search = createSearch(library, { ...eager, pages: 2, passagesPerPage: 1 });
    search.setQuery('furnace');
    await tick();
    assert.equal(calls[0].topK, 6);
    calls[0].answer([1, 2, 3]);
    await tick();
    assert.deepEqual([pagesOf(search), search.state.hasMore], [[1, 2], true]);
    search.more();
    await tick();
    calls[1].answer([1, 2, 3]);
    await tick();
    assert.deepEqual([pagesOf(search), search.state.hasMore], [[1, 2, 3], false]);
  });

  it('The store keeps the better list in place while more of it arrives', async () => {
    const { library, calls } = manual();
    const search = createSearch(library, { ...eager, pages: 2 });
    search.setQuery('furnace');
    await tick();
    calls[0].answer([1, 2, 3]);
    calls[1].answer([3, 2, 1]);
    await tick();
    assert.deepEqual(pagesOf(search), [3, 2]);
    search.more();
    await tick();
    calls[2].answer([1, 2, 3]);
    await tick(50);
    assert.deepEqual(pagesOf(search), [3, 2]);
    calls[3].answer([3, 2, 1]);
    await tick();
    assert.deepEqual(pagesOf(search), [3, 2, 1]);
  });

  it('The store filters hits, and asks for more when too few pages are left', async () => {
    const { library, calls } = manual({ semantic: false });
    const search = createSearch(library, { ...eager, pages: 2 });
    search.configure({ filter: ({ page }) => page % 2 === 0 });
    search.setQuery('furnace');
    await tick();
    calls[0].answer([1, 3, 5, 7, 9, 2]);
    await tick();
    assert.deepEqual(
      calls.map(({ topK }) => topK),
      [6, 24],
    );
    calls[1].answer([1, 3, 5, 7, 9, 2, 4, 6]);
    await tick();
    assert.deepEqual(pagesOf(search), [2, 4]);
  });

  it('The store promises no further pages at the limit of passages', async () => {
    const { library, calls } = manual({ semantic: false });
    const search = createSearch(library, { ...eager, pages: 500, filter: ({ page }) => page < 2 });
    search.setQuery('furnace');
    await tick();
    assert.equal(calls[0].topK, 1000);
    calls[0].answer(Array.from({ length: 1000 }, (_, page) => page));
    await tick();
    assert.deepEqual([pagesOf(search), search.state.hasMore, calls.length], [[0, 1], false, 1]);
  });

  it('The store shows the hits of a changed filter, even under the pointer', async () => {
    const { library, calls } = manual({ semantic: false });
    const search = createSearch(library, eager);
    search.setQuery('furnace');
    await tick();
    calls[0].answer([1, 2]);
    await tick();
    search.hold(true);
    search.configure({ filter: ({ page }) => page === 2 });
    await tick();
    calls[1].answer([1, 2]);
    await tick();
    assert.deepEqual(pagesOf(search), [2]);
  });

  it('The store suggests the corrected query', async () => {
    const { library, calls } = manual({ semantic: false });
    const search = createSearch(library, eager);
    search.setQuery('Certficate clock');
    await tick();
    calls[0].answer([1], { corrections: [{ word: 'certficate', term: 'certificate' }] });
    await tick();
    assert.equal(search.state.suggestion, 'Certificate clock');
  });

  it('The store notifies nobody after dispose', async () => {
    const { library, calls } = manual({ semantic: false });
    const search = createSearch(library, eager);
    let told = 0;
    search.subscribe(() => told++);
    search.setQuery('furnace');
    await tick();
    const before = told;
    search.dispose();
    calls[0].answer([1]);
    await tick();
    assert.equal(told, before);
    assert.equal(calls[0].signal.aborted, true);
  });
});

describe('hits', () => {
  it('Hits are grouped by page, in the order of their best passage', () => {
    const below = (page, passage) => hit(page, passage, { headings: [`Heading ${passage}`] });
    const groups = groupHits([below(1, 10), below(2, 20), below(1, 11), below(1, 12), below(3, 30)], 2, 2);
    assert.deepEqual(
      groups.map((group) => [group.page, group.hits.map(({ passage }) => passage)]),
      [
        [1, [10, 11]],
        [2, [20]],
      ],
    );
  });

  it('Hits are cut into marked and other text, whatever highlights a bundle has', () => {
    const cut = (snippet, highlights) =>
      segments(hit(1, 1, { snippet, highlights }))
        .map(({ text, mark }) => (mark ? `[${text}]` : text))
        .join('');
    assert.equal(cut('a bc d', [{ start: 2, length: 2 }]), 'a [bc] d');
    assert.equal(
      cut('abcdef', [
        { start: 4, length: 90 },
        { start: 1, length: 2 },
        { start: 2, length: 1 },
        { start: -5, length: 2 },
        { start: NaN, length: 1 },
      ]),
      'a[bc]d[ef]',
    );
  });

  it('Hits lead to the hosted documentation, with a text fragment', () => {
    const found = hit(1, 1, { anchor: 'a-b', snippet: 'Top. The clock of the machine, usually', highlights: [{ start: 9, length: 5 }] });
    const base = { base: '/docs/', packedBase: 'https://kiln.example/docs/' };
    assert.equal(
      hitHref(found, base, 'http://localhost/x/'),
      'http://localhost/docs/guide/p1#a-b:~:text=The%20clock%20of%20the%20machine%2C%20usually',
    );
    assert.equal(hitHref(found, { ...base, highlight: false }, 'http://localhost/x/'), 'http://localhost/docs/guide/p1#a-b');
    assert.equal(hitHref(found, { highlight: false }, 'http://localhost/x/'), 'https://kiln.example/docs/guide/p1#a-b');
    assert.equal(hitHref(hit(1, 1, { url: 'guide/x#old' }), { highlight: false }, 'http://localhost/y/'), 'http://localhost/y/guide/x');
    const colon = hit(1, 1, { url: 'https://kiln.example/docs/Help:Contents' });
    assert.equal(
      hitHref(colon, { ...base, highlight: false }, 'http://localhost/x/'),
      'http://localhost/docs/Help:Contents',
      'no scheme, though it looks like one',
    );
    for (const own of ['/docs', 'http://localhost/docs'])
      assert.equal(
        hitHref(found, { ...base, base: own, highlight: false }, 'http://localhost/x/'),
        'http://localhost/docs/guide/p1#a-b',
        own,
      );
  });

  it('Hits highlight whole words within one stretch of text', () => {
    const fragment = (snippet, start, length) => fragmentOf(hit(1, 1, { snippet, highlights: [{ start, length }] }));
    assert.equal(fragment('one useEffectively two. three', 7, 6), 'one useEffectively two');
    assert.equal(fragment('see `ramp` here', 5, 4), 'ramp');
    assert.equal(fragment('nothing', 5, 90), '');
    assert.equal(fragment('a b c d e f g h i', 0, 1), 'a b c d e f');
    assert.equal(fragment('wind\n  the clock\ndaily', 11, 5), 'the clock', 'a line of code is a stretch of its own');
  });

  it('Hits lead to their anchor alone where words would lead elsewhere', () => {
    const marked = { anchor: 'a', snippet: 'Wind the clock', highlights: [{ start: 9, length: 5 }] };
    const hash = (more) => new URL(hitHref(hit(1, 1, { ...marked, ...more }), {}, 'http://localhost/')).hash;
    assert.equal(hash({}), '#a:~:text=Wind%20the%20clock');
    assert.equal(hash({ snippet: 'Wind. The clock', highlights: [{ start: 10, length: 5 }] }), '#a', 'few words may stand anywhere');
    assert.equal(hash({ headingHighlights: [{ start: 0, length: 4 }] }), '#a', 'the name itself was asked for');
    assert.equal(hash({ anchor: '', snippet: 'clock', highlights: [{ start: 0, length: 5 }] }), '#:~:text=clock');
  });

  it('Hits are no links where their address could run code', () => {
    for (const url of [
      'javascript:alert(1)',
      ' java\nscript:alert(1)',
      'data:text/html,x',
      'vbscript:x',
      'blob:http://x/y',
      '//[broken',
      'file:///etc/passwd',
    ]) {
      assert.equal(hitHref(hit(1, 1, { url }), {}, 'http://localhost/'), undefined, url);
    }
    assert.ok(hitHref(hit(1, 1, { url: 'page.html' }), {}, 'file:///docs/index.html').startsWith('file:///docs/page.html'));
  });
});

describe('small parts', () => {
  it('The component reads shortcuts', () => {
    assert.deepEqual(parseShortcuts('mod+k /').map(ariaShortcut), ['Control+K', '/']);
    assert.deepEqual(parseShortcuts('none'), []);
    assert.deepEqual(shortcutKeys(parseShortcuts('mod+shift+f')[0]), ['Ctrl', 'Shift', 'F']);
  });

  it('Recent searches need storage, and tolerate any stored value', () => {
    assert.deepEqual(new RecentSearches('key', 5).list(), []);
    const kept = new Map([['key', '[1,"a",null,""]']]);
    globalThis.localStorage = {
      getItem: (key) => kept.get(key) ?? null,
      setItem: (key, value) => kept.set(key, value),
      removeItem: (key) => kept.delete(key),
    };
    const recent = new RecentSearches('key', 2);
    assert.deepEqual(recent.list(), ['a']);
    for (const query of ['b', ' c ', 'b', '']) recent.add(query);
    assert.deepEqual(recent.list(), ['b', 'c']);
    recent.remove('b');
    assert.deepEqual(recent.list(), ['c']);
    recent.clear();
    assert.equal(kept.size, 0);
    delete globalThis.localStorage;
  });

  it('The component sends no filter when none is chosen', () =>
    assert.equal(
      filterOf([], () => ''),
      undefined,
    ));

  it('The component may be imported on a server', async () => {
    const { SheafSearch, createSearch: create } = await import('../../dist/browser/ui/index.js');
    assert.equal(typeof SheafSearch, 'function');
    assert.equal(typeof create, 'function');
  });
});
