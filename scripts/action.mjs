// The step of the GitHub Action (action.yml): installs Sheaf from npm and runs `sheaf site`. Node's built-ins only.
//
// Inputs come as INPUT_… variables. Outputs go to the file $GITHUB_OUTPUT, a table to $GITHUB_STEP_SUMMARY; where these
// are not set, to nowhere. Inputs may hold anything: they are arguments of processes, never parts of a command line, and
// are escaped in what is printed.
import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

/** A failure that its message explains. */
export class ActionError extends Error {}

const FLAGS = ["keywords", "file", "offline"];
/** What the input inject may be, and the command's word for it; false: the flag is left out. */
const INJECT = { true: "auto", auto: "auto", bar: "bar", float: "float", none: "none", false: undefined };
const VALUES = {
  "base-url": "base-url",
  name: "name",
  "docs-version": "version",
  "url-style": "url-style",
  language: "language",
};
const LISTS = { include: "include", exclude: "exclude", "version-dirs": "version-dir" };

/** The inputs of `env`, checked: { cwd, site, args, maxBytes, sheaf }. Throws an ActionError that names the input. */
export function readInputs(env) {
  const input = (name) => (env[`INPUT_${name.toUpperCase().replaceAll("-", "_")}`] ?? "").trim();
  const cwd = path.resolve(input("working-directory") || ".");
  if (input("site") === "") throw new ActionError("site is empty; name the folder that your site generator wrote.");
  const site = path.resolve(cwd, input("site"));
  if (!fs.statSync(site, { throwIfNoEntry: false })?.isDirectory())
    throw new ActionError(`site: ${site} is not a folder. Build the site in a step before this one.`);
  const args = [];
  for (const name of FLAGS) {
    const value = input(name) || "false";
    if (value !== "true" && value !== "false") throw new ActionError(`${name} is ${value}; expected true or false.`);
    if (value === "true") args.push(`--${name}`);
  }
  const inject = input("inject") || "auto";
  if (!Object.hasOwn(INJECT, inject))
    throw new ActionError(`inject is ${inject}; expected ${Object.keys(INJECT).join(", ")}.`);
  if (INJECT[inject] !== undefined) args.push(`--inject=${INJECT[inject]}`);
  for (const [name, flag] of Object.entries(VALUES)) if (input(name) !== "") args.push(`--${flag}=${input(name)}`);
  for (const [name, flag] of Object.entries(LISTS))
    for (const line of input(name).split(/\r?\n/)) if (line.trim() !== "") args.push(`--${flag}=${line.trim()}`);
  return { cwd, site, args, maxBytes: bytesOf("max-bytes", input("max-bytes")), sheaf: packageOf(input("sheaf"), cwd) };
}

/** 500000, 500k or 20M, in bytes; undefined for an empty input. */
function bytesOf(name, value) {
  if (value === "") return undefined;
  const match = /^(\d{1,12})([kM]?)$/.exec(value);
  if (match === null)
    throw new ActionError(`${name} is ${value}; expected a number of bytes, such as 500000, 500k or 20M.`);
  return Number(match[1]) * { "": 1, k: 1000, M: 1_000_000 }[match[2]];
}

/** What npm installs: a version of sheaf, or a tarball. */
function packageOf(value, cwd) {
  if (value.endsWith(".tgz")) {
    const file = path.resolve(cwd, value);
    if (!fs.existsSync(file)) throw new ActionError(`sheaf: there is no file ${file}.`);
    return file;
  }
  if (!/^[\w.^~-]*$/.test(value))
    throw new ActionError(`sheaf is ${value}; expected a version, such as 0.1.0, or a .tgz file.`);
  return `sheaf@${value || ownVersion()}`;
}

function ownVersion() {
  return JSON.parse(fs.readFileSync(new URL("../package.json", import.meta.url), "utf8")).version;
}

/** npm's own script, which needs no shell; on Windows `npm` is a .cmd file, which does. */
function npmCommand() {
  const beside = path.join(path.dirname(process.execPath), "node_modules", "npm", "bin", "npm-cli.js");
  return process.platform === "win32" ? [process.execPath, beside] : ["npm"];
}

function run(command, args, options) {
  const result = spawnSync(command, args, { encoding: "utf8", maxBuffer: 256 * 1024 * 1024, ...options });
  if (result.error) throw new ActionError(`${path.basename(command)} could not be started: ${result.error.message}`);
  return result;
}

