/**
 * What stands below the box before anything is typed: recent searches, sections of this page, the site's top pages.
 *
 * The three are lists of links and buttons, one after the other in the tree, so arrow keys walk through them as one
 * (controllers/keys.ts). Nothing is fetched for them: sections come from the page, top pages from the manifest of a
 * bundle that is open, and until it is open they are left out.
 */
import type { Actions, View } from '../host.js';
import { html, nothing, type TemplateResult } from '../lit.mjs';
import { fill } from '../words/strings.js';
import type { StartLink } from '../state/start.js';
import { clock, cross, kinds, sheet } from './icons.js';

type Part = TemplateResult | typeof nothing;

export function renderStart(view: View, actions: Actions): Part {
  const { strings, recent, sections, topPages } = view;
  if (recent.length + sections.length + topPages.length === 0)
    return view.mode === 'page'
      ? nothing
      : html`<div class="note" part="empty"><slot name="empty"><p>${strings.empty}</p></slot></div>`;
  return html`<div class="start" part="start" @keydown=${actions.keys.onListKey}>${renderRecent(view, actions)}${renderLinks(
    'sections',
    strings.onThisPage,
    sections,
    recent.length,
    view,
    actions,
  )}${renderLinks('top-pages', strings.topPages, topPages, recent.length + sections.length, view, actions)}</div>`;
}

function renderRecent({ strings, recent }: View, actions: Actions): Part {
  if (recent.length === 0) return nothing;
  return html`
    <section>
      <div class="bar" part="recent-title"><span id="recent">${strings.recent}</span>
        <button class="text-button" type="button" part="recent-clear" @click=${() => actions.removeRecent()}>${strings.clearRecent}</button></div>
      <ul class="list" part="recent" aria-labelledby="recent">
        ${recent.map(
          (query, i) => html`
          <li class="recent">
            <button type="button" class="start-row" data-entry=${i} part="recent-query" @click=${() => actions.takeQuery(query)}>${clock}<bdi>${query}</bdi></button>
            <button type="button" class="icon" part="recent-remove" aria-label=${fill(strings.removeRecent, { query })} @click=${() => actions.removeRecent(query)}>${cross}</button>
          </li>`,
        )}
      </ul>
    </section>`;
}

/** `from`: the number of the first entry. */
function renderLinks(
  name: 'sections' | 'top-pages',
  title: string,
  rows: readonly StartLink[],
  from: number,
  { documentLanguage }: View,
  actions: Actions,
): Part {
  if (rows.length === 0) return nothing;
  return html`
    <section>
      <div class="bar" part="start-title"><span id=${name}>${title}</span></div>
      <ul class="list" part=${name} aria-labelledby=${name} lang=${documentLanguage || nothing}>
        ${rows.map(
          ({ href, text, depth = 0, current = false }, i) => html`
          <li class=${depth > 0 ? 'deeper' : nothing}><a class="start-row" part=${current ? 'start-link start-link-current' : 'start-link'} data-entry=${from + i} href=${href} aria-current=${current ? 'location' : nothing}
            @click=${actions.onLink}>${name === 'sections' ? kinds.heading : sheet}<bdi>${text}</bdi></a></li>`,
        )}
      </ul>
    </section>`;
}
