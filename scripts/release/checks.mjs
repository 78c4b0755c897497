// What must hold before a release is made: the versions agree, and, for one that is published, the owner's facts are
// known, the tree is clean and its commit carries the version's tag.
import fs from "node:fs";
import path from "node:path";
import { missingFacts } from "../owner.mjs";
import { ask } from "../support.mjs";

/** A heading of CHANGELOG.md for a version: `## 1.2.0`, or with its date behind it. */
const heading = (version) => new RegExp(`^## \\[?${version.replaceAll(".", "\\.")}\\]?(?= |$)`, "m");

/**
 * The commit of a tree: { commit, tags, changes }; `changes` are lines of `git status`. Undefined without git.
 * Ignored files do not count: build outputs are among them.
 */
export function gitState(root) {
  const git = (...args) => ask("git", args, { cwd: root })?.trimEnd();
  const commit = git("rev-parse", "HEAD");
  const changes = git("status", "--porcelain", "--untracked-files=normal");
  if (commit === undefined || changes === undefined) return undefined;
  return {
    commit,
    tags: git("tag", "--points-at", "HEAD")?.split("\n").filter(Boolean) ?? [],
    changes: changes.split("\n").filter(Boolean),
  };
}

/**
 * One line for each place of the tree at `root` that states another version of Sheaf or of the bundle format than
 * package.json and src/bundle/format.h.
 */
export function versionProblems(root) {
  const text = (name) => fs.readFileSync(path.join(root, name), "utf8");
  const json = (name) => JSON.parse(text(name));
  const { version } = json("package.json");
  const lock = json("package-lock.json");
  const server = json("server.json");
  const stated = [
    ["package-lock.json", lock.version],
    ['package-lock.json, packages[""]', lock.packages[""].version],
    ["server.json", server.version],
    ...server.packages.map((each) => [`server.json, package ${each.registryType}`, each.version]),
  ];
  const problems = stated
    .filter(([, found]) => found !== version)
    .map(([place, found]) => `${place} says version ${found}; package.json says ${version}`);
  if (!/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version)) problems.push(`package.json: ${version} is no semantic version`);
  if (!heading(version).test(text("CHANGELOG.md")) && !/^## Unreleased$/m.test(text("CHANGELOG.md")))
    problems.push(`CHANGELOG.md has neither a heading "## ${version}" nor "## Unreleased"`);
  return [...problems, ...formatProblems(root, text)];
}

function formatProblems(root, text) {
  const format = /kFormatVersion = (\d+)/.exec(text("src/bundle/format.h"))?.[1];
  if (format === undefined) return ["src/bundle/format.h states no kFormatVersion"];
  const documented = /format version (\d+)/.exec(text("docs/format.md").split("\n")[0])?.[1];
  return [
    ...(documented === format
      ? []
      : [`docs/format.md is about format version ${documented}; src/bundle/format.h says ${format}`]),
    ...(fs.existsSync(path.join(root, "tests", "golden", `v${format}`))
      ? []
      : [`tests/golden/v${format} is missing: there is no file of format version ${format} to keep reading`]),
  ];
}

/** One line for each thing that keeps a release of the tree at `root` from being published. */
export function publishingProblems(root, owner) {
  const { version } = JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8"));
  const git = gitState(root);
  const problems = [...versionProblems(root), ...missingFacts(owner).map((line) => `owner.json lacks ${line}`)];
  if (!heading(version).test(fs.readFileSync(path.join(root, "CHANGELOG.md"), "utf8")))
    problems.push(`CHANGELOG.md has no heading "## ${version}"; rename "## Unreleased"`);
  if (git === undefined) return [...problems, "the tree is no git repository, so its commit is unknown"];
  if (git.changes.length > 0) problems.push(`the tree differs from its commit:\n      ${git.changes.join("\n      ")}`);
  if (!git.tags.includes(`v${version}`))
    problems.push(`commit ${git.commit.slice(0, 12)} has no tag v${version}; tag it: git tag -s v${version}`);
  return problems;
}
