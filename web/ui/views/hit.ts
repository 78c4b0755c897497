/** One hit: a link, or plain text where its address is unsafe. */
import type { Actions, View } from '../host.js';
import { html, nothing, type TemplateResult } from '../lit.mjs';
import { hrefOf } from '../state/addresses.js';
import { segments, type ShownHit } from '../state/groups.js';
import { crumbsOf } from '../state/links.js';

export function renderHit(view: View, actions: Actions, hit: ShownHit, index: number, first: boolean): TemplateResult {
  const { renderer } = view;
  const option = view.mode !== 'page';
  const chosen = view.active === index;
  const href = hrefOf(view, hit);
  const look = first ? 'hit' : 'hit sub';
  const crumbs = first
    ? [...crumbsOf(hit.url, hit.base ?? view.packedBase), ...hit.headings]
    : hit.headings.slice(0, -1);
  const content =
    renderer === undefined ? renderContent(hit, index, first, crumbs) : renderer({ hit, first, crumbs, url: href });
  const name =
    renderer === undefined
      ? nothing
      : `${hit.label === undefined ? '' : `${hit.label}: `}${hit.title}${hit.headings.length > 0 ? ` › ${hit.headings.join(' › ')}` : ''}`;
  if (href === undefined) {
    return html`<div class=${look} part="hit" id="hit-${index}" data-entry=${index} role=${option ? 'option' : nothing} aria-disabled=${option ? 'true' : nothing} aria-selected=${option ? chosen : nothing} aria-label=${name}>${content}</div>`;
  }
  return html`
    <a class=${look} part=${chosen ? 'hit hit-active' : 'hit'} id="hit-${index}" data-entry=${index} href=${href} aria-label=${name}
      role=${option ? 'option' : nothing} tabindex=${option ? '-1' : nothing} aria-selected=${option ? chosen : nothing}
      @click=${actions.onHit} @auxclick=${(event: MouseEvent) => event.button === 1 && actions.onHit(event)}>${content}</a>`;
}

/** First of a page: its title above the trail to the passage. Further ones: their own heading. */
function renderContent(hit: ShownHit, index: number, first: boolean, crumbs: readonly string[]): TemplateResult {
  const title = first ? hit.title || hit.source : (hit.headings.at(-1) ?? hit.title);
  return html`
    <span class="title" part="title"><bdi id="title-${index}">${title}</bdi>${first && hit.label ? html` <bdi class="label" part="label" lang="">${hit.label}</bdi>` : nothing}</span>
    ${crumbs.length === 0 ? nothing : html`<span class="crumbs" part="breadcrumbs">${crumbs.map((crumb, i) => html`${i === 0 ? '' : ' › '}<bdi>${crumb}</bdi>`)}</span>`}
    <span class="snippet" part="snippet" dir="auto">${segments(hit).map(({ text, mark }) => (mark ? html`<mark part="mark">${text}</mark>` : text))}</span>`;
}
