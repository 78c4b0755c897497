// Pages that are made from the code: the options of each verb, the attributes of <sheaf-search>, the packages' declarations.
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { mapLinks } from "./gather.mjs";
import { verbHelp, paragraphsOf, parseHelp } from "../verb_help.mjs";
import { ask, Failure, root } from "../support.mjs";

/** Text in a table's cell or a paragraph: nothing in it is Markdown, HTML or a template. Pure. */
export const plain = (text) =>
  text
    .replace(/[\\`*_[\]#|]/g, "\\$&")
    .replace(/&/g, "&amp;")
    .replace(/</g, "&lt;")
    .replace(/\{/g, "&#123;");

/** A comment's text, of which the code stays code. Pure. */
const withCode = (text) =>
  text
    .split(/(`[^`]+`)/)
    .map((part) => (/^`.*`$/.test(part) ? code(part.slice(1, -1)) : plain(part)))
    .join("");

const code = (text) => `\`${text.replaceAll("|", "\\|")}\``;
const fenced = (lines) => `\`\`\`text\n${lines.join("\n")}\n\`\`\``;

/** What begins with `docs/x.md` is a link to that page. */
const linked = (text) => plain(text).replace(/docs\/([a-z-]+)\.md/g, "[$1](../$1.md)");

function block({ text, options, verbatim }) {
  if (verbatim !== undefined) return fenced(verbatim.map((line) => line.replace(/^ {2}/, "")));
  if (text !== undefined) return linked(text);
  const rows = options.map(
    ({ flags, lines }) => `| ${code(flags)} | ${paragraphsOf(lines).map(linked).join("<br>")} |`,
  );
  return ["| option | meaning |", "|---|---|", ...rows].join("\n");
}

const section = ({ title, usage, blocks }) =>
  [`## ${title}`, ...(usage.length > 0 ? [fenced(usage)] : []), ...blocks.map(block)].join("\n\n");

/** Options of all verbs, as Markdown. Runs the packer for its own. */
export async function commandPage() {
  const { overview, verbs } = await verbHelp();
  const packer = ask(process.execPath, [path.join(root, "dist", "cli", "main.js"), "pack", ".", "--help"]);
  if (packer === null) throw new Failure("There is no packer to ask for its options; build one: npm run build");
  const sections = verbs.flatMap(({ name, usage, blocks }) => [
    section({ title: code(`sheaf ${name}`), usage, blocks }),
    ...(name === "pack" ? [packerOptions(packer)] : []),
  ]);
  return `# The command\n\nMade from the help of each verb, which \`sheaf help VERB\` prints.\n\n${fenced(overview.split("\n"))}\n\n${sections.join("\n\n")}\n`;
}

/** The packer's help, whose first lines are its own usage. */
function packerOptions(help) {
  const from = help.indexOf("\nOptions:");
  return parseHelp(help.slice(from).replace(/\n{2,}/g, "\n\n"))
    .blocks.filter(({ text }) => text !== "Options:")
    .map((each) => (each.text?.endsWith(":") ? `### ${plain(each.text.slice(0, -1))}` : block(each)))
    .join("\n\n");
}

/** The properties of `<sheaf-search>`: [{ name, attribute, type, byDefault, text }], in the order of properties.ts. Pure. */
export function elementProperties(source) {
  const table = /static override properties[^{]*\{(.*?)\n {2}\};/s.exec(source)?.[1] ?? "";
  return [...table.matchAll(/^ {4}(\w+): \{(.*?)\},$/gm)]
    .filter(([, , settings]) => !/state: true/.test(settings))
    .map(([, name, settings]) => {
      const declared = new RegExp(`(?:/\\*\\* ((?:(?!\\*/).)*?) \\*/\\s*)?declare ${name}: ([^;]*);`, "s").exec(source);
      const own = /attribute: '([^']*)'/.exec(settings)?.[1];
      return {
        name,
        attribute: /attribute: false/.test(settings) ? undefined : (own ?? name),
        type: declared?.[2],
        byDefault: new RegExp(`^ {4}this\\.${name} = (.*);$`, "m").exec(source)?.[1],
        text: declared?.[1]?.replace(/\s*\n\s*\*?\s*/g, " ") ?? "",
      };
    });
}

