/** What is chosen, what is said, and which keys of the page open a search, each without an element. */
import assert from 'node:assert/strict';
import { describe, it, mock } from 'node:test';
import { createAnnouncer } from '../../dist/browser/ui/controllers/announcer.js';
import { Choice } from '../../dist/browser/ui/controllers/choice.js';
import { listenForShortcuts } from '../../dist/browser/ui/controllers/shortcuts.js';
import { IDLE_STATE } from '../../dist/browser/ui/state/search.js';
import { statusText } from '../../dist/browser/ui/words/status.js';
import { loadStrings, stringsFor } from '../../dist/browser/ui/words/strings.js';
import { found, hitOf, spy, withGlobals } from './ui_fakes.mjs';

describe('the list', () => {
  /** A list that shows `state`. */
  const listOf = (state = shown, changes = {}) => {
    const host = {
      mode: 'button',
      state,
      active: -1,
      search: {
        hold: (held) => {
          host.held = held;
        },
      },
      held: false,
      ...changes,
    };
    const choice = new Choice(host);
    const show = (next) => {
      const before = host.state;
      host.state = next;
      choice.follow(next, before);
    };
    choice.point(-1);
    return { host, choice, show };
  };
  const shown = { ...IDLE_STATE, ...found([hitOf(), hitOf(), hitOf()]) };
  const again = () => ({ ...shown, groups: [...shown.groups] });
  const mouse = (type, more = {}) => ({ type, pointerType: 'mouse', movementX: 1, movementY: 0, ...more });
  const over = (entry) => ({ target: { closest: () => (entry === undefined ? null : { dataset: { entry: String(entry) } }) } });

  it('The list has its first entry chosen and unfolded as soon as it has one', () => {
    const { host, choice, show } = listOf(IDLE_STATE);
    assert.deepEqual([host.active, choice.unfolded], [-1, -1]);
    show(shown);
    assert.deepEqual([host.active, choice.unfolded, choice.taken, host.held], [0, 0, false, false]);
  });

  it('The list has no entry chosen on a results page, whose links take the focus', () => {
    const { host, show } = listOf(IDLE_STATE, { mode: 'page' });
    show(shown);
    assert.equal(host.active, -1);
  });

  it('The list keeps still while an entry is chosen by keyboard', () => {
    const { host, choice, show } = listOf();
    choice.point(2);
    assert.deepEqual([host.active, choice.unfolded, choice.taken, host.held], [2, 2, true, true]);
    show(again());
    assert.equal(host.active, 2);
    choice.point(-1);
    assert.deepEqual([host.active, choice.taken, host.held], [0, false, false]);
  });

  it('The list gives the choice to another first entry when the order changes', () => {
    const { host, choice, show } = listOf();
    choice.onPointer(mouse('pointerenter'));
    choice.onPointer(mouse('pointermove', over(2)));
    choice.onPointer(mouse('pointerleave'));
    assert.equal(host.active, 2, 'what was pointed at stays chosen');
    show(again());
    assert.equal(host.active, 0);
  });

  it('The list keeps still under the pointer, and keeps the chosen entry', () => {
    const { host, choice, show } = listOf();
    choice.onPointer(mouse('pointerenter'));
    choice.onPointer(mouse('pointermove', over(1)));
    show(again());
    assert.deepEqual([host.active, host.held], [1, true]);
    choice.onPointer(mouse('pointerleave'));
    assert.equal(host.held, false);
  });

  it('The list lets a moving pointer choose but not unfold, so rows stay in place', () => {
    const { host, choice } = listOf();
    choice.onPointer(mouse('pointerenter'));
    choice.onPointer(mouse('pointermove', over(2)));
    assert.deepEqual([host.active, choice.unfolded, choice.taken], [2, 0, false]);
    choice.onPointer(mouse('pointermove', over(undefined)));
    assert.equal(host.active, 2, 'a header is no entry');
  });

  it('The list is not chosen from by moving under a resting pointer or scrolling finger', () => {
    const { host, choice } = listOf();
    choice.onPointer(mouse('pointermove', { ...over(2), movementX: 0 }));
    choice.onPointer(mouse('pointermove', { ...over(2), pointerType: 'touch' }));
    assert.equal(host.active, 0);
  });

  it('The list keeps still after a finger was on it, until another query', () => {
    const { host, choice, show } = listOf();
    choice.onPointer({ type: 'pointerenter', pointerType: 'touch' });
    choice.onPointer({ type: 'pointerleave', pointerType: 'touch' });
    assert.equal(host.held, true);
    show({ ...shown, status: 'searching' });
    choice.point(-1);
    assert.equal(host.held, true);
    show({ ...shown, query: 'glaze' });
    assert.equal(host.held, false);
  });

  it('The list stays under a mouse through queries, until the last hit goes', () => {
    const { host, choice, show } = listOf();
    choice.onPointer(mouse('pointerenter'));
    choice.point(1);
    show({ ...shown, query: 'glaze' });
    assert.deepEqual([host.active, host.held], [0, true]);
    show(IDLE_STATE);
    choice.point(-1);
    assert.deepEqual([host.active, host.held], [-1, false]);
  });

  it('The list never has a missing entry chosen', () => {
    const { host, choice, show } = listOf();
    choice.point(2);
    show({ ...shown, ...found([hitOf()]) });
    assert.equal(host.active, 0);
  });

  it('The list is free once it went away', () => {
    const { host, choice } = listOf();
    choice.onPointer(mouse('pointerenter'));
    choice.point(1);
    choice.reset();
    assert.deepEqual([host.active, choice.taken, host.held], [0, false, false]);
  });
});

