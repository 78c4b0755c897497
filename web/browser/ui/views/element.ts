/**
 * Templates, as functions of what to show (`View`) and what a reader may do (`Actions`). This file has the three modes.
 *
 * Text is inserted as text. Only links from a bundle become attributes, and state/links.ts checks them.
 */
import type { Actions, View } from '../host.js';
import { html, nothing, type TemplateResult } from '../lit.mjs';
import { ariaShortcut, shortcutKeys } from '../state/shortcut.js';
import { renderField } from './field.js';
import { glass } from './icons.js';
import { renderLive, renderPanel } from './panel.js';

export function renderElement(view: View, actions: Actions): TemplateResult {
  const body =
    view.mode === 'page'
      ? renderPage(view, actions)
      : view.mode === 'inline'
        ? renderInline(view, actions)
        : renderButton(view, actions);
  return html`<div class="root ${view.mode}" lang=${view.language} dir=${view.direction ?? nothing}>${body}</div>`;
}

function renderButton(view: View, actions: Actions): TemplateResult {
  const { strings } = view;
  const label = view.placeholder ?? strings.search;
  const [shortcut] = view.shortcuts;
  const looks = [view.state.status === 'idle' ? '' : 'asked', view.previews ? 'wide' : ''].filter(Boolean).join(' ');
  return html`
    <button class="open" part="button" type="button" aria-haspopup="dialog" aria-expanded=${view.opened} aria-keyshortcuts=${view.shortcuts.map(ariaShortcut).join(' ') || nothing}
      @click=${() => actions.host.show()} @pointerenter=${actions.warm} @focus=${actions.warm}>
      <span part="button-icon"><slot name="icon">${glass}</slot></span><span part="button-label"><slot name="button">${label}</slot></span>
      ${shortcut === undefined ? nothing : html`<span part="shortcut" dir="ltr" aria-hidden="true">${shortcutKeys(shortcut).map((key) => html`<kbd part="key">${key}</kbd>`)}</span>`}
    </button>
    <dialog class=${looks || nothing} part="dialog" aria-label=${strings.search} @close=${actions.modal.onClose} @mousedown=${actions.modal.onPress}>
      ${view.opened ? html`<div class="handle" part="handle" @pointerdown=${actions.modal.onDrag} @mousedown=${keepFocus}></div>${renderPanel(view, actions, renderField(view, actions, 'dialog-field'))}` : nothing}
    </dialog>`;
}

/** A press leaves the focus, and with it a soft keyboard, where it is. */
const keepFocus = (event: MouseEvent): void => event.preventDefault();

function renderInline(view: View, actions: Actions): TemplateResult {
  return html`
    <div @focusout=${actions.onFocusOut}>
      ${renderField(view, actions, 'boxed')}
      ${view.opened ? html`<div class="popup" part="popup" @keydown=${actions.keys.onPopupKey}>${renderPanel(view, actions, nothing)}</div>` : nothing}
      ${view.opened ? nothing : renderLive(view)}
    </div>`;
}

function renderPage(view: View, actions: Actions): TemplateResult {
  return html`<search>${renderField(view, actions, 'boxed')}</search>${renderPanel(view, actions, nothing)}`;
}
