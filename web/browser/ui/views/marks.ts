/** Marks of words in text of documents: plain text nodes, and `<mark>` around what a pattern finds. */

/** Words that an answer marks, as a pattern for whole words; undefined when it marks none. */
export function markPattern(words: Iterable<string>): RegExp | undefined {
  const known = [...new Set([...words].map((word) => word.trim().toLowerCase()))]
    .filter((word) => word !== '' && word.length <= 80)
    .sort((a, b) => b.length - a.length)
    .slice(0, 64);
  if (known.length === 0) return undefined;
  const alternatives = known.map((word) => {
    const text = word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/\s+/g, '\\s+');
    return `${SPACED.test(word.at(0) as string) ? '(?<![\\p{L}\\p{N}_])' : ''}${text}${SPACED.test(word.at(-1) as string) ? '(?![\\p{L}\\p{N}_])' : ''}`;
  });
  return new RegExp(alternatives.join('|'), 'giu');
}

/** Letters of scripts that put spaces between words. */
const SPACED =
  /^(?![\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}\p{scx=Khmr}\p{scx=Laoo}\p{scx=Mymr}])[\p{L}\p{N}_]$/u;

/** Text nodes, and what `mark` makes around what the pattern finds. */
export function marked(text: string, marks: RegExp | undefined, mark: () => HTMLElement): Node[] {
  const nodes: Node[] = [];
  let at = 0;
  for (const { 0: found, index } of marks === undefined ? [] : text.matchAll(marks)) {
    const element = mark();
    element.append(found);
    nodes.push(document.createTextNode(text.slice(at, index)), element);
    at = index + found.length;
  }
  nodes.push(document.createTextNode(text.slice(at)));
  return nodes;
}
