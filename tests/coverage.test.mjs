// How scripts/coverage.mjs counts what llvm-cov exports, and what annotations take out of it.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { annotationsOf, measure } from "../scripts/coverage.mjs";

const text = (...lines) => `${lines.join("\n")}\n`;
/** Segments of a region of code over whole lines. */
const region = (from, to, count) => [
  [from, 1, count, true, true, false],
  [to, 200, 0, false, false, false],
];

describe("Coverage", () => {
  it("Lines count that hold a word, with the count of the innermost region", () => {
    const source = text("int F() {", "  if (a) {", "    // why", "    return 1;", "  }", "", "  return 2;", "}");
    const segments = [
      [1, 9, 3, true, true, false],
      [2, 10, 0, true, true, false],
      [5, 4, 3, true, false, false],
      [8, 2, 0, false, false, false],
    ];
    const { lines, missed } = measure({ segments }, source);
    assert.deepEqual(lines, { all: 4, reached: 3, excused: 0 });
    assert.deepEqual(missed, [{ line: 4, what: "line" }]);
  });

  it("Both sides of a condition count, and instances of a template are one", () => {
    const source = text("  if (first && second) return;");
    const branches = [
      [1, 7, 1, 12, 5, 0, 0, 0, 4],
      [1, 16, 1, 22, 2, 3, 0, 0, 4],
      [1, 7, 1, 12, 0, 1, 0, 0, 4],
      [1, 16, 1, 22, 0, 0, 0, 0, 4],
    ];
    const { branches: counted, missed } = measure({ segments: region(1, 1, 5), branches }, source);
    assert.deepEqual(counted, { all: 4, reached: 4, excused: 0 });
    assert.deepEqual(missed, []);
    const one = measure({ segments: region(1, 1, 5), branches: branches.slice(0, 2) }, source);
    assert.deepEqual(one.missed, [{ line: 1, what: "never false: first" }]);
  });

  it("Each use of a macro counts its branches, where it is used", () => {
    const use = (line, yes, no) => ({ source_region: [line, 3, line, 30], branches: [[90, 9, 90, 20, yes, no, 0, 0, 4]] });
    const source = text("  RETURN_IF_ERROR(One());", "  RETURN_IF_ERROR(Two());");
    const { branches, missed } = measure({ segments: region(1, 2, 5), expansions: [use(1, 0, 5), use(2, 1, 4)] }, source);
    assert.deepEqual(branches, { all: 4, reached: 3, excused: 0 });
    assert.deepEqual(missed, [{ line: 1, what: "never true: RETURN_IF_ERROR" }]);
  });

  it("Conditions at compile time have no other side, nor has the default of a switch that names every value", () => {
    const source = text("  while (true) {", "  if constexpr (kWide) {", "  switch (kind) {");
    const branches = [
      [1, 10, 1, 14, 0, 0, 0, 0, 4],
      [2, 17, 2, 22, 0, 0, 0, 0, 4],
      [3, 11, 3, 15, 0, 5, 0, 0, 4],
    ];
    assert.equal(measure({ segments: region(1, 2, 5), branches }, source).branches.all, 0);
  });

  it("An annotation speaks of its line, or of the statement below with its block", () => {
    const source = text(
      '  if (a) return "// {";  // unreachable: the caller has looked',
      "  // unreachable: a table of ours",
      "  // has all of them",
      "  if (b) {",
      "    Many(",
      "        1);",
      "  }",
      "  // unreachable: one",
      "  return c;",
      "  default:  // unreachable:",
    );
    assert.deepEqual(
      annotationsOf(source).map(({ line, reason, from, to }) => [line, reason, from, to]),
      [
        [1, "the caller has looked", 1, 1],
        [2, "a table of ours", 4, 7],
        [8, "one", 9, 9],
        [10, "", 10, 10],
      ],
    );
  });

  it("An annotation takes out what was not reached alone, and counts as stale when all was", () => {
    const source = text("  if (a) return 1;  // unreachable: never", "  if (b) return 2;  // unreachable: not so");
    const branches = [
      [1, 7, 1, 8, 0, 4, 0, 0, 4],
      [2, 7, 2, 8, 1, 3, 0, 0, 4],
    ];
    const { branches: counted, missed, annotations } = measure({ segments: region(1, 2, 4), branches }, source);
    assert.deepEqual(counted, { all: 3, reached: 3, excused: 1 });
    assert.deepEqual(missed, []);
    assert.deepEqual(
      annotations.map(({ excuses }) => excuses),
      [1, 0],
    );
  });
});
