// `npm run docs`: builds the project's own site from docs/, with VitePress and our adapter for it.
//
//   npm run docs                     into build/site/dist, for any static host
//   npm run docs -- --base /sheaf/   for a host that serves it below a path
//   npm run docs -- --check          only what is wrong with links; builds nothing
//   node dist/cli/main.js serve build/site/dist       reads it
//
// The pages are those of docs/ (scripts/docs/gather.mjs), in the order of site/outline.mjs, and reference that is made from the
// code (scripts/docs/reference.mjs; TypeDoc for what programs in JavaScript import). VitePress and TypeDoc are installed in build/site by the
// lock file of site/, so the tree's own node_modules stay as they are. The landing page searches these pages, and the
// bundles of `npm run demo` where they are in build/demo.
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { pathToFileURL } from "node:url";
import { anchorsOf, docsPages, mapLinks, sitePage } from "./docs/gather.mjs";
import { apiEntries, commandPage, elementPage, pythonPage } from "./docs/reference.mjs";
import { bootstrap } from "./bootstrap.mjs";
import { assemble, writeLibraries } from "./try_page.mjs";
import { Failure, main, root, run, say, step } from "./support.mjs";

const source = path.join(root, "site");
const work = path.join(root, "build", "site");
const demo = path.join(root, "build", "demo", "sheaf", "libraries");
/** How many of the demo's libraries the landing page searches: the largest. */
const LIBRARIES = 10;
/** What the site takes over from one run to the next. */
const KEPT = new Set(["node_modules", ".lock"]);

/** Where the owner has said that the repository is; or null. */
const repository = () => JSON.parse(fs.readFileSync(path.join(root, "owner.json"), "utf8")).repository;

const hasPackerModule = () => fs.existsSync(path.join(root, "dist", "browser", "packer", "sheaf-packer.wasm"));

const write = (file, text) => {
  fs.mkdirSync(path.dirname(path.join(work, file)), { recursive: true });
  fs.writeFileSync(path.join(work, file), text);
};

/** What the pages of docs/ have wrong: links that lead nowhere, pages that site/outline.mjs does not place. */
export async function problems() {
  const { GUIDES, INSIDE } = await import(pathToFileURL(path.join(source, "outline.mjs")).href);
  const placed = [...GUIDES, ...INSIDE].flatMap(({ pages }) => pages.map((page) => `${page}.md`));
  const found = docsPages().flatMap((page) => sitePage(page, { kept: ["try/"] }).problems);
  const own = docsPages().filter((page) => !page.includes("/"));
  for (const page of own) if (!placed.includes(page)) found.push(`site/outline.mjs does not place docs/${page}`);
  for (const page of placed)
    if (!own.includes(page)) found.push(`site/outline.mjs names docs/${page}, which is not there`);
  return found;
}

/** The generator and TypeDoc, once for each lock file. */
async function install() {
  const lock = createHash("sha256")
    .update(fs.readFileSync(path.join(source, "package-lock.json")))
    .digest("hex");
  const stamp = path.join(work, ".lock");
  for (const name of ["package.json", "package-lock.json"]) fs.cpSync(path.join(source, name), path.join(work, name));
  if (!fs.existsSync(stamp) || fs.readFileSync(stamp, "utf8") !== lock) {
    // esbuild's and rollup's binaries are packages, so no script has to run.
    await run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], { log: "docs-npm", cwd: work });
    fs.writeFileSync(stamp, lock);
  }
  const sheaf = path.join(work, "node_modules", "sheaf");
  fs.rmSync(sheaf, { recursive: true, force: true });
  fs.symlinkSync(root, sheaf, "junction");
}

