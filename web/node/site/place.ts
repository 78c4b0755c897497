/**
 * Where a page gets its search button: in the bar of a theme that is known (themes.ts), else floating at a corner.
 *
 * All of it is decided here, when the site is written: the page gets an element, and the style sheet of its theme
 * (`sheaf/place/THEME.css`), so a reader's browser runs no code for it, but where a script of the theme draws the bar (drawn_script.ts). Without the folder `sheaf` there is no style sheet,
 * and the theme's own search shows again; where only the code fails, entry_script.ts says so by `data-sheaf` on the root.
 */
import { drawnScript } from './drawn_script.js';
import { findElements, startTags, type Found } from './insertion_points.js';
import { matches, selector, type Selector } from './selector.js';
import { FRAMED, paletteRules, THEMES, type Theme, type Where } from './themes.js';

export const SCRIPT_MARK = 'data-sheaf-site';

/** `auto`: in the bar of a known theme, else floating. `bar`: else at the page's beginning. `none`: the script alone. */
export const INJECT_CHOICES = ['auto', 'bar', 'float', 'none'] as const;
export type InjectChoice = (typeof INJECT_CHOICES)[number];

export interface Place {
  /** Undefined: floating, or at the page's beginning. */
  theme?: Theme;
  kind: 'bar' | 'float' | 'start' | 'none';
  /** Offset of the element; undefined, or in front of the body: where that begins. */
  at?: number;
  /** A clause. */
  why: string;
}

/** The name of a page's style sheet, below `sheaf/`. Pure. */
export function sheetOf(place: Pick<Place, 'kind' | 'theme'>): string {
  return `place/${markOf(place).replace(' ', '-')}.css`;
}

/** The name of the script that keeps the button in its place there, if pages of the place need one. Pure. */
export function scriptOf(place: Pick<Place, 'kind' | 'theme'>): string | undefined {
  return place.kind === 'bar' && place.theme?.drawn !== undefined ? `place/${markOf(place)}.js` : undefined;
}

/** The mark of an element: its theme, or how it stands elsewhere. Pure. */
export function markOf({ kind, theme }: Pick<Place, 'kind' | 'theme'>): string {
  const name = theme?.name.toLowerCase().replace(/\W+/g, '-');
  return kind === 'bar' && name !== undefined ? name : [kind, name].filter(Boolean).join(' ');
}

/** A theme with its selectors read. */
interface Known {
  theme: Theme;
  evidence: readonly Selector[];
  places: readonly { where: Where; element: Selector }[];
}

const KNOWN: readonly Known[] = THEMES.map((theme) => ({
  theme,
  evidence: theme.evidence.map(selector),
  places: theme.places.map(([where, text]) => ({ where, element: selector(text) })),
}));
const FRAMED_PAGES = FRAMED.map(selector);
/** Names of elements that are evidence of anything: others are passed over. */
const TELLING = [...new Set([FRAMED_PAGES, ...KNOWN.map(({ evidence }) => evidence)].flat().map(({ name }) => name))];

/** Letters of a page that are looked at: signs stand in its head and at the beginning of its body, bars not far behind; but Sphinx's sidebar behind the text. */
const SIGNS_WITHIN = 65_536;
const BARS_WITHIN = 1_048_576;

/** Pure. */
export function placeIn(html: string, choice: InjectChoice): Place {
  if (choice === 'none') return { kind: 'none', why: '--inject=none' };
  const tags = startTags(html.slice(0, SIGNS_WITHIN), TELLING);
  const shows = (evidence: readonly Selector[]): boolean =>
    evidence.some((each) => tags.some(({ name, tag }) => matches(each, name, tag)));
  const found = KNOWN.find(({ evidence }) => shows(evidence));
  const known = found === undefined ? {} : { theme: found.theme };
  if (shows(FRAMED_PAGES)) return { ...known, kind: 'none', why: 'other pages show it in a frame' };
  if (choice === 'float') return { ...known, kind: 'float', why: '--inject=float' };
  const at = found && offsetOf(html, found.places);
  if (at !== undefined) return { ...known, kind: 'bar', at, why: '' };
  const why = found === undefined ? 'no theme that is known' : (found.theme.why ?? 'its bar is not in the page');
  return { ...known, kind: choice === 'bar' ? 'start' : 'float', why };
}

/** Of the first place that the page has. */
function offsetOf(html: string, places: Known['places']): number | undefined {
  const [first] = places;
  if (first === undefined) return undefined;
  if (first.element.name === 'body') return 0; // the tag may be left out
  const tests = places.map(
    ({ element }) =>
      (name: string, tag: string): boolean =>
        matches(element, name, tag),
  );
  const elements = findElements(html.slice(0, BARS_WITHIN), tests);
  return elements
    .map((element, i) => element && edge(element, (places[i] as Known['places'][number]).where))
    .find((at) => at !== undefined);
}

