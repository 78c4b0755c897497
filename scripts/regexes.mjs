// Finds the regular expressions of web/ and extension/ whose work grows faster than their input.
//
//   node scripts/regexes.mjs      `npm run lint` runs it, too
//
// Idea: a matcher of its own backtracks as browsers' do, and counts its steps, so the verdict is the same on every machine. Each
// expression is tried on inputs derived from it: what leads to a loop, what the loop repeats, so many times, and an end that
// fails. Where the steps for 2n and 4n letters grow as n², it is slow. Counts of repetition above CAP are taken for CAP: they
// bound the work, and the inputs are short.
//
// An expression that no input here shows may be slow all the same; the ones that are found are.
//
// Rule: an expression over unbounded input is linear. One whose input is bounded stands in BOUNDED, with the bound.
//
// Ways to make one linear: trimEnd() for `\\s+$`; `(?<!x)x+$`, which begins at the first x alone; the flag s for `.*$`; no two
// loops side by side that take the same letters; `[^<>]*` in place of `[^>]*` behind `<`.
import fs from "node:fs";
import path from "node:path";
import { RegExpParser } from "@eslint-community/regexpp";
import { parse } from "acorn";
import { transformSync } from "esbuild";
import { main, root, say } from "./support.mjs";

/** Slow ones whose input is short: each with who bounds it. */
export const BOUNDED = [
  {
    file: "web/browser/convert/api/model.ts",
    expression: "/^[ \\t]*\\r?\\n?[ \\t]*$/",
    bound: "400 letters, cut where it is called",
  },
  {
    file: "web/browser/convert/asciidoc.ts",
    expression: "/^= +(.+?)\\s*$/m",
    bound: "the first 4,096 bytes of a page",
  },
  {
    file: "web/browser/ui/scope/sources.ts",
    expression: "/[^/]+-[0-9a-f]{12}\\.sheaf$/",
    bound: "an address that the site's own page or list gives",
  },
  { file: "web/browser/ui/state/links.ts", expression: "/[\\s,&]+$/", bound: "a few words of a snippet" },
  { file: "web/node/base/terminal.ts", expression: "/\\B(?=(\\d{3})+$)/g", bound: "the digits of a number" },
  {
    file: "web/node/site/library_name.ts",
    expression: "/^site_name:[ \\t]*([\"']?)([^\\n#]*?)\\1[ \\t]*(?:#.*)?$/m",
    bound: "a line of the site's own mkdocs.yml, which its owner writes",
  },
];

const FOLDERS = ["web", "extension/src"];
const CAP = 8;
/** Each doubling counts, from these on. */
const SIZES = [48, 96];
/** More for so few letters is a power above the square. */
const MOST_STEPS = 200_000;
/** Steps for each pair of letters, from which on growth counts as a square. */
const SQUARE = 0.1;
const LETTERS = [..."a ", "\n", ..."0.-_<>/\"'`=:,;#*[](){}|\\&@!%+~^$?A\t", "é", "中", "\u0000"];
const ENDS = ["\u0001", "", "\n\u0001"];

// ---- where they are ------------------------------------------------------------------------------------

/** The regular expressions of a source text: literals, and those that RegExp() is given as text. Pure. */
export function expressionsOf(text) {
  const { code } = transformSync(text, { loader: "ts", target: "esnext", charset: "utf8" });
  const found = [];
  const walk = (node) => {
    if (Array.isArray(node)) return node.forEach(walk);
    if (node === null || typeof node?.type !== "string") return undefined;
    if (node.regex) found.push({ source: node.regex.pattern, flags: node.regex.flags });
    if (
      /^(New|Call)Expression$/.test(node.type) &&
      node.callee.name === "RegExp" &&
      typeof node.arguments[0]?.value === "string"
    )
      found.push({ source: node.arguments[0].value, flags: node.arguments[1]?.value ?? "" });
    return Object.values(node).forEach(walk);
  };
  walk(parse(code, { ecmaVersion: "latest", sourceType: "module" }));
  return found;
}

// ---- a matcher that counts -------------------------------------------------------------------------------

class TooMany extends Error {}

