/** The page of what is installed and what can be: catalogues, files, groups, storage, the transformer. */
import type { CacheMemory } from '../browser/client/open_libraries.js';
import { html, LitElement, nothing, type TemplateResult } from '../browser/ui/lit.mjs';
import { contentsPath } from './addresses.js';
import { allow, install, renderDownload, renderOffer, renderRefused, renderTrouble } from './cards.js';
import { DeskClient } from './connect.js';
import { acceptDrops, installFiles, type Refused } from './dropping.js';
import { newestOffers, updateOf } from './offers.js';
import { troubleOf, webAddress } from './plain.js';
import { isGroupName } from './scope.js';
import type { CatalogueRecord, DeskState, LibraryRecord, Offer, Trouble } from './types.js';
import { counted, namesText, originText, percentText, sizeText, t, translatePage } from './words.js';

const desk = new DeskClient();
const MOST_SHOWN = 60;
/** Chromium evicts nothing of an extension with unlimitedStorage, and does not say so. */
const isKept = (chrome as { offscreen?: unknown }).offscreen !== undefined;

class LibraryPage extends LitElement {
  static override properties = {
    state: { state: true },
    trouble: { state: true },
    notTaken: { state: true },
    said: { state: true },
    filter: { state: true },
    refused: { state: true },
    unsigned: { state: true },
    found: { state: true },
    memory: { state: true },
    every: { state: true },
    confirm: { state: true },
  };
  declare state: DeskState | undefined;
  declare trouble: Trouble | undefined;
  declare notTaken: readonly Refused[];
  declare said: string;
  declare filter: string;
  /** A catalogue whose host has to be allowed first. */
  declare refused: string;
  /** A catalogue without a signature, which the reader may accept. */
  declare unsigned: string;
  /** Offers found in large catalogues, by the catalogue's address. */
  declare found: Readonly<Record<string, readonly Offer[]>>;
  declare memory: CacheMemory | undefined;
  /** Every version is offered, not only the newest. */
  declare every: boolean;
  /** The library that would be removed by another press. */
  declare confirm: string;

  constructor() {
    super();
    this.said = this.filter = this.refused = this.unsigned = this.confirm = '';
    this.found = {};
    this.notTaken = [];
    this.every = false;
  }

  protected override createRenderRoot(): this {
    return this;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    desk.onChange(() => void this.#read());
    void this.#read();
    acceptDrops((files) => void this.#take(files));
  }

  async #read(): Promise<void> {
    this.state = await desk.call('state', []);
    this.memory = await desk.call('memory', []);
  }

  readonly #complain = (error: unknown): void => {
    this.trouble = troubleOf(error);
  };

