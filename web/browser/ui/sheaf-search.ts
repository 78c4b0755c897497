/**
 * `<sheaf-search>`: search for a documentation site.
 *
 *     <sheaf-search src="/docs.sheaf" encoder="/minilm-l6-256.sheaf"></sheaf-search>
 *
 * `mode`: `button` (default; opens a modal dialog), `inline` (a box with its list below) or `page` (a
 * whole results page, kept in the address as `?q=`). docs/ui.md lists attributes, properties, slots,
 * parts, custom properties and events.
 *
 * Idea: this class assembles parts that do not know it (host.ts): properties.ts has what a page may set, state/ the
 * search, views/ the templates, controllers/ the reader's actions (start with reader.ts), scope/ what an element with
 * several bundles also loads, words/ the texts. In `button` and `inline` mode the ARIA combobox pattern holds: focus
 * stays in the input, `aria-activedescendant` names the chosen entry. A results page is a list of links.
 *
 * Invariants
 *  1. Document text enters the tree only as text nodes; links pass state/links.ts.
 *  2. Entries do not move while the pointer is on the list or one is chosen (controllers/choice.ts).
 *
 * @fires sheaf-select before a hit is followed: `{hit, query, url, newTab}`; cancelable
 * @fires sheaf-search after an answer: `{query, stage, groups}`
 * @fires sheaf-toggle when the dialog opens or closes: `{open}`
 * @fires sheaf-error `{error}`
 */
import type { Hit, Library } from '../client/types.js';
import { offer } from './agents.js';
import { takeAccent } from './controllers/accent.js';
import { Answer } from './controllers/answer.js';
import { createAnnouncer } from './controllers/announcer.js';
import { Bars } from './controllers/bars.js';
import { tell } from './controllers/events.js';
import { Preview } from './controllers/preview.js';
import { Reader } from './controllers/reader.js';
import { listenForShortcuts } from './controllers/shortcuts.js';
import type { View } from './host.js';
import type { CSSResult, PropertyValues } from './lit.mjs';
import { openShared } from './open.js';
import { SearchProperties } from './properties.js';
import { writeAddress } from './state/addresses.js';
import { takeFollowed } from './state/followed.js';
import { languageOf, packedBaseOf, topPagesOf } from './state/manifest.js';
import {
  createSearch,
  IDLE_STATE,
  type LibrarySource,
  type OpenContext,
  type SearchState,
  type SearchStore,
} from './state/search.js';
import { parseShortcuts } from './state/shortcut.js';
import { pageLinks } from './state/start.js';
import { rendererOf } from './views/custom_hit.js';
import { renderElement } from './views/element.js';
import { styles } from './views/styles.js';
import { statusText } from './words/status.js';
import { directionOf, loadStrings, stringsFor, type Localised } from './words/strings.js';

export type { SelectDetail } from './controllers/reader.js';

/** Milliseconds that the first sight of the element waits for the words of its language, rather than show others first. */
const WORDS_PATIENCE = 1000;

/** Properties that say what is searched. */
const SOURCES = ['src', 'encoder', 'base', 'library', 'sites', 'label'] as const;

export class SheafSearch extends SearchProperties {
  static override styles: CSSResult[] = styles;

  /** @internal What it says, and in which language. */ localised: Localised = stringsFor('en');
  /** @internal What narrows the search. */ readonly bars = new Bars(this, {
    scope: () => import('./scope/index.js').then(({ Scope }) => new Scope(this)),
    chips: (narrow) => import('./scope/facets.js').then(({ FacetChips }) => new FacetChips(this, narrow)),
  });

