/** Keys of the component, with plain objects in place of the element and its browser (web/browser/ui/controllers/keys.ts). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Choice } from '../../dist/browser/ui/controllers/choice.js';
import { Keys } from '../../dist/browser/ui/controllers/keys.js';
import { spy, withGlobals } from './ui_fakes.mjs';

class Link {
  href = 'https://kiln.example/kiln';
  focus = spy();
  click = spy();
}

/** A box with three hits, the first of them chosen; `changes` are those of the host. `recent` are offered in place of hits. */
function box(t, { recent = [], touch = false, entries = 3, platform = 'Linux', state, ...changes } = {}) {
  const window = { open: spy() };
  const location = { assign: spy() };
  const matchMedia = () => ({ matches: touch });
  const document = { baseURI: 'https://kiln.example/docs/' };
  withGlobals(t, { HTMLAnchorElement: Link, window, location, matchMedia, navigator: { platform }, document });
  const links = Array.from({ length: entries }, () => new Link());
  const host = {
    mode: 'button',
    opened: true,
    active: -1,
    param: 'q',
    resultsUrl: undefined,
    state: { query: 'kiln', answered: 'kiln', count: recent.length > 0 ? 0 : entries, ...state },
    input: { focus: spy(), blur: spy() },
    search: { submit: spy(), hold: spy() },
    show: spy(),
    close: spy(),
    ...changes,
  };
  const actions = {
    recent,
    entries: () => links,
    setQuery: spy(),
    removeRecent: spy(),
    select: spy(() => true),
    choice: new Choice(host),
  };
  if (changes.active === undefined) actions.choice.point(-1);
  const keys = new Keys(host, actions);
  const eventOf = (key, more) => ({ key, isComposing: false, keyCode: 0, defaultPrevented: false, preventDefault: spy(), ...more });
  /** Whether the key was taken. */
  const press = (key, more = {}) => {
    const event = eventOf(key, more);
    keys.onKey(event);
    return event.preventDefault.calls.length > 0;
  };
  const pressOn = (index, key, more = {}) => {
    const event = eventOf(key, { target: { closest: () => links[index] ?? null }, ...more });
    keys.onListKey(event);
    return event.preventDefault.calls.length > 0;
  };
  return { host, actions, keys, links, press, pressOn, window, location };
}

describe('arrows over hits below a box', () => {
  it('Arrows over hits go around the ends, and leave the focus', (t) => {
    const { host, links, press } = box(t);
    const way = ['ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowUp'].map((key) => (press(key), host.active));
    assert.deepEqual(way, [1, 2, 0, 1, 0]);
    assert.ok(links.every(({ focus }) => focus.calls.length === 0));
  });

  it('Arrows belong to the caret where the list has no entry', (t) => {
    assert.equal(box(t, { entries: 0 }).press('ArrowDown'), false);
  });

  it('Arrows open the list of an inline box', (t) => {
    const { host, press } = box(t, { mode: 'inline', opened: false });
    press('ArrowDown');
    assert.equal(host.show.calls.length, 1);
    assert.equal(host.active, 0);
  });

  it("Ctrl+N and Ctrl+P are arrows too, on Apple's systems alone", (t) => {
    const apple = box(t, { platform: 'MacIntel' });
    assert.ok(['n', 'n', 'p'].every((key) => apple.press(key, { ctrlKey: true })));
    assert.equal(apple.host.active, 1);
    const other = box(t);
    assert.equal(other.press('n', { ctrlKey: true }), false);
  });

  it('Home and End belong to the caret until a choice, and with Shift', (t) => {
    const { host, press } = box(t);
    assert.equal(press('End'), false);
    press('ArrowDown');
    assert.ok(press('End'));
    assert.equal(host.active, 2);
    assert.equal(press('Home', { shiftKey: true }), false);
    assert.ok(press('Home'));
    assert.equal(host.active, 0);
  });
});