  async #take(files: readonly File[]): Promise<void> {
    this.trouble = undefined;
    this.notTaken = [];
    const { installed, refused } = await installFiles(desk, files, (name) => (this.said = t('checkingFile', name)));
    this.said = installed.length === 0 ? '' : t('installedNamed', namesText(installed));
    this.notTaken = refused;
  }

  async #addCatalogue(address: string, unsigned = false): Promise<void> {
    this.trouble = undefined;
    this.refused = this.unsigned = '';
    try {
      const { title, offers, size } = await desk.call('addCatalogue', [address, unsigned]);
      this.said = size === undefined ? t('catalogueRead', title, offers.length) : t('manyLibraries', size);
    } catch (error) {
      this.#complain(error);
      if ((error as Trouble).code === 'ACCESS') this.refused = address;
      if ((error as Trouble).code === 'UNSIGNED' && !this.state?.catalogues.some((each) => each.address === address))
        this.unsigned = address;
    }
  }

  /** Asks a large catalogue. */
  async #find(address: string, words: string): Promise<void> {
    this.trouble = undefined;
    try {
      this.found = { ...this.found, [address]: await desk.call('findOffers', [address, words]) };
    } catch (error) {
      this.#complain(error);
    }
  }

  protected override render(): TemplateResult {
    const { state } = this;
    return html`
      <header class="bar page"><img src="icons/sheaf.svg" alt="" width="28" height="28" /><h1>${t('libraryPage')}</h1>
        <a class="button" href="search.html">${t('searchShort')}</a></header>
      <main class="library">
        <div role="status" class="said">${this.said}</div>
        ${this.trouble === undefined ? nothing : renderTrouble(this.trouble)}
        ${renderRefused(this.notTaken)}
        ${state === undefined ? html`<p>…</p>` : [this.#installed(state), this.#more(state), this.#groups(state), this.#settings(state)]}
      </main>`;
  }

  // ---- installed -------------------------------------------------------------------------------------

  #installed(state: DeskState): TemplateResult {
    const missing = state.libraries.filter((each) => each.missing);
    return html`<section aria-labelledby="installed">
      <h2 id="installed">${t('installedTitle')}</h2>
      ${
        missing.length === 0
          ? nothing
          : html`<div class="notice" role="alert"><p>${t('evicted', missing.map(({ title, version }) => `${title} ${version}`).join(', '))}</p>
            <button type="button" class="primary" @click=${() => void this.#mend()}>${t('mend')}</button></div>`
      }
      ${state.libraries.length === 0 ? html`<p class="quiet">${t('emptyTitle')}</p>` : html`<ul class="cards">${state.libraries.map((library) => this.#row(library, state))}</ul>`}
      ${
        state.downloads.length === 0
          ? nothing
          : html`<h3>${t('downloads')}</h3><ul class="cards">${state.downloads.map(
              (download) =>
                html`<li class="card"><div class="card-text"><p class="card-title"><bdi>${download.offer.title || download.offer.library}</bdi> <bdi class="version">${download.offer.version}</bdi></p></div>${renderDownload(download, desk, this.#complain)}</li>`,
            )}</ul>`
      }
    </section>`;
  }

  #row(library: DeskState['libraries'][number], state: DeskState): TemplateResult {
    const { id, title, version, description, bytes, pages, licence, language, missing, origin } = library;
    const update = updateOf(library, state);
    const facts = [sizeText(bytes), counted('pages', pages), language, licence, originText(origin)];
    return html`<li class="card" ?data-missing=${missing}>
      <div class="card-text">
        <p class="card-title"><a href=${contentsPath(id)} title=${t('contentsOf', title)}><bdi>${title}</bdi></a> <bdi class="version">${version}</bdi></p>
        ${description === '' ? nothing : html`<p class="card-about" dir="auto">${description}</p>`}
        <p class="card-facts">${facts.filter((fact) => fact !== '').map((fact, i) => html`${i > 0 ? ' · ' : nothing}<bdi>${fact}</bdi>`)}</p>
      </div>
      <div class="buttons">
        ${update === undefined || state.downloads.some(({ offer }) => offer.origin.address === update.origin.address) ? nothing : html`<button type="button" class="primary" @click=${() => void install(desk, update, id).catch(this.#complain)}>${t('updateTo', update.version)}</button>`}
        ${
          this.confirm === id
            ? html`<button type="button" class="danger" @click=${() => void this.#remove(library)}>${t('removeSure')}</button><button type="button" @click=${() => (this.confirm = '')}>${t('cancel')}</button>`
            : html`<button type="button" aria-label=${t('removeNamed', title, version)} @click=${() => (this.confirm = id)}>${t('remove')}</button>`
        }
      </div>
    </li>`;
  }

  async #remove({ id, title, version }: LibraryRecord): Promise<void> {
    this.confirm = '';
    await desk.call('remove', [id]).then(() => (this.said = t('removed', title, version)), this.#complain);
  }

  async #mend(): Promise<void> {
    await desk.call('mend', []).then(({ files }) => {
      this.said = files.length > 0 ? t('giveAgain', files.join(', ')) : '';
    }, this.#complain);
  }

  // ---- more ------------------------------------------------------------------------------------------

  #more(state: DeskState): TemplateResult {
    const submit = (event: SubmitEvent): void => {
      event.preventDefault();
      const input = (event.target as HTMLFormElement).elements.namedItem('address') as HTMLInputElement;
      void this.#addCatalogue(input.value).then(() => this.trouble === undefined && (input.value = ''));
    };
    const pick = (event: Event): void => {
      const input = event.target as HTMLInputElement;
      const files = [...(input.files ?? [])];
      input.value = '';
      void this.#take(files);
    };
    const refused = webAddress(this.refused.includes('://') ? this.refused : `https://${this.refused}`);
    return html`<section aria-labelledby="more">
      <h2 id="more">${t('moreTitle')}</h2>
      <p class="quiet">${t('storage', sizeText(state.storage.used), sizeText(state.storage.free))} ${state.storage.persisted || isKept ? t('persisted') : t('notPersisted')}</p>
      <div class="ways">
        <form @submit=${submit}>
          <label for="address">${t('catalogueAddress')}</label>
          <div class="line"><input id="address" name="address" type="text" inputmode="url" autocomplete="off" spellcheck="false" dir="ltr" placeholder="https://docs.example.org/catalogue.json" required />
          <button type="submit" class="primary">${t('read')}</button></div>
          ${refused === undefined || this.refused === '' ? nothing : html`<button type="button" @click=${() => void allow(refused).then((allowed) => (allowed ? this.#addCatalogue(this.refused) : undefined))}>${t('allow', new URL(refused).host)}</button>`}
          ${this.unsigned === '' ? nothing : html`<button type="button" @click=${() => void this.#addCatalogue(this.unsigned, true)}>${t('takeUnsigned')}</button>`}
        </form>
        <label class="drop"><span><strong>${t('pickFiles')}</strong> ${t('orDrop')}</span><input class="unseen" type="file" accept=".sheaf" multiple @change=${pick} /></label>
      </div>
      ${state.catalogues.map((catalogue) => {
        const wanted = this.filter.trim().toLowerCase();
        const isLarge = catalogue.size !== undefined;
        const own = isLarge ? (this.found[catalogue.address] ?? []) : catalogue.offers;
        const all = this.every ? own : newestOffers(own);
        const offers = isLarge
          ? all
          : all.filter(({ title, library, description }) =>
              `${title} ${library} ${description}`.toLowerCase().includes(wanted),
            );
        return html`<section class="catalogue">
          <h3><bdi>${catalogue.title}</bdi> <bdi class="quiet" dir="ltr">${catalogue.address}</bdi></h3>
          <div class="line">
            ${isLarge ? this.#searchBox(catalogue) : html`<input type="search" aria-label=${t('filterOffers')} placeholder=${t('filterOffers')} .value=${this.filter} @input=${(event: Event) => (this.filter = (event.target as HTMLInputElement).value)} />`}
            <label class="check"><input type="checkbox" .checked=${this.every} @change=${(event: Event) => (this.every = (event.target as HTMLInputElement).checked)} /> ${t('everyVersion')}</label>
            <button type="button" @click=${() => void this.#addCatalogue(catalogue.address)}>${t('refresh')}</button>
            <button type="button" aria-label=${t('forgetNamed', catalogue.title)} @click=${() => void desk.call('removeCatalogue', [catalogue.address]).catch(this.#complain)}>${t('forget')}</button>
          </div>
          <ul class="cards">${offers.slice(0, MOST_SHOWN).map((offer) => renderOffer(offer, state, desk, this.#complain, true))}</ul>
          ${offers.length > MOST_SHOWN ? html`<p class="quiet">${t('andMore', offers.length - MOST_SHOWN)}</p>` : nothing}
        </section>`;
      })}
    </section>`;
  }

  #searchBox({ address, size }: CatalogueRecord): TemplateResult {
    const submit = (event: SubmitEvent): void => {
      event.preventDefault();
      const input = (event.target as HTMLFormElement).elements.namedItem('words') as HTMLInputElement;
      void this.#find(address, input.value);
    };
    const said = this.found[address]?.length === 0 ? t('nothingOffered') : t('manyLibraries', size ?? 0);
    return html`<form class="line find" @submit=${submit}>
        <input name="words" type="search" autocomplete="off" aria-label=${t('findOffers')} placeholder=${t('findOffers')} />
        <button type="submit" class="primary">${t('searchShort')}</button></form>
      <span class="quiet">${said}</span>`;
  }

  // ---- groups ----------------------------------------------------------------------------------------

  #groups(state: DeskState): TemplateResult {
    const names = [...new Set(state.libraries.map(({ library }) => library))];
    const submit = (event: SubmitEvent): void => {
      event.preventDefault();
      const form = event.target as HTMLFormElement;
      const data = new FormData(form);
      const name = String(data.get('name') ?? '')
        .trim()
        .replace(/:$/, '');
      const members = data.getAll('member').map(String);
      if (!isGroupName(name) || members.length === 0) {
        this.said = t('groupRule');
        return;
      }
      this.said = '';
      void desk.call('setGroup', [name, members]).then(() => form.reset(), this.#complain);
    };
    return html`<section aria-labelledby="groups">
      <h2 id="groups">${t('groupsTitle')}</h2>
      <p class="quiet">${t('groupsText')}</p>
      <ul class="cards">${state.groups.map(
        ({
          name,
          members,
        }) => html`<li class="card"><div class="card-text"><p class="card-title"><bdi><code>${name}:</code></bdi></p><p class="card-facts"><bdi>${members.join(', ')}</bdi></p></div>
        <button type="button" aria-label=${t('removeNamed', name, '')} @click=${() => void desk.call('setGroup', [name, []]).catch(this.#complain)}>${t('remove')}</button></li>`,
      )}</ul>
      ${
        names.length === 0
          ? nothing
          : html`<form class="group" @submit=${submit}>
        <label>${t('groupName')} <input name="name" type="text" maxlength="20" size="8" autocomplete="off" spellcheck="false" placeholder="py" required /></label>
        <fieldset><legend>${t('groupMembers')}</legend>${names.map((name) => html`<label class="check"><input type="checkbox" name="member" value=${name} /> <bdi>${name}</bdi></label>`)}
        ${state.libraries
          .filter(({ library }) => state.libraries.filter((each) => each.library === library).length > 1)
          .map(
            ({ id }) =>
              html`<label class="check"><input type="checkbox" name="member" value=${id} /> <bdi>${id}</bdi></label>`,
          )}</fieldset>
        <button type="submit">${t('save')}</button></form>`
      }
    </section>`;
  }

  // ---- settings --------------------------------------------------------------------------------------

  #settings({ settings, transformer }: DeskState): TemplateResult {
    const toggle = (event: Event): void => {
      void desk.call('setTransformer', [(event.target as HTMLInputElement).checked]).catch(this.#complain);
    };
    const { memory } = this;
    return html`<section aria-labelledby="settings">
      <h2 id="settings">${t('settingsTitle')}</h2>
      <label class="check"><input type="checkbox" .checked=${settings.transformer} @change=${toggle} /> ${t('transformer')}</label>
      <p class="quiet">${t('transformerText')}</p>
      ${
        transformer.status === 'loading'
          ? html`<progress aria-label=${t('transformer')} max="1" .value=${transformer.share ?? 0}></progress><p role="status" class="card-facts">${percentText(transformer.share ?? 0)}</p>`
          : transformer.status === 'ready'
            ? html`<p role="status">${t('transformerReady')}</p>`
            : transformer.status === 'failed'
              ? html`<p role="status" class="trouble">${t('transformerFailed')} <span class="detail" lang="en">${transformer.error}</span></p>`
              : nothing
      }
      ${memory === undefined ? nothing : html`<p class="quiet">${t('memory', sizeText(memory.used), sizeText(memory.cap))}</p>`}
      <p class="quiet">${t('privacy')}</p>
    </section>`;
  }
}

translatePage();
customElements.define('sheaf-library-page', LibraryPage);
document.body.append(document.createElement('sheaf-library-page'));