  #store: SearchStore | undefined;
  /** What the store searches. */
  #sources: readonly unknown[] = [];
  #unsubscribe: (() => void) | undefined;
  #unlisten: (() => void) | undefined;
  #withdraw: (() => void) | undefined;
  #filter: ((hit: Hit) => boolean) | undefined;
  readonly #reader = new Reader(this);
  readonly #preview = new Preview(this, () =>
    import('./views/preview.js').then(({ makePane }) => makePane(this.renderRoot as ShadowRoot)),
  );
  readonly #answer = new Answer(this, () => import('./ask/ask.js').then(({ AskBox }) => new AskBox(this)));
  readonly #announce = createAnnouncer(this);
  /** A press elsewhere closes the list of a box. */
  readonly #onPress = (event: Event): void => {
    if (this.mode === 'inline' && !event.composedPath().includes(this)) this.close();
  };
  #warned: unknown;
  #language = '';

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
  show(): Promise<void> {
    takeAccent(this);
    this.#reader.readStart();
    return this.#reader.modal.show();
  }

  /** Closes dialog or list; the focus returns to where it was. */
  close(): void {
    this.#reader.modal.close();
  }

  /** Which hits to keep; undefined keeps all. Controls in the slot `filters` set it too. */
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
    const ends = [listenForShortcuts(this), this.#reader.address.listen()];
    this.#unlisten = () => ends.forEach((end) => end());
    this.#withdraw = this.agents === 'off' ? undefined : offer(this);
    document.addEventListener('pointerdown', this.#onPress);
    if (this.#store === undefined || this.#unsubscribe !== undefined) return;
    this.#follow(this.#store);
    this.#onState(this.#store.state); // what it missed
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#unlisten?.();
    this.#withdraw?.();
    document.removeEventListener('pointerdown', this.#onPress);
    this.#unsubscribe?.(); // so that nothing holds an element that was removed for good
    this.#unsubscribe = undefined;
    this.#announce(this.announcement); // nothing any more
    this.close();
    this.#answer.stop();
  }

  /** Loads the words of its language, and waits for them before it first shows any. */
  protected override scheduleUpdate(): void | Promise<unknown> {
    const language = (this.closest('[lang]') ?? document.documentElement).getAttribute('lang') || navigator.language;
    const words = language === this.#language ? undefined : loadStrings(language);
    this.#language = language;
    const come = words?.then(
      () => this.hasUpdated && this.requestUpdate(),
      (error: unknown) => console.warn(`sheaf: its words are in English: ${(error as Error).message}`),
    );
    if (come === undefined || this.hasUpdated) return super.scheduleUpdate();
    return Promise.race([come, new Promise((late) => setTimeout(late, WORDS_PATIENCE))]).then(() =>
      super.scheduleUpdate(),
    );
  }

  override willUpdate(changed: PropertyValues): void {
    if (this.#store !== undefined && SOURCES.some((name, i) => this[name] !== this.#sources[i])) {
      this.bars.reset();
      this.reopen();
    } else if (changed.has('options') && this.#store !== undefined) {
      this.#store.configure(this.options);
    }
    if (changed.has('mode') && this.renderRoot.querySelector('dialog')?.open) this.close(); // the dialog of the other mode
    const found = stringsFor(this.#language);
    this.localised = { language: found.language, strings: { ...found.strings, ...this.strings } };
    this.bars.update(changed.has('facets'));
  }

  /** @internal Starts over with what the properties name; repeats the query. */
  reopen(): void {
    const { query } = this.state;
    this.#store?.dispose();
    this.#store = this.#unsubscribe = undefined;
    this.state = IDLE_STATE;
    if (query !== '') this.search.submit(query);
  }

  protected override firstUpdated(): void {
    for (const type of ['keydown', 'keypress', 'keyup'])
      this.renderRoot.addEventListener(type, this.#reader.keys.onTyped as EventListener);
    if (this.prefetch === 'idle')
      (globalThis.requestIdleCallback ?? setTimeout)(() => this.isConnected && this.#reader.warm());
    if (this.mode !== 'page') return this.#reader.address.read();
    takeAccent(this);
    const query = new URLSearchParams(location.search).get(this.param);
    if (query) this.search.submit(query);
    this.#reader.readRecent();
  }

  protected override render(): unknown {
    return renderElement(this.#view(), this.#reader);
  }

  #view(): View {
    const { mode, state, active, opened, announcement, placeholder, base, urlFor, highlight, resultsUrl, param } = this;
    const info = this.#store?.library?.info;
    const packedBase = packedBaseOf(info);
    return {
      mode,
      state,
      active,
      unfolded: this.#reader.choice.unfolded,
      opened,
      announcement,
      placeholder,
      base,
      urlFor,
      highlight,
      resultsUrl,
      param,
      ...this.localised,
      direction: this.closest('[dir]') === null ? directionOf(this.localised.language) : undefined,
      shortcuts: parseShortcuts(this.shortcuts),
      recent: this.#reader.recent,
      sections: mode === 'page' ? [] : this.#reader.sections,
      topPages:
        mode === 'page' || urlFor
          ? []
          : pageLinks(topPagesOf(info), { base, packedBase }, document.baseURI, location.href),
      bars: this.bars.shown,
      beside: this.#preview.element,
      previews: this.#preview.wanted,
      answer: this.#answer.element,
      packedBase,
      documentLanguage: languageOf(info),
      has: (slot) => this.querySelector(`[slot="${slot}"]`) !== null,
      renderer: rendererOf(this),
    };
  }

  protected override updated(changed: PropertyValues): void {
    this.#preview.follow();
    this.#answer.follow();
    if (changed.has('active') && this.#reader.choice.taken && this.#reader.choice.unfolded === this.active)
      this.#reader.entries()[this.active]?.scrollIntoView({ block: 'nearest' });
    const before = changed.get('state') as SearchState | undefined;
    if (before !== undefined && before.answered !== this.state.answered)
      this.renderRoot.querySelector('.scroll')?.scrollTo(0, 0);
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
    throw new Error('<sheaf-search> needs the address of a bundle in its attribute src, or its property library.');
  }

  // ---- what the store tells ----------------------------------------------------------------------

  #onState(state: SearchState): void {
    const before = this.state;
    this.state = state;
    this.#reader.choice.follow(state, before);
    if (state.facets !== before.facets || (before.query + state.query).includes('kind:')) this.bars.count();
    if (state.groups !== before.groups) {
      if (state.stage !== 'none')
        tell(this, 'sheaf-search', { query: state.answered, stage: state.stage, groups: state.groups });
      if (this.mode === 'page') writeAddress(this.param, state.answered || state.query.trim()); // failed queries too: reloading the page repeats them
    }
    if (state.error !== undefined && state.error !== this.#warned) {
      this.#warned = state.error;
      console.warn(`sheaf: ${state.error.message}`);
      tell(this, 'sheaf-error', { error: state.error });
    }
    if (state.stage === 'final' && (before.stage !== 'final' || state.answered !== before.answered))
      this.#reader.address.answered(state.answered);
    this.#announce(statusText(state, this.localised));
  }

  /** @internal */
  readonly loadDrag = (): Promise<typeof import('./drag.js')> => import('./drag.js');

  /** @internal */
  readonly markFollowed = (): void => {
    const noted = takeFollowed();
    if (noted) void import('./landed.js').then(({ markWords }) => markWords(noted));
  };

  /** @internal */
  readonly followHit = (event: MouseEvent): void => this.#reader.onHit(event);

  /** @internal */
  choose(index: number): void {
    this.#reader.choice.point(index);
  }

  get input(): HTMLInputElement | null {
    return this.renderRoot?.querySelector('input') ?? null;
  }
}

declare global {
  interface HTMLElementTagNameMap {
    'sheaf-search': SheafSearch;
  }
}
