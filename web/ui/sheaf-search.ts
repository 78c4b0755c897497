/**
 * `<sheaf-search>`: search for a documentation site.
 *
 *     <sheaf-search src="/docs.sheaf" encoder="/minilm-l6-256.sheaf"></sheaf-search>
 *
 * `mode`: `button` (default; opens a modal dialog), `inline` (a box with its list below) or `page` (a
 * whole results page, kept in the address as `?q=`). docs/ui.md lists attributes, properties, slots,
 * parts, custom properties and events.
 *
 * Idea: this class holds what a reader does (keys, focus, selection), search.ts what is found, views.ts
 * what is seen, keys.ts how keys move. In `button` and `inline` mode the ARIA combobox pattern holds: focus stays in the
 * input, `aria-activedescendant` names the chosen entry. A results page is a list of links.
 *
 * Invariants
 *  1. Text of documents enters the tree as text nodes alone; links pass links.ts.
 *  2. Entries do not move while the pointer is on the list or one is chosen.
 *
 * @fires sheaf-select before a hit is followed: `{hit, query, url, newTab}`; cancelable
 * @fires sheaf-search after an answer: `{query, stage, groups}`
 * @fires sheaf-toggle when the dialog opens or closes: `{open}`
 * @fires sheaf-error `{error}`
 */
import type { Hit, Library } from '../client/types.js';
import { LitElement, type PropertyDeclarations, type PropertyValues } from './lit.mjs';
import { filterOf } from './filters.js';
import { ListKeys } from './keys.js';
import { hitHref, type LinkOptions } from './links.js';
import { openShared } from './open.js';
import { RecentSearches } from './recent.js';
import { createSearch, IDLE_STATE, type LibrarySource, type SearchOptions, type SearchState, type SearchStore } from './search.js';
import { ariaShortcut, DEFAULT_SHORTCUTS, listenForShortcuts, parseShortcuts, shortcutLabel, type Shortcut } from './shortcuts.js';
import { counted, directionOf, fill, stringsFor, type Localised, type Strings } from './strings.js';
import { styles } from './styles.js';
import { templateRenderer, type HitRenderer } from './template.js';
import { renderElement } from './views.js';

export type SheafSearchMode = 'button' | 'inline' | 'page';

export interface SelectDetail {
  hit: Hit;
  query: string;
  url: string | undefined;
  newTab: boolean;
}

const ANNOUNCE_AFTER = 500;

export class SheafSearch extends LitElement {
  static override properties: PropertyDeclarations = {
    mode: { reflect: true },
    src: {},
    encoder: {},
    base: {},
    placeholder: {},
    shortcuts: {},
    theme: { reflect: true },
    recent: { type: Number },
    recentKey: { attribute: 'recent-key' },
    resultsUrl: { attribute: 'results-url' },
    param: {},
    highlight: {},
    library: { attribute: false },
    options: { attribute: false },
    strings: { attribute: false },
    renderHit: { attribute: false },
    urlFor: { attribute: false },
    state: { state: true },
    active: { state: true },
    opened: { state: true },
    announcement: { state: true },
  };
  static override styles = styles;

  declare mode: SheafSearchMode;
  /** Address of the bundle. */
  declare src: string | undefined;
  /** Address of the encoder's table; without it, search is by words alone. */
  declare encoder: string | undefined;
  /** Where the documentation lives here, in place of the base URL that the bundle was packed with. */
  declare base: string | undefined;
  declare placeholder: string | undefined;
  /** Keys of the whole page, for example `mod+k /`; `none` for none. */
  declare shortcuts: string;
  declare theme: 'auto' | 'light' | 'dark';
  /** How many recent searches are kept in this browser; 0 keeps none. */
  declare recent: number;
  declare recentKey: string;
  /** A results page, linked from dialog and box as `?q=`. */
  declare resultsUrl: string | undefined;
  /** Name of the query in the address of a results page. */
  declare param: string;
  /** `off`: links without text fragments. */
  declare highlight: 'on' | 'off';
  /** An open library, or how to open it; instead of `src`. */
  declare library: LibrarySource | undefined;
  declare options: SearchOptions;
  /** Words to put in place of the language's. */
  declare strings: Partial<Strings>;
  /** What stands for a hit; instead of a `<template slot="hit">`. */
  declare renderHit: HitRenderer | undefined;
  /** The address of a hit; instead of `base`. Unsafe schemes are still refused. */
  declare urlFor: ((hit: Hit) => string) | undefined;