describe('arrows over links of a results page', () => {
  it('Arrows over links take the focus along, stop at the last, and lead back', (t) => {
    const { host, links, pressOn } = box(t, { mode: 'page' });
    pressOn(1, 'ArrowDown');
    pressOn(2, 'ArrowDown');
    assert.deepEqual([host.active, links[2].focus.calls.length], [2, 2]);
    pressOn(0, 'ArrowUp');
    assert.deepEqual([host.active, host.input.focus.calls.length], [-1, 1]);
  });

  it('Arrows over links leave Enter and Tab to the links', (t) => {
    const { pressOn } = box(t, { mode: 'page' });
    assert.deepEqual([pressOn(1, 'Enter'), pressOn(1, 'Tab')], [false, false]);
  });
});

describe('recent searches', () => {
  const offered = { state: { query: '', answered: '' }, recent: ['kiln', 'glaze', 'ash'] };

  it('Delete forgets a recent search', (t) => {
    const { actions, pressOn } = box(t, offered);
    assert.ok(pressOn(1, 'Delete'));
    assert.deepEqual(actions.removeRecent.calls, [['glaze']]);
  });

  it('Recent searches give letters to the box, and keep shortcuts', (t) => {
    const { host, pressOn } = box(t, offered);
    assert.equal(pressOn(1, 'a'), false, 'the letter arrives');
    assert.equal(host.input.focus.calls.length, 1);
    pressOn(1, 'c', { ctrlKey: true });
    assert.equal(host.input.focus.calls.length, 1);
  });

  it('Recent searches keep Delete for themselves: hits do not go', (t) => {
    const { actions, pressOn } = box(t, { mode: 'page' });
    assert.equal(pressOn(1, 'Delete'), false);
    assert.equal(actions.removeRecent.calls.length, 0);
  });
});

describe('Enter', () => {
  it('Enter follows the chosen hit', (t) => {
    const { links, press } = box(t);
    press('ArrowDown');
    press('ArrowDown');
    assert.ok(press('Enter'));
    assert.deepEqual(
      links.map(({ click }) => click.calls.length),
      [0, 0, 1],
    );
  });

  it('Enter follows the best hit of a finished search', (t) => {
    const { links, press } = box(t);
    press('Enter');
    assert.equal(links[0].click.calls.length, 1);
  });

  it("Enter asks at once while the answer is another query's", (t) => {
    const { host, links, press } = box(t, { state: { query: 'kilns', answered: 'kiln' } });
    press('Enter');
    assert.deepEqual([host.search.submit.calls.length, links[0].click.calls.length], [1, 0]);
  });

  it('Enter leads to the page of all results when there are no hits', (t) => {
    const { location, press } = box(t, { resultsUrl: '/all', entries: 0 });
    press('Enter');
    assert.deepEqual(location.assign.calls, [['https://kiln.example/all?q=kiln']]);
    const other = box(t, { resultsUrl: '/all' });
    other.press('Enter');
    assert.deepEqual([other.location.assign.calls.length, other.links[0].click.calls.length], [0, 1]);
  });

  it('Enter puts a soft keyboard away', (t) => {
    const { host, links, press } = box(t, { touch: true });
    press('Enter');
    assert.deepEqual([host.input.blur.calls.length, links[0].click.calls.length], [1, 0]);
    press('ArrowDown');
    press('Enter');
    assert.equal(links[1].click.calls.length, 1, 'whoever has arrows has a keyboard of keys');
  });

  it('Ctrl+Enter opens a new tab, unless the page prevents it', (t) => {
    const { actions, links, press, window } = box(t);
    press('Enter', { ctrlKey: true });
    assert.deepEqual(window.open.calls, [[links[0].href, '_blank', 'noopener']]);
    actions.select = () => false;
    press('Enter', { ctrlKey: true });
    assert.equal(window.open.calls.length, 1);
  });

  it('Enter asks on a results page', (t) => {
    const { host, press } = box(t, { mode: 'page' });
    press('Enter');
    assert.equal(host.search.submit.calls.length, 1);
  });
});

