/**
 * The dialog, or the list below a box: shown and closed, with the focus where it belongs, and the page around a modal
 * dialog.
 *
 * That page neither scrolls nor moves meanwhile, and gets back what it had said about that. The dialog ends where a
 * soft keyboard begins (`--_screen`, in views/styles.ts), which covers the page without changing its height.
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
    if (!before) tell(host, 'sheaf-toggle', { open: true });
  }

  /** The focus returns to where it was. */
  close(): void {
    if (this.#host.opened) this.#dialog()?.close();
    this.#closed();
  }

  /** Told some time after the dialog closed: the reader may have opened it again. */
  readonly onClose = (event: Event): void => {
    if (!(event.currentTarget as HTMLDialogElement).open) this.#closed();
  };

  /** A click that begins and ends on the backdrop closes; the end of a selection that began in the box does not. */
  readonly onPress = (event: MouseEvent): void => {
    const dialog = event.currentTarget as HTMLDialogElement;
    if (!isOutside(dialog, event)) return;
    dialog.addEventListener('click', (click) => isOutside(dialog, click) && this.close(), { once: true });
  };

  #closed(): void {
    const host = this.#host;
    if (!host.opened) return; // the dialog tells of what close() has told already
    host.opened = false;
    this.#releasePage?.();
    this.#releasePage = undefined;
    this.#actions.choice.reset();
    tell(host, 'sheaf-toggle', { open: false });
  }

  #dialog(): HTMLDialogElement | null | undefined {
    return this.#host.shadowRoot?.querySelector('dialog');
  }
}

/** The backdrop has the dialog itself as target, and lies outside of its box. */
function isOutside(dialog: HTMLDialogElement, { target, clientX, clientY }: MouseEvent): boolean {
  const { left, right, top, bottom } = dialog.getBoundingClientRect();
  return target === dialog && (clientX < left || clientX > right || clientY < top || clientY > bottom);
}

/** Shows the dialog; returns what gives the page free again. */
function showOver(dialog: HTMLDialogElement): () => void {
  const { style, clientWidth } = document.documentElement;
  const { overflow, scrollbarGutter } = style;
  const viewport = visualViewport as VisualViewport; // null where a document is not shown
  // Its height times its scale: a reader who has zoomed in with two fingers sees less, without a keyboard.
  const fit = (): void => dialog.style.setProperty('--_screen', `${Math.round(viewport.height * viewport.scale)}px`);
  dialog.showModal(); // first: where it may not be shown, the page stays as it is
  if (innerWidth > clientWidth) style.scrollbarGutter = 'stable'; // the room of the scroll bar stays
  style.overflow = 'hidden';
  viewport.addEventListener('resize', fit);
  fit();
  return () => {
    Object.assign(style, { overflow, scrollbarGutter });
    viewport.removeEventListener('resize', fit);
  };
}
