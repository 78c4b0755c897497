/** The hits, page by page: a listbox below a combobox, a list of links on a results page. */
import type { Actions, View } from '../host.js';
import { html, nothing, type TemplateResult } from '../lit.mjs';
import type { PageGroup } from '../state/groups.js';
import { renderHit } from './hit.js';

type Part = TemplateResult | typeof nothing;

/** Keyed by position: Lit's `repeat` leaves a comment node behind for each removed group. */
export function renderGroups(view: View, actions: Actions): TemplateResult {
  let position = 0;
  const numbered = view.state.groups.map((group) => ({
    group,
    at: (position += group.hits.length) - group.hits.length,
  }));
  const hits = (group: PageGroup, at: number): TemplateResult[] =>
    group.hits.map((hit, i) => renderHit(view, actions, hit, at + i, i === 0));
  if (view.mode === 'page') {
    return html`
      <ol class="list" part="list" aria-label=${view.strings.results} lang=${view.documentLanguage || nothing}
        @pointerenter=${actions.choice.onPointer} @pointerleave=${actions.choice.onPointer} @keydown=${actions.keys.onListKey}>
        ${numbered.map(({ group, at }) => html`<li class="group" part="group" lang=${group.hits[0]?.lang ?? nothing}>${hits(group, at)}</li>`)}
      </ol>`;
  }
  return html`
    <div class="list" id="list" part="list" role="listbox" aria-label=${view.strings.results} lang=${view.documentLanguage || nothing}
      @pointerenter=${actions.choice.onPointer} @pointerleave=${actions.choice.onPointer} @mousedown=${keepFocus}>
      ${numbered.map(({ group, at }) => html`<div class="group" part="group" role="group" lang=${group.hits[0]?.lang ?? nothing} aria-labelledby="title-${at}">${hits(group, at)}</div>`)}
    </div>`;
}

/** A press on the list leaves the focus in the input; the click still follows the link. */
const keepFocus = (event: MouseEvent): void => event.preventDefault();

export function renderMore(view: View, actions: Actions): Part {
  if (view.mode !== 'page' || !view.state.hasMore) return nothing;
  return html`<div class="bar"><button class="text-button" type="button" part="more" @click=${() => actions.host.search.more()}>${view.strings.more}</button></div>`;
}
