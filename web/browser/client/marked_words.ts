import type { Hit } from './types.js';

/** What the answer marks in a hit, as it stands there. Pure. */
export const markedWords = (hit: Hit): string[] =>
  [
    cut(hit.snippet, hit.highlights),
    cut(hit.title, hit.titleHighlights),
    cut(hit.headings.at(-1) ?? '', hit.headingHighlights),
  ].flat();

const cut = (text: string, spans: Hit['highlights'] = []): string[] =>
  spans.map(({ start, length }) => text.slice(start, start + length));
