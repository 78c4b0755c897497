/**
 * The properties of `<sheaf-search>`, their attributes and initial values. docs/ui.md explains them.
 */
import type { Hit } from '../client/types.js';
import type { HitRenderer, SheafSearchMode } from './host.js';
import { LitElement, type PropertyDeclarations } from './lit.mjs';
import { IDLE_STATE, type LibrarySource, type SearchOptions, type SearchState } from './state/search.js';
import { DEFAULT_SHORTCUTS } from './state/shortcut.js';
import type { Strings } from './words/strings.js';

export class SearchProperties extends LitElement {
  static override properties: PropertyDeclarations = {
    mode: { reflect: true },
    src: {},
    sites: {},
    label: {},
    encoder: {},
    base: {},
    prefetch: {},
    placeholder: {},
    shortcuts: {},
    theme: { reflect: true },
    recent: { type: Number },
    recentKey: { attribute: 'recent-key' },
    resultsUrl: { attribute: 'results-url' },
    param: {},
    highlight: {},
    preview: {},
    facets: {},
    agents: {},
    ask: {},
    library: { attribute: false },
    options: { attribute: false },
    strings: { attribute: false },
    renderHit: { attribute: false },
    urlFor: { attribute: false },
    // Accessors of the element itself; listed so that a page may set them too before the element is defined.
    filter: { attribute: false, noAccessor: true },
    query: { attribute: false, noAccessor: true },
    state: { state: true },
    active: { state: true },
    opened: { state: true },
    announcement: { state: true },
  };

  declare mode: SheafSearchMode;
  /** Address of the bundle. */
  declare src: string | undefined;
  /** Several bundles in one box, as JSON: `[{"src", "label", "version", "language", …}]`. */
  declare sites: string | readonly object[] | undefined;
  /** The site's name, where there are several. */
  declare label: string | undefined;
  /** Address of the encoder's table; without it, search is by words alone. */
  declare encoder: string | undefined;
  /** Where the documentation is hosted here; replaces the base URL that the bundle was packed with. */
  declare base: string | undefined;
  /** When to open the library ahead of the first query: on interaction, when the page is idle, never. */
  declare prefetch: 'focus' | 'idle' | 'none';
  declare placeholder: string | undefined;
  /** Keys of the whole page, for example `mod+k /`; `none` for none. */
  declare shortcuts: string;
  declare theme: 'auto' | 'light' | 'dark';
  /** How many recent searches are kept in this browser; 0 keeps none. */
  declare recent: number;
  declare recentKey: string;
  /** A results page, linked from dialog and box as `?q=`. */
  declare resultsUrl: string | undefined;
  /** Name of the query in the address of a results page, and of a page whose dialog is open; '' keeps the address there. */
  declare param: string;
  /** `off`: links without text fragments. */
  declare highlight: 'on' | 'off';
  /** `off`: no preview beside the list of a wide dialog. */
  declare preview: 'on' | 'off';
  /** Keys of the filters that are offered, in their order, as `section, kind`; by default all that the bundle has. */
  declare facets: string | undefined;
  /** `off`: no tools for agents in the page. Read when the element enters it. */
  declare agents: 'on' | 'off';
  /** Who answers questions from the hits: the address of an endpoint, or `browser` for the browser's own model; by default nobody. */
  declare ask: string | undefined;
  /** An open library, or how to open it; instead of `src`. */
  declare library: LibrarySource | undefined;
  declare options: SearchOptions;
  /** Texts that replace the language's. */
  declare strings: Partial<Strings>;
  /** What stands for a hit; instead of a `<template slot="hit">`. */
  declare renderHit: HitRenderer | undefined;
  /** The address of a hit; instead of `base`. Unsafe schemes are still refused. */
  declare urlFor: ((hit: Hit) => string) | undefined;

  /** @internal */ declare state: SearchState;
  /** @internal The chosen entry; -1 for none. */ declare active: number;
  /** @internal Dialog or list below the box is shown. */ declare opened: boolean;
  /** @internal */ declare announcement: string;

  constructor() {
    super();
    this.mode = 'button';
    this.prefetch = 'focus';
    this.shortcuts = DEFAULT_SHORTCUTS;
    this.theme = 'auto';
    this.recent = 5;
    this.recentKey = 'sheaf-recent';
    this.param = 'q';
    this.highlight = 'on';
    this.preview = 'on';
    this.agents = 'on';
    this.options = {};
    this.strings = {};
    this.state = IDLE_STATE;
    this.active = -1;
    this.opened = false;
    this.announcement = '';
  }
}