/** The events that files of a folder dispatch, by name. */
export function elementEvents(folder = path.join(root, "web", "browser", "ui")) {
  const names = new Set();
  for (const entry of fs.readdirSync(folder, { recursive: true })) {
    if (!String(entry).endsWith(".ts")) continue;
    const text = fs.readFileSync(path.join(folder, String(entry)), "utf8");
    for (const [, name] of text.matchAll(/(?:tell\(\S+, |CustomEvent\()'(sheaf-[a-z]+)'/g)) names.add(name);
  }
  return [...names].sort();
}

/** Attributes, properties and events of `<sheaf-search>`, as Markdown. */
export function elementPage() {
  const source = fs.readFileSync(path.join(root, "web", "browser", "ui", "properties.ts"), "utf8");
  const rows = elementProperties(source).map(({ name, attribute, type, byDefault, text }) => {
    const names = [attribute, attribute === name ? undefined : name].map((each) =>
      each === undefined ? "" : code(each),
    );
    const initial = byDefault === undefined ? [] : [`default ${code(byDefault)}`];
    const cells = [...names, withCode(text), [code(type ?? "unknown"), ...initial].join("<br>")];
    return `| ${cells.join(" | ")} |`;
  });
  const events = elementEvents().map((name) => `- [${code(name)}](../ui.md#events)`);
  return [
    "# Attributes and events",
    "Made from `web/browser/ui/properties.ts`. [The component](../ui.md) explains each, with its methods, parts, slots and strings.",
    "## Attributes and properties",
    ["| attribute | property, where it is another | meaning | type |", "|---|---|---|---|", ...rows].join("\n"),
    "## Events",
    events.join("\n"),
    "",
  ].join("\n\n");
}

/** Where the module's links to its other pages lead here. */
const PYTHON_LINKS = {
  "sheaf.md": "command.md",
  "sheaf.mkdocs.md": "../adapters.md",
  "sheaf.sphinx.md": "../adapters.md",
};

/**
 * The module `sheaf` of Python, as Markdown: by our own reader of source code, as `sheaf add` reads a package that has no other
 * documentation. docs/building.md says why.
 */
export async function pythonPage() {
  const { apiPagesOf } = await import(pathToFileURL(path.join(root, "dist", "node", "convert", "grammars.js")).href);
  const folder = path.join(root, "python");
  const paths = fs
    .readdirSync(path.join(folder, "sheaf"))
    .filter((name) => name.endsWith(".py"))
    .map((name) => `sheaf/${name}`)
    .sort();
  const tree = { paths, read: (file) => fs.readFileSync(path.join(folder, file)) };
  const pages = await apiPagesOf(tree, (note) => {
    throw new Failure(`python/sheaf was not read whole: ${note}`);
  });
  const { text } = pages.find((page) => page.path === "api/sheaf.md");
  const told = mapLinks(text, (target) => PYTHON_LINKS[target] ?? target)
    .replace(
      /^# sheaf$/m,
      "# Python\n\nMade from the code of `python/sheaf`. [The guide](../python.md) shows how it is used.",
    )
    .replace(/^(#{2,} .* \{#[\w.]+) \.\w+\}$/gm, "$1}"); // the kind of a name
  return told;
}

/** What programs import: entry of package.json to its declarations; workers and copies of an entry have no words of their own. Pure. */
export function apiEntries({ exports }) {
  const found = {};
  for (const [key, value] of Object.entries(exports)) {
    const types = typeof value === "object" ? (value.types?.node ?? value.types) : undefined;
    if (typeof types !== "string" || /worker|\.js$|search-box/.test(key)) continue;
    found[`sheaf${key.slice(1)}`] = types;
  }
  return found;
}