/** Installs into a folder of its own and returns the path of the command's script. */
function install(sheaf, temporary) {
  const folder = fs.mkdtempSync(path.join(temporary, "sheaf-action-"));
  const [npm, ...before] = npmCommand();
  const flags = ["--no-save", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  const { status, stderr } = run(npm, [...before, "install", "--prefix", folder, ...flags, sheaf], { cwd: folder });
  if (status !== 0) throw new ActionError(`npm could not install ${sheaf}:\n${stderr.trim()}`);
  const home = path.join(folder, "node_modules", "sheaf");
  const { bin } = JSON.parse(fs.readFileSync(path.join(home, "package.json"), "utf8"));
  return path.join(home, bin.sheaf);
}

/** Runs `sheaf site` and returns its report; what it says on stderr shows in the log. */
function searchFor({ cwd, site, args }, script) {
  const result = run(process.execPath, [script, "site", site, "--json", ...args], {
    cwd,
    stdio: ["ignore", "pipe", "pipe"],
  });
  process.stderr.write(inert(result.stderr));
  if (result.status !== 0) throw new ActionError(result.stderr.trim() || `sheaf site ended with ${result.status}.`);
  return JSON.parse(result.stdout);
}

/** Text for the log in which no line is a command to the runner (`::add-mask::…`, or `##[…` of old). */
const inert = (text) => text.replace(/^(\s*)::/gm, "$1: :").replaceAll("##[", "## [");

/** The outputs of a report, by name. Pure. */
export function outputsOf({ site, pages, passages, bundleBytes, files }) {
  return {
    pages,
    passages,
    bytes: bundleBytes,
    "total-bytes": files.reduce((sum, { bytes }) => sum + bytes, 0),
    folder: path.join(site, "sheaf"),
  };
}

/** Appends outputs in the form that takes any value: a delimiter that no value can hold. */
function writeOutputs(file, outputs) {
  const delimiter = `end-${randomUUID()}`;
  const lines = Object.entries(outputs).map(([name, value]) => `${name}<<${delimiter}\n${value}\n${delimiter}\n`);
  fs.appendFileSync(file, lines.join(""));
}

const cell = (value) => String(value).replace(/[|<>&`\\\r\n]/g, (character) => `&#${character.charCodeAt(0)};`);

/** The table of the run's summary. Pure. */
export function summary({ pages, passages, bytes, "total-bytes": total, folder }, skipped) {
  const rows = [
    ["pages", pages],
    ["passages", passages],
    ["bundles, bytes", bytes],
    ["everything written, bytes", total],
    ["folder", folder],
    ...skipped.slice(0, 20).map(({ path: file, reason }) => [`not read: ${file}`, reason]),
  ];
  const table = rows.map(([name, value]) => `| ${cell(name)} | ${cell(value)} |\n`).join("");
  return `### Search\n\n| what | |\n|---|---|\n${table}`;
}

function main(env) {
  const [major] = process.versions.node.split(".").map(Number);
  if (major < 20)
    throw new ActionError(
      `Sheaf needs Node 20 or later; this is ${process.version}. Put actions/setup-node before this step.`,
    );
  const inputs = readInputs(env);
  const report = searchFor(inputs, install(inputs.sheaf, env.RUNNER_TEMP || os.tmpdir()));
  const outputs = outputsOf(report);
  if (env.GITHUB_OUTPUT) writeOutputs(env.GITHUB_OUTPUT, outputs);
  if (env.GITHUB_STEP_SUMMARY) fs.appendFileSync(env.GITHUB_STEP_SUMMARY, summary(outputs, report.skipped ?? []));
  console.log(`Search over ${outputs.pages} pages: ${outputs.bytes} bytes of bundles`);
  if (inputs.maxBytes !== undefined && outputs.bytes > inputs.maxBytes)
    throw new ActionError(`The bundles have ${outputs.bytes} bytes, more than max-bytes, ${inputs.maxBytes}.`);
}

/** A message as a command to the runner, in which a line break would end it. */
const escaped = (text) => text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");

if (process.argv[1] !== undefined && fs.realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  try {
    main(process.env);
  } catch (error) {
    console.log(`::error title=Sheaf::${escaped(error instanceof ActionError ? error.message : String(error.stack))}`);
    process.exitCode = 1;
  }
}
