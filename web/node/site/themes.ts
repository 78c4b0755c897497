/**
 * Where the search stands in the themes of documentation, and how it looks there: a row for each, read by place.ts.
 *
 * Themes are recognised by marks of generators, classes, ids and names of files. An earlier row wins, so those built upon another come before it.
 * The theme's own search stays where it answers other questions than ours (rustdoc's by types), else it is hidden.
 * Pages that a script draws anew (React, Vue) would lose what is put into them: there the button stands before what the script
 * draws, above the theme's bar. Where React draws the whole document (Next), a script of ours puts it into the bar (drawn_script.ts).
 */
import type { Drawn } from './drawn_script.js';

type Colour = 'text' | 'muted' | 'background' | 'raised' | 'border' | 'field-border' | 'accent' | 'active' | 'mark';
type PaletteName = Colour | 'font' | 'font-size' | 'radius' | 'backdrop' | 'shadow';
/** Values in CSS. */
export type Palette = Readonly<Partial<Record<PaletteName, string>>>;

/** Of the element that the selector finds: in front of it, behind it, or as its first or last child. */
export type Where = 'before' | 'after' | 'first' | 'last';

export interface Theme {
  name: string;
  /** Selectors of one element (selector.ts), of which a page of the theme has at least one. */
  evidence: readonly string[];
  /** The first of them that the page has; `body` begins it. Without any the button floats. */
  places: readonly (readonly [Where, string])[];
  /** Why there is no place, or none that all pages have; a clause. */
  why?: string;
  /** The theme's colours by the component's names for them, for the adapters of its generator too. */
  palette?: Palette;
  /** CSS selectors of the theme's own search. */
  hides?: string;
  /** Style rules, where `&` is the element and `&:button` its button. */
  css?: string;
  /** Windows in which the place is out of sight, in a drawer: there it floats. */
  drawer?: string;
  /** Where the theme is dark: by a selector of the page's root, and by one that holds if the system is dark. Left out: the theme sets `color-scheme`, or is light. */
  dark?: { when?: string; system?: string };
  /** The theme's own keys, which open ours. */
  keys?: string;
  /** Where a script draws the whole document: the places in its bar, in the reader's page. */
  drawn?: Drawn;
}

/** The label is out of sight, and still the button's name. */
const ICON =
  '&::part(button-label){position:absolute;inline-size:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}&::part(shortcut){display:none}';
/** Links of Docusaurus are too light on white, and too dark on black. */
const INFIMA = {
  text: 'var(--ifm-font-color-base)',
  background: 'var(--ifm-background-surface-color)',
  font: 'var(--ifm-font-family-base)',
  accent: 'color-mix(in srgb,var(--ifm-link-color) 60%,var(--ifm-font-color-base))',
} as const;
/** Where a dark page is more grey than black, tints leave too little contrast. */
const SOFT =
  '--sheaf-muted:color-mix(in srgb,var(--sheaf-text) 88%,var(--sheaf-background));--sheaf-active:color-mix(in srgb,var(--sheaf-accent) 6%,var(--sheaf-background));' +
  '--sheaf-mark:color-mix(in srgb,var(--sheaf-accent) 10%,transparent);';
const RTD = {
  evidence: ['body.wy-body-for-nav'],
  places: [
    ['before', 'div[role=search]'],
    ['last', 'div.wy-side-nav-search'],
  ],
  hides: '.wy-side-nav-search>[role=search]',
  css:
    '&{display:block;margin:0;color:#404040;--sheaf-accent:#1f6391}' +
    '&:button{inline-size:100%;min-block-size:0;block-size:36px;border-radius:50px;background:#fcfcfc;border-color:#2472a4}',
  drawer: '(max-width:768px)',
  keys: 'mod+k /',
} as const;
const PYDATA =
  '&{--sheaf-text:var(--pst-color-text-base);--sheaf-background:var(--pst-color-background);--sheaf-muted:var(--pst-color-text-muted);' +
  '--sheaf-border:var(--pst-color-border);--sheaf-accent:var(--pst-color-link);color:var(--pst-color-text-muted);margin-inline:8px}';
