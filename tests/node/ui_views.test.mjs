/** What is seen of each state, from templates of plain data (web/browser/ui/views). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { renderElement } from '../../dist/browser/ui/views/element.js';
import { parseShortcuts } from '../../dist/browser/ui/state/shortcut.js';
import { loadStrings, stringsFor } from '../../dist/browser/ui/words/strings.js';
import { found, hitOf, render, spy, viewOf, withGlobals } from './ui_fakes.mjs';

await loadStrings('ar');
globalThis.document = { baseURI: 'https://kiln.example/docs/' }; // of the page that links are made for

/** Actions that remember what they were asked for. */
const actionsOf = () => ({
  warm: spy(),
  onFocus: spy(),
  onFocusOut: spy(),
  onInput: spy(),
  onComposed: spy(),
  onFilter: spy(),
  onHit: spy(),
  onLink: spy(),
  takeQuery: spy(),
  removeRecent: spy(),
  keys: { onKey: spy(), onListKey: spy(), onPopupKey: spy() },
  choice: { onPointer: spy() },
  modal: { onClose: spy(), onPress: spy(), onDrag: spy() },
  host: { show: spy(), close: spy(), search: { more: spy(), retry: spy() } },
});

/** The element as text; `click` presses what has that part. */
function see(changes) {
  const actions = actionsOf();
  const listeners = [];
  const text = render(renderElement(viewOf(changes), actions), listeners);
  const has = (part) => new RegExp(`part="([\\w-]+ )*${part}[" ]`).test(text);
  /** Of the first control at or within the part. */
  const listenerOf = (part, event) => {
    const [, number] = new RegExp(`part="${part}".*? @${event}="(\\d+)"`).exec(text) ?? [];
    return listeners[Number(number)];
  };
  return { text, has, actions, listenerOf, click: (part) => listenerOf(part, 'click')({}) };
}
const kiln = { query: 'kiln', answered: 'kiln' };

describe('the three modes', () => {
  it('are a button with a dialog, empty while it is closed', () => {
    const closed = see({ opened: false });
    assert.match(closed.text, /<dialog [^>]*aria-label="Search"[^>]*><\/dialog>/);
    assert.match(closed.text, /aria-haspopup="dialog" aria-expanded="false"/);
    const open = see({ opened: true });
    assert.ok(open.has('panel') && open.has('close') && open.has('input'));
    open.click('button');
    open.click('close');
    assert.deepEqual([open.actions.host.show.calls.length, open.actions.host.close.calls.length], [1, 1]);
  });

  it('are a box with a list below it, which hears of Escape and of the focus that goes', () => {
    const closed = see({ mode: 'inline', opened: false });
    assert.ok(closed.has('input') && !closed.has('popup') && !closed.has('close'));
    const open = see({ mode: 'inline' });
    assert.ok(open.has('popup'));
    assert.equal(open.listenerOf('popup', 'keydown'), open.actions.keys.onPopupKey);
    assert.match(open.text, /^<div class="root inline"[^>]*><div @focusout=/);
  });

  it('are a results page, whose box is no combobox', () => {
    const page = see({ mode: 'page', opened: false });
    assert.match(page.text, /^<div class="root page" lang="en"><search>.*<input [^>]*type="search"/);
    assert.ok(!page.text.includes('combobox') && !page.text.includes('<dialog'));
    assert.match(see({ opened: true }).text, /<input [^>]*type="text" [^>]*role="combobox"/);
  });

  it('say one thing to screen readers, at one place', () => {
    for (const changes of [{}, { mode: 'inline' }, { mode: 'inline', opened: false }, { mode: 'page' }]) {
      const { text } = see({ ...changes, announcement: '2 results' });
      assert.equal(text.split('role="status">2 results<').length, 2, JSON.stringify(changes));
    }
  });

  it('tell language and direction, unless the page tells the latter', () => {
    assert.match(see({ ...stringsFor('ar'), direction: 'rtl' }).text, /^<div class="root button" lang="ar" dir="rtl">/);
    assert.match(see({ ...stringsFor('ar'), direction: undefined }).text, /^<div class="root button" lang="ar">/);
  });

  it('show the first shortcut and tell all', (t) => {
    withGlobals(t, { navigator: { platform: 'Linux' } });
    const { text } = see({ shortcuts: parseShortcuts('mod+k /') });
    assert.match(text, /aria-keyshortcuts="Control\+K \/"/);
    assert.match(text, /<span part="shortcut" aria-hidden="true"><kbd part="key">Ctrl<\/kbd><kbd part="key">K<\/kbd><\/span>/);
    assert.ok(!see({ shortcuts: [] }).has('shortcut'));
  });
});

