/**
 * Words as the paraphrase rule of these sets counts them: lower case, names split at case and underscores,
 * function words left out, a crude stem so that "merged", "merging" and "merges" meet. Coarser than the core's
 * analyzer on purpose: a paraphrase must share nothing with its page by any tokenizer that is compared on it.
 */

/** Words without a subject: a paraphrase and its page may both have them. This is the stated list of the README. */
const FUNCTION_WORDS = new Set(
  `a about above across actually after again against all almost along already also although always am among an and
  another any anybody anyhow anyone anything anyway are around as ask asked at away back be became because become
  been before behind being below between both but by came can cannot come comes could did do does doing done down
  each either else end enough ever every everybody everyone everything few first for found from gave get gets
  getting give given gives giving go goes going gone got had happen happens has have having he hello help her here
  hers him his how however i if in instead into is it its itself just keep keeps kept know last later least leave
  leaves left less let lets like little long look looks lot made make makes making many may maybe me mean means
  might mine more most much must my myself need needed needs neither never new next no nobody none nor not nothing
  now of off often on once one ones only onto or other others our ours out over own part per perhaps possible put
  puts putting rather really right said same say says see seem seems seen several shall she should show shows
  since so some somebody somehow someone something sometimes somewhere soon still stop such sure take taken takes
  taking tell than that the their theirs them themselves then there these they thing things this those though
  three through to together told too took try trying turn turned turns two under unless until up upon us use used
  useful uses using very want wanted wants was way ways we well went were what whatever when whenever where
  wherever whether which while who whole whom whose why will with within without would yet you your
  yours`.split(/\s+/),
);

const ENDINGS = `ically ations ation ingly iness ments ment ions ion ings ing edly ers ies ied est er ed es ly s e y`.split(' ');

function stem(word) {
  const ending = ENDINGS.find((e) => word.endsWith(e) && word.length - e.length >= 3) ?? '';
  const rest = word.slice(0, word.length - ending.length);
  return rest.length > 3 && rest.at(-1) === rest.at(-2) ? rest.slice(0, -1) : rest;
}

/** Map from stem to word, for every word of two letters or more that carries a subject. */
export function contentWords(text) {
  const split = text.replaceAll('’', "'").replace(/([a-z])([A-Z])/g, '$1 $2');
  const words = split.toLowerCase().match(/[a-z][a-z0-9']*[a-z0-9]/g) ?? [];
  const found = new Map();
  for (const word of words.map((w) => w.replace(/'(?:s|t|re|ve|ll|d|m)$/, ''))) {
    if (word.length > 1 && !FUNCTION_WORDS.has(word)) found.set(stem(word), word);
  }
  return found;
}

/** Names and words as written, underscores kept: what a misspelt word is looked up in. */
export function spellings(text) {
  return new Set(text.toLowerCase().match(/[a-z_]{2,}/g) ?? []);
}
