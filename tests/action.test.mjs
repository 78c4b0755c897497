/** The GitHub Action: its script with the variables and files that a runner gives it, and what action.yml passes on. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { before, describe, it } from "node:test";
import yaml from "js-yaml";
import { readInputs, summary } from "../scripts/action.mjs";
import { INJECT_CHOICES } from "../dist/node/site/place.js";
import { packFolder } from "../scripts/release/npm_package.mjs";
import { root } from "../scripts/support.mjs";
import { writeBuiltSite } from "./fixtures/built_site.mjs";
import { temporaryFolder } from "./node/packed.mjs";

const folder = temporaryFolder("action");
const action = yaml.load(readFileSync(path.join(root, "action.yml"), "utf8"));

/** A tarball named sheaf whose command is the tree's, so that installing it takes no time. */
let tarball;
before(() => {
  const stage = path.join(folder, "stage");
  mkdirSync(stage);
  writeFileSync(path.join(stage, "package.json"), '{ "name": "sheaf", "version": "9.9.9", "bin": { "sheaf": "main.mjs" } }');
  writeFileSync(
    path.join(stage, "main.mjs"),
    `#!/usr/bin/env node\nawait import(${JSON.stringify(path.join(root, "dist/cli/main.js"))});\n`,
  );
  tarball = packFolder(stage, folder).file;
});

/** Runs the step in a workspace of its own, as a runner does: { status, log, outputs, summary, work }. */
function runStep(name, inputs) {
  const work = path.join(folder, name);
  mkdirSync(path.join(work, "temp"), { recursive: true });
  writeBuiltSite(path.join(work, "my site"));
  const files = { GITHUB_OUTPUT: path.join(work, "output"), GITHUB_STEP_SUMMARY: path.join(work, "summary") };
  for (const file of Object.values(files)) writeFileSync(file, "");
  const { status, stdout, stderr } = spawnSync(process.execPath, [path.join(root, "scripts/action.mjs")], {
    cwd: work,
    encoding: "utf8",
    env: { PATH: process.env.PATH, HOME: folder, RUNNER_TEMP: path.join(work, "temp"), INPUT_SHEAF: tarball, ...files, ...inputs },
  });
  const outputs = {};
  for (const [, key, value] of readFileSync(files.GITHUB_OUTPUT, "utf8").matchAll(/^([\w-]+)<<(?:end-\S+)\n(.*)\n/gm)) outputs[key] = value;
  return { status, log: stdout + stderr, outputs, summary: readFileSync(files.GITHUB_STEP_SUMMARY, "utf8"), work };
}

describe("the action's step", () => {
  it("The action's step adds search to a site and writes the outputs of action.yml", () => {
    const { status, log, outputs, summary: shown, work } = runStep("plain", { INPUT_SITE: "my site", INPUT_BASE_URL: "/docs/" });
    assert.equal(status, 0, log);
    assert.deepEqual(Object.keys(outputs).sort(), Object.keys(action.outputs).sort());
    assert.equal(outputs.pages, "5");
    assert.equal(outputs.folder, path.join(work, "my site", "sheaf"));
    const bundle = readdirSync(outputs.folder).find((name) => /^site-\w+\.sheaf$/.test(name));
    assert.equal(Number(outputs.bytes), readFileSync(path.join(outputs.folder, bundle)).length);
    assert.ok(Number(outputs["total-bytes"]) > Number(outputs.bytes));
    assert.match(readFileSync(path.join(work, "my site", "index.html"), "utf8"), /sheaf\.js/);
    assert.match(shown, /\| pages \| 5 \|/);
  });

  it("The action's step fails above max-bytes, with its outputs written", () => {
    const { status, log, outputs } = runStep("large", { INPUT_SITE: "my site", INPUT_MAX_BYTES: "1k", INPUT_INJECT: "false" });
    assert.equal(status, 1);
    assert.match(log, /^::error title=Sheaf::The bundles have \d+ bytes, more than max-bytes, 1000\.$/m);
    assert.equal(outputs.pages, "5");
  });

  it("The action's step takes the contents of an input as text", () => {
    const hostile = '$(touch pwned)`touch pwned`"; touch pwned; #\n::set-env name=X::y';
    const { status, log, work } = runStep("hostile", { INPUT_SITE: "my site", INPUT_NAME: hostile, INPUT_EXCLUDE: hostile });
    assert.equal(status, 1);
    assert.doesNotMatch(log.replace(/^::error .*$/gm, ""), /^\s*::/m);
    assert.ok(!readdirSync(work).includes("pwned"));
  });

  it("The action's step passes on where the button goes, by the command's own words", () => {
    const flags = (value) =>
      readInputs({ INPUT_SITE: folder, ...(value === undefined ? {} : { INPUT_INJECT: value }) }).args.filter((arg) =>
        arg.startsWith("--inject"),
      );
    for (const choice of INJECT_CHOICES) assert.deepEqual(flags(choice), [`--inject=${choice}`]);
    for (const value of [undefined, "", "true"]) assert.deepEqual(flags(value), ["--inject=auto"]);
    assert.deepEqual(flags("false"), []);
    assert.equal(action.inputs.inject.default, "auto");
  });

  it("The action's step names the missing part of an input", () => {
    const refusal = (inputs) => {
      try {
        readInputs({ INPUT_SITE: folder, ...inputs });
      } catch (error) {
        return error.message;
      }
      return "nothing";
    };
    assert.match(refusal({ INPUT_SITE: "" }), /^site is empty/);
    assert.match(refusal({ INPUT_SITE: "not/there" }), /not\/there is not a folder/);
    assert.match(refusal({ INPUT_INJECT: "yes" }), /^inject is yes; expected true, auto, bar, float, none, false/);
    assert.match(refusal({ INPUT_INJECT: "constructor" }), /^inject is constructor; expected/);
    assert.match(refusal({ INPUT_OFFLINE: "auto" }), /^offline is auto; expected true or false/);
    assert.match(refusal({ INPUT_MAX_BYTES: "1 GB" }), /^max-bytes is 1 GB; expected/);
    assert.match(refusal({ INPUT_SHEAF: "1 && touch x" }), /^sheaf is 1 && touch x; expected a version/);
    assert.equal(readInputs({ INPUT_SITE: folder, INPUT_SHEAF: "^1.2.0" }).sheaf, "sheaf@^1.2.0");
  });

  it("The action's step lists files that were not read as text", () => {
    const shown = summary({ pages: 1, passages: 1, bytes: 1, "total-bytes": 1, folder: "f" }, [{ path: "<b>|x", reason: "a\nb" }]);
    assert.match(shown, /\| not read: &#60;b&#62;&#124;x \| a&#10;b \|\n$/);
  });
});

describe("action.yml", () => {
  const [step, ...more] = action.runs.steps;

  it("action.yml passes every input by a variable and none in a command", () => {
    assert.deepEqual(more, []);
    assert.doesNotMatch(step.run, /\$\{\{/);
    const passed = Object.values(step.env).map((value) => /^\$\{\{ inputs\.([\w-]+) \}\}$/.exec(value)?.[1]);
    assert.deepEqual(passed.sort(), Object.keys(action.inputs).sort());
    for (const [variable, value] of Object.entries(step.env))
      assert.equal(variable, `INPUT_${/inputs\.([\w-]+)/.exec(value)[1].toUpperCase().replaceAll("-", "_")}`);
  });
});