/** Without tags and pictures, each of which becomes a space. */
const plain = (text) =>
  text
    .replace(/<svg.*?<\/svg>|<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();

describe('in the place of hits', () => {
  const only = (seen, part) => {
    const places = ['empty', 'recent', 'loading', 'no-results', 'list'];
    assert.deepEqual(places.filter(seen.has), part === undefined ? [] : [part]);
  };

  it('stands a hint before the first query; on a results page nothing', () => {
    only(see({}), 'empty');
    only(see({ mode: 'page' }));
  });

  it('stand recent searches, which can be taken, forgotten one by one, and all together', () => {
    const seen = see({ recent: ['glaze & <ash>'] });
    only(seen, 'recent');
    assert.match(seen.text, /<bdi>glaze &amp; &lt;ash><\/bdi>/);
    seen.click('recent-query');
    seen.click('recent-remove');
    seen.click('recent-clear');
    assert.deepEqual(seen.actions.takeQuery.calls, [['glaze & <ash>']]);
    assert.deepEqual(seen.actions.removeRecent.calls, [['glaze & <ash>'], []]);
    assert.equal(seen.listenerOf('start', 'keydown'), seen.actions.keys.onListKey);
  });

  it('stands the way to the index, as far as it is known', () => {
    const waiting = see({ state: { query: 'kiln', status: 'opening' } });
    only(waiting, 'loading');
    assert.ok(!waiting.text.includes('<progress'));
    const half = see({ state: { query: 'kiln', status: 'opening', progress: { loaded: 50, total: 100 } } });
    assert.match(half.text, /… 50%.*<progress aria-label="Loading the index…" max="1" \.value="0\.5">/);
    const whole = see({ state: { query: 'kiln', status: 'opening', progress: { loaded: 300, total: 100 } } });
    assert.match(whole.text, /… 100%/);
    const open = see({ state: { query: 'kiln', status: 'searching', progress: { loaded: 50, total: 100 } } });
    assert.ok(!open.text.includes('<progress'));
  });

  it('stands that nothing was found', () => {
    const seen = see({ state: { ...kiln, status: 'done' } });
    only(seen, 'no-results');
    assert.match(seen.text, /No results for “kiln”/);
  });

  it('stands nothing but the trouble that kept them away', () => {
    const offline = see({ state: { query: 'kiln', status: 'offline' } });
    only(offline);
    assert.ok(offline.has('offline'));
    const error = Object.assign(new Error('gone'), { code: 'CORRUPT' });
    const failed = see({ state: { query: 'kiln', status: 'error', error } });
    only(failed);
    assert.match(failed.text, /<p part="error-code">CORRUPT<\/p>/);
    failed.click('retry');
    assert.equal(failed.actions.host.search.retry.calls.length, 1);
    assert.ok(!see({ state: { query: 'kiln', status: 'error', error: new Error('x') } }).has('error-code'));
  });

  it('stand hits, whatever goes on meanwhile', () => {
    for (const status of ['opening', 'searching', 'offline', 'error', 'done']) {
      only(see({ state: { ...found([hitOf()]), status } }), 'list');
    }
  });

  it('is marked as busy while more may come', () => {
    const busy = (status) => /aria-busy="(\w+)"/.exec(see({ state: { ...kiln, status } }).text)[1];
    const all = ['idle', 'opening', 'searching', 'offline', 'error', 'done'];
    assert.deepEqual(
      all.filter((status) => busy(status) === 'true'),
      ['opening', 'searching'],
    );
  });
});

describe('the list', () => {
  const fire = hitOf({ headings: ['Fire'], anchor: 'fire' });
  const slow = hitOf({ headings: ['Fire', 'Slow'], anchor: 'slow' });
  const ash = hitOf({ title: 'Ash', url: 'https://kiln.example/ash.html', source: 'ash.md' });
  const two = found([fire, slow], [ash]);
  /** Rows as text, headers included. */
  const rows = ({ text }) => [...text.matchAll(/<(a|div) class="(?:head|hit)[\w ]*".*?<\/\1>/g)].map(([row]) => plain(row));

  it('is a listbox below a combobox, whose chosen entry the box names', () => {
    const { text, has } = see({ state: two, active: 1 });
    assert.match(text, /aria-expanded="true" aria-controls="list" aria-activedescendant="hit-1"/);
    assert.deepEqual(text.match(/(?<=aria-selected=")\w+/g), ['false', 'true', 'false']);
    assert.ok(has('hit-active'));
    assert.deepEqual(text.match(/(?<=role="group" aria-labelledby=")[\w-]+/g), ['page-0', 'page-2']);
    assert.deepEqual(text.match(/(?<=id=")page-\d/g), ['page-0', 'page-2']);
    assert.ok(!text.includes('<ol'));
  });

  it('is a list of links on a results page, with their number and a way to more', () => {
    const seen = see({ mode: 'page', state: { ...two, hasMore: true }, documentLanguage: 'de' });
    assert.match(seen.text, /<ol class="list " part="list" aria-label="Results" lang="de"/);
    assert.ok(!/role="option"|tabindex|<a [^>]*aria-hidden/.test(seen.text));
    assert.match(seen.text, /<p class="count" part="count">3 sections on 2 pages for “kiln”<\/p>/);
    seen.click('more');
    assert.equal(seen.actions.host.search.more.calls.length, 1);
    assert.ok(!see({ mode: 'page', state: two }).has('more') && !see({ state: { ...two, hasMore: true } }).has('more'));
  });

  it('has a header for each page with its place and title, then a row for each section with the path to it', () => {
    assert.deepEqual(rows(see({ state: two, packedBase: 'https://kiln.example/' })), [
      'guide › Kiln',
      'Kiln › Fire A kiln is hot.',
      'Fire › Slow A kiln is hot.',
      'Ash A kiln is hot.',
    ]);
    const named = hitOf({ ...fire, place: ['The kiln', 'Using it'] });
    assert.equal(rows(see({ state: found([named]) }))[0], 'The kiln › Using it › Kiln');
  });

  it('leads from the header to the top of the page, by the pointer alone where there are options', () => {
    const { text } = see({ state: two });
    assert.match(
      text,
      /<a class="head" part="page" href="https:\/\/kiln\.example\/guide\/kiln\.html" data-top="0" tabindex="-1" aria-hidden="true"/,
    );
    assert.equal(text.split('data-entry').length, 4, 'it is no entry');
  });

  it('has one row for header and hit where that is the top of the page', () => {
    const { text } = see({ state: found([ash, fire]), active: 0, unfolded: 0 });
    assert.equal(text.split('id="page-0"').length, 2);
    assert.match(text, /class="hit head unfolded" part="hit hit-active" id="hit-0"/);
    assert.ok(!text.includes('class="head"'));
  });

  it('shows more of the unfolded row, and of all rows on a results page', () => {
    const looks = (changes) => see({ state: two, ...changes }).text.match(/(?<=class=")hit[\w ]*/g);
    assert.deepEqual(looks({ unfolded: 1 }), ['hit', 'hit unfolded', 'hit head']);
    assert.deepEqual(looks({ mode: 'page' }), ['hit unfolded', 'hit unfolded', 'hit head unfolded']);
  });

  it('shows code with its lines: the one that matched, and four where there is room', () => {
    const snippet = 'from kiln import fire\n\n  def main():\n    with open(f):\n      fire(f)\n    return 0';
    const code = hitOf({ ...fire, kind: 'code', snippet, highlights: [{ start: snippet.indexOf('fire(f)'), length: 4 }] });
    const shown = (changes) => /<code[^>]*>(.*)<\/code>/s.exec(see({ state: found([code]), ...changes }).text)[1];
    assert.equal(shown({}), '<mark part="mark">fire</mark>(f)');
    assert.equal(plain(shown({ unfolded: 0 })), 'def main(): with open(f): fire (f) return 0');
    assert.match(see({ state: found([code]) }).text, /<code class="snippet" part="snippet code" dir="ltr">/);
  });

  it('marks what matched in title, heading and text', () => {
    const all = hitOf({
      headings: ['Fire', 'Slow fire'],
      titleHighlights: [{ start: 0, length: 4 }],
      headingHighlights: [{ start: 5, length: 4 }],
      kind: 'text',
      snippet: 'Kiln is what a kiln is.',
      highlights: [{ start: 15, length: 4 }],
    });
    assert.deepEqual(see({ state: found([all]) }).text.match(/(?<=<mark part="mark">)[^<]*/g), ['Kiln', 'fire', 'kiln']);
  });

  it('keeps markup of documents text, and makes no link of what could run code', () => {
    const hostile = { title: '<img src=x>', url: 'javascript:alert(1)', snippet: '<b>kiln</b>', highlights: [] };
    const { text } = see({ state: found([hitOf(hostile)]) });
    assert.ok(!text.includes('<img') && !text.includes('<b>') && !text.includes('<a '));
    assert.match(text, /<div class="hit head" part="hit"[^>]* aria-disabled="true"/);
    const below = see({ state: found([hitOf({ ...hostile, headings: ['<i>'] })]) }).text;
    assert.ok(!below.includes('<i>') && !below.includes('<a ') && below.includes('<div class="head" part="page">'));
  });

  it('leads where the page wants it to', () => {
    const state = found([hitOf({ anchor: 'a', headings: ['A'] })]);
    const hrefs = (changes) => see({ state, ...changes }).text.match(/(?<=href=")[^"]*/g);
    const page = 'https://kiln.example/guide/kiln.html';
    assert.deepEqual(hrefs({}), [page, `${page}#a:~:text=kiln%20is%20hot`]);
    assert.deepEqual(hrefs({ highlight: 'off' }), [page, `${page}#a`]);
    const urlFor = ({ source, anchor }) => `https://elsewhere.example/${source}/${anchor}`;
    assert.deepEqual(hrefs({ urlFor }), ['https://elsewhere.example/guide/kiln.md/', 'https://elsewhere.example/guide/kiln.md/a']);
  });

  it('tells the bundle of a hit where there are several, and its language', () => {
    const { text } = see({ state: found([hitOf({ label: 'Glaze', lang: 'fr' })]) });
    assert.match(text, /part="group" role="group" lang="fr"/);
    assert.match(text, /<bdi class="label" part="label" lang="">Glaze<\/bdi>/);
  });

  it('has the looks that the page gives, and a name of its own for screen readers', () => {
    const renderer = spy(({ hit, first, crumbs }) => `${hit.title}|${first}|${crumbs.join('>')}`);
    const { text, has } = see({ state: two, renderer, packedBase: 'https://kiln.example/' });
    assert.match(text, />Kiln\|true\|guide&?>?Fire<.*>Kiln\|false\|Fire<.*>Ash\|true\|</);
    assert.match(text, /aria-label="Kiln › Fire › Slow"/);
    assert.ok(!has('page'), 'the header is part of the looks');
    assert.match(see({ state: found([hitOf({ label: 'Glaze' })]), renderer }).text, /aria-label="Glaze: Kiln"/);
  });
});

describe('around the list', () => {
  it('is what the hits answer, where that is not what was typed', () => {
    const hits = found([hitOf()]);
    const seen = see({ state: { ...hits, suggestion: 'kiln fire' } });
    assert.match(seen.text, /<p class="answers" part="suggestion">Showing results for <strong dir="auto">kiln fire<\/strong><\/p>/);
    assert.ok(!see({ state: hits }).has('suggestion'));
    const weak = see({ state: { ...hits, suggestion: 'kiln fire', weak: true } });
    assert.match(weak.text, /<p class="answers" part="weak">No good match for “kiln”. The nearest:<\/p>/);
    assert.ok(!weak.has('suggestion') && weak.text.includes('class="list weak"'));
    assert.ok(!see({ state: { ...kiln, status: 'done', weak: true } }).has('weak'), 'nothing is nothing');
  });

  it('is what the keys do, and how much there is to choose from', (t) => {
    withGlobals(t, { navigator: { platform: 'Linux' } });
    const keys = (changes) => [...see(changes).text.matchAll(/<span class="keys"[^>]*>(.*?)<\/span>/g)].map(([, key]) => plain(key));
    assert.deepEqual(keys({ state: found([hitOf()]) }), ['↵ to open', 'Ctrl ↵ in a new tab', '↑ ↓ to move', 'Esc to close']);
    assert.deepEqual(keys({ recent: ['kiln'] }), ['↑ ↓ to move', 'Esc to close']);
    assert.deepEqual(keys({}), ['Esc to close']);
    assert.match(see({ state: found([hitOf(), hitOf()], [hitOf()]) }).text, /<span part="count">3 sections on 2 pages<\/span>/);
    assert.ok(!see({ state: kiln }).has('count'));
  });

  it('is one height for the dialog, from the first letter on', () => {
    assert.ok(!/<dialog class=/.test(see({}).text));
    for (const status of ['opening', 'searching', 'done', 'error'])
      assert.match(see({ state: { query: 'k', status } }).text, /<dialog class="asked"/);
  });

  it('is a way to clear the box, once there is something in it', () => {
    const seen = see({ state: { query: 'k', status: 'searching' } });
    seen.click('clear');
    assert.deepEqual(seen.actions.takeQuery.calls, [['']]);
    assert.ok(!see({}).has('clear'));
  });

  it('are controls that narrow the search, where there are some', () => {
    assert.match(see({}).text, /role="group" aria-label="Filters" hidden class="bar" part="filters"/);
    const seen = see({ has: (slot) => slot === 'filters', bars: ['scope', 'facets'] });
    assert.match(seen.text, /role="group" aria-label="Filters" class="bar" part="filters"/);
    assert.match(seen.text, /scopefacets/);
  });

  it('is a footer with the page of all results, which small screens leave out where it has nothing to say', () => {
    assert.match(see({ state: kiln }).text, /<div class="footer bare" part="footer">/);
    assert.match(see({ state: kiln, has: (slot) => slot === 'footer' }).text, /<div class="footer " part="footer">/);
    const { text } = see({ state: kiln, resultsUrl: '/all', param: 's' });
    assert.match(text, /<div class="footer " part="footer">/);
    assert.match(text, /<a part="all-results" href="https:\/\/kiln\.example\/all\?s=kiln">All results<\/a>/);
    assert.ok(!see({ mode: 'page', state: kiln, resultsUrl: '/all' }).has('footer'));
  });
});
