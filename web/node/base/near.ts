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

/** Names that are `word` but for case, signs, a scope (@vue/), or an ending: Vue, next.js, postgres, react-query. Pure. */
export function sameNames(word: string, names: readonly string[]): string[] {
  const wanted = coresOf(word);
  return names.filter((name) => {
    const own = coresOf(name);
    // Two scopes are two libraries: @vue/core, @babel/core.
    return own.some((core, i) => wanted.some((other, k) => core === other && (i === 0 || k === 0)));
  });
}

const NAME = /^(?:@[\w-]{1,60}\/)?\w[\w. -]{0,99}$/;

/** The name and, of one with a scope, the name within; each without signs and endings. None of what is no name. */
function coresOf(name: string): string[] {
  if (!NAME.test(name)) return [];
  const cores = [name, name.replace(/^@[^/]*\//, '')].map((each) =>
    each
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '')
      .replace(/(?<=..)(?:js|ql|db|lang)$/, ''),
  );
  return [...new Set(cores)].filter((core) => core.length > 1);
}

/** Names that begin with `word` or differ from it by such an ending or two letters, nearest first. */
export async function likeNames(word: string, names: readonly string[]): Promise<string[]> {
  const [wanted] = word.length > 40 ? [] : coresOf(word);
  if (wanted === undefined) return [];
  const text = await textModule();
  const ranked = names.flatMap((name) => {
    const cores = coresOf(name);
    const far = Math.min(FAR + 1, ...cores.map((own) => text.edits(wanted, own, FAR)));
    const isNear = far <= (wanted.length <= 3 ? 0 : wanted.length <= 5 ? 1 : FAR);
    return isNear || cores.some((own) => own.startsWith(wanted)) ? [{ name, far }] : [];
  });
  return ranked
    .sort((a, b) => a.far - b.far || (a.name < b.name ? -1 : 1))
    .slice(0, MOST)
    .map(({ name }) => name);
}
