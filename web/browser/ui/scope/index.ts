/**
 * An element that searches several bundles: what it can search, what the reader chose, and the controls for that.
 * Loaded only when an element has more than one source.
 */
import type { BundleFailure } from '../../client/federated.js';
import type { Library, Progress } from '../../client/types.js';
import type { ScopeBar, ScopeHost, SourcesHost } from '../host.js';
import { fill } from '../words/strings.js';
import type { ScopeStrings } from '../words/texts.js';
import { make } from '../later.js';
import { barIn, chipsOf, replaceKeepingFocus, selectOf, withMore } from './controls.js';
import { ScopedLibrary, unreadSite } from './library.js';
import {
  defaultChoice,
  expand,
  inScope,
  isList,
  languageName,
  readSources,
  valuesOf,
  type ScopeChoice,
  type ScopeSource,
} from './sources.js';
import { scopeStrings } from './strings.js';

export { barIn, chipsOf, facetRows, selectOf, type Choice, type Facet } from './controls.js';
export { defaultChoice, inScope, type ScopeChoice, type ScopeSource } from './sources.js';

export class Scope implements ScopeBar {
  readonly #host: ScopeHost;
  /** What stands above the hits. */
  readonly bar: HTMLElement;
  #sources: ScopeSource[] = [];
  #choice: ScopeChoice = { version: '', language: '', sites: [] };
  /** What the page asked for when the choice was made. */
  #page = '';
  #library: ScopedLibrary | undefined;
  /** The reader wants the chips of all sites, on as many lines as they take. */
  #allSites = false;
  /** Stands for the last call of `open`. */
  #opening: unknown;
  #failures: readonly BundleFailure[] = [];
  readonly #warned = new Set<string>();

  constructor(host: ScopeHost) {
    this.#host = host;
    this.bar = barIn(host.renderRoot as ShadowRoot, 'scope');
    this.bar.setAttribute('role', 'group');
  }

