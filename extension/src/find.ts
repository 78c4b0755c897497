/**
 * Find in page, for pages without the browser's own: a side panel and a popup have none. What is found is marked by the
 * CSS Custom Highlight API, so the page's tree stays as it is.
 */
const FOUND = 'found';
const CURRENT = 'found-current';
const MOST = 2000;

export class Finder {
  readonly #root: HTMLElement;
  #ranges: Range[] = [];
  #at = -1;

  constructor(root: HTMLElement) {
    this.#root = root;
  }

  get count(): number {
    return this.#ranges.length;
  }

  /** From 1; 0 for none. */
  get position(): number {
    return this.#at + 1;
  }

  find(words: string): void {
    this.#ranges = words.trim() === '' ? [] : rangesOf(this.#root, words);
    CSS.highlights?.set(FOUND, new Highlight(...this.#ranges));
    this.#at = -1;
    this.step(1);
  }

  step(by: 1 | -1): void {
    const { length } = this.#ranges;
    CSS.highlights?.delete(CURRENT);
    if (length === 0) return;
    this.#at = (this.#at + by + length) % length;
    const range = this.#ranges[this.#at] as Range;
    CSS.highlights?.set(CURRENT, new Highlight(range));
    range.startContainer.parentElement?.scrollIntoView({ block: 'center' });
  }

  clear(): void {
    this.#ranges = [];
    this.#at = -1;
    CSS.highlights?.delete(FOUND);
    CSS.highlights?.delete(CURRENT);
  }
}

/** Within single text nodes, whatever their case. Letters that change length with their case are left as they are. */
function rangesOf(root: HTMLElement, words: string): Range[] {
  const wanted = lower(words.trim());
  const ranges: Range[] = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null && ranges.length < MOST; node = walker.nextNode()) {
    const text = lower(node.nodeValue ?? '');
    for (
      let at = text.indexOf(wanted);
      at >= 0 && ranges.length < MOST;
      at = text.indexOf(wanted, at + wanted.length)
    ) {
      const range = document.createRange();
      range.setStart(node, at);
      range.setEnd(node, at + wanted.length);
      ranges.push(range);
    }
  }
  return ranges;
}

function lower(text: string): string {
  const small = text.toLowerCase();
  return small.length === text.length ? small : text;
}