  /** @internal */ declare state: SearchState;
  /** @internal The chosen entry; -1 for none. */ declare active: number;
  /** @internal Dialog or list below the box is shown. */ declare opened: boolean;
  /** @internal */ declare announcement: string;
  /** @internal */ shortcutList: readonly Shortcut[] = [];
  /** @internal */ localised: Localised = stringsFor('en');
  /** @internal */ recentList: string[] = [];

  #store: SearchStore | undefined;
  #unsubscribe: (() => void) | undefined;
  #unlisten: (() => void) | undefined;
  #announceTimer: ReturnType<typeof setTimeout> | undefined;
  #pointer = false;
  #filter: ((hit: Hit) => boolean) | undefined;
  readonly #keys = new ListKeys(this);
  #warned: unknown;

  constructor() {
    super();
    this.mode = 'button';
    this.shortcuts = DEFAULT_SHORTCUTS;
    this.theme = 'auto';
    this.recent = 5;
    this.recentKey = 'sheaf-recent';
    this.param = 'q';
    this.highlight = 'on';
    this.options = {};
    this.strings = {};
    this.state = IDLE_STATE;
    this.active = -1;
    this.opened = false;
    this.announcement = '';
  }

  // ---- what pages call ---------------------------------------------------------------------------

  /** The store behind the element, for `subscribe`, `state` and `library`. */
  get search(): SearchStore {
    this.#store ??= this.#makeStore();
    return this.#store;
  }

  get query(): string {
    return this.state.query;
  }
  set query(query: string) {
    this.search.submit(query);
  }

  /** Opens the dialog, or puts the focus into the box. */
  async show(): Promise<void> {
    this.recentList = this.#recent().list();
    const was = this.opened;
    this.opened = true;
    await this.updateComplete;
    const dialog = this.#dialog();
    if (this.mode === 'button' && dialog !== null && !dialog.open) {
      dialog.showModal();
      document.documentElement.style.overflow = 'hidden'; // the page behind stays where it is
    }
    this.input?.focus();
    this.input?.select();
    void this.search.prefetch();
    if (!was) this.#emit('sheaf-toggle', { open: true });
  }

  /** Closes dialog or list; the focus returns to where it was. */
  close(): void {
    if (!this.opened) return;
    this.#dialog()?.close();
    if (this.opened) this.onClosed();
  }

  /** Which hits are kept; undefined keeps all. Controls in the slot `filters` set it too. */
  get filter(): ((hit: Hit) => boolean) | undefined {
    return this.#filter;
  }
  set filter(filter: ((hit: Hit) => boolean) | undefined) {
    this.#filter = filter;
    this.search.configure({ filter });
  }

  // ---- life --------------------------------------------------------------------------------------

  static override get observedAttributes(): string[] {
    return [...super.observedAttributes, 'lang', 'dir'];
  }

