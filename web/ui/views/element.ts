/**
 * What is seen: templates of the element's state, for its three modes. Text goes in as text; the one
 * thing from a bundle that becomes an attribute is a link, checked by links.ts.
 */
import { hrefOf, resultsHref } from '../state/addresses.js';
import { segments, type PageGroup, type ShownHit } from '../state/groups.js';
import { crumbsOf } from '../state/links.js';
import { html, nothing, type TemplateResult } from '../lit.mjs';
import type { SheafSearch } from '../sheaf-search.js';
import { ariaShortcut, shortcutLabel } from '../controllers/shortcuts.js';
import { counted, directionOf, fill, shortened } from '../words/strings.js';
import { rendererOf, type HitRenderer } from './custom_hit.js';

type View = TemplateResult | typeof nothing;

const glass = html`<svg viewBox="0 0 24 24" aria-hidden="true"><circle cx="11" cy="11" r="7" /><path d="m16.5 16.5 5 5" /></svg>`;
const cross = html`<svg viewBox="0 0 24 24" aria-hidden="true"><path d="M6 6l12 12M18 6L6 18" /></svg>`;
const clock = html`<svg viewBox="0 0 24 24" aria-hidden="true"><circle cx="12" cy="12" r="9" /><path d="M12 7v5l3 2" /></svg>`;

export function renderElement(host: SheafSearch): TemplateResult {
  const body = host.mode === 'page' ? renderPage(host) : host.mode === 'inline' ? renderInline(host) : renderButton(host);
  return html`<div class="root ${host.mode}" lang=${host.localised.language} dir=${host.closest('[dir]') === null ? directionOf(host.localised.language) : nothing}>${body}</div>`;
}

function renderButton(host: SheafSearch): TemplateResult {
  const { strings } = host.localised;
  const label = host.placeholder ?? strings.search;
  const [shortcut] = host.shortcutList;
  return html`
    <button class="open" part="button" type="button" aria-haspopup="dialog" aria-expanded=${host.opened} aria-keyshortcuts=${host.shortcutList.map(ariaShortcut).join(' ') || nothing}
      @click=${() => host.show()} @pointerenter=${() => host.warm()} @focus=${() => host.warm()}>
      <slot name="icon">${glass}</slot><slot name="button"><span>${label}</span></slot>
      ${shortcut === undefined ? nothing : html`<kbd part="shortcut" aria-hidden="true">${shortcutLabel(shortcut)}</kbd>`}
    </button>
    <dialog part="dialog" aria-label=${strings.search} @close=${(event: Event) => onDialogClosed(host, event)} @mousedown=${(event: MouseEvent) => closeOutside(host, event)}>
      ${host.opened ? renderPanel(host, renderField(host, 'dialog-field')) : nothing}
    </dialog>`;
}

/** Told some time after the dialog closed: the reader may have opened it again. */
function onDialogClosed(host: SheafSearch, event: Event): void {
  if (!(event.currentTarget as HTMLDialogElement).open) host.onClosed();
}

/** A click that begins and ends on the backdrop closes; the end of a selection that began in the box does not. */
function closeOutside(host: SheafSearch, event: MouseEvent): void {
  const dialog = event.currentTarget as HTMLDialogElement;
  if (isOutside(dialog, event)) dialog.addEventListener('click', (click) => isOutside(dialog, click) && host.close(), { once: true });
}

/** The backdrop has the dialog itself as target, and lies outside of its box. */
function isOutside(dialog: HTMLDialogElement, { target, clientX, clientY }: MouseEvent): boolean {
  const { left, right, top, bottom } = dialog.getBoundingClientRect();
  return target === dialog && (clientX < left || clientX > right || clientY < top || clientY > bottom);
}

function renderInline(host: SheafSearch): TemplateResult {
  return html`
    <div @focusout=${(event: FocusEvent) => host.onFocusOut(event)}>
      ${renderField(host, 'boxed')}
      ${host.opened ? html`<div class="popup" part="popup" @keydown=${(event: KeyboardEvent) => event.key === 'Escape' && !event.defaultPrevented && host.leave()}>${renderPanel(host, nothing)}</div>` : nothing}
      ${host.opened ? nothing : renderLive(host)}
    </div>`;
}

