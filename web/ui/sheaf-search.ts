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
 * what is seen, keys.ts how keys move, properties.ts what a page may set, modal.ts the page around the dialog, bars.ts what narrows a
 * search. In `button` and `inline` mode the ARIA combobox pattern holds: focus stays in the input, `aria-activedescendant` names the
 * chosen entry. A results page is a list of links.
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
import type { PropertyValues } from './lit.mjs';
import { writeAddress } from './state/addresses.js';
import { Bars } from './controllers/bars.js';
import { filterOf } from './controllers/filters.js';
import { ListKeys } from './controllers/keys.js';
import { showOver } from './controllers/modal.js';
import { openShared } from './open.js';
import { SearchProperties } from './properties.js';
import { RecentSearches } from './state/recent.js';
import { createSearch, IDLE_STATE, type LibrarySource, type OpenContext, type SearchState, type SearchStore } from './state/search.js';
import { listenForShortcuts, parseShortcuts, type Shortcut } from './controllers/shortcuts.js';
import { stringsFor, type Localised } from './words/strings.js';
import { statusText } from './words/status.js';
import { styles } from './views/styles.js';
import { renderElement } from './views/element.js';

export type { SheafSearchMode } from './properties.js';

export interface SelectDetail {
  hit: Hit;
  query: string;
  url: string | undefined;
  newTab: boolean;
}

const ANNOUNCE_AFTER = 500;
/** Properties that say what is searched. */
const SOURCES = ['src', 'encoder', 'base', 'library', 'sites', 'label'] as const;

export class SheafSearch extends SearchProperties {
  static override styles = styles;

  /** @internal */ shortcutList: readonly Shortcut[] = [];
  /** @internal */ localised: Localised = stringsFor('en');
  /** @internal */ recentList: string[] = [];
  /** @internal */ readonly bars = new Bars(this, {
    scope: () => import('./scope/index.js').then(({ Scope }) => new Scope(this)),
    chips: (narrow) => import('./scope/facets.js').then(({ FacetChips }) => new FacetChips(this, narrow)),
  });