  /** What is searched now. */
  get choice(): ScopeChoice {
    return this.#choice;
  }
  set choice(choice: ScopeChoice) {
    this.#choice = choice;
    if (this.#library !== undefined) this.#library.chosen = inScope(this.#sources, choice);
    this.update();
    this.#host.search.configure({}); // asks again
  }

  async open(onProgress: (progress: Progress) => void): Promise<Library> {
    const opening = (this.#opening = {});
    const given = sourcesOf(this.#host);
    const unread: BundleFailure[] = [];
    const lists = await Promise.all(
      given.map((source) =>
        expand(source, given).catch((error: unknown) => {
          unread.push(unreadSite(source, error));
          return [];
        }),
      ),
    );
    if (this.#opening !== opening) throw new Error('superseded'); // a newer attempt owns the controls
    const sources = lists.flat();
    if (sources.length === 0) throw unread[0]?.error ?? new Error('<sheaf-search> has no source.');
    this.#sources = sources;
    this.#follow();
    const onFailures = (failures: readonly BundleFailure[]): void => this.#tell(failures);
    this.#library = new ScopedLibrary(sources, inScope(sources, this.#choice), { onProgress, unread, onFailures });
    this.update();
    await this.#library.ready();
    return this.#library;
  }

  /** Takes version and language from the reader's page, again whenever a router moves to a page with others. */
  #follow(): boolean {
    const choice = defaultChoice(this.#sources, {
      url: location.href.replace(/#.*$/s, ''),
      language: pageLanguage(this.#host),
    });
    const page = JSON.stringify(choice);
    if (page === this.#page) return false;
    [this.#page, this.#choice] = [page, choice];
    return true;
  }

  /** Redraws the controls in the host's language. */
  update(): void {
    if (this.#library !== undefined && this.#follow()) this.choice = this.#choice;
    const { strings: given } = this.#host.localised;
    const strings = scopeStrings(given);
    const fresh: Node[] = [...this.#sites(strings), ...this.#versions(strings), ...this.#languages(strings)];
    if (this.#failures.length > 0) fresh.push(this.#missing(strings.missing, given.retry));
    this.bar.setAttribute('aria-label', strings.scope);
    this.bar.hidden = fresh.length === 0;
    replaceKeepingFocus(this.bar, fresh);
  }

  #sites(strings: Required<ScopeStrings>): HTMLElement[] {
    const sites = valuesOf(this.#sources, 'label');
    if (sites.length < 2) return [];
    const change = (chosen: Set<string>): void =>
      this.#change({ sites: chosen.size === sites.length ? [] : [...chosen] });
    const choices = sites.map((label) => ({ value: label, label }));
    const chips = chipsOf(strings.sites, choices, new Set(this.#choice.sites), change, strings.allSites);
    const onToggle = (): void => {
      this.#allSites = !this.#allSites;
      this.update();
    };
    return withMore(strings.sites, chips, { open: this.#allSites, cut: 0, onToggle });
  }

  #versions(strings: Required<ScopeStrings>): HTMLElement[] {
    const versions = valuesOf(this.#sources, 'version').map((value) => ({ value, label: value }));
    if (versions.length < 2) return [];
    return [selectOf(strings.version, versions, this.#choice.version, (version) => this.#change({ version }))];
  }

  #languages(strings: Required<ScopeStrings>): HTMLElement[] {
    const languages = valuesOf(this.#sources, 'language').map((value) => ({
      value,
      label: languageName(value),
      lang: value,
    }));
    if (languages.length < 2) return [];
    const choices = [...languages, { value: '', label: strings.allLanguages }];
    return [selectOf(strings.language, choices, this.#choice.language, (language) => this.#change({ language }))];
  }

  #change(change: Partial<ScopeChoice>): void {
    this.choice = { ...this.#choice, ...change };
  }

  /** Names what could not be searched, next to the hits of the rest. */
  #missing(text: string, retry: string): HTMLElement {
    const note = make('p', 'missing');
    note.setAttribute('role', 'status');
    const again = make('button', 'retry');
    again.type = 'button';
    again.className = 'text-button';
    again.append(retry);
    again.addEventListener('click', () => this.#host.reopen());
    note.append(this.#failures.map(({ label }) => fill(text, { label })).join(' '), ' ', again);
    return note;
  }

  #tell(failures: readonly BundleFailure[]): void {
    if (failures.length === 0 && this.#failures.length === 0) return;
    this.#failures = failures;
    for (const { error } of failures) {
      if (this.#warned.has(error.message)) continue;
      this.#warned.add(error.message);
      console.warn(`sheaf: ${error.message}`);
      this.#host.dispatchEvent(new CustomEvent('sheaf-error', { detail: { error }, bubbles: true, composed: true }));
    }
    this.update();
  }
}

/** The element's own source or sources, then those of its `<sheaf-source>` children, which share its encoder unless they name one. */
function sourcesOf(host: SourcesHost): ScopeSource[] {
  const base = document.baseURI;
  const absolute = (value: string | undefined): string | undefined => (value ? new URL(value, base).href : undefined);
  const defaults = { encoder: absolute(host.encoder), base: absolute(host.base), label: host.label || undefined };
  const single = host.src ? [{ src: host.src }] : [];
  const own = readSources(host.sites ? parsed(host.sites) : single, base, "<sheaf-search>'s sites", defaults);
  const children = [...host.querySelectorAll('sheaf-source')].flatMap((child) => {
    const given = Object.fromEntries([...child.attributes].map(({ name, value }) => [name, value]));
    const [source] = readSources([given], base, '<sheaf-source>') as [ScopeSource];
    // A list of a site names the site's own table.
    return [isList(source) ? source : { ...source, encoder: source.encoder ?? own[0]?.encoder }];
  });
  return [...own, ...children];
}

function parsed(sites: unknown): unknown {
  if (typeof sites !== 'string') return sites;
  try {
    return JSON.parse(sites);
  } catch (error) {
    throw new Error(`<sheaf-search>'s sites is not JSON (${(error as Error).message}).`);
  }
}

function pageLanguage(host: Pick<Element, 'closest'>): string {
  return (host.closest('[lang]') ?? document.documentElement).getAttribute('lang') || navigator.language;
}
