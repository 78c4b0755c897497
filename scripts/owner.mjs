// What only the owner of the project knows: who answers for it, and where it lives.
//
//   node scripts/owner.mjs     which facts owner.json lacks, and what a release lacks for it
//
// owner.json is the one place of these facts. Nothing else in the tree repeats them: pages that need an address say
// OWNER/sheaf, and the release fills in package.json, server.json, the wheel, the .deb and the rest.
//
//   field        form                                              default
//   author       { "name": "…", "email": "…" }
//   repository   "https://github.com/OWNER/sheaf"
//   homepage     an https address                                  the repository's page
//   bugs         an https address                                  the repository's issues
//   npmScope     "@scope", of the optional native packages
//   mcpName      "io.github.OWNER/sheaf"                           from a repository on GitHub
import fs from "node:fs";
import path from "node:path";
import { Failure, main, root, say } from "./support.mjs";

/** How pages and server.json spell the repository until the owner says where it is. */
export const PLACEHOLDER = "OWNER/sheaf";

const https = /^https:\/\/[^\s/]+\/\S*[^\s/]$/;

const FIELDS = {
  author: {
    form: '{ "name": "…", "email": "…" }',
    fits: (value) =>
      typeof value === "object" &&
      Object.keys(value).sort().join() === "email,name" &&
      /^[^<>\r\n]+$/.test(value.name) &&
      /^[^\s<>@]+@[^\s<>@]+$/.test(value.email),
    needs: ["author in package.json and the .mcpb", "Maintainer of the .deb", "author of the wheel"],
  },
  repository: {
    form: `"https://github.com/${PLACEHOLDER}", without a slash or .git at its end`,
    fits: (value) => typeof value === "string" && https.test(value) && !value.endsWith(".git"),
    needs: [
      "repository, homepage and bugs in package.json, without which npm refuses --provenance",
      "the name in server.json, and mcpName in package.json (from GitHub's)",
      "links of the wheel, the .deb and the bill of materials",
      "the source in the provenance",
    ],
  },
  homepage: { form: '"https://…"', fits: (value) => typeof value === "string" && https.test(value), needs: [] },
  bugs: { form: '"https://…"', fits: (value) => typeof value === "string" && https.test(value), needs: [] },
  npmScope: {
    form: '"@scope"',
    fits: (value) => /^@[a-z0-9][a-z0-9._-]*$/.test(value),
    needs: ["the names of the native packages, and so optionalDependencies in package.json"],
  },
  mcpName: {
    form: '"io.github.OWNER/sheaf"',
    fits: (value) => /^[A-Za-z0-9.-]+\/[A-Za-z0-9._-]+$/.test(value),
    needs: ["the name in server.json, and mcpName in package.json"],
  },
};

/**
 * The facts of `file`, with defaults where others imply them: { author, repository, homepage, bugs, npmScope, mcpName },
 * each null if it is not known. Throws a Failure that names the field that has the wrong form.
 */
export function readOwner(file = path.join(root, "owner.json")) {
  const given = JSON.parse(fs.readFileSync(file, "utf8"));
  const name = path.basename(file);
  for (const [key, value] of Object.entries(given)) {
    if (key === "about") continue;
    if (!Object.hasOwn(FIELDS, key))
      throw new Failure(`${name}: there is no field ${key}; expected some of ${Object.keys(FIELDS).join(", ")}.`);
    if (value !== null && !FIELDS[key].fits(value))
      throw new Failure(`${name}: ${key} is ${JSON.stringify(value)}; expected ${FIELDS[key].form}, or null.`);
  }
  const { author = null, repository = null, npmScope = null } = given;
  const onGitHub = /^https:\/\/github\.com\/([^/]+)\/([^/]+)$/.exec(repository ?? "");
  return {
    author,
    repository,
    homepage: given.homepage ?? (repository === null ? null : `${repository}#readme`),
    bugs: given.bugs ?? (repository === null ? null : `${repository}/issues`),
    npmScope,
    mcpName: given.mcpName ?? (onGitHub === null ? null : `io.github.${onGitHub[1]}/${onGitHub[2]}`),
  };
}

/** One line for each fact that is missing and has no default: `field (form): what lacks it`. */
export function missingFacts(owner) {
  return Object.keys(FIELDS)
    .filter((key) => owner[key] === null && FIELDS[key].needs.length > 0)
    .filter((key) => key !== "mcpName" || owner.repository !== null) // one on GitHub implies it
    .map((key) => `${key} (${FIELDS[key].form}): ${FIELDS[key].needs.join("; ")}`);
}

/** The fields of a package.json that the owner's facts give; those that are unknown are left out. */
export function manifestFields({ author, repository, homepage, bugs }) {
  return {
    ...(author === null ? {} : { author: { name: author.name, email: author.email } }),
    ...(repository === null ? {} : { repository: { type: "git", url: `git+${repository}.git` } }),
    ...(homepage === null ? {} : { homepage }),
    ...(bugs === null ? {} : { bugs: { url: bugs } }),
  };
}

/** `text` with the owner's repository in place of OWNER/sheaf; the text itself while it is unknown. */
export function withRepository(text, { repository }) {
  if (repository === null) return text;
  return text
    .replaceAll(`https://github.com/${PLACEHOLDER}`, repository)
    .replaceAll(PLACEHOLDER, new URL(repository).pathname.slice(1));
}

main(import.meta.url, async () => {
  const missing = missingFacts(readOwner());
  if (missing.length === 0) say("  owner.json lacks nothing");
  else say(`  owner.json lacks\n${missing.map((line) => `    ${line}`).join("\n")}`);
});
