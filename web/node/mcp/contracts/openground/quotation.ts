/**
 * What a page may say in a reply of OpenGround's tools without being taken for the reply itself. Of the reply are
 *
 *     Found 3 matches.
 *     1. **TITLE**: "TEXT" (Source: URL, Version: V, score=0.1234)        `" (Source:` closes the quotation
 *        To get full page content: {…}
 *     (Matches 1 to 5 of 9, …)                                            notes: lines in parentheses
 */
import { oneLine } from '../../../base/terminal.js';
import { escapeLines, visible } from '../../quote.js';

const OURS =
  /^(?:\p{Nd}+\s*[.\uff0e]\s*\*\*.*\*\*\s*:\s*["\u201c\uff02]|Found\s+\p{Nd}+\s+match|To\s+get\s+full\s+page\s+content\s*:|\(.*\.\)$)/iu;
/** Notes begin with a word: "(Matches 1". "(SELECT" and "(defun" are code. */
const NOTE = /^\(\s*\p{Lu}\p{Ll}+[\s:]/u;
const CLOSING = /["\u201c\u201d\u2033\uff02](?=\s*[(\uff08]\s*Source\s*:)/giu;

const isOurs = (line: string): boolean => OURS.test(line) || NOTE.test(line);

/** The text of a match, between its quotation marks. `inside`: it does not follow the first of them. */
export function quotation(text: string, inside = false): string {
  const escaped = escapeLines(visible(text).trim(), inside ? 0 : 1, isOurs).replace(CLOSING, '\\$&');
  return escaped.endsWith('\\') ? `${escaped} ` : escaped; // else the closing mark would look escaped
}

/** The text of a page, below its head and above the notes. */
export function body(text: string): string {
  const isHead = (line: string, next: string): boolean => /^Source\s*:/i.test(line) && /^Version\s*:/i.test(next);
  return escapeLines(visible(text).trim(), 0, (line, next) => isOurs(line) || isHead(line, next));
}

/** A title, which two asterisks and a colon end. */
export function title(text: string): string {
  const line = oneLine(visible(text)).replace(/\*\*(?=\s*:)/g, '\\*\\*');
  return line.replace(CLOSING, '\\$&') || '(no title)';
}

/** An address, which a comma and a space end, or a parenthesis. */
export function source(url: string): string {
  const line = oneLine(visible(url));
  return (/[",)]\s|\s\(/.test(line) ? line.replaceAll(' ', '%20') : line) || 'unknown';
}

/** A heading or anchor in a note, which ".)" ends, and quotation marks. */
export function inNote(text: string): string {
  return oneLine(visible(text)).replace(/"|\.(?=\s*\))/g, '\\$&');
}
