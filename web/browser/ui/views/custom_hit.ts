/**
 * The looks of a hit, by the page's own `<template>`:
 *
 *     <sheaf-search src="…">
 *       <template slot="hit">
 *         <strong data-field="title"></strong> <small data-field="path"></small>
 *         <p data-field="snippet"></p>
 *       </template>
 *     </sheaf-search>
 *
 * Fields are filled with text nodes (and `<mark>` within snippets), so a document cannot bring markup
 * in. Fields: title, heading, path, crumbs, snippet, url, source, label, score. An unknown one stays as it is.
 */
import type { Hit } from '../../client/types.js';
import type { CustomHitHost, HitContext, HitRenderer } from '../host.js';
import { segments, type ShownHit } from '../state/groups.js';

/** The page's own renderer: a function, else a template; undefined when it has neither. */
export function rendererOf(element: CustomHitHost): HitRenderer | undefined {
  const template =
    element.renderHit === undefined ? element.querySelector<HTMLTemplateElement>('template[slot="hit"]') : null;
  return template === null ? element.renderHit : templateRenderer(template);
}

function templateRenderer(template: HTMLTemplateElement): HitRenderer {
  return (context) => {
    const content = document.importNode(template.content, true);
    for (const element of content.querySelectorAll<HTMLElement>('[data-field]')) fillField(element, context);
    return content;
  };
}

function fillField(element: HTMLElement, { hit, crumbs, url = '' }: HitContext): void {
  const { field = '' } = element.dataset;
  const texts: Record<string, string> = {
    title: hit.title,
    heading: hit.headings.at(-1) ?? hit.title,
    path: hit.headings.join(' › '),
    crumbs: crumbs.join(' › '),
    url,
    source: hit.source,
    label: (hit as ShownHit).label ?? '',
    score: hit.score.toFixed(2),
  };
  if (field === 'snippet') element.replaceChildren(...snippetNodes(hit));
  else if (Object.hasOwn(texts, field)) element.textContent = texts[field] as string;
}

/** The snippet as text nodes and `<mark>` elements. */
export function snippetNodes(hit: Hit): Node[] {
  return segments(hit).map(({ text, mark }) => {
    if (!mark) return document.createTextNode(text);
    const element = document.createElement('mark');
    element.textContent = text;
    return element;
  });
}