/** Compiles a node to (at, next) => boolean, in continuation-passing style; `back`: it is read towards the front. */
function compile(node, run, back) {
  const step = (test) => (at, next) => {
    if (++run.steps > run.most) throw new TooMany();
    return test(at, next);
  };
  switch (node.type) {
    case "Alternative":
      return sequence(back ? node.elements.toReversed() : node.elements, run, back);
    case "Pattern":
    case "Group":
      return choice(node.alternatives, run, back);
    case "CapturingGroup": {
      const inner = choice(node.alternatives, run, back);
      return (at, next) =>
        inner(at, (end) => {
          const before = run.groups.get(node);
          run.groups.set(node, back ? [end, at] : [at, end]);
          return next(end) || (run.groups.set(node, before), false);
        });
    }
    case "Assertion":
      return step(assertion(node, run, back));
    case "Backreference":
      return step((at, next) => {
        const group = Array.isArray(node.resolved) ? node.resolved[0] : node.resolved;
        const [from, to] = run.groups.get(group) ?? [0, 0];
        const start = back ? at - (to - from) : at;
        for (let i = 0; i < to - from; i++) if (run.text[start + i] !== run.text[from + i]) return false;
        return next(back ? start : at + to - from);
      });
    case "Quantifier":
      return repetition(node, run, back);
    default: {
      const holds = letterTest(node.raw, run.flags);
      return step((at, next) => {
        const place = back ? at - 1 : at;
        return place >= 0 && place < run.text.length && holds(run.text[place]) && next(back ? at - 1 : at + 1);
      });
    }
  }
}

function sequence(elements, run, back) {
  const parts = elements.map((each) => compile(each, run, back));
  const from = (index, next) => (index === parts.length ? next : (at) => parts[index](at, from(index + 1, next)));
  return (at, next) => from(0, next)(at);
}

function choice(alternatives, run, back) {
  const parts = alternatives.map((each) => compile(each, run, back));
  return parts.length === 1 ? parts[0] : (at, next) => parts.some((part) => part(at, next));
}

function assertion(node, run, back) {
  if (node.kind === "lookahead" || node.kind === "lookbehind") {
    const inner = choice(node.alternatives, run, node.kind === "lookbehind");
    return (at, next) => inner(at, () => true) !== node.negate && next(at);
  }
  const isBreak = (letter) => letter === "\n" || letter === "\r" || letter === "\u2028" || letter === "\u2029";
  const isWord = (letter) => letter !== undefined && /\w/.test(letter);
  const many = run.flags.includes("m");
  return (at, next) => {
    const [before, after] = [run.text[at - 1], run.text[at]];
    const holds =
      node.kind === "start"
        ? at === 0 || (many && isBreak(before))
        : node.kind === "end"
          ? at === run.text.length || (many && isBreak(after))
          : (isWord(before) !== isWord(after)) !== node.negate;
    return holds && next(at);
  };
}

function repetition(node, run, back) {
  const one = compile(node.element, run, back);
  const least = Math.min(node.min, CAP);
  const most = node.max === Infinity ? Infinity : Math.min(node.max, CAP);
  const again = (count, at, next) => {
    if (++run.steps > run.most) throw new TooMany();
    const more = () =>
      count < most && one(at, (end) => (end === at && count >= least ? false : again(count + 1, end, next)));
    if (count < least) return more();
    return node.greedy ? more() || next(at) : next(at) || more();
  };
  return (at, next) => again(0, at, next);
}

const tests = new Map();
function letterTest(raw, flags) {
  const key = `${flags.replace(/[gyd]/g, "")}/${raw}`;
  let known = tests.get(key);
  if (known === undefined) {
    const expression = new RegExp(`^(?:${raw})$`, flags.replace(/[gydm]/g, ""));
    const answers = new Map();
    known = (letter) => {
      let answer = answers.get(letter);
      if (answer === undefined) answers.set(letter, (answer = expression.test(letter)));
      return answer;
    };
    tests.set(key, known);
  }
  return known;
}

/** Steps of finding all matches in the text; Infinity above `most`. */
function stepsOf(pattern, flags, text, most) {
  const run = { text: [...text], flags, steps: 0, most, groups: new Map() };
  const matches = compile(pattern, run, false);
  try {
    for (let at = 0; at <= run.text.length; ) {
      let end;
      run.groups.clear();
      const found = matches(at, (place) => ((end = place), true));
      if (flags.includes("y")) break; // it looks at one place
      at = found && end > at ? end : at + 1;
    }
  } catch (error) {
    if (error instanceof TooMany || error instanceof RangeError) return Infinity;
    throw error;
  }
  return run.steps;
}

// ---- inputs ----------------------------------------------------------------------------------------------

/** A short text that the node matches, more or less. */
function sample(node, flags, variant = 0) {
  switch (node.type) {
    case "Alternative":
      return node.elements.map((each) => sample(each, flags, variant)).join("");
    case "Pattern":
    case "Group":
    case "CapturingGroup":
      return sample(node.alternatives[variant % node.alternatives.length], flags, variant);
    case "Quantifier":
      return sample(node.element, flags, variant).repeat(Math.max(1, Math.min(node.min, CAP)));
    case "Assertion":
    case "Backreference":
      return "";
    case "Character":
      return String.fromCodePoint(node.value);
    default: {
      const letters = LETTERS.filter(letterTest(node.raw, flags));
      return letters.length === 0 ? "" : letters[variant % letters.length];
    }
  }
}

