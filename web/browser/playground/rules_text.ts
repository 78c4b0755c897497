/**
 * The rules of the search (docs/rules.md) as the playground edits them: read from YAML, written as YAML.
 *
 * What the tables do not show (exclusions, the start list, crumbs, the box) is kept and written again. Comments are not.
 */
import { JSON_SCHEMA, loadYaml } from '../convert/yaml.mjs';

export interface Rules {
  /** A list whose words find each other, or one way with `from` and `to`. */
  synonyms: { from?: string[]; to: string[] }[];
  pins: { words: string; pages: string[] }[];
  weights: { glob: string; weight: number }[];
  /** The other keys of the file. */
  others: Record<string, unknown>;
}

const TABLES = ['synonyms', 'pins', 'weights'];

/** Error: it is no YAML, or not of the form; the packer says which key is wrong in all other cases. Pure. */
export function readRules(text: string): Rules {
  const value = loadYaml(text, { schema: JSON_SCHEMA }) ?? {};
  if (typeof value !== 'object' || Array.isArray(value)) throw new Error('The rules must be keys with values.');
  const given = value as Record<string, unknown>;
  const others = Object.fromEntries(Object.entries(given).filter(([key]) => !TABLES.includes(key)));
  return {
    synonyms: listOf(given['synonyms']).map((each) => {
      if (Array.isArray(each)) return { to: textsOf(each) };
      const { from, to } = (each ?? {}) as { from?: unknown; to?: unknown };
      return { from: textsOf(from), to: textsOf(to) };
    }),
    pins: Object.entries(given['pins'] ?? {}).map(([words, pages]) => ({ words, pages: textsOf(pages) })),
    weights: Object.entries(given['weights'] ?? {}).map(([glob, weight]) => ({ glob, weight: Number(weight) })),
    others,
  };
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function textsOf(value: unknown): string[] {
  return (Array.isArray(value) ? value : value === undefined || value === null ? [] : [value]).map(String);
}

/** Rows that say nothing yet are left out. Pure. */
export function writeRules({ synonyms, pins, weights, others }: Rules): string {
  const lines = ['# yaml-language-server: $schema=node_modules/sheaf/docs/search-rules.schema.json'];
  const told = synonyms.filter(({ from, to }) =>
    from === undefined ? to.length > 1 : from.length > 0 && to.length > 0,
  );
  if (told.length > 0) lines.push('synonyms:');
  for (const { from, to } of told)
    lines.push(from === undefined ? `  - ${row(to)}` : `  - { from: ${row(from)}, to: ${row(to)} }`);
  const pinned = pins.filter(({ words, pages }) => words !== '' && pages.length > 0);
  if (pinned.length > 0) lines.push('pins:');
  for (const { words, pages } of pinned) lines.push(`  ${quoted(words)}: ${row(pages)}`);
  const weighed = weights.filter(({ glob, weight }) => glob !== '' && Number.isFinite(weight));
  if (weighed.length > 0) lines.push('weights:');
  for (const { glob, weight } of weighed) lines.push(`  ${quoted(glob)}: ${weight}`);
  // JSON is YAML; what these keys hold is short.
  for (const [key, value] of Object.entries(others)) lines.push(`${quoted(key)}: ${JSON.stringify(value)}`);
  return `${lines.join('\n')}\n`;
}

function row(texts: readonly string[]): string {
  return `[${texts.map(quoted).join(', ')}]`;
}

/** Plain where YAML reads a plain word as this very text, else as JSON, which is YAML too. */
function quoted(text: string): string {
  const isPlain =
    /^[\p{L}_][\p{L}\p{N}_ ./-]*$/u.test(text) && !/[ :]$|^(true|false|null|yes|no|on|off|y|n)$/i.test(text);
  return isPlain ? text : JSON.stringify(text);
}

/** `a, b` as a list. Pure. */
export function splitTexts(text: string): string[] {
  return text
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');
}
