// scripts/unit_tests.mjs over a program that answers as GoogleTest's do.
import assert from "node:assert/strict";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { outcomesOf, suitesOf, unitTests } from "../scripts/unit_tests.mjs";
import { temporaryFolder } from "./node/packed.mjs";

const LISTED = `Running main() from ./googletest/src/gtest_main.cc
Small.
  Passes
  DISABLED_Never
Large.
  Passes
  Ends
  Fails
  IsSkipped
All/Given.
  Hangs/0  # GetParam() = "one. two"
  Passes/1  # GetParam() = 2
`;

const PROGRAM = `#!${process.execPath}
const filter = process.argv.find((arg) => arg.startsWith('--gtest_filter='));
if (!filter) { process.stdout.write(${JSON.stringify(LISTED)}); process.exit(0); }
let failed = [];
for (const name of filter.slice(15).split(':')) {
  console.log('[ RUN      ] ' + name);
  if (/Ends/.test(name)) { console.log('==1==ERROR: AddressSanitizer: SEGV'); process.exit(1); }
  if (/Hangs/.test(name) && !process.env.LEAKS) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  process.stdout.write('no end of line');
  const mark = /Fails/.test(name) ? '  FAILED  ' : /Skipped/.test(name) ? '  SKIPPED ' : '       OK ';
  if (/Fails/.test(name)) failed.push(name);
  console.log('[' + mark + '] ' + name + (/Fails/.test(name) ? ', where GetParam() = (1, "x")' : '') + ' (3 ms)');
}
for (const name of failed) console.log('[  FAILED  ] ' + name);
process.exit(failed.length ? 1 : Number(process.env.LEAKS ?? 0));
`;

describe("the runner of unit tests", () => {
  const log = "unit-fake";
  const fake = () => {
    const program = join(temporaryFolder("unit"), "tests");
    writeFileSync(program, PROGRAM);
    chmodSync(program, 0o755);
    return program;
  };

  it("The runner of unit tests reads suites and tests as GoogleTest lists them", () => {
    assert.deepEqual(suitesOf(LISTED), [
      ["Large.Passes", "Large.Ends", "Large.Fails", "Large.IsSkipped"],
      ["All/Given.Hangs/0", "All/Given.Passes/1"],
      ["Small.Passes"],
    ]);
  });

  it("The runner of unit tests counts every test, and names those that fail, end the process or hang", async () => {
    const { tests, passed, skipped, failures } = await unitTests(fake(), { log, jobs: 2, patience: 3000 });
    assert.deepEqual({ tests, passed, skipped }, { tests: 7, passed: 3, skipped: 1 });
    const named = failures.map((lines) => lines[0]).sort();
    assert.deepEqual(named, ["[ RUN      ] All/Given.Hangs/0", "[ RUN      ] Large.Ends", "[ RUN      ] Large.Fails"]);
    assert.match(failures.flat().join("\n"), /AddressSanitizer: SEGV/);
  });

  it("The runner of unit tests fails where a process ends badly after its tests, as with a leak", async () => {
    const { failures } = await unitTests(fake(), { log, jobs: 1, patience: 3000, env: { LEAKS: "1" } });
    assert.match(failures.map((lines) => lines[0]).join("\n"), /Small\.Passes and the rest of its suite: exit code 1/);
  });

  it("The runner of unit tests takes no line of the closing summary for an outcome", () => {
    const outcomes = outcomesOf("[ RUN      ] A.B\n[       OK ] A.B (0 ms)\n[  FAILED  ] A.B\n");
    assert.equal(outcomes.get("A.B").outcome, "OK");
  });
});
