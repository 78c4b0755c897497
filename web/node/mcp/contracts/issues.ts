/**
 * Checks arguments and manifests with zod 3's error messages, which two of the contracts quote. The few
 * rules that they need are written out here, because an installed server has no node_modules;
 * tests/node/mcp_issues.test.mjs compares them with zod itself.
 *
 * Cost: linear in the value; a string beyond its bound is measured, not copied.
 */
export interface Issue {
  code: string;
  path: string[];
  message: string;
  [detail: string]: unknown;
}

/** A rule returns the value to use and adds its faults to `issues`. */
export type Rule<T> = (value: unknown, path: string[], issues: Issue[]) => T;

export function text({ min = 0, max = Infinity, trim = false, pattern, tooLong }: TextLimits = {}): Rule<string> {
  return (value, path, issues) => {
    if (typeof value !== 'string') return mistyped('string', value, path, issues, '');
    const kept = trim ? value.trim() : value;
    if (pattern !== undefined && !pattern.test(kept))
      issues.push({ validation: 'regex', code: 'invalid_string', message: 'Invalid', path });
    if (kept.length < min)
      issues.push(
        bound('too_small', 'minimum', min, `String must contain at least ${min} character(s)`, 'string', path),
      );
    if (kept.length > max)
      issues.push(
        bound('too_big', 'maximum', max, tooLong ?? `String must contain at most ${max} character(s)`, 'string', path),
      );
    return kept;
  };
}

export interface TextLimits {
  min?: number;
  /** UTF-16 code units, as zod counts. */
  max?: number;
  trim?: boolean;
  pattern?: RegExp;
  /** Replaces zod's own message. */
  tooLong?: string;
}

export function integer(min: number, max: number): Rule<number> {
  return (value, path, issues) => {
    if (typeof value !== 'number') return mistyped('number', value, path, issues, min);
    if (!Number.isInteger(value)) {
      issues.push({
        code: 'invalid_type',
        expected: 'integer',
        received: 'float',
        message: 'Expected integer, received float',
        path,
      });
    }
    if (value < min)
      issues.push(bound('too_small', 'minimum', min, `Number must be greater than or equal to ${min}`, 'number', path));
    if (value > max)
      issues.push(bound('too_big', 'maximum', max, `Number must be less than or equal to ${max}`, 'number', path));
    return value;
  };
}

export function flag(): Rule<boolean> {
  return (value, path, issues) =>
    typeof value === 'boolean' ? value : mistyped('boolean', value, path, issues, false);
}

export function optional<T, D>(rule: Rule<T>, fallback: D): Rule<T | D> {
  return (value, path, issues) => (value === undefined ? fallback : rule(value, path, issues));
}

/** An object by its fields. Drops other keys, or reports them if `strict`. */
export function object<Fields extends Record<string, Rule<unknown>>>(
  fields: Fields,
  strict = false,
): Rule<{ [Name in keyof Fields]: ReturnType<Fields[Name]> }> {
  return (value, path, issues) => {
    const isObject = typeOf(value) === 'object';
    if (!isObject) mistyped('object', value, path, issues, undefined);
    const result: Record<string, unknown> = {};
    if (isObject) {
      for (const [name, rule] of Object.entries(fields)) {
        const own = Object.hasOwn(value as object, name) ? (value as Record<string, unknown>)[name] : undefined;
        result[name] = rule(own, [...path, name], issues);
      }
      if (strict)
        unrecognized(
          Object.keys(value as object).filter((key) => !Object.hasOwn(fields, key)),
          path,
          issues,
        );
    }
    return result as { [Name in keyof Fields]: ReturnType<Fields[Name]> };
  };
}

/** The checked value, or its issues in order. */
export function check<T>(rule: Rule<T>, value: unknown): { value: T } | { issues: [Issue, ...Issue[]] } {
  const issues: Issue[] = [];
  const checked = rule(value, [], issues);
  return issues.length > 0 ? { issues: issues as [Issue, ...Issue[]] } : { value: checked };
}

/** `path: message, path: message`, as both contracts join issues. */
export function joined(issues: readonly Issue[]): string {
  return issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join(', ');
}

function mistyped<T>(expected: string, value: unknown, path: string[], issues: Issue[], fallback: T): T {
  const received = typeOf(value);
  const message = received === 'undefined' ? 'Required' : `Expected ${expected}, received ${received}`;
  issues.push({ code: 'invalid_type', expected, received, path, message });
  return fallback;
}

function bound(code: string, name: string, value: number, message: string, type: string, path: string[]): Issue {
  return { code, [name]: value, type, inclusive: true, exact: false, message, path };
}

/** At most this many unknown keys are named, each cut at this length: the sender chose both. */
const NAMED_KEYS = 10;
const KEY_LENGTH = 64;

function unrecognized(keys: readonly string[], path: string[], issues: Issue[]): void {
  if (keys.length === 0) return;
  const named = keys
    .slice(0, NAMED_KEYS)
    .map((key) => (key.length > KEY_LENGTH ? `${key.slice(0, KEY_LENGTH)}…` : key));
  if (keys.length > NAMED_KEYS) named.push('…');
  const list = named.map((key) => `'${key}'`).join(', ');
  issues.push({ code: 'unrecognized_keys', keys: named, path, message: `Unrecognized key(s) in object: ${list}` });
}

/** Types as zod names them; only what JSON can hold. */
function typeOf(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
}
