/**
 * Marks the words of a followed hit on the page that it led to, until Escape. Text fragments do so only for words beside
 * one another, and no hit that leads to a name has one (state/links.ts).
 *
 * Idea: the page that the reader leaves notes the words in its session storage; the next page of this site with a search
 * loads this file, if that is the page that was meant. The marks are CSS highlights: the page's own tree stays as it is.
 * Browsers that lack them show none.
 */
import { markedWords } from '../client/marked_words.js';
import type { Hit } from '../client/types.js';
import { markPattern } from './views/marks.js';

/** Characters of the section that are looked through. */
const REACH = 4000;
const MOST_MARKS = 200;
const NAME = 'sheaf';
const TEXT = 'main, [role=main], article';
const HEADINGS = 'h1, h2, h3, h4, h5, h6';

let sheet: CSSStyleSheet | undefined;

/** `noted`: JSON of the address that was followed and of its hit (state/followed.ts). It may hold anything. */
export function markWords(noted: string): void {
  if (!('highlights' in CSS)) return;
  const ranges = rangesFor(noted);
  if (ranges.length === 0) return;
  CSS.highlights.set(NAME, new Highlight(...ranges));
  if (sheet !== undefined) return;
  sheet = new CSSStyleSheet();
  sheet.replaceSync(`::highlight(${NAME}) { background-color: Mark; color: MarkText }`);
  document.adoptedStyleSheets.push(sheet);
  addEventListener('keydown', ({ key }) => key === 'Escape' && CSS.highlights.delete(NAME));
}

function rangesFor(noted: string): Range[] {
  try {
    const [address, hit] = JSON.parse(noted) as [string, Hit];
    const pattern = bare(address) === bare(location.href) ? markPattern(markedWords(hit)) : undefined;
    return pattern === undefined ? [] : rangesOf(pattern, hit.anchor === '' && hit.headings.length > 0);
  } catch {
    return [];
  }
}

/** Without the text fragment, which most browsers keep to themselves. */
const bare = (address: string): string => address.replace(/:~:.*$/s, '').replace(/#$/, '');

/**
 * In the section at the element of the address, or at the top of the page's text. `isAnywhere`: its heading has no
 * address, so it lies somewhere below.
 */
function rangesOf(pattern: RegExp, isAnywhere: boolean): Range[] {
  const target = document.querySelector(':target');
  const text = (target === null ? document.querySelector(TEXT) : target.closest(TEXT)) ?? document.body;
  // An element of the target's kind is an entry as it is, where pages have no headings for them.
  const begins = `${HEADINGS}, :is(dt, section, ${CSS.escape(target?.localName ?? 'dt')})[id]`;
  const own = target?.querySelector(`${HEADINGS}, dt`);
  const walker = document.createTreeWalker(text, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
  walker.currentNode = target ?? text;
  const ranges: Range[] = [];
  let hasText = false;
  for (let left = REACH; left > 0 && ranges.length < MOST_MARKS; ) {
    const node = walker.nextNode();
    if (node === null) break;
    if (node instanceof Element) {
      if (hasText && !isAnywhere && node !== own && node.matches(begins)) break;
      continue;
    }
    const { data, parentElement } = node as Text;
    if (parentElement?.closest('script, style, nav, sheaf-search')) continue;
    hasText ||= /\S/.test(data) && !parentElement?.closest(`${HEADINGS}, dt`);
    left -= data.length;
    for (const { 0: found, index } of data.matchAll(pattern)) {
      const range = new Range();
      range.setStart(node, index);
      range.setEnd(node, index + found.length);
      ranges.push(range);
    }
  }
  return ranges;
}
