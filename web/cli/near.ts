/** Names that somebody may have meant. Pure. */

/** The word with the fewest edits to `word`: at most 2, or 1 for three letters. */
export function nearest(word: string, words: readonly string[]): string | undefined {
  if (word.length > 20) return undefined;
  const [best] = words.map((each) => [distance(word, each), each] as const).sort(([a], [b]) => a - b);
  return best !== undefined && best[0] <= (word.length <= 3 ? 1 : 2) ? best[1] : undefined;
}

const MOST = 3;

/** Names that begin with `word` or differ from it by an ending of JavaScript's or two letters, nearest first. */
export function likeNames(word: string, names: readonly string[]): string[] {
  if (word.length > 40) return [];
  const core = (name: string): string =>
    name
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '')
      .replace(/(?<=..)js$/, '');
  const wanted = core(word);
  if (wanted.length < 2) return [];
  const ranked = names.flatMap((name) => {
    const own = core(name);
    const edits = distance(wanted, own);
    const isNear = edits <= (wanted.length <= 3 ? 0 : wanted.length <= 5 ? 1 : 2);
    return isNear || own.startsWith(wanted) ? [{ name, edits }] : [];
  });
  return ranked
    .sort((a, b) => a.edits - b.edits || (a.name < b.name ? -1 : 1))
    .slice(0, MOST)
    .map(({ name }) => name);
}

/** Levenshtein's. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      next.push(
        Math.min(
          (row[j] as number) + 1,
          (next[j - 1] as number) + 1,
          (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1),
        ),
      );
    }
    row = next;
  }
  return row[b.length] as number;
}
