/**
 * Reads the headings of the page around a search: those of its main content that can be linked to and are seen.
 *
 * An anchor stands on the heading itself, on the section that begins with it (Sphinx), or on a link in it. A permalink
 * without letters ("¶", "#") is no part of a heading's text.
 */
import type { Heading } from '../state/sections.js';

/** Of a page; a change log may have thousands. */
const MOST_HEADINGS = 400;

export function headingsOf(page: Document): Heading[] {
  const content = page.querySelector('main, [role="main"]') ?? page.querySelector('article');
  if (content === null) return [];
  return [...content.querySelectorAll<HTMLElement>('h1, h2, h3, h4')].slice(0, MOST_HEADINGS).flatMap((heading) => {
    const id = anchorOf(heading);
    const text = textOf(heading);
    const [box] = heading.getClientRects(); // none where it is hidden
    if (id === '' || text === '' || box === undefined || heading.closest('nav, aside, footer, dialog') !== null)
      return [];
    return [{ id, text, level: Number(heading.localName[1]), top: box.top }];
  });
}

function anchorOf(heading: HTMLElement): string {
  const { id, parentElement } = heading;
  if (id !== '') return id;
  if (
    parentElement?.matches('section, div.section') &&
    parentElement.firstElementChild === heading &&
    parentElement.id !== ''
  )
    return parentElement.id;
  const inner = heading.querySelector('[id], a[name]');
  return inner?.id || inner?.getAttribute('name') || '';
}

function textOf(heading: HTMLElement): string {
  let text = heading.textContent ?? '';
  for (const { textContent, localName } of heading.querySelectorAll('a, button'))
    if (textContent && (localName === 'button' || !/[\p{L}\p{N}]/u.test(textContent)))
      text = text.replace(textContent, '');
  return text.replace(/[\s\u200b]+/g, ' ').trim();
}
