/** Opening and closing, with plain objects in place of element, dialog and page (web/browser/ui/controllers/modal.ts). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as drags from '../../dist/browser/ui/drag.js';
import { Modal } from '../../dist/browser/ui/controllers/modal.js';
import { spy, withGlobals } from './ui_fakes.mjs';

/** An element with a dialog, or none; `told` is all that it heard, in order. */
function element(t, { dialog = true, scrollBar = true } = {}) {
  const told = [];
  const style = { overflow: 'auto', scrollbarGutter: 'unset' };
  const viewport = Object.assign(new EventTarget(), { height: 400, scale: 1.5 });
  const documentElement = { style, clientWidth: scrollBar ? 985 : 1000 };
  withGlobals(t, { document: { documentElement }, innerWidth: 1000, visualViewport: viewport, matchMedia: () => ({ matches: false }) });
  const shape = dialog ? dialogOf(told) : null;
  const host = Object.assign(new EventTarget(), {
    opened: false,
    updateComplete: Promise.resolve(),
    input: { focus: () => told.push('focus'), select: () => told.push('select') },
    shadowRoot: { activeElement: null, querySelector: () => shape },
    loadDrag: spy(async () => drags),
  });
  host.addEventListener('sheaf-toggle', ({ detail }) => told.push(detail.open ? 'told open' : 'told closed'));
  const modal = new Modal(host, {
    warm: () => told.push('warm'),
    choice: { reset: () => told.push('reset') },
    address: { closed: () => {} },
  });
  return { host, modal, dialog: shape, told, style, viewport };
}

function dialogOf(told) {
  return Object.assign(new EventTarget(), {
    open: false,
    style: { setProperty: spy() },
    showModal() {
      told.push('dialog');
      this.open = true;
    },
    close() {
      told.push('dialog closed');
      this.open = false;
    },
    getBoundingClientRect: () => ({ left: 100, right: 200, top: 100, bottom: 200 }),
  });
}

describe('show', () => {
  it('Showing the dialog focuses the box, and tells the page once', async (t) => {
    const { modal, told, host } = element(t);
    await modal.show();
    assert.deepEqual(told, ['dialog', 'focus', 'select', 'warm', 'told open']);
    assert.equal(host.opened, true);
    told.length = 0;
    await modal.show();
    assert.deepEqual(told, ['focus', 'select', 'warm']);
  });

  it('Showing opens no dialog that was closed before it was drawn', async (t) => {
    const { modal, told } = element(t);
    const showing = modal.show();
    modal.close();
    await showing;
    assert.ok(!told.includes('dialog') && !told.includes('told open'), told.join());
  });

  it('Showing leaves the caret where a press has set it', async (t) => {
    const { host, modal, told } = element(t, { dialog: false });
    host.shadowRoot.activeElement = host.input;
    await modal.show();
    assert.deepEqual(told, ['warm', 'told open']);
  });
});

describe('the page around the dialog', () => {
  it('The page around the dialog stands still, and gets its own style back', async (t) => {
    const { modal, style } = element(t);
    await modal.show();
    assert.deepEqual(style, { overflow: 'hidden', scrollbarGutter: 'stable' });
    modal.close();
    assert.deepEqual(style, { overflow: 'auto', scrollbarGutter: 'unset' });
  });

  it('The page gets no room for a missing scroll bar', async (t) => {
    const { modal, style } = element(t, { scrollBar: false });
    await modal.show();
    assert.equal(style.scrollbarGutter, 'unset');
  });

  it('The page around the dialog ends where a soft keyboard begins', async (t) => {
    const { modal, dialog, viewport } = element(t);
    await modal.show();
    viewport.height = 200;
    viewport.dispatchEvent(new Event('resize'));
    modal.close();
    viewport.dispatchEvent(new Event('resize'));
    const set = (property) => dialog.style.setProperty.calls.filter(([name]) => name === property).map(([, value]) => value);
    assert.deepEqual(set('--_screen'), ['600px', '300px'], 'times the reader’s zoom');
    assert.deepEqual(set('--_above'), ['0px', '0px'], 'a reader who zooms in moves about');
  });

  it("The page around the dialog follows the browser's scrolling for a soft keyboard", async (t) => {
    const { modal, dialog, viewport } = element(t);
    Object.assign(viewport, { scale: 1, offsetTop: 0 });
    await modal.show();
    viewport.offsetTop = 42.4;
    viewport.dispatchEvent(new Event('scroll'));
    modal.close();
    viewport.dispatchEvent(new Event('scroll'));
    assert.deepEqual(
      dialog.style.setProperty.calls.filter(([name]) => name === '--_above').map(([, value]) => value),
      ['0px', '42px'],
    );
  });

  it('The page around the dialog stays as it is where only a list opens', async (t) => {
    const { modal, style } = element(t, { dialog: false });
    await modal.show();
    assert.deepEqual(style, { overflow: 'auto', scrollbarGutter: 'unset' });
  });
});

describe('close', () => {
  it('Closing the dialog lets the choice go, and tells the page once', async (t) => {
    const { host, modal, told, dialog } = element(t);
    await modal.show();
    told.length = 0;
    modal.close();
    modal.onClose({ currentTarget: dialog });
    modal.close();
    assert.deepEqual(told, ['dialog closed', 'reset', 'told closed']);
    assert.equal(host.opened, false);
  });

  it('Closing happens when the browser closes the dialog', async (t) => {
    const { host, modal, dialog } = element(t);
    await modal.show();
    dialog.open = false;
    modal.onClose({ currentTarget: dialog });
    assert.equal(host.opened, false);
  });

  it('Closing ignores a late event of a reopened dialog', async (t) => {
    const { host, modal, dialog } = element(t);
    await modal.show();
    modal.onClose({ currentTarget: dialog });
    assert.equal(host.opened, true);
  });

  it('Closing does nothing without an open dialog', (t) => {
    const { modal, told } = element(t);
    modal.close();
    assert.deepEqual(told, []);
  });
});

