// Formats and lints C++, TypeScript, scripts and workflows, and checks the prose of documents and messages, and
// that regular expressions are linear (regexes.mjs).
//
//   npm run format              formats the tree: clang-format 14 (.clang-format), Biome (biome.json)
//   npm run lint                reports unformatted files and the findings of Biome, clang-tidy (.clang-tidy) and prose.mjs; minutes
//   npm test -- --only=lint     the same, but clang-tidy reads only C++ files changed since the last commit; seconds
//
// clang-format and clang-tidy are Debian's clang-format-14 and clang-tidy-14: other versions format slightly
// differently. clang-tidy takes the compile commands from build/native, so build first.
import fs from "node:fs";
import path from "node:path";
import { prose } from "./prose.mjs";
import { Failure, ask, exists, jobs, main, root, run, say, step } from "./support.mjs";
import { checkWorkflows } from "./workflows.mjs";

const ROOMS = ["src", "packer", "wasm", "tests"];
const CPP = /\.(cc|c|h)$/;

/** All our C++ files, sorted. Generated tables are .inc files and so left out. */
export function cppFiles() {
  return ROOMS.flatMap(
    (room) =>
      fs
        .readdirSync(path.join(root, room), { withFileTypes: true, recursive: true })
        .filter((entry) => entry.isFile() && CPP.test(entry.name))
        .map((entry) => path.relative(root, path.join(entry.parentPath ?? entry.path, entry.name)))
        .filter((file) => !/\/(node_modules|\.[^/]+)\//.test(file)), // packages, and what `node tests/distributed/scale.mjs` unpacks
  ).sort();
}

/**
 * Whether clang-tidy reads a file: build/native has compile commands for src/ and packer/; headers are
 * read with their includers.
 */
const isTidied = (file) => /^(src|packer)\/.*\.cc$/.test(file);

/** The C++ files that differ from the last commit, untracked ones too; all of them where there is no git. */
function changedFiles() {
  const listed = [
    ["diff", "--name-only", "--diff-filter=d", "HEAD"],
    ["ls-files", "--others", "--exclude-standard"],
  ].map((args) => ask("git", args, { cwd: root }));
  if (listed.includes(null)) return cppFiles();
  const names = new Set(listed.join("\n").split("\n"));
  return cppFiles().filter((file) => names.has(file));
}

/** The changed files that clang-tidy reads. */
export const changedAndTidied = () => changedFiles().filter(isTidied);

/** The compile commands of build/native, one for each file of ours, without precompiled headers, which are g++'s. */
function tidyCommands() {
  const commands = fs.readFileSync(path.join(root, "build", "native", "compile_commands.json"), "utf8");
  return JSON.parse(commands.replaceAll(/ -Winvalid-pch -include \S+cmake_pch\.hxx/g, "")).flatMap((entry) => {
    if (!/\/Unity\/unity_\w+\.cxx$/.test(entry.file)) return [entry];
    const together = fs.readFileSync(entry.file, "utf8").matchAll(/^#include "(.+)"$/gm);
    return [...together].map(([, file]) => ({ ...entry, file, command: entry.command.replaceAll(entry.file, file) }));
  });
}

function tool(name) {
  const found = [`${name}-14`, name].find(exists);
  if (found === undefined) throw new Failure(`${name} is missing: install Debian's ${name}-14.`);
  return found;
}

const biome = path.join(root, "node_modules", "@biomejs", "biome", "bin", "biome");

/** Runs `work` on pieces of `list`, several in parallel. */
async function inPieces(list, size, work) {
  const pieces = [];
  for (let at = 0; at < list.length; at += size) pieces.push(list.slice(at, at + size));
  const results = new Array(pieces.length);
  let next = 0;
  const worker = async () => {
    while (next < pieces.length) {
      const mine = next++;
      results[mine] = await work(pieces[mine], mine);
    }
  };
  await Promise.all(Array.from({ length: jobs() }, worker));
  return results;
}

/** The lines that name a file, a position and what is wrong there. */
const complaints = (output) =>
  output.split("\n").filter((line) => /(?:^|\/)[\w./-]+:\d+:\d+:? /.test(line) && !line.includes(": note: "));

/**
 * Checks everything, changes nothing. With `all`, clang-tidy reads every file. Returns { checked, problems }: what
 * was checked, and one line per problem.
 */
export async function lint({ all }) {
  const problems = [];
  const checked = [];
  const files = cppFiles();
  await step("clang-format", async () => {
    const { code, output } = await run(tool("clang-format"), ["--dry-run", "--Werror", ...files], {
      log: "lint-clang-format",
      allowFailure: true,
    });
    if (code !== 0)
      problems.push(
        ...[...new Set(complaints(output).map((line) => line.split(":")[0]))].map(
          (file) => `${file}: not formatted (npm run format)`,
        ),
      );
    checked.push(`${files.length} C++ files formatted`);
  });
  await step("Workflows", async () => {
    const workflows = await checkWorkflows();
    problems.push(...workflows.problems);
    checked.push(workflows.checked);
  });
  await step("Prose", () => {
    problems.push(...prose());
    checked.push("prose of documents and messages");
  });
  await step("Regular expressions", async () => {
    // Imported only here: it needs packages of npm, and this file is loaded before they are installed.
    const { checkRegexes } = await import("./regexes.mjs");
    const regexes = checkRegexes();
    problems.push(...regexes.problems);
    checked.push(regexes.checked);
  });
  await step("Biome", async () => {
    const { code, output } = await run(
      process.execPath,
      [biome, "check", "--reporter=github", "--max-diagnostics=none", "--error-on-warnings"],
      { log: "lint-biome", allowFailure: true },
    );
    const lines = output.split("\n").filter((line) => line.startsWith("::"));
    for (const line of lines) {
      const [, title, file, at, message] = /title=([^,]*),file=([^,]*),line=(\d+).*?::(.*)$/.exec(line) ?? [];
      if (file !== undefined) problems.push(`${path.relative(root, file)}:${at}: ${message} (${title})`);
    }
    if (code !== 0 && lines.length === 0)
      problems.push(`Biome failed: ${output.trim().split("\n").slice(-3).join(" ")}`);
    checked.push(/Checked \d+ files?/.exec(output)?.[0].replace("Checked", "Biome checked") ?? "Biome");
  });
  const tidied = all ? files.filter(isTidied) : changedAndTidied();
  if (tidied.length > 0) {
    await step(`clang-tidy (${tidied.length} files)`, async () => {
      if (!fs.existsSync(path.join(root, "build", "native", "compile_commands.json")))
        throw new Failure("clang-tidy needs a configured build: npm run build");
      const folder = path.join(root, "build", "tidy");
      fs.mkdirSync(folder, { recursive: true });
      fs.writeFileSync(path.join(folder, "compile_commands.json"), JSON.stringify(tidyCommands()));
      const results = await inPieces(tidied, 4, (piece, i) =>
        run(tool("clang-tidy"), ["--quiet", "-p", folder, ...piece], {
          log: `lint-clang-tidy-${i}`,
          allowFailure: true,
        }),
      );
      for (const { code, output } of results) {
        const found = complaints(output).map((line) => line.replace(`${root}/`, ""));
        problems.push(...found);
        if (code !== 0 && found.length === 0)
          problems.push(`clang-tidy failed: ${output.trim().split("\n").slice(-3).join(" ")}`);
      }
    });
  }
  checked.push(`clang-tidy read ${tidied.length} of ${files.filter(isTidied).length} files`);
  return { checked, problems: [...new Set(problems)] };
}

/** Formats the tree. */
export async function format() {
  await step("clang-format", () =>
    run(tool("clang-format"), ["-i", ...cppFiles()], { log: "format-clang-format" }).then(() => undefined),
  );
  await step("Biome", () =>
    run(process.execPath, [biome, "format", "--write"], { log: "format-biome" }).then(() => undefined),
  );
}

main(import.meta.url, async () => {
  const [flag, ...more] = process.argv.slice(2);
  if (more.length > 0 || (flag !== undefined && flag !== "--write"))
    throw new Failure("scripts/lint.mjs takes --write or nothing.");
  if (flag === "--write") return format();
  const { checked, problems } = await lint({ all: true });
  for (const problem of problems) console.log(problem);
  say(`  ${checked.join(", ")}: ${problems.length === 0 ? "all is well" : `${problems.length} problems`}`);
  return problems.length === 0 ? 0 : 1;
});
