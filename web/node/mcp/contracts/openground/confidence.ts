/**
 * How far an answer's passages are about what was asked, for "nothing here answers this".
 *
 * The problem: a bundle's best passage has a high score whatever was asked, because scores are relative to the bundle.
 * The core calls an answer weak if it knows no word of the question; a question for another library mostly has some.
 *
 * Idea: of the best passages, the nearest in meaning (cosine) and the one with the most of rare words as they were typed
 * (their idfs added, against the highest idf that the bundle's pages allow, as a logarithm), one number for both. Below WEAK nothing answers. Between WEAK and UNSURE the other
 * libraries are asked, and one that exceeds the answer by CLEARLY is named.
 *
 * The numbers were chosen on the judged development sets, each asked of all five libraries (tests/quality/unanswered.mjs;
 * figures in tests/quality/README.md). They hold for one vector space; for others only the core's word is taken.
 */
import type { LibraryInfo, SearchAnswer } from '../../../../browser/client/types.js';

export const WEAK = 0.45;
export const UNSURE = 0.9;
export const CLEARLY = 0.35;
/** Passages that are looked at. */
export const CONSIDERED = 5;
const SPACE = 'minilm-l6-256';
const SHARE_OF_WORDS = 0.25;
const RARITY = 3;
/** Bundles of a few pages have small idfs only. */
const LEAST_IDF = 1.5;

/** Undefined where cosines are not the ones that the limits were chosen for. Needs `explain` and hits by passage. */
export function confidenceOf(
  { hits, usedSemantic }: SearchAnswer,
  { space, pages }: Pick<LibraryInfo, 'space' | 'pages'>,
): number | undefined {
  if (!usedSemantic || space !== SPACE) return undefined;
  let nearest = 0;
  let words = 0;
  for (const { explanation } of hits.slice(0, CONSIDERED)) {
    if (explanation === undefined) return undefined;
    nearest = Math.max(nearest, explanation.cosine);
    const exact = explanation.terms.filter(({ kind }) => kind === 'exact');
    words = Math.max(
      words,
      exact.reduce((sum, { idf }) => sum + idf, 0),
    );
  }
  const rare = words / Math.max(Math.log(pages + 1), LEAST_IDF);
  return nearest + SHARE_OF_WORDS * Math.log1p(RARITY * rare);
}

export function isWeak(answer: SearchAnswer, confidence: number | undefined): boolean {
  return answer.hits.length > 0 && (answer.weak || (confidence !== undefined && confidence < WEAK));
}
