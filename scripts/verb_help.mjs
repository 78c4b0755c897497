// What the verbs' help says, as data: the command's reference on the site and its manual page are made of it.
//
// The help of a verb is the one description of its options: tests/node/cli_options.test.mjs compares it with what the verb
// declares. Its lines have four forms: usage; text at the margin; options, indented, of which longer indents go on; other
// indented lines, which stay as they are.
import path from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "./support.mjs";

const OPTION = /^ {2,6}(?=(?:-\w, ?)?--?\w)/;
/** The flags of an option, then two spaces or more, then its text. */
const WITH_TEXT = /^( *\S.*?) {2,}(\S.*)$/;

/** Where most of the options' texts begin. */
function column(rows) {
  const counts = new Map();
  for (const row of rows) {
    const found = WITH_TEXT.exec(row);
    if (found !== null) counts.set(row.length - found[2].length, (counts.get(row.length - found[2].length) ?? 0) + 1);
  }
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0];
}

/** An option's row as its flags and its text; a long flag may leave one space before the column. */
function split(row, at) {
  if (row[at - 1] === " " && row[at] !== " " && row.slice(0, at).trim() !== "" && !/ {2,}\S/.test(row.slice(at - 1)))
    return [row.slice(0, at).trim(), row.slice(at).trim()];
  const found = WITH_TEXT.exec(row);
  return found === null ? [row.trim(), ""] : [found[1].trim(), found[2]];
}

/**
 * The help of a verb as { usage: [line], blocks }. A block is { text }, { options: [{ flags, lines }] } or { verbatim: [line] }. Pure.
 */
export function parseHelp(help) {
  const rows = help.split("\n");
  const at = column(rows.filter((row) => OPTION.test(row)));
  const usage = [];
  const blocks = [];
  let open = null; // the block that the next line may go on
  const begin = (block) => {
    blocks.push(block);
    open = block;
  };
  rows.forEach((row, index) => {
    const begun = /^Usage: +(.*)$/.exec(row);
    if (begun) usage.push(begun[1]);
    else if (row.trim() === "") open = open?.options ? open : null;
    else if (blocks.length === 0 && usage.length === index && /^ {7}\S/.test(row)) usage.push(row.trim());
    else if (OPTION.test(row)) {
      if (!open?.options) begin({ options: [] });
      const [flags, text] = split(row, at);
      open.options.push({ flags, lines: text === "" ? [] : [text] });
    } else if (/^ {7,}\S/.test(row) && open?.options)
      open.options.at(-1).lines.push(row.slice(at ?? 0).trimEnd() || row.trim());
    else if (/^\s/.test(row)) {
      if (!open?.verbatim) begin({ verbatim: [] });
      open.verbatim.push(row);
    } else if (open && "text" in open) open.text += `\n${row}`;
    else begin({ text: row });
  });
  return { usage, blocks };
}

/** The lines of an option's text as paragraphs: one, unless they are laid out in columns. Pure. */
export function paragraphsOf(lines) {
  if (!lines.some((line) => /\S {2,}\S/.test(line))) return [lines.map((line) => line.trim()).join(" ")];
  const found = [];
  for (const line of lines) {
    if (/^ {2,}/.test(line) && found.length > 0) found.push(`${found.pop()} ${line.trim()}`);
    else found.push(line);
  }
  return found;
}

/** Every verb in the order of `sheaf --help`, with its parsed help: [{ name, help, usage, blocks }]. Reads dist. */
export async function verbHelp() {
  const { VERBS, HELP } = await import(pathToFileURL(path.join(root, "dist", "cli", "verbs.js")).href);
  const verbs = [];
  for (const [name, load] of Object.entries(VERBS)) {
    const { help, more } = await load();
    const all = more === undefined ? help : `${help}\n\n${more}`;
    verbs.push({ name, help: all, ...parseHelp(all) });
  }
  return { overview: HELP, verbs };
}
