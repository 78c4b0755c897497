/**
 * The preview beside the list: the passage of the chosen hit as stored, with the query's words marked. Loaded on wide
 * screens only, with the first hit and with sheaf-text.wasm. Plain DOM, so it loads no library; document text enters it as text nodes.
 *
 * A labelled region, and not live: the focus stays in the box, whose `aria-activedescendant` has the chosen entry read
 * out, and a live region would talk over it at every arrow. Whoever wants more than the entry goes to the region, by the
 * screen reader's own keys or by Tab, which also lets the keyboard scroll it.
 */
import { markedWords } from '../../client/marked_words.js';
import type { Passage } from '../../client/types.js';
import type { PreviewPane, Previewed } from '../host.js';
import { looks, make } from '../later.js';
import { loadText, type Text } from '../../client/load_text.js';
import { drawBlocks } from './draw_blocks.js';
import { markPattern } from './marks.js';
import { linkInPassage } from './passage_link.js';

/** Where the first mark comes to stand: this share of the height. */
const PLACE_OF_MARK = 0.3;

/** Of a longer passage only the beginning is shown. */
const LONGEST = 20_000;

export const makePane = async (root: ShadowRoot): Promise<PreviewPane> => new Pane(root, await loadText());

class Pane implements PreviewPane {
  readonly element: HTMLElement = make('section', 'preview');
  readonly #text: Text;

  constructor(root: ShadowRoot, text: Text) {
    this.#text = text;
    this.element.tabIndex = 0;
    addStyles(root);
  }

  /** Replaces everything at once, so that nothing flickers, and shows the first mark. */
  show({ hit, place, hits, label, language, resolve }: Previewed, passage: Passage): void {
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
    const blocks = this.#text.blocks(passage.text.slice(0, LONGEST), hit.source, hit.kind === 'code');
    const heading = passage.headings.at(-1);
    // A passage further down its section begins without the heading.
    if (heading !== undefined && blocks[0]?.kind !== 'heading')
      blocks.unshift({ kind: 'heading', depth: 0, label: '', runs: [{ text: heading, looks: [] }] });
    body.append(
      ...drawBlocks(blocks, {
        marks: markPattern(hits.flatMap(markedWords)),
        mark: () => make('mark', 'mark'),
        heading: () => make('h3', 'preview-heading'),
        code: (_, pre) => (pre.setAttribute('part', 'preview-code'), pre),
        table: () => make('pre', 'preview-table'),
        depth: '--_depth',
        marker: () => document.createElement('span'),
        link: (to) => anchorTo(linkInPassage(to, hit, resolve)),
      }),
    );
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

/** Other sites open beside the page. */
function anchorTo(url: URL | undefined): HTMLElement | undefined {
  if (url === undefined) return undefined;
  const anchor = make('a', 'preview-link');
  anchor.href = url.href;
  if (url.origin !== location.origin) {
    anchor.target = '_blank';
    anchor.rel = 'noopener noreferrer';
  }
  return anchor;
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
[part='preview-link'] { color: inherit; text-underline-offset: 0.15em; }
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

const addStyles = looks(SHEET);