const PST_DARK = { when: 'html[data-theme=dark]' };

/** Pages that themes show in a frame of others: Doxygen's results, YARD's lists, mdBook's contents, Javadoc 8's packages. */
export const FRAMED: readonly string[] = [
  'body.SRPage',
  'h1#full_list_header',
  'body.sidebar-iframe-inner',
  'div.indexContainer',
];

export const THEMES: readonly Theme[] = [
  {
    name: 'mdBook',
    evidence: ['button#mdbook-search-toggle', 'nav#mdbook-sidebar', 'nav#sidebar.sidebar', 'link[href*=ayu-highlight]'],
    places: [
      ['before', 'button#mdbook-search-toggle'],
      ['before', 'button#search-toggle'],
      ['last', 'div.left-buttons'],
    ],
    hides: '#search-toggle,#mdbook-search-toggle,#search-wrapper,#mdbook-search-wrapper',
    css:
      '&{align-self:center;margin-inline:6px;color:var(--icons);--sheaf-text:var(--fg);--sheaf-background:var(--bg);--sheaf-accent:var(--links);' +
      '--sheaf-border:var(--table-border-color);--sheaf-raised:var(--quote-bg)}' +
      '&:button{min-block-size:0;block-size:34px;font-size:14px;color:var(--fg);border-color:var(--table-border-color)}',
    dark: { when: 'html:is(.coal,.navy,.ayu)' },
    keys: 'mod+k / s',
  },
  {
    name: 'rustdoc',
    evidence: ['meta[name=generator][content=rustdoc]'],
    places: [
      ['after', 'div.sidebar-crate'],
      ['first', 'nav.sidebar'],
    ],
    css:
      `&{${SOFT}display:block;padding:0 16px 8px 24px;--sheaf-text:var(--main-color);--sheaf-background:var(--main-background-color);--sheaf-accent:var(--link-color);--sheaf-border:var(--border-color);color:var(--main-color)}` +
      '&:button{inline-size:100%;min-block-size:0;block-size:34px;border-color:var(--border-color)}',
    drawer: '(max-width:700px)',
    dark: { when: 'html:is([data-theme=dark],[data-theme=ayu])' },
    keys: 'mod+k',
  },
  {
    name: 'Material for MkDocs',
    evidence: ['meta[name=generator][content*=mkdocs-material]', 'header.md-header'],
    places: [
      ['before', 'label.md-header__button[for=__search]'],
      ['before', 'div.md-header__source'],
      ['last', 'nav.md-header__inner'],
    ],
    hides: '.md-header__button[for=__search],.md-search',
    css:
      '&{color:inherit;margin-inline:6px;--sheaf-text:var(--md-default-fg-color);--sheaf-background:var(--md-default-bg-color);' +
      '--sheaf-muted:color-mix(in srgb,var(--md-default-fg-color) 75%,var(--md-default-bg-color));' +
      '--sheaf-accent:color-mix(in srgb,var(--md-typeset-a-color) 75%,var(--md-default-fg-color))}' +
      '&:button{min-block-size:0;block-size:36px;background:#00000042;border-color:transparent;border-radius:2px}' +
      '@media (min-width:76.25em){&:button{inline-size:234px}}',
    dark: { when: '[data-md-color-scheme=slate]' },
    keys: 'mod+k / f s',
  },
  { name: 'MkDocs Read the Docs', ...RTD, evidence: ['link[href$="css/theme_extra.css"]'] },
  { name: 'Sphinx Read the Docs', ...RTD },
  {
    name: 'MkDocs',
    evidence: ['div#mkdocs_search_modal', 'div.navbar.fixed-top'],
    places: [
      ['before', 'button.navbar-toggler'],
      ['last', 'div.navbar'],
    ],
    hides: '.nav-item:has([data-target="#mkdocs_search_modal"],[data-bs-target="#mkdocs_search_modal"])',
    css:
      '&{color:#fff;margin-inline:auto 12px;--sheaf-text:var(--bs-body-color);--sheaf-background:var(--bs-body-bg);--sheaf-accent:var(--bs-link-color)}' +
      '@media (min-width:992px){&{order:1;margin-inline-start:12px}}&:button{min-block-size:0;block-size:38px;border-color:transparent;background:#00000073}',
    dark: { when: 'html[data-bs-theme=dark]' },
    keys: 'mod+k / s',
  },
  {
    name: 'Furo',
    evidence: ['link[href*="styles/furo.css"]', 'aside.sidebar-drawer'],
    places: [
      ['before', 'form.sidebar-search-container'],
      ['after', 'a.sidebar-brand'],
    ],
    hides: '.sidebar-search-container',
    css:
      '&{display:block;margin-block:var(--sidebar-search-space-above) 0;color:var(--color-foreground-muted);--sheaf-text:var(--color-foreground-primary);--sheaf-muted:var(--color-foreground-secondary);' +
      '--sheaf-background:var(--color-background-primary);--sheaf-raised:var(--color-background-secondary);--sheaf-border:var(--color-background-border);--sheaf-accent:var(--color-brand-content)}' +
      '&:button{inline-size:100%;min-block-size:0;block-size:36px;padding-inline:var(--sidebar-item-spacing-horizontal);border-color:var(--color-background-border);border-width:1px 0;border-radius:0;background:var(--color-sidebar-search-background)}',
    drawer: '(max-width:63em)',
    dark: { when: 'body[data-theme=dark]', system: 'body:not([data-theme=light])' },
  },
  {
    name: 'Sphinx Book',
    evidence: ['link[href*="sphinx-book-theme.css"]'],
    places: [
      ['before', 'button.search-button'],
      ['first', 'div.article-header-buttons'],
    ],
    hides: '.article-header-buttons .search-button__button',
    css: `${PYDATA}:root:not([data-sheaf=gone]) :is(.bd-header,.bd-sidebar) .search-button__button{visibility:hidden}&:button{min-block-size:0;block-size:36px;border-color:var(--pst-color-border)}`,
    dark: PST_DARK,
  },
  {
    name: 'PyData Sphinx',
    evidence: ['link[href*="pydata-sphinx-theme.css"]', 'header.bd-header'],
    places: [
      ['before', 'button.secondary-toggle'],
      ['last', 'div.bd-header__inner'],
      ['last', 'header.bd-header'],
    ],
    hides: '.navbar-persistent--container,.navbar-persistent--mobile,.search-button__button',
    css: `${PYDATA}&:button{min-block-size:0;block-size:36px;border-color:var(--pst-color-border)}`,
    dark: PST_DARK,
  },
  {
    name: 'Sphinx alabaster',
    evidence: ['link[href*="alabaster.css"]'],
    places: [
      ['before', 'search#searchbox'],
      ['before', 'div#searchbox'],
      ['last', 'div.sphinxsidebarwrapper'],
    ],
    hides: '#searchbox',
    css: '&{display:block;margin-block:8px 16px;color:#444}&:button{inline-size:100%;min-block-size:0;block-size:34px;border-color:#999;border-radius:2px}',
    drawer: '(max-width:940px)',
  },
  {
    name: 'Python documentation',
    evidence: ['link[href*="pydoctheme.css"]'],
    places: [['first', 'div.sphinxsidebarwrapper']],
    hides: '#searchbox,.inline-search,.mobile-nav form.search',
    css:
      '&{display:block;margin:10px 10px 4px;color:#333}&:button{inline-size:100%;min-block-size:0;block-size:34px;border-color:#8a9aa3;border-radius:3px;background:#fff}' +
      // On phones it shows no sidebar, and so nothing in it.
      '@media (max-width:1023px){div.sphinxsidebar,.sphinxsidebarwrapper{display:contents!important}.sphinxsidebarwrapper>:not(&){display:none}}',
    drawer: '(max-width:1023px)',
  },
  {
    name: 'Sphinx classic',
    evidence: ['link[href*="classic.css"]', 'div.sphinxsidebar'],
    places: [['first', 'div.sphinxsidebarwrapper']],
    hides: '#searchbox',
    css: '&{display:block;margin:10px 10px 4px;color:#333}&:button{inline-size:100%;min-block-size:0;block-size:34px;border-color:#8a9aa3;border-radius:3px;background:#fff}',
    drawer: '(max-width:700px)',
  },
  {
    name: 'Docusaurus',
    evidence: ['meta[name=generator][content^=Docusaurus]', 'div#__docusaurus'],
    places: [['first', 'body']],
    palette: INFIMA,
    hides: '[class*=navbarSearchContainer],.navbar__search,.navbar .DocSearch-Button',
    css:
      '&{color:var(--ifm-navbar-link-color);position:fixed;z-index:calc(var(--ifm-z-index-fixed,200) + 1);inset-block-start:calc((var(--ifm-navbar-height) - 38px)/2);inset-inline-end:var(--ifm-navbar-padding-horizontal)}' +
      '&:button{min-block-size:0;block-size:38px;inline-size:158px;border-color:var(--ifm-color-emphasis-300);border-radius:8px}.navbar__inner{padding-inline-end:174px}' +
      `@media (max-width:996px){&:button{inline-size:38px;justify-content:center;padding:0}${ICON}.navbar__inner{padding-inline-end:54px}}`,
  },
  {
    name: 'VitePress',
    evidence: ['meta[name=generator][content^=VitePress]', 'div.VPApp', 'div#VPContent'],
    places: [['first', 'body']],
    palette: {
      font: 'var(--vp-font-family-base)',
      text: 'var(--vp-c-text-1)',
      muted: 'var(--vp-c-text-2)',
      background: 'var(--vp-c-bg)',
      raised: 'var(--vp-c-bg-alt)',
      border: 'var(--vp-c-divider)',
      accent: 'var(--vp-c-brand-1)',
    },
    css:
      '&{position:fixed;z-index:calc(var(--vp-z-index-nav,30) + 1);inset-block-start:12px;inset-inline-start:max(304px,50vw - 416px);color:var(--vp-c-text-2)}' +
      '&:button{min-block-size:0;block-size:40px;border-color:transparent;background:var(--vp-c-bg-alt);border-radius:8px}.VPNavBarSearch{visibility:hidden}' +
      `@media (max-width:959.98px){&{position:absolute;inset-inline:auto 64px}&:button{inline-size:44px;justify-content:center;padding:0;background:none}${ICON}}`,
  },
  {
    name: 'Starlight',
    evidence: ['meta[name=generator][content^=Starlight]', 'site-search'],
    places: [
      ['before', 'site-search'],
      ['after', 'div.title-wrapper'],
    ],
    palette: {
      text: 'var(--sl-color-white)',
      muted: 'var(--sl-color-gray-2)',
      background: 'var(--sl-color-bg)',
      raised: 'var(--sl-color-bg-inline-code)',
      border: 'var(--sl-color-hairline-light)',
      'field-border': 'var(--sl-color-gray-3)',
      accent: 'var(--sl-color-text-accent)',
      backdrop: 'var(--sl-color-backdrop-overlay)',
      shadow: 'var(--sl-shadow-lg)',
    },
    hides: 'site-search',
    css:
      '&{color:var(--sl-color-gray-2)}' +
      '&:button{min-block-size:0;block-size:40px;border-color:var(--sl-color-gray-5);border-radius:8px}@media (min-width:50rem){&:button{inline-size:22rem}}@media (max-width:49.99rem){&{margin-inline-start:auto}}',
  },
  {
    name: 'Doxygen Awesome',
    evidence: ['link[href*="doxygen-awesome.css"]'],
    places: [['last', 'div#titlearea']],
    hides: '#MSearchBox',
    css:
      '&{display:block;margin:8px;color:var(--page-foreground-color);--sheaf-text:var(--page-foreground-color);--sheaf-background:var(--page-background-color);--sheaf-accent:var(--primary-color);--sheaf-border:var(--separator-color)}' +
      '&:button{min-block-size:0;block-size:36px;border-color:var(--separator-color);border-radius:var(--searchbar-border-radius)}' +
      '@media (min-width:768px){&:button{inline-size:100%}html:not(:has(link[href*=sidebar-only])) #top{position:relative}html:not(:has(link[href*=sidebar-only])) &{position:absolute;z-index:10000;inset-block-start:calc(50% - 18px);inset-inline-end:16px;margin:0;inline-size:200px}}@media (max-width:767.98px){#titlearea{position:relative}&{position:absolute;inset-block-start:0;inset-inline-end:4px}}',
    dark: { when: 'html.dark-mode', system: 'html:not(.light-mode)' },
  },
  {
    name: 'Doxygen',
    evidence: ['meta[name=generator][content^=Doxygen]', 'div#titlearea'],
    places: [
      ['last', 'div#titlearea'],
      ['first', 'div#top'],
    ],
    hides: '#MSearchBox',
    css:
      '#titlearea{position:relative}&{position:absolute;inset-block-start:max(4px,50% - 18px);inset-inline-end:10px;color:inherit}' +
      '&:button{min-block-size:0;block-size:36px;border-radius:4px}',
  },
  {
    name: 'Javadoc',
    evidence: ['meta[name=generator][content^=javadoc]', 'div.topNav', 'div.top-nav', 'header.flex-header'],
    places: [
      ['before', 'div.nav-list-search'],
      ['before', 'ul.navListSearch'],
      ['first', 'div.subNav'],
    ],
    hides: '.nav-list-search,.navListSearch',
    css: '&{float:inline-end;margin:1px 8px;color:inherit;--sheaf-accent:#1f5a82}&:button{min-block-size:0;block-size:32px;border-radius:3px}',
    keys: 'mod+k /',
  },
  {
    name: 'Docsy',
    evidence: ['nav.td-navbar', 'body.td-page', 'body.td-section'],
    places: [
      ['last', 'nav.td-navbar'],
      ['last', 'nav.js-navbar-scroll'],
    ],
    hides: '.td-search,.td-search-input,.td-navbar .td-search',
    css:
      '&{position:absolute;inset-block-start:14px;inset-inline-end:16px;color:inherit;--sheaf-text:var(--bs-body-color);--sheaf-background:var(--bs-body-bg);--sheaf-accent:var(--bs-link-color)}' +
      '&:button{min-block-size:0;block-size:36px}.td-navbar{padding-inline-end:150px}@media (max-width:40rem){.td-navbar{padding-inline-end:64px}}',
    dark: { when: 'html[data-bs-theme=dark]' },
  },
  {
    name: 'Hugo Book',
    evidence: ['aside.book-menu', 'header.book-header'],
    places: [
      ['before', 'div.book-search'],
      ['after', 'h2.book-brand'],
    ],
    hides: '.book-search',
    css:
      `&{${SOFT}display:block;margin-block:16px;color:var(--body-font-color);--sheaf-text:var(--body-font-color);--sheaf-background:var(--body-background);--sheaf-accent:var(--color-link);--sheaf-border:var(--gray-300,#ccc)}` +
      '&:button{inline-size:100%;min-block-size:0;block-size:36px;border-radius:4px}@media (max-width:56rem){.book-menu .book-menu-content{will-change:auto}}',
    drawer: '(max-width:56rem)',
    keys: 'mod+k / s',
  },
  {
    name: 'Geekdoc',
    evidence: ['aside.gdoc-nav', 'header.gdoc-header', 'html[class*=color-toggle]'],
    places: [
      ['before', 'div.gdoc-search'],
      ['first', 'aside.gdoc-nav'],
    ],
    hides: '.gdoc-search',
    css:
      `&{${SOFT}display:block;margin-block:8px 16px;color:var(--body-font-color);--sheaf-text:var(--body-font-color);--sheaf-background:var(--body-background);--sheaf-accent:var(--link-color)}` +
      '&:button{inline-size:100%;min-block-size:0;block-size:36px;border-radius:4px}',
    drawer: '(max-width:41rem)',
    dark: { when: 'html[color-theme=dark]', system: 'html[color-theme=auto]' },
  },
  {
    name: 'Hextra',
    evidence: [
      'div.hextra-nav-container',
      'div.nav-container[class*=hx-]',
      'div.hextra-search-wrapper',
      'aside.hextra-sidebar-container',
    ],
    places: [
      ['before', 'button.hextra-hamburger-menu'],
      ['before', 'div.hextra-search-wrapper'],
      ['last', 'nav'],
    ],
    hides: '.hextra-search-wrapper,.search-wrapper',
    css: '&{margin-inline:8px;color:inherit}&:button{min-block-size:0;block-size:36px;border-radius:8px}',
    dark: { when: 'html.dark' },
  },
  {
    name: 'Relearn',
    evidence: ['meta[name=generator][content^=Relearn]', 'aside#R-sidebar', 'nav#sidebar.showVisitedLinks'],
    places: [
      ['before', 'search.R-searchbox'],
      ['before', 'div.R-searchbox'],
      ['before', 'search.searchbox'],
      ['before', 'div.searchbox'],
      ['last', 'div#R-header-wrapper'],
    ],
    hides: '.searchbox,.R-searchbox',
    css: '&{display:block;margin:8px 16px;color:inherit}&:button{inline-size:100%;min-block-size:0;block-size:36px;border-radius:4px}',
    drawer: '(max-width:48rem)',
    dark: { when: 'html[data-r-theme-variant*=dark]' },
  },
  {
    name: 'just-the-docs',
    evidence: ['link[href*="just-the-docs"]', 'script[src*="just-the-docs"]'],
    places: [['first', 'div.main']],
    css:
      '.main{position:relative}:root:not([data-sheaf=gone]) .main-header .search{visibility:hidden}' +
      '&{position:absolute;z-index:101;inset-block-start:12px;inset-inline-start:32px;color:inherit}&:button{min-block-size:0;block-size:36px;border-radius:4px}',
    drawer: '(max-width:50rem)',
  },
  {
    name: 'minimal-mistakes',
    evidence: ['nav#site-nav.greedy-nav', 'div.masthead'],
    places: [
      ['before', 'button.search__toggle'],
      ['before', 'button.greedy-nav__toggle'],
      ['last', 'nav#site-nav'],
    ],
    hides: '.search__toggle',
    css: '&{margin-inline:8px;color:inherit;align-self:center}&:button{min-block-size:0;block-size:32px;border-radius:4px}',
  },
  {
    name: 'Nextra',
    evidence: ['div.nextra-nav-container', 'header.nextra-navbar', 'div.nextra-navbar', 'div[class*=nextra-]'],
    places: [['first', 'body']],
    drawn: { before: ['.nextra-navbar .nextra-search', '.nextra-navbar .nextra-hamburger'], own: '.nextra-search' },
    hides: '.nextra-mobile-nav .nextra-search',
    css:
      '&{display:block;color:color-mix(in srgb,currentColor 75%,transparent);--sheaf-accent:light-dark(#0b5fc4,#8ec1ff)}' +
      '&:button{min-block-size:0;block-size:36px;border-color:transparent;border-radius:8px;background:color-mix(in srgb,currentColor 8%,transparent)}' +
      `@media (min-width:48rem){&:button{inline-size:16rem}}@media (max-width:47.99rem){&:button{inline-size:36px;justify-content:center;padding:0;background:none}${ICON}}`,
    dark: { when: 'html.dark' },
    keys: 'mod+k /',
  },
  {
    name: 'Fumadocs',
    evidence: [
      'div#nd-docs-layout',
      'main#nd-docs-layout',
      'div#nd-notebook-layout',
      'aside#nd-sidebar',
      'header#nd-subnav',
      'header#nd-nav',
    ],
    places: [['first', 'body']],
    drawn: {
      before: [
        '#nd-sidebar [data-search-full]',
        '#nd-subnav [data-search-full]',
        '#nd-nav [data-search-full]',
        '#nd-subnav [data-search]',
        '#nd-nav [data-search]',
      ],
      own: '[data-search],[data-search-full]',
    },
    css:
      '&{display:block;color:color-mix(in srgb,var(--color-fd-foreground) 75%,var(--color-fd-background));--sheaf-text:var(--color-fd-foreground);--sheaf-background:var(--color-fd-background);--sheaf-border:var(--color-fd-border)}' +
      '&:button{inline-size:100%;min-block-size:0;block-size:34px;padding-inline:8px;font-size:14px;border-color:var(--color-fd-border);border-radius:8px;background:color-mix(in srgb,var(--color-fd-secondary) 50%,transparent)}' +
      `@media (max-width:47.99rem){&:button{inline-size:34px;justify-content:center;padding:0;border-color:transparent;background:none}${ICON}}`,
    dark: { when: 'html.dark' },
    keys: 'mod+k /',
  },
  {
    name: 'YARD',
    evidence: ['iframe#nav', 'div#search_frame', 'script[src*="full_list.js"]', 'div.nav_wrap'],
    places: [
      ['last', 'div#menu'],
      ['first', 'div#header'],
    ],
    css: '&{display:inline-block;position:relative;inset-block-start:6px;vertical-align:middle;margin:-8px 8px;color:#555}&:button{min-block-size:0;block-size:32px;border-radius:3px}',
  },
  {
    name: 'RDoc',
    evidence: ['script[src*="darkfish.js"]', 'nav#project-navigation', 'script[src*="js/aliki.js"]'],
    places: [
      ['before', 'div#search-section'],
      ['before', 'form#search-section'],
      ['first', 'nav'],
    ],
    hides: '#search-section',
    css: '&{display:block;margin:8px 12px;color:inherit}&:button{inline-size:100%;min-block-size:0;block-size:34px;border-radius:3px}',
    drawer: '(max-width:700px)',
  },
  {
    name: 'ExDoc',
    evidence: ['meta[name=generator][content^=ExDoc]'],
    places: [
      ['before', 'form.search-bar'],
      ['before', 'form.sidebar-search'],
      ['first', 'div.top-search'],
    ],
    hides: 'form.search-bar,form.sidebar-search',
    css:
      '&{display:block;flex:1;color:inherit;--sheaf-text:var(--textBody);--sheaf-background:var(--background);--sheaf-accent:var(--mainDark)}' +
      '&:button{inline-size:100%;min-block-size:0;block-size:36px;border-radius:8px}',
    dark: { when: 'body.dark' },
    keys: 'mod+k / s',
  },
  {
    name: 'Haddock',
    evidence: ['script[src*="haddock-bundle"]', 'div#package-header'],
    places: [['first', 'div#package-header']],
    css:
      '&{float:inline-end;margin:-4px 0 -4px 12px;color:inherit}&:button{min-block-size:0;block-size:32px;border-radius:3px}' +
      '@media (max-width:40rem){#package-header{position:relative}}',
    keys: 'mod+k /',
  },
  {
    name: 'Antora',
    evidence: ['meta[name=generator][content^=Antora]'],
    places: [
      ['before', 'div.navbar-item.search'],
      ['before', 'button.navbar-burger'],
      ['last', 'div.navbar-brand'],
    ],
    hides: '.navbar .search,.navbar .search-field',
    css: '&{margin-inline:auto 12px;align-self:center;color:var(--navbar-font-color,inherit);--sheaf-accent:#1565c0}&:button{min-block-size:0;block-size:36px;border-radius:3px}',
  },
  {
    name: 'DocBook',
    evidence: ['meta[name=generator][content^=DocBook]', 'div.navheader'],
    places: [],
    why: 'it has no bar',
  },
];

/** The colours of a theme, as CSS. Pure. */
export const paletteRules = (palette: Palette): string =>
  Object.entries(palette)
    .map(([name, value]) => `--sheaf-${name}:${value};`)
    .join('');

/** For the adapter of its generator. Throws where the theme has no palette. */
export function paletteOf(theme: string): Palette {
  const { palette } = THEMES.find(({ name }) => name === theme) ?? {};
  if (palette === undefined) throw new Error(`themes.ts has no palette of ${theme}.`);
  return palette;
}
