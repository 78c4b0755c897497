// Checks the prose of documents and messages: sentences that are too long, and constructions that hide who does what.
//
//   node scripts/prose.mjs [FILE …]      problems, a line each; without files, all of them
//
// A sentence has at most MOST_WORDS words; code counts as one, parentheses do not count. It has a subject that names the thing:
// not "what", "who", "whoever", "that which" or "nothing". Questions may begin as they like. CONTRIBUTING.md has the rule.
import fs from "node:fs";
import path from "node:path";
import { ask, main, root } from "./support.mjs";

export const MOST_WORDS = 35;

/** Subjects and objects that name nothing. */
const CONSTRUCTIONS = [
  [/^(?:What|Whatever|Who|Whoever|Nothing|Nobody|That which|Those who)\b/, "names its subject only by a pronoun"],
  [/\b(?:by|to|for|from|of|with) (?:who|whoever|whom it may)\b/, "names a person only by a pronoun"],
  [/\bthat which\b/i, '"that which" names no thing'],
];

/** Messages that a contract prescribes to the letter, so that no rule of ours may change them. */
const CONTRACTS = new Set([
  "No changes detected. Nothing to update.", // OpenGround: `update`
]);

/** Points that end no sentence. */
const ABBREVIATION = /\b(?:e\.g|i\.e|cf|vs|etc|no|pp?)\.$/i;

/** The sentences of a plain text, in order. */
function sentences(text) {
  const found = [];
  for (const part of text.split(/(?<=[.!?]["')\]*_]*)\s+|\n{2,}/u)) {
    if (found.length > 0 && ABBREVIATION.test(found.at(-1))) found.push(`${found.pop()} ${part}`);
    else found.push(part);
  }
  return found.map((sentence) => sentence.replace(/\s+/g, " ").trim()).filter((sentence) => /\p{L}/u.test(sentence));
}

/** Why a sentence is hard to read, or null. Pure. */
export function complaintOf(sentence) {
  const words = sentence
    .replace(/\([^()]*\)/g, "")
    .split(/\s+/)
    .filter((word) => /[\p{L}\d]/u.test(word)).length;
  if (words > MOST_WORDS) return `${words} words, at most ${MOST_WORDS}`;
  if (sentence.endsWith("?")) return null;
  return CONSTRUCTIONS.find(([form]) => form.test(sentence))?.[1] ?? null;
}

/** The paragraphs of a Markdown document as { line, text }: no code, no tables, no headings; inline code is one word. Pure. */
export function paragraphs(markdown) {
  const found = [];
  let current = null;
  let fence = null;
  markdown.split("\n").forEach((line, at) => {
    const mark = /^\s*(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence !== null) {
      if (mark?.startsWith(fence)) fence = null;
      return;
    }
    const item = /^\s*(?:[-*+]|\d+[.)])\s+/.exec(line)?.[0];
    if (mark !== undefined) fence = mark;
    if (
      mark !== undefined ||
      line.trim() === "" ||
      /^\s*(?:\||#|<|>|\[[^\]]+\]:)/.test(line) ||
      (current === null && item === undefined && /^ {4}/.test(line))
    ) {
      current = null;
      return;
    }
    if (item !== undefined || current === null) found.push((current = { line: at + 1, text: "" }));
    current.text += `${line.slice(item?.length ?? 0).trim()}\n`;
  });
  return found.map(({ line, text }) => ({
    line,
    text: text
      .replace(/`+[^`]*`+/g, "code")
      .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
      .replace(/\*\*|__/g, ""),
  }));
}

/** The messages in a source file as { line, text }: string literals of several words, joined where they follow one another. Pure. */
export function messages(source) {
  const found = [];
  const literal = String.raw`"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|` + "`(?:[^`\\\\]|\\\\.)*`";
  for (const match of source.matchAll(new RegExp(String.raw`(?:${literal})(?:\s*\+?\s*(?:${literal}))*`, "g"))) {
    const lineStart = source.lastIndexOf("\n", match.index) + 1;
    if (/^\s*(?:\/\/|\*|\/\*)/.test(source.slice(lineStart, match.index))) continue;
    const text = [...match[0].matchAll(new RegExp(literal, "g"))]
      .map(([each]) => each.slice(1, -1))
      .join("")
      .replace(/\$\{[^}]*\}/g, "value")
      .replace(/\\n/g, "\n\n")
      .replace(/\\(.)/g, "$1");
    if (/^[\p{Lu}%]/u.test(text) && (text.match(/ /g)?.length ?? 0) > 3 && !/[;{}<>=]/.test(text))
      found.push({ line: source.slice(0, match.index).split("\n").length, text });
  }
  return found;
}

const DOCUMENTS = /^(?:README|CONTRIBUTING|docs\/(?!decisions\/)[^/]+)\.md$|^docs\/[^/]+\.md$/;
const SOURCES = /^(?:web|extension\/src|packer|wasm)\/.*\.(?:ts|cc|h)$/;

/** The files that git lists, without those deleted since the last commit. */
const listed = () =>
  (ask("git", ["ls-files"], { cwd: root }) ?? "").split("\n").filter((file) => fs.existsSync(path.join(root, file)));

/** The problems of some files, or of all: "FILE:LINE: why: sentence". */
export function prose(files = listed()) {
  return files.flatMap((file) => {
    const read = DOCUMENTS.test(file) ? paragraphs : SOURCES.test(file) ? messages : null;
    if (read === null) return [];
    return read(fs.readFileSync(path.join(root, file), "utf8")).flatMap(({ line, text }) =>
      (CONTRACTS.has(text) ? [] : sentences(text)).flatMap((sentence) => {
        const why = complaintOf(sentence);
        return why === null ? [] : [`${file}:${line}: ${why}: ${sentence}`];
      }),
    );
  });
}

main(import.meta.url, async () => {
  const given = process.argv.slice(2).map((file) => path.relative(root, path.resolve(file)));
  const problems = given.length > 0 ? prose(given) : prose();
  for (const problem of problems) console.log(problem);
  return problems.length === 0 ? 0 : 1;
});
