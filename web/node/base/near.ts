/** Names that somebody may have meant. */
import { textModule } from './text.js';

/** The most edits of any name that is proposed. */
const FAR = 2;

/** The word with the fewest edits to `word`: at most 2, or 1 for three letters. */
export async function nearest(word: string, words: readonly string[]): Promise<string | undefined> {
  if (word.length > 20) return undefined;
  const text = await textModule();
  const [best] = words.map((each) => [text.edits(word, each, FAR), each] as const).sort(([a], [b]) => a - b);
  return best !== undefined && best[0] <= (word.length <= 3 ? 1 : FAR) ? best[1] : undefined;
}

const MOST = 3;

/** Names that begin with `word` or differ from it by an ending of JavaScript's or two letters, nearest first. */
export async function likeNames(word: string, names: readonly string[]): Promise<string[]> {
  if (word.length > 40) return [];
  const core = (name: string): string =>
    name
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '')
      .replace(/(?<=..)js$/, '');
  const wanted = core(word);
  if (wanted.length < 2) return [];
  const text = await textModule();
  const ranked = names.flatMap((name) => {
    const own = core(name);
    const far = text.edits(wanted, own, FAR);
    const isNear = far <= (wanted.length <= 3 ? 0 : wanted.length <= 5 ? 1 : FAR);
    return isNear || own.startsWith(wanted) ? [{ name, far }] : [];
  });
  return ranked
    .sort((a, b) => a.far - b.far || (a.name < b.name ? -1 : 1))
    .slice(0, MOST)
    .map(({ name }) => name);
}
