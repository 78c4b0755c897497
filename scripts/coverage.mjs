// `node scripts/coverage.mjs`: which lines and branches of src/ and packer/ the C++ unit tests reach, by file.
//
//   node scripts/coverage.mjs [--no-run] [--missed[=PART]] [--unreachable]
//
//   --missed[=PART]  lists the lines, and the sides of branches, that no test reached, in files whose path has PART
//   --unreachable    lists what is annotated as unreachable, with its reason
//   --no-run         reads the run before; counts are of the sources as they were then
//
// Exit code 1 below GOAL, when a test fails, and for an annotation of a line that was reached.
//
// The coverage is clang's of the source: counters follow the text, so no branch exists that only an exception or a
// destructor takes. A line counts if it holds a word; a branch is a side of a condition, of its parts, or of a case. Each
// use of a macro counts its branches, so an error that is passed on by SHEAF_RETURN_IF_ERROR wants a test for each place.
// Instances of a template are one. Without assertions (NDEBUG), whose other sides no test may take.
//
// `// unreachable: REASON` at the end of a line takes what was not reached of this line out of the count. On a line of its
// own it speaks of the statement below, with its block.
//
// Cost, on two cores: fifteen minutes to compile, four to run.
import fs from "node:fs";
import path from "node:path";
import { bootstrap, buildPreset } from "./bootstrap.mjs";
import { Failure, jobs, main, root, run, say, step } from "./support.mjs";
import { unitTests } from "./unit_tests.mjs";

/** Per cent that must be reached. */
const GOAL = { lines: 95, branches: 85 };

const tree = path.join(root, "build", "coverage");
const profiles = path.join(tree, "profiles");
const PROGRAMS = ["sheaf_unit_tests", "sheaf-pack"].map((name) => path.join(tree, name));

// ---- annotations -----------------------------------------------------------------------------------

/** A line without its comment and without what stands in its literals. */
const codeOf = (line) =>
  line
    .replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)+'/g, '""')
    .replace(/\/\/.*$/, "")
    .trim();

const depthOf = (code) => [...code].reduce((sum, c) => sum + ("{([".includes(c) ? 1 : "})]".includes(c) ? -1 : 0), 0);

/** The annotations of a source text: { line, reason, from, to }, lines that begin with 1. */
export function annotationsOf(text) {
  const lines = text.split("\n");
  const found = [];
  lines.forEach((whole, at) => {
    const [, reason] = /\/\/ unreachable:(.*)$/.exec(whole) ?? [];
    if (reason === undefined) return;
    let from = at;
    let to = at;
    if (codeOf(whole) === "") {
      while (from + 1 < lines.length && codeOf(lines[from]) === "") from++;
      to = from;
      for (let depth = 0; to < lines.length; to++) {
        const code = codeOf(lines[to]);
        depth += depthOf(code);
        if (depth <= 0 && /[;}:]$/.test(code)) break;
      }
    }
    found.push({ line: at + 1, reason: reason.trim(), from: from + 1, to: to + 1 });
  });
  return found;
}

// ---- what was reached ------------------------------------------------------------------------------

/** The counts of lines, by the rule of llvm-cov: a Map from line to count. */
function lineCounts(segments) {
  const counts = new Map();
  let wrapped; // the region around the line
  let next = 0;
  const last = segments.at(-1)?.[0] ?? 0;
  for (let line = segments[0]?.[0] ?? 1; line <= last; line++) {
    const here = [];
    while (next < segments.length && segments[next][0] === line) here.push(segments[next++]);
    const starts = here.filter(([, , , hasCount, isEntry, isGap]) => !isGap && hasCount && isEntry);
    const skipped = here.length > 0 && !here[0][3] && here[0][4];
    if (!skipped && (wrapped?.[3] || starts.length > 0))
      counts.set(line, Math.max(wrapped?.[3] ? wrapped[2] : 0, ...starts.map(([, , count]) => count)));
    if (here.length > 0) wrapped = here.at(-1);
  }
  return counts;
}

