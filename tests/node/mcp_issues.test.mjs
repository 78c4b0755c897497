/** Our checks say what zod 3 says: zod itself, which comes with the MCP SDK, is the judge. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { z } from 'zod/v3';
import { check, flag, integer, object, optional, text } from '../../dist/node/mcp/contracts/issues.js';

const VALUES = [undefined, null, '', ' ', 'a', 'A b', 'x'.repeat(65), 0, 1, 1.5, -3, 101, 1e300, true, false, [], ['a'], {}, { a: 1 }];

const SAME = {
  'a bounded string': [text({ min: 1, max: 64 }), z.string().min(1).max(64)],
  'a trimmed string': [text({ trim: true, min: 1, max: 64 }), z.string().trim().min(1).max(64)],
  'an id': [
    text({ pattern: /^[a-z0-9-]+$/, min: 1, max: 64 }),
    z
      .string()
      .regex(/^[a-z0-9-]+$/)
      .min(1)
      .max(64),
  ],
  'a bounded integer': [integer(1, 100), z.number().int().min(1).max(100)],
  'an optional integer with a default': [optional(integer(1, 100), 5), z.number().int().min(1).max(100).default(5)],
  'a flag': [optional(flag(), false), z.boolean().optional().default(false)],
};

describe('issues', () => {
  for (const [name, [ours, zods]] of Object.entries(SAME)) {
    it(`judges ${name} as zod does`, () => {
      for (const value of VALUES) {
        const mine = check(object({ field: ours }), { field: value });
        const theirs = z.object({ field: zods }).safeParse({ field: value });
        assert.deepEqual(mine.issues, theirs.error?.issues, JSON.stringify(value));
        if (theirs.success) assert.deepEqual(mine.value, theirs.data);
      }
    });
  }

  it('judges whole arguments as zod does, unknown keys and wrong containers too', () => {
    const fields = { id: text({ min: 1 }), n: optional(integer(1, 9), 5) };
    const zods = { id: z.string().min(1), n: z.number().int().min(1).max(9).default(5) };
    for (const value of [{}, { id: 'a' }, { id: '', n: 0, x: 1 }, { id: 'a', x: 1, y: 2 }, null, [], 'a', 3, undefined]) {
      assert.deepEqual(check(object(fields), value).issues, z.object(zods).safeParse(value).error?.issues);
      assert.deepEqual(check(object(fields, true), value).issues, z.object(zods).strict().safeParse(value).error?.issues);
    }
  });

  it('prints a list of issues as zod prints its error', () => {
    const bad = { id: '', n: 1.5 };
    const { issues } = check(object({ id: text({ min: 1 }), n: integer(1, 9) }), bad);
    const theirs = z.object({ id: z.string().min(1), n: z.number().int().min(1).max(9) }).safeParse(bad).error;
    assert.deepEqual(JSON.parse(JSON.stringify(issues)), JSON.parse(theirs.message));
  });

  it('names a few of a thousand unknown keys, and those not at full length', () => {
    const args = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`${i}${'k'.repeat(1000)}`, 1]));
    const [{ message }] = check(object({}, true), args).issues;
    assert.ok(message.length < 1000, `${message.length} characters`);
  });

  it('takes no field from the prototype', () => {
    const polluted = JSON.parse('{"__proto__": {"id": "a"}}');
    assert.equal(check(object({ id: text() }), polluted).issues[0].message, 'Required');
  });
});
