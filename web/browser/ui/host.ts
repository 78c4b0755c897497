/**
 * `<sheaf-search>` as its parts see it: what each may read, set and call. Each part has one small interface, so no
 * part depends on the element, and tests can pass a plain object instead.
 *
 * Idea: the element (sheaf-search.ts) assembles the parts, and only the entry points import it. It imports
 * controllers/, views/ and scope/; those import this file; and this file imports the plain data of state/ and words/.
 *
 * Types only: none of this reaches the browser.
 */
import type { Hit, Library, Passage, Progress } from '../client/types.js';
import type { LinkSettings, ResultsSettings } from './state/addresses.js';
import type { ShownHit } from './state/groups.js';
import type { SearchOptions, SearchState, SearchStore } from './state/search.js';
import type { Shortcut } from './state/shortcut.js';
import type { StartLink } from './state/start.js';
import type { Localised } from './words/strings.js';

export type SheafSearchMode = 'button' | 'inline' | 'page';

/** The data for a custom rendering of a hit. */
export interface HitContext {
  hit: Hit;
  /** First of its page: shows the page's title. */
  first: boolean;
  crumbs: readonly string[];
  url: string | undefined;
}

/** Renders a hit: returns a node made by the page. */
export type HitRenderer = (context: HitContext) => Node | string;

// ---- views/: what is seen --------------------------------------------------------------------------

/** Everything the templates show. Plain data, created for each render. */
export interface View extends Localised, LinkSettings, ResultsSettings {
  readonly mode: SheafSearchMode;
  readonly state: SearchState;
  /** The chosen entry; -1 for none. */
  readonly active: number;
  /** The entry that shows more of its text; -1 for none. */
  readonly unfolded: number;
  /** Dialog or list below the box is shown. */
  readonly opened: boolean;
  readonly announcement: string;
  /** The page's own text; by default the language's. */
  readonly placeholder: string | undefined;
  readonly shortcuts: readonly Shortcut[];
  /** Recent searches, shown instead of hits; none while there is a query. */
  readonly recent: readonly string[];
  /** Sections of the page around the search, and the site's top pages; shown as `recent` is. */
  readonly sections: readonly StartLink[];
  readonly topPages: readonly StartLink[];
  /** Controls that narrow the search. */
  readonly bars: readonly HTMLElement[];
  /** The preview of the chosen hit, beside the list of a wide dialog; and whether there is room for one. */
  readonly beside: HTMLElement | undefined;
  readonly previews: boolean;
  /** A model's answer below the list, or the button for one. */
  readonly answer: HTMLElement | undefined;
  /** Undefined where the page states it around the element. */
  readonly direction: 'ltr' | 'rtl' | undefined;
  /** Of the documents; '' where the bundle does not say. */
  readonly documentLanguage: string;
  /** Whether the page has put something into the slot. */
  readonly has: (slot: 'filters' | 'footer') => boolean;
  /** The page's own rendering of a hit. */
  readonly renderer: HitRenderer | undefined;
}

/** What the templates may call. `warm` and `on…` serve as listeners, so they need no `this`. */
export interface Actions {
  /** The reader reaches for the search. */
  readonly warm: () => void;
  readonly onFocus: () => void;
  readonly onFocusOut: (event: FocusEvent) => void;
  readonly onInput: (event: InputEvent) => void;
  /** An input method finished composing. */
  readonly onComposed: (event: Event) => void;
  /** Controls in the slot of filters. */
  readonly onFilter: (event: Event) => void;
  /** A click on a hit, by pointer or by Enter. */
  readonly onHit: (event: MouseEvent) => void;
  /** A click on a link that is no hit. */
  readonly onLink: (event: MouseEvent) => void;
  /** Takes a query from a list: recent searches, "did you mean". */
  takeQuery(query: string): void;
  /** Forgets one recent search, or all. */
  removeRecent(query?: string): void;
  readonly keys: {
    readonly onKey: (event: KeyboardEvent) => void;
    readonly onListKey: (event: KeyboardEvent) => void;
    readonly onPopupKey: (event: KeyboardEvent) => void;
  };
  readonly choice: {
    readonly onPointer: (event: PointerEvent) => void;
  };
  readonly modal: {
    readonly onClose: (event: Event) => void;
    readonly onPress: (event: MouseEvent) => void;
    /** On the handle of a sheet. */
    readonly onDrag: (event: PointerEvent) => void;
  };
  readonly host: {
    show(): unknown;
    close(): void;
    readonly search: Pick<SearchStore, 'more' | 'retry'>;
  };
}

