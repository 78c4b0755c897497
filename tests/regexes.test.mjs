// Which regular expressions count as slow (scripts/regexes.mjs).
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { checkRegexes, expressionsOf, slowInput } from "../scripts/regexes.mjs";

const of = (expression) => ({ source: expression.source, flags: expression.flags });

describe("regular expressions", () => {
  it("Expressions whose work grows as a square or worse are found, with an input", () => {
    for (const slow of [
      /\n+$/,
      /\s+$/g,
      /^(a+)+$/,
      /(a|a)*b/,
      /^#{1,6}[ \t]+(.+?)[ \t]*#*$/,
      /<!--[\s\S]*?-->/g,
      /<title[^>]*>([^<]+)</i,
      /\s*\n\s*>/g,
      /(\d+)(\d*)x/,
      /(?<=a*)b/,
      /a.*b.*c$/s,
      /^(\w+\s?)*$/,
      /\p{L}+\d/u,
    ])
      assert.notEqual(slowInput(of(slow)), undefined, String(slow));
  });

  it("Linear expressions are not", () => {
    for (const linear of [
      /^\s+/,
      /(?<!\n)\n+$/,
      /\s+/g,
      /^[a-z]+:/,
      /=.*$/s,
      /"(?:[^"\\]|\\.)*"/y,
      /<[^<>]*>/g,
      /^(?:a|b)+$/,
      /[^\n]*\n|[^\n]+$/g,
      /\b\w+\b/g,
      /^\s*\d+\s*$/,
      /a{0,300}b/,
      /(?<![\w-])[\w-]+=/g,
      /\/\*[\s\S]*?(?:\*\/|$)/g,
    ])
      assert.equal(slowInput(of(linear)), undefined, String(linear));
  });

  it("Expressions are found in sources: literals, and texts given to RegExp()", () => {
    const found = expressionsOf("const a: RegExp = /x+$/g; f(new RegExp('\\\\s+$', 'u'), RegExp(`no ${a}`), 4 / 2 / 1);");
    assert.deepEqual(found, [
      { source: "x+$", flags: "g" },
      { source: "\\s+$", flags: "u" },
    ]);
  });

  it("No expression of web/ or extension/ is slow over unbounded input", () => {
    assert.deepEqual(checkRegexes().problems, []);
  });
});
