/**
 * `sheaf site --inject`: puts the search into every page of a built site, between marks, so that a second
 * run finds its own work and changes nothing.
 *
 * Only two points are touched: before `</head>` the style sheet and the script (insertion_points.ts), and where the theme has
 * its place (place.ts) the button, unless the page has a `<sheaf-search>` of its own. Where `</head>` is left out, the first two go where the body begins. No line
 * is added, so what the bundle says of lines stays true. Framesets, pieces of pages and pages that are cut short are left alone and named.
 *
 * The script is a classic one: pages that are opened as files run no modules. Where the page's own scripts have a nonce, so have ours.
 */
import { attribute, findInsertionPoints, startTags } from './insertion_points.js';
import { ENGLISH, type Words } from './words.js';
import { type InjectChoice, markOf, type Place, placeIn, SCRIPT_MARK, scriptOf, sheetOf } from './place.js';

export { SCRIPT_MARK };

export interface InjectedPage {
  html: string;
  /** Undefined: the page has an element of its own. */
  place?: Place;
}

export interface PageOptions {
  choice?: InjectChoice;
  /** Keys that open the search, instead of the theme's. */
  keys?: string | undefined;
  /** Where readers without scripts go: the site's host and path, or a page's address. */
  home?: { search: string } | { link: string } | undefined;
  /** In which those readers are told so. */
  words?: Words;
}

const MARKED = new RegExp(`\\b${SCRIPT_MARK}\\b`);
/** What a former run may have put there, by its start tag. */
const OURS = /<(link|script|sheaf-search)\b[^<>]*>/g;
/** Within an element of ours lies at most a form. */
const MOST_INSIDE = 1500;

/** The page as it was before a former run. Linear in the page. */
export function withoutSearch(html: string): string {
  let kept = '';
  let from = 0;
  for (const { 0: tag, 1: name, index } of html.matchAll(OURS)) {
    if (index < from || !MARKED.test(tag)) continue;
    let end = index + tag.length;
    if (name !== 'link') {
      const close = `</${name}>`;
      const inside = html.slice(end, end + MOST_INSIDE + close.length).indexOf(close);
      if (inside < 0) continue;
      end += inside + close.length;
    }
    kept += html.slice(from, index);
    from = end;
  }
  return kept + html.slice(from);
}

/** The page with search, or why it was left alone. `script` is the address of sheaf.js from that page. Pure. */
export function injected(
  html: string,
  script: string,
  { choice = 'auto', keys, home, words = ENGLISH }: PageOptions = {},
): InjectedPage | { skipped: string } {
  const clean = withoutSearch(html);
  const { headEnd, bodyStart, hasElement, obstacle } = findInsertionPoints(clean);
  if (bodyStart === undefined) return { skipped: obstacle ?? 'it has no body' };
  const empty = /^[\ufeff\xef\xbb\xbf\s]*<\?xml\b/.test(clean) ? '=""' : ''; // in XML, attributes have values
  const end = empty === '' ? '' : ' /';
  const nonce = nonceOf(clean);
  const tag = `<script src="${escapeAttribute(script)}" defer${empty} ${SCRIPT_MARK}${empty}${nonce}></script>`;
  const scriptAt = headEnd ?? bodyStart;
  if (hasElement) return { html: clean.slice(0, scriptAt) + tag + clean.slice(scriptAt) };
  const place = placeIn(clean, choice);
  if (place.kind === 'none') return { html: clean.slice(0, scriptAt) + tag + clean.slice(scriptAt), place };
  const beside = (name: string): string => escapeAttribute(script.replace(/[^/]*$/, name));
  const sheet = `<link rel="stylesheet" href="${beside(sheetOf(place))}" ${SCRIPT_MARK}${empty}${nonce}${end}>`;
  const opens = keys ?? place.theme?.keys;
  const attributes = { [SCRIPT_MARK]: markOf(place), ...(opens === undefined ? {} : { shortcuts: opens }) };
  const written = Object.entries(attributes).map(([name, value]) => ` ${name}="${escapeAttribute(value)}"`);
  const element = `<sheaf-search${written.join('')}>${withoutScripts(home, words)}</sheaf-search>`;
  const keeper = scriptOf(place);
  const kept =
    keeper === undefined
      ? ''
      : `<script src="${beside(keeper)}" defer${empty} ${SCRIPT_MARK}${empty} data-sheaf-element="${escapeAttribute(JSON.stringify(attributes))}"${nonce}></script>`;
  const elementAt = Math.max(place.at ?? bodyStart, bodyStart);
  return {
    html:
      clean.slice(0, scriptAt) +
      sheet +
      tag +
      kept +
      clean.slice(scriptAt, elementAt) +
      element +
      clean.slice(elementAt),
    place,
  };
}

/** The nonce of the page's first script that has one, as an attribute: what fills it in then fills in ours. */
function nonceOf(html: string): string {
  const head = html.slice(0, MOST_OF_HEAD);
  if (!/nonce/i.test(head)) return '';
  const nonces = startTags(head, ['script']).map(({ tag }) => attribute(tag, 'nonce'));
  const nonce = nonces.find((each) => each !== undefined);
  return nonce === undefined ? '' : ` nonce="${escapeAttribute(nonce)}"`;
}
const MOST_OF_HEAD = 65_536;

function withoutScripts(home: PageOptions['home'], { language, strings }: Words): string {
  if (home === undefined) return '';
  const lang = ` lang="${language}"`;
  const search = ascii(strings.search);
  if ('link' in home) return `<noscript><a href="${escapeAttribute(home.link)}"${lang}>${search}</a></noscript>`;
  const site = escapeAttribute(`site:${home.search} `);
  return (
    `<noscript><form action="https://duckduckgo.com/"${lang}><input name="q" size="12" value="${site}" ` +
    `aria-label="${ascii(`${strings.placeholder} (DuckDuckGo)`)}" /><button>${search}</button></form></noscript>`
  );
}

/** Text for a page of any encoding. */
function ascii(text: string): string {
  return escapeAttribute(text).replace(/[^\x20-\x7e]/gu, (letter) => `&#${letter.codePointAt(0)};`);
}

/** The address that a page's own relative addresses start from: `<base href>`, as it is written. Pure. */
export function baseHref(html: string): string | undefined {
  return /<base[\s/]/i.test(html) ? findInsertionPoints(html).base : undefined; // most pages have none
}

/** The part of an address that relative ones are joined to. Pure. */
export function folderOf(address: string): string {
  return address.replace(/[?#].*$/s, '').replace(/[^/]*$/, '');
}

function escapeAttribute(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/"/g, '&quot;').replace(/</g, '&lt;');
}