// ---- views/custom_hit.ts ---------------------------------------------------------------------------

export interface CustomHitHost extends Pick<ParentNode, 'querySelector'> {
  /** What stands for a hit; instead of a `<template slot="hit">`. */
  readonly renderHit: HitRenderer | undefined;
}

// ---- controllers/keys.ts ---------------------------------------------------------------------------

export interface KeysHost extends ResultsSettings {
  readonly mode: SheafSearchMode;
  readonly state: Pick<SearchState, 'query' | 'answered' | 'count'>;
  readonly opened: boolean;
  /** Set where the focus has already chosen. */
  active: number;
  readonly input: Pick<HTMLElement, 'focus' | 'blur'> | null;
  readonly search: Pick<SearchStore, 'submit'>;
  show(): unknown;
  close(): void;
}

export interface KeysActions {
  /** Recent searches are shown instead of hits, while there is no query. */
  readonly recent: readonly string[];
  /** Links and buttons that arrows move through. */
  entries(): HTMLElement[];
  setQuery(query: string): void;
  removeRecent(query?: string): void;
  /** Notifies the page; false when it does not want the hit followed. */
  select(entry: HTMLAnchorElement, newTab: boolean): boolean;
  readonly choice: {
    point(index: number): void;
    /** The reader has chosen by keyboard; else the first is chosen for them. */
    readonly taken: boolean;
  };
}

// ---- controllers/choice.ts -------------------------------------------------------------------------

export interface ChoiceHost {
  readonly mode: SheafSearchMode;
  readonly state: Pick<SearchState, 'count'>;
  active: number;
  readonly search: Pick<SearchStore, 'hold'>;
}

// ---- controllers/modal.ts --------------------------------------------------------------------------

export interface ModalHost extends EventTarget {
  opened: boolean;
  /** Resolves once changes are rendered. */
  readonly updateComplete: Promise<unknown>;
  readonly input: Pick<HTMLInputElement, 'focus' | 'select'> | null;
  readonly shadowRoot: Pick<ShadowRoot, 'activeElement' | 'querySelector'> | null;
  /** drag.ts */
  loadDrag(): Promise<{
    dragSheet(event: PointerEvent, handle: HTMLElement, dialog: HTMLDialogElement, close: () => void): void;
  }>;
}

export interface ModalActions {
  warm(): void;
  readonly address: { closed(): void };
  readonly choice: { reset(): void };
}

// ---- controllers/preview.ts, views/preview.ts ------------------------------------------------------

export interface PreviewHost {
  readonly mode: SheafSearchMode;
  readonly preview: 'on' | 'off';
  readonly opened: boolean;
  readonly active: number;
  readonly base: string | undefined;
  readonly state: Pick<SearchState, 'groups' | 'stage' | 'answered'>;
  readonly search: Pick<SearchStore, 'library'>;
  readonly localised: Localised;
  readonly updateComplete: Promise<unknown>;
  requestUpdate(): void;
}

/** What is previewed, and how it is introduced. */
export interface Previewed {
  hit: ShownHit;
  /** Of the whole answer; what they mark is marked. */
  hits: readonly ShownHit[];
  /** Where the page stands. */
  place: readonly string[];
  /** The region's name. */
  label: string;
  /** Of the document; '' if unknown. */
  language: string;
  resolve: Resolve;
}

/** Where a page of the bundle is, by its address there; undefined when it must not be a link (state/links.ts). */
export type Resolve = (url: string) => URL | undefined;

export interface PreviewPane {
  readonly element: HTMLElement;
  show(previewed: Previewed, passage: Passage): void;
  clear(): void;
}

// ---- controllers/answer.ts, ask/ -------------------------------------------------------------------

export interface AnswerHost {
  readonly ask: string | undefined;
  readonly state: Pick<SearchState, 'stage' | 'weak' | 'count'>;
  requestUpdate(): void;
}

export interface AskHost extends Pick<LinkSettings, 'base' | 'urlFor' | 'highlight'> {
  /** Who answers: the address of an endpoint, or `browser`. */
  readonly ask: string | undefined;
  readonly mode: SheafSearchMode;
  readonly opened: boolean;
  readonly state: Pick<SearchState, 'query' | 'answered' | 'stage' | 'weak' | 'groups'>;
  readonly search: Pick<SearchStore, 'library'>;
  readonly localised: Localised;
  readonly renderRoot: Node;
  /** A link with the place of a hit in the list (`data-top`) is followed. */
  followHit(event: MouseEvent): void;
}

