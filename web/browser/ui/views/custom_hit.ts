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
    for (const element of content.querySelectorAll('[data-field]')) fillField(element, context);
    return content;
  };
}

function fillField(element: Element, { hit, crumbs, url }: HitContext): void {
  switch (element.getAttribute('data-field')) {
    case 'title':
      element.textContent = hit.title;
      break;
    case 'heading':
      element.textContent = hit.headings.at(-1) ?? hit.title;
      break;
    case 'path':
      element.textContent = hit.headings.join(' › ');
      break;
    case 'crumbs':
      element.textContent = crumbs.join(' › ');
      break;
    case 'snippet':
      element.replaceChildren(...snippetNodes(hit));
      break;
    case 'url':
      element.textContent = url ?? '';
      break;
    case 'source':
      element.textContent = hit.source;
      break;
    case 'label':
      element.textContent = (hit as ShownHit).label ?? '';
      break;
    case 'score':
      element.textContent = hit.score.toFixed(2);
      break;
  }
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