function renderPage(host: SheafSearch): TemplateResult {
  return html`<search>${renderField(host, 'boxed')}</search>${renderPanel(host, nothing)}`;
}

/** Input, its label and its buttons. A combobox, but on a results page, where it is a plain search box. */
function renderField(host: SheafSearch, look: string): TemplateResult {
  const { strings } = host.localised;
  const combobox = host.mode !== 'page';
  const listed = combobox && host.opened && host.state.count > 0;
  return html`
    <div class="field ${look}" part="field">
      ${glass}
      <input part="input" id="input" type=${combobox ? 'text' : 'search'} autocomplete="off" autocapitalize="off" autocorrect="off" spellcheck="false" enterkeyhint="search"
        role=${combobox ? 'combobox' : nothing} aria-label=${strings.search} aria-autocomplete=${combobox ? 'list' : nothing}
        aria-expanded=${combobox ? listed : nothing} aria-controls=${listed ? 'list' : nothing}
        aria-activedescendant=${listed && host.active >= 0 ? `hit-${host.active}` : nothing}
        placeholder=${host.placeholder ?? strings.placeholder} dir="auto" .value=${host.state.query}
        @input=${(event: InputEvent) => host.onInput(event)} @compositionend=${(event: Event) => host.setQuery((event.target as HTMLInputElement).value)}
        @keydown=${(event: KeyboardEvent) => host.onKey(event)} @focus=${() => onFocus(host)} />
      ${host.state.query === '' ? nothing : html`
        <button class="icon" part="clear" type="button" aria-label=${strings.clear} title=${strings.clear} @click=${() => host.takeQuery('')}>${cross}</button>`}
      ${look === 'dialog-field' ? html`<button class="text-button" part="close" type="button" @click=${() => host.close()}>${strings.close}</button>` : nothing}
    </div>`;
}

function onFocus(host: SheafSearch): void {
  host.warm();
  if (host.mode === 'inline' && !host.opened) void host.show();
}

function renderPanel(host: SheafSearch, field: View): TemplateResult {
  return html`
    <div class="panel" part="panel">
      ${field}
      <div class="scroll" part="results" aria-busy=${isBusy(host)}>
        <div role="group" aria-label=${host.localised.strings.filters} ?hidden=${host.querySelector('[slot="filters"]') === null} class="bar" part="filters">
          <slot name="filters" @change=${(event: Event) => host.onFilter(event)} @slotchange=${(event: Event) => host.onFilter(event)}></slot>
        </div>
        ${host.bars.shown}${renderSuggestion(host)}${renderCount(host)}${renderTrouble(host)}${renderBody(host)}
      </div>
      ${renderFooter(host)}
      ${renderLive(host)}
    </div>`;
}

const renderLive = (host: SheafSearch): TemplateResult => html`<div class="unseen" role="status">${host.announcement}</div>`;
const isBusy = (host: SheafSearch): boolean => host.state.status === 'opening' || host.state.status === 'searching';

function renderCount(host: SheafSearch): View {
  const { state, localised: { strings, language } } = host;
  if (host.mode !== 'page' || state.status !== 'done' || state.count === 0) return nothing;
  return html`<p class="count" part="count">${counted(strings.found, state.count, language, { query: shortened(state.answered) })}</p>`;
}

function renderSuggestion(host: SheafSearch): View {
  const { suggestion } = host.state;
  if (suggestion === '') return nothing;
  const [before, after = ''] = host.localised.strings.didYouMean.split('{query}');
  return html`
    <div class="bar" part="suggestion"><span>${before}<button class="text-button" type="button" dir="auto" @click=${() => host.takeQuery(suggestion)}>${shortened(suggestion)}</button>${after}</span></div>`;
}

/** Offline and error: above whatever is still shown. */
function renderTrouble(host: SheafSearch): View {
  const { status, error } = host.state;
  const { strings } = host.localised;
  if (status !== 'offline' && status !== 'error') return nothing;
  return html`
    <div class="note" part=${status}>
      <slot name=${status}><p><strong>${status === 'offline' ? strings.offline : strings.failed}</strong></p>
      ${status === 'error' && error?.code !== undefined ? html`<p part="error-code">${error.code}</p>` : nothing}</slot>
      <button class="text-button" part="retry" type="button" @click=${() => host.search.retry()}>${strings.retry}</button>
    </div>`;
}

