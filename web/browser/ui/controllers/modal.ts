/**
 * Opens and closes the dialog, or the list below a box. Manages the focus, and the page behind a modal dialog.
 *
 * That page neither scrolls nor shifts while the dialog is open; closing restores its own styles. The dialog ends above
 * a soft keyboard, which covers the page without changing its height: `--_screen` is the height that it leaves, `--_above`
 * how far the browser has scrolled what it leaves. On small screens the dialog is a sheet (views/styles/sheet.ts), whose handle drag.ts follows.
 */
import type { ModalActions, ModalHost } from '../host.js';
import { tell } from './events.js';

export class Modal {
  readonly #host: ModalHost;
  readonly #actions: ModalActions;
  #releasePage: (() => void) | undefined;

  constructor(host: ModalHost, actions: ModalActions) {
    this.#host = host;
    this.#actions = actions;
  }

  /** Opens the dialog, or the list below a box; puts the focus into the box. */
  async show(): Promise<void> {
    const host = this.#host;
    const before = host.opened;
    host.opened = true;
    await host.updateComplete;
    if (!host.opened) return; // closed again meanwhile
    const dialog = this.#dialog();
    if (dialog?.open === false) this.#releasePage = showOver(dialog);
    const { input } = host;
    if (input !== null && host.shadowRoot?.activeElement !== (input as unknown)) {
      input.focus();
      input.select(); // a press into the box sets the caret instead
    }
    this.#actions.warm();
    if (matchMedia('(pointer: coarse)').matches) host.loadDrag().catch(() => {}); // ahead of the finger
    if (!before) tell(host, 'sheaf-toggle', { open: true });
  }

  /** The focus returns to where it was. */
  close(): void {
    if (this.#host.opened) this.#dialog()?.close();
    this.#closed();
  }

  /** The event fires some time after the dialog closed: the reader may have opened it again. */
  readonly onClose = (event: Event): void => {
    if (!(event.currentTarget as HTMLDialogElement).open) this.#closed();
  };

  /** A click that begins and ends on the backdrop closes; the end of a selection that began in the box does not. */
  readonly onPress = (event: MouseEvent): void => {
    const dialog = event.currentTarget as HTMLDialogElement;
    if (!isOutside(dialog, event)) return;
    dialog.addEventListener('click', (click) => isOutside(dialog, click) && this.close(), { once: true });
  };

  /** What follows a finger is loaded for screens that are touched. */
  readonly onDrag = (event: PointerEvent): void => {
    const handle = event.currentTarget as HTMLElement; // null later
    this.#host
      .loadDrag()
      .then(({ dragSheet }) => dragSheet(event, handle, this.#dialog() as HTMLDialogElement, () => this.close()))
      .catch(() => {}); // let go meanwhile, or without a network: the sheet has a button, too
  };

  #closed(): void {
    const host = this.#host;
    if (!host.opened) return; // close() has already reported this
    host.opened = false;
    this.#releasePage?.();
    this.#releasePage = undefined;
    this.#actions.choice.reset();
    this.#actions.address.closed();
    tell(host, 'sheaf-toggle', { open: false });
  }

  #dialog(): HTMLDialogElement | null | undefined {
    return this.#host.shadowRoot?.querySelector('dialog');
  }
}

/** A click on the backdrop targets the dialog itself, and lies outside its box. */
function isOutside(dialog: HTMLDialogElement, { target, clientX, clientY }: MouseEvent): boolean {
  const { left, right, top, bottom } = dialog.getBoundingClientRect();
  return target === dialog && (clientX < left || clientX > right || clientY < top || clientY > bottom);
}

/** Shows the dialog; returns a function that releases the page. */
function showOver(dialog: HTMLDialogElement): () => void {
  const { style, clientWidth } = document.documentElement;
  const { overflow, scrollbarGutter } = style;
  const viewport = visualViewport as VisualViewport; // null where a document is not shown
  const fit = (): void => {
    const { height, scale, offsetTop } = viewport;
    // Height times scale: pinch zoom also shrinks the viewport, and moves it, without a keyboard.
    dialog.style.setProperty('--_screen', `${Math.round(height * scale)}px`);
    dialog.style.setProperty('--_above', `${scale > 1 ? 0 : Math.round(offsetTop)}px`);
  };
  dialog.showModal(); // first: if it throws, the page stays unchanged
  if (innerWidth > clientWidth) style.scrollbarGutter = 'stable'; // keep the scroll bar's space
  style.overflow = 'hidden';
  for (const change of ['resize', 'scroll']) viewport.addEventListener(change, fit);
  fit();
  return () => {
    Object.assign(style, { overflow, scrollbarGutter });
    for (const change of ['resize', 'scroll']) viewport.removeEventListener(change, fit);
  };
}
