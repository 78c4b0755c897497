/** Opening and closing, with plain objects in place of element, dialog and page (web/ui/controllers/modal.ts). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Modal } from '../../dist/ui/controllers/modal.js';
import { spy, withGlobals } from './ui_fakes.mjs';

/** An element with a dialog, or none; `told` is all that it heard, in order. */
function element(t, { dialog = true, scrollBar = true } = {}) {
  const told = [];
  const style = { overflow: 'auto', scrollbarGutter: 'unset' };
  const viewport = Object.assign(new EventTarget(), { height: 400, scale: 1.5 });
  const documentElement = { style, clientWidth: scrollBar ? 985 : 1000 };
  withGlobals(t, { document: { documentElement }, innerWidth: 1000, visualViewport: viewport });
  const shape = dialog ? dialogOf(told) : null;
  const host = Object.assign(new EventTarget(), {
    opened: false,
    updateComplete: Promise.resolve(),
    input: { focus: () => told.push('focus'), select: () => told.push('select') },
    shadowRoot: { activeElement: null, querySelector: () => shape },
  });
  host.addEventListener('sheaf-toggle', ({ detail }) => told.push(detail.open ? 'told open' : 'told closed'));
  const modal = new Modal(host, { warm: () => told.push('warm'), choice: { reset: () => told.push('reset') } });
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
  it('opens the dialog, puts the focus into the box, and tells the page once', async (t) => {
    const { modal, told, host } = element(t);
    await modal.show();
    assert.deepEqual(told, ['dialog', 'focus', 'select', 'warm', 'told open']);
    assert.equal(host.opened, true);
    told.length = 0;
    await modal.show();
    assert.deepEqual(told, ['focus', 'select', 'warm']);
  });

  it('shows nothing that was closed again before it was drawn', async (t) => {
    const { modal, told } = element(t);
    const showing = modal.show();
    modal.close();
    await showing;
    assert.ok(!told.includes('dialog') && !told.includes('told open'), told.join());
  });

  it('leaves the caret where a press into the box has set it', async (t) => {
    const { host, modal, told } = element(t, { dialog: false });
    host.shadowRoot.activeElement = host.input;
    await modal.show();
    assert.deepEqual(told, ['warm', 'told open']);
  });
});

describe('the page around the dialog', () => {
  it('stands still, keeps the room of its scroll bar, and gets back what it had said', async (t) => {
    const { modal, style } = element(t);
    await modal.show();
    assert.deepEqual(style, { overflow: 'hidden', scrollbarGutter: 'stable' });
    modal.close();
    assert.deepEqual(style, { overflow: 'auto', scrollbarGutter: 'unset' });
  });

  it('is given no room for a scroll bar that it has not', async (t) => {
    const { modal, style } = element(t, { scrollBar: false });
    await modal.show();
    assert.equal(style.scrollbarGutter, 'unset');
  });

  it('ends where a soft keyboard begins, as long as the dialog is open', async (t) => {
    const { modal, dialog, viewport } = element(t);
    await modal.show();
    viewport.height = 200;
    viewport.dispatchEvent(new Event('resize'));
    modal.close();
    viewport.dispatchEvent(new Event('resize'));
    const heights = dialog.style.setProperty.calls;
    assert.deepEqual(
      heights,
      [
        ['--_screen', '600px'],
        ['--_screen', '300px'],
      ],
      'times the reader’s zoom',
    );
  });

  it('stays as it is where only a list opens', async (t) => {
    const { modal, style } = element(t, { dialog: false });
    await modal.show();
    assert.deepEqual(style, { overflow: 'auto', scrollbarGutter: 'unset' });
  });
});

describe('close', () => {
  it('closes the dialog, lets the choice go, and tells the page once', async (t) => {
    const { host, modal, told, dialog } = element(t);
    await modal.show();
    told.length = 0;
    modal.close();
    modal.onClose({ currentTarget: dialog });
    modal.close();
    assert.deepEqual(told, ['dialog closed', 'reset', 'told closed']);
    assert.equal(host.opened, false);
  });

  it('happens when the browser closes the dialog', async (t) => {
    const { host, modal, dialog } = element(t);
    await modal.show();
    dialog.open = false;
    modal.onClose({ currentTarget: dialog });
    assert.equal(host.opened, false);
  });

  it('is not what an event tells late, of a dialog that is open again', async (t) => {
    const { host, modal, dialog } = element(t);
    await modal.show();
    modal.onClose({ currentTarget: dialog });
    assert.equal(host.opened, true);
  });

  it('does nothing where nothing is open', (t) => {
    const { modal, told } = element(t);
    modal.close();
    assert.deepEqual(told, []);
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

  it('that begins and ends on the backdrop closes', async (t) => {
    assert.equal(await openAfter(t, outside, outside), false);
  });
  it('that begins or ends within does not', async (t) => {
    assert.equal(await openAfter(t, inside, outside), true);
    assert.equal(await openAfter(t, outside, inside), true);
  });
  it('on something that reaches out of the dialog does not', async (t) => {
    assert.equal(await openAfter(t, outside, outside, {}), true);
  });
});