  override attributeChangedCallback(name: string, old: string | null, value: string | null): void {
    super.attributeChangedCallback(name, old, value);
    if (name === 'lang' || name === 'dir') this.requestUpdate();
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#unlisten = listenForShortcuts(this);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#unlisten?.();
    clearTimeout(this.#announceTimer);
    if (this.opened) this.onClosed();
  }

  override willUpdate(changed: PropertyValues): void {
    if (changed.has('src') || changed.has('encoder') || changed.has('library')) {
      const { query } = this.state;
      this.#unsubscribe?.();
      this.#store?.dispose();
      this.#store = undefined;
      this.state = IDLE_STATE;
      if (query !== '') this.search.submit(query);
    } else if (changed.has('options') && this.#store !== undefined) {
      this.#store.configure(this.options);
    }
    this.shortcutList = parseShortcuts(this.shortcuts);
    const language = (this.closest('[lang]') ?? document.documentElement).getAttribute('lang') || navigator.language;
    const found = stringsFor(language);
    this.localised = { language: found.language, strings: { ...found.strings, ...this.strings } };
  }

  protected override firstUpdated(): void {
    if (this.mode !== 'page') return;
    const query = new URLSearchParams(location.search).get(this.param);
    if (query) this.search.submit(query);
    this.recentList = this.#recent().list();
  }

  protected override render(): unknown {
    return renderElement(this);
  }

  protected override updated(changed: PropertyValues): void {
    if (changed.has('active') && this.active >= 0) this.entries()[this.active]?.scrollIntoView({ block: 'nearest' });
  }

  #makeStore(): SearchStore {
    const source: LibrarySource = this.library ?? (({ onProgress, again }): Promise<Library> => {
      if (this.src) return openShared(this.src, { encoder: this.encoder || undefined, onProgress, again });
      return Promise.reject(new Error('<sheaf-search> needs the address of a bundle in its attribute src, or a library in its property library.'));
    });
    const store = createSearch(source, this.#filter === undefined ? this.options : { ...this.options, filter: this.#filter });
    this.#unsubscribe = store.subscribe((state) => this.#onState(state));
    return store;
  }

  // ---- what the store tells ----------------------------------------------------------------------

  #onState(state: SearchState): void {
    const before = this.state;
    this.state = state;
    if (state.query !== before.query) this.point(-1);
    if (state.groups !== before.groups && state.status !== 'idle') this.#emit('sheaf-search', { query: state.answered, stage: state.stage, groups: state.groups });
    if (state.groups !== before.groups && this.mode === 'page') this.#writeAddress(state.answered);
    if (state.error !== undefined && state.error !== this.#warned) {
      this.#warned = state.error;
      console.warn(`sheaf: ${state.error.message}`);
      this.#emit('sheaf-error', { error: state.error });
    }
    this.#announce(state);
  }

  #announce(state: SearchState): void {
    clearTimeout(this.#announceTimer);
    const text = this.statusText(state);
    if (text !== this.announcement) this.#announceTimer = setTimeout(() => (this.announcement = text), ANNOUNCE_AFTER);
  }

  /** @internal What a live region says. */
  statusText(state: SearchState): string {
    const { strings, language } = this.localised;
    switch (state.status) {
      case 'idle': return '';
      case 'opening':
      case 'searching': return strings.searching;
      case 'offline': return strings.offline;
      case 'error': return strings.failed;
      case 'done': return state.count === 0 ? fill(strings.noResults, { query: state.answered }) : counted(strings.found, state.count, language, { query: state.answered });
    }
  }

