// Writes dist/sheaf.1, the manual page of the command, from the help of its verbs (verb_help.mjs). npm installs it with the
// package (package.json, man). The packer's own page, sheaf-pack.1, is in the .deb, which holds nothing but the packer.
//
//   node scripts/man.mjs
import fs from "node:fs";
import path from "node:path";
import { verbHelp, paragraphsOf } from "./verb_help.mjs";
import { main, root, say } from "./support.mjs";

const FILE = path.join(root, "dist", "sheaf.1");

/** Text as roff takes it: hyphens that can be copied, no line that is a command. Pure. */
export const roff = (text) =>
  text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replace(/^([.'])/gm, "\\&$1");

const verbatim = (lines) => `.PP\n.nf\n${lines.map(roff).join("\n")}\n.fi`;

function block({ text, options, verbatim: lines }) {
  if (lines !== undefined) return verbatim(lines);
  if (text !== undefined) return `.PP\n${roff(text)}`;
  return options
    .map(({ flags, lines: said }) =>
      `.TP\n.B ${roff(flags)}\n${paragraphsOf(said).map(roff).join("\n.br\n")}`.trimEnd(),
    )
    .join("\n");
}

/** The page as roff. `overview` is what `sheaf --help` prints. Pure. */
export function manPage({ version, overview, verbs }) {
  const [usage, ...rest] = overview.split("\n");
  const exits = rest.findIndex((line) => line.startsWith("Results go"));
  const sections = verbs.map(({ name, usage: lines, blocks }) =>
    [`.SS ${roff(name)}`, verbatim(lines), ...blocks.map(block)].join("\n"),
  );
  return `${[
    `.TH SHEAF 1 "" "sheaf ${version}" "User Commands"`,
    ".SH NAME",
    "sheaf \\- search documentation by words and by meaning",
    ".SH SYNOPSIS",
    `.B ${roff(usage.replace(/^Usage: /, "").replace(/ {2,}.*/, ""))}`,
    ".SH DESCRIPTION",
    ".nf",
    ...rest.slice(1, exits).map(roff),
    ".fi",
    ".SH VERBS",
    ...sections,
    ".SH EXIT STATUS",
    roff(rest.slice(exits).join("\n")),
    ".SH SEE ALSO",
    ".BR sheaf\\-pack (1)",
  ].join("\n")}\n`;
}

/** Writes the page where it is not up to date; returns whether it did. */
export async function writeManPage() {
  const { version } = JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8"));
  const page = manPage({ version, ...(await verbHelp()) });
  if (fs.existsSync(FILE) && fs.readFileSync(FILE, "utf8") === page) return false;
  fs.writeFileSync(FILE, page);
  return true;
}

main(import.meta.url, async () =>
  say(`  ${path.relative(root, FILE)} is ${(await writeManPage()) ? "written" : "up to date"}`),
);
