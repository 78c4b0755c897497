// Makes everything that a release consists of, from a clean clone, in build/release. It publishes nothing: it ends with
// the commands that would, which docs/releasing.md explains.
//
//   node scripts/release.mjs                 everything; a dry run where the owner's facts are missing (owner.json)
//   node scripts/release.mjs --check         builds nothing: what keeps this commit from being published; exit code 1 if
//                                            there is something
//   node scripts/release.mjs --complete      exit code 1 when it lacks something
//   node scripts/release.mjs --allow-dirty   also from a tree that differs from its commit
//   node scripts/release.mjs --built         of what is built already, for trying this script
//
// The same commit, Node, npm and compilers give the same bytes, wherever the clone is: no output holds a path, or a time
// but the commit's.
import fs from "node:fs";
import path from "node:path";
import { bootstrap } from "./bootstrap.mjs";
import { sources } from "./fetch_sources.mjs";
import { missingFacts, readOwner } from "./owner.mjs";
import { gitState, publishingProblems, versionProblems } from "./release/checks.mjs";
import * as outputs from "./release/outputs.mjs";
import { builderId, checksums, provenance, sha256Of } from "./release/provenance.mjs";
import { publishingCommands, releaseNotes } from "./release/publishing.mjs";
import { Failure, ask, main, root, say, step } from "./support.mjs";

const out = path.join(root, "build", "release");

const listed = (lines) => lines.map((line) => `    ${line}`).join("\n");

/** Where else the bytes come from: the pinned sources and the lock file. */
function materials() {
  const archives = sources.flatMap(({ package: name, version, files }) =>
    Object.entries(files).map(([archive, sha256]) => ({
      uri: `pkg:deb/debian/${name}@${encodeURIComponent(version)}?arch=source#${archive}`,
      sha256,
    })),
  );
  return [...archives, { uri: "package-lock.json", sha256: sha256Of(path.join(root, "package-lock.json")) }];
}

/** The tools whose versions show in the bytes. */
function tools() {
  const npm = ask("npm", ["--version"])?.trim();
  const emscripten = readEmscripten();
  return { node: process.versions.node, ...(npm ? { npm } : {}), ...(emscripten ? { emscripten } : {}) };
}

function readEmscripten() {
  const cache = path.join(root, "build", "wasm", "CMakeCache.txt");
  if (!fs.existsSync(cache)) return undefined;
  const folder = /^SHEAF_EMSCRIPTEN:INTERNAL=(.+)$/m.exec(fs.readFileSync(cache, "utf8"))?.[1];
  const file = folder === undefined ? undefined : path.join(folder, "emscripten-version.txt");
  return file && fs.existsSync(file) ? fs.readFileSync(file, "utf8").replaceAll('"', "").trim() : undefined;
}

/** Throws a Failure for what no release may have, not even a dry one. */
function sourceOf(version, owner, allowDirty) {
  const problems = versionProblems(root);
  if (problems.length > 0) throw new Failure(`The versions do not agree:\n${listed(problems)}`);
  const git = gitState(root);
  if (git === undefined)
    throw new Failure("A release is made of a commit, and git knows none here. Clone the repository.");
  if (git.changes.length > 0 && !allowDirty)
    throw new Failure(
      `The tree differs from its commit:\n${listed(git.changes)}\nCommit, or try what you have with --allow-dirty.`,
    );
  return { repository: owner.repository, commit: git.commit, changes: git.changes.length, version };
}

async function check(owner) {
  const problems = publishingProblems(root, owner);
  if (problems.length === 0) say("  This commit can be published.");
  else say(`  This commit cannot be published:\n${listed(problems)}`);
  return problems.length === 0 ? 0 : 1;
}

async function makeAll(release) {
  const { owner, lacking, files } = release;
  fs.rmSync(out, { recursive: true, force: true });
  fs.mkdirSync(out, { recursive: true });
  const parts = [
    ["Native packages", outputs.nativePackages],
    ["npm package", outputs.npmPackage],
    ["Wheel", outputs.wheel],
    ["Debian packages", outputs.debian],
    ["MCP server", outputs.mcpFiles],
    ["Notices and bill of materials", outputs.papers],
  ];
  for (const [title, make] of parts) await step(title, async () => void files.push(...(await make(release))));
  const statement = provenance({
    files,
    source: release.source,
    materials: materials(),
    tools: tools(),
    builder: builderId(),
  });
  const provenanceFile = path.join(out, `sheaf-${release.version}.provenance.json`);
  fs.writeFileSync(provenanceFile, `${JSON.stringify(statement, undefined, 2)}\n`);
  files.push(provenanceFile);
  fs.writeFileSync(path.join(out, "SHA256SUMS"), checksums(files));
  const changelog = fs.readFileSync(path.join(root, "CHANGELOG.md"), "utf8");
  fs.writeFileSync(path.join(out, "notes.md"), releaseNotes(changelog, release.version));
  lacking.push(...missingFacts(owner).map((line) => `owner.json has no ${line}`));
}

main(import.meta.url, async () => {
  const { version } = JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8"));
  const owner = readOwner();
  if (process.argv.includes("--check")) return check(owner);
  const source = sourceOf(version, owner, process.argv.includes("--allow-dirty"));
  if (!process.argv.includes("--built")) {
    await bootstrap("release");
    await step("Building the native packers", outputs.buildNatives);
  }
  const release = { out, owner, version, source, lacking: [], files: [] };
  await makeAll(release);
  const { files } = release;
  say(`\n  ${path.relative(process.cwd(), out) || "."}`);
  for (const file of files)
    say(`    ${path.basename(file).padEnd(44)}${String(fs.statSync(file).size).padStart(10)} bytes`);
  if (release.lacking.length > 0) say(`\n  It lacks\n${listed(release.lacking)}`);
  const names = files.map((file) => path.basename(file));
  say(`\n  Nothing is published. These commands would do it (docs/releasing.md):\n`);
  for (const line of publishingCommands(names, version, owner)) say(`    ${line}`);
  return process.argv.includes("--complete") && release.lacking.length > 0 ? 1 : 0;
});
