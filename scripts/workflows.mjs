// Checks the workflows of .github and action.yml: every action by its commit, no stored credentials, no piped downloads.
//
// actionlint and zizmor know more. They come from the registries of Go and Python, so `npm run lint` runs them where they
// are installed, and the nightly workflow always does.
import fs from "node:fs";
import path from "node:path";
import { exists, root, run } from "./support.mjs";

const folder = path.join(".github", "workflows");

/** All workflows, and our own action. */
export function workflowFiles() {
  return [...fs.readdirSync(path.join(root, folder)).map((name) => path.join(folder, name)), "action.yml"];
}

/** What is wrong in the text of a workflow, a line each. Pure. */
export function workflowProblems(file, text) {
  const problems = [];
  const lines = text.split("\n");
  lines.forEach((line, at) => {
    const say = (why) => problems.push(`${file}:${at + 1}: ${why}`);
    const uses = /^\s*(?:- )?uses:\s*(\S+)(\s+# v\d\S*)?/.exec(line);
    if (uses !== null && !uses[1].startsWith("./")) {
      if (!/@[0-9a-f]{40}$/.test(uses[1])) say(`${uses[1]} is named by a tag or branch; name its commit`);
      else if (uses[2] === undefined) say(`${uses[1]} does not say which version the commit is (# v1.2.3)`);
      const step = lines.slice(
        at,
        at +
          1 +
          Math.max(
            0,
            lines.slice(at + 1).findIndex((next) => /^\s*- /.test(next)),
          ),
      );
      if (/^actions\/checkout@/.test(uses[1]) && !step.some((each) => /^\s+persist-credentials: false$/.test(each)))
        say("checkout keeps its credentials; add persist-credentials: false");
    }
    if (/\b(?:curl|wget)\b/.test(line)) say("downloads by curl or wget; use a package manager that checks a hash");
  });
  if (!/^permissions:/m.test(text) && file !== "action.yml") problems.push(`${file}:1: has no permissions of its own`);
  return problems;
}

/** The problems of all workflows, and who looked at them. */
export async function checkWorkflows() {
  const files = workflowFiles();
  const problems = files.flatMap((file) => workflowProblems(file, fs.readFileSync(path.join(root, file), "utf8")));
  const by = [];
  for (const [program, args] of [
    ["actionlint", ["-no-color"]],
    ["zizmor", ["--offline", "--quiet", "--no-progress", "--format=plain", folder, "action.yml"]],
  ]) {
    if (!exists(program)) continue;
    const { code, output } = await run(program, args, { log: `lint-${program}`, allowFailure: true });
    if (code !== 0) problems.push(...output.trim().split("\n"));
    by.push(program);
  }
  return { problems, checked: `${files.length} workflows${by.length > 0 ? ` (${by.join(", ")})` : ""}` };
}
