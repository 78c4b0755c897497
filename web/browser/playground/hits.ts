/** A hit with the picture of why it stands where it stands: for the playground, and for the page that tries Sheaf (docs/try). */
import type { Hit } from '../client/types.js';
import { h } from './dom.js';
import { drawExplanation } from './explain.js';

/** What a page shows in a hit beside that. Text is text. */
export interface Shown {
  /** Instead of the title and the heading. */
  name?: Node | string;
  /** Instead of the snippet as it is. */
  snippet?: readonly (Node | string)[];
  /** Behind the name. */
  beside?: Node | undefined;
  /** Below all. */
  below?: Node | undefined;
}

/** The page's title, and the heading of the passage. Pure. */
export function nameOf({ title, headings }: Pick<Hit, 'title' | 'headings'>): string {
  return headings.length > 0 ? `${title} › ${headings.at(-1)}` : title;
}

export function drawHit(
  hit: Hit,
  { name = nameOf(hit), snippet = [hit.snippet], beside, below }: Shown = {},
): HTMLElement {
  const { source, score, explanation } = hit;
  return h(
    'li',
    {},
    h('h3', {}, name, ' ', beside),
    h('p', { className: 'path' }, source),
    h('p', {}, ...snippet),
    explanation && drawExplanation(explanation, score),
    below,
  );
}

/** What the colours of the pictures mean. */
export function drawLegend(): HTMLElement {
  const legend = h('p', { className: 'legend' });
  legend.setAttribute('aria-hidden', 'true'); // each picture says it in words
  const meanings = { words: 'words', meaning: 'meaning', page: 'page: title, words in a row, a name’s definition' };
  for (const [className, text] of Object.entries(meanings))
    legend.append(h('span', {}, h('i', { className }), text), ' ');
  return legend;
}