/** The pages, the settings and the theme, in build/site. */
async function gather() {
  fs.mkdirSync(work, { recursive: true });
  for (const name of fs.readdirSync(work))
    if (!KEPT.has(name)) fs.rmSync(path.join(work, name), { recursive: true, force: true });
  fs.cpSync(source, work, { recursive: true });
  fs.cpSync(path.join(root, "docs", "images"), path.join(work, "images"), { recursive: true });
  const kept = hasPackerModule() ? ["try/"] : [];
  if (kept.length > 0) await assemble(path.join(work, "public", "try"));
  const titles = {};
  for (const page of docsPages()) {
    const { text, title } = sitePage(page, { repository: repository(), kept });
    titles[page] = title;
    write(page, text);
  }
  const decisions = Object.entries(titles).filter(([page]) => page.startsWith("decisions/"));
  const list = decisions.map(([page, title]) => `- [${title}](${page.slice("decisions/".length)})`).join("\n");
  write("decisions/index.md", `# Decisions\n\nWhy things are as they are, one decision a page.\n\n${list}\n`);
  write("reference/command.md", await commandPage());
  write("reference/element.md", elementPage());
  write("reference/python.md", await pythonPage());
  return titles;
}

/** The declarations of what programs import, as Markdown: a page for each entry. */
async function api() {
  const entries = apiEntries(JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8")));
  for (const [name, types] of Object.entries(entries))
    write(`entries/${name}.d.ts`, asEntry(path.join(root, types), path.join(work, "entries", path.dirname(name))));
  const types = { types: ["node"], typeRoots: [path.join(root, "node_modules", "@types")], lib: ["es2022", "dom"] };
  write(
    "entries/tsconfig.json",
    JSON.stringify({
      compilerOptions: { module: "nodenext", target: "es2022", skipLibCheck: true, ...types },
      include: ["sheaf.d.ts", "sheaf/**/*.d.ts"],
    }),
  );
  const typedoc = {
    entryPoints: Object.keys(entries).map((name) => `entries/${name}.d.ts`),
    tsconfig: "entries/tsconfig.json",
    plugin: ["typedoc-plugin-markdown"],
    out: "reference/api",
    name: "JavaScript",
    outputFileStrategy: "modules",
    readme: "none",
    entryFileName: "index",
    logLevel: "Error",
    ...Object.fromEntries(
      "skipErrorChecking excludeExternals excludePrivate excludeInternal disableSources hideBreadcrumbs hidePageHeader"
        .split(" ")
        .map((option) => [option, true]),
    ),
    parametersFormat: "table",
    interfacePropertiesFormat: "table",
    typeDeclarationFormat: "table",
  };
  write("typedoc.json", JSON.stringify(typedoc));
  await run(process.execPath, ["node_modules/typedoc/bin/typedoc"], { log: "docs-typedoc", cwd: work });
  mendAnchors(path.join(work, "reference", "api"));
  return Object.keys(entries);
}

/**
 * Declarations as a file of another folder, whose first comment describes the module: TypeDoc would take it for that of the names which
 * the first statement exports.
 */
function asEntry(file, folder) {
  const text = fs
    .readFileSync(file, "utf8")
    .replace(/(\bfrom |\bimport\()(["'])(\.[^"']*)\2/g, (_, before, quote, target) => {
      const to = path.relative(folder, path.resolve(path.dirname(file), target)).replaceAll("\\", "/");
      return `${before}${quote}${to}${quote}`;
    });
  return text.replace(/^\/\*\*([\s\S]*?)\*\//, (_, words) => `/**${words}\n * @module\n */`);
}

/** TypeDoc numbers headings that differ only in a name's capitals, also where one of the two is on another page. */
function mendAnchors(folder) {
  const pages = fs.readdirSync(folder, { recursive: true }).filter((name) => String(name).endsWith(".md"));
  const textOf = (file) => fs.readFileSync(file, "utf8");
  for (const page of pages.map((name) => path.join(folder, String(name)))) {
    const mended = mapLinks(textOf(page), (target) => {
      const [file, anchor] = target.split("#");
      if (anchor === undefined || /^https?:/.test(target)) return target;
      const anchors = anchorsOf(textOf(file === "" ? page : path.resolve(path.dirname(page), file)));
      const unnumbered = anchor.replace(/-\d+$/, "");
      return anchors.has(anchor) || !anchors.has(unnumbered) ? target : `${file}#${unnumbered}`;
    });
    fs.writeFileSync(page, mended);
  }
}

/** What a reader may ask a library first. */
const QUESTIONS = { postgresql: "keep readers from blocking writers" };

/** The largest of the demo's bundles, copied into the site: [{ src, label, bytes, question, spec }]. */
async function libraries() {
  if (!fs.existsSync(demo)) return [];
  const { decodeFileName } = await import(pathToFileURL(path.join(root, "dist", "node", "store", "store.js")).href);
  const found = fs
    .readdirSync(demo)
    .map((name) => ({ name, bytes: fs.statSync(path.join(demo, name)).size, ...decodeFileName(name) }))
    .filter(({ library }) => library !== undefined)
    .sort((a, b) => b.bytes - a.bytes || (a.name < b.name ? -1 : 1))
    .slice(0, LIBRARIES);
  for (const { name } of found) {
    fs.mkdirSync(path.join(work, "public", "libraries"), { recursive: true });
    fs.copyFileSync(path.join(demo, name), path.join(work, "public", "libraries", name));
  }
  return found.map(({ name, library, version, bytes }) => ({
    src: `libraries/${name}`,
    label: `${library} ${version}`,
    bytes,
    question: QUESTIONS[library],
    // As scripts/demo.mjs has them: a manual of Debian's, and packages of npm.
    spec: library === "postgresql" ? "deb:postgresql-doc-15" : `npm:${library}@${version}`,
  }));
}

/** The libraries of the page that shows Sheaf at work: these pages, whose bundle the adapter made, and those of the landing page. */
function offerLibraries(others) {
  const dist = path.join(work, "dist");
  if (!fs.existsSync(path.join(dist, "try"))) return;
  const bundle = fs.readdirSync(path.join(dist, "sheaf")).find((name) => /^site-[^.]*\.sheaf$/.test(name));
  writeLibraries(path.join(dist, "try"), [
    {
      src: `../sheaf/${bundle}`,
      label: "These pages",
      bytes: fs.statSync(path.join(dist, "sheaf", bundle)).size,
      question: "how do I add search to my site",
      base: "../",
      isSite: true,
    },
    ...others.map((each) => ({ ...each, src: `../${each.src}` })),
  ]);
}

/** Builds the site; returns its folder. `base` is the path that the host serves it below. */
export async function buildDocs({ base = "/" } = {}) {
  const wrong = await problems();
  if (wrong.length > 0) throw new Failure(`docs/ has links that lead nowhere:\n  ${wrong.join("\n  ")}`);
  await step("Installing VitePress and TypeDoc", () => install());
  let others;
  await step("Gathering pages", async () => {
    const titles = await gather();
    const entries = await api();
    others = await libraries();
    const isTried = hasPackerModule();
    write("data.json", JSON.stringify({ base, titles, entries, libraries: others, isTried, repository: repository() }));
    return `${Object.keys(titles).length + entries.length + 5} pages`;
  });
  await step("Building the site", async () => {
    const { output } = await run(process.execPath, ["node_modules/vitepress/bin/vitepress.js", "build"], {
      log: "docs-vitepress",
      cwd: work,
    });
    offerLibraries(others);
    return /search over [\d]+ pages, [\d]+ passages/.exec(output)?.[0];
  });
  return path.join(work, "dist");
}

main(import.meta.url, async () => {
  const { values } = parseArgs({ options: { base: { type: "string" }, check: { type: "boolean" } } });
  if (values.check) {
    const wrong = await problems();
    for (const line of wrong) console.log(line);
    return wrong.length > 0 ? 1 : 0;
  }
  if (values.base !== undefined && !/^\/(?:[\w.-]+\/)*$/.test(values.base))
    throw new Failure(`--base takes a path that begins and ends with a slash, such as /sheaf/, not ${values.base}`);
  await bootstrap("build");
  const folder = await buildDocs(values);
  say(`  Built in ${path.relative(root, folder)}. Read it: node dist/cli/main.js serve ${path.relative(root, folder)}`);
  return 0;
});
