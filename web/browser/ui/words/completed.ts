/** Texts that come with a part of the component that is loaded later: English, unless the language or the page has its own. */
export function completed<Texts extends object>(english: Required<Texts>, given: Texts): Required<Texts> {
  const own = Object.fromEntries(Object.entries(given).filter(([key, text]) => key in english && text !== undefined));
  return { ...english, ...own };
}
