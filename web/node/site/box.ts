/**
 * The owner's texts and limits of the box: `box` of sheaf.search.yaml (docs/rules.md), as the packer checked them.
 *
 * Idea: they are a few lines of sheaf.js, which gives them to each element before the component is there. So pages of owners
 * without such rules load no byte for them, and the component knows of none.
 */
import type { BoxReport } from '../packer/packer.js';

/**
 * The lines for sheaf.js. What a page says itself counts: an attribute, an entry of `options` or `strings`; and an element
 * with bundles of its own is left alone, as by web/browser/page/begin.ts. Pure.
 */
export function boxScript({ placeholder, pages, sections, recent, words = {} }: BoxReport): string {
  const attributes = { placeholder, recent: recent?.toString() };
  const options = { pages, passagesPerPage: sections };
  return `  const box = ${asciiJson({ attributes, options, strings: words })};
  const boxed = new WeakSet();
  const furnish = () => {
    for (const element of document.querySelectorAll('sheaf-search')) {
      if (boxed.has(element) || element.hasAttribute('src') || element.hasAttribute('sites')) continue;
      boxed.add(element);
      for (const [name, value] of Object.entries(box.attributes))
        if (!element.hasAttribute(name)) element.setAttribute(name, value);
      element.options = { ...box.options, ...element.options };
      element.strings = { ...box.strings, ...element.strings };
    }
  };
  furnish();
  new MutationObserver(furnish).observe(document.documentElement, { childList: true, subtree: true });
`;
}

/** JSON in ASCII, since a classic script has the encoding of its page. Pure. */
export function asciiJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[^\x20-\x7e]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
