/** What an open bundle's manifest says about the documents; '' for missing values. */
import type { LibraryInfo } from '../../client/types.js';

/** Of a bundle that is open; undefined before. */
type Info = Pick<LibraryInfo, 'manifest'> | undefined;

export interface TopPage {
  title: string;
  /** As hits have it. */
  url: string;
}

/** Base URL that the bundle was packed with. */
export const packedBaseOf = (info: Info): string => textOf(info, 'base_url');

/** Language of the documents. */
export const languageOf = (info: Info): string => textOf(info, 'language').replace(/^none$/, '');

const MOST_PAGES = 8;

/** The site's top pages, best first. The manifest may say anything. */
export function topPagesOf(info: Info): TopPage[] {
  const list: unknown = info?.manifest['top_pages'];
  const isPage = (page: Partial<TopPage> | null): page is TopPage =>
    typeof page?.title === 'string' && typeof page.url === 'string' && page.title !== '';
  return Array.isArray(list) ? list.filter(isPage).slice(0, MOST_PAGES) : [];
}

function textOf(info: Info, key: string): string {
  const text = info?.manifest[key];
  return typeof text === 'string' ? text : '';
}