/**
 * Whether it is no branch of the program's: a condition at compile time, or what clang counts as the default of a switch
 * that has none, since ours name every value (-Werror=switch).
 */
const isFixed = (line, from, to) =>
  /\bif constexpr\b|^\s*static_assert\b/.test(line) ||
  /^(true|false|0|1)$/.test(line.slice(from - 1, to - 1)) ||
  /\bswitch \($/.test(line.slice(0, from - 1));

/**
 * What a file of llvm-cov's export says of `text`: { lines, branches }, each { all, reached, excused }, `missed`: [{ line,
 * what }], `excused`: the annotations, and `stale`: those that excuse nothing.
 */
export function measure({ segments, branches = [], expansions = [] }, text) {
  const sources = text.split("\n");
  const annotations = annotationsOf(text).map((each) => ({ ...each, excuses: 0 }));
  const result = {
    lines: { all: 0, reached: 0, excused: 0 },
    branches: { all: 0, reached: 0, excused: 0 },
    missed: [],
    annotations,
  };
  const count = (kind, line, reached, what) => {
    if (!reached) {
      const excuse = annotations.find(({ from, to }) => from <= line && line <= to);
      if (excuse) {
        excuse.excuses++;
        result[kind].excused++;
        return;
      }
      result.missed.push({ line, what });
    }
    result[kind].all++;
    if (reached) result[kind].reached++;
  };
  for (const [line, times] of lineCounts(segments))
    if (/\w/.test(codeOf(sources[line - 1] ?? ""))) count("lines", line, times > 0, "line");

  const sides = new Map(); // instances of a template, and of a header in several files, come one by one
  const add = (place, line, what, [, , , , yes, no]) => {
    const all = sides.get(place) ?? { line, what, yes: 0, no: 0 };
    all.yes += yes;
    all.no += no;
    sides.set(place, all);
  };
  for (const branch of branches) {
    const [line, column, endLine, endColumn] = branch;
    const source = sources[line - 1] ?? "";
    if (isFixed(source, column, endLine === line ? endColumn : undefined)) continue;
    const what = endLine === line ? source.slice(column - 1, endColumn - 1) : `${source.slice(column - 1)} …`;
    add(branch.slice(0, 4).join(), line, what === ":" ? source.trim() : what, branch); // a loop over a range
  }
  for (const {
    source_region: [line, column],
    branches: nested,
  } of expansions)
    for (const branch of nested)
      add(
        [line, column, ...branch.slice(0, 4)].join(),
        line,
        /\w+/.exec(sources[line - 1].slice(column - 1))?.[0],
        branch,
      );
  for (const { line, what, yes, no } of sides.values()) {
    count("branches", line, yes > 0, `never true: ${what}`);
    count("branches", line, no > 0, `never false: ${what}`);
  }
  result.missed.sort((a, b) => a.line - b.line);
  return result;
}

// ---- running and reporting -------------------------------------------------------------------------

async function runTests() {
  fs.rmSync(profiles, { recursive: true, force: true });
  fs.mkdirSync(profiles, { recursive: true });
  // Processes of a program add up in a few files; those of different programs stay apart.
  const env = { LLVM_PROFILE_FILE: path.join(profiles, "%4m.profraw") };
  const { tests, passed, failures } = await unitTests(PROGRAMS[0], { jobs: jobs(), log: "coverage", env });
  for (const [first] of failures) say(`  ✗ ${first}`);
  if (failures.length > 0 || passed === 0) throw new Failure(`${failures.length} of ${tests} tests failed.`);
  return `${passed} passed`;
}

/** A Map from file to what was measured of it. */
async function readCounts() {
  const log = "coverage-report";
  const profile = path.join(tree, "tests.profdata");
  const raw = fs.existsSync(profiles) ? fs.readdirSync(profiles).filter((name) => name.endsWith(".profraw")) : [];
  if (raw.length === 0) throw new Failure("No run to read; leave out --no-run.");
  const places = raw.map((name) => path.join(profiles, name));
  await run("llvm-profdata", ["merge", "-sparse", "-o", profile, ...places], { log });
  const exported = path.join(tree, "coverage.json");
  const objects = [PROGRAMS[0], "-object", PROGRAMS[1]];
  const kept = ["-skip-functions", "-ignore-filename-regex=/(build|tests)/|^/usr/"];
  const command = ["llvm-cov", "export", `-instr-profile=${profile}`, ...kept, ...objects];
  await run("sh", ["-c", '"$@" > "$0"', exported, ...command], { log, append: true });
  const measured = new Map();
  for (const file of JSON.parse(fs.readFileSync(exported, "utf8")).data[0].files) {
    const name = path.relative(root, file.filename);
    if (/^(src|packer)\//.test(name)) measured.set(name, measure(file, fs.readFileSync(file.filename, "utf8")));
  }
  return measured;
}

const percent = ({ all, reached }) => (all === 0 ? 100 : (100 * reached) / all);

function table(measured) {
  const sum = (kind, key) => [...measured.values()].reduce((total, each) => total + each[kind][key], 0);
  const total = (kind) => ({ all: sum(kind, "all"), reached: sum(kind, "reached"), excused: sum(kind, "excused") });
  const totals = { lines: total("lines"), branches: total("branches") };
  const cell = (counts) => `${percent(counts).toFixed(1).padStart(6)} % of ${String(counts.all).padStart(5)}`;
  const row = (name, { lines, branches }) => `${cell(lines)}  ${cell(branches)}  ${name}`;
  const lacking = ({ lines, branches }) => lines.all - lines.reached + branches.all - branches.reached;
  const rows = [...measured].sort(
    ([, a], [, b]) => percent(a.branches) - percent(b.branches) || lacking(b) - lacking(a),
  );
  console.log("           lines          branches  file");
  for (const [name, each] of rows) if (lacking(each) > 0) console.log(row(name, each));
  const whole = rows.filter(([, each]) => lacking(each) === 0).length;
  console.log(`${whole} more files have nothing that is not reached.`);
  console.log(row("all", totals));
  console.log(`Annotated as unreachable: ${totals.lines.excused} lines, ${totals.branches.excused} sides of branches.`);
  return totals;
}

main(import.meta.url, async () => {
  const args = process.argv.slice(2);
  const unknown = args.find((arg) => !/^--(no-run|unreachable|missed(=.+)?)$/.test(arg));
  if (unknown) throw new Failure(`${unknown}: expected --no-run, --missed[=PART] or --unreachable.`);
  if (!args.includes("--no-run")) {
    await bootstrap("cpp");
    await buildPreset("coverage", "Building the unit tests with counters", ["sheaf_unit_tests"]);
    await step("C++ unit tests", runTests);
  }
  let measured;
  await step("Reading the counters", async () => void (measured = await readCounts()));
  const missed = args.find((arg) => arg.startsWith("--missed"));
  if (missed !== undefined)
    for (const [name, each] of measured)
      if (name.includes(missed.slice("--missed=".length)))
        for (const { line, what } of each.missed) console.log(`${name}:${line}: ${what}`);
  if (args.includes("--unreachable"))
    for (const [name, { annotations }] of measured)
      for (const { line, reason } of annotations) console.log(`${name}:${line}: ${reason}`);
  const totals = table(measured);
  const complaints = [...measured].flatMap(([name, { annotations }]) =>
    annotations.flatMap(({ line, reason, excuses }) => [
      ...(reason === "" ? [`${name}:${line}: say why it is unreachable`] : []),
      ...(excuses === 0 ? [`${name}:${line}: all of it was reached; remove the annotation`] : []),
    ]),
  );
  for (const kind of ["lines", "branches"])
    if (percent(totals[kind]) < GOAL[kind])
      complaints.push(`${percent(totals[kind]).toFixed(2)} % of ${kind} are reached, expected ${GOAL[kind]} %`);
  for (const complaint of complaints) say(`✗ ${complaint}`);
  return complaints.length > 0 ? 1 : 0;
});
