/**
 * The search: in the popup, in the side panel beside a page, and in a tab. One page script; `data-surface` on the root says
 * where it is.
 */
import '../browser/ui/index.js';
import type { SelectDetail, SheafSearch } from '../browser/ui/index.js';
import { html, LitElement, nothing, type TemplateResult } from '../browser/ui/lit.mjs';
import type { Asked } from './background.js';
import { allow, renderDownload, renderOffer, renderRefused, renderTrouble } from './cards.js';
import { DeskClient } from './connect.js';
import { discover, readList, type Found } from './discovery.js';
import { acceptDrops, installFiles, type Refused } from './dropping.js';
import { firstOffers } from './offers.js';
import { contentsPath, hitPath, readerPath } from './addresses.js';
import { troubleOf, webAddress } from './plain.js';
import {
  changeReading,
  loadReading,
  onReading,
  ownerOf,
  withoutRecent,
  type Reading,
  type ReadPage,
} from './reading.js';
import { RemoteLibrary } from './remote_library.js';
import { scopeChoices, versionText } from './scope_choices.js';
import type { DeskAnswer, DeskHit, DeskState, Offer, Trouble } from './types.js';
import { t, translatePage } from './words.js';

const surface = document.documentElement.dataset['surface'] as 'popup' | 'panel' | 'tab';
/** Chromium's; Firefox has a sidebar of its own. */
const { sidePanel } = chrome as { sidePanel?: typeof chrome.sidePanel };
/** From disk, further pages cost nothing; and of many libraries, one of them may be the tenth. */
const OPTIONS = { pages: 20 };
const MANUAL = 'manual.sheaf';
const desk = new DeskClient();
const fields = new URLSearchParams(location.search);

class SearchPage extends LitElement {
  static override properties = {
    state: { state: true },
    trouble: { state: true },
    site: { state: true },
    answer: { state: true },
    files: { state: true },
    notTaken: { state: true },
    reading: { state: true },
    suggested: { state: true },
  };
  declare state: DeskState | undefined;
  declare trouble: Trouble | undefined;
  /** The site that is being read, and its offers once the reader asked for them. */
  declare site: { found: Found; offers?: Offer[]; trouble?: Trouble } | undefined;
  declare answer: DeskAnswer | undefined;
  /** Libraries that have to be given again. */
  declare files: string[];
  declare notTaken: readonly Refused[];
  declare reading: Reading;
  /** The catalogue that this build offers to readers without one; '' for none. */
  declare suggested: string;

  readonly #library = new RemoteLibrary(desk, (answer) => (this.answer = answer));
  #element: SheafSearch | undefined;

  constructor() {
    super();
    this.files = [];
    this.suggested = '';
    this.notTaken = [];
    this.reading = { recent: [], kept: [] };
    this.#library.scope = fields.get('s') ?? '';
  }

  protected override createRenderRoot(): this {
    return this;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    desk.onChange(() => void this.#read());
    void this.#read();
    onReading((reading) => (this.reading = reading));
    void loadReading().then((reading) => (this.reading = reading));
    void fetch('settings.json')
      .then((response) => response.json() as Promise<{ catalogue?: unknown }>)
      .then(({ catalogue }) => (this.suggested = webAddress(catalogue) ?? ''))
      .catch(() => {});
    if (surface !== 'tab') void discover(testTab()).then((found) => (this.site = found && { found }));
    acceptDrops((files) => void this.take(files));
  }

  async #read(): Promise<void> {
    try {
      const before = this.state;
      const state = await desk.call('state', []);
      this.state = state;
      const files = (each: DeskState): string => each.libraries.map(({ file, missing }) => `${file}${missing}`).join();
      if (before !== undefined && files(before) !== files(state)) this.#again();
    } catch (error) {
      this.trouble = troubleOf(error);
    }
  }

  async take(files: readonly File[]): Promise<void> {
    this.trouble = undefined;
    this.notTaken = [];
    this.notTaken = (await installFiles(desk, files)).refused;
  }

