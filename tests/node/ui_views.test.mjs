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
  it('The three modes include a button with a dialog, empty while it is closed', () => {
    const closed = see({ opened: false });
    assert.match(closed.text, /<dialog [^>]*aria-label="Search"[^>]*><\/dialog>/);
    assert.match(closed.text, /aria-haspopup="dialog" aria-expanded="false"/);
    const open = see({ opened: true });
    assert.ok(open.has('panel') && open.has('close') && open.has('input'));
    open.click('button');
    open.click('close');
    assert.deepEqual([open.actions.host.show.calls.length, open.actions.host.close.calls.length], [1, 1]);
  });

  it('The three modes include a box with a list, which hears of Escape and blur', () => {
    const closed = see({ mode: 'inline', opened: false });
    assert.ok(closed.has('input') && !closed.has('popup') && !closed.has('close'));
    const open = see({ mode: 'inline' });
    assert.ok(open.has('popup'));
    assert.equal(open.listenerOf('popup', 'keydown'), open.actions.keys.onPopupKey);
    assert.match(open.text, /^<div class="root inline"[^>]*><div @focusout=/);
  });

  it('The three modes include a results page, whose box is no combobox', () => {
    const page = see({ mode: 'page', opened: false });
    assert.match(page.text, /^<div class="root page" lang="en"><search>.*<input [^>]*type="search"/);
    assert.ok(!page.text.includes('combobox') && !page.text.includes('<dialog'));
    assert.match(see({ opened: true }).text, /<input [^>]*type="text" [^>]*role="combobox"/);
  });

  it('The three modes say one thing to screen readers, at one place', () => {
    for (const changes of [{}, { mode: 'inline' }, { mode: 'inline', opened: false }, { mode: 'page' }]) {
      const { text } = see({ ...changes, announcement: '2 results' });
      assert.equal(text.split('role="status">2 results<').length, 2, JSON.stringify(changes));
    }
  });

  it('The three modes tell language, and direction unless the page does', () => {
    assert.match(see({ ...stringsFor('ar'), direction: 'rtl' }).text, /^<div class="root button" lang="ar" dir="rtl">/);
    assert.match(see({ ...stringsFor('ar'), direction: undefined }).text, /^<div class="root button" lang="ar">/);
  });

  it('The three modes show the first shortcut and announce all', (t) => {
    withGlobals(t, { navigator: { platform: 'Linux' } });
    const { text } = see({ shortcuts: parseShortcuts('mod+k /') });
    assert.match(text, /aria-keyshortcuts="Control\+K \/"/);
    assert.match(text, /<span part="shortcut" dir="ltr" aria-hidden="true"><kbd part="key">Ctrl<\/kbd><kbd part="key">K<\/kbd><\/span>/);
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

  it('A hint stands before the first query; a results page has none', () => {
    only(see({}), 'empty');
    only(see({ mode: 'page' }));
  });

  it('Recent searches can be taken, or forgotten one by one or all together', () => {
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

  it('The way to the index stands in the place of hits, as far as known', () => {
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

  it('An empty result is reported in the place of hits', () => {
    const seen = see({ state: { ...kiln, status: 'done' } });
    only(seen, 'no-results');
    assert.match(seen.text, /No results for “kiln”/);
  });

  it('The trouble alone stands in the place of missing hits', () => {
    const offline = see({ state: { query: 'kiln', status: 'offline' } });
    only(offline);
    assert.ok(offline.has('offline'));
    const error = Object.assign(new Error('gone'), { code: 'CORRUPT' });
    const failed = see({ state: { query: 'kiln', status: 'error', error } });
    only(failed);
    assert.match(failed.text, /The search could not be completed\./);
    assert.ok(!failed.text.includes('CORRUPT'), 'codes are for programs');
    failed.click('retry');
    assert.equal(failed.actions.host.search.retry.calls.length, 1);
  });

  it('Hits stay in their place, whatever goes on meanwhile', () => {
    for (const status of ['opening', 'searching', 'offline', 'error', 'done']) {
      only(see({ state: { ...found([hitOf()]), status } }), 'list');
    }
  });

  it('The place of hits is marked as busy while more may come', () => {
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
  const ash = hitOf({ place: [], title: 'Ash', url: 'https://kiln.example/ash.html', source: 'ash.md' });
  const two = found([fire, slow], [ash]);
  /** Rows as text, headers included. */
  const rows = ({ text }) => [...text.matchAll(/<(a|div) class="(?:head|hit)[\w ]*".*?<\/\1>/g)].map(([row]) => plain(row));

  it('The list is a listbox below a combobox, whose chosen entry the box names', () => {
    const { text, has } = see({ state: two, active: 1 });
    assert.match(text, /aria-expanded="true" aria-controls="list" aria-activedescendant="hit-1"/);
    assert.deepEqual(text.match(/(?<=aria-selected=")\w+/g), ['false', 'true', 'false']);
    assert.ok(has('hit-active'));
    assert.deepEqual(text.match(/(?<=role="group" aria-labelledby=")[\w-]+/g), ['page-0', 'page-2']);
    assert.deepEqual(text.match(/(?<=id=")page-\d/g), ['page-0', 'page-2']);
    assert.ok(!text.includes('<ol'));
  });

  it('The results page lists links, with their number and a way to more', () => {
    const seen = see({ mode: 'page', state: { ...two, hasMore: true }, documentLanguage: 'de' });
    assert.match(seen.text, /<ol class="list " part="list" aria-label="Results" lang="de"/);
    assert.ok(!/role="option"|tabindex|<a [^>]*aria-hidden/.test(seen.text));
    assert.match(seen.text, /<p class="count" part="count">3 sections on 2 pages for “kiln”<\/p>/);
    seen.click('more');
    assert.equal(seen.actions.host.search.more.calls.length, 1);
    assert.ok(!see({ mode: 'page', state: two }).has('more') && !see({ state: { ...two, hasMore: true } }).has('more'));
  });

  it('The list has a header per page, then a row per section', () => {
    assert.deepEqual(rows(see({ state: two, packedBase: 'https://kiln.example/' })), [
      'guide › Kiln',
      'Kiln › Fire A kiln is hot.',
      'Fire › Slow A kiln is hot.',
      'Ash A kiln is hot.',
    ]);
    const named = hitOf({ ...fire, place: ['The kiln', 'Using it'] });
    assert.equal(rows(see({ state: found([named]) }))[0], 'The kiln › Using it › Kiln');
  });

  it("The list's header leads to the top of the page, by pointer alone among options", () => {
    const { text } = see({ state: two });
    assert.match(
      text,
      /<a class="head" part="page" href="https:\/\/kiln\.example\/guide\/kiln\.html" data-top="0" tabindex="-1" aria-hidden="true"/,
    );
    assert.equal(text.split('data-entry').length, 4, 'it is no entry');
  });

  it('The list has one row for header and hit at the top of the page', () => {
    const { text } = see({ state: found([ash, fire]), active: 0, unfolded: 0 });
    assert.equal(text.split('id="page-0"').length, 2);
    assert.match(text, /class="hit head unfolded" part="hit hit-active" id="hit-0"/);
    assert.ok(!text.includes('class="head"'));
  });

  it("The list shows more of the unfolded row, and of a results page's rows", () => {
    const looks = (changes) => see({ state: two, ...changes }).text.match(/(?<=class=")hit[\w ]*/g);
    assert.deepEqual(looks({ unfolded: 1 }), ['hit', 'hit unfolded', 'hit head']);
    assert.deepEqual(looks({ mode: 'page' }), ['hit unfolded', 'hit unfolded', 'hit head unfolded']);
  });

  it('The list shows kind and signature of a symbol in the place of its text', () => {
    const symbol = { kind: 'method', deprecated: false, name: 'Kiln.fire', signature: 'fire(hours=8)' };
    const shown = see({ state: found([hitOf({ ...fire, symbol })]) });
    assert.ok(shown.has('symbol') && shown.has('kind'));
    assert.match(shown.text, /<code class="snippet"[^>]*><b part="kind">method<\/b> fire\(hours=8\)<\/code>/);
    const old = see({ state: found([hitOf({ ...fire, symbol: { ...symbol, deprecated: true } })]) });
    assert.match(old.text, /<b part="kind">deprecated method<\/b> fire\(hours=8\)/);
    const bare = see({ state: found([hitOf({ ...fire, symbol: { ...symbol, signature: '' } })]) });
    assert.match(bare.text, /<b part="kind">method<\/b> Kiln\.fire</);
  });

  it('The list shows code with its lines: the matched one, and four where they fit', () => {
    const snippet = 'from kiln import fire\n\n  def main():\n    with open(f):\n      fire(f)\n    return 0';
    const code = hitOf({ ...fire, kind: 'code', snippet, highlights: [{ start: snippet.indexOf('fire(f)'), length: 4 }] });
    const shown = (changes) => /<code[^>]*>(.*)<\/code>/s.exec(see({ state: found([code]), ...changes }).text)[1];
    assert.equal(shown({}), '<mark part="mark">fire</mark>(f)');
    assert.equal(plain(shown({ unfolded: 0 })), 'def main(): with open(f): fire (f) return 0');
    assert.match(see({ state: found([code]) }).text, /<code class="snippet" part="snippet code" dir="ltr">/);
  });

  it('The list marks the matches in title, heading and text', () => {
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

  it("The list keeps documents' markup as text, and makes no unsafe link", () => {
    const hostile = { title: '<img src=x>', url: 'javascript:alert(1)', snippet: '<b>kiln</b>', highlights: [] };
    const { text } = see({ state: found([hitOf(hostile)]) });
    assert.ok(!text.includes('<img') && !text.includes('<b>') && !text.includes('<a '));
    assert.match(text, /<div class="hit head" part="hit"[^>]* aria-disabled="true"/);
    const below = see({ state: found([hitOf({ ...hostile, headings: ['<i>'] })]) }).text;
    assert.ok(!below.includes('<i>') && !below.includes('<a ') && below.includes('<div class="head" part="page">'));
  });

  it('The list leads where the page wants it to', () => {
    const state = found([hitOf({ anchor: 'a', headings: ['A'] })]);
    const hrefs = (changes) => see({ state, ...changes }).text.match(/(?<=href=")[^"]*/g);
    const page = 'https://kiln.example/guide/kiln.html';
    assert.deepEqual(hrefs({}), [page, `${page}#a:~:text=A%20kiln%20is%20hot`]);
    assert.deepEqual(hrefs({ highlight: 'off' }), [page, `${page}#a`]);
    const urlFor = ({ source, anchor }) => `https://elsewhere.example/${source}/${anchor}`;
    assert.deepEqual(hrefs({ urlFor }), ['https://elsewhere.example/guide/kiln.md/', 'https://elsewhere.example/guide/kiln.md/a']);
  });

  it("The list names a hit's bundle among several, and its language", () => {
    const { text } = see({ state: found([hitOf({ label: 'Glaze', lang: 'fr' })]) });
    assert.match(text, /part="group" role="group" lang="fr"/);
    assert.match(text, /<bdi class="label" part="label" lang="">Glaze<\/bdi>/);
  });

  it("The list has the page's looks, and a screen reader name of its own", () => {
    const renderer = spy(({ hit, first, crumbs }) => `${hit.title}|${first}|${crumbs.join('>')}`);
    const { text, has } = see({ state: two, renderer, packedBase: 'https://kiln.example/' });
    assert.match(text, />Kiln\|true\|guide&?>?Fire<.*>Kiln\|false\|Fire<.*>Ash\|true\|</);
    assert.match(text, /aria-label="Kiln › Fire › Slow"/);
    assert.ok(!has('page'), 'the header is part of the looks');
    assert.match(see({ state: found([hitOf({ label: 'Glaze' })]), renderer }).text, /aria-label="Glaze: Kiln"/);
  });
});

describe('around the list', () => {
  it('The dialog names the query that the hits answer, when another was typed', () => {
    const hits = found([hitOf()]);
    const seen = see({ state: { ...hits, suggestion: 'kiln fire' } });
    assert.match(seen.text, /<p class="answers" part="suggestion">Showing results for <strong dir="auto">kiln fire<\/strong><\/p>/);
    assert.ok(!see({ state: hits }).has('suggestion'));
    const weak = see({ state: { ...hits, suggestion: 'kiln fire', weak: true } });
    assert.match(weak.text, /<p class="answers" part="weak">No good match for “kiln”. The nearest:<\/p>/);
    assert.ok(!weak.has('suggestion') && weak.text.includes('class="list weak"'));
    assert.ok(!see({ state: { ...kiln, status: 'done', weak: true } }).has('weak'), 'nothing is nothing');
  });

  it('The dialog names the keys, and the number of choices', (t) => {
    withGlobals(t, { navigator: { platform: 'Linux' } });
    const keys = (changes) => [...see(changes).text.matchAll(/<span class="keys"[^>]*>(.*?)<\/span>/g)].map(([, key]) => plain(key));
    assert.deepEqual(keys({ state: found([hitOf()]) }), ['↵ to open', 'Ctrl ↵ in a new tab', '↑ ↓ to move', 'Esc to close']);
    assert.match(
      see({ state: found([hitOf()]) }).text,
      /<bdi dir="ltr"><kbd>Ctrl<\/kbd>\s*<kbd>↵<\/kbd><\/bdi>/,
      'also from right to left',
    );
    assert.deepEqual(keys({ recent: ['kiln'] }), ['↑ ↓ to move', 'Esc to close']);
    assert.deepEqual(keys({}), ['Esc to close']);
    assert.match(see({ state: found([hitOf(), hitOf()], [hitOf()]) }).text, /<span part="count">3 sections on 2 pages<\/span>/);
    assert.ok(!see({ state: kiln }).has('count'));
  });

  it('The dialog has one height from the first letter on', () => {
    assert.ok(!/<dialog class=/.test(see({}).text));
    for (const status of ['opening', 'searching', 'done', 'error'])
      assert.match(see({ state: { query: 'k', status } }).text, /<dialog class="asked"/);
  });

  it('A way to clear the box appears once it has text', () => {
    const seen = see({ state: { query: 'k', status: 'searching' } });
    seen.click('clear');
    assert.deepEqual(seen.actions.takeQuery.calls, [['']]);
    assert.ok(!see({}).has('clear'));
  });

  it('Controls that narrow the search appear around the list, where given', () => {
    assert.match(see({}).text, /role="group" aria-label="Filters" hidden class="bar" part="filters"/);
    const seen = see({ has: (slot) => slot === 'filters', bars: ['scope', 'facets'] });
    assert.match(seen.text, /role="group" aria-label="Filters" class="bar" part="filters"/);
    assert.match(seen.text, /scopefacets/);
  });

  it('A footer links the page of all results, and small screens omit an empty one', () => {
    assert.match(see({ state: kiln }).text, /<div class="footer bare" part="footer">/);
    assert.match(see({ state: kiln, has: (slot) => slot === 'footer' }).text, /<div class="footer " part="footer">/);
    const { text } = see({ state: kiln, resultsUrl: '/all', param: 's' });
    assert.match(text, /<div class="footer " part="footer">/);
    assert.match(text, /<a part="all-results" href="https:\/\/kiln\.example\/all\?s=kiln">All results<\/a>/);
    assert.ok(!see({ mode: 'page', state: kiln, resultsUrl: '/all' }).has('footer'));
  });
});
