/**
 * The rows of the list: a page's header, and two lines for each of its sections. A row is a link, or plain text where its
 * address is unsafe.
 */
import type { Actions, View } from '../host.js';
import { html, nothing, type TemplateResult } from '../lit.mjs';
import { hrefOf } from '../state/addresses.js';
import { codeLines, isTop, marked, oneLine, segments, type Segment, type ShownHit } from '../state/groups.js';
import { placeOf } from '../state/links.js';
import { fill } from '../words/strings.js';
import { enter, kinds, sheet } from './icons.js';

type Part = TemplateResult | typeof nothing;

/** Lines of code that an unfolded row shows. */
const CODE_LINES = 4;

/** Above the rows of a page: where it stands, and its title. Leads to its top; not an entry of the list. */
export function renderHead(view: View, actions: Actions, best: ShownHit, at: number): TemplateResult {
  const href = hrefOf(view, { ...best, anchor: '', headings: [], highlights: [] });
  const content = html`${sheet}<span class="text">${renderPage(best, at)}</span>`;
  if (href === undefined) return html`<div class="head" part="page">${content}</div>`;
  // A listbox has options alone: there, only the pointer finds it.
  const hidden = view.mode !== 'page';
  return html`<a class="head" part="page" href=${href} data-top=${at} tabindex=${hidden ? '-1' : nothing} aria-hidden=${hidden ? 'true' : nothing}
    @click=${actions.onHit} @auxclick=${middle(actions)}>${content}</a>`;
}

export function renderHit(view: View, actions: Actions, hit: ShownHit, index: number, first: boolean): TemplateResult {
  const { renderer } = view;
  const option = view.mode !== 'page';
  const chosen = view.active === index;
  const href = hrefOf(view, hit);
  const open = !option || view.unfolded === index;
  const look = `hit${first && isTop(hit) ? ' head' : ''}${open ? ' unfolded' : ''}`;
  const content =
    renderer === undefined
      ? renderRow(view, hit, index, first, open)
      : renderer({ hit, first, crumbs: crumbsFor(hit, first), url: href });
  const name = renderer === undefined ? nothing : nameOf(hit);
  if (href === undefined) {
    return html`<div class=${look} part="hit" id="hit-${index}" data-entry=${index} role=${option ? 'option' : nothing} aria-disabled=${option ? 'true' : nothing} aria-selected=${option ? chosen : nothing} aria-label=${name}>${content}</div>`;
  }
  return html`
    <a class=${look} part=${chosen ? 'hit hit-active' : 'hit'} id="hit-${index}" data-entry=${index} href=${href} aria-label=${name}
      role=${option ? 'option' : nothing} tabindex=${option ? '-1' : nothing} aria-selected=${option ? chosen : nothing}
      @click=${actions.onHit} @auxclick=${middle(actions)}>${content}${renderer === undefined && option ? enter : nothing}</a>`;
}

const middle =
  (actions: Actions) =>
  (event: MouseEvent): void => {
    if (event.button === 1) actions.onHit(event);
  };

/** Place, title and, where there are several bundles, the label of its own. */
function renderPage(hit: ShownHit, at: number): TemplateResult {
  return html`${renderPath(placeOf(hit))}<bdi class="page-title" part="page-title" id="page-${at}">${renderMarks(marked(hit.title || hit.source, hit.titleHighlights))}</bdi>${
    hit.label ? html` <bdi class="label" part="label" lang="">${hit.label}</bdi>` : nothing
  }`;
}

/** Kind, heading and snippet; of the top of a page, its place and title. */
function renderRow(view: View, hit: ShownHit, index: number, first: boolean, open: boolean): TemplateResult {
  const top = first && isTop(hit);
  const { kind = 'text' } = hit;
  const heading = hit.headings.at(-1);
  const line = top
    ? renderPage(hit, index)
    : html`${first ? html`<span class="unseen">${hit.title} › </span>` : nothing}${renderPath(hit.headings.slice(0, -1))}${
        heading === undefined
          ? nothing
          : html`<bdi class="title" part="title">${renderMarks(marked(heading, hit.headingHighlights))}</bdi>`
      }`;
  return html`${top ? sheet : kinds[kind]}<span class="text">${top || heading !== undefined ? html`<span class="line">${line}</span> ` : line}${renderSnippet(hit, open)}${
    hit.alsoIn &&
    html`<span class="snippet" part="also-in">${fill(view.strings.alsoIn, { pages: hit.alsoIn.map(({ title }) => title).join(', ') })}</span>`
  }</span>`;
}

function renderSnippet(hit: ShownHit, open: boolean): TemplateResult {
  const symbol = hit.symbol;
  if (symbol !== undefined) {
    return html`<code class="snippet" part="snippet symbol" dir="ltr"><b part="kind">${symbol.deprecated ? 'deprecated ' : ''}${symbol.kind}</b> ${symbol.signature || symbol.name}</code>`;
  }
  return hit.kind === 'code'
    ? html`<code class="snippet" part="snippet code" dir="ltr">${renderMarks(codeLines(hit, open ? CODE_LINES : 1))}</code>`
    : html`<span class="snippet" part="snippet" dir="auto">${renderMarks(open ? segments(hit) : oneLine(hit))}</span>`;
}

function renderPath(path: readonly string[]): Part {
  return path.length === 0
    ? nothing
    : html`<span class="crumbs" part="breadcrumbs">${path.map((name) => html`<bdi>${name}</bdi> › `)}</span>`;
}

const renderMarks = (found: readonly Segment[]): unknown[] =>
  found.map(({ text, mark }) => (mark ? html`<mark part="mark">${text}</mark>` : text));

/** For the page's own rendering, and what it is called then. */
function crumbsFor(hit: ShownHit, first: boolean): readonly string[] {
  return first ? [...placeOf(hit), ...hit.headings] : hit.headings.slice(0, -1);
}

function nameOf({ label, title, headings }: ShownHit): string {
  return `${label === undefined ? '' : `${label}: `}${[title, ...headings].join(' › ')}`;
}
