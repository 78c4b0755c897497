/** Many passages: for the spill of postings, for graphs and partitions, for the dictionary of texts. */
import { lines, writer } from './random.mjs';

/** Pages of `words` words that occur nowhere else, so that the lists of postings outgrow little memory. */
export function wordyPages(words) {
  const w = writer(13);
  const perPage = 2000;
  const unique = (i) => `${w.word()}${i.toString(36)}${w.pick(['a', 'b', 'x'])}`;
  return Array.from({ length: Math.ceil(words / perPage) }, (_, page) => [
    `words-${page}.txt`,
    lines(perPage / 20, (line) => `${lines(20, (i) => unique(page * perPage + line * 20 + i), ' ')}.`, '\n\n'),
  ]);
}

/**
 * Pages of `perPage` short sections each, about one passage a section. Every tenth repeats another's text, and every
 * fourth is made of few words, so that equal rows and equal distances abound.
 */
export function manySections(pages, perPage) {
  const w = writer(14);
  const few = Array.from({ length: 12 }, () => w.word());
  const kept = [];
  const section = (i) => {
    if (i % 10 === 9) return w.pick(kept);
    const body = i % 4 ? w.paragraph() : Array.from({ length: 6 }, () => w.pick(few)).join(' ');
    const text = `## ${i % 4 ? w.words(2) : w.pick(few)}\n\n${body}\n`;
    kept.push(text);
    return text;
  };
  return Array.from({ length: pages }, (_, page) => [
    `part-${page % 7}/page-${page}.md`,
    `# ${w.words(2)}\n\n${lines(perPage, (i) => section(page * perPage + i))}`,
  ]);
}
