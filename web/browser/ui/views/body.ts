/** The hits, or what replaces them: recent searches, loading progress, or that nothing was found. */
import type { Actions, View } from '../host.js';
import { html, nothing, type TemplateResult } from '../lit.mjs';
import { fill, shortened } from '../words/strings.js';
import { renderGroups, renderMore } from './list.js';
import { renderStart } from './start.js';

type Part = TemplateResult | typeof nothing;

/** What a list looks like from afar: rows of each page. */
const BONES = [3, 2, 1, 2, 3, 1, 2].map((rows) => Array.from({ length: rows }));

export function renderBody(view: View, actions: Actions): Part {
  const { state } = view;
  if (state.groups.length > 0) return html`${renderGroups(view, actions)}${renderMore(view, actions)}`;
  switch (state.status) {
    case 'idle':
      return renderStart(view, actions);
    case 'opening':
    case 'searching':
      return renderWaiting(view);
    case 'done':
      return renderNothing(view);
    default:
      return nothing;
  }
}

function renderWaiting(view: View): TemplateResult {
  const { progress, status } = view.state;
  const { strings, language } = view;
  const share = progress?.total ? Math.min(1, progress.loaded / progress.total) : undefined;
  const percent = share === undefined ? '' : new Intl.NumberFormat(language, { style: 'percent' }).format(share);
  return html`
    <div part="loading">
      ${
        status === 'opening' && share !== undefined
          ? html`<div class="note"><p>${fill(strings.opening, { percent }).trim()}</p><progress aria-label=${fill(strings.opening, { percent: '' }).trim()} max="1" .value=${share}></progress></div>`
          : nothing
      }
      <div class="bones" aria-hidden="true">${BONES.map((rows) => html`<div class="group"><i class="head"><b></b></i>${rows.map(() => html`<i class="hit"><b></b></i>`)}</div>`)}</div>
    </div>`;
}

function renderNothing(view: View): TemplateResult {
  const { strings } = view;
  return html`<div class="note" part="no-results"><slot name="no-results"><p><strong>${fill(strings.noResults, { query: shortened(view.state.answered) })}</strong></p><p>${strings.noResultsHint}</p></slot></div>`;
}