export interface AnswerBox {
  readonly element: HTMLElement;
  /** After each drawing of the element around it. */
  follow(): void;
  stop(): void;
}

// ---- controllers/address.ts ------------------------------------------------------------------------

export interface AddressHost extends Pick<ResultsSettings, 'param'> {
  readonly mode: SheafSearchMode;
  readonly opened: boolean;
  active: number;
  readonly state: Pick<SearchState, 'query' | 'answered' | 'stage'>;
  readonly search: Pick<SearchStore, 'submit'>;
  /** Resolves once changes are rendered. */
  readonly updateComplete: Promise<unknown>;
  readonly renderRoot: Pick<ParentNode, 'querySelector'>;
  show(): unknown;
  /** The reader came by a hit, perhaps: its words are marked. Serves as a listener. */
  readonly markFollowed: () => void;
  /** Chooses an entry as arrows do. */
  choose(index: number): void;
}

// ---- controllers/reader.ts -------------------------------------------------------------------------

export interface ReaderHost extends KeysHost, ChoiceHost, ModalHost, AddressHost {
  readonly state: SearchState;
  readonly search: SearchStore;
  readonly input: HTMLInputElement | null;
  opened: boolean;
  filter: ((hit: Hit) => boolean) | undefined;
  readonly prefetch: 'focus' | 'idle' | 'none';
  /** `off`: no marks on the page that a hit leads to. */
  readonly highlight: 'on' | 'off';
  /** How many recent searches are kept, and under which key. */
  readonly recent: number;
  readonly recentKey: string;
  readonly renderRoot: Pick<ParentNode, 'querySelector' | 'querySelectorAll'> & Pick<Node, 'contains'>;
  contains(node: Node | null): boolean;
  requestUpdate(): void;
}

// ---- controllers/shortcuts.ts ----------------------------------------------------------------------

export interface ShortcutHost {
  /** Keys of the whole page, for example `mod+k /`. */
  readonly shortcuts: string;
  readonly mode: SheafSearchMode;
  readonly opened: boolean;
  /** Browsers from before 2024 lack it. */
  checkVisibility?(): boolean;
  show(): unknown;
  close(): void;
}

// ---- agents.ts, page_tools.ts --------------------------------------------------------------------------

export interface AgentHost extends Pick<LinkSettings, 'base' | 'urlFor'> {
  readonly search: Pick<SearchStore, 'prefetch' | 'library' | 'state'>;
  /** Which hits the page keeps. */
  readonly filter: ((hit: Hit) => boolean) | undefined;
}

// ---- controllers/announcer.ts ----------------------------------------------------------------------

export interface AnnouncerHost {
  /** What the live region says. */
  announcement: string;
}

// ---- controllers/bars.ts ---------------------------------------------------------------------------

/** Values of a bundle's filters, by key. */
export type Filters = NonNullable<SearchOptions['filters']>;

export interface BarsHost {
  readonly search: Pick<SearchStore, 'configure'>;
  requestUpdate(): void;
}

/** Controls above the list. */
export interface ChipsBar {
  readonly bar: HTMLElement;
  /** Redraws them. */
  update(): void;
}

/** The controls of several bundles, which open these as well. */
export interface ScopeBar extends ChipsBar {
  open(onProgress: (progress: Progress) => void): Promise<Library>;
}

/** Where the code of the controls comes from. */
export interface BarsLoaders {
  scope(): Promise<ScopeBar>;
  /** `narrow` receives the reader's choice. */
  chips(narrow: (filters: Filters) => void): Promise<ChipsBar>;
}

// ---- scope/ ----------------------------------------------------------------------------------------

export interface ChipsHost {
  /** Keys of the filters that the page wants, in their order; by default all. */
  readonly facets: string | undefined;
  readonly state: Pick<SearchState, 'query' | 'answered' | 'facets'>;
  readonly search: Pick<SearchStore, 'submit'>;
  readonly renderRoot: Node;
}

/** What an element names to be searched, and its `<sheaf-source>` children. */
export interface SourcesHost extends Pick<ParentNode, 'querySelectorAll'> {
  readonly src: string | undefined;
  readonly sites: unknown;
  readonly label: string | undefined;
  readonly encoder: string | undefined;
  readonly base: string | undefined;
}

export interface ScopeHost extends SourcesHost, EventTarget, Pick<Element, 'closest'> {
  readonly search: Pick<SearchStore, 'configure'>;
  readonly localised: Localised;
  readonly renderRoot: Node;
  /** Reopens everything, and repeats the query. */
  reopen(): void;
}
