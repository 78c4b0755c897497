// Checks the subjects of commits: at most 72 letters, beginning with a capital, no full stop. CONTRIBUTING.md has the rule.
//
//   node scripts/commits.mjs [BASE]      the commits since BASE; without it, since origin/main or the last tag
import { ask, main, root } from "./support.mjs";

const MOST = 72;

/** Why a subject breaks the rule, or null. Pure. */
export function subjectComplaint(subject) {
  if (/^(?:Merge|Revert) /.test(subject)) return null;
  const length = [...subject].length;
  if (length > MOST) return `${length} letters, at most ${MOST}`;
  if (!/^\p{Lu}/u.test(subject)) return "does not begin with a capital";
  if (subject.endsWith(".")) return "ends with a full stop";
  return null;
}

/** The problems of the commits since `base`, a line each; null where git does not know it. */
export function commitProblems(base) {
  const log = ask("git", ["log", "--no-merges", "--format=%h %s", `${base}..HEAD`], { cwd: root });
  return (
    log
      ?.split("\n")
      .filter((line) => line !== "")
      .flatMap((line) => {
        const [, hash, subject] = /^(\S+) (.*)$/.exec(line);
        const why = subjectComplaint(subject);
        return why === null ? [] : [`${hash}: ${why}: ${subject}`];
      }) ?? null
  );
}

main(import.meta.url, async () => {
  const base = process.argv[2] ?? "origin/main";
  const problems = commitProblems(base);
  if (problems === null) {
    console.error(`Git knows no ${base}. Name a commit: node scripts/commits.mjs BASE`);
    return 1;
  }
  for (const problem of problems) console.log(problem);
  return problems.length === 0 ? 0 : 1;
});
