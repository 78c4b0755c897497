/** What a reader does, with a plain object in place of the element (web/browser/ui/controllers/reader.ts). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Reader } from '../../dist/browser/ui/controllers/reader.js';
import { IDLE_STATE } from '../../dist/browser/ui/state/search.js';
import { found, hitOf, spy, withGlobals } from './ui_fakes.mjs';

/** Recent searches are `kept` in storage; `events` are all that the page was told. */
function element(t, { kept = [], agent = 'Firefox', ...changes } = {}) {
  const storage = new Map([['sheaf-recent', JSON.stringify(kept)]]);
  const localStorage = {
    getItem: (key) => storage.get(key) ?? null,
    setItem: (key, value) => storage.set(key, value),
    removeItem: (key) => storage.delete(key),
  };
  const history = { state: 7, replaceState: spy() };
  const location = new URL('https://kiln.example/?q=old#top');
  withGlobals(t, {
    localStorage,
    history,
    location,
    document: { querySelector: () => null },
    navigator: { userAgent: agent, platform: 'Linux' },
  });
  const host = Object.assign(new EventTarget(), {
    mode: 'button',
    opened: false,
    active: -1,
    param: 'q',
    resultsUrl: undefined,
    state: IDLE_STATE,
    prefetch: 'focus',
    recent: 5,
    recentKey: 'sheaf-recent',
    filter: undefined,
    updateComplete: Promise.resolve(),
    input: { focus: spy(), blur: spy(), select: spy() },
    shadowRoot: null,
    renderRoot: { querySelectorAll: () => [], contains: (node) => node === 'within' },
    contains: (node) => node === 'slotted',
    search: { setQuery: spy(), submit: spy(), hold: spy(), prefetch: spy(async () => {}), library: undefined },
    requestUpdate: spy(),
    show: spy(),
    close: spy(),
    ...changes,
  });
  const events = [];
  for (const name of ['sheaf-select', 'sheaf-toggle']) host.addEventListener(name, (event) => events.push(event));
  const stored = () => JSON.parse(storage.get('sheaf-recent') ?? '[]');
  return { host, events, history, reader: new Reader(host), stored };
}

describe('typing', () => {
  const input = (value, more = {}) => ({ isComposing: false, data: value.at(-1) ?? null, target: { value }, ...more });
  const asked = ({ host }) => host.search.setQuery.calls.map(([query]) => query);

  it('Typing searches for the text of the box', (t) => {
    const box = element(t);
    box.reader.onInput(input('ki'));
    assert.deepEqual(asked(box), ['ki']);
  });

  it('Typing waits for an input method, except in Hangul and on Android', (t) => {
    const box = element(t);
    box.reader.onInput(input('か', { isComposing: true }));
    assert.deepEqual(asked(box), []);
    box.reader.onInput(input('가', { isComposing: true }));
    box.reader.onComposed({ target: { value: '窯' } });
    assert.deepEqual(asked(box), ['가', '窯']);
    const phone = element(t, { agent: 'Mozilla/5.0 (Linux; Android 14)' });
    phone.reader.onInput(input('kil', { isComposing: true }));
    assert.deepEqual(asked(phone), ['kil']);
  });

  it('Typing opens the list of an inline box alone', (t) => {
    const [inline, dialog] = [element(t, { mode: 'inline' }), element(t)];
    inline.reader.setQuery('k');
    dialog.reader.setQuery('k');
    assert.deepEqual([inline.host.opened, dialog.host.opened], [true, false]);
  });

  it("An empty box takes the query from a results page's address", (t) => {
    const { history, reader } = element(t, { mode: 'page' });
    reader.setQuery('k');
    assert.equal(history.replaceState.calls.length, 0);
    reader.setQuery('');
    const written = history.replaceState.calls.map(([state, , url]) => [state, String(url)]);
    assert.deepEqual(written, [[7, 'https://kiln.example/#top']]);
  });
});

describe('recent searches', () => {
  it('Recent searches are offered without a query, as last looked up', (t) => {
    const { host, reader } = element(t, { kept: ['kiln', 'glaze'] });
    assert.deepEqual(reader.recent, []);
    reader.readRecent();
    assert.deepEqual(reader.recent, ['kiln', 'glaze']);
    host.state = { ...IDLE_STATE, query: 'a' };
    assert.deepEqual(reader.recent, []);
    host.state = { ...IDLE_STATE, query: '  ' };
    assert.deepEqual(reader.recent, ['kiln', 'glaze']);
  });

  it('Recent searches are looked up when the box is emptied', (t) => {
    const { reader } = element(t, { kept: ['kiln'] });
    reader.setQuery('');
    assert.deepEqual(reader.recent, ['kiln']);
  });

  it('Recent searches are forgotten singly or together, and the focus stays', (t) => {
    const { host, reader, stored } = element(t, { kept: ['kiln', 'glaze', 'ash'] });
    reader.removeRecent('glaze');
    assert.deepEqual(
      [reader.recent, stored()],
      [
        ['kiln', 'ash'],
        ['kiln', 'ash'],
      ],
    );
    reader.removeRecent();
    assert.deepEqual([reader.recent, stored()], [[], []]);
    assert.deepEqual([host.input.focus.calls.length, host.requestUpdate.calls.length], [2, 2]);
  });

  it('Recent searches are asked at once when taken', (t) => {
    const { host, reader } = element(t);
    reader.takeQuery('kiln');
    assert.deepEqual([host.search.submit.calls, host.input.focus.calls.length], [[['kiln']], 1]);
  });
});

