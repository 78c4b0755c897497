// `node scripts/compilers.mjs`: the WebAssembly modules by two Emscriptens, Debian 12's and a current one.
//
//   node scripts/compilers.mjs [--only=debian,current] [--no-bench]
//
// For each compiler: a copy of the working tree in build/compilers/<version>, where its build replaces dist/browser/core; there
// the tests run that load the modules, among them the parity tests: the same hits and scores as the native core, bit
// for bit. Then sizes and query times of both, measured in turns, as one table. Exit code 1 when a build or test fails.
//
// The current Emscripten is the one that EMSDK=<folder of an emsdk> or EMSCRIPTEN_ROOT=<folder that holds emcc> names;
// else Debian forky's, unpacked below build (emscripten/forky.mjs).
//
// Cost: the first run compiles Emscripten's own libraries, some minutes; later ones take two or three.
import fs from "node:fs";
import path from "node:path";
import { bootstrap } from "./bootstrap.mjs";
import { forkyEmscripten } from "./emscripten/forky.mjs";
import { fetchSources, sourceSettings } from "./fetch_sources.mjs";
import { measure } from "./sizes.mjs";
import { Failure, ask, chosenParts, jobs, main, root, run, say, step } from "./support.mjs";

const MODULES = [
  "core/sheaf-core.wasm",
  "core/sheaf-wordpiece.wasm",
  "core/sheaf-text.wasm",
  "core/sheaf-federation.mjs",
  "packer/sheaf-packer.wasm",
].map((name) => `browser/${name}`);
const LOADS_A_MODULE = /dist\/(browser|node)\/(core|encoder|packer)\/|dist\/(browser|node)\/client\/(node|load)/;
const ROUNDS = 3;

// ---- compilers -------------------------------------------------------------------------------------

function debianEmscripten() {
  const share = "usr/share/emscripten";
  const folder = [`/${share}`, path.join(root, "build", "third_party", "emscripten", share)].find((each) =>
    fs.existsSync(path.join(each, "emcc.py")),
  );
  if (folder === undefined) throw new Failure("Debian's emscripten package is not installed.");
  return folder;
}

async function currentEmscripten({ EMSCRIPTEN_ROOT, EMSDK }) {
  const named = EMSCRIPTEN_ROOT || (EMSDK && path.join(EMSDK, "upstream", "emscripten"));
  if (!named) return forkyEmscripten();
  if (!fs.existsSync(path.join(named, "emcc.py")))
    throw new Failure(`${EMSCRIPTEN_ROOT ? "EMSCRIPTEN_ROOT" : "EMSDK"} is set, but ${named} does not hold emcc.py.`);
  return path.resolve(named);
}

