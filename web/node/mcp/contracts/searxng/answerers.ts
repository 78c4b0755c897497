/**
 * SearXNG's instant answers, computed here so that they work with any instance and with none: Debian's
 * searx has no answerers, and leaves the digest out of its JSON.
 *
 * An answerer (`avg 1 2 3`, `random uuid`) is named by the first word of the query, and ends the search:
 * no engine is asked. Hashes (`sha512 text`) are a plugin's: engines are asked too.
 */
import { createHash, randomBytes, randomInt, randomUUID } from 'node:crypto';
import { add, divide, formatDecimal, less, multiply, negate, parseDecimal, type Decimal } from './decimal.js';
import type { Answer } from './types.js';

/** The answer that ends the search, if the query asks for one. `text` is the query without its modifiers. */
export function answerAlone(text: string): Answer | undefined {
  const [keyword = '', ...rest] = text.split(/\s+/);
  const found = keyword === 'random' ? random(rest) : statistics(keyword, rest);
  return found === undefined ? undefined : toAnswer(found, `answerer: ${keyword}`);
}

/** `md5 text` … `sha512 text`: the name in any case and echoed as typed, the text trimmed. */
export function answerHash(text: string): Answer | undefined {
  const match = /^(md5|sha1|sha224|sha256|sha384|sha512) (.*)/i.exec(text);
  const [, name = '', value = ''] = match ?? [];
  if (value.trim() === '') return undefined;
  try {
    const digest = createHash(name.toLowerCase()).update(value.trim(), 'utf8').digest('hex');
    return toAnswer(`${name} hash digest: ${digest}`, 'plugin: hash_plugin');
  } catch {
    return undefined; // a build of OpenSSL without md5
  }
}

function toAnswer(answer: string, engine: string): Answer {
  return { url: null, engine, parsed_url: null, template: 'answer/legacy.html', answer };
}

const FUNCTIONS: Record<string, (args: readonly Decimal[]) => Decimal> = {
  min: (args) => args.reduce((a, b) => (less(b, a) ? b : a)),
  max: (args) => args.reduce((a, b) => (less(a, b) ? b : a)),
  sum: (args) => args.reduce(add),
  avg: (args) => divide(args.reduce(add), args.length),
  prod: (args) => args.reduce(multiply),
  range: (args) =>
    add(
      args.reduce((a, b) => (less(a, b) ? b : a)),
      negate(args.reduce((a, b) => (less(b, a) ? b : a))),
    ),
};

/** The trailing space is SearXNG's. */
function statistics(keyword: string, rest: readonly string[]): string | undefined {
  if (!Object.hasOwn(FUNCTIONS, keyword) || rest.length === 0) return undefined;
  const args = rest.map(parseDecimal);
  if (!args.every((arg) => arg !== undefined)) return undefined;
  const shown = [...args, (FUNCTIONS[keyword] as (args: readonly Decimal[]) => Decimal)(args)].map(formatDecimal);
  if (shown.includes(undefined)) return undefined;
  return `[en] ${keyword}(${shown.slice(0, -1).join(', ')}) = ${shown.at(-1)} `;
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ';

const RANDOM: Record<string, () => string> = {
  string: () => Array.from({ length: randomInt(8, 33) }, () => LETTERS[randomInt(LETTERS.length)]).join(''),
  int: () => String(randomInt(-(2 ** 31), 2 ** 31 + 1)),
  float: () => String(Math.random()),
  sha256: () => createHash('sha256').update(randomBytes(32)).digest('hex'),
  uuid: () => randomUUID(),
  color: () => `#${randomInt(0x1000000).toString(16).padStart(6, '0').toUpperCase()}`,
};

function random(rest: readonly string[]): string | undefined {
  const [kind = ''] = rest;
  return rest.length === 1 && Object.hasOwn(RANDOM, kind) ? RANDOM[kind]?.() : undefined;
}
