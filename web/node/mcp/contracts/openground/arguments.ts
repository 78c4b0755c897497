/** Checks every argument that a client's model wrote; the schema is not relied on. */
import { SYMBOL_KINDS } from '../../../../browser/client/kind_filter.js';
import type { SymbolKind } from '../../../../browser/client/types.js';
import { oneLine } from '../../../base/terminal.js';
import { MAX_TOKENS, MIN_TOKENS } from '../../quote.js';
import type { JsonObject, ToolReply } from '../../tool.js';

/** What is wrong with the arguments, worded for the model that wrote them. */
export class BadArguments extends Error {}

export function text(args: JsonObject, name: string): string {
  const value = args[name];
  if (typeof value !== 'string') throw new BadArguments(`'${name}' must be a string, not ${described(value)}.`);
  return value;
}

export function optionalText(args: JsonObject, name: string): string | undefined {
  return args[name] === undefined || args[name] === null ? undefined : text(args, name);
}

/** Models sometimes write numbers as strings; whole numbers are accepted either way. */
export function optionalCount(args: JsonObject, name: string, least: number, most: number): number | undefined {
  const value = args[name];
  if (value === undefined || value === null) return undefined;
  const count = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  if (typeof count !== 'number' || !Number.isInteger(count) || count < least || count > most) {
    throw new BadArguments(`'${name}' must be a whole number from ${least} to ${most}, not ${described(value)}.`);
  }
  return count;
}

export function optionalFlag(args: JsonObject, name: string): boolean {
  const value = args[name];
  if (value === undefined || value === null) return false;
  if (value === true || value === 'true') return true;
  if (value === false || value === 'false') return false;
  throw new BadArguments(`'${name}' must be true or false, not ${described(value)}.`);
}

/** A kind of what documentation defines by name. */
export function optionalKind(args: JsonObject, name: string): SymbolKind | undefined {
  const value = args[name];
  if (value === undefined || value === null || value === '') return undefined;
  const kind = SYMBOL_KINDS.find((each) => each === value);
  if (kind === undefined)
    throw new BadArguments(`'${name}' must be one of ${SYMBOL_KINDS.join(', ')}, not ${described(value)}.`);
  return kind;
}

/** A list of texts; one text alone is taken for a list of one. */
export function optionalTexts(args: JsonObject, name: string, most: number): string[] {
  const value = args[name];
  if (value === undefined || value === null) return [];
  const list: unknown = typeof value === 'string' ? [value] : value;
  if (!Array.isArray(list) || !list.every((each) => typeof each === 'string'))
    throw new BadArguments(`'${name}' must be a list of strings, not ${described(value)}.`);
  if (list.length > most) throw new BadArguments(`'${name}' may have ${most} strings, not ${list.length}.`);
  return list as string[];
}

const MOST_KEYS = 10;
const MOST_VALUES = 50;

/** What pages must have: `{"kind": "guide"}`, or a list of values, any of which will do. */
export function optionalFilters(args: JsonObject, name: string): Record<string, string[]> | undefined {
  const value = args[name];
  if (value === undefined || value === null) return undefined;
  const wrong = (): BadArguments =>
    new BadArguments(
      `'${name}' must be an object of keys and values, such as {"kind": "guide"}, of ${MOST_KEYS} keys at most, not ${described(value)}.`,
    );
  if (typeof value !== 'object' || Array.isArray(value)) throw wrong();
  const entries = Object.entries(value).map(([key, given]) => [key, Array.isArray(given) ? given : [given]] as const);
  if (entries.length > MOST_KEYS) throw wrong();
  for (const [, values] of entries)
    if (values.length > MOST_VALUES || !values.every((each) => typeof each === 'string')) throw wrong();
  return Object.fromEntries(entries.map(([key, values]) => [key, values as string[]]));
}

/** Which part of a reply is asked for: `offset` and `max_tokens`. */
export function windowOf(args: JsonObject): { offset: number; maxTokens: number | undefined } {
  const offset = optionalCount(args, 'offset', 0, Number.MAX_SAFE_INTEGER) ?? 0;
  return { offset, maxTokens: optionalCount(args, 'max_tokens', MIN_TOKENS, MAX_TOKENS) };
}

export function complaint(tool: string, error: BadArguments): ToolReply {
  const result = `Invalid arguments for ${tool}: ${error.message}`;
  return { text: result, structured: { result }, isError: true };
}

/** Names come back in messages; long ones shortened, and on one line. */
export function shown(value: string): string {
  const line = oneLine(value);
  return line.length > 200 ? `${line.slice(0, 200)}…` : line;
}

function described(value: unknown): string {
  if (value === undefined) return 'left out';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  return typeof value === 'string' ? `'${shown(value)}'` : String(value);
}