describe('Escape', () => {
  const steps = (t, changes) => {
    const { host, actions, press } = box(t, changes);
    const taken = press('Escape');
    return { taken, cleared: actions.setQuery.calls, closed: host.close.calls.length };
  };

  it('Escape takes one step back: the query, then the dialog', (t) => {
    assert.deepEqual(steps(t), { taken: true, cleared: [['']], closed: 0 });
    assert.deepEqual(steps(t, { state: { query: '', answered: '' } }), { taken: true, cleared: [], closed: 1 });
  });

  it('Escape closes the list of an inline box first', (t) => {
    assert.deepEqual(steps(t, { mode: 'inline' }), { taken: true, cleared: [], closed: 1 });
    assert.deepEqual(steps(t, { mode: 'inline', opened: false }), { taken: true, cleared: [['']], closed: 0 });
  });

  it("Escape is the page's without a step back", (t) => {
    const nothing = { mode: 'inline', opened: false, state: { query: '', answered: '' } };
    assert.deepEqual(steps(t, nothing), { taken: false, cleared: [], closed: 0 });
  });

  it('Escape leads from links back to the box', (t) => {
    const { host, actions, pressOn } = box(t, { mode: 'page' });
    assert.ok(pressOn(1, 'Escape'));
    assert.deepEqual([host.active, host.input.focus.calls.length, actions.setQuery.calls.length], [-1, 1, 0]);
  });

  it('Escape leads out of controls below a box, unless they have used it', (t) => {
    const { host, keys } = box(t, { mode: 'inline' });
    keys.onPopupKey({ key: 'Escape', defaultPrevented: true });
    keys.onPopupKey({ key: 'a', defaultPrevented: false });
    assert.equal(host.close.calls.length, 0);
    keys.onPopupKey({ key: 'Escape', defaultPrevented: false });
    assert.deepEqual([host.input.focus.calls.length, host.close.calls.length], [1, 1]);
  });
});

describe('keys of others', () => {
  it('Keys that write in a field go no further; those of the browser, of modifiers and of slots do', (t) => {
    const { keys } = box(t);
    const stops = (key, { within = 'own', part = '.field', ...more } = {}) => {
      const target = { closest: (parts) => (parts.split(',').includes(part) ? {} : null) };
      const event = { key, target, currentTarget: { contains: () => within === 'own' }, stopPropagation: spy(), ...more };
      keys.onTyped(event);
      return event.stopPropagation.calls.length > 0;
    };
    for (const key of ['s', '/', 'ö', '😀', ' ', 'Enter', 'Backspace', 'ArrowLeft', 'Home', 'PageDown', 'Dead', 'Process'])
      assert.equal(stops(key), true, key);
    for (const key of ['Tab', 'Escape', 'F1', 'Control', 'Shift', 'Alt', 'Meta', 'AltGraph', 'AudioVolumeUp', undefined])
      assert.equal(stops(key), false, key);
    for (const more of [{ ctrlKey: true }, { metaKey: true }, { altKey: true }, { within: 'slot' }, { part: 'button' }])
      assert.equal(stops('s', more), false, JSON.stringify(more));
    for (const part of ['dialog', '.popup']) assert.equal(stops('s', { part }), true, part);
  });

  it('Keys are left to an input method that composes', (t) => {
    const { host, press } = box(t);
    assert.deepEqual([press('ArrowDown', { isComposing: true }), press('Enter', { keyCode: 229 })], [false, false]);
    assert.equal(host.active, 0);
  });

  it('Letters are left to the box, and Tab takes the choice back', (t) => {
    const { host, press } = box(t);
    press('ArrowDown');
    assert.equal(press('a'), false);
    assert.equal(host.active, 1);
    assert.equal(press('Tab'), false);
    assert.equal(host.active, 0, 'the first is chosen again');
    const page = box(t, { mode: 'page', active: 1 });
    assert.equal(page.press('Tab'), false);
    assert.equal(page.host.active, 1, 'a link that has the focus stays the chosen one');
  });
});
