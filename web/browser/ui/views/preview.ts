/**
 * The preview beside the list: the passage of the chosen hit as stored, with the query's words marked. Loaded on wide
 * screens only, with the first hit. Plain DOM, so it loads nothing else; document text enters it as text nodes.
 *
 * A labelled region, and not live: the focus stays in the box, whose `aria-activedescendant` has the chosen entry read
 * out, and a live region would talk over it at every arrow. Whoever wants more than the entry goes to the region, by the
 * screen reader's own keys or by Tab, which also lets the keyboard scroll it.
 */
import type { Passage } from '../../client/types.js';
import type { PreviewPane, Previewed } from '../host.js';
import { markPattern, readBlocks, type Block, type Inline } from './preview_blocks.js';

/** Where the first mark comes to stand: this share of the height. */
const PLACE_OF_MARK = 0.3;

export class Pane implements PreviewPane {
  readonly element: HTMLElement = make('section', 'preview');

  constructor(root: ShadowRoot) {
    this.element.tabIndex = 0;
    addStyles(root);
  }

  /** Replaces everything at once, so that nothing flickers, and shows the first mark. */
  show({ hit, place, hits, label, language }: Previewed, passage: Passage): void {
    const { element } = this;
    element.setAttribute('aria-label', label);
    const head = make('header', 'preview-head');
    if (place.length > 0) {
      const trail = make('p', 'preview-place');
      place.forEach((name, i) => {
        const step = document.createElement('bdi');
        step.append(name);
        trail.append(i === 0 ? '' : ' › ', step);
      });
      head.append(trail);
    }
    const title = make('h2', 'preview-title');
    title.append(hit.title || hit.source);
    head.append(title);
    const body = make('div', 'preview-text');
    body.dir = 'auto';
    const blocks = readBlocks(passage.text, {
      markdown: /\.mdx?$|(?:^|\/)readme$/i.test(hit.source),
      code: hit.kind === 'code',
    });
    const heading = passage.headings.at(-1);
    // A passage further down its section begins without the heading.
    if (heading !== undefined && blocks[0]?.kind !== 'heading')
      blocks.unshift({ kind: 'heading', inlines: [{ text: heading, look: 'plain' }] });
    body.append(...drawBlocks(blocks, markPattern(hits.flatMap(markedWords))));
    if (language === '') element.removeAttribute('lang');
    else element.lang = language;
    element.replaceChildren(head, body);
    this.#showMark();
  }

  clear(): void {
    this.element.replaceChildren();
  }

  #showMark(): void {
    const { element } = this;
    const mark = element.querySelector('mark');
    element.scrollTop = 0;
    if (mark === null) return;
    const box = element.getBoundingClientRect();
    const { top, bottom } = mark.getBoundingClientRect();
    if (bottom > box.bottom) element.scrollTop = top - box.top - box.height * PLACE_OF_MARK;
  }
}

function drawBlocks(blocks: readonly Block[], marks: RegExp | undefined): Node[] {
  const nodes: HTMLElement[] = [];
  for (const block of blocks) {
    switch (block.kind) {
      case 'heading':
        nodes.push(withWords(make('h3', 'preview-heading'), block.inlines, marks));
        break;
      case 'code':
      case 'table': {
        const pre = block.kind === 'code' ? make('pre', 'preview-code') : make('pre', 'preview-table');
        pre.dir = 'ltr';
        pre.append(...marked(block.text, marks));
        nodes.push(pre);
        break;
      }
      case 'item': {
        const last = nodes.at(-1);
        const list = last?.localName === 'ul' ? last : document.createElement('ul');
        const item = document.createElement('li');
        item.style.setProperty('--_depth', String(block.depth));
        const marker = document.createElement('span');
        marker.append(block.marker);
        const words = document.createElement('div');
        item.append(marker, withWords(words, block.inlines, marks));
        list.append(item);
        if (list !== last) nodes.push(list);
        break;
      }
      default:
        nodes.push(
          withWords(document.createElement(block.kind === 'quote' ? 'blockquote' : 'p'), block.inlines, marks),
        );
    }
  }
  return nodes;
}

