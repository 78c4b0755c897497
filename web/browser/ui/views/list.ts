/** The hits, page by page: a listbox below a combobox, a list of links on a results page. */
import type { Actions, View } from '../host.js';
import { html, nothing, type TemplateResult } from '../lit.mjs';
import { isTop, type PageGroup } from '../state/groups.js';
import { renderHead, renderHit } from './hit.js';

type Part = TemplateResult | typeof nothing;

/** Keyed by position: Lit's `repeat` leaves a comment node behind for each removed group. */
export function renderGroups(view: View, actions: Actions): TemplateResult {
  const { onPointer } = actions.choice;
  let position = 0;
  const numbered = view.state.groups.map((group) => ({
    group,
    at: (position += group.hits.length) - group.hits.length,
  }));
  const look = `list ${view.state.weak ? 'weak' : ''}`;
  if (view.mode === 'page') {
    return html`
      <ol class=${look} part="list" aria-label=${view.strings.results} lang=${view.documentLanguage || nothing}
        @pointerenter=${onPointer} @pointerleave=${onPointer} @keydown=${actions.keys.onListKey}>
        ${numbered.map(({ group, at }) => html`<li class="group" part="group" lang=${group.hits[0]?.lang ?? nothing}>${renderGroup(view, actions, group, at)}</li>`)}
      </ol>`;
  }
  return html`
    <div class=${look} id="list" part="list" role="listbox" aria-label=${view.strings.results} lang=${view.documentLanguage || nothing}
      @pointerenter=${onPointer} @pointermove=${onPointer} @pointerleave=${onPointer} @mousedown=${keepFocus}>
      ${numbered.map(({ group, at }) => html`<div class="group" part="group" role="group" lang=${group.hits[0]?.lang ?? nothing} aria-labelledby=${view.renderer ? `hit-${at}` : `page-${at}`}>${renderGroup(view, actions, group, at)}</div>`)}
    </div>`;
}

/** The page's header is the first row where that hit is the page's top, and left to the page where it draws hits itself. */
function renderGroup(view: View, actions: Actions, { hits }: PageGroup, at: number): TemplateResult {
  const [best] = hits;
  const headed = best !== undefined && !isTop(best) && view.renderer === undefined;
  return html`${headed ? renderHead(view, actions, best, at) : nothing}${hits.map((hit, i) => renderHit(view, actions, hit, at + i, i === 0))}`;
}

/** A press on the list leaves the focus in the input; the click still follows the link. */
const keepFocus = (event: MouseEvent): void => event.preventDefault();

export function renderMore(view: View, actions: Actions): Part {
  if (view.mode !== 'page' || !view.state.hasMore) return nothing;
  return html`<div class="bar"><button class="text-button" type="button" part="more" @click=${() => actions.host.search.more()}>${view.strings.more}</button></div>`;
}