  #store: SearchStore | undefined;
  /** What the store searches. */
  #sources: readonly unknown[] = [];
  #unsubscribe: (() => void) | undefined;
  #unlisten: (() => void) | undefined;
  #announceTimer: ReturnType<typeof setTimeout> | undefined;
  /** Where the pointer is, or a finger was: what it points at stays in place. */
  #pointer: 'list' | 'touched' | undefined;
  #releasePage: (() => void) | undefined;
  #filter: ((hit: Hit) => boolean) | undefined;
  readonly #keys = new ListKeys(this);
  /** A press elsewhere closes the list of a box. */
  readonly #onPress = (event: Event): void => {
    if (this.mode === 'inline' && !event.composedPath().includes(this)) this.close();
  };
  #warned: unknown;

  // ---- what pages call ---------------------------------------------------------------------------

  /** The store behind the element, for `subscribe`, `state` and `library`. */
  get search(): SearchStore {
    this.#store ??= this.#makeStore();
    return this.#store;
  }

  get query(): string {
    return this.#store?.state.query ?? '';
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
    if (!this.opened) return; // closed again meanwhile
    const dialog = this.#dialog();
    if (dialog?.open === false) this.#releasePage = showOver(dialog);
    const { input } = this;
    if (input !== null && this.shadowRoot?.activeElement !== input) {
      input.focus();
      input.select(); // a press into the box sets the caret instead
    }
    this.warm();
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
    document.addEventListener('pointerdown', this.#onPress);
    if (this.#store === undefined || this.#unsubscribe !== undefined) return;
    this.#follow(this.#store);
    this.#onState(this.#store.state); // what it missed
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#unlisten?.();
    document.removeEventListener('pointerdown', this.#onPress);
    this.#unsubscribe?.(); // so that nothing holds an element that never comes back
    this.#unsubscribe = undefined;
    clearTimeout(this.#announceTimer);
    this.close();
  }

  override willUpdate(changed: PropertyValues): void {
    if (this.#store !== undefined && SOURCES.some((name, i) => this[name] !== this.#sources[i])) {
      this.bars.reset();
      this.reopen();
    } else if (changed.has('options') && this.#store !== undefined) {
      this.#store.configure(this.options);
    }
    if (changed.has('mode') && this.#releasePage !== undefined) this.close(); // the dialog of the other mode
    this.shortcutList = parseShortcuts(this.shortcuts);
    const language = (this.closest('[lang]') ?? document.documentElement).getAttribute('lang') || navigator.language;
    const found = stringsFor(language);
    this.localised = { language: found.language, strings: { ...found.strings, ...this.strings } };
    this.bars.update(changed.has('facets'));
  }

  /** @internal Begins anew with what the properties name; asks the query again. */
  reopen(): void {
    const { query } = this.state;
    this.#store?.dispose();
    this.#store = this.#unsubscribe = undefined;
    this.state = IDLE_STATE;
    if (query !== '') this.search.submit(query);
  }

  protected override firstUpdated(): void {
    if (this.prefetch === 'idle') (globalThis.requestIdleCallback ?? setTimeout)(() => this.isConnected && this.warm());
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
    const before = changed.get('state') as SearchState | undefined;
    if (before !== undefined && before.answered !== this.state.answered) this.renderRoot.querySelector('.scroll')?.scrollTo(0, 0);
  }

  #makeStore(): SearchStore {
    this.#sources = SOURCES.map((name) => this[name]);
    const source: LibrarySource = this.library ?? ((context): Promise<Library> => this.#open(context));
    const [filter, { filters }] = [this.#filter, this.bars];
    const store = createSearch(source, { ...this.options, ...(filter && { filter }), ...(filters && { filters }) });
    this.#follow(store);
    return store;
  }

  #follow(store: SearchStore): void {
    this.#unsubscribe = store.subscribe((state) => this.#onState(state));
  }

  async #open({ onProgress, failed }: OpenContext): Promise<Library> {
    if (this.sites || this.querySelector('sheaf-source')) return (await this.bars.several()).open(onProgress);
    if (this.src) return openShared(this.src, { encoder: this.encoder || undefined, onProgress, failed });
    throw new Error('<sheaf-search> needs the address of a bundle in its attribute src, or a library in its property library.');
  }

  // ---- what the store tells ----------------------------------------------------------------------

  #onState(state: SearchState): void {
    const before = this.state;
    this.state = state;
    if (state.query !== before.query) {
      if (this.#pointer === 'touched') this.#pointer = undefined;
      this.point(-1);
    }
    if (state.groups.length === 0) this.#pointer = undefined; // what it was on is gone, and tells no more
    if (state.facets !== before.facets) this.bars.count();
    if (state.groups !== before.groups && state.stage !== 'none') this.#emit('sheaf-search', { query: state.answered, stage: state.stage, groups: state.groups });
    if (state.groups !== before.groups && this.mode === 'page') writeAddress(this.param, state.answered || state.query.trim()); // what failed, too: loading the page again asks it
    if (state.error !== undefined && state.error !== this.#warned) {
      this.#warned = state.error;
      console.warn(`sheaf: ${state.error.message}`);
      this.#emit('sheaf-error', { error: state.error });
    }
    this.#announce(state);
  }

  #announce(state: SearchState): void {
    clearTimeout(this.#announceTimer);
    const text = statusText(state, this.localised);
    if (text !== this.announcement) this.#announceTimer = setTimeout(() => (this.announcement = text), ANNOUNCE_AFTER);
  }

  // ---- what views.ts asks ------------------------------------------------------------------------

  get input(): HTMLInputElement | null {
    return this.renderRoot?.querySelector('input') ?? null;
  }
  /** @internal Base URL that the bundle was packed with. */
  get packedBase(): string {
    const base = this.#store?.library?.info.manifest['base_url'];
    return typeof base === 'string' ? base : '';
  }
  /** @internal Language of the documents. */
  get documentLanguage(): string {
    const language = this.#store?.library?.info.manifest['language'];
    return typeof language === 'string' && language !== 'none' ? language : '';
  }

  // ---- what the reader does ----------------------------------------------------------------------

  /** @internal The reader reaches for the search. */
  warm(): void {
    if (this.prefetch !== 'none') void this.search.prefetch();
  }

  /** @internal */
  get modal(): boolean {
    return this.mode === 'button' && this.opened;
  }

  /** @internal */
  onShortcut(): void {
    if (this.modal) this.close();
    else void this.show();
  }

  /** @internal */
  onInput(event: InputEvent): void {
    if (isHalfWord(event)) return; // compositionend brings the whole
    this.setQuery((event.target as HTMLInputElement).value);
  }

  /** @internal */
  setQuery(query: string): void {
    if (this.mode === 'inline') this.opened = true;
    this.search.setQuery(query);
    if (query !== '') return;
    this.recentList = this.#recent().list();
    if (this.mode === 'page') writeAddress(this.param, '');
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
    const filter = filterOf(slot.assignedElements({ flatten: true }), () => this.packedBase);
    if (event.type === 'change' || this.#filter === undefined) this.filter = filter;
    this.requestUpdate();
  }

  /** @internal */
  onPointer({ type, pointerType }: PointerEvent): void {
    this.#pointer = pointerType === 'touch' ? 'touched' : type === 'pointerenter' ? 'list' : undefined;
    this.point(this.active);
  }

  /** @internal Chooses an entry, or none. */
  point(index: number): void {
    this.active = index;
    this.search.hold(this.#pointer !== undefined || index >= 0);
  }

  /** @internal */
  onFocusOut(event: FocusEvent): void {
    // Nowhere: a soft keyboard was put away, or the window left. Within the shadow tree, it is retargeted to the element itself from outside.
    const next = event.relatedTarget as Node | null;
    if (next !== null && !this.contains(next) && !this.renderRoot.contains(next)) this.close();
  }

  /** @internal */
  onClosed(): void {
    if (!this.opened) return; // the dialog tells of what close() has told already
    this.opened = false;
    this.#pointer = undefined;
    this.point(-1);
    this.#releasePage?.();
    this.#releasePage = undefined;
    this.#emit('sheaf-toggle', { open: false });
  }

  /** @internal Out of the controls within the list below the box. */
  leave(): void {
    this.input?.focus();
    this.close();
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

/** While an input method composes, text means little, but in Hangul, and on Android, whose keyboards compose every word. */
function isHalfWord({ isComposing, data }: InputEvent): boolean {
  return isComposing && !/\p{Script=Hangul}$/u.test(data ?? '') && !/android/i.test(navigator.userAgent);
}

declare global {
  interface HTMLElementTagNameMap {
    'sheaf-search': SheafSearch;
  }
}
