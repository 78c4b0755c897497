/** The box that a query is typed into. */
import type { Actions, View } from '../host.js';
import { html, nothing, type TemplateResult } from '../lit.mjs';
import { cross, erase, glass } from './icons.js';

/** Input, its label and its buttons. A combobox, except on a results page, where it is a plain search box. */
export function renderField(view: View, actions: Actions, look: string): TemplateResult {
  const { strings } = view;
  const combobox = view.mode !== 'page';
  const listed = combobox && view.opened && view.state.count > 0;
  return html`
    <div class="field ${look}" part="field">
      ${glass}
      <input part="input" id="input" type=${combobox ? 'text' : 'search'} autocomplete="off" autocapitalize="off" autocorrect="off" spellcheck="false" enterkeyhint="search"
        role=${combobox ? 'combobox' : nothing} aria-label=${strings.search} aria-autocomplete=${combobox ? 'list' : nothing}
        aria-expanded=${combobox ? listed : nothing} aria-controls=${listed ? 'list' : nothing}
        aria-activedescendant=${listed && view.active >= 0 ? `hit-${view.active}` : nothing}
        placeholder=${view.placeholder ?? strings.placeholder} dir="auto" .value=${view.state.query}
        @input=${actions.onInput} @compositionend=${actions.onComposed}
        @keydown=${actions.keys.onKey} @focus=${actions.onFocus} />
      ${
        view.state.query === ''
          ? nothing
          : html`
        <button class="icon" part="clear" type="button" aria-label=${strings.clear} title=${strings.clear} @click=${() => actions.takeQuery('')}>${erase}</button>`
      }
      ${look === 'dialog-field' ? html`<button class="icon" part="close" type="button" title=${strings.close} @click=${() => actions.host.close()}><span class="unseen">${strings.close}</span> <kbd>Esc</kbd>${cross}</button>` : nothing}
    </div>`;
}
