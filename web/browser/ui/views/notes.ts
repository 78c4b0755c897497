/** The notes above the hits: how many there are, what they answer, what went wrong. */
import type { Actions, View } from '../host.js';
import { html, nothing, type TemplateResult } from '../lit.mjs';
import { writeAddress } from '../state/addresses.js';
import { isByWords } from '../state/search.js';
import { foundText, statusText, weakText } from '../words/status.js';
import { shortened } from '../words/strings.js';

type Part = TemplateResult | typeof nothing;

/** On a results page; dialogs and lists below a box have it in their footer. */
export function renderCount(view: View): Part {
  const { state } = view;
  if (view.mode !== 'page' || state.status !== 'done' || state.count === 0) return nothing;
  return html`<p class="count" part="count">${foundText(state, view)}</p>`;
}

/** What the hits answer, where it is not what was typed: the corrected query, or nothing really. */
export function renderSuggestion(view: View): Part {
  const { count, suggestion, weak } = view.state;
  if (count === 0) return nothing;
  if (weak) return html`<p class="answers" part="weak">${weakText(view.state, view)}</p>`;
  if (suggestion === '') return nothing;
  const [before, after = ''] = view.strings.corrected.split('{query}');
  return html`<p class="answers" part="suggestion">${before}<strong dir="auto">${shortened(suggestion)}</strong>${after}</p>`;
}

/** Offline and error: above whatever is still shown. A quiet line where meaning alone is missing. */
export function renderTrouble(view: View, actions: Actions): Part {
  const { status, error } = view.state;
  const { strings } = view;
  if (isByWords(view.state)) return html`<p class="count" part="by-words" role="status">${strings.byWords}</p>`;
  if (status !== 'offline' && status !== 'error') return nothing;
  // A failed import(), a file that is gone, or one too new (UNSUPPORTED_VERSION, UNKNOWN_ANALYSIS): a deploy replaced what this page names.
  const isReload =
    error instanceof TypeError || [404, 410].includes(error?.status ?? 0) || error?.code?.startsWith('UN');
  return html`
    <div class="note" part=${status}>
      <slot name=${status}><p><strong>${statusText(view.state, view)}</strong></p></slot>
      <button class="text-button" part="retry" type="button" @click=${() => (isReload ? reload(view) : actions.host.search.retry())}>${isReload ? strings.reload : strings.retry}</button>
    </div>`;
}

/** The query waits in the address, where the new page finds it. */
function reload({ mode, param, state }: View): void {
  if (mode !== 'inline' && param) writeAddress(param, state.query);
  location.reload();
}