function renderBody(host: SheafSearch): View {
  const { state } = host;
  if (state.groups.length > 0) return html`${renderGroups(host)}${renderMore(host)}`;
  switch (state.status) {
    case 'idle': return renderIdle(host);
    case 'opening':
    case 'searching': return renderWaiting(host);
    case 'done': return renderNothing(host);
    default: return nothing;
  }
}

function renderIdle(host: SheafSearch): View {
  const { strings } = host.localised;
  if (!host.recentShown) return host.mode === 'page' ? nothing : html`<div class="note" part="empty"><slot name="empty"><p>${strings.empty}</p></slot></div>`;
  return html`
    <div class="bar" part="recent-title"><span id="recent">${strings.recent}</span>
      <button class="text-button" type="button" part="recent-clear" @click=${() => host.removeRecent()}>${strings.clearRecent}</button></div>
    <ul class="list" part="recent" aria-labelledby="recent" @keydown=${(event: KeyboardEvent) => host.onListKey(event)}>
      ${host.recentList.map((query, i) => html`
        <li class="recent">
          <button type="button" data-entry=${i} part="recent-query" @click=${() => host.takeQuery(query)}>${clock}<bdi>${query}</bdi></button>
          <button type="button" class="icon" part="recent-remove" aria-label=${fill(strings.removeRecent, { query })} @click=${() => host.removeRecent(query)}>${cross}</button>
        </li>`)}
    </ul>`;
}

function renderWaiting(host: SheafSearch): TemplateResult {
  const { progress, status } = host.state;
  const { strings, language } = host.localised;
  const share = progress?.total ? Math.min(1, progress.loaded / progress.total) : undefined;
  const percent = share === undefined ? '' : new Intl.NumberFormat(language, { style: 'percent' }).format(share);
  return html`
    <div part="loading">
      ${status === 'opening' && share !== undefined
        ? html`<div class="note"><p>${fill(strings.opening, { percent }).trim()}</p><progress aria-label=${fill(strings.opening, { percent: '' }).trim()} max="1" .value=${share}></progress></div>` : nothing}
      <div class="bones" aria-hidden="true"><i></i><i></i><i></i><i></i><i></i><i></i></div>
    </div>`;
}

function renderNothing(host: SheafSearch): TemplateResult {
  const { strings } = host.localised;
  return html`<div class="note" part="no-results"><slot name="no-results"><p><strong>${fill(strings.noResults, { query: shortened(host.state.answered) })}</strong></p><p>${strings.noResultsHint}</p></slot></div>`;
}

function renderMore(host: SheafSearch): View {
  if (host.mode !== 'page' || !host.state.hasMore) return nothing;
  return html`<div class="bar"><button class="text-button" type="button" part="more" @click=${() => host.search.more()}>${host.localised.strings.more}</button></div>`;
}

/** By position: Lit's `repeat` leaves a comment behind for each group that goes. */
function renderGroups(host: SheafSearch): TemplateResult {
  const renderer = rendererOf(host);
  let position = 0;
  const numbered = host.state.groups.map((group) => ({ group, at: (position += group.hits.length) - group.hits.length }));
  const hits = (group: PageGroup, at: number): TemplateResult[] => group.hits.map((hit, i) => renderHit(host, hit, at + i, i === 0, renderer));
  if (host.mode === 'page') {
    return html`
      <ol class="list" part="list" aria-label=${host.localised.strings.results} lang=${host.documentLanguage || nothing}
        @pointerenter=${(event: PointerEvent) => host.onPointer(event)} @pointerleave=${(event: PointerEvent) => host.onPointer(event)} @keydown=${(event: KeyboardEvent) => host.onListKey(event)}>
        ${numbered.map(({ group, at }) => html`<li class="group" part="group" lang=${group.hits[0]?.lang ?? nothing}>${hits(group, at)}</li>`)}
      </ol>`;
  }
  return html`
    <div class="list" id="list" part="list" role="listbox" aria-label=${host.localised.strings.results} lang=${host.documentLanguage || nothing}
      @pointerenter=${(event: PointerEvent) => host.onPointer(event)} @pointerleave=${(event: PointerEvent) => host.onPointer(event)} @mousedown=${keepFocus}>
      ${numbered.map(({ group, at }) => html`<div class="group" part="group" role="group" lang=${group.hits[0]?.lang ?? nothing} aria-labelledby="title-${at}">${hits(group, at)}</div>`)}
    </div>`;
}