const versionOf = (folder) =>
  fs.readFileSync(path.join(folder, "emscripten-version.txt"), "utf8").replace(/["\s]/g, "");

// ---- a tree for each ---------------------------------------------------------------------------------

/** Copies what Git would take, and dist, into `tree`. Its build folder stays, so that a second run compiles little. */
function copyTree(tree) {
  const listed = ask("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], { cwd: root });
  if (listed === null) throw new Failure(`${root} is no Git repository: which files belong to the tree is not known.`);
  fs.mkdirSync(path.join(tree, "build"), { recursive: true });
  for (const name of fs.readdirSync(tree))
    if (name !== "build") fs.rmSync(path.join(tree, name), { recursive: true, force: true });
  for (const name of [...listed.split("\0").filter(Boolean), "dist"]) {
    const from = path.join(root, name);
    if (fs.existsSync(from)) fs.cpSync(from, path.join(tree, name), { recursive: true, preserveTimestamps: true });
  }
  for (const name of ["core", "packer"])
    fs.rmSync(path.join(tree, "dist", "browser", name), { recursive: true, force: true });
  for (const name of ["node_modules", "build/native", "build/third_party"]) {
    fs.rmSync(path.join(tree, name), { force: true });
    fs.symlinkSync(path.join(root, name), path.join(tree, name));
  }
}

const hasPreset = (name) =>
  JSON.parse(fs.readFileSync(path.join(root, "CMakePresets.json"), "utf8")).configurePresets.some(
    (preset) => preset.name === name,
  );

/** Builds the modules in `tree` with the Emscripten in `folder`, and what is bundled with them. */
async function build({ version, folder, tree }) {
  const env = { EMSCRIPTEN_ROOT: folder, EMSDK: "" };
  const log = { log: `compilers-${version}`, cwd: tree, env, append: true };
  for (const preset of ["wasm", "wasm-packer"].filter(hasPreset)) {
    const { output } = await run("cmake", ["--preset", preset, ...sourceSettings()], log);
    const used = /Emscripten (\d+\.\d+\.\d+)/.exec(output)?.[1];
    if (used !== version)
      throw new Failure(`CMake took Emscripten ${used}, not ${version} in ${folder}. Remove ${tree} and try again.`);
    await run("cmake", ["--build", `build/${preset}`, "-j", String(jobs())], log);
  }
  await run(process.execPath, ["scripts/site_bundle.mjs"], log);
}

/** Runs the tests that load a module. Returns how many passed and failed, and what the failures print. */
async function test({ version, tree }) {
  const files = ["tests/node", "tests/parity"].flatMap((folder) =>
    fs
      .readdirSync(path.join(tree, folder))
      .filter((name) => name.endsWith(".test.mjs"))
      .map((name) => path.join(folder, name))
      .filter((name) => LOADS_A_MODULE.test(fs.readFileSync(path.join(tree, name), "utf8"))),
  );
  const { code, output } = await run(
    process.execPath,
    ["--test", "--test-reporter=spec", "--test-timeout=600000", `--test-concurrency=${jobs()}`, ...files],
    { log: `compilers-${version}-tests`, cwd: tree, env: { NO_COLOR: "1" }, allowFailure: true },
  );
  const count = (word) => Number(new RegExp(`^ℹ ${word} (\\d+)`, "m").exec(output)?.[1] ?? 0);
  const details = code === 0 ? "" : output.slice(output.indexOf("failing tests:"));
  return {
    ok: code === 0 && count("pass") > 0,
    passed: count("pass"),
    failed: count("fail"),
    skipped: count("skipped"),
    details,
  };
}

// ---- measuring -----------------------------------------------------------------------------------------

function moduleSizes({ tree }) {
  const present = MODULES.filter((name) => fs.existsSync(path.join(tree, "dist", name)));
  return present.map((name) => measure(path.basename(name), fs.readFileSync(path.join(tree, "dist", name))));
}

/** Hybrid p50 in ms of each corpus of tests/bench/query.mjs, the lowest of some rounds in which all trees take turns. */
async function queryTimes(compilers) {
  const shared = path.resolve(root, "..", "shared");
  const env = !process.env.SHEAF_SHARED && fs.existsSync(shared) ? { SHEAF_SHARED: shared } : {};
  const best = new Map(compilers.map(({ version }) => [version, {}]));
  for (let round = 0; round < ROUNDS; round++) {
    for (const { version, tree } of compilers) {
      const log = { log: `compilers-${version}-queries`, cwd: tree, env };
      const { output } = await run(process.execPath, ["tests/bench/query.mjs", "--json"], log);
      const times = best.get(version);
      for (const { name, p50 } of output
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line)))
        for (const [mode, time] of Object.entries(p50)) {
          const key = `${name}, ${mode}`;
          times[key] = Math.min(times[key] ?? Number.POSITIVE_INFINITY, time);
        }
    }
  }
  return best;
}

// ---- the report ----------------------------------------------------------------------------------------

/** Rows of figures, one column for each compiler, and by how much the last differs from the first. */
function report(compilers) {
  const row = (title, values, show) => {
    const change = values.length > 1 ? `${(100 * (values.at(-1) / values[0] - 1)).toFixed(1)} %` : "";
    return [title, ...values.map(show), change.startsWith("-") || change === "" ? change : `+${change}`];
  };
  const rows = [["", ...compilers.map(({ version }) => version), ""]];
  rows.push(["tests passed", ...compilers.map(({ tests }) => `${tests.passed} of ${tests.passed + tests.failed}`), ""]);
  compilers[0].sizes.forEach(({ name }, at) => {
    for (const kind of ["raw", "brotli"])
      rows.push(
        row(
          `${name}, ${kind}`,
          compilers.map(({ sizes }) => sizes[at][kind]),
          String,
        ),
      );
  });
  for (const key of Object.keys(compilers[0].times ?? {}))
    rows.push(
      row(
        `${key}, p50 in ms`,
        compilers.map(({ times }) => times[key]),
        (value) => value.toFixed(2),
      ),
    );
  const width = (at) => Math.max(...rows.map((cells) => cells[at].length));
  return rows
    .map((cells) =>
      cells
        .map((cell, at) => (at === 0 ? cell.padEnd(width(0)) : cell.padStart(width(at) + 2)))
        .join("")
        .trimEnd(),
    )
    .join("\n");
}

main(import.meta.url, async () => {
  const only = chosenParts(["debian", "current"], ["--no-bench"]);
  const named = { EMSCRIPTEN_ROOT: process.env.EMSCRIPTEN_ROOT, EMSDK: process.env.EMSDK };
  for (const name of Object.keys(named)) delete process.env[name]; // the tree's own build is as always
  await bootstrap("demo");
  await fetchSources({ bundled: hasPreset("wasm-packer") });
  const folders = [];
  if (only.includes("debian")) folders.push(debianEmscripten());
  if (only.includes("current")) folders.push(await currentEmscripten(named));
  const compilers = folders.map((folder) => {
    const version = versionOf(folder);
    return { version, folder, tree: path.join(root, "build", "compilers", version) };
  });
  if (new Set(compilers.map(({ version }) => version)).size < compilers.length)
    throw new Failure(`Both are Emscripten ${compilers[0].version}: ${folders.join(" and ")}. Name a current one.`);
  for (const compiler of compilers) {
    const { version } = compiler;
    await step(`Building with Emscripten ${version}`, async () => {
      copyTree(compiler.tree);
      await build(compiler);
    });
    compiler.sizes = moduleSizes(compiler);
    await step(`Testing what Emscripten ${version} made`, async () => {
      compiler.tests = await test(compiler);
      return compiler.tests.ok ? `${compiler.tests.passed} passed, ${compiler.tests.skipped} skipped` : "FAILED";
    });
    if (!compiler.tests.ok) say(compiler.tests.details);
  }
  if (!process.argv.includes("--no-bench"))
    await step("Measuring queries", async () => {
      for (const [version, times] of await queryTimes(compilers))
        compilers.find((compiler) => compiler.version === version).times = times;
    });
  console.log(report(compilers));
  return compilers.every(({ tests }) => tests.ok) ? 0 : 1;
});
