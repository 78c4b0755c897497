// The pages of docs/ as the site shows them: each with its links made to lead somewhere there.
import fs from "node:fs";
import path from "node:path";
import { slugOf } from "../../site/slug.mjs";
import { root } from "../support.mjs";

const docs = path.join(root, "docs");

/** The lines of a Markdown text with whether each is code. */
function* linesOf(text) {
  let fence = null;
  for (const line of text.split("\n")) {
    const mark = /^\s*(`{3,}|~{3,})/.exec(line)?.[1];
    const wasCode = fence !== null;
    if (fence === null) fence = mark ?? null;
    else if (mark?.startsWith(fence)) fence = null;
    yield { line, isCode: wasCode || mark !== undefined };
  }
}

/** The anchors of a page's headings; of equal ones the later have numbers. Pure. */
export function anchorsOf(text) {
  const found = new Set();
  for (const { line, isCode } of linesOf(text)) {
    const heading = isCode ? null : /^#{1,6} (.*)$/.exec(line);
    if (heading === null) continue;
    const slug = slugOf(heading[1].replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").replace(/[`*\\]/g, ""));
    let name = slug;
    for (let n = 1; found.has(name); n++) name = `${slug}-${n}`;
    found.add(name);
  }
  return found;
}

/** A link outside code; its words may hold code and images. */
const LINK = /(`+)[^`].*?\1(?!`)|(!?)\[((?:`[^`]*`|!\[[^\]]*\]\([^)]*\)|[^[\]])*)\]\(([^()\s]+)\)/g;

/**
 * The text with every link passed through `lead(target, words)`, which returns the new target, both as an object, or null where the words stand
 * alone. Pure but for `lead`.
 */
export function mapLinks(text, lead) {
  return [...linesOf(text)]
    .map(({ line, isCode }) =>
      isCode
        ? line
        : line.replace(LINK, (all, code, mark, words, target) => {
            if (code !== undefined) return all;
            const led = lead(target, words);
            return led === null ? words : `${mark}[${led.words ?? words}](${led.target ?? led})`;
          }),
    )
    .join("\n");
}

/** Title of a page: its first heading, without marks. Pure. */
export const titleOf = (text) =>
  (/^# (.*)$/m.exec(text)?.[1] ?? "").replace(/`<([^`]*)>`/g, "$1").replace(/`([^`]*)`/g, "$1");

/** The pages of docs/, by their paths there. */
export function docsPages() {
  const names = (folder) =>
    fs
      .readdirSync(path.join(docs, folder))
      .filter((name) => name.endsWith(".md"))
      .map((name) => path.posix.join(folder, name));
  return [...names(""), ...names("decisions")].sort();
}

/**
 * Where a link of a page of docs/ leads on the site: the same page, a page that the site serves as it is, or a file of the repository,
 * for which there is a link where the owner has said where the repository is. Also says what is wrong with it.
 */
export function leadOf({ page, target, repository, kept = [] }) {
  if (/^(?:https?:|mailto:|#)/.test(target)) {
    const lost = target.startsWith("#") && !anchorsOf(read(page)).has(target.slice(1));
    return { target, problem: lost ? `${page} has no heading ${target}` : undefined };
  }
  const [file, anchor] = target.split("#");
  const full = path.join(docs, path.dirname(page), file);
  const within = path.relative(docs, full).replaceAll("\\", "/");
  if (!fs.existsSync(full)) return { target: null, problem: `${page} links to ${target}, which is not there` };
  if (kept.some((folder) => within.startsWith(folder))) return { target: `/${within}`, isKept: true };
  if (!within.startsWith("..") && /\.md$/.test(within)) {
    const lost = anchor !== undefined && !anchorsOf(read(within)).has(anchor);
    return { target, problem: lost ? `${page} links to ${target}, where no heading has this anchor` : undefined };
  }
  if (!within.startsWith("..") && /\.(?:png|webp|svg)$/.test(within)) return { target };
  const inTree = path.relative(root, full).replaceAll("\\", "/");
  const kind = fs.statSync(full).isDirectory() ? "tree" : "blob";
  const hash = anchor === undefined ? "" : `#${anchor}`;
  return { target: repository == null ? null : `${repository}/${kind}/main/${inTree}${hash}` };
}

const texts = new Map();
function read(page) {
  if (!texts.has(page)) texts.set(page, fs.readFileSync(path.join(docs, page), "utf8"));
  return texts.get(page);
}

/** The page as the site shows it: { text, title, problems }. */
export function sitePage(page, { repository, kept }) {
  const problems = [];
  const own = read(page);
  const text = mapLinks(own, (target, words) => {
    const led = leadOf({ page, target, repository, kept });
    if (led.problem !== undefined) problems.push(led.problem);
    // The generator's router draws pages of its own; all others are the browser's.
    // A page is named by its title there, not by its file.
    if (/^[\w-]+\.md$/.test(words) && /\.md$/.test(led.target ?? ""))
      return { target: led.target, words: titleOf(read(path.posix.join(path.posix.dirname(page), led.target))) };
    return led.isKept ? `${led.target}){target="_self"}`.slice(0, -1) : led.target;
  });
  return { text, title: titleOf(own), problems };
}
