/** Text by a fixed rule, so that every run packs the same bytes. */

/** Numbers 0 to below - 1 (Lehmer's generator). */
export function seeded(seed) {
  let state = seed;
  return (below) => (state = (state * 48271) % 2147483647) % below;
}

const SYLLABLES = ['ka', 'to', 'mi', 'ren', 'sol', 'vi', 'du', 'pra', 'lek', 'shu', 'on', 'fa', 'ing', 'ed', 's', 'ly'];
// Scripts, marks, ligatures, capitals without a lower case of one letter, letters outside the basic plane, emoji.
const UNUSUAL = [
  'größe',
  'École',
  'e\u0301cole',
  'İstanbul',
  'ΔΕΛΤΑ',
  'Ёлка',
  'שלום',
  'مرحبا',
  'हिन्दी',
  'ภาษาไทย',
  '한국어',
  '日本語',
  '中文',
  'ﬁnal',
  'Ⅻ',
  'ᾼ',
  '𝒜lpha',
  '𐐀𐐁',
  '👩‍💻',
  'ａｂｃ',
  'std::vector',
  'useEffect',
  'snake_case',
  'C++',
  'v1.2.3',
  '--flag',
  '0x1F',
  'user@example.org',
  'https://example.org/a?b=c#d',
  'naïve',
  '½',
  '²',
  '\u00ad',
  'a\u200bb',
]; // prettier-ignore

/** Words, sentences and paragraphs drawn from one generator. */
export function writer(seed) {
  const random = seeded(seed);
  const pick = (list) => list[random(list.length)];
  const word = () => (random(9) === 0 ? pick(UNUSUAL) : Array.from({ length: 1 + random(4) }, () => pick(SYLLABLES)).join(''));
  const words = (count) => Array.from({ length: count }, word).join(' ');
  const sentence = () => `${words(4 + random(12))}${pick(['.', '.', '!', '?', '…', '。'])}`;
  const paragraph = () => Array.from({ length: 1 + random(6) }, sentence).join(' ');
  return { random, pick, word, words, sentence, paragraph };
}

/** `count` texts of `make`, one below the other. */
export function lines(count, make, between = '\n') {
  return Array.from({ length: count }, (_, i) => make(i)).join(between);
}
