/** Below the list: key hints, the link to all results, the page's own footer. */
import type { View } from '../host.js';
import { html, nothing, type TemplateResult } from '../lit.mjs';
import { resultsHref } from '../state/addresses.js';

export function renderFooter(view: View): TemplateResult {
  const { strings } = view;
  const results = resultsHref(view);
  if (view.mode === 'page') return html`<slot name="footer"></slot>`;
  return html`
    <div class="footer ${results === undefined && !view.has('footer') ? 'bare' : ''}" part="footer">
      <span class="keys" aria-hidden="true"><kbd>↑</kbd> <kbd>↓</kbd> ${strings.keyNavigate}</span>
      <span class="keys" aria-hidden="true"><kbd>↵</kbd> ${strings.keyOpen}</span>
      <span class="keys" aria-hidden="true"><kbd>Esc</kbd> ${strings.keyClose}</span>
      <span class="end">${results === undefined ? nothing : html`<a part="all-results" href=${results}>${strings.allResults}</a> `}<slot name="footer"></slot></span>
    </div>`;
}