/** Every loop without a bound, with the text that leads to it. */
function loopsOf(node, flags, before = "") {
  if (node.type === "Alternative") {
    let lead = before;
    return node.elements.flatMap((each) => {
      const found = loopsOf(each, flags, lead);
      lead += sample(each, flags);
      return found;
    });
  }
  if (node.alternatives) return node.alternatives.flatMap((each) => loopsOf(each, flags, before));
  if (node.type !== "Quantifier") return [];
  const own = node.max > CAP ? [{ body: node.element, before }] : [];
  return [...own, ...loopsOf(node.element, flags, before)];
}

/** [what leads there, what is repeated] for each try. */
function triesOf(pattern, flags) {
  const tries = new Map();
  const add = (lead, pump) => pump !== "" && tries.set(`${lead}\u0002${pump}`, [lead, pump]);
  const whole = sample(pattern, flags);
  for (const { body, before } of loopsOf(pattern, flags)) {
    for (let variant = 0; variant < 4; variant++) {
      const pump = sample(body, flags, variant);
      add("", pump);
      add(before, pump);
      if (before !== "") add("", before + (variant === 0 ? "" : pump));
    }
    const first = sample(body, flags);
    const other = LETTERS.find((letter) => letterTest("\\s", "")(letter) !== letterTest("\\s", "")(first.slice(-1)));
    add(before, first + other);
  }
  add("", whole);
  return [...tries.values()];
}

/** An input that shows that the expression is slow, or undefined. Pure. */
export function slowInput({ source, flags }) {
  const pattern = new RegExpParser().parsePattern(source, 0, source.length, {
    unicode: flags.includes("u"),
    unicodeSets: flags.includes("v"),
  });
  for (const [lead, pump] of triesOf(pattern, flags))
    for (const end of ENDS) {
      const stepsAt = (size) =>
        stepsOf(pattern, flags, lead + pump.repeat(Math.ceil(size / pump.length)) + end, MOST_STEPS);
      let steps = stepsAt(SIZES[0]);
      const isSlow = SIZES.every((size) => {
        const before = steps;
        steps = before === Infinity ? Infinity : stepsAt(2 * size);
        return steps === Infinity || steps - 2 * before > 2 * SQUARE * size * size;
      });
      if (isSlow) return { lead, pump, end };
    }
  return undefined;
}

// ---- the tree --------------------------------------------------------------------------------------------

export function sources() {
  return FOLDERS.flatMap((folder) =>
    fs
      .readdirSync(path.join(root, folder), { recursive: true })
      .map((name) => `${folder}/${name.replaceAll(path.sep, "/")}`)
      .filter((name) => /\.(ts|mts|js|mjs)$/.test(name) && !/\.d\.m?ts$|\/node_modules\//.test(name))
      .sort(),
  );
}

const written = ({ source, flags }) => `/${source}/${flags}`;

/** Every slow expression of the tree: { file, expression, input }. */
export function slowExpressions() {
  const verdicts = new Map();
  const slow = [];
  let count = 0;
  for (const file of sources())
    for (const each of expressionsOf(fs.readFileSync(path.join(root, file), "utf8"))) {
      const expression = written(each);
      if (!verdicts.has(expression)) verdicts.set(expression, slowInput(each));
      const input = verdicts.get(expression);
      count++;
      if (input !== undefined) slow.push({ file, expression, input });
    }
  return { slow, count };
}

/** What breaks the rule, a line each, and what was looked at. */
export function checkRegexes() {
  const { slow, count } = slowExpressions();
  const known = (entry) => BOUNDED.find((each) => each.file === entry.file && each.expression === entry.expression);
  const problems = slow
    .filter((entry) => known(entry) === undefined)
    .map(
      ({ file, expression, input: { lead, pump, end } }) =>
        `${file}: ${expression} is slow: ${JSON.stringify(lead)}, many ${JSON.stringify(pump)}, ${JSON.stringify(end)}; make it linear, or name the bound of its input in scripts/regexes.mjs`,
    );
  for (const entry of BOUNDED)
    if (!slow.some((each) => each.file === entry.file && each.expression === entry.expression))
      problems.push(`scripts/regexes.mjs: ${entry.file} has no slow ${entry.expression} any more; remove the line`);
  return { problems, checked: `${count} regular expressions, ${BOUNDED.length} slow ones over bounded input` };
}

main(import.meta.url, async () => {
  const { problems, checked } = checkRegexes();
  for (const problem of problems) console.log(problem);
  const { user, system } = process.cpuUsage();
  say(`  ${checked}: ${problems.length} problems, ${((user + system) / 1e6).toFixed(1)} s of processor time`);
  return problems.length === 0 ? 0 : 1;
});