describe('a sheet', () => {
  /** Drags its handle to the given [y, time] pairs and lets go at the last time plus `rest`. */
  async function drag(t, moves, { rest = 0, still = false, end = 'pointerup' } = {}) {
    const made = element(t);
    withGlobals(t, { matchMedia: () => ({ matches: still }) });
    const slides = [];
    Object.assign(made.dialog, {
      offsetHeight: 600,
      animate: (frames) => {
        const slide = { frames, cancel: spy(), onfinish: undefined };
        slides.push(slide);
        return slide;
      },
    });
    await made.modal.show();
    const handle = Object.assign(new EventTarget(), { setPointerCapture: spy() });
    made.modal.onDrag({ currentTarget: handle, pointerId: 7, clientY: 100, timeStamp: 0 });
    await new Promise(setImmediate);
    const tell = (type, clientY, timeStamp, pointerId = 7) => handle.dispatchEvent(at(type, clientY, timeStamp, pointerId));
    for (const [y, time] of moves) tell('pointermove', y, time);
    const followed = made.dialog.style.translate;
    tell('pointermove', 900, 1, 8); // another finger
    tell(end, moves.at(-1)[0], moves.at(-1)[1] + rest);
    for (const slide of slides) slide.onfinish();
    return { ...made, slides, followed, handle, tell };
  }
  const at = (type, clientY, timeStamp, pointerId) => {
    const event = new Event(type);
    for (const [name, value] of Object.entries({ clientY, timeStamp, pointerId })) Object.defineProperty(event, name, { value });
    return event;
  };

  it('A sheet follows the finger down, and not up', async (t) => {
    const down = await drag(t, [[160, 100]], { rest: 500 });
    assert.equal(down.followed, '0 60px');
    assert.deepEqual(down.slides[0].frames, { translate: ['0 60px', '0'] });
    assert.equal(down.host.opened, true, 'a tenth of the way is too little');
    assert.equal((await drag(t, [[20, 100]])).followed, '0 0px');
  });

  it('A sheet closes when let go far down, after it has slid away', async (t) => {
    const { host, slides, dialog } = await drag(
      t,
      [
        [200, 400],
        [300, 800],
      ],
      { rest: 500 },
    );
    assert.deepEqual(slides[0].frames, { translate: ['0 200px', '0 100%'] });
    assert.equal(host.opened, false);
    assert.equal(slides[0].cancel.calls.length, 1);
    assert.equal(dialog.style.translate, '', 'the next time it stands where it belongs');
  });

  it('A sheet closes by a flick, not by a tremble or a resting finger', async (t) => {
    assert.equal(
      (
        await drag(t, [
          [120, 30],
          [160, 60],
        ])
      ).host.opened,
      false,
    );
    assert.equal((await drag(t, [[110, 5]])).host.opened, true);
    assert.equal(
      (
        await drag(
          t,
          [
            [120, 30],
            [160, 60],
          ],
          { rest: 300 },
        )
      ).host.opened,
      true,
    );
    assert.equal(
      (
        await drag(
          t,
          [
            [200, 30],
            [300, 60],
          ],
          { end: 'pointercancel' },
        )
      ).host.opened,
      true,
    );
  });

  it('A sheet does not slide where the reader wants no motion', async (t) => {
    const { slides, host } = await drag(t, [[300, 100]], { still: true });
    assert.deepEqual([slides.length, host.opened], [0, false]);
  });

  it('A sheet loads what follows a finger when it opens on a screen that is touched, and stays usable without it', async (t) => {
    for (const [touched, calls] of [
      [true, 1],
      [false, 0],
    ]) {
      const { modal, host } = element(t);
      withGlobals(t, { matchMedia: (query) => ({ matches: touched && query === '(pointer: coarse)' }) });
      host.loadDrag = spy(() => Promise.reject(new TypeError('offline')));
      await modal.show();
      assert.equal(host.loadDrag.calls.length, calls);
      modal.onDrag({ currentTarget: new EventTarget(), pointerId: 7, clientY: 100, timeStamp: 0 });
      await new Promise(setImmediate);
      assert.equal(host.opened, true);
    }
  });

  it('A sheet hears of one finger, and of none after release', async (t) => {
    const { dialog, tell } = await drag(t, [[120, 100]], { rest: 500 });
    tell('pointermove', 400, 700);
    assert.equal(dialog.style.translate, '');
  });
});

describe('a press', () => {
  const [inside, outside] = [
    { clientX: 150, clientY: 150 },
    { clientX: 150, clientY: 250 },
  ];
  /** Whether the dialog is open after a click that begins and ends there, on the dialog itself or `target` within. */
  const openAfter = async (t, from, to, target) => {
    const { host, modal, dialog } = element(t);
    await modal.show();
    modal.onPress({ currentTarget: dialog, target: target ?? dialog, ...from });
    dialog.dispatchEvent(Object.assign(new Event('click'), to));
    return host.opened;
  };

  it('A press that begins and ends on the backdrop closes the dialog', async (t) => {
    assert.equal(await openAfter(t, outside, outside), false);
  });
  it('A press that begins or ends within the dialog leaves it open', async (t) => {
    assert.equal(await openAfter(t, inside, outside), true);
    assert.equal(await openAfter(t, outside, inside), true);
  });
  it('A press on an element that reaches out of the dialog leaves it open', async (t) => {
    assert.equal(await openAfter(t, outside, outside, {}), true);
  });
});
