/**
 * Text of strangers made plain: the one place that says which characters hide, move or forge what a reader sees. Terminal,
 * replies to agents, catalogues and the extension read it. Pure functions, linear in the text.
 *
 * Joiners (U+200C, U+200D) and the selectors of text or emoji (U+FE0E, U+FE0F) stay everywhere: scripts and emoji need them.
 */

/** Controls of terminals but for tab and line feed. */
const CONTROLS = '\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f';
const BREAKS = '\\t\\n\\u2028\\u2029';
/** Embeddings, overrides and isolates: they turn the direction of the text behind them. */
const TURNING = '\\u202a-\\u202e\\u2066-\\u2069';
/** Marks of direction and spaces without width: of use in prose, and in a name only to forge another. */
const MARKS = '\\u061c\\u200b\\u200e\\u200f\\u2060-\\u2065\\ufeff';
/** Tags, which spell words that a model reads and a person does not see. */
const TAGS = '\\u{e0000}-\\u{e007f}';
/** Selectors of a glyph have a use behind an ideograph alone; in rows they spell bytes. */
const SELECTORS = '(?<!\\p{Unified_Ideograph})[\\u{e0100}-\\u{e01ef}]';

const NO_LINE = new RegExp(`[${CONTROLS}${BREAKS}${TURNING}]+`, 'gu');
const NO_LINES = new RegExp(`[${CONTROLS}${TURNING}]`, 'gu');
const HIDING = new RegExp(`[${TAGS}${TURNING}]|${SELECTORS}`, 'gu');
const NO_NAME = new RegExp(`[${CONTROLS}${BREAKS}${TURNING}${MARKS}]+`, 'gu');
const INVISIBLE = /(?!\u200c|\u200d|\ufe0e|\ufe0f)\p{Default_Ignorable_Code_Point}/gu;

const HALF = /\p{Surrogate}/gu;

/** One line: control characters, line breaks and marks that turn the direction of text become spaces. */
export function oneLine(text: string): string {
  return withoutControls(text).trim();
}

/** The same, with the spaces at its ends. */
export function withoutControls(text: string): string {
  return text.replace(NO_LINE, ' ');
}

/** Several lines: control characters other than line feed and tab, and marks that turn the direction of text, become U+FFFD. */
export function harmless(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(NO_LINES, '\ufffd');
}

/** The same for models, without what only they would read: tags, rows of selectors, and the marks of direction. */
export function visible(text: string): string {
  // Halves of characters first: what goes from between two of them would make a whole one, as of a tag.
  return harmless(text.replace(HALF, '\ufffd').replace(HIDING, ''));
}

/** A name or one line of text of at most `most` characters, of which all are seen; '' for anything else. */
export function lineOf(value: unknown, most: number): string {
  if (typeof value !== 'string') return '';
  const line = value
    .slice(0, most * 4)
    .replace(HALF, '\ufffd')
    .replace(NO_NAME, ' ')
    .replace(INVISIBLE, '')
    .replace(/\s+/g, ' ')
    .trim();
  const characters = [...line];
  return characters.length <= most ? line : `${characters.slice(0, most - 1).join('')}…`;
}