  #writeAddress(query: string): void {
    const url = new URL(location.href);
    if (query === '') url.searchParams.delete(this.param);
    else url.searchParams.set(this.param, query);
    history.replaceState(history.state, '', url);
  }

  // ---- what views.ts asks ------------------------------------------------------------------------

  get input(): HTMLInputElement | null {
    return this.renderRoot?.querySelector('input') ?? null;
  }
  /** @internal */
  get direction(): 'ltr' | 'rtl' | undefined {
    return this.closest('[dir]') === null ? directionOf(this.localised.language) : undefined;
  }
  /** @internal */
  get shortcutText(): string {
    return this.shortcutList[0] === undefined ? '' : shortcutLabel(this.shortcutList[0]);
  }
  /** @internal */
  get ariaShortcuts(): string {
    return this.shortcutList.map(ariaShortcut).join(' ');
  }
  /** @internal Base URL that the bundle was packed with. */
  get packedBase(): string {
    const base = this.#store?.library?.info.manifest['base_url'];
    return typeof base === 'string' ? base : '';
  }
  /** @internal Language of the documents. */
  get documentLanguage(): string {
    const language = this.#store?.library?.info.manifest['language'];
    return typeof language === 'string' ? language : '';
  }
  /** @internal */
  get hitRenderer(): HitRenderer | undefined {
    const template = this.renderHit === undefined ? this.querySelector<HTMLTemplateElement>('template[slot="hit"]') : null;
    return template === null ? this.renderHit : templateRenderer(template);
  }
  /** @internal */
  hrefOf(hit: Hit): string | undefined {
    const links: LinkOptions = { base: this.base, packedBase: this.packedBase, highlight: this.highlight !== 'off' };
    return this.urlFor === undefined ? hitHref(hit, links) : hitHref({ ...hit, url: this.urlFor(hit), anchor: '' }, { highlight: false });
  }
  /** @internal */
  get resultsHref(): string | undefined {
    if (!this.resultsUrl || this.state.query.trim() === '') return undefined;
    const url = new URL(this.resultsUrl, document.baseURI);
    url.searchParams.set(this.param, this.state.query);
    return url.href;
  }

  // ---- what the reader does ----------------------------------------------------------------------

  /** @internal */
  onShortcut(): void {
    if (this.mode === 'button' && this.opened) this.close();
    else void this.show();
  }

  /** @internal */
  onInput(event: InputEvent): void {
    if (event.isComposing) return; // half a word; compositionend brings the whole
    this.setQuery((event.target as HTMLInputElement).value);
  }

  /** @internal */
  setQuery(query: string): void {
    if (this.mode === 'inline') this.opened = true;
    this.search.setQuery(query);
    if (query !== '') return;
    this.recentList = this.#recent().list();
    if (this.mode === 'page') this.#writeAddress('');
  }

  /** @internal Takes a query from a list: recent searches, "did you mean". */
  takeQuery(query: string): void {
    this.search.submit(query);
    this.input?.focus();
  }

  /** @internal */
  removeRecent(query?: string): void {
    if (query === undefined) this.#recent().clear();
    else this.#recent().remove(query);
    this.recentList = this.#recent().list();
    this.requestUpdate();
    this.input?.focus();
  }

  /** @internal */
  onFilter(event: Event): void {
    const slot = event.currentTarget as HTMLSlotElement;
    this.filter = filterOf(slot.assignedElements({ flatten: true }), this.packedBase);
  }

  /** @internal */
  onPointer(inside: boolean): void {
    this.#pointer = inside;
    this.point(this.active);
  }

  /** @internal Chooses an entry, or none. */
  point(index: number): void {
    this.active = index;
    this.search.hold(this.#pointer || index >= 0);
  }

  /** @internal */
  onFocusOut(event: FocusEvent): void {
    // Within the shadow tree, relatedTarget is retargeted to the element itself from outside.
    const next = event.relatedTarget as Node | null;
    const stays = next !== null && (this.contains(next) || this.renderRoot.contains(next));
    if (this.mode === 'inline' && !stays) this.close();
  }

  /** @internal */
  onClosed(): void {
    if (!this.opened) return; // the dialog tells of what close() has told already
    this.opened = false;
    this.#pointer = false;
    this.point(-1);
    if (this.mode === 'button') document.documentElement.style.removeProperty('overflow');
    this.#emit('sheaf-toggle', { open: false });
  }

  /** @internal Keys within the input. */
  onKey(event: KeyboardEvent): void {
    this.#keys.onKey(event);
  }

  /** @internal Keys within lists of real links and buttons: results page, recent searches. */
  onListKey(event: KeyboardEvent): void {
    this.#keys.onListKey(event);
  }

  /** @internal */
  get recentShown(): boolean {
    return this.state.query.trim() === '' && this.recentList.length > 0;
  }

  /** @internal A click on a hit, by pointer or by Enter. */
  onHit(event: MouseEvent): void {
    const newTab = event.ctrlKey || event.metaKey || event.shiftKey || event.button === 1;
    if (!this.select(event.currentTarget as HTMLAnchorElement, newTab)) event.preventDefault();
    else if (!newTab && this.mode !== 'page') this.close();
  }

  /** @internal Tells the page; false when it wants the hit not to be followed. */
  select(entry: HTMLAnchorElement, newTab: boolean): boolean {
    const hit = this.state.groups.flatMap((group) => group.hits)[Number(entry.dataset['entry'])];
    if (hit === undefined) return false;
    this.#recent().add(this.state.answered);
    const detail: SelectDetail = { hit, query: this.state.answered, url: entry.href, newTab };
    return this.#emit('sheaf-select', detail, true);
  }

  /** @internal Links and buttons that arrows move through. */
  entries(): HTMLElement[] {
    return [...(this.renderRoot?.querySelectorAll<HTMLElement>('[data-entry]') ?? [])];
  }

  #dialog(): HTMLDialogElement | null {
    return this.renderRoot.querySelector('dialog');
  }

  #recent(): RecentSearches {
    return new RecentSearches(this.recentKey, this.recent);
  }

  #emit(name: string, detail: unknown, cancelable = false): boolean {
    return this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true, cancelable }));
  }
}

declare global {
  interface HTMLElementTagNameMap {
    'sheaf-search': SheafSearch;
  }
}
