/**
 * Suggestions of the address bar. Chromium takes XML, so text of documents is escaped and cannot become an
 * element; Firefox takes plain text. Pure.
 */
import { marked, type Segment } from '../browser/ui/state/groups.js';
import type { DeskHit } from './types.js';

const MOST_TEXT = 120;

export function suggestionOf(hit: DeskHit, xml: boolean): string {
  const segments: (Segment & { dim?: boolean })[] = [];
  if (hit.label) segments.push({ text: `${hit.label} · `, mark: false, dim: true });
  segments.push(...marked(hit.title, hit.titleHighlights));
  const heading = hit.headings.at(-1);
  if (heading !== undefined)
    segments.push({ text: ' › ', mark: false, dim: true }, ...marked(heading, hit.headingHighlights));
  const snippet = hit.snippet.slice(0, MOST_TEXT);
  if (snippet !== '') segments.push({ text: ' — ', mark: false, dim: true }, ...marked(snippet, hit.highlights));
  if (!xml) return segments.map(({ text }) => oneLine(text)).join('');
  return segments
    .map(({ text, mark, dim }) => {
      const words = escaped(oneLine(text));
      return mark ? `<match>${words}</match>` : dim ? `<dim>${words}</dim>` : words;
    })
    .join('');
}

export const plainSuggestion = (text: string, xml: boolean): string => (xml ? escaped(oneLine(text)) : oneLine(text));

const oneLine = (text: string): string =>
  text.replace(/[\u0000-\u001f\u007f-\u009f\ufffe\uffff\p{Surrogate}]+/gu, ' ').replace(/\s+/g, ' ');

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' };
const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => ENTITIES[character] as string);
