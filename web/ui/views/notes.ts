/** The notes above the hits: how many there are, what was probably meant, what went wrong. */
import type { Actions, View } from '../host.js';
import { isByWords } from '../state/search.js';
import { html, nothing, type TemplateResult } from '../lit.mjs';
import { counted, shortened } from '../words/strings.js';

type Part = TemplateResult | typeof nothing;

export function renderCount(view: View): Part {
  const { state, strings, language } = view;
  if (view.mode !== 'page' || state.status !== 'done' || state.count === 0) return nothing;
  return html`<p class="count" part="count">${counted(strings.found, state.count, language, { query: shortened(state.answered) })}</p>`;
}

export function renderSuggestion(view: View, actions: Actions): Part {
  const { suggestion } = view.state;
  if (suggestion === '') return nothing;
  const [before, after = ''] = view.strings.didYouMean.split('{query}');
  return html`
    <div class="bar" part="suggestion"><span>${before}<button class="text-button" type="button" dir="auto" @click=${() => actions.takeQuery(suggestion)}>${shortened(suggestion)}</button>${after}</span></div>`;
}

/** Offline and error: above whatever is still shown. A quiet line where meaning alone is missing. */
export function renderTrouble(view: View, actions: Actions): Part {
  const { status, error } = view.state;
  const { strings } = view;
  if (isByWords(view.state)) return html`<p class="count" part="by-words" role="status">${strings.byWords}</p>`;
  if (status !== 'offline' && status !== 'error') return nothing;
  // A failed import(), or a file that is gone: a deploy took away what this page names, and the new page names others.
  const isReload = error instanceof TypeError || error?.status === 404 || error?.status === 410;
  return html`
    <div class="note" part=${status}>
      <slot name=${status}><p><strong>${status === 'offline' ? strings.offline : strings.failed}</strong></p>
      ${status === 'error' && error?.code !== undefined ? html`<p part="error-code">${error.code}</p>` : nothing}</slot>
      <button class="text-button" part="retry" type="button" @click=${() => (isReload ? location.reload() : actions.host.search.retry())}>${isReload ? strings.reload : strings.retry}</button>
    </div>`;
}
