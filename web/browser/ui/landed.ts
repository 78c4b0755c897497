/**
 * Marks the words of a followed hit on the page that it led to, until Escape. Text fragments do so only for words beside
 * one another, and no hit that leads to a name has one (state/links.ts).
 *
 * Idea: the page that the reader leaves notes the words in its session storage; the next page of this site with a search
 * loads this file, if that is the page that was meant. The marks are CSS highlights: the page's own tree stays as it is.
 * Browsers that lack them show none.
 */
import type { Hit } from '../client/types.js';
import { markedWords, markPattern } from './views/marks.js';

/** Characters behind the anchor that are looked through: the section that was found, about. */
const REACH = 4000;
const MOST_MARKS = 200;
const NAME = 'sheaf';

/** `noted`: JSON of the address that was followed and of its hit (state/followed.ts). It may hold anything. */
export function markWords(noted: string): void {
  const words = wordsFor(noted);
  const pattern = markPattern(words);
  if (pattern === undefined || !('highlights' in CSS)) return;
  const ranges = rangesOf(pattern);
  if (ranges.length === 0) return;
  CSS.highlights.set(NAME, new Highlight(...ranges));
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`::highlight(${NAME}) { background-color: Mark; color: MarkText }`);
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  const end = new AbortController();
  addEventListener(
    'keydown',
    ({ key }) => {
      if (key !== 'Escape') return;
      end.abort();
      CSS.highlights.delete(NAME);
      document.adoptedStyleSheets = document.adoptedStyleSheets.filter((other) => other !== sheet);
    },
    end,
  );
}

function wordsFor(noted: string): string[] {
  try {
    const [address, hit] = JSON.parse(noted) as [string, Hit];
    return bare(address) === bare(location.href) ? markedWords(hit) : [];
  } catch {
    return [];
  }
}

/** Without the text fragment, which most browsers keep to themselves. */
const bare = (address: string): string => address.replace(/:~:.*$/s, '').replace(/#$/, '');

/** From the element of the address on, or from the top of the page's text. */
function rangesOf(pattern: RegExp): Range[] {
  const text = document.querySelector('main, [role=main], article') ?? document.body;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  walker.currentNode = document.querySelector(':target') ?? text;
  const ranges: Range[] = [];
  for (let left = REACH; left > 0 && ranges.length < MOST_MARKS; ) {
    const node = walker.nextNode() as Text | null;
    if (node === null) break;
    if (node.parentElement?.closest('script, style, nav, sheaf-search')) continue;
    left -= node.length;
    for (const { 0: found, index } of node.data.matchAll(pattern)) {
      const range = new Range();
      range.setStart(node, index);
      range.setEnd(node, index + found.length);
      ranges.push(range);
    }
  }
  return ranges;
}