describe('following a hit', () => {
  const link = (entry) => ({ dataset: { entry: String(entry) }, href: `https://kiln.example/${entry}` });
  const [first, second] = [hitOf(), hitOf({ title: 'Ash' })];
  const state = { ...IDLE_STATE, ...found([first], [second]) };
  const withHits = (t, changes) => element(t, { opened: true, state, ...changes });
  const modifiers = { ctrlKey: false, metaKey: false, shiftKey: false };
  const click = (more) => ({ currentTarget: link(1), ...modifiers, button: 0, preventDefault: spy(), ...more });

  it('Following a hit reports it to the page, keeps the query, and closes', (t) => {
    const { events, host, reader, stored } = withHits(t);
    const event = click();
    reader.onHit(event);
    const told = { hit: second, query: 'kiln', url: 'https://kiln.example/1', newTab: false };
    assert.deepEqual(
      events.map(({ detail }) => detail),
      [told],
    );
    assert.deepEqual([stored(), host.close.calls.length, event.preventDefault.calls.length], [['kiln'], 1, 0]);
  });

  it('Following a hit in a new tab leaves the search open', (t) => {
    for (const how of [{ ctrlKey: true }, { metaKey: true }, { shiftKey: true }, { button: 1 }]) {
      const { events, host, reader } = withHits(t);
      reader.onHit(click(how));
      assert.deepEqual([events[0].detail.newTab, host.close.calls.length], [true, 0], JSON.stringify(how));
    }
  });

  it('Following a hit leaves a results page as it is', (t) => {
    const { host, reader } = withHits(t, { mode: 'page' });
    reader.onHit(click());
    assert.equal(host.close.calls.length, 0);
  });

  it('Following a hit ends where the page prevents it, or the hit has gone', (t) => {
    const { host, reader } = withHits(t);
    host.addEventListener('sheaf-select', (event) => event.preventDefault());
    const events = [click(), click({ currentTarget: link(9) })];
    events.forEach(reader.onHit);
    assert.deepEqual(
      events.map(({ preventDefault }) => preventDefault.calls.length),
      [1, 1],
    );
    assert.equal(host.close.calls.length, 0);
  });
});

describe('reaching for the search', () => {
  it('Reaching for the search opens the library ahead, unless the page declines', (t) => {
    for (const [prefetch, times] of [
      ['focus', 1],
      ['idle', 1],
      ['none', 0],
    ]) {
      const { host, reader } = element(t, { prefetch });
      reader.warm();
      assert.equal(host.search.prefetch.calls.length, times, prefetch);
    }
  });

  it("Reaching for the search by focus opens an inline box's list, once", (t) => {
    const shown = (changes) => {
      const { host, reader } = element(t, changes);
      reader.onFocus();
      return host.show.calls.length;
    };
    assert.equal(shown({ mode: 'inline' }), 1);
    assert.deepEqual([shown({ mode: 'inline', opened: true }), shown({}), shown({ mode: 'page' })], [0, 0, 0]);
  });

  it('Reaching for the search ends when the focus goes elsewhere on the page', (t) => {
    const { host, reader } = element(t, { mode: 'inline', opened: true });
    for (const relatedTarget of [null, 'within', 'slotted']) reader.onFocusOut({ relatedTarget });
    assert.equal(host.close.calls.length, 0);
    reader.onFocusOut({ relatedTarget: 'elsewhere' });
    assert.equal(host.close.calls.length, 1);
  });
});

describe('controls that the page puts into the slot of filters', () => {
  class Select {
    name = 'section';
    constructor(value) {
      this.selectedOptions = [{ value }];
    }
    matches() {
      return true;
    }
    querySelectorAll() {
      return [];
    }
  }
  const change = (type, value) => ({ type, currentTarget: { assignedElements: () => [new Select(value)] } });

  it("Controls in the filters' slot narrow the search by paths below the base URL", (t) => {
    withGlobals(t, { HTMLSelectElement: Select });
    const library = { info: { manifest: { base_url: 'https://kiln.example/' } } };
    const { host, reader } = element(t);
    host.search.library = library;
    reader.onFilter(change('change', 'guide/'));
    const other = hitOf({ url: 'https://kiln.example/api/kiln.html', source: 'api/kiln.md' });
    assert.deepEqual([hitOf(), other].map(host.filter), [true, false]);
    reader.onFilter(change('change', ''));
    assert.equal(host.filter, undefined);
  });

  it("Controls in the filters' slot yield to the page's filter until the reader changes them", (t) => {
    withGlobals(t, { HTMLSelectElement: Select });
    const own = () => true;
    const { host, reader } = element(t, { filter: own });
    reader.onFilter(change('slotchange', 'guide/'));
    assert.equal(host.filter, own);
    reader.onFilter(change('change', 'guide/'));
    assert.notEqual(host.filter, own);
  });
});
