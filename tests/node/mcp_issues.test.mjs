/** What two contracts say of wrong arguments: zod 3's messages, to the letter, and bounded. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { z as installed } from 'zod/v3';
import { joined } from '../../dist/node/mcp/contracts/issues.js';
import { z } from '../../dist/node/mcp/contracts/zod3.mjs';

const VALUES = [undefined, null, '', ' ', 'a', 'A b', 'x'.repeat(65), 0, 1, 1.5, -3, 101, 1e300, true, false, [], ['a'], {}, { a: 1 }];

const RULES = {
  'a bounded string': (zod) => zod.string().min(1).max(64),
  'a trimmed string': (zod) => zod.string().trim().min(1).max(64),
  'an id': (zod) =>
    zod
      .string()
      .regex(/^[a-z0-9-]+$/)
      .min(1)
      .max(64),
  'a bounded integer': (zod) => zod.number().int().min(1).max(100),
  'an optional integer with a default': (zod) => zod.number().int().min(1).max(100).default(5),
  'a flag': (zod) => zod.boolean().optional().default(false),
};

describe('issues', () => {
  for (const [name, rule] of Object.entries(RULES)) {
    it(`Issues judge ${name} as zod does`, () => {
      for (const value of VALUES) {
        const ours = z.object({ field: rule(z) }).safeParse({ field: value });
        const theirs = installed.object({ field: rule(installed) }).safeParse({ field: value });
        assert.deepEqual(ours.error?.issues, theirs.error?.issues, JSON.stringify(value));
        assert.equal(ours.error?.message, theirs.error?.message);
        assert.deepEqual(ours.data, theirs.data);
      }
    });
  }

  it('Issues have the words of the contracts', () => {
    const rule = z.object({
      id: z
        .string()
        .regex(/^[a-z]+$/)
        .min(1)
        .max(4),
      n: z.number().int().min(1).max(9).default(5),
    });
    const said = (value, strict = false) => joined((strict ? rule.strict() : rule).safeParse(value).error);
    assert.equal(said({}), 'id: Required');
    assert.equal(said({ id: '' }), 'id: Invalid, id: String must contain at least 1 character(s)');
    assert.equal(said({ id: 'abcde' }), 'id: String must contain at most 4 character(s)');
    assert.equal(said({ id: 3, n: 'x' }), 'id: Expected string, received number, n: Expected number, received string');
    assert.equal(said({ id: 'a', n: 0 }), 'n: Number must be greater than or equal to 1');
    assert.equal(said({ id: 'a', n: 10 }), 'n: Number must be less than or equal to 9');
    assert.equal(said({ id: 'a', n: 1.5 }), 'n: Expected integer, received float');
    assert.equal(said({ id: 'a', x: 1, y: 2 }, true), ": Unrecognized key(s) in object: 'x', 'y'");
    for (const [value, kind] of [
      [null, 'null'],
      [[], 'array'],
      ['a', 'string'],
      [3, 'number'],
    ])
      assert.equal(said(value), `: Expected object, received ${kind}`);
    assert.equal(said(undefined), ': Required');
  });

  it('Issues name a few of a thousand unknown keys, shortened', () => {
    const args = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`${i}${'k'.repeat(1000)}`, 1]));
    const message = joined(z.object({}).strict().safeParse(args).error);
    assert.ok(message.length < 1000, `${message.length} characters`);
    assert.match(message, /^: Unrecognized key\(s\) in object: '0k{63}…', .*, '…'$/);
  });

  it('Issues take no field from the prototype', () => {
    const polluted = JSON.parse('{"__proto__": {"id": "a"}}');
    assert.equal(joined(z.object({ id: z.string() }).safeParse(polluted).error), 'id: Required');
  });
});
