// The C++ unit tests, each suite in a process: a program with sanitizers takes .06 s to start, and there are 1,400 tests.
// (`ctest --preset sanitize` starts it for each.) A test that ends its process or hangs is named; the suite's others run
// after it, in another process.
import fs from "node:fs";
import path from "node:path";
import { ask, Failure, logDir, root, run } from "./support.mjs";

/** A process that hangs is ended after this time. */
const PATIENCE_MS = 300_000;

/** The suites in what --gtest_list_tests prints, the largest first: a list of full names each. */
export function suitesOf(listed) {
  const suites = [];
  for (const line of listed.split("\n")) {
    const [word] = line.split("#", 1);
    if (/^\S+\.\s*$/.test(word)) suites.push({ name: word.trim(), tests: [] });
    else if (/^\s+\S/.test(word)) suites.at(-1)?.tests.push(suites.at(-1).name + word.trim());
  }
  return suites
    .map(({ tests }) => tests.filter((name) => !/(^|[./])DISABLED_/.test(name)))
    .filter((tests) => tests.length > 0)
    .sort((a, b) => b.length - a.length);
}

/** What each test did that began: "OK", "FAILED", "SKIPPED", or "ended" where its process ended or hung; and what it printed. */
export function outcomesOf(output) {
  const outcomes = new Map();
  let current;
  for (const line of output.split("\n")) {
    // Behind what a test printed without ending its line.
    const [, mark, name] = /\[ +(RUN|OK|FAILED|SKIPPED) +\] ([^\s,]+)(?=.* \(\d+ ms\)$|$)/.exec(line) ?? [];
    if (mark === "RUN") {
      current = { outcome: "ended", lines: [line] };
      outcomes.set(name, current);
    } else if (current) {
      current.lines.push(line);
      if (mark && outcomes.get(name) === current) {
        current.outcome = mark;
        current = undefined;
      }
    }
  }
  return outcomes;
}

/** Runs a suite's tests. Returns a Map of what each did; "" has what a process printed that failed although no test did. */
async function runSuite(program, tests, { log, env, patience }) {
  const all = new Map();
  for (let left = tests; left.length > 0; ) {
    const { code, logPath } = await run(program, ["--gtest_color=no", `--gtest_filter=${left.join(":")}`], {
      log,
      append: all.size > 0,
      allowFailure: true,
      env,
      patience,
    });
    const output = fs.readFileSync(logPath, "utf8");
    const outcomes = outcomesOf(output.slice(output.lastIndexOf(`\n$ ${program} `) + 1));
    const begun = left.filter((name) => outcomes.has(name));
    for (const name of begun) all.set(name, outcomes.get(name));
    if (code !== 0 && begun.every((name) => /OK|SKIPPED/.test(outcomes.get(name).outcome)))
      all.set("", {
        outcome: "FAILED",
        lines: [`${tests[0]} and the rest of its suite: exit code ${code}`, ...output.split("\n").slice(-30)],
      });
    if (begun.length === 0) break;
    left = left.filter((name) => !outcomes.has(name));
  }
  for (const name of tests) if (!all.has(name)) all.set(name, { outcome: "FAILED", lines: [`${name} did not run`] });
  return all;
}

/** Runs all tests of a program, `jobs` suites at a time. Returns { tests, passed, skipped, failures }, each of these some lines. */
export async function unitTests(program, { jobs, log = "unit", env = {}, patience = PATIENCE_MS, filter }) {
  fs.mkdirSync(path.join(logDir, log), { recursive: true });
  const listed = ask(program, ["--gtest_list_tests", ...(filter === undefined ? [] : [`--gtest_filter=${filter}`])], {
    cwd: root,
  });
  if (listed === null) throw new Failure(`${program} --gtest_list_tests failed`);
  const suites = suitesOf(listed);
  const outcomes = new Map();
  let next = 0;
  const worker = async () => {
    while (next < suites.length) {
      const number = next++;
      for (const [name, outcome] of await runSuite(program, suites[number], {
        log: path.join(log, String(number)),
        env,
        patience,
      }))
        outcomes.set(name || `suite ${number}`, outcome);
    }
  };
  await Promise.all(Array.from({ length: jobs }, worker));
  const of = (...kinds) => [...outcomes.values()].filter(({ outcome }) => kinds.includes(outcome));
  return {
    tests: suites.flat().length,
    passed: of("OK").length,
    skipped: of("SKIPPED").length,
    failures: of("FAILED", "ended").map(({ lines }) => lines),
  };
}
