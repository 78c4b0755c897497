/** Everything below the box: controls that narrow the search, notes, the hits or what replaces them, the footer. */
import type { Actions, View } from '../host.js';
import { html, nothing, type TemplateResult } from '../lit.mjs';
import { renderBody } from './body.js';
import { renderFooter } from './footer.js';
import { renderCount, renderSuggestion, renderTrouble } from './notes.js';

type Part = TemplateResult | typeof nothing;

export function renderPanel(view: View, actions: Actions, field: Part): TemplateResult {
  return html`
    <div class="panel" part="panel">
      ${field}
      <div class="columns ${isSplit(view) ? 'split' : ''}">
      <div class="scroll" part="results" aria-busy=${isBusy(view)}>
        <div role="group" aria-label=${view.strings.filters} ?hidden=${!view.has('filters')} class="bar" part="filters">
          <slot name="filters" @change=${actions.onFilter} @slotchange=${actions.onFilter}></slot>
        </div>
        ${view.bars}${renderSuggestion(view)}${renderCount(view)}${renderTrouble(view, actions)}${renderBody(view, actions)}
      </div>
      ${view.beside ?? nothing}
      </div>
      ${view.answer ?? nothing}${renderFooter(view)}
      ${renderLive(view)}
    </div>`;
}

/** The announcement for screen readers. */
export const renderLive = (view: View): TemplateResult =>
  html`<div class="unseen" role="status">${view.announcement}</div>`;

/** Hits are shown, or on their way: a wide dialog keeps room for the preview. */
const isSplit = (view: View): boolean => view.state.groups.length > 0 || isBusy(view);

const isBusy = ({ state: { status } }: View): boolean => status === 'opening' || status === 'searching';