describe('announcements', () => {
  it('Announcements wait for a lasting state, and are not repeated', () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    try {
      const host = { announcement: '' };
      const announce = createAnnouncer(host);
      announce('Searching…');
      mock.timers.tick(400);
      announce('2 results');
      mock.timers.tick(400);
      assert.equal(host.announcement, '');
      mock.timers.tick(100);
      assert.equal(host.announcement, '2 results');
      announce('Searching…');
      announce('2 results');
      mock.timers.tick(5000);
      assert.equal(host.announcement, '2 results', 'what came to nothing');
    } finally {
      mock.timers.reset();
    }
  });

  it('Announcements tell the state of a search in words', async () => {
    await Promise.all(['de', 'ar'].map(loadStrings));
    const say = (state, language = 'en') => statusText({ ...IDLE_STATE, ...state }, stringsFor(language));
    const kiln = { query: 'kiln', answered: 'kiln' };
    assert.equal(say({}), '');
    assert.equal(say({ ...kiln, status: 'opening' }), 'Searching…');
    assert.equal(say({ ...kiln, status: 'searching' }), 'Searching…');
    assert.equal(say({ ...kiln, status: 'done' }), 'No results for “kiln”');
    const pages = (count) => ({ groups: Array.from({ length: count }) });
    assert.equal(say({ ...kiln, status: 'done', count: 1, ...pages(1) }), '1 section on 1 page for “kiln”');
    assert.equal(say({ ...kiln, status: 'done', count: 23, ...pages(8) }), '23 sections on 8 pages for “kiln”');
    assert.equal(say({ ...kiln, status: 'done', count: 1200, ...pages(8) }, 'de'), '1.200 Abschnitte auf 8 Seiten für „kiln“');
    assert.equal(say({ ...kiln, status: 'done', count: 3, ...pages(2) }, 'ar'), '3 أقسام في صفحتين عن «kiln»');
    assert.equal(say({ ...kiln, status: 'done', count: 1, weak: true }), 'No good match for “kiln”. The nearest:');
    assert.match(say({ ...kiln, status: 'offline' }), /^You are offline/);
    assert.equal(say({ ...kiln, status: 'error' }), 'The search could not be completed.');
    assert.ok(say({ ...kiln, answered: 'kiln '.repeat(500), status: 'done', count: 1 }).length < 100);
  });
});

describe('keys of the page', () => {
  /** Elements with the default shortcuts and `changes`; `press` tells which of them answered, and how. */
  function page(t, ...elements) {
    class Element {
      localName = 'p';
      matches = () => false;
    }
    class HTMLElement extends Element {}
    const document = new EventTarget();
    let ends = [];
    t.after(() => ends.forEach((end) => end())); // before the document goes
    withGlobals(t, { document, Element, HTMLElement, navigator: { platform: 'Linux' } });
    const plain = () => ({ shortcuts: 'mod+k /', mode: 'button', opened: false, show: spy(), close: spy() });
    const hosts = elements.map((changes) => ({ ...plain(), ...changes }));
    ends = hosts.map((host) => listenForShortcuts(host));
    const press = (key, { on = new HTMLElement(), ...more } = {}) => {
      hosts.forEach((host) => {
        host.show.calls.length = host.close.calls.length = 0;
      });
      const modifiers = { ctrlKey: false, metaKey: false, altKey: false, shiftKey: false };
      const event = new Event('keydown', { cancelable: true });
      document.dispatchEvent(Object.assign(event, { key, composedPath: () => [on], ...modifiers, ...more }));
      const answers = hosts.flatMap(({ show, close }, i) => {
        if (show.calls.length > 0) return [`${i} shows`];
        return close.calls.length > 0 ? [`${i} closes`] : [];
      });
      assert.equal(event.defaultPrevented, answers.length > 0);
      return answers.join();
    };
    return { press, hosts, ends, field: Object.assign(new HTMLElement(), { matches: () => true }) };
  }

  it('Keys of the page open the search, and close an open dialog', (t) => {
    const { press, hosts } = page(t, {});
    assert.equal(press('k', { ctrlKey: true }), '0 shows');
    assert.equal(press('/'), '0 shows');
    hosts[0].opened = true;
    assert.equal(press('K', { ctrlKey: true }), '0 closes');
    hosts[0].mode = 'inline';
    assert.equal(press('/'), '0 shows', 'a list below a box covers nothing');
  });

  it('Bare keys of the page are left to text fields', (t) => {
    const { press, field } = page(t, {});
    assert.equal(press('/', { on: field }), '');
    assert.equal(press('k', { ctrlKey: true, on: field }), '0 shows');
  });

  it("Keys of the page go to the open dialog's element, else the first visible", (t) => {
    const { press, hosts } = page(t, { checkVisibility: () => false }, {}, {});
    assert.equal(press('/'), '1 shows');
    hosts[2].opened = true;
    assert.equal(press('/'), '2 closes');
  });

  it('Keys of the page need their very modifiers, and leave an input method alone', (t) => {
    const { press } = page(t, {});
    assert.equal(press('k'), '');
    assert.equal(press('k', { ctrlKey: true, metaKey: true }), '');
    assert.equal(press('k', { ctrlKey: true, shiftKey: true }), '');
    assert.equal(press('/', { isComposing: true }), '');
    assert.equal(press('/', { shiftKey: true }), '0 shows', 'as keyboards have it');
  });

  it('Keys of the page ignore a removed element, or one without shortcuts', (t) => {
    const { press, ends } = page(t, {}, { shortcuts: 'none' });
    ends[0]();
    assert.equal(press('/'), '');
  });
});