/** A press on the list leaves the focus in the input; the click still follows the link. */
const keepFocus = (event: MouseEvent): void => event.preventDefault();

function renderHit(host: SheafSearch, hit: ShownHit, index: number, first: boolean, renderer: HitRenderer | undefined): TemplateResult {
  const option = host.mode !== 'page';
  const chosen = host.active === index;
  const href = hrefOf(host, hit);
  const look = first ? 'hit' : 'hit sub';
  const crumbs = first ? [...crumbsOf(hit.url, hit.base ?? host.packedBase), ...hit.headings] : hit.headings.slice(0, -1);
  const content = renderer === undefined ? renderContent(hit, index, first, crumbs) : renderer({ hit, first, crumbs, url: href });
  const name = renderer === undefined ? nothing : `${hit.label === undefined ? '' : `${hit.label}: `}${hit.title}${hit.headings.length > 0 ? ` › ${hit.headings.join(' › ')}` : ''}`;
  if (href === undefined) {
    return html`<div class=${look} part="hit" id="hit-${index}" data-entry=${index} role=${option ? 'option' : nothing} aria-disabled=${option ? 'true' : nothing} aria-selected=${option ? chosen : nothing} aria-label=${name}>${content}</div>`;
  }
  return html`
    <a class=${look} part=${chosen ? 'hit hit-active' : 'hit'} id="hit-${index}" data-entry=${index} href=${href} aria-label=${name}
      role=${option ? 'option' : nothing} tabindex=${option ? '-1' : nothing} aria-selected=${option ? chosen : nothing}
      @click=${(event: MouseEvent) => host.onHit(event)} @auxclick=${(event: MouseEvent) => event.button === 1 && host.onHit(event)}>${content}</a>`;
}

/** First of a page: its title above the trail to the passage. Further ones: their own heading. */
function renderContent(hit: ShownHit, index: number, first: boolean, crumbs: readonly string[]): TemplateResult {
  const title = first ? hit.title || hit.source : (hit.headings.at(-1) ?? hit.title);
  return html`
    <span class="title" part="title"><bdi id="title-${index}">${title}</bdi>${first && hit.label ? html` <bdi class="label" part="label" lang="">${hit.label}</bdi>` : nothing}</span>
    ${crumbs.length === 0 ? nothing : html`<span class="crumbs" part="breadcrumbs">${crumbs.map((crumb, i) => html`${i === 0 ? '' : ' › '}<bdi>${crumb}</bdi>`)}</span>`}
    <span class="snippet" part="snippet" dir="auto">${segments(hit).map(({ text, mark }) => (mark ? html`<mark part="mark">${text}</mark>` : text))}</span>`;
}

function renderFooter(host: SheafSearch): View {
  const { strings } = host.localised;
  const results = resultsHref(host);
  if (host.mode === 'page') return html`<slot name="footer"></slot>`;
  return html`
    <div class="footer ${results === undefined && host.querySelector('[slot="footer"]') === null ? 'bare' : ''}" part="footer">
      <span class="keys" aria-hidden="true"><kbd>↑</kbd> <kbd>↓</kbd> ${strings.keyNavigate}</span>
      <span class="keys" aria-hidden="true"><kbd>↵</kbd> ${strings.keyOpen}</span>
      <span class="keys" aria-hidden="true"><kbd>Esc</kbd> ${strings.keyClose}</span>
      <span class="end">${results === undefined ? nothing : html`<a part="all-results" href=${results}>${strings.allResults}</a> `}<slot name="footer"></slot></span>
    </div>`;
}