function edge({ at, innerStart, innerEnd, end }: Found, where: Where): number | undefined {
  return { before: at, after: end, first: innerStart, last: innerEnd }[where];
}

// ---- the style sheet -----------------------------------------------------------------------------

/** Space for the button until the script has come, and what no page shows or prints. */
const BASE =
  '&:not(:defined){display:inline-block;inline-size:9em;block-size:36px}&{flex:none;box-sizing:border-box;max-inline-size:100%;line-height:1.5}' +
  '&>form{display:flex;gap:4px;margin:0}&>form>*{font:inherit;min-inline-size:0}@media print{&{display:none!important}}' +
  ':root[data-sheaf=gone] &{inline-size:auto;block-size:auto;padding:4px 8px;background:Canvas;color:CanvasText;font:14px/1.5 sans-serif}';
/** In a bar: an outline in the bar's own colour, with the label where there is room. */
const IN_BAR =
  '&:button{font-size:15px;color:inherit;background:none;border-color:color-mix(in srgb,currentColor 40%,transparent)}' +
  '&::part(button):hover{border-color:currentColor}&::part(shortcut){border-color:color-mix(in srgb,currentColor 30%,transparent);background:none}';
const AFLOAT =
  '&{position:fixed;inset:auto max(16px,env(safe-area-inset-right)) max(16px,env(safe-area-inset-bottom)) auto;float:none;margin:0;padding:0;inline-size:auto;visibility:visible;z-index:2147483000}' +
  '&:button{inline-size:auto;block-size:auto;min-block-size:44px;min-inline-size:44px;padding-inline:14px;color:var(--sheaf-text,light-dark(#1b1f24,#e8eaed));' +
  'background:var(--sheaf-background,light-dark(#fff,#181b20));border:1px solid color-mix(in srgb,currentColor 45%,transparent);border-radius:22px;box-shadow:0 2px 10px #0004}' +
  '@media (max-width:40rem){&:button{inline-size:44px;padding:0}}';

/** Where a script moves it into the bar: until then, or if that fails. */
const ON_ITS_WAY = `${AFLOAT.replaceAll('&', 'body>&')}body>&{animation:sheaf-late 1ms 3s backwards}@keyframes sheaf-late{from{visibility:hidden}}`;

/** The style sheet of the pages of one place. Pure. */
export function placeSheet({ kind, theme }: Pick<Place, 'kind' | 'theme'>): string {
  const element = `sheaf-search[${SCRIPT_MARK}]`;
  const { css = '', palette, drawer, hides, dark, drawn } = theme ?? {};
  const rules = [BASE];
  if (palette !== undefined) rules.push(`&{${paletteRules(palette)}}`);
  if (kind === 'bar') rules.push(IN_BAR, css);
  if (kind === 'float') rules.push(AFLOAT);
  if (kind === 'bar' && drawer !== undefined) rules.push(`@media ${drawer}{${AFLOAT}}`);
  if (kind === 'bar' && drawn !== undefined)
    rules.push(ON_ITS_WAY, `:root:not([data-sheaf=gone]) &+:is(${drawn.own}){display:none!important}`);
  if (hides !== undefined) rules.push(`:root:not([data-sheaf=gone]) :is(${hides}){display:none!important}`);
  if (dark?.when !== undefined) rules.push(`${dark.when} &{color-scheme:dark}`);
  if (dark?.system !== undefined) rules.push(`@media (prefers-color-scheme:dark){${dark.system} &{color-scheme:dark}}`);
  return `${rules.map((rule) => rulesFor(rule, element)).join('\n')}\n`;
}

/** The files of one place below `sheaf/`, by their names. Pure. */
export function placeFiles(place: Pick<Place, 'kind' | 'theme'>): [name: string, text: string][] {
  const script = scriptOf(place);
  const { drawn } = place.theme ?? {};
  return [
    [sheetOf(place), placeSheet(place)],
    ...(script === undefined || drawn === undefined
      ? []
      : [[script, drawnScript(drawn, SCRIPT_MARK)] as [string, string]]),
  ];
}

/** Those of all places. Pure. */
export function allPlaceFiles(): [name: string, text: string][] {
  const places = [undefined, ...THEMES].flatMap((theme) =>
    (['bar', 'float', 'start'] as const).map((kind) => (theme === undefined ? { kind } : { kind, theme })),
  );
  return places
    .filter(({ kind, theme }: Pick<Place, 'kind' | 'theme'>) => kind !== 'bar' || theme !== undefined)
    .flatMap(placeFiles);
}

const rulesFor = (css: string, element: string): string =>
  css.replaceAll('&:button', `${element}::part(button)`).replaceAll('&', element);