function withWords<E extends HTMLElement>(element: E, inlines: readonly Inline[], marks: RegExp | undefined): E {
  for (const { text, look } of inlines) {
    const nodes = marked(text, marks);
    if (look === 'plain') {
      element.append(...nodes);
      continue;
    }
    const inner = document.createElement(look === 'code' ? 'code' : look === 'strong' ? 'strong' : 'em');
    inner.append(...nodes);
    element.append(inner);
  }
  return element;
}

/** Text nodes, and `<mark>` around what the pattern finds. */
function marked(text: string, marks: RegExp | undefined): Node[] {
  const nodes: Node[] = [];
  let at = 0;
  for (const { 0: found, index } of marks === undefined ? [] : text.matchAll(marks)) {
    nodes.push(document.createTextNode(text.slice(at, index)));
    const mark = make('mark', 'mark');
    mark.append(found);
    nodes.push(mark);
    at = index + found.length;
  }
  nodes.push(document.createTextNode(text.slice(at)));
  return nodes;
}

/** What the answer marks in a hit. */
function markedWords(hit: Previewed['hit']): string[] {
  const heading = hit.headings.at(-1) ?? '';
  const places: [string, Previewed['hit']['highlights'] | undefined][] = [
    [hit.snippet, hit.highlights],
    [hit.title, hit.titleHighlights],
    [heading, hit.headingHighlights],
  ];
  return places.flatMap(([text, spans = []]) => spans.map(({ start, length }) => text.slice(start, start + length)));
}

function make<Name extends keyof HTMLElementTagNameMap>(name: Name, part: string): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  element.setAttribute('part', part);
  return element;
}

const SHEET = `
[part='preview'] { display: none; }
@media (min-width: 64rem) {
  [part='preview'] { display: block; min-inline-size: 0; min-block-size: 0; overflow: auto; overscroll-behavior: contain; padding: 0 1.4em 1.4em; border-inline-start: 1px solid var(--_border); background: var(--_background); font-size: 0.95em; overflow-wrap: anywhere; }
  [part='preview']:focus-visible { outline-offset: -2px; }
}
[part='preview-head'] { position: sticky; inset-block-start: 0; margin-inline: -1.4em; padding: 0.9em 1.4em 0.7em; background: var(--_background); border-block-end: 1px solid var(--_border); }
[part='preview-head'] > * { margin: 0; overflow: hidden; white-space: nowrap; text-overflow: ellipsis; }
[part='preview-place'] { font-size: 0.85em; color: var(--_muted); }
[part='preview-title'] { font-size: 1.1em; line-height: 1.4; }
[part='preview-heading'] { font-size: 1em; margin: 1.2em 0 0.5em; }
[part='preview-text'] :is(p, ul, blockquote, pre) { margin: 0.7em 0; }
[part='preview-text'] :is(p, li, blockquote) { white-space: pre-line; }
[part='preview-text'] ul { padding: 0; list-style: none; }
[part='preview-text'] li { display: flex; gap: 0.5em; margin: 0.25em 0; margin-inline-start: calc(1.2em * var(--_depth)); }
[part='preview-text'] li > :first-child { flex: none; min-inline-size: 0.8em; color: var(--_muted); }
[part='preview-text'] li > :last-child { min-inline-size: 0; }
[part='preview-text'] blockquote { padding-inline-start: 0.9em; border-inline-start: 3px solid var(--_border); }
[part='preview-text'] :is(code, pre) { font: 0.9em/1.5 var(--sheaf-font-code, ui-monospace, Menlo, Consolas, monospace); background: var(--_raised); border-radius: 0.35em; }
[part='preview-text'] code { padding: 0.1em 0.3em; overflow-wrap: anywhere; }
[part='preview-text'] pre { padding: 0.7em 0.9em; overflow-x: auto; white-space: pre; overflow-wrap: normal; tab-size: 4; text-align: left; }
`;

let sheet: CSSStyleSheet | undefined;

function addStyles(root: ShadowRoot): void {
  if (sheet === undefined) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(SHEET);
  }
  if (!root.adoptedStyleSheets.includes(sheet)) root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
}
