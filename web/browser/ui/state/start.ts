/** Where the entries lead that the search offers before anything is typed. */
import type { Section } from './sections.js';
import { pageUrl, type LinkOptions } from './links.js';
import type { TopPage } from './manifest.js';

export interface StartLink {
  href: string;
  text: string;
  /** Levels below the highest one that is shown. */
  depth?: number;
  /** The reader is there. */
  current?: boolean;
}

/** Sections of the page at `address`; a `<base>` of the page does not count. */
export function sectionLinks(sections: readonly Section[], address: string): StartLink[] {
  const page = address.replace(/#.*$/s, '');
  return sections.map(({ id, ...section }) => ({ ...section, href: `${page}#${encodeURIComponent(id)}` }));
}

/** Top pages, without the one at `address` and those that must not be links; `base` is that of the page's own links. */
export function pageLinks(pages: readonly TopPage[], options: LinkOptions, base: string, address: string): StartLink[] {
  const here = address.replace(/[?#].*$/s, '');
  return pages.flatMap(({ title, url }) => {
    const href = pageUrl(url, options, base)?.href;
    return href === undefined || href === here ? [] : [{ href, text: title }];
  });
}
