/** Below the list: what keys do, how much was found, the link to all results, the page's own footer. */
import type { View } from '../host.js';
import { html, nothing, type TemplateResult } from '../lit.mjs';
import { resultsHref } from '../state/addresses.js';
import { isApple } from '../state/shortcut.js';
import { countText } from '../words/status.js';

export function renderFooter(view: View): TemplateResult {
  const { strings, state } = view;
  const results = resultsHref(view);
  if (view.mode === 'page') return html`<slot name="footer"></slot>`;
  const key = (text: string, ...keys: string[]): TemplateResult =>
    html`<span class="keys" aria-hidden="true"><bdi dir="ltr">${keys.map((name, i) => html`${i > 0 ? ' ' : ''}<kbd>${name}</kbd>`)}</bdi> ${text}</span>`;
  const found = state.count > 0;
  return html`
    <div class="footer ${results === undefined && !view.has('footer') ? 'bare' : ''}" part="footer">
      ${found ? [key(strings.keyOpen, '↵'), key(strings.keyNewTab, isApple() ? '⌘' : 'Ctrl', '↵')] : nothing}
      ${found || view.recent.length > 0 ? key(strings.keyNavigate, '↑', '↓') : nothing}
      ${key(strings.keyClose, 'Esc')}
      <span class="end">${found ? html`<span part="count">${countText(state, view)}</span> ` : nothing}${results === undefined ? nothing : html`<a part="all-results" href=${results}>${strings.allResults}</a> `}<slot name="footer"></slot></span>
    </div>`;
}