  /** Sheaf's own documentation, which lies in the package. */
  async #takeManual(): Promise<void> {
    const response = await fetch(MANUAL);
    await this.take([new File([await response.blob()], MANUAL)]);
  }

  readonly complain = (error: unknown): void => {
    this.trouble = troubleOf(error);
  };

  /** Asks the query that stands in the box once more. */
  #again(): void {
    if (this.#element?.query) this.#element.search.configure({});
  }

  #choose(scope: string): void {
    this.#library.scope = scope;
    this.requestUpdate();
    this.#again();
    this.#element?.show();
  }

  async #offers(found: Found): Promise<void> {
    try {
      const offers = await desk.call('siteOffers', [await readList(found), found.address, found.title]);
      this.site = { found, offers };
      // Sizes are asked for here, by the same press: nothing is downloaded that was not announced.
      const sized = await Promise.all(
        offers.map(async (offer) => ({ ...offer, bytes: (await desk.call('sizeOf', [offer])) ?? undefined })),
      );
      this.site = { found, offers: sized };
    } catch (error) {
      this.site = { found, trouble: troubleOf(error) };
    }
  }

  override firstUpdated(): void {
    this.#element = this.querySelector('sheaf-search') as SheafSearch;
    const element = this.#element;
    element.urlFor = (hit) => chrome.runtime.getURL(hitPath(hit as DeskHit, element.search.state.answered));
    element.addEventListener('sheaf-select', (event) => this.#follow(event as CustomEvent<SelectDetail>));
    element.search.subscribe(({ query }) => document.documentElement.classList.toggle('asked', query.trim() !== ''));
    // The list fills what is below the box, wherever that ends.
    const measure = (): void =>
      document.documentElement.style.setProperty('--top', `${element.getBoundingClientRect().bottom + 6}px`);
    new ResizeObserver(measure).observe(this.querySelector('header') as HTMLElement);
    new ResizeObserver(measure).observe(element);
    const query = fields.get('q');
    if (query) element.query = query;
    void element.updateComplete.then(() => element.show());
    if (surface === 'panel')
      void followAsked((asked) => {
        element.query = asked;
        void element.show();
      });
  }

  #follow(event: CustomEvent<SelectDetail>): void {
    const { url, newTab } = event.detail;
    if (url === undefined) return;
    event.preventDefault();
    if (newTab) void chrome.tabs.create({ url, active: false });
    else if (surface === 'popup') void chrome.tabs.create({ url }).then(() => window.close());
    else {
      keepAddress(this.#element?.query ?? '', this.#library.scope);
      location.assign(surface === 'panel' ? `${url}&in=panel` : url);
    }
  }

  protected override render(): TemplateResult {
    const { state } = this;
    const empty = state !== undefined && state.libraries.length === 0;
    const choices = state === undefined ? [] : scopeChoices(state);
    return html`
      <header class="bar">
        <img src="icons/sheaf.svg" alt="" width="20" height="20" />
        <h1 class=${choices.length < 2 ? nothing : 'unseen'}>Sheaf</h1>
        ${
          choices.length < 2
            ? nothing
            : html`<label class="scope"><span class="unseen">${t('scope')}</span>
          <select @change=${(event: Event) => this.#choose((event.target as HTMLSelectElement).value)}>
            ${choices.map(({ value, label }) => html`<option value=${value} ?selected=${value === this.#library.scope}>${label}</option>`)}
          </select></label>`
        }
        <a class="button" href="library.html" target="_blank" title=${t('libraryPage')} aria-label=${t('libraryPage')} @click=${surface === 'popup' ? openTab : nothing}>${t('libraryShort')}</a>
        ${surface === 'popup' && sidePanel !== undefined ? html`<button type="button" @click=${openPanel}>${t('beside')}</button>` : nothing}
      </header>
      <main>
      <sheaf-search .library=${this.#library} .options=${OPTIONS} mode=${surface === 'tab' ? 'page' : 'inline'} prefetch="none" shortcuts=${surface === 'tab' ? '/' : 'none'} recent=${surface === 'tab' ? 5 : 0} placeholder=${t('placeholder')}></sheaf-search>
      ${this.#failures()}
      <div class="start">
        ${this.trouble === undefined ? nothing : renderTrouble(this.trouble)}
        ${renderRefused(this.notTaken)}
        ${state === undefined ? nothing : this.#missing(state)}
        ${this.#site(state)}
        ${
          state?.downloads.length
            ? html`<section><h2>${t('downloads')}</h2><ul class="cards">${state.downloads
                .filter(({ offer }) => !this.site?.offers?.some((each) => each.origin.address === offer.origin.address))
                .map(
                  (download) =>
                    html`<li class="card"><div class="card-text"><p class="card-title"><bdi>${download.offer.title || download.offer.library}</bdi> <bdi class="version">${download.offer.version}</bdi></p></div>${renderDownload(download, desk, this.complain)}</li>`,
                )}</ul></section>`
            : nothing
        }
        ${empty ? this.#empty(state) : state === undefined ? nothing : [this.#installed(state), this.#pages(t('keptPages'), this.reading.kept, state), this.#pages(t('recentPages'), this.reading.recent, state, true)]}
      </div>
      </main>`;
  }

  #empty(state: DeskState): TemplateResult {
    const offers = firstOffers(state);
    return html`<section class="empty">
      <h2>${t('emptyTitle')}</h2>
      <p>${t('emptyText')}</p>
      ${
        offers.length > 0
          ? html`<ul class="cards">${offers.map((offer) => renderOffer(offer, state, desk, this.complain))}</ul>`
          : this.suggested !== ''
            ? html`<p><button type="button" class="primary" @click=${() => void this.#suggest()}>${t('emptyFirst')}</button></p><p class="card-facts" dir="ltr">${this.suggested}</p>`
            : html`<p><a class="button primary" href="library.html" target="_blank" @click=${surface === 'popup' ? openTab : nothing}>${t('emptyChoose')}</a></p>`
      }
      <p><button type="button" @click=${() => void this.#takeManual().catch(this.complain)}>${t('emptyManual')}</button></p>
      <p class="card-facts">${t('emptyDrop')}</p>
    </section>`;
  }

  /** Pages that were read or are kept, of what is installed. */
  #pages(
    title: string,
    pages: readonly ReadPage[],
    { libraries }: DeskState,
    canForget = false,
  ): TemplateResult | typeof nothing {
    const shown = pages.flatMap((page) => {
      const owner = ownerOf(page, libraries);
      return owner === undefined ? [] : [{ page, owner }];
    });
    if (shown.length === 0) return nothing;
    return html`<section><h2>${title}</h2><ul class="pages">${shown.map(({ page, owner }) => {
      const href = readerPath({ id: owner.id, page: page.address, anchor: '', query: '' });
      return html`<li><a href=${href} @click=${this.#open}><bdi>${page.title}</bdi> <bdi class="version">${owner.title}</bdi></a></li>`;
    })}</ul>${canForget ? html`<button type="button" @click=${() => void changeReading(withoutRecent)}>${t('forgetRecent')}</button>` : nothing}</section>`;
  }

  readonly #open = (event: MouseEvent): void => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (surface === 'popup') return openTab(event);
    if (surface === 'panel') {
      event.preventDefault();
      location.assign(`${(event.currentTarget as HTMLAnchorElement).href}&in=panel`);
    }
  };

  async #suggest(): Promise<void> {
    this.trouble = undefined;
    await desk.call('addCatalogue', [this.suggested, false]).catch(this.complain);
  }

  #installed(state: DeskState): TemplateResult {
    const chosen = state.libraries.find(({ id }) => id === this.#library.scope);
    return html`<section><h2>${t('searchable')}</h2><ul class="chips">${state.libraries.map((library) => {
      const { id, title } = library;
      return html`<li><button type="button" class="chip" aria-pressed=${this.#library.scope === id} @click=${() => this.#choose(this.#library.scope === id ? '' : id)}><bdi>${title}</bdi> <bdi class="version">${versionText(library, state.libraries)}</bdi></button></li>`;
    })}</ul>${chosen === undefined ? nothing : html`<p><a href=${contentsPath(chosen.id)} @click=${this.#open}>${t('contentsOf', chosen.title)}</a></p>`}<p class="card-facts">${t('scopeHint', state.groups[0]?.name ?? state.libraries[0]?.library ?? '')}</p></section>`;
  }

  #missing({ libraries }: DeskState): TemplateResult | typeof nothing {
    const missing = libraries.filter((each) => each.missing);
    if (missing.length === 0 && this.files.length === 0) return nothing;
    return html`<section class="notice" role="alert">
      <p>${t('evicted', missing.map(({ title, version }) => `${title} ${version}`).join(', '))}</p>
      ${this.files.length > 0 ? html`<p>${t('giveAgain', this.files.join(', '))}</p>` : nothing}
      <button type="button" class="primary" @click=${() => void this.#mend()}>${t('mend')}</button>
    </section>`;
  }

  async #mend(): Promise<void> {
    const { files } = await desk.call('mend', []).catch((error: unknown) => {
      this.complain(error);
      return { files: [] as string[] };
    });
    this.files = files;
  }

  #site(state: DeskState | undefined): TemplateResult | typeof nothing {
    const { site } = this;
    if (site === undefined || state === undefined) return nothing;
    const { found, offers, trouble } = site;
    return html`<section class="notice">
      <p><strong>${t('siteHas')}</strong> <bdi>${new URL(found.address).host}</bdi></p>
      ${
        trouble !== undefined
          ? renderTrouble(trouble)
          : offers === undefined
            ? html`<button type="button" class="primary" @click=${() => void this.#offers(found)}>${t('siteShow')}</button>`
            : html`<ul class="cards">${offers.map((offer) => renderOffer(offer, state, desk, this.complain))}</ul>`
      }
      ${trouble?.code === 'ACCESS' ? html`<button type="button" @click=${() => void allow(found.address).then(() => this.#offers(found))}>${t('allow', new URL(found.address).host)}</button>` : nothing}
    </section>`;
  }

  #failures(): TemplateResult | typeof nothing {
    const failures = this.answer?.failures ?? [];
    if (failures.length === 0) return nothing;
    return html`<p class="failures" role="status">${t('notSearched', failures.map(({ label }) => label).join(', '))}</p>`;
  }
}

/** In the popup, a link's own tab would open behind it. */
function openTab(event: Event): void {
  event.preventDefault();
  void chrome.tabs.create({ url: (event.currentTarget as HTMLAnchorElement).href }).then(() => window.close());
}

function openPanel(): void {
  void chrome.windows
    .getCurrent()
    .then(({ id }) => (id === undefined ? undefined : sidePanel?.open({ windowId: id }).then(() => window.close())));
}

/** Where to come back to from a page that is read. */
function keepAddress(query: string, scope: string): void {
  const url = new URL(location.href);
  url.search = new URLSearchParams({ q: query, ...(scope === '' ? {} : { s: scope }) }).toString();
  history.replaceState(null, '', url);
}

/** Takes queries of the menu, from before this page opened and while it is open. */
async function followAsked(take: (query: string) => void): Promise<void> {
  let seen = 0;
  const look = (asked: unknown): void => {
    const { query = '', at = 0 } = (asked ?? {}) as Partial<Asked>;
    if (at <= seen || Date.now() - at > 60_000) return;
    seen = at;
    take(query);
  };
  chrome.storage.session.onChanged.addListener((changes) => look(changes['asked']?.newValue));
  look((await chrome.storage.session.get('asked'))['asked']);
  await chrome.storage.session.remove('asked');
}

/** Tests open the popup as a page of its own, which then is the active tab. */
function testTab(): number | undefined {
  const tab = Number(fields.get('tab') ?? Number.NaN);
  return Number.isInteger(tab) ? tab : undefined;
}

translatePage();
customElements.define('sheaf-search-page', SearchPage);
document.body.append(document.createElement('sheaf-search-page'));
